//! Files that are no scenario, and scenarios with much wrong: messages that a user can act on, and exit code 2.

use crate::support::{Folder, SMALL};

fn refused(folder: &Folder, file: &str) -> Vec<String> {
    folder.spraysim(&["check", file]).refused()
}

#[test]
fn a_file_that_cannot_be_a_scenario_is_refused_by_name_and_line() {
    let folder = Folder::new(&[
        ("empty.json", ""),
        ("folder/x.json", SMALL),
        ("list.json", "[1]"),
        ("comma.json", "{\n  \"seed\": 1,\n}"),
        ("cut.json", "{\n\"fabric\": {\n\"k\": 4"),
        ("two.json", "{}\n{}"),
        ("word.json", "{\"seed\": NaN}"),
        ("tail.json", "{\"seed\": 01}"),
    ]);
    folder.write("latin.json", b"{\n\n\"name\": \"caf\xe9\"}");
    folder.write("zero.json", b"\0\0\0\0");
    for (file, text) in [
        ("missing.json", "cannot be read: No such file"),
        ("empty.json", "the file is empty"),
        ("folder", "cannot be read: it is a directory"),
        ("list.json", "[1] is a list; allowed: an object"),
        ("comma.json", "line 3, column 1: "),
        ("cut.json", "line 3, column 6: "),
        ("two.json", "line 2, column 1: "),
        ("word.json", "line 1, column 10: "),
        ("tail.json", "line 1, column 1"),
        ("latin.json", "line 3: byte 0xe9 is no UTF-8 text"),
        ("zero.json", "line 1, column 1: "),
    ] {
        let lines = refused(&folder, file);
        assert_eq!(lines.len(), 1, "{lines:#?}");
        assert!(
            lines[0].starts_with(&format!("error: {file}: {text}")),
            "{lines:?}"
        );
    }
}

#[test]
fn all_that_is_wrong_is_told_at_once_in_file_order() {
    let text = r#"{
      "sede": 1,
      "repeats": 0,
      "fabric": {"k": 7, "link_gbps": "fast", "link_latency_ns": -1},
      "packet": {"payload_bytes": 0, "acks": "per packet"},
      "load_balancing": {"scheme": "simple-rr"},
      "congestion_control": {"load": 1.5},
      "workload": {"kind": "permutations", "message_bytes": 5},
      "horizon_us": 0, "horizon_us": 1
    }"#;
    let lines = refused(&Folder::of(text), "x.json");
    let expected = [
        "sede: unknown key \"sede\"",
        "repeats: 0 is out of range; allowed: an integer from 1 to 1000000",
        "fabric.k: 7 is odd",
        "fabric.link_gbps: \"fast\" is a string; allowed: ",
        "fabric.link_latency_ns: -1 is negative; allowed: ",
        "packet.payload_bytes: 0 is out of range; allowed: ",
        "packet.acks: unknown acks \"per packet\"; allowed: per_packet, none; did you mean \"per_packet\"?",
        "load_balancing.scheme: unknown scheme \"simple-rr\"; allowed: ",
        "congestion_control.load: 1.5 is out of range; allowed: a number above 0 and up to 1",
        "workload.kind: unknown kind \"permutations\"; allowed: permutation, pairs, htsim_cm; did you mean \"permutation\"?",
        "horizon_us: stands twice in its object",
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:#?}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(
            line.starts_with(&format!("error: x.json: {expected}")),
            "{line}\n{expected}"
        );
    }
    assert!(lines[0].contains("did you mean \"seed\"?"), "{}", lines[0]);
    assert!(
        lines[7].ends_with("did you mean \"simple_rr\"?"),
        "{}",
        lines[7]
    );
}

#[test]
fn what_takes_several_keys_to_judge_is_told_at_once_too() {
    let text = r#"{"fabric": {"k": 4, "buffer_bytes": 100}, "packet": {"acks": "none"}, "load_balancing": {"scheme": "reps"},
      "trigger_latency_ns": 1,
      "workload": {"kind": "pairs", "pairs": [
        {"src": 0, "dst": 16, "bytes": 5000}, {"src": 3, "dst": 3, "bytes": 1}, {"src": 1, "dst": 2, "bytes": 1, "id": 0}]}}"#;
    let lines = refused(&Folder::of(text), "x.json");
    let expected = [
        "fabric.buffer_bytes: 100 bytes hold no frame of 4158 bytes",
        "load_balancing.scheme: scheme \"reps\" lives on ACKs",
        "trigger_latency_ns: 1 ns is below fabric.link_latency_ns",
        "workload.pairs[0].dst: host 16 does not exist; this fabric has hosts 0 to 15",
        "workload.pairs[1].dst: host 3 sends to itself",
        "workload.pairs[2].id: 0 is the id of pairs[0] too",
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:#?}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(
            line.starts_with(&format!("error: x.json: {expected}")),
            "{line}"
        );
    }
}

#[test]
fn what_is_required_is_named_where_it_is_missing() {
    let lines = refused(&Folder::of("{}"), "x.json");
    for path in ["fabric.k", "load_balancing.scheme", "workload.kind"] {
        let start = format!("error: x.json: {path}: missing, and has no default; allowed: ");
        assert!(
            lines.iter().any(|line| line.starts_with(&start)),
            "{path}: {lines:#?}"
        );
    }
    assert_eq!(lines.len(), 3);
}

#[test]
fn a_cycle_of_extends_and_a_missing_base_are_refused_where_they_are_named() {
    let folder = Folder::new(&[
        ("x.json", r#"{"extends": "sub/y.json"}"#),
        ("sub/y.json", r#"{"extends": ["../x.json"]}"#),
        ("z.json", r#"{"extends": "gone.json"}"#),
    ]);
    let lines = refused(&folder, "x.json");
    assert_eq!(lines.len(), 1, "{lines:#?}");
    let start = "error: sub/y.json: extends[0]: files extend each other in a cycle: x.json -> sub/y.json -> ";
    assert!(lines[0].starts_with(start), "{lines:?}");
    let lines = refused(&folder, "z.json");
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(
        lines[0].starts_with("error: z.json: extends: \"gone.json\" (gone.json): cannot be read"),
        "{lines:?}"
    );
}

#[test]
fn an_error_names_the_file_that_the_value_came_from() {
    let folder = Folder::new(&[
        (
            "x.json",
            r#"{"extends": "base.json", "workload": {"kind": "permutation", "message_bytes": 0}}"#,
        ),
        (
            "base.json",
            r#"{"fabric": {"k": 130}, "load_balancing": {"scheme": "rps", "entropies": 5}}"#,
        ),
    ]);
    let lines = folder
        .spraysim(&["run", "x.json", "--set", "seed=[]"])
        .refused();
    let starts = [
        "error: x.json: workload.message_bytes: 0 is out of range",
        "error: base.json: fabric.k: 130 is out of range",
        "error: base.json: load_balancing.entropies: belongs to scheme \"reps\"",
        "error: --set seed=[]: seed: [] is a list",
    ];
    assert_eq!(lines.len(), starts.len(), "{lines:#?}");
    for start in starts {
        assert!(
            lines.iter().any(|line| line.starts_with(start)),
            "{start}: {lines:#?}"
        );
    }
}

#[test]
fn control_characters_of_a_file_never_reach_the_terminal() {
    let text = SMALL.replace("\"rps\"", "\"\\u001b[31mrps\\n\\u0007\"");
    let lines = refused(&Folder::of(&text), "x.json");
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(!lines[0].chars().any(char::is_control), "{lines:?}");
}
