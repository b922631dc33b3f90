//! `fabric.queue`: what output ports do where room is short, and whether they can with the buffers, thresholds and frames that they have.

use crate::fields::{Fields, choice, flag, integer, keys, nullable, object, words};
use crate::json::child_path;
use crate::settings::limits::MAX_BYTES;
use crate::settings::{
    Acks, Evict, Fabric, Lossless, Queue, QueueKind, SharedBuffer, Tier, Trimming,
};

use super::bounds::Measure;
use super::judge::Judge;

words! {
    /// The kinds of ports.
    pub enum Port {
        /// Frames that do not fit are dropped.
        Fifo = "fifo",
        /// Frames that do not fit lose their payload.
        Trimming = "trimming",
        /// Neighbours are paused in time (priority flow control).
        Lossless = "lossless",
    }
}

keys! {
    /// The queues as far as their own object tells. Their ECN keys stand beside it.
    #[derive(Clone, Debug)]
    pub(super) struct QueueKeys {
        /// What output ports do where room is short: drop frames, cut their payload off, or pause their neighbours in time (priority flow
        /// control)
        kind: Port = kind("kind", choice(), default = Port::Fifo),
        /// ACKs, NACKs and trimmed headers are served before data; trimming ports always do so
        control_priority: bool = key("control_priority", flag(), default = false, of = ["fifo", "lossless"]),
        /// The ports of a switch share its buffer (dynamic thresholds); null: each has its own. Without buffer_bytes, buffer_packets,
        /// buffer_bdp and queues of a topology file
        shared_buffer: Option<SharedBuffer> = key("shared_buffer", nullable(object()), default = None),
        /// Bytes of a packet without its payload; null: nothing is left of it, it is dropped (uet-htsim's -disable_trim)
        trim_bytes: Option<u32> = key("trim_bytes", nullable(integer(1..=65_535)), default = Some(64), of = ["trimming"],
            limits = "at most a full data frame"),
        /// Bytes of control frames that a port holds; null: twice its buffer for data
        header_buffer_bytes: Option<u64> = key("header_buffer_bytes", nullable(integer(1..=MAX_BYTES)), default = None, of = ["trimming"],
            limits = "at least one control frame", sample = "1000"),
        /// Which packet loses its payload, or is dropped: the one that arrives, or, as a fair coin says, that or the last one in the queue
        /// (uet-htsim)
        evict: Evict = key("evict", choice(), default = Evict::Arriving, of = ["trimming"]),
        /// A neighbour is paused when more bytes than this are in the switch that came from it; null: the buffer less the headroom. Without
        /// shared_buffer, whose thresholds count then
        pause_bytes: Option<u64> = key("pause_bytes", nullable(integer(1..=MAX_BYTES)), default = None, of = ["lossless"],
            limits = "needed without a buffer", sample = "800000", needs = [("fabric.buffer_bytes", "1000000")]),
        /// A paused neighbour may go on when no more than this are; null: half of pause_bytes. Without shared_buffer
        resume_bytes: Option<u64> = key("resume_bytes", nullable(integer(0..=MAX_BYTES)), default = None, of = ["lossless"],
            limits = "below pause_bytes", needs = [("fabric.queue.pause_bytes", "1000000")]),
        /// With shared_buffer: a paused neighbour may go on when so many bytes less than the threshold are there; null: two full frames
        resume_offset_bytes: Option<u64> = key("resume_offset_bytes", nullable(integer(1..=MAX_BYTES)), default = None, of = ["lossless"],
            limits = "with shared_buffer", sample = "1000", needs = [("fabric.queue.shared_buffer", "{\"bytes\": 1000000}")]),
        /// Room beyond pause_bytes for what is on its way when a neighbour is paused; null: what is needed: three of the largest frame, a
        /// pause frame, two gaps, and what the link carries in twice its latency
        headroom_bytes: Option<u64> = key("headroom_bytes", nullable(integer(1..=MAX_BYTES)), default = None, of = ["lossless"],
            limits = "at least what is needed", sample = "1000000", needs = [("fabric.queue.pause_bytes", "1000000")]),
        /// Bytes of a pause frame
        pause_frame_bytes: u32 = key("pause_frame_bytes", integer(1..=65_535), default = 64, of = ["lossless"],
            needs = [("fabric.queue.pause_bytes", "1000000")]),
    }
    check QueueKeys::thresholds_of_their_buffer;
}

