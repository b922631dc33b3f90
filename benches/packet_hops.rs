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
    /// The case that its rate is divided by.
    reference: String,
}

fn cases() -> Vec<Case> {
    let case = |name: &str, scheme, k, packets, engine, reference: &str| Case {
        name: name.to_owned(),
        scheme,
        k,
        packets,
        engine,
        reference: reference.to_owned(),
    };
    let windowed = Engine::Windowed;
    let mut cases: Vec<Case> = SCHEMES
        .iter()
        .map(|row| {
            case(
                &format!("scheme/{}", row.name),
                row.name,
                12,
                256,
                windowed,
                "scheme/ofan",
            )
        })
        .collect();
    for k in [4, 8, 12, 16, 32] {
        cases.push(case(
            &format!("size/k{k}"),
            "ofan",
            k,
            256,
            windowed,
            "size/k12",
        ));
    }
    for k in [12, 32] {
        let heap = format!("engine/heap_k{k}");
        cases.push(case(
            &format!("engine/windowed_k{k}"),
            "ofan",
            k,
            32,
            windowed,
            &heap,
        ));
        cases.push(case(&heap, "ofan", k, 32, Engine::Heap, &heap));
    }
    for packets in [256, 4096] {
        let name = format!("depth/jsq_{packets}_packets");
        cases.push(case(
            &name,
            "jsq",
            12,
            packets,
            windowed,
            "depth/jsq_256_packets",
        ));
    }
    cases
}

fn scenario(case: &Case) -> Scenario {
    let text = format!(
        r#"{{"fabric": {{"k": {}}}, "load_balancing": {{"scheme": "{}"}},
             "workload": {{"kind": "permutation", "message_bytes": {}}}}}"#,
        case.k,
        case.scheme,
        case.packets * 4096
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
    let options = RunOptions {
        engine: case.engine,
        record_paths: false,
    };
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
