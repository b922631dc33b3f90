//! Timeouts of single entropy values, as the public code of the Ofan paper has them.

use super::super::*;
use crate::lb::host::Layer;
use crate::lb::host::fake::{env, feedback, stream, tx};
use crate::rng::Domain;
use crate::units::Span;

fn us(us: u64) -> Time {
    Time(us * 1_000_000)
}

/// The first timeout is 1 ms and none is below 2 us.
fn params(freezing: Freezing) -> Params {
    Params {
        explore: Packets::Count(0),
        freezing,
        entropy_timers: Some(EntropyTimers {
            initial: Span(us(1_000).0),
            min: Span(us(2).0),
        }),
        ..Params::default()
    }
}

fn send(reps: &mut Reps, now: Time, rng: &mut Rng) -> u16 {
    let tx = TxInfo {
        now,
        ..tx(0, Layer::InterPod)
    };
    reps.data_path(&tx, rng)
}

fn hear(reps: &mut Reps, now: Time, path: u16, outcome: Outcome) {
    let feedback = Feedback {
        now,
        ..feedback(path, outcome)
    };
    reps.on_feedback(0, &feedback);
}

#[test]
fn a_value_times_out_later_than_its_timeout_after_its_first_use_without_an_answer() {
    for (last, times_out) in [(2_200, false), (2_201, true)] {
        let mut reps = Reps::new(&params(Freezing::Timeout), &env(6, 1));
        let mut rng = stream();
        for _ in 0..4 {
            hear(&mut reps, us(0), 5, Outcome::Good);
        }
        let mut at = |reps: &mut Reps, now| send(reps, us(now), &mut rng);
        assert_eq!([at(&mut reps, 0), at(&mut reps, 600)], [5, 5]);
        // An answer, whatever it is, ends the timer of the first use; the third use starts it again.
        hear(&mut reps, us(700), 5, Outcome::Trimmed);
        assert_eq!([at(&mut reps, 1_200), at(&mut reps, last)], [5, 5]);
        assert_eq!(reps.flows[0].fresh == FROZEN, times_out);
    }
}

#[test]
fn the_timeout_follows_the_time_that_answers_take() {
    let sent_again_at = |now| {
        let mut reps = Reps::new(&params(Freezing::Timeout), &env(6, 1));
        let mut rng = stream();
        for path in [6, 5, 5] {
            hear(&mut reps, us(0), path, Outcome::Good);
        }
        assert_eq!(send(&mut reps, us(0), &mut rng), 6);
        // The ACK comes 10 us later: the timeout is 10 + 4 x 5 us.
        hear(&mut reps, us(10), 6, Outcome::Ecn);
        assert_eq!(send(&mut reps, us(20), &mut rng), 5);
        send(&mut reps, now, &mut rng);
        reps.flows[0].fresh == FROZEN
    };
    assert!(!sent_again_at(us(50)));
    assert!(sent_again_at(us(51)));
}

#[test]
fn what_is_frozen_by_a_timed_out_value_goes_round_the_ring() {
    let mut reps = Reps::new(&params(Freezing::Timeout), &env(6, 1));
    let mut rng = stream();
    for path in [5, 6, 5] {
        hear(&mut reps, us(0), path, Outcome::Good);
    }
    assert_eq!(send(&mut reps, us(0), &mut rng), 5);
    assert_eq!(send(&mut reps, us(400), &mut rng), 6);
    // 5 is the last fresh value, and has been out for longer than 1 ms: the flow freezes, and the first entry is 5 again, whose timer
    // has ended.
    assert_eq!(send(&mut reps, us(1_001), &mut rng), 5);
    assert_eq!(reps.flows[0].fresh, FROZEN);
    assert_eq!(send(&mut reps, us(1_002), &mut rng), 6);
    // At 2 ms 6 times out but 5 does not: entry 2 is 5, entry 0 is 5, entry 1 would be 6 and is passed over for entry 2.
    assert_eq!(send(&mut reps, us(2_000), &mut rng), 5);
    assert_eq!(send(&mut reps, us(2_000), &mut rng), 5);
    assert_eq!(send(&mut reps, us(2_000), &mut rng), 5);
    assert_eq!(send(&mut reps, us(2_001), &mut rng), 5);
    assert_eq!(send(&mut reps, us(2_001), &mut rng), 6);
    assert_eq!(rng.bits(), stream().bits());
}

