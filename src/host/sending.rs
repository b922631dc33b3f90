//! A host's frames: made when the NIC starts them.

use super::Host;
use super::nic::Class;
use super::trace::{TraceEvent, Traced};
use crate::engine::{Context, Outbox};
use crate::lb::host::{PathPolicy, TxInfo};
use crate::packet::{Flags, Kind, Packet};
use crate::units::Time;

impl Host {
    /// Flow `local_flow` sends its next packet at `at`.
    pub(super) fn send_data<O: Outbox>(
        &mut self,
        local_flow: usize,
        at: Time,
        cx: &mut Context<'_, O>,
    ) {
        let sender = &mut self.senders[local_flow];
        let next = sender.next_packet(&self.settings.frames, at);
        let connection = sender.connection;
        let tx = sender.tx(self.first_flow, next.subflow, at);
        let path = self.policy.data_path(&tx, &mut self.rng);
        let packet = frame(&tx, Kind::Data, next.psn, next.size, path);
        let turn = if sender.has_more() {
            Some(local_flow as u32)
        } else {
            self.next_message(local_flow)
        };
        let more = turn.is_some();
        self.unsent_flows -= u32::from(!more);
        self.payload_is_sent(next.size - self.settings.frames.header_bytes, cx);
        let class = Class::Data(turn.unwrap_or(local_flow as u32));
        self.begin_data(packet, class, more, cx);
        self.trace(connection, at, TraceEvent::Send, Traced::of(&packet));
    }

    /// So many bytes of payload are sent for the first time.
    #[inline]
    pub(super) fn payload_is_sent<O: Outbox>(&mut self, bytes: u32, cx: &mut Context<'_, O>) {
        self.unsent_bytes -= u64::from(bytes);
        if self.far_from_end && self.unsent_bytes <= self.settings.window_bytes {
            self.far_from_end = false;
            cx.tally.host_nears_end();
        }
    }

    /// Data `packet` of `class`, which has more or not, starts at its time.
    #[inline]
    pub(super) fn begin_data<O: Outbox>(
        &mut self,
        packet: Packet,
        class: Class,
        more: bool,
        cx: &mut Context<'_, O>,
    ) {
        let link = self.settings.link;
        let wire = link.tx_time(packet.size);
        self.pacer.sent(wire + link.gap, self.unsent_flows > 0);
        self.nic.served(class, more);
        self.count(packet.time, packet.size, false, cx.tally);
        self.nic.begin(packet, packet.time, wire, link.gap);
        self.nic.queued(packet.size);
    }

    /// The next control frame of `class` starts at `at`.
    pub(super) fn send_ack(&mut self, class: Class, at: Time) {
        let (slot, ack) = self
            .nic
            .pop_ack(class)
            .expect("a class that has its turn has an ACK");
        if ack.kind == Kind::Probe {
            self.send_probe(slot, ack.psn, class, at);
            return;
        }
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
        let path = self.policy.ack_path(&tx, ack.path, &mut self.rng);
        let packet = Packet {
            flags: Flags::when(ack.marked, Flags::MARKED),
            ..frame(&tx, ack.kind, ack.psn, size, path)
        };
        self.begin_control(packet, class);
    }

    /// Probe number `psn` of connection `number` starts at `at`.
    fn send_probe(&mut self, number: u32, psn: u32, class: Class, at: Time) {
        if psn == Packet::SYN && self.senders[number as usize].started.is_none() {
            self.first_bit(number as usize, number as usize, at);
        }
        let tx = self.senders[number as usize].tx(self.first_flow, 0, at);
        let path = self.policy.data_path(&tx, &mut self.rng);
        let size = self.settings.frames.ack_bytes;
        let packet = frame(&tx, Kind::Probe, psn, size, path);
        self.begin_control(packet, class);
    }

    #[inline]
    fn begin_control(&mut self, packet: Packet, class: Class) {
        let more = self.nic.class_has_acks(class);
        self.nic.served(class, more);
        let link = self.settings.link;
        let wire = link.tx_time(packet.size);
        self.nic.begin(packet, packet.time, wire, link.gap);
    }

    /// A pause frame for the edge switch starts at `at`.
    pub(super) fn send_pause(&mut self, kind: Kind, at: Time) {
        let size = self.settings.pause_frame_bytes;
        let packet = Packet {
            time: at,
            ..Packet::pause_frame(kind, size)
        };
        let link = self.settings.link;
        self.nic.begin(packet, at, link.tx_time(size), link.gap);
    }
}

/// The frame number `psn`, of `size` bytes, that leaves on `path` when and where `tx` says.
#[inline]
pub(super) fn frame(tx: &TxInfo, kind: Kind, psn: u32, size: u32, path: u16) -> Packet {
    Packet {
        time: tx.now,
        dst: tx.peer,
        flow: tx.flow,
        psn,
        size,
        path,
        ingress: 0,
        kind,
        flags: Flags::NONE,
        via: [0; 2],
    }
}
