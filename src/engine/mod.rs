//! Event engines: they bring packets to nodes and nodes to their timers. They know packets and time, no networks.
//!
//! Two engines run the same node code and give the same results. [`windowed`] advances all nodes through windows no longer than the
//! shortest link (the lookahead); [`heap`] is the textbook: one global heap, one event at a time; it needs no lookahead.
//!
//! Order at one node and one instant: departures from ports, packets leaving the latency stage of a switch, arrivals by ingress port (or in a
//! random order: [`Ties`]), notices, the timers of a host or the starts of service at ports. Nothing depends on the order of insertion.

mod boxes;
pub mod heap;
pub mod inbox;
mod lane;
mod shared;
mod ties;
pub mod windowed;

use std::sync::atomic::{AtomicU64, Ordering};

use crate::packet::{AckRecord, FrameCount, Packet};
use crate::probe::Tally;
use crate::units::Time;

pub use ties::Ties;

/// Timers from 0 are departures of the node's ports, by port.
pub const TIMER_STAGE: u32 = 1 << 16;
/// The timer of a host's NIC (and of all else that a host does by itself).
pub const TIMER_HOST: u32 = 2 << 16;
/// Timers from here on are starts of service at the node's ports, by port, after all that arrives at the instant.
pub const TIMER_START: u32 = 3 << 16;

/// The ingress of a notice, above all ports.
pub const NOTICE_PORT: u16 = ties::LAST_PORT;

/// Where a node puts what leaves it.
pub trait Outbox {
    /// A copy of `packet` is on the wire to node `to`: it arrives at `at` on its port `ingress`. By reference, so that the copy is made where it
    /// lands: one made on the way, changed and copied again waits for its own stores.
    fn post(&mut self, to: u32, packet: &Packet, at: Time, ingress: u16);
    /// A notice goes to host `to`, on no wire: it is there at `notice.time`, which is one lookahead from now. Notices at one instant
    /// come in no order, so what they do must not depend on it.
    fn notify(&mut self, to: u32, notice: Packet);
    /// What an ACK says goes to host `to`, beside its frame: it is there before anything can arrive that leaves the running node from now
    /// on and crosses two links.
    fn tell(&mut self, to: u32, record: AckRecord);
    /// The node that is running wants its `timer` at `at`. Only the heap engine needs it: a windowed node looks for itself.
    fn wake(&mut self, timer: u32, at: Time);
}

/// What a node works with while it runs.
#[derive(Debug)]
pub struct Context<'a, O> {
    /// Where packets and wake-ups go.
    pub out: &'a mut O,
    /// Counters.
    pub tally: &'a mut Tally,
}

/// The packets that arrive at a node in one window, in order of (arrival time, ingress port or its [`Ties::rank`]).
#[derive(Clone, Copy, Debug)]
pub struct Arrivals<'a> {
    packets: &'a [Packet],
    /// Sorted keys whose low bits index `packets`; empty if `packets` are in order as they lie.
    keys: &'a [u64],
}

impl<'a> Arrivals<'a> {
    /// The packets, in order.
    #[inline]
    pub fn for_each(self, mut handle: impl FnMut(&'a Packet)) {
        if self.keys.is_empty() {
            self.packets.iter().for_each(handle);
        } else {
            for &key in self.keys {
                handle(&self.packets[(key & windowed::INDEX_MASK) as usize]);
            }
        }
    }
}

/// The nodes of a simulation, by number; the hosts come first.
pub trait Nodes<O: Outbox> {
    /// How many nodes there are.
    fn count(&self) -> usize;
    /// How many of them are hosts.
    fn hosts(&self) -> usize;
    /// Windowed: handle `arrivals` and everything else that is due before `until`. Returns when the node is next due by itself, at `until`
    /// or later; [`Time::NEVER`] if only an arrival can make it so.
    fn run(
        &mut self,
        node: u32,
        arrivals: Arrivals<'_>,
        until: Time,
        cx: &mut Context<'_, O>,
    ) -> Time;
    /// Heap: handle one packet at `packet.time`.
    fn arrive(&mut self, node: u32, packet: &Packet, cx: &mut Context<'_, O>);
    /// Heap: do what `timer` is for, if it is due at `now` (it may be stale).
    fn timer(&mut self, node: u32, timer: u32, now: Time, cx: &mut Context<'_, O>);
    /// When `node` is next due by itself, if it is a host; [`Time::NEVER`] of a switch.
    fn host_due(&self, node: u32) -> Time;
    /// What an ACK says that host `node` will get, or that will be lost. Records come in no order.
    fn hear(&mut self, _node: u32, _record: AckRecord) {}
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Whether nothing was due any more; else the horizon had come.
    pub ran_dry: bool,
    /// What was between two nodes.
    pub on_wires: FrameCount,
}

/// How far a run has come; read by a progress bar on another thread.
#[derive(Debug, Default)]
pub struct Progress(AtomicU64);

impl Progress {
    /// Say that simulated time is `now`.
    #[inline]
    pub fn set(&self, now: Time) {
        self.0.store(now.0, Ordering::Relaxed);
    }

    /// The simulated time last said.
    #[must_use]
    pub fn get(&self) -> Time {
        Time(self.0.load(Ordering::Relaxed))
    }
}
