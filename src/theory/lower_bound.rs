//! The lower bound that a run is measured against, chosen by the shape of its flows.
//!
//! - `permutation` / `permutation_no_acks`: the senders are the receivers, each once, with equal sizes and starts:
//!   [`cct_bound`] over the farthest pair. `permutation_few_acks`: receivers do not owe an ACK a packet, so that only the last one
//!   is sure to be sent: that of a lone flow.
//! - `naive`: anything else. From the earliest start, the largest of: a flow's own start (of one that waits for others, the earliest
//!   that `releases` allows) and lone completion; and for each host
//!   and direction of its link, the earliest instant at which a frame can use it, the time of all frames that must, and the
//!   least that remains after the last of them (its way, and its ACK's). Data alone and data with ACKs are two bounds.
//!
//! Both are true bounds up to the largest offset of start jitter; congestion and the order of service are not modelled. Mice are in
//! no bound: it is that of the collective alone, which they only delay (our reading).

use super::cct_bound;
use super::frames::{Frames, to_ps};
use super::ideal_fct::lone_bound;
use super::releases;
use crate::settings::{Acks, FlowSpec, Scenario, Traffic};
use crate::topology::FatTree;
use crate::units::Span;

/// A lower bound of a run's completion time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LowerBound {
    /// From the first bit sent to the last ACK received (last arrival where there are no ACKs).
    pub span: Span,
    /// `permutation`, `permutation_few_acks`, `permutation_no_acks` or `naive`.
    pub kind: &'static str,
}

/// The lower bound of the collective of `traffic` on the scenario's fabric; zero if it has no flows.
#[must_use]
pub fn lower_bound(scenario: &Scenario, traffic: &Traffic) -> LowerBound {
    let tree = FatTree::of(scenario.fabric.shape);
    let flows = traffic.collective();
    if !traffic.dependencies.triggers.is_empty() || !is_permutation(tree.hosts(), flows) {
        return LowerBound {
            span: naive(scenario, tree, traffic),
            kind: "naive",
        };
    }
    let frames = Frames::new(scenario, flows[0].bytes);
    let hops = flows.iter().map(|flow| hops(tree, flow)).max().unwrap_or(2);
    match scenario.packet.acks {
        Acks::PerPacket if frames.few_acks => LowerBound {
            span: lone_bound(&frames, hops),
            kind: "permutation_few_acks",
        },
        Acks::PerPacket => LowerBound {
            span: cct_bound::permutation(&frames, hops),
            kind: "permutation",
        },
        Acks::None => LowerBound {
            span: cct_bound::permutation_no_acks(&frames, hops),
            kind: "permutation_no_acks",
        },
    }
}

fn hops(tree: FatTree, flow: &FlowSpec) -> u32 {
    tree.hops(tree.layer(flow.src, flow.dst))
}

/// Whether each host that sends or receives does both exactly once, and all flows are equally long and start together.
fn is_permutation(hosts: u32, flows: &[FlowSpec]) -> bool {
    let Some(first) = flows.first() else {
        return false;
    };
    let mut sends = vec![false; hosts as usize];
    let mut receives = sends.clone();
    let alike = flows.iter().all(|flow| {
        let sent_before = std::mem::replace(&mut sends[flow.src as usize], true);
        let received_before = std::mem::replace(&mut receives[flow.dst as usize], true);
        let alike = flow.bytes == first.bytes && flow.start == first.start;
        alike && !sent_before && !received_before
    });
    alike && sends == receives
}

/// What one direction of a host's link must carry.
#[derive(Clone, Copy)]
struct Load {
    /// Earliest instant at which any of it can use the link.
    from: u128,
    /// Frames and gaps.
    wire: u128,
    /// Least time from the last bit of any of it to the end of the run.
    tail: u128,
}

impl Load {
    const NONE: Self = Self {
        from: u128::MAX,
        wire: 0,
        tail: u128::MAX,
    };

    fn with(self, other: Self) -> Self {
        Self {
            from: self.from.min(other.from),
            wire: self.wire + other.wire,
            tail: self.tail.min(other.tail),
        }
    }

    fn end(self, gap: u128) -> u128 {
        if self.wire == 0 {
            return 0;
        }
        self.from + self.wire - gap + self.tail
    }
}

/// The loads of one host's link: data sent, ACKs sent, data received, ACKs received.
type HostLoads = [Load; 4];

