//! A checked scenario as plain values: what hosts, switches, workloads and closed forms are built from.
//!
//! No rules live here: `scenario` reads and checks JSON and makes these, or refuses.

mod dependencies;
mod failures;
mod queues;
mod transport;
mod workload;

pub use dependencies::{
    Activator, Connection, Dependencies, FlowClass, FlowEvent, Message, Target, Traffic, Trigger,
};
pub use failures::{Failures, LinkFault, OnPartition, Queued, SwitchFault};
pub use queues::{
    Evict, LinkLoss, LossFrames, Losses, Lossless, Queue, QueueKind, SharedBuffer, StuckHost,
    Trimming,
};
pub use transport::{
    DupThreshold, Erasure, Rto, RtoKind, RtoScope, Sleek, Transport, TransportKind,
};
pub use workload::{
    FlowSpec, Mice, StartJitter, StragglerHosts, Stragglers, Workload, WorkloadKind,
    straggler_count,
};

use crate::cc::Controller;
use crate::lb::Scheme;
use crate::lb::mixed::Deployment;
use crate::units::{Drift, Rate, Ratio, Span, Time};

/// One checked point: everything that decides a run but the seed.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Name of the scenario, as in every CSV.
    pub name: String,
    /// Switches and links.
    pub fabric: Fabric,
    /// Frames.
    pub packet: PacketFormat,
    /// Load-balancing scheme and its parameters.
    pub load_balancing: Scheme,
    /// Switches that run another scheme than that; where several select a switch, the last one counts.
    pub deployments: Vec<Deployment>,
    /// How lost packets are recovered; `None`: they are not.
    pub transport: Option<Transport>,
    /// Congestion control.
    pub congestion_control: CongestionControl,
    /// Host interfaces.
    pub nic: Nic,
    /// Traffic.
    pub workload: Workload,
    /// What keeps hosts and switches from lockstep.
    pub imperfection: Imperfection,
    /// Latency of a trigger whose flows are not all at one host; `None`: the shortest latency of a link.
    pub trigger_latency: Option<Span>,
    /// The run stops after events at this instant.
    pub horizon: Option<Time>,
}

impl Scenario {
    /// Serialisation of a full data frame and the gap after it (T'_d).
    #[must_use]
    pub fn slot(&self) -> Span {
        let (packet, rate) = (&self.packet, self.fabric.host_rate());
        rate.tx_time(packet.full_frame()) + rate.tx_time(packet.gap_bytes.into())
    }

    /// The scheme as tables name it: `ar`, or `ar+pofan@edge` where some switches run another one.
    #[must_use]
    pub fn scheme_label(&self) -> String {
        let mut label = self.load_balancing.name.to_owned();
        for Deployment { place, scheme } in &self.deployments {
            label += &format!("+{}@{place}", scheme.name);
        }
        label
    }

    /// Latency of a trigger whose flows are not all at one host.
    #[must_use]
    pub fn trigger_latency(&self) -> Span {
        self.trigger_latency
            .unwrap_or_else(|| self.fabric.shortest_latency())
    }
}

/// Switches and links of a fat tree.
#[derive(Clone, Debug)]
pub struct Fabric {
    /// Counts of switches and links.
    pub shape: Shape,
    /// The tiers of links and of the switches above them: hosts to edges, edges to aggregation switches, aggregation switches to
    /// cores (unused on two levels).
    pub tiers: [Tier; 3],
    /// ECN: a data frame that leaves while its port holds more than this (itself included) is marked; `None`: never.
    pub ecn_threshold_bytes: Option<u64>,
    /// Links that fail; `None`: none, ever.
    pub failures: Option<Failures>,
    /// How output ports queue, drop, mark, trim and pause.
    pub queue: Queue,
    /// Frames that links lose at random, and hosts that are stuck.
    pub losses: Losses,
}

impl Fabric {
    /// The tiers that the tree has.
    #[must_use]
    pub fn tiers(&self) -> &[Tier] {
        &self.tiers[..usize::from(self.shape.levels)]
    }

