//! Tests of the cursor: what is accepted, what is refused and in which words, what is recorded.

use super::*;
use crate::json::parse;
use crate::units::Ratio;

fn read<T>(text: &str, read: impl FnOnce(&mut Fields<'_>) -> T) -> (T, Vec<String>, String) {
    let json = parse(text, Origin(0)).expect("the test's JSON parses");
    let mut problems = Vec::new();
    let mut fields = Fields::new(&json, "a", &mut problems);
    let result = read(&mut fields);
    let effective = fields.finish().to_compact();
    let problems = problems
        .into_iter()
        .map(|problem| format!("{}: {}", problem.path, problem.text))
        .collect();
    (result, problems, effective)
}

fn refusals<T>(text: &str, one: impl FnOnce(&mut Fields<'_>) -> T) -> Vec<String> {
    read(text, one).1
}

#[test]
fn an_integer_is_refused_with_its_value_and_what_is_allowed() {
    for (text, problem) in [
        (
            "-5",
            "a.n: -5 is negative; allowed: an integer from 1 to 1000",
        ),
        (
            "0",
            "a.n: 0 is out of range; allowed: an integer from 1 to 1000",
        ),
        (
            "1.5",
            "a.n: 1.5 is finer than an integer; allowed: an integer from 1 to 1000",
        ),
        (
            "1e300",
            "a.n: 1e300 is out of range; allowed: an integer from 1 to 1000",
        ),
        (
            "\"x\"",
            "a.n: \"x\" is a string; allowed: an integer from 1 to 1000",
        ),
        (
            "null",
            "a.n: null is not allowed; allowed: an integer from 1 to 1000",
        ),
        (
            "true",
            "a.n: true is a boolean; allowed: an integer from 1 to 1000",
        ),
        (
            "[1]",
            "a.n: [1] is a list; allowed: an integer from 1 to 1000",
        ),
        (
            "{}",
            "a.n: {} is an object; allowed: an integer from 1 to 1000",
        ),
    ] {
        let found = refusals(&format!("{{\"n\": {text}}}"), |f| {
            f.integer("n", None, 1..=1000)
        });
        assert_eq!(found, [problem]);
    }
    let found = refusals("{}", |f| f.integer("n", None, 1..=1000));
    let missing = "a.n: missing, and has no default; allowed: an integer from 1 to 1000";
    assert_eq!(found, [missing]);
}

#[test]
fn a_whole_number_with_an_exponent_is_an_integer_and_recorded_as_one() {
    let (value, problems, effective) = read("{\"n\": 1e6}", |f| f.integer("n", None, 0..=u64::MAX));
    assert_eq!((value, problems.len()), (1_000_000, 0));
    assert_eq!(effective, "{\"n\": 1000000}");
}

#[test]
fn null_is_a_value_where_it_is_allowed() {
    let (value, problems, _) = read("{\"n\": null}", |f| f.nullable_integer("n", Some(3), 1..=9));
    assert_eq!((value, problems.len()), (None, 0));
    let (value, _, effective) = read("{}", |f| f.nullable_integer("n", Some(3), 1..=9));
    assert_eq!((value, effective.as_str()), (Some(3), "{\"n\": 3}"));
    let found = refusals("{\"n\": 0}", |f| f.nullable_integer("n", None, 1..=9));
    assert_eq!(
        found,
        ["a.n: 0 is out of range; allowed: null, or an integer from 1 to 9"]
    );
}

#[test]
fn an_unknown_word_is_refused_with_all_words_and_the_nearest() {
    let options = [("ecmp", 1), ("rps", 2), ("ofan", 3)];
    let found = refusals("{\"scheme\": \"offan\"}", |f| {
        f.choice("scheme", None, &options)
    });
    assert_eq!(
        found,
        ["a.scheme: unknown scheme \"offan\"; allowed: ecmp, rps, ofan; did you mean \"ofan\"?"]
    );
    let found = refusals("{\"scheme\": 3}", |f| f.choice("scheme", None, &options));
    assert_eq!(found, ["a.scheme: 3 is a number; allowed: ecmp, rps, ofan"]);
    let (value, problems, _) = read("{}", |f| f.choice("scheme", Some("rps"), &options));
    assert_eq!((value, problems.len()), (2, 0));
}

#[test]
fn nanoseconds_go_down_to_a_picosecond_and_no_further() {
    let span =
        |f: &mut Fields<'_>| f.span_ns("t", Some(Span::from_ns(500)), Span(0)..=Span(10_000_000));
    assert_eq!(read("{\"t\": 0.5}", span).0, Span(500));
    let (value, _, effective) = read("{}", span);
    assert_eq!((value, effective.as_str()), (Span(500_000), "{\"t\": 500}"));
    assert_eq!(
        refusals("{\"t\": 0.0001}", span),
        [
            "a.t: 0.0001 is finer than a whole picosecond; allowed: nanoseconds from 0 to 10000, down to a whole picosecond"
        ]
    );
    assert_eq!(
        refusals("{\"t\": 10000.001}", span),
        [
            "a.t: 10000.001 is out of range; allowed: nanoseconds from 0 to 10000, down to a whole picosecond"
        ]
    );
}

#[test]
fn a_fraction_is_exact_and_never_zero_or_above_one() {
    let fraction = |f: &mut Fields<'_>| f.fraction("load", Some(Ratio::ONE));
    let (value, _, effective) = read("{\"load\": 0.9}", fraction);
    assert_eq!(value, Ratio { num: 9, den: 10 });
    assert_eq!(effective, "{\"load\": 0.9}");
    assert_eq!(read("{}", fraction).2, "{\"load\": 1}");
    for text in ["0", "1.5", "-0.5", "\"x\"", "null", "1e-16"] {
        let found = refusals(&format!("{{\"load\": {text}}}"), fraction);
        assert_eq!(found.len(), 1, "{text}");
        assert!(found[0].ends_with("allowed: a number above 0 and up to 1"));
    }
}

#[test]
fn every_wrong_element_of_a_list_is_named() {
    let list = |f: &mut Fields<'_>| f.integers("l", &[5, 10], 1..=100);
    assert_eq!(read("{}", list).0, [5, 10]);
    assert_eq!(read("{\"l\": []}", list).0, [0; 0]);
    assert_eq!(
        refusals("{\"l\": [1, \"x\", 200]}", list),
        [
            "a.l[1]: \"x\" is a string; allowed: an integer from 1 to 100",
            "a.l[2]: 200 is out of range; allowed: an integer from 1 to 100"
        ]
    );
    assert_eq!(
        refusals("{\"l\": 5}", list),
        ["a.l: 5 is a number; allowed: a list of integers from 1 to 100"]
    );
}

#[test]
fn another_shape_is_refused_in_the_readers_own_words() {
    let default = Json::text("x", Origin(0));
    let custom = |f: &mut Fields<'_>| {
        f.custom("c", default.clone(), "\"x\" or true", |json| {
            matches!(json.value, Value::Bool(true) | Value::Text(_)).then_some(7)
        })
    };
    assert_eq!(read("{}", custom).2, "{\"c\": \"x\"}");
    let (value, problems, _) = read("{\"c\": 5}", custom);
    assert_eq!(value, 7);
    assert_eq!(problems, ["a.c: 5 is not allowed; allowed: \"x\" or true"]);
}

#[test]
fn unknown_and_duplicate_keys_are_reported_when_all_is_read() {
    let found = refusals("{\"gian\": 1, \"gain\": 2, \"gain\": 3}", |f| {
        f.integer("gain", None, 0..=9)
    });
    assert_eq!(
        found,
        [
            "a.gian: unknown key \"gian\"; allowed: gain; did you mean \"gain\"?",
            "a.gain: stands twice in its object; allowed: once"
        ]
    );
}

#[test]
fn what_is_no_object_is_one_problem_and_reads_as_defaults() {
    let (value, problems, _) = read("5", |f| f.integer("n", None, 4..=9));
    assert_eq!(value, 4);
    assert_eq!(problems, ["a: 5 is a number; allowed: an object"]);
}

#[test]
fn sections_are_read_with_their_own_paths_and_recorded() {
    let (_, problems, effective) = read(
        "{\"s\": {\"n\": 1}, \"l\": [{\"n\": 2}, {\"n\": -1}]}",
        |f| {
            f.section("s", |s| s.integer("n", None, 0..=9));
            f.section("t", |s| s.integer("n", Some(4), 0..=9));
            f.sections("l", "objects", |_, s| s.integer("n", None, 0..=9))
        },
    );
    assert_eq!(
        problems,
        ["a.l[1].n: -1 is negative; allowed: an integer from 0 to 9"]
    );
    assert_eq!(
        effective,
        "{\"s\": {\"n\": 1}, \"t\": {\"n\": 4}, \"l\": [{\"n\": 2}, {}]}"
    );
}

#[test]
fn keys_of_another_kind_are_refused_by_name() {
    let found = refusals("{\"x\": 1}", |f| {
        f.foreign("x", "belongs to kind \"other\"");
        f.foreign("y", "never seen");
    });
    assert_eq!(found, ["a.x: belongs to kind \"other\""]);
}
