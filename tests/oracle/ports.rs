//! The output port of a switch: pause frames, control frames and data, each first in, first out, in this order.
//!
//! Where control frames have no priority, they wait among the data. The next frame is chosen when service starts, after all else that
//! happens at that instant.

use std::collections::VecDeque;

use spraysim::packet::{Flags, Kind, Packet};
use spraysim::settings::{Evict, Queue, QueueKind, SharedBuffer, Trimming};
use spraysim::units::{Rate, Span, Time};

use super::coins::Coins;
use super::failures::{Faults, Port};
use super::seen::{LinkSeen, LossySeen, Stay};

/// A frame in the queue.
#[derive(Clone, Copy, Debug)]
struct Queued {
    packet: Packet,
    since: Time,
}

/// Where a frame waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lane {
    Pause,
    Control,
    Data,
}

/// What becomes of a frame that leaves a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// It arrives.
    None,
    /// Its link loses it by chance: no failure.
    Chance,
    /// Its link is down.
    DeadLink,
}

/// What lies behind a port, and what bounds its queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wire {
    pub(crate) rate: Rate,
    pub(crate) latency: Span,
    pub(crate) gap_bytes: u64,
    pub(crate) buffer: Option<u64>,
    pub(crate) ecn_threshold: Option<u64>,
    pub(crate) queue: Queue,
    /// Whether it leads to a host.
    pub(crate) to_host: bool,
}

impl Wire {
    fn lane_of(&self, packet: &Packet) -> Lane {
        let trims = matches!(self.queue.kind, QueueKind::Trimming(_));
        if packet.is_pause() {
            Lane::Pause
        } else if packet.is_control() && (trims || self.queue.control_priority) {
            Lane::Control
        } else {
            Lane::Data
        }
    }
}

/// The frame in service: when it starts, when its last bit has left, and when the gap after it ends.
#[derive(Clone, Copy, Debug)]
struct Service {
    frame: Queued,
    lane: Lane,
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

/// What comes of an attempt to serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// The frame's last bit will have left then.
    Leaves(Time),
    /// The link is down until then.
    Again(Time),
    /// Nothing may be sent.
    Idle,
}

/// An output port.
#[derive(Debug)]
pub(crate) struct OutPort {
    end: Port,
    /// What waits, by [`Lane`].
    lanes: [VecDeque<Queued>; 3],
    service: Option<Service>,
    /// When the gap after the last frame ends.
    free: Time,
    coins: Coins,
    /// Since when the neighbour has it paused.
    pub(crate) paused: Option<Time>,
    pub(crate) seen: LinkSeen,
    pub(crate) lossy: LossySeen,
    pub(crate) stays: Vec<Stay>,
    /// The frames that left.
    pub(crate) served: Vec<Served>,
}

impl OutPort {
    /// The idle port at this end of a link.
    pub(crate) fn new(end: Port, coins: Coins) -> Self {
        Self {
            end,
            lanes: Default::default(),
            service: None,
            free: Time::ZERO,
            coins,
            paused: None,
            seen: LinkSeen::default(),
            lossy: LossySeen::default(),
            stays: Vec::new(),
            served: Vec::new(),
        }
    }

    /// What waits in the lanes of `which` and is in service from one of them.
    fn frames(&self, which: &[Lane]) -> impl Iterator<Item = &Queued> {
        let lanes = which.to_vec();
        let service = self.service.iter();
        let in_service = service.filter(move |service| lanes.contains(&service.lane));
        let waiting = which.iter().flat_map(|lane| &self.lanes[*lane as usize]);
        let waiting: Vec<&Queued> = waiting.collect();
        in_service.map(|service| &service.frame).chain(waiting)
    }

    fn bytes(&self, which: &[Lane]) -> u64 {
        self.frames(which).map(|q| u64::from(q.packet.size)).sum()
    }

    /// Frames waiting and in service, pause frames apart.
    pub(crate) fn held(&self) -> u64 {
        self.frames(&[Lane::Control, Lane::Data]).count() as u64
    }

    /// Bytes waiting and in service.
    pub(crate) fn queued_bytes(&self) -> u64 {
        self.bytes(&[Lane::Pause, Lane::Control, Lane::Data])
    }

