//! BITMAP against hand calculations. Values are told by their place in the cycle of the flow: with N values and a mask m, place n is n
//! XOR m, and the mask of each cycle is the next draw below N of the host's stream.

use super::super::Layer;
use super::super::fake::{env, feedback, stream, tx};
use super::*;

/// The bitmap of a host with two flows, the host's stream, and a twin of that stream.
struct Bench {
    bitmap: Bitmap,
    rng: Rng,
    twin: Rng,
    count: u32,
}

impl Bench {
    fn new(entropy_count: u32) -> Self {
        Self::with(Params {
            entropy_count,
            ..Params::default()
        })
    }

    fn with(params: Params) -> Self {
        Self {
            bitmap: Bitmap::new(&params, &env(6, 2)),
            rng: stream(),
            twin: stream(),
            count: params.entropy_count,
        }
    }

    /// The low bits of the next cycle's values, in order.
    fn cycle(&mut self) -> Vec<u16> {
        let mask = self.twin.below(self.count) as u16;
        (0..self.count as u16).map(|n| n ^ mask).collect()
    }

    /// The low bits of the next value.
    fn send(&mut self) -> u16 {
        let value = self
            .bitmap
            .data_path(&tx(0, Layer::InterPod), &mut self.rng);
        (u32::from(value) % self.count) as u16
    }

    fn send_all(&mut self, packets: usize) -> Vec<u16> {
        (0..packets).map(|_| self.send()).collect()
    }

    fn tell(&mut self, value: u16, outcome: Outcome) {
        self.bitmap.on_feedback(0, &feedback(value, outcome));
    }

    /// The penalty of a value of flow 0.
    fn penalty(&mut self, value: u16) -> u8 {
        *self.bitmap.penalty(0, value)
    }
}

#[test]
fn without_penalties_it_is_the_masked_cycle() {
    let mut bench = Bench::new(8);
    for _ in 0..4 {
        let cycle = bench.cycle();
        assert_eq!(bench.send_all(8), cycle);
        cycle.iter().for_each(|&v| bench.tell(v, Outcome::Good));
    }
    assert!(bench.bitmap.penalties.iter().all(|&penalty| penalty == 0));
}

#[test]
fn marks_nacks_and_timeouts_add_1_4_and_15_up_to_15() {
    let mut bench = Bench::new(8);
    bench.tell(0, Outcome::Ecn);
    bench.tell(1, Outcome::Trimmed);
    bench.tell(2, Outcome::Timeout);
    for outcome in [Outcome::Ecn, Outcome::Trimmed, Outcome::Trimmed] {
        bench.tell(3, outcome);
    }
    (0..4).for_each(|_| bench.tell(4, Outcome::Trimmed));
    bench.tell(5, Outcome::Timeout);
    bench.tell(5, Outcome::Ecn);
    bench.tell(6, Outcome::Good);
    let penalties: Vec<_> = (0..8).map(|value| bench.penalty(value)).collect();
    assert_eq!(penalties, [1, 4, 15, 9, 15, 15, 0, 0]);
}

#[test]
fn parameters_say_what_is_added_and_the_limit() {
    let mut bench = Bench::with(Params {
        entropy_count: 4,
        ecn_penalty: 200,
        nack_penalty: 0,
        timeout_penalty: 3,
        max_penalty: 255,
    });
    (0..2).for_each(|_| bench.tell(0, Outcome::Ecn));
    bench.tell(1, Outcome::Trimmed);
    (0..2).for_each(|_| bench.tell(2, Outcome::Timeout));
    let penalties: Vec<_> = (0..4).map(|value| bench.penalty(value)).collect();
    assert_eq!(penalties, [255, 0, 6, 0]);
}

#[test]
fn penalties_are_looked_up_by_the_low_bits_and_are_the_flows_own() {
    let mut bench = Bench::new(8);
    bench.tell(0xab00 + 5, Outcome::Ecn);
    assert_eq!(bench.penalty(5), 1);
    assert_eq!(*bench.bitmap.penalty(1, 5), 0);
    assert_eq!(bench.bitmap.penalties.len(), 16);
}

#[test]
fn of_the_values_skipped_for_one_packet_only_the_first_loses_1() {
    let mut bench = Bench::new(4);
    let [a, b, c, d] = bench.cycle()[..] else {
        panic!("four values");
    };
    for value in [a, b, c] {
        bench.tell(value, Outcome::Ecn);
        bench.tell(value, Outcome::Ecn);
    }
    assert_eq!(bench.send(), d);
    assert_eq!([a, b, c].map(|v| bench.penalty(v)), [1, 2, 2]);
}

#[test]
fn a_value_whose_penalty_is_1_is_skipped_once() {
    let mut bench = Bench::new(4);
    let first = bench.cycle();
    bench.tell(first[2], Outcome::Ecn);
    assert_eq!(bench.send_all(3), [first[0], first[1], first[3]]);
    // The skipped place counts: the next packet begins a new cycle, and the value is back in it.
    let second = bench.cycle();
    assert_eq!(bench.send_all(4), second);
}

#[test]
fn a_cycle_that_ends_while_values_are_skipped_is_followed_by_one_with_a_new_mask() {
    let mut bench = Bench::new(4);
    let first = bench.cycle();
    bench.tell(first[3], Outcome::Ecn);
    assert_eq!(bench.send_all(3), first[..3]);
    // The fourth packet skips the last place, then draws the next mask.
    let second = bench.cycle();
    assert_eq!(bench.send_all(4), second);
    assert_eq!(bench.penalty(first[3]), 0);
}

#[test]
fn with_all_values_under_penalty_the_one_after_a_whole_cycle_is_taken() {
    let mut bench = Bench::new(4);
    let first = bench.cycle();
    first.iter().for_each(|&v| bench.tell(v, Outcome::Timeout));
    // Four skips, then the first value of the second cycle whatever its penalty.
    let second = bench.cycle();
    assert_eq!(bench.send(), second[0]);
    let after = |v: u16| if v == first[0] { 14 } else { 15 };
    for &value in &first {
        assert_eq!(bench.penalty(value), after(value));
    }
    // The next packet skips places 1, 2, 3 and 0, and takes place 1 of the third cycle.
    let third = bench.cycle();
    assert_eq!(bench.send(), third[1]);
    let mut sum: u32 = first.iter().map(|&v| u32::from(bench.penalty(v))).sum();
    assert_eq!(sum, 58);
    // Each packet takes away 1 in all until a value is free.
    while first.iter().all(|&v| bench.penalty(v) > 0) {
        bench.send();
        sum -= 1;
        let now: u32 = first.iter().map(|&v| u32::from(bench.penalty(v))).sum();
        assert_eq!(now, sum);
    }
}

#[test]
fn a_single_value_is_taken_after_one_skip() {
    let mut bench = Bench::new(1);
    bench.tell(0, Outcome::Trimmed);
    for left in [3, 2, 1, 0, 0] {
        assert_eq!(bench.send(), 0);
        assert_eq!(bench.penalty(0), left);
    }
}

#[test]
fn an_ack_carries_the_value_of_its_packet() {
    let mut bench = Bench::new(8);
    let ack = bench
        .bitmap
        .ack_path(&tx(0, Layer::InterPod), 4_321, &mut stream());
    assert_eq!(ack, 4_321);
}

#[test]
fn a_flow_takes_68_bytes_with_64_values() {
    let params = Params::default();
    let of = |flows: u32| {
        let bitmap = Bitmap::new(&params, &env(6, flows));
        bitmap.cycles.bytes() + size_of_val(&*bitmap.penalties)
    };
    assert_eq!(of(1_000) - of(0), 68_000);
}
