//! The NIC: one wire, shared round robin, one packet a turn, by the host's flows and its pending ACKs.
//!
//! Classes stand in one queue in order of joining. A class joins at the back when it becomes non-empty; the class served last rejoins
//! at the back at the next decision, so that one which joined while it was served goes first (appendix A: data and ACKs alternate). A
//! class that may not send (data that is not due) is passed over and keeps its place. Our reading of "round robin" in section 2.2.
//!
//! For statistics the queue of a NIC holds the frame in service and the pending ACKs: data waits in host memory. Not modelled: priorities.

use std::collections::VecDeque;

use super::clock::TxClock;
use crate::packet::{Kind, Packet};
use crate::port::PortStats;
use crate::settings::AckTurns;
use crate::units::{Drift, Span, Time};

/// What a NIC counted: its wire, and how many of the frames were data.
#[derive(Clone, Copy, Debug, Default)]
pub struct NicStats {
    /// As for a switch's port.
    pub port: PortStats,
    /// Data frames whose last bit left.
    pub data_packets: u64,
}

/// A member of the round robin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// A flow that has data to send, by local number.
    Data(u32),
    /// Pending ACKs: all of the host (0), or those of one incoming flow.
    Acks(u32),
}

/// An ACK that waits for its turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingAck {
    pub(super) psn: u32,
    pub(super) path: u16,
    pub(super) marked: bool,
}

impl PendingAck {
    pub(super) fn of(data: &Packet) -> Self {
        Self {
            psn: data.psn,
            path: data.path,
            marked: data.is_marked(),
        }
    }
}

#[derive(Debug)]
pub(super) struct Nic {
    ack_turns: AckTurns,
    /// The stamp of the next class to join.
    stamp: u64,
    /// Both kinds of class with their stamps, in order.
    data: VecDeque<(u64, u32)>,
    acks: VecDeque<(u64, u32)>,
    /// The class served last, if it has more: it rejoins at the next decision.
    rejoins: Option<Class>,
    /// Pending ACKs as (receiver, ACK): one queue in all, or one a receiver.
    pending: Vec<VecDeque<(u32, PendingAck)>>,
    waiting: u64,
    in_service: Option<Packet>,
    clock: TxClock,
    /// When the frame in service started.
    started: Time,
    depart: Time,
    free: Time,
    bytes: u64,
    stats: NicStats,
}

impl Nic {
    pub(super) fn new(ack_turns: AckTurns, receivers: usize, drift: Drift) -> Self {
        let queues = match ack_turns {
            AckTurns::Class => 1,
            AckTurns::Flow => receivers,
        };
        Self {
            ack_turns,
            stamp: 0,
            data: VecDeque::new(),
            acks: VecDeque::new(),
            rejoins: None,
            pending: vec![VecDeque::new(); queues],
            waiting: 0,
            in_service: None,
            clock: TxClock::new(drift),
            started: Time::ZERO,
            depart: Time::NEVER,
            free: Time::ZERO,
            bytes: 0,
            stats: NicStats::default(),
        }
    }

    /// Whether a frame is in service.
    #[inline]
    pub(super) fn busy(&self) -> bool {
        self.in_service.is_some()
    }

    /// When the frame in service has left.
    #[inline]
    pub(super) fn depart(&self) -> Time {
        self.depart
    }

    /// When the wire is next free (a gap after the last frame).
    #[inline]
    pub(super) fn free(&self) -> Time {
        self.free
    }

    /// Whether an ACK waits.
    #[inline]
    pub(super) fn has_acks(&self) -> bool {
        self.waiting > 0
    }

    /// Whether an ACK of `class` waits.
    pub(super) fn class_has_acks(&self, class: Class) -> bool {
        matches!(class, Class::Acks(queue) if !self.pending[queue as usize].is_empty())
    }

    /// `class` has become non-empty.
    pub(super) fn join(&mut self, class: Class) {
        let stamp = self.stamp;
        self.stamp += 1;
        match class {
            Class::Data(flow) => self.data.push_back((stamp, flow)),
            Class::Acks(queue) => self.acks.push_back((stamp, queue)),
        }
    }

    /// An ACK of receiver `slot` becomes pending.
    pub(super) fn push_ack(&mut self, slot: u32, ack: PendingAck, bytes: u32) {
        let queue = match self.ack_turns {
            AckTurns::Class => 0,
            AckTurns::Flow => slot,
        };
        if self.pending[queue as usize].is_empty() {
            self.join(Class::Acks(queue));
        }
        self.pending[queue as usize].push_back((slot, ack));
        self.waiting += 1;
        self.queued(bytes);
    }

    /// A frame of `bytes` has joined the queue.
    pub(super) fn queued(&mut self, bytes: u32) {
        self.bytes += u64::from(bytes);
        let packets = self.waiting + u64::from(self.busy());
        let port = &mut self.stats.port;
        port.queue_max_bytes = port.queue_max_bytes.max(self.bytes);
        port.queue_max_packets = port.queue_max_packets.max(packets);
    }

