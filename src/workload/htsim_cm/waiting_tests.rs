//! Tests of what flows wait for in a matrix: triggers and messages; and of failures.

use super::*;
use crate::units::{Span, Time};
use crate::workload::{Activator, Connection, Dependencies, FlowEvent, Message, Target, Trigger};
use proptest::prelude::*;

const US: CmOptions = CmOptions {
    start_unit: Some(StartUnit::Microseconds),
    endless_bytes: None,
};

/// A matrix of 16 nodes with these lines; the flows' lines begin at 5.
fn of(lines: &[&str]) -> String {
    let count = |wanted: &dyn Fn(&&&str) -> bool| lines.iter().filter(wanted).count();
    let flows = count(&|line| line.contains("->"));
    let triggers = count(&|line| line.starts_with("trigger"));
    let failures = count(&|line| line.starts_with("failure"));
    let head = format!("Nodes 16\nConnections {flows}\nTriggers {triggers}\nFailures {failures}\n");
    head + &lines.join("\n") + "\n"
}

fn errors(lines: &[&str]) -> Vec<String> {
    let errors = read(&of(lines), &US).expect_err("is refused");
    errors.iter().map(ToString::to_string).collect()
}

fn dependencies(lines: &[&str]) -> Dependencies {
    let matrix = read(&of(lines), &US).unwrap_or_else(|errors| panic!("{errors:?}"));
    matrix.traffic.dependencies
}

fn trigger(from: &[(u32, FlowEvent)], to: &[(u32, u32)]) -> Trigger {
    let activator = |&(flow, event): &(u32, FlowEvent)| Activator { flow, event };
    let target = |&(flow, needs): &(u32, u32)| Target { flow, needs };
    Trigger {
        activators: from.iter().map(activator).collect(),
        targets: to.iter().map(target).collect(),
        delay: Span::ZERO,
    }
}

#[test]
fn a_oneshot_starts_all_its_flows_at_its_one_activation() {
    let found = dependencies(&[
        "0->1 id 1 start 2 size 9 send_done_trigger 7",
        "1->2 id 2 trigger 7 size 9",
        "trigger id 7 oneshot",
        "1->3 trigger 7 size 9",
    ]);
    let expected = trigger(&[(0, FlowEvent::Acked)], &[(1, 1), (2, 1)]);
    assert_eq!(found.triggers, [expected]);
}

#[test]
fn a_multishot_starts_its_flows_in_the_order_of_the_file() {
    let found = dependencies(&[
        "trigger multishot id 3",
        "5->6 trigger 3 size 1",
        "0->1 start 0 size 1 recv_done_trigger 3 send_done_trigger 3",
        "7->8 trigger 3 size 1 send_done_trigger 3",
    ]);
    let from = [
        (1, FlowEvent::Acked),
        (1, FlowEvent::Received),
        (2, FlowEvent::Acked),
    ];
    assert_eq!(found.triggers, [trigger(&from, &[(0, 1), (2, 2)])]);
}

#[test]
fn a_barrier_starts_its_flows_at_the_last_of_its_count() {
    let found = dependencies(&[
        "0->1 start 0 size 1 send_done_trigger 1",
        "1->0 start 0 size 1 recv_done_trigger 1",
        "2->3 trigger 1 size 1",
        "trigger id 1 barrier count 2",
    ]);
    let from = [(0, FlowEvent::Acked), (1, FlowEvent::Received)];
    assert_eq!(found.triggers, [trigger(&from, &[(2, 2)])]);
}

#[test]
fn triggers_without_flows_or_without_targets_are_accepted() {
    let found = dependencies(&[
        "0->1 start 0 size 1 send_done_trigger 1",
        "trigger id 1 oneshot",
        "trigger id 2 barrier count 4",
        "trigger id 3 multishot",
    ]);
    assert_eq!(found, Dependencies::default());
}

