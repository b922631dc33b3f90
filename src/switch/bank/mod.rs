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
use crate::probe::Tally;
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
    /// Port number `port` takes `packet` at `now`, or drops it.
    fn enqueue<O: Outbox>(
        &mut self,
        port: usize,
        packet: Packet,
        now: Time,
        cx: &mut Context<'_, O>,
    );
    /// Windowed: nothing more comes in up to `now`; do all that is due by then. Returns when a port is next due.
    fn settle<O: Outbox>(&mut self, now: Time, cx: &mut Context<'_, O>) -> Time;
    /// Heap: do what `timer` of a port is for, if it is due at `now`.
    fn timer<O: Outbox>(&mut self, timer: u32, now: Time, cx: &mut Context<'_, O>);
    /// When a frame last entered or left a queue, once nothing more can happen; 0 if none has.
    fn last_active(&self) -> Time;
    /// At the end of a run: what each port counted. Queues are integrated up to the first instant; the run ended at the second.
    fn close(&mut self, ends: (Time, Time), tally: &mut Tally) -> Vec<PortStats>;
}

#[cfg(test)]
mod tests;
