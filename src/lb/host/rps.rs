//! RPS, random packet spraying: each data packet carries a fresh uniform 16-bit entropy value, which switches hash.
//!
//! Definition: Dixit et al., INFOCOM 2013, in the host form of the Ofan paper, section 3.1. An ACK carries the value of the packet that
//! it acknowledges and hashes in its own direction (as in the authors' public simulator). Its counter-based values are equivalent.

use super::{HostEnv, PathPolicy, Split, TxInfo};
use crate::fields::{Fields, ParamDoc};
use crate::rng::Rng;

/// RPS has no parameters.
pub const PARAMS: &[ParamDoc] = &[];

/// RPS has no parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params;

impl Params {
    /// Reads nothing.
    #[must_use]
    pub fn read(_fields: &mut Fields<'_>) -> Self {
        Self
    }
}

impl Split for Params {}

/// RPS on one host.
#[derive(Clone, Debug)]
pub struct Rps;

impl Rps {
    /// The policy of any host.
    #[must_use]
    pub fn new(_params: &Params, _env: &HostEnv) -> Self {
        Self
    }
}

impl PathPolicy for Rps {
    #[inline]
    fn data_path(&mut self, _tx: &TxInfo, rng: &mut Rng) -> u16 {
        rng.below(1 << 16) as u16
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

    #[test]
    fn every_packet_draws_a_fresh_value_and_its_ack_echoes_it() {
        let mut rps = Rps::new(&Params, &env(6, 1));
        let (mut rng, mut twin) = (stream(), stream());
        for _ in 0..100 {
            let path = rps.data_path(&tx(0, Layer::InterPod), &mut rng);
            assert_eq!(u32::from(path), twin.bits() >> 16);
            let ack = rps.ack_path(&tx(0, Layer::InterPod), path, &mut rng);
            assert_eq!(ack, path);
        }
    }
}
