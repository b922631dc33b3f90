use std::collections::HashSet;

use super::*;
use crate::fields::Problem;
use crate::packet::Packet;
use switch::fake::{FakeSwitch, ack, data, edge, pick_stream};
use switch::{PolicyVisitor, UplinkPolicy};

fn is_snake_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.ends_with('_')
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

#[test]
fn names_are_unique_and_in_the_documented_order() {
    let names: Vec<_> = SCHEMES.iter().map(|row| row.name).collect();
    assert_eq!(
        names,
        [
            "ecmp",
            "rps",
            "reps",
            "bitmap",
            "mixed",
            "drb",
            "ethereal",
            "simple_rr",
            "rsq",
            "jsq",
            "ar",
            "ofan",
            "pofan"
        ]
    );
    assert!(names.iter().all(|name| is_snake_case(name)));
}

#[test]
fn every_scheme_is_explained_in_one_sentence() {
    for row in SCHEMES {
        assert!(
            row.about.ends_with('.') && !row.about.contains('\n'),
            "{}",
            row.name
        );
        assert!(row.about.len() <= 120, "{}", row.name);
    }
}

#[test]
fn every_parameter_is_documented_with_a_json_default_and_its_source() {
    for row in SCHEMES {
        let names: HashSet<_> = row.params.iter().map(|param| param.name).collect();
        assert_eq!(names.len(), row.params.len(), "{}", row.name);
        for param in row.params {
            assert!(is_snake_case(param.name) && param.name != "scheme");
            assert!(!param.allowed.is_empty());
            assert!(param.about.ends_with('.'), "{}", param.name);
            let cited = ["aper, ", "paper", "simulator", "REPS"];
            assert!(
                cited.iter().any(|source| param.about.contains(source)),
                "{}",
                param.name
            );
            assert!(serde_json::from_str::<serde_json::Value>(param.default).is_ok());
        }
    }
}

#[test]
fn only_schemes_that_learn_from_feedback_need_acks() {
    let needing: Vec<_> = SCHEMES
        .iter()
        .filter(|row| row.needs_acks)
        .map(|row| row.name)
        .collect();
    assert_eq!(needing, ["reps", "bitmap", "mixed"]);
}

#[test]
fn lists_must_increase_within_their_range() {
    assert_eq!(increasing(&list(&[]), 1..=9), Some(vec![]));
    assert_eq!(increasing(&list(&[1, 9]), 1..=9), Some(vec![1, 9]));
    assert_eq!(increasing(&list(&[1, 10]), 1..=9), None);
    assert_eq!(increasing(&list(&[2, 2]), 1..=9), None);
}

/// Picks once for `packet` where only uplink 3 is valid.
struct OnlyUplink(Packet);

impl PolicyVisitor for OnlyUplink {
    type Output = usize;

    fn visit<P: UplinkPolicy>(self, mut policy: P) -> usize {
        let mut switch = FakeSwitch::idle(6);
        switch.valid = [3].into_iter().collect();
        policy.pick(&self.0, &mut switch, &mut pick_stream())
    }
}

#[test]
fn every_switch_scheme_takes_the_only_valid_uplink() {
    for scheme in [
        SwitchScheme::Hash(Default::default()),
        SwitchScheme::Explicit(Default::default()),
        SwitchScheme::SimpleRr(Default::default()),
        SwitchScheme::Rsq(Default::default()),
        SwitchScheme::Jsq(Default::default()),
        SwitchScheme::Ar(Default::default()),
        SwitchScheme::Ofan(Default::default()),
        SwitchScheme::Pofan(Default::default()),
    ] {
        for packet in [data(), ack()] {
            assert_eq!(scheme.build(&edge(6, 1), OnlyUplink(packet)), 3);
        }
    }
}

fn json(value: Value) -> Json {
    Json {
        value,
        origin: Origin::default(),
    }
}

/// Reads `keys` as a scheme: it, what is wrong, and the keys with all defaults filled in.
fn read_keys(keys: &[(&str, Value)]) -> (Scheme, Vec<Problem>, Vec<(String, Json)>) {
    let members = keys
        .iter()
        .map(|(key, value)| ((*key).to_owned(), json(value.clone())));
    let object = json(Value::Object(members.collect()));
    let mut problems = Vec::new();
    let mut fields = Fields::new(&object, "load_balancing", &mut problems);
    let scheme = read(&mut fields);
    let Value::Object(filled) = fields.finish().value else {
        panic!("an object stays an object");
    };
    (scheme, problems, filled)
}

fn as_serde(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(truth) => (*truth).into(),
        Value::Integer(integer) => (*integer).into(),
        Value::Float(float) => (*float).into(),
        Value::Text(text) => text.as_str().into(),
        Value::List(items) => items.iter().map(|item| as_serde(&item.value)).collect(),
        Value::Object(_) => panic!("no parameter is an object"),
    }
}

