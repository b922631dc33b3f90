//! Tests of the cursor: what is accepted, what is refused and in which words, what is recorded.

use super::*;
use crate::json::parse;
use crate::units::{Ratio, Span};

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
            f.take(Key::new("n", integer::<u64>(1..=1000), None))
        });
        assert_eq!(found, [problem]);
    }
    let found = refusals("{}", |f| {
        f.take(Key::new("n", integer::<u64>(1..=1000), None))
    });
    let missing = "a.n: missing, and has no default; allowed: an integer from 1 to 1000";
    assert_eq!(found, [missing]);
}

#[test]
fn a_whole_number_with_an_exponent_is_an_integer_and_recorded_as_one() {
    let (value, problems, effective) = read("{\"n\": 1e6}", |f| {
        f.take(Key::new("n", integer::<u64>(0..=u64::MAX), None))
    });
    assert_eq!((value, problems.len()), (1_000_000, 0));
    assert_eq!(effective, "{\"n\": 1000000}");
}

#[test]
fn null_is_a_value_where_it_is_allowed() {
    let (value, problems, _) = read("{\"n\": null}", |f| {
        f.take(Key::new(
            "n",
            nullable(integer::<u64>(1..=9)),
            Some(Some(3)),
        ))
    });
    assert_eq!((value, problems.len()), (None, 0));
    let (value, _, effective) = read("{}", |f| {
        f.take(Key::new(
            "n",
            nullable(integer::<u64>(1..=9)),
            Some(Some(3)),
        ))
    });
    assert_eq!((value, effective.as_str()), (Some(3), "{\"n\": 3}"));
    let found = refusals("{\"n\": 0}", |f| {
        f.take(Key::new("n", nullable(integer::<u64>(1..=9)), Some(None)))
    });
    assert_eq!(
        found,
        ["a.n: 0 is out of range; allowed: null, or an integer from 1 to 9"]
    );
}

#[test]
fn an_unknown_word_is_refused_with_all_words_and_the_nearest() {
    const OPTIONS: &[(&str, u8)] = &[("ecmp", 1), ("rps", 2), ("ofan", 3)];
    let found = refusals("{\"scheme\": \"offan\"}", |f| {
        f.take(Key::new("scheme", choice_of(OPTIONS), None))
    });
    assert_eq!(
        found,
        ["a.scheme: unknown scheme \"offan\"; allowed: ecmp, rps, ofan; did you mean \"ofan\"?"]
    );
    let found = refusals("{\"scheme\": 3}", |f| {
        f.take(Key::new("scheme", choice_of(OPTIONS), None))
    });
    assert_eq!(found, ["a.scheme: 3 is a number; allowed: ecmp, rps, ofan"]);
    let (value, problems, _) = read("{}", |f| {
        f.take(Key::new("scheme", choice_of(OPTIONS), Some(2)))
    });
    assert_eq!((value, problems.len()), (2, 0));
}

#[test]
fn nanoseconds_go_down_to_a_picosecond_and_no_further() {
    let span = |f: &mut Fields<'_>| {
        let shape = nanoseconds(0..=10_000_000);
        f.take(Key::new("t", shape, Some(Span::from_ns(500))))
    };
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
    let fraction = |f: &mut Fields<'_>| f.take(Key::new("load", positive(1), Some(Ratio::ONE)));
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
    let list = |f: &mut Fields<'_>| {
        f.take(Key::new(
            "l",
            list(integer::<u64>(1..=100)),
            Some(vec![5, 10]),
        ))
    };
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
fn a_value_of_several_shapes_is_refused_with_all_of_them() {
    let either = |f: &mut Fields<'_>| {
        f.take(Key::new(
            "c",
            word_or("x", increasing(1..=9, 2)),
            Some(None),
        ))
    };
    assert_eq!(read("{}", either).2, "{\"c\": \"x\"}");
    let (value, problems, _) = read("{\"c\": 5}", either);
    assert_eq!(value, None);
    assert_eq!(
        problems,
        [
            "a.c: 5 is not allowed; allowed: \"x\", or a strictly increasing list of at most 2 integers from 1 to 9"
        ]
    );
    for (text, fits) in [
        ("[1, 9]", true),
        ("[]", true),
        ("[1, 10]", false),
        ("[2, 2]", false),
        ("[1, 2, 3]", false),
    ] {
        let found = refusals(&format!("{{\"c\": {text}}}"), either);
        assert_eq!(found.is_empty(), fits, "{text}");
    }
}

#[test]
fn unknown_and_duplicate_keys_are_reported_when_all_is_read() {
    let found = refusals("{\"gian\": 1, \"gain\": 2, \"gain\": 3}", |f| {
        f.take(Key::new("gain", integer::<u64>(0..=9), None))
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
    let (value, problems, _) = read("5", |f| f.take(Key::new("n", integer::<u64>(4..=9), None)));
    assert_eq!(value, 4);
    assert_eq!(problems, ["a: 5 is a number; allowed: an object"]);
}

keys! {
    /// An element of a list.
    #[derive(Clone, Debug)]
    struct Element {
        /// A number.
        n: u64 = key("n", integer(0..=9)),
    }
}

#[test]
fn sections_are_read_with_their_own_paths_and_recorded() {
    let (_, problems, effective) = read(
        "{\"s\": {\"n\": 1}, \"l\": [{\"n\": 2}, {\"n\": -1}]}",
        |f| {
            f.section("s", |s| s.take(Key::new("n", integer::<u64>(0..=9), None)));
            f.section("t", |s| {
                s.take(Key::new("n", integer::<u64>(0..=9), Some(4)))
            });
            f.take(Key::new("l", list(object::<Element>()), None))
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

#[test]
fn lists_must_increase_within_their_range() {
    let list = |f: &mut Fields<'_>| f.take(Key::new("l", increasing(1..=9, 2), None));
    for (text, value) in [("[]", vec![]), ("[1, 9]", vec![1, 9])] {
        let (read, problems, _) = read(&format!("{{\"l\": {text}}}"), list);
        assert_eq!((read, problems.len()), (value, 0));
    }
    for text in ["[1, 10]", "[2, 2]", "[1, 2, 3]", "[1.0]", "1", "null"] {
        let found = refusals(&format!("{{\"l\": {text}}}"), list);
        let told = format!(
            "a.l: {text} is not allowed; allowed: a strictly increasing list of at most 2 integers from 1 to 9"
        );
        assert_eq!(found, [told]);
    }
}

#[test]
fn a_wrong_word_in_place_of_a_number_is_told_with_the_right_one() {
    let shape = || word_or("bdp", integer::<u32>(0..=9));
    let packets = |f: &mut Fields<'_>| f.take(Key::new("n", shape(), None));
    assert_eq!(read("{\"n\": \"bdp\"}", packets).0, None);
    assert_eq!(read("{\"n\": 9}", packets).0, Some(9));
    assert_eq!(
        refusals("{\"n\": \"bpd\"}", packets),
        [
            "a.n: unknown n \"bpd\"; allowed: \"bdp\", or an integer from 0 to 9; did you mean \"bdp\"?"
        ]
    );
}
