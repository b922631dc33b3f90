//! The output port of a switch: first in, first out, drop-tail, ECN at departure.

use std::collections::VecDeque;

use spraysim::packet::{Flags, Kind, Packet};
use spraysim::units::{Rate, Span, Time};

use super::failures::{Faults, Port};
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
    pub(crate) gap_bytes: u64,
    pub(crate) buffer: Option<u64>,
    pub(crate) ecn_threshold: Option<u64>,
}

/// The frame in service: when it starts, when its last bit has left, and when the gap after it ends.
#[derive(Clone, Copy, Debug)]
struct Service {
    start: Time,
    left: Time,
    free: Time,
}

/// What a frame that leaves was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Served {
    pub(crate) start: Time,
    pub(crate) left: Time,
    /// When the gap after it ended.
    pub(crate) free: Time,
    pub(crate) kind: Kind,
}

/// An output port. The first frame of the queue is the one in service, or it waits for the end of the gap or for its link.
#[derive(Debug)]
pub(crate) struct OutPort {
    end: Port,
    queue: VecDeque<Queued>,
    service: Option<Service>,
    /// When the gap after the last frame ends.
    free: Time,
    pub(crate) seen: LinkSeen,
    pub(crate) stays: Vec<Stay>,
    /// The frames that left.
    pub(crate) served: Vec<Served>,
}

impl OutPort {
    /// The idle port at this end of a link.
    pub(crate) fn new(end: Port) -> Self {
        Self {
            end,
            queue: VecDeque::new(),
            service: None,
            free: Time::ZERO,
            seen: LinkSeen::default(),
            stays: Vec::new(),
            served: Vec::new(),
        }
    }

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
    pub(crate) fn enqueue(
        &mut self,
        packet: Packet,
        now: Time,
        wire: &Wire,
        faults: &Faults,
    ) -> Option<Time> {
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
        self.serve(now.max(self.free), wire, faults)
    }

    /// The first frame may start at `at`: when it will have left, if it ever starts.
    fn serve(&mut self, at: Time, wire: &Wire, faults: &Faults) -> Option<Time> {
        let size = u64::from(self.queue.front()?.packet.size);
        let start = faults.start(self.end, at)?;
        let rate = faults.rate(self.end, start, wire.rate);
        let left = start + rate.tx_time(size);
        let free = left + rate.tx_time(wire.gap_bytes);
        self.service = Some(Service { start, left, free });
        Some(left)
    }

    /// The first frame's last bit leaves at `now`. The frame, whether it is lost, and when the next one will have left.
    pub(crate) fn depart(
        &mut self,
        now: Time,
        wire: &Wire,
        faults: &Faults,
    ) -> (Packet, bool, Option<Time>) {
        let queued = self.queued_bytes();
        let Queued { mut packet, since } = self.queue.pop_front().expect("a frame was in service");
        let over = wire
            .ecn_threshold
            .is_some_and(|threshold| queued > threshold);
        if over && packet.kind == Kind::Data && !packet.is_marked() {
            packet.flags.set(Flags::MARKED);
            self.seen.marked += 1;
        }
        let bytes = u64::from(packet.size);
        let Service { start, left, free } = self.service.take().expect("it was in service");
        assert_eq!(left, now);
        self.seen.packets += 1;
        self.seen.bytes += bytes;
        self.seen.busy += left - start;
        self.served.push(Served {
            start,
            left,
            free,
            kind: packet.kind,
        });
        self.stays.push(Stay {
            since,
            left: Some(now),
            bytes,
        });
        self.free = free;
        let lost = faults.loses(self.end, start, left + wire.latency);
        self.seen.lost += u64::from(lost);
        (packet, lost, self.serve(free, wire, faults))
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