fn naive(scenario: &Scenario, tree: FatTree, traffic: &Traffic) -> Span {
    let flows = traffic.collective();
    let mut releases = releases::earliest(scenario, tree, traffic);
    releases.truncate(flows.len());
    let Some(earliest) = releases.iter().copied().min() else {
        return Span::ZERO;
    };
    let mut loads = vec![[Load::NONE; 4]; tree.hosts() as usize];
    let mut bound = 0;
    for (flow, release) in flows.iter().zip(releases) {
        let frames = Frames::new(scenario, flow.bytes);
        let start = release - earliest;
        let hops = hops(tree, flow);
        bound = bound.max(start + u128::from(lone_bound(&frames, hops).0));
        let [data_out, acks_out, data_in, acks_in] = flow_loads(&frames, hops, start);
        add(&mut loads[flow.src as usize], [(0, data_out), (3, acks_in)]);
        add(&mut loads[flow.dst as usize], [(1, acks_out), (2, data_in)]);
    }
    let gap = scenario
        .fabric
        .host_rate()
        .tx_time(scenario.packet.gap_bytes.into())
        .0;
    for [data_out, acks_out, data_in, acks_in] in loads {
        for load in [
            data_out,
            data_out.with(acks_out),
            data_in,
            data_in.with(acks_in),
        ] {
            bound = bound.max(load.end(gap.into()));
        }
    }
    Span(to_ps(bound))
}

fn add(loads: &mut HostLoads, more: [(usize, Load); 2]) {
    for (kind, load) in more {
        loads[kind] = loads[kind].with(load);
    }
}

/// What one flow adds: data out at its source, ACKs out and data in at its destination, ACKs in at its source.
fn flow_loads(frames: &Frames, hops: u32, start: u128) -> HostLoads {
    let f = frames.exact(hops);
    let data = (f.m - 1) * f.slot() + f.tl + f.tg;
    let acks = f.m * f.ack_slot();
    let way = f.latency;
    let to_last_link = way - f.last_link;
    let first_arrival = start + way + f.short_way;
    let ack_back = if frames.acks { f.ack_trip() } else { 0 };
    let load = |from, wire, tail| Load { from, wire, tail };
    let mut loads = [
        load(start, data, way + f.short_way - f.tl + ack_back),
        load(first_arrival, acks, way + f.ack_way - f.ta),
        load(
            start + to_last_link + f.short_way - f.tl,
            data,
            f.last_link + ack_back,
        ),
        load(
            first_arrival + to_last_link + f.ack_way - f.ta,
            acks,
            f.last_link,
        ),
    ];
    if !frames.acks || frames.few_acks {
        (loads[1], loads[3]) = (Load::NONE, Load::NONE);
    }
    loads
}

#[cfg(test)]
mod tests {
    use super::super::frames::testing::paper;
    use super::*;
    use crate::settings::Transport;
    use crate::units::Time;

    fn flow(src: u32, dst: u32, packets: u64, start: u64) -> FlowSpec {
        FlowSpec {
            id: u64::from(src),
            src,
            dst,
            bytes: packets * 4096,
            start: Time(start),
        }
    }

    fn of(flows: &[FlowSpec]) -> (u64, &'static str) {
        let bound = lower_bound(&paper(3, 12), &flows.to_vec().into());
        (bound.span.0, bound.kind)
    }

    #[test]
    fn two_hosts_that_exchange_are_a_permutation() {
        let exchange = [flow(0, 431, 256, 7), flow(431, 0, 256, 7)];
        assert_eq!(of(&exchange), (17_056_940, "permutation"));
    }

    #[test]
    fn a_permutation_without_acks_says_so() {
        let mut scenario = paper(3, 12);
        scenario.packet.acks = Acks::None;
        let flows = vec![flow(0, 431, 256, 0), flow(431, 0, 256, 0)];
        let bound = lower_bound(&scenario, &flows.into());
        assert_eq!(
            (bound.span.0, bound.kind),
            (13_903_380, "permutation_no_acks")
        );
    }

