//! RSQ, randomized switch queueing: each switch sends each northbound packet to a uniformly random valid uplink.
//!
//! Definition: the Ofan paper, section 3.1. One fresh draw per packet, data and ACK alike; no state, no look at any queue.

use super::{SwitchEnv, UplinkPolicy, Uplinks, uniform};
use crate::fields::params;
use crate::packet::Packet;
use crate::rng::Rng;

/// What users read about it.
pub const ABOUT: &str = "Each switch sends each northbound packet to a random uplink.";

params! {
    /// RSQ has no parameters.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Params;
}

/// RSQ on one switch.
#[derive(Clone, Debug)]
pub struct Rsq;

impl Rsq {
    /// The policy of any switch.
    #[must_use]
    pub fn new(_params: &Params, _env: &SwitchEnv) -> Self {
        Self
    }
}

impl UplinkPolicy for Rsq {
    #[inline]
    fn pick<U: Uplinks>(&mut self, _packet: &Packet, uplinks: &mut U, rng: &mut Rng) -> usize {
        uniform(uplinks.valid(), rng)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::{FakeSwitch, chi_square, data, edge, histogram, picks};
    use super::*;

    #[test]
    fn picks_are_uniform_over_the_valid_uplinks_and_read_no_queue() {
        let mut rsq = Rsq::new(&Params, &edge(6, 1));
        let mut switch = FakeSwitch::idle(6).without(2);
        let mut counts = histogram(&picks(&mut rsq, &data(), &mut switch, 50_000), 6);
        assert_eq!(counts.remove(2), 0);
        // 4 degrees of freedom: beyond 37 once in five million.
        assert!(chi_square(&counts) < 37.0, "{counts:?}");
        assert_eq!(switch.looks, 0);
    }
}
