//! Every key of a scenario and every parameter of a scheme with every kind of bad value: what is documented as allowed is accepted,
//! all else refused with exit code 2 and its place.

use spraysim::cc::CONTROLLERS;
use spraysim::fields::ParamDoc;
use spraysim::json::{Json, Origin, Step, Value, get, parse, parse_path, path_text, set};
use spraysim::lb::SCHEMES;
use spraysim::scenario::{KEYS, Overrides, load};

use crate::support::Folder;

/// One thing that a scenario can name.
struct Key {
    /// In a scenario, e.g. `workload.pairs[0].src`.
    path: String,
    /// What is documented as allowed.
    allowed: &'static str,
    /// A value that is fine.
    fine: String,
    /// A scenario in which it means something.
    scenario: String,
}

/// One scenario, and whether it is to be accepted.
struct Case {
    /// Where the problem is, if there is one.
    path: String,
    what: &'static str,
    text: String,
    accepted: bool,
}

const PAIRS: &str = r#"{"kind": "pairs", "pairs": [{"src": 1, "dst": 2, "bytes": 5}]}"#;
const WAITING: &str = r#"{"kind": "pairs", "pairs": [{"src": 1, "dst": 2, "bytes": 5, "after": {"flows": [1]}}, {"src": 2, "dst": 1, "bytes": 5}]}"#;
const MATRIX: &str = r#"{"kind": "htsim_cm", "path": "m.cm"}"#;
const MIXED: &str = r#"{"scheme": "rps", "override": [{"where": "random_pods", "fraction": 0.5, "scheme": {"scheme": "rsq"}}]}"#;
const STRAGGLERS: &str = r#"{"kind": "permutation", "message_bytes": 5,
    "start_jitter": {"stragglers": {"hosts": [1], "delay_ns": 5}}}"#;
const STRAGGLING: &str = r#"{"kind": "permutation", "message_bytes": 5,
    "start_jitter": {"stragglers": {"fraction": 0.5, "delay_ns": 5}}}"#;
const MICE: &str = r#"{"kind": "permutation", "message_bytes": 5,
    "mice": {"message_bytes": 5, "count_per_host": 1, "period_ns": 5}}"#;
const PERMUTATION: &str = r#"{"kind": "permutation", "message_bytes": 5}"#;

const TREE: &str = r#"{"k": 4}"#;
const LOSSLESS: &str = r#"{"k": 4, "queue": {"kind": "lossless", "pause_bytes": 1000000}}"#;
const TOPOLOGY: &str = r#"{"kind": "htsim_topo", "path": "t.topo"}"#;

