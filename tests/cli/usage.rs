//! Help, version, list, and what is no command.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use spraysim::lb::SCHEMES;
use spraysim::scenario::keys;

use crate::support::{Folder, SMALL, column, command};

fn printed(args: &[&str]) -> String {
    let ended = Folder::new(&[]).spraysim(args).done();
    assert_eq!(ended.err, "");
    ended.out
}

#[test]
fn the_version_is_that_of_the_package() {
    let expected = format!("spraysim {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(printed(&["--version"]), expected);
}

#[test]
fn help_names_every_command_the_exit_codes_and_a_scenario_that_works() {
    let help = printed(&["--help"]);
    for word in ["run", "check", "list", "Exit codes: 0 done; 2 "] {
        assert!(help.contains(word), "{word}: {help}");
    }
    let from = help.find("  {\n").expect("an example");
    let to = from + help[from..].find("\n  }\n").expect("its end") + 5;
    let folder = Folder::new(&[("first.json", &help[from..to])]);
    folder.spraysim(&["check", "first.json"]).done();
    let run = ["run", "first.json", "--repeats", "1", "--quiet"];
    let table = folder.spraysim(&run).done().out;
    assert!(table.contains("rps") && table.contains("ofan"), "{table}");
}

#[test]
fn help_of_run_names_every_option_of_the_contract() {
    let help = printed(&["run", "--help"]);
    for option in [
        "--set <PATH=VALUE>",
        "--seed <N>",
        "--repeats <N>",
        "--threads <N>",
        "--engine <ENGINE>",
        "--out <DIR>",
        "--csv",
        "--quiet",
    ] {
        assert!(help.contains(option), "{option}: {help}");
    }
    assert!(printed(&["help", "run"]).contains("--engine <ENGINE>"));
}

/// The text without its line breaks and indents.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn list_shows_every_scheme_parameter_and_key_with_what_is_allowed() {
    let list = printed(&["list"]);
    let flat = unwrapped(&list);
    for scheme in SCHEMES {
        assert!(list.contains(&format!("\n  {:<12}  ", scheme.name)));
        for key in (scheme.keys)() {
            let default = key.default_json().expect("a parameter has a default");
            let told = format!(
                "{}: {} Allowed: {}; default: {default}.",
                key.name,
                key.about,
                key.allowed()
            );
            assert!(flat.contains(&unwrapped(&told)), "{told}");
        }
    }
    for key in keys() {
        let start = format!("{}: ", key.path);
        let lines = list
            .lines()
            .filter(|line| line.trim_start().starts_with(&start));
        assert_eq!(lines.count(), 1, "{}", key.path);
    }
    for word in [
        "congestion_control.scheme\n  none",
        "workload.kind\n  permutation",
        "  htsim_cm",
    ] {
        assert!(list.contains(word), "{word}");
    }
    assert!(flat.contains("unmarked. Needs ACKs. Has a host part."));
    assert!(flat.contains("by source route. Has a host part."));
    assert!(list.lines().all(|line| line.chars().count() <= 100));
    assert_eq!(list.matches("      port_order: ").count(), 1);
    assert!(list.contains("      and the parameters of ofan\n"));
}

#[test]
fn list_shows_one_entry_whole() {
    let pofan = printed(&["list", "pofan"]);
    assert!(pofan.starts_with("load_balancing.scheme\n  pofan  "));
    for word in ["ports_per_pipe: ", "port_order: "] {
        assert!(pofan.contains(word), "{pofan}");
    }
    assert!(printed(&["list", "pairs"]).contains("workload.pairs: "));
    let folder = Folder::new(&[]);
    let lines = folder.spraysim(&["list", "offan"]).refused();
    assert!(lines[0].contains("\"offan\""), "{lines:?}");
    assert!(lines[0].ends_with("; did you mean \"ofan\"?"), "{lines:?}");
}

