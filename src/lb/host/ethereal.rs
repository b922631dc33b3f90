//! Ethereal: a flow is split into equal subflows, one per path, named by source route.
//!
//! Definition: arXiv 2407.00550, as in the Ofan paper, section 3.4: every flow is split over all its paths (the original splits only
//! as much as equal loads need). ACKs take the exact reverse path. The host splits the bytes and orders the subflows; here a subflow
//! only gets its path. Where links are down from the start, hosts know it and split flows over the live paths alone, in equal shares
//! (our reading; the original finds dead paths by trying). Not modelled: the outer header's bytes; splits that follow later failures
//! (switches replace a dead uplink).

use std::sync::Arc;

use super::{Ends, HostEnv, Layer, LivePaths, PathPolicy, Split, TxInfo};
use crate::fields::params;
use crate::packet::{route_uplinks, source_route};
use crate::rng::Rng;

/// What users read about it.
pub const ABOUT: &str = "Hosts split each flow into equal subflows, one per path, by source route.";

params! {
    /// Ethereal has no parameters.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Params;
}

impl Split for Params {
    fn subflows(&self, paths: u32) -> u32 {
        paths.max(1)
    }
}

/// Ethereal on one host.
#[derive(Clone, Debug)]
pub struct Ethereal {
    edge_uplinks: u32,
    agg_uplinks: u32,
    host: u32,
    live: Option<Live>,
}

/// Where some paths are dead: which, and the paths of the subflows, by local peer, as far as they were asked for.
#[derive(Clone, Debug)]
struct Live {
    paths: Arc<dyn LivePaths>,
    routes: Box<[Box<[u16]>]>,
}

impl Ethereal {
    /// The policy of the host of `env`.
    #[must_use]
    pub fn new(_params: &Params, env: &HostEnv) -> Self {
        Self {
            edge_uplinks: env.edge_uplinks as u32,
            agg_uplinks: env.agg_uplinks as u32,
            host: env.host,
            live: env.live.as_ref().map(|paths| Live {
                paths: Arc::clone(paths),
                routes: vec![Box::default(); env.peers.len()].into(),
            }),
        }
    }

    /// The path of a subflow where all paths are live.
    fn route(&self, layer: Layer, subflow: u32) -> u16 {
        match layer {
            Layer::SameEdge => 0,
            Layer::SamePod => source_route(subflow as u8, 0),
            Layer::InterPod => {
                let (aggregation, core) = (subflow / self.agg_uplinks, subflow % self.agg_uplinks);
                source_route(aggregation as u8, core as u8)
            }
        }
    }

    /// The path of a subflow where some are dead: the next live one for each.
    fn live_route(&mut self, tx: &TxInfo) -> Option<u16> {
        let live = self.live.as_ref()?;
        if live.routes[tx.local_peer].is_empty() {
            let paths = match tx.layer {
                Layer::SameEdge => 1,
                Layer::SamePod => self.edge_uplinks,
                Layer::InterPod => self.edge_uplinks * self.agg_uplinks,
            };
            let routes = (0..paths).map(|path| self.route(tx.layer, path));
            let ends = Ends {
                src: self.host,
                dst: tx.peer,
            };
            let is_live = |&route: &u16| live.paths.is_live(ends, route_uplinks(route));
            let routes = routes.filter(is_live).collect();
            self.live.as_mut()?.routes[tx.local_peer] = routes;
        }
        let routes = &self.live.as_ref()?.routes[tx.local_peer];
        routes.get(tx.subflow as usize).copied()
    }
}

impl PathPolicy for Ethereal {
    #[inline]
    fn data_path(&mut self, tx: &TxInfo, _rng: &mut Rng) -> u16 {
        if self.live.is_some()
            && let Some(route) = self.live_route(tx)
        {
            return route;
        }
        self.route(tx.layer, tx.subflow)
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
    use super::super::fake::{AllBut, env, stream, tx};
    use super::*;

    /// The paths of so many subflows.
    fn paths(env: &HostEnv, layer: Layer, subflows: u32) -> Vec<[u8; 2]> {
        let mut ethereal = Ethereal::new(&Params, env);
        let path = |subflow| {
            let tx = TxInfo {
                subflow,
                ..tx(0, layer)
            };
            let path = ethereal.data_path(&tx, &mut stream());
            assert_eq!(ethereal.ack_path(&tx, path, &mut stream()), path);
            route_uplinks(path)
        };
        (0..subflows).map(path).collect()
    }

    #[test]
    fn subflows_take_all_paths_and_acks_the_same_way_back() {
        for (layer, subflows, cores) in [
            (Layer::SameEdge, 1, 1),
            (Layer::SamePod, 6, 1),
            (Layer::InterPod, 36, 6),
        ] {
            let paths: HashSet<_> = paths(&env(6, 1), layer, subflows).into_iter().collect();
            assert_eq!(paths.len(), subflows as usize);
            assert!(paths.iter().all(|&[agg, core]| agg < 6 && core < cores));
        }
    }

    #[test]
    fn where_paths_are_dead_subflows_take_the_live_ones_in_order() {
        let dead = vec![[0, 1], [1, 0], [1, 1], [1, 2]];
        let knows = HostEnv {
            live: Some(Arc::new(AllBut { w: 3, dead })),
            ..env(3, 1)
        };
        let live = [[0, 0], [0, 2], [2, 0], [2, 1], [2, 2]];
        assert_eq!(paths(&knows, Layer::InterPod, 5), live);
    }

    #[test]
    fn a_flow_is_split_by_its_number_of_paths_and_only_by_ethereal() {
        let ethereal = HostScheme::Ethereal(Params);
        assert_eq!([0, 1, 6, 30].map(|n| ethereal.subflows(n)), [1, 1, 6, 30]);
        let drb = HostScheme::Drb(super::super::drb::Params);
        assert_eq!([1, 6, 30].map(|n| drb.subflows(n)), [1, 1, 1]);
    }
}
