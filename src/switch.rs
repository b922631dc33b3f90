//! A switch: a packet arrives, the policy gives it an uplink (or the tree a down-port), an output port takes it.
//!
//! Output-queued, store and forward. The policy decides at the arrival and sees the queues of that instant; with a switch latency, the packet is enqueued that
//! much later (`stage`). Where links fail, policies choose among the uplinks that are known to lead to the destination; a packet without
//! any is dropped, and one that must go down a dead link is sent into it. How ports queue is their [`Bank`]'s. Not modelled: input queues,
//! contention inside the switch.

mod bank;
mod knowledge;
mod stage;
mod table;

use crate::engine::{Arrivals, Context, Outbox, TIMER_STAGE};
use crate::lb::switch::{UplinkPolicy, UplinkSet, Uplinks};
use crate::packet::Packet;
use crate::port::PortStats;
use crate::probe::{Ends, Tally};
use crate::rng::Rng;
use crate::topology::{Routes, Way};
use crate::units::Time;

pub use bank::{Bank, Coupling, Fifos, IngressCounts, Ports, Thresholds};
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
    fn close(&mut self, ends: Ends, tally: &mut Tally) -> Vec<PortStats>;
}

/// A switch under policy `P` with ports of kind `B`.
#[derive(Debug)]
pub struct Switch<P, B> {
    routes: Routes,
    bank: B,
    uplinks: usize,
    /// For each neighbour below, which of the parallel links to it is next, where there are several.
    turns: Box<[u8]>,
    policy: P,
    rng: Rng,
    stage: LatencyStage,
    /// What the policy sees of the queues, if that is not the instant's.
    table: Table,
    /// What the switch knows of failed links; `None`: there are none.
    knowledge: Option<Box<Knowledge>>,
}