    /// The class whose turn it is (data only if it is due). It leaves the queue of classes until [`Nic::served`].
    pub(super) fn next(&mut self, data_is_due: bool) -> Option<Class> {
        if let Some(class) = self.rejoins.take() {
            self.join(class);
        }
        let data = self
            .data
            .front()
            .filter(|_| data_is_due)
            .map(|&(stamp, _)| stamp);
        let acks = self.acks.front().map(|&(stamp, _)| stamp);
        match (data, acks) {
            (Some(data), acks) if acks.is_none_or(|acks| data < acks) => {
                self.data.pop_front().map(|(_, flow)| Class::Data(flow))
            }
            _ => self.acks.pop_front().map(|(_, queue)| Class::Acks(queue)),
        }
    }

    /// `class` had its turn; if it has `more`, it rejoins at the next decision.
    pub(super) fn served(&mut self, class: Class, more: bool) {
        self.rejoins = more.then_some(class);
    }

    /// The next pending ACK of `class` and its receiver.
    pub(super) fn pop_ack(&mut self, class: Class) -> Option<(u32, PendingAck)> {
        let Class::Acks(queue) = class else {
            return None;
        };
        let ack = self.pending[queue as usize].pop_front()?;
        self.waiting -= 1;
        Some(ack)
    }

    /// Start `packet` at `at`; by the NIC's clock it takes `wire`, and a `gap` follows.
    pub(super) fn begin(&mut self, packet: Packet, at: Time, wire: Span, gap: Span) {
        self.started = at;
        (self.depart, self.free) = self.clock.send(at, self.free, wire, gap);
        self.stats.port.busy += self.depart - at;
        self.in_service = Some(packet);
    }

    /// The frame in service has left.
    pub(super) fn end(&mut self) -> Packet {
        let packet = self
            .in_service
            .take()
            .expect("a busy NIC has a frame in service");
        self.bytes -= u64::from(packet.size);
        self.stats.port.packets += 1;
        self.stats.port.bytes += u64::from(packet.size);
        self.stats.data_packets += u64::from(packet.kind == Kind::Data);
        packet
    }

    /// When the last frame left; 0 if none has.
    pub(super) fn last_left(&self) -> Time {
        if self.depart == Time::NEVER {
            Time::ZERO
        } else {
            self.depart
        }
    }

    /// At the end of a run: the counters, the ACKs that wait, and the bytes of the frame in service.
    pub(super) fn close(&mut self) -> (NicStats, u64, Option<u32>) {
        let in_service = self.in_service.take().map(|packet| packet.size);
        if in_service.is_some() {
            self.stats.port.busy.0 -= (self.depart - self.started).0;
        }
        (self.stats, self.waiting, in_service)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACK: PendingAck = PendingAck {
        psn: 0,
        path: 0,
        marked: false,
    };

    #[test]
    fn a_class_that_joins_during_service_goes_before_the_one_in_service() {
        let mut nic = Nic::new(AckTurns::Class, 1, Drift::NONE);
        nic.join(Class::Data(0));
        for _ in 0..3 {
            assert_eq!(nic.next(true), Some(Class::Data(0)));
            nic.served(Class::Data(0), true);
            nic.push_ack(0, ACK, 64);
            assert_eq!(nic.next(true), Some(Class::Acks(0)));
            assert!(nic.pop_ack(Class::Acks(0)).is_some());
            nic.served(Class::Acks(0), false);
        }
    }

    #[test]
    fn backlogged_data_and_acks_alternate() {
        let mut nic = Nic::new(AckTurns::Class, 1, Drift::NONE);
        nic.join(Class::Data(0));
        for _ in 0..6 {
            nic.push_ack(0, ACK, 64);
        }
        let mut order = Vec::new();
        for _ in 0..6 {
            let Some(class) = nic.next(true) else {
                panic!("idle")
            };
            if class == Class::Acks(0) {
                assert!(nic.pop_ack(class).is_some());
            }
            order.push(class);
            nic.served(class, true);
        }
        assert_eq!(order, [Class::Data(0), Class::Acks(0)].repeat(3));
    }

    #[test]
    fn data_that_is_not_due_keeps_its_place() {
        let mut nic = Nic::new(AckTurns::Class, 1, Drift::NONE);
        nic.join(Class::Data(0));
        nic.push_ack(0, ACK, 64);
        nic.push_ack(0, ACK, 64);
        assert_eq!(nic.next(false), Some(Class::Acks(0)));
        assert!(nic.pop_ack(Class::Acks(0)).is_some());
        nic.served(Class::Acks(0), true);
        assert_eq!(nic.next(true), Some(Class::Data(0)));
    }

    #[test]
    fn acks_by_flow_take_a_turn_each() {
        let mut nic = Nic::new(AckTurns::Flow, 2, Drift::NONE);
        nic.push_ack(0, ACK, 64);
        nic.push_ack(0, ACK, 64);
        nic.push_ack(1, ACK, 64);
        let mut order = Vec::new();
        for _ in 0..3 {
            let Some(class) = nic.next(false) else {
                panic!("idle")
            };
            order.push(nic.pop_ack(class).map(|(slot, _)| slot));
            nic.served(class, nic.class_has_acks(class));
        }
        assert_eq!(order, [Some(0), Some(1), Some(0)]);
    }
}
