//! What a sender that runs REPS sends.

mod frozen;
mod model;
mod timed;

use std::collections::{HashMap, VecDeque};

use super::super::Layer;
use super::super::fake::{env, feedback, stream, tx};
use super::*;
use crate::rng::Domain;

fn reps(ring_entries: usize, explore: u32) -> Reps {
    let params = Params {
        ring_entries,
        explore: Packets::Count(explore),
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

/// How often a value may be used beyond random draws: `lifetime` times for each unmarked ACK.
fn assert_uses_are_paid_for(lifetime: u8) {
    let params = Params {
        explore: Packets::Count(0),
        lifetime,
        ..Params::default()
    };
    let mut reps = Reps::new(&params, &env(6, 1));
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
            *left = left.checked_sub(1).expect("was not used up since");
        }
        flying.push_back(path);
        if flying.len() > 20 {
            let acked = flying.pop_front().unwrap();
            if load.below(10) == 0 {
                reps.on_feedback(0, &feedback(acked, Outcome::Ecn));
            } else if load.below(u32::from(lifetime)) == 0 {
                // Coalesced ACKs: the others tell nothing.
                reps.on_feedback(0, &feedback(acked, Outcome::Good));
                *credit.entry(acked).or_default() += u32::from(lifetime);
            }
        }
    }
}

#[test]
fn a_value_is_used_at_most_once_per_unmarked_ack_beyond_random_draws() {
    assert_uses_are_paid_for(1);
}

#[test]
fn with_a_lifetime_a_value_is_used_at_most_so_often_per_unmarked_ack() {
    assert_uses_are_paid_for(4);
    assert_uses_are_paid_for(255);
}

#[test]
fn with_a_lifetime_the_oldest_value_is_used_up_before_the_next_one_has_its_turn() {
    let params = Params {
        explore: Packets::Count(0),
        ring_entries: 2,
        lifetime: 3,
        ..Params::default()
    };
    let mut reps = Reps::new(&params, &env(6, 1));
    let mut rng = stream();
    for path in [3, 1] {
        reps.on_feedback(0, &feedback(path, Outcome::Good));
    }
    assert_eq!(send(&mut reps, 4, &mut rng), [3, 3, 3, 1]);
    // The ring is full again, and overwriting the oldest one, used once, leaves the next one with all its uses.
    for path in [4, 5] {
        reps.on_feedback(0, &feedback(path, Outcome::Good));
    }
    assert_eq!(send(&mut reps, 6, &mut rng), [4, 4, 4, 5, 5, 5]);
    assert_eq!(rng.bits(), stream().bits());
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
fn the_state_of_a_connection_is_below_25_bytes_as_the_paper_counts_it() {
    // Table 1 of the REPS paper: an entry of the ring has a value of 16 bits and a valid bit.
    let table = [
        ("ring", 8 * (16 + 1)),
        ("head", 8),
        ("number of valid values", 8),
        (
            "exit time, or value to probe and packets since the last probe",
            32,
        ),
        ("is frozen", 1),
        ("explore counter", 8),
    ];
    let paper: u32 = table.iter().map(|(_, bits)| bits).sum();
    assert_eq!(paper, 193);
    // What its text does not need or leaves out: the frozen cycle goes over the entries that hold values. The RTTs are the transport's.
    let ours = [("is full", 1), ("frozen cursor", 3)];
    let all = paper + ours.iter().map(|(_, bits)| bits).sum::<u32>();
    assert!(all < 25 * 8, "{all} bits");
    // The widths hold what they must by default.
    let by_default = Reps::new(&Params::default(), &env(6, 1));
    assert!(by_default.ring_entries <= 1 << 3);
    assert!(by_default.exit_explore < 1 << 8 && by_default.flows[0].explore < 1 << 8);
}
