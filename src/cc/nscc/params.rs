//! The parameters of NSCC, with the defaults of uet-htsim.

use crate::fields::{
    Fields, choice, flag, gbps, integer, microseconds, nullable, params, up_to, words,
};
use crate::units::{Rate, Ratio, Span};

words! {
    /// Which base RTT a flow starts with.
    pub enum BaseRtt {
        /// That between hosts as far apart as any.
        Network = "network",
        /// That between its own hosts.
        Path = "path",
    }
}

/// A million packets, microseconds.
const MANY: u64 = 1_000_000;
/// A second in picoseconds.
const SECOND: u64 = 1_000_000_000_000;

params! {
    /// The parameters of NSCC.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Params {
        /// Queueing delay that a flow aims at; null: the base RTT across the tree, or 3/4 of it where ports trim
        pub target: Option<Span> = key("target_us", nullable(microseconds(0..=SECOND)), default = None),
        /// The base RTT that a flow starts with, before it has seen a lower one: across the tree, or that of its own hosts
        /// (as uet-htsim's enable_accurate_base_rtt, which leaves serialisation times at those across the tree)
        pub base_rtt: BaseRtt = key("base_rtt", choice(), default = BaseRtt::Network),
        /// Whether the RTT of a NACK can lower the base RTT
        pub base_rtt_on_nack: bool = key("base_rtt_on_nack", flag(), default = true),
        /// The first window in full frames; one above the maximum lasts until the first ACK. null: the maximum
        pub initial_window_packets: Option<u64> = key("initial_window_packets", nullable(integer(1..=MANY)), default = None, limits = "at least min_window_packets"),
        /// The largest window in bandwidth-delay products of the flow's base RTT; it is at least the smallest
        pub max_window_bdp: Ratio = key("max_window_bdp", up_to(1000), default = Ratio::millionths(1_500_000)),
        /// The smallest window in full frames
        pub min_window_packets: u64 = key("min_window_packets", integer(1..=MANY), default = 1),
        /// Whether heavy congestion sets the window to what has arrived in one period
        pub quick_adapt: bool = key("quick_adapt", flag(), default = true),
        /// Quick adapt needs less than the largest window / 2^qa_gate to have arrived in the period
        pub qa_gate: u32 = key("qa_gate", integer(0..=32), default = 3),
        /// Without a loss, quick adapt needs a delay above so many targets
        pub qa_threshold_targets: Ratio = key("qa_threshold_targets", up_to(1000), default = Ratio::millionths(4_000_000)),
        /// Gain of the proportional increase
        pub alpha: Ratio = key("alpha", up_to(1000), default = Ratio::millionths(4_000_000)),
        /// Gain of the fair increase
        pub fair_increase: Ratio = key("fair_increase", up_to(1000), default = Ratio::millionths(5_000_000)),
        /// Gain of the increase that comes once an adjustment period
        pub eta: Ratio = key("eta", up_to(1000), default = Ratio::millionths(150_000)),
        /// Gain of the fast increase
        pub fast_increase: Ratio = key("fast_increase", up_to(1000), default = Ratio::millionths(250_000)),
        /// Fast increase takes delays below this, whatever the fabric; 0: no fast increase
        pub fast_increase_delay: Span = key("fast_increase_delay_us", microseconds(0..=SECOND), default = Span(1_000_000)),
        /// Gain of the multiplicative decrease
        pub gamma: Ratio = key("gamma", up_to(1000), default = Ratio::millionths(800_000)),
        /// The largest fraction of the window that one decrease takes
        pub max_decrease: Ratio = key("max_decrease", up_to(1), default = Ratio::millionths(500_000)),
        /// Weight of a new delay in the average
        pub delay_gain: Ratio = key("delay_gain", up_to(1), default = Ratio::millionths(12_500)),
        /// What the average takes in place of a delay above the target without a mark, in base RTTs
        pub unmarked_delay_rtts: Ratio = key("unmarked_delay_rtts", up_to(1000), default = Ratio::millionths(250_000)),
        /// Increases are fulfilled when more than so many full frames have arrived
        pub adjust_packets: u64 = key("adjust_packets", integer(0..=MANY), default = 8),
        /// The adjustment period in base RTTs across the tree: increases are fulfilled after it at the latest
        pub adjust_period_rtts: Ratio = key("adjust_period_rtts", up_to(1000), default = Ratio::millionths(1_000_000)),
        /// Link rate of the network that the gains are for
        pub reference_rate: Rate = key("reference_gbps", gbps(1..=100_000_000_000_000), default = Rate::from_gbps(100)),
        /// RTT of that network
        pub reference_rtt: Span = key("reference_rtt_us", microseconds(1..=SECOND), default = Span::from_ns(12_000)),
    }
    check Params::in_order;
}

impl Params {
    /// The first window is not below the smallest.
    fn in_order(&self, fields: &mut Fields<'_>) {
        let least = self.min_window_packets;
        if let Some(first) = self.initial_window_packets.filter(|first| *first < least) {
            let text = format!(
                "{first} is below min_window_packets, which is {least}; allowed: at least that"
            );
            fields.problem("initial_window_packets", text);
        }
    }
}
