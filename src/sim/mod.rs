//! From a checked scenario and a seed to the result of one run.

use crate::units::{Span, Time};
use crate::workload::FlowSpec;

/// What one run measured. Every number is an exact integer; reports divide.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// A result a flow, in the workload's order.
    pub flows: Vec<FlowResult>,
    /// Every directed link, hosts' included: by stage, then by source node and port.
    pub links: Vec<LinkResult>,
    /// One a stage, in `Stage` order; a two-level tree has no `Ac`, `Ca`.
    pub stages: Vec<StageResult>,
    /// First bit sent, if any.
    pub first_bit: Option<Time>,
    /// When the last host finished sending data (last bit on its wire); `None` if some have not.
    pub last_sent: Option<Time>,
    /// Last ACK received (last arrival where there are no ACKs), if every flow finished.
    pub last_finish: Option<Time>,
    /// The instant up to which queues were integrated: `last_sent`, or the end of the run.
    pub integrated_until: Time,
    /// Most busy time (frames and gaps, summed over the A->E links) in any window of `UTILIZATION_WINDOW`.
    pub peak_ae_busy: Span,
    /// Data packets that left a NIC.
    pub data_packets: u64,
    /// ACKs that left a NIC.
    pub ack_packets: u64,
    /// Payload bytes that reached their receivers.
    pub delivered_bytes: u64,
    /// Frames serialised by ports, NICs included.
    pub packet_hops: u64,
    /// Time of the last event.
    pub end: Time,
}

/// Windows of the peak utilisation (spec: figure 1), aligned to the start of the run.
pub const UTILIZATION_WINDOW: Span = Span(500_000);

/// A stage of links, named by the levels at its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Host to edge.
    Nic,
    /// Edge to aggregation.
    Ea,
    /// Aggregation to core.
    Ac,
    /// Core to aggregation.
    Ca,
    /// Aggregation to edge.
    Ae,
    /// Edge to host.
    Eh,
}

impl Stage {
    /// All stages, in the order in which an inter-pod packet crosses them.
    pub const ALL: [Self; 6] = [Self::Nic, Self::Ea, Self::Ac, Self::Ca, Self::Ae, Self::Eh];

    /// The name in CSVs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nic => "nic",
            Self::Ea => "ea",
            Self::Ac => "ac",
            Self::Ca => "ca",
            Self::Ae => "ae",
            Self::Eh => "eh",
        }
    }
}

/// What one flow did.
#[derive(Clone, Debug)]
pub struct FlowResult {
    /// The flow.
    pub spec: FlowSpec,
    /// First bit sent.
    pub start: Option<Time>,
    /// Last ACK received (last arrival where there are no ACKs), if it finished.
    pub end: Option<Time>,
    /// Its completion time alone on an idle fabric.
    pub ideal: Span,
    /// Data packets sent.
    pub packets: u64,
    /// Of these, sent again.
    pub retransmissions: u64,
    /// Largest distance, in packets, by which a packet arrived after a later one.
    pub max_reordering: u64,
}

/// The name of a node: its level's letter and its number in that level (`h12`, `e3`, `a3`, `c5`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeName(pub char, pub u32);

impl std::fmt::Display for NodeName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.0, self.1)
    }
}

/// What one directed link carried.
#[derive(Clone, Debug)]
pub struct LinkResult {
    /// Its stage.
    pub stage: Stage,
    /// Sending node.
    pub src: NodeName,
    /// Receiving node.
    pub dst: NodeName,
    /// Frames whose last bit left.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Time spent serialising them.
    pub busy: Span,
    /// Most frames queued at its port, frame in service included.
    pub queue_max_packets: u64,
    /// Most bytes queued at its port, frame in service included.
    pub queue_max_bytes: u64,
    /// Data frames that it marked.
    pub marked_packets: u64,
    /// Frames that its port dropped.
    pub dropped_packets: u64,
}

/// What the queues of one stage did, summed over its ports from time 0 to `integrated_until`.
#[derive(Clone, Debug)]
pub struct StageResult {
    /// The stage.
    pub stage: Stage,
    /// Ports.
    pub ports: u64,
    /// Integral of queued frames over time.
    pub packet_ps: u128,
    /// Integral of queued bytes over time.
    pub byte_ps: u128,
}
