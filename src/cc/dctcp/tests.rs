//! What a sender that runs DCTCP does, against calculations by hand: frames of 1,000 bytes, a bandwidth-delay product of 100 of them.

use super::*;
use crate::cc::testing::{ACK, ENV, LOSS, TIMEOUT};

fn dctcp(params: Params) -> Dctcp {
    params.build(&ENV)
}

/// An ACK of a frame that moves the lowest missing packet; the rest of the window is in flight.
fn ack(control: &Dctcp, marked: bool) -> AckInfo {
    AckInfo {
        marked,
        in_flight: control.window() - 1_000,
        ..ACK
    }
}

fn loss(psn: u32, next_psn: u32) -> LossInfo {
    LossInfo {
        psn,
        next_psn,
        ..LOSS
    }
}

fn timeout(psn: u32) -> TimeoutInfo {
    TimeoutInfo {
        psn,
        next_psn: 500,
        ..TIMEOUT
    }
}

fn acks(control: &mut Dctcp, count: u32, marked: bool) {
    for _ in 0..count {
        let ack = ack(control, marked);
        control.on_ack(&ack);
    }
}

#[test]
fn the_first_window_is_a_bandwidth_delay_product_or_as_told() {
    assert_eq!(dctcp(Params::default()).window(), 100_000);
    let stock = Params {
        initial_window_packets: Some(10),
        ssthresh_packets: Some(100),
        ..Params::default()
    };
    assert_eq!(dctcp(stock).window(), 10_000);
    let half = Params {
        initial_window_bdp: Ratio { num: 1, den: 2 },
        max_window_packets: Some(40),
        ..Params::default()
    };
    assert_eq!(dctcp(half).window(), 40_000);
    let none = Params {
        initial_window_bdp: Ratio { num: 0, den: 1 },
        ..Params::default()
    };
    assert_eq!(dctcp(none).window(), 1_000, "a frame");
}

#[test]
fn an_unmarked_window_of_acks_adds_a_frame() {
    let mut control = dctcp(Params::default());
    acks(&mut control, 100, false);
    // 100 ACKs of 10 bytes each, a little less as the window grows and divisions are cut.
    assert!((100_900..=101_000).contains(&control.window()));
    assert_eq!(control.decision(), "increase");
    assert_eq!(control.alpha, 0.0);
}

#[test]
fn in_slow_start_each_ack_adds_a_frame_up_to_the_threshold() {
    let mut control = dctcp(Params {
        initial_window_packets: Some(2),
        ssthresh_packets: Some(5),
        ..Params::default()
    });
    let mut windows = Vec::new();
    for _ in 0..4 {
        acks(&mut control, 1, false);
        windows.push(control.window());
    }
    assert_eq!(windows, [3_000, 4_000, 5_000, 5_200]);
}

#[test]
fn a_mark_ends_slow_start_and_alpha_follows_the_fraction_of_marked_acks() {
    let mut control = dctcp(Params {
        initial_window_packets: Some(10),
        ssthresh_packets: Some(100),
        ..Params::default()
    });
    // The first estimate comes after two ACKs, one of them marked: alpha 1/16 x 1/2, a cut by half of that.
    acks(&mut control, 1, true);
    assert_eq!((control.ssthresh, control.decision()), (10_000, "increase"));
    let before = control.window();
    acks(&mut control, 1, false);
    assert_eq!(control.alpha, 1.0 / 32.0);
    let cut = (before as f64 * (1.0 - 1.0 / 64.0)) as u64;
    assert_eq!(control.ssthresh, cut);
    assert_eq!(control.decision(), "cut+increase");
    // What the cut leaves beside what is in flight, 842 bytes, is less than a frame.
    let newly = cut - (before - 1_000);
    assert_eq!(control.window(), cut + newly * 1_000 / cut);
    // The next comes after a window of them.
    let (past, alpha) = (control.past_window, control.alpha);
    acks(&mut control, past.div_ceil(1_000) as u32, true);
    assert_eq!(control.alpha, 15.0 / 16.0 * alpha + 1.0 / 16.0);
}

