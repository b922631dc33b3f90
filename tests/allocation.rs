//! The packet path does not allocate: a message three times as long costs no more allocations, but for buffers that double.

use spraysim::lb::{SCHEMES, Scheme};
use spraysim::scenario::{
    AckTurns, Acks, CongestionControl, Fabric, Nic, PacketFormat, Scenario, StartJitter, Workload,
    WorkloadKind,
};
use spraysim::sim::{Engine, Progress, RunOptions, run};
use spraysim::units::{Rate, Ratio, Span};

fn scenario(scheme: &str, packets: u64) -> Scenario {
    Scenario {
        name: "allocation".to_owned(),
        fabric: Fabric {
            levels: 3,
            k: 4,
            link_rate: Rate::from_gbps(800),
            link_latency: Span::from_ns(500),
            switch_latency: Span::ZERO,
            buffer_bytes: None,
            ecn_threshold_bytes: Some(80_000),
        },
        packet: PacketFormat {
            payload_bytes: 4096,
            header_bytes: 62,
            ack_bytes: 64,
            gap_bytes: 20,
            acks: Acks::PerPacket,
        },
        load_balancing: Scheme::by_name(scheme).expect("a scheme of the table"),
        congestion_control: CongestionControl { load: Ratio::ONE },
        nic: Nic {
            ack_turns: AckTurns::Class,
        },
        workload: Workload {
            kind: WorkloadKind::Permutation {
                message_bytes: packets * 4096,
                inter_pod_only: false,
            },
            start_jitter: StartJitter::Slot,
            pacing_jitter_pct: Ratio { num: 0, den: 1 },
        },
        trigger_latency: None,
        horizon: None,
    }
}

/// Allocations and packet-hops of one run.
fn cost(scheme: &str, packets: u64, engine: Engine) -> (u64, u64) {
    let scenario = scenario(scheme, packets);
    let options = RunOptions {
        engine,
        record_paths: false,
    };
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