#[test]
fn each_scheme_reads_the_keys_and_defaults_that_it_documents() {
    for row in SCHEMES {
        let (scheme, problems, filled) = read_keys(&[("scheme", Value::Text(row.name.to_owned()))]);
        assert_eq!(problems, [], "{}", row.name);
        assert_eq!((scheme.name, scheme.row().name), (row.name, row.name));
        let read: Vec<_> = filled[1..]
            .iter()
            .map(|(key, json)| (key.as_str(), as_serde(&json.value)))
            .collect();
        let documented: Vec<_> = row
            .params
            .iter()
            .map(|param| (param.name, serde_json::from_str(param.default).unwrap()))
            .collect();
        assert_eq!(read, documented, "{}", row.name);
    }
}

#[test]
fn without_keys_each_scheme_has_its_default_parameters() {
    let by_default = |name: &str| read_keys(&[("scheme", Value::Text(name.to_owned()))]).0;
    for (name, switch) in [
        ("simple_rr", SwitchScheme::SimpleRr(Default::default())),
        ("ar", SwitchScheme::Ar(Default::default())),
        ("ofan", SwitchScheme::Ofan(Default::default())),
        ("pofan", SwitchScheme::Pofan(Default::default())),
    ] {
        assert_eq!(by_default(name).switch, switch);
    }
    for (name, host) in [
        ("rps", HostScheme::Rps(Default::default())),
        ("reps", HostScheme::Reps(Default::default())),
        ("bitmap", HostScheme::Bitmap(Default::default())),
        ("mixed", HostScheme::Mixed(Default::default())),
    ] {
        assert_eq!(by_default(name).host, host);
    }
}

#[test]
fn parameters_of_ofan_depend_on_each_other_where_documented() {
    let ofan = |keys: &[(&'static str, Value)]| {
        let scheme = ("scheme", Value::Text("ofan".to_owned()));
        let (scheme, problems, _) = read_keys(&[&[scheme], keys].concat());
        let SwitchScheme::Ofan(params) = scheme.switch else {
            panic!("asked for ofan");
        };
        (params, problems.len())
    };
    let text = |word: &str| Value::Text(word.to_owned());
    let shortest = ("first_pointer", text("shortest_queue"));
    // No default depends on another key: what a word stands for is decided where it is used.
    let (params, problems) = ofan(std::slice::from_ref(&shortest));
    assert_eq!((params.port_order, problems), (ofan::PortOrder::Auto, 0));
    let (params, _) = ofan(&[shortest, ("port_order", text("xor_add"))]);
    assert_eq!(params.port_order, ofan::PortOrder::XorAdd);
    let classes = ("size_class_bytes", list(&[128]).value);
    assert_eq!(ofan(std::slice::from_ref(&classes)).1, 0);
    assert_eq!(ofan(&[classes, ("ack_pointer", text("shared"))]).1, 1);
}

#[test]
fn masked_cycles_take_a_power_of_two_and_say_so() {
    let told = |scheme: &str, keys: &[(&'static str, Value)]| {
        let scheme = ("scheme", Value::Text(scheme.to_owned()));
        let (_, problems, _) = read_keys(&[&[scheme], keys].concat());
        let told = problems
            .into_iter()
            .map(|p| format!("{}: {}", p.path, p.text));
        told.collect::<Vec<_>>().join("\n")
    };
    let count = |n| ("entropy_count", Value::Integer(n));
    let draw = |word: &str| ("draw", Value::Text(word.to_owned()));
    for n in [1, 2, 64, 65_536] {
        for scheme in ["bitmap", "mixed"] {
            assert_eq!(told(scheme, &[count(n)]), "");
        }
        assert_eq!(told("rps", &[count(n), draw("masked_cycle")]), "");
    }
    for scheme in ["bitmap", "mixed"] {
        for n in [0, 3, 63, 65_535, 131_072] {
            let expected = format!(
                "load_balancing.entropy_count: {n} is not allowed; allowed: a power of two from 1 to 65536"
            );
            assert_eq!(told(scheme, &[count(n)]), expected);
        }
    }
    assert_eq!(
        told("rps", &[draw("masked_cycle"), count(63)]),
        "load_balancing.entropy_count: 63 is no power of two, which draw \"masked_cycle\" takes; \
         allowed: a power of two from 1 to 65536, or another draw"
    );
    for word in ["uniform", "sequential"] {
        assert_eq!(told("rps", &[count(63), draw(word)]), "");
    }
    assert!(
        told("rps", &[draw("oblivious")]).contains("allowed: uniform, masked_cycle, sequential")
    );
}

#[test]
fn a_parameter_of_other_schemes_says_whose_it_is() {
    let told = |scheme: &str, param: &'static str| {
        let scheme = ("scheme", Value::Text(scheme.to_owned()));
        let (_, problems, _) = read_keys(&[scheme, (param, Value::Integer(1))]);
        let texts: Vec<String> = problems.into_iter().map(|problem| problem.text).collect();
        texts.join("\n")
    };
    assert_eq!(
        told("ofan", "ports_per_pipe"),
        "belongs to scheme \"pofan\"; this is scheme \"ofan\""
    );
    assert_eq!(
        told("rps", "consolidate"),
        "belongs to schemes \"ofan\", \"pofan\"; this is scheme \"rps\""
    );
    assert!(told("rps", "consolidat").starts_with("unknown key"));
    assert!(told("offan", "consolidate").starts_with("unknown scheme"));
}
