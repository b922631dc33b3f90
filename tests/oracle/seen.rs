//! What the oracle reports of a run.

use std::collections::BTreeMap;

use spraysim::packet::Kind;
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

/// What ports that trim or pause did beyond that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LossySeen {
    /// Data frames that lost their payload here.
    pub(crate) trimmed: u64,
    /// PAUSE frames that found the port unpaused.
    pub(crate) pauses: u64,
    /// Time spent paused, to the end of the run.
    pub(crate) paused: Span,
    /// Most bytes above the threshold that came in by this port.
    pub(crate) headroom: u64,
}

impl LossySeen {
    /// A pause frame comes in by a port that is paused since `paused`.
    pub(crate) fn hear(&mut self, kind: Kind, paused: &mut Option<Time>, now: Time) {
        if kind == Kind::Resume {
            self.paused += paused.take().map_or(Span::ZERO, |since| now - since);
        } else if paused.is_none() {
            self.pauses += 1;
            *paused = Some(now);
        }
    }
}

/// What recovery did for one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RecoverySeen {
    /// Data frames sent again.
    pub(crate) retransmissions: u64,
    /// Expiries of the timer.
    pub(crate) timeouts: u64,
    /// NACKs that came back.
    pub(crate) nacks: u64,
    /// Data packets that the receiver had already.
    pub(crate) spurious: u64,
    /// Data packets that it did not keep.
    pub(crate) discarded: u64,
}

/// What the sender of one flow saw of its ACKs and its window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AnswersSeen {
    /// ACKs that came back, and how many of them echo a mark.
    pub(crate) acks: u64,
    pub(crate) marked: u64,
    /// The number of RTTs that they gave, their sum, the shortest and the longest.
    pub(crate) rtts: Option<(u64, u128, Span, Span)>,
    /// The window, if there is one, and for how long it held: from the first bit to the end, or the last ACK, NACK or timeout.
    pub(crate) window: Option<(u64, Span)>,
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
    /// What ports did that trim or pause.
    pub(crate) lossy: BTreeMap<LinkKey, LossySeen>,
    /// What recovery did, by flow in the workload's order.
    pub(crate) recovery: Vec<RecoverySeen>,
    /// What senders saw of ACKs and windows, likewise.
    pub(crate) answers: Vec<AnswersSeen>,
    /// Frames that hosts took in, pause frames apart.
    pub(crate) taken: u64,
    /// Frames that switches still hold at the end, pause frames apart.
    pub(crate) held: u64,
    /// When the last frame left or was queued, or the horizon.
    pub(crate) ended: Time,
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
