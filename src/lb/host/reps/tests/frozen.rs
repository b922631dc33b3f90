//! Freezes: what starts and ends them, and what a frozen flow sends.

use super::super::*;
use crate::lb::host::Layer;
use crate::lb::host::fake::{env, feedback, stream, tx};
use crate::units::Span;

/// A sender and its clock.
struct Sender {
    reps: Reps,
    rng: Rng,
    now: Time,
}

impl Sender {
    /// Of two flows on a fabric with a base RTT of 10 us that explores for 3 packets after a freeze of 100 us.
    fn new(params: Params, trims: bool) -> Self {
        let env = HostEnv {
            base_rtt: us(10),
            fixed_rto: Some(us(50)),
            trims,
            ..env(6, 2)
        };
        Self {
            reps: Reps::new(&params, &env),
            rng: stream(),
            now: Time::ZERO,
        }
    }

    fn send(&mut self, n: usize) -> Vec<u16> {
        let tx = TxInfo {
            now: self.now,
            ..tx(0, Layer::InterPod)
        };
        let reps = &mut self.reps;
        (0..n).map(|_| reps.data_path(&tx, &mut self.rng)).collect()
    }

    fn hear(&mut self, path: u16, outcome: Outcome) {
        self.hear_after(path, outcome, None);
    }

    fn hear_after(&mut self, path: u16, outcome: Outcome, rtt: Option<Span>) {
        let feedback = Feedback {
            now: self.now,
            rtt,
            ..feedback(path, outcome)
        };
        self.reps.on_feedback(0, &feedback);
    }

    fn hear_good(&mut self, paths: &[u16]) {
        for path in paths {
            self.hear(*path, Outcome::Good);
        }
    }

    /// The next `n` values are random, straight from the stream.
    fn assert_random(&mut self, n: usize) {
        let mut twin = self.rng.clone();
        for path in self.send(n) {
            assert_eq!(u32::from(path), twin.bits() >> 16);
        }
    }

    /// The next values are these, and nothing is drawn.
    fn assert_sends(&mut self, paths: &[u16]) {
        let mut twin = self.rng.clone();
        assert_eq!(self.send(paths.len()), paths);
        assert_eq!(self.rng.clone().bits(), twin.bits());
    }

    fn is_frozen(&self) -> bool {
        self.reps.flows[0].fresh == FROZEN
    }
}

fn us(us: u64) -> Span {
    Span::from_ns(1_000 * us)
}

/// No exploration but 3 packets after a freeze; each timeout freezes for 100 us.
fn params() -> Params {
    Params {
        explore: Packets::Count(0),
        freezing: Freezing::Timeout,
        freeze: us(100),
        exit_explore: Packets::Count(3),
        ..Params::default()
    }
}

#[test]
fn a_frozen_flow_goes_round_its_stored_values_used_or_not() {
    let mut sender = Sender::new(params(), false);
    sender.hear_good(&[3, 1, 4]);
    sender.assert_sends(&[3]);
    sender.hear(99, Outcome::Timeout);
    sender.assert_sends(&[3, 1, 4, 3, 1, 4, 3]);
    // A value that comes back joins the round.
    sender.hear_good(&[5]);
    sender.assert_sends(&[1, 4, 5, 3]);
    sender.hear(6, Outcome::Ecn);
    sender.assert_sends(&[1, 4, 5, 3]);
}

#[test]
fn a_frozen_flow_goes_round_a_full_ring_in_the_order_of_its_entries() {
    let params = Params {
        ring_entries: 3,
        ..params()
    };
    let mut sender = Sender::new(params, false);
    sender.hear_good(&[10, 11, 12, 13, 14]);
    sender.hear(99, Outcome::Timeout);
    sender.assert_sends(&[13, 14, 12, 13]);
    sender.hear_good(&[15, 16]);
    sender.assert_sends(&[14, 15, 16]);
}

#[test]
fn a_frozen_flow_with_an_empty_ring_is_random_until_a_good_value_comes_back() {
    let mut sender = Sender::new(params(), false);
    sender.hear(99, Outcome::Timeout);
    assert!(sender.is_frozen());
    sender.assert_random(5);
    sender.hear_good(&[8]);
    sender.assert_sends(&[8, 8]);
}

#[test]
fn a_freeze_ends_with_the_first_feedback_after_its_time_and_then_the_flow_explores_with_an_empty_ring()
 {
    for outcome in [
        Outcome::Good,
        Outcome::Ecn,
        Outcome::Trimmed,
        Outcome::Timeout,
    ] {
        let mut sender = Sender::new(params(), false);
        sender.hear_good(&[3, 1, 4]);
        sender.now = Time::ZERO + us(7);
        sender.hear(99, Outcome::Timeout);
        // Its last instant is part of the freeze, and a packet does not end it.
        sender.now = Time::ZERO + us(107);
        sender.hear(20, Outcome::Ecn);
        sender.now = Time::ZERO + us(200);
        sender.assert_sends(&[3, 1, 4, 3]);
        sender.hear(21, outcome);
        assert!(!sender.is_frozen(), "{outcome:?}");
        sender.hear_good(&[22]);
        sender.assert_random(3);
        if outcome == Outcome::Good {
            sender.assert_sends(&[21]);
        }
        sender.assert_sends(&[22]);
        sender.assert_random(2);
    }
}

