//! Host policies: what a sender writes into a packet's `path` field. One file a scheme, one row a scheme in the table of `lb`.
//!
//! The field is either an entropy value, which switches hash, or a source route, which they obey.

pub mod bitmap;
pub mod drb;
pub mod ecmp;
pub mod ethereal;
mod masked_cycle;
pub mod mixed;
pub mod none;
pub mod reps;
pub mod rps;

use std::sync::Arc;

use crate::rng::Rng;
use crate::units::{Span, Time};

/// How far apart two hosts are: the lowest layer of switches that both can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// Same edge switch: no choice of path.
    SameEdge,
    /// Same pod (or any two leaves of a two-level tree): one path per uplink of the edge.
    SamePod,
    /// Different pods: one path per core switch.
    InterPod,
}

/// What a host policy knows of the packet about to be sent.
#[derive(Clone, Copy, Debug)]
pub struct TxInfo {
    /// The instant of sending.
    pub now: Time,
    /// The flow, by index in the workload's order of senders (as in `Packet::flow`).
    pub flow: u32,
    /// The flow's number among those that this host sends (data) or receives (ACKs), from 0.
    pub local_flow: usize,
    /// The host at the other end: where this packet goes.
    pub peer: u32,
    /// The peer's number among all that this host sends data or ACKs to, from 0.
    pub local_peer: usize,
    /// How far away the peer is.
    pub layer: Layer,
    /// The subflow that this packet belongs to (0 but for Ethereal).
    pub subflow: u32,
}

/// What became of a data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Arrived unmarked.
    Good,
    /// Arrived with congestion experienced.
    Ecn,
    /// Lost its payload in a full queue, or was asked for again.
    Trimmed,
    /// Taken for lost as no answer came.
    Timeout,
}

impl Outcome {
    /// What an ACK that echoes a mark, or none, says.
    #[inline]
    #[must_use]
    pub const fn of_ack(marked: bool) -> Self {
        if marked { Self::Ecn } else { Self::Good }
    }
}

/// What a sender learns of the path that a data packet took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// When it learns it.
    pub now: Time,
    /// The packet's `path`.
    pub path: u16,
    /// What became of the packet.
    pub outcome: Outcome,
    /// From its sending to now, where an ACK gives that.
    pub rtt: Option<Span>,
}

/// Which path a host stamps on a packet. One value per host.
pub trait PathPolicy {
    /// Called once per data packet when the NIC starts it: the packet's `path`.
    fn data_path(&mut self, tx: &TxInfo, rng: &mut Rng) -> u16;
    /// Called once per ACK when the NIC starts it: the ACK's `path`. `data_path` is that of the packet it acknowledges.
    fn ack_path(&mut self, tx: &TxInfo, data_path: u16, rng: &mut Rng) -> u16;
    /// Called once per ACK or NACK that reaches the data's sender, and once per packet that a timeout declares lost.
    fn on_feedback(&mut self, _local_flow: usize, _feedback: &Feedback) {}
}

/// What a policy is built from: one host's place in the fabric and its flows.
#[derive(Clone, Debug)]
pub struct HostEnv {
    /// The run's seed.
    pub seed: u64,
    /// This host.
    pub host: u32,
    /// Uplinks of an edge switch (w).
    pub edge_uplinks: usize,
    /// Uplinks of an aggregation switch (w; 0 in a two-level tree).
    pub agg_uplinks: usize,
    /// The flows that this host sends, by number in the workload's order of senders, indexed by `local_flow`.
    pub sent_flows: Vec<u32>,
    /// The hosts that this host sends data or ACKs to, indexed by `local_peer`.
    pub peers: Vec<u32>,
    /// One bandwidth-delay product in full data packets: base RTT over slot, rounded down, at least 1.
    pub bdp_packets: u32,
    /// RTT of a full data frame and its ACK on the idle fabric, between hosts as far apart as any.
    pub base_rtt: Span,
    /// Whether full queues trim packets, so that a timeout means a dead path.
    pub trims: bool,
    /// The transport's timeout where it is fixed.
    pub fixed_rto: Option<Span>,
    /// Which paths are live, where some links are down from the start; `None`: all are.
    pub live: Option<Arc<dyn LivePaths>>,
}

/// The hosts between which packets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// Where they come from.
    pub src: u32,
    /// Where they go.
    pub dst: u32,
}

/// What hosts with perfect knowledge know of links that are down when a run starts. A path is a source route; between hosts
/// that are closer than it reaches, its second uplink (or both) does not matter.
pub trait LivePaths: std::fmt::Debug + Send + Sync {
    /// Whether packets get from one host to the other by these uplinks of the edge and of the aggregation switch above it.
    fn is_live(&self, ends: Ends, uplinks: [u8; 2]) -> bool;
    /// How many of the shortest paths between these hosts are live.
    fn count(&self, ends: Ends) -> u32;
}

