//! A host with a transport: connections at their senders and receivers, and their timers.
//!
//! A connection is a member of the NIC's round robin while it may send; one whose turn comes when it may not leaves it. What an ACK says is
//! told to the other host when it is made; the frame that carries its number is on the wire later.

use super::nic::{Class, PendingAck};
use super::reliable::{Alarm, Connection, GaveUp, Next, Record, State};
use super::sending::frame;
use super::trace::{TraceEvent, Traced};
use super::{End, Host, NextPacket};
use crate::engine::{Context, Outbox};
use crate::lb::host::{Feedback, Outcome, PathPolicy};
use crate::packet::{AckRecord, Flags, Kind, Packet};
use crate::units::Time;

impl Host {
    /// What an ACK that is on its way says.
    pub fn hear(&mut self, record: AckRecord) {
        let local = (record.flow - self.first_flow) as usize;
        if let Some(connections) = &mut self.connections {
            connections.senders[local].hear(record);
        }
    }

    /// Message `local_flow` of its connection is released at `at`.
    pub(super) fn release_message<O: Outbox>(
        &mut self,
        local_flow: u32,
        at: Time,
        cx: &mut Context<'_, O>,
    ) {
        let number = self.senders[local_flow as usize].connection;
        let connection = self.connection(number);
        connection.current = Some(local_flow);
        if connection.asks_to_open(at) {
            self.send_syn(number, at, cx);
        }
        self.list(number, at);
    }

    /// The first bit of message `of` of connection `number` is sent at `at`.
    pub(super) fn first_bit(&mut self, number: usize, of: usize, at: Time) {
        self.senders[of].started = Some(at);
        if let Some(connections) = &mut self.connections {
            connections.observed.begin(number, of, at);
        }
    }

    /// What connection `number` may send at `now`.
    fn next_of(&mut self, number: u32, now: Time) -> Option<Next> {
        let connections = self.connections.as_mut()?;
        let connection = &mut connections.senders[number as usize];
        let current = connection.current.map(|flow| &self.senders[flow as usize]);
        let size = current.map(|sender| sender.next_size(&self.settings.frames));
        connection.next(size, now)
    }

    /// Whether any member of the round robin may send data at `now`.
    pub(super) fn any_able(&mut self, now: Time) -> bool {
        let mut place = 0;
        while let Some(number) = self.nic.data_member(place) {
            if self.connections.is_none() || self.next_of(number, now).is_some() {
                return true;
            }
            place += 1;
        }
        false
    }

    /// Connection `number` joins the round robin at `at`, if it may send and is not in it.
    fn list(&mut self, number: u32, at: Time) {
        if self.connection(number).listed {
            return;
        }
        if self.next_of(number, at).is_none() {
            self.hold(number, at);
            return;
        }
        if self.unsent_flows == 0 {
            self.pacer.start(at);
        }
        self.unsent_flows += 1;
        self.nic.join(Class::Data(number));
        self.connection(number).listed = true;
    }

    /// Connection `number` may not send at `now`: if that is for its pace, its timer wakes it.
    fn hold(&mut self, number: u32, now: Time) {
        if let Some(connections) = &mut self.connections
            && connections.senders[number as usize].is_held()
        {
            connections.arm(number, now);
            self.set_timer();
        }
    }

    /// It is connection `number`'s turn at `at`: it sends, or leaves the round robin. Whether it sends.
    pub(super) fn send_reliably<O: Outbox>(
        &mut self,
        number: u32,
        at: Time,
        cx: &mut Context<'_, O>,
    ) -> bool {
        let Some(next) = self.next_of(number, at) else {
            self.unsent_flows -= 1;
            self.connection(number).listed = false;
            self.hold(number, at);
            return false;
        };
        let (packet, event) = self.next_packet(number, next, at, cx);
        let more = self.next_of(number, at).is_some();
        self.unsent_flows -= u32::from(!more);
        self.connection(number).listed = more;
        self.begin_data(packet, Class::Data(number), more, cx);
        if let Some(connections) = &mut self.connections {
            connections.arm(number, at);
        }
        self.set_timer();
        self.trace(number, at, event, Traced::of(&packet));
        true
    }

