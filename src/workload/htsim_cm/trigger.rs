//! Lines of triggers, and what they and the flows' options amount to.
//!
//! Semantics of htsim's `trigger.cpp`: a `oneshot` takes exactly one activation and starts all its flows; a `multishot` starts the
//! next of its flows at each activation and ignores those that come after the last; a `barrier` starts all its flows at the last of
//! exactly `count` activations. How many activations there will be can be counted beforehand, since each flow is done once.

use std::collections::{BTreeMap, BTreeSet};

use super::error::{Errors, lines, shown};
use super::number;
use crate::units::Span;
use crate::workload::{Activator, Connection, Dependencies, FlowSpec, Message, Target, Trigger};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Oneshot,
    Multishot,
    Barrier,
}

const KINDS: [(&str, Kind); 3] = [
    ("oneshot", Kind::Oneshot),
    ("multishot", Kind::Multishot),
    ("barrier", Kind::Barrier),
];

/// One line of a trigger.
#[derive(Clone, Copy, Debug)]
struct Declared {
    line: u32,
    kind: Kind,
    count: Option<u64>,
}

/// The flows of a matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flows<'a> {
    pub(super) specs: &'a [FlowSpec],
    pub(super) lines: &'a [u32],
    /// Those without an end.
    pub(super) endless: &'a BTreeSet<u32>,
}

impl Flows<'_> {
    fn line(&self, flow: u32) -> u32 {
        self.lines[flow as usize]
    }
}

/// Triggers and the flows' ends of them, as read.
#[derive(Debug, Default)]
pub(super) struct Wiring {
    declared: BTreeMap<u64, Declared>,
    /// Flows that wait, and for which trigger, by flow.
    pub(super) targets: Vec<(u32, u64)>,
    /// What activates which trigger, by flow.
    pub(super) activators: Vec<(Activator, u64)>,
    /// The messages of each connection that has any.
    pub(super) messages: BTreeMap<u64, Vec<Message>>,
}

/// The ends of one trigger.
#[derive(Debug, Default)]
struct Ends {
    activators: Vec<Activator>,
    targets: Vec<u32>,
}

