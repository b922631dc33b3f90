//! An output port with classes: pause frames before control frames before data, each in order of arrival, without preemption.
//!
//! Service starts at S, when the port is free (a gap after the last departure) and something may be sent. Which frame goes is decided at
//! S, after all else that happens at S: what arrives at S takes part. So a port has two kinds of event, departures and starts; a
//! switch brings it to an instant t, before what arrives at t, by taking departures up to t and starts before t. Store and forward,
//! occupancy and gaps are [`Fifo`](super::Fifo)'s; with one class and a buffer of its own this is the same port.
//!
//! What is accepted: [`Full`]. Frames that wait while the port is paused (IEEE 802.1Qbb) wait behind a frame in service that is
//! finished; without priority for control all frames but pause frames do.
//!
//! Our reading: pause frames count in the statistics of the queue, but neither among the bytes that ECN looks at nor against a buffer; and
//! no link loses them, not even a dead one, for real ports repeat them.
//!
//! Not modelled: more than one class of data, pauses that expire.

use super::classes::{CONTROL, Classes, DATA};
use super::{Bins, Fault, Full, Loss, Place, Pool, PortStats, Rules, Trim};
use crate::engine::{Context, Outbox, TIMER_START};
use crate::packet::{Flags, Kind, Packet};
use crate::probe::{Ends, Tally};
use crate::rng::Rng;
use crate::units::{Span, Time};

/// One output port.
#[derive(Debug)]
pub struct Port {
    place: Place,
    classes: Classes,
    in_service: Option<Packet>,
    /// When that has left; [`Time::NEVER`] if there is none.
    depart: Time,
    /// Its time on the wire.
    wire: Span,
    /// When the next frame starts; [`Time::NEVER`] while one is in service or none may be sent.
    start: Time,
    /// The first instant at which it may.
    free: Time,
    /// Since when the port is paused; [`Time::NEVER`]: it is not.
    paused_since: Time,
    /// When a frame last entered or left, or a pause frame came.
    last_active: Time,
    /// For marks and for trimming.
    coins: [Rng; 2],
    loss: Option<Box<Loss>>,
    fault: Option<Box<Fault>>,
    stats: PortStats,
}

impl Port {
    /// An empty port; `coins` decide between two ECN thresholds and which packet is trimmed or dropped.
    #[must_use]
    pub fn new(place: Place, coins: [Rng; 2], loss: Option<Loss>, fault: Option<Fault>) -> Self {
        Self {
            place,
            classes: Classes::default(),
            in_service: None,
            depart: Time::NEVER,
            wire: Span::ZERO,
            start: Time::NEVER,
            free: Time::ZERO,
            paused_since: Time::NEVER,
            last_active: Time::ZERO,
            coins,
            loss: loss.map(Box::new),
            fault: fault.map(Box::new),
            stats: PortStats::default(),
        }
    }

    /// When the frame in service has left; [`Time::NEVER`] if there is none.
    #[inline]
    #[must_use]
    pub fn depart(&self) -> Time {
        self.depart
    }

    /// When the next frame starts; [`Time::NEVER`] if that is not known yet.
    #[inline]
    #[must_use]
    pub fn start(&self) -> Time {
        self.start
    }

    /// Bytes waiting and in service. Bring the port to the instant first.
    #[inline]
    #[must_use]
    pub fn queued_bytes(&self) -> u64 {
        self.classes.all_bytes()
    }

    /// Take all departures up to `now` and all starts before it. For a port that shares no buffer.
    #[inline]
    pub fn drain<O: Outbox>(&mut self, now: Time, rules: &Rules, cx: &mut Context<'_, O>) {
        loop {
            if self.depart <= now {
                self.leave(rules, None, cx);
            } else if self.start < now {
                self.begin(rules, cx);
            } else {
                return;
            }
        }
    }

    /// Take all departures and all starts up to `now`, at which nothing more comes in. For a port that shares no buffer.
    #[inline]
    pub fn settle<O: Outbox>(&mut self, now: Time, rules: &Rules, cx: &mut Context<'_, O>) {
        loop {
            self.drain(now, rules, cx);
            if self.start != now {
                return;
            }
            self.begin(rules, cx);
        }
    }

