//! Flows of a host that wait for others: triggers and re-used connections.
//!
//! When a flow is done, its host activates the triggers that count it: at once, if all flows of the trigger are at this host;
//! else by a notice to every host with targets, which is there one lookahead later and takes effect when the rest of the trigger
//! latency has passed. A host whose activations are all needed tells of them together, when the last has happened. Counting does
//! not depend on the order of notices.
//!
//! The messages of a connection are flows with consecutive numbers. Their packets carry the number of the first and count on, so
//! that to switches and path policies they are one flow; at the NIC a message takes the turn of the one before it.

use std::sync::Arc;

use super::Host;
use crate::engine::{Context, NOTICE_PORT, Outbox};
use crate::packet::{Flags, Kind, Packet};
use crate::settings::FlowEvent;
use crate::units::{Span, Time};

/// A trigger, as all hosts know it.
#[derive(Clone, Debug)]
pub struct TriggerPlan {
    /// Whether all its activators and targets are at one host.
    pub at_one_host: bool,
    /// Whether a target may start before the last activation, so that each must be told by itself.
    pub in_turn: bool,
    /// The nodes of the hosts with targets.
    pub hosts: Vec<u32>,
    /// From a host's knowing of the last activation that a target needs to its start.
    pub delay: Span,
}

/// What the triggers have to do with one host.
#[derive(Clone, Debug, Default)]
pub struct HostTriggers {
    /// All triggers of the run.
    pub plans: Arc<[TriggerPlan]>,
    /// How long a notice takes: the lookahead.
    pub latency: Span,
    /// What the host's flows activate, sorted.
    pub pulls: Vec<Pull>,
    /// Activations of each trigger by flows of this host, sorted by trigger.
    pub told: Vec<Told>,
    /// The triggers that start flows of this host, sorted by trigger.
    pub waits: Vec<Wait>,
}

/// One activation by a flow of this host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pull {
    /// Whether the host sends the flow or receives it.
    pub end: End,
    /// The local flow.
    pub flow: u32,
    /// The index in [`HostTriggers::told`].
    pub told: u32,
}

/// The host's part in a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// It sends it.
    Sender,
    /// It receives it.
    Receiver,
}

impl End {
    /// Where an event happens.
    #[must_use]
    pub fn of(event: FlowEvent) -> Self {
        match event {
            FlowEvent::Acked => Self::Sender,
            FlowEvent::Received => Self::Receiver,
        }
    }
}

/// How often flows of this host activate a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// The trigger.
    pub trigger: u32,
    /// In all.
    pub activations: u32,
    /// Those that have not happened.
    pub left: u32,
}

/// A trigger that starts flows of this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The trigger.
    pub trigger: u32,
    /// The activations that the host knows of.
    pub seen: u32,
    /// The targets here, by what they need, and those that have been started.
    pub targets: Vec<LocalTarget>,
    /// How many of the targets have been started.
    pub started: usize,
}

/// A flow of this host that a trigger starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LocalTarget {
    /// The activations that have to happen first.
    pub needs: u32,
    /// The local flow.
    pub flow: u32,
    /// It does not start before this.
    pub not_before: Time,
}

impl Wait {
    /// `activations` more are known of; `start` takes the local flows that this starts and when they may at the earliest.
    fn count(&mut self, activations: u32, mut start: impl FnMut(u32, Time)) {
        self.seen += activations;
        while let Some(target) = self.targets.get(self.started)
            && target.needs <= self.seen
        {
            self.started += 1;
            start(target.flow, target.not_before);
        }
    }
}

impl Host {
    /// Data of receiver `slot`, or of a message on its connection, has arrived: the receiver that now has all of its flow.
    #[inline]
    pub(super) fn receive_data(&mut self, slot: usize, packet: &Packet) -> Option<u32> {
        let of = self.message_of_receiver(slot, packet.psn);
        let done = self.receivers[of].receive(packet);
        done.then_some(of as u32)
    }

    /// An ACK of sender `local_flow`, or of a message on its connection, has arrived: the sender that now has all of its flow.
    #[inline]
    pub(super) fn receive_ack(&mut self, local_flow: usize, packet: &Packet) -> Option<u32> {
        let of = self.message_of_sender(local_flow as u32, packet.psn);
        let sender = &mut self.senders[of];
        sender.count_ack(packet.is_marked());
        let done = sender.acknowledged(packet.time);
        done.then_some(of as u32)
    }

    /// The message, by receiver, of the connection at `slot` that has packet `psn`.
    #[inline]
    pub(super) fn message_of_receiver(&self, slot: usize, psn: u32) -> usize {
        match self.receivers[slot].messages as usize {
            1 => slot,
            messages => {
                let of = &self.receivers[slot..slot + messages];
                slot + message_of(of, psn, |receiver| receiver.first_psn)
            }
        }
    }

    /// The message, by local flow, of connection `number` that has packet `psn`.
    #[inline]
    pub(super) fn message_of_sender(&self, number: u32, psn: u32) -> usize {
        let first = number as usize;
        match self.senders[first].messages as usize {
            1 => first,
            messages => {
                let of = &self.senders[first..first + messages];
                first + message_of(of, psn, |sender| sender.first_psn)
            }
        }
    }

