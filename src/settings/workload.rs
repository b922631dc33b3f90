//! What hosts send, and when they start.

use std::sync::Arc;

use super::limits::{MAX_BYTES, MAX_INSTANT};
use super::{Shape, Traffic};
use crate::fields::{integer, keys, nanoseconds};
use crate::units::{Ratio, Span, Time};

/// Traffic and how hosts start it.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Where its flows come from.
    pub kind: Arc<dyn Generator>,
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

keys! {
    /// Short messages that every host sends beside the collective, to another receiver in each round.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Mice {
        /// Payload of each
        pub message_bytes: u64 = key("message_bytes", integer(1..=MAX_BYTES), limits = "at most 2^32 - 1 packets"),
        /// Rounds
        pub count_per_host: u32 = key("count_per_host", integer(1..=Mice::MOST), limits = "so many for all hosts together"),
        /// Length of a round; each message starts at a uniform instant of it (0: all at once), and start jitter comes on top
        pub period: Span = key("period_ns", nanoseconds(0..=MAX_INSTANT)),
        /// When the first round begins
        pub start: Time = key("start_ns", nanoseconds(0..=MAX_INSTANT), default = Time::ZERO),
    }
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

/// Where the flows of a run come from: a kind of workload with its parameters, checked. One file a kind, in `workload`.
pub trait Generator: std::fmt::Debug + Send + Sync {
    /// The flows of a run, from `seed` where chance decides.
    fn traffic(&self, shape: Shape, seed: u64) -> Traffic;

    /// What the flows ask of the fabric whatever the seed, in packets of so much payload; without a `shape`, as far as it does not depend on
    /// that.
    fn demand(&self, shape: Option<Shape>, payload_bytes: u32) -> Demand;

    /// Whether all pairs are in different pods, to which other traffic then keeps as well.
    fn is_inter_pod(&self) -> bool {
        false
    }
}

/// What flows ask of the fabric, in packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Where the scenario says how many bytes there are, e.g. `workload.message_bytes`.
    pub path: &'static str,
    /// Flows.
    pub flows: u64,
    /// The largest flow.
    pub largest: LargestFlow,
    /// Packets of all flows.
    pub all: u128,
    /// Packets that can meet at one port.
    pub meeting: u128,
    /// Packets of the longest connection; of all flows, where some wait for others.
    pub longest_connection: u128,
    /// Connections that several messages share.
    pub shared: Vec<SharedConnection>,
    /// The last start that is told, in ps.
    pub last_start: u64,
    /// Round trips that flows wait for one after another, at worst.
    pub trips: u128,
    /// Delays that they wait for, all together, in ps.
    pub delays: u128,
    /// All of it in words.
    pub told: String,
}

/// The largest flow of a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargestFlow {
    /// Its payload.
    pub bytes: u64,
    /// Where the scenario says so.
    pub path: String,
    /// Which flow it is, in words before a message; empty where the path tells.
    pub told: String,
}

/// A connection that several messages share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedConnection {
    /// The id of its first message.
    pub id: u64,
    /// Packets of all of them.
    pub packets: u128,
}

impl Demand {
    /// That of flows which are the same whatever the seed; `largest` says where the one of a place in the list stands.
    #[must_use]
    pub fn of(
        traffic: &Traffic,
        path: &'static str,
        payload_bytes: u32,
        largest: impl FnOnce(usize) -> (String, String),
    ) -> Self {
        let (flows, dependencies) = (&traffic.flows, &traffic.dependencies);
        let packets = |flow: &FlowSpec| u128::from(flow.bytes.div_ceil(payload_bytes.into()));
        let place = flows
            .iter()
            .enumerate()
            .max_by_key(|(_, flow)| flow.bytes)
            .map(|(place, _)| place);
        let bytes: u128 = flows.iter().map(|flow| u128::from(flow.bytes)).sum();
        let triggers = dependencies.triggers.iter();
        let all = flows.iter().map(packets).sum();
        let (largest_path, told) = place.map_or_else(|| (path.to_owned(), String::new()), largest);
        Self {
            path,
            flows: flows.len() as u64,
            largest: LargestFlow {
                bytes: place.map_or(1, |place| flows[place].bytes),
                path: largest_path,
                told,
            },
            all,
            meeting: all,
            longest_connection: if dependencies.is_empty() {
                flows.iter().map(packets).max().unwrap_or(0)
            } else {
                all
            },
            shared: shared(traffic, packets),
            last_start: flows.iter().map(|flow| flow.start.0).max().unwrap_or(0),
            // At worst they all stand in one chain.
            trips: triggers
                .clone()
                .map(|of| of.targets.len() as u128 + 1)
                .sum(),
            delays: triggers.map(|of| u128::from(of.delay.0)).sum(),
            told: format!("{bytes} bytes in all flows ({})", flows.len()),
        }
    }
}

/// The connections of which several flows are messages.
fn shared(traffic: &Traffic, packets: impl Fn(&FlowSpec) -> u128) -> Vec<SharedConnection> {
    let connections = traffic.dependencies.connections.iter();
    let shared = connections.filter(|connection| connection.messages.len() > 1);
    let shared = shared.map(|connection| {
        let messages = connection.messages.iter();
        let flows = messages.map(|message| &traffic.flows[message.flow as usize]);
        SharedConnection {
            id: flows.clone().next().map_or(0, |first| first.id),
            packets: flows.map(&packets).sum(),
        }
    });
    shared.collect()
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
