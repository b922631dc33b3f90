//! Every key of [`KEYS`] with every kind of bad value: accepted where it makes sense, else refused with its path.

mod hosts;

use std::collections::BTreeSet;

use super::Folder;
use crate::json::{Json, Origin, Value, child_path, parse, parse_path, set};
use crate::scenario::{KEYS, KeyDoc};
use hosts::host_of;

/// Which of null, zero and a huge value a key takes.
#[derive(Clone, Copy, Default)]
struct Takes {
    null: bool,
    zero: bool,
    huge: bool,
}

/// The keys that take one of them; every other key takes none.
fn takes(path: &str) -> Takes {
    let (null, zero, huge) = match path {
        "fabric.buffer_bytes"
        | "fabric.buffer_packets"
        | "fabric.buffer_bdp"
        | "fabric.ecn_threshold_bdp" => (true, false, false),
        "workload.start_unit" | "workload.pairs[].after" | "horizon_us" | "sweep" => {
            (true, false, false)
        }
        "fabric.ecn_threshold_bytes" | "fabric.ecn_threshold_packets" => (true, true, false),
        // A trigger may not be faster than a link.
        "trigger_latency_ns" => (true, false, false),
        "seed" => (false, true, false),
        "workload.pairs[].id" => (false, true, true),
        "fabric.link_latency_ns" | "fabric.switch_latency_ns" => (false, true, false),
        "packet.header_bytes" | "packet.gap_bytes" => (false, true, false),
        "workload.pairs[].src" | "workload.pairs[].dst" | "workload.pairs[].start_ns" => {
            (false, true, false)
        }
        "workload.pacing_jitter_pct" | "workload.pairs[].after.delay_ns" => (false, true, false),
        "workload.mice" => (true, false, false),
        "workload.mice.period_ns" | "workload.mice.start_ns" => (false, true, false),
        "workload.start_jitter.uniform_ns" => (true, true, false),
        "imperfection.clock_skew_ppm" | "imperfection.switch_jitter_ns" => (false, true, false),
        "workload.start_jitter.stragglers" => (true, false, false),
        "workload.start_jitter.stragglers.fraction"
        | "workload.start_jitter.stragglers.delay_ns" => (false, true, false),
        "failures.links[].until_us" | "failures.switches[].until_us" => (true, false, false),
        "failures.links[].slow_to" => (true, false, false),
        "failures.links[].member" => (true, true, false),
        _ if path.ends_with("_probability") || path.ends_with(".from_us") => (false, true, false),
        "failures.convergence_us" => (false, true, false),
        "fabric.ecn_max_threshold_bytes"
        | "fabric.ecn_max_threshold_packets"
        | "fabric.ecn_max_threshold_bdp" => (true, false, false),
        "fabric.queue.shared_buffer"
        | "fabric.queue.trim_bytes"
        | "fabric.queue.header_buffer_bytes"
        | "fabric.queue.pause_bytes"
        | "fabric.queue.resume_offset_bytes"
        | "fabric.queue.headroom_bytes" => (true, false, false),
        "fabric.queue.resume_bytes" => (true, true, false),
        "failures.loss[].link" => (true, false, false),
        "failures.loss[].member" => (true, true, false),
        "failures.loss[].probability" => (false, false, false),
        "failures.hosts[].host" => (false, true, false),
        "failures.hosts[].until_us" => (true, false, false),
        "transport.ack_bytes_threshold" | "transport.extra_packets" => (false, true, false),
        "transport.dup_threshold.paths_plus" => (false, true, false),
        "transport.dup_threshold"
        | "transport.rto.us"
        | "transport.sleek.target_us"
        | "transport.sleek" => (true, false, false),
        _ => (false, false, false),
    };
    Takes { null, zero, huge }
}

fn concrete(key: &KeyDoc) -> String {
    key.path.replace("[]", "[0]")
}

fn folder() -> Folder {
    let topo = "Nodes 16\nTiers 2\nPodsize 16\nTier 0\nRadix_Down 4\nRadix_Up 3\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1\n\
                Tier 1\nRadix_Down 4\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1\n";
    Folder::new(&[
        (
            "m.cm",
            "Nodes 16\nConnections 1\n0->5 id 4 start 0 size 1000\n",
        ),
        ("t.topo", topo),
    ])
}

fn check(folder: &Folder, json: &Json) -> Vec<String> {
    std::fs::write(folder.path("x.json"), json.to_pretty()).expect("a file");
    folder.load("x.json", &[]).err().unwrap_or_default()
}

fn with(key: &KeyDoc, value: &str) -> Json {
    let mut json = host_of(key.path);
    let value = parse(value, Origin(0)).expect("the test's JSON parses");
    set(
        &mut json,
        &parse_path(&concrete(key)).expect("a path"),
        value,
    )
    .expect("it can be set");
    json
}

