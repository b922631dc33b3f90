//! The four cases, and when increases are fulfilled.

use super::*;

/// Whether a count that went through a real number is this, or one less.
fn about(found: u64, exact: u64) -> bool {
    found == exact || found + 1 == exact
}

#[test]
fn below_target_unmarked_acks_increase_in_proportion_to_what_is_left() {
    let mut nscc = nscc(calm());
    // 4 x 1000 / 12 us = 1/3000 bytes a ps; x 1064 bytes x (12 - 2) us = 3,546,666.67.
    let low = ack(US, FRAME, false, 2 * US);
    assert_eq!(after(&mut nscc, &low), (106_400, "proportional_increase"));
    assert_eq!(nscc.inc_bytes, 3_546_666);
    nscc.on_ack(&low);
    // The fraction was cut: 7,093,332.67.
    assert_eq!(nscc.inc_bytes, 7_093_332);
}

#[test]
fn at_the_target_unmarked_acks_increase_fairly() {
    let mut nscc = nscc(calm());
    let high = ack(US, FRAME, false, 12 * US);
    assert_eq!(after(&mut nscc, &high), (106_400, "fair_increase"));
    // 5 x 1000 bytes x 1064 bytes.
    assert_eq!(nscc.inc_bytes, 5_320_000);
}

#[test]
fn below_target_a_mark_changes_nothing() {
    let mut nscc = nscc(calm());
    let low = ack(US, FRAME, true, 12 * US - 1);
    assert_eq!(after(&mut nscc, &low), (106_400, "hold"));
    assert_eq!(nscc.inc_bytes, 0);
}

#[test]
fn the_average_takes_a_delay_with_a_weight_of_an_80th() {
    for (marked, delay, expected) in [
        // At the target the delay counts, above it unmarked 1/4 of 12 us does.
        (false, 12 * US, 150_000),
        (false, 12 * US + 1, 37_500),
        (true, 12 * US + 80, 150_001),
        (true, 100 * US, 1_250_000),
        (false, 100 * US, 37_500),
    ] {
        let mut nscc = nscc(calm());
        nscc.on_ack(&ack(US, FRAME, marked, delay));
        assert!(about(nscc.avg_delay.0, expected), "{delay}");
    }
    let mut nscc = nscc(calm());
    nscc.avg_delay = Span(8 * US);
    nscc.on_ack(&ack(US, FRAME, true, 0));
    assert!(about(nscc.avg_delay.0, 7_900_000));
}

/// A sender whose average is `average` gets a marked ACK of that delay.
fn cut(average: u64, now: u64, last_decrease: u64) -> (u64, &'static str) {
    let mut nscc = nscc(Params {
        quick_adapt: false,
        ..calm()
    });
    nscc.avg_delay = Span(average);
    nscc.last_decrease = Time(last_decrease);
    after(&mut nscc, &ack(now, FRAME, true, average))
}

#[test]
fn a_mark_at_the_target_decreases_by_the_average() {
    let now = 12 * US + 1;
    // 1 - 0.8 x (24 - 12) / 24 = 0.6 of 106,400.
    let (window, decision) = cut(24 * US, now, 0);
    assert_eq!(decision, "decrease");
    assert!(about(window, 63_840), "{window}");
    // 1 - 0.8 x 108 / 120 = 0.28 is less than a half.
    assert_eq!(cut(120 * US, now, 0), (53_200, "decrease"));
    // The packet's delay says whether, the average how much.
    let mut nscc = nscc(calm());
    nscc.avg_delay = Span(10 * US);
    assert_eq!(
        after(&mut nscc, &ack(now, FRAME, true, 20 * US)),
        (106_400, "hold")
    );
}

#[test]
fn there_is_one_decrease_a_base_rtt() {
    assert_eq!(cut(120 * US, 12 * US, 0), (106_400, "hold"));
    assert_eq!(cut(120 * US, 30 * US, 18 * US), (106_400, "hold"));
    assert_eq!(cut(120 * US, 30 * US, 18 * US - 1), (53_200, "decrease"));
    let mut nscc = nscc(Params {
        quick_adapt: false,
        ..calm()
    });
    nscc.avg_delay = Span(120 * US);
    for now in [13, 14, 20, 25] {
        nscc.on_ack(&ack(now * US, FRAME, true, 120 * US));
        assert_eq!(nscc.window(), 53_200, "{now}");
    }
    nscc.on_ack(&ack(25 * US + 1, FRAME, true, 120 * US));
    assert_eq!(nscc.window(), 26_600);
}

#[test]
fn no_decrease_goes_below_the_smallest_window() {
    let mut nscc = nscc(Params {
        initial_window_packets: Some(3),
        min_window_packets: 2,
        quick_adapt: false,
        ..calm()
    });
    nscc.avg_delay = Span(120 * US);
    assert_eq!(
        after(&mut nscc, &ack(13 * US, FRAME, true, 120 * US)),
        (2128, "decrease")
    );
}

