//! How hosts recover what the fabric loses.

use crate::units::Span;

/// The transport of all flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transport {
    /// What the receiver does with packets out of order, and what completes a flow.
    pub kind: TransportKind,
    /// Frame bytes that a receiver takes before it owes an ACK; 0: an ACK a packet.
    pub ack_bytes_threshold: u32,
    /// Packets above the lowest missing one that a receiver keeps.
    pub reorder_packets: u32,
    /// A packet sent once is lost when one so many PSNs above it is acknowledged; `None`: never for that reason.
    pub dup_threshold: Option<u32>,
    /// Retransmission timeout.
    pub rto: Rto,
    /// Recovery by out-of-order counts and probes; `None`: off.
    pub sleek: Option<Sleek>,
    /// A connection gives up after so many timeouts in a row without anything new acknowledged.
    pub give_up_after: u32,
}

/// What the receiver does with packets out of order, and what completes a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportKind {
    /// It keeps them; the sender repeats what is missing.
    SelectiveRepeat,
    /// It discards them; the sender goes back.
    GoBackN,
    /// Any packets complete the flow if they are enough.
    Erasure(Erasure),
}

/// Completion by any sufficient number of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Erasure {
    /// Packets needed beyond those of the message.
    pub extra_packets: u32,
    /// Whether a sender that has sent enough goes on after a smoothed RTT without the last ACK.
    pub resume: bool,
}

/// Retransmission timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rto {
    /// How long it is.
    pub kind: RtoKind,
    /// Factor by which each expiry in a row lengthens it: 1 or 2.
    pub backoff: u32,
    /// The longest that backoff makes it.
    pub max: Span,
    /// What an expiry declares lost.
    pub scope: RtoScope,
}

/// How long a timeout is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoKind {
    /// Always the same; `None`: 15 us and six drain times of the largest buffer, 100 us where buffers are unlimited.
    Fixed(Option<Span>),
    /// Smoothed RTT and four mean deviations (RFC 6298).
    Estimated {
        /// Before the first sample.
        initial: Span,
        /// At least this.
        min: Span,
    },
}

/// What an expiry declares lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoScope {
    /// What was sent a timeout ago (uet-htsim).
    Oldest,
    /// All that is in flight.
    All,
}

/// SLEEK, the loss recovery of uet-htsim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sleek {
    /// Packets out of order that start recovery, at least.
    pub min_packets: u32,
    /// The same as percent of the window.
    pub window_pct: u32,
    /// The first probe goes so many base RTTs after the last ACK.
    pub probe_rtts: u32,
    /// Each further one goes so many base RTTs after the one before.
    pub probe_retry_rtts: u32,
    /// A probe whose answer is delayed by less than this says that what is missing is lost; `None`: 3/4 of the base RTT.
    pub target: Option<Span>,
}