    /// Bytes that compete for the buffer: data where data is trimmed, else all.
    pub(crate) fn buffered_bytes(&self, queue: &Queue) -> u64 {
        match queue.kind {
            QueueKind::Trimming(_) => self.bytes(&[Lane::Data]),
            QueueKind::Fifo | QueueKind::Lossless(_) => self.queued_bytes(),
        }
    }

    /// Bytes that had come before `at` and had not left by then, told at any time after it.
    pub(crate) fn queued_bytes_at(&self, at: Time) -> u64 {
        let was_there = |stay: &&Stay| stay.since < at && stay.left.is_some_and(|left| left > at);
        let gone = self.stays.iter().filter(was_there).map(|stay| stay.bytes);
        let here = self.frames(&[Lane::Pause, Lane::Control, Lane::Data]);
        let here = here.filter(|queued| queued.since < at);
        gone.chain(here.map(|queued| u64::from(queued.packet.size)))
            .sum()
    }

    /// A packet comes to the port at `now`; the switch's other ports hold `others` bytes that compete with it.
    pub(crate) fn enqueue(&mut self, packet: Packet, now: Time, wire: &Wire, others: u64) {
        let lane = wire.lane_of(&packet);
        match wire.queue.kind {
            QueueKind::Lossless(_) => self.push(packet, now, lane),
            QueueKind::Trimming(trimming) if lane == Lane::Control => {
                self.take_header(packet, now, wire, &trimming);
            }
            QueueKind::Fifo | QueueKind::Trimming(_) if self.fits(&packet, wire, others) => {
                self.push(packet, now, lane);
            }
            QueueKind::Trimming(trimming) if packet.kind == Kind::Data => {
                self.trim(packet, now, wire, &trimming);
            }
            QueueKind::Fifo | QueueKind::Trimming(_) => self.seen.dropped += 1,
        }
    }

    fn fits(&self, packet: &Packet, wire: &Wire, others: u64) -> bool {
        let own = self.buffered_bytes(&wire.queue);
        let after = own + u64::from(packet.size);
        match wire.queue.shared_buffer {
            None => wire.buffer.is_none_or(|buffer| after <= buffer),
            Some(SharedBuffer { bytes, alpha }) => {
                let total = own + others;
                let free = u128::from(bytes.saturating_sub(total)) * u128::from(alpha.num);
                let below = u128::from(after) * u128::from(alpha.den) <= free;
                below && total + u64::from(packet.size) <= bytes
            }
        }
    }

    fn push(&mut self, packet: Packet, now: Time, lane: Lane) {
        self.lanes[lane as usize].push_back(Queued { packet, since: now });
        let all = [Lane::Pause, Lane::Control, Lane::Data];
        let packets = self.frames(&all).count() as u64;
        self.seen.max_packets = self.seen.max_packets.max(packets);
        self.seen.max_bytes = self.seen.max_bytes.max(self.queued_bytes());
    }

    /// A control frame comes to a port that trims.
    fn take_header(&mut self, packet: Packet, now: Time, wire: &Wire, trimming: &Trimming) {
        let shared = wire.queue.shared_buffer.map(|shared| shared.bytes);
        let data = shared.or(wire.buffer);
        let limit = trimming
            .header_buffer_bytes
            .or_else(|| data.map(|data| 2 * data));
        let after = self.bytes(&[Lane::Control]) + u64::from(packet.size);
        if limit.is_some_and(|limit| after > limit) {
            self.seen.dropped += 1;
        } else {
            self.push(packet, now, Lane::Control);
        }
    }

