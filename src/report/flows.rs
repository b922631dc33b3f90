//! `flows.csv`: one row a flow.

use super::cells::{Mean, Node};
use super::columns;
use crate::settings::FlowClass;
use crate::sim::{FlowResult, NodeName, RttStats, RunResult, WindowStats};

columns! {
    /// One flow.
    pub struct FlowRow of (index: usize, flow: &FlowResult) {
        /// index of the flow in the workload, from 0
        flow[""]: u64 = index as u64,
        /// the input's own number of the flow; of a mouse, its number among the mice, round by round, from 0
        id[""]: u64 = flow.spec.id,
        /// sending host
        src[""]: Node = Node(NodeName('h', flow.spec.src)),
        /// receiving host
        dst[""]: Node = Node(NodeName('h', flow.spec.dst)),
        /// payload
        bytes["B"]: u64 = flow.spec.bytes,
        /// first bit sent; empty if none was
        start_ps["ps"]: Option<u64> = flow.start.map(|time| time.0),
        /// last ACK received (last arrival without ACKs); empty if unfinished
        end_ps["ps"]: Option<u64> = flow.end.map(|time| time.0),
        /// `end_ps - start_ps`; empty if unfinished
        fct_ps["ps"]: Option<u64> = flow.end.zip(flow.start).map(|(end, start)| (end - start).0),
        /// completion time of the flow alone on an idle fabric, over one path; a short last frame that takes another path may overtake and
        /// finish a few ns earlier
        ideal_fct_ps["ps"]: u64 = flow.ideal.0,
        /// data packets sent
        packets["packets"]: u64 = flow.packets,
        /// of these, packets sent again
        retransmissions["packets"]: u64 = flow.retransmissions,
        /// largest distance by which a packet arrived after a later one
        max_reordering_packets["packets"]: u64 = flow.max_reordering,
        /// `true` or `false`
        finished[""]: bool = flow.end.is_some(),
        /// when it might start: at its time (start jitter included), or when what it waits for was done; empty if that did not happen
        release_ps["ps"]: Option<u64> = flow.release.map(|time| time.0),
        /// its number as a message on a re-used connection, whose `id` its messages share; empty if it is none
        message[""]: Option<u64> = flow.message,
        /// expiries of its retransmission timer
        timeouts[""]: u64 = flow.timeouts,
        /// NACKs that reached its sender
        nacks["packets"]: u64 = flow.nacks,
        /// of `retransmissions`, packets that the receiver had already
        spurious_retransmissions["packets"]: u64 = flow.spurious_retransmissions,
        /// packets that its receiver did not keep: beyond `transport.reorder_packets`, or out of order under `go_back_n`
        discarded_packets["packets"]: u64 = flow.discarded_packets,
        /// mean over the packets received of the distance by which one arrived after a later one, 0 for a packet in order; empty if none
        /// was
        mean_reordering_packets["packets"]: Mean = Mean::ratio(flow.reordering_sum as f64, flow.received_packets as f64),
        /// 99 % of them have a distance no larger than this
        p99_reordering_packets["packets"]: u64 = flow.p99_reordering,
        /// ACKs that reached its sender, for packets of this flow
        acks["packets"]: u64 = flow.acks,
        /// of these, ACKs that echo an ECN mark
        marked_acks["packets"]: u64 = flow.marked_acks,
        /// shortest RTT that these ACKs measured; empty if none did, or without a transport
        rtt_min_ps["ps"]: Option<u64> = flow.rtts.map(|rtts| rtts.min.0),
        /// mean of these RTTs
        rtt_mean_ps["ps"]: Mean = flow.rtts.map_or(Mean::unknown(), mean_rtt),
        /// longest of them
        rtt_max_ps["ps"]: Option<u64> = flow.rtts.map(|rtts| rtts.max.0),
        /// smallest congestion window of its connection from `start_ps` to `end_ps`, or to the last ACK, NACK or timeout there if
        /// unfinished; empty if nothing was sent, or without congestion control
        window_min_bytes["B"]: Option<u64> = flow.window.map(|window| window.min),
        /// its mean over that time
        window_mean_bytes["B"]: Mean = flow.window.map_or(Mean::unknown(), mean_window),
        /// the largest in that time
        window_max_bytes["B"]: Option<u64> = flow.window.map(|window| window.max),
        /// the last: what the event at the end of that time made of it
        window_end_bytes["B"]: Option<u64> = flow.window.map(|window| window.end),
        /// `collective`, or `mouse` for a message of `workload.mice`
        class[""]: &'static str = class(flow.class),
    }
}

/// The rows of one run.
pub fn rows(result: &RunResult) -> impl Iterator<Item = FlowRow> + '_ {
    let flows = result.flows.iter().enumerate();
    flows.map(|(index, flow)| FlowRow::of(index, flow))
}

const fn class(class: FlowClass) -> &'static str {
    match class {
        FlowClass::Collective => "collective",
        FlowClass::Mouse => "mouse",
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
