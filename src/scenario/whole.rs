//! One point of a scenario, key by key, and the rules that belong to no section.

use std::sync::LazyLock;

use crate::fields::{
    Fields, Key, KeyDoc, PathDoc, Problem, Schema, Section, Text, flat, integer, keys,
    microseconds, nanoseconds, nullable, text,
};
use crate::json::{Json, Value};
use crate::settings::limits::{LATENCY, MAX_INSTANT};
use crate::settings::{Acks, CongestionControl, Fabric, Imperfection, Nic, PacketFormat};
use crate::units::{Span, Time};

use super::fabric::FabricKeys;
use super::failures::FailuresKeys;
use super::judge::Judge;
use super::load_balancing::LoadBalancing;
use super::transport::TransportKeys;
use super::workload::WorkloadKeys;

keys! {
    /// One point, but for its name. Where a problem was noted, a stand-in is in place of something wrong.
    #[derive(Debug)]
    pub(super) struct Whole {
        /// Seed of a point's first run; the next repeats have seed + 1, seed + 2, ...
        pub(super) seed: u64 = key("seed", integer(0..=u64::MAX), default = 1, limits = "seed and repeats together below 2^64"),
        /// How often every point runs
        pub(super) repeats: u32 = key("repeats", integer(1..=1_000_000), default = 10),
        /// Switches and links
        pub(super) fabric: FabricKeys = section("fabric"),
        /// What fails
        pub(super) failures: FailuresKeys = section("failures"),
        /// Frames
        pub(super) packet: PacketFormat = section("packet"),
        /// How packets are spread over paths
        pub(super) load_balancing: LoadBalancing = section("load_balancing"),
        /// How hosts recover what is lost
        pub(super) transport: TransportKeys = section("transport"),
        /// What limits the bytes in flight, and the pace
        pub(super) congestion_control: CongestionControl = section("congestion_control"),
        /// Host interfaces
        pub(super) nic: Nic = section("nic"),
        /// Traffic
        pub(super) workload: WorkloadKeys = section("workload"),
        /// What keeps hosts and switches from lockstep
        pub(super) imperfection: Imperfection = section("imperfection"),
        /// From the last event that a flow waits for to its start; null: the link latency. 0 where all that a trigger waits for and starts
        /// happens at one host
        pub(super) trigger_latency: Option<Span> =
            key("trigger_latency_ns", nullable(nanoseconds(LATENCY)), default = None, limits = "at least the link latency"),
        /// The run stops after the events of this instant; null: when all flows have finished
        pub(super) horizon: Option<Time> = key("horizon_us", nullable(microseconds(1..=MAX_INSTANT)), default = None),
    }
}

/// What a name may be.
const NAME: Text = text(
    "a string, not blank, without line breaks and control characters",
    is_name,
);

/// Whether `text` can name a scenario in a table.
pub(super) fn is_name(text: &str) -> bool {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    !text.trim().is_empty() && !text.chars().any(breaks)
}

/// Read `root`: the point with its name, and itself with every default filled in. `stem` is its name by default.
pub(super) fn structure(
    root: &Json,
    stem: &str,
    problems: &mut Vec<Problem>,
) -> (Whole, String, Json) {
    let mut fields = Fields::new(root, "", problems);
    let name = fields.take(Key::new("name", NAME, Some(stem.to_owned())));
    let whole = Whole::read(&mut fields, None);
    // Both were taken out before; named here for the list of known keys.
    fields.skip("extends");
    fields.skip("sweep");
    (whole, name, fields.finish())
}

/// Every key of a scenario with its path, in the order of the effective scenario. A scheme's parameters stand beside its name and are
/// documented with it.
#[must_use]
pub fn keys() -> &'static [PathDoc] {
    static KEYS: LazyLock<Vec<PathDoc>> = LazyLock::new(|| {
        let all = keys_and_sections().iter();
        all.filter(|doc| !doc.key.is_section()).cloned().collect()
    });
    &KEYS
}

/// The same with the objects that are always there.
#[must_use]
pub fn keys_and_sections() -> &'static [PathDoc] {
    static ALL: LazyLock<Vec<PathDoc>> = LazyLock::new(|| flat("", &declared()));
    &ALL
}

/// The keys at the top.
fn declared() -> Vec<KeyDoc> {
    let extends = "Files whose keys this one shares: deep merge, the later win, this file wins over all; another scheme or kind replaces its object";
    let sweep = "Cross product over any keys but repeats: file order, first key slowest";
    let name = "Name of the scenario in every table";
    let mut keys = vec![
        KeyDoc::of(
            "extends",
            extends,
            Schema::Other("a path, or a list of paths"),
            Some(Value::List(Vec::new())),
        ),
        KeyDoc {
            unset: "the file's name without its ending",
            sample: Some("\"n\""),
            ..KeyDoc::new("name", name, &NAME, None)
        },
    ];
    keys.extend(Whole::keys(None));
    let lists = Schema::Other("null, or an object of paths to lists of values");
    keys.push(KeyDoc::of("sweep", sweep, lists, Some(Value::Null)));
    keys
}

impl Judge<'_> {
    pub(super) fn seeds(&mut self) {
        if !self.sound(&["seed", "repeats"]) {
            return;
        }
        let (seed, repeats) = (self.keys.seed, self.keys.repeats);
        if seed.checked_add(u64::from(repeats)).is_none() {
            let last = u64::MAX - u64::from(repeats);
            let text = format!(
                "{seed} is out of range; allowed: an integer from 0 to {last}, as {repeats} repeats take the seeds from it up"
            );
            self.problem("seed", text);
        }
    }

    pub(super) fn feedback(&mut self) {
        let keys = self.keys;
        let deaf = keys.packet.acks == Acks::None && keys.load_balancing.scheme.needs_acks();
        if deaf && self.sound(&["load_balancing.scheme", "packet.acks"]) {
            let text = format!(
                "scheme \"{}\" lives on ACKs, and packet.acks is \"none\"; allowed: another scheme, or \"per_packet\"",
                keys.load_balancing.scheme.name
            );
            self.problem("load_balancing.scheme", text);
        }
    }

    pub(super) fn latencies(&mut self) {
        let keys = self.keys;
        let Some(link) = self.fabric.map(Fabric::shortest_latency) else {
            return;
        };
        let of = if keys.fabric.is_file() {
            "the shortest latency of the topology file"
        } else {
            "fabric.link_latency_ns"
        };
        let sound = self.sound(&["trigger_latency_ns", "fabric.link_latency_ns"]);
        match keys.trigger_latency {
            Some(latency) if sound && latency < link => {
                let text = format!(
                    "{} ns is below {of}; allowed: null, or at least {} ns",
                    latency.as_ns(),
                    link.as_ns()
                );
                self.problem("trigger_latency_ns", text);
            }
            _ => {}
        }
    }
}
