//! A host: senders, receivers and the NIC between them and the wire.
//!
//! Without a transport the host is a paced source and nothing is sent again; with one (`reliable`, `recovery`) it is a set of connections
//! that recover what is lost. Not modelled: PCIe, memory, the application.

mod clock;
mod closing;
mod connections;
mod dependencies;
mod nic;
mod observed;
mod opening;
mod pacer;
mod parts;
mod receiver;
mod receiving;
mod recovery;
mod reliable;
mod sender;
mod sending;
mod trace;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::engine::{Arrivals, Context, Outbox, TIMER_HOST};
use crate::lb::host::{Feedback, HostPolicy, Outcome, PathPolicy};
use crate::packet::{Kind, Packet};
use crate::probe::Tally;
use crate::rng::Rng;
use crate::settings::Acks;
use crate::units::Time;

pub use dependencies::{End, HostTriggers, LocalTarget, Pull, Told, TriggerPlan, Wait};
pub use nic::NicStats;
pub use observed::{RttStats, WindowStats};
pub use pacer::{Pacer, PacerSettings};
pub use parts::{HostFlows, HostSettings, Peer, Plug};
pub use receiver::{Receiver, Reordering};
pub use reliable::{GaveUp, TransportEnv};
pub use sender::{NextPacket, Sender};
pub use trace::{TraceEvent, TraceRow};

use connections::Connections;
use nic::{Class, Nic, PendingAck, Turns};
use trace::Trace;

/// The starts that are known, soonest first, with their local flows.
fn timed(starts: Vec<Option<Time>>) -> VecDeque<(Time, u32)> {
    let mut timed = Vec::with_capacity(starts.len());
    let flows = starts.into_iter().zip(0..);
    timed.extend(flows.filter_map(|(start, flow)| Some((start?, flow))));
    timed.sort_unstable();
    timed.into()
}

/// One host.
#[derive(Debug)]
pub struct Host {
    settings: Arc<HostSettings>,
    plug: Plug,
    first_flow: u32,
    senders: Vec<Sender>,
    receivers: Vec<Receiver>,
    triggers: Option<Box<HostTriggers>>,
    /// Flows that have not become active, as far as it is known when: (instant, local flow), soonest first.
    starts: VecDeque<(Time, u32)>,
    /// Flows whose last packet has not been handed to the NIC, started or not.
    flows_left: u32,
    /// Active flows with packets to send.
    unsent_flows: u32,
    /// Payload that has not been sent, of all flows; and whether that is too much for one window.
    unsent_bytes: u64,
    far_from_end: bool,
    /// Whether all data that the host ever sends has left.
    all_sent: bool,
    nic: Nic,
    pacer: Pacer,
    policy: HostPolicy,
    rng: Rng,
    /// Its connections, if there is a transport.
    connections: Option<Box<Connections>>,
    /// Pause frames that it will send, if it gets stuck: the soonest first.
    storms: VecDeque<(Time, Kind)>,
    trace: Option<Box<Trace>>,
    /// ACKs, NACKs and probes received.
    control_received: u64,
    /// When a frame was last queued at the NIC, data apart.
    last_queued: Time,
    /// When a timer of either may be due.
    timer: Time,
    /// The last arrival or timer handled: decisions before it have been taken.
    now: Time,
    /// The wake-up last asked for (heap engine).
    asked: Time,
}

impl Host {
    /// A host with its flows. `rng` feeds the path policy.
    #[must_use]
    pub fn new(
        settings: Arc<HostSettings>,
        plug: Plug,
        flows: HostFlows,
        pacer: Pacer,
        policy: HostPolicy,
        rng: Rng,
    ) -> Self {
        let HostFlows {
            first,
            senders,
            starts,
            receivers,
            triggers,
            storms,
        } = flows;
        let connections = settings.transport.map(|env| {
            let connections = Connections::new(env, settings.controller, &senders, &receivers);
            Box::new(connections)
        });
        let turns = Turns {
            acks: settings.ack_turns,
            control_per_data: settings.control_per_data,
            pause_stops_control: settings.pause_stops_control,
        };
        let unsent_bytes = senders.iter().map(Sender::bytes_left).sum();
        let mut host = Self {
            nic: Nic::new(turns, receivers.len(), pacer.drift()),
            unsent_bytes,
            far_from_end: unsent_bytes > settings.window_bytes,
            all_sent: senders.is_empty(),
            flows_left: senders.len() as u32,
            triggers,
            settings,
            plug,
            first_flow: first,
            senders,
            receivers,
            starts: timed(starts),
            unsent_flows: 0,
            pacer,
            policy,
            rng,
            connections,
            timer: Time::NEVER,
            storms: storms.into(),
            trace: None,
            control_received: 0,
            last_queued: Time::ZERO,
            now: Time::ZERO,
            asked: Time::NEVER,
        };
        host.timer = host.first_timer();
        host
    }

