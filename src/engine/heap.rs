//! The heap engine: the textbook. One global binary heap of events, one event at a time, in order of (time, kind, node, place, port).
//!
//! It runs the same node code as the windowed engine and is its reference; it needs no lookahead, so it also serves fabrics of zero latency. Packets
//! on a wire stay in the wire's own FIFO: only the head of each has an event in the heap, as in htsim's pipes.

use std::collections::VecDeque;

use binary_heap_plus::{BinaryHeap, MinComparator};

use super::{Context, Ended, Nodes, Outbox, Progress, TIMER_HOST, TIMER_STAGE, TIMER_START, Ties};
use crate::packet::{AckRecord, FrameCount, Packet};
use crate::probe::Tally;
use crate::units::{Span, Time};

/// The kinds of event, in their order at one instant.
const DEPARTURE: u64 = 0;
const STAGE: u64 = 1;
const ARRIVAL: u64 = 2;
/// A host by itself, or the start of service at a port of a switch.
const OWN: u64 = 3;

/// Progress is said in steps of this.
const PROGRESS_STEP: Span = Span(1_000_000);

/// An event: time (64 bits), kind (2), node (30), port (32). Its order is the order of events. Where arrivals at one instant come in a
/// random order, the place of the port stands above it, in the upper 16 of its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Event(u128);

impl Event {
    fn new(time: Time, kind: u64, node: u32, port: u32) -> Self {
        let rank = kind << 62 | u64::from(node) << 32 | u64::from(port);
        Self(u128::from(time.0) << 64 | u128::from(rank))
    }

    fn time(self) -> Time {
        Time((self.0 >> 64) as u64)
    }

    fn kind(self) -> u64 {
        self.0 as u64 >> 62
    }

    fn node(self) -> u32 {
        (self.0 as u64 >> 32) as u32 & 0x3FFF_FFFF
    }

    fn port(self) -> u32 {
        self.0 as u32 & 0xFFFF
    }
}

/// The heap and the wires.
#[derive(Debug)]
pub struct Agenda {
    events: BinaryHeap<Event, MinComparator>,
    /// Whether the heap's top is the event being handled: the next one that is added takes its place, which saves a sift.
    top_is_handled: bool,
    /// Packets on the wire into each port of each node; one wire more for its notices, which all take equally long.
    wires: Vec<VecDeque<Packet>>,
    /// Where the wires of a node start; one entry more at the end.
    first_wire: Vec<u32>,
    /// How each node orders what arrives at one instant; empty: by port.
    ties: Vec<Ties>,
    /// The node that is running.
    running: u32,
    /// Records of ACKs that it has told other hosts.
    told: Vec<(u32, AckRecord)>,
}

impl Outbox for Agenda {
    #[inline]
    fn post(&mut self, to: u32, packet: &Packet, at: Time, ingress: u16) {
        let wire = &mut self.wires[self.first_wire[to as usize] as usize + usize::from(ingress)];
        if wire.is_empty() {
            // Without latency it may come before the event being handled, so it must not push that from the top.
            let event = arrival(&self.ties, at, to, ingress);
            add(&mut self.events, &mut self.top_is_handled, event);
        }
        wire.push_back(packet.landing(at, ingress));
    }

    fn notify(&mut self, to: u32, notice: Packet) {
        let [first, end] = [to, to + 1].map(|node| self.first_wire[node as usize]);
        self.post(to, &notice, notice.time, (end - 1 - first) as u16);
    }

    fn tell(&mut self, to: u32, record: AckRecord) {
        self.told.push((to, record));
    }

    #[inline]
    fn wake(&mut self, timer: u32, at: Time) {
        let (kind, port) = match timer {
            TIMER_HOST => (OWN, 0),
            TIMER_STAGE => (STAGE, 0),
            start if start >= TIMER_START => (OWN, start - TIMER_START),
            port => (DEPARTURE, port),
        };
        let event = Event::new(at, kind, self.running, port);
        add(&mut self.events, &mut self.top_is_handled, event);
    }
}

/// The arrival at `node` by `ingress` at `time`.
#[inline]
fn arrival(ties: &[Ties], time: Time, node: u32, ingress: u16) -> Event {
    let place = ties
        .get(node as usize)
        .map_or(0, |ties| u32::from(ties.rank(time, ingress)));
    Event::new(time, ARRIVAL, node, place << 16 | u32::from(ingress))
}

