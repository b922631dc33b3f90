//! `links.csv`: one row a directed link, the hosts' links included.

use serde::Serialize;

use super::cells::Node;
use super::{Column, column};
use crate::sim::{LinkResult, RunResult};

/// One directed link.
#[derive(Clone, Debug, Default, Serialize)]
#[expect(missing_docs, reason = "COLUMNS defines every field")]
pub struct LinkRow {
    pub stage: &'static str,
    pub src: Node,
    pub dst: Node,
    pub member: u32,
    pub packets: u64,
    pub bytes: u64,
    pub busy_ps: u64,
    pub queue_max_packets: u64,
    pub queue_max_bytes: u64,
    pub marked_packets: u64,
    pub dropped_packets: u64,
    pub lost_packets: u64,
    pub trimmed_packets: u64,
    pub pauses: u64,
    pub paused_ps: u64,
    pub headroom_max_bytes: u64,
}

/// The columns of [`LinkRow`].
pub const COLUMNS: &[Column] = &[
    column("stage", "", "stage of the link, as in `queues.csv`"),
    column(
        "src",
        "",
        "sending node: `h` host, `e` edge, `a` aggregation, `c` core and its number in that level",
    ),
    column("dst", "", "receiving node"),
    column(
        "member",
        "",
        "which of the parallel links between them, from 0",
    ),
    column("packets", "packets", "frames whose last bit left"),
    column("bytes", "B", "their bytes, headers included, gaps not"),
    column("busy_ps", "ps", "time spent serialising them"),
    column(
        "queue_max_packets",
        "packets",
        "most frames queued at the sending port, frame in service included",
    ),
    column("queue_max_bytes", "B", "the same in bytes"),
    column("marked_packets", "packets", "data frames that it marked"),
    column("dropped_packets", "packets", "frames that it dropped"),
    column(
        "lost_packets",
        "packets",
        "of `packets`, those that did not arrive because the link was down, or by chance (`failures.loss`)",
    ),
    column(
        "trimmed_packets",
        "packets",
        "data packets whose payload the sending port cut off",
    ),
    column(
        "pauses",
        "",
        "how often the receiving node paused the sending port",
    ),
    column(
        "paused_ps",
        "ps",
        "how long the sending port was paused, to the end of the run",
    ),
    column(
        "headroom_max_bytes",
        "B",
        "most bytes beyond the threshold of pausing that the receiving switch held of what came in by the link",
    ),
];

/// The rows of one run: by stage, then by source node and port.
pub fn rows(result: &RunResult) -> impl Iterator<Item = LinkRow> + '_ {
    result.links.iter().map(row)
}

fn row(link: &LinkResult) -> LinkRow {
    LinkRow {
        stage: link.stage.name(),
        src: Node(link.src),
        dst: Node(link.dst),
        member: link.member,
        packets: link.packets,
        bytes: link.bytes,
        busy_ps: link.busy.0,
        queue_max_packets: link.queue_max_packets,
        queue_max_bytes: link.queue_max_bytes,
        marked_packets: link.marked_packets,
        dropped_packets: link.dropped_packets,
        lost_packets: link.lost_packets,
        trimmed_packets: link.trimmed_packets,
        pauses: link.pauses,
        paused_ps: link.paused.0,
        headroom_max_bytes: link.headroom_max_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::header_of;
    use crate::report::testing::{cells, names, result};

    #[test]
    fn the_column_table_is_the_header() {
        assert_eq!(names(COLUMNS), header_of::<LinkRow>());
    }

    #[test]
    fn a_row_names_both_ends() {
        let row = rows(&result()).nth(4).expect("eight links");
        assert_eq!(
            cells(&row),
            "ae,a0,e0,0,20,500,5000,7,29106,5,3,2,4,6,7000,900"
        );
    }
}
