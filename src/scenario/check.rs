//! One point of a scenario: types, ranges and defaults of every key.
//!
//! What takes several keys to judge is judged in `cross`, which gets the [`Draft`] made here.

use crate::fields::{Fields, Problem, Scale};
use crate::json::{Json, Origin};
use crate::lb::Scheme;
use crate::units::{Rate, Ratio, Span, Time};

use super::traffic::{self, TrafficDraft};
use super::{
    AckTurns, Acks, CongestionControl, Fabric, Nic, PacketFormat, RhoMaxRule, Shape, Tier,
};

/// The most bytes of a message, buffer or threshold: 2^50.
pub(super) const MAX_BYTES: u64 = 1 << 50;
/// The longest latency: a second.
pub(super) const MAX_LATENCY: Span = Span::from_ns(1_000_000_000);
/// The latest instant that a scenario may name: 10,000 seconds.
pub(super) const MAX_INSTANT: u64 = 10_000_000_000_000_000;

/// One point, read key by key. Where a problem was noted, a stand-in is in place of something wrong.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) seed: u64,
    pub(super) repeats: u32,
    pub(super) fabric: Fabric,
    pub(super) packet: PacketFormat,
    pub(super) load_balancing: Scheme,
    pub(super) congestion_control: CongestionControl,
    pub(super) nic: Nic,
    pub(super) traffic: TrafficDraft,
    pub(super) trigger_latency: Option<Span>,
    pub(super) horizon: Option<Time>,
    /// Where a few values came from, for the problems that `cross` finds.
    pub(super) origins: Origins,
}

/// Where a few values came from.
#[derive(Debug)]
pub(super) struct Origins {
    pub(super) seed: Origin,
    pub(super) trigger_latency: Origin,
    pub(super) link_gbps: Origin,
    pub(super) buffer_bytes: Origin,
    pub(super) scheme: Origin,
    pub(super) rho_max: Origin,
}

/// Read `root`: the point, and itself with every default filled in.
pub(super) fn structure(root: &Json, stem: &str, problems: &mut Vec<Problem>) -> (Draft, Json) {
    let mut fields = Fields::new(root, "", problems);
    let draft = draft(&mut fields, stem);
    (draft, fields.finish())
}

fn draft(root: &mut Fields<'_>, stem: &str) -> Draft {
    let words = "a string, not blank, without line breaks and control characters";
    let name = root.text("name", Some(stem), words, is_name);
    let seed = root.integer("seed", Some(1), 0..=u64::MAX);
    let repeats = root.integer("repeats", Some(10), 1..=1_000_000) as u32;
    let (fabric, [link_gbps, buffer_bytes]) = root.section("fabric", fabric);
    let packet = root.section("packet", packet);
    let (load_balancing, scheme) = root.section("load_balancing", |fields| {
        (crate::lb::read(fields), fields.origin("scheme"))
    });
    let (congestion_control, rho_max) = root.section("congestion_control", |fields| {
        (congestion_control(fields), fields.origin("rho_max"))
    });
    let nic = root.section("nic", nic);
    let traffic = root.section("workload", traffic::read);
    let trigger_latency = root.nullable_decimal("trigger_latency_ns", Scale::NS, 0..=MAX_LATENCY.0);
    let horizon = root.nullable_decimal("horizon_us", Scale::US, 1..=MAX_INSTANT);
    // Both were taken out before; named here for the list of known keys.
    root.skip("extends");
    root.skip("sweep");
    let origins = Origins {
        seed: root.origin("seed"),
        trigger_latency: root.origin("trigger_latency_ns"),
        link_gbps,
        buffer_bytes,
        scheme,
        rho_max,
    };
    Draft {
        name,
        seed,
        repeats,
        fabric,
        packet,
        load_balancing,
        congestion_control,
        nic,
        traffic,
        trigger_latency: trigger_latency.map(Span),
        horizon: horizon.map(Time),
        origins,
    }
}

/// Whether `text` can name a scenario in a table.
pub(super) fn is_name(text: &str) -> bool {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    !text.trim().is_empty() && !text.chars().any(breaks)
}

fn fabric(fields: &mut Fields<'_>) -> (Fabric, [Origin; 2]) {
    fields.choice("kind", Some("fat_tree"), &[("fat_tree", ())]);
    let levels = fields.integer("levels", Some(3), 2..=3) as u8;
    let k = fields.integer("k", None, 2..=128) as u32;
    if !k.is_multiple_of(2) {
        let (below, above) = (k - 1, k + 1);
        let text = format!("{k} is odd; a fat tree needs an even k, e.g. {below} or {above}");
        fields.problem("k", text);
    }
    let gbps = Scale::GBPS;
    let fastest = 100_000 * 1_000_000_000;
    let rate = fields.decimal("link_gbps", Some(800_000_000_000), gbps, 1..=fastest);
    let latency = Span::ZERO..=MAX_LATENCY;
    let link_latency = fields.span_ns("link_latency_ns", Some(Span::from_ns(500)), latency.clone());
    let switch_latency = fields.span_ns("switch_latency_ns", Some(Span::ZERO), latency);
    let buffer_bytes = fields.nullable_integer("buffer_bytes", None, 1..=MAX_BYTES);
    let tier = Tier {
        rate: Rate::from_bits_per_sec(rate),
        latency: link_latency,
        switch_latency,
        down_buffer_bytes: buffer_bytes,
        up_buffer_bytes: buffer_bytes,
    };
    let ecn = fields.nullable_integer("ecn_threshold_bytes", Some(80_000), 0..=MAX_BYTES);
    let fabric = Fabric {
        shape: Shape::fat_tree(levels, k),
        tiers: [tier; 3],
        ecn_threshold_bytes: ecn,
    };
    let origins = [fields.origin("link_gbps"), fields.origin("buffer_bytes")];
    (fabric, origins)
}

fn packet(fields: &mut Fields<'_>) -> PacketFormat {
    let acks = [("per_packet", Acks::PerPacket), ("none", Acks::None)];
    PacketFormat {
        payload_bytes: fields.integer("payload_bytes", Some(4096), 1..=16_777_216) as u32,
        header_bytes: fields.integer("header_bytes", Some(62), 0..=65_535) as u32,
        ack_bytes: fields.integer("ack_bytes", Some(64), 1..=65_535) as u32,
        gap_bytes: fields.integer("gap_bytes", Some(20), 0..=65_535) as u32,
        acks: fields.choice("acks", Some("per_packet"), &acks),
    }
}

fn congestion_control(fields: &mut Fields<'_>) -> CongestionControl {
    fields.choice("scheme", Some("none"), &[("none", ())]);
    CongestionControl {
        load: fields.fraction("load", Ratio::ONE),
        rho_max: fields.choice("rho_max", Some("path_equal"), &RhoMaxRule::ALL),
    }
}

fn nic(fields: &mut Fields<'_>) -> Nic {
    let turns = [("class", AckTurns::Class), ("flow", AckTurns::Flow)];
    Nic {
        ack_turns: fields.choice("ack_turns", Some("class"), &turns),
    }
}
