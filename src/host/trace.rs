//! What one flow's sender did, event by event.

use super::Host;
use super::reliable::Lost;
use crate::packet::{AckRecord, Packet};
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
    /// A SYN is due.
    Syn,
}

impl TraceEvent {
    /// Its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Resend => "resend",
            Self::Ack => "ack",
            Self::Nack => "nack",
            Self::Lost => "lost",
            Self::Timeout => "timeout",
            Self::Probe => "probe",
            Self::Syn => "syn",
        }
    }
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
    /// Frame bytes sent, lost, or newly known to have arrived.
    pub bytes: u64,
    /// Bytes that may be in flight after the event; `None`: any number.
    pub window_bytes: Option<u64>,
    /// Bytes in flight after the event; `None` without a transport.
    pub in_flight_bytes: Option<u64>,
    /// The RTT that an ACK gives.
    pub rtt: Option<Span>,
    /// Whether an ACK echoes a mark.
    pub marked: bool,
    /// The entropy value or source route of the packet.
    pub path: u16,
    /// What the controller says that it did to the window; empty: nothing.
    pub decision: &'static str,
}

/// The packet that an event is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traced {
    /// Its index in the connection.
    pub(super) psn: u32,
    /// Frame bytes sent or lost.
    pub(super) bytes: u32,
    /// The entropy value or source route.
    pub(super) path: u16,
}

impl Traced {
    /// `packet`, which is sent.
    #[inline]
    pub(super) fn of(packet: &Packet) -> Self {
        Self {
            psn: packet.psn,
            bytes: packet.size,
            path: packet.path,
        }
    }
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

impl Host {
    /// Trace an event about a packet of connection `number`.
    pub(super) fn trace(&mut self, number: u32, time: Time, event: TraceEvent, what: Traced) {
        if self.trace.is_some() {
            self.trace_row(number, plain(time, event, what));
        }
    }

    /// Trace `packet`, an ACK of connection `number`, where there is no transport.
    pub(super) fn trace_ack(&mut self, number: u32, packet: &Packet) {
        if self.trace.is_some() {
            let what = Traced {
                bytes: 0,
                ..Traced::of(packet)
            };
            let row = plain(packet.time, TraceEvent::Ack, what);
            let marked = packet.is_marked();
            self.trace_row(number, TraceRow { marked, ..row });
        }
    }

    /// Trace that packets of connection `number` are taken for lost.
    pub(super) fn trace_lost(&mut self, number: u32, time: Time, event: TraceEvent, lost: &[Lost]) {
        if self.trace.is_some() {
            for lost in lost {
                let what = Traced {
                    psn: lost.psn,
                    bytes: lost.record.size,
                    path: lost.record.path,
                };
                let row = plain(time, event, what);
                let decision = lost.decision;
                self.trace_row(number, TraceRow { decision, ..row });
            }
        }
    }

    /// Trace what `packet`, an ACK or NACK, says.
    pub(super) fn trace_answer(
        &mut self,
        number: u32,
        packet: &Packet,
        record: &AckRecord,
        event: TraceEvent,
    ) {
        if self.trace.is_some() {
            let changes = self.connections.as_ref().map(|all| &all.changes);
            // A NACK is told to the controller as a loss.
            let decision = changes.map_or("", |changes| match changes.lost.first() {
                Some(lost) if event == TraceEvent::Nack => lost.decision,
                _ => changes.decision,
            });
            let rtt = changes.and_then(|changes| changes.rtt);
            let acked = changes.into_iter().flat_map(|changes| &changes.acked);
            let bytes = acked.map(|&(_, size)| u64::from(size)).sum();
            self.trace_row(
                number,
                TraceRow {
                    time: packet.time,
                    event,
                    psn: match record.psn {
                        Packet::SYN => 0,
                        psn => psn,
                    },
                    bytes,
                    window_bytes: None,
                    in_flight_bytes: None,
                    rtt,
                    marked: packet.is_marked(),
                    path: record.path,
                    decision,
                },
            );
        }
    }

    /// Trace `row` of connection `number`, with its window and bytes in flight filled in.
    #[cold]
    fn trace_row(&mut self, number: u32, row: TraceRow) {
        let load = self.connections.as_ref();
        let load = load.map(|all| all.senders[number as usize].load());
        if let Some(trace) = &mut self.trace {
            let row = TraceRow {
                window_bytes: load
                    .map(|(window, _)| window)
                    .filter(|&window| window < u64::MAX),
                in_flight_bytes: load.map(|(_, in_flight)| in_flight),
                ..row
            };
            trace.take(number, row);
        }
    }
}

/// A row about a packet.
fn plain(time: Time, event: TraceEvent, what: Traced) -> TraceRow {
    TraceRow {
        time,
        event,
        psn: what.psn,
        bytes: what.bytes.into(),
        window_bytes: None,
        in_flight_bytes: None,
        rtt: None,
        marked: false,
        path: what.path,
        decision: "",
    }
}