#[test]
fn triggers_that_cannot_work_are_refused_with_the_lines_of_their_flows() {
    let cases: [(&[&str], &str); 8] = [
        (
            &["0->1 trigger 4 size 1", "trigger id 4 oneshot"],
            "line 6: trigger 4 never fires for the flows of line 5: no flow activates it",
        ),
        (
            &[
                "0->1 start 0 size 1 send_done_trigger 4",
                "1->0 start 0 size 1 send_done_trigger 4",
                "2->1 trigger 4 size 1",
                "trigger id 4 oneshot",
            ],
            "line 8: trigger 4 has 2 activations (lines 5, 6); allowed for a oneshot: exactly 1",
        ),
        (
            &[
                "0->1 start 0 size 1 send_done_trigger 4",
                "2->1 trigger 4 size 1",
                "3->1 trigger 4 size 1",
                "trigger id 4 multishot",
            ],
            "line 8: trigger 4 never fires for the flows of line 7: it has 1 activation (line 5)",
        ),
        (
            &[
                "0->1 start 0 size 1 send_done_trigger 4",
                "2->1 trigger 4 size 1",
                "trigger id 4 barrier count 3",
            ],
            "line 7: trigger 4 has 1 activation (line 5); allowed for this barrier: exactly its `count`, 3",
        ),
        (
            &["0->1 trigger 8 size 1 send_done_trigger 9"],
            "line 5: trigger 8 does not exist; allowed: the `id` of a `trigger` line",
        ),
        (
            &[
                "0->1 trigger 1 size 1 send_done_trigger 2",
                "1->2 trigger 2 size 1 send_done_trigger 1",
                "trigger id 1 oneshot",
                "trigger id 2 oneshot",
            ],
            "line 5: the flows of lines 5, 6 wait for one another, so none of them starts",
        ),
        (
            &[
                "0->1 trigger 1 size 1 recv_done_trigger 1",
                "trigger id 1 oneshot",
            ],
            "line 5: this flow waits for itself, so it never starts",
        ),
        (
            &[
                "trigger id 1 oneshot",
                "0->1 start 0 trigger 1 size 1",
                "1->0 start 0 size 1 send_done_trigger 1",
            ],
            "line 6: `0->1` has both a `start` and a `trigger`; allowed: one",
        ),
    ];
    for (lines, expected) in cases {
        assert_eq!(errors(lines)[0], expected, "{lines:?}");
    }
}

#[test]
fn malformed_triggers_are_refused() {
    let cases = [
        ("trigger", "`trigger` has no `id`"),
        ("trigger id", "`id`: nothing is no whole number"),
        ("trigger id x oneshot", "`id`: \"x\" is no whole number"),
        (
            "trigger id 1",
            "trigger 1 has no kind; allowed: oneshot, multishot, barrier",
        ),
        ("trigger id 1 id 2 oneshot", "`id` twice"),
        ("trigger id 1 oneshot barrier", "a trigger of two kinds"),
        (
            "trigger id 1 oneshoot",
            "\"oneshoot\" is not a word of a trigger; did you mean `oneshot`?",
        ),
        (
            "trigger id 1 barrier",
            "trigger 1: a barrier needs a `count` of 1 or more",
        ),
        (
            "trigger id 1 barrier count 0",
            "trigger 1: a barrier needs a `count` of 1 or more",
        ),
        (
            "trigger id 1 multishot count 2",
            "trigger 1: only a barrier has a `count`",
        ),
    ];
    for (line, expected) in cases {
        let found = errors(&["0->1 start 0 size 1", line]);
        assert_eq!(found[0], format!("line 6: {expected}"), "{line}");
    }
    let one = "trigger id 1 oneshot";
    let twice = ["0->1 start 0 size 1", one, one];
    assert_eq!(errors(&twice), ["line 7: trigger 1 is also on line 6"]);
}