/// How a scheme splits flows.
pub trait Split {
    /// Into how many subflows a flow is split that has `paths` live paths: at least 1.
    fn subflows(&self, _paths: u32) -> u32 {
        1
    }
}

/// From the table of schemes: the enums of what hosts do, with parameters and at work.
macro_rules! host_schemes {
    (
        hosts { $($name:literal, $variant:ident => $module:ident::$policy:ident, switches: $switches:ident, needs_acks: $acks:literal;)* }
        switches { $($switch_rows:tt)* }
        parts { $($parts:tt)* }
    ) => {
        /// A host scheme and its parameters.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum HostScheme {
            /// Nothing: switches decide.
            None(none::Params),
            $(#[doc = concat!("`", $name, "`.")] $variant($module::Params),)*
        }

        /// A host scheme on one host.
        #[derive(Clone, Debug)]
        pub enum HostPolicy {
            /// Nothing: switches decide.
            None(none::Unstamped),
            $(#[doc = concat!("`", $name, "`.")] $variant($module::$policy),)*
        }

        impl HostScheme {
            /// One host's policy.
            #[must_use]
            pub fn build(&self, env: &HostEnv) -> HostPolicy {
                match self {
                    Self::None(params) => HostPolicy::None(none::Unstamped::new(params, env)),
                    $(Self::$variant(params) => HostPolicy::$variant($module::$policy::new(params, env)),)*
                }
            }

            /// Into how many subflows a flow is split that has `paths` live paths: 1 for all schemes but Ethereal.
            #[must_use]
            pub fn subflows(&self, paths: u32) -> u32 {
                match self {
                    Self::None(params) => params.subflows(paths),
                    $(Self::$variant(params) => params.subflows(paths),)*
                }
            }
        }

        impl PathPolicy for HostPolicy {
            #[inline]
            fn data_path(&mut self, tx: &TxInfo, rng: &mut Rng) -> u16 {
                match self {
                    Self::None(policy) => policy.data_path(tx, rng),
                    $(Self::$variant(policy) => policy.data_path(tx, rng),)*
                }
            }

            #[inline]
            fn ack_path(&mut self, tx: &TxInfo, data_path: u16, rng: &mut Rng) -> u16 {
                match self {
                    Self::None(policy) => policy.ack_path(tx, data_path, rng),
                    $(Self::$variant(policy) => policy.ack_path(tx, data_path, rng),)*
                }
            }

            #[inline]
            fn on_feedback(&mut self, local_flow: usize, feedback: &Feedback) {
                match self {
                    Self::None(policy) => policy.on_feedback(local_flow, feedback),
                    $(Self::$variant(policy) => policy.on_feedback(local_flow, feedback),)*
                }
            }
        }
    };
}

super::table::schemes!(host_schemes);

#[cfg(test)]
pub(crate) mod fake {
    //! A host of plain values, for the tests of policies.

    use super::*;
    use crate::rng::Domain;

    /// Host 7 of a three-level tree with `w` uplinks, with the flows 20, 21, .. to the peers 100, 101, ..
    pub(crate) fn env(w: usize, flows: u32) -> HostEnv {
        HostEnv {
            seed: 1,
            host: 7,
            edge_uplinks: w,
            agg_uplinks: w,
            sent_flows: (20..20 + flows).collect(),
            peers: (100..100 + flows).collect(),
            bdp_packets: 144,
            base_rtt: Span(6_253_320),
            trims: false,
            fixed_rto: None,
            live: None,
        }
    }

    /// Paths that are live unless one of `dead` (edge uplink, aggregation uplink) names them.
    #[derive(Debug)]
    pub(crate) struct AllBut {
        /// Uplinks of either.
        pub(crate) w: u8,
        /// The dead paths.
        pub(crate) dead: Vec<[u8; 2]>,
    }

    impl LivePaths for AllBut {
        fn is_live(&self, _ends: Ends, uplinks: [u8; 2]) -> bool {
            !self.dead.contains(&uplinks)
        }

        fn count(&self, _ends: Ends) -> u32 {
            u32::from(self.w).pow(2) - self.dead.len() as u32
        }
    }

    /// A packet of the `i`-th flow to the `i`-th peer of [`env`].
    pub(crate) fn tx(i: usize, layer: Layer) -> TxInfo {
        TxInfo {
            now: Time::ZERO,
            flow: 20 + i as u32,
            local_flow: i,
            peer: 100 + i as u32,
            local_peer: i,
            layer,
            subflow: 0,
        }
    }

    /// What a host learns of `path` at time 0, without an RTT.
    pub(crate) fn feedback(path: u16, outcome: Outcome) -> Feedback {
        Feedback {
            now: Time::ZERO,
            path,
            outcome,
            rtt: None,
        }
    }

    /// The host's entropy stream.
    pub(crate) fn stream() -> Rng {
        Rng::stream(1, Domain::Entropy, 7)
    }
}
