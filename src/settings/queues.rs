//! How the output ports of switches queue, drop, mark, trim and pause.

use super::limits::MAX_BYTES;
use super::{PacketFormat, Tier};
use crate::fields::{integer, keys, positive, words};
use crate::units::{Ratio, Time};

/// The queues of all switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// What happens where room is short.
    pub kind: QueueKind,
    /// Control frames are served before data.
    pub control_priority: bool,
    /// The ports of a switch share its buffer; `None`: each has its own.
    pub shared_buffer: Option<SharedBuffer>,
    /// Marks are random between the fabric's ECN threshold and this (RED); `None`: all are marked above the one threshold.
    pub ecn_max_threshold_bytes: Option<u64>,
    /// Whether the departing frame counts among the bytes that are compared with a threshold.
    pub ecn_counts_departing: bool,
}

impl Queue {
    /// One FIFO a port that drops at its tail.
    pub const PLAIN: Self = Self {
        kind: QueueKind::Fifo,
        control_priority: false,
        shared_buffer: None,
        ecn_max_threshold_bytes: None,
        ecn_counts_departing: true,
    };
}

/// What happens where room is short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueKind {
    /// Frames that do not fit are dropped.
    #[default]
    Fifo,
    /// Data that does not fit loses its payload, or is dropped where nothing is to be left of it.
    Trimming(Trimming),
    /// Neighbours are paused in time (priority flow control).
    Lossless(Lossless),
}

impl QueueKind {
    /// Whether the header of a packet that does not fit goes on and tells of the loss.
    #[must_use]
    pub const fn trims(&self) -> bool {
        matches!(self, Self::Trimming(trimming) if trimming.trim_bytes.is_some())
    }
}

keys! {
    /// A buffer that the ports of a switch share: a port may take a frame while it holds no more than `alpha` times what is free
    /// (dynamic thresholds: Choudhury and Hahne 1998).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct SharedBuffer {
        /// Bytes of the whole buffer of a switch
        pub bytes: u64 = key("bytes", integer(1..=MAX_BYTES), limits = "at least one frame", sample = "1000000"),
        /// A port may hold this times what is free of it (Choudhury and Hahne 1998)
        pub alpha: Ratio = key("alpha", positive(1_000), default = Ratio::ONE),
    }
}

impl SharedBuffer {
    /// The most bytes that one port holds while all others are empty: alpha / (1 + alpha) of the buffer, rounded down. Less than a frame
    /// more may be there, since a frame that arrives does not yet count as taken.
    #[must_use]
    pub fn one_port_bytes(&self) -> u64 {
        let Ratio { num, den } = self.alpha;
        let (num, den) = (u128::from(num), u128::from(den));
        (u128::from(self.bytes) * num / (num + den)) as u64
    }
}

/// Ports that cut payload off, with two classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trimming {
    /// Bytes of a trimmed packet; `None`: nothing is left of it, it is dropped (uet-htsim's `-disable_trim`).
    pub trim_bytes: Option<u32>,
    /// Bytes of control frames that a port holds; `None`: twice its buffer for data.
    pub header_buffer_bytes: Option<u64>,
    /// Which packet is cut, or dropped.
    pub evict: Evict,
}

words! {
    /// Which packet loses its payload, or is dropped, where one does not fit.
    pub enum Evict {
        /// The one that arrives.
        Arriving = "arriving",
        /// That or the last one in the queue, as a fair coin says (uet-htsim).
        Coin = "coin",
    }
}

/// Priority flow control (IEEE 802.1Qbb) with one lossless class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lossless {
    /// A neighbour is paused when more bytes than this are here that came from it; `None`: what a port's buffer leaves beside the headroom,
    /// or what the shared buffer says.
    pub pause_bytes: Option<u64>,
    /// It may go on when no more than this are; `None`: half of that. Without a shared buffer.
    pub resume_bytes: Option<u64>,
    /// With a shared buffer: it may go on when so many bytes less than the threshold are; `None`: two full frames.
    pub resume_offset_bytes: Option<u64>,
    /// Room beyond that for what is on its way when a neighbour is paused; `None`: what is needed.
    pub headroom_bytes: Option<u64>,
    /// A pause frame.
    pub pause_frame_bytes: u32,
}