    /// The frame in service leaves. Returns it as it came to the port.
    pub fn leave<O: Outbox>(
        &mut self,
        rules: &Rules,
        pool: Option<&mut Pool>,
        cx: &mut Context<'_, O>,
    ) -> Packet {
        let served = self.in_service.take();
        let served = served.expect("a departure has a frame in service");
        let left = std::mem::replace(&mut self.depart, Time::NEVER);
        let class = Classes::of(&served, rules.control_priority);
        let queued = self.classes.bytes(class);
        self.classes.leave(class, served.size);
        if let Some(pool) = pool.filter(|_| rules.pools(class)) {
            pool.remove(served.size);
        }
        self.stats.packets += 1;
        self.stats.bytes += u64::from(served.size);
        self.stats.pause_packets += u64::from(served.is_pause());
        cx.tally.leave(self.place.stage.into(), left, served.size);
        let link = self.fault.as_ref().map_or(&rules.lane.link, |f| f.link());
        let (gap, latency) = (link.gap, link.latency);
        self.free = left + gap;
        self.last_active = self.last_active.max(left);
        self.count_by_time(&served, left, cx.tally);
        let mut packet = served;
        let marks = |coin| rules.marking.marks(queued, served.size, coin);
        if served.kind == Kind::Data && marks(&mut self.coins[0]) && !served.is_marked() {
            packet.flags.set(Flags::MARKED);
            self.stats.marked_packets += 1;
        }
        if !self.loses(&served, left, latency, cx.tally) {
            let (at, ingress) = (left + latency, self.place.peer_port);
            cx.out.post(self.place.peer, &packet, at, ingress);
        }
        self.schedule(left, rules, cx);
        served
    }

    /// Count the time on the wire of `packet`, which left at `left`, where that is asked for.
    fn count_by_time(&self, packet: &Packet, left: Time, tally: &mut Tally) {
        let first = Time(left.0 - self.wire.0);
        match self.place.bins {
            Bins::Busy => tally.busy.add(first, self.free),
            Bins::Delivered if packet.kind == Kind::Data => tally.deliver(first, left),
            Bins::Delivered | Bins::None => {}
        }
    }

    /// Whether the link loses `packet`, which left at `left`.
    fn loses(&mut self, packet: &Packet, left: Time, latency: Span, tally: &mut Tally) -> bool {
        let by_chance = self.loss.as_mut();
        let by_chance = by_chance.is_some_and(|loss| loss.loses(packet.kind));
        let fault = self.fault.as_ref().filter(|_| !packet.is_pause());
        let dead = fault.is_some_and(|fault| fault.loses(left, self.wire));
        if dead {
            tally.lost(left + latency);
        }
        if dead || by_chance {
            self.stats.lose(packet);
        }
        dead || by_chance
    }

    /// The next frame is chosen and starts.
    pub fn begin<O: Outbox>(&mut self, rules: &Rules, cx: &mut Context<'_, O>) {
        let start = std::mem::replace(&mut self.start, Time::NEVER);
        let packet = self.classes.serve(self.is_paused());
        let packet = packet.expect("a start has a frame that may be sent");
        let link = self.fault.as_ref().map_or(&rules.lane.link, |f| f.link());
        self.wire = link.tx_time(packet.size);
        self.stats.busy += self.wire;
        self.depart = start + self.wire;
        self.in_service = Some(packet);
        cx.out.wake(self.place.port.into(), self.depart);
    }

    #[inline]
    fn is_paused(&self) -> bool {
        self.paused_since != Time::NEVER
    }

    /// Something has changed at `now`: see when the next frame starts, if that is not known.
    fn schedule<O: Outbox>(&mut self, now: Time, rules: &Rules, cx: &mut Context<'_, O>) {
        let is_known = self.depart != Time::NEVER || self.start != Time::NEVER;
        if is_known || !self.classes.may_send(self.is_paused()) {
            return;
        }
        let at = now.max(self.free);
        let start = match &mut self.fault {
            None => Some(at),
            Some(fault) => fault.start(at, &rules.lane.link),
        };
        if let Some(start) = start {
            self.start = start;
            cx.out.wake(TIMER_START + u32::from(self.place.port), start);
        }
    }

    /// Take `packet` at `now`, trim one, or drop it. Bring the port to `now` first; `pool` is the buffer if it is shared.
    pub fn enqueue<O: Outbox>(
        &mut self,
        packet: Packet,
        now: Time,
        rules: &Rules,
        pool: Option<&mut Pool>,
        cx: &mut Context<'_, O>,
    ) {
        let class = Classes::of(&packet, rules.control_priority);
        if self.fits(class, packet.size, rules, pool.as_deref()) {
            self.take(class, packet, now, rules, pool, cx);
            return;
        }
        match rules.full {
            Full::Trim(trim) if packet.kind == Kind::Data => {
                self.trim(packet, now, trim, rules, pool, cx);
            }
            _ => self.stats.drop(&packet),
        }
    }

