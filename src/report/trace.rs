//! `trace.csv`: what happened to one flow, as its sender saw it; one row an event.

use serde::Serialize;

use super::{Column, column};
use crate::sim::{RunResult, TraceRow};

/// One event.
#[derive(Clone, Debug, Default, Serialize)]
#[expect(missing_docs, reason = "COLUMNS defines every field")]
pub struct EventRow {
    pub time_ps: u64,
    pub event: &'static str,
    pub psn: u32,
    pub bytes: u64,
    pub window_bytes: Option<u64>,
    pub in_flight_bytes: Option<u64>,
    pub rtt_ps: Option<u64>,
    pub marked: bool,
    pub path: u16,
    pub decision: &'static str,
}

/// The columns of [`EventRow`].
pub const COLUMNS: &[Column] = &[
    column("time_ps", "ps", "when"),
    column(
        "event",
        "",
        "`send`, `resend`, `ack`, `nack`, `lost` (a packet is taken for lost), `timeout`, `probe`, or `syn` (a connection asks to be opened)",
    ),
    column("psn", "", "number of the data packet on its connection"),
    column(
        "bytes",
        "B",
        "frame bytes that were sent, lost, or newly known to have arrived",
    ),
    column(
        "window_bytes",
        "B",
        "the window after the event; empty without congestion control",
    ),
    column(
        "in_flight_bytes",
        "B",
        "frame bytes in flight after the event; empty without a transport",
    ),
    column(
        "rtt_ps",
        "ps",
        "the RTT that an ACK measured; empty if none",
    ),
    column("marked", "", "`true` if an ACK echoes an ECN mark"),
    column(
        "path",
        "",
        "entropy value of the data packet, or its source route (the uplink at the edge + 256 x that at the aggregation switch)",
    ),
    column(
        "decision",
        "",
        "what the controller did to the window at an `ack`, `nack`, `lost` or `timeout`, in its own words joined by `+`; empty if it says nothing",
    ),
];

/// The rows of one run, in the order of the events.
pub fn rows(result: &RunResult) -> impl Iterator<Item = EventRow> + '_ {
    result.trace.iter().map(row)
}

fn row(row: &TraceRow) -> EventRow {
    EventRow {
        time_ps: row.time.0,
        event: row.event.name(),
        psn: row.psn,
        bytes: row.bytes,
        window_bytes: row.window_bytes,
        in_flight_bytes: row.in_flight_bytes,
        rtt_ps: row.rtt.map(|span| span.0),
        marked: row.marked,
        path: row.path,
        decision: row.decision,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::header_of;
    use crate::report::testing::{cells, names, result};
    use crate::sim::TraceEvent;
    use crate::units::{Span, Time};

    #[test]
    fn the_column_table_is_the_header() {
        assert_eq!(names(COLUMNS), header_of::<EventRow>());
    }

    #[test]
    fn what_an_event_has_not_is_empty() {
        let send = TraceRow {
            time: Time(5),
            event: TraceEvent::Send,
            psn: 3,
            bytes: 4158,
            window_bytes: None,
            in_flight_bytes: Some(8316),
            rtt: None,
            marked: false,
            path: 258,
            decision: "",
        };
        let ack = TraceRow {
            event: TraceEvent::Ack,
            window_bytes: Some(9000),
            rtt: Some(Span(700)),
            marked: true,
            decision: "increase+fulfil",
            ..send
        };
        let mut result = result();
        result.trace = vec![send, ack];
        let rows: Vec<String> = rows(&result).map(|row| cells(&row)).collect();
        assert_eq!(
            rows,
            [
                "5,send,3,4158,,8316,,false,258,",
                "5,ack,3,4158,9000,8316,700,true,258,increase+fulfil"
            ]
        );
    }
}
