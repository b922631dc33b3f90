//! Packet trimming: where data does not fit, its payload is cut off and the header goes on, before all data. Or nothing goes on: the packet
//! is dropped (uet-htsim's `CompositeQueue` with `-disable_trim`), and all else stays as it is.
//!
//! Which packet is cut or dropped: the one that arrives (NDP's switch without its coin; Handley et al., SIGCOMM 2017), or, as a fair coin says, that or the
//! last one that waits (uet-htsim's `CompositeQueue`). The frame in service never is.
//!
//! Not modelled: headers that are sent back to the sender, a limit on how long headers go first.

use crate::packet::{Flags, Kind, Packet};

/// How a port trims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trim {
    /// Bytes of a packet without its payload; `None`: nothing is left of it.
    pub bytes: Option<u32>,
    /// Bytes of control frames that fit.
    pub header_buffer_bytes: u64,
    /// Whether a coin says which packet is cut or dropped; else the one that arrives.
    pub coin: bool,
    /// Whether the port leads to a host.
    pub last_hop: bool,
}

impl Trim {
    /// `packet` without its payload; `None`: nothing is left of it.
    #[must_use]
    pub fn cut(&self, mut packet: Packet) -> Option<Packet> {
        packet.size = packet.size.min(self.bytes?);
        packet.kind = Kind::Trimmed;
        packet
            .flags
            .set(Flags::when(self.last_hop, Flags::LAST_HOP));
        Some(packet)
    }
}
