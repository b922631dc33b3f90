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
    /// Acknowledges one data packet.
    Ack = 1,
    /// No frame, and never on a wire: tells a host that a trigger (`flow`) was activated (`psn` times).
    Notice = 2,
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
    /// Index within the flow, from 0, in the order of sending. An ACK repeats that of the data packet.
    pub psn: u32,
    /// Frame bytes, headers included, gap excluded.
    pub size: u32,
    /// Entropy value or source route.
    pub path: u16,
    /// The port at which it arrives at the node that handles it.
    pub ingress: u16,
    /// Data, ACK or notice.
    pub kind: Kind,
    /// ECN: on data, congestion experienced; on an ACK, the echo of it.
    pub marked: bool,
    /// Uplinks taken so far: `[at the edge, at the aggregation switch]`.
    pub via: [u8; 2],
}

impl Packet {
    /// Whether this is an acknowledgement.
    #[inline]
    #[must_use]
    pub fn is_ack(&self) -> bool {
        self.kind == Kind::Ack
    }
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
    }

    #[test]
    fn a_source_route_names_both_uplinks() {
        assert_eq!(route_uplinks(source_route(5, 63)), [5, 63]);
    }
}
