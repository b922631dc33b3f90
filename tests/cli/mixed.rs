//! Mixed fabrics: what `check` says of them, how their rows are told apart, what is refused, and that only switches change.

use spraysim::lb::SCHEMES;

use crate::support::{Folder, columns};

/// A scenario on a tree of k = 4 with this base and these overrides.
fn mixed(base: &str, overrides: &str) -> String {
    format!(
        r#"{{"repeats": 2, "fabric": {{"k": 4}}, "load_balancing": {{"scheme": "{base}", "override": {overrides}}},
            "workload": {{"kind": "permutation", "message_bytes": 100000}}}}"#
    )
}

/// One override.
fn one(place: &str, scheme: &str) -> String {
    format!(r#"[{{"where": {place}, "scheme": {{"scheme": "{scheme}"}}}}]"#)
}

const ALL: &str = r#""random_switches", "fraction": 1"#;
const HALF: &str = r#""random_pods", "fraction": 0.5"#;

/// The summary as CSV.
fn csv(text: &str) -> String {
    let args = ["run", "x.json", "--csv", "--quiet"];
    Folder::of(text).spraysim(&args).done().out
}

/// The summary without its label of the scheme.
fn numbers(text: &str) -> Vec<String> {
    let rows = csv(text);
    let without = |row: &str| {
        let mut cells: Vec<&str> = row.split(',').collect();
        cells.remove(1);
        cells.join(",")
    };
    rows.lines().map(without).collect()
}

#[test]
fn switches_that_all_run_another_scheme_make_a_fabric_of_that_scheme() {
    for name in SCHEMES
        .iter()
        .filter(|row| row.is_of_switches())
        .map(|row| row.name)
    {
        let pure = numbers(&mixed(name, "[]"));
        // What hosts write is read by switches that hash, of which there are none here.
        for base in SCHEMES
            .iter()
            .filter(|row| !row.usual().is_source_routed())
            .map(|row| row.name)
        {
            assert_eq!(
                numbers(&mixed(base, &one(ALL, name))),
                pure,
                "{name} on {base}"
            );
        }
        let both = r#"[{"where": "edge", "scheme": {"scheme": "SCHEME"}}, {"where": "aggregation", "scheme": {"scheme": "SCHEME"}}]"#;
        assert_eq!(
            numbers(&mixed("rsq", &both.replace("SCHEME", name))),
            pure,
            "{name}"
        );
    }
}

#[test]
fn an_override_by_the_same_scheme_changes_nothing_and_one_by_another_does() {
    let pure = numbers(&mixed("ar", "[]"));
    assert_eq!(numbers(&mixed("ar", &one(HALF, "ar"))), pure);
    assert_ne!(numbers(&mixed("ar", &one(HALF, "pofan"))), pure);
}

#[test]
fn check_counts_the_switches_of_each_level_by_scheme() {
    let check = |overrides: &str, sets: &[&str]| {
        let args = [&["check", "x.json"], sets].concat();
        let folder = Folder::of(&mixed("ar", overrides));
        let text = folder.spraysim(&args).done().out;
        let mut lines = text.lines();
        let line = lines.find_map(|line| line.strip_prefix("  mixed fabric    "));
        line.map(str::to_owned)
    };
    assert_eq!(check("[]", &[]), None);
    assert_eq!(
        check(&one("\"edge\"", "pofan"), &[]).as_deref(),
        Some("edge: 8 pofan; aggregation: 8 ar (seed 1)")
    );
    assert_eq!(
        check(&one(HALF, "pofan"), &["--seed", "7"]).as_deref(),
        Some("edge: 4 ar, 4 pofan; aggregation: 4 ar, 4 pofan (seed 7)")
    );
    let listed = one("[\"e0\", \"a1\", \"a2\"]", "jsq");
    assert_eq!(
        check(&listed, &[]).as_deref(),
        Some("edge: 7 ar, 1 jsq; aggregation: 6 ar, 2 jsq (seed 1)")
    );
    assert_eq!(
        check(&one("[\"e0\"]", "jsq"), &["--set", "fabric.levels=2"]).as_deref(),
        Some("edge: 3 ar, 1 jsq (seed 1)")
    );
}

#[test]
fn the_rows_of_swept_overrides_are_told_apart_by_label_and_as_written() {
    let text = mixed("ar", "[]").replacen(
        '{',
        r#"{"sweep": {"load_balancing.override": [[], [{"where": "edge", "scheme": {"scheme": "pofan", "ports_per_pipe": 1}}],
            [{"where": "edge", "scheme": {"scheme": "pofan"}}]]}, "#,
        1,
    );
    let rows = csv(&text);
    let rows = columns(&rows, &["scheme", "load_balancing.override"]);
    let expected = [
        ["ar", "[]"],
        [
            "ar+pofan@edge",
            r#"[{"where":"edge","scheme":{"scheme":"pofan","ports_per_pipe":1}}]"#,
        ],
        [
            "ar+pofan@edge",
            r#"[{"where":"edge","scheme":{"scheme":"pofan"}}]"#,
        ],
    ];
    assert_eq!(rows, expected.map(|row| [row, row]).concat());
}

