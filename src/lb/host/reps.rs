//! REPS, recycled entropy packet spraying: an entropy value whose ACK came back unmarked is used once more; otherwise a random one.
//!
//! Definition: the REPS paper (EuroSys 2026, arXiv 2407.21625) and its public code: a ring of the latest good values per flow, oldest
//! used first, newest overwriting. An ACK carries the value of its data packet and hashes in its own direction. Not modelled yet:
//! timeouts and the freezing mode that they start, and coalesced ACKs. The paper explores for the first bandwidth-delay product; the
//! public code does not, which is the same until the first ACK.

use super::{Feedback, HostEnv, Outcome, PathPolicy, Split, TxInfo};
use crate::fields::{Fields, ParamDoc};
use crate::json::{Json, Origin, Value};
use crate::rng::Rng;

/// The parameters as users see them.
pub const PARAMS: &[ParamDoc] = &[
    ParamDoc {
        name: "ring_entries",
        allowed: "an integer from 1 to 64",
        default: "8",
        about: "Good entropy values that a flow remembers. REPS paper: 8.",
    },
    ParamDoc {
        name: "entropies",
        allowed: "an integer from 1 to 65536",
        default: "65536",
        about: "Number of entropy values that random ones are drawn from. REPS paper: the 16 bits of a UDP port.",
    },
    ParamDoc {
        name: "explore_packets",
        allowed: "\"bdp\", or an integer from 0 to 4294967295",
        default: "\"bdp\"",
        about: "First packets of a flow that are random whatever came back; \"bdp\": one bandwidth-delay product of full packets. REPS \
                paper: bdp.",
    },
];

/// How many of a flow's first packets are random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Explore {
    /// One bandwidth-delay product.
    #[default]
    Bdp,
    /// This many.
    Packets(u32),
}

/// The parameters of REPS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// Good entropy values that a flow remembers.
    pub ring_entries: usize,
    /// Number of entropy values.
    pub entropies: u32,
    /// How many of a flow's first packets are random.
    pub explore: Explore,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            ring_entries: 8,
            entropies: 1 << 16,
            explore: Explore::Bdp,
        }
    }
}

impl Params {
    /// Reads all keys of [`PARAMS`], in their order.
    #[must_use]
    pub fn read(fields: &mut Fields<'_>) -> Self {
        let bdp = Json {
            value: Value::Text("bdp".to_owned()),
            origin: Origin::default(),
        };
        Self {
            ring_entries: fields.integer("ring_entries", Some(8), 1..=64) as usize,
            entropies: fields.integer("entropies", Some(1 << 16), 1..=1 << 16) as u32,
            explore: fields.custom("explore_packets", bdp, PARAMS[2].allowed, parse_explore),
        }
    }
}

impl Split for Params {}

fn parse_explore(json: &Json) -> Option<Explore> {
    match &json.value {
        Value::Text(word) if word == "bdp" => Some(Explore::Bdp),
        Value::Integer(packets) => u32::try_from(*packets).ok().map(Explore::Packets),
        _ => None,
    }
}

/// What a flow knows: 8 bytes, and 2 for each ring entry (24 in all with 8 entries).
#[derive(Clone, Copy, Debug)]
struct Flow {
    /// Random packets still to send.
    explore: u32,
    /// The ring entry to write next.
    head: u8,
    /// Good values not used yet: the ring's entries before `head`.
    fresh: u8,
}

/// REPS on one host.
#[derive(Clone, Debug)]
pub struct Reps {
    entropies: u32,
    ring_entries: u8,
    /// By local flow.
    flows: Box<[Flow]>,
    /// The rings of all flows, back to back.
    rings: Box<[u16]>,
}

impl Reps {
    /// The policy of the host of `env`.
    #[must_use]
    pub fn new(params: &Params, env: &HostEnv) -> Self {
        let unused = Flow {
            explore: match params.explore {
                Explore::Bdp => env.bdp_packets,
                Explore::Packets(packets) => packets,
            },
            head: 0,
            fresh: 0,
        };
        let flows = env.sent_flows.len();
        Self {
            entropies: params.entropies,
            ring_entries: params.ring_entries as u8,
            flows: vec![unused; flows].into(),
            rings: vec![0; flows * params.ring_entries].into(),
        }
    }
}

impl PathPolicy for Reps {
    #[inline]
    fn data_path(&mut self, tx: &TxInfo, rng: &mut Rng) -> u16 {
        let flow = &mut self.flows[tx.local_flow];
        if flow.explore > 0 || flow.fresh == 0 {
            flow.explore = flow.explore.saturating_sub(1);
            return rng.below(self.entropies) as u16;
        }
        let size = self.ring_entries;
        let oldest = if flow.head >= flow.fresh {
            flow.head - flow.fresh
        } else {
            flow.head + size - flow.fresh
        };
        flow.fresh -= 1;
        self.rings[tx.local_flow * usize::from(size) + usize::from(oldest)]
    }

    #[inline]
    fn ack_path(&mut self, _tx: &TxInfo, data_path: u16, _rng: &mut Rng) -> u16 {
        data_path
    }

    #[inline]
    fn on_feedback(&mut self, local_flow: usize, feedback: &Feedback) {
        if feedback.outcome != Outcome::Good {
            return;
        }
        let flow = &mut self.flows[local_flow];
        let size = self.ring_entries;
        self.rings[local_flow * usize::from(size) + usize::from(flow.head)] = feedback.path;
        flow.head = if flow.head + 1 == size {
            0
        } else {
            flow.head + 1
        };
        flow.fresh = (flow.fresh + 1).min(size);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, VecDeque};

