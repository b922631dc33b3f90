//! The `transport` object, key by key: how hosts recover what the fabric loses.

use crate::fields::{Fields, Scale};
use crate::json::Origin;
use crate::settings::{
    DupThreshold, Erasure, Rto, RtoKind, RtoScope, Sleek, Transport, TransportKind,
};
use crate::units::Span;

/// The transport as far as its own object tells.
#[derive(Debug)]
pub(super) struct TransportDraft {
    /// Nothing: what is lost stays lost.
    pub(super) transport: Option<Transport>,
    /// Where `kind`, `extra_packets`, `rto` and `give_up_after` came from.
    pub(super) kind_origin: Origin,
    pub(super) extra_origin: Origin,
    pub(super) rto_origin: Origin,
    pub(super) give_up_origin: Origin,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    None,
    SelectiveRepeat,
    GoBackN,
    NewReno,
    Erasure,
}

const KINDS: [(&str, Kind); 5] = [
    ("none", Kind::None),
    ("selective_repeat", Kind::SelectiveRepeat),
    ("go_back_n", Kind::GoBackN),
    ("newreno", Kind::NewReno),
    ("erasure", Kind::Erasure),
];

/// The keys that only some kinds take: without a reordering buffer nothing is out of order, and no particular packet of a code is
/// ever missing.
const OWN_KEYS: [(&str, Kind); 22] = [
    ("handshake", Kind::SelectiveRepeat),
    ("handshake", Kind::GoBackN),
    ("handshake", Kind::NewReno),
    ("handshake", Kind::Erasure),
    ("ack_bytes_threshold", Kind::SelectiveRepeat),
    ("ack_bytes_threshold", Kind::GoBackN),
    ("ack_bytes_threshold", Kind::Erasure),
    ("in_flight", Kind::SelectiveRepeat),
    ("in_flight", Kind::GoBackN),
    ("reorder_packets", Kind::SelectiveRepeat),
    ("dup_threshold", Kind::SelectiveRepeat),
    ("dup_threshold", Kind::NewReno),
    ("rto", Kind::SelectiveRepeat),
    ("rto", Kind::GoBackN),
    ("rto", Kind::NewReno),
    ("sleek", Kind::SelectiveRepeat),
    ("extra_packets", Kind::Erasure),
    ("resume", Kind::Erasure),
    ("give_up_after", Kind::SelectiveRepeat),
    ("give_up_after", Kind::GoBackN),
    ("give_up_after", Kind::NewReno),
    ("give_up_after", Kind::Erasure),
];

/// The most packets that a receiver reorders.
const MAX_PACKETS: u64 = 1 << 24;
/// The longest timeout: a second, in ps.
pub(super) const MAX_TIMEOUT: u64 = 1_000_000_000_000;
/// Defaults, in ps.
const INITIAL: u64 = 100_000_000;
const MIN: u64 = 5_000_000;
const MAX: u64 = 10_000_000_000;

/// What is not read has no effect: a timeout where there is none, a reordering buffer as good as without bounds.
const UNREAD: Transport = Transport {
    reorder_packets: 1 << 30,
    ..Transport::SELECTIVE_REPEAT
};

/// Read the `transport` object.
pub(super) fn read(fields: &mut Fields<'_>) -> TransportDraft {
    let (kind, known) = fields.kind(Some("none"), &KINDS, &OWN_KEYS);
    let transport = (known && kind != Kind::None).then(|| {
        let mut transport = Transport {
            handshake: fields.boolean("handshake", false),
            ..UNREAD
        };
        if kind != Kind::NewReno {
            let threshold = fields.integer("ack_bytes_threshold", Some(0), 0..=1 << 30);
            transport.ack_bytes_threshold = threshold as u32;
        }
        if matches!(kind, Kind::SelectiveRepeat | Kind::GoBackN) {
            let counts = [("packets", false), ("received_bytes", true)];
            transport.counts_received_bytes = fields.choice("in_flight", Some("packets"), &counts);
        }
        if kind == Kind::SelectiveRepeat {
            let packets = 1..=MAX_PACKETS;
            let kept = fields.integer("reorder_packets", Some(16_384), packets.clone());
            transport.reorder_packets = kept as u32;
        }
        if matches!(kind, Kind::SelectiveRepeat | Kind::NewReno) {
            transport.dup_threshold = dup_threshold(fields);
        }
        if kind != Kind::Erasure {
            transport.rto = fields.section("rto", |fields| rto(fields, kind));
        }
        match kind {
            Kind::SelectiveRepeat => {
                let words = "null, or an object with \"min_packets\", \"window_pct\", \"probe_rtts\", \"probe_retry_rtts\" and \"target_us\"";
                transport.sleek = fields.nullable_section("sleek", words, sleek);
            }
            Kind::Erasure => transport.kind = TransportKind::Erasure(erasure(fields)),
            Kind::GoBackN => transport.kind = TransportKind::GoBackN,
            Kind::NewReno => transport.kind = TransportKind::NewReno,
            Kind::None => {}
        }
        let after = fields.integer("give_up_after", Some(100), 1..=1_000_000);
        transport.give_up_after = after as u32;
        transport
    });
    TransportDraft {
        transport,
        kind_origin: fields.origin("kind"),
        extra_origin: fields.origin("extra_packets"),
        rto_origin: fields.origin("rto"),
        give_up_origin: fields.origin("give_up_after"),
    }
}