#[test]
fn a_line_that_is_wrong_brings_no_errors_about_what_waits_for_it() {
    let found = errors(&[
        "0->99x start 0 size 1 send_done_trigger 1",
        "1->2 trigger 1 size 1",
        "trigger id 1 oneshot",
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn messages_of_one_id_share_a_connection_in_the_order_of_the_file() {
    let matrix = read(
        &of(&[
            "0->1 id 5 msg start 0 size 1",
            "0->1 id 6 start 0 size 1",
            "0->1 id 5 start 3 msg size 2",
            "0->1 id 5 msg 9 start 0 size 3",
        ]),
        &US,
    )
    .unwrap_or_else(|errors| panic!("{errors:?}"));
    let messages = [(0, 0), (2, 1), (3, 9)].map(|(flow, number)| Message { flow, number });
    let messages = messages.to_vec();
    let found = &matrix.traffic.dependencies.connections;
    assert_eq!(*found, [Connection { messages }]);
    let ids: Vec<u64> = matrix.traffic.flows.iter().map(|flow| flow.id).collect();
    assert_eq!(ids, [5, 6, 5, 5]);
    assert_eq!(matrix.traffic.flows[2].start, Time(3_000_000));
}

#[test]
fn messages_that_do_not_fit_their_connection_are_refused() {
    let cases: [(&[&str], &str); 5] = [
        (
            &[
                "0->1 id 5 msg start 0 size 1",
                "0->2 id 5 msg start 0 size 1",
            ],
            "line 6: `0->2`: connection `id 5` is `0->1` on line 5",
        ),
        (
            &["0->1 id 5 msg start 0 size 1", "0->1 id 5 start 0 size 1"],
            "line 6: `id 5` is also that of the flow on line 5; allowed: once, or with `msg` on each line",
        ),
        (
            &["0->1 msg start 0 size 1"],
            "line 5: `msg` without `id`; allowed: with the `id` of its connection",
        ),
        (
            &[
                "0->1 id 5 msg 1 start 0 size 1",
                "0->1 id 5 msg start 0 size 1",
            ],
            "line 6: `msg 1` of its connection is also on line 5; allowed: each number once (without one, the place on the connection from 0)",
        ),
        (
            &[
                "0->1 id 5 msg trigger 1 size 1",
                "0->1 id 5 msg start 0 size 1 send_done_trigger 1",
                "trigger id 1 oneshot",
            ],
            "line 5: the flows of lines 5, 6 wait for one another, so none of them starts",
        ),
    ];
    for (lines, expected) in cases {
        assert_eq!(errors(lines), [expected], "{lines:?}");
    }
}

#[test]
fn nothing_may_wait_for_a_flow_without_an_end() {
    let options = CmOptions {
        endless_bytes: Some(9),
        ..US
    };
    let lines = [
        "0->1 id 5 msg start 0",
        "0->1 id 5 msg start 0 size 4",
        "2->3 start 0 size 0 recv_done_trigger 1",
        "3->2 trigger 1 size 1",
        "trigger id 1 oneshot",
    ];
    let found = read(&of(&lines), &options).expect_err("is refused");
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "line 6: never sent: the message before it on its connection, on line 5, has no end",
            "line 7: a flow without an end never activates trigger 1",
        ]
    );
}

#[test]
fn failures_are_read() {
    let matrix = read(
        &of(&[
            "0->1 start 0 size 1",
            "failure switch_type TOR switch_id 3 link_id 1",
            "failure link_id 0 switch_id 2 switch_type CORE",
        ]),
        &US,
    )
    .unwrap_or_else(|errors| panic!("{errors:?}"));
    let failure = |switch_type, switch_id, link_id, line| CmFailure {
        switch_type,
        switch_id,
        link_id,
        line,
    };
    let expected = [
        failure(SwitchType::Tor, 3, 1, 6),
        failure(SwitchType::Core, 2, 0, 7),
    ];
    assert_eq!(matrix.failures, expected);
}

#[test]
fn malformed_failures_are_refused() {
    let cases = [
        (
            "failure switch_type EDGE switch_id 0 link_id 0",
            "`switch_type`: \"EDGE\"; allowed: TOR, AGG or CORE",
        ),
        (
            "failure switch_type AGG switch_id -1 link_id 0",
            "`switch_id`: \"-1\" is no whole number; allowed: 0 to 4294967295",
        ),
        (
            "failure switch_type AGG switch_id 1",
            "`failure` has no `link_id`",
        ),
        (
            "failure switch_type AGG switch_id 1 switch_id 2 link_id 1",
            "`switch_id` twice",
        ),
        (
            "failure switch_typ AGG",
            "\"switch_typ\" is not a word of a failure; did you mean `switch_type`?",
        ),
    ];
    for (line, expected) in cases {
        let found = errors(&["0->1 start 0 size 1", line]);
        assert_eq!(found[0], format!("line 6: {expected}"), "{line}");
    }
}

#[test]
fn one_line_says_what_was_read_and_what_was_ignored() {
    let summary = |lines: &[&str], options| {
        let matrix = read(&of(lines), &options);
        matrix
            .unwrap_or_else(|errors| panic!("{errors:?}"))
            .summary()
    };
    assert_eq!(
        summary(&["0->1 start 0 size 7"], US),
        "1 flow, 7 bytes, 0 triggers, 0 re-used connections"
    );
    let lines = [
        "0->1 id 1 msg start 0 size 7 prio 3 send_done_trigger 1",
        "0->1 id 1 msg start 0 size 5",
        "1->0 trigger 1 size 1 prio 0",
        "trigger id 1 oneshot",
    ];
    assert_eq!(
        summary(&lines, US),
        "3 flows, 13 bytes, 1 trigger, 1 re-used connection of 2 messages; ignored: `prio` on 2 lines"
    );
    let endless = CmOptions {
        endless_bytes: Some(9),
        ..US
    };
    assert_eq!(
        summary(&["0->1 start 0", "1->0 start 0 size 3"], endless),
        "2 flows, 1 of them without an end, 0 triggers, 0 re-used connections"
    );
}

proptest! {
    #[test]
    fn no_lines_of_flows_and_triggers_make_the_reader_panic(
        picks in prop::collection::vec((0_usize..9, 0_u32..4, 0_u32..4, 0_u32..4), 1..14),
    ) {
        let lines: Vec<String> = picks.iter().map(|&(kind, a, b, c)| match kind {
            0 => format!("{a}->{b} id {c} msg start 0 size 1"),
            1 => format!("{a}->{b} trigger {c} size 1"),
            2 => format!("{a}->{b} trigger {c} size 1 send_done_trigger {a}"),
            3 => format!("{a}->{b} start 0 size 1 send_done_trigger {b} recv_done_trigger {c}"),
            4 => format!("{a}->{b} id {c} msg trigger {a} size 1 send_done_trigger {b}"),
            5 => format!("trigger id {a} oneshot"),
            6 => format!("trigger id {a} multishot"),
            7 => format!("trigger id {a} barrier count {b}"),
            _ => format!("{a}->{b} id {c} msg start 0"),
        }).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let _ = read(&of(&lines), &CmOptions { endless_bytes: Some(9), ..US });
    }
}