/// A sender that has had a window of bytes with hardly any delay.
fn nearly_fast() -> Nscc {
    let mut nscc = nscc(calm());
    for _ in 0..100 {
        let quick = ack(US, FRAME, false, US / 2);
        assert_eq!(after(&mut nscc, &quick).1, "proportional_increase");
    }
    nscc
}

#[test]
fn more_than_a_window_in_a_row_with_hardly_any_delay_starts_the_fast_increase() {
    let mut nscc = nearly_fast();
    assert_eq!(nscc.fast_count, 106_400);
    let pending = nscc.inc_bytes;
    // A quarter of 1064 bytes; nothing pends.
    let quick = ack(US, FRAME, false, US - 1);
    assert_eq!(after(&mut nscc, &quick), (106_666, "fast_increase"));
    assert_eq!(after(&mut nscc, &quick), (106_932, "fast_increase"));
    assert_eq!(nscc.inc_bytes, pending);
    // A mark does not end it: without delay nothing happens.
    let marked = ack(US, FRAME, true, 0);
    assert_eq!(after(&mut nscc, &marked), (106_932, "hold"));
    assert_eq!(after(&mut nscc, &quick), (107_198, "fast_increase"));
    // A delay of 1 us does.
    let slow = ack(US, FRAME, false, US);
    assert_eq!(after(&mut nscc, &slow), (107_198, "proportional_increase"));
    assert_eq!(after(&mut nscc, &quick), (107_198, "proportional_increase"));
    assert_eq!(nscc.fast_count, FRAME);
}

#[test]
fn a_mark_at_the_target_ends_the_fast_increase_even_without_a_decrease() {
    let mut nscc = nearly_fast();
    let quick = ack(US, FRAME, false, 0);
    assert_eq!(after(&mut nscc, &quick).1, "fast_increase");
    nscc.on_ack(&ack(US, FRAME, true, 12 * US));
    assert_eq!(nscc.decision(), "hold");
    assert_eq!(after(&mut nscc, &quick).1, "proportional_increase");
}

#[test]
fn the_fast_increase_ends_at_the_largest_window() {
    let mut nscc = nearly_fast();
    nscc.window = 224_900;
    nscc.fast_count = 300_000;
    let quick = ack(US, FRAME, false, 0);
    assert_eq!(after(&mut nscc, &quick), (225_000, "fast_increase"));
}

#[test]
fn increases_are_fulfilled_when_more_than_eight_frames_have_arrived() {
    let mut nscc = nscc(Params {
        initial_window_packets: Some(100),
        ..Params::default()
    });
    let high = ack(US, FRAME, false, 12 * US);
    for _ in 0..8 {
        assert_eq!(after(&mut nscc, &high), (106_400, "fair_increase"));
    }
    // 9 x 5,320,000 / 106,400 = 450; no period has passed.
    assert_eq!(after(&mut nscc, &high), (106_850, "fair_increase+fulfil"));
    assert_eq!((nscc.inc_bytes, nscc.received), (0, 0));
    assert_eq!(after(&mut nscc, &high), (106_850, "fair_increase"));
}

#[test]
fn increases_are_fulfilled_after_a_period_and_eta_comes_with_it() {
    let params = Params {
        initial_window_packets: Some(100),
        ..Params::default()
    };
    let mut nscc = nscc(params);
    let high = |now| ack(now, FRAME, false, 12 * US);
    assert_eq!(after(&mut nscc, &high(12 * US)), (106_400, "fair_increase"));
    // 2 x 5,320,000 / 106,400 = 100, and 0.15 x 1000.
    let next = after(&mut nscc, &high(12 * US + 1));
    assert_eq!(next, (106_650, "fair_increase+fulfil"));
    assert_eq!(nscc.last_adjust, Time(12 * US + 1));
}

#[test]
fn eta_comes_once_a_period_however_often_increases_are_fulfilled() {
    let mut nscc = nscc(Params {
        initial_window_packets: Some(100),
        ..Params::default()
    });
    for now in 1..=120 {
        // Nine frames, marked without delay: fulfilled each time, with nothing but eta, at 12, 24, ... us.
        let marked = ack(now * US, 9 * FRAME, true, 0);
        let (window, decision) = after(&mut nscc, &marked);
        assert_eq!(decision, "hold+fulfil");
        assert_eq!(window, 106_400 + 150 * (now / 12));
    }
}

#[test]
fn a_mark_is_also_when_earlier_increases_are_fulfilled() {
    let mut nscc = nscc(Params {
        initial_window_packets: Some(100),
        ..Params::default()
    });
    for _ in 0..8 {
        nscc.on_ack(&ack(US, FRAME, false, 12 * US));
    }
    // 8 x 5,320,000 / 106,400 = 400.
    let marked = ack(US, FRAME, true, 0);
    assert_eq!(after(&mut nscc, &marked), (106_800, "hold+fulfil"));
}

#[test]
fn no_increase_goes_beyond_the_largest_window() {
    let mut nscc = nscc(Params::default());
    let high = ack(US, 10 * FRAME, false, 12 * US);
    assert_eq!(after(&mut nscc, &high), (225_000, "fair_increase+fulfil"));
}