    /// A flow that the host sends or receives is done at `now`: activate what counts it.
    pub(super) fn flow_is_done<O: Outbox>(
        &mut self,
        end: End,
        flow: u32,
        now: Time,
        cx: &mut Context<'_, O>,
    ) {
        let Some(triggers) = &mut self.triggers else {
            return;
        };
        let plans = Arc::clone(&triggers.plans);
        let done = (end, flow);
        let pulls = &triggers.pulls;
        let first = pulls.partition_point(|pull| (pull.end, pull.flow) < done);
        let last = pulls.partition_point(|pull| (pull.end, pull.flow) <= done);
        for pull in first..last {
            let Some(triggers) = &mut self.triggers else {
                return;
            };
            let latency = triggers.latency;
            let told = &mut triggers.told[triggers.pulls[pull].told as usize];
            told.left -= 1;
            let Told {
                trigger,
                activations,
                left,
            } = *told;
            let plan = &plans[trigger as usize];
            let activations = match (plan.in_turn, left) {
                (true, _) => 1,
                (false, 0) => activations,
                (false, _) => continue,
            };
            if plan.at_one_host {
                self.know(trigger, activations, now);
                continue;
            }
            for &host in &plan.hosts {
                cx.out
                    .notify(host, notice(trigger, activations, now + latency));
            }
        }
    }

    /// Trigger number `trigger` was activated so many times: what the host knows at `now`.
    pub(super) fn know(&mut self, trigger: u32, activations: u32, now: Time) {
        let Some(triggers) = &mut self.triggers else {
            return;
        };
        let waits = &mut triggers.waits;
        let Ok(place) = waits.binary_search_by_key(&trigger, |wait| wait.trigger) else {
            return;
        };
        let earliest = now + triggers.plans[trigger as usize].delay;
        let (starts, senders) = (&mut self.starts, &mut self.senders);
        waits[place].count(activations, |flow, not_before| {
            let start = (earliest.max(not_before), flow);
            senders[flow as usize].release = start.0;
            let place = starts.partition_point(|other| *other < start);
            starts.insert(place, start);
        });
        if self.opens() {
            self.set_timer();
        }
    }

    /// The flows that start before `at` (or at it, if `inclusive`) join the round robin, but for messages that wait for the one before.
    pub(super) fn activate_flows<O: Outbox>(
        &mut self,
        at: Time,
        inclusive: bool,
        cx: &mut Context<'_, O>,
    ) {
        while let Some(&(start, local_flow)) = self.starts.front()
            && (start < at || inclusive && start == at)
        {
            self.starts.pop_front();
            let sender = &mut self.senders[local_flow as usize];
            if sender.queued {
                sender.ready = true;
                continue;
            }
            if self.connections.is_some() {
                self.release_message(local_flow, start, cx);
                continue;
            }
            if self.unsent_flows == 0 {
                self.pacer.start(start);
            }
            self.unsent_flows += 1;
            self.nic.join(super::Class::Data(local_flow));
        }
    }

    /// The last packet of a flow is being sent: the message behind it takes its turn, if there is one that has started.
    pub(super) fn next_message(&mut self, local_flow: usize) -> Option<u32> {
        self.flows_left -= 1;
        if !self.senders[local_flow].followed {
            return None;
        }
        let next = &mut self.senders[local_flow + 1];
        next.queued = false;
        next.ready.then_some(local_flow as u32 + 1)
    }
}

fn notice(trigger: u32, activations: u32, time: Time) -> Packet {
    Packet {
        time,
        dst: 0,
        flow: trigger,
        psn: activations,
        size: 0,
        path: 0,
        ingress: NOTICE_PORT,
        kind: Kind::Notice,
        flags: Flags::NONE,
        via: [0; 2],
    }
}

/// The index of the message, of those that begin with packets `bases` of their connection, which has packet `psn`.
fn message_of<T>(messages: &[T], psn: u32, base: impl Fn(&T) -> u32) -> usize {
    messages.partition_point(|message| base(message) <= psn) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(needs: &[u32]) -> Wait {
        let target = |(flow, &needs): (u32, &u32)| LocalTarget {
            needs,
            flow,
            not_before: Time(u64::from(flow)),
        };
        Wait {
            trigger: 0,
            seen: 0,
            targets: (0..).zip(needs).map(target).collect(),
            started: 0,
        }
    }

    fn counted(wait: &mut Wait, activations: u32) -> Vec<(u32, Time)> {
        let mut started = Vec::new();
        wait.count(activations, |flow, at| started.push((flow, at)));
        started
    }

    #[test]
    fn a_barrier_starts_all_its_targets_at_the_last_activation() {
        let mut wait = wait(&[3, 3]);
        assert_eq!(counted(&mut wait, 2), []);
        assert_eq!(counted(&mut wait, 1), [(0, Time(0)), (1, Time(1))]);
        assert_eq!(counted(&mut wait, 1), []);
    }

    #[test]
    fn targets_in_turn_start_one_an_activation() {
        let mut wait = wait(&[1, 2, 4]);
        assert_eq!(counted(&mut wait, 1), [(0, Time(0))]);
        assert_eq!(counted(&mut wait, 1), [(1, Time(1))]);
        assert_eq!(counted(&mut wait, 2), [(2, Time(2))]);
    }

    #[test]
    fn a_packet_belongs_to_the_message_whose_packets_begin_last_before_it() {
        let bases = [0, 3, 4];
        let of = |psn| message_of(&bases, psn, |&base| base);
        assert_eq!([of(0), of(2), of(3), of(4), of(9)], [0, 0, 1, 2, 2]);
    }
}
