//! What bounds a port's queue, in bytes or in packets: buffer and ECN thresholds.
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
    ecn_max_threshold: Bound,
    /// Whether the departing frame counts among the bytes that are compared with a threshold.
    pub(super) ecn_counts_departing: bool,
    /// The key that gives the upper ECN threshold, and where its value came from.
    pub(super) ecn_max_key: (&'static str, Origin),
    /// The key that gives the buffer, and where its value came from.
    pub(super) buffer_key: (&'static str, Origin),
}

impl Bounds {
    /// Read the seven keys of the `fabric` object.
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
        let max_keys = ["ecn_max_threshold_bytes", "ecn_max_threshold_packets"];
        let bytes = fields.nullable_integer(max_keys[0], None, 0..=MAX_BYTES);
        let packets = fields.nullable_integer(max_keys[1], None, 0..=MAX_PACKETS);
        let ecn_max_threshold = one(fields, max_keys, bytes, packets);
        let max_key = max_keys[usize::from(matches!(ecn_max_threshold, Bound::Packets(_)))];
        Self {
            buffer,
            ecn_threshold,
            ecn_max_threshold,
            ecn_counts_departing: fields.boolean("ecn_counts_departing", true),
            ecn_max_key: (max_key, fields.origin(max_key)),
            buffer_key: (key, fields.origin(key)),
        }
    }

    /// The buffer in bytes that it is with these frames; `None`: unlimited.
    pub(super) fn buffer_bytes(&self, packet: &PacketFormat) -> Option<u64> {
        self.buffer.bytes(packet.full_frame())
    }

    /// The ECN threshold in bytes that it is with these frames; `None`: never.
    pub(super) fn ecn_threshold_bytes(&self, packet: &PacketFormat) -> Option<u64> {
        self.ecn_threshold.bytes(packet.full_frame())
    }

    /// The threshold in bytes above which all is marked; `None`: the same.
    pub(super) fn ecn_max_threshold_bytes(&self, packet: &PacketFormat) -> Option<u64> {
        self.ecn_max_threshold.bytes(packet.full_frame())
    }
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
