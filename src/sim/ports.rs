//! The output ports of a run's switches: plain where that will do.

use super::build::{Builder, link};
use crate::port::{Fifo, Full, Lane, Limits, Loss, Marking, Place, Pool, Port, Rules, Trim};
use crate::rng::{Domain, Rng};
use crate::settings::{Evict, LossFrames, Queue, QueueKind, Scenario, Tier};
use crate::switch::{Coupling, Fifos, IngressCounts, Ports, Thresholds};
use crate::theory::headroom;
use crate::topology::{FatTree, Level, NodeName, PortRef};
use crate::units::Ratio;

/// The tiers of the links below and above a switch.
#[derive(Clone, Copy)]
struct Tiers {
    below: usize,
    above: usize,
}

impl Tiers {
    fn of(tree: FatTree, node: u32) -> Self {
        let below = match tree.place(node).0 {
            Level::Host | Level::Edge => 0,
            Level::Agg => 1,
            Level::Core => 2,
        };
        // The top level has no uplinks.
        let above = (below + 1).min(2);
        Self { below, above }
    }

    /// Each of the two tiers, with the buffer of the switch's ports to it.
    fn buffers(self, scenario: &Scenario) -> [(usize, Option<u64>); 2] {
        let here = scenario.fabric.tiers[self.below];
        [
            (self.below, here.down_buffer_bytes),
            (self.above, here.up_buffer_bytes),
        ]
    }
}

/// What links lose at random, their names resolved.
pub(super) struct LinkLosses(Vec<LinkLoss>);

struct LinkLoss {
    /// The nodes at its ends; `None`: every link between switches.
    ends: Option<[u32; 2]>,
    member: Option<u32>,
    entry: (LossFrames, Ratio),
}

impl LinkLosses {
    /// Those of `scenario`.
    pub(super) fn new(scenario: &Scenario, tree: FatTree) -> Self {
        let losses = scenario.fabric.losses.links.iter().filter_map(|loss| {
            let ends = match &loss.link {
                None => None,
                Some((one, other)) => Some([node(tree, one)?, node(tree, other)?]),
            };
            Some(LinkLoss {
                ends,
                member: loss.member,
                entry: (loss.frames, loss.probability),
            })
        });
        Self(losses.collect())
    }

    /// What the link behind the port `end` loses.
    fn of(&self, tree: FatTree, end: PortRef) -> Box<[(LossFrames, Ratio)]> {
        if self.0.is_empty() || tree.cable_number(end).is_none() {
            return Box::default();
        }
        let peer = tree.peer(end.node, end.port).node;
        let member = tree.member(end.node, end.port);
        let concerns = |loss: &&LinkLoss| {
            let is_here = |ends| ends == [end.node, peer] || ends == [peer, end.node];
            loss.ends.is_none_or(is_here) && loss.member.is_none_or(|of| of == member)
        };
        let here = self.0.iter().filter(concerns);
        here.map(|loss| loss.entry).collect()
    }
}

/// The node of that name; the scenario checked that there is one.
fn node(tree: FatTree, name: &str) -> Option<u32> {
    let mut letters = name.chars();
    let level = letters.next()?;
    tree.named(NodeName(level, letters.as_str().parse().ok()?))
}