    /// The fat tree of switches with `k` ports on `levels` 2 or 3: no marks, no failures, every tier like `tier`.
    #[must_use]
    pub const fn plain(levels: u8, k: u32, tier: Tier) -> Self {
        Self {
            shape: Shape::fat_tree(levels, k),
            tiers: [tier; 3],
            ecn_threshold_bytes: None,
            failures: None,
            queue: Queue::PLAIN,
            losses: Losses::NONE,
        }
    }

    /// Change every tier.
    pub fn each_tier(&mut self, change: impl FnMut(&mut Tier)) {
        self.tiers.iter_mut().for_each(change);
    }

    /// Rate of the hosts' links: line rate.
    #[must_use]
    pub const fn host_rate(&self) -> Rate {
        self.tiers[0].rate
    }

    /// The shortest latency of a link.
    #[must_use]
    pub fn shortest_latency(&self) -> Span {
        let latencies = self.tiers().iter().map(|tier| tier.latency);
        latencies.min().unwrap_or(Span::ZERO)
    }

    /// The longest latency of a link.
    #[must_use]
    pub fn longest_latency(&self) -> Span {
        let latencies = self.tiers().iter().map(|tier| tier.latency);
        latencies.max().unwrap_or(Span::ZERO)
    }
}

/// A tier: links, and the switches at their upper ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tier {
    /// Rate of each link.
    pub rate: Rate,
    /// Propagation latency of each link.
    pub latency: Span,
    /// Time between a packet's arrival at one of these switches and its enqueueing.
    pub switch_latency: Span,
    /// Bytes that a down-port of these switches holds, frame in service included; `None`: unlimited.
    pub down_buffer_bytes: Option<u64>,
    /// The same of an uplink.
    pub up_buffer_bytes: Option<u64>,
}

/// How many switches a fat tree has and how many links join them; all of a level are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Levels of switches, 2 or 3.
    pub levels: u8,
    /// Pods; 1 on two levels.
    pub pods: u32,
    /// Edge switches (leaves) of a pod.
    pub edges_per_pod: u32,
    /// Hosts of an edge switch.
    pub hosts_per_edge: u32,
    /// Aggregation switches of a pod (spines on two levels).
    pub aggs_per_pod: u32,
    /// Cores that an aggregation switch reaches; 0 on two levels.
    pub cores_per_agg: u32,
    /// Parallel links between an edge and an aggregation switch of its pod.
    pub edge_bundle: u32,
    /// Parallel links between an aggregation switch and a core.
    pub agg_bundle: u32,
    /// How cores are numbered.
    pub cores: CoreNumbers,
}

/// Which cores the aggregation switches at position a of the pods reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreNumbers {
    /// Those from a x `cores_per_agg` on (the paper, our spec's section 1.1).
    Blocks,
    /// Every `aggs_per_pod`-th from a on (htsim).
    Strides,
}

impl Shape {
    /// The fat tree of switches with `k` ports, without bundles and oversubscription.
    #[must_use]
    pub const fn fat_tree(levels: u8, k: u32) -> Self {
        let (w, three) = (k / 2, levels == 3);
        Self {
            levels,
            pods: if three { k } else { 1 },
            edges_per_pod: if three { w } else { k },
            hosts_per_edge: w,
            aggs_per_pod: w,
            cores_per_agg: if three { w } else { 0 },
            edge_bundle: 1,
            agg_bundle: 1,
            cores: CoreNumbers::Blocks,
        }
    }

    /// Ports a switch, if this is a fat tree of equal switches.
    #[must_use]
    pub fn k(&self) -> Option<u32> {
        let k = 2 * self.hosts_per_edge;
        let plain = Self {
            cores: self.cores,
            ..Self::fat_tree(self.levels, k)
        };
        (*self == plain).then_some(k)
    }
}

