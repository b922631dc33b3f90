//! How hosts recover what the fabric loses.

use super::limits::{MAX_REORDERED, MAX_TIMEOUT};
use super::{Fabric, PacketFormat, QueueKind};
use crate::fields::{integer, microseconds, nullable, params, words};
use crate::units::{Rate, Span};

/// The transport of all flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transport {
    /// What the receiver does with packets out of order, and what completes a flow.
    pub kind: TransportKind,
    /// Whether a connection begins with a SYN, and sends nothing else before its answer.
    pub handshake: bool,
    /// Frame bytes that a receiver takes before it owes an ACK; 0: an ACK a packet.
    pub ack_bytes_threshold: u32,
    /// What an ACK takes out of flight: the bytes by which the receiver's count has grown; else the packets that it names.
    pub counts_received_bytes: bool,
    /// Packets above the lowest missing one that a receiver keeps.
    pub reorder_packets: u32,
    /// A packet sent once is lost when one so many PSNs above it is acknowledged; `None`: never for that reason. NewReno: so many duplicate
    /// ACKs begin a recovery; `None`: 3.
    pub dup_threshold: Option<DupThreshold>,
    /// Retransmission timeout.
    pub rto: Rto,
    /// Recovery by out-of-order counts and probes; `None`: off.
    pub sleek: Option<Sleek>,
    /// A connection gives up after so many timeouts in a row without anything new acknowledged, or when a packet is lost that was sent ten
    /// times as often.
    pub give_up_after: u32,
}

impl Transport {
    /// Selective repeat as a scenario has it that says no more.
    pub const SELECTIVE_REPEAT: Self = Self {
        kind: TransportKind::SelectiveRepeat,
        handshake: false,
        ack_bytes_threshold: 0,
        counts_received_bytes: false,
        reorder_packets: 16_384,
        dup_threshold: None,
        rto: Rto {
            kind: RtoKind::Fixed(None),
            backoff: 1,
            max: Span::from_ns(10_000_000),
            scope: RtoScope::Oldest,
        },
        sleek: None,
        give_up_after: 100,
    };

    /// Full data packets in order, not marked, that a receiver takes before it owes an ACK.
    #[must_use]
    pub fn packets_an_ack(&self, packet: &PacketFormat) -> u64 {
        let owed = u64::from(self.ack_bytes_threshold);
        owed.div_ceil(packet.full_frame()).max(1)
    }
}

/// By how many packets one is overtaken that is taken for lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DupThreshold {
    /// So many.
    Packets(u32),
    /// So many, and as many as there are paths between its hosts (htsim's TCP over several paths).
    PathsPlus(u32),
}

impl DupThreshold {
    /// It in packets, between hosts with so many paths.
    #[must_use]
    pub const fn packets(self, paths: u32) -> u32 {
        match self {
            Self::Packets(packets) => packets,
            Self::PathsPlus(more) => paths.saturating_add(more),
        }
    }
}

/// What the receiver does with packets out of order, and what completes a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportKind {
    /// It keeps them; the sender repeats what is missing.
    SelectiveRepeat,
    /// It discards them; the sender goes back.
    GoBackN,
    /// It keeps them; the sender repeats one hole a round trip (TCP).
    NewReno,
    /// Any packets complete the flow if they are enough.
    Erasure(Erasure),
}

impl TransportKind {
    /// Whether an ACK says up to where everything has arrived, and nothing of what is beyond.
    #[must_use]
    pub const fn is_cumulative(self) -> bool {
        matches!(self, Self::GoBackN | Self::NewReno)
    }
}

/// Completion by any sufficient number of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Erasure {
    /// Packets needed beyond those of the message.
    pub extra_packets: u32,
    /// Whether a sender that has sent enough goes on after a smoothed RTT without the last ACK.
    pub resume: bool,
}

/// Retransmission timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rto {
    /// How long it is.
    pub kind: RtoKind,
    /// Factor by which each expiry in a row lengthens it: 1 or 2.
    pub backoff: u32,
    /// The longest that backoff makes it.
    pub max: Span,
    /// What an expiry declares lost.
    pub scope: RtoScope,
}

impl Rto {
    /// The timeout before there are samples and expiries: the fixed one, or the initial estimate.
    ///
    /// A fixed one that is not told is that of uet-htsim: 15 us and six times what the largest buffer of any port takes to drain, and
    /// 100 us where a buffer is unlimited. Where ports are lossless it is 10 ms (our reading): nothing is dropped there, and a packet waits
    /// for as long as pauses last, in an incast for as long as all others take.
    #[must_use]
    pub fn first(&self, fabric: &Fabric) -> Span {
        let drained = |drain: Span| Span(drain.0.saturating_mul(6).saturating_add(15_000_000));
        match self.kind {
            RtoKind::Fixed(Some(told)) => told,
            RtoKind::Fixed(None) if matches!(fabric.queue.kind, QueueKind::Lossless(_)) => {
                Span::from_ns(10_000_000)
            }
            RtoKind::Fixed(None) => {
                let drain = fabric.longest_drain();
                drain.map_or(Span::from_ns(100_000), drained)
            }
            RtoKind::Estimated { initial, .. } => initial,
        }
    }
}

impl Fabric {
    /// What every port's buffer holds, down-ports and uplinks of each tier of switches; `None`: one is unlimited.
    ///
    /// Of a shared buffer, what one port alone can take of it.
    fn buffers(&self) -> impl Iterator<Item = (Rate, Option<u64>)> {
        let shared = self
            .queue
            .shared_buffer
            .map(|buffer| buffer.one_port_bytes());
        let tiers = self.tiers();
        // Uplinks are links of the tier above.
        let ups = tiers.iter().zip(tiers.iter().skip(1));
        let ups = ups.map(|(tier, above)| (above.rate, tier.up_buffer_bytes));
        let downs = tiers.iter().map(|tier| (tier.rate, tier.down_buffer_bytes));
        downs
            .chain(ups)
            .map(move |(rate, bytes)| (rate, shared.or(bytes)))
    }