impl QueueKeys {
    /// A shared buffer has thresholds of its own.
    fn thresholds_of_their_buffer(&self, fields: &mut Fields<'_>) {
        let is_shared = self.shared_buffer.is_some();
        let told = [
            ("pause_bytes", self.pause_bytes, false),
            ("resume_bytes", self.resume_bytes, false),
            ("resume_offset_bytes", self.resume_offset_bytes, true),
        ];
        for (key, value, belongs_to_shared) in told {
            if let Some(value) = value.filter(|_| belongs_to_shared != is_shared) {
                let why = if is_shared {
                    "a shared buffer has thresholds of its own"
                } else {
                    "without shared_buffer, resume_bytes says when"
                };
                fields.problem(key, format!("{value} has no meaning: {why}; allowed: null"));
            }
        }
    }

    /// The queues, without marks.
    pub(super) fn queue(&self) -> Queue {
        let kind = match self.kind {
            Port::Fifo => QueueKind::Fifo,
            Port::Trimming => QueueKind::Trimming(Trimming {
                trim_bytes: self.trim_bytes,
                header_buffer_bytes: self.header_buffer_bytes,
                evict: self.evict,
            }),
            Port::Lossless => QueueKind::Lossless(Lossless {
                pause_bytes: self.pause_bytes,
                resume_bytes: self.resume_bytes,
                resume_offset_bytes: self.resume_offset_bytes,
                headroom_bytes: self.headroom_bytes,
                pause_frame_bytes: self.pause_frame_bytes,
            }),
        };
        Queue {
            kind,
            control_priority: self.control_priority || self.kind == Port::Trimming,
            shared_buffer: self.shared_buffer,
            ..Queue::PLAIN
        }
    }

    /// Whether neighbours are paused.
    pub(super) fn is_lossless(&self) -> bool {
        self.kind == Port::Lossless
    }
}

/// Where the queues stand.
const QUEUE: &str = "fabric.queue";

/// What the sizes of frames depend on.
const FRAMES: [&str; 4] = [
    "packet.payload_bytes",
    "packet.header_bytes",
    "packet.ack_bytes",
    "packet.acks",
];

/// What the buffers of ports depend on.
const BUFFERS: [&str; 4] = [
    "fabric.kind",
    "fabric.buffer_bytes",
    "fabric.buffer_packets",
    "fabric.buffer_bdp",
];

