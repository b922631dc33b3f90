//! What flows wait for beside their starts: triggers, and the messages before them on a connection.
//!
//! A trigger counts activations: a flow whose sender has every ACK, or whose receiver has all data. A target starts when as many
//! have happened as it needs. So htsim's kinds are counts: all targets of a `oneshot` need 1 and those of a `barrier` all of them,
//! and the targets of a `multishot` need 1, 2, 3, ... in their order. The order of activations at one instant never matters.

use super::FlowSpec;
use crate::fields::words;
use crate::units::Span;

/// What a run simulates: flows, and what they wait for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The flows, in the workload's order: the collective, then the mice.
    pub flows: Vec<FlowSpec>,
    /// What they wait for.
    pub dependencies: Dependencies,
    /// How many of the last flows are mice: messages beside the collective, which wait for nothing.
    pub mice: usize,
}

/// What a flow belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowClass {
    /// The collective, which the completion time is that of.
    Collective,
    /// The mice beside it.
    Mouse,
}

impl From<Vec<FlowSpec>> for Traffic {
    fn from(flows: Vec<FlowSpec>) -> Self {
        Self {
            flows,
            ..Self::default()
        }
    }
}

impl Traffic {
    /// The flows of the collective: all but the mice.
    #[must_use]
    pub fn collective(&self) -> &[FlowSpec] {
        &self.flows[..self.flows.len() - self.mice]
    }

    /// What the flow of this index belongs to.
    #[must_use]
    pub fn class(&self, flow: usize) -> FlowClass {
        if flow < self.collective().len() {
            FlowClass::Collective
        } else {
            FlowClass::Mouse
        }
    }

    /// The host at which an activation happens.
    #[must_use]
    pub fn host_of(&self, activator: Activator) -> u32 {
        let flow = &self.flows[activator.flow as usize];
        match activator.event {
            FlowEvent::Acked => flow.src,
            FlowEvent::Received => flow.dst,
        }
    }

    /// Whether all activations and targets of `trigger` are at one host: then it has no latency.
    #[must_use]
    pub fn is_at_one_host(&self, trigger: &Trigger) -> bool {
        let from = trigger.activators.iter();
        let from = from.map(|&activator| self.host_of(activator));
        let to = trigger.targets.iter();
        let mut hosts = from.chain(to.map(|target| self.flows[target.flow as usize].src));
        let first = hosts.next();
        hosts.all(|host| Some(host) == first)
    }
}

/// What flows wait for. Flows are named by their index in the workload; each is a target of at most one trigger, and a message of at
/// most one connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Triggers.
    pub triggers: Vec<Trigger>,
    /// Connections that several messages share.
    pub connections: Vec<Connection>,
}

/// Flows that start when others are done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trigger {
    /// What it counts.
    pub activators: Vec<Activator>,
    /// What it starts, by what each needs.
    pub targets: Vec<Target>,
    /// From the last activation that a target needs to its start, on top of the trigger latency.
    pub delay: Span,
}

impl Trigger {
    /// The targets that start at activation number `count`, from 1.
    #[must_use]
    pub fn started_by(&self, count: u32) -> &[Target] {
        let first = self.targets.partition_point(|target| target.needs < count);
        let end = self.targets.partition_point(|target| target.needs <= count);
        &self.targets[first..end]
    }
}

/// One activation of a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activator {
    /// The flow.
    pub flow: u32,
    /// What has to happen to it.
    pub event: FlowEvent,
}

words! {
    /// What may happen to a flow, once.
    pub enum FlowEvent {
        /// Its sender has the ACKs of all its packets.
        Acked = "acked",
        /// Its receiver has all its packets.
        Received = "received",
    }
}

/// A flow that a trigger starts: not before its own [`FlowSpec::start`], and without start jitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The flow.
    pub flow: u32,
    /// The activations that have to happen first, at least 1.
    pub needs: u32,
}

/// Flows from one host to another that share a connection: each is sent when all of the one before has been.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// The messages in the order of sending, which is that of the workload.
    pub messages: Vec<Message>,
}

/// A flow on a re-used connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The flow.
    pub flow: u32,
    /// Its number on the connection, as the input has it.
    pub number: u64,
}

/// No flow, or no trigger.
const NONE: u32 = u32::MAX;

