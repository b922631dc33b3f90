//! Ofan: at each switch a round robin per destination, so that the traffic to each destination is spread evenly on the way up and
//! therefore arrives evenly on the way down.
//!
//! Definition: the Ofan paper, sections 4.1 and F.2. An edge switch has a pointer per (destination edge, class), an aggregation
//! switch one per (destination pod, class); each pointer runs through a port order of its own. A port that does not lead to the
//! packet's destination is skipped by advancing. Class 0 is data, class 1 is ACKs, whose pointers start half a rotation later. The
//! parameters open the design space around the paper's choice; the first pointer by queue length is the variant of appendix F.5.
//! Not modelled: the batches and pipeline stages of the hardware (packets are served one by one in the order of their arrival).

mod order;
#[cfg(test)]
mod tests;

use super::jsq::shortest;
use super::{SwitchEnv, UplinkPolicy, Uplinks};
use crate::fields::{Fields, choice, increasing, nullable, params, words};
use crate::packet::Packet;
use crate::rng::{Domain, Rng};
use order::Orders;
pub use order::{basis, xor_w};

/// What users read about it.
pub const ABOUT: &str =
    "Each switch sends the packets to each destination switch to its uplinks in turn.";

words! {
    /// What shares a pointer.
    pub enum Consolidate {
        /// Packets to one destination edge or pod.
        Switch = "switch",
        /// Packets to one destination host.
        Host = "host",
    }
}

words! {
    /// Where a pointer's rotation starts.
    pub enum FirstPointer {
        /// At a uniformly random place.
        Random = "random",
        /// At the least queued valid port when its first packet arrives.
        ShortestQueue = "shortest_queue",
    }
}

words! {
    /// The order of ports that a pointer runs through.
    pub enum PortOrder {
        /// As the paper has it: xor_add, or identity with first_pointer "shortest_queue".
        Auto = "auto",
        /// Computed from a shared permutation by XOR and addition.
        XorAdd = "xor_add",
        /// An independent uniform permutation per key.
        Random = "random",
        /// Increasing.
        Identity = "identity",
    }
}

words! {
    /// The pointers of ACKs (of classes other than 0).
    pub enum AckPointer {
        /// Their own, spaced evenly after that of class 0.
        HalfRotation = "half_rotation",
        /// Their own, starting anywhere.
        Random = "random",
        /// That of class 0: there are no other classes.
        Shared = "shared",
    }
}

params! {
    /// The parameters of Ofan.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Params {
        /// What shares a pointer: all packets to one destination edge (at edges) or pod (at aggregation switches), or only those to one
        /// destination host (at both). Paper, section 4.1: switch.
        pub consolidate: Consolidate = key("consolidate", choice(), default = Consolidate::Switch),
        /// Where a pointer's rotation starts: at a uniformly random place, or at the least queued valid port when its first packet
        /// arrives (then ack_pointer offsets do not apply). Paper, section 4.1: random; appendix F.5: shortest queue.
        pub first_pointer: FirstPointer = key("first_pointer", choice(), default = FirstPointer::Random),
        /// The order of ports that a pointer runs through: computed by XOR and addition, an independent uniform permutation per pointer,
        /// or increasing for all. auto is what the paper has with either first_pointer: xor_add with random (appendix F.2), identity
        /// with shortest_queue (F.5).
        pub port_order: PortOrder = key("port_order", choice(), default = PortOrder::Auto),
        /// The pointers of ACKs: their own, starting half a rotation after those of the data; their own, starting anywhere; or those of
        /// the data (one class for all packets). Paper, section 4.1: half_rotation.
        pub ack_pointer: AckPointer = key("ack_pointer", choice(), default = AckPointer::HalfRotation),
        /// Frame sizes that separate the classes, in bytes. null: data is class 0 and ACKs are class 1. A list: a frame's class is the
        /// number of boundaries that it does not exceed, so class 0 is above all of them; class t of n starts floor(t*w/n) after class
        /// 0. The paper suggests more classes in section 4.1.
        pub size_class_bytes: Option<Vec<u64>> = key("size_class_bytes", nullable(increasing(1..=65_535, 15)), default = None,
            limits = "null where ack_pointer is \"shared\""),
    }
    check Params::of_its_pointers;
}

impl Params {
    /// Where all packets are one class there are no boundaries.
    fn of_its_pointers(&self, fields: &mut Fields<'_>) {
        if self.ack_pointer == AckPointer::Shared && self.size_class_bytes.is_some() {
            let text = "must be null where ack_pointer is \"shared\": all packets are one class";
            fields.problem("size_class_bytes", text.to_owned());
        }
    }

    /// The orders of ports that the pointers of `keys` keys run through.
    fn orders(&self, env: &SwitchEnv, keys: usize) -> Orders {
        match (self.port_order, self.first_pointer) {
            (PortOrder::XorAdd, _) | (PortOrder::Auto, FirstPointer::Random) => {
                Orders::xor_add(env.uplinks, keys)
            }
            (PortOrder::Random, _) => {
                Orders::random(env.uplinks, keys, &mut env.stream(Domain::PortOrder))
            }
            (PortOrder::Identity, _) | (PortOrder::Auto, FirstPointer::ShortestQueue) => {
                Orders::Identity
            }
        }
    }

