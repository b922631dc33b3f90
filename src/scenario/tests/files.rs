//! Files that are missing, broken, or extend each other.

use std::fs;

use super::{Folder, SMALL, errors};
use crate::scenario::{Overrides, Shape, load};

#[test]
fn a_syntax_error_names_line_and_column() {
    let found = errors("{\n  \"name\": \"x\",\n  \"seed\" 3\n}", &[]);
    assert_eq!(found, ["x.json: line 3, column 10: expected `:`"]);
    let found = errors("{\"seed\": 1", &[]);
    assert!(
        found[0].starts_with("x.json: line 1, column 10: EOF"),
        "{found:?}"
    );
}

#[test]
fn an_empty_file_and_one_that_is_no_object_are_refused() {
    for text in ["", " \n\t\n", "\u{feff}"] {
        assert_eq!(errors(text, &[]), ["x.json: the file is empty"]);
    }
    assert_eq!(
        errors("[]", &[]),
        ["x.json: [] is a list; allowed: an object"]
    );
    assert_eq!(
        errors("null", &[]),
        ["x.json: null is not allowed; allowed: an object"]
    );
}

#[test]
fn a_byte_order_mark_is_skipped() {
    assert_eq!(errors(&format!("\u{feff}{SMALL}"), &[]), [""; 0]);
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_line() {
    let folder = Folder::new(&[]);
    fs::write(folder.path("x.json"), b"{\n\"name\": \"\xff\"}").unwrap();
    let found = folder.load("x.json", &[]).unwrap_err();
    assert_eq!(found, ["x.json: line 2: byte 0xff is no UTF-8 text"]);
}

#[test]
fn a_missing_file_and_a_folder_are_refused() {
    let folder = Folder::new(&[("sub/x.json", SMALL)]);
    let found = folder.load("y.json", &[]).unwrap_err();
    assert!(
        found[0].starts_with("y.json: cannot be read: No such file"),
        "{found:?}"
    );
    let found = folder.load("sub", &[]).unwrap_err();
    assert_eq!(found, ["sub: cannot be read: it is a directory"]);
}

#[test]
fn deep_nesting_is_refused_and_does_not_overflow_the_stack() {
    for text in ["[".repeat(500_000), "{\"fabric\":".repeat(500_000)] {
        let found = errors(&text, &[]);
        assert!(found[0].contains("nested too deeply"), "{}", found[0]);
    }
    let set = format!("{}=1", vec!["a"; 100_000].join("."));
    assert!(errors(SMALL, &[&set])[0].contains("more than 32 steps"));
    let deep = format!("fabric={}1{}", "[".repeat(100), "]".repeat(100));
    assert!(errors(SMALL, &[&deep])[0].contains("is a list; allowed: an object"));
}

#[test]
fn a_scenario_wins_over_what_it_extends_and_later_files_over_earlier() {
    let top = r#"{"extends": ["../a.json", "../b.json"], "packet": {"gap_bytes": 7}, "load_balancing": {"scheme": "rps"}}"#;
    let a = r#"{"fabric": {"k": 4, "levels": 2}, "packet": {"gap_bytes": 1, "ack_bytes": 2},
               "workload": {"kind": "permutation", "message_bytes": 5}}"#;
    let b = r#"{"packet": {"ack_bytes": 3, "header_bytes": 4}, "load_balancing": {"scheme": "ar", "refresh_ns": 1}}"#;
    let folder = Folder::new(&[("sub/x.json", top), ("a.json", a), ("b.json", b)]);
    let scenario = &folder.load("sub/x.json", &[]).unwrap().points[0].scenario;
    assert_eq!(scenario.fabric.shape, Shape::fat_tree(2, 4));
    let packet = scenario.packet;
    assert_eq!(
        (packet.gap_bytes, packet.ack_bytes, packet.header_bytes),
        (7, 3, 4)
    );
    assert_eq!(scenario.load_balancing.name, "rps");
}

