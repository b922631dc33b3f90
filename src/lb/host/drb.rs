//! DRB, digit-reversal bouncing: a host sends the packets to each peer over all paths in turn, named by source route.
//!
//! Definition: Cao et al., CoNEXT 2013, as in the Ofan paper, section 3.4. There is a pointer per (peer, data or ACK); consecutive
//! packets change the aggregation switch first (the digits of the path number are reversed), then the core. ACKs go by their sender's
//! own pointer, not along the data's path. Where links are down from the start, hosts know it and the pointer passes over dead paths, in
//! the same order. Not modelled: the outer header's bytes; hosts that learn of later failures (switches replace a dead uplink).

use std::sync::Arc;

use super::{Ends, HostEnv, Layer, LivePaths, PathPolicy, Split, TxInfo};
use crate::fields::params;
use crate::packet::{Kind, source_route};
use crate::rng::{Domain, Rng};

/// What users read about it.
pub const ABOUT: &str =
    "Hosts send the packets to each destination over all paths in turn, by source route.";

params! {
    /// DRB has no parameters.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Params;
}

impl Split for Params {}

/// The path that comes next: pointer p = aggregation + w * core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pointer {
    aggregation: u8,
    core: u8,
}

/// A pointer that no packet has used.
const UNSET: Pointer = Pointer {
    aggregation: u8::MAX,
    core: u8::MAX,
};

/// DRB on one host: 4 bytes per peer.
#[derive(Clone, Debug)]
pub struct Drb {
    seed: u64,
    host: u32,
    edge_uplinks: u8,
    agg_uplinks: u8,
    /// By local peer: for data, for ACKs.
    pointers: Box<[[Pointer; 2]]>,
    live: Option<Arc<dyn LivePaths>>,
}

impl Drb {
    /// The policy of the host of `env`.
    #[must_use]
    pub fn new(_params: &Params, env: &HostEnv) -> Self {
        Self {
            seed: env.seed,
            host: env.host,
            edge_uplinks: env.edge_uplinks as u8,
            agg_uplinks: env.agg_uplinks as u8,
            pointers: vec![[UNSET; 2]; env.peers.len()].into(),
            live: env.live.clone(),
        }
    }

    fn next(&mut self, tx: &TxInfo, kind: Kind) -> u16 {
        let cores = match tx.layer {
            Layer::SameEdge => return 0,
            Layer::SamePod => 1,
            Layer::InterPod => self.agg_uplinks,
        };
        let mut pointer = self.pointers[tx.local_peer][kind as usize];
        if pointer == UNSET {
            pointer = self.first(tx.peer, kind, cores);
        }
        if let Some(live) = &self.live {
            pointer = self.first_live(live.as_ref(), tx.peer, pointer, cores);
        }
        let path = source_route(pointer.aggregation, pointer.core);
        self.pointers[tx.local_peer][kind as usize] = self.after(pointer, cores);
        path
    }

    #[inline]
    fn after(&self, mut pointer: Pointer, cores: u8) -> Pointer {
        pointer.aggregation += 1;
        if pointer.aggregation == self.edge_uplinks {
            pointer.aggregation = 0;
            pointer.core += 1;
            if pointer.core == cores {
                pointer.core = 0;
            }
        }
        pointer
    }

    /// The first live path to `peer` from `pointer` on; itself, if none is live.
    fn first_live(&self, live: &dyn LivePaths, peer: u32, pointer: Pointer, cores: u8) -> Pointer {
        let paths = usize::from(self.edge_uplinks) * usize::from(cores);
        let turn = std::iter::successors(Some(pointer), |&last| Some(self.after(last, cores)));
        let mut turn = turn.take(paths);
        let ends = Ends {
            src: self.host,
            dst: peer,
        };
        let is_live = |p: &Pointer| live.is_live(ends, [p.aggregation, p.core]);
        turn.find(is_live).unwrap_or(pointer)
    }

    /// The initial pointer: uniform, and the same whenever it is first needed. The stream's entity is host, peer and class in fields of
    /// 32, 31 and 1 bits.
    fn first(&self, peer: u32, kind: Kind, cores: u8) -> Pointer {
        let entity = u64::from(self.host) << 32 | u64::from(peer) << 1 | kind as u64;
        let w = u32::from(self.edge_uplinks);
        let p = Rng::stream(self.seed, Domain::HostPointer, entity).below(w * u32::from(cores));
        Pointer {
            aggregation: (p % w) as u8,
            core: (p / w) as u8,
        }
    }
}

