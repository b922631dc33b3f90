//! The masked cycle: a flow uses every entropy value once before it repeats one, in an order that changes with each cycle.
//!
//! Definition: the multipath classes of uet-htsim (`uec_mp.cpp`, OBLIVIOUS and BITMAP). With N values, N a power of two, the low bits of
//! the n-th value of a cycle are n XOR a mask, uniform for each cycle; the bits above are the flow's own and stay. The first cycle begins
//! with a random mask too.
//!
//! Draws: the bits above are those of the flow's fixed entropy value (the one that ECMP would use), from the flow's stream. A mask comes
//! from the host's entropy stream, when the first value of its cycle is asked for: one draw below N, also for N = 1. uet-htsim draws it
//! right after the last value of the cycle before, from one generator for all; it never draws 65535 for the bits above.

use super::HostEnv;
use crate::rng::{Domain, Rng};

/// A flow's place in its cycle: 4 bytes.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Low bits: the mask of this cycle. Bits above: the flow's.
    key: u16,
    /// Values of this cycle that were given out; 0 also after the last.
    used: u16,
}

/// The cycles of the flows that one host sends.
#[derive(Clone, Debug)]
pub(super) struct MaskedCycles {
    /// The low bits: one less than the number of values.
    low: u16,
    /// By local flow.
    flows: Box<[Place]>,
}

impl MaskedCycles {
    /// Cycles of `entropy_count` values, a power of two up to 65536.
    pub(super) fn new(entropy_count: u32, env: &HostEnv) -> Self {
        debug_assert!(entropy_count.is_power_of_two());
        let place = |&flow: &u32| Place {
            key: Rng::stream(env.seed, Domain::FlowEntropy, u64::from(flow)).below(1 << 16) as u16,
            used: 0,
        };
        Self {
            low: (entropy_count - 1) as u16,
            flows: env.sent_flows.iter().map(place).collect(),
        }
    }

    /// The next value of a flow. `rng` is the host's entropy stream.
    #[inline]
    pub(super) fn next(&mut self, local_flow: usize, rng: &mut Rng) -> u16 {
        let flow = &mut self.flows[local_flow];
        if flow.used == 0 {
            let mask = rng.below(u32::from(self.low) + 1) as u16;
            flow.key = flow.key & !self.low | mask;
        }
        let value = flow.used ^ flow.key;
        flow.used = flow.used.wrapping_add(1) & self.low;
        value
    }

    /// The number of a value among those of its flow: its low bits.
    #[inline]
    pub(super) fn index(&self, value: u16) -> usize {
        usize::from(value & self.low)
    }

    /// Bytes that all flows take.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.flows)
    }

    /// How many values a flow has.
    #[inline]
    pub(super) fn count(&self) -> usize {
        usize::from(self.low) + 1
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::fake::{env, stream};
    use super::*;

    fn cycle(cycles: &mut MaskedCycles, flow: usize, rng: &mut Rng) -> Vec<u16> {
        (0..cycles.count())
            .map(|_| cycles.next(flow, rng))
            .collect()
    }

    #[test]
    fn a_full_cycle_uses_each_value_once_and_keeps_the_bits_above() {
        for count in [1, 2, 64, 1 << 16] {
            let mut cycles = MaskedCycles::new(count, &env(6, 2));
            let mut rng = stream();
            let mut above = BTreeSet::new();
            for _ in 0..3 {
                let values = cycle(&mut cycles, 1, &mut rng);
                let low: BTreeSet<_> = values.iter().map(|&v| u32::from(v) % count).collect();
                assert!(low.into_iter().eq(0..count), "{count}");
                above.extend(values.iter().map(|&v| u32::from(v) / count));
            }
            assert_eq!(above.len(), 1, "{count}");
        }
    }

    #[test]
    fn the_masks_are_the_draws_of_the_hosts_stream_and_the_bits_above_the_flows_value() {
        let mut cycles = MaskedCycles::new(8, &env(6, 1));
        let (mut rng, mut twin) = (stream(), stream());
        let fixed = Rng::stream(1, Domain::FlowEntropy, 20).below(1 << 16) as u16;
        let mut masks = BTreeSet::new();
        for _ in 0..20 {
            let mask = twin.below(8) as u16;
            let expected: Vec<u16> = (0..8).map(|n| (fixed & 0xfff8) + (n ^ mask)).collect();
            assert_eq!(cycle(&mut cycles, 0, &mut rng), expected);
            masks.insert(mask);
        }
        assert!(masks.len() > 4, "cycles differ in their masks: {masks:?}");
    }

    #[test]
    fn a_flow_goes_on_in_its_cycle_whatever_others_do() {
        let mut cycles = MaskedCycles::new(16, &env(6, 2));
        let mut rng = stream();
        let first: Vec<_> = (0..5).map(|_| cycles.next(0, &mut rng)).collect();
        let other = cycle(&mut cycles, 1, &mut rng);
        let rest = (5..16).map(|_| cycles.next(0, &mut rng));
        let all: BTreeSet<_> = first.into_iter().chain(rest).collect();
        assert_eq!(all.len(), 16);
        assert_ne!(all.first(), other.iter().min(), "bits above of their own");
    }
}