impl Lossless {
    /// Bytes that a port at a link of `tier` must have room for beyond the threshold: the frame that exceeds it, what the link carries
    /// until the neighbour has the pause frame (another frame is in service before it, and one at the neighbour), and in both gaps.
    ///
    /// 3 F + P + 2 gaps + 2 x latency x rate (rounded up), F the largest frame (small ones that have no size in a scenario count as 64
    /// bytes) and P a pause frame. Independent of `headroom_bytes`.
    #[must_use]
    pub fn needed_headroom(&self, packet: &PacketFormat, tier: &Tier) -> u64 {
        let bits = 2 * u128::from(tier.latency.0) * u128::from(tier.rate.bits_per_sec());
        let on_the_link = bits.div_ceil(8_000_000_000_000);
        let largest = packet.full_frame().max(packet.ack_bytes.into()).max(64);
        let frames = 3 * largest + u64::from(self.pause_frame_bytes);
        let on_the_link = u64::try_from(on_the_link).unwrap_or(u64::MAX);
        (frames + 2 * u64::from(packet.gap_bytes)).saturating_add(on_the_link)
    }

    /// Bytes beyond the threshold that such a port has room for: `headroom_bytes`, or what is needed.
    #[must_use]
    pub fn headroom(&self, packet: &PacketFormat, tier: &Tier) -> u64 {
        self.headroom_bytes
            .unwrap_or_else(|| self.needed_headroom(packet, tier))
    }
}

/// Frames that links lose at random, and hosts that are stuck.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Each entry on its own.
    pub links: Vec<LinkLoss>,
    /// Each host once.
    pub stuck_hosts: Vec<StuckHost>,
}

impl Losses {
    /// Nothing.
    pub const NONE: Self = Self {
        links: Vec::new(),
        stuck_hosts: Vec::new(),
    };
}

/// Frames that links lose at random.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkLoss {
    /// The names of the link's ends; `None`: every link between switches.
    pub link: Option<(String, String)>,
    /// Which of several parallel links; `None`: all of them.
    pub member: Option<u32>,
    /// Of each frame, above zero.
    pub probability: Ratio,
    /// Which frames.
    pub frames: LossFrames,
}

words! {
    /// Which frames a link loses.
    pub enum LossFrames {
        /// All but pause frames.
        All = "all",
        /// Data and probes.
        Data = "data",
        /// ACKs, NACKs and trimmed headers.
        Control = "control",
    }
}

/// A host that takes no frames for a time: it pauses its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StuckHost {
    /// The host.
    pub host: u32,
    /// From when on.
    pub from: Time,
    /// Until when; [`Time::NEVER`]: for good.
    pub until: Time,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Acks;
    use crate::units::{Rate, Span};

    #[test]
    fn a_port_at_the_papers_links_needs_room_for_112_578_bytes_beyond_the_threshold() {
        let packet = PacketFormat {
            payload_bytes: 4096,
            header_bytes: 62,
            ack_bytes: 64,
            gap_bytes: 20,
            acks: Acks::PerPacket,
        };
        let tier = Tier {
            rate: Rate::from_gbps(800),
            latency: Span::from_ns(500),
            switch_latency: Span::ZERO,
            down_buffer_bytes: None,
            up_buffer_bytes: None,
        };
        let lossless = Lossless {
            pause_bytes: None,
            resume_bytes: None,
            resume_offset_bytes: None,
            headroom_bytes: None,
            pause_frame_bytes: 64,
        };
        // 3 x 4158 + 64 + 2 x 20, and 100 bytes a nanosecond for 1000 ns.
        assert_eq!(lossless.needed_headroom(&packet, &tier), 12_578 + 100_000);
        assert_eq!(lossless.headroom(&packet, &tier), 112_578);
        let told = Lossless {
            headroom_bytes: Some(200_000),
            ..lossless
        };
        assert_eq!(told.headroom(&packet, &tier), 200_000);
        // A picosecond of latency rounds up to a byte.
        let short = Tier {
            latency: Span(1),
            ..tier
        };
        assert_eq!(lossless.needed_headroom(&packet, &short), 12_579);
    }
}
