//! What one run measured. Every number is an exact integer; reports divide.

use crate::host::{GaveUp, RttStats, TraceRow, WindowStats};
use crate::packet::FrameCount;
use crate::topology::{NodeName, Stage};
use crate::units::{Ratio, Span, Time};
use crate::workload::{FlowClass, FlowSpec};

/// What one run measured.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    /// What the offered load is a fraction of: the fraction of line rate that the fabric can carry.
    pub rho_max: Ratio,
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
    /// The instant up to which queues were integrated: `last_sent`, else the horizon, else when the last frame left a port.
    pub integrated_until: Time,
    /// When the run ended: at the horizon, or when the last frame left or was queued.
    pub ended: Time,
    /// Most busy time (frames and gaps, summed over the A->E links) in any window of `UTILIZATION_WINDOW`.
    pub peak_ae_busy: Span,
    /// Data packets that left a NIC.
    pub data_packets: u64,
    /// ACKs that left a NIC.
    pub ack_packets: u64,
    /// Payload bytes that reached their receivers.
    pub delivered_bytes: u64,
    /// Data packets that reached their receivers.
    pub delivered_packets: u64,
    /// Frames serialised by ports, NICs included.
    pub packet_hops: u64,
    /// Whether the run ended because nothing was left to do (and not at the horizon).
    pub ran_dry: bool,
    /// Frames between two nodes at the end.
    pub on_wires: FrameCount,
    /// Frames that hosts took in.
    pub arrivals: Arrivals,
    /// What happened to the flow that [`RunOptions::trace`](super::RunOptions::trace) names, in order.
    pub trace: Vec<TraceRow>,
    /// What failures did.
    pub failures: FailureResult,
}

impl RunResult {
    /// The flows of the collective: all but the mice.
    pub fn collective(&self) -> impl Iterator<Item = &FlowResult> {
        self.of_class(FlowClass::Collective)
    }

    /// The mice.
    pub fn mice(&self) -> impl Iterator<Item = &FlowResult> {
        self.of_class(FlowClass::Mouse)
    }

    fn of_class(&self, class: FlowClass) -> impl Iterator<Item = &FlowResult> {
        self.flows.iter().filter(move |flow| flow.class == class)
    }
}

/// What failures did in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FailureResult {
    /// Cables between switches that were down at some time.
    pub failed_links: u64,
    /// Draws that were repeated because they cut off hosts.
    pub redraws: u64,
    /// Packets that a switch dropped, having no uplink to their destination.
    pub unroutable_packets: u64,
    /// Of these, data packets, trimmed or not.
    pub unroutable_data_packets: u64,
    /// From the first timed change of a link to the last packet that was lost or dropped for want of an uplink; `None` if no change
    /// fell into the run.
    pub outage: Option<Span>,
    /// From the last timed change of a link until deliveries were back to normal; `None` if that cannot be told, or they were not.
    pub recovery: Option<Span>,
}

/// What one flow did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowResult {
    /// The flow.
    pub spec: FlowSpec,
    /// What it belongs to.
    pub class: FlowClass,
    /// When it might start: at its time (start jitter included), or when a trigger said so; `None` if that did not happen.
    pub release: Option<Time>,
    /// Its number as a message on a re-used connection.
    pub message: Option<u64>,
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
    /// Times that its retransmission timer expired.
    pub timeouts: u64,
    /// NACKs that reached its sender.
    pub nacks: u64,
    /// ACKs that reached its sender.
    pub acks: u64,
    /// Of these, those that echo an ECN mark.
    pub marked_acks: u64,
    /// The RTTs that they gave; `None` without a transport, or if none did.
    pub rtts: Option<RttStats>,
    /// Its congestion window; `None` if none limits it, or no bit of it was sent.
    pub window: Option<WindowStats>,
    /// Of the packets sent again, those that its receiver had already.
    pub spurious_retransmissions: u64,
    /// Packets that its receiver did not keep: beyond its reordering buffer, or out of order where it takes none so.
    pub discarded_packets: u64,
    /// Payload bytes that its sender knows to have arrived; without a transport, those that have.
    pub acked_bytes: u64,
    /// Why it can go no further, if the run ended before it did.
    pub stuck: Option<Stuck>,
    /// Packets that its receiver took in, each counted once.
    pub received_packets: u64,
    /// Payload bytes that its receiver took in, each counted once.
    pub received_bytes: u64,
    /// Largest distance, in packets, by which a packet arrived after a later one.
    pub max_reordering: u64,
    /// Sum of these distances over all packets received; that of a packet in order is 0.
    pub reordering_sum: u64,
    /// The least distance such that 99 % of the packets received have none above it.
    pub p99_reordering: u64,
    /// Uplinks that each data packet took, by arrival, if the run recorded them.
    pub paths: Option<Vec<[u8; 2]>>,
}

/// Why a flow did not finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// Its sender gave up.
    GaveUp(GaveUp),
    /// Its window takes no frame, and nothing is in flight that could open it.
    Window,
    /// Its hosts have no path at time 0.
    CutOff,
    /// What it waits for did not happen: a trigger, or the message before it.
    Waiting,
    /// It starts after the horizon.
    Late,
    /// The run ended at the horizon, and it might have gone on.
    Horizon,
    /// Packets were dropped or lost and nobody sends them again, or they wait behind a port that starts no frame any more.
    Missing,
}

/// Frames that hosts took in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// Data packets that were new to their receivers.
    pub first: u64,
    /// Data packets that their receivers had already.
    pub duplicates: u64,
    /// Data packets that their receivers did not keep.
    pub discarded: u64,
    /// Data packets without their payload.
    pub trimmed: u64,
    /// Other frames: ACKs, NACKs, probes.
    pub other: u64,
}

/// What one directed link carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkResult {
    /// Its stage.
    pub stage: Stage,
    /// Sending node.
    pub src: NodeName,
    /// Receiving node.
    pub dst: NodeName,
    /// Which of the parallel links between them, from 0.
    pub member: u32,
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
    /// Of these, frames other than data packets, trimmed or not.
    pub dropped_control_packets: u64,
    /// Frames that left and did not arrive, because it was down or by chance.
    pub lost_packets: u64,
    /// Of these, frames other than data packets, trimmed or not.
    pub lost_control_packets: u64,
    /// Data packets whose payload its port cut off.
    pub trimmed_packets: u64,
    /// Of `packets`, those that paused or resumed the receiving node's port.
    pub pause_packets: u64,
    /// How often the receiving node paused its port.
    pub pauses: u64,
    /// How long its port was paused.
    pub paused: Span,
    /// Most bytes that came in by it and were held by the receiving node beyond the threshold of pausing.
    pub headroom_max_bytes: u64,
    /// Frames that its port still held at the end, those on their way to it through the switch included; none for a host's.
    pub queued: FrameCount,
}

/// What the queues of one stage did, summed over its ports from time 0 to `integrated_until`.
#[derive(Clone, Debug, PartialEq, Eq)]
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
