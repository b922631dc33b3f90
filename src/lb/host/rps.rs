//! RPS, random packet spraying: each data packet carries another 16-bit entropy value than the one before, which switches hash.
//!
//! Definition: Dixit et al., INFOCOM 2013, in the host form of the Ofan paper, section 3.1: a fresh uniform value for each packet. An ACK
//! carries the value of the packet that it acknowledges and hashes in its own direction (as in the authors' public simulator). The paper's
//! counter-based values (0, 1, 2, .. per flow: `spray` of that simulator) are `sequential`; if the hash mixes well, it is the same.
//! `masked_cycle` is OBLIVIOUS of uet-htsim: see `masked_cycle` for what it draws.
//!
//! Not modelled: values that several flows of a host share, and packets of which only some are sprayed.

use super::masked_cycle::MaskedCycles;
use super::{HostEnv, PathPolicy, Split, TxInfo};
use crate::fields::{Fields, choice, integer, params, words};
use crate::rng::Rng;

/// What users read about it.
pub const ABOUT: &str = "Random packet spraying: hosts give each packet another header field (by default a random one), which switches hash.";

words! {
    /// How a packet gets its value.
    pub enum Draw {
        /// A fresh uniform one.
        Uniform = "uniform",
        /// That of the flow's masked cycle.
        MaskedCycle = "masked_cycle",
        /// 0, 1, 2, .. per flow.
        Sequential = "sequential",
    }
}

params! {
    /// The parameters of RPS.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Params {
        /// Number of entropy values of a flow. The paper, section 3.1: the 16 bits of a UDP port; uet-htsim, a simulator: its paths (64
        /// unless told otherwise).
        pub entropy_count: u32 =
            key("entropy_count", integer(1..=1 << 16), default = 1 << 16, limits = "a power of two under draw \"masked_cycle\""),
        /// How a packet gets its value: at random; each value once in every entropy_count packets of a flow, in an order drawn for each such
        /// cycle; or 0, 1, 2, .. The paper, section 3.1: uniform; uet-htsim, a simulator (oblivious): masked_cycle; the Ofan authors' public
        /// simulator (spray): sequential.
        pub draw: Draw = key("draw", choice(), default = Draw::Uniform),
    }
    check Params::of_its_draw;
}

impl Params {
    /// Masked cycles take a power of two.
    fn of_its_draw(&self, fields: &mut Fields<'_>) {
        let count = self.entropy_count;
        if self.draw == Draw::MaskedCycle && !count.is_power_of_two() {
            let text = format!(
                "{count} is no power of two, which draw \"masked_cycle\" takes; allowed: a power of two from 1 to 65536, or another draw"
            );
            fields.problem("entropy_count", text);
        }
    }
}

impl Split for Params {}

/// RPS on one host.
#[derive(Clone, Debug)]
pub struct Rps(Source);

/// Where its values come from.
#[derive(Clone, Debug)]
enum Source {
    /// Uniform below `count`.
    Uniform { count: u32 },
    /// 4 bytes a flow.
    MaskedCycle(MaskedCycles),
    /// Below `count`; by local flow, the next: 2 bytes a flow.
    Sequential { count: u32, next: Box<[u16]> },
}

impl Rps {
    /// The policy of the host of `env`.
    #[must_use]
    pub fn new(params: &Params, env: &HostEnv) -> Self {
        let count = params.entropy_count;
        Self(match params.draw {
            Draw::Uniform => Source::Uniform { count },
            Draw::MaskedCycle => Source::MaskedCycle(MaskedCycles::new(count, env)),
            Draw::Sequential => Source::Sequential {
                count,
                next: vec![0; env.sent_flows.len()].into(),
            },
        })
    }
}

impl PathPolicy for Rps {
    #[inline]
    fn data_path(&mut self, tx: &TxInfo, rng: &mut Rng) -> u16 {
        match &mut self.0 {
            Source::Uniform { count } => rng.below(*count) as u16,
            Source::MaskedCycle(cycles) => cycles.next(tx.local_flow, rng),
            Source::Sequential { count, next } => {
                let value = next[tx.local_flow];
                let after = u32::from(value) + 1;
                next[tx.local_flow] = if after == *count { 0 } else { after as u16 };
                value
            }
        }
    }

    #[inline]
    fn ack_path(&mut self, _tx: &TxInfo, data_path: u16, _rng: &mut Rng) -> u16 {
        data_path
    }
}

#[cfg(test)]
mod tests {
    use super::super::Layer;
    use super::super::fake::{env, stream, tx};
    use super::*;

    fn rps(entropy_count: u32, draw: Draw) -> Rps {
        let params = Params {
            entropy_count,
            draw,
        };
        Rps::new(&params, &env(6, 2))
    }

    fn values(rps: &mut Rps, flow: usize, n: usize) -> Vec<u16> {
        let mut rng = stream();
        let tx = tx(flow, Layer::InterPod);
        (0..n).map(|_| rps.data_path(&tx, &mut rng)).collect()
    }

    #[test]
    fn every_packet_draws_a_fresh_value_and_its_ack_echoes_it() {
        let mut rps = Rps::new(&Params::default(), &env(6, 1));
        let (mut rng, mut twin) = (stream(), stream());
        for _ in 0..100 {
            let path = rps.data_path(&tx(0, Layer::InterPod), &mut rng);
            assert_eq!(u32::from(path), twin.bits() >> 16);
            let ack = rps.ack_path(&tx(0, Layer::InterPod), path, &mut rng);
            assert_eq!(ack, path);
        }
    }

    #[test]
    fn uniform_values_are_below_any_count_and_all_occur() {
        let mut seen = [0; 7];
        for value in values(&mut rps(7, Draw::Uniform), 0, 700) {
            seen[usize::from(value)] += 1;
        }
        assert!(seen.iter().all(|&n| n > 50), "{seen:?}");
    }

    #[test]
    fn sequential_values_count_up_and_start_again_at_the_count() {
        let mut rps = rps(3, Draw::Sequential);
        assert_eq!(values(&mut rps, 0, 5), [0, 1, 2, 0, 1]);
        assert_eq!(values(&mut rps, 1, 2), [0, 1], "each flow for itself");
        assert_eq!(values(&mut rps, 0, 2), [2, 0]);
    }

    #[test]
    fn sequential_values_run_to_the_last_of_16_bits() {
        let values = values(&mut rps(1 << 16, Draw::Sequential), 0, 65_537);
        assert_eq!(values[65_534..], [65_534, 65_535, 0]);
    }

    #[test]
    fn a_masked_cycle_uses_each_value_once() {
        let mut rps = rps(64, Draw::MaskedCycle);
        let mut low: Vec<_> = values(&mut rps, 0, 64).iter().map(|v| v % 64).collect();
        low.sort_unstable();
        assert!(low.into_iter().eq(0..64));
    }
}