/// A number of packets, or an object that adds the paths between two hosts to one.
fn dup_threshold(fields: &mut Fields<'_>) -> Option<DupThreshold> {
    const KEY: &str = "dup_threshold";
    let packets = 1..=MAX_PACKETS;
    if fields.is_object(KEY) {
        let more = fields.section(KEY, |fields| {
            fields.integer("paths_plus", Some(3), 0..=MAX_PACKETS)
        });
        return Some(DupThreshold::PathsPlus(more as u32));
    }
    let places = fields.nullable_integer_beside(KEY, packets, "or an object with \"paths_plus\"");
    places.map(|places| DupThreshold::Packets(places as u32))
}

fn erasure(fields: &mut Fields<'_>) -> Erasure {
    Erasure {
        extra_packets: fields.integer("extra_packets", Some(0), 0..=1_000_000) as u32,
        resume: fields.boolean("resume", true),
    }
}

fn sleek(fields: &mut Fields<'_>) -> Sleek {
    let target = fields.nullable_decimal("target_us", Scale::US, 1..=MAX_TIMEOUT);
    let mut integer = |key, default, most| fields.integer(key, Some(default), 1..=most) as u32;
    Sleek {
        target: target.map(Span),
        min_packets: integer("min_packets", 5, MAX_PACKETS),
        window_pct: integer("window_pct", 150, 1_000),
        probe_rtts: integer("probe_rtts", 3, 1_000),
        probe_retry_rtts: integer("probe_retry_rtts", 5, 1_000),
    }
}

/// The kinds of timeout: fixed, or not.
const RTO_KINDS: [(&str, bool); 2] = [("fixed", true), ("estimated", false)];

const RTO_KEYS: [(&str, bool); 3] = [("us", true), ("initial_us", false), ("min_us", false)];

/// The timeout of that kind of transport. A sender that goes back has no choice of `scope`.
fn rto(fields: &mut Fields<'_>, of: Kind) -> Rto {
    let (is_fixed, known) = fields.kind(Some("fixed"), &RTO_KINDS, &RTO_KEYS);
    let allowed = 1..=MAX_TIMEOUT;
    let before = fields.problem_count();
    let kind = match is_fixed {
        _ if !known => RtoKind::Fixed(None),
        true => {
            let us = fields.nullable_decimal("us", Scale::US, allowed.clone());
            RtoKind::Fixed(us.map(Span))
        }
        false => RtoKind::Estimated {
            initial: Span(fields.decimal("initial_us", Some(INITIAL), Scale::US, allowed.clone())),
            min: Span(fields.decimal("min_us", Some(MIN), Scale::US, allowed.clone())),
        },
    };
    let backoff = fields.integer("backoff", Some(1), 1..=2) as u32;
    let max = Span(fields.decimal("max_us", Some(MAX), Scale::US, allowed));
    if fields.problem_count() == before {
        ordered(fields, kind, backoff, max);
    }
    let scopes = [("oldest", RtoScope::Oldest), ("all", RtoScope::All)];
    let scope = match of {
        Kind::GoBackN => {
            let why = "belongs to kind \"selective_repeat\"; a go_back_n sender always takes all in flight for lost";
            fields.foreign("scope", why);
            RtoScope::All
        }
        Kind::NewReno => {
            let why = "belongs to kind \"selective_repeat\"; a newreno sender always goes back to the first packet in flight";
            fields.foreign("scope", why);
            RtoScope::All
        }
        _ => fields.choice("scope", Some("oldest"), &scopes),
    };
    Rto {
        kind,
        backoff,
        max,
        scope,
    }
}

/// No timeout may be longer than the longest. An estimate may start below the shortest: that one is about samples (htsim's DCTCP waits 10 ms at
/// first, and 250 ms at least).
fn ordered(fields: &mut Fields<'_>, kind: RtoKind, backoff: u32, max: Span) {
    let us = |span: Span| Scale::US.decimal(span.0);
    let most = us(max);
    match kind {
        RtoKind::Fixed(Some(fixed)) if backoff > 1 && fixed > max => {
            let text = format!(
                "{most} us is below us, which is {}; allowed: at least that",
                us(fixed)
            );
            fields.problem("max_us", text);
        }
        RtoKind::Estimated { min, .. } if min > max => {
            let text = format!(
                "{} us is above max_us, which is {most}; allowed: at most that",
                us(min)
            );
            fields.problem("min_us", text);
        }
        RtoKind::Estimated { initial, .. } if initial > max => {
            let text = format!(
                "{} us is above max_us, which is {most}; allowed: at most that",
                us(initial)
            );
            fields.problem("initial_us", text);
        }
        _ => {}
    }
}
