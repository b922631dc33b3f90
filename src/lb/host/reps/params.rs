//! The parameters of REPS: what users read of them, and how they are read.

use crate::fields::{Fields, ParamDoc, Scale};
use crate::json::{Json, Origin, Value};
use crate::lb::host::Split;
use crate::units::{Ratio, Span};

/// The parameters as users see them.
pub const PARAMS: &[ParamDoc] = &[
    ParamDoc {
        name: "ring_entries",
        allowed: "an integer from 1 to 64",
        default: "8",
        about: "Good entropy values that a flow remembers. REPS paper: 8.",
    },
    ParamDoc {
        name: "entropies",
        allowed: "an integer from 1 to 65536",
        default: "65536",
        about: "Number of entropy values that random ones are drawn from. REPS paper: the 16 bits of a UDP port.",
    },
    ParamDoc {
        name: "explore_packets",
        allowed: "\"bdp\", or an integer from 0 to 4294967295",
        default: "\"bdp\"",
        about: "First packets of a flow that are random whatever came back; \"bdp\": one bandwidth-delay product of full packets. REPS \
                paper: bdp.",
    },
    ParamDoc {
        name: "lifetime",
        allowed: "an integer from 1 to 255",
        default: "1",
        about: "Packets that use a good value before the next oldest one has its turn: more where ACKs are coalesced. REPS paper: 1, or \
                with coalescing (its variant \"reuse EVs\") the packets that an ACK stands for.",
    },
    ParamDoc {
        name: "freezing",
        allowed: "\"auto\", \"off\", \"timeout\" or \"timeout_if_low_rtt\"",
        default: "\"auto\"",
        about: "Which timeouts freeze a flow: none, each, or those while the largest recent RTT is low. auto: each where switches trim \
                packets, as nothing but a dead path then loses any, else if the RTT is low. REPS paper, section 3.2 and appendix A.",
    },
    ParamDoc {
        name: "low_rtt_factor",
        allowed: "a number from 1 to 1000",
        default: "1.65",
        about: "An RTT below so many times that of the idle fabric is low. Code of the REPS paper: 1.65.",
    },
    ParamDoc {
        name: "rtt_window_us",
        allowed: "null, or microseconds from 0.000001 to 1000000000",
        default: "null",
        about: "Over how long the largest RTT is taken. null: two timeouts of the transport where they are fixed (code of the REPS \
                paper), else six RTTs of the idle fabric.",
    },
    ParamDoc {
        name: "freeze_us",
        allowed: "microseconds from 0 to 1000000000",
        default: "10000",
        about: "How long a flow is frozen under leave \"time\". Code of the REPS paper: 10 ms.",
    },
    ParamDoc {
        name: "leave",
        allowed: "\"time\" or \"probe\"",
        default: "\"time\"",
        about: "What ends the freeze: the first feedback after freeze_us, or an ACK with the value that timed out, which every \
                probe_packets-th packet of a frozen flow carries. REPS paper, section 3.2: either; its code: time.",
    },
    ParamDoc {
        name: "probe_packets",
        allowed: "\"bdp\", or an integer from 1 to 4294967295",
        default: "\"bdp\"",
        about: "Under leave \"probe\": one in so many packets of a frozen flow is a probe; \"bdp\": one in a bandwidth-delay product. \
                The REPS paper leaves it open.",
    },
    ParamDoc {
        name: "exit_explore",
        allowed: "\"bdp\", or an integer from 0 to 4294967295",
        default: "\"bdp\"",
        about: "Random packets after a freeze. REPS paper and its code: one bandwidth-delay product; uet-htsim, a simulator: 16.",
    },
    ParamDoc {
        name: "on_exit",
        allowed: "\"reset\" or \"keep\"",
        default: "\"reset\"",
        about: "What becomes of the ring after a freeze: it is emptied (code of the REPS paper), or its values stay for the next freeze \
                (algorithm 1 of the paper), all of them used.",
    },
    ParamDoc {
        name: "entropy_timers",
        allowed: "true, false",
        default: "false",
        about: "Whether a flow times each entropy value itself: drawing one that has been unanswered for longer than a timeout counts as \
                a timeout, and another is drawn. Public code of the Ofan paper, with freezing \"timeout\": true.",
    },
    ParamDoc {
        name: "entropy_rto_initial_us",
        allowed: "microseconds from 0 to 1000000000",
        default: "1000",
        about: "That timeout before the first RTT is known; then it is the smoothed RTT and four mean deviations. Public code of the \
                Ofan paper: 1 ms.",
    },
    ParamDoc {
        name: "entropy_rto_min_us",
        allowed: "microseconds from 0 to 1000000000",
        default: "2",
        about: "The least that timeout becomes. Public code of the Ofan paper: 2 us.",
    },
];

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

