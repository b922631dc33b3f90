//! Source routing: switches obey the two uplinks that the sender wrote into the packet.
//!
//! This is the switch part of schemes whose hosts name a path (DRB, Ethereal). The outer header that carries it in practice costs no
//! bytes here. If the named uplink does not lead to the destination the next one in port order that does is taken (our reading: the
//! papers let hosts know which paths are alive).

use super::{Level, SwitchEnv, UplinkPolicy, Uplinks};
use crate::fields::params;
use crate::packet::{Packet, route_uplinks};
use crate::rng::Rng;

params! {
    /// Source routing has no parameters.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Params;
}

/// Source routing on one switch.
#[derive(Clone, Debug)]
pub struct Explicit {
    /// Which of the route's two uplinks is this switch's.
    hop: usize,
    uplinks: usize,
}

impl Explicit {
    /// The policy of the switch of `env`.
    #[must_use]
    pub fn new(_params: &Params, env: &SwitchEnv) -> Self {
        Self {
            hop: match env.level {
                Level::Edge => 0,
                Level::Aggregation => 1,
            },
            uplinks: env.uplinks,
        }
    }
}

impl UplinkPolicy for Explicit {
    #[inline]
    fn pick<U: Uplinks>(&mut self, packet: &Packet, uplinks: &mut U, _rng: &mut Rng) -> usize {
        let valid = uplinks.valid();
        let mut uplink = usize::from(route_uplinks(packet.path)[self.hop]);
        debug_assert!(uplink < self.uplinks);
        while !valid.contains(uplink) {
            uplink = (uplink + 1) % self.uplinks;
        }
        uplink
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::{FakeSwitch, aggregation, data, edge, pick_stream};
    use super::*;
    use crate::packet::source_route;

    #[test]
    fn edges_obey_the_first_hop_and_aggregation_switches_the_second() {
        let packet = Packet {
            path: source_route(2, 5),
            ..data()
        };
        for (env, uplink) in [(edge(6, 1), 2), (aggregation(6, 1), 5)] {
            let mut explicit = Explicit::new(&Params, &env);
            let mut switch = FakeSwitch::idle(6);
            assert_eq!(
                explicit.pick(&packet, &mut switch, &mut pick_stream()),
                uplink
            );
            let mut broken = switch.without(uplink);
            let next = (uplink + 1) % 6;
            assert_eq!(
                explicit.pick(&packet, &mut broken, &mut pick_stream()),
                next
            );
        }
    }
}
