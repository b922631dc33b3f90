//! Port orders: for each key, a permutation of the uplinks through which the key's pointer runs.
//!
//! The `xor_add` orders are those of the Ofan paper, appendix F.2, equations 16 to 18. The paper does not give its basis permutation
//! P; ours is drawn from a fixed stream until its value shifts are distinct cyclic orders (which is impossible for fewer than four
//! uplinks), but for six uplinks it is one that yields the paper's 30 orders.

use std::collections::BTreeSet;

use crate::rng::{Domain, Rng};

/// v xor x if that is an uplink, else v: a bijection of `0..w` for every x < 2^ceil(log2 w).
#[inline]
#[must_use]
pub fn xor_w(v: u8, x: u8, w: u8) -> u8 {
    let flipped = v ^ x;
    if flipped < w { flipped } else { v }
}

/// `port` later by `shift`, modulo `w`; both below `w`.
#[inline]
fn add_w(port: u8, shift: u8, w: u8) -> u8 {
    let sum = u16::from(port) + u16::from(shift);
    let w = u16::from(w);
    (if sum >= w { sum - w } else { sum }) as u8
}

/// A cyclic order by its representative that starts at uplink 0.
pub(super) fn cycle_from_zero(ports: &[u8]) -> Vec<u8> {
    let zero = ports.iter().position(|&port| port == 0).unwrap_or(0);
    [&ports[zero..], &ports[..zero]].concat()
}

/// How many distinct cyclic orders the value shifts of `basis` are.
pub(super) fn additive_orders(basis: &[u8]) -> usize {
    let w = basis.len() as u8;
    let orders: BTreeSet<_> = (0..w)
        .map(|shift| {
            let shifted: Vec<u8> = basis.iter().map(|&port| add_w(port, shift, w)).collect();
            cycle_from_zero(&shifted)
        })
        .collect();
    orders.len()
}

/// The permutation P that all switches with `uplinks` uplinks share.
#[must_use]
pub fn basis(uplinks: usize) -> Vec<u8> {
    let identity: Vec<u8> = (0..uplinks as u8).collect();
    match uplinks {
        0..=3 => identity,
        6 => vec![0, 1, 2, 4, 5, 3],
        _ => {
            let mut rng = Rng::stream(0, Domain::OfanBasis, uplinks as u64);
            loop {
                let mut drawn = identity.clone();
                rng.shuffle(&mut drawn);
                if additive_orders(&drawn) == uplinks {
                    return drawn;
                }
            }
        }
    }
}

/// The port orders of all keys of one switch.
#[derive(Clone, Debug)]
pub(super) enum Orders {
    /// Computed per packet from the basis and the key's number.
    XorAdd {
        /// P, then zeros: a fixed length spares the bounds check.
        basis: Box<[u8; 256]>,
        /// ceil(log2 w).
        bits: u32,
        /// Indexed by the key's high bits: id2 mod w.
        shifts: Box<[u8]>,
        /// w.
        w: u8,
    },
    /// One stored permutation per key, back to back.
    Stored {
        /// The permutations.
        ports: Box<[u8]>,
        /// w.
        w: usize,
    },
    /// Increasing uplinks for every key.
    Identity,
}

impl Orders {
    /// The orders of the paper for keys `0..keys`.
    pub(super) fn xor_add(uplinks: usize, keys: usize) -> Self {
        let mut padded = Box::new([0; 256]);
        padded[..uplinks].copy_from_slice(&basis(uplinks));
        let bits = uplinks.next_power_of_two().trailing_zeros();
        let shifts = (0..(keys >> bits) + 1)
            .map(|high| (high % uplinks) as u8)
            .collect();
        Self::XorAdd {
            basis: padded,
            bits,
            shifts,
            w: uplinks as u8,
        }
    }

    /// An independent uniform permutation for each of `0..keys`.
    pub(super) fn random(uplinks: usize, keys: usize, rng: &mut Rng) -> Self {
        let mut ports = Vec::with_capacity(keys * uplinks);
        for key in 0..keys {
            ports.extend(0..uplinks as u8);
            rng.shuffle(&mut ports[key * uplinks..]);
        }
        Self::Stored {
            ports: ports.into(),
            w: uplinks,
        }
    }

    /// The uplink at `position` of the order of `key`.
    #[inline]
    pub(super) fn port(&self, key: usize, position: u8) -> u8 {
        match self {
            Self::XorAdd {
                basis,
                bits,
                shifts,
                w,
            } => {
                let low = (key & ((1 << bits) - 1)) as u8;
                let flipped = xor_w(basis[usize::from(position)], low, *w);
                add_w(flipped, shifts[key >> bits], *w)
            }
            Self::Stored { ports, w } => ports[key * w + usize::from(position)],
            Self::Identity => position,
        }
    }
}
