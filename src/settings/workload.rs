//! What hosts send, and when they start.

use super::Dependencies;
use crate::units::{Ratio, Span, Time};

/// Traffic and how hosts start it.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Generator.
    pub kind: WorkloadKind,
    /// Short messages beside what it generates; `None`: there are none.
    pub mice: Option<Mice>,
    /// Where in time each host starts.
    pub start_jitter: StartJitter,
    /// Hosts that start later still; `None`: no host does.
    pub stragglers: Option<Stragglers>,
    /// Each data packet becomes due up to this many percent of a slot later, uniformly; 0 to 100, exact.
    pub pacing_jitter_pct: Ratio,
    /// Whether that delays all later packets of the busy period too.
    pub pacing_jitter_adds: bool,
}

/// Short messages that every host sends beside the collective, to another receiver in each round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mice {
    /// Payload of each, at least 1.
    pub message_bytes: u64,
    /// Rounds: messages that every host sends, at least 1.
    pub count_per_host: u32,
    /// From a round to the next; a message starts uniformly within that of its round. Zero: all start at once.
    pub period: Span,
    /// When the first round begins.
    pub start: Time,
}

impl Mice {
    /// The most messages of all hosts together.
    pub const MOST: u64 = 1 << 24;

    /// When round `round`, from 0, begins.
    #[must_use]
    pub const fn round(&self, round: u32) -> Time {
        Time(self.start.0 + round as u64 * self.period.0)
    }
}

/// Start offset of each host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartJitter {
    /// Uniform in one slot of a full data frame, gap included.
    Slot,
    /// None.
    None,
    /// Uniform in whole picoseconds below this; zero: none.
    Uniform(Span),
}

/// Hosts that start late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stragglers {
    /// Which hosts.
    pub hosts: StragglerHosts,
    /// How much later they start, on top of the start jitter.
    pub delay: Span,
}

/// Which hosts start late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StragglerHosts {
    /// So large a share of all hosts, 0 to 1: [`straggler_count`] of them, drawn for each seed.
    Fraction(Ratio),
    /// These hosts, each once.
    Listed(Vec<u32>),
}

/// `fraction` of `hosts`, rounded to the nearest count (half a host counts as one).
#[must_use]
pub fn straggler_count(fraction: Ratio, hosts: u32) -> u32 {
    let twice = 2 * u128::from(fraction.num) * u128::from(hosts) / u128::from(fraction.den);
    twice.div_ceil(2) as u32
}

/// Generators of traffic.
#[derive(Clone, Debug)]
pub enum WorkloadKind {
    /// One flow a host, to a random derangement.
    Permutation {
        /// Payload of each flow.
        message_bytes: u64,
        /// Only pairs in different pods.
        inter_pod_only: bool,
    },
    /// The flows given (a list, or an imported matrix).
    Flows {
        /// `"pairs"` or `"htsim_cm"`.
        kind: &'static str,
        /// The flows.
        flows: Vec<FlowSpec>,
        /// What they wait for.
        dependencies: Dependencies,
    },
}

/// One flow to simulate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowSpec {
    /// The input's own number of it (its index where the input has none).
    pub id: u64,
    /// Sending host.
    pub src: u32,
    /// Receiving host; never `src`.
    pub dst: u32,
    /// Payload bytes, at least 1.
    pub bytes: u64,
    /// Nominal start; start jitter comes on top. Of a flow that a trigger starts: the earliest instant, without jitter.
    pub start: Time,
}
