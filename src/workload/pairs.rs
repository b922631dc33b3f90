//! Flows that the scenario lists, and what they wait for: each with a trigger of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Draft, Site, no_such_host};
use crate::fields::{
    Fields, Key, KeyDoc, Place, Schema, Section, Shape, Size, choice, integer, keys, list, named,
    nanoseconds, nullable, object, told,
};
use crate::json::{Json, Value, element_path};
use crate::settings::limits::{MAX_BYTES, MAX_INSTANT};
use crate::settings::{
    Acks, Activator, Demand, Dependencies, FlowEvent, FlowSpec, Generator, Shape as TreeShape,
    Target, Traffic, Trigger,
};
use crate::topology::FatTree;
use crate::units::{Span, Time};

/// What users read about it.
pub const ABOUT: &str =
    "The flows listed in the scenario; one may start when others are done (`after`).";

/// Where the scenario lists them.
const PAIRS: &str = "workload.pairs";

/// What a flow may wait for.
const IDS: &str = "a list of at least one id of another pair, each once";

/// How many flows of a cycle are named.
const NAMED: usize = 8;

keys! {
    /// The list.
    #[derive(Clone, Debug)]
    pub struct PairsKeys {
        /// The flows
        pub pairs: Vec<Pair> = key("pairs", PairList,
            sample = r#"[{"src": 1, "dst": 2, "bytes": 5}, {"src": 2, "dst": 1, "bytes": 5}]"#),
    }
}

/// One flow of the list.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Its number.
    pub id: u64,
    /// The rest of it.
    pub flow: FlowKeys,
}

keys! {
    /// A flow of the list but for its number.
    #[derive(Clone, Debug)]
    pub struct FlowKeys {
        /// Sending host, from 0
        pub src: u64 = key("src", named("a host", integer(0..=u64::MAX)), sample = "1"),
        /// Receiving host, from 0
        pub dst: u64 = key("dst", named("another host", integer(0..=u64::MAX)), sample = "2"),
        /// Payload of the flow
        pub bytes: u64 = key("bytes", integer(1..=MAX_BYTES), limits = "at most 2^32 - 1 packets"),
        /// When the flow starts; start jitter comes on top. With `after`: the earliest instant, without jitter
        pub start: Time = key("start_ns", nanoseconds(0..=MAX_INSTANT), default = Time::ZERO),
        /// The flow starts when others are done
        pub after: Option<After> = key("after", nullable(object()), default = None),
    }
}

keys! {
    /// What a flow waits for.
    #[derive(Clone, Debug)]
    pub struct After {
        /// The flows that must all be done first; no cycles
        pub flows: Vec<u64> = key("flows", named(IDS, told(IDS, list(integer(0..=u64::MAX)))), sample = "[1]"),
        /// When a flow is done: its sender has all ACKs, or its receiver has all data
        pub event: FlowEvent = key("event", choice(), default = FlowEvent::Acked),
        /// From the last of them to the start, on top of `trigger_latency_ns`; e.g. time to compute
        pub delay: Span = key("delay_ns", nanoseconds(0..=MAX_INSTANT), default = Span::ZERO),
    }
    check After::waits;
}

impl After {
    /// There is something to wait for.
    fn waits(&self, fields: &mut Fields<'_>) {
        if self.flows.is_empty() {
            let text =
                "there is no flow to wait for; allowed: a list of at least one id of another pair";
            fields.problem("flows", text.to_owned());
        }
    }
}

/// A list of at least one flow; the number of each is by default its place.
#[derive(Clone, Copy, Debug)]
struct PairList;

impl Shape for PairList {
    type Value = Vec<Pair>;

    fn schema(&self) -> Schema {
        let about = "Number of the flow in tables";
        let mut id = KeyDoc::new::<u64, _>("id", about, &integer(0..=u64::MAX), None);
        id.unset = "its index";
        id.limits = "each once";
        id.sample = Some("7");
        let mut keys = vec![id];
        keys.extend(FlowKeys::keys(None));
        Schema::List(Box::new(Schema::Object(keys)), Size::Some)
    }

    fn read(&self, json: &Json, place: &mut Place<'_>) -> Option<(Vec<Pair>, Json)> {
        let elements = place.elements(json, Size::Some)?;
        let (mut pairs, mut objects) = (
            Vec::with_capacity(elements.len()),
            Vec::with_capacity(elements.len()),
        );
        for (index, element) in elements.iter().enumerate() {
            let mut fields =
                Fields::new(element, &element_path(&place.path, index), place.problems);
            let id = fields.take(Key::new("id", integer(0..=u64::MAX), Some(index as u64)));
            let flow = FlowKeys::read(&mut fields, None);
            pairs.push(Pair { id, flow });
            objects.push(fields.finish());
        }
        Some((pairs, Json::new(Value::List(objects), json.origin)))
    }

    fn write(&self, _value: &Vec<Pair>) -> Value {
        Value::List(Vec::new())
    }

    fn stand_in(&self) -> Vec<Pair> {
        Vec::new()
    }
}

