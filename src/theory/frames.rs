//! What the closed forms need to know of a message: how many frames, and how long each takes.
//!
//! Names follow the paper's appendix A: T_d, T_a, T_g and T_p are `data`, `ack`, `gap` and `Exact::latency`. Where tiers of links differ in rate, a
//! frame's H T_d is the sum over its way, and only the hosts' links are taken to be shared by the frames of a message: other hops may
//! have parallel links.

use crate::settings::{Acks, Scenario};
use crate::units::Span;

/// One message as frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frames {
    /// Data packets, at least 1; all are full but the last.
    pub packets: u64,
    /// Whether data packets are acknowledged.
    pub acks: bool,
    /// Whether only the last of them is sure to be: receivers owe an ACK after more than one full frame.
    pub few_acks: bool,
    /// Idle time after every frame on a host's link.
    pub gap: Span,
    /// How long frames take on each tier of links, hosts' links first.
    pub tiers: [Times; 3],
}

/// Times on one tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Serialisation of a full data frame.
    pub data: Span,
    /// Serialisation of the last data frame, at most `data`.
    pub last: Span,
    /// Serialisation of an ACK.
    pub ack: Span,
    /// Propagation of one link.
    pub link: Span,
    /// Time between arrival and enqueueing in the switch at its upper end.
    pub switch: Span,
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
        Self {
            packets,
            acks: packet.acks == Acks::PerPacket,
            few_acks: scenario
                .transport
                .is_some_and(|t| t.packets_an_ack(packet) > 1),
            gap: fabric.host_rate().tx_time(packet.gap_bytes.into()),
            tiers: fabric.tiers.map(|tier| Times {
                data: tier.rate.tx_time(payload + header),
                last: tier.rate.tx_time(last_payload + header),
                ack: tier.rate.tx_time(packet.ack_bytes.into()),
                link: tier.latency,
                switch: tier.switch_latency,
            }),
        }
    }

    /// On a way of `hops` links (2, 4 or 6): up through `hops` / 2 tiers and down again.
    pub(super) fn exact(&self, hops: u32) -> Exact {
        let tiers = &self.tiers[..(hops / 2) as usize];
        let sum = |of: fn(&Times) -> Span| -> u128 {
            tiers.iter().map(|tier| u128::from(of(tier).0)).sum()
        };
        let both_ways = |of| 2 * sum(of);
        let host = self.tiers[0];
        // The top switch is passed once.
        let top = tiers.last().map_or(0, |tier| tier.switch.0.into());
        Exact {
            m: self.packets.into(),
            td: host.data.0.into(),
            tl: host.last.0.into(),
            ta: host.ack.0.into(),
            tg: self.gap.0.into(),
            last_link: host.link.0.into(),
            latency: both_ways(|tier| tier.link) + both_ways(|tier| tier.switch) - top,
            data_way: both_ways(|tier| tier.data),
            short_way: both_ways(|tier| tier.last),
            ack_way: both_ways(|tier| tier.ack),
        }
    }
}

/// The same on one way, in 128 bits, where no sum of a message of 2^64 bytes overflows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    pub(super) m: u128,
    /// On a host's link.
    pub(super) td: u128,
    pub(super) tl: u128,
    pub(super) ta: u128,
    pub(super) tg: u128,
    /// Propagation of the receiver's link.
    pub(super) last_link: u128,
    /// T_p.
    pub(super) latency: u128,
    /// Serialisation of a full data frame, the last data frame and an ACK, over all links of the way.
    pub(super) data_way: u128,
    pub(super) short_way: u128,
    pub(super) ack_way: u128,
}

impl Exact {
    /// From the start of an ACK's first bit to its arrival, unhindered.
    pub(super) fn ack_trip(&self) -> u128 {
        self.latency + self.ack_way
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
                shape: Shape::fat_tree(levels, k),
                tiers: [Tier {
                    rate: Rate::from_gbps(800),
                    latency: Span::from_ns(500),
                    switch_latency: Span::ZERO,
                    down_buffer_bytes: None,
                    up_buffer_bytes: None,
                }; 3],
                ecn_threshold_bytes: Some(80_000),
                failures: None,
                queue: crate::settings::Queue::PLAIN,
                losses: crate::settings::Losses::NONE,
            },
            packet: PacketFormat {
                payload_bytes: 4096,
                header_bytes: 62,
                ack_bytes: 64,
                gap_bytes: 20,
                acks: Acks::PerPacket,
            },
            load_balancing: Scheme::by_name("rps").expect("a scheme of the table"),
            deployments: Vec::new(),
            transport: None,
            congestion_control: CongestionControl {
                controller: crate::cc::Controller::default(),
                load: Ratio::ONE,
                rho_max: RhoMaxRule::PathEqual,
            },
            nic: Nic {
                ack_turns: AckTurns::Class,
                control_per_data: 1,
            },
            workload: Workload {
                kind: std::sync::Arc::new(crate::workload::permutation::Permutation {
                    message_bytes: 1 << 20,
                    inter_pod_only: false,
                }),
                mice: None,
                start_jitter: StartJitter::Slot,
                stragglers: None,
                pacing_jitter_pct: Ratio { num: 0, den: 1 },
                pacing_jitter_adds: false,
            },
            imperfection: Imperfection::default(),
            trigger_latency: None,
            horizon: None,
        }
    }
}
