//! `links.csv`: one row a directed link, the hosts' links included.

use super::cells::Node;
use super::columns;
use crate::sim::{LinkResult, RunResult};

columns! {
    /// One directed link.
    pub struct LinkRow of (link: &LinkResult) {
        /// stage of the link, as in `queues.csv`
        stage[""]: &'static str = link.stage.name(),
        /// sending node: `h` host, `e` edge, `a` aggregation, `c` core and its number in that level
        src[""]: Node = Node(link.src),
        /// receiving node
        dst[""]: Node = Node(link.dst),
        /// which of the parallel links between them, from 0
        member[""]: u32 = link.member,
        /// frames whose last bit left
        packets["packets"]: u64 = link.packets,
        /// their bytes, headers included, gaps not
        bytes["B"]: u64 = link.bytes,
        /// time spent serialising them
        busy_ps["ps"]: u64 = link.busy.0,
        /// most frames queued at the sending port, frame in service included
        queue_max_packets["packets"]: u64 = link.queue_max_packets,
        /// the same in bytes
        queue_max_bytes["B"]: u64 = link.queue_max_bytes,
        /// data frames that it marked
        marked_packets["packets"]: u64 = link.marked_packets,
        /// frames that it dropped
        dropped_packets["packets"]: u64 = link.dropped_packets,
        /// of `packets`, those that did not arrive because the link was down, or by chance (`failures.loss`)
        lost_packets["packets"]: u64 = link.lost_packets,
        /// data packets whose payload the sending port cut off
        trimmed_packets["packets"]: u64 = link.trimmed_packets,
        /// how often the receiving node paused the sending port
        pauses[""]: u64 = link.pauses,
        /// how long the sending port was paused, to the end of the run
        paused_ps["ps"]: u64 = link.paused.0,
        /// most bytes beyond the threshold of pausing that the receiving switch held of what came in by the link
        headroom_max_bytes["B"]: u64 = link.headroom_max_bytes,
    }
}

/// The rows of one run: by stage, then by source node and port.
pub fn rows(result: &RunResult) -> impl Iterator<Item = LinkRow> + '_ {
    result.links.iter().map(LinkRow::of)
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
