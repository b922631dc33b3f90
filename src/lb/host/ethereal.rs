//! Ethereal: a flow is split into equal subflows, one per path, named by source route.
//!
//! Definition: arXiv 2407.00550, as in the Ofan paper, section 3.4: every flow is split over all its paths (the original splits only
//! as much as equal loads need). ACKs take the exact reverse path. The host splits the bytes and orders the subflows; here a subflow
//! only gets its path. Not modelled: the outer header's bytes; subflows over live paths only (switches replace a dead uplink).

use super::{HostEnv, Layer, PathPolicy, Split, TxInfo};
use crate::fields::{Fields, ParamDoc};
use crate::packet::source_route;
use crate::rng::Rng;

/// Ethereal has no parameters.
pub const PARAMS: &[ParamDoc] = &[];

/// Ethereal has no parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params;

impl Params {
    /// Reads nothing.
    #[must_use]
    pub fn read(_fields: &mut Fields<'_>) -> Self {
        Self
    }
}

impl Split for Params {
    fn subflows(&self, layer: Layer, edge_uplinks: usize, agg_uplinks: usize) -> u32 {
        let paths = match layer {
            Layer::SameEdge => 1,
            Layer::SamePod => edge_uplinks,
            Layer::InterPod => edge_uplinks * agg_uplinks,
        };
        paths as u32
    }
}

/// Ethereal on one host.
#[derive(Clone, Debug)]
pub struct Ethereal {
    agg_uplinks: u32,
}

impl Ethereal {
    /// The policy of the host of `env`.
    #[must_use]
    pub fn new(_params: &Params, env: &HostEnv) -> Self {
        Self {
            agg_uplinks: env.agg_uplinks as u32,
        }
    }
}

impl PathPolicy for Ethereal {
    #[inline]
    fn data_path(&mut self, tx: &TxInfo, _rng: &mut Rng) -> u16 {
        let subflow = tx.subflow;
        match tx.layer {
            Layer::SameEdge => 0,
            Layer::SamePod => source_route(subflow as u8, 0),
            Layer::InterPod => {
                let (aggregation, core) = (subflow / self.agg_uplinks, subflow % self.agg_uplinks);
                source_route(aggregation as u8, core as u8)
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
    use std::collections::HashSet;

    use super::super::HostScheme;
    use super::super::fake::{env, stream, tx};
    use super::*;
    use crate::packet::route_uplinks;

    #[test]
    fn subflows_take_all_paths_and_acks_the_same_way_back() {
        for (layer, cores) in [
            (Layer::SameEdge, 1),
            (Layer::SamePod, 1),
            (Layer::InterPod, 6),
        ] {
            let mut ethereal = Ethereal::new(&Params, &env(6, 1));
            let subflows = Params.subflows(layer, 6, 6);
            let paths: HashSet<_> = (0..subflows)
                .map(|subflow| {
                    let tx = TxInfo {
                        subflow,
                        ..tx(0, layer)
                    };
                    let path = ethereal.data_path(&tx, &mut stream());
                    assert_eq!(ethereal.ack_path(&tx, path, &mut stream()), path);
                    route_uplinks(path)
                })
                .collect();
            assert_eq!(paths.len(), subflows as usize);
            assert!(paths.iter().all(|&[agg, core]| agg < 6 && core < cores));
        }
    }

    #[test]
    fn a_flow_is_split_by_its_number_of_paths_and_only_by_ethereal() {
        let ethereal = HostScheme::Ethereal(Params);
        let layers = [Layer::SameEdge, Layer::SamePod, Layer::InterPod];
        assert_eq!(layers.map(|l| ethereal.subflows(l, 6, 5)), [1, 6, 30]);
        assert_eq!(ethereal.subflows(Layer::SamePod, 32, 0), 32);
        let drb = HostScheme::Drb(super::super::drb::Params);
        assert_eq!(layers.map(|l| drb.subflows(l, 6, 5)), [1, 1, 1]);
    }
}
