//! Pairs that wait for others.

use super::effective::holds;
use super::{Folder, errors, plan};
use crate::settings::{Activator, FlowEvent, Target, Trigger};
use crate::units::Span;
use crate::workload::traffic;

/// Flows 1 to 4 in a list, each with this `after`.
fn pairs(after: &[&str]) -> String {
    let pair = |(i, after): (usize, &&str)| {
        let (id, dst) = (i + 1, i + 8);
        format!(r#"{{"id": {id}, "src": {i}, "dst": {dst}, "bytes": 9, "after": {after}}}"#)
    };
    let pairs: Vec<String> = after.iter().enumerate().map(pair).collect();
    format!(
        r#"{{"fabric": {{"k": 4}}, "load_balancing": {{"scheme": "rps"}}, "workload": {{"kind": "pairs", "pairs": [{}]}}}}"#,
        pairs.join(", ")
    )
}

#[test]
fn pairs_wait_for_the_flows_that_they_name() {
    let text = pairs(&[
        "null",
        r#"{"flows": [4, 1], "event": "received", "delay_ns": 1.5}"#,
        r#"{"flows": [2]}"#,
        "null",
    ]);
    let plan = plan(&text, &[]);
    let dependencies = traffic(&plan.points[0].scenario, 1).dependencies;
    let trigger = |from: &[u32], event, flow, delay| Trigger {
        activators: from.iter().map(|&flow| Activator { flow, event }).collect(),
        targets: vec![Target {
            flow,
            needs: from.len() as u32,
        }],
        delay: Span(delay),
    };
    let expected = [
        trigger(&[3, 0], FlowEvent::Received, 1, 1_500),
        trigger(&[1], FlowEvent::Acked, 2, 0),
    ];
    assert_eq!(dependencies.triggers, expected);
}

#[test]
fn what_cannot_be_waited_for_is_refused_with_its_path() {
    let at = "x.json: workload.pairs[1].after";
    let cases = [
        (
            r#"{"flows": [9]}"#,
            "flows[0]: no pair has the id 9; allowed: the id of another pair",
        ),
        (
            r#"{"flows": [1, 2]}"#,
            "flows[1]: flow 2 waits for itself; allowed: the id of another pair",
        ),
        (
            r#"{"flows": [1, 1]}"#,
            "flows[1]: 1 stands there twice; allowed: each once",
        ),
        (
            r#"{"flows": []}"#,
            "flows: there is no flow to wait for; allowed: a list of at least one id of another pair",
        ),
        (
            r#"{}"#,
            "flows: missing, and has no default; allowed: a list of at least one id of another pair, each once",
        ),
        (
            r#"{"flows": [1], "event": "received?"}"#,
            "event: unknown event \"received?\"; allowed: acked, received; did you mean \"received\"?",
        ),
        (
            r#"{"flows": [1], "delay_ns": -1}"#,
            "delay_ns: -1 is negative; allowed: nanoseconds from 0 to 10000000000000, down to a whole picosecond",
        ),
    ];
    for (after, expected) in cases {
        assert_eq!(
            errors(&pairs(&["null", after]), &[]),
            [format!("{at}.{expected}")]
        );
    }
    assert_eq!(
        errors(&pairs(&["null", "3"]), &[]),
        [format!(
            "{at}: 3 is a number; allowed: null, or an object with \"flows\", \"event\" and \"delay_ns\""
        )]
    );
}

#[test]
fn flows_that_wait_for_one_another_are_refused_by_id_and_place() {
    let text = pairs(&[
        "null",
        r#"{"flows": [1, 4]}"#,
        r#"{"flows": [2]}"#,
        r#"{"flows": [3]}"#,
    ]);
    let expected = "x.json: workload.pairs[1].after.flows: flows 2 (pairs[1]), 3 (pairs[2]), 4 (pairs[3]) wait for one another, so none of them starts; allowed: no cycle";
    assert_eq!(errors(&text, &[]), [expected]);
}

#[test]
fn nobody_waits_for_acks_where_there_are_none() {
    let text = pairs(&["null", r#"{"flows": [1]}"#]);
    let expected = "x.json: workload.pairs[1].after.event: \"acked\" waits for ACKs, and packet.acks is \"none\"; allowed: \"received\", or \"per_packet\"";
    assert_eq!(errors(&text, &["packet.acks=none"]), [expected]);
    let sets = ["packet.acks=none", "workload.pairs[1].after.event=received"];
    assert_eq!(errors(&text, &sets), [""; 0]);
}

#[test]
fn the_effective_scenario_says_what_every_pair_waits_for() {
    let text = pairs(&["null", r#"{"flows": [1]}"#]);
    let text = holds(&Folder::new(&[("x.json", &text)]), "x.json", &[], "out");
    let squeezed: String = text.split_whitespace().collect();
    assert!(squeezed.contains(r#""start_ns":0,"after":null}"#), "{text}");
    let after = r#""after":{"flows":[1],"event":"acked","delay_ns":0}"#;
    assert!(squeezed.contains(after), "{text}");
}

#[test]
fn chains_too_long_to_be_counted_are_refused() {
    let after = |id: usize| format!(r#"{{"flows": [{id}], "delay_ns": 1e13}}"#);
    let after: Vec<String> = (1..500).map(after).collect();
    let mut all = vec!["null"];
    all.extend(after.iter().map(String::as_str));
    // 500 flows, each 10,000 seconds after the one before.
    let text = pairs(&all).replace("\"k\": 4", "\"k\": 16");
    let found = errors(&text, &[]);
    let words = "are more traffic than can be counted";
    assert!(
        found.iter().any(|line| line.contains(words)),
        "{}",
        found[0]
    );
}
