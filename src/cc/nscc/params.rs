//! The parameters of NSCC: what users read of them, their defaults (uet-htsim's), and how they are read.

use crate::cc::params::{millionths, up_to};
use crate::fields::{Fields, ParamDoc, Scale};
use crate::units::{Rate, Ratio, Span};

/// The parameters as users see them.
pub const PARAMS: &[ParamDoc] = &[
    ParamDoc {
        name: "target_us",
        allowed: "null, or microseconds from 0 to 1000000, down to a whole picosecond",
        default: "null",
        about: "Queueing delay that a flow aims at; null: the base RTT across the tree, or 3/4 of it where ports trim",
    },
    ParamDoc {
        name: "base_rtt",
        allowed: "\"network\" or \"path\"",
        default: "\"network\"",
        about: "The base RTT that a flow starts with, before it has seen a lower one: across the tree, or that of its own hosts \
                (as uet-htsim's enable_accurate_base_rtt, which leaves serialisation times at those across the tree)",
    },
    ParamDoc {
        name: "base_rtt_on_nack",
        allowed: "true or false",
        default: "true",
        about: "Whether the RTT of a NACK can lower the base RTT",
    },
    ParamDoc {
        name: "initial_window_packets",
        allowed: "null, or an integer from min_window_packets to 1000000",
        default: "null",
        about: "The first window in full frames; one above the maximum lasts until the first ACK. null: the maximum",
    },
    ParamDoc {
        name: "max_window_bdp",
        allowed: "a number from 0 to 1000, down to a millionth",
        default: "1.5",
        about: "The largest window in bandwidth-delay products of the flow's base RTT; it is at least the smallest",
    },
    ParamDoc {
        name: "min_window_packets",
        allowed: "an integer from 1 to 1000000",
        default: "1",
        about: "The smallest window in full frames",
    },
    ParamDoc {
        name: "quick_adapt",
        allowed: "true or false",
        default: "true",
        about: "Whether heavy congestion sets the window to what has arrived in one period",
    },
    ParamDoc {
        name: "qa_gate",
        allowed: "an integer from 0 to 32",
        default: "3",
        about: "Quick adapt needs less than the largest window / 2^qa_gate to have arrived in the period",
    },
    ParamDoc {
        name: "qa_threshold_targets",
        allowed: "a number from 0 to 1000, down to a millionth",
        default: "4",
        about: "Without a loss, quick adapt needs a delay above so many targets",
    },
    ParamDoc {
        name: "alpha",
        allowed: "a number from 0 to 1000, down to a millionth",
        default: "4",
        about: "Gain of the proportional increase",
    },
    ParamDoc {
        name: "fair_increase",
        allowed: "a number from 0 to 1000, down to a millionth",
        default: "5",
        about: "Gain of the fair increase",
    },
    ParamDoc {
        name: "eta",
        allowed: "a number from 0 to 1000, down to a millionth",
        default: "0.15",
        about: "Gain of the increase that comes once an adjustment period",
    },
    ParamDoc {
        name: "fast_increase",
        allowed: "a number from 0 to 1000, down to a millionth",
        default: "0.25",
        about: "Gain of the fast increase",
    },
    ParamDoc {
        name: "fast_increase_delay_us",
        allowed: "microseconds from 0 to 1000000, down to a whole picosecond",
        default: "1",
        about: "Fast increase takes delays below this, whatever the fabric; 0: no fast increase",
    },
    ParamDoc {
        name: "gamma",
        allowed: "a number from 0 to 1000, down to a millionth",
        default: "0.8",
        about: "Gain of the multiplicative decrease",
    },
    ParamDoc {
        name: "max_decrease",
        allowed: "a number from 0 to 1, down to a millionth",
        default: "0.5",
        about: "The largest fraction of the window that one decrease takes",
    },
    ParamDoc {
        name: "delay_gain",
        allowed: "a number from 0 to 1, down to a millionth",
        default: "0.0125",
        about: "Weight of a new delay in the average",
    },
    ParamDoc {
        name: "unmarked_delay_rtts",
        allowed: "a number from 0 to 1000, down to a millionth",
        default: "0.25",
        about: "What the average takes in place of a delay above the target without a mark, in base RTTs",
    },
    ParamDoc {
        name: "adjust_packets",
        allowed: "an integer from 0 to 1000000",
        default: "8",
        about: "Increases are fulfilled when more than so many full frames have arrived",
    },
    ParamDoc {
        name: "adjust_period_rtts",
        allowed: "a number from 0 to 1000, down to a millionth",
        default: "1",
        about: "The adjustment period in base RTTs across the tree: increases are fulfilled after it at the latest",
    },
    ParamDoc {
        name: "reference_gbps",
        allowed: "Gb/s from 0.000000001 to 100000, down to a whole bit/s",
        default: "100",
        about: "Link rate of the network that the gains are for",
    },
    ParamDoc {
        name: "reference_rtt_us",
        allowed: "microseconds from 0.000001 to 1000000, down to a whole picosecond",
        default: "12",
        about: "RTT of that network",
    },
];

/// Which base RTT a flow starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseRtt {
    /// That between hosts as far apart as any.
    Network,
    /// That between its own hosts.
    Path,
}