/// Which timeouts freeze a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Freezing {
    /// [`Self::Timeout`] where switches trim, else [`Self::TimeoutIfLowRtt`].
    #[default]
    Auto,
    /// None.
    Off,
    /// Each.
    Timeout,
    /// Those while the largest recent RTT is low.
    TimeoutIfLowRtt,
}

/// What ends a freeze.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leave {
    /// The first feedback after a fixed time.
    #[default]
    Time,
    /// An ACK of the value that timed out.
    Probe,
}

/// What becomes of the ring after a freeze.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnExit {
    /// It is emptied.
    #[default]
    Reset,
    /// Its values stay for the next freeze, all of them used.
    Keep,
}

/// Timeouts of single entropy values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntropyTimers {
    /// The timeout before the first RTT is known.
    pub initial: Span,
    /// The least that it becomes.
    pub min: Span,
}

/// The parameters of REPS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// Good entropy values that a flow remembers.
    pub ring_entries: usize,
    /// Number of entropy values.
    pub entropies: u32,
    /// How many of a flow's first packets are random.
    pub explore: Packets,
    /// Packets that use a good value.
    pub lifetime: u8,
    /// Which timeouts freeze a flow.
    pub freezing: Freezing,
    /// An RTT below so many times that of the idle fabric is low.
    pub low_rtt: Ratio,
    /// Over how long the largest RTT is taken; nothing: see [`PARAMS`].
    pub rtt_window: Option<Span>,
    /// How long a freeze takes that time ends.
    pub freeze: Span,
    /// What ends a freeze.
    pub leave: Leave,
    /// One in so many packets of a frozen flow is a probe, where probes end the freeze.
    pub probe_packets: Packets,
    /// Random packets after a freeze.
    pub exit_explore: Packets,
    /// What becomes of the ring after a freeze.
    pub on_exit: OnExit,
    /// Timeouts of single entropy values; nothing: there are none.
    pub entropy_timers: Option<EntropyTimers>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            ring_entries: 8,
            entropies: 1 << 16,
            explore: Packets::Bdp,
            lifetime: 1,
            freezing: Freezing::Auto,
            low_rtt: Ratio {
                num: 1_650_000,
                den: 1_000_000,
            },
            rtt_window: None,
            freeze: Span::from_ns(10_000_000),
            leave: Leave::Time,
            probe_packets: Packets::Bdp,
            exit_explore: Packets::Bdp,
            on_exit: OnExit::Reset,
            entropy_timers: None,
        }
    }
}

impl Params {
    /// Reads all keys of [`PARAMS`], in their order.
    #[must_use]
    pub fn read(fields: &mut Fields<'_>) -> Self {
        let freezing = [
            ("auto", Freezing::Auto),
            ("off", Freezing::Off),
            ("timeout", Freezing::Timeout),
            ("timeout_if_low_rtt", Freezing::TimeoutIfLowRtt),
        ];
        let leave = [("time", Leave::Time), ("probe", Leave::Probe)];
        let on_exit = [("reset", OnExit::Reset), ("keep", OnExit::Keep)];
        let factor = 1_000_000..=1_000_000_000;
        Self {
            ring_entries: fields.integer("ring_entries", Some(8), 1..=64) as usize,
            entropies: fields.integer("entropies", Some(1 << 16), 1..=1 << 16) as u32,
            explore: packets(fields, "explore_packets", 0),
            lifetime: fields.integer("lifetime", Some(1), 1..=255) as u8,
            freezing: fields.choice("freezing", Some("auto"), &freezing),
            low_rtt: Ratio {
                num: fields.decimal("low_rtt_factor", Some(1_650_000), Scale::MILLIONTHS, factor),
                den: 1_000_000,
            },
            rtt_window: fields
                .nullable_decimal("rtt_window_us", Scale::US, 1..=LONGEST)
                .map(Span),
            freeze: span(fields, "freeze_us", 10_000_000_000),
            leave: fields.choice("leave", Some("time"), &leave),
            probe_packets: packets(fields, "probe_packets", 1),
            exit_explore: packets(fields, "exit_explore", 0),
            on_exit: fields.choice("on_exit", Some("reset"), &on_exit),
            entropy_timers: {
                let is_on = fields.boolean("entropy_timers", false);
                let timers = EntropyTimers {
                    initial: span(fields, "entropy_rto_initial_us", 1_000_000_000),
                    min: span(fields, "entropy_rto_min_us", 2_000_000),
                };
                is_on.then_some(timers)
            },
        }
    }
}