fn scenario(fabric: &str, load_balancing: &str, workload: &str) -> String {
    format!(r#"{{"fabric": {fabric}, "load_balancing": {load_balancing}, "workload": {workload}}}"#)
}

/// Failures in which a key of a list among them means something.
fn failures(path: &str) -> Option<&'static str> {
    match path {
        _ if path.starts_with("failures.links[]") => Some(r#"{"links": [{"link": "e0-a0"}]}"#),
        _ if path.starts_with("failures.switches[]") => Some(r#"{"switches": [{"switch": "a1"}]}"#),
        _ if path.starts_with("failures.loss[]") => {
            Some(r#"{"loss": [{"link": "e0-a0", "probability": 0.5}]}"#)
        }
        _ if path.starts_with("failures.hosts[]") => Some(r#"{"hosts": [{"host": 1}]}"#),
        _ => None,
    }
}

/// A fabric in which a key means something.
fn fabric(path: &str) -> &'static str {
    match path {
        "fabric.path" => TOPOLOGY,
        "fabric.queue.trim_bytes" | "fabric.queue.header_buffer_bytes" | "fabric.queue.evict" => {
            r#"{"k": 4, "queue": {"kind": "trimming"}}"#
        }
        "fabric.queue.resume_offset_bytes" => {
            r#"{"k": 4, "queue": {"kind": "lossless", "shared_buffer": {"bytes": 1000000}}}"#
        }
        "fabric.queue.pause_bytes" => {
            r#"{"k": 4, "buffer_bytes": 1000000, "queue": {"kind": "lossless"}}"#
        }
        "fabric.queue.resume_bytes"
        | "fabric.queue.headroom_bytes"
        | "fabric.queue.pause_frame_bytes" => LOSSLESS,
        _ if path.starts_with("failures.hosts[]") => LOSSLESS,
        _ if path.starts_with("fabric.queue.shared_buffer.") => {
            r#"{"k": 4, "queue": {"shared_buffer": {"bytes": 1000000}}}"#
        }
        _ => TREE,
    }
}

/// A transport in which a key means something.
fn transport(path: &str) -> &'static str {
    match path {
        "transport.rto.initial_us" | "transport.rto.min_us" => {
            r#"{"kind": "selective_repeat", "rto": {"kind": "estimated"}}"#
        }
        "transport.extra_packets" | "transport.resume" => r#"{"kind": "erasure"}"#,
        "transport.kind" => "{}",
        _ if path.starts_with("transport.sleek.") => r#"{"kind": "selective_repeat", "sleek": {}}"#,
        _ if path.starts_with("transport.") => r#"{"kind": "selective_repeat"}"#,
        _ => "{}",
    }
}

fn keys() -> Vec<Key> {
    let of_scenario = KEYS.iter().map(|key| {
        let workload = match key.path {
            "workload.path" | "workload.start_unit" => MATRIX,
            path if path.starts_with("workload.pairs[].after.") => WAITING,
            path if path.starts_with("workload.pairs") => PAIRS,
            "workload.start_jitter.stragglers.fraction" => STRAGGLING,
            path if path.starts_with("workload.start_jitter.") => STRAGGLERS,
            path if path.starts_with("workload.mice.") => MICE,
            _ => PERMUTATION,
        };
        let load_balancing = match key.path {
            path if path.starts_with("load_balancing.override[]") => MIXED,
            _ => r#"{"scheme": "rps"}"#,
        };
        let mut scenario = scenario(fabric(key.path), load_balancing, workload);
        let transport = transport(key.path);
        let beside = format!(r#"{{"transport": {transport}, "fabric""#);
        scenario = scenario.replacen(r#"{"fabric""#, &beside, 1);
        if let Some(failures) = failures(key.path) {
            let beside = format!(r#"{{"failures": {failures}, "transport""#);
            scenario = scenario.replacen(r#"{"transport""#, &beside, 1);
        }
        let path = key.path.replace("[]", "[0]");
        let steps = parse_path(&path).expect("a documented path is one");
        let written = get(&json(&scenario), &steps).map(Json::to_compact);
        // `name` and the ids have defaults that depend on the file.
        let else_ = if key.path == "name" { "\"n\"" } else { "0" };
        let fine = written.unwrap_or_else(|| key.default.unwrap_or(else_).to_owned());
        Key {
            path,
            allowed: key.allowed,
            fine,
            scenario,
        }
    });
    of_scenario.chain(parameters()).collect()
}

/// Those of schemes and controllers.
fn parameters() -> impl Iterator<Item = Key> {
    let of_schemes = SCHEMES.iter().flat_map(|scheme| {
        let of = format!(r#"{{"scheme": "{}"}}"#, scheme.name);
        let key = move |param: &'static ParamDoc| Key {
            path: format!("load_balancing.{}", param.name),
            allowed: param.allowed,
            fine: param.default.to_owned(),
            scenario: scenario(TREE, &of, PERMUTATION),
        };
        scheme.params.iter().map(key)
    });
    let of_controllers = CONTROLLERS.iter().flat_map(|controller| {
        let transport = match controller.name {
            // It takes all of this.
            "dctcp_stock" => {
                r#"{"kind": "newreno", "handshake": true, "rto": {"kind": "estimated"}}"#
            }
            _ => r#"{"kind": "go_back_n"}"#,
        };
        let beside = format!(
            r#"{{"transport": {transport}, "congestion_control": {{"scheme": "{}"}}, "fabric""#,
            controller.name
        );
        let plain = scenario(TREE, r#"{"scheme": "rps"}"#, PERMUTATION);
        let scenario = plain.replacen(r#"{"fabric""#, &beside, 1);
        let key = move |param: &'static ParamDoc| Key {
            path: format!("congestion_control.{}", param.name),
            allowed: param.allowed,
            fine: param.default.to_owned(),
            scenario: scenario.clone(),
        };
        controller.params.iter().map(key)
    });
    of_schemes.chain(of_controllers)
}

fn json(text: &str) -> Json {
    parse(text, Origin(0)).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Whether zero is documented as allowed: a range begins with it, or hosts do.
fn takes_zero(allowed: &str) -> bool {
    let ranges = ["from 0 to ", "from 0, ", "of 0 to "];
    let is_range = allowed.starts_with("0 to ") || ranges.iter().any(|from| allowed.contains(from));
    is_range || ["a host", "another host"].contains(&allowed)
}

/// A value of a type that is not documented as allowed.
fn of_another_type(allowed: &str) -> &'static str {
    if allowed.contains("true") {
        "\"true\""
    } else {
        "true"
    }
}

/// The key's scenario with `value` there.
fn with(key: &Key, value: &str) -> String {
    let mut root = json(&key.scenario);
    let steps = parse_path(&key.path).expect("a documented path is one");
    set(&mut root, &steps, json(value)).expect("a documented key can be set");
    root.to_pretty()
}

/// The key's scenario with the key twice.
fn twice(key: &Key) -> String {
    let mut root = json(&with(key, &key.fine));
    let steps = parse_path(&key.path).expect("a documented path is one");
    let (last, parent) = steps.split_last().expect("a path has steps");
    let mut object = get(&root, parent).expect("it was set").clone();
    if let (Value::Object(members), Step::Key(name)) = (&mut object.value, last) {
        members.push((name.clone(), json(&key.fine)));
    }
    set(&mut root, parent, object).expect("it stands there");
    root.to_pretty()
}

/// The key's scenario with a key beside it that nobody knows, and that key's path.
fn with_sibling(key: &Key) -> (String, String) {
    let mut steps = parse_path(&key.path).expect("a documented path is one");
    if let Some(Step::Key(name)) = steps.last_mut() {
        name.push_str("_z");
    }
    let mut root = json(&key.scenario);
    set(&mut root, &steps, json("1")).expect("an object takes any key");
    (path_text(&steps), root.to_pretty())
}

fn cases_of(key: &Key) -> Vec<Case> {
    let case = |what, text, accepted| Case {
        path: key.path.clone(),
        what,
        text,
        accepted,
    };
    let (sibling, unknown) = with_sibling(key);
    vec![
        case("fine", with(key, &key.fine), true),
        Case {
            path: sibling,
            ..case("unknown", unknown, false)
        },
        case(
            "of another type",
            with(key, of_another_type(key.allowed)),
            false,
        ),
        case("negative", with(key, "-1"), false),
        case("zero", with(key, "0"), takes_zero(key.allowed)),
        case("huge", with(key, "1e30"), false),
        case("twice", twice(key), false),
    ]
}

fn folder() -> Folder {
    let matrix = "Nodes 16\nConnections 1\n0->5 id 4 start 0 size 1000\n";
    let topology = "Nodes 16\nTiers 2\nPodsize 16\nTier 0\nRadix_Down 4\nRadix_Up 3\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1\n\
                    Tier 1\nRadix_Down 4\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1\n";
    Folder::new(&[("m.cm", matrix), ("t.topo", topology)])
}

/// The errors are of this key alone, and help: what is allowed, and the nearest name to an unknown one.
fn assert_helps(case: &Case, errors: &[String]) {
    let Case {
        path, what, text, ..
    } = case;
    assert!(!errors.is_empty(), "{path} {what} is accepted: {text}");
    for error in errors {
        let at = format!("x.json: {path}");
        let rest = error.split_once(&at).map(|(_, rest)| rest);
        let rest = rest.unwrap_or_else(|| panic!("{path} {what}: {error}"));
        assert!(rest.starts_with([':', '[', '.']), "{path} {what}: {error}");
        let helps = match *what {
            "unknown" => "; did you mean \"",
            _ => "allowed",
        };
        // An odd or a missing k is answered with even ones.
        let is_odd = rest.contains("needs an even k");
        assert!(rest.contains(helps) || is_odd, "{path} {what}: {error}");
    }
}

#[test]
fn what_is_documented_as_allowed_is_accepted_and_all_else_refused_with_its_path() {
    let folder = folder();
    let keys = keys();
    assert!(keys.len() > KEYS.len() + 10, "{}", keys.len());
    for case in keys.iter().flat_map(cases_of) {
        folder.write("x.json", &case.text);
        let loaded = load(&folder.path("x.json"), &Overrides::default());
        let errors = loaded.err().map(|errors| errors.to_string());
        let errors: Vec<String> = errors
            .iter()
            .flat_map(|text| text.lines())
            .map(str::to_owned)
            .collect();
        let Case {
            path,
            what,
            accepted,
            ..
        } = &case;
        if *accepted {
            assert_eq!(errors, [""; 0], "{path} {what}");
        } else {
            assert_helps(&case, &errors);
        }
    }
}

#[test]
fn the_command_ends_with_2_and_the_same_words_or_with_0() {
    let folder = folder();
    // Every kind of case comes up, as 9 and 7 have no common factor.
    for case in keys().iter().flat_map(cases_of).step_by(9) {
        folder.write("x.json", &case.text);
        let ended = folder.spraysim(&["check", "x.json"]);
        if case.accepted {
            ended.done();
        } else {
            assert_helps(&case, &ended.refused());
        }
    }
}

#[test]
fn a_range_is_accepted_to_its_ends_and_no_further() {
    let folder = folder();
    for key in keys() {
        let Some((from, to)) = range(key.allowed) else {
            continue;
        };
        for (value, accepted) in [
            (Some(from), true),
            (Some(to), true),
            (from.checked_sub(1), false),
            (to.checked_add(1), false),
        ] {
            let Some(value) = value else {
                continue;
            };
            // A list stands for each of its elements.
            let is_list = key.allowed.contains("list of");
            let value = if is_list {
                format!("[{value}]")
            } else {
                value.to_string()
            };
            folder.write("x.json", with(&key, &value));
            let loaded = load(&folder.path("x.json"), &Overrides::default());
            let is_odd = key.path == "fabric.k" && !accepted;
            assert!(
                loaded.is_ok() == accepted || is_odd,
                "{} = {value}: {loaded:?}",
                key.path
            );
        }
    }
}

/// The ends of a documented range of integers, where it is one that holds whatever other keys say.
fn range(allowed: &str) -> Option<(u64, u64)> {
    if allowed.contains("above") || allowed.contains("link latency") {
        return None;
    }
    let (before, after) = allowed.split_once(" to ")?;
    let number = |text: &str| text.replace(',', "").parse::<u64>().ok();
    let from = number(before.rsplit(' ').next()?)?;
    let word = after.split([' ', ';']).next()?.trim_end_matches(',');
    let to = match word.strip_prefix("2^") {
        // The most bytes, which other keys may narrow; and every 64-bit integer.
        Some(_) => return None,
        None => number(word)?,
    };
    Some((from, to))
}
