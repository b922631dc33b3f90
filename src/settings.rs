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
    Demand, FlowSpec, Generator, LargestFlow, Mice, SharedConnection, StartJitter, StragglerHosts,
    Stragglers, Workload, straggler_count,
};

use crate::cc::{self, CONTROLLERS, Controller};
use crate::fields::{
    Fields, KeyDoc, Section, choice, integer, nanoseconds, params, positive, ppm, words,
};
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

params! {
    /// Frames.
    #[derive(Clone, Copy, Debug)]
    pub struct PacketFormat {
        /// Payload of a full data packet
        pub payload_bytes: u32 = key("payload_bytes", integer(1..=16_777_216), default = 4096),
        /// Header of a data packet
        pub header_bytes: u32 = key("header_bytes", integer(0..=65_535), default = 62),
        /// Frame of an ACK
        pub ack_bytes: u32 = key("ack_bytes", integer(1..=65_535), default = 64),
        /// Idle bytes on the link after every frame
        pub gap_bytes: u32 = key("gap_bytes", integer(0..=65_535), default = 20),
        /// Whether receivers acknowledge every data packet
        pub acks: Acks = key("acks", choice(), default = Acks::PerPacket),
    }
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

words! {
    /// Whether receivers acknowledge.
    pub enum Acks {
        /// One ACK per data packet.
        PerPacket = "per_packet",
        /// None: the theorems' condition.
        None = "none",
    }
}

params! {
    /// The pace of hosts.
    #[derive(Clone, Copy, Debug)]
    struct Pace {
        /// Fraction of rho_max at which hosts send, gaps included; on an intact fabric without oversubscription rho_max is line rate
        load: Ratio = key("load", positive(1), default = Ratio::ONE),
        /// What hosts could send at if balanced perfectly: flows split equally over paths, or hop by hop, or optimally; or line rate
        /// whatever the fabric carries
        rho_max: RhoMaxRule = key("rho_max", choice(), default = RhoMaxRule::PathEqual),
    }
}

impl Section for CongestionControl {
    fn read(fields: &mut Fields<'_>, _usual: Option<&Self>) -> Self {
        let controller = cc::read(fields);
        let Pace { load, rho_max } = Pace::read(fields, None);
        Self {
            controller,
            load,
            rho_max,
        }
    }

    /// A controller's parameters stand beside its name and are documented with it.
    fn keys(_usual: Option<&Self>) -> Vec<KeyDoc> {
        let about = "What limits the bytes that a connection has in flight; its parameters stand beside it. Setting or sweeping it takes the controller's defaults";
        let mut keys = vec![KeyDoc::naming("scheme", about, Some("none"), CONTROLLERS)];
        keys.extend(Pace::keys(None));
        keys
    }
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

words! {
    /// What rho_max is: the fraction of line rate at which all flows can send if they are balanced perfectly over valid shortest paths.
    pub enum RhoMaxRule {
        /// Perfectly: each flow equally over its valid paths.
        PathEqual = "path_equal",
        /// Perfectly: each flow equally over the valid uplinks at the edge, then equally over those at the aggregation switch.
        HopEqual = "hop_equal",
        /// Perfectly: as well as any split can.
        Lp = "lp",
        /// Line rate, whatever the fabric can carry.
        LineRate = "line_rate",
    }
}

params! {
    /// Host interfaces.
    #[derive(Clone, Copy, Debug)]
    pub struct Nic {
        /// Round robin of a host's NIC: pending ACKs are one member, or one each incoming flow
        pub ack_turns: AckTurns = key("ack_turns", choice(), default = AckTurns::Class),
        /// Control frames (ACKs and NACKs) that a NIC sends for each data frame where both wait; 1: round robin as `ack_turns` says
        /// (uet-htsim: 10)
        pub control_per_data: u32 = key("control_per_data", integer(1..=1_000), default = 1),
    }
}

words! {
    /// What counts as one member of the NIC's round robin among ACKs.
    pub enum AckTurns {
        /// All pending ACKs of the host.
        Class = "class",
        /// The pending ACKs of each incoming flow.
        Flow = "flow",
    }
}

params! {
    /// What keeps hosts and switches from lockstep; by default nothing does.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Imperfection {
        /// Each host's clock is off by up to this either way: its NIC and its pacing are slower than nominal by a uniform draw from 0 to
        /// twice this
        pub clock_skew: Drift = key("clock_skew_ppm", ppm(0..=1_000_000_000), default = Drift::NONE),
        /// Each packet spends a uniform draw from 0 to this in a switch on top of `fabric.switch_latency_ns`; those of one ingress port
        /// stay in order
        pub switch_jitter: Span = key("switch_jitter_ns", nanoseconds(limits::LATENCY), default = Span::ZERO),
        /// Order of packets that arrive at one node at the same picosecond: the lowest ingress port first, or random for each node and
        /// instant
        pub tie_break: TieBreak = key("tie_break", choice(), default = TieBreak::IngressPort),
    }
}

words! {
    /// The order of packets that arrive at one node at one instant.
    pub enum TieBreak {
        /// By ingress port, the lowest first.
        IngressPort = "ingress_port",
        /// Random, drawn for each node and instant.
        Random = "random",
    }
}

/// Ranges that many keys share, in bytes and picoseconds.
pub mod limits {
    use std::ops::RangeInclusive;

    /// The most bytes of a message, buffer or threshold.
    pub const MAX_BYTES: u64 = 1 << 50;
    /// A latency: up to a second.
    pub const LATENCY: RangeInclusive<u64> = 0..=1_000_000_000_000;
    /// The latest instant that a scenario may name: 10,000 seconds.
    pub const MAX_INSTANT: u64 = 10_000_000_000_000_000;
    /// The longest timeout: a second.
    pub const MAX_TIMEOUT: u64 = 1_000_000_000_000;
    /// The most packets that a receiver reorders.
    pub const MAX_REORDERED: u64 = 1 << 24;
}