#[test]
fn the_printed_table_labels_a_mixed_fabric_even_if_its_scheme_is_swept() {
    let folder = Folder::of(&mixed("ar", &one("\"edge\"", "ofan")));
    let table = |sets: &[&str]| {
        let args = [&["run", "x.json", "--quiet"], sets].concat();
        folder.spraysim(&args).done().out
    };
    assert!(table(&[]).contains("\nar+ofan@edge "));
    let swept = table(&[
        "--set",
        r#"sweep={"load_balancing.scheme": ["rps", "jsq"]}"#,
    ]);
    assert!(
        swept.contains("\nrps+ofan@edge ") && swept.contains("\njsq+ofan@edge "),
        "{swept}"
    );
}

/// `where` (and `fraction`) and the scheme of an override, and how its error goes on behind the path of its entry.
const WRONG: [(&str, &str, &str); 14] = [
    (
        "\"edge\"",
        "reps",
        ".scheme.scheme: \"reps\" has a host part",
    ),
    ("\"edge\"", "drb", ".scheme.scheme: \"drb\" has a host part"),
    (
        "\"edge\"",
        "offan",
        ".scheme.scheme: unknown scheme \"offan\"",
    ),
    ("\"core\"", "ofan", ".where: unknown where \"core\""),
    ("[\"c1\"]", "ofan", ".where[0]: \"c1\" is a core switch"),
    (
        "[\"e8\"]",
        "ofan",
        ".where[0]: switch e8 does not exist; this fabric has",
    ),
    ("[\"e1\", \"e1\"]", "ofan", ".where[1]: \"e1\" stands twice"),
    ("[]", "ofan", ".where: the list is empty"),
    ("7", "ofan", ".where: 7 is a number"),
    ("null", "ofan", ".where: null is not allowed"),
    (
        "\"random_pods\"",
        "ofan",
        ".fraction: missing, and has no default",
    ),
    (
        "\"random_pods\", \"fraction\": 2",
        "ofan",
        ".fraction: 2 is out of range",
    ),
    (
        "\"random_pods\", \"fraction\": 0.1",
        "ofan",
        ".fraction: 0.1 of 4 pods is none",
    ),
    (
        "\"edge\", \"fraction\": 1",
        "ofan",
        ".fraction: belongs to where \"random_switches\" and",
    ),
];

fn refused(base: &str, overrides: &str) -> Vec<String> {
    let folder = Folder::of(&mixed(base, overrides));
    folder.spraysim(&["check", "x.json"]).refused()
}

#[test]
fn everything_wrong_with_overrides_is_told_at_once_with_what_is_allowed() {
    let all = WRONG.map(|(place, scheme, _)| one(place, scheme));
    let all = all.map(|list| list[1..list.len() - 1].to_owned());
    let lines = refused("ar", &format!("[{}]", all.join(", ")));
    assert_eq!(lines.len(), WRONG.len(), "{lines:#?}");
    for (number, (line, (.., error))) in lines.iter().zip(WRONG).enumerate() {
        let start = format!("error: x.json: load_balancing.override[{number}]{error}");
        assert!(line.starts_with(&start), "{start}\n{line}");
        assert!(line.contains("; allowed: ") || line.contains("; this fabric has"));
    }
}

#[test]
fn what_is_no_list_of_overrides_or_has_no_base_for_them_is_refused() {
    let edge = one("\"edge\"", "ofan");
    let twice = format!("[{0}, {0}]", &edge[1..edge.len() - 1]);
    for (base, overrides, error) in [
        (
            "drb",
            &*edge,
            ": scheme \"drb\" routes every packet from its source",
        ),
        (
            "ethereal",
            &edge,
            ": scheme \"ethereal\" routes every packet",
        ),
        (
            "ar",
            "[{}]",
            "[0].where: missing, and has no default; allowed: ",
        ),
        ("ar", "[7]", "[0]: 7 is a number; allowed: an object"),
        ("ar", "{}", ": {} is an object; allowed: a list of objects"),
        (
            "ar",
            "null",
            ": null is not allowed; allowed: a list of objects",
        ),
        (
            "ar",
            &twice,
            "[0].where: every switch that it selects is taken by a later override",
        ),
    ] {
        let lines = refused(base, overrides);
        let start = format!("error: x.json: load_balancing.override{error}");
        assert!(lines[0].starts_with(&start), "{start}\n{lines:#?}");
    }
}
