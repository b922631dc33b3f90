//! Host policies: what a sender writes into a packet's `path` field.

use crate::rng::Rng;
use crate::units::Time;

/// How far apart two hosts are: the lowest layer of switches that both can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// Same edge switch: no choice of path.
    SameEdge,
    /// Same pod (or any two leaves of a two-level tree): one path per uplink of the edge.
    SamePod,
    /// Different pods: one path per core switch.
    InterPod,
}

/// What a host policy knows of the packet about to be sent.
#[derive(Clone, Copy, Debug)]
pub struct TxInfo {
    /// The instant of sending.
    pub now: Time,
    /// The flow, by index in the workload's order of senders (as in `Packet::flow`).
    pub flow: u32,
    /// The flow's number among those that this host sends (data) or receives (ACKs), from 0.
    pub local_flow: usize,
    /// The host at the other end: where this packet goes.
    pub peer: u32,
    /// The peer's number among all that this host sends data or ACKs to, from 0.
    pub local_peer: usize,
    /// How far away the peer is.
    pub layer: Layer,
    /// The subflow that this packet belongs to (0 but for Ethereal).
    pub subflow: u32,
}

/// What an ACK says of the path that its data packet took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feedback {
    /// Arrived unmarked.
    Good,
    /// Arrived with congestion experienced.
    Ecn,
}

/// Which path a host stamps on a packet. One value per host.
pub trait PathPolicy {
    /// Called once per data packet when the NIC starts it: the packet's `path`.
    fn data_path(&mut self, tx: &TxInfo, rng: &mut Rng) -> u16;
    /// Called once per ACK when the NIC starts it: the ACK's `path`. `data_path` is that of the packet it acknowledges.
    fn ack_path(&mut self, tx: &TxInfo, data_path: u16, rng: &mut Rng) -> u16;
    /// Called once per ACK that reaches the data's sender. `path` is the data packet's.
    fn on_feedback(&mut self, _local_flow: usize, _path: u16, _feedback: Feedback) {}
}

/// What a policy is built from: one host's place in the fabric and its flows.
#[derive(Clone, Debug)]
pub struct HostEnv {
    /// The run's seed.
    pub seed: u64,
    /// This host.
    pub host: u32,
    /// Uplinks of an edge switch (w).
    pub edge_uplinks: usize,
    /// Uplinks of an aggregation switch (w; 0 in a two-level tree).
    pub agg_uplinks: usize,
    /// The flows that this host sends, by number in the workload's order of senders, indexed by `local_flow`.
    pub sent_flows: Vec<u32>,
    /// The hosts that this host sends data or ACKs to, indexed by `local_peer`.
    pub peers: Vec<u32>,
    /// One bandwidth-delay product in full data packets: base RTT over slot, rounded down, at least 1.
    pub bdp_packets: u32,
}