    use super::super::Layer;
    use super::super::fake::{env, feedback, stream, tx};
    use super::*;
    use crate::rng::Domain;

    fn reps(ring_entries: usize, explore: u32) -> Reps {
        let params = Params {
            ring_entries,
            explore: Explore::Packets(explore),
            ..Params::default()
        };
        Reps::new(&params, &env(6, 2))
    }

    /// Sends `n` packets of flow 0.
    fn send(reps: &mut Reps, n: usize, rng: &mut Rng) -> Vec<u16> {
        (0..n)
            .map(|_| reps.data_path(&tx(0, Layer::InterPod), rng))
            .collect()
    }

    #[test]
    fn good_values_come_back_once_each_and_oldest_first() {
        let mut reps = reps(8, 0);
        let mut rng = stream();
        for path in [3, 1, 4] {
            reps.on_feedback(0, &feedback(path, Outcome::Good));
        }
        reps.on_feedback(0, &feedback(99, Outcome::Ecn));
        reps.on_feedback(1, &feedback(5, Outcome::Good));
        assert_eq!(send(&mut reps, 3, &mut rng), [3, 1, 4]);
        assert_eq!(rng.bits(), stream().bits());
        let random = send(&mut reps, 1, &mut stream())[0];
        assert_eq!(u32::from(random), stream().bits() >> 16);
    }

    #[test]
    fn the_newest_overwrites_the_oldest_and_the_ring_never_exceeds_its_size() {
        for size in [1, 3, 8, 64] {
            let mut reps = reps(size, 0);
            let mut load = Rng::stream(3, Domain::Entropy, 1);
            let mut rng = stream();
            let mut model = VecDeque::new();
            for path in 0..5_000 {
                if load.below(2) == 0 {
                    reps.on_feedback(0, &feedback(path, Outcome::Good));
                    model.push_back(path);
                    if model.len() > size {
                        model.pop_front();
                    }
                } else if let Some(oldest) = model.pop_front() {
                    assert_eq!(send(&mut reps, 1, &mut rng), [oldest]);
                }
                assert_eq!(usize::from(reps.flows[0].fresh), model.len());
            }
        }
    }

    #[test]
    fn a_value_is_used_at_most_once_per_unmarked_ack_beyond_random_draws() {
        let mut reps = reps(8, 0);
        let mut load = Rng::stream(4, Domain::Entropy, 1);
        let (mut rng, mut twin) = (stream(), stream());
        let mut credit: HashMap<u16, u32> = HashMap::new();
        let mut flying = VecDeque::new();
        for _ in 0..20_000 {
            let before = rng.clone().bits();
            let path = send(&mut reps, 1, &mut rng)[0];
            let drew = rng.clone().bits() != before;
            if drew {
                assert_eq!(u32::from(path), twin.bits() >> 16);
            } else {
                let left = credit.get_mut(&path).expect("was acknowledged");
                *left = left.checked_sub(1).expect("was not used since");
            }
            flying.push_back(path);
            if flying.len() > 20 {
                let acked = flying.pop_front().unwrap();
                if load.below(10) == 0 {
                    reps.on_feedback(0, &feedback(acked, Outcome::Ecn));
                } else {
                    reps.on_feedback(0, &feedback(acked, Outcome::Good));
                    *credit.entry(acked).or_default() += 1;
                }
            }
        }
    }

    #[test]
    fn with_every_ack_marked_it_is_random_spraying() {
        let mut reps = reps(8, 0);
        let (mut rng, mut twin) = (stream(), stream());
        for _ in 0..500 {
            let path = send(&mut reps, 1, &mut rng)[0];
            assert_eq!(u32::from(path), twin.bits() >> 16);
            reps.on_feedback(0, &feedback(path, Outcome::Ecn));
        }
    }

    #[test]
    fn the_first_packets_of_a_flow_explore_even_if_good_values_are_known() {
        let mut reps = reps(8, 5);
        reps.on_feedback(0, &feedback(7, Outcome::Good));
        let (mut rng, mut twin) = (stream(), stream());
        for path in send(&mut reps, 5, &mut rng) {
            assert_eq!(u32::from(path), twin.bits() >> 16);
        }
        assert_eq!(send(&mut reps, 1, &mut rng), [7]);
        let by_default = Reps::new(&Params::default(), &env(6, 1));
        assert_eq!(by_default.flows[0].explore, 144);
    }

    #[test]
    fn random_values_stay_within_the_space_and_acks_echo() {
        let params = Params {
            entropies: 3,
            ..Params::default()
        };
        let mut reps = Reps::new(&params, &env(6, 1));
        let paths = send(&mut reps, 100, &mut stream());
        assert!(paths.iter().all(|&path| path < 3));
        let echo = reps.ack_path(&tx(0, Layer::InterPod), 2, &mut stream());
        assert_eq!(echo, 2);
    }

    #[test]
    fn a_flow_takes_24_bytes_by_default() {
        assert_eq!(size_of::<Flow>() + size_of::<[u16; 8]>(), 24);
    }

    #[test]
    fn explore_packets_is_the_word_bdp_or_a_count() {
        let json = |value| Json {
            value,
            origin: Origin::default(),
        };
        let text = |word: &str| json(Value::Text(word.to_owned()));
        assert_eq!(parse_explore(&text("bdp")), Some(Explore::Bdp));
        assert_eq!(parse_explore(&text("BDP")), None);
        let count = |n| parse_explore(&json(Value::Integer(n)));
        assert_eq!(count(0), Some(Explore::Packets(0)));
        assert_eq!(count(1 << 32), None);
    }
}
