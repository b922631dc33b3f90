//! The windowed engine: conservative, lookahead-limited simulation, node by node.
//!
//! What leaves a node at t cannot reach another before t + L, so in a window of length L (the shortest link latency) every node works
//! alone: it takes the packets that arrive in the window, sorted by (time, ingress port) or as its [`Ties`] say, runs up to the window's end, and posts what
//! it sends into inboxes of later windows. Nothing is approximated. Windows and nodes in which nothing is due are skipped.
//!
//! Nodes are dealt to shards, a few a thread. Threads meet once a window; in it each runs its own shards first and then those of
//! others that nobody has begun, so a thread that the machine slows down does not hold up the rest. Order at a node is by (time,
//! ingress port), never by who posted first, so neither the number of shards shows nor who ran them. Hosts run before switches in
//! each window, so that the end of sending, at which the integrals of queues stop, is known to the switches: threads meet once more
//! in the few windows in which it may fall.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError, TryLockError};

use super::inbox::{Inboxes, Size};
use super::lane::Lane;
use super::shared::{MIDDLE, Said, Shared};
use super::{Ended, Nodes, Progress, Ties};
use crate::packet::FrameCount;
use crate::probe::Tally;
use crate::units::{Span, Time};

/// A sort key is (time within the window: 32 bits, ingress port or its place: 10, index: 22).
pub(super) const INDEX_BITS: u32 = 22;
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

    /// The first instant that does not count.
    pub(super) fn stop(&self) -> Time {
        let after = |at: Time| at.0.saturating_add(1);
        Time(self.horizon.map_or(u64::MAX, after))
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

/// Run all shards until nothing is due, or until after the events at the horizon, on as many threads, at most one a shard.
pub fn run<N: Nodes<Inboxes> + Send>(
    shards: &mut [Shard<N>],
    threads: usize,
    windows: Windows,
    progress: &Progress,
) -> Ended {
    let threads = threads.clamp(1, shards.len());
    let sizes = shards.iter().map(|shard| Size {
        nodes: shard.nodes.count() as u32,
        hosts: shard.nodes.hosts() as u32,
    });
    let sizes: Vec<_> = sizes.collect();
    let lanes = shards.iter_mut().enumerate();
    let lanes = lanes.map(|(number, shard)| Lane::new(number, shard, &sizes, windows));
    let crew = Crew {
        lanes: lanes.map(Mutex::new).collect(),
        threads,
        shared: Shared::new(threads, &sizes),
        window: windows.window(),
        stop: windows.stop(),
    };
    let over = if threads == 1 {
        crew.work(0, progress)
    } else {
        crew.work_together(progress)
    };
    crew.ended(over)
}

/// Why a run is over.
#[derive(Clone, Copy, Debug)]
struct Over {
    /// Nothing is due any more; else the horizon has come.
    dry: bool,
    /// The copy of the mail that nobody has taken in.
    copy: usize,
}

/// The threads of a run and what they work on.
#[derive(Debug)]
struct Crew<'a, N> {
    /// By shard. Whoever holds a lane runs it; none waits for another.
    lanes: Vec<Mutex<Lane<'a, N>>>,
    threads: usize,
    shared: Shared,
    window: Span,
    /// The first instant that does not count.
    stop: Time,
}

impl<N: Nodes<Inboxes> + Send> Crew<'_, N> {
    fn work_together(&self, progress: &Progress) -> Over {
        let work = |thread| {
            let over = catch_unwind(AssertUnwindSafe(|| self.work(thread, progress)));
            over.unwrap_or_else(|panic| {
                self.shared.give_up();
                resume_unwind(panic)
            })
        };
        std::thread::scope(|scope| {
            let threads = (0..self.threads).map(|thread| scope.spawn(move || work(thread)));
            let threads: Vec<_> = threads.collect();
            let over: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
            // All threads are over; a panic goes on in this one.
            let over = over
                .into_iter()
                .map(|over| over.unwrap_or_else(|panic| resume_unwind(panic)));
            over.last().expect("there is a thread")
        })
    }
}

impl<N: Nodes<Inboxes>> Crew<'_, N> {
    /// What thread number `thread` does until nothing is due anywhere, or to the horizon.
    fn work(&self, thread: usize, progress: &Progress) -> Over {
        let mut copy = 0;
        let mut step = 1;
        let mut said = self.each(thread, step, |lane| lane.said());
        loop {
            let all = self.shared.exchange(copy, thread, said);
            let dry = all.due == Time::NEVER;
            if dry || all.due >= self.stop {
                return Over { dry, copy };
            }
            let number = all.due.0 / self.window.0;
            if thread == 0 {
                progress.set(Time(number * self.window.0));
            }
            let sending_may_end = all.sending.far_hosts == 0 && all.sending.hosts > 0;
            let mut all_sent = None;
            if sending_may_end {
                step += 1;
                let said = self.each(thread, step, |lane| {
                    lane.run_hosts(number, &self.shared, copy);
                    lane.said()
                });
                let all = self.shared.exchange(MIDDLE, thread, said);
                all_sent = all.sending.all_sent();
            }
            step += 1;
            said = self.each(thread, step, |lane| {
                if !sending_may_end {
                    lane.run_hosts(number, &self.shared, copy);
                }
                lane.run_switches(all_sent, &self.shared, copy)
            });
            copy = 1 - copy;
        }
    }

    /// Do `work` on lanes, those of this thread first, while there are any on which it has not begun in this step of the run;
    /// what these say together.
    fn each(
        &self,
        thread: usize,
        step: u64,
        mut work: impl FnMut(&mut Lane<'_, N>) -> Said,
    ) -> Said {
        let first = |thread| thread * self.lanes.len() / self.threads;
        let own = first(thread)..first(thread + 1);
        // Others begin with their first lanes, so begin with the last of them.
        let others = (0..own.start)
            .rev()
            .chain((own.end..self.lanes.len()).rev());
        let mut all = Said::NOTHING;
        for number in own.chain(others) {
            let mut lane = match self.lanes[number].try_lock() {
                Ok(lane) => lane,
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Poisoned(_)) => panic!("another thread of this run has panicked"),
            };
            if lane.begin(step) {
                all = all.join(work(&mut lane));
            }
        }
        all
    }

    /// The end of the run.
    fn ended(self, over: Over) -> Ended {
        let mut ended = Ended {
            ran_dry: true,
            on_wires: FrameCount::default(),
        };
        for lane in self.lanes {
            let lane = lane.into_inner().unwrap_or_else(PoisonError::into_inner);
            ended.ran_dry &= lane.is_over(over.dry);
            ended.on_wires.absorb(lane.on_wires());
        }
        for mail in self.shared.into_mail(over.copy) {
            for packet in mail.packets() {
                ended.ran_dry = false;
                ended.on_wires.add(packet);
            }
        }
        ended
    }
}

#[cfg(test)]
mod tests;
