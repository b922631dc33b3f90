//! The flows of `pairs`, and what they wait for.

use std::collections::{BTreeMap, BTreeSet};

use crate::json::element_path;
use crate::scenario::Acks;
use crate::scenario::traffic::{After, Pair};
use crate::topology::FatTree;
use crate::workload::{Activator, Dependencies, FlowEvent, FlowSpec, Target, Traffic, Trigger};

use super::Judge;

/// How many flows of a cycle are named.
const NAMED: usize = 8;

impl Judge<'_> {
    /// The flows of the list, and what they wait for.
    pub(super) fn pairs(&mut self, pairs: &[Pair]) -> Traffic {
        let hosts = self.tree().map(FatTree::hosts);
        let mut first: BTreeMap<u64, usize> = BTreeMap::new();
        let mut flows = Vec::with_capacity(pairs.len());
        for (i, pair) in pairs.iter().enumerate() {
            let path = element_path("workload.pairs", i);
            for (key, host, origin) in [
                ("src", pair.src, pair.origins[0]),
                ("dst", pair.dst, pair.origins[1]),
            ] {
                let path = format!("{path}.{key}");
                if let Some(hosts) = hosts
                    && host >= u64::from(hosts)
                    && self.sound(&[&path])
                {
                    self.problem(origin, &path, no_such_host(host, hosts));
                }
            }
            let ends = [format!("{path}.src"), format!("{path}.dst")];
            if pair.src == pair.dst && self.sound(&[&ends[0], &ends[1]]) {
                let text = format!("host {} sends to itself; allowed: another host", pair.src);
                self.problem(pair.origins[1], &format!("{path}.dst"), text);
            }
            if self.sound(&[&format!("{path}.id")])
                && let Some(other) = first.insert(pair.id, i)
            {
                let text = format!(
                    "{} is the id of pairs[{other}] too; allowed: each once",
                    pair.id
                );
                self.problem(pair.origins[2], &format!("{path}.id"), text);
            }
            flows.push(FlowSpec {
                id: pair.id,
                src: u32::try_from(pair.src).unwrap_or(0),
                dst: u32::try_from(pair.dst).unwrap_or(0),
                bytes: pair.bytes,
                start: pair.start,
            });
        }
        let dependencies = self.dependencies(pairs, &first);
        Traffic {
            flows,
            dependencies,
            mice: 0,
        }
    }

    /// What the pairs wait for, each with a trigger of its own. `places` are the indices of ids.
    fn dependencies(&mut self, pairs: &[Pair], places: &BTreeMap<u64, usize>) -> Dependencies {
        let mut dependencies = Dependencies::default();
        let before = self.problems.len();
        for (i, pair) in pairs.iter().enumerate() {
            let Some(after) = &pair.after else {
                continue;
            };
            let path = format!("{}.after", element_path("workload.pairs", i));
            self.acked(after, &path);
            let mut activators = Vec::new();
            let mut named = BTreeSet::new();
            for (j, id) in after.flows.iter().enumerate() {
                let flow = places.get(id).copied();
                let text = if flow == Some(i) {
                    format!("flow {id} waits for itself; allowed: the id of another pair")
                } else if !named.insert(id) {
                    format!("{id} stands there twice; allowed: each once")
                } else if flow.is_none() {
                    format!("no pair has the id {id}; allowed: the id of another pair")
                } else {
                    activators.extend(flow.map(|flow| Activator {
                        flow: flow as u32,
                        event: after.event,
                    }));
                    continue;
                };
                let path = element_path(&format!("{path}.flows"), j);
                self.problem(after.origins[0], &path, text);
            }
            dependencies.triggers.push(Trigger {
                targets: vec![Target {
                    flow: i as u32,
                    needs: activators.len() as u32,
                }],
                activators,
                delay: after.delay,
            });
        }
        if self.problems.len() == before && self.sound(&["workload.pairs"]) {
            self.cycles(pairs, &dependencies);
        }
        dependencies
    }

    /// Without ACKs, no flow is ever acked.
    fn acked(&mut self, after: &After, path: &str) {
        let path = format!("{path}.event");
        let deaf = self.draft.packet.acks == Acks::None && after.event == FlowEvent::Acked;
        if deaf && self.sound(&["packet.acks", &path]) {
            let text = "\"acked\" waits for ACKs, and packet.acks is \"none\"; allowed: \"received\", or \"per_packet\"";
            self.problem(after.origins[1], &path, text.to_owned());
        }
    }

    /// No flows may wait for one another.
    fn cycles(&mut self, pairs: &[Pair], dependencies: &Dependencies) {
        let Some(mut cycle) = dependencies.cycle(pairs.len()) else {
            return;
        };
        cycle.sort_unstable();
        let places: Vec<usize> = cycle.iter().map(|&flow| flow as usize).collect();
        let names: Vec<String> = places
            .iter()
            .take(NAMED)
            .map(|&i| format!("{} (pairs[{i}])", pairs[i].id))
            .collect();
        let more = match places.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = format!(
            "flows {}{more} wait for one another, so none of them starts; allowed: no cycle",
            names.join(", ")
        );
        let path = format!("{}.after.flows", element_path("workload.pairs", places[0]));
        let origin = pairs[places[0]]
            .after
            .as_ref()
            .map(|after| after.origins[0]);
        self.problem(origin.unwrap_or_default(), &path, text);
    }
}

/// The text for a host that the fabric does not have.
pub(super) fn no_such_host(host: u64, hosts: u32) -> String {
    let last = hosts - 1;
    format!("host {host} does not exist; this fabric has hosts 0 to {last}")
}
