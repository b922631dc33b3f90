//! The parameters of REPS.

use crate::fields::{
    Fields, KeyDoc, Section, choice, flag, integer, means, microseconds, millionths, nullable,
    params, word_or, words,
};
use crate::lb::host::Split;
use crate::units::{Ratio, Span};

/// The longest span that a parameter may say: 1000 s.
const LONGEST: u64 = 1_000_000_000_000_000;

/// A number of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packets {
    /// One bandwidth-delay product.
    #[default]
    Bdp,
    /// This many.
    Count(u32),
}

impl Packets {
    /// The number, where a bandwidth-delay product is `bdp` packets.
    #[must_use]
    pub const fn count(self, bdp: u32) -> u32 {
        match self {
            Self::Bdp => bdp,
            Self::Count(count) => count,
        }
    }
}

impl From<Option<u32>> for Packets {
    fn from(told: Option<u32>) -> Self {
        told.map_or(Self::Bdp, Self::Count)
    }
}

impl From<Packets> for Option<u32> {
    fn from(packets: Packets) -> Self {
        match packets {
            Packets::Bdp => None,
            Packets::Count(count) => Some(count),
        }
    }
}

words! {
    /// Which timeouts freeze a flow.
    pub enum Freezing {
        /// As timeout where switches trim, else as timeout_if_low_rtt.
        Auto = "auto",
        /// None.
        Off = "off",
        /// Each.
        Timeout = "timeout",
        /// Those while the largest recent RTT is low.
        TimeoutIfLowRtt = "timeout_if_low_rtt",
    }
}

words! {
    /// What ends a freeze.
    pub enum Leave {
        /// The first feedback after a fixed time.
        Time = "time",
        /// An ACK of the value that timed out.
        Probe = "probe",
    }
}

words! {
    /// What becomes of the ring after a freeze.
    pub enum OnExit {
        /// It is emptied.
        Reset = "reset",
        /// Its values stay for the next freeze, all of them used.
        Keep = "keep",
    }
}

params! {
    /// The parameters of REPS.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Params {
        /// Good entropy values that a flow remembers. REPS paper: 8.
        pub ring_entries: usize = key("ring_entries", integer(1..=64), default = 8),
        /// Number of entropy values that random ones are drawn from. REPS paper: the 16 bits of a UDP port.
        pub entropies: u32 = key("entropies", integer(1..=1 << 16), default = 1 << 16),
        /// First packets of a flow that are random whatever came back; "bdp": one bandwidth-delay product of full packets. REPS paper:
        /// bdp.
        pub explore: Packets = key("explore_packets", means(word_or("bdp", integer(0..=u32::MAX as u64))), default = Packets::Bdp),
        /// Packets that use a good value before the next oldest one has its turn: more where ACKs are coalesced. REPS paper: 1, or with
        /// coalescing (its variant "reuse EVs") the packets that an ACK stands for.
        pub lifetime: u8 = key("lifetime", integer(1..=255), default = 1),
        /// Which timeouts freeze a flow: none, each, or those while the largest recent RTT is low. auto: each where switches trim
        /// packets, as nothing but a dead path then loses any, else if the RTT is low. REPS paper, section 3.2 and appendix A.
        pub freezing: Freezing = key("freezing", choice(), default = Freezing::Auto),
        /// An RTT below so many times that of the idle fabric is low. Code of the REPS paper: 1.65.
        pub low_rtt: Ratio = key("low_rtt_factor", millionths(1_000_000..=1_000_000_000), default = Ratio::millionths(1_650_000)),
        /// Over how long the largest RTT is taken. null: two timeouts of the transport where they are fixed (code of the REPS paper),
        /// else six RTTs of the idle fabric.
        pub rtt_window: Option<Span> = key("rtt_window_us", nullable(microseconds(1..=LONGEST)), default = None),
        /// How long a flow is frozen under leave "time". Code of the REPS paper: 10 ms.
        pub freeze: Span = key("freeze_us", microseconds(0..=LONGEST), default = Span::from_ns(10_000_000)),
        /// What ends the freeze: the first feedback after freeze_us, or an ACK with the value that timed out, which every probe_packets-th
        /// packet of a frozen flow carries. REPS paper, section 3.2: either; its code: time.
        pub leave: Leave = key("leave", choice(), default = Leave::Time),
        /// Under leave "probe": one in so many packets of a frozen flow is a probe; "bdp": one in a bandwidth-delay product. The
        /// REPS paper leaves it open.
        pub probe_packets: Packets = key("probe_packets", means(word_or("bdp", integer(1..=u32::MAX as u64))), default = Packets::Bdp),
        /// Random packets after a freeze. REPS paper and its code: one bandwidth-delay product; uet-htsim, a simulator: 16.
        pub exit_explore: Packets = key("exit_explore", means(word_or("bdp", integer(0..=u32::MAX as u64))), default = Packets::Bdp),
        /// What becomes of the ring after a freeze: it is emptied (code of the REPS paper), or its values stay for the next freeze
        /// (algorithm 1 of the paper), all of them used.
        pub on_exit: OnExit = key("on_exit", choice(), default = OnExit::Reset),
        /// Timeouts of single entropy values; nothing: there are none.
        pub entropy_timers: Option<EntropyTimers> = flat(),
    }
}