/// Flows that a scenario lists, checked.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// They, and what they wait for.
    pub traffic: Traffic,
}

impl Generator for Pairs {
    fn traffic(&self, _shape: TreeShape, _seed: u64) -> Traffic {
        self.traffic.clone()
    }

    fn demand(&self, _shape: Option<TreeShape>, payload_bytes: u32) -> Demand {
        let bytes = |place| {
            (
                format!("{}.bytes", element_path(PAIRS, place)),
                String::new(),
            )
        };
        Demand::of(&self.traffic, PAIRS, payload_bytes, bytes)
    }
}

impl Draft for PairsKeys {
    fn check(&self, site: &mut Site<'_>) -> Option<Arc<dyn Generator>> {
        let hosts = site.tree.map(FatTree::hosts);
        let mut places: BTreeMap<u64, usize> = BTreeMap::new();
        let mut flows = Vec::with_capacity(self.pairs.len());
        for (i, Pair { id, flow }) in self.pairs.iter().enumerate() {
            let at = |key: &str| format!("{}.{key}", element_path(PAIRS, i));
            for (key, host) in [("src", flow.src), ("dst", flow.dst)] {
                if let Some(hosts) = hosts.filter(|&hosts| host >= u64::from(hosts))
                    && site.sound(&[&at(key)])
                {
                    site.problem(at(key), no_such_host(host, hosts));
                }
            }
            if flow.src == flow.dst && site.sound(&[&at("src"), &at("dst")]) {
                site.problem(
                    at("dst"),
                    format!("host {} sends to itself; allowed: another host", flow.src),
                );
            }
            if let Some(other) = places.get(id).copied().filter(|_| site.sound(&[&at("id")])) {
                site.problem(
                    at("id"),
                    format!("{id} is the id of pairs[{other}] too; allowed: each once"),
                );
            }
            places.insert(*id, i);
            flows.push(FlowSpec {
                id: *id,
                src: u32::try_from(flow.src).unwrap_or(0),
                dst: u32::try_from(flow.dst).unwrap_or(0),
                bytes: flow.bytes,
                start: flow.start,
            });
        }
        let dependencies = self.dependencies(site, &places);
        let traffic = Traffic {
            flows,
            dependencies,
            mice: 0,
        };
        Some(Arc::new(Pairs { traffic }))
    }
}

impl PairsKeys {
    /// What the pairs wait for. `places` are the indices of ids.
    fn dependencies(&self, site: &mut Site<'_>, places: &BTreeMap<u64, usize>) -> Dependencies {
        let mut dependencies = Dependencies::default();
        let before = site.wrong.len();
        for (i, pair) in self.pairs.iter().enumerate() {
            let Some(after) = &pair.flow.after else {
                continue;
            };
            let path = format!("{}.after", element_path(PAIRS, i));
            acked(site, after, &path);
            let mut activators = Vec::new();
            let mut named = BTreeSet::new();
            for (j, id) in after.flows.iter().enumerate() {
                let flow = places.get(id).copied();
                let text = if flow == Some(i) {
                    format!("flow {id} waits for itself; allowed: the id of another pair")
                } else if !named.insert(id) {
                    format!("{id} stands there twice; allowed: each once")
                } else if let Some(flow) = flow {
                    let (flow, event) = (flow as u32, after.event);
                    activators.push(Activator { flow, event });
                    continue;
                } else {
                    format!("no pair has the id {id}; allowed: the id of another pair")
                };
                site.problem(element_path(&format!("{path}.flows"), j), text);
            }
            let target = Target {
                flow: i as u32,
                needs: activators.len() as u32,
            };
            dependencies.triggers.push(Trigger {
                targets: vec![target],
                activators,
                delay: after.delay,
            });
        }
        if site.wrong.len() == before && site.sound(&[PAIRS]) {
            self.cycles(site, &dependencies);
        }
        dependencies
    }

    /// No flows may wait for one another.
    fn cycles(&self, site: &mut Site<'_>, dependencies: &Dependencies) {
        let Some(mut cycle) = dependencies.cycle(self.pairs.len()) else {
            return;
        };
        cycle.sort_unstable();
        let places: Vec<usize> = cycle.iter().map(|&flow| flow as usize).collect();
        let named = places.iter().take(NAMED);
        let names: Vec<String> = named
            .map(|&i| format!("{} (pairs[{i}])", self.pairs[i].id))
            .collect();
        let more = match places.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = names.join(", ");
        let text = format!(
            "flows {names}{more} wait for one another, so none of them starts; allowed: no cycle"
        );
        site.problem(
            format!("{}.after.flows", element_path(PAIRS, places[0])),
            text,
        );
    }
}

/// Without ACKs, no flow is ever acked.
fn acked(site: &mut Site<'_>, after: &After, path: &str) {
    let path = format!("{path}.event");
    let is_deaf = site.acks == Some(Acks::None) && after.event == FlowEvent::Acked;
    if is_deaf && site.sound(&[&path]) {
        let text = "\"acked\" waits for ACKs, and packet.acks is \"none\"; allowed: \"received\", or \"per_packet\"";
        site.problem(path, text);
    }
}
