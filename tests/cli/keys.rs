//! Every key of a scenario and every parameter of a scheme with every kind of value: what is declared as allowed is accepted, all else
//! refused with exit code 2 and its place. What that is, the declarations tell.

use std::collections::BTreeSet;

use spraysim::cc::CONTROLLERS;
use spraysim::fields::{KeyDoc, PathDoc};
use spraysim::json::{Json, Origin, Step, Value, get, parse_path, path_text, set};
use spraysim::lb::SCHEMES;
use spraysim::scenario::{Overrides, keys, load};

use crate::context::{concrete, context, is_required, json, plain, put};
use crate::support::Folder;

/// A key, where it stands, and a scenario in which it means something.
struct Key {
    path: String,
    doc: KeyDoc,
    scenario: Json,
}

/// One scenario, and whether it is to be accepted.
struct Case {
    /// Where the problem is, if there is one.
    path: String,
    what: &'static str,
    text: String,
    accepted: bool,
}

/// All keys and parameters.
fn all() -> Vec<Key> {
    let of_scenario = keys().iter().map(|PathDoc { path, key }| Key {
        path: concrete(path),
        doc: key.clone(),
        scenario: context(path),
    });
    of_scenario
        .chain(of_schemes())
        .chain(of_controllers())
        .collect()
}

fn of_schemes() -> impl Iterator<Item = Key> {
    SCHEMES.iter().flat_map(|row| {
        let mut scenario = plain();
        put(
            &mut scenario,
            "load_balancing.scheme",
            Json::text(row.name, Origin(0)),
        );
        beside("load_balancing", (row.keys)(), scenario)
    })
}

fn of_controllers() -> impl Iterator<Item = Key> {
    CONTROLLERS.iter().flat_map(|row| {
        let mut scenario = plain();
        let transport = if row.usual().is_stock_tcp() {
            r#"{"kind": "newreno", "handshake": true, "rto": {"kind": "estimated"}}"#
        } else {
            r#"{"kind": "go_back_n"}"#
        };
        put(&mut scenario, "transport", json(transport));
        put(
            &mut scenario,
            "congestion_control.scheme",
            Json::text(row.name, Origin(0)),
        );
        beside("congestion_control", (row.keys)(), scenario)
    })
}

/// Parameters beside the name of a scheme.
fn beside(section: &'static str, keys: Vec<KeyDoc>, scenario: Json) -> impl Iterator<Item = Key> {
    keys.into_iter().map(move |doc| Key {
        path: format!("{section}.{}", doc.name),
        doc,
        scenario: scenario.clone(),
    })
}

impl Key {
    /// A value that is fine: that of the scenario, the default, or the declared sample.
    fn fine(&self) -> Json {
        let steps = parse_path(&self.path).expect("a declared path is one");
        let written = get(&self.scenario, &steps).cloned();
        let default = self.doc.default_json().map(|text| json(&text));
        written
            .or(default)
            .or_else(|| self.doc.fine())
            .unwrap_or_else(|| panic!("{} has no sample", self.path))
    }

    /// Its scenario with `value` there.
    fn with(&self, value: &Json) -> String {
        let mut root = self.scenario.clone();
        put(&mut root, &self.path, value.clone());
        root.to_pretty()
    }

    /// Its scenario with the key twice.
    fn twice(&self) -> String {
        let mut root = json(&self.with(&self.fine()));
        let steps = parse_path(&self.path).expect("a declared path is one");
        let (last, parent) = steps.split_last().expect("a path has steps");
        let mut object = get(&root, parent).expect("it was set").clone();
        if let (Value::Object(members), Step::Key(name)) = (&mut object.value, last) {
            members.push((name.clone(), self.fine()));
        }
        set(&mut root, parent, object).expect("it stands there");
        root.to_pretty()
    }

    /// Its scenario with a key beside it that nobody knows, and that key's path.
    fn with_sibling(&self) -> (String, String) {
        let mut steps = parse_path(&self.path).expect("a declared path is one");
        if let Some(Step::Key(name)) = steps.last_mut() {
            name.push_str("_z");
        }
        let mut root = self.scenario.clone();
        set(&mut root, &steps, json("1")).expect("an object takes any key");
        (path_text(&steps), root.to_pretty())
    }

    /// Whether a value is accepted, where that follows from the declaration alone.
    fn accepts(&self, value: &Json) -> Option<bool> {
        match self.doc.schema.accepts(value) {
            Some(true) if !self.doc.limits.is_empty() => None,
            accepted => accepted,
        }
    }

    fn case(&self, what: &'static str, text: String, accepted: bool) -> Case {
        let path = self.path.clone();
        Case {
            path,
            what,
            text,
            accepted,
        }
    }

    fn cases(&self) -> Vec<Case> {
        let (sibling, unknown) = self.with_sibling();
        let mut cases = vec![
            self.case("fine", self.with(&self.fine()), true),
            self.case("twice", self.twice(), false),
            Case {
                path: sibling,
                ..self.case("unknown", unknown, false)
            },
        ];
        cases.extend(
            self.doc
                .sample
                .map(|sample| self.case("sample", self.with(&json(sample)), true)),
        );
        for value in PROBES {
            let value = json(value);
            if let Some(accepted) = self.accepts(&value) {
                cases.push(self.case("probe", self.with(&value), accepted));
            }
        }
        if self.doc.limits.is_empty() {
            let ends = self.doc.schema.ends();
            cases.extend(
                ends.iter()
                    .map(|end| self.case("end of a range", self.with(&end.json), end.is_fine)),
            );
        }
        cases
    }
}

