//! The windowed engine: conservative, lookahead-limited simulation, node by node.
//!
//! What leaves a node at t cannot reach another before t + L, so in a window of length L (the shortest link latency) every node works
//! alone: it takes the packets that arrive in the window, sorted by (time, ingress port) or as its [`Ties`] say, runs up to the window's end, and posts what
//! it sends into inboxes of later windows. Nothing is approximated. Windows and nodes in which nothing is due are skipped.
//!
//! Nodes are dealt to shards, one a thread. Shards meet once a window; order at a node is by (time, ingress port), never by who posted
//! first, so the number of shards does not show. Hosts run before switches in each window, so that the end of sending, at which the
//! integrals of queues stop, is known to the switches: shards meet once more in the few windows in which it may fall.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::inbox::Inboxes;
use super::shared::{MIDDLE, Said, Shared};
use super::ties::PORT_BITS;
use super::{Arrivals, Context, Ended, Nodes, Progress, Ties};
use crate::packet::{FrameCount, Packet};
use crate::probe::Tally;
use crate::units::{Span, Time};

/// A sort key is (time within the window: 32 bits, ingress port or its place: 10, index: 22).
const INDEX_BITS: u32 = 22;
pub(super) const INDEX_MASK: u64 = (1 << INDEX_BITS) - 1;
/// No window is longer than this, however long the links: times within it fit 32 bits.
const LONGEST_WINDOW: Span = Span(1 << 32);

/// What a run of this engine needs to know of the fabric.
#[derive(Clone, Copy, Debug)]
pub struct Windows {
    /// The shortest link latency, above zero.
    pub lookahead: Span,
    /// The longest link latency.
    pub latency: Span,
    /// The run stops after the events at this instant.
    pub horizon: Option<Time>,
}

impl Windows {
    /// The length of a window.
    #[must_use]
    pub fn window(&self) -> Span {
        self.lookahead.min(LONGEST_WINDOW)
    }
}

/// The nodes of one shard and their counters.
#[derive(Debug)]
pub struct Shard<N> {
    /// The nodes.
    pub nodes: N,
    /// Their counters.
    pub tally: Tally,
    /// How each of them orders what arrives at one instant; empty: all by ingress port.
    pub ties: Vec<Ties>,
}

/// Run all shards until nothing is due, or until after the events at the horizon; each has its own thread if there are several.
pub fn run<N: Nodes<Inboxes> + Send>(
    shards: &mut [Shard<N>],
    windows: Windows,
    progress: &Progress,
) -> Ended {
    let shared = Shared::new(shards.len());
    let workers = shards.iter_mut().enumerate();
    let mut workers: Vec<_> = workers
        .map(|(number, shard)| Worker::new(number, shard, windows, &shared))
        .collect();
    if let [only] = workers.as_mut_slice() {
        return only.run(progress);
    }
    std::thread::scope(|scope| {
        let threads: Vec<_> = workers
            .into_iter()
            .map(|mut worker| {
                scope.spawn(move || {
                    let ended = catch_unwind(AssertUnwindSafe(|| worker.run(progress)));
                    ended.unwrap_or_else(|panic| {
                        worker.shared.give_up();
                        resume_unwind(panic)
                    })
                })
            })
            .collect();
        let ended: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        // All threads are over; a panic goes on in this one.
        let ended = ended
            .into_iter()
            .map(|ended| ended.unwrap_or_else(|panic| resume_unwind(panic)));
        let all = ended.reduce(|all, one| {
            let mut on_wires = all.on_wires;
            on_wires.absorb(one.on_wires);
            Ended {
                ran_dry: all.ran_dry & one.ran_dry,
                on_wires,
            }
        });
        all.expect("there is a shard")
    })
}

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
struct Worker<'a, N> {
    number: usize,
    shard: &'a mut Shard<N>,
    shared: &'a Shared,
    inboxes: Inboxes,
    far: FarTimers,
    keys: Vec<u64>,
    window: Span,
    /// The first instant that does not count.
    stop: Time,
    /// Packets on the wire that would have arrived at `stop` or later.
    left_over: FrameCount,
    any_left_over: bool,
}

