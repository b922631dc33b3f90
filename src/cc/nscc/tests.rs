//! What a sender that runs NSCC does, against calculations by hand: on a network whose base RTT is 12 us at 100 Gb/s, all scaling factors are
//! 1. A frame has 1064 bytes, 1000 of them payload.

mod increases;
mod losses;
mod table;

use super::*;
use crate::cc::testing::{ACK, ENV, LOSS, TIMEOUT, US, read};
use crate::units::{Rate, Ratio};

const FRAME: u64 = 1064;

fn env() -> CcEnv {
    CcEnv {
        base_rtt: Span(12 * US),
        path_rtt: Span(12 * US),
        // 12 us x 12.5 bytes a ns.
        bdp_bytes: 150_000,
        frame_bytes: 1064,
        payload_bytes: 1000,
        ..ENV
    }
}

/// A first window of 100 frames, 106,400 bytes; nothing is fulfilled before 12 ms.
fn calm() -> Params {
    Params {
        initial_window_packets: Some(100),
        adjust_packets: 1_000_000,
        adjust_period_rtts: Ratio { num: 1000, den: 1 },
        ..Params::default()
    }
}

fn nscc(params: Params) -> Nscc {
    params.build(&env())
}

/// An ACK at `now` ps for `bytes`, delayed by `delay` ps; 10,000 bytes are in flight.
fn ack(now: u64, bytes: u64, marked: bool, delay: u64) -> AckInfo {
    AckInfo {
        now: Time(now),
        acked_bytes: bytes,
        marked,
        rtt: Some(Span(12 * US + delay)),
        ..ACK
    }
}

/// A NACK of a frame at `now`; 10,000 bytes are in flight beside it.
fn nack(now: u64, rtt: u64) -> LossInfo {
    LossInfo {
        now: Time(now),
        bytes: 1064,
        cause: LossCause::Nack,
        rtt: Some(Span(rtt)),
        in_flight: 10_000,
        ..LOSS
    }
}

/// The window and the decision after an ACK.
fn after(nscc: &mut Nscc, ack: &AckInfo) -> (u64, &'static str) {
    nscc.on_ack(ack);
    (nscc.window(), nscc.decision())
}

#[test]
fn each_parameter_is_read_into_its_place() {
    let text = r#"{"target_us": 1, "base_rtt": "path", "base_rtt_on_nack": false, "initial_window_packets": 9,
        "max_window_bdp": 1.25, "min_window_packets": 2, "quick_adapt": false, "qa_gate": 5, "qa_threshold_targets": 0.5,
        "alpha": 1, "fair_increase": 2, "eta": 3, "fast_increase": 4, "fast_increase_delay_us": 0.25, "gamma": 6,
        "max_decrease": 0.7, "delay_gain": 0.8, "unmarked_delay_rtts": 9, "adjust_packets": 10,
        "adjust_period_rtts": 11, "reference_gbps": 12.5, "reference_rtt_us": 13}"#;
    let millionths = |num| Ratio {
        num,
        den: 1_000_000,
    };
    let expected = Params {
        target: Some(Span(US)),
        base_rtt: BaseRtt::Path,
        base_rtt_on_nack: false,
        initial_window_packets: Some(9),
        max_window_bdp: millionths(1_250_000),
        min_window_packets: 2,
        quick_adapt: false,
        qa_gate: 5,
        qa_threshold_targets: millionths(500_000),
        alpha: millionths(1_000_000),
        fair_increase: millionths(2_000_000),
        eta: millionths(3_000_000),
        fast_increase: millionths(4_000_000),
        fast_increase_delay: Span(250_000),
        gamma: millionths(6_000_000),
        max_decrease: millionths(700_000),
        delay_gain: millionths(800_000),
        unmarked_delay_rtts: millionths(9_000_000),
        adjust_packets: 10,
        adjust_period_rtts: millionths(11_000_000),
        reference_rate: Rate::from_bits_per_sec(12_500_000_000),
        reference_rtt: Span(13 * US),
    };
    assert_eq!(read::<Params>(text), (expected, vec![]));
}

