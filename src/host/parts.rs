//! What hosts are built from.

use std::sync::Arc;

use super::{HostTriggers, Receiver, Sender, TransportEnv};
use crate::cc::Controller;
use crate::lb::host::Layer;
use crate::link::Link;
use crate::packet::Kind;
use crate::settings::{AckTurns, PacketFormat};
use crate::units::Time;

/// What all hosts of a run have in common.
#[derive(Clone, Debug)]
pub struct HostSettings {
    /// The link to the edge switch.
    pub link: Link,
    /// Frame sizes, and whether receivers acknowledge.
    pub frames: PacketFormat,
    /// What counts as a member of the round robin among ACKs.
    pub ack_turns: AckTurns,
    /// Control frames that go for each data frame where both wait.
    pub control_per_data: u32,
    /// Whether a pause stops control frames too.
    pub pause_stops_control: bool,
    /// Bytes of a pause frame.
    pub pause_frame_bytes: u32,
    /// How what is lost is recovered, if it is.
    pub transport: Option<TransportEnv>,
    /// What limits the bytes in flight.
    pub controller: Controller,
    /// For each flow (in order of senders), its place among the receivers of its destination. Packets carry the number of the first
    /// message of their connection.
    pub receiver_slots: Arc<[u32]>,
    /// The stage that NIC integrals belong to.
    pub stage: usize,
    /// A host with more payload left to send than this cannot finish within one window.
    pub window_bytes: u64,
}

/// Where a host is plugged in: the edge switch's node and its port on this cable.
#[derive(Clone, Copy, Debug)]
pub struct Plug {
    /// The edge switch's node.
    pub edge: u32,
    /// Its port on this cable.
    pub edge_port: u16,
}

/// The host at the other end of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Its number.
    pub host: u32,
    /// Its number among the host's peers.
    pub local: usize,
    /// How far it is.
    pub layer: Layer,
}

/// The flows of one host.
#[derive(Debug)]
pub struct HostFlows {
    /// The number of the host's first flow (in order of senders): the others follow.
    pub first: u32,
    /// Flows that it sends.
    pub senders: Vec<Sender>,
    /// When each of these starts; `None`: when a trigger says so.
    pub starts: Vec<Option<Time>>,
    /// Flows that it receives.
    pub receivers: Vec<Receiver>,
    /// Triggers that its flows activate or wait for, if there are any.
    pub triggers: Option<Box<HostTriggers>>,
    /// The pause frames that it sends while it is stuck, in order.
    pub storms: Vec<(Time, Kind)>,
}
