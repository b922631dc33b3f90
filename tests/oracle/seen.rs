//! What the oracle reports of a run.

use std::collections::BTreeMap;

use spraysim::sim::{FailureResult, NodeName, Stage};
use spraysim::units::{Span, Time};

/// A directed link: its stage, its two ends, and its number among the parallel ones.
pub(crate) type LinkKey = (Stage, NodeName, NodeName, u32);

/// What one directed link did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LinkSeen {
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
    pub(crate) busy: Span,
    pub(crate) max_packets: u64,
    pub(crate) max_bytes: u64,
    pub(crate) marked: u64,
    pub(crate) dropped: u64,
    pub(crate) lost: u64,
}

/// What one flow did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FlowSeen {
    pub(crate) release: Option<Time>,
    pub(crate) start: Option<Time>,
    pub(crate) end: Option<Time>,
    pub(crate) packets: u64,
    pub(crate) max_reordering: u64,
}

/// Integrals of one stage's queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StageSeen {
    pub(crate) ports: u64,
    pub(crate) packet_ps: u128,
    pub(crate) byte_ps: u128,
}

/// A run.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// In the workload's order.
    pub(crate) flows: Vec<FlowSeen>,
    pub(crate) links: BTreeMap<LinkKey, LinkSeen>,
    pub(crate) stages: BTreeMap<Stage, StageSeen>,
    pub(crate) first_bit: Option<Time>,
    pub(crate) last_sent: Option<Time>,
    pub(crate) last_finish: Option<Time>,
    pub(crate) integrated_until: Time,
    pub(crate) peak_ae_busy: Span,
    pub(crate) data_packets: u64,
    pub(crate) ack_packets: u64,
    pub(crate) delivered_bytes: u64,
    pub(crate) delivered_packets: u64,
    pub(crate) packet_hops: u64,
    /// Nothing was left to do.
    pub(crate) ran_dry: bool,
    pub(crate) failures: FailureResult,
}

/// One frame's stay in one queue; `left` is `None` while it is there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stay {
    pub(crate) since: Time,
    pub(crate) left: Option<Time>,
    pub(crate) bytes: u64,
}

impl Stay {
    /// The part of the stay before `end`.
    pub(crate) fn clipped(&self, end: Time) -> u128 {
        let left = self.left.map_or(end, |left| left.min(end));
        u128::from(left.saturating_since(self.since.min(end)).0)
    }
}
