//! The `failures` object: what is refused, and what it becomes.

use super::{SMALL, errors, plan};
use crate::settings::{LinkFault, OnPartition, Queued, SwitchFault};
use crate::units::{Ratio, Span, Time};

/// The errors of the small scenario (k = 4: e0 to e7, a0 to a7, c0 to c3) with this `failures` object.
fn refused(failures: &str) -> Vec<String> {
    refused_with(failures, &[])
}

/// The same with other settings before it.
fn refused_with(failures: &str, sets: &[&str]) -> Vec<String> {
    let failures = format!("failures={failures}");
    let found = errors(SMALL, &[sets, &[&failures]].concat());
    let cut = |line: &String| match line.find(": failures.") {
        Some(at) => line[at + 2..].to_owned(),
        None => line.clone(),
    };
    found.iter().map(cut).collect()
}

#[test]
fn without_failures_there_are_none_whatever_else_is_set() {
    let quiet = plan(
        SMALL,
        &["failures.convergence_us=7", "failures.queued=held"],
    );
    assert_eq!(quiet.points[0].scenario.fabric.failures, None);
}

#[test]
fn values_arrive_as_cables_switches_and_picoseconds() {
    let text = r#"{"edge_agg_probability": 0.02, "switch_probability": 1e-3, "convergence_us": 0.5, "queued": "held",
        "on_partition": "drop", "links": [{"link": "e3-a2"}, {"link": "c3-a7", "member": 0, "from_us": 5, "until_us": 50.5,
        "slow_to": 0.25}], "switches": [{"switch": "c1", "from_us": 1}]}"#;
    let plan = plan(SMALL, &[&format!("failures={text}")]);
    let failures = plan.points[0].scenario.fabric.failures.as_ref();
    let failures = failures.expect("something fails");
    assert_eq!(failures.edge_agg_probability, Ratio { num: 1, den: 50 });
    assert_eq!(failures.agg_core_probability.num, 0);
    assert_eq!(failures.switch_probability, Ratio { num: 1, den: 1_000 });
    assert_eq!(failures.convergence, Span(500_000));
    assert_eq!(failures.queued, Queued::Held);
    assert_eq!(failures.on_partition, OnPartition::Drop);
    // Sixteen cables below the aggregation switches, then theirs.
    let down = LinkFault {
        cable: 6,
        from: Time::ZERO,
        until: Time::NEVER,
        slow_to: None,
    };
    let slow = LinkFault {
        cable: 16 + 15,
        from: Time(5_000_000),
        until: Time(50_500_000),
        slow_to: Some(Ratio { num: 1, den: 4 }),
    };
    assert_eq!(failures.links, [down, slow]);
    let switch = SwitchFault {
        switch: 8 + 8 + 1,
        from: Time(1_000_000),
        until: Time::NEVER,
    };
    assert_eq!(failures.switches, [switch]);
}

#[test]
fn links_that_do_not_exist_are_refused_with_those_that_do() {
    let text = r#"{"links": [{"link": "e0-a2"}, {"link": "a1-c0"}, {"link": "e9-a0"}, {"link": "e0"}, {"link": "h0-e0"},
        {"link": "e0-e1"}, {"link": "c1-c0"}, {"link": "e00-a0"}, {"link": "e0-a0", "member": 1}, {"link": ""}]}"#;
    assert_eq!(
        refused(text),
        [
            "failures.links[9].link: \"\" is a string; allowed: two switches, as in \"e3-a5\"",
            "failures.links[0].link: \"e0-a2\" does not exist; allowed: from e0 up to a0 and a1",
            "failures.links[1].link: \"a1-c0\" does not exist; allowed: from a1 up to c2 and c3",
            "failures.links[2].link: \"e9\" does not exist; this fabric has e0 to e7, a0 to a7, c0 to c3",
            "failures.links[3].link: \"e0\" is no link; allowed: two switches, as in \"e3-a5\"",
            "failures.links[4].link: \"h0-e0\" is a link of host h0, and hosts' links never fail; allowed: links between switches",
            "failures.links[5].link: \"e0-e1\" does not exist; allowed: from e0 up to a0 and a1",
            "failures.links[6].link: \"c1-c0\" does not exist; allowed: links between different levels",
            "failures.links[7].link: \"e00\" does not exist; this fabric has e0 to e7, a0 to a7, c0 to c3",
            "failures.links[8].member: member 1 of e0-a0 does not exist; allowed: null (all of them), or 0 to 0",
        ]
    );
}

#[test]
fn switches_that_do_not_exist_or_have_hosts_are_refused() {
    let text =
        r#"{"switches": [{"switch": "a8"}, {"switch": "e1"}, {"switch": "h1"}, {"switch": "x"}]}"#;
    let fabric = "does not exist; this fabric has e0 to e7, a0 to a7, c0 to c3";
    let hosts =
        "does not fail: it would take hosts with it; allowed: aggregation switches and cores";
    assert_eq!(
        refused(text),
        [
            format!("failures.switches[0].switch: \"a8\" {fabric}"),
            format!("failures.switches[1].switch: \"e1\" {hosts}"),
            format!("failures.switches[2].switch: \"h1\" {hosts}"),
            format!("failures.switches[3].switch: \"x\" {fabric}"),
        ]
    );
}

#[test]
fn one_thing_fails_once_at_a_time() {
    let text = r#"{"links": [{"link": "e0-a0", "until_us": 5}, {"link": "a0-e0", "from_us": 4, "slow_to": 0.5},
        {"link": "e0-a1", "until_us": 5}, {"link": "e0-a1", "from_us": 5}],
        "switches": [{"switch": "a3"}, {"switch": "a3", "from_us": 7}]}"#;
    assert_eq!(
        refused(text),
        [
            "failures.links[1].link: overlaps failures.links[0], which names the same link; allowed: one fault at a time",
            "failures.switches[1].switch: overlaps failures.switches[0], which names the same switch; allowed: one fault at a time",
        ]
    );
}

#[test]
fn a_fault_ends_after_it_begins() {
    let text = r#"{"links": [{"link": "e0-a0", "from_us": 5, "until_us": 5}],
        "switches": [{"switch": "a3", "from_us": 7, "until_us": 6.5}]}"#;
    assert_eq!(
        refused(text),
        [
            "failures.links[0].until_us: 5 us is not after from_us; allowed: null, or more than 5 us",
            "failures.switches[0].until_us: 6.5 us is not after from_us; allowed: null, or more than 7 us",
        ]
    );
}

#[test]
fn two_levels_have_no_links_to_cores() {
    let found = errors(
        SMALL,
        &["fabric.levels=2", "failures.agg_core_probability=0.1"],
    );
    let expected = "failures.agg_core_probability: a two-level tree has no cores; allowed: 0";
    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with(expected), "{found:?}");
}

#[test]
fn a_link_may_not_be_so_slow_that_time_runs_out() {
    let of = |slow_to: &str| {
        let text = format!(r#"{{"links": [{{"link": "e0-a0", "slow_to": {slow_to}}}]}}"#);
        refused_with(&text, &["workload.message_bytes=1e9"])
    };
    assert_eq!(of("1e-6"), [""; 0]);
    let found = of("1e-15");
    let start = "failures.links[0].slow_to: the traffic could keep a link that is so slow busy";
    assert!(found.len() == 1 && found[0].starts_with(start), "{found:?}");
}
