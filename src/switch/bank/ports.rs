//! Ports with classes. Where they depend on one another (a shared buffer, priority flow control) all are brought to an instant together,
//! event by event in order of time; else one by one when they are looked at.
//!
//! Order at one instant: departures by port number, then what comes in, then starts of service.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Bank, Busy, IngressCounts};
use crate::engine::{Context, Outbox, TIMER_START};
use crate::packet::{Kind, Packet};
use crate::port::{Pool, Port, PortStats, Rules};
use crate::probe::{Ends, Tally};
use crate::units::Time;

/// An instant, and a departure or a start of service at it: a timer of the engine's.
type Event = (Time, u32);

/// Nothing.
const NO_EVENT: Event = (Time::NEVER, 0);

/// Ports with classes.
#[derive(Debug)]
pub struct Ports {
    ports: Box<[Port]>,
    /// Where ports do not depend on one another.
    busy: Busy,
    downlinks: usize,
    /// Of down-ports and of uplinks.
    rules: [Rules; 2],
    coupling: Option<Box<Coupling>>,
}

/// What makes ports depend on one another.
#[derive(Debug)]
pub struct Coupling {
    /// The next event of each port; some that have become void.
    agenda: BinaryHeap<Reverse<Event>>,
    /// The last event of each port that went into the agenda.
    noted: Vec<Event>,
    pool: Option<Pool>,
    ingress: Option<IngressCounts>,
}

impl Coupling {
    /// Ports that share the buffer `pool`.
    #[must_use]
    pub fn shared(pool: Pool) -> Self {
        Self {
            agenda: BinaryHeap::new(),
            noted: Vec::new(),
            pool: Some(pool),
            ingress: None,
        }
    }

    /// Ports of a switch that pauses its neighbours.
    #[must_use]
    pub fn lossless(ingress: IngressCounts) -> Self {
        Self {
            agenda: BinaryHeap::new(),
            noted: Vec::new(),
            pool: None,
            ingress: Some(ingress),
        }
    }

    /// Port number `number` has changed: note its next event.
    fn note(&mut self, number: usize, port: &Port) {
        let next = next_event(number, port);
        if next != self.noted[number] {
            self.noted[number] = next;
            if next.0 != Time::NEVER {
                self.agenda.push(Reverse(next));
            }
        }
    }

    /// Tell the neighbour at port number `number`, at `now`, to pause or to go on.
    fn tell<O: Outbox>(
        &mut self,
        number: usize,
        port: &mut Port,
        rules: &Rules,
        kind: Kind,
        now: Time,
        cx: &mut Context<'_, O>,
    ) {
        if let Some(ingress) = &self.ingress {
            let frame = Packet::pause_frame(kind, ingress.pause_frame_bytes());
            port.enqueue(frame, now, rules, None, cx);
            self.note(number, port);
        }
    }
}

/// The next event of `port`, number `number`.
fn next_event(number: usize, port: &Port) -> Event {
    if port.depart() != Time::NEVER {
        (port.depart(), number as u32)
    } else {
        (port.start(), TIMER_START + number as u32)
    }
}

impl Ports {
    /// `ports`, the first `downlinks` of them down-ports; `rules` of these and of uplinks.
    #[must_use]
    pub fn new(
        ports: impl Iterator<Item = Port>,
        downlinks: usize,
        rules: [Rules; 2],
        coupling: Option<Coupling>,
    ) -> Self {
        let ports: Box<[Port]> = ports.collect();
        let mut coupling = coupling.map(Box::new);
        if let Some(coupling) = &mut coupling {
            coupling.noted = vec![NO_EVENT; ports.len()];
        }
        Self {
            busy: Busy::none_of(ports.len()),
            ports,
            downlinks,
            rules,
            coupling,
        }
    }

    fn side(&self, port: usize) -> usize {
        usize::from(port >= self.downlinks)
    }

    /// Bring port number `number`, and all that it depends on, to `now`: departures up to it, starts before it.
    fn bring<O: Outbox>(&mut self, number: usize, now: Time, cx: &mut Context<'_, O>) {
        if self.coupling.is_some() {
            self.advance((now, TIMER_START), cx);
        } else {
            let rules = &self.rules[self.side(number)];
            self.ports[number].drain(now, rules, cx);
        }
    }