    /// Make the packet that connection `number` sends at `at`, and remember it.
    fn next_packet<O: Outbox>(
        &mut self,
        number: u32,
        next: Next,
        at: Time,
        cx: &mut Context<'_, O>,
    ) -> (Packet, TraceEvent) {
        let NextPacket { psn, size, subflow } = self.take_next(number, next, at, cx);
        let sender = &self.senders[number as usize];
        let tx = sender.tx(self.first_flow, subflow, at);
        let path = self.policy.data_path(&tx, &mut self.rng);
        let connection = self.connection(number);
        let again = matches!(next, Next::Again(..));
        if again {
            connection.resend(psn, at, path);
        } else {
            connection.send(Record {
                sent_at: at,
                size,
                path,
                subflow: subflow as u16,
                sends: 1,
                state: State::InFlight,
            });
        }
        let more = connection.current.is_some();
        let asks = Flags::when(connection.asks(size, again, more), Flags::ASK);
        let packet = Packet {
            flags: asks.and(Flags::when(again, Flags::AGAIN)),
            ..frame(&tx, Kind::Data, psn, size, path)
        };
        let event = if again {
            TraceEvent::Resend
        } else {
            TraceEvent::Send
        };
        (packet, event)
    }

    /// What connection `number` sends next, at `at`; it counts as sent.
    fn take_next<O: Outbox>(
        &mut self,
        number: u32,
        next: Next,
        at: Time,
        cx: &mut Context<'_, O>,
    ) -> NextPacket {
        let frames = self.settings.frames;
        match next {
            Next::Again(psn, record) => {
                let of = self.message_of_sender(number, psn);
                self.senders[of].resent += 1;
                NextPacket {
                    psn,
                    size: record.size,
                    subflow: record.subflow.into(),
                }
            }
            Next::Extra => {
                self.senders[number as usize].extra += 1;
                NextPacket {
                    psn: self.connection(number).next_psn(),
                    size: frames.full_frame() as u32,
                    subflow: 0,
                }
            }
            Next::New => {
                let of = self.connection(number).current;
                let of = of.expect("a new packet is one of a message") as usize;
                if self.senders[of].started.is_none() {
                    self.first_bit(number as usize, of, at);
                }
                let next = self.senders[of].next_packet(&frames, at);
                self.payload_is_sent(next.size - frames.header_bytes, cx);
                if !self.senders[of].has_more() {
                    let after = self.next_message(of);
                    self.connection(number).current = after;
                }
                next
            }
        }
    }

    /// Connection `number`, of a host that has a transport.
    fn connection(&mut self, number: u32) -> &mut Connection {
        let connections = self.connections.as_mut();
        &mut connections.expect("the host has a transport").senders[number as usize]
    }

    /// An ACK or NACK has arrived.
    pub(super) fn take_answer<O: Outbox>(&mut self, packet: &Packet, cx: &mut Context<'_, O>) {
        let number = packet.flow - self.first_flow;
        let now = packet.time;
        let Some(connections) = &mut self.connections else {
            return;
        };
        let connection = &mut connections.senders[number as usize];
        let record = connection.take_record(packet.psn);
        let record = record.expect("what an ACK says is here before it");
        if record.psn == Packet::SYN {
            self.opened(number, packet, &record, cx);
            return;
        }
        let changes = &mut connections.changes;
        let marked = packet.is_marked();
        let (event, outcome) = if packet.kind == Kind::Ack {
            let all_sent = connection.current.is_none();
            connection.on_ack(&record, marked, all_sent, now, changes);
            (TraceEvent::Ack, Outcome::of_ack(marked))
        } else {
            connection.on_nack(&record, now, changes);
            // The port that leads to the receiver is on every path: it says nothing about this one (uet-htsim).
            let outcome = if record.last_hop {
                Outcome::of_ack(marked)
            } else {
                Outcome::Trimmed
            };
            (TraceEvent::Nack, outcome)
        };
        let rtt = changes.rtt;
        if !record.probe {
            let feedback = Feedback {
                now,
                path: record.path,
                outcome,
                rtt,
            };
            self.policy.on_feedback(number as usize, &feedback);
        }
        let of = self.message_of_sender(number, record.psn);
        if event == TraceEvent::Nack {
            self.senders[of].nacks += 1;
        } else {
            self.senders[of].count_ack(packet.is_marked());
            if let (Some(rtt), Some(connections)) = (rtt, &mut self.connections) {
                connections.observed.sample(of, rtt);
            }
        }
        self.trace_answer(number, packet, &record, event);
        self.take_changes(number, now, TraceEvent::Lost, cx);
    }