    #[test]
    fn where_acks_are_few_they_take_nothing_from_data() {
        let mut scenario = paper(3, 12);
        scenario.transport = Some(Transport {
            ack_bytes_threshold: 16_384,
            ..Transport::SELECTIVE_REPEAT
        });
        let exchange = vec![flow(0, 431, 256, 7), flow(431, 0, 256, 7)];
        let bound = lower_bound(&scenario, &exchange.into());
        // As one of the flows alone: the last ACK is always sent.
        assert_eq!(
            (bound.span.0, bound.kind),
            (16_907_220, "permutation_few_acks")
        );
        let pairs = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)];
        let flows: Vec<_> = pairs.iter().map(|&(a, b)| flow(a, b, 10_000, 0)).collect();
        let bound = lower_bound(&scenario, &flows.into());
        let serial = 20_000 * 41_780 - 200;
        assert_eq!(bound.span.0, serial + 2 * 500_000 + 41_580 + 2 * 500_640);
        // Large ACKs do not queue for one another.
        scenario.packet.ack_bytes = 9_000;
        let lone = lower_bound(&scenario, &vec![flow(0, 431, 256, 0)].into());
        let one_way = 255 * 41_780 + 6 * (500_000 + 41_580);
        assert_eq!(lone.span.0, one_way + 6 * (500_000 + 90_000));
        scenario.packet.ack_bytes = 64;
        // An ACK a packet after all: a threshold of one full frame.
        if let Some(transport) = &mut scenario.transport {
            transport.ack_bytes_threshold = 4_158;
        }
        let exchange = vec![flow(0, 431, 256, 7), flow(431, 0, 256, 7)];
        assert_eq!(lower_bound(&scenario, &exchange.into()).kind, "permutation");
    }

    #[test]
    fn an_intra_pod_permutation_uses_the_hops_of_its_farthest_pair() {
        let near = [flow(0, 1, 1, 0), flow(1, 0, 1, 0)];
        assert_eq!(of(&near), (2_084_440, "permutation"));
        let pod = [flow(0, 7, 1, 0), flow(7, 0, 1, 0)];
        assert_eq!(of(&pod), (4_168_880, "permutation"));
    }

    #[test]
    fn unequal_sizes_starts_or_degrees_are_no_permutation() {
        for flows in [
            [flow(0, 1, 1, 0), flow(1, 0, 2, 0)],
            [flow(0, 1, 1, 0), flow(1, 0, 1, 9)],
            [flow(0, 1, 1, 0), flow(0, 2, 1, 0)],
            [flow(0, 1, 1, 0), flow(1, 2, 1, 0)],
        ] {
            assert_eq!(of(&flows).1, "naive");
        }
        assert_eq!(of(&[]), (0, "naive"));
    }

    #[test]
    fn mice_change_no_bound() {
        let mice = [flow(0, 9, 4, 0), flow(431, 9, 4, 1), flow(7, 0, 9_999, 2)];
        let collectives = [
            vec![flow(0, 431, 256, 7), flow(431, 0, 256, 7)],
            vec![flow(0, 1, 1, 5), flow(0, 2, 100, 5)],
            Vec::new(),
        ];
        for collective in collectives {
            let alone = of(&collective);
            let traffic = Traffic {
                flows: [&collective[..], &mice[..]].concat(),
                mice: mice.len(),
                ..Traffic::default()
            };
            let bound = lower_bound(&paper(3, 12), &traffic);
            assert_eq!((bound.span.0, bound.kind), alone);
        }
    }

    #[test]
    fn a_lone_flow_is_bounded_by_its_ideal_completion_after_its_start() {
        assert_eq!(of(&[flow(0, 431, 256, 5)]), (16_907_220, "naive"));
        let later = [flow(0, 431, 1, 0), flow(5, 400, 256, 1_000_000)];
        assert_eq!(of(&later).0, 17_907_220);
    }

    #[test]
    fn an_incast_is_bounded_by_the_receivers_link() {
        let flows: Vec<_> = (6..16).map(|src| flow(src, 0, 100, 0)).collect();
        let first_at_last_link = 3 * 541_580;
        let serial = 1000 * 41_780 - 200;
        let ack = 500_000 + 4 * 500_640;
        assert_eq!(of(&flows).0, first_at_last_link + serial + ack);
    }

    #[test]
    fn an_outcast_is_bounded_by_the_senders_link() {
        let flows: Vec<_> = (6..16).map(|dst| flow(0, dst, 100, 0)).collect();
        let serial = 1000 * 41_780 - 200;
        assert_eq!(
            of(&flows).0,
            serial + 4 * 500_000 + 3 * 41_580 + 4 * 500_640
        );
    }

    #[test]
    fn acks_that_share_a_link_with_data_count_when_they_bind() {
        // All-to-all among three hosts under one edge: each sends 200 data packets and 200 ACKs.
        let pairs = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)];
        let flows: Vec<_> = pairs.iter().map(|&(a, b)| flow(a, b, 10_000, 0)).collect();
        let serial = 20_000 * (41_780 + 840) - 200;
        // The down-link binds: it is idle until the first frame has crossed the other one.
        assert_eq!(of(&flows).0, 541_580 + serial + 500_000);
    }
}