    /// Where ports depend on one another: take all events before `end`, in order.
    #[inline(never)]
    fn advance<O: Outbox>(&mut self, end: Event, cx: &mut Context<'_, O>) {
        let downlinks = self.downlinks;
        let Some(coupling) = &mut self.coupling else {
            return;
        };
        while let Some(&Reverse(event)) = coupling.agenda.peek()
            && event < end
        {
            coupling.agenda.pop();
            let (_, timer) = event;
            let is_departure = timer < TIMER_START;
            let number = (if is_departure {
                timer
            } else {
                timer - TIMER_START
            }) as usize;
            let port = &mut self.ports[number];
            if next_event(number, port) != event {
                continue;
            }
            let rules = &self.rules[usize::from(number >= downlinks)];
            if !is_departure {
                port.begin(rules, cx);
                coupling.note(number, port);
                continue;
            }
            let left = port.leave(rules, coupling.pool.as_mut(), cx);
            coupling.note(number, port);
            let origin = usize::from(left.ingress);
            if let Some(ingress) = &mut coupling.ingress
                && ingress.counts(&left)
                && ingress.remove(origin, left.size)
            {
                let rules = &self.rules[usize::from(origin >= downlinks)];
                coupling.tell(
                    origin,
                    &mut self.ports[origin],
                    rules,
                    Kind::Resume,
                    event.0,
                    cx,
                );
            }
        }
    }
}

impl Bank for Ports {
    const PLAIN: bool = false;

    #[inline(never)]
    fn arrive<O: Outbox>(&mut self, packet: &Packet, cx: &mut Context<'_, O>) -> bool {
        let (now, number) = (packet.time, usize::from(packet.ingress));
        if self.coupling.is_some() {
            self.advance((now, TIMER_START), cx);
        }
        if !packet.is_pause() {
            return false;
        }
        self.bring(number, now, cx);
        let rules = &self.rules[self.side(number)];
        let port = &mut self.ports[number];
        port.pause(packet.kind == Kind::Pause, now, rules, cx);
        match &mut self.coupling {
            None => self.busy.add(number),
            Some(coupling) => coupling.note(number, port),
        }
        true
    }

    #[inline(never)]
    fn admit<O: Outbox>(&mut self, packet: &Packet, cx: &mut Context<'_, O>) {
        let number = usize::from(packet.ingress);
        if let Some(coupling) = &mut self.coupling
            && let Some(ingress) = &mut coupling.ingress
            && ingress.counts(packet)
            && ingress.add(number, packet.size)
        {
            let rules = &self.rules[usize::from(number >= self.downlinks)];
            coupling.tell(
                number,
                &mut self.ports[number],
                rules,
                Kind::Pause,
                packet.time,
                cx,
            );
        }
    }

    #[inline(never)]
    fn uplink_bytes<O: Outbox>(
        &mut self,
        uplink: usize,
        now: Time,
        cx: &mut Context<'_, O>,
    ) -> u64 {
        let number = self.downlinks + uplink;
        self.bring(number, now, cx);
        self.ports[number].queued_bytes()
    }

    #[inline(never)]
    fn enqueue<O: Outbox>(
        &mut self,
        number: usize,
        packet: &Packet,
        via: [u8; 2],
        now: Time,
        cx: &mut Context<'_, O>,
    ) {
        self.bring(number, now, cx);
        let packet = packet.routed(via);
        let rules = &self.rules[self.side(number)];
        let port = &mut self.ports[number];
        match &mut self.coupling {
            None => {
                self.busy.add(number);
                port.enqueue(packet, now, rules, None, cx);
            }
            Some(coupling) => {
                port.enqueue(packet, now, rules, coupling.pool.as_mut(), cx);
                coupling.note(number, port);
            }
        }
    }

    #[inline(never)]
    fn settle<O: Outbox>(&mut self, now: Time, cx: &mut Context<'_, O>) -> Time {
        let after = Time(now.0 + 1);
        if self.coupling.is_some() {
            self.advance((after, 0), cx);
            let agenda = self.coupling.as_ref().map(|coupling| &coupling.agenda);
            let next = agenda.and_then(BinaryHeap::peek);
            return next.map_or(Time::NEVER, |&Reverse((at, _))| at);
        }
        self.busy.settle(|number| {
            let rules = &self.rules[usize::from(number >= self.downlinks)];
            let port = &mut self.ports[number];
            port.settle(now, rules, cx);
            let (due, _) = next_event(number, port);
            due
        })
    }

    fn timer<O: Outbox>(&mut self, timer: u32, now: Time, cx: &mut Context<'_, O>) {
        if timer < TIMER_START {
            self.bring(timer as usize, now, cx);
        } else if self.coupling.is_some() {
            self.advance((Time(now.0 + 1), 0), cx);
        } else {
            let number = (timer - TIMER_START) as usize;
            let rules = &self.rules[self.side(number)];
            self.ports[number].settle(now, rules, cx);
        }
    }

    fn last_active(&self) -> Time {
        let ports = self.ports.iter();
        ports.map(Port::last_active).max().unwrap_or_default()
    }

    fn close(&mut self, ends: Ends, tally: &mut Tally) -> Vec<PortStats> {
        let coupling = self.coupling.as_ref();
        let ingress = coupling.and_then(|coupling| coupling.ingress.as_ref());
        let ports = self.ports.iter_mut().enumerate();
        let close = |(number, port): (usize, &mut Port)| PortStats {
            headroom_max_bytes: ingress.map_or(0, |counts| counts.headroom_max_bytes(number)),
            ..port.close(ends, tally)
        };
        ports.map(close).collect()
    }
}