    /// Handle `arrivals` and what else is due before `until`; returns when the host is next due.
    pub fn run<O: Outbox>(
        &mut self,
        arrivals: Arrivals<'_>,
        until: Time,
        cx: &mut Context<'_, O>,
    ) -> Time {
        arrivals.for_each(|packet| {
            self.advance(packet.time, cx);
            self.receive(packet, cx);
        });
        self.advance(until, cx);
        self.due()
    }

    /// Handle one packet at its arrival (heap engine).
    pub fn arrive<O: Outbox>(&mut self, packet: &Packet, cx: &mut Context<'_, O>) {
        self.receive(packet, cx);
        self.ask_for_wake(cx);
    }

    /// Do what is due at `now` (heap engine).
    pub fn timer<O: Outbox>(&mut self, now: Time, cx: &mut Context<'_, O>) {
        self.advance(Time(now.0 + 1), cx);
        self.ask_for_wake(cx);
    }

    fn ask_for_wake<O: Outbox>(&mut self, cx: &mut Context<'_, O>) {
        let due = self.due();
        if due != Time::NEVER && due != self.asked {
            self.asked = due;
            cx.out.wake(TIMER_HOST, due);
        }
    }

    /// Whether the host has too much to send to finish within one window.
    #[must_use]
    pub fn is_far_from_end(&self) -> bool {
        self.far_from_end
    }

    /// When the host is next due by itself.
    #[must_use]
    pub fn due(&self) -> Time {
        let nic = if self.nic.busy() {
            self.nic.depart()
        } else {
            self.next_decision()
        };
        nic.min(self.timer)
    }

    /// See when a timer other than the NIC's may be due.
    fn set_timer(&mut self) {
        let connections = self.connections.as_mut();
        let due = connections.map_or(Time::NEVER, |all| {
            all.forget_stale();
            all.due()
        });
        self.timer = due.min(self.first_timer());
    }

    /// When a timer that is no connection's is due.
    fn first_timer(&self) -> Time {
        let opening = self.next_opening();
        let storm = self.storms.front();
        storm.map_or(opening, |&(at, _)| opening.min(at))
    }

    /// A packet has arrived. A departure at the same instant comes before it, the NIC's next decision after it.
    fn receive<O: Outbox>(&mut self, packet: &Packet, cx: &mut Context<'_, O>) {
        if self.nic.busy() && self.nic.depart() <= packet.time {
            self.leave(cx);
        }
        self.activate_flows(packet.time, false, cx);
        self.now = packet.time;
        if matches!(packet.kind, Kind::Ack | Kind::Nack | Kind::Probe) {
            self.control_received += 1;
        }
        match packet.kind {
            Kind::Data | Kind::Trimmed | Kind::Probe => {
                let slot = self.settings.receiver_slots[packet.flow as usize];
                let done = if self.connections.is_some() {
                    self.take_reliably(slot, packet, cx)
                } else if packet.kind == Kind::Data {
                    if self.settings.frames.acks == Acks::PerPacket {
                        self.push_control(slot, PendingAck::of(packet), packet.time, cx);
                    }
                    self.receive_data(slot as usize, packet)
                } else {
                    self.receivers[slot as usize].headers += 1;
                    None
                };
                if let Some(slot) = done {
                    self.flow_is_done(End::Receiver, slot, packet.time, cx);
                }
            }
            Kind::Ack | Kind::Nack if self.connections.is_some() => self.take_answer(packet, cx),
            Kind::Ack => {
                let local_flow = (packet.flow - self.first_flow) as usize;
                let done = self.receive_ack(local_flow, packet);
                let feedback = Feedback {
                    now: packet.time,
                    path: packet.path,
                    outcome: Outcome::of_ack(packet.is_marked()),
                    rtt: None,
                };
                self.policy.on_feedback(local_flow, &feedback);
                self.trace_ack(local_flow as u32, packet);
                if let Some(flow) = done {
                    self.flow_is_done(End::Sender, flow, packet.time, cx);
                }
            }
            Kind::Nack => {}
            Kind::Pause | Kind::Resume => self.nic.pause(packet.kind, packet.time),
            Kind::Notice => self.know(packet.flow, packet.psn, packet.time),
        }
    }

