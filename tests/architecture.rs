//! Who may use whom, how long files and functions get, and what code may not do. Every gate is also seen to fail here.

#[path = "architecture/gates.rs"]
mod gates;
#[path = "architecture/source.rs"]
mod source;

use gates::{LINES, ROOMS, SIDEWAYS};
use source::Source;

/// Files of `src` that are no test code.
fn product() -> Vec<Source> {
    let sources = source::all().into_iter().filter(|file| !file.is_test);
    sources.collect()
}

/// No file has a finding.
fn assert_clean(sources: &[Source], gate: impl Fn(&Source) -> Vec<String>) {
    let wrong: Vec<String> = sources.iter().flat_map(gate).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What `gate` finds in this code of `path`.
fn found(gate: impl Fn(&Source) -> Vec<String>, path: &str, text: &str) -> Vec<String> {
    gate(&Source::new(path, text))
}

#[test]
fn arrows_go_down_the_rooms() {
    assert_clean(&product(), gates::arrows);
}

#[test]
fn no_file_reaches_out_of_its_room_by_super() {
    assert_clean(&product(), gates::escapes);
}

#[test]
fn arrows_inside_a_level_make_no_cycle_and_all_are_needed() {
    assert_eq!(gates::cycles(SIDEWAYS), [""; 0]);
    let sources = product();
    for (from, to) in SIDEWAYS {
        let mut room = sources.iter().filter(|file| file.room() == *from);
        let is_used = room.any(|file| {
            let mut targets = gates::imports(file).into_iter();
            targets.any(|(_, target)| target == *to)
        });
        assert!(
            is_used,
            "{from} does not use {to}: take the permission back"
        );
    }
}

#[test]
fn every_module_has_a_room() {
    let sources = source::all();
    let lib = sources.iter().find(|file| file.path == "lib.rs");
    let lib = &lib.expect("there is a library").code;
    let modules: Vec<&str> = lib
        .split("mod ")
        .skip(1)
        .filter_map(|rest| rest.split(';').next())
        .collect();
    assert!(modules.len() > 10, "{modules:?}");
    for module in modules {
        assert!(ROOMS.iter().any(|(room, _)| *room == module), "{module}");
    }
}

#[test]
fn files_have_headers_and_are_short() {
    let sources = source::all();
    for source in &sources {
        let lines = source.text.lines().count();
        if lines > LINES.1 {
            println!("warning: src/{}: {lines} lines; split it", source.path);
        }
    }
    assert_clean(&sources, gates::length);
    assert_clean(&source::below("tests"), gates::length);
    assert_clean(&product(), gates::header);
}

#[test]
fn functions_are_short() {
    assert_clean(&product(), gates::long_functions);
    assert_clean(&source::below("tests"), gates::long_functions);
}

#[test]
fn code_keeps_clear_of_what_makes_results_differ() {
    assert_clean(&product(), gates::banned);
}

#[test]
fn every_scheme_has_its_file() {
    let sources = product();
    for scheme in spraysim::lb::SCHEMES {
        let name = scheme.name;
        let paths = ["switch", "host"].map(|part| format!("lb/{part}/{name}.rs"));
        assert!(
            sources.iter().any(|file| paths.contains(&file.path)),
            "{name}"
        );
    }
}

#[test]
fn the_tests_among_the_files_are_known() {
    let sources = source::all();
    let is_test = |path: &str| {
        let file = sources.iter().find(|file| file.path == path);
        file.unwrap_or_else(|| panic!("no src/{path}")).is_test
    };
    assert!(is_test("scenario/tests/rules.rs"));
    assert!(is_test("report/testing.rs"));
    assert!(is_test("topology/fat_tree_tests.rs"));
    assert!(!is_test("scenario/whole.rs"));
    assert!(!is_test("lb/mod.rs"));
}

#[test]
fn an_arrow_up_is_found() {
    for (path, code) in [
        ("lb/switch/new.rs", "use crate::engine::Context;"),
        ("lb/host/new.rs", "use crate::probe::Tally;"),
        ("host/nic.rs", "fn f(s: &crate::scenario::Scenario) {}"),
        ("report/x.rs", "use crate::experiment::Runs;"),
        ("experiment/x.rs", "use crate::report::Output;"),
        ("theory/x.rs", "use crate::{units::{Span, Time}, sim};"),
        (
            "theory/x.rs",
            "use crate::{\n    units::Span,\n    cli,\n};",
        ),
        ("units.rs", "pub use crate::rng;"),
        ("nowhere.rs", ""),
        ("sim/x.rs", "use crate::nowhere::X;"),
    ] {
        let wrong = found(gates::arrows, path, code);
        assert_eq!(wrong.len(), 1, "{path}: {code}: {wrong:?}");
    }
}

#[test]
fn an_arrow_down_is_none_nor_is_one_in_tests_or_texts() {
    for code in [
        "use crate::units::Span;",
        "use crate::theory::testing;",
        "use crate::{units::{Span, Time}, rng::Rng};",
        "// use crate::cli;\n/* crate::cli */ const A: &str = \"crate::cli\";",
        "const A: &str = r#\"a \" crate::cli\"#; const B: char = '\"'; const C: &str = \"\\\"crate::cli\";",
        "#[cfg(test)]\nmod tests {\n    use crate::cli;\n    fn f() { g() }\n}",
        "#[cfg(test)]\nuse crate::cli;",
        "fn f<'a>(x: &'a str, y: &'a str) -> char { '\\'' }",
    ] {
        let wrong = found(gates::arrows, "theory/x.rs", code);
        assert_eq!(wrong, [""; 0], "{code}");
    }
    let code = "#[cfg(test)]\nmod tests { }\nuse crate::cli;";
    let wrong = found(gates::arrows, "theory/x.rs", code);
    assert_eq!(
        wrong,
        ["src/theory/x.rs:3: theory (level 3) may not use cli (level 6)"]
    );
}

#[test]
fn a_way_out_by_super_is_found() {
    let out = "use super::super::cli;";
    assert_eq!(
        found(gates::escapes, "lb/mod.rs", "use super::cli;").len(),
        1
    );
    assert_eq!(found(gates::escapes, "link.rs", "use super::cli;").len(), 1);
    assert_eq!(found(gates::escapes, "lb/host/mod.rs", out).len(), 1);
    assert_eq!(found(gates::escapes, "lb/host/rps.rs", out), [""; 0]);
    assert_eq!(found(gates::escapes, "lb/rps.rs", "use super::x;"), [""; 0]);
}

#[test]
fn a_cycle_inside_a_level_is_found() {
    let cycle = [("a", "b"), ("b", "c"), ("c", "a")];
    assert_eq!(gates::cycles(&cycle).len(), 3);
    assert_eq!(gates::cycles(&cycle[..2]), [""; 0]);
}

#[test]
fn a_long_file_and_one_without_header_are_found() {
    let header = "//! x\n";
    let lines = |n: usize| format!("{header}{}", "\n".repeat(n - 1));
    assert_eq!(found(gates::length, "link.rs", &lines(600)), [""; 0]);
    assert_eq!(found(gates::length, "link.rs", &lines(601)).len(), 1);
    assert_eq!(found(gates::length, "main.rs", &lines(61)).len(), 1);
    assert_eq!(found(gates::header, "link.rs", header), [""; 0]);
    assert_eq!(found(gates::header, "link.rs", "fn f() {}\n").len(), 1);
}

#[test]
fn a_long_function_is_found() {
    let function = |lines: usize| {
        format!(
            "fn f(x: [u8; 3]) {{\n{}}}\n",
            "    g();\n".repeat(lines - 2)
        )
    };
    assert_eq!(
        found(gates::long_functions, "link.rs", &function(60)),
        [""; 0]
    );
    let wrong = found(gates::long_functions, "link.rs", &function(61));
    assert_eq!(wrong, ["src/link.rs:1: f has 61 lines, over 60"]);
}

#[test]
fn a_banned_word_is_found() {
    for (path, code) in [
        ("port/fifo.rs", "fn f() { x.unwrap(); }"),
        ("workload/mod.rs", "use std::collections::HashMap;"),
        ("workload/mod.rs", "use std::time::Instant;"),
        ("report/mod.rs", "use std::time::SystemTime;"),
        ("workload/sizes.rs", "let y = x.powf(2.0);"),
        ("workload/sizes.rs", "let y = (-x).exp() + x.ln();"),
        ("port/fifo.rs", "unsafe { }"),
    ] {
        let wrong = found(gates::banned, path, code);
        assert!(!wrong.is_empty(), "{path}: {code}");
    }
    let timing = "use std::time::Instant;";
    assert_eq!(found(gates::banned, "sim/run.rs", timing), [""; 0]);
    let test = "#[cfg(test)]\nmod tests { fn f() { x.unwrap() } }";
    assert_eq!(found(gates::banned, "port/fifo.rs", test), [""; 0]);
}