impl<P: UplinkPolicy, B: Bank> Switch<P, B> {
    /// A switch with the ports of `bank` (down-ports first, `uplinks` after them), which draws from `rng` while it forwards; packets pass
    /// `stage` on their way to a port.
    #[must_use]
    pub fn new(
        routes: Routes,
        uplinks: usize,
        bank: B,
        policy: P,
        rng: Rng,
        stage: LatencyStage,
    ) -> Self {
        let bundles = match routes.down_bundle() {
            1 => 0,
            bundle => routes.downlinks() / bundle,
        };
        Self {
            table: Table::new(policy.refresh(), uplinks),
            routes,
            bank,
            uplinks,
            turns: vec![0; bundles].into(),
            policy,
            rng,
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

    /// The port that `packet`, just arrived, leaves by, and the uplinks that it has then come via; `None` if no uplink leads to its destination.
    #[inline]
    fn forward<O: Outbox>(
        &mut self,
        packet: &Packet,
        cx: &mut Context<'_, O>,
    ) -> Option<(usize, [u8; 2])> {
        match self.routes.way(packet.dst) {
            Way::Down(port) if self.turns.is_empty() => Some((port, packet.via)),
            Way::Down(first) => Some((first + self.turn(first, packet.time), packet.via)),
            Way::Up(group) if self.knowledge.is_none() => {
                let all = UplinkSet::first(self.uplinks);
                Some(self.up(packet, group, all, cx))
            }
            Way::Up(group) => self.up_if_any(packet, group, cx),
        }
    }

    /// The uplink, as a port, that the policy picks among `valid` ones. Always inlined, so that a set known to be whole stays a number.
    #[inline(always)]
    fn up<O: Outbox>(
        &mut self,
        packet: &Packet,
        group: usize,
        valid: UplinkSet,
        cx: &mut Context<'_, O>,
    ) -> (usize, [u8; 2]) {
        self.refresh(packet.time, cx);
        let mut view = View {
            now: packet.time,
            ingress: usize::from(packet.ingress),
            group,
            valid,
            bank: &mut self.bank,
            table: &self.table.bytes,
            cx,
        };
        let uplink = self.policy.pick(packet, &mut view, &mut self.rng);
        // Put together as one number, not byte by byte in memory, whose reader would wait for the stores.
        let shift = 8 * self.routes.via();
        let others = u16::from_le_bytes(packet.via) & !(0xFF << shift);
        let via = (others | (uplink as u16) << shift).to_le_bytes();
        (self.routes.downlinks() + uplink, via)
    }

    /// The same where links fail; apart, so that it costs nothing where none do.
    #[inline(never)]
    fn up_if_any<O: Outbox>(
        &mut self,
        packet: &Packet,
        group: usize,
        cx: &mut Context<'_, O>,
    ) -> Option<(usize, [u8; 2])> {
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
        for (uplink, bytes) in self.table.bytes.iter_mut().enumerate() {
            *bytes = self.bank.uplink_bytes(uplink, at, cx);
        }
    }

    #[inline]
    fn enqueue<O: Outbox>(
        &mut self,
        port: usize,
        packet: &Packet,
        via: [u8; 2],
        now: Time,
        cx: &mut Context<'_, O>,
    ) {
        self.refresh(now, cx);
        self.bank.enqueue(port, packet, via, now, cx);
    }

    /// Enqueue the packets that leave the latency stage by `now`.
    fn release<O: Outbox>(&mut self, now: Time, cx: &mut Context<'_, O>) {
        while let Some(left) = self.stage.take(now) {
            self.enqueue(left.port, &left.packet, left.packet.via, left.due, cx);
        }
    }

    #[inline]
    fn handle<O: Outbox>(&mut self, packet: &Packet, cx: &mut Context<'_, O>) {
        let now = packet.time;
        let is_direct = self.stage.is_nothing();
        if !is_direct {
            self.release(now, cx);
        }
        if !B::PLAIN && self.is_for_port(packet, cx) {
            return;
        }
        let Some((port, via)) = self.forward(packet, cx) else {
            cx.tally.unroutable(packet);
            return;
        };
        if !B::PLAIN {
            self.bank.admit(packet, cx);
        }
        if is_direct {
            self.enqueue(port, packet, via, now, cx);
            return;
        }
        let due = self.stage.due(now, packet.ingress);
        if due == now {
            self.enqueue(port, packet, via, now, cx);
            return;
        }
        self.stage.put(due, port, packet.routed(via));
        cx.out.wake(TIMER_STAGE, due);
    }

    /// Whether `packet`, just arrived, was for the port that it came in by.
    fn is_for_port<O: Outbox>(&mut self, packet: &Packet, cx: &mut Context<'_, O>) -> bool {
        self.refresh(packet.time, cx);
        self.bank.arrive(packet, cx)
    }
}

impl<O: Outbox, P: UplinkPolicy + Send + std::fmt::Debug, B: Bank> SwitchNode<O> for Switch<P, B> {
    fn run(&mut self, arrivals: Arrivals<'_>, until: Time, cx: &mut Context<'_, O>) -> Time {
        arrivals.for_each(|packet| self.handle(packet, cx));
        let last = Time(until.0 - 1);
        self.release(last, cx);
        self.refresh(last, cx);
        self.bank.settle(last, cx).min(self.stage.next())
    }

    fn arrive(&mut self, packet: &Packet, cx: &mut Context<'_, O>) {
        self.handle(packet, cx);
    }

    fn timer(&mut self, timer: u32, now: Time, cx: &mut Context<'_, O>) {
        if timer == TIMER_STAGE {
            self.release(now, cx);
        } else {
            self.refresh(now, cx);
            self.bank.timer(timer, now, cx);
        }
    }

    fn last_active(&self) -> Time {
        self.bank.last_active()
    }

    fn close(&mut self, ends: Ends, tally: &mut Tally) -> Vec<PortStats> {
        let mut ports = self.bank.close(ends, tally);
        for (port, packet) in self.stage.drain() {
            ports[port].queued.add(&packet);
        }
        ports
    }
}

/// What the policy sees of the switch while it picks.
struct View<'a, 'c, B, O> {
    now: Time,
    ingress: usize,
    group: usize,
    valid: UplinkSet,
    bank: &'a mut B,
    /// Queue lengths of the last refresh; none if the policy sees those of the instant.
    table: &'a [u64],
    cx: &'a mut Context<'c, O>,
}

impl<B: Bank, O: Outbox> Uplinks for View<'_, '_, B, O> {
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
        self.bank.uplink_bytes(uplink, self.now, self.cx)
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