    /// Follow up what an answer or a timer has changed in connection `number`.
    pub(super) fn take_changes<O: Outbox>(
        &mut self,
        number: u32,
        now: Time,
        event: TraceEvent,
        cx: &mut Context<'_, O>,
    ) {
        let Some(connections) = &mut self.connections else {
            return;
        };
        connections.arm(number, now);
        let connection = &connections.senders[number as usize];
        let (window, coded) = (connection.window(), connection.coded_is_done());
        connections.observed.change(number as usize, window, now);
        let changes = std::mem::take(&mut connections.changes);
        match coded {
            None => {
                for &(psn, size) in &changes.acked {
                    let of = self.message_of_sender(number, psn);
                    let payload = size - self.settings.frames.header_bytes;
                    self.senders[of].acked_bytes += u64::from(payload);
                    if self.senders[of].acknowledged(now) {
                        self.all_is_acknowledged(number, of, now, cx);
                    }
                }
            }
            Some(true) if self.senders[number as usize].finished.is_none() => {
                self.senders[number as usize].finished = Some(now);
                self.all_is_acknowledged(number, number as usize, now, cx);
            }
            Some(_) => {}
        }
        if event == TraceEvent::Timeout {
            for lost in &changes.lost {
                let feedback = Feedback {
                    now,
                    path: lost.record.path,
                    outcome: Outcome::Timeout,
                    rtt: None,
                };
                self.policy.on_feedback(number as usize, &feedback);
            }
        }
        self.trace_lost(number, now, event, &changes.lost);
        if let Some(connections) = &mut self.connections {
            connections.changes = changes;
        }
        self.set_timer();
        self.list(number, now);
    }

    /// Message `of` of connection `number` has all ACKs at `now`.
    fn all_is_acknowledged<O: Outbox>(
        &mut self,
        number: u32,
        of: usize,
        now: Time,
        cx: &mut Context<'_, O>,
    ) {
        if let Some(connections) = &mut self.connections {
            connections.observed.end(number as usize, of);
        }
        self.flow_is_done(End::Sender, of as u32, now, cx);
    }

    /// A connection may be due at `now`.
    pub(super) fn fire<O: Outbox>(&mut self, now: Time, cx: &mut Context<'_, O>) {
        let Some(connections) = &mut self.connections else {
            return;
        };
        let Some(number) = connections.take_due(now) else {
            return;
        };
        self.now = self.now.max(now);
        let connection = &mut connections.senders[number as usize];
        let alarm = connection.alarm(now, &mut connections.changes);
        match alarm {
            Alarm::Nothing => connections.arm(number, now),
            Alarm::Expired | Alarm::Syn => {
                let first = connections.changes.lost.first().map_or(0, |lost| lost.psn);
                let of = self.message_of_sender(number, first);
                self.senders[of].timeouts += 1;
                self.take_changes(number, now, TraceEvent::Timeout, cx);
                if alarm == Alarm::Syn {
                    self.send_syn(number, now, cx);
                }
            }
            Alarm::Paced => {
                connections.arm(number, now);
                self.list(number, now);
            }
            Alarm::Probe => {
                connections.arm(number, now);
                let psn = connections.senders[number as usize].next_psn() - 1;
                let probe = PendingAck {
                    psn,
                    path: 0,
                    marked: false,
                    kind: Kind::Probe,
                };
                self.push_control(number, probe, now, cx);
                let bytes = self.settings.frames.ack_bytes;
                let what = Traced {
                    psn,
                    bytes,
                    path: 0,
                };
                self.trace(number, now, TraceEvent::Probe, what);
            }
        }
    }

    /// Why connection `number` has given up, if it has.
    pub(super) fn why_given_up(&self, number: u32) -> Option<GaveUp> {
        self.connections.as_ref()?.senders[number as usize].gave_up()
    }
}
