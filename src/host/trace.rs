//! What one flow's sender did, event by event.

use crate::units::{Span, Time};

/// An event at a flow's sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceEvent {
    /// A new packet is sent.
    Send,
    /// A lost packet is sent again.
    Resend,
    /// An ACK arrives.
    Ack,
    /// A NACK arrives.
    Nack,
    /// A packet is taken for lost because of what came back.
    Lost,
    /// A packet is taken for lost because nothing came back.
    Timeout,
    /// A probe is due.
    Probe,
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRow {
    /// When.
    pub time: Time,
    /// What.
    pub event: TraceEvent,
    /// The packet: its index in the connection.
    pub psn: u32,
    /// Frame bytes of it; 0 for what answers it.
    pub bytes: u32,
    /// Bytes that may be in flight after the event; `None`: any number.
    pub window: Option<u64>,
    /// Bytes in flight after the event; `None` without a transport.
    pub in_flight: Option<u64>,
    /// The RTT that an ACK gives.
    pub rtt: Option<Span>,
    /// Whether an ACK echoes a mark.
    pub marked: bool,
    /// The entropy value or source route of the packet.
    pub path: u16,
}

/// The record of one connection.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    /// The connection, by local flow, and the packets of the flow among its packets.
    pub(super) connection: u32,
    pub(super) psns: std::ops::Range<u32>,
    pub(super) rows: Vec<TraceRow>,
}

impl Trace {
    /// Take `row` of `connection`, if it is about the flow.
    pub(super) fn take(&mut self, connection: u32, row: TraceRow) {
        if connection == self.connection && self.psns.contains(&row.psn) {
            self.rows.push(row);
        }
    }
}
