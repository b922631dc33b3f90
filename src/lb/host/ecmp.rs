//! ECMP per flow: a flow keeps one 16-bit entropy value, so that hashing switches give it one path.
//!
//! Definition: standard equal-cost multipath (RFC 2992 discusses the hashing). The value is uniform per flow; the flow's ACKs carry it
//! too and, as they hash in their own direction, take one path of their own. Not modelled: flowlets, and several queue pairs a flow.

use super::{HostEnv, PathPolicy, Split, TxInfo};
use crate::fields::params;
use crate::rng::{Domain, Rng};

/// What users read about it.
pub const ABOUT: &str = "Each flow keeps one path, chosen by a hash of its header at each switch.";

params! {
    /// ECMP has no parameters.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Params;
}

impl Split for Params {}

/// ECMP on one host.
#[derive(Clone, Debug)]
pub struct Ecmp {
    /// By local flow.
    entropies: Box<[u16]>,
}

impl Ecmp {
    /// The policy of the host of `env`: 2 bytes per flow that it sends.
    #[must_use]
    pub fn new(_params: &Params, env: &HostEnv) -> Self {
        let entropy = |&flow: &u32| {
            Rng::stream(env.seed, Domain::FlowEntropy, u64::from(flow)).below(1 << 16) as u16
        };
        Self {
            entropies: env.sent_flows.iter().map(entropy).collect(),
        }
    }
}

impl PathPolicy for Ecmp {
    #[inline]
    fn data_path(&mut self, tx: &TxInfo, _rng: &mut Rng) -> u16 {
        self.entropies[tx.local_flow]
    }

    #[inline]
    fn ack_path(&mut self, _tx: &TxInfo, data_path: u16, _rng: &mut Rng) -> u16 {
        data_path
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::Layer;
    use super::super::fake::{env, stream, tx};
    use super::*;

    #[test]
    fn a_flow_and_its_acks_keep_one_value_and_flows_differ() {
        let mut ecmp = Ecmp::new(&Params, &env(6, 50));
        let mut rng = stream();
        let mut seen = HashSet::new();
        for flow in 0..50 {
            let tx = tx(flow, Layer::InterPod);
            let path = ecmp.data_path(&tx, &mut rng);
            for _ in 0..10 {
                assert_eq!(ecmp.data_path(&tx, &mut rng), path);
                assert_eq!(ecmp.ack_path(&tx, path, &mut rng), path);
            }
            seen.insert(path);
        }
        assert!(seen.len() > 45);
    }

    #[test]
    fn a_flows_value_depends_on_its_number_only() {
        let mut all = Ecmp::new(&Params, &env(6, 3));
        let last = HostEnv {
            host: 8,
            sent_flows: vec![22],
            ..env(6, 3)
        };
        let mut alone = Ecmp::new(&Params, &last);
        assert_eq!(
            all.data_path(&tx(2, Layer::InterPod), &mut stream()),
            alone.data_path(&tx(0, Layer::InterPod), &mut stream())
        );
    }
}
