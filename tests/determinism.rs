//! Same scenario, seed and version: the same bytes in all five files, whatever `--threads` and `--engine`, and whatever ran before.
//!
//! Small random scenarios, several for every scheme, through the command itself; and runs side by side in one process.

#[path = "determinism/queues.rs"]
mod queues;
#[path = "determinism/topologies.rs"]
mod topologies;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use spraysim::engine::Progress;
use spraysim::lb::{SCHEMES, Scheme};
use spraysim::scenario::{Overrides, Plan, load};
use spraysim::sim::{Engine, RunOptions, run};
use topologies::{topologies, write_all};

const FILES: [&str; 5] = [
    "summary.csv",
    "flows.csv",
    "queues.csv",
    "links.csv",
    "scenario.json",
];

/// Scenarios a scheme.
const EACH: u64 = 8;

/// Draws for scenarios (SplitMix64).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn one(&mut self, of: &[Value]) -> Value {
        of[self.below(of.len() as u64) as usize].clone()
    }

    /// A member of `of` and its index.
    fn any<T: Clone>(&mut self, of: &[T]) -> (usize, T) {
        let index = self.below(of.len() as u64) as usize;
        (index, of[index].clone())
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// Scenario `number`: schemes in turn, the rest at random.
fn scenario(number: u64) -> Value {
    let draw = &mut Draw(number);
    let row = &SCHEMES[(number % SCHEMES.len() as u64) as usize];
    let (mut fabric, hosts, levels) = tree(draw);
    let acks = if row.needs_acks || draw.chance(70) {
        "per_packet"
    } else {
        "none"
    };
    let payload = draw.one(&[json!(4096), json!(1000), json!(1), json!(65_536)]);
    bounds(draw, &mut fabric, payload == 65_536);
    let most = if payload == 1 { 60 } else { 80_000 };
    json!({
        "name": format!("random {number}"),
        "seed": draw.next() >> 1,
        "repeats": 2,
        "fabric": fabric,
        "failures": failures(draw, levels),
        "packet": {
            "payload_bytes": payload,
            "acks": acks,
            "gap_bytes": draw.one(&[json!(20), json!(0)]),
        },
        "load_balancing": load_balancing(draw, row.name, levels),
        "congestion_control": {
            "load": draw.one(&[json!(1), json!(0.9), json!(0.37)]),
            "rho_max": draw.one(&["path_equal", "hop_equal", "lp", "line_rate"].map(|rule| json!(rule))),
        },
        "nic": {"ack_turns": draw.one(&[json!("class"), json!("flow")])},
        "workload": workload(draw, hosts, most, acks),
        "imperfection": imperfection(draw),
        "trigger_latency_ns": draw.one(&[json!(null), json!(null), json!(2000), json!(5000.5)]),
        "horizon_us": if draw.chance(25) { json!(1 + draw.below(9)) } else { json!(null) },
    })
}

/// Write `scenario` to `x.json`, and the topology files that it may name.
fn write(folder: &Path, scenario: &Value) {
    fs::write(folder.join("x.json"), scenario.to_string()).expect("a file");
    write_all(folder);
}

/// A plain tree or one of the topology files, its hosts and its levels.
fn tree(draw: &mut Draw) -> (Value, u64, u64) {
    if draw.chance(30) {
        let (number, (_, hosts)) = draw.any(&topologies());
        let fabric = json!({"kind": "htsim_topo", "path": format!("{number}.topo")});
        return (fabric, hosts, if number == 0 { 2 } else { 3 });
    }
    let levels = 2 + draw.below(2);
    let k = 2 * (1 + draw.below(3));
    let fabric = json!({
        "levels": levels,
        "k": k,
        "link_gbps": draw.one(&[json!(800), json!(100), json!(33.3)]),
        "link_latency_ns": draw.one(&[json!(500), json!(1), json!(37.251), json!(2000)]),
        "switch_latency_ns": draw.one(&[json!(0), json!(0), json!(300), json!(0.7)]),
    });
    let hosts = if levels == 2 {
        k * k / 2
    } else {
        k * k * k / 4
    };
    (fabric, hosts, levels)
}

/// Bound the queues of `fabric`; with large packets the bounds are counted in them.
fn bounds(draw: &mut Draw, fabric: &mut Value, in_packets: bool) {
    if in_packets {
        fabric["buffer_packets"] = draw.one(&[json!(null), json!(1), json!(4)]);
        fabric["ecn_threshold_packets"] = draw.one(&[json!(null), json!(0), json!(2)]);
    } else {
        fabric["buffer_bytes"] =
            draw.one(&[json!(null), json!(null), json!(13_000), json!(60_000)]);
        fabric["ecn_threshold_bytes"] =
            draw.one(&[json!(80_000), json!(null), json!(0), json!(9000)]);
    }
}

/// The scheme, at times with switches that run another one.
fn load_balancing(draw: &mut Draw, name: &str, levels: u64) -> Value {
    let mut base = scheme(draw, name);
    let is_source_routed = Scheme::by_name(name).is_some_and(|scheme| scheme.is_source_routed());
    if is_source_routed || draw.chance(60) {
        return base;
    }
    let rows: Vec<_> = SCHEMES.iter().filter(|row| row.is_of_switches()).collect();
    let mut places = vec![
        json!({"where": "random_switches", "fraction": 0.5}),
        json!({"where": ["e1"]}),
        json!({"where": "edge"}),
    ];
    if levels == 3 {
        places.push(json!({"where": "random_pods", "fraction": 0.5}));
        places.push(json!({"where": "aggregation"}));
    }
    // A single switch comes last, so that it hides no other entry whole.
    let mut list = vec![draw.one(&places), json!({"where": ["e0"]})];
    list.truncate(1 + draw.below(2) as usize);
    for entry in &mut list {
        let row = rows[draw.below(rows.len() as u64) as usize];
        entry["scheme"] = scheme(draw, row.name);
    }
    base["override"] = json!(list);
    base
}

/// No failures, or some from the start and some in the middle of the run.
fn failures(draw: &mut Draw, levels: u64) -> Value {
    if draw.chance(60) {
        return json!({});
    }
    let mut link = |name: &str| {
        let from = draw.one(&[json!(0), json!(0.7), json!(1.3)]);
        let until = draw.one(&[json!(null), json!(2.5), json!(1.3001)]);
        let slow_to = draw.one(&[json!(null), json!(null), json!(0.3)]);
        json!({"link": name, "from_us": from, "until_us": until, "slow_to": slow_to})
    };
    let mut links = vec![link("e0-a0")];
    if levels == 3 {
        links.push(link("a0-c0"));
    }
    json!({
        "edge_agg_probability": draw.one(&[json!(0), json!(0.1)]),
        "agg_core_probability": if levels == 3 { json!(0.2) } else { json!(0) },
        "links": links,
        "switches": [{"switch": "a0", "from_us": 1}],
        "convergence_us": draw.one(&[json!(0), json!(0.5), json!(5)]),
        "queued": draw.one(&[json!("lost"), json!("held")]),
        "on_partition": "drop",
    })
}

/// The scheme, at times with other parameters than its defaults.
fn scheme(draw: &mut Draw, name: &str) -> Value {
    let mut scheme = json!({"scheme": name});
    let others: &[(&str, Value)] = &match name {
        "ofan" => vec![
            ("consolidate", json!("host")),
            ("port_order", json!("random")),
            ("ack_pointer", json!("random")),
            ("first_pointer", json!("shortest_queue")),
            ("size_class_bytes", json!([100, 2000])),
        ],
        "pofan" => vec![("ports_per_pipe", json!(1))],
        "ar" => vec![
            ("thresholds_pct", json!("bytes")),
            ("thresholds_pct", json!([1, 2])),
            ("refresh_ns", json!(0)),
            ("view_period_ns", json!(250)),
        ],
        "jsq" => vec![
            ("view_period_ns", json!(0.003)),
            ("view_period_ns", json!(250)),
        ],
        "reps" => vec![
            ("entropies", json!(7)),
            ("explore_packets", json!(3)),
            ("lifetime", json!(2)),
            ("freezing", json!("timeout")),
            ("freeze_us", json!(1.5)),
            ("leave", json!("probe")),
            ("exit_explore", json!(2)),
            ("entropy_timers", json!(true)),
            ("entropy_rto_initial_us", json!(0.5)),
        ],
        "rps" => vec![
            ("entropy_count", json!(16)),
            ("draw", json!("sequential")),
            ("draw", json!("masked_cycle")),
        ],
        "bitmap" | "mixed" => vec![
            ("entropy_count", json!(8)),
            ("ecn_penalty", json!(3)),
            ("nack_penalty", json!(0)),
            ("timeout_penalty", json!(2)),
            ("max_penalty", json!(4)),
        ],
        "simple_rr" => vec![("ack_pointer", json!("separate"))],
        _ => Vec::new(),
    };
    for (key, value) in others {
        if draw.chance(40) {
            scheme[*key] = value.clone();
        }
    }
    scheme
}

fn workload(draw: &mut Draw, hosts: u64, most: u64, acks: &str) -> Value {
    let mut workload = if draw.chance(50) || hosts < 3 {
        json!({"kind": "permutation", "message_bytes": 1 + draw.below(most)})
    } else {
        let pair = |number: u64| {
            let src = draw.below(hosts);
            let dst = (src + 1 + draw.below(hosts - 1)) % hosts;
            let start = draw.one(&[json!(0), json!(0), json!(1250.125), json!(41.78)]);
            let after = after(draw, number, acks);
            json!({"src": src, "dst": dst, "bytes": 1 + draw.below(most), "start_ns": start, "after": after})
        };
        let pairs: Vec<Value> = (0..12).map(pair).collect();
        json!({"kind": "pairs", "pairs": pairs})
    };
    workload["start_jitter"] = start_jitter(draw, hosts);
    workload["pacing_jitter_pct"] = draw.one(&[json!(0), json!(0), json!(50), json!(100)]);
    workload
}

/// Each kind at times.
fn imperfection(draw: &mut Draw) -> Value {
    json!({
        "clock_skew_ppm": draw.one(&[json!(0), json!(0), json!(100), json!(0.5)]),
        "switch_jitter_ns": draw.one(&[json!(0), json!(0), json!(50), json!(0.002)]),
        "tie_break": draw.one(&[json!("ingress_port"), json!("ingress_port"), json!("random")]),
    })
}

/// A word, a span, or stragglers.
fn start_jitter(draw: &mut Draw, hosts: u64) -> Value {
    let straggler = draw.below(hosts);
    let objects = [
        json!({"uniform_ns": 2000}),
        json!({"uniform_ns": 0, "stragglers": {"hosts": [straggler], "delay_ns": 700.5}}),
        json!({"stragglers": {"fraction": 0.5, "delay_ns": 41.78}}),
    ];
    if draw.chance(70) {
        draw.one(&[json!("slot"), json!("none")])
    } else {
        draw.one(&objects)
    }
}

/// What pair `number` waits for: at times some of the pairs before it.
fn after(draw: &mut Draw, number: u64, acks: &str) -> Value {
    let flows: Vec<u64> = (0..number).filter(|_| draw.chance(20)).collect();
    if flows.is_empty() {
        return json!(null);
    }
    let mut event = draw.one(&[json!("acked"), json!("received")]);
    if acks == "none" {
        event = json!("received");
    }
    let delay = draw.one(&[json!(0), json!(0), json!(700.001)]);
    json!({"flows": flows, "event": event, "delay_ns": delay})
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
        engine,
        threads: 1,
        record_paths: true,
        trace: None,
        general_ports: false,
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
                engine: Engine::Windowed,
                threads,
                record_paths: true,
                trace: None,
                general_ports: false,
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
