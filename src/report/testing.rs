//! A run made up by hand, small enough to compute every cell on paper.

use serde::Serialize;

use super::Column;
use super::keys::{Keys, Subject};
use crate::packet::FrameCount;
use crate::sim::{
    Arrivals, FailureResult, FlowResult, LinkResult, NodeName, RttStats, RunResult, Stage,
    StageResult, WindowStats,
};
use crate::theory::LowerBound;
use crate::units::{Rate, Ratio, Span, Time};
use crate::workload::{FlowClass, FlowSpec};

/// Two hosts at 800 Gb/s with a bound of 1.6 us.
pub(crate) fn subject() -> Subject {
    Subject {
        keys: Keys {
            scenario: "by hand".to_owned(),
            scheme: "rps".to_owned(),
            cca: "none".to_owned(),
            levels: 2,
            k: Some(2),
            hosts: 2,
            message_bytes: None,
            load: 1.0,
            seed: 7,
        },
        swept: Vec::new(),
        link_rate: Rate::from_gbps(800),
        lower_bound: LowerBound {
            span: Span(1_600_000),
            kind: "naive",
        },
    }
}

/// Two flows, two links a stage of a two-level tree; queues averaged over 1 us.
pub(crate) fn result() -> RunResult {
    RunResult {
        rho_max: Ratio { num: 3, den: 4 },
        flows: vec![
            flow(40, (0, 1), 100_000, 100_000, 2_000_000),
            FlowResult {
                retransmissions: 1,
                timeouts: 2,
                nacks: 3,
                acks: 52,
                marked_acks: 9,
                rtts: Some(RttStats {
                    samples: 4,
                    sum_ps: 26_000_001,
                    min: Span(6_000_000),
                    max: Span(7_000_001),
                }),
                window: Some(WindowStats {
                    min: 4_158,
                    max: 90_000,
                    end: 5_000,
                    byte_ps: 1_950_000 * 10_000,
                    span: Span(1_950_000),
                }),
                spurious_retransmissions: 1,
                discarded_packets: 5,
                received_packets: 48,
                max_reordering: 4,
                reordering_sum: 12,
                p99_reordering: 4,
                ..flow(41, (1, 0), 200_000, 150_000, 2_100_000)
            },
        ],
        links: links(),
        stages: vec![
            stage(Stage::Nic, 1_000_000),
            stage(Stage::Ea, 3_000_000),
            stage(Stage::Ae, 4_000_000),
            stage(Stage::Eh, 2_000_000),
        ],
        first_bit: Some(Time(100_000)),
        last_sent: Some(Time(1_100_000)),
        last_finish: Some(Time(2_100_000)),
        integrated_until: Time(1_100_000),
        ended: Time(1_100_000),
        peak_ae_busy: Span(600_000),
        data_packets: 74,
        ack_packets: 73,
        delivered_bytes: 300_000,
        packet_hops: 294,
        delivered_packets: 0,
        ran_dry: true,
        on_wires: FrameCount::default(),
        arrivals: Arrivals::default(),
        trace: Vec::new(),
        failures: FailureResult {
            failed_links: 4,
            redraws: 1,
            unroutable_packets: 6,
            unroutable_data_packets: 5,
            outage: Some(Span(900)),
            recovery: None,
        },
    }
}

/// The names of `columns`.
pub(crate) fn names(columns: &[Column]) -> Vec<String> {
    columns
        .iter()
        .map(|column| column.name.to_owned())
        .collect()
}

/// `row` as a line of CSV.
pub(crate) fn cells(row: &impl Serialize) -> String {
    let mut csv = csv::WriterBuilder::new()
        .has_headers(false)
        .from_writer(Vec::new());
    csv.serialize(row).expect("a row is a flat struct");
    let bytes = csv.into_inner().expect("a Vec takes every byte");
    String::from_utf8(bytes)
        .expect("CSV is text")
        .trim_end()
        .to_owned()
}

pub(crate) fn flow(
    id: u64,
    (src, dst): (u32, u32),
    bytes: u64,
    start: u64,
    end: u64,
) -> FlowResult {
    FlowResult {
        paths: None,
        class: FlowClass::Collective,
        spec: FlowSpec {
            id,
            src,
            dst,
            bytes,
            start: Time::ZERO,
        },
        release: Some(Time(start.saturating_sub(10_000))),
        message: Some(7),
        start: Some(Time(start)),
        end: Some(Time(end)),
        ideal: Span(1_500_000),
        packets: bytes.div_ceil(4096),
        retransmissions: 0,
        timeouts: 0,
        nacks: 0,
        acks: bytes.div_ceil(4096),
        marked_acks: 0,
        rtts: None,
        window: None,
        spurious_retransmissions: 0,
        discarded_packets: 0,
        acked_bytes: bytes,
        stuck: None,
        received_packets: bytes.div_ceil(4096),
        received_bytes: bytes,
        max_reordering: 0,
        reordering_sum: 0,
        p99_reordering: 0,
    }
}

fn stage(stage: Stage, packet_ps: u128) -> StageResult {
    StageResult {
        stage,
        ports: 2,
        packet_ps,
        byte_ps: packet_ps * 4000,
    }
}

fn links() -> Vec<LinkResult> {
    let link = |stage, src, dst, bytes, max| LinkResult {
        stage,
        src,
        dst,
        member: 0,
        packets: 20,
        bytes,
        busy: Span(bytes * 10),
        queue_max_packets: max,
        queue_max_bytes: max * 4158,
        marked_packets: 0,
        dropped_packets: 0,
        dropped_control_packets: 0,
        lost_packets: 0,
        lost_control_packets: 0,
        trimmed_packets: 0,
        pause_packets: 0,
        pauses: 0,
        paused: Span::ZERO,
        headroom_max_bytes: 0,
        queued: FrameCount::default(),
    };
    let node = |level, i| NodeName(level, i);
    vec![
        // A NIC's queue does not count among the switches'.
        link(Stage::Nic, node('h', 0), node('e', 0), 400, 1),
        link(Stage::Nic, node('h', 1), node('e', 1), 400, 1),
        link(Stage::Ea, node('e', 0), node('a', 0), 300, 2),
        link(Stage::Ea, node('e', 1), node('a', 0), 100, 1),
        LinkResult {
            marked_packets: 5,
            dropped_packets: 3,
            lost_packets: 2,
            trimmed_packets: 4,
            pauses: 6,
            paused: Span(7_000),
            headroom_max_bytes: 900,
            ..link(Stage::Ae, node('a', 0), node('e', 0), 500, 7)
        },
        LinkResult {
            pauses: 1,
            paused: Span(500),
            ..link(Stage::Ae, node('a', 0), node('e', 1), 500, 1)
        },
        link(Stage::Eh, node('e', 0), node('h', 0), 0, 1),
        link(Stage::Eh, node('e', 1), node('h', 1), 0, 1),
    ]
}
