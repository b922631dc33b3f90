//! The windowed engine: conservative, lookahead-limited simulation, node by node.
//!
//! What leaves a node at t cannot reach another before t + L, so in a window of length L (the shortest link latency) every node works alone: it takes the
//! packets that arrive in the window, sorted by (time, ingress port), runs up to the window's end, and posts what it sends into
//! inboxes of later windows. Nothing is approximated. Windows and nodes in which nothing is due are skipped.
//!
//! Hosts run before switches in each window, so that the end of sending, at which the integrals of queues stop, is known to the switches.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Arrivals, Context, Nodes, Outbox, Progress};
use crate::packet::Packet;
use crate::probe::Tally;
use crate::units::{Span, Time};

/// A sort key is (time within the window: 32 bits, ingress port: 10, index: 22).
const INDEX_BITS: u32 = 22;
const PORT_BITS: u32 = 10;
pub(super) const INDEX_MASK: u64 = (1 << INDEX_BITS) - 1;
/// No window is longer than this, however long the links: times within it fit 32 bits.
const LONGEST_WINDOW: Span = Span(1 << 24);

/// What is due in one window.
#[derive(Debug)]
struct Slot {
    /// Packets by node; a node without any holds no memory.
    boxes: Vec<Vec<Packet>>,
    /// Bit n: node n has packets or a timer in this window.
    due: Vec<u64>,
    any: bool,
}

impl Slot {
    #[inline]
    fn mark(&mut self, node: usize) {
        self.due[node / 64] |= 1 << (node % 64);
        self.any = true;
    }
}

/// The inboxes of all nodes for the current and some later windows.
#[derive(Debug)]
pub struct Inboxes {
    window: Span,
    /// The end of the current window.
    end: Time,
    /// The slot of the current window.
    now: usize,
    /// A power of two of slots, used in rotation.
    slots: Vec<Slot>,
    /// Emptied boxes, to be used again: those of switches and those of hosts, which are much smaller.
    spare: [Vec<Vec<Packet>>; 2],
    hosts: u32,
}

impl Inboxes {
    fn new((nodes, hosts): (usize, u32), window: Span, latency: Span) -> Self {
        // A packet posted in a window arrives less than `latency` after its end.
        let ahead = latency.0.div_ceil(window.0) as usize + 1;
        let slot = || Slot {
            boxes: (0..nodes).map(|_| Vec::new()).collect(),
            due: vec![0; nodes.div_ceil(64)],
            any: false,
        };
        let slots = (0..ahead.next_power_of_two()).map(|_| slot()).collect();
        Self {
            window,
            end: Time(window.0),
            now: 0,
            slots,
            spare: Default::default(),
            hosts,
        }
    }

    /// The first instant that has no slot yet.
    fn horizon(&self) -> Time {
        Time(
            self.end
                .0
                .saturating_add((self.slots.len() as u64 - 1) * self.window.0),
        )
    }

    #[inline]
    fn slot_of(&self, at: Time) -> usize {
        debug_assert!(
            at >= self.end && at < self.horizon(),
            "{at:?} outside the inboxes"
        );
        let beyond = at.0 - self.end.0;
        let ahead = if beyond < self.window.0 {
            1
        } else {
            1 + (beyond / self.window.0) as usize
        };
        (self.now + ahead) & (self.slots.len() - 1)
    }

    fn advance(&mut self) {
        self.now = (self.now + 1) & (self.slots.len() - 1);
        self.end += self.window;
    }
}

impl Outbox for Inboxes {
    #[inline]
    fn post(&mut self, to: u32, packet: Packet) {
        let slot = self.slot_of(packet.time);
        let slot = &mut self.slots[slot];
        let inbox = &mut slot.boxes[to as usize];
        if inbox.is_empty() {
            if inbox.capacity() == 0
                && let Some(spare) = self.spare[usize::from(to < self.hosts)].pop()
            {
                *inbox = spare;
            }
            slot.due[to as usize / 64] |= 1 << (to % 64);
            slot.any = true;
        }
        inbox.push(packet);
    }

    #[inline]
    fn wake(&mut self, _timer: u32, _at: Time) {}
}

/// Timers of nodes beyond the slots.
#[derive(Debug)]
struct FarTimers {
    heap: BinaryHeap<Reverse<(Time, u32)>>,
    /// The latest entry of each node in the heap, lest the same is entered again and again.
    entered: Vec<Time>,
}

impl FarTimers {
    fn add(&mut self, node: u32, at: Time) {
        if self.entered[node as usize] != at {
            self.entered[node as usize] = at;
            self.heap.push(Reverse((at, node)));
        }
    }

    fn first(&self) -> Option<Time> {
        self.heap.peek().map(|Reverse((at, _))| *at)
    }
}