/// Timeouts of single entropy values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntropyTimers {
    /// The timeout before the first RTT is known.
    pub initial: Span,
    /// The least that it becomes.
    pub min: Span,
}

params! {
    /// The same, as users tell it.
    #[derive(Clone, Copy, Debug)]
    struct TimersKeys {
        /// Whether a flow times each entropy value itself: drawing one that has been unanswered for longer than a timeout counts as a
        /// timeout, and another is drawn. Public code of the Ofan paper, with freezing "timeout": true.
        is_on: bool = key("entropy_timers", flag(), default = false),
        /// That timeout before the first RTT is known; then it is the smoothed RTT and four mean deviations. Public code of the Ofan
        /// paper: 1 ms.
        initial: Span = key("entropy_rto_initial_us", microseconds(0..=LONGEST), default = Span::from_ns(1_000_000)),
        /// The least that timeout becomes. Public code of the Ofan paper: 2 us.
        min: Span = key("entropy_rto_min_us", microseconds(0..=LONGEST), default = Span::from_ns(2_000)),
    }
}

impl Section for Option<EntropyTimers> {
    fn read(fields: &mut Fields<'_>, _usual: Option<&Self>) -> Self {
        let TimersKeys {
            is_on,
            initial,
            min,
        } = TimersKeys::read(fields, None);
        is_on.then_some(EntropyTimers { initial, min })
    }

    fn keys(_usual: Option<&Self>) -> Vec<KeyDoc> {
        TimersKeys::keys(None)
    }
}

impl Split for Params {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lb::testing::params;

    #[test]
    fn a_number_of_packets_is_the_word_bdp_or_a_count() {
        let read = |key: &str, value: &str| {
            let (params, problems) = params::<Params>(&format!("{{\"{key}\": {value}}}"));
            let packets = match key {
                "explore_packets" => params.explore,
                "exit_explore" => params.exit_explore,
                _ => params.probe_packets,
            };
            if problems.is_empty() {
                Ok(packets)
            } else {
                Err(problems)
            }
        };
        for (key, least) in [
            ("explore_packets", 0),
            ("exit_explore", 0),
            ("probe_packets", 1),
        ] {
            assert_eq!(read(key, "\"bdp\""), Ok(Packets::Bdp));
            assert_eq!(
                read(key, "0").ok(),
                (least == 0).then_some(Packets::Count(0))
            );
            assert_eq!(read(key, "1"), Ok(Packets::Count(1)));
            assert_eq!(read(key, "4294967295"), Ok(Packets::Count(u32::MAX)));
            for wrong in ["4294967296", "-1", "null", "[1]", "\"BDP\"", "\"many\""] {
                let told = read(key, wrong).expect_err(wrong);
                let allowed = format!("allowed: \"bdp\", or an integer from {least} to 4294967295");
                assert!(told[0].contains(&allowed), "{told:?}");
            }
        }
        let told = read("explore_packets", "\"bpd\"").expect_err("no such word");
        assert!(told[0].ends_with("; did you mean \"bdp\"?"), "{told:?}");
    }

    #[test]
    fn spans_are_read_in_microseconds_and_the_factor_exactly() {
        let (params, problems) = params::<Params>(
            r#"{"low_rtt_factor": 1.5, "rtt_window_us": 0.25, "freeze_us": 7, "entropy_timers": true, "entropy_rto_min_us": 10}"#,
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!(params.low_rtt.num * 2, params.low_rtt.den * 3);
        assert_eq!(params.rtt_window, Some(Span::from_ns(250)));
        assert_eq!(params.freeze, Span::from_ns(7_000));
        let timers = EntropyTimers {
            initial: Span::from_ns(1_000_000),
            min: Span::from_ns(10_000),
        };
        assert_eq!(params.entropy_timers, Some(timers));
    }

    #[test]
    fn each_wrong_value_is_a_problem_of_its_own() {
        let (params, problems) = params::<Params>(
            r#"{"lifetime": 0, "freezing": "timeouts", "low_rtt_factor": 0.5, "rtt_window_us": 0, "leave": "never",
                "probe_packets": 0, "on_exit": null, "entropy_timers": 1}"#,
        );
        assert_eq!(problems.len(), 8, "{problems:?}");
        assert_eq!(params, Params::default());
        let hint = "freezing: unknown freezing \"timeouts\"; allowed: auto, off, timeout, timeout_if_low_rtt; did you mean \"timeout\"?";
        assert!(problems.iter().any(|text| text == hint), "{problems:?}");
    }
}
