//! JSQ, join the shortest queue: the valid uplink with the fewest queued bytes, uniform among equals.
//!
//! Definition: the Ofan paper, section 3.1. Queued bytes are those waiting and in service, without the gap after a frame. The queue
//! is seen exactly, and by default at no delay, which no real switch does: `view_period_ns` makes the view stale (`sight`), so that all
//! packets between two refreshes join what was the shortest queue. AR is the quantised form.

use super::{Refresh, SwitchEnv, UplinkPolicy, UplinkSet, Uplinks, lowest, sight::View};
use crate::fields::params;
use crate::packet::Packet;
use crate::rng::Rng;

/// What users read about it.
pub const ABOUT: &str =
    "Each switch sends each northbound packet to the uplink with the shortest queue.";

params! {
    /// The parameters of JSQ.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Params {
        /// How it sees the queues.
        pub view: View = flat(),
    }
}

/// JSQ on one switch.
#[derive(Clone, Debug)]
pub struct Jsq {
    refresh: Option<Refresh>,
}

impl Jsq {
    /// The policy of the switch of `env`.
    #[must_use]
    pub fn new(params: &Params, env: &SwitchEnv) -> Self {
        Self {
            refresh: Refresh::new(params.view, env),
        }
    }
}

/// The uplink of `valid` with the fewest queued bytes: one draw among several such, none if it is the only one.
pub(super) fn shortest<U: Uplinks>(uplinks: &mut U, valid: UplinkSet, rng: &mut Rng) -> usize {
    lowest(valid, rng, |uplink| uplinks.queued_bytes(uplink))
}

impl UplinkPolicy for Jsq {
    #[inline]
    fn pick<U: Uplinks>(&mut self, _packet: &Packet, uplinks: &mut U, rng: &mut Rng) -> usize {
        let valid = uplinks.valid();
        shortest(uplinks, valid, rng)
    }

    fn refresh(&self) -> Option<Refresh> {
        self.refresh
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::{FakeSwitch, chi_square, data, edge, histogram, pick_stream, picks};
    use super::*;

    #[test]
    fn a_unique_shortest_queue_is_taken_without_a_draw() {
        let mut switch = FakeSwitch::idle(4);
        switch.queues = vec![64, 63, 4158, 64];
        let mut rng = pick_stream();
        let mut jsq = Jsq::new(&Params::default(), &edge(4, 1));
        assert_eq!(jsq.pick(&data(), &mut switch, &mut rng), 1);
        assert_eq!(rng.bits(), pick_stream().bits());
    }

    #[test]
    fn ties_are_uniform_and_an_invalid_empty_port_does_not_count() {
        let mut switch = FakeSwitch::idle(5).without(0);
        switch.queues = vec![0, 10, 20, 10, 10];
        let mut jsq = Jsq::new(&Params::default(), &edge(5, 1));
        let counts = histogram(&picks(&mut jsq, &data(), &mut switch, 30_000), 5);
        assert_eq!((counts[0], counts[2]), (0, 0));
        // 2 degrees of freedom: beyond 31 once in five million.
        assert!(chi_square(&[counts[1], counts[3], counts[4]]) < 31.0);
    }
}
