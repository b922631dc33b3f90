//! The output port of a switch: first in, first out, drop-tail, ECN at departure.

use std::collections::VecDeque;

use spraysim::packet::{Kind, Packet};
use spraysim::units::{Rate, Span, Time};

use super::seen::{LinkSeen, Stay};

/// A frame in the queue.
#[derive(Clone, Copy, Debug)]
struct Queued {
    packet: Packet,
    since: Time,
}

/// What lies behind a port, and what bounds its queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wire {
    pub(crate) rate: Rate,
    pub(crate) latency: Span,
    pub(crate) gap: Span,
    pub(crate) buffer: Option<u64>,
    pub(crate) ecn_threshold: Option<u64>,
}

/// An output port. The first frame of the queue is the one in service, or it waits for the end of the gap.
#[derive(Debug, Default)]
pub(crate) struct OutPort {
    queue: VecDeque<Queued>,
    /// When the gap after the last frame ends.
    free: Time,
    pub(crate) seen: LinkSeen,
    pub(crate) stays: Vec<Stay>,
    /// When each frame that left started, and when it had left.
    pub(crate) served: Vec<(Time, Time)>,
}

impl OutPort {
    /// Bytes waiting and in service.
    pub(crate) fn queued_bytes(&self) -> u64 {
        self.queue.iter().map(|q| u64::from(q.packet.size)).sum()
    }

    /// Bytes that had come before `at` and had not left by then, told at any time after it.
    pub(crate) fn queued_bytes_at(&self, at: Time) -> u64 {
        let was_there = |stay: &&Stay| stay.since < at && stay.left.is_some_and(|left| left > at);
        let gone = self.stays.iter().filter(was_there).map(|stay| stay.bytes);
        let here = self.queue.iter().filter(|queued| queued.since < at);
        let here = here.map(|queued| u64::from(queued.packet.size));
        gone.chain(here).sum()
    }

    /// A packet comes to the port at `now`. If that starts the port's service: when the frame will have left.
    pub(crate) fn enqueue(&mut self, packet: Packet, now: Time, wire: &Wire) -> Option<Time> {
        let after = self.queued_bytes() + u64::from(packet.size);
        if wire.buffer.is_some_and(|buffer| after > buffer) {
            self.seen.dropped += 1;
            return None;
        }
        self.queue.push_back(Queued { packet, since: now });
        self.seen.max_packets = self.seen.max_packets.max(self.queue.len() as u64);
        self.seen.max_bytes = self.seen.max_bytes.max(after);
        if self.queue.len() > 1 {
            return None;
        }
        Some(now.max(self.free) + wire.rate.tx_time(u64::from(packet.size)))
    }

    /// The first frame's last bit leaves at `now`. The frame, and when the next one will have left.
    pub(crate) fn depart(&mut self, now: Time, wire: &Wire) -> (Packet, Option<Time>) {
        let queued = self.queued_bytes();
        let Queued { mut packet, since } = self.queue.pop_front().expect("a frame was in service");
        let over = wire
            .ecn_threshold
            .is_some_and(|threshold| queued > threshold);
        if over && packet.kind == Kind::Data && !packet.marked {
            packet.marked = true;
            self.seen.marked += 1;
        }
        let bytes = u64::from(packet.size);
        let tx = wire.rate.tx_time(bytes);
        self.seen.packets += 1;
        self.seen.bytes += bytes;
        self.seen.busy += tx;
        self.served.push((Time(now.0 - tx.0), now));
        self.stays.push(Stay {
            since,
            left: Some(now),
            bytes,
        });
        self.free = now + wire.gap;
        let next = self.queue.front();
        let next = next.map(|q| self.free + wire.rate.tx_time(u64::from(q.packet.size)));
        (packet, next)
    }

    /// The run is over: note the frames that are still here.
    pub(crate) fn close(&mut self) {
        let left_over = self.queue.iter().map(|q| Stay {
            since: q.since,
            left: None,
            bytes: u64::from(q.packet.size),
        });
        self.stays.extend(left_over);
    }
}