    /// Whether there is room for a frame of `class`.
    #[inline]
    fn fits(&self, class: usize, size: u32, rules: &Rules, pool: Option<&Pool>) -> bool {
        let queued = match rules.full {
            Full::Never => return true,
            Full::Drop => self.classes.all_bytes(),
            Full::Trim(trim) if class == CONTROL => {
                let bytes = self.classes.bytes(CONTROL) + u64::from(size);
                return bytes <= trim.header_buffer_bytes;
            }
            Full::Trim(_) => self.classes.bytes(DATA),
        };
        match pool {
            Some(pool) => pool.has_room(queued, size),
            None => queued + u64::from(size) <= rules.lane.limits.buffer_bytes,
        }
    }

    /// There is no room for the data in `packet`: cut its payload off, or that of the last packet that waits, to whose room it has a right;
    /// drop that one if nothing is left of it.
    fn trim<O: Outbox>(
        &mut self,
        packet: Packet,
        now: Time,
        trim: Trim,
        rules: &Rules,
        mut pool: Option<&mut Pool>,
        cx: &mut Context<'_, O>,
    ) {
        let mut whole = packet;
        if trim.coin
            && self.coins[1].below(2) == 0
            && let Some(evicted) = self.classes.evict()
        {
            cx.tally.leave(self.place.stage.into(), now, evicted.size);
            if let Some(pool) = pool.as_deref_mut() {
                pool.remove(evicted.size);
            }
            self.take(DATA, packet, now, rules, pool.as_deref_mut(), cx);
            whole = evicted;
        }
        let Some(header) = trim.cut(whole) else {
            self.stats.drop(&whole);
            return;
        };
        self.stats.trimmed_packets += 1;
        if self.fits(CONTROL, header.size, rules, None) {
            self.take(CONTROL, header, now, rules, pool, cx);
        } else {
            self.stats.drop(&header);
        }
    }

    /// `packet` joins `class` at `now`.
    fn take<O: Outbox>(
        &mut self,
        class: usize,
        packet: Packet,
        now: Time,
        rules: &Rules,
        pool: Option<&mut Pool>,
        cx: &mut Context<'_, O>,
    ) {
        self.classes.push(class, packet);
        if let Some(pool) = pool.filter(|_| rules.pools(class)) {
            pool.add(packet.size);
        }
        let packets = self.classes.len() as u64 + u64::from(self.in_service.is_some());
        let stats = &mut self.stats;
        stats.queue_max_packets = stats.queue_max_packets.max(packets);
        stats.queue_max_bytes = stats.queue_max_bytes.max(self.classes.all_bytes());
        cx.tally.enter(self.place.stage.into(), now, packet.size);
        self.last_active = self.last_active.max(now);
        self.schedule(now, rules, cx);
    }

    /// The neighbour pauses the port, or lets it go on, from `now` on.
    pub fn pause<O: Outbox>(
        &mut self,
        paused: bool,
        now: Time,
        rules: &Rules,
        cx: &mut Context<'_, O>,
    ) {
        self.last_active = self.last_active.max(now);
        match (paused, self.is_paused()) {
            (true, false) => {
                self.paused_since = now;
                self.stats.pauses += 1;
                if !self.classes.may_send(true) {
                    self.start = Time::NEVER;
                }
            }
            (false, true) => {
                self.stats.paused += now - self.paused_since;
                self.paused_since = Time::NEVER;
                self.schedule(now, rules, cx);
            }
            _ => {}
        }
    }

    /// When a frame last entered or left the queue, or a pause frame came, once nothing more can happen; 0 if none has.
    #[must_use]
    pub fn last_active(&self) -> Time {
        self.last_active
    }

    /// At the end of a run: what the port counted.
    pub fn close(&mut self, ends: Ends, tally: &mut Tally) -> PortStats {
        if self.in_service.is_some() {
            self.stats.busy.0 -= self.wire.0;
        }
        if self.is_paused() {
            self.stats.paused += ends.ended.saturating_since(self.paused_since);
        }
        for packet in self
            .in_service
            .take()
            .into_iter()
            .chain(self.classes.drain())
        {
            tally.leave(self.place.stage.into(), ends.integrated_until, packet.size);
            self.stats.queued.add(&packet);
        }
        (self.depart, self.start) = (Time::NEVER, Time::NEVER);
        self.stats
    }
}

#[cfg(test)]
mod tests;
