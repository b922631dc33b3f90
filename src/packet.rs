//! The packet: what the fabric carries, 32 bytes.
//!
//! Nothing here models bytes on the wire: a frame is its size and the few header fields that switches and hosts read.

use crate::units::Time;

/// What a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Carries payload.
    Data = 0,
    /// Acknowledges data.
    Ack = 1,
    /// The header of a data packet whose payload a full port cut off.
    Trimmed = 2,
    /// Tells the sender that a packet has not arrived.
    Nack = 3,
    /// Asks for an ACK without carrying payload; waits in queues as data does.
    Probe = 4,
    /// Priority flow control: the port that it comes in by must not send.
    Pause = 5,
    /// Takes a pause back.
    Resume = 6,
    /// No frame, and never on a wire: tells a host that a trigger (`flow`) was activated (`psn` times).
    Notice = 7,
}

/// Bits of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// None.
    pub const NONE: Self = Self(0);
    /// ECN: on data, congestion experienced; on an ACK, the echo of it.
    pub const MARKED: Self = Self(1);
    /// On data: the sender wants an ACK at once.
    pub const ASK: Self = Self(2);
    /// On data: it has been sent before.
    pub const AGAIN: Self = Self(4);
    /// On a trimmed header: the port that cut the payload off leads to the receiver.
    pub const LAST_HOP: Self = Self(8);

    /// Whether all bits of `flags` are set.
    #[inline]
    #[must_use]
    pub const fn has(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Set the bits of `flags`.
    #[inline]
    pub fn set(&mut self, flags: Self) {
        self.0 |= flags.0;
    }

    /// `flags` if `wanted`, else none.
    #[inline]
    #[must_use]
    pub const fn when(wanted: bool, flags: Self) -> Self {
        if wanted { flags } else { Self::NONE }
    }

    /// Both bits together.
    #[inline]
    #[must_use]
    pub const fn and(self, flags: Self) -> Self {
        Self(self.0 | flags.0)
    }
}

/// One frame on its way.
///
/// `path` belongs to the host scheme: an entropy value that switches hash, or a source route
/// ([`source_route`]); `via` is stamped by the switches: the uplink taken at the edge, then at the aggregation switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// When its last bit reaches the node that handles it.
    pub time: Time,
    /// Destination host.
    pub dst: u32,
    /// Flow, by index in the workload's order of senders.
    pub flow: u32,
    /// Data: index within the connection, from 0, in the order of first sending; trimmed headers and NACKs repeat it. An ACK repeats that of
    /// the data packet, or is numbered itself where its [`AckRecord`] travels beside it.
    pub psn: u32,
    /// Frame bytes, headers included, gap excluded.
    pub size: u32,
    /// Entropy value or source route.
    pub path: u16,
    /// The port at which it arrives at the node that handles it.
    pub ingress: u16,
    /// What it is.
    pub kind: Kind,
    /// Its bits.
    pub flags: Flags,
    /// Uplinks taken so far: `[at the edge, at the aggregation switch]`.
    pub via: [u8; 2],
}

impl Packet {
    /// The `psn` of the probe that opens a connection, its SYN: no other packet has it.
    pub const SYN: u32 = u32::MAX;

    /// A frame of `size` bytes that pauses or resumes the port at the other end of a link (`kind`): no host is its destination, and it belongs
    /// to no flow.
    #[inline]
    #[must_use]
    pub const fn pause_frame(kind: Kind, size: u32) -> Self {
        Self {
            time: Time::ZERO,
            dst: 0,
            flow: 0,
            psn: 0,
            size,
            path: 0,
            ingress: 0,
            kind,
            flags: Flags::NONE,
            via: [0; 2],
        }
    }

    /// The same frame as it comes in at `at` by port `ingress`.
    #[inline]
    #[must_use]
    pub const fn landing(&self, at: Time, ingress: u16) -> Self {
        Self {
            time: at,
            ingress,
            ..*self
        }
    }

    /// The same frame, which has come `via` these uplinks.
    #[inline]
    #[must_use]
    pub const fn routed(&self, via: [u8; 2]) -> Self {
        Self { via, ..*self }
    }

