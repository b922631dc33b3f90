//! A drop-tail FIFO output port with ECN at dequeue, drained lazily.
//!
//! The port has no event of its own: whenever its switch needs it at an instant t, it first pops, in order, each frame whose last
//! bit has left by t. Store and forward: a frame that starts at s has left at s + its time on the wire; the next may start a gap
//! later. Occupancy counts the frame in service until its last bit has left, and neither gaps nor frames on the wire.
//!
//! Marking (authors' fork of htsim, `ECNQueue`): at the departure, if the bytes queued, the departing frame included, exceed the threshold. Only
//! data is marked: ACKs are not ECN-capable (RFC 3168, section 6.1.4), though their bytes count (our reading).
//!
//! A link that is down or slow at times is [`Fault`]'s.
//!
//! Not modelled: priorities, trimming, pauses, buffers shared between ports.

use std::collections::VecDeque;

use super::{Bins, Fault, Place, PortStats};
use crate::engine::{Context, Outbox};
use crate::link::Link;
use crate::packet::{Flags, FrameCount, Kind, Packet};
use crate::prefetch;
use crate::probe::Tally;
use crate::units::{Span, Time};

/// A queue of more packets than this no longer lies in the caches, and its next slots are hinted.
const DEEP: u32 = 64;
/// So many packets ahead: two cache lines.
const AHEAD: usize = 4;

/// What bounds a port's queue.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes that fit, frame in service included; `u64::MAX`: no limit.
    pub buffer_bytes: u64,
    /// A data frame that leaves while more bytes than this are queued is marked; `u64::MAX`: never.
    pub ecn_threshold_bytes: u64,
}

/// A port's wire and the bounds of its queue; ports share it.
#[derive(Clone, Copy, Debug)]
pub struct Lane {
    /// The wire.
    pub link: Link,
    /// The bounds of the queue.
    pub limits: Limits,
}

/// One output port. Small, for there are many and each packet touches several.
#[derive(Debug)]
pub struct Fifo {
    /// When the frame in service has left; [`Time::NEVER`] if the port is idle.
    depart: Time,
    /// When an idle port may start its next frame.
    free: Time,
    bytes: u64,
    queue: VecDeque<Packet>,
    /// As in [`PortStats`].
    packets: u64,
    left_bytes: u64,
    busy: Span,
    queue_max_bytes: u64,
    marked_packets: u64,
    queue_max_packets: u32,
    peer: u32,
    peer_port: u16,
    /// The port's number at its switch: names its timer.
    port: u16,
    /// The stage that its integrals belong to.
    stage: u8,
    bins: Bins,
    /// What few ports need; `None`: nothing.
    rare: Option<Box<Rare>>,
}

/// What few ports need.
#[derive(Debug, Default)]
struct Rare {
    /// When the link is down or slow; `None`: never.
    fault: Option<Fault>,
    /// Of these, those that [`Fifo`] does not count itself.
    stats: PortStats,
}

impl Fifo {
    /// An empty port at `place`.
    #[must_use]
    pub fn new(place: Place) -> Self {
        let Place {
            port,
            peer,
            peer_port,
            stage,
            bins,
        } = place;
        Self {
            depart: Time::NEVER,
            free: Time::ZERO,
            bytes: 0,
            queue: VecDeque::new(),
            packets: 0,
            left_bytes: 0,
            busy: Span::ZERO,
            queue_max_bytes: 0,
            marked_packets: 0,
            queue_max_packets: 0,
            peer,
            peer_port,
            port,
            stage,
            bins,
            rare: None,
        }
    }

    /// The same port behind which the link is down or slow at times.
    #[must_use]
    pub fn with_fault(mut self, fault: Fault) -> Self {
        self.rare.get_or_insert_default().fault = Some(fault);
        self
    }

    #[inline]
    fn fault(&self) -> Option<&Fault> {
        self.rare.as_ref()?.fault.as_ref()
    }

    #[inline]
    fn fault_mut(&mut self) -> Option<&mut Fault> {
        self.rare.as_mut()?.fault.as_mut()
    }

    #[cold]
    fn count_rare(&mut self) -> &mut PortStats {
        &mut self.rare.get_or_insert_default().stats
    }

    /// When the frame in service will have left; [`Time::NEVER`] if the port is idle. Drain first.
    #[inline]
    #[must_use]
    pub fn depart(&self) -> Time {
        self.depart
    }

    /// Bytes waiting and in service. Drain first.
    #[inline]
    #[must_use]
    pub fn queued_bytes(&self) -> u64 {
        self.bytes
    }

    /// Let go of every frame whose last bit has left by `now`.
    #[inline]
    pub fn drain<O: Outbox>(&mut self, now: Time, lane: &Lane, cx: &mut Context<'_, O>) {
        while self.depart <= now {
            self.leave(lane, cx);
        }
    }