/// Exactly the errors of one key: at least one, each with its path (or one below it), and with what is allowed.
fn assert_refused(key: &KeyDoc, value: &str, found: &[String]) {
    let at = format!("x.json: {}", concrete(key));
    assert!(!found.is_empty(), "{} = {value} is accepted", key.path);
    for line in found {
        let rest = line
            .strip_prefix(&at)
            .unwrap_or_else(|| panic!("{} = {value}: {line}", key.path));
        assert!(rest.starts_with([':', '[', '.']), "{line}");
        let helps = [
            "allowed: ",
            " needs ",
            "does not exist; this fabric has",
            "cannot be read",
        ];
        assert!(helps.iter().any(|words| line.contains(words)), "{line}");
    }
}

fn expect(folder: &Folder, key: &KeyDoc, value: &str, accepted: bool) {
    let found = check(folder, &with(key, value));
    if accepted {
        assert_eq!(found, [""; 0], "{} = {value}", key.path);
    } else {
        assert_refused(key, value, &found);
    }
}

#[test]
fn null_zero_negative_and_huge_values_are_taken_where_they_make_sense() {
    let folder = folder();
    for key in KEYS {
        let takes = takes(key.path);
        expect(&folder, key, "null", takes.null);
        expect(&folder, key, "0", takes.zero);
        expect(&folder, key, "-1", false);
        expect(&folder, key, "-0.5", false);
        expect(&folder, key, "1e300", false);
        expect(&folder, key, "-1e300", false);
        expect(&folder, key, "18446744073709551615", takes.huge);
        expect(&folder, key, "18446744073709551616", false);
    }
}

fn path_is_of_mice(path: &str) -> bool {
    path.starts_with("workload.mice.")
}

#[test]
fn values_of_the_wrong_type_are_refused() {
    let folder = folder();
    for key in KEYS {
        let default = key.default.unwrap_or("0");
        for value in [
            "\"no such word\"",
            "true",
            "5",
            "{\"x\": 1}",
            "[1]",
            "[[]]",
            "[{}]",
        ] {
            let fits = match key.path {
                "name" | "workload.path" | "fabric.path" => value.starts_with('"'),
                "extends" => false,
                "workload.inter_pod_only" => value == "true",
                "sweep" | "workload.pairs" | "workload.pairs[].after" => false,
                "workload.pairs[].after.flows" => value == "[1]",
                path if path.starts_with("load_balancing.") => false,
                "failures.links" | "failures.switches" | "failures.loss" | "failures.hosts" => {
                    false
                }
                "failures.loss[].link" | "failures.loss[].member" => false,
                "failures.loss[].probability" | "fabric.queue.shared_buffer" => false,
                "failures.hosts[].host" => value == "5",
                "fabric.ecn_counts_departing"
                | "fabric.queue.control_priority"
                | "workload.pacing_jitter_adds" => value == "true",
                // Below the lower threshold; no frame fits; and what is needed is more.
                "fabric.ecn_max_threshold_bytes" | "fabric.ecn_max_threshold_packets" => false,
                // In bandwidth-delay products 5 is enough.
                "fabric.buffer_bdp" | "fabric.ecn_threshold_bdp" => value == "5",
                "fabric.ecn_max_threshold_bdp" => value == "5",
                "fabric.queue.shared_buffer.bytes" | "fabric.queue.header_buffer_bytes" => false,
                "fabric.queue.headroom_bytes" => false,
                "transport.resume" | "transport.handshake" => value == "true",
                "transport.dup_threshold" | "transport.rto.us" | "transport.sleek.target_us" => {
                    value == "5"
                }
                "transport.sleek" | "transport.rto.backoff" => false,
                "failures.links[].link" | "failures.switches[].switch" => false,
                // Probabilities, fractions, and the one member of a bundle.
                "failures.links[].member" | "failures.links[].slow_to" => false,
                _ if key.path.ends_with("_probability") => false,
                _ if key.path.ends_with(".until_us") => value == "5",
                "fabric.levels" | "fabric.k" | "congestion_control.load" => false,
                // A trigger may not be faster than a link, and a buffer holds a frame.
                "trigger_latency_ns" | "fabric.buffer_bytes" => false,
                "workload.pairs[].dst" | "workload.message_bytes" => value == "5",
                "workload.pairs[].id" | "workload.pairs[].src" | "workload.pairs[].bytes" => {
                    value == "5"
                }
                "horizon_us" => value == "5",
                "workload.start_jitter.uniform_ns"
                | "workload.start_jitter.stragglers.delay_ns" => value == "5",
                "workload.mice" => false,
                _ if path_is_of_mice(key.path) => value == "5",
                "workload.start_jitter.stragglers.fraction" => false,
                "workload.start_jitter.stragglers.hosts" => value == "[1]",
                _ => {
                    value == "5"
                        && parse(default, Origin(0)).is_ok_and(|json| {
                            json.noun() == "a number"
                                || key.path.ends_with("bytes")
                                || key.path.ends_with("packets")
                        })
                        && key.path != "workload.kind"
                }
            };
            // There is no such file.
            let fits = fits && !key.path.ends_with(".path");
            expect(&folder, key, value, fits);
        }
    }
}

