//! One point of a scenario: types, ranges and defaults of every key.
//!
//! What takes several keys to judge is judged in `cross`, which gets the [`Draft`] made here.

use crate::cc;
use crate::fields::{Fields, Problem, Scale};
use crate::json::{Json, Origin};
use crate::lb::Scheme;
use crate::units::{Drift, Ratio, Span, Time};

use super::fabric::{self, FabricDraft};
use super::failures::{self, FailuresDraft};
use super::mixed::{self, DeploymentDraft};
use super::traffic::{self, TrafficDraft};
use super::transport::{self, TransportDraft};
use super::{
    AckTurns, Acks, CongestionControl, Imperfection, Nic, PacketFormat, RhoMaxRule, TieBreak,
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
    pub(super) fabric: FabricDraft,
    pub(super) failures: FailuresDraft,
    pub(super) packet: PacketFormat,
    pub(super) load_balancing: Scheme,
    pub(super) deployments: Vec<DeploymentDraft>,
    pub(super) transport: TransportDraft,
    pub(super) congestion_control: CongestionControl,
    pub(super) nic: Nic,
    pub(super) traffic: TrafficDraft,
    pub(super) imperfection: Imperfection,
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
    pub(super) scheme: Origin,
    pub(super) overrides: Origin,
    pub(super) controller: Origin,
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
    let fabric = root.section("fabric", fabric::read);
    let failures = root.section("failures", failures::read);
    let packet = root.section("packet", packet);
    let (load_balancing, deployments, [scheme, overrides]) =
        root.section("load_balancing", |fields| {
            let read = (crate::lb::read(fields), mixed::read(fields));
            let origins = ["scheme", mixed::KEY].map(|key| fields.origin(key));
            (read.0, read.1, origins)
        });
    let transport = root.section("transport", transport::read);
    let (congestion_control, [controller, rho_max]) =
        root.section("congestion_control", |fields| {
            let origins = ["scheme", "rho_max"].map(|key| fields.origin(key));
            (congestion_control(fields), origins)
        });
    let nic = root.section("nic", nic);
    let traffic = root.section("workload", traffic::read);
    let imperfection = root.section("imperfection", imperfection);
    let trigger_latency = root.nullable_decimal("trigger_latency_ns", Scale::NS, 0..=MAX_LATENCY.0);
    let horizon = root.nullable_decimal("horizon_us", Scale::US, 1..=MAX_INSTANT);
    // Both were taken out before; named here for the list of known keys.
    root.skip("extends");
    root.skip("sweep");
    let origins = Origins {
        seed: root.origin("seed"),
        trigger_latency: root.origin("trigger_latency_ns"),
        scheme,
        overrides,
        controller,
        rho_max,
    };
    Draft {
        name,
        seed,
        repeats,
        fabric,
        failures,
        packet,
        load_balancing,
        deployments,
        transport,
        congestion_control,
        nic,
        traffic,
        imperfection,
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
    CongestionControl {
        controller: cc::read(fields),
        load: fields.fraction("load", Some(Ratio::ONE)),
        rho_max: fields.choice("rho_max", Some("path_equal"), &RhoMaxRule::ALL),
    }
}

fn nic(fields: &mut Fields<'_>) -> Nic {
    let turns = [("class", AckTurns::Class), ("flow", AckTurns::Flow)];
    Nic {
        ack_turns: fields.choice("ack_turns", Some("class"), &turns),
        control_per_data: fields.integer("control_per_data", Some(1), 1..=1_000) as u32,
    }
}

fn imperfection(fields: &mut Fields<'_>) -> Imperfection {
    let most = 1_000 * 1_000_000;
    let ties = [
        ("ingress_port", TieBreak::IngressPort),
        ("random", TieBreak::Random),
    ];
    Imperfection {
        clock_skew: Drift(fields.decimal("clock_skew_ppm", Some(0), Scale::PPM, 0..=most)),
        switch_jitter: fields.span_ns(
            "switch_jitter_ns",
            Some(Span::ZERO),
            Span::ZERO..=MAX_LATENCY,
        ),
        tie_break: fields.choice("tie_break", Some("ingress_port"), &ties),
    }
}