    /// A frame enters or leaves the NIC's queue: its integrals.
    #[inline]
    fn count(&self, at: Time, bytes: u32, leaves: bool, tally: &mut Tally) {
        if self.all_sent {
            tally.late(at, bytes, leaves);
        } else if leaves {
            tally.leave(self.settings.stage, at, bytes);
        } else {
            tally.enter(self.settings.stage, at, bytes);
        }
    }

    /// The instant of the NIC's next decision, once the frame in service has left.
    fn next_decision(&self) -> Time {
        let mut at = Time::NEVER;
        if self.nic.has_acks() || self.nic.has_pauses() {
            at = self.now;
        }
        if !self.nic.may_send_data() {
            // Flows that start meanwhile are noticed when the pause ends.
        } else if self.unsent_flows > 0 {
            at = at.min(self.pacer.due().max(self.now));
        } else if let Some(&(start, _)) = self.starts.front() {
            at = at.min(self.pacer.due_if_started(start));
        }
        if at == Time::NEVER {
            at
        } else {
            at.max(self.nic.free())
        }
    }

    /// Let go of frames and take the NIC's decisions before `limit`.
    fn advance<O: Outbox>(&mut self, limit: Time, cx: &mut Context<'_, O>) {
        loop {
            let timer = self.timer;
            if self.nic.busy() {
                let depart = self.nic.depart();
                if depart.min(timer) >= limit {
                    return;
                }
                if depart <= timer {
                    self.leave(cx);
                } else {
                    self.tick(timer, cx);
                    continue;
                }
            }
            let at = self.next_decision();
            if at.min(timer) >= limit {
                return;
            }
            if timer <= at {
                self.tick(timer, cx);
            } else {
                self.decide(at, cx);
            }
        }
    }

    /// A timer other than the NIC's may be due at `now`.
    fn tick<O: Outbox>(&mut self, now: Time, cx: &mut Context<'_, O>) {
        let opens = self.opens();
        if opens {
            self.now = self.now.max(now);
        }
        self.activate_flows(now, opens, cx);
        if let Some(&(at, kind)) = self.storms.front()
            && at <= now
        {
            self.storms.pop_front();
            self.now = self.now.max(now);
            let bytes = self.settings.pause_frame_bytes;
            self.count(now, bytes, false, cx.tally);
            self.last_queued = now;
            self.nic.push_pause(kind, bytes);
        } else {
            self.fire(now, cx);
        }
        self.set_timer();
    }

    /// Whether the pace and the link let data be sent at `at`.
    #[inline]
    fn data_is_due(&self, at: Time) -> bool {
        self.unsent_flows > 0 && self.pacer.due() <= at && self.nic.may_send_data()
    }

    /// The NIC is free at `at`: if something may be sent, the round robin chooses.
    fn decide<O: Outbox>(&mut self, at: Time, cx: &mut Context<'_, O>) {
        self.activate_flows(at, true, cx);
        if let Some(kind) = self.nic.pop_pause() {
            self.send_pause(kind, at);
            return;
        }
        if self.nic.is_weighted() {
            let both = self.data_is_due(at) && self.nic.has_acks() && self.any_able(at);
            self.nic.weigh(both);
        }
        loop {
            let data_is_due = self.data_is_due(at);
            if !data_is_due && !self.nic.has_acks() {
                // A flow became active, but its first packet is due later; or none may send after all.
                return;
            }
            match self.nic.next(data_is_due) {
                Some(Class::Data(number)) if self.connections.is_some() => {
                    if self.send_reliably(number, at, cx) {
                        return;
                    }
                }
                Some(Class::Data(local_flow)) => {
                    self.send_data(local_flow as usize, at, cx);
                    return;
                }
                Some(class @ Class::Acks(_)) => {
                    self.send_ack(class, at);
                    return;
                }
                None => unreachable!("data that is due or an ACK waits"),
            }
        }
    }

    /// The frame in service has left: it is on the wire.
    fn leave<O: Outbox>(&mut self, cx: &mut Context<'_, O>) {
        let left = self.nic.depart();
        let packet = self.nic.end();
        self.count(left, packet.size, true, cx.tally);
        if packet.kind == Kind::Data && self.flows_left == 0 && !self.all_sent {
            self.all_sent = true;
            cx.tally.host_has_sent(left);
        }
        let (at, ingress) = (left + self.settings.link.latency, self.plug.edge_port);
        cx.out.post(self.plug.edge, &packet, at, ingress);
    }
}