    /// How packets fall into classes.
    fn classes(&self) -> Classes {
        match (&self.size_class_bytes, self.ack_pointer) {
            (_, AckPointer::Shared) => Classes::One,
            (None, _) => Classes::Kinds,
            (Some(bounds), _) => Classes::Sizes(bounds.iter().map(|&b| b as u32).collect()),
        }
    }
}

/// How packets fall into classes.
#[derive(Clone, Debug)]
enum Classes {
    One,
    Kinds,
    Sizes(Box<[u32]>),
}

impl Classes {
    fn count(&self) -> usize {
        match self {
            Self::One => 1,
            Self::Kinds => 2,
            Self::Sizes(bounds) => bounds.len() + 1,
        }
    }

    #[inline]
    fn of(&self, packet: &Packet) -> usize {
        match self {
            Self::One => 0,
            Self::Kinds => usize::from(packet.is_control()),
            Self::Sizes(bounds) => bounds.iter().filter(|&&bound| packet.size <= bound).count(),
        }
    }
}

/// A pointer whose key has seen no packet, with [`FirstPointer::ShortestQueue`].
const UNSET: u8 = u8::MAX;

/// The pointers of one switch and what they run through: all of Ofan but the ingress pipe.
///
/// A key's number is `destination + destinations * class` (equation 16 of the paper). Pointers take one byte each.
#[derive(Clone, Debug)]
pub(super) struct Rotation {
    by_host: bool,
    destinations: usize,
    classes: Classes,
    w: u8,
    orders: Orders,
    /// By pipe, then by key.
    pointers: Box<[u8]>,
}

impl Rotation {
    /// The pointers of the switch of `env`, a set for each of `pipes`.
    pub(super) fn new(params: &Params, env: &SwitchEnv, pipes: usize) -> Self {
        let by_host = params.consolidate == Consolidate::Host;
        let destinations = if by_host { env.hosts } else { env.groups };
        let classes = params.classes();
        let keys = destinations * classes.count();
        let orders = params.orders(env, keys);
        let pointers = match params.first_pointer {
            FirstPointer::ShortestQueue => vec![UNSET; pipes * keys],
            FirstPointer::Random => {
                let spaced = params.ack_pointer == AckPointer::HalfRotation;
                let mut rng = env.stream(Domain::SwitchPointer);
                (0..pipes)
                    .flat_map(|_| {
                        first_pointers(env.uplinks, destinations, classes.count(), spaced, &mut rng)
                    })
                    .collect()
            }
        };
        Self {
            by_host,
            destinations,
            classes,
            w: env.uplinks as u8,
            orders,
            pointers: pointers.into(),
        }
    }

    /// Keys of one pipe.
    pub(super) fn keys(&self) -> usize {
        self.destinations * self.classes.count()
    }

    /// The uplink for `packet` by the pointers of the pipe that begin at `pipe_start`.
    #[inline]
    pub(super) fn pick<U: Uplinks>(
        &mut self,
        pipe_start: usize,
        packet: &Packet,
        uplinks: &mut U,
        rng: &mut Rng,
    ) -> usize {
        let destination = if self.by_host {
            packet.dst as usize
        } else {
            uplinks.group()
        };
        let key = destination + self.destinations * self.classes.of(packet);
        let valid = uplinks.valid();
        debug_assert!(!valid.is_empty());
        let mut position = self.pointers[pipe_start + key];
        if position == UNSET {
            let first = shortest(uplinks, valid, rng) as u8;
            position = (0..self.w)
                .find(|&position| self.orders.port(key, position) == first)
                .unwrap_or(0);
        }
        loop {
            let uplink = usize::from(self.orders.port(key, position));
            position += 1;
            if position == self.w {
                position = 0;
            }
            if valid.contains(uplink) {
                self.pointers[pipe_start + key] = position;
                return uplink;
            }
        }
    }
}

/// The initial pointers of one pipe in key order: drawn for class 0, for the others `spaced` evenly after it or drawn too.
fn first_pointers(
    uplinks: usize,
    destinations: usize,
    classes: usize,
    spaced: bool,
    rng: &mut Rng,
) -> Vec<u8> {
    let drawn = if spaced { 1 } else { classes };
    let mut pointers: Vec<u8> = (0..destinations * drawn)
        .map(|_| rng.below(uplinks as u32) as u8)
        .collect();
    for class in drawn..classes {
        let offset = class * uplinks / classes;
        for destination in 0..destinations {
            let start = usize::from(pointers[destination]) + offset;
            pointers.push((start % uplinks) as u8);
        }
    }
    pointers
}

/// Ofan on one switch.
#[derive(Clone, Debug)]
pub struct Ofan {
    rotation: Rotation,
}

impl Ofan {
    /// The policy of the switch of `env`, with its own initial pointers.
    #[must_use]
    pub fn new(params: &Params, env: &SwitchEnv) -> Self {
        Self {
            rotation: Rotation::new(params, env, 1),
        }
    }
}

impl UplinkPolicy for Ofan {
    #[inline]
    fn pick<U: Uplinks>(&mut self, packet: &Packet, uplinks: &mut U, rng: &mut Rng) -> usize {
        self.rotation.pick(0, packet, uplinks, rng)
    }
}
