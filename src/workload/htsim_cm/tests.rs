//! Tests of the importer, on texts and on the files of others.

use super::*;
use crate::units::Time;
use proptest::prelude::*;
use std::path::PathBuf;

const US: CmOptions = CmOptions {
    start_unit: Some(StartUnit::Microseconds),
    endless_bytes: None,
};
const PS: CmOptions = CmOptions {
    start_unit: Some(StartUnit::Picoseconds),
    endless_bytes: None,
};
const NO_UNIT: CmOptions = CmOptions {
    start_unit: None,
    endless_bytes: None,
};

fn errors(text: &str, options: &CmOptions) -> Vec<String> {
    let errors = read(text, options).expect_err("is refused");
    errors.iter().map(ToString::to_string).collect()
}

/// A matrix of 16 nodes with these lines of flows.
fn of(lines: &[&str]) -> String {
    format!(
        "Nodes 16\nConnections {}\n{}\n",
        lines.len(),
        lines.join("\n")
    )
}

fn errors_of(line: &str) -> Vec<String> {
    errors(&of(&[line]), &US)
}

#[test]
fn a_flow_is_read_with_all_its_options_in_any_order() {
    let matrix = read(
        &of(&[
            "3->14 size 5 prio 9 start 2.25 id 77",
            "1->2 start 0 size 1",
        ]),
        &US,
    )
    .unwrap();
    let first = FlowSpec {
        id: 77,
        src: 3,
        dst: 14,
        bytes: 5,
        start: Time(2_250_000),
    };
    let second = FlowSpec {
        id: 1,
        src: 1,
        dst: 2,
        bytes: 1,
        start: Time::ZERO,
    };
    assert_eq!(
        (matrix.nodes, matrix.traffic.flows),
        (16, vec![first, second])
    );
    assert_eq!(matrix.lines, [3, 4]);
}

#[test]
fn white_space_and_comments_do_not_matter() {
    let text = "\u{feff}# made by hand\r\n\r\nNodes\t16 # hosts\r\n  Connections  2\r\nTriggers 0\n\n0->5\tstart  0 size 7\r\n# x\n\
                \n1->6 start 0 size 8 # y";
    let matrix = read(text, &NO_UNIT).unwrap();
    assert_eq!(matrix.traffic.flows.len(), 2);
    assert_eq!(matrix.lines, [7, 10]);
}

#[test]
fn counts_that_differ_are_refused_with_declared_and_found() {
    let text = "Nodes 4\nConnections 3\nTriggers 2\nFailures 1\n0->1 start 0 size 1\n";
    assert_eq!(
        errors(text, &US),
        [
            "line 2: `Connections` declares 3; found 1",
            "line 3: `Triggers` declares 2; found 0",
            "line 4: `Failures` declares 1; found 0",
        ]
    );
}

#[test]
fn a_file_without_its_counts_is_refused() {
    assert_eq!(
        errors("", &US),
        ["`Connections` is missing", "`Nodes` is missing"]
    );
}

#[test]
fn header_errors_name_the_key() {
    let text = "Node 4\nNodes\nConnections x\nConnections 0\nConnections 0\nNodes 0\n";
    assert_eq!(
        errors(text, &US),
        [
            "line 1: \"Node\" is not a header key or `S->D`; did you mean `Nodes`?",
            "line 2: `Nodes`: nothing is no whole number",
            "line 3: `Connections`: \"x\" is no whole number",
            "line 5: `Connections` is also on line 4",
            "line 6: `Nodes` is 0; allowed: 1 to 4294967295",
        ]
    );
}

