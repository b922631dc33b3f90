//! A host's frames: made when the NIC starts them.

use super::Host;
use super::nic::Class;
use super::trace::TraceEvent;
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
        self.payload_is_sent(next.size - self.settings.frames.header_bytes, cx);
        let class = Class::Data(turn.unwrap_or(local_flow as u32));
        self.begin_data(packet, (class, more), cx);
        let what = (next.psn, next.size, packet.path);
        self.trace(connection as u32, at, TraceEvent::Send, what);
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
        (class, more): (Class, bool),
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
            self.send_probe((slot, ack.psn), class, at);
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
        let packet = Packet {
            time: at,
            dst: receiver.peer,
            flow: receiver.flow,
            psn: ack.psn,
            size,
            path: self.policy.ack_path(&tx, ack.path, &mut self.rng),
            ingress: 0,
            kind: ack.kind,
            flags: Flags::when(ack.marked, Flags::MARKED),
            via: [0; 2],
        };
        self.begin_control(packet, class);
    }

    /// Probe number `psn` of connection `number` starts at `at`.
    fn send_probe(&mut self, (number, psn): (u32, u32), class: Class, at: Time) {
        let sender = &self.senders[number as usize];
        let tx = TxInfo {
            now: at,
            flow: self.first_flow + number,
            local_flow: number as usize,
            peer: sender.peer,
            local_peer: sender.local_peer,
            layer: sender.layer,
            subflow: 0,
        };
        let packet = Packet {
            time: at,
            dst: tx.peer,
            flow: tx.flow,
            psn,
            size: self.settings.frames.ack_bytes,
            path: self.policy.data_path(&tx, &mut self.rng),
            ingress: 0,
            kind: Kind::Probe,
            flags: Flags::NONE,
            via: [0; 2],
        };
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
            dst: 0,
            flow: 0,
            psn: 0,
            size,
            path: 0,
            ingress: 0,
            kind,
            flags: Flags::NONE,
            via: [0; 2],
        };
        let link = self.settings.link;
        self.nic.begin(packet, at, link.tx_time(size), link.gap);
    }
}
