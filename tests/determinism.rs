//! Same scenario, seed and version: the same bytes in all five files, whatever `--threads` and `--engine`, and whatever ran before.
//!
//! Small random scenarios, several for every scheme, through the command itself; and runs side by side in one process.

#[path = "determinism/queues.rs"]
mod queues;
#[path = "determinism/scenarios.rs"]
mod scenarios;
#[path = "determinism/topologies.rs"]
mod topologies;
#[path = "determinism/windows.rs"]
mod windows;

use std::fs;
use std::path::Path;
use std::process::Command;

use scenarios::scenario;
use serde_json::{Value, json};
use spraysim::engine::Progress;
use spraysim::lb::SCHEMES;
use spraysim::scenario::{Overrides, Plan, load};
use spraysim::sim::{Engine, RunOptions, run};
use topologies::write_all;

const FILES: [&str; 5] = [
    "summary.csv",
    "flows.csv",
    "queues.csv",
    "links.csv",
    "scenario.json",
];

/// Scenarios a scheme.
const EACH: u64 = 8;

/// Write `scenario` to `x.json`, and the topology files that it may name.
fn write(folder: &Path, scenario: &Value) {
    fs::write(folder.join("x.json"), scenario.to_string()).expect("a file");
    write_all(folder);
}

/// All five files, and stdout, of a run with these options.
fn files(dir: &Path, options: &[&str]) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_spraysim"))
        .current_dir(dir)
        .args(["run", "x.json", "--csv", "--quiet", "--out", "out"])
        .args(options)
        .output()
        .expect("the command starts");
    let code = output.status.code();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(code, Some(0 | 3)), "{code:?}: {text}");
    let read = |name| fs::read_to_string(dir.join("out").join(name)).expect("it was written");
    let stdout = String::from_utf8(output.stdout).expect("UTF-8");
    FILES.into_iter().map(read).chain([stdout]).collect()
}

/// The same bytes, else the first line that differs.
fn assert_same(what: &str, scenario: &Value, expected: &[String], found: &[String]) {
    for ((expected, found), name) in expected
        .iter()
        .zip(found)
        .zip(FILES.iter().chain(&["stdout"]))
    {
        if expected != found {
            let differs = expected.lines().zip(found.lines()).find(|(a, b)| a != b);
            panic!("{what}: {name} differs: {differs:#?}\n{scenario:#}");
        }
    }
}

/// The rows of a table behind the keys of their runs, the seed among them.
fn without_keys(text: &str) -> Vec<&str> {
    let rows = text.lines().skip(1);
    rows.filter_map(|row| row.splitn(10, ',').nth(9)).collect()
}

/// Part `part` of `parts` of all scenarios: threads and engines.
fn same_bytes(part: u64, parts: u64) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = folder.path();
    let mut finished = 0;
    for number in (part..EACH * SCHEMES.len() as u64).step_by(parts as usize) {
        let scenario = scenario(number);
        write(dir, &scenario);
        let expected = files(dir, &["--threads", "1"]);
        finished += u32::from(!expected[1].contains("false"));
        for options in [
            &["--threads", "2", "--engine", "windowed"][..],
            &["--threads", "3", "--engine", "heap"],
            &["--threads", "1", "--engine", "heap"],
        ] {
            assert_same(
                &options.join(" "),
                &scenario,
                &expected,
                &files(dir, options),
            );
        }
        if scenario["workload"]["start_jitter"] == "slot" {
            let other = files(dir, &["--seed", "424242", "--threads", "1"]);
            let differ = without_keys(&other[1]) != without_keys(&expected[1]);
            assert!(differ, "another seed: {scenario:#}");
        }
    }
    assert!(finished > 0, "some runs go to the end");
}

#[test]
fn threads_and_engines_do_not_show_in_any_file() {
    same_bytes(0, 2);
}

#[test]
fn threads_and_engines_do_not_show_in_any_file_of_other_scenarios() {
    same_bytes(1, 2);
}

#[test]
fn without_latency_threads_do_not_show_and_every_flow_ends() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for number in 0..SCHEMES.len() as u64 {
        let mut scenario = scenario(number);
        if scenario["fabric"]["kind"] == "htsim_topo" {
            // Latencies of a file are above zero.
            continue;
        }
        scenario["fabric"]["link_latency_ns"] = json!(0);
        scenario["fabric"]["buffer_bytes"] = json!(null);
        scenario["fabric"]["buffer_packets"] = json!(null);
        scenario["horizon_us"] = json!(null);
        scenario["failures"] = json!({});
        fs::write(folder.path().join("x.json"), scenario.to_string()).expect("a file");
        let expected = files(folder.path(), &["--threads", "1"]);
        let found = files(folder.path(), &["--threads", "2", "--engine", "heap"]);
        assert_same("two threads", &scenario, &expected, &found);
        let unfinished = expected[1].contains(",false,");
        assert!(!unfinished, "every flow ends: {scenario:#}");
    }
}