#[test]
fn bad_flows_are_refused_with_line_value_and_range() {
    let cases = [
        (
            "0->17 start 0 size 1",
            "line 3: `0->17`: host 17 is out of range; allowed: 0 to 15",
        ),
        (
            "3->3 start 0 size 1",
            "line 3: `3->3`: a flow from a host to itself",
        ),
        (
            "0->1 start -5 size 1",
            "line 3: `start`: \"-5\" is negative; allowed: 0 or more",
        ),
        (
            "0->1 size 1",
            "line 3: `0->1` has neither a `start` nor a `trigger`",
        ),
        ("0->1 start 0 size 1 size 2", "line 3: `size` twice"),
        ("0->1 start 0 size 1 start 2", "line 3: `start` twice"),
        (
            "0->1 start 0 size -1",
            "line 3: `size`: \"-1\" is no whole number; allowed: 0 to 18446744073709551615",
        ),
        (
            "0->1 start 0 size 1 id",
            "line 3: `id`: nothing is no whole number; allowed: 0 to 18446744073709551615",
        ),
        (
            "0->1 start 0 sice 1 size 1",
            "line 3: \"sice\" is not an option of a flow; did you mean `size`?",
        ),
        (
            "-1->3 start 0 size 1",
            "line 3: \"-1->3\" is no pair of hosts; allowed: `S->D`, 0 to Nodes - 1",
        ),
        (
            "0->1 start 0 size 0",
            "line 3: `size` is 0, an endless flow: it takes a horizon (`horizon_us`)",
        ),
        (
            "0->1 start 0",
            "line 3: no `size`, an endless flow: it takes a horizon (`horizon_us`)",
        ),
    ];
    for (line, expected) in cases {
        assert_eq!(
            errors_of(line).first().map(String::as_str),
            Some(expected),
            "{line}"
        );
    }
}

#[test]
fn what_is_not_supported_yet_is_refused_by_name_once_a_word() {
    let lines = ["0->1 id 1 start 0 size 1 addon"; 3];
    let first = "line 3: `addon`: EQDS add-on flows are not supported yet (also in 2 more places)";
    assert_eq!(errors(&of(&lines), &US)[0], first);
}

#[test]
fn starts_other_than_zero_need_a_unit() {
    assert!(read(&of(&["0->1 start 0 size 1"]), &NO_UNIT).is_ok());
    assert_eq!(
        errors(&of(&["0->1 start 5 size 1"]), &NO_UNIT),
        ["line 3: `start` \"5\" has no unit; set `start_unit` to \"us\" or \"ps\""]
    );
}

#[test]
fn an_endless_flow_runs_up_to_a_horizon() {
    let options = CmOptions {
        endless_bytes: Some(9),
        ..US
    };
    let matrix = read(&of(&["0->1 start 0 size 0", "1->2 start 0"]), &options).unwrap();
    assert!(matrix.traffic.flows.iter().all(|flow| flow.bytes == 9));
}

#[test]
fn an_endless_flow_outlasts_any_horizon_at_any_rate() {
    let usual = endless_bytes(Rate::from_gbps(800), Time(1_000_000_000));
    assert_eq!(usual, ENDLESS_BYTES);
    for (gbps, seconds) in [(100_000, 1), (100_000, 10_000), (800, 10_000), (1, 1)] {
        let (rate, horizon) = (Rate::from_gbps(gbps), seconds * 1_000_000_000_000_u64);
        let bits = 8 * u128::from(endless_bytes(rate, Time(horizon)));
        let carried = u128::from(gbps) * 1_000_000_000 * u128::from(seconds);
        assert!(bits > carried, "{gbps} Gb/s for {seconds} s");
    }
}

#[test]
fn twenty_errors_are_shown_and_the_others_counted() {
    let errors = errors(&of(&["0->0 start 0 size 1"; 57]), &US);
    assert_eq!(errors.len(), 21);
    assert_eq!(errors[20], "and 37 more errors");
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC*", horizon in any::<bool>()) {
        let _ = read(&text, &CmOptions { endless_bytes: horizon.then_some(9), ..US });
    }

    #[test]
    fn no_sequence_of_its_words_makes_the_reader_panic(
        words in prop::collection::vec(prop::sample::select(vec![
            "Nodes", "Connections", "Triggers", "\n", "\n", "0->1", "->", "5->5", "id", "start", "size", "msg", "trigger", "prio",
            "1", "0", "-3", "1.5", "18446744073709551616", "failure", "#", "oneshot", "barrier", "count", "send_done_trigger",
            "switch_type", "TOR", "link_id", "\r", "\t", "addon", "é", ".",
        ]), 0..60),
    ) {
        for options in [US, PS, NO_UNIT] {
            let _ = read(&words.join(" "), &options);
        }
    }
}

/// Files that others wrote stay out of this repository: `SPRAYSIM_INPUTS`, or `../shared/inputs` beside it.
fn input(path: &str) -> Option<String> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/inputs");
    let root = std::env::var_os("SPRAYSIM_INPUTS").map_or_else(beside, PathBuf::from);
    let file = root.join(path);
    if file.exists() {
        return Some(std::fs::read_to_string(file).expect("is readable text"));
    }
    println!("skipped: no {}", file.display());
    None
}