impl Split for Params {}

/// A span of microseconds, by default of `default` picoseconds.
fn span(fields: &mut Fields<'_>, key: &'static str, default: u64) -> Span {
    Span(fields.decimal(key, Some(default), Scale::US, 0..=LONGEST))
}

/// A number of packets, at least `least`.
fn packets(fields: &mut Fields<'_>, key: &'static str, least: u32) -> Packets {
    let bdp = Json {
        value: Value::Text("bdp".to_owned()),
        origin: Origin::default(),
    };
    let allowed = PARAMS
        .iter()
        .find(|param| param.name == key)
        .map_or("", |param| param.allowed);
    fields.custom(key, bdp, allowed, |json| parse_packets(json, least))
}

fn parse_packets(json: &Json, least: u32) -> Option<Packets> {
    match &json.value {
        Value::Text(word) if word == "bdp" => Some(Packets::Bdp),
        Value::Integer(count) => u32::try_from(*count)
            .ok()
            .filter(|count| *count >= least)
            .map(Packets::Count),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_packets_is_the_word_bdp_or_a_count() {
        let json = |value| Json {
            value,
            origin: Origin::default(),
        };
        let text = |word: &str| json(Value::Text(word.to_owned()));
        assert_eq!(parse_packets(&text("bdp"), 1), Some(Packets::Bdp));
        assert_eq!(parse_packets(&text("BDP"), 0), None);
        let count = |n, least| parse_packets(&json(Value::Integer(n)), least);
        assert_eq!(count(0, 0), Some(Packets::Count(0)));
        assert_eq!(count(0, 1), None);
        assert_eq!(count(1, 1), Some(Packets::Count(1)));
        assert_eq!(count(1 << 32, 0), None);
    }

    /// Reads a scheme's keys: the parameters, and the texts of problems.
    fn read(keys: &[(&str, Value)]) -> (Params, Vec<String>) {
        let json = |value: &Value| Json::new(value.clone(), Origin::default());
        let members = keys
            .iter()
            .map(|(key, value)| ((*key).to_owned(), json(value)));
        let object = json(&Value::Object(members.collect()));
        let mut problems = Vec::new();
        let params = Params::read(&mut Fields::new(&object, "", &mut problems));
        let texts = problems.into_iter().map(|problem| problem.text).collect();
        (params, texts)
    }

    #[test]
    fn spans_are_read_in_microseconds_and_the_factor_exactly() {
        let (params, problems) = read(&[
            ("low_rtt_factor", Value::Float(1.5)),
            ("rtt_window_us", Value::Float(0.25)),
            ("freeze_us", Value::Integer(7)),
            ("entropy_timers", Value::Bool(true)),
            ("entropy_rto_min_us", Value::Integer(10)),
        ]);
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
        let text = |word: &str| Value::Text(word.to_owned());
        let (params, problems) = read(&[
            ("lifetime", Value::Integer(0)),
            ("freezing", text("timeouts")),
            ("low_rtt_factor", Value::Float(0.5)),
            ("rtt_window_us", Value::Integer(0)),
            ("leave", text("never")),
            ("probe_packets", Value::Integer(0)),
            ("on_exit", Value::Null),
            ("entropy_timers", Value::Integer(1)),
        ]);
        assert_eq!(problems.len(), 8, "{problems:?}");
        assert_eq!(params, Params::default());
        let hint = "unknown freezing \"timeouts\"; allowed: auto, off, timeout, timeout_if_low_rtt; did you mean \"timeout\"?";
        assert!(problems.iter().any(|text| text == hint), "{problems:?}");
    }
}