/// Values of every type.
const PROBES: [&str; 17] = [
    "null",
    "0",
    "-1",
    "-0.5",
    "1e300",
    "-1e300",
    "18446744073709551615",
    "18446744073709551616",
    "\"no such word\"",
    "\"true\"",
    "true",
    "5",
    "{\"x\": 1}",
    "[1]",
    "[[]]",
    "[{}]",
    "[\"x\"]",
];

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
        let rest = rest.unwrap_or_else(|| panic!("{path} {what}: {error}\n{text}"));
        assert!(rest.starts_with([':', '[', '.']), "{path} {what}: {error}");
        let helps: &[&str] = match *what {
            "unknown" => &["; did you mean \""],
            // An odd k is answered with even ones.
            _ => &["allowed", "needs an even k", "cannot be read"],
        };
        assert!(
            helps.iter().any(|words| rest.contains(words)),
            "{path} {what}: {error}"
        );
    }
}

#[test]
fn what_is_declared_as_allowed_is_accepted_and_all_else_refused_with_its_path() {
    let folder = folder();
    let all = all();
    assert!(all.len() > keys().len() + 10, "{}", all.len());
    for case in all.iter().flat_map(Key::cases) {
        folder.write("x.json", &case.text);
        let loaded = load(&folder.path("x.json"), &Overrides::default());
        let errors = loaded.err().map(|errors| errors.to_string());
        let errors: Vec<String> = errors
            .iter()
            .flat_map(|text| text.lines())
            .map(str::to_owned)
            .collect();
        if case.accepted {
            assert_eq!(
                errors, [""; 0],
                "{} {}: {}",
                case.path, case.what, case.text
            );
        } else {
            assert_helps(&case, &errors);
        }
    }
}

#[test]
fn the_command_ends_with_2_and_the_same_words_or_with_0() {
    let folder = folder();
    // Every kind of case comes up, as their number for a key varies.
    for case in all().iter().flat_map(Key::cases).step_by(37) {
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
fn random_draws_from_the_declarations_of_parameters_are_accepted() {
    let folder = folder();
    let mut state = 1_u64;
    let mut below = |n: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 16) % n.max(1)
    };
    for key in of_schemes()
        .chain(of_controllers())
        .filter(|key| key.doc.limits.is_empty())
    {
        for _ in 0..20 {
            let Some(value) = key.doc.schema.draw(&mut below) else {
                continue;
            };
            folder.write("x.json", key.with(&value));
            let loaded = load(&folder.path("x.json"), &Overrides::default());
            // A larger smallest window than the first one is another key's rule.
            let errors = loaded
                .err()
                .map(|errors| errors.to_string())
                .unwrap_or_default();
            let at = format!("{}: ", key.path);
            assert!(
                !errors.contains(&at),
                "{} = {}: {errors}",
                key.path,
                value.to_compact()
            );
        }
    }
}

/// Every path to a leaf of `json`, with `[]` for any element; a list of plain values or none is a leaf.
fn leaves(json: &Json, path: &str, found: &mut BTreeSet<String>) {
    match &json.value {
        Value::Object(members) => {
            for (key, member) in members {
                leaves(member, &spraysim::json::child_path(path, key), found);
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
fn the_declarations_have_exactly_the_keys_that_are_read_and_their_defaults() {
    let folder = folder();
    let mut read = BTreeSet::from(["extends".to_owned(), "sweep".to_owned()]);
    // Objects in place of a word or of nothing are read where something stands in them.
    let mut declared: BTreeSet<String> = keys().iter().map(|doc| doc.path.clone()).collect();
    assert_eq!(declared.len(), keys().len(), "a key stands twice");
    for doc in keys() {
        let written = context(&doc.path);
        folder.write("x.json", written.to_pretty());
        let plan = load(&folder.path("x.json"), &Overrides::default());
        let plan =
            plan.unwrap_or_else(|errors| panic!("{}: {errors}\n{}", doc.path, written.to_pretty()));
        let effective = &plan.points[0].effective;
        leaves(effective, "", &mut read);
        let steps = parse_path(&concrete(&doc.path)).expect("a declared path is one");
        let is_written = get(&written, &steps).is_some();
        let value = get(effective, &steps).filter(|_| !is_written);
        match (value, doc.key.default_json()) {
            (Some(value), Some(default)) => assert_eq!(value.to_compact(), default, "{}", doc.path),
            (None, None) if !is_written => assert!(!is_required(&doc.key), "{}", doc.path),
            _ => {}
        }
    }
    let objects = |path: &String| {
        keys()
            .iter()
            .any(|doc| doc.path.starts_with(&format!("{path}.")))
    };
    declared.retain(|path| !objects(path));
    read.retain(|path| !objects(path));
    assert_eq!(read, declared);
}
