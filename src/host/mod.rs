//! A host: senders, receivers and the NIC between them and the wire.
//!
//! Open loop: the host is a paced source; nothing is sent again. Not modelled: PCIe, memory, the application.

mod clock;
mod dependencies;
mod nic;
mod pacer;
mod parts;
mod receiver;
mod sender;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::engine::{Arrivals, Context, Outbox, TIMER_HOST};
use crate::lb::host::{Feedback, HostPolicy, Outcome, PathPolicy, TxInfo};
use crate::packet::{Flags, Kind, Packet};
use crate::probe::Tally;
use crate::rng::Rng;
use crate::settings::Acks;
use crate::units::Time;

pub use dependencies::{End, HostTriggers, LocalTarget, Pull, Told, TriggerPlan, Wait};
pub use nic::NicStats;
pub use pacer::{Pacer, PacerSettings};
pub use parts::{HostFlows, HostSettings, Plug};
pub use receiver::Receiver;
pub use sender::{NextPacket, Sender};

use nic::{Class, Nic, PendingAck};

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
    /// The last arrival handled: decisions before it have been taken.
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
        (policy, rng): (HostPolicy, Rng),
    ) -> Self {
        let HostFlows {
            first,
            senders,
            starts,
            receivers,
            triggers,
        } = flows;
        let unsent_bytes = senders.iter().map(Sender::bytes_left).sum();
        let mut timed = Vec::with_capacity(starts.len());
        timed.extend(
            starts
                .into_iter()
                .zip(0..)
                .filter_map(|(start, flow)| Some((start?, flow))),
        );
        timed.sort_unstable();
        Self {
            nic: Nic::new(settings.ack_turns, receivers.len(), pacer.drift()),
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
            starts: timed.into(),
            unsent_flows: 0,
            pacer,
            policy,
            rng,
            now: Time::ZERO,
            asked: Time::NEVER,
        }
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
        if self.nic.busy() {
            self.nic.depart()
        } else {
            self.next_decision()
        }
    }

    /// A packet has arrived. A departure at the same instant comes before it, the NIC's next decision after it.
    fn receive<O: Outbox>(&mut self, packet: &Packet, cx: &mut Context<'_, O>) {
        if self.nic.busy() && self.nic.depart() <= packet.time {
            self.leave(cx);
        }
        self.activate_flows(packet.time, false);
        self.now = packet.time;
        match packet.kind {
            Kind::Data => {
                let slot = self.settings.receiver_slots[packet.flow as usize];
                let done = self.receive_data(slot as usize, packet);
                if self.settings.frames.acks == Acks::PerPacket {
                    let bytes = self.settings.frames.ack_bytes;
                    self.count(packet.time, bytes, false, cx.tally);
                    self.nic.push_ack(slot, PendingAck::of(packet), bytes);
                }
                if let Some(slot) = done {
                    self.flow_is_done((End::Receiver, slot), packet.time, cx);
                }
            }
            Kind::Ack => {
                let local_flow = (packet.flow - self.first_flow) as usize;
                let done = self.receive_ack(local_flow, packet);
                let feedback = Feedback {
                    now: packet.time,
                    path: packet.path,
                    outcome: if packet.is_marked() {
                        Outcome::Ecn
                    } else {
                        Outcome::Good
                    },
                    rtt: None,
                };
                self.policy.on_feedback(local_flow, &feedback);
                if let Some(flow) = done {
                    self.flow_is_done((End::Sender, flow), packet.time, cx);
                }
            }
            Kind::Trimmed | Kind::Nack | Kind::Probe | Kind::Pause | Kind::Resume => {}
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
        if self.nic.has_acks() {
            at = self.now;
        }
        if self.unsent_flows > 0 {
            at = at.min(self.pacer.due());
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
            if self.nic.busy() {
                if self.nic.depart() >= limit {
                    return;
                }
                self.leave(cx);
            }
            let at = self.next_decision();
            if at >= limit {
                return;
            }
            self.decide(at, cx);
        }
    }

    /// The NIC is free at `at`: if something may be sent, the round robin chooses.
    fn decide<O: Outbox>(&mut self, at: Time, cx: &mut Context<'_, O>) {
        self.activate_flows(at, true);
        let data_is_due = self.unsent_flows > 0 && self.pacer.due() <= at;
        if !data_is_due && !self.nic.has_acks() {
            // A flow became active, but its first packet is due later.
            return;
        }
        match self.nic.next(data_is_due) {
            Some(Class::Data(local_flow)) => self.send_data(local_flow as usize, at, cx),
            Some(class @ Class::Acks(_)) => self.send_ack(class, at),
            None => unreachable!("data that is due or an ACK waits"),
        }
    }

    fn send_data<O: Outbox>(&mut self, local_flow: usize, at: Time, cx: &mut Context<'_, O>) {
        let sender = &mut self.senders[local_flow];
        let next = sender.next_packet(&self.settings.frames, at);
        let connection = sender.connection as usize;
        let flow = self.first_flow + connection as u32;
        let tx = TxInfo {
            now: at,
            flow,
            local_flow: connection,
            peer: sender.peer,
            local_peer: sender.local_peer,
            layer: sender.layer,
            subflow: next.subflow,
        };
        let packet = Packet {
            time: at,
            dst: sender.peer,
            flow,
            psn: next.psn,
            size: next.size,
            path: self.policy.data_path(&tx, &mut self.rng),
            ingress: 0,
            kind: Kind::Data,
            flags: Flags::NONE,
            via: [0; 2],
        };
        let turn = if sender.has_more() {
            Some(local_flow as u32)
        } else {
            self.next_message(local_flow)
        };
        let more = turn.is_some();
        self.unsent_flows -= u32::from(!more);
        self.unsent_bytes -= u64::from(next.size - self.settings.frames.header_bytes);
        if self.far_from_end && self.unsent_bytes <= self.settings.window_bytes {
            self.far_from_end = false;
            cx.tally.host_nears_end();
        }
        let link = self.settings.link;
        let wire = link.tx_time(next.size);
        self.pacer.sent(wire + link.gap, self.unsent_flows > 0);
        let class = Class::Data(turn.unwrap_or(local_flow as u32));
        self.nic.served(class, more);
        self.count(at, next.size, false, cx.tally);
        self.nic.begin(packet, at, wire, link.gap);
        self.nic.queued(next.size);
    }

    fn send_ack(&mut self, class: Class, at: Time) {
        let (slot, ack) = self
            .nic
            .pop_ack(class)
            .expect("a class that has its turn has an ACK");
        let receiver = &self.receivers[slot as usize];
        let tx = TxInfo {
            now: at,
            flow: receiver.flow,
            local_flow: slot as usize,
            peer: receiver.peer,
            local_peer: receiver.local_peer,
            layer: receiver.layer,
            subflow: 0,
        };
        let size = self.settings.frames.ack_bytes;
        let packet = Packet {
            time: at,
            dst: receiver.peer,
            flow: receiver.flow,
            psn: ack.psn,
            size,
            path: self.policy.ack_path(&tx, ack.path, &mut self.rng),
            ingress: 0,
            kind: Kind::Ack,
            flags: Flags::when(ack.marked, Flags::MARKED),
            via: [0; 2],
        };
        let more = self.nic.class_has_acks(class);
        self.nic.served(class, more);
        let link = self.settings.link;
        self.nic.begin(packet, at, link.tx_time(size), link.gap);
    }

    /// The frame in service has left: it is on the wire.
    fn leave<O: Outbox>(&mut self, cx: &mut Context<'_, O>) {
        let left = self.nic.depart();
        let mut packet = self.nic.end();
        self.count(left, packet.size, true, cx.tally);
        if packet.kind == Kind::Data && self.flows_left == 0 {
            self.all_sent = true;
            cx.tally.host_has_sent(left);
        }
        packet.time = left + self.settings.link.latency;
        packet.ingress = self.plug.edge_port;
        cx.out.post(self.plug.edge, packet);
    }

    /// When a frame last left, once nothing more can happen; 0 if none has.
    #[must_use]
    pub fn last_active(&self) -> Time {
        self.nic.last_left()
    }

    /// At the end of a run: what the NIC counted. Frames still queued leave the integrals at `end`.
    pub fn close(&mut self, end: Time, tally: &mut Tally) -> NicStats {
        let (stats, waiting, in_service) = self.nic.close();
        for _ in 0..waiting {
            self.count(end, self.settings.frames.ack_bytes, true, tally);
        }
        if let Some(bytes) = in_service {
            self.count(end, bytes, true, tally);
        }
        stats
    }

    /// The host's flows as sender, in the workload's order.
    #[must_use]
    pub fn senders(&self) -> &[Sender] {
        &self.senders
    }

    /// The host's flows as receiver.
    #[must_use]
    pub fn receivers(&self) -> &[Receiver] {
        &self.receivers
    }
}
