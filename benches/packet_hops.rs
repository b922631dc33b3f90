//! Packet-hops per second of whole runs, as ratios within one run of the bench.
//!
//! `cargo bench` runs every case once a round, for `ROUNDS` rounds, and prints one CSV line a case: the fastest round counts, and its rate is
//! divided by that of the case's reference. Absolute rates drift on shared machines; ratios hold. `cargo bench -- PART` runs the
//! cases whose name contains PART (and their references). Simulation time only: set-up and reports are apart.

use std::time::Duration;

use spraysim::lb::SCHEMES;
use spraysim::scenario::{self, Overrides, Scenario};
use spraysim::sim::{Engine, Progress, RunOptions, run};

const ROUNDS: usize = 5;

/// One run to time: the paper's fabric and frames but for what it names.
#[derive(Clone, Debug, PartialEq)]
struct Case {
    name: String,
    scheme: &'static str,
    k: u32,
    packets: u64,
    engine: Engine,
    threads: usize,
    /// The case that its rate is divided by.
    reference: String,
}

/// A case on the windowed engine and one thread, its own reference.
fn case(name: String, scheme: &'static str, k: u32, packets: u64) -> Case {
    let reference = name.clone();
    Case {
        name,
        scheme,
        k,
        packets,
        engine: Engine::Windowed,
        threads: 1,
        reference,
    }
}

impl Case {
    fn against(self, reference: &str) -> Self {
        Self {
            reference: reference.to_owned(),
            ..self
        }
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for row in SCHEMES {
        let name = format!("scheme/{}", row.name);
        cases.push(case(name, row.name, 12, 256).against("scheme/ofan"));
    }
    for k in [8, 12, 16, 32, 64] {
        cases.push(case(format!("size/k{k}"), "ofan", k, 256).against("size/k12"));
    }
    for k in [12, 32] {
        let heap = format!("engine/heap_k{k}");
        let windowed = format!("engine/windowed_k{k}");
        cases.push(case(windowed, "ofan", k, 32).against(&heap));
        cases.push(Case {
            engine: Engine::Heap,
            ..case(heap, "ofan", k, 32)
        });
    }
    for (k, packets) in [(16, 1024), (32, 256)] {
        let one = format!("threads/k{k}_1");
        let two = case(format!("threads/k{k}_2"), "ofan", k, packets).against(&one);
        cases.push(case(one, "ofan", k, packets));
        cases.push(Case { threads: 2, ..two });
    }
    for k in [12, 16] {
        let open = format!("closed/open_k{k}");
        let window = format!("closed/window_k{k}");
        cases.push(case(window, "ofan", k, 256).against(&open));
        cases.push(case(open, "ofan", k, 256));
    }
    let (open, nscc) = ("closed/open_reps_k12", "closed/nscc_reps_k12");
    cases.push(case(nscc.to_owned(), "reps", 12, 1024).against(open));
    cases.push(case(open.to_owned(), "reps", 12, 1024));
    for queue in ["fifo", "trimming", "lossless"] {
        let name = format!("queue/{queue}");
        cases.push(case(name, "ofan", 12, 256).against("queue/fifo"));
    }
    for scheme in ["ofan", "jsq", "simple_rr"] {
        let name = format!("depth/{scheme}_16_mib");
        cases.push(case(name, scheme, 12, 4096).against("depth/ofan_16_mib"));
    }
    for scheme in ["rsq", "jsq", "ar"] {
        let name = format!("scan/{scheme}_k32");
        cases.push(case(name, scheme, 32, 64).against("scan/rsq_k32"));
    }
    cases.push(case("idle/one_flow_k64".to_owned(), "ofan", 64, 256));
    cases
}

fn scenario(case: &Case) -> Scenario {
    let bytes = case.packets * 4096;
    let workload = if case.name.starts_with("idle/") {
        let last = case.k.pow(3) / 4 - 1;
        format!(r#"{{"kind": "pairs", "pairs": [{{"src": 0, "dst": {last}, "bytes": {bytes}}}]}}"#)
    } else {
        format!(r#"{{"kind": "permutation", "message_bytes": {bytes}}}"#)
    };
    let closed = case.name.strip_prefix("closed/");
    let controller = match closed.and_then(|name| name.split('_').next()) {
        Some("window") => Some("fixed_window"),
        Some("nscc") => Some("nscc"),
        _ => None,
    };
    let transport = controller.map(|scheme| {
        format!(
            r#""transport": {{"kind": "selective_repeat"}}, "congestion_control": {{"scheme": "{scheme}"}},"#
        )
    });
    let transport = transport.unwrap_or_default();
    let queue = case
        .name
        .strip_prefix("queue/")
        .map(|kind| format!(r#", "buffer_bytes": 800000, "queue": {{"kind": "{kind}"}}"#));
    let queue = queue.unwrap_or_default();
    let text = format!(
        r#"{{{transport} "fabric": {{"k": {}{queue}}},
            "load_balancing": {{"scheme": "{}"}}, "workload": {workload}}}"#,
        case.k, case.scheme
    );
    let plan = scenario::parse(&text, &Overrides::default()).expect("a scenario without errors");
    plan.points[0].scenario.clone()
}

/// Fastest simulation and set-up so far, and the packet-hops of the run.
#[derive(Clone, Copy, Debug)]
struct Best {
    simulate: Duration,
    setup: Duration,
    packet_hops: u64,
}

impl Best {
    fn rate(self) -> f64 {
        self.packet_hops as f64 / self.simulate.as_secs_f64()
    }
}

fn round(case: &Case, best: &mut Option<Best>) {
    let options = RunOptions::new(case.engine, case.threads);
    let (result, timings) = run(&scenario(case), 1, options, &Progress::default());
    let new = Best {
        simulate: timings.simulate,
        setup: timings.setup,
        packet_hops: result.packet_hops,
    };
    *best = Some(best.map_or(new, |old| Best {
        simulate: old.simulate.min(new.simulate),
        setup: old.setup.min(new.setup),
        ..new
    }));
}

fn main() {
    // Cargo passes `--bench`; what is no option selects.
    let wanted = std::env::args()
        .skip(1)
        .find(|arg| !arg.starts_with('-'))
        .unwrap_or_default();
    let all = cases();
    let selected: Vec<&Case> = all
        .iter()
        .filter(|case| case.name.contains(&wanted))
        .collect();
    let is_reference = |case: &&Case| selected.iter().any(|other| other.reference == case.name);
    let runs: Vec<&Case> = all
        .iter()
        .filter(|case| selected.contains(case) || is_reference(case))
        .collect();
    let mut best = vec![None; runs.len()];
    for number in 1..=ROUNDS {
        eprintln!("round {number} of {ROUNDS}");
        for (case, best) in runs.iter().zip(&mut best) {
            round(case, best);
        }
    }
    let rate = |name: &str| {
        let index = runs.iter().position(|case| case.name == name)?;
        best[index].map(Best::rate)
    };
    println!(
        "case,scheme,k,packets,packet_hops,setup_s,simulate_s,packet_hops_per_s,rate_over_reference,reference"
    );
    for (case, best) in runs.iter().zip(&best) {
        let (Some(best), Some(reference)) = (best, rate(&case.reference)) else {
            continue;
        };
        println!(
            "{},{},{},{},{},{:.4},{:.4},{:.0},{:.3},{}",
            case.name,
            case.scheme,
            case.k,
            case.packets,
            best.packet_hops,
            best.setup.as_secs_f64(),
            best.simulate.as_secs_f64(),
            best.rate(),
            best.rate() / reference,
            case.reference
        );
    }
}
