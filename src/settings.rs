//! A checked scenario as plain values: what hosts, switches, workloads and closed forms are built from.
//!
//! No rules live here: `scenario` reads and checks JSON and makes these, or refuses.

use crate::lb::Scheme;
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
    /// Congestion control.
    pub congestion_control: CongestionControl,
    /// Host interfaces.
    pub nic: Nic,
    /// Traffic.
    pub workload: Workload,
    /// What keeps hosts and switches from lockstep.
    pub imperfection: Imperfection,
    /// Latency of a dependency between flows of different hosts; `None`: the link latency.
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
    /// Where in time each host starts.
    pub start_jitter: StartJitter,
    /// Hosts that start later still; `None`: no host does.
    pub stragglers: Option<Stragglers>,
    /// Each data packet becomes due up to this many percent of a slot later, uniformly; 0 to 100, exact.
    pub pacing_jitter_pct: Ratio,
}

/// Start offset of each host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartJitter {
    /// Uniform in one slot of a full data frame, gap included.
    Slot,
    /// None.
    None,
    /// Uniform in whole picoseconds below this; zero: none.
    Uniform(Span),
}

/// Hosts that start late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stragglers {
    /// Which hosts.
    pub hosts: StragglerHosts,
    /// How much later they start, on top of the start jitter.
    pub delay: Span,
}

/// Which hosts start late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StragglerHosts {
    /// So large a share of all hosts, 0 to 1: [`straggler_count`] of them, drawn for each seed.
    Fraction(Ratio),
    /// These hosts, each once.
    Listed(Vec<u32>),
}

/// `fraction` of `hosts`, rounded to the nearest count (half a host counts as one).
#[must_use]
pub fn straggler_count(fraction: Ratio, hosts: u32) -> u32 {
    let twice = 2 * u128::from(fraction.num) * u128::from(hosts) / u128::from(fraction.den);
    twice.div_ceil(2) as u32
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
    /// Nominal start; start jitter comes on top.
    pub start: Time,
}