#[test]
fn numbers_out_of_range_are_refused_with_value_and_range() {
    let folder = Folder::of(SMALL);
    for (option, value, range) in [
        ("--threads", "0", "1 to 1024"),
        ("--threads", "-3", "1 to 1024"),
        ("--seed", "-1", "0 to 18446744073709551615"),
        ("--seed", "1e3", "0 to 18446744073709551615"),
        ("--repeats", "0", "1 to 1000000"),
        ("--repeats", "99999999999999999999", "1 to 1000000"),
    ] {
        let lines = folder.spraysim(&["run", "x.json", option, value]).refused();
        let told = format!("'{value}' for '{option} <N>': allowed: a whole number from {range}");
        assert!(lines[0].ends_with(&told), "{lines:?}");
    }
}

#[test]
fn seed_and_repeats_win_over_set() {
    let folder = Folder::of(SMALL);
    let args = "run x.json -q --csv --seed 7 --repeats 1 --set seed=3 --set repeats=4";
    let args: Vec<&str> = args.split(' ').collect();
    let summary = folder.spraysim(&args).done().out;
    assert_eq!(column(&summary, "seed"), ["7"]);
}

#[test]
fn bad_usage_ends_with_2_and_says_so_on_stderr_alone() {
    let folder = Folder::of(SMALL);
    for args in [
        &[][..],
        &["fly"],
        &["run"],
        &["check"],
        &["run", "x.json", "--threads", "0"],
        &["run", "x.json", "--threads", "-1"],
        &["run", "x.json", "--repeats", "0"],
        &["run", "x.json", "--seed", "-1"],
        &["run", "x.json", "--seed", "one"],
        &["run", "x.json", "--engine", "heaps"],
        &["run", "x.json", "--no-such-option"],
        &["run", "x.json", "y.json"],
        &["run", "x.json", "--out"],
        &["list", "x.json"],
        &["list", "ofan", "drb"],
    ] {
        let lines = folder.spraysim(args).refused();
        assert!(!lines.is_empty(), "{args:?} is refused without a word");
    }
    assert_eq!(folder.entries("."), ["x.json"]);
}

#[test]
fn a_misspelt_command_or_engine_is_answered_with_the_nearest_or_all() {
    let folder = Folder::of(SMALL);
    let lines = folder.spraysim(&["chek", "x.json"]).refused().join("\n");
    assert!(lines.contains("'check'"), "{lines}");
    let args = ["run", "x.json", "--engine", "heaps"];
    let lines = folder.spraysim(&args).refused().join("\n");
    assert!(
        lines.contains("windowed") && lines.contains("heap"),
        "{lines}"
    );
}

#[test]
fn a_reader_that_leaves_is_no_error_and_not_worth_a_word() {
    let folder = Folder::of(SMALL);
    for args in [
        &["list"][..],
        &["check", "x.json"],
        &["run", "x.json", "--csv", "--quiet", "--repeats", "300"],
        &["run", "x.json", "--quiet"],
        &["--help"],
    ] {
        let mut child = command()
            .current_dir(folder.path("."))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut first = String::new();
        let mut out = BufReader::with_capacity(1, child.stdout.take().expect("piped"));
        if args.contains(&"--csv") {
            out.read_line(&mut first).expect("a header");
            assert!(first.starts_with("scenario,"), "{first}");
        }
        drop(out);
        let ended = child.wait_with_output().expect("it ends");
        assert_eq!(ended.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&ended.stderr), "", "{args:?}");
    }
}

#[test]
fn the_output_folder_is_filled_even_if_the_reader_of_stdout_leaves() {
    let folder = Folder::of(SMALL);
    let mut child = command()
        .current_dir(folder.path("."))
        .args([
            "run",
            "x.json",
            "--csv",
            "--quiet",
            "--repeats",
            "40",
            "--out",
            "out",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    let summary = &folder.outputs("out")[4].1;
    assert_eq!(summary.lines().count(), 41);
}
