//! Scenarios and policies for tests computed by hand.

use std::sync::Arc;

use spraysim::lb::Scheme;
use spraysim::lb::host::{HostScheme, PathPolicy, TxInfo, none};
use spraysim::lb::switch::{SwitchScheme, UplinkPolicy, Uplinks, rsq};
use spraysim::packet::Packet;
use spraysim::rng::Rng;
use spraysim::scenario::{
    AckTurns, Acks, CongestionControl, Fabric, Imperfection, Nic, PacketFormat, RhoMaxRule,
    Scenario, StartJitter, Tier, Workload,
};
use spraysim::units::{Rate, Ratio, Span, Time};
use spraysim::workload::FlowSpec;
use spraysim::workload::pairs::Pairs;

use super::policies::Policies;

/// A full data packet's payload in the paper.
pub(crate) const PAYLOAD: u64 = 4_096;

/// The paper's fabric and frames with `k` ports a switch, no jitter anywhere, no buffer limit.
pub(crate) fn paper(k: u32) -> Scenario {
    Scenario {
        name: "by hand".to_owned(),
        fabric: Fabric::plain(
            3,
            k,
            Tier {
                rate: Rate::from_gbps(800),
                latency: Span::from_ns(500),
                switch_latency: Span::ZERO,
                down_buffer_bytes: None,
                up_buffer_bytes: None,
            },
        ),
        packet: PacketFormat {
            payload_bytes: PAYLOAD as u32,
            header_bytes: 62,
            ack_bytes: 64,
            gap_bytes: 20,
            acks: Acks::PerPacket,
        },
        load_balancing: any_scheme(),
        deployments: Vec::new(),
        transport: None,
        congestion_control: CongestionControl {
            controller: spraysim::cc::Controller::default(),
            load: Ratio::ONE,
            rho_max: RhoMaxRule::PathEqual,
        },
        nic: Nic {
            ack_turns: AckTurns::Class,
            control_per_data: 1,
        },
        workload: Workload {
            kind: Arc::new(Pairs::default()),
            mice: None,
            start_jitter: StartJitter::None,
            stragglers: None,
            pacing_jitter_pct: Ratio { num: 0, den: 1 },
            pacing_jitter_adds: false,
        },
        imperfection: Imperfection::default(),
        trigger_latency: None,
        horizon: None,
    }
}

/// A flow of `packets` full packets that starts at `start`.
pub(crate) fn flow(src: u32, dst: u32, packets: u64, start: Time) -> FlowSpec {
    FlowSpec {
        id: 0,
        src,
        dst,
        bytes: packets * PAYLOAD,
        start,
    }
}

/// Every northbound packet takes uplink 0; hosts write nothing.
pub(crate) fn leftmost() -> Policies {
    Policies {
        switch: Box::new(|_| Box::new(Leftmost)),
        host: Box::new(|_| Box::new(Silent)),
        subflows: Box::new(|_| 1),
    }
}

#[derive(Debug)]
struct Leftmost;

impl UplinkPolicy for Leftmost {
    fn pick<U: Uplinks>(&mut self, _: &Packet, _: &mut U, _: &mut Rng) -> usize {
        0
    }
}

#[derive(Debug)]
struct Silent;

impl PathPolicy for Silent {
    fn data_path(&mut self, _: &TxInfo, _: &mut Rng) -> u16 {
        0
    }
    fn ack_path(&mut self, _: &TxInfo, _: u16, _: &mut Rng) -> u16 {
        0
    }
}

/// A scheme to fill the scenario with; the oracle goes by the policies it is handed.
fn any_scheme() -> Scheme {
    Scheme {
        name: "rsq",
        switch: SwitchScheme::Rsq(rsq::Params),
        host: HostScheme::None(none::Params),
    }
}
