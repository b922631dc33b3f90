//! The parameters of Swift with their defaults (htsim's), and those that its relatives share.

use crate::fields::{Fields, integer, microseconds, millionths, nullable, params, up_to, words};
use crate::units::{Ratio, Span};

words! {
    /// What the excess of a delay over its target is compared with, for the size of a decrease.
    pub enum Excess {
        /// The full RTT.
        Rtt = "rtt",
        /// What of it is above the base RTT.
        Queueing = "queueing",
    }
}

params! {
    /// The parameters that Swift and its relatives share; the defaults are those of the relatives.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Shared {
        /// Queueing delay that a flow aims at: its target is so much above its base RTT
        pub target: Span = key("target_us", microseconds(0..=SECOND), default = Span::from_ns(1_000)),
        /// Additive increase: full frames that a window which has come back without delay brings
        pub ai: Ratio = key("ai", up_to(1000), default = Ratio::millionths(1_000_000)),
        /// Gain of the multiplicative decrease
        pub beta: Ratio = key("beta", up_to(1000), default = Ratio::millionths(800_000)),
        /// The largest fraction of the window that one decrease takes, and that which a loss takes
        pub max_mdf: Ratio = key("max_mdf", up_to(1), default = Ratio::millionths(500_000)),
        /// The first window in full frames (htsim's Swift: 15); one above the maximum lasts until the first ACK. null: a bandwidth-delay
        /// product, or the largest window if that is less
        pub initial_window_packets: Option<u64> = key("initial_window_packets", nullable(integer(1..=MANY)), default = None),
        /// The largest window in full frames; null: 1000 (htsim), or two bandwidth-delay products or the first window if that is more
        pub max_window_packets: Option<u64> = key("max_window_packets", nullable(integer(1..=MANY)), default = None),
        /// The smallest window in full frames; below 1, packets are paced (htsim's Swift: 10 bytes, 0.0025 frames of 4 KiB)
        pub min_window_packets: Ratio = key("min_window_packets", millionths(1_000..=1_000_000), default = Ratio::millionths(1_000_000)),
        /// So many timeouts in a row make the window the smallest
        pub reset_timeouts: u32 = key("reset_timeouts", integer(1..=MANY), default = 5),
    }
}

/// A million packets, microseconds.
const MANY: u64 = 1_000_000;
/// A second in picoseconds.
const SECOND: u64 = 1_000_000_000_000;
/// The largest window in full frames, unless the network needs more (htsim).
const MOST_PACKETS: u64 = 1000;

impl Shared {
    /// The defaults of Swift itself.
    fn of_swift() -> Self {
        Self {
            initial_window_packets: Some(15),
            min_window_packets: Ratio::millionths(2_500),
            ..Self::default()
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

params! {
    /// The parameters of Swift.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Params {
        /// Those that its relatives share.
        pub shared: Shared = flat(Shared::of_swift()),
        /// The target of a flow's RTT without hops and flow scaling, whatever target_us says (htsim: 20); null: the flow's base RTT and
        /// target_us
        pub base_target: Option<Span> = key("base_target_us", nullable(microseconds(0..=SECOND)), default = None),
        /// What each link on the way adds to the target; null: 1/6.55 of base_target_us (htsim), or nothing without one, as the base RTT
        /// knows the way
        pub hop: Option<Span> = key("hop_us", nullable(microseconds(0..=SECOND)), default = None),
        /// The most that flow scaling adds to the target; 0: there is none; null: five base targets (htsim)
        pub fs_range: Option<Span> = key("fs_range_us", nullable(microseconds(0..=SECOND)), default = None),
        /// The window in full frames below which flow scaling adds its range
        pub fs_min: Ratio = key("fs_min_packets", millionths(PACKETS), default = Ratio::millionths(100_000), limits = "below fs_max_packets"),
        /// The window in full frames above which it adds nothing
        pub fs_max: Ratio = key("fs_max_packets", millionths(PACKETS), default = Ratio::millionths(100_000_000), limits = "above fs_min_packets"),
    }
    check Params::in_order;
}

/// Up to a million packets, in millionths.
const PACKETS: std::ops::RangeInclusive<u64> = 1..=MANY * 1_000_000;

impl Params {
    /// Flow scaling has a range of windows.
    fn in_order(&self, fields: &mut Fields<'_>) {
        if self.fs_min.num >= self.fs_max.num {
            let [least, most] = [self.fs_min, self.fs_max].map(Ratio::as_f64);
            let text = format!(
                "{least} is not below fs_max_packets, which is {most}; allowed: less than that"
            );
            fields.problem("fs_min_packets", text);
        }
    }
}