#[test]
fn an_error_names_the_file_that_the_value_came_from() {
    let top =
        r#"{"extends": "base.json", "workload": {"kind": "permutation", "message_bytes": -1}}"#;
    let base = r#"{"fabric": {"k": 13}, "load_balancing": {"scheme": "offan"}}"#;
    let folder = Folder::new(&[("x.json", top), ("base.json", base)]);
    let found = folder.load("x.json", &["seed=-1"]).unwrap_err();
    assert_eq!(found.len(), 4);
    assert!(found[0].starts_with("x.json: workload.message_bytes: -1 is negative"));
    assert_eq!(
        found[1],
        "base.json: fabric.k: 13 is odd; a fat tree needs an even k, e.g. 12 or 14"
    );
    assert!(found[2].starts_with("base.json: load_balancing.scheme: unknown scheme \"offan\""));
    assert!(found[2].ends_with("; did you mean \"ofan\"?"));
    assert!(found[3].starts_with("--set seed=-1: seed: -1 is negative"));
}

#[test]
fn files_that_extend_each_other_are_named_in_a_chain() {
    let folder = Folder::new(&[
        ("x.json", r#"{"extends": "y.json"}"#),
        ("y.json", r#"{"extends": "./sub/../z.json"}"#),
        ("z.json", r#"{"extends": "x.json"}"#),
        ("sub/a.json", "{}"),
        ("self.json", r#"{"extends": ["self.json"]}"#),
    ]);
    let found = folder.load("x.json", &[]).unwrap_err();
    let chain = "x.json -> y.json -> ./sub/../z.json -> sub/../x.json";
    assert_eq!(found.len(), 1);
    assert!(
        found[0].contains("files extend each other in a cycle: x.json -> y.json -> "),
        "{chain}: {}",
        found[0]
    );
    let found = folder.load("self.json", &[]).unwrap_err();
    assert_eq!(
        found,
        ["self.json: extends[0]: files extend each other in a cycle: self.json -> self.json"]
    );
}

#[test]
fn a_long_chain_is_refused_and_a_wide_diamond_is_read_once() {
    let mut files: Vec<(String, String)> = (0..60)
        .map(|i| {
            let next = i + 1;
            let text = format!("{{\"extends\": [\"d{next}.json\", \"d{next}.json\"]}}");
            (format!("d{i}.json"), text)
        })
        .collect();
    files.push(("d60.json".to_owned(), SMALL.to_owned()));
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let folder = Folder::new(&files);
    assert!(folder.load("d40.json", &[]).is_ok());
    let found = folder.load("d0.json", &[]).unwrap_err();
    assert!(
        found[0].contains("more than 32 files extend each other"),
        "{found:?}"
    );
}

#[test]
fn a_missing_base_and_a_wrong_extends_are_refused_where_they_are_named() {
    let folder = Folder::new(&[
        ("x.json", r#"{"extends": ["../gone.json", 5, ""]}"#),
        ("y.json", r#"{"extends": null}"#),
        ("z.json", r#"{"extends": "bad.json"}"#),
        ("bad.json", "{"),
    ]);
    let found = folder.load("x.json", &[]).unwrap_err();
    assert_eq!(found.len(), 3);
    assert!(
        found[0].starts_with("x.json: extends[0]: \"../gone.json\" ("),
        "{found:?}"
    );
    assert!(found[0].contains("cannot be read: No such file"));
    assert!(found[1].starts_with("x.json: extends[1]: 5 is a number; allowed: a path"));
    assert!(found[2].starts_with("x.json: extends[2]: \"\" is a string"));
    assert!(folder.load("y.json", &[]).unwrap_err()[0].contains("extends: null is not allowed"));
    let found = folder.load("z.json", &[]).unwrap_err();
    assert!(
        found[0].starts_with("bad.json: line 1, column 1: EOF"),
        "{found:?}"
    );
}

#[test]
fn the_name_defaults_to_the_files_and_a_file_without_one_has_a_name_too() {
    let folder = Folder::new(&[("my run.v2.json", SMALL), ("b\u{7}d.json", SMALL)]);
    assert_eq!(
        folder.load("my run.v2.json", &[]).unwrap().name,
        "my run.v2"
    );
    assert_eq!(folder.load("b\u{7}d.json", &[]).unwrap().name, "scenario");
}

#[test]
fn errors_are_sorted_by_place_in_the_file_and_told_once() {
    let text = r#"{
      "workload": {"kind": "pairs", "pairs": [{"src": 0, "dst": 1, "byts": 5}]},
      "nick": {}, "fabric": {"k": 0, "levels": 4, "k": 0}, "load_balancing": {"scheme": 7}
    }"#;
    let found = errors(text, &[]);
    let paths: Vec<&str> = found
        .iter()
        .map(|line| line.split(": ").nth(1).unwrap())
        .collect();
    assert_eq!(
        paths,
        [
            "workload.pairs[0].bytes",
            "workload.pairs[0].byts",
            "nick",
            "fabric.levels",
            "fabric.k",
            "fabric.k",
            "load_balancing.scheme"
        ]
    );
    assert!(found[2].ends_with("did you mean \"nic\"?"));
}

#[test]
fn a_panic_is_not_to_be_had_from_odd_bytes() {
    let folder = Folder::new(&[]);
    let mut bytes = SMALL.as_bytes().to_vec();
    for at in 0..bytes.len() {
        for byte in [b'"', b'{', b']', b'0', b'-', b'\\', 0xff] {
            let was = std::mem::replace(&mut bytes[at], byte);
            fs::write(folder.path("x.json"), &bytes).unwrap();
            let _ = load(&folder.path("x.json"), &Overrides::default());
            bytes[at] = was;
        }
    }
}

#[test]
fn a_scenario_without_a_file_reads_like_one_in_a_file() {
    let from_file = Folder::new(&[("scenario.json", SMALL)]).load("scenario.json", &[]);
    let from_text = crate::scenario::parse(SMALL, &Overrides::default());
    let (from_file, from_text) = (from_file.expect("fine"), from_text.expect("fine"));
    assert_eq!(from_file.points[0].effective, from_text.points[0].effective);
    let errors = crate::scenario::parse("{", &Overrides::default()).expect_err("not closed");
    assert!(
        errors.to_string().starts_with("scenario: line 1"),
        "{errors}"
    );
}

#[test]
fn only_regular_files_of_a_size_that_fits_are_read() {
    let text = r#"{"fabric": {"k": 4}, "load_balancing": {"scheme": "rps"}, "workload": {"kind": "htsim_cm", "path": "m.cm"}}"#;
    let folder = Folder::new(&[
        ("x.json", text),
        ("m.cm", ""),
        ("y.json", r#"{"extends": "/dev/zero"}"#),
    ]);
    let found = folder
        .load("x.json", &["workload.path=/dev/zero"])
        .unwrap_err();
    assert!(found[0].contains("it is no regular file"), "{found:?}");
    let found = folder.load("y.json", &[]).unwrap_err();
    assert!(found[0].contains("it is no regular file"), "{found:?}");
    let file = fs::File::create(folder.path("m.cm")).unwrap();
    file.set_len(1_000_000_001).unwrap();
    let found = folder.load("x.json", &[]).unwrap_err();
    assert!(
        found[0].contains("it has 1000000001 bytes; allowed: up to 1000000000 bytes"),
        "{found:?}"
    );
}

#[test]
fn a_name_has_no_line_breaks_of_any_kind() {
    for name in ["", " ", "a\nb", "a\u{2028}b", "a\u{2029}b", "a\u{85}b"] {
        let found = super::errors(SMALL, &[&format!("name={name}")]);
        assert_eq!(found.len(), 1, "{name:?}: {found:?}");
    }
    let found = super::errors(SMALL, &["fabric.k=-0"]);
    assert!(
        found[0].contains("fabric.k: 0 is out of range"),
        "{found:?}"
    );
}