#[test]
fn values_that_are_kept_after_a_freeze_are_used_but_serve_the_next_one() {
    let params = Params {
        on_exit: OnExit::Keep,
        exit_explore: Packets::Count(0),
        ..params()
    };
    let mut sender = Sender::new(params, false);
    sender.hear_good(&[3, 1, 4]);
    sender.hear(99, Outcome::Timeout);
    sender.now = Time::ZERO + us(101);
    sender.hear_good(&[5]);
    sender.assert_sends(&[5]);
    sender.assert_random(2);
    sender.hear(98, Outcome::Timeout);
    sender.assert_sends(&[3, 1, 4, 5, 3]);
}

#[test]
fn a_flow_that_explores_does_not_freeze() {
    let params = Params {
        explore: Packets::Count(2),
        ..params()
    };
    let mut sender = Sender::new(params, true);
    sender.hear(99, Outcome::Timeout);
    sender.assert_random(1);
    sender.hear(99, Outcome::Timeout);
    assert!(!sender.is_frozen());
    sender.assert_random(1);
    sender.hear(99, Outcome::Timeout);
    assert!(sender.is_frozen());
    // Nor after a freeze.
    sender.now = Time::ZERO + us(101);
    sender.hear(99, Outcome::Timeout);
    sender.hear(99, Outcome::Timeout);
    assert!(!sender.is_frozen());
    sender.assert_random(3);
    sender.hear(99, Outcome::Timeout);
    assert!(sender.is_frozen());
}

#[test]
fn timeouts_during_a_freeze_do_not_lengthen_it() {
    let mut sender = Sender::new(params(), false);
    for at in [0, 60, 100] {
        sender.now = Time::ZERO + us(at);
        sender.hear(99, Outcome::Timeout);
        assert!(sender.is_frozen());
    }
    sender.now = Time::ZERO + us(100) + Span(1);
    sender.hear(99, Outcome::Ecn);
    assert!(!sender.is_frozen());
}

#[test]
fn trimmed_packets_never_freeze_and_their_values_are_not_kept() {
    for trims in [false, true] {
        for freezing in [Freezing::Auto, Freezing::Timeout, Freezing::TimeoutIfLowRtt] {
            let params = Params {
                freezing,
                ..params()
            };
            let mut sender = Sender::new(params, trims);
            for _ in 0..50 {
                sender.hear(7, Outcome::Trimmed);
                assert!(!sender.is_frozen());
                sender.assert_random(1);
            }
        }
    }
}

#[test]
fn without_trimming_a_timeout_freezes_only_while_the_largest_recent_rtt_is_low() {
    let freezes = |rtt: Span, trims: bool| {
        let params = Params {
            freezing: Freezing::Auto,
            ..params()
        };
        let mut sender = Sender::new(params, trims);
        sender.now = Time::ZERO + us(20);
        sender.hear_after(1, Outcome::Good, Some(us(11)));
        sender.hear_after(2, Outcome::Ecn, Some(rtt));
        sender.hear_after(3, Outcome::Good, Some(us(12)));
        sender.now = Time::ZERO + us(60);
        sender.hear(4, Outcome::Timeout);
        sender.is_frozen()
    };
    let limit = Span::from_ns(16_500);
    assert!(freezes(us(13), false));
    assert!(freezes(Span(limit.0 - 1), false));
    assert!(!freezes(limit, false));
    assert!(!freezes(us(40), false));
    assert!(freezes(us(40), true), "where switches trim");
}

#[test]
fn with_freezing_off_nothing_freezes() {
    let params = Params {
        freezing: Freezing::Off,
        ..params()
    };
    let mut sender = Sender::new(params, true);
    sender.hear_good(&[3]);
    sender.hear(99, Outcome::Timeout);
    sender.assert_sends(&[3]);
    sender.assert_random(3);
}

#[test]
fn probes_carry_the_value_that_timed_out_until_an_ack_with_it_ends_the_freeze() {
    let params = Params {
        leave: Leave::Probe,
        probe_packets: Packets::Count(3),
        ..params()
    };
    for (answer, ends) in [
        (Outcome::Good, true),
        (Outcome::Ecn, true),
        (Outcome::Trimmed, false),
        (Outcome::Timeout, false),
    ] {
        let mut sender = Sender::new(params.clone(), false);
        sender.hear_good(&[3, 1]);
        sender.hear(99, Outcome::Timeout);
        sender.assert_sends(&[3, 1, 99, 3, 1, 99]);
        // Another timeout changes nothing, nor do other values that come back, however late.
        sender.now = Time::ZERO + us(1_000_000);
        sender.hear(98, Outcome::Timeout);
        sender.hear_good(&[4]);
        sender.assert_sends(&[3, 1, 99, 4]);
        sender.hear(99, answer);
        assert_eq!(sender.is_frozen(), !ends, "{answer:?}");
    }
}

#[test]
fn by_default_one_packet_in_a_bandwidth_delay_product_is_a_probe() {
    let params = Params {
        leave: Leave::Probe,
        ..params()
    };
    let mut sender = Sender::new(params, false);
    sender.hear_good(&[3]);
    sender.hear(99, Outcome::Timeout);
    let sent = sender.send(3 * 144);
    let probes: Vec<usize> = (0..sent.len()).filter(|&i| sent[i] == 99).collect();
    assert_eq!(probes, [143, 287, 431]);
}

#[test]
fn flows_freeze_by_themselves() {
    let mut sender = Sender::new(params(), false);
    sender.hear_good(&[3, 1]);
    sender.reps.on_feedback(1, &feedback(99, Outcome::Timeout));
    assert!(!sender.is_frozen());
    sender.assert_sends(&[3, 1]);
    sender.assert_random(1);
}
