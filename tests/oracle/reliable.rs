//! Connections that recover what is lost: what their hosts do with data, answers and timers.

use std::collections::BTreeMap;

use spraysim::lb::host::{Feedback, Outcome};
use spraysim::packet::{Flags, Kind, Packet};
use spraysim::scenario::Scenario;
use spraysim::units::{Span, Time};
use spraysim::workload::FlowEvent;

use super::events::Event;
use super::flows::Flow;
use super::host::{Class, PendingAck};
use super::nic::new_packet;
use super::receiver::{Answer, Fate, Receiver};
use super::sender::{Change, Record, Sender, State};
use super::world::World;

/// Both ends of a connection, and all answers that were ever given on it.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    pub(crate) sender: Sender,
    receiver: Receiver,
    answers: Vec<Answer>,
}

/// The connections of all flows, by their first flows; none, if nothing is recovered.
pub(crate) fn connections(scenario: &Scenario, flows: &[Flow]) -> BTreeMap<usize, Connection> {
    let mut connections = BTreeMap::new();
    for flow in flows {
        if let Some(transport) = scenario.transport {
            let connection = Connection {
                sender: Sender::new(transport, scenario),
                receiver: Receiver::new(transport),
                answers: Vec::new(),
            };
            connections.insert(flow.connection, connection);
        }
    }
    connections
}

