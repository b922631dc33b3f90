//! `trace.csv`: what happened to one flow, as its sender saw it; one row an event.

use super::columns;
use crate::sim::{RunResult, TraceRow};

columns! {
    /// One event.
    pub struct EventRow of (event: &TraceRow) {
        /// when
        time_ps["ps"]: u64 = event.time.0,
        /// `send`, `resend`, `ack`, `nack`, `lost` (a packet is taken for lost), `timeout`, `probe`, or `syn` (a connection asks to be
        /// opened)
        event[""]: &'static str = event.event.name(),
        /// number of the data packet on its connection
        psn[""]: u32 = event.psn,
        /// frame bytes that were sent, lost, or newly known to have arrived
        bytes["B"]: u64 = event.bytes,
        /// the window after the event; empty without congestion control
        window_bytes["B"]: Option<u64> = event.window_bytes,
        /// frame bytes in flight after the event; empty without a transport
        in_flight_bytes["B"]: Option<u64> = event.in_flight_bytes,
        /// the RTT that an ACK measured; empty if none
        rtt_ps["ps"]: Option<u64> = event.rtt.map(|span| span.0),
        /// `true` if an ACK echoes an ECN mark
        marked[""]: bool = event.marked,
        /// entropy value of the data packet, or its source route (the uplink at the edge + 256 x that at the aggregation switch)
        path[""]: u16 = event.path,
        /// what the controller did to the window at an `ack`, `nack`, `lost` or `timeout`, in its own words joined by `+`; empty if it says
        /// nothing
        decision[""]: &'static str = event.decision,
    }
}

/// The rows of one run, in the order of the events.
pub fn rows(result: &RunResult) -> impl Iterator<Item = EventRow> + '_ {
    result.trace.iter().map(EventRow::of)
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