fn accepts(path: &str, options: &CmOptions, nodes: u32, flows: usize) -> Vec<FlowSpec> {
    let Some(text) = input(path) else {
        return Vec::new();
    };
    let matrix = read(&text, options).unwrap_or_else(|errors| panic!("{path}: {errors:?}"));
    assert_eq!(
        (matrix.nodes, matrix.traffic.flows.len()),
        (nodes, flows),
        "{path}"
    );
    matrix.traffic.flows
}

fn refuses(path: &str, options: &CmOptions, expected: &str) {
    if let Some(text) = input(path) {
        let errors = errors(&text, options);
        assert!(
            errors.iter().any(|error| error.contains(expected)),
            "{path}: {errors:?}"
        );
    }
}

#[test]
fn every_matrix_of_the_peers_is_read() {
    for (name, nodes, flows) in [
        ("all_red_ring_1mb", 16, 496),
        ("allreduce_t", 32, 160),
        ("alltoall_serial_16n", 16, 240),
        ("test_cr_1f10m1p", 2, 10),
        ("bidir", 16, 2),
        ("incast", 16, 15),
        ("incast_128", 128, 127),
        ("one", 16, 1),
        ("outcast_incast", 128, 21),
        ("perm_128n_128c_2MB", 128, 128),
        ("perm_16n_16c_2MB", 16, 16),
        ("perm_32n_32c_2MB", 32, 32),
        ("perm_432n_1MiB", 432, 432),
        ("test_cr_1f1m10p", 2, 1),
        ("tornado_n16_s4194304", 16, 16),
    ] {
        accepts(&format!("htsim_cm/{name}.cm"), &NO_UNIT, nodes, flows);
    }
    if let Some(last) = accepts("htsim_cm/40load_32.cm", &PS, 32, 836).last() {
        assert_eq!((last.start, last.bytes), (Time(3_499_686_000), 19_336_227));
    }
    refuses("htsim_cm/40load_32.cm", &NO_UNIT, "has no unit");
}

#[test]
fn the_probes_do_what_their_table_says() {
    for name in ["crlf16", "tabs"] {
        accepts(&format!("probes/{name}.cm"), &NO_UNIT, 16, 1);
    }
    accepts("probes/dspace.cm", &NO_UNIT, 8, 1);
    for flow in accepts("probes/five_gigabytes.cm", &US, 16, 1) {
        assert_eq!(flow.bytes, 5_000_000_000);
    }
    if let [first, _] = &accepts("probes/fractional_start_us.cm", &US, 16, 2)[..] {
        assert_eq!(first.start, Time(1_500_000));
    }
    if let [first, second] = &accepts("probes/large_start_ps.cm", &PS, 16, 2)[..] {
        assert_eq!(
            (first.start, second.start),
            (Time(16_777_217), Time(1_000_000_001))
        );
    }
    refuses(
        "probes/fractional_start_us.cm",
        &PS,
        "no whole number of picoseconds",
    );
    refuses(
        "probes/neg16.cm",
        &US,
        "line 3: `start`: \"-5\" is negative",
    );
    refuses(
        "probes/self16.cm",
        &US,
        "line 3: `0->0`: a flow from a host to itself",
    );
    refuses(
        "probes/oob16.cm",
        &US,
        "line 3: `0->17`: host 17 is out of range; allowed: 0 to 15",
    );
    refuses("probes/zero16.cm", &US, "`size` is 0");
    refuses(
        "probes/same_id_twice.cm",
        &US,
        "`id 1` is also that of the flow on line 3",
    );
    refuses(
        "probes/counts_lie.cm",
        &US,
        "`Connections` declares 3600; found 240",
    );
    refuses(
        "probes/counts_lie.cm",
        &US,
        "`Triggers` declares 3360; found 0",
    );
    if let Some(text) = input("probes/fail.cm") {
        let matrix = read(&text, &US).expect("it is right in itself");
        let failure = CmFailure {
            switch_type: SwitchType::Agg,
            switch_id: 0,
            link_id: 0,
            line: 5,
        };
        assert_eq!(matrix.failures, [failure]);
    }
}
