//! The packet path does not allocate: a message three times as long costs no more allocations, but for buffers that double.

use spraysim::lb::SCHEMES;
use spraysim::scenario::{self, Overrides, Scenario};
use spraysim::sim::{Engine, Progress, RunOptions, run};

fn scenario(scheme: &str, packets: u64) -> Scenario {
    let bytes = packets * 4096;
    let text = format!(
        r#"{{"fabric": {{"k": 4}}, "load_balancing": {{"scheme": "{scheme}"}},
             "workload": {{"kind": "permutation", "message_bytes": {bytes}}}}}"#
    );
    let plan = scenario::parse(&text, &Overrides::default()).expect("a scenario without errors");
    plan.points[0].scenario.clone()
}

/// Allocations and packet-hops of one run.
fn cost(scheme: &str, packets: u64, engine: Engine) -> (u64, u64) {
    let scenario = scenario(scheme, packets);
    let options = RunOptions::new(engine, 1);
    let mut hops = 0;
    let counted = allocation_counter::measure(|| {
        hops = run(&scenario, 1, options, &Progress::default())
            .0
            .packet_hops;
    });
    (counted.count_total, hops)
}

#[test]
fn a_longer_message_costs_no_allocation_per_packet() {
    for engine in [Engine::Windowed, Engine::Heap] {
        for scheme in SCHEMES {
            let (few, short) = cost(scheme.name, 2_000, engine);
            let (many, long) = cost(scheme.name, 6_000, engine);
            // What is left are buffers that double: a logarithm of the length for each of a few hundred.
            let more = many.saturating_sub(few);
            let hops = long - short;
            println!(
                "{} {engine:?}: {more} more allocations for {hops} more packet-hops",
                scheme.name
            );
            assert!(
                more * 500 < hops,
                "{} {engine:?}: {more} for {hops}",
                scheme.name
            );
        }
    }
}
