//! What bounds a port's queue, in bytes, in packets or in bandwidth-delay products: buffer and ECN thresholds.
//!
//! A packet is a full data frame, payload and header: with 64 KiB packets the paper's threshold is 10 packets (its section 6.6). A
//! bandwidth-delay product is what a host's link carries in the longest base RTT, rounded up to whole packets, and so are parts of it
//! (uet-htsim's `calculate_bdp_pkt`).

use crate::fields::Fields;
use crate::json::Origin;
use crate::theory::fabric_numbers;
use crate::units::Ratio;

use super::check::MAX_BYTES;
use super::{Fabric, PacketFormat};

/// The most packets: with the largest frames, below 2^55 bytes.
const MAX_PACKETS: u64 = 1 << 30;

/// The ECN threshold where the scenario gives none (paper, section 6: 80 KB).
const ECN_THRESHOLD_BYTES: u64 = 80_000;

/// The most bandwidth-delay products.
const MAX_BDPS: u64 = 1_000;

/// One bound, as written.
#[derive(Clone, Copy, Debug)]
enum Bound {
    None,
    Bytes(u64),
    Packets(u64),
    /// So many bandwidth-delay products.
    Bdps(Ratio),
}

/// What packets and bandwidth-delay products are in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    frame: u64,
    bdp_frames: u64,
}

impl Measure {
    /// Frames of `packet` on links like those of `fabric`.
    pub(super) fn new(fabric: &Fabric, packet: &PacketFormat) -> Self {
        Self {
            frame: packet.full_frame(),
            bdp_frames: fabric_numbers::bdp_frames(fabric, packet),
        }
    }
}

impl Bound {
    fn bytes(self, of: Measure) -> Option<u64> {
        match self {
            Self::None => None,
            Self::Bytes(bytes) => Some(bytes),
            Self::Packets(packets) => Some(packets * of.frame),
            Self::Bdps(bdps) => {
                let packets = u128::from(of.bdp_frames) * u128::from(bdps.num);
                let packets = packets.div_ceil(bdps.den.into());
                let bytes = packets.saturating_mul(of.frame.into());
                // Above all that may be told in bytes or packets there is no difference.
                Some(bytes.min(1 << 62) as u64)
            }
        }
    }

    /// Which of three keys gives it.
    const fn key(self, keys: [&'static str; 3]) -> &'static str {
        match self {
            Self::None | Self::Bytes(_) => keys[0],
            Self::Packets(_) => keys[1],
            Self::Bdps(_) => keys[2],
        }
    }

    /// It in words, with its unit.
    fn words(self) -> String {
        match self {
            Self::None => "nothing".to_owned(),
            Self::Bytes(bytes) => format!("{bytes} bytes"),
            Self::Packets(packets) => format!("{packets} packets"),
            Self::Bdps(bdps) => format!("{} bandwidth-delay products", bdps.as_f64()),
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

const BUFFER: [&str; 3] = ["buffer_bytes", "buffer_packets", "buffer_bdp"];
const ECN: [&str; 3] = [
    "ecn_threshold_bytes",
    "ecn_threshold_packets",
    "ecn_threshold_bdp",
];
const ECN_MAX: [&str; 3] = [
    "ecn_max_threshold_bytes",
    "ecn_max_threshold_packets",
    "ecn_max_threshold_bdp",
];

impl Bounds {
    /// Read the ten keys of the `fabric` object.
    pub(super) fn read(fields: &mut Fields<'_>) -> Self {
        let bytes = fields.nullable_integer(BUFFER[0], None, 1..=MAX_BYTES);
        let buffer = one(fields, BUFFER, bytes, 1);
        let bytes = fields.nullable_integer_or(ECN[0], "auto", 0..=MAX_BYTES);
        let ecn_threshold = match (one(fields, ECN, bytes.flatten(), 0), bytes) {
            (Bound::None, None) => Bound::Bytes(ECN_THRESHOLD_BYTES),
            (bound, _) => bound,
        };
        let bytes = fields.nullable_integer(ECN_MAX[0], None, 0..=MAX_BYTES);
        let ecn_max_threshold = one(fields, ECN_MAX, bytes, 0);
        let origin = |key| (key, fields.origin(key));
        let buffer_key = origin(buffer.key(BUFFER));
        let ecn_max_key = origin(ecn_max_threshold.key(ECN_MAX));
        Self {
            buffer,
            ecn_threshold,
            ecn_max_threshold,
            ecn_counts_departing: fields.boolean("ecn_counts_departing", true),
            ecn_max_key,
            buffer_key,
        }
    }

    /// The buffer in bytes; `None`: unlimited.
    pub(super) fn buffer_bytes(&self, of: Measure) -> Option<u64> {
        self.buffer.bytes(of)
    }

    /// The ECN threshold in bytes; `None`: never.
    pub(super) fn ecn_threshold_bytes(&self, of: Measure) -> Option<u64> {
        self.ecn_threshold.bytes(of)
    }

    /// The threshold in bytes above which all is marked; `None`: the same.
    pub(super) fn ecn_max_threshold_bytes(&self, of: Measure) -> Option<u64> {
        self.ecn_max_threshold.bytes(of)
    }
}

/// The bound that is given by one of three keys, of which that of bytes has been read: in packets, from `least` on, or in bandwidth-delay
/// products. In more than one, it is a problem.
fn one(fields: &mut Fields<'_>, keys: [&'static str; 3], bytes: Option<u64>, least: u64) -> Bound {
    let packets = fields.nullable_integer(keys[1], None, least..=MAX_PACKETS);
    let bdps = fields.nullable_positive(keys[2], MAX_BDPS);
    let told = [
        bytes.map(Bound::Bytes),
        packets.map(Bound::Packets),
        bdps.map(Bound::Bdps),
    ];
    let mut told = told.into_iter().flatten();
    let bound = told.next().unwrap_or(Bound::None);
    for other in told {
        let text = format!(
            "{} beside {}.{}, which is {}; allowed: one of the three, null for the others",
            other.words(),
            fields.path(),
            bound.key(keys),
            bound.words()
        );
        fields.problem(other.key(keys), text);
    }
    bound
}
