//! What bounds a port's queue, in bytes, in packets or in bandwidth-delay products: buffer and ECN thresholds.
//!
//! A packet is a full data frame, payload and header: with 64 KiB packets the paper's threshold is 10 packets (its section 6.6). A
//! bandwidth-delay product is what a host's link carries in the longest base RTT, rounded up to whole packets, and so are parts of it
//! (uet-htsim's `calculate_bdp_pkt`).

use crate::fields::{Fields, flag, integer, nullable, params, positive, word_or};
use crate::settings::limits::MAX_BYTES;
use crate::settings::{Fabric, PacketFormat};
use crate::theory::fabric_numbers;
use crate::units::Ratio;

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

params! {
    /// The bounds of all queues, as written.
    #[derive(Clone, Debug)]
    pub(super) struct Bounds {
        /// Bytes that an output port holds, frame in service included, where a topology file does not say; null: unlimited, unless
        /// buffer_packets or buffer_bdp says otherwise
        buffer_bytes: Option<u64> =
            key("buffer_bytes", nullable(integer(1..=MAX_BYTES)), default = None, limits = "at least one frame", sample = "100000"),
        /// The same in full data frames (payload and header), so that it follows packet.payload_bytes; one of the three at most
        buffer_packets: Option<u64> = key("buffer_packets", nullable(integer(1..=MAX_PACKETS)), default = None),
        /// The same in bandwidth-delay products: of what a host's link carries in the longest base RTT, in full data frames rounded up, this
        /// many (rounded up), so that it follows the fabric (uet-htsim: 1 where ports trim, else 5); one of the three at most
        buffer_bdp: Option<Ratio> = key("buffer_bdp", nullable(positive(MAX_BDPS)), default = None),
        /// A data frame that leaves while its port holds more than this, itself included, is marked; auto: 80000, or what
        /// ecn_threshold_packets or ecn_threshold_bdp says; null: never, likewise
        ecn_bytes: Option<Option<u64>> = key("ecn_threshold_bytes", word_or("auto", nullable(integer(0..=MAX_BYTES))), default = None),
        /// The same in full data frames; one of the three at most
        ecn_packets: Option<u64> = key("ecn_threshold_packets", nullable(integer(0..=MAX_PACKETS)), default = None),
        /// The same in bandwidth-delay products, as for buffer_bdp (uet-htsim: 0.2); one of the three at most
        ecn_bdp: Option<Ratio> = key("ecn_threshold_bdp", nullable(positive(MAX_BDPS)), default = None),
        /// RED: below ecn_threshold_bytes no frame is marked, above this every frame, and in between with a probability that grows linearly
        /// from 0 to 1; null: all above ecn_threshold_bytes, unless ecn_max_threshold_packets or ecn_max_threshold_bdp says otherwise
        ecn_max_bytes: Option<u64> = key("ecn_max_threshold_bytes", nullable(integer(0..=MAX_BYTES)), default = None,
            limits = "at least the lower threshold", sample = "100000"),
        /// The same in full data frames; one of the three at most
        ecn_max_packets: Option<u64> = key("ecn_max_threshold_packets", nullable(integer(0..=MAX_PACKETS)), default = None,
            limits = "at least the lower threshold", sample = "100"),
        /// The same in bandwidth-delay products, as for buffer_bdp (uet-htsim: 0.8); one of the three at most
        ecn_max_bdp: Option<Ratio> =
            key("ecn_max_threshold_bdp", nullable(positive(MAX_BDPS)), default = None, limits = "at least the lower threshold", sample = "1"),
        /// Whether the frame that leaves counts among the bytes that are compared with the thresholds
        pub(super) ecn_counts_departing: bool = key("ecn_counts_departing", flag(), default = true),
    }
}

/// The keys of a bound: in bytes, in packets, in bandwidth-delay products.
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
    /// Each bound by one of its three keys at most.
    pub(super) fn told_once(&self, fields: &mut Fields<'_>) {
        for (keys, told) in [
            (BUFFER, self.buffer_told()),
            (ECN, self.ecn_told()),
            (ECN_MAX, self.ecn_max_told()),
        ] {
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
        }
    }

    fn buffer_told(&self) -> [Option<Bound>; 3] {
        told(self.buffer_bytes, self.buffer_packets, self.buffer_bdp)
    }

    fn ecn_told(&self) -> [Option<Bound>; 3] {
        told(self.ecn_bytes.flatten(), self.ecn_packets, self.ecn_bdp)
    }

    fn ecn_max_told(&self) -> [Option<Bound>; 3] {
        told(self.ecn_max_bytes, self.ecn_max_packets, self.ecn_max_bdp)
    }

    /// The buffer in bytes; `None`: unlimited.
    pub(super) fn buffer_bytes(&self, of: Measure) -> Option<u64> {
        first(self.buffer_told()).bytes(of)
    }

    /// The ECN threshold in bytes; `None`: never.
    pub(super) fn ecn_threshold_bytes(&self, of: Measure) -> Option<u64> {
        match (first(self.ecn_told()), self.ecn_bytes) {
            (Bound::None, None) => Some(ECN_THRESHOLD_BYTES),
            (bound, _) => bound.bytes(of),
        }
    }

    /// The threshold in bytes above which all is marked; `None`: the same.
    pub(super) fn ecn_max_threshold_bytes(&self, of: Measure) -> Option<u64> {
        first(self.ecn_max_told()).bytes(of)
    }

    /// The key that gives the buffer.
    pub(super) fn buffer_key(&self) -> &'static str {
        first(self.buffer_told()).key(BUFFER)
    }

    /// The key that gives the upper ECN threshold.
    pub(super) fn ecn_max_key(&self) -> &'static str {
        first(self.ecn_max_told()).key(ECN_MAX)
    }
}

/// A bound as its three keys tell it.
fn told(bytes: Option<u64>, packets: Option<u64>, bdps: Option<Ratio>) -> [Option<Bound>; 3] {
    [
        bytes.map(Bound::Bytes),
        packets.map(Bound::Packets),
        bdps.map(Bound::Bdps),
    ]
}

/// The first that is told.
fn first(told: [Option<Bound>; 3]) -> Bound {
    told.into_iter().flatten().next().unwrap_or(Bound::None)
}
