//! The parameters of Swift: what users read of them, their defaults (htsim's), how they are read, and those that its relatives share.

use crate::cc::params::{joined, millionths, up_to};
use crate::fields::{Fields, ParamDoc, Scale};
use crate::units::{Ratio, Span};

/// The parameters that Swift and its relatives share, where these are the defaults of the first window and the smallest one.
pub(in crate::cc) const fn shared(first: &'static str, least: &'static str) -> [ParamDoc; 8] {
    [
        ParamDoc {
            name: "target_us",
            allowed: "microseconds from 0 to 1000000, down to a whole picosecond",
            default: "1",
            about: "Queueing delay that a flow aims at: its target is so much above its base RTT",
        },
        ParamDoc {
            name: "ai",
            allowed: "a number from 0 to 1000, down to a millionth",
            default: "1",
            about: "Additive increase: full frames that a window which has come back without delay brings",
        },
        ParamDoc {
            name: "beta",
            allowed: "a number from 0 to 1000, down to a millionth",
            default: "0.8",
            about: "Gain of the multiplicative decrease",
        },
        ParamDoc {
            name: "max_mdf",
            allowed: "a number from 0 to 1, down to a millionth",
            default: "0.5",
            about: "The largest fraction of the window that one decrease takes, and that which a loss takes",
        },
        ParamDoc {
            name: "initial_window_packets",
            allowed: "null, or an integer from 1 to 1000000",
            default: first,
            about: "The first window in full frames (htsim's Swift: 15); one above the maximum lasts until the first ACK. null: a bandwidth-delay product, or the largest window if that is less",
        },
        ParamDoc {
            name: "max_window_packets",
            allowed: "null, or an integer from 1 to 1000000",
            default: "null",
            about: "The largest window in full frames; null: 1000 (htsim), or two bandwidth-delay products or the first window if that is more",
        },
        ParamDoc {
            name: "min_window_packets",
            allowed: "a number from 0.001 to 1, down to a millionth",
            default: least,
            about: "The smallest window in full frames; below 1, packets are paced (htsim's Swift: 10 bytes, 0.0025 frames of 4 KiB)",
        },
        ParamDoc {
            name: "reset_timeouts",
            allowed: "an integer from 1 to 1000000",
            default: "5",
            about: "So many timeouts in a row make the window the smallest",
        },
    ]
}

const OWN: [ParamDoc; 5] = [
    ParamDoc {
        name: "base_target_us",
        allowed: "null, or microseconds from 0 to 1000000, down to a whole picosecond",
        default: "null",
        about: "The target of a flow's RTT without hops and flow scaling, whatever target_us says (htsim: 20); null: the flow's base RTT and target_us",
    },
    ParamDoc {
        name: "hop_us",
        allowed: "null, or microseconds from 0 to 1000000, down to a whole picosecond",
        default: "null",
        about: "What each link on the way adds to the target; null: 1/6.55 of base_target_us (htsim), or nothing without one, as the base RTT knows the way",
    },
    ParamDoc {
        name: "fs_range_us",
        allowed: "null, or microseconds from 0 to 1000000, down to a whole picosecond",
        default: "null",
        about: "The most that flow scaling adds to the target; 0: there is none; null: five base targets (htsim)",
    },
    ParamDoc {
        name: "fs_min_packets",
        allowed: "a number from 0.000001 to 1000000, below fs_max_packets",
        default: "0.1",
        about: "The window in full frames below which flow scaling adds its range",
    },
    ParamDoc {
        name: "fs_max_packets",
        allowed: "a number from 0.000001 to 1000000, down to a millionth",
        default: "100",
        about: "The window in full frames above which it adds nothing",
    },
];

/// The parameters as users see them.
pub const PARAMS: &[ParamDoc] = &joined::<13>(&shared("15", "0.0025"), &OWN);

/// What the excess of a delay over its target is compared with, for the size of a decrease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    /// The full RTT.
    Rtt,
    /// What of it is above the base RTT.
    Queueing,
}

/// The parameters that Swift and its relatives share, as in [`PARAMS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The target above the base RTT.
    pub target: Span,
    /// Additive increase.
    pub ai: Ratio,
    /// Gain of the decrease.
    pub beta: Ratio,
    /// The largest decrease.
    pub max_mdf: Ratio,
    /// The first window in full frames; none: a bandwidth-delay product.
    pub initial_window_packets: Option<u64>,
    /// The largest in full frames; none: it follows from the network.
    pub max_window_packets: Option<u64>,
    /// The smallest in full frames, from 0.001 to 1.
    pub min_window_packets: Ratio,
    /// Timeouts in a row that make the window the smallest.
    pub reset_timeouts: u32,
}