    /// Whether this is a small frame that says something about data: an ACK, a NACK, or a trimmed header.
    #[inline]
    #[must_use]
    pub fn is_control(&self) -> bool {
        matches!(self.kind, Kind::Ack | Kind::Nack | Kind::Trimmed)
    }

    /// Whether this is a data packet, trimmed or not.
    #[inline]
    #[must_use]
    pub fn is_of_data(&self) -> bool {
        matches!(self.kind, Kind::Data | Kind::Trimmed)
    }

    /// Which way along its flow it goes: 0 with the data, 1 back to the sender.
    #[inline]
    #[must_use]
    pub fn direction(&self) -> u8 {
        u8::from(matches!(self.kind, Kind::Ack | Kind::Nack))
    }

    /// Whether this pauses or resumes a port.
    #[inline]
    #[must_use]
    pub fn is_pause(&self) -> bool {
        matches!(self.kind, Kind::Pause | Kind::Resume)
    }

    /// ECN: whether this is marked, or echoes a mark.
    #[inline]
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.flags.has(Flags::MARKED)
    }
}

/// Frames, by what they carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameCount {
    /// Data packets, trimmed or not.
    pub data: u64,
    /// ACKs, NACKs and probes.
    pub other: u64,
}

impl FrameCount {
    /// Count `packet`; notices are no frames, and pause frames belong to one link.
    pub fn add(&mut self, packet: &Packet) {
        match packet.kind {
            Kind::Data | Kind::Trimmed => self.data += 1,
            Kind::Notice | Kind::Pause | Kind::Resume => {}
            _ => self.other += 1,
        }
    }

    /// Count `others` too.
    pub fn absorb(&mut self, others: Self) {
        self.data += others.data;
        self.other += others.other;
    }

    /// All of them.
    #[must_use]
    pub const fn all(self) -> u64 {
        self.data + self.other
    }
}

/// What an ACK or NACK says, which only its receiver reads: it travels beside the frame, so that frames stay small.
///
/// The host that makes an ACK hands its record to the engine, which has it at the other host before the frame can be there; it is
/// looked up by (`flow`, `number`) when the frame arrives, and never if the frame is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckRecord {
    /// The connection: its first flow, by index in the workload's order of senders.
    pub flow: u32,
    /// The number of the ACK or NACK on the connection, from 0.
    pub number: u32,
    /// The data packet that it answers.
    pub psn: u32,
    /// All packets below this one have arrived.
    pub cumulative: u32,
    /// The packet of the bitmap's lowest bit.
    pub base: u32,
    /// Bit j: packet `base` + j has arrived.
    pub bitmap: u64,
    /// Packets that have arrived above `cumulative`.
    pub out_of_order: u32,
    /// Packets that have arrived, each counted once.
    pub received_packets: u32,
    /// Their frame bytes, modulo 2^32.
    pub received_bytes: u32,
    /// The path of the data packet.
    pub path: u16,
    /// Whether it answers a probe.
    pub probe: bool,
    /// Whether the data packet had been sent before.
    pub again: bool,
    /// Whether the data packet lost its payload at the port that leads to the receiver.
    pub last_hop: bool,
}

/// A source route: the uplink to take at the edge (aggregation index) and at the aggregation switch (core index).
#[inline]
#[must_use]
pub const fn source_route(edge_uplink: u8, agg_uplink: u8) -> u16 {
    u16::from_le_bytes([edge_uplink, agg_uplink])
}

/// The two uplinks that a source route names.
#[inline]
#[must_use]
pub const fn route_uplinks(path: u16) -> [u8; 2] {
    path.to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_weighs_32_bytes() {
        assert_eq!(size_of::<Packet>(), 32);
        assert!(size_of::<AckRecord>() <= 48);
    }

    #[test]
    fn flags_are_set_one_by_one() {
        let mut flags = Flags::when(true, Flags::ASK);
        assert!(flags.has(Flags::ASK) && !flags.has(Flags::MARKED));
        flags.set(Flags::MARKED);
        assert_eq!(flags, Flags::ASK.and(Flags::MARKED));
        assert_eq!(Flags::when(false, Flags::ASK), Flags::NONE);
    }

    #[test]
    fn a_source_route_names_both_uplinks() {
        assert_eq!(route_uplinks(source_route(5, 63)), [5, 63]);
    }
}
