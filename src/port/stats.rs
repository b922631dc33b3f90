//! Where ports are and what they count.

use crate::packet::{FrameCount, Packet};
use crate::units::Span;

/// What a port counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortStats {
    /// Frames whose last bit left.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Time spent serialising them.
    pub busy: Span,
    /// Most frames queued.
    pub queue_max_packets: u64,
    /// Most bytes queued.
    pub queue_max_bytes: u64,
    /// Data frames marked.
    pub marked_packets: u64,
    /// Frames dropped.
    pub dropped_packets: u64,
    /// Of these, frames other than data packets, trimmed or not.
    pub dropped_control_packets: u64,
    /// Of the frames whose last bit left, those that a dead link lost, or any link at random.
    pub lost_packets: u64,
    /// Of these, frames other than data packets, trimmed or not.
    pub lost_control_packets: u64,
    /// Data packets whose payload the port cut off.
    pub trimmed_packets: u64,
    /// Of the frames whose last bit left, those that paused or resumed the neighbour.
    pub pause_packets: u64,
    /// How often the neighbour paused the port.
    pub pauses: u64,
    /// How long it was paused, up to the end of the run.
    pub paused: Span,
    /// Most bytes beyond the threshold of pausing that the switch held of what came in by the port of this number.
    pub headroom_max_bytes: u64,
    /// Frames that it still held at the end of the run, those on their way to it through the switch included.
    pub queued: FrameCount,
}

impl PortStats {
    /// The port drops `packet`.
    pub(super) fn drop(&mut self, packet: &Packet) {
        self.dropped_packets += 1;
        self.dropped_control_packets += u64::from(!packet.is_of_data());
    }

    /// The link loses `packet`.
    pub(super) fn lose(&mut self, packet: &Packet) {
        self.lost_packets += 1;
        self.lost_control_packets += u64::from(!packet.is_of_data());
    }
}

/// Whose time on the wire is counted by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bins {
    /// No frame's.
    None,
    /// Every frame's, its gap included: for the peak utilisation.
    Busy,
    /// Every data frame's: for the rate of delivery.
    Delivered,
}

/// Where a port is, and whose counters it feeds.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The port's number at its switch: names its timers.
    pub port: u16,
    /// The node at the other end of its link.
    pub peer: u32,
    /// The port there.
    pub peer_port: u16,
    /// The stage that its integrals belong to.
    pub stage: u8,
    /// Whose time on the wire is counted.
    pub bins: Bins,
}