/// The parameters, as in [`PARAMS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The target of the queueing delay; none: it follows from the network.
    pub target: Option<Span>,
    /// The base RTT at the start.
    pub base_rtt: BaseRtt,
    /// Whether NACKs can lower it.
    pub base_rtt_on_nack: bool,
    /// The first window in full frames; none: the largest.
    pub initial_window_packets: Option<u64>,
    /// The largest window in bandwidth-delay products.
    pub max_window_bdp: Ratio,
    /// The smallest in full frames.
    pub min_window_packets: u64,
    /// Whether there is quick adapt.
    pub quick_adapt: bool,
    /// Its gate, a power of two.
    pub qa_gate: u32,
    /// Its threshold in targets.
    pub qa_threshold_targets: Ratio,
    /// Gain of the proportional increase.
    pub alpha: Ratio,
    /// Gain of the fair increase.
    pub fair_increase: Ratio,
    /// Gain of the increase once a period.
    pub eta: Ratio,
    /// Gain of the fast increase.
    pub fast_increase: Ratio,
    /// Delays below this are for the fast increase.
    pub fast_increase_delay: Span,
    /// Gain of the decrease.
    pub gamma: Ratio,
    /// The largest decrease.
    pub max_decrease: Ratio,
    /// Weight of a new delay in the average.
    pub delay_gain: Ratio,
    /// What the average takes for large delays without marks, in base RTTs.
    pub unmarked_delay_rtts: Ratio,
    /// Full frames between adjustments, at most.
    pub adjust_packets: u64,
    /// Network RTTs between adjustments, at most.
    pub adjust_period_rtts: Ratio,
    /// Link rate of the reference network.
    pub reference_rate: Rate,
    /// Its RTT.
    pub reference_rtt: Span,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            target: None,
            base_rtt: BaseRtt::Network,
            base_rtt_on_nack: true,
            initial_window_packets: None,
            max_window_bdp: millionths(1_500_000),
            min_window_packets: 1,
            quick_adapt: true,
            qa_gate: 3,
            qa_threshold_targets: millionths(4_000_000),
            alpha: millionths(4_000_000),
            fair_increase: millionths(5_000_000),
            eta: millionths(150_000),
            fast_increase: millionths(250_000),
            fast_increase_delay: Span(1_000_000),
            gamma: millionths(800_000),
            max_decrease: millionths(500_000),
            delay_gain: millionths(12_500),
            unmarked_delay_rtts: millionths(250_000),
            adjust_packets: 8,
            adjust_period_rtts: millionths(1_000_000),
            reference_rate: Rate::from_gbps(100),
            reference_rtt: Span::from_ns(12_000),
        }
    }
}

/// A million packets, microseconds.
const MANY: u64 = 1_000_000;
/// A second in picoseconds.
const SECOND: u64 = 1_000_000_000_000;

impl Params {
    /// Reads all keys of [`PARAMS`], in their order.
    #[must_use]
    pub fn read(fields: &mut Fields<'_>) -> Self {
        let usual = Self::default();
        let params = Self {
            target: fields
                .nullable_decimal("target_us", Scale::US, 0..=SECOND)
                .map(Span),
            base_rtt: fields.choice(
                "base_rtt",
                Some("network"),
                &[("network", BaseRtt::Network), ("path", BaseRtt::Path)],
            ),
            base_rtt_on_nack: fields.boolean("base_rtt_on_nack", usual.base_rtt_on_nack),
            initial_window_packets: fields.nullable_integer(
                "initial_window_packets",
                None,
                1..=MANY,
            ),
            max_window_bdp: up_to_1000(fields, "max_window_bdp", usual.max_window_bdp),
            min_window_packets: fields.integer(
                "min_window_packets",
                Some(usual.min_window_packets),
                1..=MANY,
            ),
            ..usual.read_quick_adapt(fields).read_gains(fields)
        };
        let least = params.min_window_packets;
        if let Some(first) = params.initial_window_packets
            && first < least
        {
            let text = format!(
                "{first} is below min_window_packets, which is {least}; allowed: at least that"
            );
            fields.problem("initial_window_packets", text);
        }
        params
    }

    fn read_quick_adapt(self, fields: &mut Fields<'_>) -> Self {
        Self {
            quick_adapt: fields.boolean("quick_adapt", self.quick_adapt),
            qa_gate: fields.integer("qa_gate", Some(self.qa_gate.into()), 0..=32) as u32,
            qa_threshold_targets: up_to_1000(
                fields,
                "qa_threshold_targets",
                self.qa_threshold_targets,
            ),
            ..self
        }
    }

    fn read_gains(self, fields: &mut Fields<'_>) -> Self {
        Self {
            alpha: up_to_1000(fields, "alpha", self.alpha),
            fair_increase: up_to_1000(fields, "fair_increase", self.fair_increase),
            eta: up_to_1000(fields, "eta", self.eta),
            fast_increase: up_to_1000(fields, "fast_increase", self.fast_increase),
            fast_increase_delay: Span(fields.decimal(
                "fast_increase_delay_us",
                Some(self.fast_increase_delay.0),
                Scale::US,
                0..=SECOND,
            )),
            gamma: up_to_1000(fields, "gamma", self.gamma),
            max_decrease: up_to(fields, "max_decrease", self.max_decrease, 1),
            delay_gain: up_to(fields, "delay_gain", self.delay_gain, 1),
            unmarked_delay_rtts: up_to_1000(
                fields,
                "unmarked_delay_rtts",
                self.unmarked_delay_rtts,
            ),
            adjust_packets: fields.integer("adjust_packets", Some(self.adjust_packets), 0..=MANY),
            adjust_period_rtts: up_to_1000(fields, "adjust_period_rtts", self.adjust_period_rtts),
            reference_rate: Rate::from_bits_per_sec(fields.decimal(
                "reference_gbps",
                Some(self.reference_rate.bits_per_sec()),
                Scale::GBPS,
                1..=100_000_000_000_000,
            )),
            reference_rtt: Span(fields.decimal(
                "reference_rtt_us",
                Some(self.reference_rtt.0),
                Scale::US,
                1..=SECOND,
            )),
            ..self
        }
    }
}

fn up_to_1000(fields: &mut Fields<'_>, key: &'static str, default: Ratio) -> Ratio {
    up_to(fields, key, default, 1000)
}
