//! Mice: what a scenario may say of them.

use super::{Folder, SMALL, errors, plan};
use crate::scenario::Mice;
use crate::units::{Span, Time};

/// The scenario with these mice.
fn with(mice: &str) -> String {
    SMALL.replacen("\"kind\"", &format!("\"mice\": {mice}, \"kind\""), 1)
}

#[test]
fn mice_are_null_or_an_object() {
    let read = |mice: &str| plan(&with(mice), &[]).points[0].scenario.workload.mice;
    assert_eq!(read("null"), None);
    assert_eq!(plan(SMALL, &[]).points[0].scenario.workload.mice, None);
    let mice = Mice {
        message_bytes: 16_384,
        count_per_host: 5,
        period: Span(8_000_500),
        start: Time::ZERO,
    };
    let keys = r#""message_bytes": 16384, "count_per_host": 5, "period_ns": 8000.5"#;
    assert_eq!(read(&format!("{{{keys}}}")), Some(mice));
    let later = Mice {
        start: Time(3_000_000),
        ..mice
    };
    assert_eq!(
        read(&format!("{{{keys}, \"start_ns\": 3000}}")),
        Some(later)
    );
}

#[test]
fn mice_that_cannot_be_are_refused() {
    let at = "x.json: workload.mice";
    for (mice, told) in [
        (
            "16384",
            ": 16384 is a number; allowed: null, or an object with \"message_bytes\", \"count_per_host\", \"period_ns\" and \"start_ns\"",
        ),
        (
            r#"{"count_per_host": 1, "period_ns": 1}"#,
            ".message_bytes: missing, and has no default; allowed: an integer from 1 to 1125899906842624; at most 2^32 - 1 packets",
        ),
        (
            r#"{"message_bytes": 1, "period_ns": 1}"#,
            ".count_per_host: missing, and has no default; allowed: an integer from 1 to 16777216; so many for all hosts together",
        ),
        (
            r#"{"message_bytes": 1, "count_per_host": 1}"#,
            ".period_ns: missing, and has no default; allowed: nanoseconds from 0 to 10000000000000, down to a whole picosecond",
        ),
        (
            r#"{"message_bytes": 1, "count_per_host": 0, "period_ns": 1}"#,
            ".count_per_host: 0 is out of range; allowed: an integer from 1 to 16777216",
        ),
        (
            r#"{"message_bytes": 1, "count_per_host": 1, "period_ns": 0.0001}"#,
            ".period_ns: 0.0001 is finer than a whole picosecond; allowed: nanoseconds from 0 to 10000000000000, down to a whole picosecond",
        ),
        (
            r#"{"message_bytes": 1, "count_per_host": 1, "period_ns": 1, "start_ns": -1}"#,
            ".start_ns: -1 is negative; allowed: nanoseconds from 0 to 10000000000000, down to a whole picosecond",
        ),
        (
            r#"{"message_bytes": 1, "count_per_host": 1, "period_ns": 1, "count": 1}"#,
            ".count: unknown key \"count\"; allowed: message_bytes, count_per_host, period_ns, start_ns",
        ),
        (
            r#"{"message_bytes": 1, "count_per_host": 1048577, "period_ns": 1}"#,
            ".count_per_host: 1048577 for each of 16 hosts are 16777232 messages; allowed: at most 16777216 in all, so 1048576 here",
        ),
        (
            r#"{"message_bytes": 1, "count_per_host": 4, "period_ns": 4e12, "start_ns": 1e12}"#,
            ".period_ns: the last of 4 rounds of 4000000000000 ns from 1000000000000 ns on begins after 10000000000000 ns; allowed: at most 3000000000000 ns",
        ),
        (
            r#"{"message_bytes": 1125899906842624, "count_per_host": 1, "period_ns": 1}"#,
            ".message_bytes: 1125899906842624 bytes are 274877906944 packets of 4096 bytes; allowed: at most 4294967295 packets a flow",
        ),
    ] {
        assert_eq!(errors(&with(mice), &[]), [format!("{at}{told}")], "{mice}");
    }
}

#[test]
fn mice_count_where_traffic_must_fit_a_buffer_and_a_time() {
    let mice = with(r#"{"message_bytes": 4096, "count_per_host": 1, "period_ns": 1}"#);
    // A frame of the collective is smaller: 1,000 bytes and 62.
    let sets = ["workload.message_bytes=1000", "fabric.buffer_bytes=4157"];
    let told = "--set fabric.buffer_bytes=4157: fabric.buffer_bytes: 4157 bytes hold no frame of 4158 bytes, so nothing could pass; allowed: null, or at least 4158";
    assert_eq!(errors(&mice, &sets), [told]);
    assert_eq!(errors(SMALL, &sets), [""; 0]);
    let many = with(r#"{"message_bytes": 1000000000000, "count_per_host": 60, "period_ns": 1}"#);
    let slow = ["fabric.link_gbps=0.1"];
    let found = errors(&many, &slow);
    assert_eq!(found.len(), 1);
    let told = "x.json: workload.message_bytes: 65536 bytes from each of 16 hosts, and 60 mice of 1000000000000 bytes a host, are more traffic than can be counted";
    assert!(found[0].starts_with(told), "{found:?}");
    assert_eq!(errors(SMALL, &slow), [""; 0]);
}

#[test]
fn mice_stay_where_a_file_that_extends_another_names_another_kind_of_workload() {
    let mice = with(r#"{"message_bytes": 1, "count_per_host": 1, "period_ns": 1}"#);
    let pairs = r#"{"extends": "base.json", "workload": {"kind": "pairs", "pairs": [{"src": 1, "dst": 2, "bytes": 5}]}}"#;
    let folder = Folder::new(&[("base.json", &mice), ("x.json", pairs)]);
    let plan = folder
        .load("x.json", &[])
        .expect("a scenario without errors");
    let mice = plan.points[0].scenario.workload.mice;
    assert_eq!(mice.map(|mice| mice.count_per_host), Some(1));
}

#[test]
fn mice_can_be_swept() {
    let text = with(r#"{"message_bytes": 1, "count_per_host": 1, "period_ns": 1}"#);
    let text = text.trim_end().trim_end_matches('}').to_owned()
        + r#", "sweep": {"workload.mice.message_bytes": [1, 2], "workload.mice.count_per_host": [3]}}"#;
    let plan = plan(&text, &[]);
    let mice = plan.points.iter().map(|point| point.scenario.workload.mice);
    let sizes: Vec<_> = mice
        .map(|mice| mice.map(|mice| (mice.message_bytes, mice.count_per_host)))
        .collect();
    assert_eq!(sizes, [Some((1, 3)), Some((2, 3))]);
}