/// Add `event`: in place of the top, if that has been handled.
#[inline]
fn add(events: &mut BinaryHeap<Event, MinComparator>, top_is_handled: &mut bool, event: Event) {
    if std::mem::take(top_is_handled)
        && let Some(mut top) = events.peek_mut()
    {
        *top = event;
    } else {
        events.push(event);
    }
}

impl Agenda {
    /// The earliest event; it stays at the heap's top until `done` or until another takes its place.
    fn next(&mut self) -> Option<Event> {
        let event = *self.events.peek()?;
        self.top_is_handled = true;
        Some(event)
    }

    /// The event has been handled.
    fn done(&mut self) {
        if std::mem::take(&mut self.top_is_handled) {
            self.events.pop();
        }
    }

    /// Whether nothing but hosts would be woken from here on, and none of them would find anything to do.
    fn is_stale<N: Nodes<Self>>(&self, nodes: &N) -> bool {
        let hosts = nodes.hosts() as u32;
        self.events.iter().all(|event| {
            let node = event.node();
            event.kind() == OWN && node < hosts && nodes.host_due(node) == Time::NEVER
        })
    }

    /// What a run that ends now leaves on the wires.
    fn ended(&self, ran_dry: bool) -> Ended {
        let mut on_wires = FrameCount::default();
        let packets = self.wires.iter().flatten();
        packets.for_each(|packet| on_wires.add(packet));
        Ended { ran_dry, on_wires }
    }

    /// Take the packet that arrives now on `port` of `node`; the next on that wire gets its event.
    fn arrival(&mut self, node: u32, port: u32) -> Option<Packet> {
        let wire = &mut self.wires[(self.first_wire[node as usize] + port) as usize];
        let packet = wire.pop_front()?;
        if let Some(next) = wire.front() {
            let event = arrival(&self.ties, next.time, node, port as u16);
            add(&mut self.events, &mut self.top_is_handled, event);
        }
        Some(packet)
    }
}

/// Run `nodes` until nothing is due, or until after the events at `horizon`; `ports` are the numbers of ports of each node, and
/// `ties` how each orders what arrives at one instant (empty: all by ingress port).
pub fn run<N: Nodes<Agenda>>(
    nodes: &mut N,
    tally: &mut Tally,
    ports: &[u32],
    ties: &[Ties],
    horizon: Option<Time>,
    progress: &Progress,
) -> Ended {
    let mut first_wire = vec![0];
    for &ports in ports {
        first_wire.push(first_wire[first_wire.len() - 1] + ports + 1);
    }
    let mut agenda = Agenda {
        events: BinaryHeap::new_min(),
        top_is_handled: false,
        wires: (0..*first_wire.last().unwrap_or(&0))
            .map(|_| VecDeque::new())
            .collect(),
        ties: ties.to_vec(),
        first_wire,
        running: 0,
        told: Vec::new(),
    };
    for node in 0..nodes.count() as u32 {
        let due = nodes.host_due(node);
        if due != Time::NEVER {
            agenda.events.push(Event::new(due, OWN, node, 0));
        }
    }
    let stop = horizon.unwrap_or(Time::NEVER);
    let mut said = Time::ZERO;
    while let Some(event) = agenda.next() {
        let (now, node) = (event.time(), event.node());
        if now > stop {
            return agenda.ended(agenda.is_stale(nodes));
        }
        if now.0 - said.0 > PROGRESS_STEP.0 {
            said = now;
            progress.set(now);
        }
        agenda.running = node;
        dispatch(nodes, &mut agenda, tally, event);
        agenda.done();
        for (host, record) in agenda.told.drain(..) {
            nodes.hear(host, record);
        }
        tally.settle(tally.last_sent());
    }
    agenda.ended(true)
}

fn dispatch<N: Nodes<Agenda>>(nodes: &mut N, agenda: &mut Agenda, tally: &mut Tally, event: Event) {
    let (now, node) = (event.time(), event.node());
    if event.kind() == ARRIVAL {
        if let Some(packet) = agenda.arrival(node, event.port()) {
            nodes.arrive(node, &packet, &mut Context { out: agenda, tally });
        }
        return;
    }
    let timer = match event.kind() {
        DEPARTURE => event.port(),
        STAGE => TIMER_STAGE,
        _ if (node as usize) < nodes.hosts() => TIMER_HOST,
        _ => TIMER_START + event.port(),
    };
    nodes.timer(node, timer, now, &mut Context { out: agenda, tally });
}
