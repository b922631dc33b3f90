//! What LSwift does, against calculations by hand: a base RTT of 8 us, so a target of 9 us; 100 frames of 1000 bytes.

use super::*;
use crate::cc::testing::{ACK, ENV, TIMEOUT, US};
use crate::cc::{AckInfo, CongestionControl, TimeoutInfo};
use crate::units::{Span, Time};

/// An ACK of a frame at `now` us with this RTT in us.
pub(in crate::cc) fn ack(now: u64, rtt: u64) -> AckInfo {
    AckInfo {
        now: Time(now * US),
        rtt: Some(Span(rtt * US)),
        ..ACK
    }
}

/// What `control` decides at ACKs of these times and RTTs.
pub(in crate::cc) fn decisions(
    control: &mut impl CongestionControl,
    acks: &[(u64, u64)],
) -> Vec<&'static str> {
    let decide = |&(now, rtt): &(u64, u64)| {
        control.on_ack(&ack(now, rtt));
        control.decision()
    };
    acks.iter().map(decide).collect()
}

#[test]
fn it_starts_with_a_bandwidth_delay_product_and_never_falls_below_a_frame() {
    let mut lswift = Params::default().build(&ENV);
    assert_eq!(lswift.window(), 100_000);
    for number in 1..100 {
        lswift.on_timeout(&TimeoutInfo {
            now: Time(number * 100 * US),
            in_a_row: number as u32,
            ..TIMEOUT
        });
        assert!(lswift.window() >= 1000);
        assert_eq!(lswift.pacing(), Span::ZERO);
    }
    assert_eq!((lswift.window(), lswift.decision()), (1000, "reset"));
}

#[test]
fn a_decrease_takes_five_delayed_acks_in_a_row() {
    let mut lswift = Params::default().build(&ENV);
    let found = decisions(&mut lswift, &[(1, 10); 4]);
    assert_eq!(found, ["hold"; 4]);
    // One without delay starts the count anew.
    assert_eq!(decisions(&mut lswift, &[(1, 8)]), ["increase"]);
    assert_eq!(decisions(&mut lswift, &[(1, 10); 4]), ["hold"; 4]);
    // 100,010 x (1 - 0.8 x 1/10).
    assert_eq!(decisions(&mut lswift, &[(1, 10)]), ["decrease"]);
    assert_eq!(lswift.window(), 92_009);
}

#[test]
fn a_full_count_waits_for_the_smoothed_rtt_and_a_decrease_starts_it_anew() {
    let mut lswift = Params::default().build(&ENV);
    assert_eq!(decisions(&mut lswift, &[(1, 10); 5])[4], "decrease");
    assert_eq!(decisions(&mut lswift, &[(2, 10); 7]), ["hold"; 7]);
    assert_eq!(
        decisions(&mut lswift, &[(10, 10), (11, 10)]),
        ["hold", "decrease"]
    );
    // The smoothed RTT has passed again, the count is 1.
    assert_eq!(decisions(&mut lswift, &[(30, 10)]), ["hold"]);
}

#[test]
fn a_streak_of_one_cuts_at_once_as_swift_does() {
    let params = Params {
        streak: 1,
        ..Params::default()
    };
    let mut lswift = params.build(&ENV);
    assert_eq!(decisions(&mut lswift, &[(1, 10)]), ["decrease"]);
    assert_eq!(lswift.window(), 92_000);
}

#[test]
fn by_the_queueing_delay_alone_decreases_are_larger() {
    // 10 us: 1 us above the target, 2 us above the base RTT: 1 - 0.8 x 1/2. 12 us: 0.8 x 3/4 is more than a half.
    for (rtt, window) in [(10, 60_000), (12, 50_000)] {
        let params = Params {
            excess: Excess::Queueing,
            ..Params::default()
        };
        let mut lswift = params.build(&ENV);
        decisions(&mut lswift, &[(1, rtt); 5]);
        assert_eq!(lswift.window(), window);
    }
}

#[test]
fn a_target_of_nothing_is_met_by_no_queueing_at_all() {
    for excess in [Excess::Rtt, Excess::Queueing] {
        let mut params = Params {
            excess,
            ..Params::default()
        };
        params.shared.target = Span::ZERO;
        let mut lswift = params.build(&ENV);
        assert_eq!(decisions(&mut lswift, &[(1, 8); 9]), ["hold"; 9]);
        assert_eq!(lswift.window(), 100_000);
    }
}

#[test]
fn the_window_does_not_change_the_target() {
    let mut params = Params::default();
    params.shared.initial_window_packets = Some(1);
    let mut lswift = params.build(&ENV);
    assert_eq!(decisions(&mut lswift, &[(1, 9)]), ["hold"]);
}