impl Builder<'_> {
    /// Whether plain ports will do for switch `node`.
    pub(super) fn is_plain(&self, tree: FatTree, node: u32, losses: &LinkLosses) -> bool {
        let mut ports = 0..tree.ports(node);
        !self.general_ports
            && self.scenario.fabric.queue == Queue::PLAIN
            && ports.all(|port| losses.of(tree, PortRef { node, port }).is_empty())
    }

    /// The plain ports of switch `node`.
    pub(super) fn fifos(&self, tree: FatTree, node: u32) -> Fifos {
        let fifo = |port| {
            let fifo = Fifo::new(self.place(tree, node, port));
            match self.fault(tree, PortRef { node, port }) {
                Some(fault) => fifo.with_fault(fault),
                None => fifo,
            }
        };
        let ports = (0..tree.ports(node)).map(fifo);
        let buffers = Tiers::of(tree, node).buffers(self.scenario);
        let lanes = buffers.map(|(tier, bytes)| self.lane(tier, bytes));
        Fifos::new(ports, tree.down_ports(node) as usize, lanes)
    }

    /// The ports with classes of switch `node`.
    pub(super) fn ports(&self, tree: FatTree, node: u32, losses: &LinkLosses) -> Ports {
        let port = |port| {
            let end = PortRef { node, port };
            let stream = |domain| {
                let entity = u64::from(node) << 16 | u64::from(port);
                Rng::stream(self.seed, domain, entity)
            };
            let coins = [stream(Domain::EcnCoin), stream(Domain::TrimCoin)];
            let losses = losses.of(tree, end);
            let loss = (!losses.is_empty()).then(|| Loss::new(losses, stream(Domain::LossCoin)));
            let place = self.place(tree, node, port);
            Port::new(place, coins, loss, self.fault(tree, end))
        };
        let buffers = Tiers::of(tree, node).buffers(self.scenario);
        let rules = buffers.map(|(tier, bytes)| self.rules(tier, bytes));
        let ports = (0..tree.ports(node)).map(port);
        let coupling = self.coupling(tree, node);
        Ports::new(ports, tree.down_ports(node) as usize, rules, coupling)
    }

    fn place(&self, tree: FatTree, node: u32, port: u32) -> Place {
        let peer = tree.peer(node, port);
        let stage = tree.stage(node, port);
        Place {
            port: port as u16,
            peer: self.partition.address(peer.node),
            peer_port: peer.port as u16,
            stage: stage as u8,
            bins: self.bins(stage),
        }
    }

    /// What lies behind the ports to links of `tier`, with buffers of `buffer_bytes`.
    fn lane(&self, tier: usize, buffer_bytes: Option<u64>) -> Lane {
        let ecn_threshold_bytes = self.scenario.fabric.ecn_threshold_bytes;
        Lane {
            link: link(self.scenario, tier),
            limits: Limits {
                buffer_bytes: buffer_bytes.unwrap_or(u64::MAX),
                ecn_threshold_bytes: ecn_threshold_bytes.unwrap_or(u64::MAX),
            },
        }
    }

    /// How ports to links of `tier` queue that have buffers of `buffer_bytes`, unless they share one.
    fn rules(&self, tier: usize, buffer_bytes: Option<u64>) -> Rules {
        let queue = &self.scenario.fabric.queue;
        let lane = self.lane(tier, buffer_bytes);
        let shared = queue.shared_buffer.map(|shared| shared.bytes);
        let room = shared.unwrap_or(lane.limits.buffer_bytes);
        let full = match queue.kind {
            QueueKind::Fifo => Full::Drop,
            QueueKind::Lossless(_) => Full::Never,
            QueueKind::Trimming(trimming) => Full::Trim(Trim {
                bytes: trimming.trim_bytes,
                header_buffer_bytes: trimming
                    .header_buffer_bytes
                    .unwrap_or_else(|| room.saturating_mul(2)),
                coin: trimming.evict == Evict::Coin,
                // Tier 0 is that of the hosts' links.
                last_hop: tier == 0,
            }),
        };
        let min_bytes = lane.limits.ecn_threshold_bytes;
        Rules {
            lane,
            full,
            control_priority: queue.control_priority || matches!(full, Full::Trim(_)),
            marking: Marking {
                min_bytes,
                max_bytes: queue.ecn_max_threshold_bytes.unwrap_or(min_bytes),
                counts_departing: queue.ecn_counts_departing,
            },
        }
    }

    /// What makes the ports of switch `node` depend on one another.
    fn coupling(&self, tree: FatTree, node: u32) -> Option<Coupling> {
        let queue = &self.scenario.fabric.queue;
        let pool = queue
            .shared_buffer
            .map(|shared| Pool::new(shared.bytes, shared.alpha));
        let QueueKind::Lossless(lossless) = queue.kind else {
            return pool.map(Coupling::shared);
        };
        let frames = &self.scenario.packet;
        let fixed = |(tier, bytes): (usize, Option<u64>)| {
            let tier: &Tier = &self.scenario.fabric.tiers[tier];
            headroom::thresholds(&lossless, bytes, tier, frames)
        };
        let thresholds = match pool {
            None => Thresholds::Fixed(Tiers::of(tree, node).buffers(self.scenario).map(fixed)),
            Some(pool) => Thresholds::Shared {
                pool,
                resume_offset: headroom::resume_offset(&lossless, frames),
            },
        };
        let counts = IngressCounts::new(
            tree.ports(node) as usize,
            tree.down_ports(node) as usize,
            thresholds,
            lossless.pause_frame_bytes,
        );
        let control_counts = !queue.control_priority;
        Some(Coupling::lossless(counts.with_control(control_counts)))
    }
}