/// The plan of scenario `number`.
fn plan(number: u64) -> Plan {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("x.json");
    write(folder.path(), &scenario(number));
    load(&file, &Overrides::default()).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Everything that a run results in.
fn result(plan: &Plan, seed: u64, engine: Engine) -> String {
    let options = RunOptions {
        record_paths: true,
        ..RunOptions::new(engine, 1)
    };
    let (result, _) = run(
        &plan.points[0].scenario,
        seed,
        options,
        &Progress::default(),
    );
    format!("{result:?}")
}

#[test]
fn runs_of_one_process_do_not_touch_each_other() {
    let plans: Vec<Plan> = (0..2 * SCHEMES.len() as u64).map(plan).collect();
    let all = |order: &mut dyn Iterator<Item = usize>| {
        let mut results: Vec<(usize, String)> = order
            .map(|i| (i, result(&plans[i], plans[i].seed, Engine::Windowed)))
            .collect();
        results.sort();
        results
    };
    let forward = all(&mut (0..plans.len()));
    assert_eq!(
        all(&mut (0..plans.len()).rev()),
        forward,
        "in the other order"
    );
    let side_by_side: Vec<(usize, String)> = std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| {
            let all = &all;
            let count = plans.len();
            scope.spawn(move || all(&mut (half..count).step_by(2)))
        });
        let mut results: Vec<_> = halves
            .into_iter()
            .flat_map(|half| half.join().expect("no panic"))
            .collect();
        results.sort();
        results
    });
    assert_eq!(side_by_side, forward, "side by side");
}

#[test]
fn engines_agree_on_the_path_of_every_packet() {
    for number in 0..3 * SCHEMES.len() as u64 {
        let plan = plan(number + 1000 * SCHEMES.len() as u64);
        let seed = plan.seed;
        let windowed = result(&plan, seed, Engine::Windowed);
        assert!(
            windowed == result(&plan, seed, Engine::Heap),
            "{:#}",
            scenario(number)
        );
    }
}

#[test]
fn threads_inside_a_run_do_not_show() {
    for number in 0..6 * SCHEMES.len() as u64 {
        let plan = plan(number + 2000 * SCHEMES.len() as u64);
        let with = |threads| {
            let options = RunOptions {
                record_paths: true,
                ..RunOptions::new(Engine::Windowed, threads)
            };
            let scenario = &plan.points[0].scenario;
            run(scenario, plan.seed, options, &Progress::default()).0
        };
        let alone = with(1);
        for threads in [2, 3, 7] {
            assert_eq!(with(threads), alone, "{threads} threads, scenario {number}");
        }
    }
}

#[test]
fn the_extremes_of_time_cost_what_they_hold() {
    let text = r#"{"fabric": {"k": 4}, "load_balancing": {"scheme": "ofan"},
                   "workload": {"kind": "permutation", "message_bytes": 65536}}"#;
    for set in [
        "fabric.link_latency_ns=1e9",
        "fabric.link_gbps=1e-9",
        "congestion_control.load=1e-12",
    ] {
        let overrides = Overrides {
            sets: vec![set.to_owned()],
            ..Overrides::default()
        };
        let plan = spraysim::scenario::parse(text, &overrides).unwrap_or_else(|e| panic!("{e}"));
        let windowed = result(&plan, 1, Engine::Windowed);
        assert_eq!(windowed, result(&plan, 1, Engine::Heap), "{set}");
    }
}

#[test]
fn a_run_long_enough_for_threads_inside_it_writes_the_same_bytes_with_any_number() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = folder.path();
    let scenario = json!({
        "name": "long", "repeats": 1, "fabric": {"k": 12}, "load_balancing": {"scheme": "ar"},
        "workload": {"kind": "permutation", "message_bytes": 1_048_576},
    });
    fs::write(dir.join("x.json"), scenario.to_string()).expect("a file");
    let alone = files(dir, &["--threads", "1"]);
    for options in [
        &["--threads", "2"][..],
        &["--threads", "3"],
        &["--threads", "7"],
        &["--engine", "heap"],
    ] {
        assert_same(&options.join(" "), &scenario, &alone, &files(dir, options));
    }
}