impl PathPolicy for Drb {
    #[inline]
    fn data_path(&mut self, tx: &TxInfo, _rng: &mut Rng) -> u16 {
        self.next(tx, Kind::Data)
    }

    #[inline]
    fn ack_path(&mut self, tx: &TxInfo, _data_path: u16, _rng: &mut Rng) -> u16 {
        self.next(tx, Kind::Ack)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::fake::{AllBut, env, stream, tx};
    use super::*;
    use crate::packet::route_uplinks;

    fn routes(drb: &mut Drb, tx: &TxInfo, n: usize) -> Vec<[u8; 2]> {
        (0..n)
            .map(|_| route_uplinks(drb.data_path(tx, &mut stream())))
            .collect()
    }

    #[test]
    fn any_w_packets_touch_each_aggregation_switch_once_and_any_w_squared_each_core() {
        for w in [1, 2, 5, 6, 12] {
            let mut drb = Drb::new(&Params, &env(w, 2));
            let seen = routes(&mut drb, &tx(1, Layer::InterPod), 3 * w * w);
            for window in seen.windows(w) {
                let aggs: HashSet<_> = window.iter().map(|route| route[0]).collect();
                assert_eq!(aggs.len(), w);
            }
            for window in seen.windows(w * w) {
                assert_eq!(window.iter().collect::<HashSet<_>>().len(), w * w);
            }
        }
    }

    #[test]
    fn within_a_pod_the_pointer_runs_over_aggregation_switches_also_in_two_levels() {
        let two_levels = HostEnv {
            agg_uplinks: 0,
            ..env(6, 1)
        };
        for env in [env(6, 1), two_levels] {
            let mut drb = Drb::new(&Params, &env);
            let seen = routes(&mut drb, &tx(0, Layer::SamePod), 13);
            for pair in seen.windows(2) {
                assert_eq!(pair[1], [(pair[0][0] + 1) % 6, 0]);
            }
        }
    }

    #[test]
    fn below_one_edge_there_is_one_path() {
        let mut drb = Drb::new(&Params, &env(6, 1));
        assert_eq!(routes(&mut drb, &tx(0, Layer::SameEdge), 2), [[0, 0]; 2]);
    }

    #[test]
    fn dead_paths_are_passed_over_in_the_same_order() {
        let dead = vec![[0, 0], [1, 0], [2, 0], [1, 2]];
        let live = Arc::new(AllBut { w: 3, dead });
        let knows = HostEnv {
            live: Some(live.clone()),
            ..env(3, 1)
        };
        let tx = tx(0, Layer::InterPod);
        let all = routes(&mut Drb::new(&Params, &env(3, 1)), &tx, 27);
        let seen = routes(&mut Drb::new(&Params, &knows), &tx, 15);
        let expected = all.into_iter().filter(|route| !live.dead.contains(route));
        assert_eq!(seen, expected.take(15).collect::<Vec<_>>());
    }

    #[test]
    fn without_a_live_path_packets_are_sent_all_the_same() {
        let dead = (0..3).flat_map(|a| (0..3).map(move |c| [a, c])).collect();
        let knows = HostEnv {
            live: Some(Arc::new(AllBut { w: 3, dead })),
            ..env(3, 1)
        };
        let tx = tx(0, Layer::InterPod);
        assert_eq!(routes(&mut Drb::new(&Params, &knows), &tx, 4).len(), 4);
    }

    #[test]
    fn acks_have_a_pointer_of_their_own() {
        let mut drb = Drb::new(&Params, &env(6, 1));
        let mut undisturbed = drb.clone();
        let tx = tx(0, Layer::InterPod);
        let acks = [7, 8].map(|data_path| drb.ack_path(&tx, data_path, &mut stream()));
        assert_ne!(acks[0], acks[1]);
        assert_eq!(routes(&mut drb, &tx, 3), routes(&mut undisturbed, &tx, 3));
    }

    #[test]
    fn initial_pointers_do_not_depend_on_the_order_of_use_and_are_spread() {
        let mut forward = Drb::new(&Params, &env(6, 200));
        let mut backward = forward.clone();
        let first = |drb: &mut Drb, i| routes(drb, &tx(i, Layer::InterPod), 1)[0];
        let there: Vec<_> = (0..200).map(|i| first(&mut forward, i)).collect();
        let mut back: Vec<_> = (0..200).rev().map(|i| first(&mut backward, i)).collect();
        back.reverse();
        assert_eq!(there, back);
        assert!(there.iter().collect::<HashSet<_>>().len() > 30);
    }
}