#[test]
fn an_unknown_sibling_is_refused_with_its_path_and_the_nearest_name() {
    let folder = folder();
    for key in KEYS {
        let (parent, name) = concrete(key).rsplit_once('.').map_or_else(
            || (String::new(), key.path.to_owned()),
            |(parent, name)| (parent.to_owned(), name.to_owned()),
        );
        let typo = format!("{name}x");
        let path = child_path(&parent, &typo);
        let mut json = host_of(key.path);
        let one = Json::new(Value::Integer(1), Origin(0));
        set(&mut json, &parse_path(&path).unwrap(), one).unwrap();
        let found = check(&folder, &json);
        assert_eq!(found.len(), 1, "{path}: {found:#?}");
        assert!(
            found[0].starts_with(&format!(
                "x.json: {path}: unknown key \"{typo}\"; allowed: "
            )),
            "{found:?}"
        );
        assert!(
            found[0].ends_with(&format!("; did you mean \"{name}\"?")),
            "{found:?}"
        );
    }
}

#[test]
fn a_key_that_stands_twice_is_refused() {
    let folder = folder();
    for key in KEYS {
        let steps = parse_path(&concrete(key)).unwrap();
        let mut json = host_of(key.path);
        let value = match key.path {
            "extends" => "[]",
            "name" => "\"n\"",
            "sweep" => "{}",
            path => &crate::json::get(&json, &steps)
                .map_or_else(|| effective_value(path), Json::to_compact),
        };
        let value = parse(value, Origin(0)).unwrap();
        set(&mut json, &steps, value.clone()).unwrap();
        let (parent, name) = (
            &steps[..steps.len() - 1],
            key.path.rsplit('.').next().unwrap(),
        );
        let mut object = crate::json::get(&json, parent).unwrap().clone();
        let Value::Object(members) = &mut object.value else {
            panic!("{} stands in an object", key.path);
        };
        members.push((name.to_owned(), value));
        set(&mut json, parent, object).unwrap();
        let found = check(&folder, &json);
        let expected = format!(
            "x.json: {}: stands twice in its object; allowed: once",
            concrete(key)
        );
        assert_eq!(found, [expected]);
    }
}

fn effective_value(path: &str) -> String {
    let key = KEYS.iter().find(|key| key.path == path).expect("a key");
    key.default.unwrap_or("7").to_owned()
}

/// Every path to a leaf of `json`, with `[]` for any element; a list of plain values or none is a leaf.
fn leaves(json: &Json, path: &str, found: &mut BTreeSet<String>) {
    match &json.value {
        Value::Object(members) => {
            for (key, member) in members {
                leaves(member, &child_path(path, key), found);
            }
        }
        Value::List(list)
            if matches!(list.first().map(|json| &json.value), Some(Value::Object(_))) =>
        {
            found.insert(path.to_owned());
            for element in list {
                leaves(element, &format!("{path}[]"), found);
            }
        }
        _ => {
            found.insert(path.to_owned());
        }
    }
}

#[test]
fn the_table_has_exactly_the_keys_that_are_read_and_their_defaults() {
    let folder = folder();
    let mut read = BTreeSet::from(["extends".to_owned(), "sweep".to_owned()]);
    for host in [
        "workload.path",
        "workload.pairs",
        "workload.pairs[].after.flows",
        "workload.message_bytes",
        "workload.mice.start_ns",
        "fabric.path",
        "load_balancing.override[]",
        "workload.start_jitter.uniform_ns",
        "workload.start_jitter.stragglers.hosts",
        "workload.start_jitter.stragglers.fraction",
        "failures.links",
        "failures.switches",
        "failures.loss",
        "failures.hosts",
        "fabric.queue.evict",
        "fabric.queue.shared_buffer.alpha",
        "fabric.queue.headroom_bytes",
        "transport.rto.us",
        "transport.rto.min_us",
        "transport.sleek.min_packets",
        "transport.dup_threshold.paths_plus",
        "transport.resume",
    ] {
        std::fs::write(folder.path("x.json"), host_of(host).to_pretty()).unwrap();
        let plan = folder.load("x.json", &[]).unwrap();
        let (written, effective) = (host_of(host), &plan.points[0].effective);
        leaves(effective, "", &mut read);
        for key in KEYS {
            let steps = parse_path(&concrete(key)).unwrap();
            let is_written = crate::json::get(&written, &steps).is_some();
            let at = crate::json::get(effective, &steps).filter(|_| !is_written);
            if let (Some(value), Some(default)) = (at, key.default) {
                assert_eq!(value.to_compact(), default, "{}", key.path);
            }
        }
    }
    let documented: BTreeSet<String> = KEYS.iter().map(|key| key.path.to_owned()).collect();
    assert_eq!(documented.len(), KEYS.len(), "a key stands twice");
    assert_eq!(read, documented);
}
