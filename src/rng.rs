//! Named random streams.
//!
//! Every random choice draws from a stream named by (seed, domain, entity): SplitMix64 over the three
//! seeds a PCG32 generator (`rand_pcg`, output XSH-RR). Adding a switch, a scheme or a probe therefore never shifts
//! another entity's draws. The generator and the derivation are part of the output contract: changing either changes
//! every result, so it takes a new version of the program.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::Rng as _;

/// What a stream is for. The numbers are part of the output contract: append, never renumber.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Domain {
    /// Who sends to whom. Entity: 0.
    Permutation = 1,
    /// A host's start offset. Entity: host.
    StartJitter = 2,
    /// A host's per-packet pacing jitter. Entity: host.
    PacingJitter = 3,
    /// A switch's draws while it forwards (random picks, ties). Entity: switch.
    SwitchPick = 4,
    /// A switch's fixed port order(s). Entity: switch.
    PortOrder = 5,
    /// A switch's initial pointers. Entity: switch.
    SwitchPointer = 6,
    /// A switch's hash salt. Entity: switch.
    Salt = 7,
    /// A host's entropy values. Entity: host.
    Entropy = 8,
    /// A flow's fixed entropy value, or the bits of it that are fixed. Entity: flow.
    FlowEntropy = 9,
    /// A host's initial pointer toward one peer and class. Entity: see the scheme.
    HostPointer = 10,
    /// The order of a flow's subflows. Entity: flow.
    SubflowOrder = 11,
    /// The one port permutation that all Ofan switches share. Entity: number of uplinks. Seed: fixed.
    OfanBasis = 12,
    /// How slow a host's clock is. Entity: host.
    ClockSkew = 13,
    /// Which hosts start late. Entity: 0.
    Stragglers = 14,
    /// A switch's draws of latency. Entity: switch.
    SwitchJitter = 15,
    /// The order of packets that arrive at a node at one instant. Entity: node.
    TieBreak = 16,
    /// When a switch refreshes what its policy sees of queues. Entity: switch.
    ViewPhase = 17,
    /// The switches that run another scheme than the rest. Entity: number of the deployment.
    Deployment = 18,
    /// Whether a cable is down. Entity: attempt x 2^32 + number of the cable.
    LinkFailure = 19,
    /// Whether a switch is down. Entity: attempt x 2^32 + switch.
    SwitchFailure = 20,
    /// Marks between two thresholds, by port.
    EcnCoin = 21,
    /// Which packet a full port trims, by port.
    TrimCoin = 22,
    /// Frames that a link loses at random, by port.
    LossCoin = 23,
    /// Who sends a mouse to whom. Entity: round.
    MiceReceivers = 24,
    /// When a host's mice start within their rounds. Entity: host.
    MiceStart = 25,
}

/// SplitMix64's output function: a bijection of 64 bits that mixes well (Steele et al., OOPSLA 2014).
#[inline]
#[must_use]
pub const fn mix64(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// One stream of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(Pcg32);

impl Rng {
    /// The stream of `entity` in `domain` under `seed`.
    #[must_use]
    pub fn stream(seed: u64, domain: Domain, entity: u64) -> Self {
        let named = mix64(mix64(mix64(seed) ^ domain as u64) ^ entity);
        Self(Pcg32::new(named, mix64(named)))
    }

    /// 32 uniform bits.
    #[inline]
    pub fn bits(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// A uniform integer in `0..n`, `n` > 0, without bias (Lemire's multiply-and-reject).
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        debug_assert!(n > 0);
        let mut product = u64::from(self.bits()) * u64::from(n);
        if (product as u32) < n {
            let reject_below = n.wrapping_neg() % n;
            while (product as u32) < reject_below {
                product = u64::from(self.bits()) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    /// A uniform integer in `0..n`, `n` > 0, for ranges beyond 32 bits.
    pub fn below_u64(&mut self, n: u64) -> u64 {
        debug_assert!(n > 0);
        let reject_below = n.wrapping_neg() % n;
        loop {
            let high = u64::from(self.bits()) << 32;
            let product = u128::from(high | u64::from(self.bits())) * u128::from(n);
            if product as u64 >= reject_below {
                return (product >> 64) as u64;
            }
        }
    }

    /// Put `items` in a uniformly random order (Fisher and Yates, from the end).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below_u64(i as u64 + 1) as usize;
            items.swap(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_with_different_names_differ_and_equal_names_agree() {
        let draw = |seed, domain, entity| Rng::stream(seed, domain, entity).bits();
        assert_eq!(draw(1, Domain::Salt, 2), draw(1, Domain::Salt, 2));
        assert_ne!(draw(1, Domain::Salt, 2), draw(1, Domain::Salt, 3));
        assert_ne!(draw(1, Domain::Salt, 2), draw(2, Domain::Salt, 2));
        assert_ne!(draw(1, Domain::Salt, 2), draw(1, Domain::Entropy, 2));
    }

    #[test]
    fn below_is_uniform_within_five_sigma() {
        let mut rng = Rng::stream(7, Domain::SwitchPick, 0);
        let mut counts = [0_i64; 6];
        for _ in 0..60_000 {
            counts[rng.below(6) as usize] += 1;
        }
        for count in counts {
            assert!((count - 10_000).abs() < 5 * 92, "{counts:?}");
        }
    }

    #[test]
    fn shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        Rng::stream(3, Domain::PortOrder, 1).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
