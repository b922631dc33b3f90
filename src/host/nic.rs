//! The NIC: one wire, shared round robin, one packet a turn, by the host's flows and its pending ACKs.
//!
//! Classes stand in one queue in order of joining. A class joins at the back when it becomes non-empty; the class served last rejoins
//! at the back at the next decision, so that one which joined while it was served goes first (appendix A: data and ACKs alternate). A
//! class that may not send (data that is not due) is passed over and keeps its place. Our reading of "round robin" in section 2.2.
//!
//! With `control_per_data` n above 1, that many control frames go for each data frame where both wait, first come first served among themselves (uet-htsim's
//! `UecNIC`: 10). A NIC whose link is paused starts no frames but pause frames; where control frames have a class of their own, they go on.
//!
//! For statistics the queue of a NIC holds the frame in service and the pending control frames: data waits in host memory. Not modelled:
//! more than one link.

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
    /// ACKs, NACKs and probes whose last bit left.
    pub control_packets: u64,
}

/// A member of the round robin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// A flow that has data to send, by local number.
    Data(u32),
    /// Pending ACKs: all of the host (0), or those of one incoming flow.
    Acks(u32),
}

/// A control frame that waits for its turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingAck {
    /// The data packet's number, or its own.
    pub(super) psn: u32,
    /// The data packet's path.
    pub(super) path: u16,
    pub(super) marked: bool,
    /// ACK, NACK, or probe.
    pub(super) kind: Kind,
}

/// How a NIC takes turns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turns {
    /// What is a member of the round robin among ACKs.
    pub(super) acks: AckTurns,
    /// Control frames for each data frame where both wait.
    pub(super) control_per_data: u32,
    /// Whether a pause stops control frames too.
    pub(super) pause_stops_control: bool,
}

impl PendingAck {
    pub(super) fn of(data: &Packet) -> Self {
        Self {
            psn: data.psn,
            path: data.path,
            marked: data.is_marked(),
            kind: Kind::Ack,
        }
    }
}

/// What a NIC leaves at the end of a run.
#[derive(Debug)]
pub(super) struct Left {
    /// What it counted.
    pub(super) stats: NicStats,
    /// How many of each wait.
    pub(super) control_frames: u64,
    pub(super) pause_frames: u64,
    pub(super) in_service: Option<Packet>,
}

#[derive(Debug)]
pub(super) struct Nic {
    turns: Turns,
    /// Control frames served since the last data frame while both waited; and whether both wait now.
    control_served: u32,
    both_wait: bool,
    /// Pause frames that wait.
    pauses: VecDeque<Kind>,
    /// Since when the link is paused.
    paused: Option<Time>,
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
    pub(super) fn new(turns: Turns, receivers: usize, drift: Drift) -> Self {
        let queues = match turns.acks {
            AckTurns::Class => 1,
            // The last is for probes.
            AckTurns::Flow => receivers + 1,
        };
        Self {
            turns,
            control_served: 0,
            both_wait: false,
            pauses: VecDeque::new(),
            paused: None,
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

    /// Whether an ACK waits that may be sent.
    #[inline]
    pub(super) fn has_acks(&self) -> bool {
        self.waiting > 0 && !(self.paused.is_some() && self.turns.pause_stops_control)
    }

    /// Whether data may be sent.
    #[inline]
    pub(super) fn may_send_data(&self) -> bool {
        self.paused.is_none()
    }

    /// A pause frame came in at `at`.
    pub(super) fn pause(&mut self, kind: Kind, at: Time) {
        match (kind, self.paused) {
            (Kind::Pause, None) => {
                self.paused = Some(at);
                self.stats.port.pauses += 1;
            }
            (Kind::Resume, Some(since)) => {
                self.paused = None;
                self.stats.port.paused += at - since;
            }
            _ => {}
        }
    }

    /// A pause frame is to be sent.
    pub(super) fn push_pause(&mut self, kind: Kind, bytes: u32) {
        self.pauses.push_back(kind);
        self.queued(bytes);
    }

    /// Whether a pause frame waits.
    #[inline]
    pub(super) fn has_pauses(&self) -> bool {
        !self.pauses.is_empty()
    }

    /// The next pause frame.
    pub(super) fn pop_pause(&mut self) -> Option<Kind> {
        self.pauses.pop_front()
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

    /// A control frame of receiver `slot` (a probe: of that sender) becomes pending.
    pub(super) fn push_ack(&mut self, slot: u32, ack: PendingAck, bytes: u32) {
        let queue = match self.turns.acks {
            AckTurns::Class => 0,
            AckTurns::Flow if ack.kind == Kind::Probe => self.pending.len() as u32 - 1,
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
        let packets = self.waiting + self.pauses.len() as u64 + u64::from(self.busy());
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
        let may_ack = self.has_acks();
        let acks = self.acks.front().filter(|_| may_ack);
        let acks = acks.map(|&(stamp, _)| stamp);
        if self.both_wait {
            return self.weighted();
        }
        match (data, acks) {
            (Some(data), acks) if acks.is_none_or(|acks| data < acks) => {
                self.data.pop_front().map(|(_, flow)| Class::Data(flow))
            }
            (_, Some(_)) => self.acks.pop_front().map(|(_, queue)| Class::Acks(queue)),
            _ => None,
        }
    }

    /// Data and control wait, and control goes more often.
    fn weighted(&mut self) -> Option<Class> {
        if self.control_served == self.turns.control_per_data {
            return self.data.pop_front().map(|(_, flow)| Class::Data(flow));
        }
        self.control_served += 1;
        self.acks.pop_front().map(|(_, queue)| Class::Acks(queue))
    }

    /// Whether control frames have a weight.
    #[inline]
    pub(super) fn is_weighted(&self) -> bool {
        self.turns.control_per_data > 1
    }

    /// The flow at place `place` of the round robin; the one that rejoins is the last.
    pub(super) fn data_member(&self, place: usize) -> Option<u32> {
        match (self.data.get(place), self.rejoins) {
            (Some(&(_, flow)), _) => Some(flow),
            (None, Some(Class::Data(flow))) if place == self.data.len() => Some(flow),
            _ => None,
        }
    }

    /// Say whether data and control wait and both may be sent, where control frames have a weight.
    pub(super) fn weigh(&mut self, both_wait: bool) {
        self.both_wait = both_wait;
    }

    /// `class` had its turn; if it has `more`, it rejoins at the next decision.
    pub(super) fn served(&mut self, class: Class, more: bool) {
        if self.both_wait && matches!(class, Class::Data(_)) {
            self.control_served = 0;
        }
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
        match packet.kind {
            Kind::Data => self.stats.data_packets += 1,
            Kind::Pause | Kind::Resume => {}
            _ => self.stats.control_packets += 1,
        }
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

    /// At the end of a run, which is at `end`.
    pub(super) fn close(&mut self, end: Time) -> Left {
        let in_service = self.in_service.take();
        if let Some(since) = self.paused {
            self.stats.port.paused += Span(end.saturating_since(since).0);
        }
        if in_service.is_some() {
            self.stats.port.busy.0 -= (self.depart - self.started).0;
        }
        Left {
            stats: self.stats,
            control_frames: self.waiting,
            pause_frames: self.pauses.len() as u64,
            in_service,
        }
    }
}

#[cfg(test)]
#[path = "nic_tests.rs"]
mod tests;