#[test]
fn windows_without_marks_are_cut_by_what_is_left_of_alpha_or_not() {
    for (cuts, decision) in [(true, "cut+increase"), (false, "increase")] {
        let mut control = dctcp(Params {
            cut_without_marks: cuts,
            ..Params::default()
        });
        acks(&mut control, 2, true);
        assert_eq!(control.alpha, 1.0 / 16.0);
        let acks_of_a_window = control.past_window.div_ceil(1_000) as u32;
        acks(&mut control, acks_of_a_window, false);
        assert_eq!(control.alpha, 15.0 / 256.0);
        assert_eq!(control.decision(), decision);
    }
}

#[test]
fn acks_of_packets_out_of_order_and_of_probes_do_not_grow_the_window() {
    let mut control = dctcp(Params::default());
    let out_of_order = AckInfo {
        advanced: false,
        ..ack(&control, false)
    };
    control.on_ack(&out_of_order);
    assert_eq!((control.window(), control.decision()), (100_000, "hold"));
    assert_eq!(control.seen, 1);
    let probe = AckInfo {
        probe: true,
        ..ack(&control, true)
    };
    control.on_ack(&probe);
    assert_eq!((control.seen, control.marked), (1, 0));
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut control = dctcp(Params::default());
    let full = AckInfo {
        in_flight: 100_000,
        ..ack(&control, false)
    };
    control.on_ack(&full);
    assert_eq!(control.window(), 100_000);
}

#[test]
fn a_loss_halves_the_window_once_for_all_that_was_sent() {
    let mut control = dctcp(Params::default());
    control.on_loss(&loss(7, 100));
    assert_eq!((control.window(), control.decision()), (50_000, "halve"));
    control.on_loss(&loss(99, 140));
    assert_eq!((control.window(), control.decision()), (50_000, "recover"));
    control.on_loss(&loss(100, 150));
    assert_eq!((control.window(), control.decision()), (25_000, "halve"));
    for psn in [150, 200, 300, 400, 500] {
        control.on_loss(&loss(psn, psn + 50));
    }
    assert_eq!(control.window(), 2_000, "two frames at least");
}

#[test]
fn a_timeout_leaves_one_frame_and_slow_start_to_half_the_window() {
    let mut control = dctcp(Params::default());
    control.on_timeout(&timeout(7));
    assert_eq!((control.window(), control.ssthresh), (1_000, 50_000));
    // Another packet of the same expiry.
    control.on_timeout(&timeout(8));
    assert_eq!((control.window(), control.ssthresh), (1_000, 50_000));
    acks(&mut control, 1, false);
    assert_eq!(control.window(), 2_000);
    assert_eq!(control.decision(), "increase");
}

#[test]
fn in_a_recovery_the_window_stands_and_after_it_little_in_flight_makes_it_small() {
    for (in_flight, window) in [
        (80_000, 50_000),
        (49_500, 50_000),
        (7_000, 8_000),
        (0, 1_000),
    ] {
        let mut control = dctcp(Params::default());
        control.on_loss(&loss(7, 100));
        let part = AckInfo {
            recovery: Recovery::Ongoing,
            in_flight: 10_000,
            ..ack(&control, false)
        };
        control.on_ack(&part);
        assert_eq!((control.window(), control.decision()), (50_000, "hold"));
        let last = AckInfo {
            recovery: Recovery::Ended,
            in_flight,
            ..part
        };
        control.on_ack(&last);
        assert_eq!((control.window(), control.decision()), (window, "resume"));
    }
}

#[test]
fn marks_count_in_a_recovery_too() {
    let mut control = dctcp(Params::default());
    control.on_loss(&loss(7, 100));
    // Alpha moves after a window of ACKs, that of before the loss.
    for left in (0..100).rev() {
        let duplicate = AckInfo {
            recovery: Recovery::Ongoing,
            advanced: false,
            ..ack(&control, true)
        };
        control.on_ack(&duplicate);
        let cut = if left == 0 { "cut" } else { "hold" };
        assert_eq!(control.decision(), cut, "{left}");
    }
    assert_eq!(control.window(), 48_437, "50,000 x (1 - 1/32)");
}
