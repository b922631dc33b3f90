//! One shard of the windowed engine at work: its nodes, their inboxes and timers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::inbox::{Inboxes, Size};
use super::shared::{Said, Shared};
use super::ties::PORT_BITS;
use super::windowed::{INDEX_BITS, Shard, Windows};
use super::{Arrivals, Context, Nodes};
use crate::packet::{FrameCount, Packet};
use crate::units::Time;

/// Timers of nodes beyond the inboxes.
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

    fn first(&self) -> Time {
        self.heap.peek().map_or(Time::NEVER, |Reverse((at, _))| *at)
    }
}

/// One shard at work.
#[derive(Debug)]
pub(super) struct Lane<'a, N> {
    number: usize,
    shard: &'a mut Shard<N>,
    inboxes: Inboxes,
    far: FarTimers,
    keys: Vec<u64>,
    /// The step of the run that was last begun.
    step: u64,
    /// Whether anything is due in the current window.
    busy: bool,
    /// The first instant that does not count.
    stop: Time,
    /// Packets on the wire that would have arrived at `stop` or later.
    left_over: FrameCount,
    any_left_over: bool,
}

impl<'a, N: Nodes<Inboxes>> Lane<'a, N> {
    /// Shard number `number` of those of `sizes`.
    pub(super) fn new(
        number: usize,
        shard: &'a mut Shard<N>,
        sizes: &[Size],
        windows: Windows,
    ) -> Self {
        let count = shard.nodes.count();
        let mut far = FarTimers {
            heap: BinaryHeap::new(),
            entered: vec![Time::NEVER; count],
        };
        for node in 0..count as u32 {
            let due = shard.nodes.host_due(node);
            if due != Time::NEVER {
                far.add(node, due);
            }
        }
        Self {
            number,
            shard,
            inboxes: Inboxes::new(number, sizes, &windows),
            far,
            keys: Vec::new(),
            step: 0,
            busy: false,
            stop: windows.stop(),
            left_over: FrameCount::default(),
            any_left_over: false,
        }
    }

    /// Begin step `step` of the run; no if it was begun before.
    pub(super) fn begin(&mut self, step: u64) -> bool {
        std::mem::replace(&mut self.step, step) != step
    }

    /// What its hosts have to say, and when the first timer beyond the inboxes is due.
    pub(super) fn said(&self) -> Said {
        Said {
            due: self.far.first(),
            sending: self.shard.tally.sending(),
        }
    }

    /// Start window `number`: take in the mail and run the hosts.
    pub(super) fn run_hosts(&mut self, number: u64, shared: &Shared, copy: usize) {
        self.inboxes.enter(number);
        self.take_mail(shared, copy);
        self.take_far_timers();
        self.busy = self.inboxes.take_any();
        self.run_nodes(0..self.shard.nodes.hosts() as u32);
    }

    /// All hosts have run: run the switches, which know when the last host finished sending if it has. Ends the window, and says when anything
    /// is next due here or in what was posted.
    pub(super) fn run_switches(
        &mut self,
        all_sent: Option<Time>,
        shared: &Shared,
        copy: usize,
    ) -> Said {
        self.shard.tally.settle(all_sent);
        self.run_nodes(self.shard.nodes.hosts() as u32..self.shard.nodes.count() as u32);
        for (host, record) in self.inboxes.told().drain(..) {
            self.shard.nodes.hear(host, record);
        }
        let said = self.said();
        let due = said.due.min(self.inboxes.next_due());
        self.give_mail(shared, copy);
        Said { due, ..said }
    }

    /// Whether a run is over here, `dry` or at the horizon: nothing but hosts would run from here on, and none of them would find anything to do.
    pub(super) fn is_over(&self, dry: bool) -> bool {
        let hosts = self.shard.nodes.hosts() as u32;
        let stale = |node| node < hosts && self.shard.nodes.host_due(node) == Time::NEVER;
        let timers = self.far.heap.iter();
        !self.any_left_over
            && (dry
                || timers.map(|Reverse((_, node))| *node).all(stale)
                    && self.inboxes.packets().next().is_none()
                    && self.inboxes.due_nodes().all(stale))
    }

