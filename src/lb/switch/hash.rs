//! ECMP hashing: the uplink is a hash of the flow, the direction, the entropy value and a salt of the switch.
//!
//! This is the switch part of every scheme whose hosts choose paths by an entropy value (`Packet::path`; a UDP source port in
//! practice). Data and ACKs of a flow hash independently, as with real headers whose addresses are swapped (our reading). The hash is
//! an ideal 64-bit mixer: correlations between the weak hashes of real switches are not modelled. Weights are not either.

use super::{SwitchEnv, UplinkPolicy, Uplinks};
use crate::fields::params;
use crate::packet::Packet;
use crate::rng::{Domain, Rng, mix64};

params! {
    /// Hashing has no parameters.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Params;
}

/// Hashing on one switch.
#[derive(Clone, Debug)]
pub struct Hash {
    salt: u64,
}

impl Hash {
    /// The policy of the switch of `env`, with its own salt.
    #[must_use]
    pub fn new(_params: &Params, env: &SwitchEnv) -> Self {
        let mut rng = env.stream(Domain::Salt);
        let high = u64::from(rng.bits());
        Self {
            salt: high << 32 | u64::from(rng.bits()),
        }
    }
}

impl UplinkPolicy for Hash {
    #[inline]
    fn pick<U: Uplinks>(&mut self, packet: &Packet, uplinks: &mut U, _rng: &mut Rng) -> usize {
        let valid = uplinks.valid();
        let direction = u64::from(packet.direction());
        let header = u64::from(packet.flow) << 17 | u64::from(packet.path) << 1 | direction;
        let hash = mix64(mix64(header) ^ self.salt);
        // The product's high half is uniform in 0..len, up to 2^-58.
        valid.nth(((u128::from(hash) * valid.len() as u128) >> 64) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::{FakeSwitch, ack, chi_square, data, edge, histogram, pick_stream};
    use super::*;

    /// The uplinks at `switch` for the data and the ACK of (flow, entropy).
    fn both(hash: &mut Hash, switch: &mut FakeSwitch, flow: u32, path: u16) -> [usize; 2] {
        [data(), ack()].map(|packet| {
            let packet = Packet {
                flow,
                path,
                ..packet
            };
            hash.pick(&packet, switch, &mut pick_stream())
        })
    }

    #[test]
    fn ports_are_uniform_over_entropies_and_over_flows() {
        let mut hash = Hash::new(&Params, &edge(6, 1));
        let mut switch = FakeSwitch::idle(6).without(5);
        let over_entropies: Vec<_> = (0..u16::MAX)
            .map(|path| both(&mut hash, &mut switch, 7, path)[0])
            .collect();
        let over_flows: Vec<_> = (0..60_000)
            .map(|flow| both(&mut hash, &mut switch, flow, 7)[0])
            .collect();
        for values in [over_entropies, over_flows] {
            let counts = histogram(&values, 6);
            assert_eq!(counts[5], 0);
            // 4 degrees of freedom: beyond 37 once in five million.
            assert!(chi_square(&counts[..5]) < 37.0, "{counts:?}");
        }
    }

    #[test]
    fn data_and_ack_of_a_flow_are_independent() {
        let mut hash = Hash::new(&Params, &edge(6, 1));
        let mut switch = FakeSwitch::idle(6);
        let pairs: Vec<_> = (0..72_000)
            .map(|flow| both(&mut hash, &mut switch, flow, 9))
            .map(|[data, ack]| 6 * data + ack)
            .collect();
        // 35 degrees of freedom: beyond 95 once in five million.
        assert!(chi_square(&histogram(&pairs, 36)) < 95.0);
    }

    #[test]
    fn two_switches_hash_independently() {
        let mut near = Hash::new(&Params, &edge(6, 1));
        let other = SwitchEnv {
            switch: 4,
            ..edge(6, 1)
        };
        let mut far = Hash::new(&Params, &other);
        let mut switch = FakeSwitch::idle(6);
        let pairs: Vec<_> = (0..60_000_u32)
            .map(|i| (i, i as u16))
            .map(|(flow, path)| {
                6 * both(&mut near, &mut switch, flow, path)[0]
                    + both(&mut far, &mut switch, flow, path)[0]
            })
            .collect();
        assert!(chi_square(&histogram(&pairs, 36)) < 95.0);
    }

    #[test]
    fn equal_headers_take_the_same_port() {
        let mut hash = Hash::new(&Params, &edge(6, 1));
        let mut switch = FakeSwitch::idle(6);
        let first = both(&mut hash, &mut switch, 3, 4);
        assert_eq!(both(&mut hash, &mut switch, 3, 4), first);
    }
}
