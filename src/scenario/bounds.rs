//! What bounds a port's queue, in bytes or in packets: buffer and ECN threshold.
//!
//! A packet is a full data frame, payload and header: with 64 KiB packets the paper's threshold is 10 packets (its section 6.6).

use crate::fields::Fields;
use crate::json::Origin;

use super::PacketFormat;
use super::check::MAX_BYTES;

/// The most packets: with the largest frames, below 2^55 bytes.
const MAX_PACKETS: u64 = 1 << 30;

/// The ECN threshold where the scenario gives none (paper, section 6: 80 KB).
const ECN_THRESHOLD_BYTES: u64 = 80_000;

/// One bound, as written.
#[derive(Clone, Copy, Debug)]
enum Bound {
    None,
    Bytes(u64),
    Packets(u64),
}

impl Bound {
    fn bytes(self, frame: u64) -> Option<u64> {
        match self {
            Self::None => None,
            Self::Bytes(bytes) => Some(bytes),
            Self::Packets(packets) => Some(packets * frame),
        }
    }
}

/// The bounds of all queues, as written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    buffer: Bound,
    ecn_threshold: Bound,
    /// The key that gives the buffer, and where its value came from.
    pub(super) buffer_key: (&'static str, Origin),
}

impl Bounds {
    /// Read the four keys of the `fabric` object.
    pub(super) fn read(fields: &mut Fields<'_>) -> Self {
        let bytes = fields.nullable_integer("buffer_bytes", None, 1..=MAX_BYTES);
        let packets = fields.nullable_integer("buffer_packets", None, 1..=MAX_PACKETS);
        let buffer = one(fields, ["buffer_bytes", "buffer_packets"], bytes, packets);
        let key = match buffer {
            Bound::Packets(_) => "buffer_packets",
            Bound::None | Bound::Bytes(_) => "buffer_bytes",
        };
        let keys = ["ecn_threshold_bytes", "ecn_threshold_packets"];
        let bytes = fields.nullable_integer_or(keys[0], "auto", 0..=MAX_BYTES);
        let packets = fields.nullable_integer(keys[1], None, 0..=MAX_PACKETS);
        let automatic = packets.is_none().then_some(ECN_THRESHOLD_BYTES);
        let ecn_threshold = one(fields, keys, bytes.unwrap_or(automatic), packets);
        Self {
            buffer,
            ecn_threshold,
            buffer_key: (key, fields.origin(key)),
        }
    }

    /// The buffer in bytes that it is with these frames; `None`: unlimited.
    pub(super) fn buffer_bytes(&self, packet: &PacketFormat) -> Option<u64> {
        self.buffer.bytes(full_frame(packet))
    }

    /// The ECN threshold in bytes that it is with these frames; `None`: never.
    pub(super) fn ecn_threshold_bytes(&self, packet: &PacketFormat) -> Option<u64> {
        self.ecn_threshold.bytes(full_frame(packet))
    }
}

fn full_frame(packet: &PacketFormat) -> u64 {
    u64::from(packet.payload_bytes) + u64::from(packet.header_bytes)
}

/// The bound that is given in one of two units; in both, it is a problem.
fn one(
    fields: &mut Fields<'_>,
    [in_bytes, in_packets]: [&'static str; 2],
    bytes: Option<u64>,
    packets: Option<u64>,
) -> Bound {
    match (bytes, packets) {
        (None, None) => Bound::None,
        (Some(bytes), None) => Bound::Bytes(bytes),
        (None, Some(packets)) => Bound::Packets(packets),
        (Some(bytes), Some(packets)) => {
            let path = fields.path();
            let text = format!(
                "{packets} packets beside {path}.{in_bytes}, which is {bytes}; allowed: one of the two, null for the other"
            );
            fields.problem(in_packets, text);
            Bound::Packets(packets)
        }
    }
}
