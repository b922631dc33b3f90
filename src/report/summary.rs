//! `summary.csv`: one row a run.

use serde::Serialize;

use super::cells::{Mean, Percent};
use super::keys::Subject;
use super::mice::Mice;
use super::switch_queues::SwitchQueues;
use super::{Column, column};
use crate::sim::{FlowResult, LinkResult, RunResult, Stage, UTILIZATION_WINDOW};
use crate::units::{Span, Time};

/// One run.
#[derive(Clone, Debug, Default, Serialize)]
#[expect(missing_docs, reason = "COLUMNS defines every field")]
pub struct SummaryRow {
    pub flows: u64,
    pub finished_flows: u64,
    pub cct_ps: Option<u64>,
    pub lower_bound_ps: u64,
    pub cct_increase_pct: Percent,
    pub utilization_mean: Mean,
    pub utilization_peak: Mean,
    pub queue_max_packets: u64,
    pub queue_max_bytes: u64,
    pub queue_mean_packets: Mean,
    pub queue_mean_up_packets: Mean,
    pub queue_mean_down_packets: Mean,
    pub data_packets: u64,
    pub ack_packets: u64,
    pub dropped_packets: u64,
    pub ecn_marked_packets: u64,
    pub retransmitted_packets: u64,
    pub packet_hops: u64,
    pub lower_bound_kind: &'static str,
    pub delivered_bytes: u64,
    pub queue_max_stage: &'static str,
    pub failed_links: u64,
    pub failure_redraws: u64,
    pub lost_packets: u64,
    pub unroutable_packets: u64,
    pub outage_ps: Option<u64>,
    pub recovery_ps: Option<u64>,
    pub rho_max: f64,
    pub trimmed_packets: u64,
    pub pauses: u64,
    pub timeouts: u64,
    pub nacks: u64,
    pub spurious_retransmissions: u64,
    pub mice: u64,
    pub finished_mice: u64,
    pub mice_fct_mean_ps: Mean,
    pub mice_fct_p50_ps: Option<u64>,
    pub mice_fct_p99_ps: Option<u64>,
    pub mice_fct_max_ps: Option<u64>,
}

