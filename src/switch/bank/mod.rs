//! The output ports of a switch, together: how they queue, and when they are brought up to an instant.
//!
//! A switch is compiled for each kind of bank, so that the plain one pays for nothing that only others have. The switch calls in order of
//! time, and at one instant: packets that leave the latency stage first, arrivals after them.

mod fifos;
mod ingress;
mod ports;

use crate::engine::{Context, Outbox};
use crate::packet::Packet;
use crate::port::PortStats;
use crate::probe::{Ends, Tally};
use crate::units::Time;

pub use fifos::Fifos;
pub use ingress::{IngressCounts, Thresholds};
pub use ports::{Coupling, Ports};

/// The output ports of a switch.
pub trait Bank: Send + std::fmt::Debug {
    /// Ports depend on nothing but what is enqueued: `arrive` and `admit` need not be called.
    const PLAIN: bool;

    /// `packet` has arrived: bring ports that depend on one another to that instant. Returns whether it was for the port that it came in by, and
    /// goes no further.
    fn arrive<O: Outbox>(&mut self, packet: &Packet, cx: &mut Context<'_, O>) -> bool;
    /// `packet`, just arrived, has been routed and will be enqueued.
    fn admit<O: Outbox>(&mut self, packet: &Packet, cx: &mut Context<'_, O>);
    /// Bytes waiting and in service at `uplink` at `now`; called by policies that read queues.
    fn uplink_bytes<O: Outbox>(&mut self, uplink: usize, now: Time, cx: &mut Context<'_, O>)
    -> u64;
    /// Port number `port` takes a copy of `packet`, which has come `via` these uplinks, at `now`, or drops it.
    fn enqueue<O: Outbox>(
        &mut self,
        port: usize,
        packet: &Packet,
        via: [u8; 2],
        now: Time,
        cx: &mut Context<'_, O>,
    );
    /// Windowed: nothing more comes in up to `now`; do all that is due by then. Returns when a port is next due.
    fn settle<O: Outbox>(&mut self, now: Time, cx: &mut Context<'_, O>) -> Time;
    /// Heap: do what `timer` of a port is for, if it is due at `now`.
    fn timer<O: Outbox>(&mut self, timer: u32, now: Time, cx: &mut Context<'_, O>);
    /// When a frame last entered or left a queue, once nothing more can happen; 0 if none has.
    fn last_active(&self) -> Time;
    /// At the end of a run: what each port counted.
    fn close(&mut self, ends: Ends, tally: &mut Tally) -> Vec<PortStats>;
}

/// Ports that may hold frames, where each is brought up to an instant by itself.
#[derive(Debug)]
struct Busy {
    /// Bit p % 64 of word p / 64: port p.
    words: Box<[u64]>,
}

impl Busy {
    /// None of `ports` ports.
    fn none_of(ports: usize) -> Self {
        Self {
            words: vec![0; ports.div_ceil(64)].into(),
        }
    }

    /// `port` may hold frames from now on.
    #[inline]
    fn add(&mut self, port: usize) {
        self.words[port / 64] |= 1 << (port % 64);
    }

    /// `settle` each of them, by number, until it is due no more. `settle` says when a port is next due; returns when the first of them is.
    #[inline]
    fn settle(&mut self, mut settle: impl FnMut(usize) -> Time) -> Time {
        let mut next = Time::NEVER;
        for (index, word) in self.words.iter_mut().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let due = settle(64 * index + bit);
                if due == Time::NEVER {
                    *word &= !(1 << bit);
                }
                next = next.min(due);
            }
        }
        next
    }
}

#[cfg(test)]
mod tests;
