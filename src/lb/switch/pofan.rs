//! pOfan: Ofan with pointers of its own for each ingress pipe, for switches whose pipes share no state.
//!
//! Definition: the Ofan paper, section 5.1. A pipe is a block of `ports_per_pipe` down-ports in port order, the last perhaps smaller
//! (our reading where the number does not divide). The pointers of different pipes start independently; the port order of a key is
//! the same in all pipes (our reading: the paper numbers keys by destination and class only). With one pipe it is Ofan.

use super::ofan::{self, Rotation};
use super::{SwitchEnv, UplinkPolicy, Uplinks};
use crate::fields::{integer, params};
use crate::packet::Packet;
use crate::rng::Rng;

/// What users read about it.
pub const ABOUT: &str =
    "Ofan with separate turns for each group of ingress ports, as a pipelined switch chip needs.";

params! {
    /// The parameters of pOfan: its own, then those of Ofan.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Params {
        /// Down-ports that share a pipe and so a pointer per key (g in gOfan). Paper, section 5.1: 4.
        pub ports_per_pipe: usize = key("ports_per_pipe", integer(1..=1000), default = 4),
        /// The parameters that it shares with Ofan.
        pub ofan: ofan::Params = flat(),
    }
}

/// pOfan on one switch.
#[derive(Clone, Debug)]
pub struct Pofan {
    rotation: Rotation,
    /// By down-port: where its pipe's pointers begin.
    pipe_starts: Box<[u32]>,
}

impl Pofan {
    /// The policy of the switch of `env`, with its own initial pointers.
    #[must_use]
    pub fn new(params: &Params, env: &SwitchEnv) -> Self {
        let pipes = env.downlinks.div_ceil(params.ports_per_pipe);
        let rotation = Rotation::new(&params.ofan, env, pipes);
        let pipe_starts = (0..env.downlinks)
            .map(|port| (port / params.ports_per_pipe * rotation.keys()) as u32)
            .collect();
        Self {
            rotation,
            pipe_starts,
        }
    }
}

impl UplinkPolicy for Pofan {
    #[inline]
    fn pick<U: Uplinks>(&mut self, packet: &Packet, uplinks: &mut U, rng: &mut Rng) -> usize {
        let pipe_start = self.pipe_starts[uplinks.ingress()] as usize;
        self.rotation.pick(pipe_start, packet, uplinks, rng)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::{FakeSwitch, ack, data, edge, pick_stream, picks};
    use super::*;
    use crate::rng::Domain;

    fn pofan(ports_per_pipe: usize, w: usize) -> Pofan {
        let params = Params {
            ports_per_pipe,
            ..Params::default()
        };
        Pofan::new(&params, &edge(w, 1))
    }

    /// Random packets through both policies.
    fn agree(mut one: impl UplinkPolicy, mut other: impl UplinkPolicy, w: usize) -> bool {
        let mut load = Rng::stream(5, Domain::Entropy, 0);
        let mut switch = FakeSwitch::idle(w);
        (0..5_000).all(|_| {
            switch.ingress = load.below(w as u32) as usize;
            switch.group = load.below(2 * (w * w) as u32) as usize;
            let packet = if load.below(2) == 0 { data() } else { ack() };
            let mut rng = pick_stream();
            one.pick(&packet, &mut switch, &mut rng) == other.pick(&packet, &mut switch, &mut rng)
        })
    }

    #[test]
    fn with_one_pipe_it_is_ofan() {
        for (ports_per_pipe, w) in [(4, 2), (4, 4), (6, 6), (64, 6), (64, 32)] {
            let ofan = ofan::Ofan::new(&ofan::Params::default(), &edge(w, 1));
            assert!(agree(pofan(ports_per_pipe, w), ofan, w));
        }
        let ofan = ofan::Ofan::new(&ofan::Params::default(), &edge(6, 1));
        assert!(!agree(pofan(4, 6), ofan, 6));
    }

    #[test]
    fn the_first_pipe_starts_where_ofan_starts() {
        let ofan = ofan::Ofan::new(&ofan::Params::default(), &edge(6, 1));
        for group in 0..72 {
            let mut switch = FakeSwitch::idle(6);
            switch.group = group;
            assert_eq!(
                picks(&mut pofan(4, 6), &data(), &mut switch, 6),
                picks(&mut ofan.clone(), &data(), &mut switch, 6)
            );
        }
    }

    #[test]
    fn pipes_are_blocks_of_ports_and_the_last_may_be_smaller() {
        let policy = pofan(4, 6);
        let keys = 2 * 72;
        assert_eq!(*policy.pipe_starts, [0, 0, 0, 0, keys, keys]);
        assert_eq!(
            pofan(1, 6).pipe_starts.last().map(|start| start / keys),
            Some(5)
        );
    }

    #[test]
    fn every_pipe_and_key_visits_each_uplink_once_in_any_w_packets() {
        for (ports_per_pipe, w) in [(1, 5), (4, 6), (4, 12)] {
            let mut policy = pofan(ports_per_pipe, w);
            let mut switch = FakeSwitch::idle(w);
            for ingress in (0..w).step_by(ports_per_pipe) {
                for (group, packet) in [(0, data()), (0, ack()), (2 * w * w - 1, data())] {
                    (switch.ingress, switch.group) = (ingress, group);
                    let seen = picks(&mut policy, &packet, &mut switch, 3 * w);
                    for window in seen.windows(w) {
                        let mut window = window.to_vec();
                        window.sort_unstable();
                        assert_eq!(window, (0..w).collect::<Vec<_>>());
                    }
                }
            }
        }
    }
}
