//! The packet path does not allocate: a message three times as long costs no more allocations, but for buffers that double.

use spraysim::cc::CONTROLLERS;
use spraysim::lb::SCHEMES;
use spraysim::scenario::{self, Overrides, Scenario};
use spraysim::sim::{Engine, Progress, RunOptions, run};

fn scenario(scheme: &str, controller: Option<&str>, packets: u64) -> Scenario {
    let bytes = packets * 4096;
    let control = controller.map(|name| {
        let transport = match name {
            // It takes all of this.
            "dctcp_stock" => {
                r#"{"kind": "newreno", "handshake": true, "rto": {"kind": "estimated"}}"#
            }
            _ => r#"{"kind": "selective_repeat"}"#,
        };
        format!(r#""transport": {transport}, "congestion_control": {{"scheme": "{name}"}},"#)
    });
    let control = control.unwrap_or_default();
    let text = format!(
        r#"{{"fabric": {{"k": 4}}, {control} "load_balancing": {{"scheme": "{scheme}"}},
             "workload": {{"kind": "permutation", "message_bytes": {bytes}}}}}"#
    );
    let plan = scenario::parse(&text, &Overrides::default()).expect("a scenario without errors");
    plan.points[0].scenario.clone()
}

/// Allocations and packet-hops of one run.
fn cost(case: (&str, Option<&str>), packets: u64, engine: Engine) -> (u64, u64) {
    let scenario = scenario(case.0, case.1, packets);
    let options = RunOptions::new(engine, 1);
    let mut hops = 0;
    let counted = allocation_counter::measure(|| {
        hops = run(&scenario, 1, options, &Progress::default())
            .0
            .packet_hops;
    });
    (counted.count_total, hops)
}

/// A message of `few` and one of `many` packets.
fn hold(case: (&str, Option<&str>), few: u64, many: u64, engine: Engine) {
    let (few, short) = cost(case, few, engine);
    let (many, long) = cost(case, many, engine);
    // What is left are buffers that double: a logarithm of the length for each of a few hundred.
    let more = many.saturating_sub(few);
    let hops = long - short;
    println!("{case:?} {engine:?}: {more} more allocations for {hops} more packet-hops");
    assert!(more * 500 < hops, "{case:?} {engine:?}: {more} for {hops}");
}

#[test]
fn a_longer_message_costs_no_allocation_per_packet() {
    for engine in [Engine::Windowed, Engine::Heap] {
        for scheme in SCHEMES {
            hold((scheme.name, None), 2_000, 6_000, engine);
        }
    }
}

#[test]
fn nor_does_it_under_any_controller() {
    for controller in CONTROLLERS.iter().filter(|row| row.name != "none") {
        hold(
            ("rps", Some(controller.name)),
            2_000,
            6_000,
            Engine::Windowed,
        );
    }
}
