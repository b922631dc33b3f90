//! `flows.csv`: one row a flow.

use serde::Serialize;

use super::cells::{Mean, Node};
use super::{Column, column};
use crate::settings::FlowClass;
use crate::sim::{FlowResult, NodeName, RttStats, RunResult, WindowStats};

/// One flow.
#[derive(Clone, Debug, Default, Serialize)]
#[expect(missing_docs, reason = "COLUMNS defines every field")]
pub struct FlowRow {
    pub flow: u64,
    pub id: u64,
    pub src: Node,
    pub dst: Node,
    pub bytes: u64,
    pub start_ps: Option<u64>,
    pub end_ps: Option<u64>,
    pub fct_ps: Option<u64>,
    pub ideal_fct_ps: u64,
    pub packets: u64,
    pub retransmissions: u64,
    pub max_reordering_packets: u64,
    pub finished: bool,
    pub release_ps: Option<u64>,
    pub message: Option<u64>,
    pub timeouts: u64,
    pub nacks: u64,
    pub spurious_retransmissions: u64,
    pub discarded_packets: u64,
    pub mean_reordering_packets: Mean,
    pub p99_reordering_packets: u64,
    pub acks: u64,
    pub marked_acks: u64,
    pub rtt_min_ps: Option<u64>,
    pub rtt_mean_ps: Mean,
    pub rtt_max_ps: Option<u64>,
    pub window_min_bytes: Option<u64>,
    pub window_mean_bytes: Mean,
    pub window_max_bytes: Option<u64>,
    pub window_end_bytes: Option<u64>,
    pub class: &'static str,
}

/// The columns of [`FlowRow`].
pub const COLUMNS: &[Column] = &[
    column("flow", "", "index of the flow in the workload, from 0"),
    column(
        "id",
        "",
        "the input's own number of the flow; of a mouse, its number among the mice, round by round, from 0",
    ),
    column("src", "", "sending host"),
    column("dst", "", "receiving host"),
    column("bytes", "B", "payload"),
    column("start_ps", "ps", "first bit sent; empty if none was"),
    column(
        "end_ps",
        "ps",
        "last ACK received (last arrival without ACKs); empty if unfinished",
    ),
    column("fct_ps", "ps", "`end_ps - start_ps`; empty if unfinished"),
    column(
        "ideal_fct_ps",
        "ps",
        "completion time of the flow alone on an idle fabric, over one path; a short last frame that takes another path may overtake and finish a few ns earlier",
    ),
    column("packets", "packets", "data packets sent"),
    column("retransmissions", "packets", "of these, packets sent again"),
    column(
        "max_reordering_packets",
        "packets",
        "largest distance by which a packet arrived after a later one",
    ),
    column("finished", "", "`true` or `false`"),
    column(
        "release_ps",
        "ps",
        "when it might start: at its time (start jitter included), or when what it waits for was done; empty if that did not happen",
    ),
    column(
        "message",
        "",
        "its number as a message on a re-used connection, whose `id` its messages share; empty if it is none",
    ),
    column("timeouts", "", "expiries of its retransmission timer"),
    column("nacks", "packets", "NACKs that reached its sender"),
    column(
        "spurious_retransmissions",
        "packets",
        "of `retransmissions`, packets that the receiver had already",
    ),
    column(
        "discarded_packets",
        "packets",
        "packets that its receiver did not keep: beyond `transport.reorder_packets`, or out of order under `go_back_n`",
    ),
    column(
        "mean_reordering_packets",
        "packets",
        "mean over the packets received of the distance by which one arrived after a later one, 0 for a packet in order; empty if none was",
    ),
    column(
        "p99_reordering_packets",
        "packets",
        "99 % of them have a distance no larger than this",
    ),
    column(
        "acks",
        "packets",
        "ACKs that reached its sender, for packets of this flow",
    ),
    column(
        "marked_acks",
        "packets",
        "of these, ACKs that echo an ECN mark",
    ),
    column(
        "rtt_min_ps",
        "ps",
        "shortest RTT that these ACKs measured; empty if none did, or without a transport",
    ),
    column("rtt_mean_ps", "ps", "mean of these RTTs"),
    column("rtt_max_ps", "ps", "longest of them"),
    column(
        "window_min_bytes",
        "B",
        "smallest congestion window of its connection from `start_ps` to `end_ps`, or to the last ACK, NACK or timeout there if unfinished; empty if nothing was sent, or without congestion control",
    ),
    column("window_mean_bytes", "B", "its mean over that time"),
    column("window_max_bytes", "B", "the largest in that time"),
    column(
        "window_end_bytes",
        "B",
        "the last: what the event at the end of that time made of it",
    ),
    column(
        "class",
        "",
        "`collective`, or `mouse` for a message of `workload.mice`",
    ),
];