/// The columns of [`SummaryRow`].
pub const COLUMNS: &[Column] = &[
    column("flows", "", "flows of the workload, mice included"),
    column("finished_flows", "", "flows that finished"),
    column(
        "cct_ps",
        "ps",
        "collective completion time: first bit sent to last ACK received (last arrival without ACKs), of all flows but the mice; empty if one of these is unfinished",
    ),
    column(
        "lower_bound_ps",
        "ps",
        "lower bound of the CCT, of the kind in `lower_bound_kind`; with start jitter a run may end below it, by up to the largest offset of a host (by default a slot of a full packet)",
    ),
    column(
        "cct_increase_pct",
        "%",
        "(`cct_ps` / `lower_bound_ps` - 1) x 100",
    ),
    column(
        "utilization_mean",
        "",
        "payload bits delivered, but for those of mice / (hosts x line rate x CCT)",
    ),
    column(
        "utilization_peak",
        "",
        "largest busy fraction (frames and gaps) of all aggregation-to-edge links together in one of the consecutive 0.5 us windows from time 0 on",
    ),
    column(
        "queue_max_packets",
        "packets",
        "most frames that any switch output queue held, frame in service included",
    ),
    column(
        "queue_max_bytes",
        "B",
        "most bytes that any switch output queue held",
    ),
    column(
        "queue_mean_packets",
        "packets",
        "mean over switch output queues and over the time from the first bit sent until the last host has finished sending; the sum of the next two",
    ),
    column(
        "queue_mean_up_packets",
        "packets",
        "share of `queue_mean_packets` in queues of stages `ea` and `ac`",
    ),
    column(
        "queue_mean_down_packets",
        "packets",
        "share of `queue_mean_packets` in queues of stages `ca`, `ae` and `eh`",
    ),
    column("data_packets", "packets", "data packets that left a host"),
    column("ack_packets", "packets", "ACKs that left a host"),
    column(
        "dropped_packets",
        "packets",
        "frames dropped by full queues",
    ),
    column(
        "ecn_marked_packets",
        "packets",
        "data frames that a queue marked",
    ),
    column(
        "retransmitted_packets",
        "packets",
        "data packets sent again",
    ),
    column(
        "packet_hops",
        "packets",
        "frames serialised by ports, hosts' included",
    ),
    column(
        "lower_bound_kind",
        "",
        "`permutation`, `permutation_few_acks`, `permutation_no_acks` or `naive`",
    ),
    column(
        "delivered_bytes",
        "B",
        "payload bytes that reached their receivers",
    ),
    column(
        "queue_max_stage",
        "",
        "first stage (in the order `ea`, `ac`, `ca`, `ae`, `eh`) that held `queue_max_packets`; empty if no queue held any",
    ),
    column(
        "failed_links",
        "",
        "links between switches, both directions as one, that are down at some time, drawn or listed, within the run or not",
    ),
    column(
        "failure_redraws",
        "",
        "draws of failed links that were repeated because they cut off hosts",
    ),
    column(
        "lost_packets",
        "packets",
        "frames that left and did not arrive because their link was down, or by chance (`failures.loss`)",
    ),
    column(
        "unroutable_packets",
        "packets",
        "packets that a switch dropped because no uplink led to their destination",
    ),
    column(
        "outage_ps",
        "ps",
        "from the first timed change of a link to the last packet that was lost or unroutable; 0 if none was; empty if links do not change while hosts send",
    ),
    column(
        "recovery_ps",
        "ps",
        "from the last timed change of a link until deliveries were back to normal for good; empty if they were not, or there was no normal",
    ),
    column(
        "rho_max",
        "",
        "highest fraction of line rate at which all flows could send if balanced perfectly (`congestion_control.rho_max`); hosts send at `load` times it",
    ),
    column(
        "trimmed_packets",
        "packets",
        "data packets whose payload a full port cut off",
    ),
    column("pauses", "", "how often ports were paused, hosts' included"),
    column("timeouts", "", "expiries of retransmission timers"),
    column("nacks", "packets", "NACKs that reached their senders"),
    column(
        "spurious_retransmissions",
        "packets",
        "of `retransmitted_packets`, those that their receivers had already",
    ),
    column(
        "mice",
        "",
        "messages beside the collective (`workload.mice`)",
    ),
    column("finished_mice", "", "of these, those that finished"),
    column(
        "mice_fct_mean_ps",
        "ps",
        "mean `fct_ps` (as in `flows.csv`) of the mice that finished; empty if none did",
    ),
    column("mice_fct_p50_ps", "ps", "half of them took no longer"),
    column("mice_fct_p99_ps", "ps", "99 % of them took no longer"),
    column("mice_fct_max_ps", "ps", "the longest of them"),
];

impl SummaryRow {
    /// The row of one run.
    #[must_use]
    pub fn new(subject: &Subject, result: &RunResult) -> Self {
        let finished = result.flows.iter().filter(|flow| flow.end.is_some());
        let cct = completion_time(result);
        let bound = subject.lower_bound;
        let queues = SwitchQueues::of(result);
        let mice = Mice::of(result);
        Self {
            flows: result.flows.len() as u64,
            finished_flows: finished.count() as u64,
            cct_ps: cct.map(|span| span.0),
            lower_bound_ps: bound.span.0,
            cct_increase_pct: match cct {
                Some(cct) => increase(cct, bound.span),
                None => Percent::unknown(),
            },
            utilization_mean: match cct {
                Some(cct) => mean_utilization(subject, result, cct),
                None => Mean::unknown(),
            },
            utilization_peak: peak_utilization(result),
            queue_max_packets: queues.max_packets,
            queue_max_bytes: queues.max_bytes,
            queue_mean_packets: queues.mean(queues.up_packet_ps + queues.down_packet_ps),
            queue_mean_up_packets: queues.mean(queues.up_packet_ps),
            queue_mean_down_packets: queues.mean(queues.down_packet_ps),
            data_packets: result.data_packets,
            ack_packets: result.ack_packets,
            dropped_packets: of_links(result, |link| link.dropped_packets),
            ecn_marked_packets: of_links(result, |link| link.marked_packets),
            retransmitted_packets: of_flows(result, |flow| flow.retransmissions),
            packet_hops: result.packet_hops,
            lower_bound_kind: bound.kind,
            delivered_bytes: result.delivered_bytes,
            queue_max_stage: queues.max_stage,
            failed_links: result.failures.failed_links,
            failure_redraws: result.failures.redraws,
            lost_packets: of_links(result, |link| link.lost_packets),
            unroutable_packets: result.failures.unroutable_packets,
            outage_ps: result.failures.outage.map(|span| span.0),
            recovery_ps: result.failures.recovery.map(|span| span.0),
            rho_max: result.rho_max.as_f64(),
            trimmed_packets: of_links(result, |link| link.trimmed_packets),
            pauses: of_links(result, |link| link.pauses),
            timeouts: of_flows(result, |flow| flow.timeouts),
            nacks: of_flows(result, |flow| flow.nacks),
            spurious_retransmissions: of_flows(result, |flow| flow.spurious_retransmissions),
            mice: mice.count,
            finished_mice: mice.times.len() as u64,
            mice_fct_mean_ps: mice.mean(),
            mice_fct_p50_ps: mice.percentile(50),
            mice_fct_p99_ps: mice.percentile(99),
            mice_fct_max_ps: mice.percentile(100),
        }
    }
}

