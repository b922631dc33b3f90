//! What happens at hosts: flows activate, the NIC sends, frames come in. Without recovery, what is lost stays lost.

use std::collections::BTreeSet;

use spraysim::lb::host::{Feedback, Outcome, TxInfo};
use spraysim::packet::{Flags, Kind, Packet};
use spraysim::scenario::Acks;
use spraysim::settings::QueueKind;
use spraysim::units::{Span, Time};
use spraysim::workload::FlowEvent;

use super::events::Event;
use super::host::{Class, InService, PendingAck};
use super::world::World;

impl World<'_> {
    pub(crate) fn tx(&self, bytes: u32) -> Span {
        self.scenario.fabric.host_rate().tx_time(u64::from(bytes))
    }

    pub(crate) fn gap(&self) -> Span {
        self.tx(self.scenario.packet.gap_bytes)
    }

    pub(crate) fn frame_left_nic(&mut self, now: Time, host: usize) {
        let gap = self.gap();
        let frame = self.hosts[host].finish_frame(now, gap);
        let packet = frame.packet;
        if packet.is_control() || packet.kind == Kind::Probe {
            self.ack_packets += 1;
        } else if !packet.is_pause() {
            self.data_packets += 1;
            let message = self.message_of(packet.flow as usize, packet.psn);
            if !frame.again {
                self.flows[message].left += 1;
                self.last_data_left = now;
            }
        }
        let free = self.hosts[host].free();
        self.agenda.add(free, Event::NicDecide { host });
        self.send_over(now, host, 0, packet);
    }

    pub(crate) fn arrive_at_host(&mut self, now: Time, host: usize, packet: Packet) {
        if packet.is_pause() {
            let nic = &mut self.hosts[host];
            nic.lossy.hear(packet.kind, &mut nic.paused, now);
            self.wake(now, host);
            return;
        }
        assert_eq!(packet.dst as usize, host, "it came to the right host");
        self.taken += 1;
        let recovers = self.scenario.transport.is_some();
        match (packet.kind, recovers) {
            (Kind::Data, false) => self.take_data(now, host, packet),
            (Kind::Ack, false) => self.take_ack(now, host, packet),
            // A header is of no use if nothing is sent again.
            (Kind::Trimmed, false) => {}
            (Kind::Data | Kind::Trimmed, true) => self.take_recoverable(now, host, &packet),
            (Kind::Probe, true) => self.take_syn(now, host, &packet),
            (Kind::Ack | Kind::Nack, true) => self.take_answer(now, host, &packet),
            other => panic!("{other:?} at a host"),
        }
    }

    /// An ACK comes in, where nothing is sent again.
    fn take_ack(&mut self, now: Time, host: usize, packet: Packet) {
        let number = self.message_of(packet.flow as usize, packet.psn);
        let flow = &mut self.flows[number];
        let outcome = match packet.is_marked() {
            true => Outcome::Ecn,
            false => Outcome::Good,
        };
        let feedback = Feedback {
            now,
            path: flow.paths[(packet.psn - flow.base) as usize],
            outcome,
            rtt: None,
        };
        flow.acked += 1;
        flow.acks.push((packet.is_marked(), None));
        let is_last = flow.acked == flow.pieces.len();
        let known_as = self.flows[packet.flow as usize].sent_as;
        self.hosts[host].brain.on_feedback(known_as, &feedback);
        if is_last {
            self.flows[number].end = Some(now);
            self.fire(now, number, FlowEvent::Acked);
        }
    }

    /// Data comes in, where nothing is sent again.
    fn take_data(&mut self, now: Time, host: usize, packet: Packet) {
        let number = self.message_of(packet.flow as usize, packet.psn);
        let flow = &mut self.flows[number];
        let psn = packet.psn - flow.base;
        flow.arrive(psn);
        self.delivered_bytes += u64::from(flow.pieces[psn as usize].payload);
        let acks = self.scenario.packet.acks == Acks::PerPacket;
        if acks {
            self.hosts[host].pend(PendingAck {
                kind: Kind::Ack,
                connection: packet.flow as usize,
                number: packet.psn,
                marked: packet.is_marked(),
                path: packet.path,
                since: now,
            });
            self.wake(now, host);
        }
        let flow = &mut self.flows[number];
        if flow.arrived == flow.pieces.len() {
            if !acks {
                flow.end = Some(now);
            }
            self.fire(now, number, FlowEvent::Received);
        }
    }

    pub(crate) fn activate(&mut self, now: Time, flow: usize) {
        let host = self.flows[flow].src;
        let packets = self.flows[flow].pieces.len() as u64;
        self.flows[flow].release = Some(now);
        if self.flows[flow].queued {
            self.flows[flow].ready = true;
            return;
        }
        self.hosts[host].pacer.activate(now, packets);
        if self.scenario.transport.is_some() {
            self.open_if_needed(now, self.flows[flow].connection);
            self.join_if_able(now, self.flows[flow].connection);
        } else {
            self.hosts[host].join_flow(flow);
            self.wake(now, host);
        }
    }

    /// A host begins or ends to be stuck: it pauses its link, or takes that back.
    pub(crate) fn stuck(&mut self, now: Time, host: usize, begins: bool) {
        let kind = if begins { Kind::Pause } else { Kind::Resume };
        self.hosts[host].pend_pause(kind, now);
        self.wake(now, host);
    }

    /// Something may have become eligible: let the NIC decide as soon as it is free.
    pub(crate) fn wake(&mut self, now: Time, host: usize) {
        let nic = &self.hosts[host];
        if nic.in_service.is_none() {
            let at = now.max(nic.free());
            self.agenda.add(at, Event::NicDecide { host });
        }
    }

    pub(crate) fn decide(&mut self, now: Time, host: usize) {
        let able = self.able(host);
        let nic = &mut self.hosts[host];
        if nic.in_service.is_some() || now < nic.free() {
            return;
        }
        if let Some((kind, since)) = nic.pauses.pop_front() {
            self.send_pause(now, host, kind, since);
            return;
        }
        let due = (nic.pacer.unsent > 0).then(|| nic.pacer.due());
        match nic.take_turn(due.is_some_and(|due| due <= now), &|flow| {
            able.contains(&flow)
        }) {
            Some(Class::Data(connection)) if self.scenario.transport.is_some() => {
                self.send_recoverable(now, host, connection);
            }
            Some(Class::Data(flow)) => self.send_data(now, host, flow),
            Some(Class::Acks(turn)) => self.send_ack(now, host, turn),
            None => {
                if let Some(due) = due.filter(|due| *due > now) {
                    self.agenda.add(due, Event::NicDecide { host });
                }
            }
        }
    }

    /// The members of the NIC's round robin that may send data: where nothing is sent again, all.
    fn able(&self, host: usize) -> BTreeSet<usize> {
        let flows = 0..self.flows.len();
        let here = flows.filter(|flow| self.flows[*flow].src == host);
        let is_able = |flow: &usize| self.scenario.transport.is_none() || self.may_send(*flow);
        here.filter(is_able).collect()
    }

    fn send_data(&mut self, now: Time, host: usize, number: usize) {
        let flow = &mut self.flows[number];
        let piece = flow.pieces[flow.started];
        let psn = flow.base + flow.started as u32;
        flow.started += 1;
        flow.start.get_or_insert(now);
        self.first_bit.get_or_insert(now);
        let (dst, connection) = (flow.dst, flow.connection);
        let more = flow.has_unsent();
        let path = self.data_path(now, connection, piece.subflow);
        self.flows[number].paths.push(path);
        let size = piece.payload + self.scenario.packet.header_bytes;
        let packet = new_packet(now, Kind::Data, dst, connection, psn, size, path);
        let next = match more {
            true => Some(number),
            false => self.hand_over(number),
        };
        let nic = &mut self.hosts[host];
        if let Some(next) = next {
            if !more {
                nic.pacer.unsent += self.flows[next].pieces.len() as u64;
            }
            nic.rejoin_later(Class::Data(next));
        }
        self.put_data_on_wire(now, host, packet, false);
    }

    /// The host policy's path for a data packet.
    pub(crate) fn data_path(&mut self, now: Time, connection: usize, subflow: u32) -> u16 {
        let flow = &self.flows[connection];
        let (host, dst, local_flow) = (flow.src, flow.dst, flow.sent_as);
        let tx = self.tx_info(now, host, connection, dst, local_flow, subflow);
        let nic = &mut self.hosts[host];
        nic.brain.data_path(&tx, &mut nic.draws)
    }

    fn send_ack(&mut self, now: Time, host: usize, turn: Option<usize>) {
        let fifo = self.hosts[host].acks.get_mut(&turn).expect("pending ACKs");
        let ack = fifo.pop_front().expect("a pending ACK");
        if !fifo.is_empty() {
            self.hosts[host].rejoin_later(Class::Acks(turn));
        }
        if ack.kind == Kind::Probe {
            self.send_probe(now, host, &ack);
            return;
        }
        let flow = &self.flows[ack.connection];
        let (dst, local_flow) = (flow.src, flow.received_as);
        let tx = self.tx_info(now, host, ack.connection, dst, local_flow, 0);
        let nic = &mut self.hosts[host];
        let path = nic.brain.ack_path(&tx, ack.path, &mut nic.draws);
        let size = self.scenario.packet.ack_bytes;
        let (connection, number) = (ack.connection, ack.number);
        let mut packet = new_packet(now, ack.kind, dst, connection, number, size, path);
        packet.flags = Flags::when(ack.marked, Flags::MARKED);
        self.put_on_wire(now, host, packet, (ack.since, false));
    }

    /// A SYN starts, on the path of a data packet: the first bit of its flow.
    fn send_probe(&mut self, now: Time, host: usize, syn: &PendingAck) {
        let flow = &mut self.flows[syn.connection];
        flow.start.get_or_insert(now);
        let dst = flow.dst;
        self.first_bit.get_or_insert(now);
        let path = self.data_path(now, syn.connection, 0);
        let size = self.scenario.packet.ack_bytes;
        let packet = new_packet(now, syn.kind, dst, syn.connection, syn.number, size, path);
        self.put_on_wire(now, host, packet, (syn.since, false));
    }

    fn send_pause(&mut self, now: Time, host: usize, kind: Kind, since: Time) {
        let QueueKind::Lossless(lossless) = self.scenario.fabric.queue.kind else {
            panic!("a pause frame where nothing is lossless");
        };
        let packet = new_packet(now, kind, 0, 0, 0, lossless.pause_frame_bytes, 0);
        self.put_on_wire(now, host, packet, (since, false));
    }

    pub(crate) fn put_data_on_wire(&mut self, now: Time, host: usize, packet: Packet, again: bool) {
        let wire = self.tx(packet.size) + self.gap();
        self.hosts[host].pacer.sent(wire);
        self.put_on_wire(now, host, packet, (now, again));
    }

    /// The frame starts, which counts as queued `since` some instant; it may have been sent before.
    fn put_on_wire(
        &mut self,
        now: Time,
        host: usize,
        packet: Packet,
        (since, again): (Time, bool),
    ) {
        let tx = self.tx(packet.size);
        let frame = InService {
            packet,
            since,
            started: now,
            again,
        };
        let left = self.hosts[host].serve(frame, tx);
        self.agenda.add(left, Event::FrameLeftNic { host });
    }

    fn tx_info(
        &self,
        now: Time,
        host: usize,
        flow: usize,
        peer: usize,
        local_flow: usize,
        subflow: u32,
    ) -> TxInfo {
        let mut peers = self.hosts[host].peers.iter();
        TxInfo {
            now,
            flow: flow as u32,
            local_flow,
            peer: peer as u32,
            local_peer: peers.position(|p| *p == peer).expect("a known peer"),
            layer: self.flows[flow].layer,
            subflow,
        }
    }
}

pub(crate) fn new_packet(
    now: Time,
    kind: Kind,
    dst: usize,
    flow: usize,
    psn: u32,
    size: u32,
    path: u16,
) -> Packet {
    Packet {
        time: now,
        dst: dst as u32,
        flow: flow as u32,
        psn,
        size,
        path,
        ingress: 0,
        kind,
        flags: Flags::NONE,
        via: [0, 0],
    }
}