/// Run `nodes` until nothing is due, or until after the events at `horizon`. `lookahead` > 0 is the shortest, `latency` the longest link latency.
/// Returns whether the run ended because nothing was due.
pub fn run<N: Nodes<Inboxes>>(
    nodes: &mut N,
    tally: &mut Tally,
    (lookahead, latency): (Span, Span),
    horizon: Option<Time>,
    progress: &Progress,
) -> bool {
    let window = lookahead.min(LONGEST_WINDOW);
    let count = nodes.count();
    let mut engine = Windowed {
        inboxes: Inboxes::new((count, nodes.hosts() as u32), window, latency),
        far: FarTimers {
            heap: BinaryHeap::new(),
            entered: vec![Time::NEVER; count],
        },
        keys: Vec::new(),
        // The last instant that counts, exclusive.
        stop: Time(horizon.map_or(u64::MAX, |at| at.0.saturating_add(1))),
        left_over: false,
    };
    for node in 0..count as u32 {
        let due = nodes.first_due(node);
        if due != Time::NEVER {
            engine.far.add(node, due);
        }
    }
    engine.run(nodes, tally, progress)
}

#[derive(Debug)]
struct Windowed {
    inboxes: Inboxes,
    far: FarTimers,
    keys: Vec<u64>,
    stop: Time,
    /// Whether packets were on the wire at `stop`.
    left_over: bool,
}

impl Windowed {
    /// Whether the run ended because nothing was due (and not at the horizon).
    fn run<N: Nodes<Inboxes>>(
        &mut self,
        nodes: &mut N,
        tally: &mut Tally,
        progress: &Progress,
    ) -> bool {
        loop {
            if !self.inboxes.slots.iter().any(|slot| slot.any) {
                let Some(due) = self.far.first() else {
                    return true;
                };
                let window = self.inboxes.window.0;
                self.inboxes.end = Time((due.0 / window).saturating_add(1).saturating_mul(window));
            }
            self.take_far_timers();
            let start = Time(self.inboxes.end.0 - self.inboxes.window.0);
            if start >= self.stop {
                return false;
            }
            if self.inboxes.slots[self.inboxes.now].any {
                progress.set(start);
                self.window(nodes, tally, start);
            }
            self.inboxes.advance();
            if self.inboxes.end.0 - self.inboxes.window.0 >= self.stop.0 {
                return !self.left_over && !self.anything_due();
            }
        }
    }

    fn anything_due(&self) -> bool {
        self.far.first().is_some() || self.inboxes.slots.iter().any(|slot| slot.any)
    }

    fn take_far_timers(&mut self) {
        while self.far.first().is_some_and(|at| at < self.inboxes.end) {
            let Some(Reverse((at, node))) = self.far.heap.pop() else {
                return;
            };
            if self.far.entered[node as usize] == at {
                self.far.entered[node as usize] = Time::NEVER;
            }
            let now = self.inboxes.now;
            self.inboxes.slots[now].mark(node as usize);
        }
    }

    /// Run every node that is due in the window from `start`, hosts first.
    fn window<N: Nodes<Inboxes>>(&mut self, nodes: &mut N, tally: &mut Tally, start: Time) {
        let hosts = nodes.hosts() as u32;
        let mut hosts_done = false;
        self.inboxes.slots[self.inboxes.now].any = false;
        for word in 0..self.inboxes.slots[0].due.len() {
            let slot = &mut self.inboxes.slots[self.inboxes.now];
            let mut due = std::mem::take(&mut slot.due[word]);
            while due != 0 {
                let node = word as u32 * 64 + due.trailing_zeros();
                due &= due - 1;
                if !hosts_done && node >= hosts {
                    tally.settle();
                    hosts_done = true;
                }
                self.node(nodes, tally, node, start);
            }
        }
        if !hosts_done {
            tally.settle();
        }
    }

    #[inline]
    fn node<N: Nodes<Inboxes>>(
        &mut self,
        nodes: &mut N,
        tally: &mut Tally,
        node: u32,
        start: Time,
    ) {
        let now = self.inboxes.now;
        let mut packets = std::mem::take(&mut self.inboxes.slots[now].boxes[node as usize]);
        if self.stop < self.inboxes.end {
            let before = packets.len();
            packets.retain(|packet| packet.time < self.stop);
            self.left_over |= packets.len() < before;
        }
        self.sort(&mut packets, start);
        let arrivals = Arrivals {
            packets: &packets,
            keys: &self.keys,
        };
        let until = self.inboxes.end.min(self.stop);
        let mut cx = Context {
            out: &mut self.inboxes,
            tally,
        };
        let due = nodes.run(node, arrivals, until, &mut cx);
        if packets.capacity() > 0 {
            packets.clear();
            let kind = usize::from(node < self.inboxes.hosts);
            self.inboxes.spare[kind].push(packets);
        }
        if due < self.inboxes.horizon() && due >= self.inboxes.end {
            let slot = self.inboxes.slot_of(due);
            self.inboxes.slots[slot].mark(node as usize);
        } else if due != Time::NEVER {
            self.far.add(node, due);
        }
    }

    /// Sort keys of `packets` by (time, ingress); none if they lie in order.
    fn sort(&mut self, packets: &mut [Packet], start: Time) {
        self.keys.clear();
        if packets.len() > 1 << INDEX_BITS {
            packets.sort_unstable_by_key(|packet| (packet.time, packet.ingress));
            return;
        }
        let mut last = 0;
        let mut in_order = true;
        self.keys
            .extend(packets.iter().enumerate().map(|(index, packet)| {
                let when = (packet.time.0 - start.0) << PORT_BITS | u64::from(packet.ingress);
                in_order &= when >= last;
                last = when;
                when << INDEX_BITS | index as u64
            }));
        if in_order {
            self.keys.clear();
        } else {
            self.keys.sort_unstable();
        }
    }
}