impl<'a, N: Nodes<Inboxes>> Worker<'a, N> {
    fn new(number: usize, shard: &'a mut Shard<N>, windows: Windows, shared: &'a Shared) -> Self {
        let (count, hosts) = (shard.nodes.count(), shard.nodes.hosts());
        let window = windows.window();
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
            inboxes: Inboxes::new(
                (number as u32, shared.shards()),
                (count, hosts),
                (window, windows.latency),
            ),
            shared,
            far,
            keys: Vec::new(),
            window,
            stop: Time(
                windows
                    .horizon
                    .map_or(u64::MAX, |at| at.0.saturating_add(1)),
            ),
            left_over: FrameCount::default(),
            any_left_over: false,
        }
    }

    /// Run until nothing is due anywhere, or to the horizon.
    fn run(&mut self, progress: &Progress) -> Ended {
        // The window before the first.
        let mut copy = 0;
        let mut due = self.far.first();
        loop {
            let said = Said { due, ..self.said() };
            let all = self.shared.exchange(copy, self.number, said);
            if all.due == Time::NEVER {
                return self.ended(!self.any_left_over, copy);
            }
            let number = all.due.0 / self.window.0;
            let start = Time(number * self.window.0);
            if all.due >= self.stop {
                return self.ended(self.is_stale(), copy);
            }
            if self.number == 0 {
                progress.set(start);
            }
            self.inboxes.enter(number);
            self.receive_mail(copy);
            self.take_far_timers();
            self.window(start, all.far == 0 && all.sending > 0);
            for (host, record) in self.inboxes.told().drain(..) {
                self.shard.nodes.hear(host, record);
            }
            copy = 1 - copy;
            self.send_mail(copy);
            due = self
                .inboxes
                .next_due()
                .min(self.far.first())
                .min(self.inboxes.take_mail_due());
        }
    }

    /// Whether nothing but hosts would run in this shard from here on, and none of them would find anything to do.
    fn is_stale(&self) -> bool {
        let hosts = self.shard.nodes.hosts() as u32;
        let stale = |node| node < hosts && self.shard.nodes.host_due(node) == Time::NEVER;
        let timers = self.far.heap.iter();
        !self.any_left_over
            && timers.map(|Reverse((_, node))| *node).all(stale)
            && self.inboxes.is_empty()
            && self.inboxes.due_nodes().all(stale)
    }

    /// The end, with mail of copy `copy` not yet taken in.
    fn ended(&self, ran_dry: bool, copy: usize) -> Ended {
        let (mut on_wires, mut ran_dry) = (self.left_over, ran_dry);
        self.inboxes.count(&mut on_wires);
        for from in (0..self.shared.shards()).filter(|&from| from != self.number) {
            let mail = self.shared.mail(copy, from, self.number);
            ran_dry &= mail.packets.is_empty();
            mail.packets
                .iter()
                .for_each(|(_, packet)| on_wires.add(packet));
        }
        Ended { ran_dry, on_wires }
    }

    /// What the hosts have to say.
    fn said(&self) -> Said {
        let (sending, last_sent, far) = self.shard.tally.sending();
        Said {
            due: Time::NEVER,
            sending,
            last_sent,
            far,
        }
    }

    fn receive_mail(&mut self, copy: usize) {
        for from in (0..self.shared.shards()).filter(|&from| from != self.number) {
            let mail = &mut *self.shared.mail(copy, from, self.number);
            self.inboxes.receive(&mut mail.packets);
            for (host, record) in mail.records.drain(..) {
                self.shard.nodes.hear(host, record);
            }
        }
    }

    fn send_mail(&mut self, copy: usize) {
        for to in (0..self.shared.shards()).filter(|&to| to != self.number) {
            // The vector that comes back was emptied by its reader.
            std::mem::swap(
                self.inboxes.mail_to(to),
                &mut *self.shared.mail(copy, self.number, to),
            );
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

    /// Run every node that is due in the window from `start`, hosts first. If `sending_may_end` in it, shards meet after their hosts.
    fn window(&mut self, start: Time, sending_may_end: bool) {
        let hosts = self.shard.nodes.hosts() as u32;
        let mut hosts_done = false;
        if self.inboxes.take_any() {
            for word in 0..self.inboxes.words() {
                let mut due = self.inboxes.take_due(word);
                while due != 0 {
                    let node = word as u32 * 64 + due.trailing_zeros();
                    due &= due - 1;
                    if !hosts_done && node >= hosts {
                        self.settle(sending_may_end);
                        hosts_done = true;
                    }
                    self.node(node, start);
                }
            }
        }
        if !hosts_done {
            self.settle(sending_may_end);
        }
    }

    /// The hosts have run: if all have finished sending, everybody learns when.
    fn settle(&mut self, sending_may_end: bool) {
        let mut all_sent = None;
        if sending_may_end {
            let all = self.shared.exchange(MIDDLE, self.number, self.said());
            all_sent = (all.sending == 0).then_some(all.last_sent);
        }
        self.shard.tally.settle(all_sent);
    }

    #[inline]
    fn node(&mut self, node: u32, start: Time) {
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
