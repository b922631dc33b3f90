//! `fabric.queue`, key by key: what output ports do where room is short.

use crate::fields::Fields;
use crate::json::Origin;
use crate::settings::{Evict, Lossless, Queue, QueueKind, SharedBuffer, Trimming};
use crate::units::Ratio;

use super::check::MAX_BYTES;

/// The queues as far as their own object tells.
#[derive(Debug)]
pub(super) struct QueueDraft {
    pub(super) queue: Queue,
    /// Where each key's value came from.
    origins: Vec<(&'static str, Origin)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fifo,
    Trimming,
    Lossless,
}

const KINDS: [(&str, Kind); 3] = [
    ("fifo", Kind::Fifo),
    ("trimming", Kind::Trimming),
    ("lossless", Kind::Lossless),
];

/// The keys that only some kinds take.
const OWN_KEYS: [(&str, Kind); 10] = [
    ("control_priority", Kind::Fifo),
    ("control_priority", Kind::Lossless),
    ("trim_bytes", Kind::Trimming),
    ("header_buffer_bytes", Kind::Trimming),
    ("evict", Kind::Trimming),
    ("pause_bytes", Kind::Lossless),
    ("resume_bytes", Kind::Lossless),
    ("resume_offset_bytes", Kind::Lossless),
    ("headroom_bytes", Kind::Lossless),
    ("pause_frame_bytes", Kind::Lossless),
];

/// The largest factor of a shared buffer.
const MAX_ALPHA: u64 = 1_000;

/// Read the `queue` object. Its ECN keys stand beside it.
pub(super) fn read(fields: &mut Fields<'_>) -> QueueDraft {
    let (kind, known) = fields.kind(Some("fifo"), &KINDS, &OWN_KEYS);
    let is_trimming = kind == Kind::Trimming;
    let control_priority = match kind {
        _ if !known => false,
        Kind::Trimming => true,
        Kind::Fifo | Kind::Lossless => fields.boolean("control_priority", false),
    };
    let words = "null, or an object with \"bytes\" and \"alpha\"";
    let shared_buffer = fields.nullable_section("shared_buffer", words, |buffer| SharedBuffer {
        bytes: buffer.integer("bytes", None, 1..=MAX_BYTES),
        alpha: buffer.positive("alpha", Ratio::ONE, MAX_ALPHA),
    });
    let kind = match kind {
        _ if !known => QueueKind::Fifo,
        Kind::Fifo => QueueKind::Fifo,
        Kind::Trimming => QueueKind::Trimming(trimming(fields)),
        Kind::Lossless => QueueKind::Lossless(lossless(fields, shared_buffer.is_some())),
    };
    let own = OWN_KEYS.iter().map(|(key, _)| *key);
    let keys = own.chain(["kind", "shared_buffer"]);
    QueueDraft {
        queue: Queue {
            kind,
            control_priority: control_priority || is_trimming,
            shared_buffer,
            ..Queue::PLAIN
        },
        origins: keys.map(|key| (key, fields.origin(key))).collect(),
    }
}

impl QueueDraft {
    /// Where the value at `key` came from (of a key in an object: the object); this object's origin, if it is missing.
    pub(super) fn origin(&self, key: &str) -> Origin {
        let key = key.split_once('.').map_or(key, |(object, _)| object);
        let mut origins = self.origins.iter();
        let found = origins.find(|(known, _)| *known == key);
        found.map_or_else(Origin::default, |(_, origin)| *origin)
    }
}

fn trimming(fields: &mut Fields<'_>) -> Trimming {
    let evict = [("arriving", Evict::Arriving), ("coin", Evict::Coin)];
    Trimming {
        trim_bytes: fields
            .nullable_integer("trim_bytes", Some(64), 1..=65_535)
            .map(|bytes| bytes as u32),
        header_buffer_bytes: fields.nullable_integer("header_buffer_bytes", None, 1..=MAX_BYTES),
        evict: fields.choice("evict", Some("arriving"), &evict),
    }
}

fn lossless(fields: &mut Fields<'_>, is_shared: bool) -> Lossless {
    let pause_bytes = fields.nullable_integer("pause_bytes", None, 1..=MAX_BYTES);
    let resume_bytes = fields.nullable_integer("resume_bytes", None, 0..=MAX_BYTES);
    let resume_offset_bytes = fields.nullable_integer("resume_offset_bytes", None, 1..=MAX_BYTES);
    let told = [
        ("pause_bytes", pause_bytes, false),
        ("resume_bytes", resume_bytes, false),
        ("resume_offset_bytes", resume_offset_bytes, true),
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
    Lossless {
        pause_bytes,
        resume_bytes,
        resume_offset_bytes,
        headroom_bytes: fields.nullable_integer("headroom_bytes", None, 1..=MAX_BYTES),
        pause_frame_bytes: fields.integer("pause_frame_bytes", Some(64), 1..=65_535) as u32,
    }
}
