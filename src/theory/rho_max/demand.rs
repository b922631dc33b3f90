//! Who wants to send how much to whom, edge switch by edge switch.
//!
//! Our reading of "the highest rate at which all flows could send": at rate 1 a host's NIC is full, and round robin gives each of its
//! flows an equal share. A receiver's NIC cannot take more than its own rate either. So a flow asks for 1 / (flows of its sender) or
//! 1 / (flows of its receiver), whichever is less: an incast is limited by its receiver, which is no matter of the fabric.

use crate::settings::FlowSpec;
use crate::topology::FatTree;

/// The flows between two edge switches that ask for the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Commodity {
    /// Edge switch of the senders.
    pub(super) from: u32,
    /// Edge switch of the receivers, another one.
    pub(super) to: u32,
    /// Each flow asks for one part in so many of line rate.
    pub(super) parts: u64,
    /// How many flows there are.
    pub(super) flows: u64,
}

/// The flows that cross the fabric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Demand {
    /// In order of `from`, `to` and `parts`.
    pub(super) commodities: Vec<Commodity>,
    /// Flows without a way, which are left out as if they were not there.
    pub(super) cut_off: u64,
}

impl Demand {
    /// Of `flows`, where `connects` says whether the second edge switch can be reached from the first.
    pub(super) fn new(
        tree: FatTree,
        flows: &[FlowSpec],
        connects: impl Fn(u32, u32) -> bool,
    ) -> Self {
        let edges = |flow: &FlowSpec| (tree.edge_of(flow.src), tree.edge_of(flow.dst));
        let mut sent = vec![0_u64; tree.hosts() as usize];
        let mut received = sent.clone();
        let mut cut_off = 0;
        let mut crossing = Vec::new();
        for flow in flows {
            let (from, to) = edges(flow);
            if from != to && !connects(from, to) {
                cut_off += 1;
                continue;
            }
            sent[flow.src as usize] += 1;
            received[flow.dst as usize] += 1;
            if from != to {
                crossing.push(flow);
            }
        }
        let mut asked: Vec<(u32, u32, u64)> = crossing
            .into_iter()
            .map(|flow| {
                let (from, to) = edges(flow);
                let parts = sent[flow.src as usize].max(received[flow.dst as usize]);
                (from, to, parts)
            })
            .collect();
        asked.sort_unstable();
        let commodities = asked
            .chunk_by(|one, other| one == other)
            .map(|same| {
                let (from, to, parts) = same[0];
                Commodity {
                    from,
                    to,
                    parts,
                    flows: same.len() as u64,
                }
            })
            .collect();
        Self {
            commodities,
            cut_off,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Time;

    fn flows(pairs: &[(u32, u32)]) -> Vec<FlowSpec> {
        let flow = |(id, &(src, dst)): (u64, &(u32, u32))| FlowSpec {
            id,
            src,
            dst,
            bytes: 1,
            start: Time::ZERO,
        };
        (0..).zip(pairs).map(flow).collect()
    }

    #[test]
    fn a_flow_asks_for_the_lesser_share_of_its_two_ends() {
        // Two hosts an edge. Host 0 sends three flows, one of them below its own edge; host 4 receives two.
        let flows = flows(&[(0, 1), (0, 4), (0, 6), (2, 4), (7, 3)]);
        let demand = Demand::new(FatTree::new(3, 4), &flows, |_, _| true);
        let commodity = |from, to, parts| Commodity {
            from,
            to,
            parts,
            flows: 1,
        };
        let expected = [
            commodity(0, 2, 3),
            commodity(0, 3, 3),
            commodity(1, 2, 2),
            commodity(3, 1, 1),
        ];
        assert_eq!(demand.commodities, expected);
    }

    #[test]
    fn flows_without_a_way_are_left_out_of_the_shares_too() {
        let flows = flows(&[(0, 4), (0, 6), (0, 7)]);
        let demand = Demand::new(FatTree::new(3, 4), &flows, |_, to| to == 3);
        assert_eq!(demand.cut_off, 1);
        let expected = Commodity {
            from: 0,
            to: 3,
            parts: 2,
            flows: 2,
        };
        assert_eq!(demand.commodities, [expected]);
    }
}
