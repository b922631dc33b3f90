//! Flows that wait for others: triggers, and messages that queue on a re-used connection.

use spraysim::units::{Span, Time};
use spraysim::workload::{Dependencies, FlowEvent, FlowSpec, Trigger};

use super::events::Event;
use super::world::World;

/// Which flow goes ahead of which: by source, and the messages of a connection where its first one stands. Positions in the workload.
pub(crate) fn order(specs: &[FlowSpec], dependencies: &Dependencies) -> Vec<usize> {
    let stands_at =
        |position: usize| connection_of(position, dependencies).map_or(position, |c| c[0]);
    let mut order: Vec<usize> = (0..specs.len()).collect();
    order.sort_by_key(|position| (specs[*position].src, stands_at(*position), *position));
    order
}

/// The positions of the messages of the connection that the flow at `position` is on.
pub(crate) fn connection_of(position: usize, dependencies: &Dependencies) -> Option<Vec<usize>> {
    let mut connections = dependencies.connections.iter().map(|connection| {
        let messages = connection.messages.iter();
        messages.map(|m| m.flow as usize).collect::<Vec<usize>>()
    });
    connections.find(|messages| messages.contains(&position))
}

/// The trigger that starts the flow at `position`.
pub(crate) fn trigger_of(position: usize, dependencies: &Dependencies) -> Option<usize> {
    let starts = |t: &Trigger| {
        t.targets
            .iter()
            .any(|target| target.flow as usize == position)
    };
    dependencies.triggers.iter().position(starts)
}

impl World<'_> {
    /// A flow is acked or received: activate what counts that.
    pub(crate) fn fire(&mut self, now: Time, flow: usize, event: FlowEvent) {
        let position = self.flows[flow].position;
        for number in 0..self.dependencies.triggers.len() {
            let trigger = &self.dependencies.triggers[number];
            let activators = trigger.activators.iter();
            let times = activators.filter(|a| a.flow as usize == position && a.event == event);
            let times = times.count();
            let local = self.is_local(trigger);
            for _ in 0..times {
                if local {
                    self.activated(now, number);
                } else {
                    let at = now + self.scenario.fabric.shortest_latency();
                    self.agenda.add(at, Event::Notice { trigger: number });
                }
            }
        }
    }

    /// The targets know of one activation more.
    pub(crate) fn activated(&mut self, now: Time, number: usize) {
        self.activations[number] += 1;
        let trigger = &self.dependencies.triggers[number];
        let known_after = if self.is_local(trigger) {
            Span::ZERO
        } else {
            let latency = self.scenario.fabric.shortest_latency();
            let all = self.scenario.trigger_latency.unwrap_or(latency);
            Span(all.0 - latency.0)
        };
        let at = now + known_after + trigger.delay;
        for target in &trigger.targets {
            if target.needs == self.activations[number] {
                let is_target = |f: &super::flows::Flow| f.position == target.flow as usize;
                let flow = self.flows.iter().position(is_target).expect("a flow");
                let at = at.max(self.flows[flow].not_before);
                self.agenda.add(at, Event::Activate { flow });
            }
        }
    }

    /// Whether everything of a trigger happens at one host.
    fn is_local(&self, trigger: &Trigger) -> bool {
        let at = |position: u32| {
            let mut flows = self.flows.iter();
            flows
                .find(|f| f.position == position as usize)
                .expect("a flow")
        };
        let mut hosts: Vec<usize> = trigger.targets.iter().map(|t| at(t.flow).src).collect();
        hosts.extend(trigger.activators.iter().map(|a| match a.event {
            FlowEvent::Acked => at(a.flow).src,
            FlowEvent::Received => at(a.flow).dst,
        }));
        hosts.sort_unstable();
        hosts.dedup();
        hosts.len() == 1
    }

    /// The message that packet `psn` of connection `first` belongs to.
    pub(crate) fn message_of(&self, first: usize, psn: u32) -> usize {
        let mut message = first;
        while let Some(behind) = self.flows[message].behind
            && self.flows[behind].base <= psn
        {
            message = behind;
        }
        message
    }

    /// The last packet of `flow` is being sent: the message behind it that now goes on in its place, if that has started.
    pub(crate) fn hand_over(&mut self, flow: usize) -> Option<usize> {
        let behind = self.flows[flow].behind?;
        self.flows[behind].queued = false;
        self.flows[behind].ready.then_some(behind)
    }
}