#[test]
fn without_freezing_a_timed_out_value_is_passed_over_once() {
    let mut reps = Reps::new(&params(Freezing::Off), &env(6, 1));
    let mut rng = stream();
    for path in [5, 5, 6, 5] {
        hear(&mut reps, us(0), path, Outcome::Good);
    }
    assert_eq!(send(&mut reps, us(0), &mut rng), 5);
    assert_eq!(send(&mut reps, us(1_001), &mut rng), 6);
    assert_eq!(send(&mut reps, us(1_001), &mut rng), 5);
    assert_eq!(rng.bits(), stream().bits());
}

#[test]
fn with_few_values_all_of_them_may_time_out_at_once() {
    let params = Params {
        entropies: 2,
        ..params(Freezing::Timeout)
    };
    let mut reps = Reps::new(&params, &env(6, 1));
    let mut rng = stream();
    for _ in 0..20 {
        send(&mut reps, us(0), &mut rng);
    }
    // Both are out; the one drawn first is passed over until its timer has ended, and then it goes.
    for _ in 0..20 {
        assert!(send(&mut reps, us(5_000), &mut rng) < 2);
    }
    assert_eq!(reps.flows[0].fresh, FROZEN);
}

#[test]
fn a_probe_goes_although_its_value_is_out() {
    let params = Params {
        leave: Leave::Probe,
        probe_packets: Packets::Count(2),
        ..params(Freezing::Timeout)
    };
    let mut reps = Reps::new(&params, &env(6, 1));
    let mut rng = stream();
    for path in [6, 5] {
        hear(&mut reps, us(0), path, Outcome::Good);
    }
    assert_eq!(send(&mut reps, us(0), &mut rng), 6);
    hear(&mut reps, us(1), 99, Outcome::Timeout);
    let mut at = |us_now| send(&mut reps, us(us_now), &mut rng);
    let sent = [at(2), at(3), at(4), at(5), at(6_000), at(6_001)];
    // 6 has been out since 0 and 5 since 4 us, but neither is passed over within 1 ms; at 6 ms both are, and 6 goes.
    assert_eq!(sent, [6, 99, 5, 99, 6, 99]);
    hear(&mut reps, us(6_010), 99, Outcome::Ecn);
    assert_eq!(reps.flows[0].fresh, 0);
}

#[test]
fn the_rtts_of_timed_values_also_say_whether_the_recent_rtt_is_low() {
    for (rtt, freezes) in [(10, true), (20, false)] {
        // The base RTT is 6.25 us.
        let mut reps = Reps::new(&params(Freezing::TimeoutIfLowRtt), &env(6, 1));
        let mut rng = stream();
        hear(&mut reps, us(0), 6, Outcome::Good);
        assert_eq!(send(&mut reps, us(1), &mut rng), 6);
        hear(&mut reps, us(1 + rtt), 6, Outcome::Ecn);
        hear(&mut reps, us(1 + rtt), 7, Outcome::Timeout);
        assert_eq!(reps.flows[0].fresh == FROZEN, freezes);
    }
}

#[test]
fn timers_that_never_expire_change_nothing() {
    let timed = params(Freezing::Timeout);
    let plain = Params {
        entropy_timers: None,
        ..timed.clone()
    };
    let mut senders = [timed, plain].map(|params| Reps::new(&params, &env(6, 1)));
    let mut load = Rng::stream(5, Domain::Entropy, 1);
    let mut rngs = [stream(), stream()];
    for i in 0..5_000 {
        let now = Time(i);
        let [timed, plain] = [0, 1].map(|s: usize| send(&mut senders[s], now, &mut rngs[s]));
        assert_eq!(timed, plain);
        let outcome = [Outcome::Good, Outcome::Ecn][load.below(2) as usize];
        for reps in &mut senders {
            hear(reps, now, timed, outcome);
        }
    }
}
