//! What MSwift does, against calculations by hand: a base RTT of 8 us, so a target of 9 us; frames of 1000 bytes.

use super::lswift::tests::{ack, decisions};
use super::*;
use crate::cc::swift::Excess;
use crate::cc::testing::{ENV, US, agree};
use crate::fields::{KeyDoc, Section};

/// A first window of so many frames, and decreases at the first delayed ACK.
fn prompt(first: u64) -> Params {
    let mut params = Params::default();
    params.lswift.shared.initial_window_packets = Some(first);
    params.lswift.streak = 1;
    params
}

fn mswift(params: Params) -> Mswift {
    params.build(&ENV)
}

#[test]
fn the_median_is_over_half_a_window_of_delays() {
    // Of windows of 8 to 11 frames, that is the last four: 8, 8, 20 and 20 give 14 us once two are long.
    for (first, count) in [
        (1, 1),
        (2, 1),
        (3, 1),
        (4, 2),
        (6, 3),
        (8, 4),
        (11, 5),
        (100, 50),
    ] {
        let mut mswift = mswift(prompt(first));
        // ACKs that bring nothing, so that the window stays.
        let mut quiet = |rtt| {
            mswift.on_ack(&AckInfo {
                acked_bytes: 0,
                ..ack(1, rtt)
            });
            mswift.decision()
        };
        for _ in 0..100 {
            assert_eq!(quiet(8), "increase");
        }
        // The mean of the two in the middle is above the target when one of them is long: of n, n / 2 must be, rounded up.
        let mut long = 1;
        while quiet(20) == "increase" {
            long += 1;
        }
        assert_eq!(long, count / 2 + count % 2, "{first} frames");
    }
}

#[test]
fn the_lower_of_two_in_the_middle_is_one_delay_behind() {
    let lower = Params {
        even_median: Between::Lower,
        ..prompt(8)
    };
    let acks = [(1, 8), (1, 8), (1, 20), (1, 20)];
    let found = decisions(&mut mswift(lower), &acks);
    assert_eq!(found, ["increase"; 4]);
    // 14 us in the mean: 8,363 x (1 - 0.8 x 5/14).
    let found = decisions(&mut mswift(prompt(8)), &acks);
    assert_eq!(found, ["increase", "increase", "increase", "decrease"]);
}

#[test]
fn the_cut_goes_by_the_median_and_its_excess_as_told() {
    // 8 us, 8 us, 12 us, 12 us: a median of 10 us; in full 0.8 x 1/10, of the queueing delay 0.8 x 1/2.
    for (excess, part) in [(Excess::Rtt, 0.92), (Excess::Queueing, 0.6)] {
        let mut params = prompt(8);
        params.lswift.excess = excess;
        let mut mswift = mswift(params);
        decisions(&mut mswift, &[(1, 8), (1, 8)]);
        let quiet = AckInfo {
            acked_bytes: 0,
            ..ack(1, 12)
        };
        mswift.on_ack(&quiet);
        let before = mswift.core.frames();
        mswift.on_ack(&quiet);
        let after = mswift.core.frames();
        assert_eq!(mswift.decision(), "decrease");
        assert!((after - before * part).abs() < 1e-9, "{before} {after}");
    }
}

#[test]
fn percentiles_listen_to_the_fastest_or_to_the_slowest() {
    // Nine delays of 8 us and one of 20 us: places 0.9, 4.5 and 8.1 in order; the last is 9.2 us, above the target.
    for (percentile, last) in [(10, "increase"), (50, "increase"), (90, "decrease")] {
        let params = Params {
            percentile,
            ..prompt(100)
        };
        let mut acks = [(1, 8); 10];
        acks[9] = (1, 20);
        let found = decisions(&mut mswift(params), &acks);
        assert_eq!(found[9], last, "{percentile}");
    }
}

#[test]
fn a_streak_counts_medians() {
    // With a window of 8 frames the median is long from the second long delay on.
    let mut params = prompt(8);
    params.lswift.streak = 5;
    let mut mswift = mswift(params);
    decisions(&mut mswift, &[(1, 8); 4]);
    let found = decisions(&mut mswift, &[(1, 20); 6]);
    assert_eq!(
        found,
        ["increase", "hold", "hold", "hold", "hold", "decrease"]
    );
}

#[test]
fn an_ack_without_an_rtt_is_no_delay_among_the_last() {
    let mut mswift = mswift(prompt(8));
    decisions(&mut mswift, &[(1, 8), (1, 20)]);
    mswift.on_ack(&AckInfo {
        rtt: None,
        ..ack(1, 0)
    });
    assert_eq!(mswift.decision(), "hold");
    assert_eq!(mswift.recent.median(9), Span(14 * US));
}

#[test]
fn the_median_of_one_delay_is_lswift() {
    let params = Params {
        median_packets: 1,
        ..Params::default()
    };
    agree(
        mswift(params),
        params.lswift.build(&ENV),
        &(7 * US..11 * US),
    );
}

#[test]
fn its_parameters_are_those_of_lswift_and_three_more() {
    let names = |keys: Vec<KeyDoc>| -> Vec<&str> { keys.iter().map(|key| key.name).collect() };
    let own = vec!["median_packets", "percentile", "even_median"];
    assert_eq!(
        names(Params::keys(None)),
        [names(lswift::Params::keys(None)), own].concat()
    );
}