impl World<'_> {
    /// A SYN joins the NIC's queue, if the connection needs one.
    pub(crate) fn open_if_needed(&mut self, now: Time, connection: usize) {
        if self.sender(connection).ask_to_open(now) {
            self.send_syn(now, connection);
        }
    }

    fn send_syn(&mut self, now: Time, connection: usize) {
        let host = self.flows[connection].src;
        self.hosts[host].pend(PendingAck {
            kind: Kind::Probe,
            connection,
            number: Packet::SYN,
            marked: false,
            path: 0,
            since: now,
        });
        self.wake(now, host);
        self.set_timer(now, connection);
    }

    /// A SYN comes in: it is answered.
    pub(crate) fn take_syn(&mut self, now: Time, host: usize, packet: &Packet) {
        assert_eq!(packet.psn, Packet::SYN);
        let first = packet.flow as usize;
        let connection = self.connections.get_mut(&first).expect("it exists");
        let answer = connection.receiver.welcome(packet);
        self.reply(now, (host, first), answer);
    }

    /// `host` owes connection `first` an answer from `now` on.
    fn reply(&mut self, now: Time, (host, first): (usize, usize), answer: Answer) {
        let connection = self.connections.get_mut(&first).expect("it exists");
        let pending = PendingAck {
            kind: answer.kind,
            connection: first,
            number: connection.answers.len() as u32,
            marked: answer.marked,
            path: answer.path,
            since: now,
        };
        connection.answers.push(answer);
        self.hosts[host].pend(pending);
        self.wake(now, host);
    }

    fn sender(&mut self, connection: usize) -> &mut Sender {
        let connection = self.connections.get_mut(&connection);
        &mut connection.expect("it exists").sender
    }

    /// Packets of a connection up to the last one that its sender has to send so far.
    fn available(&self, connection: usize) -> u32 {
        let mut available = 0;
        let mut message = Some(connection);
        while let Some(number) = message
            && self.flows[number].release.is_some()
        {
            available += self.flows[number].pieces.len() as u32;
            message = self.flows[number].behind;
        }
        available
    }

    fn frame_bytes(&self, connection: usize, psn: u32) -> u32 {
        let flow = &self.flows[self.message_of(connection, psn)];
        flow.pieces[(psn - flow.base) as usize].payload + self.scenario.packet.header_bytes
    }

    /// Whether a connection has something to send, and its window has room for it. No connection goes by the number of a later message.
    pub(crate) fn may_send(&self, number: usize) -> bool {
        let Some(connection) = self.connections.get(&number) else {
            return false;
        };
        let next = connection.sender.next(self.available(number));
        next.is_some_and(|psn| connection.sender.admits(self.frame_bytes(number, psn)))
    }

    /// A connection joins the round robin if it may send and is no member.
    pub(crate) fn join_if_able(&mut self, now: Time, connection: usize) {
        let host = self.flows[connection].src;
        if self.may_send(connection) && !self.hosts[host].lists(connection) {
            self.hosts[host].join_flow(connection);
        }
        self.wake(now, host);
    }

    /// Whether a connection has no timer.
    pub(crate) fn waits_for_nothing(&self, connection: usize) -> bool {
        self.connections[&connection].sender.expiry().is_none()
    }

    /// Look at the clock when the oldest transmission in flight has been waited for long enough.
    fn set_timer(&mut self, now: Time, connection: usize) {
        if let Some(at) = self.sender(connection).expiry() {
            let flow = &self.flows[connection];
            let (host, local) = (flow.src, flow.sent_as);
            let event = Event::Timeout {
                host,
                local,
                connection,
            };
            self.agenda.add(at.max(now), event);
        }
    }

    pub(crate) fn send_recoverable(&mut self, now: Time, host: usize, connection: usize) {
        let available = self.available(connection);
        let psn = self.sender(connection).next(available);
        let psn = psn.expect("there is something to send");
        let again = psn < self.sender(connection).records.len() as u32;
        let number = self.message_of(connection, psn);
        let flow = &mut self.flows[number];
        flow.recovery.retransmissions += u64::from(again);
        flow.started += usize::from(!again);
        flow.start.get_or_insert(now);
        let (dst, is_last) = (flow.dst, !again && !flow.has_unsent());
        let subflow = flow.pieces[(psn - flow.base) as usize].subflow;
        self.first_bit.get_or_insert(now);
        let path = self.data_path(now, connection, subflow);
        let size = self.frame_bytes(connection, psn);
        let record = Record {
            sent_at: now,
            size,
            path,
            sends: 1,
            state: State::InFlight,
        };
        let asks = self.sender(connection).sent(psn, record, available);
        let repeats = Flags::when(again, Flags::AGAIN);
        let mut packet = new_packet(now, Kind::Data, dst, connection, psn, size, path);
        packet.flags = Flags::when(asks, Flags::ASK).and(repeats);
        if is_last && let Some(next) = self.hand_over(number) {
            let packets = self.flows[next].pieces.len();
            self.hosts[host].pacer.unsent += packets as u64;
        }
        if self.may_send(connection) {
            self.hosts[host].rejoin_later(Class::Data(connection));
        }
        self.put_data_on_wire(now, host, packet, again);
        self.set_timer(now, connection);
    }

    /// Data, or the header of it, comes in.
    pub(crate) fn take_recoverable(&mut self, now: Time, host: usize, packet: &Packet) {
        let first = packet.flow as usize;
        let number = self.message_of(first, packet.psn);
        let connection = self.connections.get_mut(&first).expect("it exists");
        let (fate, answer) = connection.receiver.take(packet);
        if let Some(answer) = answer {
            self.reply(now, (host, first), answer);
        }
        let flow = &mut self.flows[number];
        let psn = packet.psn - flow.base;
        match fate {
            Fate::Header => {}
            Fate::Duplicate => flow.recovery.spurious += 1,
            Fate::Discarded => flow.recovery.discarded += 1,
            Fate::Accepted => {
                flow.arrive(psn);
                self.delivered_bytes += u64::from(flow.pieces[psn as usize].payload);
                if flow.arrived == flow.pieces.len() {
                    self.fire(now, number, FlowEvent::Received);
                }
            }
        }
    }

    /// An ACK or NACK comes back.
    pub(crate) fn take_answer(&mut self, now: Time, host: usize, packet: &Packet) {
        let first = packet.flow as usize;
        let connection = self.connections.get_mut(&first).expect("it exists");
        let answer = connection.answers[packet.psn as usize].clone();
        if answer.psn == Packet::SYN {
            connection.sender.open();
            self.flows[first].acks.push((answer.marked, None));
            self.flows[first].heard = Some(now);
            self.join_if_able(now, first);
            return;
        }
        let change = match packet.kind {
            Kind::Nack => connection.sender.refuse(&answer),
            _ => connection.sender.acknowledge(&answer, now),
        };
        let outcome = match (packet.kind, answer.marked) {
            (Kind::Nack, _) if !answer.at_the_end => Outcome::Trimmed,
            (_, true) => Outcome::Ecn,
            (_, false) => Outcome::Good,
        };
        self.tell_policy(now, first, answer.path, (outcome, change.rtt));
        let number = self.message_of(first, answer.psn);
        if packet.kind == Kind::Nack {
            self.flows[number].recovery.nacks += 1;
        } else {
            self.flows[number].acks.push((answer.marked, change.rtt));
        }
        self.flows[first].heard = Some(now);
        self.hosts[host].pacer.forget(change.spared);
        self.come_again(now, host, &change.lost);
        self.count_acked(now, first, &change);
        self.join_if_able(now, first);
        self.set_timer(now, first);
    }

    /// These packets must be sent again.
    fn come_again(&mut self, now: Time, host: usize, lost: &[u32]) {
        if !lost.is_empty() {
            self.hosts[host].pacer.activate(now, lost.len() as u64);
        }
    }

    fn count_acked(&mut self, now: Time, connection: usize, change: &Change) {
        for psn in &change.acked {
            let number = self.message_of(connection, *psn);
            let flow = &mut self.flows[number];
            flow.acked += 1;
            if flow.acked == flow.pieces.len() {
                flow.end = Some(now);
                self.fire(now, number, FlowEvent::Acked);
            }
        }
    }

    fn tell_policy(
        &mut self,
        now: Time,
        connection: usize,
        path: u16,
        (outcome, rtt): (Outcome, Option<Span>),
    ) {
        let flow = &self.flows[connection];
        let (host, local_flow) = (flow.src, flow.sent_as);
        let feedback = Feedback {
            now,
            path,
            outcome,
            rtt,
        };
        let brain = &mut self.hosts[host].brain;
        brain.on_feedback(local_flow, &feedback);
    }

    /// The timer of a connection may have expired.
    pub(crate) fn timeout(&mut self, now: Time, connection: usize) {
        let sender = self.sender(connection);
        if sender.expiry().is_none_or(|expiry| expiry > now) {
            return;
        }
        if sender.opening.is_some() {
            let again = sender.ask_again(now);
            self.flows[connection].recovery.timeouts += 1;
            self.flows[connection].heard = Some(now);
            if again {
                self.send_syn(now, connection);
            }
            return;
        }
        let Change { lost, blamed, .. } = sender.expire(now);
        let oldest = *blamed.first().expect("something is in flight");
        let paths = blamed.iter().map(|psn| sender.records[*psn as usize].path);
        let paths: Vec<u16> = paths.collect();
        let number = self.message_of(connection, oldest);
        self.flows[number].recovery.timeouts += 1;
        self.flows[connection].heard = Some(now);
        for path in paths {
            self.tell_policy(now, connection, path, (Outcome::Timeout, None));
        }
        let host = self.flows[connection].src;
        self.come_again(now, host, &lost);
        self.join_if_able(now, connection);
        self.set_timer(now, connection);
    }
}