#[test]
fn a_first_window_below_the_smallest_is_refused() {
    let (_, problems) = read::<Params>(r#"{"initial_window_packets": 3, "min_window_packets": 4}"#);
    assert_eq!(
        problems,
        [
            "c.initial_window_packets: 3 is below min_window_packets, which is 4; allowed: at least that"
        ]
    );
}

#[test]
fn a_flow_starts_with_the_largest_window_or_as_told() {
    assert_eq!(nscc(Params::default()).window(), 225_000);
    assert_eq!(nscc(calm()).window(), 106_400);
    let path = CcEnv {
        path_rtt: Span(4 * US),
        ..env()
    };
    let params = Params {
        base_rtt: BaseRtt::Path,
        ..Params::default()
    };
    let of_path = params.build(&path);
    // 1.5 x 4 us x 12.5 bytes a ns; the target stays the network's.
    assert_eq!(of_path.window(), 75_000);
    assert_eq!(of_path.constants.target, Span(12 * US));
    assert_eq!(Params::default().build(&path).window(), 225_000);
    assert_eq!(nscc(Params::default()).decision(), "");
}

#[test]
fn a_first_window_above_the_largest_lasts_until_the_first_ack() {
    let mut nscc = nscc(Params {
        initial_window_packets: Some(1000),
        ..calm()
    });
    assert_eq!(nscc.window(), 1_064_000);
    assert_eq!(after(&mut nscc, &ack(US, 0, true, 0)), (225_000, "hold"));
}

#[test]
fn the_largest_window_is_never_below_the_smallest() {
    let short = CcEnv {
        base_rtt: Span(0),
        path_rtt: Span(0),
        bdp_bytes: 0,
        ..env()
    };
    let mut nscc = Params::default().build(&short);
    assert_eq!(nscc.window(), FRAME);
    for now in 0..100 {
        nscc.on_ack(&AckInfo {
            rtt: Some(Span(now % 3)),
            ..ack(now, FRAME, now % 2 == 0, 0)
        });
        assert_eq!(nscc.window(), FRAME);
    }
}

#[test]
fn a_lower_rtt_becomes_the_base_and_lowers_the_largest_window() {
    let mut nscc = nscc(Params::default());
    let fast = AckInfo {
        rtt: Some(Span(8 * US)),
        ..ack(US, 0, true, 0)
    };
    // 1.5 x 8 us x 12.5 bytes a ns.
    assert_eq!(after(&mut nscc, &fast), (150_000, "hold"));
    assert_eq!(nscc.avg_delay, Span(0));
    nscc.on_ack(&ack(2 * US, 0, true, 0));
    assert_eq!(nscc.base_rtt, Span(8 * US));
    // 12 us are now 4 us of delay, with a weight of 1/80.
    assert_eq!(nscc.avg_delay, Span(50_000));
}

#[test]
fn an_ack_without_an_rtt_counts_with_the_average() {
    let mut nscc = nscc(calm());
    let blind = |marked| AckInfo {
        rtt: None,
        ..ack(US, 60, marked, 0)
    };
    nscc.avg_delay = Span(12 * US);
    assert_eq!(after(&mut nscc, &blind(false)).1, "fair_increase");
    nscc.inc_bytes = 0;
    nscc.avg_delay = Span(11 * US);
    assert_eq!(after(&mut nscc, &blind(false)).1, "proportional_increase");
    // 1/3000 bytes a ps x 60 bytes x 1 us, cut.
    assert!((19_999..=20_000).contains(&nscc.inc_bytes));
    assert_eq!(nscc.avg_delay, Span(11 * US));
}

#[test]
fn the_rtt_of_a_probe_is_a_delay_but_no_base() {
    let mut nscc = nscc(calm());
    let most = nscc.max_window;
    // 64 bytes are faster than the frames whose RTT is the base: no delay, so room for an increase.
    let probe = AckInfo {
        rtt: Some(Span(11 * US)),
        probe: true,
        ..ack(US, 0, false, 0)
    };
    nscc.on_ack(&probe);
    assert_eq!((nscc.base_rtt, nscc.max_window), (Span(12 * US), most));
    assert_eq!(nscc.decision(), "proportional_increase");
    // 21 us above the base and marked: far above the target of 12 us, so the average, 1/80 of it, moves.
    let late = AckInfo {
        rtt: Some(Span(33 * US)),
        marked: true,
        ..probe
    };
    nscc.on_ack(&late);
    assert_eq!(nscc.avg_delay, Span(21 * US / 80));
    let data = AckInfo {
        probe: false,
        ..probe
    };
    nscc.on_ack(&data);
    assert_eq!(nscc.base_rtt, Span(11 * US));
}