impl Wiring {
    /// Read what stands behind `trigger` on a line of its own.
    pub(super) fn read(&mut self, line: u32, words: &[&str], errors: &mut Errors) {
        let (mut id, mut count, mut kind) = (None, None, None);
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            let slot = match word {
                "id" => &mut id,
                "count" => &mut count,
                _ => {
                    let Some((_, found)) = KINDS.iter().find(|(name, _)| *name == word) else {
                        let known = KINDS.iter().map(|(name, _)| *name).chain(["id", "count"]);
                        errors.unknown(line, word, known, "a word of a trigger");
                        return;
                    };
                    if kind.replace(*found).is_some() {
                        errors.add(line, "a trigger of two kinds".to_owned());
                    }
                    continue;
                }
            };
            let value = words.next();
            match value.and_then(number::whole) {
                Some(_) if slot.is_some() => errors.add(line, format!("`{word}` twice")),
                Some(number) => *slot = Some(number),
                None => {
                    let text = format!("`{word}`: {} is no whole number", shown(value));
                    errors.add(line, text);
                    return;
                }
            }
        }
        let Some(id) = id else {
            errors.add(line, "`trigger` has no `id`".to_owned());
            return;
        };
        let Some(kind) = kind else {
            let text = format!("trigger {id} has no kind; allowed: oneshot, multishot, barrier");
            errors.add(line, text);
            return;
        };
        let text = match (kind, count) {
            (Kind::Barrier, None | Some(0)) => Some("a barrier needs a `count` of 1 or more"),
            (Kind::Oneshot | Kind::Multishot, Some(_)) => Some("only a barrier has a `count`"),
            _ => None,
        };
        if let Some(text) = text {
            errors.add(line, format!("trigger {id}: {text}"));
        }
        let declared = Declared { line, kind, count };
        if let Some(before) = self.declared.insert(id, declared) {
            let text = format!("trigger {id} is also on line {}", before.line);
            errors.add(line, text);
        }
    }

    /// What the flows wait for. What can be seen to go wrong is noted.
    pub(super) fn dependencies(self, flows: &Flows<'_>, errors: &mut Errors) -> Dependencies {
        let connections = self.connections(flows, errors);
        self.check_ids(flows, errors);
        let mut ends = self.ends(flows, errors);
        // What follows counts flows, so none may be missing.
        if !errors.is_empty() {
            return Dependencies::default();
        }
        let mut triggers = Vec::new();
        for (id, declared) in &self.declared {
            let Some(ends) = ends.remove(id) else {
                continue;
            };
            if let Some(text) = wrong(*id, declared, &ends, flows) {
                errors.add(declared.line, text);
            }
            triggers.push(trigger(declared.kind, ends));
        }
        triggers.retain(|trigger| !trigger.targets.is_empty());
        let dependencies = Dependencies {
            triggers,
            connections,
        };
        if errors.is_empty()
            && let Some(mut cycle) = dependencies.cycle(flows.specs.len())
        {
            cycle.sort_unstable();
            let of: Vec<u32> = cycle.iter().map(|&flow| flows.line(flow)).collect();
            let text = match of.len() {
                1 => "this flow waits for itself, so it never starts".to_owned(),
                _ => format!(
                    "the flows of {} wait for one another, so none of them starts",
                    lines(&of)
                ),
            };
            errors.add(of[0], text);
        }
        dependencies
    }

    /// Every trigger that a flow names must exist.
    fn check_ids(&self, flows: &Flows<'_>, errors: &mut Errors) {
        let uses = self.targets.iter().map(|&(flow, id)| (flow, id));
        let uses = uses.chain(self.activators.iter().map(|&(of, id)| (of.flow, id)));
        let unknown = uses.filter(|(_, id)| !self.declared.contains_key(id));
        let unknown: BTreeSet<(u32, u64)> = unknown.collect();
        for (flow, id) in unknown {
            let text =
                format!("trigger {id} does not exist; allowed: the `id` of a `trigger` line");
            errors.add(flows.line(flow), text);
        }
    }

    /// The flows of each trigger that has any. None of those that activate it may be without an end.
    fn ends(&self, flows: &Flows<'_>, errors: &mut Errors) -> BTreeMap<u64, Ends> {
        let mut ends: BTreeMap<u64, Ends> = BTreeMap::new();
        for &(flow, id) in &self.targets {
            ends.entry(id).or_default().targets.push(flow);
        }
        for &(activator, id) in &self.activators {
            let flow = activator.flow;
            if flows.endless.contains(&flow) {
                let text = format!("a flow without an end never activates trigger {id}");
                errors.add(flows.line(flow), text);
            }
            ends.entry(id).or_default().activators.push(activator);
        }
        ends
    }

    /// The connections that have messages, in the order of their first.
    fn connections(&self, flows: &Flows<'_>, errors: &mut Errors) -> Vec<Connection> {
        let mut connections = Vec::new();
        for messages in self.messages.values() {
            let mut numbers = BTreeMap::new();
            for message in messages {
                let line = flows.line(message.flow);
                if let Some(before) = numbers.insert(message.number, line) {
                    let number = message.number;
                    let text = format!(
                        "`msg {number}` of its connection is also on line {before}; allowed: each number once (without one, the place on the connection from 0)"
                    );
                    errors.add(line, text);
                }
            }
            for pair in messages.windows(2) {
                if flows.endless.contains(&pair[0].flow) {
                    let before = flows.line(pair[0].flow);
                    let text = format!(
                        "never sent: the message before it on its connection, on line {before}, has no end"
                    );
                    errors.add(flows.line(pair[1].flow), text);
                }
            }
            connections.push(Connection {
                messages: messages.clone(),
            });
        }
        connections.sort_by_key(|connection| connection.messages[0].flow);
        connections
    }
}

/// What is wrong with a trigger that has ends.
fn wrong(id: u64, declared: &Declared, ends: &Ends, flows: &Flows<'_>) -> Option<String> {
    let (from, to) = (ends.activators.len() as u64, ends.targets.len() as u64);
    let never = |from: u64| {
        let of: Vec<u32> = ends.targets.iter().map(|&flow| flows.line(flow)).collect();
        let of = lines(&of[(from as usize).min(of.len())..]);
        format!("never fires for the flows of {of}")
    };
    if from == 0 {
        let never = never(0);
        return Some(format!("trigger {id} {never}: no flow activates it"));
    }
    let activations = || {
        let of: Vec<u32> = ends
            .activators
            .iter()
            .map(|of| flows.line(of.flow))
            .collect();
        let s = if from == 1 { "" } else { "s" };
        format!("has {from} activation{s} ({})", lines(&of))
    };
    match declared.kind {
        Kind::Oneshot if from > 1 => Some(format!(
            "trigger {id} {}; allowed for a oneshot: exactly 1",
            activations()
        )),
        Kind::Multishot if from < to => Some(format!(
            "trigger {id} {}: it {}",
            never(from),
            activations()
        )),
        Kind::Barrier if declared.count != Some(from) => Some(format!(
            "trigger {id} {}; allowed for this barrier: exactly its `count`, {}",
            activations(),
            declared.count.unwrap_or(0)
        )),
        _ => None,
    }
}

fn trigger(kind: Kind, ends: Ends) -> Trigger {
    let all = ends.activators.len() as u32;
    let target = |(turn, flow): (u32, u32)| Target {
        flow,
        needs: match kind {
            Kind::Oneshot => 1,
            Kind::Multishot => turn,
            Kind::Barrier => all,
        },
    };
    Trigger {
        targets: (1..).zip(ends.targets).map(target).collect(),
        activators: ends.activators,
        delay: Span::ZERO,
    }
}
