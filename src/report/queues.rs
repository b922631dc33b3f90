//! `queues.csv`: one row a run and stage of links.

use serde::Serialize;

use super::cells::{Mean, Percent};
use super::summary::queue_span;
use super::{Column, column};
use crate::sim::{LinkResult, RunResult, StageResult};
use crate::units::Span;

/// The output queues of one stage.
#[derive(Clone, Debug, Default, Serialize)]
#[expect(missing_docs, reason = "COLUMNS defines every field")]
pub struct QueueRow {
    pub stage: &'static str,
    pub ports: u64,
    pub max_packets: u64,
    pub max_bytes: u64,
    pub mean_packets: Mean,
    pub mean_bytes: Mean,
    pub marked_packets: u64,
    pub dropped_packets: u64,
    pub worst_link_overload_pct: Percent,
    pub lost_packets: u64,
    pub trimmed_packets: u64,
    pub pauses: u64,
    pub paused_ps: u64,
    pub paused_ports: u64,
}

/// The columns of [`QueueRow`].
pub const COLUMNS: &[Column] = &[
    column(
        "stage",
        "",
        "`nic` host to edge, `ea` edge to aggregation, `ac` aggregation to core, `ca`, `ae`, `eh` the way down",
    ),
    column("ports", "ports", "output ports of the stage"),
    column(
        "max_packets",
        "packets",
        "most frames that one of them held, frame in service included",
    ),
    column("max_bytes", "B", "most bytes that one of them held"),
    column(
        "mean_packets",
        "packets",
        "mean over the stage's ports and over the time from the first bit sent until the last host has finished sending",
    ),
    column("mean_bytes", "B", "the same in bytes"),
    column("marked_packets", "packets", "data frames marked"),
    column("dropped_packets", "packets", "frames dropped"),
    column(
        "worst_link_overload_pct",
        "%",
        "(bytes of the stage's busiest link / mean bytes a link - 1) x 100; empty if the stage carried nothing",
    ),
    column(
        "lost_packets",
        "packets",
        "frames that left and did not arrive because their link was down, or by chance",
    ),
    column(
        "trimmed_packets",
        "packets",
        "data packets whose payload was cut off",
    ),
    column("pauses", "", "how often ports were paused, all together"),
    column(
        "paused_ps",
        "ps",
        "how long ports were paused, all together, to the end of the run",
    ),
    column(
        "paused_ports",
        "ports",
        "ports that were paused at some time",
    ),
];

/// The rows of one run, in the order of the stages.
pub fn rows(result: &RunResult) -> impl Iterator<Item = QueueRow> + '_ {
    let span = queue_span(result);
    result.stages.iter().map(move |stage| {
        let links = result.links.iter().filter(|link| link.stage == stage.stage);
        row(stage, links, span)
    })
}

fn row<'a>(
    stage: &StageResult,
    links: impl Iterator<Item = &'a LinkResult>,
    span: Span,
) -> QueueRow {
    let mut row = QueueRow {
        stage: stage.stage.name(),
        ports: stage.ports,
        ..QueueRow::default()
    };
    let (mut count, mut total_bytes, mut worst_bytes) = (0_u64, 0_u128, 0_u64);
    for link in links {
        count += 1;
        total_bytes += u128::from(link.bytes);
        worst_bytes = worst_bytes.max(link.bytes);
        row.max_packets = row.max_packets.max(link.queue_max_packets);
        row.max_bytes = row.max_bytes.max(link.queue_max_bytes);
        row.marked_packets += link.marked_packets;
        row.dropped_packets += link.dropped_packets;
        row.lost_packets += link.lost_packets;
        row.trimmed_packets += link.trimmed_packets;
        row.pauses += link.pauses;
        row.paused_ps += link.paused.0;
        row.paused_ports += u64::from(link.pauses > 0);
    }
    let port_ps = (u128::from(stage.ports) * u128::from(span.0)) as f64;
    row.mean_packets = Mean::ratio(stage.packet_ps as f64, port_ps);
    row.mean_bytes = Mean::ratio(stage.byte_ps as f64, port_ps);
    let excess = u128::from(worst_bytes) * u128::from(count) - total_bytes;
    row.worst_link_overload_pct = Percent::ratio(excess as f64 * 100.0, total_bytes as f64);
    row
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