/// Frames.
#[derive(Clone, Copy, Debug)]
pub struct PacketFormat {
    /// Payload of a full data packet.
    pub payload_bytes: u32,
    /// Header of a data packet.
    pub header_bytes: u32,
    /// An ACK's frame.
    pub ack_bytes: u32,
    /// Idle bytes after every frame.
    pub gap_bytes: u32,
    /// Whether receivers acknowledge.
    pub acks: Acks,
}

impl PacketFormat {
    /// Bytes of a full data frame.
    #[must_use]
    pub fn full_frame(&self) -> u64 {
        u64::from(self.payload_bytes) + u64::from(self.header_bytes)
    }

    /// Bytes of the largest frame: of a full data frame, or of an ACK if there are any.
    #[must_use]
    pub fn largest_frame(&self) -> u64 {
        let ack = match self.acks {
            Acks::PerPacket => self.ack_bytes.into(),
            Acks::None => 0,
        };
        self.full_frame().max(ack)
    }

    /// Data packets of `bytes` of payload split evenly into `subflows` (1: not split): the first ones take a byte more where it does
    /// not divide, and one without bytes has no packets.
    #[must_use]
    pub fn data_packets(&self, bytes: u64, subflows: u32) -> u64 {
        let (share, longer) = Self::share(bytes, subflows);
        let packets = |bytes: u64| bytes.div_ceil(u64::from(self.payload_bytes));
        longer * packets(share + 1) + (u64::from(subflows) - longer) * packets(share)
    }

    /// The bytes of most of `subflows`, and how many of the first ones take a byte more.
    #[must_use]
    pub fn share(bytes: u64, subflows: u32) -> (u64, u64) {
        (bytes / u64::from(subflows), bytes % u64::from(subflows))
    }
}

/// Whether receivers acknowledge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acks {
    /// One ACK per data packet.
    PerPacket,
    /// None: the theorems' condition.
    None,
}

/// Congestion control of all flows, and the pace of hosts.
#[derive(Clone, Copy, Debug)]
pub struct CongestionControl {
    /// What limits the bytes in flight.
    pub controller: Controller,
    /// Offered load in (0, 1], a fraction of rho_max.
    pub load: Ratio,
    /// What rho_max is.
    pub rho_max: RhoMaxRule,
}

/// What rho_max is: the fraction of line rate at which all flows can send if they are balanced perfectly over valid shortest paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RhoMaxRule {
    /// Perfectly: each flow equally over its valid paths.
    #[default]
    PathEqual,
    /// Perfectly: each flow equally over the valid uplinks at the edge, then equally over those at the aggregation switch.
    HopEqual,
    /// Perfectly: as well as any split can.
    Lp,
    /// Line rate, whatever the fabric can carry.
    LineRate,
}

impl RhoMaxRule {
    /// All, by their names in scenarios.
    pub const ALL: [(&'static str, Self); 4] = [
        ("path_equal", Self::PathEqual),
        ("hop_equal", Self::HopEqual),
        ("lp", Self::Lp),
        ("line_rate", Self::LineRate),
    ];
}

/// Host interfaces.
#[derive(Clone, Copy, Debug)]
pub struct Nic {
    /// What counts as one member of the NIC's round robin among ACKs.
    pub ack_turns: AckTurns,
    /// Control frames that go for each data frame where both wait; 1: round robin.
    pub control_per_data: u32,
}

/// What counts as one member of the NIC's round robin among ACKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckTurns {
    /// All pending ACKs of the host.
    Class,
    /// The pending ACKs of each incoming flow.
    Flow,
}

/// What keeps hosts and switches from lockstep; by default nothing does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imperfection {
    /// Most that a host's clock differs from the middle one: each is slow by a uniform draw from 0 to twice this.
    pub clock_skew: Drift,
    /// Each packet spends up to this long in a switch beyond the fixed latency.
    pub switch_jitter: Span,
    /// The order of packets that arrive at one node at one instant.
    pub tie_break: TieBreak,
}

/// The order of packets that arrive at one node at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TieBreak {
    /// By ingress port, the lowest first.
    #[default]
    IngressPort,
    /// Random, drawn for each node and instant.
    Random,
}