/// The rows of one run.
pub fn rows(result: &RunResult) -> impl Iterator<Item = FlowRow> + '_ {
    result
        .flows
        .iter()
        .enumerate()
        .map(|(i, flow)| row(i, flow))
}

fn row(index: usize, flow: &FlowResult) -> FlowRow {
    let end = flow.end.map(|time| time.0);
    let start = flow.start.map(|time| time.0);
    FlowRow {
        flow: index as u64,
        id: flow.spec.id,
        src: Node(NodeName('h', flow.spec.src)),
        dst: Node(NodeName('h', flow.spec.dst)),
        bytes: flow.spec.bytes,
        start_ps: start,
        end_ps: end,
        fct_ps: end.zip(start).map(|(end, start)| end - start),
        ideal_fct_ps: flow.ideal.0,
        packets: flow.packets,
        retransmissions: flow.retransmissions,
        max_reordering_packets: flow.max_reordering,
        finished: end.is_some(),
        release_ps: flow.release.map(|time| time.0),
        message: flow.message,
        timeouts: flow.timeouts,
        nacks: flow.nacks,
        spurious_retransmissions: flow.spurious_retransmissions,
        discarded_packets: flow.discarded_packets,
        mean_reordering_packets: Mean::ratio(
            flow.reordering_sum as f64,
            flow.received_packets as f64,
        ),
        p99_reordering_packets: flow.p99_reordering,
        acks: flow.acks,
        marked_acks: flow.marked_acks,
        rtt_min_ps: flow.rtts.map(|rtts| rtts.min.0),
        rtt_mean_ps: flow.rtts.map_or(Mean::unknown(), mean_rtt),
        rtt_max_ps: flow.rtts.map(|rtts| rtts.max.0),
        window_min_bytes: flow.window.map(|window| window.min),
        window_mean_bytes: flow.window.map_or(Mean::unknown(), mean_window),
        window_max_bytes: flow.window.map(|window| window.max),
        window_end_bytes: flow.window.map(|window| window.end),
        class: match flow.class {
            FlowClass::Collective => "collective",
            FlowClass::Mouse => "mouse",
        },
    }
}

fn mean_rtt(rtts: RttStats) -> Mean {
    Mean::ratio(rtts.sum_ps as f64, rtts.samples as f64)
}

/// The mean over time; the window itself if no time passed.
fn mean_window(window: WindowStats) -> Mean {
    match window.span.0 {
        0 => Mean::ratio(window.end as f64, 1.0),
        span => Mean::ratio(window.byte_ps as f64, span as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::header_of;
    use crate::report::testing::{cells, names, result};
    use crate::units::Span;

    #[test]
    fn the_column_table_is_the_header() {
        assert_eq!(names(COLUMNS), header_of::<FlowRow>());
    }

    #[test]
    fn a_finished_flow_has_its_times() {
        let row = rows(&result()).nth(1).expect("two flows");
        assert_eq!(
            cells(&row),
            "1,41,h1,h0,200000,150000,2100000,1950000,1500000,49,1,4,true,140000,7,2,3,1,5,0.250000,4,52,9,6000000,6500000.250000,7000001,4158,10000.000000,90000,5000,collective"
        );
    }

    #[test]
    fn an_unfinished_flow_has_empty_ends() {
        let mut result = result();
        result.flows[1].end = None;
        let row = rows(&result).nth(1).expect("two flows");
        assert_eq!(
            cells(&row),
            "1,41,h1,h0,200000,150000,,,1500000,49,1,4,false,140000,7,2,3,1,5,0.250000,4,52,9,6000000,6500000.250000,7000001,4158,10000.000000,90000,5000,collective"
        );
    }

    #[test]
    fn a_flow_that_never_starts_has_no_release_and_no_start() {
        let mut result = result();
        let flow = &mut result.flows[1];
        (flow.release, flow.start, flow.end) = (None, None, None);
        (flow.message, flow.packets, flow.received_packets) = (None, 0, 0);
        (flow.acks, flow.marked_acks) = (0, 0);
        (flow.rtts, flow.window) = (None, None);
        let row = rows(&result).nth(1).expect("two flows");
        assert_eq!(
            cells(&row),
            "1,41,h1,h0,200000,,,,1500000,0,1,4,false,,,2,3,1,5,,4,0,0,,,,,,,,collective"
        );
    }

    #[test]
    fn a_window_that_no_time_passed_under_is_its_own_mean() {
        let mut result = result();
        result.flows[1].window = Some(WindowStats {
            min: 700,
            max: 700,
            end: 700,
            byte_ps: 0,
            span: Span::ZERO,
        });
        let row = rows(&result).nth(1).expect("two flows");
        assert!(cells(&row).ends_with(",700,700.000000,700,700,collective"));
    }
}
