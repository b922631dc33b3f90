//! The order of packets that arrive at one node at one instant, where it is random and not by ingress port.
//!
//! A node has a key; with an instant it names a permutation of the ingress numbers, and packets go in the order of what that makes of
//! theirs. It depends on nothing else, so engines and threads do not show. The permutation is a Feistel network of four rounds over
//! 10 bits (Luby and Rackoff, SIAM J. Comput. 1988) with SplitMix64's mixer as its round function (our reading of "random").

use crate::rng::mix64;
use crate::units::Time;

/// Bits of an ingress number; half of them go through a round.
pub(super) const PORT_BITS: u32 = 10;
/// The highest ingress number: it belongs to no port.
pub(super) const LAST_PORT: u16 = (1 << PORT_BITS) - 1;
const HALF: u32 = PORT_BITS / 2;
const MASK: u64 = (1 << HALF) - 1;

/// How one node orders what arrives at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ties {
    key: u64,
}

impl Ties {
    /// The order that `key` names.
    #[must_use]
    pub const fn new(key: u64) -> Self {
        Self { key }
    }

    /// The place of port `ingress` among all 2^10 at `time`: lower goes first. Another port has another place. What comes by no port
    /// (the highest number) stays last.
    #[inline]
    #[must_use]
    pub fn rank(self, time: Time, ingress: u16) -> u16 {
        if ingress == LAST_PORT {
            return LAST_PORT;
        }
        match self.permute(time, ingress) {
            LAST_PORT => self.permute(time, LAST_PORT),
            rank => rank,
        }
    }

    fn permute(self, time: Time, ingress: u16) -> u16 {
        let key = mix64(self.key ^ mix64(time.0));
        let (mut left, mut right) = (u64::from(ingress) >> HALF, u64::from(ingress) & MASK);
        for round in 0..4 {
            let mixed = mix64(key ^ (round << HALF | right)) & MASK;
            (left, right) = (right, left ^ mixed);
        }
        (left << HALF | right) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_every_node_and_instant_all_ports_have_different_places() {
        for key in 0..20 {
            for time in [0, 1, 41_780, u64::MAX] {
                let ties = Ties::new(key);
                let mut ranks: Vec<u16> = (0..1024).map(|i| ties.rank(Time(time), i)).collect();
                ranks.sort_unstable();
                assert_eq!(ranks, (0..1024).collect::<Vec<_>>());
            }
        }
    }

    /// How often each order of `ports` comes up in 24,000 instants.
    fn orders(ports: &[u16]) -> Vec<u32> {
        let mut counts = std::collections::BTreeMap::new();
        let ties = Ties::new(mix64(7));
        for instant in 0..24_000 {
            let mut order = ports.to_vec();
            order.sort_by_key(|&port| ties.rank(Time(instant * 41_780), port));
            *counts.entry(order).or_insert(0) += 1;
        }
        counts.into_values().collect()
    }

    #[test]
    fn every_order_of_a_few_ports_is_as_likely_as_any_other() {
        for ports in [[0, 1, 2, 3], [0, 31, 32, 33], [5, 64, 100, 127]] {
            let counts = orders(&ports);
            assert_eq!(counts.len(), 24);
            let square = |&count: &u32| (f64::from(count) - 1000.0).powi(2) / 1000.0;
            // 23 degrees of freedom: beyond 66 once in 200,000.
            let chi_square: f64 = counts.iter().map(square).sum();
            assert!(chi_square < 66.0, "{ports:?}: {chi_square}");
        }
    }
}