/// The sum over all links.
fn of_links(result: &RunResult, of: fn(&LinkResult) -> u64) -> u64 {
    result.links.iter().map(of).sum()
}

/// The sum over all flows.
fn of_flows(result: &RunResult, of: fn(&FlowResult) -> u64) -> u64 {
    result.flows.iter().map(of).sum()
}

/// The time over which queues are averaged: first bit sent until the last host has finished sending.
#[must_use]
pub(super) fn queue_span(result: &RunResult) -> Span {
    match result.first_bit {
        Some(first) => result.integrated_until.saturating_since(first),
        None => Span::ZERO,
    }
}

/// From the first bit of the collective to its last ACK, if all of it finished.
fn completion_time(result: &RunResult) -> Option<Span> {
    let first = result.collective().filter_map(|flow| flow.start).min()?;
    let ends: Option<Vec<Time>> = result.collective().map(|flow| flow.end).collect();
    Some(ends?.into_iter().max()? - first)
}

/// (cct / bound - 1) x 100, from the exact difference.
fn increase(cct: Span, bound: Span) -> Percent {
    let difference = i128::from(cct.0) - i128::from(bound.0);
    Percent::ratio(difference as f64 * 100.0, bound.0 as f64)
}

/// Bits delivered over bits that the hosts' links could have carried.
fn mean_utilization(subject: &Subject, result: &RunResult, cct: Span) -> Mean {
    let of_mice: u64 = result.mice().map(|flow| flow.received_bytes).sum();
    let bit_ps = u128::from(result.delivered_bytes - of_mice) * 8 * 1_000_000_000_000;
    let capacity = subject.keys.hosts as f64 * subject.link_rate.bits_per_sec() as f64;
    Mean::ratio(bit_ps as f64, capacity * cct.0 as f64)
}

fn peak_utilization(result: &RunResult) -> Mean {
    let stage = result.stages.iter().find(|stage| stage.stage == Stage::Ae);
    let links = stage.map_or(0, |stage| stage.ports);
    let capacity = u128::from(UTILIZATION_WINDOW.0) * u128::from(links);
    Mean::ratio(result.peak_ae_busy.0 as f64, capacity as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::header_of;
    use crate::report::testing::{cells, names, result, subject};

    #[test]
    fn the_column_table_is_the_header() {
        assert_eq!(names(COLUMNS), header_of::<SummaryRow>());
    }

    #[test]
    fn the_row_holds_the_numbers_computed_by_hand() {
        let row = SummaryRow::new(&subject(), &result());
        // CCT 2,100,000 - 100,000 over the bound of 1,600,000: +25 %. 300,000 B x 8 over 2 hosts x 800 Gb/s x 2 us.
        // Peak: 600,000 ps busy on 2 links in a window of 500,000 ps. Queues: 6 switch ports x 1,000,000 ps.
        let expected = "2,2,2000000,1600000,25.0000,0.750000,0.600000,7,29106,\
             1.500000,0.500000,1.000000,74,73,3,5,1,294,naive,300000,ae,4,1,2,6,900,,0.75,4,7,2,3,1,0,0,,,,";
        assert_eq!(cells(&row), expected);
    }

    #[test]
    fn an_unfinished_flow_leaves_the_completion_time_empty() {
        let mut result = result();
        result.flows[1].end = None;
        result.last_finish = None;
        let row = SummaryRow::new(&subject(), &result);
        assert!(cells(&row).starts_with("2,1,,1600000,,,0.600000,7,"));
    }

    #[test]
    fn a_run_that_sent_nothing_has_no_means() {
        let mut result = result();
        result.first_bit = None;
        result.last_finish = None;
        let row = SummaryRow::new(&subject(), &result);
        assert_eq!(row.queue_mean_packets, Mean::unknown());
    }
}
