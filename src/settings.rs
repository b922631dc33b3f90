//! A checked scenario as plain values: what hosts, switches, workloads and closed forms are built from.
//!
//! No rules live here: `scenario` reads and checks JSON and makes these, or refuses.

mod dependencies;

use crate::lb::Scheme;
use crate::units::{Rate, Ratio, Span, Time};

pub use dependencies::{
    Activator, Connection, Dependencies, FlowEvent, Message, Target, Traffic, Trigger,
};

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
    /// Congestion control.
    pub congestion_control: CongestionControl,
    /// Host interfaces.
    pub nic: Nic,
    /// Traffic.
    pub workload: Workload,
    /// Latency of a trigger whose flows are not all at one host; `None`: the link latency.
    pub trigger_latency: Option<Span>,
    /// The run stops after events at this instant.
    pub horizon: Option<Time>,
}

impl Scenario {
    /// Serialisation of a full data frame and the gap after it (T'_d).
    #[must_use]
    pub fn slot(&self) -> Span {
        let (packet, rate) = (&self.packet, self.fabric.link_rate);
        let frame = u64::from(packet.payload_bytes) + u64::from(packet.header_bytes);
        rate.tx_time(frame) + rate.tx_time(packet.gap_bytes.into())
    }

    /// Latency of a trigger whose flows are not all at one host.
    #[must_use]
    pub fn trigger_latency(&self) -> Span {
        self.trigger_latency.unwrap_or(self.fabric.link_latency)
    }
}

/// Switches and links of a fat tree.
#[derive(Clone, Debug)]
pub struct Fabric {
    /// 2 or 3.
    pub levels: u8,
    /// Ports a switch, even, 2 to 128.
    pub k: u32,
    /// Rate of every link.
    pub link_rate: Rate,
    /// Propagation latency of every link, those of the hosts included.
    pub link_latency: Span,
    /// Time between a packet's arrival at a switch and its enqueueing.
    pub switch_latency: Span,
    /// Bytes that an output port holds, frame in service included; `None`: unlimited.
    pub buffer_bytes: Option<u64>,
    /// ECN: a data frame that leaves while its port holds more than this (itself included) is marked; `None`: never.
    pub ecn_threshold_bytes: Option<u64>,
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

/// Congestion control: so far none, i.e. sources paced at a fraction of line rate.
#[derive(Clone, Copy, Debug)]
pub struct CongestionControl {
    /// Offered load in (0, 1].
    pub load: Ratio,
}

/// Host interfaces.
#[derive(Clone, Copy, Debug)]
pub struct Nic {
    /// What counts as one member of the NIC's round robin among ACKs.
    pub ack_turns: AckTurns,
}

/// What counts as one member of the NIC's round robin among ACKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckTurns {
    /// All pending ACKs of the host.
    Class,
    /// The pending ACKs of each incoming flow.
    Flow,
}

/// Traffic and how hosts start it.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Generator.
    pub kind: WorkloadKind,
    /// Whether each host starts at a uniform offset within one slot of a full data frame (gap included), or at 0.
    pub start_jitter: StartJitter,
    /// Each data packet becomes due up to this many percent of a slot later, uniformly; 0 to 100, exact.
    pub pacing_jitter_pct: Ratio,
}

/// Start offset of each host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartJitter {
    /// Uniform in one slot of a full data frame.
    Slot,
    /// None.
    None,
}

/// Generators of traffic.
#[derive(Clone, Debug)]
pub enum WorkloadKind {
    /// One flow a host, to a random derangement.
    Permutation {
        /// Payload of each flow.
        message_bytes: u64,
        /// Only pairs in different pods.
        inter_pod_only: bool,
    },
    /// The flows given (a list, or an imported matrix).
    Flows {
        /// `"pairs"` or `"htsim_cm"`.
        kind: &'static str,
        /// The flows.
        flows: Vec<FlowSpec>,
        /// What they wait for.
        dependencies: Dependencies,
    },
}

/// One flow to simulate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowSpec {
    /// The input's own number of it (its index where the input has none).
    pub id: u64,
    /// Sending host.
    pub src: u32,
    /// Receiving host; never `src`.
    pub dst: u32,
    /// Payload bytes, at least 1.
    pub bytes: u64,
    /// Nominal start; start jitter comes on top. Of a flow that a trigger starts: the earliest instant, without jitter.
    pub start: Time,
}
