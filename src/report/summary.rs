//! `summary.csv`: one row a run.

use super::cells::{Mean, Percent};
use super::columns;
use super::keys::Subject;
use super::mice::Mice;
use super::switch_queues::SwitchQueues;
use crate::sim::{FlowResult, LinkResult, RunResult, Stage, UTILIZATION_WINDOW};
use crate::theory::LowerBound;
use crate::units::{Span, Time};

/// What the row of a run is made of.
#[derive(Debug)]
pub struct Run<'a> {
    subject: &'a Subject,
    result: &'a RunResult,
    /// The completion time of the collective, if all of it finished.
    cct: Option<Span>,
    bound: LowerBound,
    queues: SwitchQueues,
    mice: Mice,
}

columns! {
    /// One run.
    pub struct SummaryRow of (run: &Run<'_>) {
        /// flows of the workload, mice included
        flows[""]: u64 = run.result.flows.len() as u64,
        /// flows that finished
        finished_flows[""]: u64 = finished(run.result),
        /// collective completion time: first bit sent to last ACK received (last arrival without ACKs), of all flows but the mice; empty if
        /// one of these is unfinished
        cct_ps["ps"]: Option<u64> = run.cct.map(|span| span.0),
        /// lower bound of the CCT, of the kind in `lower_bound_kind`; with start jitter a run may end below it, by up to the largest offset
        /// of a host (by default a slot of a full packet)
        lower_bound_ps["ps"]: u64 = run.bound.span.0,
        /// (`cct_ps` / `lower_bound_ps` - 1) x 100
        cct_increase_pct["%"]: Percent = run.cct.map_or(Percent::unknown(), |cct| increase(cct, run.bound.span)),
        /// payload bits delivered, but for those of mice / (hosts x line rate x CCT)
        utilization_mean[""]: Mean = run.cct.map_or(Mean::unknown(), |cct| mean_utilization(run, cct)),
        /// largest busy fraction (frames and gaps) of all aggregation-to-edge links together in one of the consecutive 0.5 us windows from
        /// time 0 on
        utilization_peak[""]: Mean = peak_utilization(run.result),
        /// most frames that any switch output queue held, frame in service included
        queue_max_packets["packets"]: u64 = run.queues.max_packets,
        /// most bytes that any switch output queue held
        queue_max_bytes["B"]: u64 = run.queues.max_bytes,
        /// mean over switch output queues and over the time from the first bit sent until the last host has finished sending; the sum of
        /// the next two
        queue_mean_packets["packets"]: Mean = run.queues.mean(run.queues.up_packet_ps + run.queues.down_packet_ps),
        /// share of `queue_mean_packets` in queues of stages `ea` and `ac`
        queue_mean_up_packets["packets"]: Mean = run.queues.mean(run.queues.up_packet_ps),
        /// share of `queue_mean_packets` in queues of stages `ca`, `ae` and `eh`
        queue_mean_down_packets["packets"]: Mean = run.queues.mean(run.queues.down_packet_ps),
        /// data packets that left a host
        data_packets["packets"]: u64 = run.result.data_packets,
        /// ACKs that left a host
        ack_packets["packets"]: u64 = run.result.ack_packets,
        /// frames dropped by full queues
        dropped_packets["packets"]: u64 = of_links(run.result, |link| link.dropped_packets),
        /// data frames that a queue marked
        ecn_marked_packets["packets"]: u64 = of_links(run.result, |link| link.marked_packets),
        /// data packets sent again
        retransmitted_packets["packets"]: u64 = of_flows(run.result, |flow| flow.retransmissions),
        /// frames serialised by ports, hosts' included
        packet_hops["packets"]: u64 = run.result.packet_hops,
        /// `permutation`, `permutation_few_acks`, `permutation_no_acks` or `naive`
        lower_bound_kind[""]: &'static str = run.bound.kind,
        /// payload bytes that reached their receivers
        delivered_bytes["B"]: u64 = run.result.delivered_bytes,
        /// first stage (in the order `ea`, `ac`, `ca`, `ae`, `eh`) that held `queue_max_packets`; empty if no queue held any
        queue_max_stage[""]: &'static str = run.queues.max_stage,
        /// links between switches, both directions as one, that are down at some time, drawn or listed, within the run or not
        failed_links[""]: u64 = run.result.failures.failed_links,
        /// draws of failed links that were repeated because they cut off hosts
        failure_redraws[""]: u64 = run.result.failures.redraws,
        /// frames that left and did not arrive because their link was down, or by chance (`failures.loss`)
        lost_packets["packets"]: u64 = of_links(run.result, |link| link.lost_packets),
        /// packets that a switch dropped because no uplink led to their destination
        unroutable_packets["packets"]: u64 = run.result.failures.unroutable_packets,
        /// from the first timed change of a link to the last packet that was lost or unroutable; 0 if none was; empty if links do not
        /// change while hosts send
        outage_ps["ps"]: Option<u64> = run.result.failures.outage.map(|span| span.0),
        /// from the last timed change of a link until deliveries were back to normal for good; empty if they were not, or there was no
        /// normal
        recovery_ps["ps"]: Option<u64> = run.result.failures.recovery.map(|span| span.0),
        /// highest fraction of line rate at which all flows could send if balanced perfectly (`congestion_control.rho_max`); hosts send at
        /// `load` times it
        rho_max[""]: f64 = run.result.rho_max.as_f64(),
        /// data packets whose payload a full port cut off
        trimmed_packets["packets"]: u64 = of_links(run.result, |link| link.trimmed_packets),
        /// how often ports were paused, hosts' included
        pauses[""]: u64 = of_links(run.result, |link| link.pauses),
        /// expiries of retransmission timers
        timeouts[""]: u64 = of_flows(run.result, |flow| flow.timeouts),
        /// NACKs that reached their senders
        nacks["packets"]: u64 = of_flows(run.result, |flow| flow.nacks),
        /// of `retransmitted_packets`, those that their receivers had already
        spurious_retransmissions["packets"]: u64 = of_flows(run.result, |flow| flow.spurious_retransmissions),
        /// messages beside the collective (`workload.mice`)
        mice[""]: u64 = run.mice.count,
        /// of these, those that finished
        finished_mice[""]: u64 = run.mice.times.len() as u64,
        /// mean `fct_ps` (as in `flows.csv`) of the mice that finished; empty if none did
        mice_fct_mean_ps["ps"]: Mean = run.mice.mean(),
        /// half of them took no longer
        mice_fct_p50_ps["ps"]: Option<u64> = run.mice.percentile(50),
        /// 99 % of them took no longer
        mice_fct_p99_ps["ps"]: Option<u64> = run.mice.percentile(99),
        /// the longest of them
        mice_fct_max_ps["ps"]: Option<u64> = run.mice.percentile(100),
    }
}

impl SummaryRow {
    /// The row of one run.
    #[must_use]
    pub fn new(subject: &Subject, result: &RunResult) -> Self {
        Self::of(&Run {
            subject,
            result,
            cct: completion_time(result),
            bound: subject.lower_bound,
            queues: SwitchQueues::of(result),
            mice: Mice::of(result),
        })
    }
}

/// Flows that finished.
fn finished(result: &RunResult) -> u64 {
    let finished = result.flows.iter().filter(|flow| flow.end.is_some());
    finished.count() as u64
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
fn mean_utilization(run: &Run<'_>, cct: Span) -> Mean {
    let (subject, result) = (run.subject, run.result);
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
