//! Links that fail, and what the fabric makes of it, as plain values.
//!
//! A cable is both directions of a link between switches. Cables have numbers: the uplinks of the edge switches, by edge and port, then
//! those of the aggregation switches (`FatTree::cable`). Hosts' links never fail.

use crate::fields::words;
use crate::units::{Ratio, Span, Time};

/// Failures of links and switches: what is drawn for each run, what is listed, and how switches deal with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failures {
    /// Probability that a cable between an edge and an aggregation switch is down for the whole run.
    pub edge_agg_probability: Ratio,
    /// The same of a cable between an aggregation switch and a core.
    pub agg_core_probability: Ratio,
    /// Probability that all cables of an aggregation switch or core are down for the whole run.
    pub switch_probability: Ratio,
    /// Cables that are down or slow for a time; those of one cable do not overlap.
    pub links: Vec<LinkFault>,
    /// Switches that are down for a time; those of one switch do not overlap.
    pub switches: Vec<SwitchFault>,
    /// From a change to the instant at which all switches know it.
    pub convergence: Span,
    /// What becomes of frames that wait behind a dead link.
    pub queued: Queued,
    /// What to do about hosts that are to communicate and cannot.
    pub on_partition: OnPartition,
}

impl Default for Failures {
    fn default() -> Self {
        let never = Ratio { num: 0, den: 1 };
        Self {
            edge_agg_probability: never,
            agg_core_probability: never,
            switch_probability: never,
            links: Vec::new(),
            switches: Vec::new(),
            convergence: Span::from_ns(1_000),
            queued: Queued::Lost,
            on_partition: OnPartition::Redraw,
        }
    }
}

impl Failures {
    /// Whether anything is drawn.
    #[must_use]
    pub const fn is_random(&self) -> bool {
        self.edge_agg_probability.num > 0
            || self.agg_core_probability.num > 0
            || self.switch_probability.num > 0
    }

    /// Whether nothing can fail.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        !self.is_random() && self.links.is_empty() && self.switches.is_empty()
    }
}

/// A cable that is down or slow from `from` on, until before `until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkFault {
    /// The cable's number.
    pub cable: u32,
    /// The first instant.
    pub from: Time,
    /// The first instant after it; [`Time::NEVER`]: for good.
    pub until: Time,
    /// The fraction of its rate that it keeps; `None`: it is down.
    pub slow_to: Option<Ratio>,
}

/// A switch all of whose cables are down from `from` on, until before `until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchFault {
    /// Its number among all switches: edges, aggregation switches, cores.
    pub switch: u32,
    /// The first instant.
    pub from: Time,
    /// The first instant after it; [`Time::NEVER`]: for good.
    pub until: Time,
}

words! {
    /// What becomes of frames that wait behind a dead link.
    pub enum Queued {
        /// The port goes on sending; what it sends is lost.
        Lost = "lost",
        /// The port starts no frame until the link returns.
        Held = "held",
    }
}

words! {
    /// What to do about hosts that are to communicate and cannot at time 0.
    pub enum OnPartition {
        /// Repeat the whole draw; refuse what the lists alone cut off.
        Redraw = "redraw",
        /// Refuse to run.
        Refuse = "refuse",
        /// Run; switches drop what they cannot send on.
        Drop = "drop",
    }
}