impl Dependencies {
    /// Whether no flow waits for another.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.triggers.is_empty() && self.connections.is_empty()
    }

    /// For each of `flows` flows, the trigger that starts it and the activations that it needs.
    fn waits(&self, flows: usize) -> Vec<(u32, u32)> {
        let mut waits = vec![(NONE, 0); flows];
        for (trigger, number) in self.triggers.iter().zip(0..) {
            for target in &trigger.targets {
                waits[target.flow as usize] = (number, target.needs);
            }
        }
        waits
    }

    /// For each of `flows` flows, the message before it on its connection.
    fn before(&self, flows: usize) -> Vec<u32> {
        let mut before = vec![NONE; flows];
        for connection in &self.connections {
            for pair in connection.messages.windows(2) {
                before[pair[1].flow as usize] = pair[0].flow;
            }
        }
        before
    }

    /// Flows of which each waits for the next, and the last for the first; `None` if all of `flows` flows can be done. A trigger with
    /// too few activators is no cycle.
    #[must_use]
    pub fn cycle(&self, flows: usize) -> Option<Vec<u32>> {
        let (waits, before) = (self.waits(flows), self.before(flows));
        let done = self.reachable(&waits, &before);
        let waits_for = |flow: u32| {
            let (trigger, _) = waits[flow as usize];
            let activators = self.triggers.get(trigger as usize);
            let activators = activators
                .into_iter()
                .flat_map(|trigger| &trigger.activators);
            let mut others = activators.map(|activator| activator.flow);
            let other = others.find(|&other| !done[other as usize]);
            let queued = Some(before[flow as usize]).filter(|&flow| flow != NONE);
            other.or_else(|| queued.filter(|&other| !done[other as usize]))
        };
        let mut met = vec![NONE; flows];
        for start in (0..flows as u32).filter(|&flow| !done[flow as usize]) {
            let mut walk = Vec::new();
            let mut flow = start;
            while met[flow as usize] == NONE {
                met[flow as usize] = start;
                walk.push(flow);
                let Some(next) = waits_for(flow) else {
                    break;
                };
                flow = next;
                if met[flow as usize] == start {
                    let first = walk.iter().position(|&other| other == flow);
                    return first.map(|first| walk.split_off(first));
                }
            }
        }
        None
    }

    /// Which flows get done, if every one that starts does.
    fn reachable(&self, waits: &[(u32, u32)], before: &[u32]) -> Vec<bool> {
        let flows = waits.len();
        let mut activates: Vec<Vec<u32>> = vec![Vec::new(); flows];
        for (trigger, number) in self.triggers.iter().zip(0..) {
            for activator in &trigger.activators {
                activates[activator.flow as usize].push(number);
            }
        }
        let mut after = vec![NONE; flows];
        for (flow, &before) in (0..).zip(before) {
            if before != NONE {
                after[before as usize] = flow;
            }
        }
        let mut counts = vec![0; self.triggers.len()];
        let mut done = vec![false; flows];
        let mut next: Vec<u32> = (0..flows as u32).collect();
        while let Some(flow) = next.pop() {
            let (trigger, needs) = waits[flow as usize];
            let started = trigger == NONE || counts[trigger as usize] >= needs;
            let queued = before[flow as usize];
            let waits = queued != NONE && !done[queued as usize];
            if !started || waits || std::mem::replace(&mut done[flow as usize], true) {
                continue;
            }
            next.extend(Some(after[flow as usize]).filter(|&flow| flow != NONE));
            for &trigger in &activates[flow as usize] {
                counts[trigger as usize] += 1;
                let ready = self.triggers[trigger as usize].started_by(counts[trigger as usize]);
                next.extend(ready.iter().map(|target| target.flow));
            }
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A trigger from flows that are acked to flows, each with what it needs.
    fn trigger(from: &[u32], to: &[(u32, u32)]) -> Trigger {
        let event = FlowEvent::Acked;
        let activator = |&flow: &u32| Activator { flow, event };
        let target = |&(flow, needs): &(u32, u32)| Target { flow, needs };
        Trigger {
            activators: from.iter().map(activator).collect(),
            targets: to.iter().map(target).collect(),
            delay: Span::ZERO,
        }
    }

    fn cycle(flows: usize, triggers: &[Trigger], messages: &[u32]) -> Option<Vec<u32>> {
        let message = |&flow: &u32| Message {
            flow,
            number: flow.into(),
        };
        let messages = messages.iter().map(message).collect();
        let dependencies = Dependencies {
            triggers: triggers.to_vec(),
            connections: vec![Connection { messages }],
        };
        dependencies.cycle(flows)
    }

    #[test]
    fn a_chain_and_a_barrier_are_no_cycles() {
        let chain = [trigger(&[2], &[(1, 1)]), trigger(&[1], &[(0, 1)])];
        assert_eq!(cycle(3, &chain, &[]), None);
        assert_eq!(cycle(3, &[trigger(&[0, 1], &[(2, 2)])], &[]), None);
    }

    #[test]
    fn flows_that_wait_for_one_another_are_a_cycle_and_those_behind_it_are_not_named() {
        let ring = [
            trigger(&[2], &[(1, 1)]),
            trigger(&[1], &[(2, 1)]),
            trigger(&[1], &[(0, 1)]),
        ];
        assert_eq!(cycle(3, &ring, &[]), Some(vec![1, 2]));
        assert_eq!(cycle(1, &[trigger(&[0], &[(0, 1)])], &[]), Some(vec![0]));
    }

    #[test]
    fn a_multishot_trigger_may_pass_a_turn_along_its_own_targets() {
        let relay = trigger(&[0, 1, 2], &[(1, 1), (2, 2)]);
        assert_eq!(cycle(3, &[relay], &[]), None);
        let stuck = trigger(&[1, 2], &[(1, 1), (2, 2)]);
        assert_eq!(cycle(3, &[stuck], &[]), Some(vec![1]));
    }

    #[test]
    fn a_message_that_starts_the_one_before_it_is_a_cycle() {
        let early = [trigger(&[1], &[(0, 1)])];
        assert_eq!(cycle(2, &early, &[0, 1]), Some(vec![0, 1]));
        assert_eq!(cycle(2, &[trigger(&[0], &[(1, 1)])], &[0, 1]), None);
    }

    #[test]
    fn a_trigger_with_too_few_activators_is_no_cycle() {
        assert_eq!(cycle(2, &[trigger(&[0], &[(1, 2)])], &[]), None);
    }
}
