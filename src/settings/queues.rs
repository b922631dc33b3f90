//! How the output ports of switches queue, drop, mark, trim and pause.

use crate::units::{Ratio, Time};

/// The queues of all switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// What happens where room is short.
    pub kind: QueueKind,
    /// Control frames are served before data.
    pub control_priority: bool,
    /// The ports of a switch share its buffer; `None`: each has its own.
    pub shared_buffer: Option<SharedBuffer>,
    /// Marks are random between the fabric's ECN threshold and this (RED); `None`: all are marked above the one threshold.
    pub ecn_max_threshold_bytes: Option<u64>,
    /// Whether the departing frame counts among the bytes that are compared with a threshold.
    pub ecn_counts_departing: bool,
}

impl Queue {
    /// One FIFO a port that drops at its tail.
    pub const PLAIN: Self = Self {
        kind: QueueKind::Fifo,
        control_priority: false,
        shared_buffer: None,
        ecn_max_threshold_bytes: None,
        ecn_counts_departing: true,
    };
}

/// What happens where room is short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueKind {
    /// Frames that do not fit are dropped.
    #[default]
    Fifo,
    /// Data that does not fit loses its payload.
    Trimming(Trimming),
    /// Neighbours are paused in time (priority flow control).
    Lossless(Lossless),
}

/// A buffer that the ports of a switch share: a port may take a frame while it holds no more than `alpha` times what is free
/// (dynamic thresholds: Choudhury and Hahne 1998).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedBuffer {
    /// Bytes of the whole buffer.
    pub bytes: u64,
    /// Above zero.
    pub alpha: Ratio,
}

/// Ports that cut payload off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trimming {
    /// Bytes of a trimmed packet.
    pub trim_bytes: u32,
    /// Bytes of control frames that a port holds; `None`: twice its buffer for data.
    pub header_buffer_bytes: Option<u64>,
    /// Which packet is cut.
    pub evict: Evict,
}

/// Which packet loses its payload where one does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evict {
    /// The one that arrives.
    Arriving,
    /// That or the last one in the queue, as a fair coin says (uet-htsim).
    Coin,
}

/// Priority flow control (IEEE 802.1Qbb) with one lossless class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lossless {
    /// A neighbour is paused when more bytes than this are here that came from it; `None`: what a port's buffer leaves beside the headroom,
    /// or what the shared buffer says.
    pub pause_bytes: Option<u64>,
    /// It may go on when no more than this are; `None`: half of that. Without a shared buffer.
    pub resume_bytes: Option<u64>,
    /// With a shared buffer: it may go on when so many bytes less than the threshold are; `None`: two full frames.
    pub resume_offset_bytes: Option<u64>,
    /// Room beyond that for what is on its way when a neighbour is paused; `None`: what is needed.
    pub headroom_bytes: Option<u64>,
    /// A pause frame.
    pub pause_frame_bytes: u32,
}

/// Frames that links lose at random, and hosts that are stuck.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Each entry on its own.
    pub links: Vec<LinkLoss>,
    /// Each host once.
    pub stuck_hosts: Vec<StuckHost>,
}

impl Losses {
    /// Nothing.
    pub const NONE: Self = Self {
        links: Vec::new(),
        stuck_hosts: Vec::new(),
    };
}

/// Frames that links lose at random.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkLoss {
    /// The names of the link's ends; `None`: every link between switches.
    pub link: Option<(String, String)>,
    /// Which of several parallel links; `None`: all of them.
    pub member: Option<u32>,
    /// Of each frame, above zero.
    pub probability: Ratio,
    /// Which frames.
    pub frames: LossFrames,
}

/// Which frames a link loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossFrames {
    /// All but pause frames.
    All,
    /// Data and probes.
    Data,
    /// ACKs, NACKs and trimmed headers.
    Control,
}

/// A host that takes no frames for a time: it pauses its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StuckHost {
    /// The host.
    pub host: u32,
    /// From when on.
    pub from: Time,
    /// Until when; [`Time::NEVER`]: for good.
    pub until: Time,
}
