//! A switch: a packet arrives, the policy gives it an uplink (or the tree a down-port), an output port takes it.
//!
//! Output-queued, store and forward. The policy decides at the arrival and sees the queues of that instant; with a switch latency, the packet is enqueued that
//! much later (`stage`). Where links fail, policies choose among the uplinks that are known to lead to the destination; a packet without
//! any is dropped, and one that must go down a dead link is sent into it. Not modelled: input queues, shared buffers, contention inside
//! the switch.

mod knowledge;
mod stage;
mod table;

use crate::engine::{Arrivals, Context, Outbox, TIMER_STAGE};
use crate::lb::switch::{UplinkPolicy, UplinkSet, Uplinks};
use crate::packet::Packet;
use crate::port::{Fifo, Lane, PortStats};
use crate::probe::Tally;
use crate::rng::Rng;
use crate::topology::{Routes, Way};
use crate::units::Time;

pub use knowledge::Knowledge;
pub use stage::LatencyStage;
use table::Table;

/// A switch as the engines see it, whatever its policy.
pub trait SwitchNode<O: Outbox>: Send + std::fmt::Debug {
    /// Handle `arrivals` and what else is due before `until`; returns when it is next due.
    fn run(&mut self, arrivals: Arrivals<'_>, until: Time, cx: &mut Context<'_, O>) -> Time;
    /// Handle one packet at its arrival.
    fn arrive(&mut self, packet: &Packet, cx: &mut Context<'_, O>);
    /// The departure of a port, or packets leaving the latency stage, may be due at `now`.
    fn timer(&mut self, timer: u32, now: Time, cx: &mut Context<'_, O>);
    /// When a frame last entered or left a queue, once nothing more can happen; 0 if none has.
    fn last_active(&self) -> Time;
    /// At the end of a run: what each port counted.
    fn close(&mut self, end: Time, tally: &mut Tally) -> Vec<PortStats>;
}

/// What all switches of a level have in common.
#[derive(Clone, Copy, Debug)]
pub struct SwitchSettings {
    /// What lies behind down-ports and behind uplinks.
    pub lanes: [Lane; 2],
}

/// A switch under policy `P`.
#[derive(Debug)]
pub struct Switch<P> {
    routes: Routes,
    ports: Vec<Fifo>,
    /// Bit p: port p may hold frames.
    busy: Box<[u64]>,
    /// For each neighbour below, which of the parallel links to it is next, where there are several.
    turns: Box<[u8]>,
    policy: P,
    rng: Rng,
    settings: SwitchSettings,
    stage: LatencyStage,
    /// What the policy sees of the queues, if that is not the instant's.
    table: Table,
    /// What the switch knows of failed links; `None`: there are none.
    knowledge: Option<Box<Knowledge>>,
}

impl<P: UplinkPolicy> Switch<P> {
    /// A switch with `ports` (down-ports first), which draws from `rng` while it forwards; packets pass `stage` on their way to a port.
    #[must_use]
    pub fn new(
        routes: Routes,
        ports: Vec<Fifo>,
        policy: P,
        (rng, stage): (Rng, LatencyStage),
        settings: SwitchSettings,
    ) -> Self {
        let bundles = match routes.down_bundle() {
            1 => 0,
            bundle => routes.downlinks() / bundle,
        };
        let uplinks = ports.len() - routes.downlinks();
        Self {
            table: Table::new(policy.refresh(), uplinks),
            routes,
            busy: vec![0; ports.len().div_ceil(64)].into(),
            turns: vec![0; bundles].into(),
            ports,
            policy,
            rng,
            settings,
            stage,
            knowledge: None,
        }
    }

    /// The same switch in a fabric where links fail.
    #[must_use]
    pub fn with_knowledge(mut self, knowledge: Option<Knowledge>) -> Self {
        self.knowledge = knowledge.map(Box::new);
        self
    }

    /// The port that `packet`, just arrived, leaves by; `None` if no uplink leads to its destination.
    #[inline]
    fn forward<O: Outbox>(
        &mut self,
        packet: &mut Packet,
        cx: &mut Context<'_, O>,
    ) -> Option<usize> {
        match self.routes.way(packet.dst) {
            Way::Down(port) if self.turns.is_empty() => Some(port),
            Way::Down(first) => Some(first + self.turn(first, packet.time)),
            Way::Up(group) if self.knowledge.is_none() => {
                let all = UplinkSet::first(self.ports.len() - self.routes.downlinks());
                Some(self.up(packet, group, all, cx))
            }
            Way::Up(group) => self.up_if_any(packet, group, cx),
        }
    }

    /// The uplink, as a port, that the policy picks among `valid` ones. Always inlined, so that a set known to be whole stays a number.
    #[inline(always)]
    fn up<O: Outbox>(
        &mut self,
        packet: &mut Packet,
        group: usize,
        valid: UplinkSet,
        cx: &mut Context<'_, O>,
    ) -> usize {
        self.refresh(packet.time, cx);
        let downlinks = self.routes.downlinks();
        let mut view = View {
            now: packet.time,
            ingress: usize::from(packet.ingress),
            group,
            valid,
            uplinks: &mut self.ports[downlinks..],
            lane: &self.settings.lanes[1],
            table: &self.table.bytes,
            cx,
        };
        let uplink = self.policy.pick(packet, &mut view, &mut self.rng);
        packet.via[self.routes.via()] = uplink as u8;
        downlinks + uplink
    }

    /// The same where links fail; apart, so that it costs nothing where none do.
    #[inline(never)]
    fn up_if_any<O: Outbox>(
        &mut self,
        packet: &mut Packet,
        group: usize,
        cx: &mut Context<'_, O>,
    ) -> Option<usize> {
        let knowledge = self.knowledge.as_mut()?;
        let valid = knowledge.valid(packet.time, group)?;
        Some(self.up(packet, group, valid, cx))
    }

    /// The member of the bundle from down-port `first` on whose turn it is: round robin, from member 0. Members known to be down are
    /// passed over, unless all are.
    fn turn(&mut self, first: usize, now: Time) -> usize {
        let bundle = self.routes.down_bundle();
        let turn = &mut self.turns[first / bundle];
        let mut member = usize::from(*turn);
        if let Some(knowledge) = &mut self.knowledge {
            let mut others = (0..bundle).map(|step| (member + step) % bundle);
            let live = others.find(|&other| knowledge.is_up(now, first + other));
            member = live.unwrap_or(member);
        }
        *turn = ((member + 1) % bundle) as u8;
        member
    }

    /// Take the refresh of the table that was due by `now`, if any. Comes before all that changes or reads a queue at `now`.
    #[inline]
    fn refresh<O: Outbox>(&mut self, now: Time, cx: &mut Context<'_, O>) {
        if self.table.is_due(now) {
            self.fill_table(now, cx);
        }
    }

    #[cold]
    fn fill_table<O: Outbox>(&mut self, now: Time, cx: &mut Context<'_, O>) {
        let Some(at) = self.table.take(now) else {
            return;
        };
        let lane = &self.settings.lanes[1];
        let uplinks = &mut self.ports[self.routes.downlinks()..];
        for (port, bytes) in uplinks.iter_mut().zip(&mut self.table.bytes) {
            port.drain(at, lane, cx);
            *bytes = port.queued_bytes();
        }
    }

    #[inline]
    fn enqueue<O: Outbox>(
        &mut self,
        port: usize,
        packet: Packet,
        now: Time,
        cx: &mut Context<'_, O>,
    ) {
        self.refresh(now, cx);
        let lane = &self.settings.lanes[self.routes.side(port)];
        self.busy[port / 64] |= 1 << (port % 64);
        let port = &mut self.ports[port];
        port.drain(now, lane, cx);
        port.enqueue(packet, now, lane, cx);
    }

    /// Enqueue the packets that leave the latency stage by `now`.
    fn release<O: Outbox>(&mut self, now: Time, cx: &mut Context<'_, O>) {
        while let Some((due, port, packet)) = self.stage.take(now) {
            self.enqueue(port, packet, due, cx);
        }
    }

    #[inline]
    fn handle<O: Outbox>(&mut self, packet: &Packet, cx: &mut Context<'_, O>) {
        let now = packet.time;
        let mut packet = *packet;
        if self.stage.is_nothing() {
            let Some(port) = self.forward(&mut packet, cx) else {
                cx.tally.unroutable(now);
                return;
            };
            self.enqueue(port, packet, now, cx);
        } else {
            self.release(now, cx);
            let Some(port) = self.forward(&mut packet, cx) else {
                cx.tally.unroutable(now);
                return;
            };
            let due = self.stage.due(now, packet.ingress);
            if due == now {
                self.enqueue(port, packet, now, cx);
                return;
            }
            self.stage.put(due, port, packet);
            cx.out.wake(TIMER_STAGE, due);
        }
    }

    /// Let go of all frames that have left by `now`; returns the next departure.
    fn drain_all<O: Outbox>(&mut self, now: Time, cx: &mut Context<'_, O>) -> Time {
        self.refresh(now, cx);
        let (lanes, routes) = (&self.settings.lanes, &self.routes);
        let mut next = Time::NEVER;
        for word in 0..self.busy.len() {
            let mut rest = self.busy[word];
            while rest != 0 {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let number = word * 64 + bit;
                let port = &mut self.ports[number];
                port.drain(now, &lanes[routes.side(number)], cx);
                if port.depart() == Time::NEVER {
                    self.busy[word] &= !(1 << bit);
                }
                next = next.min(port.depart());
            }
        }
        next
    }
}

impl<O: Outbox, P: UplinkPolicy + Send + std::fmt::Debug> SwitchNode<O> for Switch<P> {
    fn run(&mut self, arrivals: Arrivals<'_>, until: Time, cx: &mut Context<'_, O>) -> Time {
        arrivals.for_each(|packet| self.handle(packet, cx));
        let last = Time(until.0 - 1);
        self.release(last, cx);
        self.drain_all(last, cx).min(self.stage.next())
    }

    fn arrive(&mut self, packet: &Packet, cx: &mut Context<'_, O>) {
        self.handle(packet, cx);
    }

    fn timer(&mut self, timer: u32, now: Time, cx: &mut Context<'_, O>) {
        if timer == TIMER_STAGE {
            self.release(now, cx);
        } else {
            self.refresh(now, cx);
            let port = timer as usize;
            let lane = &self.settings.lanes[self.routes.side(port)];
            self.ports[port].drain(now, lane, cx);
        }
    }

    fn last_active(&self) -> Time {
        let (lanes, routes) = (&self.settings.lanes, &self.routes);
        let of =
            |(number, port): (usize, &Fifo)| port.last_active(&lanes[routes.side(number)].link);
        let ports = self.ports.iter().enumerate();
        ports.map(of).max().unwrap_or_default()
    }

    fn close(&mut self, end: Time, tally: &mut Tally) -> Vec<PortStats> {
        let (lanes, routes) = (&self.settings.lanes, &self.routes);
        let close = |(number, port): (usize, &mut Fifo)| {
            port.close(end, &lanes[routes.side(number)].link, tally)
        };
        self.ports.iter_mut().enumerate().map(close).collect()
    }
}

/// What the policy sees of the switch while it picks.
struct View<'a, 'c, O> {
    now: Time,
    ingress: usize,
    group: usize,
    valid: UplinkSet,
    uplinks: &'a mut [Fifo],
    lane: &'a Lane,
    /// Queue lengths of the last refresh; none if the policy sees those of the instant.
    table: &'a [u64],
    cx: &'a mut Context<'c, O>,
}

impl<O: Outbox> Uplinks for View<'_, '_, O> {
    #[inline]
    fn now(&self) -> Time {
        self.now
    }

    #[inline]
    fn ingress(&self) -> usize {
        self.ingress
    }

    #[inline]
    fn group(&self) -> usize {
        self.group
    }

    #[inline]
    fn valid(&self) -> UplinkSet {
        self.valid
    }

    #[inline]
    fn queued_bytes(&mut self, uplink: usize) -> u64 {
        if let Some(&bytes) = self.table.get(uplink) {
            return bytes;
        }
        let port = &mut self.uplinks[uplink];
        port.drain(self.now, self.lane, self.cx);
        port.queued_bytes()
    }
}

/// The policy of a switch without uplinks.
#[derive(Debug)]
pub struct Top;

impl UplinkPolicy for Top {
    fn pick<U: Uplinks>(&mut self, _: &Packet, _: &mut U, _: &mut Rng) -> usize {
        unreachable!("a switch without uplinks reaches every host downwards")
    }
}