    /// What has left its node and not come to another: lies in the boxes, or would have arrived after the horizon.
    pub(super) fn on_wires(&self) -> FrameCount {
        let mut on_wires = self.left_over;
        self.inboxes
            .packets()
            .for_each(|packet| on_wires.add(packet));
        on_wires
    }

    /// Borrow the mail of the current window: from other shards in copy `copy`, to be read, and to them in the other one, to be filled.
    fn take_mail(&mut self, shared: &Shared, copy: usize) {
        for other in (0..shared.shards()).filter(|&other| other != self.number) {
            let received = &mut *shared.mail(copy, other, self.number);
            for (host, record) in received.records.drain(..) {
                self.shard.nodes.hear(host, record);
            }
            self.inboxes.swap_received(other, received);
            self.inboxes.receive(other);
            let sent = &mut *shared.mail(1 - copy, self.number, other);
            self.inboxes.swap_sent(other, sent);
        }
    }

    /// Give back what [`Self::take_mail`] borrowed.
    fn give_mail(&mut self, shared: &Shared, copy: usize) {
        for other in (0..shared.shards()).filter(|&other| other != self.number) {
            let received = &mut *shared.mail(copy, other, self.number);
            self.inboxes.swap_received(other, received);
            let sent = &mut *shared.mail(1 - copy, self.number, other);
            self.inboxes.swap_sent(other, sent);
        }
    }

    fn take_far_timers(&mut self) {
        while self.far.first() < self.inboxes.end() {
            let Some(Reverse((at, node))) = self.far.heap.pop() else {
                return;
            };
            if self.far.entered[node as usize] == at {
                self.far.entered[node as usize] = Time::NEVER;
            }
            self.inboxes.mark_now(node);
        }
    }

    /// Run those of `nodes` that are due in the current window.
    fn run_nodes(&mut self, nodes: Range<u32>) {
        if !self.busy {
            return;
        }
        for word in nodes.start / 64..nodes.end.div_ceil(64) {
            let mut due = self.inboxes.take_due(word, &nodes);
            while due != 0 {
                let node = word * 64 + due.trailing_zeros();
                due &= due - 1;
                self.node(node);
            }
        }
    }

    #[inline]
    fn node(&mut self, node: u32) {
        let start = self.inboxes.start();
        let mut packets = self.inboxes.take_box(node);
        if self.stop < self.inboxes.end() {
            packets.retain(|packet| {
                let counts = packet.time < self.stop;
                if !counts {
                    self.left_over.add(packet);
                    self.any_left_over = true;
                }
                counts
            });
        }
        match self.shard.ties.get(node as usize).copied() {
            None => self.sort(&mut packets, start, |packet| packet.ingress),
            Some(ties) => self.sort(&mut packets, start, |packet| {
                ties.rank(packet.time, packet.ingress)
            }),
        }
        let arrivals = Arrivals {
            packets: &packets,
            keys: &self.keys,
        };
        let until = self.inboxes.end().min(self.stop);
        let mut cx = Context {
            out: &mut self.inboxes,
            tally: &mut self.shard.tally,
        };
        let due = self.shard.nodes.run(node, arrivals, until, &mut cx);
        self.inboxes.recycle(node, packets);
        if due < self.inboxes.horizon() && due >= self.inboxes.end() {
            self.inboxes.mark(node, due);
        } else if due != Time::NEVER {
            self.far.add(node, due);
        }
    }

    /// Sort keys of `packets` by (time, place); none if they lie in order.
    #[inline]
    fn sort(&mut self, packets: &mut [Packet], start: Time, place: impl Fn(&Packet) -> u16) {
        self.keys.clear();
        if packets.len() > 1 << INDEX_BITS {
            packets.sort_unstable_by_key(|packet| (packet.time, place(packet)));
            return;
        }
        let mut last = 0;
        let mut in_order = true;
        self.keys
            .extend(packets.iter().enumerate().map(|(index, packet)| {
                let when = (packet.time.0 - start.0) << PORT_BITS | u64::from(place(packet));
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
