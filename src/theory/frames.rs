//! What the closed forms need to know of a message: how many frames, and how long each takes.
//!
//! Names follow the paper's appendix A: T_d, T_a, T_g and T_p are `data`, `ack`, `gap` and `latency(hops)`.

use crate::settings::{Acks, Scenario};
use crate::units::Span;

/// One message as frames on links of one rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frames {
    /// Data packets, at least 1; all are full but the last.
    pub packets: u64,
    /// Serialisation of a full data frame.
    pub data: Span,
    /// Serialisation of the last data frame, at most `data`.
    pub last: Span,
    /// Serialisation of an ACK.
    pub ack: Span,
    /// Whether each data packet is acknowledged.
    pub acks: bool,
    /// Idle time after every frame.
    pub gap: Span,
    /// Propagation of one link.
    pub link_latency: Span,
    /// Time between arrival and enqueueing in one switch.
    pub switch_latency: Span,
}

impl Frames {
    /// The frames of a message of `bytes` > 0 payload bytes.
    #[must_use]
    pub fn new(scenario: &Scenario, bytes: u64) -> Self {
        let (packet, fabric) = (&scenario.packet, &scenario.fabric);
        let payload = u64::from(packet.payload_bytes);
        let header = u64::from(packet.header_bytes);
        let packets = bytes.div_ceil(payload).max(1);
        let last_payload = bytes.saturating_sub((packets - 1) * payload);
        let tx = |frame| fabric.link_rate.tx_time(frame);
        Self {
            packets,
            data: tx(payload + header),
            last: tx(last_payload + header),
            ack: tx(u64::from(packet.ack_bytes)),
            acks: packet.acks == Acks::PerPacket,
            gap: tx(u64::from(packet.gap_bytes)),
            link_latency: fabric.link_latency,
            switch_latency: fabric.switch_latency,
        }
    }

    /// Latency of `hops` links and the switches between them (T_p), serialisation apart.
    #[must_use]
    pub fn latency(&self, hops: u32) -> Span {
        Span(to_ps(self.exact().latency(u128::from(hops))))
    }

    pub(super) fn exact(&self) -> Exact {
        Exact {
            m: self.packets.into(),
            td: self.data.0.into(),
            tl: self.last.0.into(),
            ta: self.ack.0.into(),
            tg: self.gap.0.into(),
            link: self.link_latency.0.into(),
            switch: self.switch_latency.0.into(),
        }
    }
}

/// The same in 128 bits, where no sum of a message of 2^64 bytes overflows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    pub(super) m: u128,
    pub(super) td: u128,
    pub(super) tl: u128,
    pub(super) ta: u128,
    pub(super) tg: u128,
    pub(super) link: u128,
    pub(super) switch: u128,
}

impl Exact {
    /// T_p.
    pub(super) fn latency(&self, hops: u128) -> u128 {
        hops * self.link + (hops - 1) * self.switch
    }

    /// From the start of an ACK's first bit to its arrival, unhindered.
    pub(super) fn ack_trip(&self, hops: u128) -> u128 {
        self.latency(hops) + hops * self.ta
    }

    /// T'_d.
    pub(super) fn slot(&self) -> u128 {
        self.td + self.tg
    }

    /// T'_a.
    pub(super) fn ack_slot(&self) -> u128 {
        self.ta + self.tg
    }
}

/// Back to 64 bits, saturating.
pub(super) fn to_ps(exact: u128) -> u64 {
    u64::try_from(exact).unwrap_or(u64::MAX)
}

#[cfg(test)]
pub(crate) mod testing {
    //! The paper's defaults, shared by the tests of this module.

    use crate::lb::Scheme;
    use crate::settings::*;
    use crate::units::{Rate, Ratio, Span};

    /// A scenario with the paper's values whose workload is never looked at.
    pub(crate) fn paper(levels: u8, k: u32) -> Scenario {
        Scenario {
            name: "paper".into(),
            fabric: Fabric {
                levels,
                k,
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
            load_balancing: Scheme::by_name("rps").expect("a scheme of the table"),
            congestion_control: CongestionControl { load: Ratio::ONE },
            nic: Nic {
                ack_turns: AckTurns::Class,
            },
            workload: Workload {
                kind: WorkloadKind::Permutation {
                    message_bytes: 1 << 20,
                    inter_pod_only: false,
                },
                start_jitter: StartJitter::Slot,
                stragglers: None,
                pacing_jitter_pct: Ratio { num: 0, den: 1 },
            },
            imperfection: Imperfection::default(),
            trigger_latency: None,
            horizon: None,
        }
    }
}