    /// The frame in service leaves; the next starts a gap later.
    #[inline]
    fn leave<O: Outbox>(&mut self, lane: &Lane, cx: &mut Context<'_, O>) {
        let Lane { link, limits } = lane;
        let packet = self
            .queue
            .front_mut()
            .expect("a port that is not idle has a frame in service");
        if self.bytes > limits.ecn_threshold_bytes
            && packet.kind == Kind::Data
            && !packet.is_marked()
        {
            packet.flags.set(Flags::MARKED);
            self.marked_packets += 1;
        }
        let left = self.depart;
        let fault = self.rare.as_ref().and_then(|rare| rare.fault.as_ref());
        let link = fault.map_or(link, |fault| fault.link());
        let latency = link.latency;
        self.bytes -= u64::from(packet.size);
        self.packets += 1;
        self.left_bytes += u64::from(packet.size);
        cx.tally.leave(usize::from(self.stage), left, packet.size);
        self.free = left + link.gap;
        if self.bins != Bins::None {
            let first = Time(left.0 - link.tx_time(packet.size).0);
            match self.bins {
                Bins::Busy => cx.tally.busy.add(first, self.free),
                _ if packet.kind != Kind::Data => {}
                _ => cx.tally.deliver(first, left),
            }
        }
        let lost = |fault: &Fault| fault.loses(left, link.tx_time(packet.size));
        if fault.is_some_and(lost) {
            let packet = *packet;
            self.count_rare().lose(&packet);
            cx.tally.lost(left + latency);
        } else {
            cx.out
                .post(self.peer, packet, left + latency, self.peer_port);
        }
        if self.queue.len() == 1 {
            // Also starts again at the first slots, which the cache still holds.
            self.queue.clear();
        } else {
            self.queue.pop_front();
        }
        if let Some(fault) = self.fault_mut() {
            fault.note(left);
        }
        self.depart = Time::NEVER;
        if let Some(next) = self.queue.front() {
            let size = next.size;
            self.start(self.free, size, &lane.link, cx);
        }
    }

    /// The frame at the head, of `size` bytes, starts at `at`, or when its link is back.
    #[inline]
    fn start<O: Outbox>(&mut self, at: Time, size: u32, link: &Link, cx: &mut Context<'_, O>) {
        let (at, link) = match self.fault_mut() {
            None => (at, link),
            Some(fault) => match fault.start(at, link) {
                Some(at) => (at, fault.link()),
                None => return,
            },
        };
        let tx = link.tx_time(size);
        self.busy += tx;
        self.depart = at + tx;
        cx.out.wake(u32::from(self.port), self.depart);
    }

    /// Take a copy of `packet`, which has come `via` these uplinks, at `now`, or drop it if it does not fit. Drain first.
    #[inline]
    pub fn enqueue<O: Outbox>(
        &mut self,
        packet: &Packet,
        via: [u8; 2],
        now: Time,
        lane: &Lane,
        cx: &mut Context<'_, O>,
    ) {
        let Lane { link, limits } = lane;
        let bytes = self.bytes + u64::from(packet.size);
        if bytes > limits.buffer_bytes {
            self.count_rare().drop(packet);
            return;
        }
        self.bytes = bytes;
        let packets = self.queue.len() as u32 + 1;
        self.queue_max_bytes = self.queue_max_bytes.max(bytes);
        self.queue_max_packets = self.queue_max_packets.max(packets);
        cx.tally.enter(usize::from(self.stage), now, packet.size);
        if let Some(fault) = self.fault_mut() {
            fault.note(now);
        }
        if self.depart == Time::NEVER {
            self.start(now.max(self.free), packet.size, link, cx);
        }
        self.queue.push_back(packet.routed(via));
        if packets > DEEP {
            let (first, rest) = self.queue.as_slices();
            prefetch::for_writing(if rest.is_empty() { first } else { rest }, AHEAD);
        }
    }

    /// When a frame last entered or left the queue, once nothing more can happen; 0 if none has.
    #[must_use]
    pub fn last_active(&self, link: &Link) -> Time {
        match self.fault() {
            // Every frame that entered has left.
            None => Time(self.free.saturating_since(Time(link.gap.0)).0),
            Some(fault) => fault.last_active(),
        }
    }

    /// At the end of a run: what the port counted. Frames still queued leave the integrals at `end`.
    pub fn close(&mut self, end: Time, link: &Link, tally: &mut Tally) -> PortStats {
        let link = self.fault().map_or(link, |fault| fault.link());
        if let Some(packet) = self.queue.front()
            && self.depart != Time::NEVER
        {
            self.busy.0 -= link.tx_time(packet.size).0;
        }
        self.depart = Time::NEVER;
        let mut queued = FrameCount::default();
        for packet in self.queue.drain(..) {
            tally.leave(usize::from(self.stage), end, packet.size);
            queued.add(&packet);
        }
        PortStats {
            packets: self.packets,
            bytes: self.left_bytes,
            busy: self.busy,
            queue_max_packets: self.queue_max_packets.into(),
            queue_max_bytes: self.queue_max_bytes,
            marked_packets: self.marked_packets,
            queued,
            ..self
                .rare
                .as_ref()
                .map_or_else(PortStats::default, |rare| rare.stats)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_stays_below_two_cache_lines() {
        assert!(size_of::<Fifo>() < 128, "{}", size_of::<Fifo>());
    }
}
