//! `queues.csv`: one row a run and stage of links.

use super::cells::{Mean, Percent};
use super::columns;
use super::summary::queue_span;
use crate::sim::{LinkResult, RunResult, StageResult};
use crate::units::Span;

columns! {
    /// The output queues of one stage.
    pub struct QueueRow of (stage: &StageResult, links: &[&LinkResult], span: Span) {
        /// `nic` host to edge, `ea` edge to aggregation, `ac` aggregation to core, `ca`, `ae`, `eh` the way down
        stage[""]: &'static str = stage.stage.name(),
        /// output ports of the stage
        ports["ports"]: u64 = stage.ports,
        /// most frames that one of them held, frame in service included
        max_packets["packets"]: u64 = links.iter().map(|link| link.queue_max_packets).max().unwrap_or(0),
        /// most bytes that one of them held
        max_bytes["B"]: u64 = links.iter().map(|link| link.queue_max_bytes).max().unwrap_or(0),
        /// mean over the stage's ports and over the time from the first bit sent until the last host has finished sending
        mean_packets["packets"]: Mean = Mean::ratio(stage.packet_ps as f64, port_ps(stage, span)),
        /// the same in bytes
        mean_bytes["B"]: Mean = Mean::ratio(stage.byte_ps as f64, port_ps(stage, span)),
        /// data frames marked
        marked_packets["packets"]: u64 = sum(links, |link| link.marked_packets),
        /// frames dropped
        dropped_packets["packets"]: u64 = sum(links, |link| link.dropped_packets),
        /// (bytes of the stage's busiest link / mean bytes a link - 1) x 100; empty if the stage carried nothing
        worst_link_overload_pct["%"]: Percent = overload(links),
        /// frames that left and did not arrive because their link was down, or by chance
        lost_packets["packets"]: u64 = sum(links, |link| link.lost_packets),
        /// data packets whose payload was cut off
        trimmed_packets["packets"]: u64 = sum(links, |link| link.trimmed_packets),
        /// how often ports were paused, all together
        pauses[""]: u64 = sum(links, |link| link.pauses),
        /// how long ports were paused, all together, to the end of the run
        paused_ps["ps"]: u64 = sum(links, |link| link.paused.0),
        /// ports that were paused at some time
        paused_ports["ports"]: u64 = sum(links, |link| u64::from(link.pauses > 0)),
    }
}

/// The rows of one run, in the order of the stages.
pub fn rows(result: &RunResult) -> impl Iterator<Item = QueueRow> + '_ {
    let span = queue_span(result);
    result.stages.iter().map(move |stage| {
        let links = result.links.iter().filter(|link| link.stage == stage.stage);
        QueueRow::of(stage, &links.collect::<Vec<_>>(), span)
    })
}

fn sum(links: &[&LinkResult], of: fn(&LinkResult) -> u64) -> u64 {
    links.iter().map(|link| of(link)).sum()
}

/// The ports' time over which queues are averaged.
fn port_ps(stage: &StageResult, span: Span) -> f64 {
    (u128::from(stage.ports) * u128::from(span.0)) as f64
}

/// How much more than the mean the busiest link carried.
fn overload(links: &[&LinkResult]) -> Percent {
    let total: u128 = links.iter().map(|link| u128::from(link.bytes)).sum();
    let worst = links.iter().map(|link| link.bytes).max().unwrap_or(0);
    let excess = u128::from(worst) * links.len() as u128 - total;
    Percent::ratio(excess as f64 * 100.0, total as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::header_of;
    use crate::report::testing::{cells, names, result};

    #[test]
    fn the_column_table_is_the_header() {
        assert_eq!(names(COLUMNS), header_of::<QueueRow>());
    }

    #[test]
    fn a_row_a_stage_with_the_numbers_computed_by_hand() {
        let rows: Vec<String> = rows(&result()).map(|row| cells(&row)).collect();
        // ea: 300 and 100 bytes are 200 a link, so the worst is 50 % over. nic carried the same on both.
        assert_eq!(
            rows,
            [
                "nic,2,1,4158,0.500000,2000.000000,0,0,0.0000,0,0,0,0,0",
                "ea,2,2,8316,1.500000,6000.000000,0,0,50.0000,0,0,0,0,0",
                "ae,2,7,29106,2.000000,8000.000000,5,3,0.0000,2,4,7,7500,2",
                "eh,2,1,4158,1.000000,4000.000000,0,0,,0,0,0,0,0",
            ]
        );
    }
}
