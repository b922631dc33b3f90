//! What holds for every scheme of the table, whatever its parameters.

use std::collections::HashSet;

use super::*;
use crate::fields::canonical;
use crate::packet::Packet;
use crate::rng::{Domain, Rng};
use host::fake::{env, feedback, stream, tx};
use host::{HostPolicy, Layer, Outcome, PathPolicy};
use switch::fake::{FakeSwitch, ack, aggregation, data, edge, pick_stream};
use switch::ofan::PortOrder;
use switch::{PolicyVisitor, UplinkPolicy};
use testing::{members, samples, scheme};

fn is_snake_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.ends_with('_')
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// The stream that parameters are drawn from.
fn dice() -> Rng {
    Rng::stream(1, Domain::Entropy, 99)
}

#[test]
fn names_are_unique_and_in_the_documented_order() {
    let names: Vec<_> = SCHEMES.iter().map(|row| row.name).collect();
    // New ones may stand anywhere among those of their part.
    let documented = [
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
        "pofan",
    ];
    let known = names.iter().filter(|name| documented.contains(name));
    assert!(known.eq(&documented), "{names:?}");
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    assert!(names.iter().all(|name| is_snake_case(name)));
    assert!(SCHEMES.is_sorted_by_key(SchemeRow::is_of_switches));
    for row in SCHEMES {
        assert_eq!(
            Scheme::by_name(row.name).map(|scheme| scheme.name),
            Some(row.name)
        );
    }
    assert_eq!(Scheme::by_name("no such scheme"), None);
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
fn every_parameter_is_documented_with_a_default_and_its_source() {
    for row in SCHEMES {
        let keys = (row.keys)();
        let names: HashSet<_> = keys.iter().map(|key| key.name).collect();
        assert_eq!(names.len(), keys.len(), "{}", row.name);
        for key in keys {
            assert!(is_snake_case(key.name) && key.name != "scheme");
            assert!(!key.allowed().is_empty());
            assert!(key.about.ends_with('.'), "{}", key.name);
            let cited = ["aper, ", "paper", "simulator", "REPS"];
            assert!(
                cited.iter().any(|source| key.about.contains(source)),
                "{}",
                key.name
            );
            assert!(key.default.is_some(), "{}", key.name);
        }
    }
}

/// The paths of 1,000 packets of one flow, of each of which the host learns what became of it, if it listens.
fn paths(scheme: &Scheme, listens: bool) -> Vec<u16> {
    let mut policy: HostPolicy = scheme.host.build(&env(6, 1));
    let (mut rng, tx) = (stream(), tx(0, Layer::InterPod));
    let path = |number: usize| {
        let path = policy.data_path(&tx, &mut rng);
        let outcome = [Outcome::Good, Outcome::Ecn, Outcome::Good, Outcome::Trimmed][number % 4];
        if listens {
            policy.on_feedback(0, &feedback(path, outcome));
        }
        path
    };
    (0..1_000).map(path).collect()
}

#[test]
fn only_schemes_that_learn_from_feedback_need_acks() {
    for row in SCHEMES {
        let usual = row.usual();
        let learns = paths(&usual, true) != paths(&usual, false);
        assert_eq!(row.needs_acks(), learns, "{}", row.name);
        let known = ["reps", "bitmap", "mixed"].contains(&row.name);
        assert!(row.needs_acks() || !known, "{}", row.name);
        for scheme in samples(row, 20, &mut dice()) {
            assert_eq!(scheme.needs_acks(), learns, "{scheme:?}");
            assert!(
                learns || paths(&scheme, true) == paths(&scheme, false),
                "{scheme:?}"
            );
        }
    }
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
    for row in SCHEMES {
        for scheme in samples(row, 30, &mut dice()) {
            for packet in [data(), ack()] {
                for env in [edge(6, 1), aggregation(6, 1)] {
                    let picked = scheme.switch.build(&env, OnlyUplink(packet));
                    assert_eq!(picked, 3, "{scheme:?}");
                }
            }
        }
    }
}

#[test]
fn each_scheme_reads_the_keys_and_defaults_that_it_documents() {
    for row in SCHEMES {
        let (scheme, problems, filled) = scheme(row.name, "");
        assert_eq!(problems, [""; 0], "{}", row.name);
        assert_eq!(scheme, row.usual());
        assert_eq!(scheme.name, row.name);
        let documented = (row.keys)().into_iter().map(|key| {
            let default = key.default_json().expect("a parameter has a default");
            (key.name.to_owned(), default)
        });
        let documented: Vec<_> = documented.collect();
        assert_eq!(members(&filled)[1..], documented, "{}", row.name);
    }
}

#[test]
fn without_keys_each_scheme_has_its_default_parameters() {
    let usual: Vec<_> = SCHEMES.iter().map(SchemeRow::usual).collect();
    assert_eq!(usual, by_parts());
}

#[test]
fn what_is_declared_is_accepted_to_the_ends_of_its_range_and_no_further() {
    let mut rng = dice();
    for row in SCHEMES {
        // What other keys narrow is looked at where the rule stands.
        for key in (row.keys)().iter().filter(|key| key.limits.is_empty()) {
            let drawn = (0..20).filter_map(|_| key.schema.draw(&mut |bound| rng.below_u64(bound)));
            let drawn = drawn.map(|json| (json, true)).collect::<Vec<_>>();
            let ends = key
                .schema
                .ends()
                .into_iter()
                .map(|end| (end.json, end.is_fine));
            for (value, is_fine) in ends.chain(drawn) {
                let member = format!("\"{}\": {}", key.name, value.to_compact());
                let (_, problems, filled) = scheme(row.name, &member);
                assert_eq!(
                    problems.is_empty(),
                    is_fine,
                    "{} {member}: {problems:?}",
                    row.name
                );
                let written = members(&filled)
                    .into_iter()
                    .find(|(name, _)| name == key.name);
                let expected = is_fine.then(|| canonical(&value).to_compact());
                assert_eq!(
                    written.map(|(_, json)| json),
                    expected,
                    "{} {member}",
                    row.name
                );
            }
        }
    }
}

#[test]
fn parameters_of_ofan_depend_on_each_other_where_documented() {
    let ofan = |keys: &str| {
        let (scheme, problems, _) = scheme("ofan", keys);
        let SwitchScheme::Ofan(params) = scheme.switch else {
            panic!("asked for ofan");
        };
        (params, problems.len())
    };
    let shortest = r#""first_pointer": "shortest_queue""#;
    // No default depends on another key: what a word stands for is decided where it is used.
    let (params, problems) = ofan(shortest);
    assert_eq!((params.port_order, problems), (PortOrder::Auto, 0));
    let (params, _) = ofan(&format!(r#"{shortest}, "port_order": "xor_add""#));
    assert_eq!(params.port_order, PortOrder::XorAdd);
    let classes = r#""size_class_bytes": [128]"#;
    assert_eq!(ofan(classes).1, 0);
    assert_eq!(ofan(&format!(r#"{classes}, "ack_pointer": "shared""#)).1, 1);
}

#[test]
fn masked_cycles_take_a_power_of_two_and_say_so() {
    let told = |name: &str, keys: &str| scheme(name, keys).1.join("\n");
    let count = |n: u32| format!("\"entropy_count\": {n}");
    let drawn = |word: &str, n: u32| format!("\"draw\": \"{word}\", {}", count(n));
    for n in [1, 2, 64, 65_536] {
        for name in ["bitmap", "mixed"] {
            assert_eq!(told(name, &count(n)), "");
        }
        assert_eq!(told("rps", &drawn("masked_cycle", n)), "");
    }
    for name in ["bitmap", "mixed"] {
        for n in [0, 3, 63, 65_535, 131_072] {
            let expected = format!(
                "entropy_count: {n} is not allowed; allowed: a power of two from 1 to 65536"
            );
            assert_eq!(told(name, &count(n)), expected);
        }
    }
    assert_eq!(
        told("rps", &drawn("masked_cycle", 63)),
        "entropy_count: 63 is no power of two, which draw \"masked_cycle\" takes; \
         allowed: a power of two from 1 to 65536, or another draw"
    );
    for word in ["uniform", "sequential"] {
        assert_eq!(told("rps", &drawn(word, 63)), "");
    }
    assert!(
        told("rps", "\"draw\": \"oblivious\"")
            .contains("allowed: uniform, masked_cycle, sequential")
    );
}

#[test]
fn a_parameter_of_other_schemes_says_whose_it_is() {
    let told = |name: &str, param: &str| scheme(name, &format!("\"{param}\": 1")).1.join("\n");
    assert_eq!(
        told("ofan", "ports_per_pipe"),
        "ports_per_pipe: belongs to scheme \"pofan\"; this is scheme \"ofan\""
    );
    assert_eq!(
        told("rps", "consolidate"),
        "consolidate: belongs to schemes \"ofan\", \"pofan\"; this is scheme \"rps\""
    );
    assert!(told("rps", "consolidat").contains(": unknown key"));
    assert!(told("offan", "consolidate").starts_with("scheme: unknown scheme"));
    assert!(!told("offan", "consolidate").contains('\n'));
    for row in SCHEMES {
        let own = (row.keys)();
        for key in SCHEMES.iter().flat_map(|row| (row.keys)()) {
            if own.iter().all(|own| own.name != key.name) {
                let takers = SCHEMES
                    .iter()
                    .filter(|row| (row.keys)().iter().any(|other| other.name == key.name));
                let told = told(row.name, key.name);
                assert!(
                    told.ends_with(&format!("; this is scheme \"{}\"", row.name)),
                    "{told}"
                );
                assert!(
                    takers
                        .into_iter()
                        .all(|taker| told.contains(&format!("\"{}\"", taker.name))),
                    "{told}"
                );
            }
        }
    }
}
