//! A host whose connections begin with a handshake: its SYNs, and the instants at which they are due.
//!
//! A SYN waits in the NIC's queue, which statistics see, from the instant on at which its flow starts; so a host has a timer for that, where data
//! would wait until the NIC is free.

use super::Host;
use super::nic::PendingAck;
use super::reliable::Changes;
use super::trace::{TraceEvent, Traced};
use crate::engine::{Context, Outbox};
use crate::packet::{AckRecord, Kind, Packet};
use crate::units::Time;

impl Host {
    /// Whether connections begin with a handshake.
    pub(super) fn opens(&self) -> bool {
        let transport = self.settings.transport;
        transport.is_some_and(|env| env.transport.handshake)
    }

    /// When the next flow starts whose SYN is due then.
    pub(super) fn next_opening(&self) -> Time {
        let start = self.starts.front().filter(|_| self.opens());
        start.map_or(Time::NEVER, |&(at, _)| at)
    }

    /// A SYN of connection `number` joins the NIC's queue at `at`.
    pub(super) fn send_syn<O: Outbox>(&mut self, number: u32, at: Time, cx: &mut Context<'_, O>) {
        let syn = PendingAck {
            psn: Packet::SYN,
            path: 0,
            marked: false,
            kind: Kind::Probe,
        };
        self.push_control(number, syn, at, cx);
        let bytes = self.settings.frames.ack_bytes;
        let what = Traced {
            psn: 0,
            bytes,
            path: 0,
        };
        self.trace(number, at, TraceEvent::Syn, what);
        if let Some(connections) = &mut self.connections {
            connections.arm(number, at);
        }
        self.set_timer();
    }

    /// A SYN of connection `number` is answered by `packet`, which says `record`.
    pub(super) fn opened<O: Outbox>(
        &mut self,
        number: u32,
        packet: &Packet,
        record: &AckRecord,
        cx: &mut Context<'_, O>,
    ) {
        let now = packet.time;
        if let Some(connections) = &mut self.connections {
            connections.changes = Changes::default();
            connections.senders[number as usize].open();
        }
        self.senders[number as usize].count_ack(packet.is_marked());
        self.trace_answer(number, packet, record, TraceEvent::Ack);
        self.take_changes(number, now, TraceEvent::Lost, cx);
    }
}