    /// What the full buffer of a port takes to drain, of the port where that is longest; `None`: a buffer is unlimited.
    #[must_use]
    pub fn longest_drain(&self) -> Option<Span> {
        let drain = |(rate, bytes): (Rate, Option<u64>)| {
            let bits = u128::from(bytes?) * 8_000_000_000_000;
            let ps = bits.div_ceil(u128::from(rate.bits_per_sec()));
            Some(Span(u64::try_from(ps).unwrap_or(u64::MAX)))
        };
        let drains: Option<Vec<Span>> = self.buffers().map(drain).collect();
        drains?.into_iter().max()
    }
}

/// How long a timeout is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoKind {
    /// Always the same; `None`: as [`Rto::first`] says.
    Fixed(Option<Span>),
    /// Smoothed RTT and four mean deviations (RFC 6298).
    Estimated {
        /// Before the first sample.
        initial: Span,
        /// At least this.
        min: Span,
    },
}

words! {
    /// What an expiry declares lost.
    pub enum RtoScope {
        /// What was sent a timeout ago (uet-htsim).
        Oldest = "oldest",
        /// All that is in flight.
        All = "all",
    }
}

params! {
    /// SLEEK, the loss recovery of uet-htsim.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Sleek {
        /// A probe whose answer is delayed by less than this says that what is missing is lost; null: 3/4 of the base RTT
        pub target: Option<Span> = key("target_us", nullable(microseconds(1..=MAX_TIMEOUT)), default = None),
        /// Packets out of order that start recovery, at least
        pub min_packets: u32 = key("min_packets", integer(1..=MAX_REORDERED), default = 5),
        /// The same as percent of the window
        pub window_pct: u32 = key("window_pct", integer(1..=1_000), default = 150),
        /// A probe asks for an ACK so many base RTTs after the last one came
        pub probe_rtts: u32 = key("probe_rtts", integer(1..=1_000), default = 3),
        /// Each further probe goes so many base RTTs after the one before
        pub probe_retry_rtts: u32 = key("probe_retry_rtts", integer(1..=1_000), default = 5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Lossless, Queue, SharedBuffer, Tier};
    use crate::units::Ratio;

    fn fabric() -> Fabric {
        let tier = Tier {
            rate: Rate::from_gbps(800),
            latency: Span::from_ns(500),
            switch_latency: Span::ZERO,
            down_buffer_bytes: Some(800_000),
            up_buffer_bytes: Some(800_000),
        };
        Fabric::plain(2, 4, tier)
    }

    fn rto(kind: RtoKind) -> Rto {
        Rto {
            kind,
            backoff: 1,
            max: Span::from_ns(10_000_000),
            scope: RtoScope::Oldest,
        }
    }

    #[test]
    fn a_fixed_timeout_follows_the_buffer_that_takes_longest_to_drain() {
        let rto = rto(RtoKind::Fixed(None));
        let mut fabric = fabric();
        // 800 kB at 800 Gb/s are 8 us (uet-htsim: 63 us).
        assert_eq!(rto.first(&fabric), Span::from_ns(63_000));
        fabric.tiers[1].rate = Rate::from_gbps(400);
        assert_eq!(rto.first(&fabric), Span::from_ns(15_000 + 6 * 16_000));
        fabric.tiers[0].up_buffer_bytes = None;
        assert_eq!(rto.first(&fabric), Span::from_ns(100_000));
    }

    #[test]
    fn a_fixed_timeout_outlasts_pauses_where_ports_are_lossless() {
        let mut fabric = fabric();
        fabric.queue.kind = QueueKind::Lossless(Lossless {
            pause_bytes: None,
            resume_bytes: None,
            resume_offset_bytes: None,
            headroom_bytes: None,
            pause_frame_bytes: 64,
        });
        assert_eq!(
            rto(RtoKind::Fixed(None)).first(&fabric),
            Span::from_ns(10_000_000)
        );
        assert_eq!(rto(RtoKind::Fixed(Some(Span(9)))).first(&fabric), Span(9));
    }

    #[test]
    fn the_top_switches_have_no_uplinks_that_would_count() {
        let mut fabric = fabric();
        fabric.tiers[1].up_buffer_bytes = None;
        let rto = rto(RtoKind::Fixed(None));
        assert_eq!(rto.first(&fabric), Span::from_ns(63_000));
    }

    #[test]
    fn a_shared_buffer_counts_as_far_as_one_port_alone_can_fill_it() {
        let mut fabric = fabric();
        fabric.each_tier(|tier| (tier.down_buffer_bytes, tier.up_buffer_bytes) = (None, None));
        fabric.queue = Queue {
            shared_buffer: Some(SharedBuffer {
                bytes: 2_400_000,
                alpha: Ratio { num: 1, den: 2 },
            }),
            ..Queue::PLAIN
        };
        // A third of it.
        let rto = rto(RtoKind::Fixed(None));
        assert_eq!(rto.first(&fabric), Span::from_ns(63_000));
    }

    #[test]
    fn an_estimate_starts_as_told_and_so_does_a_fixed_timeout() {
        let (initial, min) = (Span(7), Span(5));
        let estimated = rto(RtoKind::Estimated { initial, min });
        assert_eq!(estimated.first(&fabric()), Span(7));
        let fixed = rto(RtoKind::Fixed(Some(Span(9))));
        assert_eq!(fixed.first(&fabric()), Span(9));
    }
}
