//! The latency stage of a switch: packets between their decision and their output queue.
//!
//! Without jitter every packet spends the same time here, so they leave in order of arrival. With jitter each draws its own latency,
//! uniform from the fixed one to the fixed one plus the jitter, in order of arrival from the switch's own stream; but it leaves no
//! earlier than the packet before it from the same ingress port, as a pipeline keeps the order of each port (our reading). So a switch
//! alone does not reorder a flow. Packets that leave at one instant do so in order of arrival. Not modelled: contention.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::packet::Packet;
use crate::rng::Rng;
use crate::units::{Span, Time};

/// A packet that leaves the stage at an instant for an output port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Staged {
    pub(super) due: Time,
    /// Its place in the order of arrival, where that does not follow from its place in the stage.
    turn: u64,
    pub(super) port: usize,
    pub(super) packet: Packet,
}

impl Staged {
    fn rank(&self) -> (Time, u64) {
        (self.due, self.turn)
    }
}

impl PartialEq for Staged {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Staged {}

impl PartialOrd for Staged {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Staged {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// What jitter takes.
#[derive(Debug)]
struct Jitter {
    span: Span,
    rng: Rng,
    /// By ingress port, when its last packet leaves.
    last: Vec<Time>,
    staged: BinaryHeap<Reverse<Staged>>,
    turn: u64,
}

/// The packets that have been decided and not yet enqueued, by the instant at which they are.
#[derive(Debug)]
pub struct LatencyStage {
    latency: Span,
    fifo: VecDeque<Staged>,
    jitter: Option<Box<Jitter>>,
}

impl LatencyStage {
    /// A stage that takes `latency`.
    #[must_use]
    pub fn new(latency: Span) -> Self {
        Self {
            latency,
            fifo: VecDeque::new(),
            jitter: None,
        }
    }

    /// A stage of a switch of `ports` ports that takes `latency` and up to `jitter` more, drawn from `rng`.
    #[must_use]
    pub fn jittery(latency: Span, jitter: Span, rng: Rng, ports: usize) -> Self {
        let jitter = Jitter {
            span: jitter,
            rng,
            last: vec![Time::ZERO; ports],
            staged: BinaryHeap::new(),
            turn: 0,
        };
        Self {
            jitter: Some(Box::new(jitter)),
            ..Self::new(latency)
        }
    }

    /// Whether no packet ever spends any time here.
    #[inline]
    pub(super) fn is_nothing(&self) -> bool {
        self.latency == Span::ZERO && self.jitter.is_none()
    }

    /// When the packet that arrives at `now` by `ingress` leaves; asked once, in order of arrival.
    #[inline]
    pub(super) fn due(&mut self, now: Time, ingress: u16) -> Time {
        let due = now + self.latency;
        match &mut self.jitter {
            None => due,
            Some(jitter) => {
                let drawn = due + Span(jitter.rng.below_u64(jitter.span.0 + 1));
                let last = &mut jitter.last[usize::from(ingress)];
                *last = drawn.max(*last);
                *last
            }
        }
    }

    /// Take `packet` until `due`, for output port `port`.
    #[inline]
    pub(super) fn put(&mut self, due: Time, port: usize, packet: Packet) {
        let mut staged = Staged {
            due,
            turn: 0,
            port,
            packet,
        };
        match &mut self.jitter {
            None => self.fifo.push_back(staged),
            Some(jitter) => {
                staged.turn = jitter.turn;
                jitter.turn += 1;
                jitter.staged.push(Reverse(staged));
            }
        }
    }

    /// The first packet that leaves by `now`.
    #[inline]
    pub(super) fn take(&mut self, now: Time) -> Option<Staged> {
        if self.next() > now {
            return None;
        }
        match &mut self.jitter {
            None => self.fifo.pop_front(),
            Some(jitter) => jitter.staged.pop().map(|Reverse(staged)| staged),
        }
    }

    /// At the end of a run: the packets that are still here, and their ports.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (usize, Packet)> {
        let jitter = self.jitter.as_mut();
        let jittered = jitter.map(|jitter| std::mem::take(&mut jitter.staged).into_iter());
        let jittered = jittered.into_iter().flatten().map(|Reverse(staged)| staged);
        let all = self.fifo.drain(..).chain(jittered);
        all.map(|staged| (staged.port, staged.packet))
    }

    /// When the first packet leaves; [`Time::NEVER`] if there is none.
    #[inline]
    pub(super) fn next(&self) -> Time {
        let first = match &self.jitter {
            None => self.fifo.front(),
            Some(jitter) => jitter.staged.peek().map(|Reverse(staged)| staged),
        };
        first.map_or(Time::NEVER, |staged| staged.due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Flags, Kind};
    use crate::rng::Domain;

    fn packet(psn: u32) -> Packet {
        Packet {
            time: Time::ZERO,
            dst: 0,
            flow: 0,
            psn,
            size: 64,
            path: 0,
            ingress: 0,
            kind: Kind::Data,
            flags: Flags::NONE,
            via: [0; 2],
        }
    }

    fn drain(stage: &mut LatencyStage) -> Vec<(u64, u32)> {
        let mut out = Vec::new();
        while let Some(left) = stage.take(Time(u64::MAX - 1)) {
            out.push((left.due.0, left.packet.psn));
        }
        out
    }

    #[test]
    fn without_jitter_packets_leave_in_order_after_the_latency() {
        let mut stage = LatencyStage::new(Span(300));
        for psn in 0..3 {
            let due = stage.due(Time(u64::from(psn) * 10), 0);
            stage.put(due, 1, packet(psn));
        }
        assert_eq!(stage.next(), Time(300));
        assert!(stage.take(Time(299)).is_none());
        assert_eq!(drain(&mut stage), [(300, 0), (310, 1), (320, 2)]);
        assert_eq!(stage.next(), Time::NEVER);
        assert!(LatencyStage::new(Span::ZERO).is_nothing());
    }

    #[test]
    fn jitter_is_uniform_with_both_ends_and_comes_on_top() {
        let rng = Rng::stream(1, Domain::SwitchJitter, 0);
        let mut stage = LatencyStage::jittery(Span(7), Span(2), rng, 1);
        assert!(!stage.is_nothing());
        let mut counts = [0_i32; 3];
        for step in 0..30_000 {
            let now = Time(step * 100);
            counts[(stage.due(now, 0) - now).0 as usize - 7] += 1;
        }
        // The deviation of each count is 82.
        assert!(
            counts.iter().all(|count| (count - 10_000).abs() < 410),
            "{counts:?}"
        );
    }

    #[test]
    fn jitter_reorders_packets_of_different_ingresses_alone() {
        let rng = Rng::stream(1, Domain::SwitchJitter, 0);
        let mut stage = LatencyStage::jittery(Span(0), Span(1_000), rng, 2);
        for psn in 0..1_000 {
            let due = stage.due(Time(u64::from(psn) * 10), (psn % 2) as u16);
            stage.put(due, 0, packet(psn));
        }
        let left = drain(&mut stage);
        assert!(left.is_sorted_by_key(|&(due, _)| due));
        assert!(!left.is_sorted_by_key(|&(_, psn)| psn), "some overtake");
        for ingress in 0..2 {
            let of = left.iter().filter(|(_, psn)| psn % 2 == ingress);
            assert!(of.is_sorted_by_key(|(_, psn)| psn), "ingress {ingress}");
        }
    }
}