impl Judge<'_> {
    /// Judge the queues.
    pub(super) fn queues(&mut self) {
        self.marks();
        let Some(fabric) = self.fabric else {
            return;
        };
        if !self.sound(&["fabric.queue.kind"]) {
            return;
        }
        if let Some(shared) = &fabric.queue.shared_buffer {
            self.shared_buffer(fabric, shared);
        }
        match &fabric.queue.kind {
            QueueKind::Fifo => {}
            QueueKind::Trimming(trimming) => self.trimming(trimming),
            QueueKind::Lossless(lossless) => self.lossless(fabric, lossless),
        }
    }

    fn queue_problem(&mut self, key: &str, text: String) {
        self.problem(&format!("{QUEUE}.{key}"), text);
    }

    /// Whether what stands at keys of the queue was read as written.
    fn queue_sound(&self, keys: &[&str]) -> bool {
        self.all_sound(QUEUE, keys)
    }

    /// The upper ECN threshold lies above the lower one.
    fn marks(&mut self) {
        let Some(fabric) = self.fabric else {
            return;
        };
        let (bounds, of) = (
            &self.keys.fabric.bounds,
            Measure::new(fabric, &self.keys.packet),
        );
        let Some(most) = bounds.ecn_max_threshold_bytes(of) else {
            return;
        };
        let keys = [
            "fabric.ecn_threshold_bytes",
            "fabric.ecn_threshold_packets",
            "fabric.ecn_threshold_bdp",
            "fabric.ecn_max_threshold_bytes",
            "fabric.ecn_max_threshold_packets",
            "fabric.ecn_max_threshold_bdp",
        ];
        if !self.sound(&keys) || !self.sound(&FRAMES) {
            return;
        }
        let text = match bounds.ecn_threshold_bytes(of) {
            None => {
                "has no meaning without a lower threshold; allowed: null, or an ecn_threshold_bytes"
                    .to_owned()
            }
            Some(least) if most < least => format!(
                "{most} bytes are below the threshold from which frames may be marked, which is {least}; allowed: null, or at least that"
            ),
            Some(_) => return,
        };
        self.problem(&child_path("fabric", bounds.ecn_max_key()), text);
    }

    /// A shared buffer stands for all others, and has room for a frame.
    fn shared_buffer(&mut self, fabric: &Fabric, shared: &SharedBuffer) {
        if !self.queue_sound(&["shared_buffer"]) {
            return;
        }
        let (keys, packet) = (&self.keys.fabric, &self.keys.packet);
        let told = keys.bounds.buffer_bytes(Measure::new(fabric, packet));
        if self.sound(&BUFFERS) {
            let key = keys.bounds.buffer_key();
            let of_file = fabric.tiers().iter().zip(0..).find_map(|(tier, number)| {
                let bytes = tier.down_buffer_bytes.or(tier.up_buffer_bytes)?;
                Some(format!(
                    "the queues of Tier {number} of the topology file, of {bytes} bytes"
                ))
            });
            let other = match told {
                Some(_) => Some(format!("fabric.{key}")),
                None => of_file,
            };
            if let Some(other) = other {
                let text = format!("stands beside {other}; allowed: one of the two");
                self.queue_problem("shared_buffer", text);
                return;
            }
        }
        let is_lossless = matches!(fabric.queue.kind, QueueKind::Lossless(_));
        let frame = packet.largest_frame();
        let alone = u128::from(shared.bytes) * u128::from(shared.alpha.num);
        let alone = (alone / u128::from(shared.alpha.den)).min(shared.bytes.into());
        if u128::from(frame) > alone && !is_lossless && self.sound(&FRAMES) {
            let text = format!(
                "alpha times {} bytes hold no frame of {frame} bytes, so nothing could pass; allowed: more bytes, or a larger alpha",
                shared.bytes
            );
            self.queue_problem("shared_buffer.bytes", text);
        }
    }

    /// A trimmed packet, if anything is left of one, is no larger than a full one, and has room.
    fn trimming(&mut self, trimming: &Trimming) {
        let packet = &self.keys.packet;
        let (full, trimmed) = (packet.full_frame(), trimming.trim_bytes.map(u64::from));
        if let Some(trimmed) = trimmed.filter(|trimmed| *trimmed > full)
            && self.sound(&FRAMES[..2])
            && self.queue_sound(&["trim_bytes"])
        {
            let text = format!(
                "{trimmed} bytes are more than a full data frame has, which is {full}; allowed: at most that"
            );
            self.queue_problem("trim_bytes", text);
            return;
        }
        let ack = match packet.acks {
            Acks::PerPacket => Some(u64::from(packet.ack_bytes)),
            Acks::None => None,
        };
        let Some(least) = trimmed.max(ack) else {
            return;
        };
        let keys = ["trim_bytes", "header_buffer_bytes"];
        if let Some(room) = trimming.header_buffer_bytes.filter(|room| *room < least)
            && self.queue_sound(&keys)
            && self.sound(&FRAMES)
        {
            let text = format!(
                "{room} bytes hold no control frame of {least} bytes, so none could pass; allowed: null, or at least {least}"
            );
            self.queue_problem("header_buffer_bytes", text);
        }
    }

    /// Pauses come in time, and end.
    fn lossless(&mut self, fabric: &Fabric, lossless: &Lossless) {
        let links = [
            "packet.gap_bytes",
            "fabric.link_gbps",
            "fabric.link_latency_ns",
        ];
        let keys = [
            "headroom_bytes",
            "pause_frame_bytes",
            "pause_bytes",
            "shared_buffer",
        ];
        if !self.sound(&FRAMES) || !self.sound(&links) || !self.queue_sound(&keys) {
            return;
        }
        self.headroom(fabric, lossless);
        if fabric.queue.shared_buffer.is_some() {
            return;
        }
        let mut lowest = None;
        if self.sound(&BUFFERS) {
            for (number, tier) in fabric.tiers().iter().enumerate() {
                match self.thresholds(fabric, lossless, (number, tier)) {
                    Ok(high) => lowest = Some(lowest.map_or(high, |low: u64| low.min(high))),
                    Err(text) => {
                        self.queue_problem("pause_bytes", text);
                        return;
                    }
                }
            }
        }
        if let (Some(high), Some(low)) = (lowest, lossless.resume_bytes)
            && low >= high
            && self.queue_sound(&["resume_bytes"])
        {
            let text = format!(
                "{low} bytes are not below those at which a neighbour is paused, which are {high}; allowed: null, or fewer than that"
            );
            self.queue_problem("resume_bytes", text);
        }
    }

    /// There is room for what is on its way when a neighbour is paused.
    fn headroom(&mut self, fabric: &Fabric, lossless: &Lossless) {
        let packet = &self.keys.packet;
        let needs = fabric.tiers().iter();
        let needed = needs
            .map(|tier| lossless.needed_headroom(packet, tier))
            .max();
        let (Some(needed), Some(told)) = (needed, lossless.headroom_bytes) else {
            return;
        };
        if told < needed {
            let text = format!(
                "{told} bytes are fewer than can be on their way when a neighbour is paused, which are {needed}; allowed: null, or at least that"
            );
            self.queue_problem("headroom_bytes", text);
        }
    }

    /// The lowest threshold of the ports at the links of a tier: those of its switches, and the uplinks of the switches below.
    fn thresholds(
        &self,
        fabric: &Fabric,
        lossless: &Lossless,
        (number, tier): (usize, &Tier),
    ) -> Result<u64, String> {
        let packet = &self.keys.packet;
        let below = number.checked_sub(1).map(|below| fabric.tiers[below]);
        let buffers = [
            Some(tier.down_buffer_bytes),
            below.map(|tier| tier.up_buffer_bytes),
        ];
        let (headroom, frame) = (lossless.headroom(packet, tier), packet.largest_frame());
        let mut lowest = u64::MAX;
        for buffer in buffers.into_iter().flatten() {
            let high = match (lossless.pause_bytes, buffer) {
                (Some(high), None) => high,
                (Some(high), Some(buffer)) if high.saturating_add(headroom) > buffer => {
                    return Err(format!(
                        "{high} bytes and a headroom of {headroom} are more than a buffer of {buffer} holds; allowed: null, at most {}, or a larger buffer",
                        buffer.saturating_sub(headroom)
                    ));
                }
                (Some(high), Some(_)) => high,
                (None, Some(buffer)) if buffer < headroom.saturating_add(frame) => {
                    return Err(format!(
                        "null leaves what a buffer of {buffer} bytes holds beside a headroom of {headroom}, which is less than a frame of {frame} bytes; allowed: a buffer of at least {}",
                        headroom.saturating_add(frame)
                    ));
                }
                (None, Some(buffer)) => buffer - headroom,
                (None, None) => {
                    return Err("null needs a buffer to follow from; allowed: bytes, a fabric.buffer_bytes, or a shared_buffer".to_owned());
                }
            };
            lowest = lowest.min(high);
        }
        Ok(lowest)
    }
}