/// Those of htsim, but for the first window.
impl Default for Shared {
    fn default() -> Self {
        Self {
            target: Span::from_ns(1_000),
            ai: millionths(1_000_000),
            beta: millionths(800_000),
            max_mdf: millionths(500_000),
            initial_window_packets: None,
            max_window_packets: None,
            min_window_packets: millionths(1_000_000),
            reset_timeouts: 5,
        }
    }
}

/// A million packets, microseconds.
const MANY: u64 = 1_000_000;
/// A second in picoseconds.
const SECOND: u64 = 1_000_000_000_000;
/// The largest window in full frames, unless the network needs more (htsim).
const MOST_PACKETS: u64 = 1000;

impl Shared {
    /// Reads the keys that are shared, in their order; `usual` has the defaults.
    pub(in crate::cc) fn read(fields: &mut Fields<'_>, usual: Self) -> Self {
        let target = fields.decimal("target_us", Some(usual.target.0), Scale::US, 0..=SECOND);
        Self {
            target: Span(target),
            ai: up_to(fields, "ai", usual.ai, 1000),
            beta: up_to(fields, "beta", usual.beta, 1000),
            max_mdf: up_to(fields, "max_mdf", usual.max_mdf, 1),
            initial_window_packets: fields.nullable_integer(
                "initial_window_packets",
                usual.initial_window_packets,
                1..=MANY,
            ),
            max_window_packets: fields.nullable_integer("max_window_packets", None, 1..=MANY),
            min_window_packets: millionths(fields.decimal(
                "min_window_packets",
                Some(usual.min_window_packets.num),
                Scale::MILLIONTHS,
                1_000..=1_000_000,
            )),
            reset_timeouts: fields.integer(
                "reset_timeouts",
                Some(usual.reset_timeouts.into()),
                1..=MANY,
            ) as u32,
        }
    }

    /// The first window, the smallest and the largest one in bytes. The first and the largest are at least one frame.
    pub(super) fn windows(&self, bdp_bytes: u64, frame_bytes: u64) -> (f64, f64, f64) {
        let (frame, bdp) = (frame_bytes as f64, bdp_bytes as f64);
        let bytes = |packets: u64| packets as f64 * frame;
        let first = self.initial_window_packets.map(bytes);
        let most = self.max_window_packets.map(bytes).unwrap_or_else(|| {
            let most = bytes(MOST_PACKETS).max(2.0 * bdp);
            first.map_or(most, |first| first.max(most))
        });
        let least = self.min_window_packets.as_f64() * frame;
        (first.unwrap_or_else(|| bdp.clamp(frame, most)), least, most)
    }
}

/// The parameters, as in [`PARAMS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Those that its relatives share.
    pub shared: Shared,
    /// The base of the target; none: the base RTT and [`Shared::target`].
    pub base_target: Option<Span>,
    /// What each link adds; none: it follows from the base.
    pub hop: Option<Span>,
    /// The range of flow scaling; none: it follows from the base.
    pub fs_range: Option<Span>,
    /// The window in full frames at which it adds its range.
    pub fs_min: Ratio,
    /// That at which it adds nothing, more than that.
    pub fs_max: Ratio,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            shared: Shared {
                initial_window_packets: Some(15),
                min_window_packets: millionths(2_500),
                ..Shared::default()
            },
            base_target: None,
            hop: None,
            fs_range: None,
            fs_min: millionths(100_000),
            fs_max: millionths(100_000_000),
        }
    }
}

impl Params {
    /// Reads all keys of [`PARAMS`], in their order.
    #[must_use]
    pub fn read(fields: &mut Fields<'_>) -> Self {
        let usual = Self::default();
        let shared = Shared::read(fields, usual.shared);
        let mut span = |key| {
            let told = fields.nullable_decimal(key, Scale::US, 0..=SECOND);
            told.map(Span)
        };
        let (base_target, hop, fs_range) =
            (span("base_target_us"), span("hop_us"), span("fs_range_us"));
        let mut packets = |key, usual: Ratio| {
            let range = 1..=MANY * 1_000_000;
            millionths(fields.decimal(key, Some(usual.num), Scale::MILLIONTHS, range))
        };
        let fs_min = packets("fs_min_packets", usual.fs_min);
        let fs_max = packets("fs_max_packets", usual.fs_max);
        if fs_min.num >= fs_max.num {
            let [least, most] = [fs_min, fs_max].map(|ratio| Scale::MILLIONTHS.decimal(ratio.num));
            let text = format!(
                "{least} is not below fs_max_packets, which is {most}; allowed: less than that"
            );
            fields.problem("fs_min_packets", text);
        }
        Self {
            shared,
            base_target,
            hop,
            fs_range,
            fs_min,
            fs_max,
        }
    }
}