    /// Data comes that does not fit: that, or the last data in the queue, loses its payload, or is gone if nothing is to be left.
    fn trim(&mut self, packet: Packet, now: Time, wire: &Wire, trimming: &Trimming) {
        let data = &mut self.lanes[Lane::Data as usize];
        let last = data.iter().rposition(|q| q.packet.kind == Kind::Data);
        let spared = trimming.evict == Evict::Coin && self.coins.spares_the_arriving();
        let evicted = last.filter(|_| spared).and_then(|last| data.remove(last));
        let cut = evicted.map_or(packet, |evicted| {
            self.stays.push(Stay {
                since: evicted.since,
                left: Some(now),
                bytes: evicted.packet.size.into(),
            });
            evicted.packet
        });
        match trimming.trim_bytes {
            None => self.seen.dropped += 1,
            Some(bytes) => {
                let header = Packet {
                    kind: Kind::Trimmed,
                    size: cut.size.min(bytes),
                    flags: cut.flags.and(Flags::when(wire.to_host, Flags::LAST_HOP)),
                    ..cut
                };
                self.lossy.trimmed += 1;
                self.take_header(header, now, wire, trimming);
            }
        }
        if evicted.is_some() {
            self.push(packet, now, Lane::Data);
        }
    }

    /// The lane of which a frame may be sent.
    fn next_lane(&self) -> Option<Lane> {
        let lanes = [Lane::Pause, Lane::Control, Lane::Data];
        let may = |lane: &Lane| *lane != Lane::Data || self.paused.is_none();
        let has = |lane: &Lane| !self.lanes[*lane as usize].is_empty();
        lanes.into_iter().filter(may).find(has)
    }

    /// When a frame may be chosen, if one may be sent.
    pub(crate) fn ready(&self, now: Time) -> Option<Time> {
        let idle = self.service.is_none() && self.next_lane().is_some();
        idle.then(|| now.max(self.free))
    }

    /// Choose a frame at `now` and start it, if the port is free and its link is not down.
    pub(crate) fn serve(&mut self, now: Time, wire: &Wire, faults: &Faults) -> Attempt {
        let Some(lane) = self.next_lane() else {
            return Attempt::Idle;
        };
        if self.service.is_some() || now < self.free {
            return Attempt::Idle;
        }
        match faults.start(self.end, now) {
            None => return Attempt::Idle,
            Some(later) if later > now => return Attempt::Again(later),
            Some(_) => {}
        }
        let frame = self.lanes[lane as usize].pop_front().expect("one is there");
        let rate = faults.rate(self.end, now, wire.rate);
        let left = now + rate.tx_time(frame.packet.size.into());
        self.service = Some(Service {
            frame,
            lane,
            start: now,
            left,
            free: left + rate.tx_time(wire.gap_bytes),
        });
        Attempt::Leaves(left)
    }

    /// The last bit of the frame in service leaves at `now`. The frame, and how it is lost.
    pub(crate) fn depart(&mut self, now: Time, wire: &Wire, faults: &Faults) -> (Packet, Loss) {
        let class = self.bytes(&[Lane::Data]);
        let service = self.service.take().expect("it was in service");
        let Queued { mut packet, since } = service.frame;
        let bytes = u64::from(packet.size);
        if let (Kind::Data, Some(low)) = (packet.kind, wire.ecn_threshold) {
            let own = u64::from(!wire.queue.ecn_counts_departing) * bytes;
            let high = wire.queue.ecn_max_threshold_bytes;
            let marks = self.coins.marks(class - own, low, high);
            self.seen.marked += u64::from(marks && !packet.is_marked());
            packet.flags.set(Flags::when(marks, Flags::MARKED));
        }
        let Service { start, left, .. } = service;
        assert_eq!(left, now);
        self.seen.packets += 1;
        self.seen.bytes += bytes;
        self.seen.busy += left - start;
        self.served.push(Served {
            start,
            left,
            free: service.free,
            kind: packet.kind,
        });
        self.stays.push(Stay {
            since,
            left: Some(now),
            bytes,
        });
        self.free = service.free;
        let chance = self.coins.lose(&packet);
        let loss = match faults.loses(self.end, start, left + wire.latency) {
            true => Loss::DeadLink,
            false if chance => Loss::Chance,
            false => Loss::None,
        };
        self.seen.lost += u64::from(loss != Loss::None);
        (packet, loss)
    }

    /// The run is over: note the frames that are still here.
    pub(crate) fn close(&mut self) {
        let all = [Lane::Pause, Lane::Control, Lane::Data];
        let left_over = self.frames(&all).map(|q| Stay {
            since: q.since,
            left: None,
            bytes: u64::from(q.packet.size),
        });
        let left_over: Vec<Stay> = left_over.collect();
        self.stays.extend(left_over);
    }
}
