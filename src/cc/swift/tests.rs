//! What a sender that runs Swift does, against calculations by hand. The base RTT is 8 us at 100 Gb/s, over 6 links; frames have 1000 bytes, so
//! that a bandwidth-delay product is 100 frames. Without flow scaling the target is 9 us.

use super::*;
use crate::cc::LossCause;
use crate::cc::testing::{ACK, ENV, LOSS, TIMEOUT, US, read};
use crate::units::Ratio;

/// A first window of so many frames, without flow scaling.
fn plain(first: u64) -> Params {
    let usual = Params::default();
    Params {
        shared: Shared {
            initial_window_packets: Some(first),
            ..usual.shared
        },
        fs_range: Some(Span::ZERO),
        ..usual
    }
}

fn swift(params: Params) -> Swift {
    params.build(&ENV)
}

/// An ACK of a frame at `now` us with this RTT in picoseconds.
fn ack(now: u64, rtt: u64) -> AckInfo {
    AckInfo {
        now: Time(now * US),
        rtt: Some(Span(rtt)),
        ..ACK
    }
}

#[test]
fn the_rtt_of_a_probe_is_not_listened_to() {
    let mut swift = Params::default().build(&ENV);
    let before = (swift.window(), swift.base_rtt, swift.srtt);
    let probe = AckInfo {
        probe: true,
        ..ack(1, 1)
    };
    swift.on_ack(&probe);
    assert_eq!(swift.decision(), "hold");
    assert_eq!((swift.window(), swift.base_rtt, swift.srtt), before);
}

fn after(swift: &mut Swift, ack: &AckInfo) -> (u64, &'static str) {
    swift.on_ack(ack);
    (swift.window(), swift.decision())
}

fn lose(swift: &mut Swift, now: u64, cause: LossCause) -> (u64, &'static str) {
    swift.on_loss(&LossInfo {
        now: Time(now * US),
        cause,
        ..LOSS
    });
    (swift.window(), swift.decision())
}

fn expire(swift: &mut Swift, now: u64, in_a_row: u32) -> (u64, &'static str) {
    swift.on_timeout(&TimeoutInfo {
        now: Time(now * US),
        in_a_row,
        ..TIMEOUT
    });
    (swift.window(), swift.decision())
}

#[test]
fn each_parameter_is_read_into_its_place() {
    let text = r#"{"target_us": 2, "ai": 3, "beta": 0.4, "max_mdf": 0.5, "initial_window_packets": 6, "max_window_packets": 7,
        "min_window_packets": 0.8, "reset_timeouts": 9, "base_target_us": 10, "hop_us": 11, "fs_range_us": 12,
        "fs_min_packets": 13, "fs_max_packets": 14}"#;
    let millionths = |num| Ratio {
        num,
        den: 1_000_000,
    };
    let expected = Params {
        shared: Shared {
            target: Span(2 * US),
            ai: millionths(3_000_000),
            beta: millionths(400_000),
            max_mdf: millionths(500_000),
            initial_window_packets: Some(6),
            max_window_packets: Some(7),
            min_window_packets: millionths(800_000),
            reset_timeouts: 9,
        },
        base_target: Some(Span(10 * US)),
        hop: Some(Span(11 * US)),
        fs_range: Some(Span(12 * US)),
        fs_min: millionths(13_000_000),
        fs_max: millionths(14_000_000),
    };
    assert_eq!(read::<Params>(text), (expected, vec![]));
}

#[test]
fn ends_of_flow_scaling_that_cross_are_refused() {
    let (_, problems) = read::<Params>(r#"{"fs_min_packets": 0.5, "fs_max_packets": 0.5}"#);
    let told =
        "c.fs_min_packets: 0.5 is not below fs_max_packets, which is 0.5; allowed: less than that";
    assert_eq!(problems, [told]);
}

#[test]
fn a_first_window_above_the_largest_lasts_until_the_first_ack() {
    let mut params = plain(15);
    params.shared.max_window_packets = Some(10);
    let mut swift = swift(params);
    assert_eq!(swift.window(), 15_000);
    assert_eq!(after(&mut swift, &ack(8, 9 * US)), (10_000, "hold"));
}

#[test]
fn a_flow_starts_with_15_frames_or_as_told_or_with_a_bandwidth_delay_product() {
    assert_eq!(swift(Params::default()).window(), 15_000);
    assert_eq!(swift(plain(40)).window(), 40_000);
    let bdp = |max_window_packets, bdp_bytes| {
        let mut params = plain(1);
        params.shared.initial_window_packets = None;
        params.shared.max_window_packets = max_window_packets;
        let env = CcEnv { bdp_bytes, ..ENV };
        params.build(&env).window()
    };
    assert_eq!(bdp(None, 100_000), 100_000);
    assert_eq!(bdp(Some(60), 100_000), 60_000);
    // More than 1000 frames; less than one.
    assert_eq!(bdp(None, 3_000_000), 3_000_000);
    assert_eq!(bdp(None, 10), 1000);
    assert_eq!(swift(plain(5)).decision(), "");
    assert_eq!(swift(plain(5)).pacing(), Span::ZERO);
}

#[test]
fn below_the_target_a_window_that_comes_back_brings_a_frame() {
    let mut swift = swift(plain(20));
    // 1000 x 1000 / 20,000; then 1000 x 10,000 / 20,050 = 498.75.
    assert_eq!(after(&mut swift, &ack(8, 9 * US - 1)), (20_050, "increase"));
    let ten = AckInfo {
        acked_bytes: 10_000,
        ..ack(8, 8 * US)
    };
    assert_eq!(after(&mut swift, &ten), (20_548, "increase"));
    let nothing_new = AckInfo {
        acked_bytes: 0,
        ..ack(8, 8 * US)
    };
    assert_eq!(after(&mut swift, &nothing_new), (20_548, "increase"));
}

#[test]
fn the_largest_window_is_1000_frames_or_two_bandwidth_delay_products_or_as_told() {
    let all = AckInfo {
        acked_bytes: 1 << 40,
        ..ack(8, 8 * US)
    };
    assert_eq!(after(&mut swift(plain(20)), &all).0, 1_000_000);
    let long = CcEnv {
        bdp_bytes: 700_000,
        ..ENV
    };
    assert_eq!(after(&mut plain(20).build(&long), &all).0, 1_400_000);
    let mut params = plain(20);
    params.shared.max_window_packets = Some(30);
    assert_eq!(after(&mut swift(params), &all).0, 30_000);
}

#[test]
fn from_the_target_on_the_window_falls_by_the_excess_over_the_rtt() {
    // At the target by nothing; at 10 us by 0.8 x 1/10; at 40 us 0.8 x 31/40 = 0.62 is more than a half.
    for (rtt, expected) in [
        (9, (100_000, "hold")),
        (10, (92_000, "decrease")),
        (12, (80_000, "decrease")),
        (40, (50_000, "decrease")),
    ] {
        let mut swift = swift(plain(100));
        assert_eq!(after(&mut swift, &ack(8, rtt * US)), expected, "{rtt} us");
    }
}

#[test]
fn the_window_falls_at_most_once_a_smoothed_rtt() {
    let mut swift = swift(plain(100));
    // The smoothed RTT is 10 us.
    assert_eq!(after(&mut swift, &ack(50, 10 * US)), (92_000, "decrease"));
    assert_eq!(after(&mut swift, &ack(59, 10 * US)), (92_000, "hold"));
    // The test comes before the RTT of 18 us is taken in, which makes it 11 us. 0.8 x 9/18 = 0.4.
    assert_eq!(after(&mut swift, &ack(60, 18 * US)), (55_200, "decrease"));
    assert_eq!(after(&mut swift, &ack(70, 11 * US)), (55_200, "hold"));
    // 0.8 x 2/10... of 11 us: 2/11 x 0.8 off 55,200 is 47,170.9.
    assert_eq!(after(&mut swift, &ack(71, 11 * US)), (47_170, "decrease"));
}

#[test]
fn an_increase_between_does_not_let_it_fall_again() {
    let mut swift = swift(plain(100));
    assert_eq!(after(&mut swift, &ack(50, 10 * US)), (92_000, "decrease"));
    assert_eq!(after(&mut swift, &ack(51, 8 * US)).1, "increase");
    assert_eq!(after(&mut swift, &ack(52, 10 * US)).1, "hold");
}

#[test]
fn an_ack_without_an_rtt_changes_nothing() {
    let mut swift = swift(plain(100));
    let blind = AckInfo {
        rtt: None,
        ..ack(8, 0)
    };
    assert_eq!(after(&mut swift, &blind), (100_000, "hold"));
    assert_eq!(swift.srtt, None);
}

#[test]
fn a_lower_rtt_lowers_the_target() {
    let mut swift = swift(plain(100));
    assert_eq!(after(&mut swift, &ack(8, 5 * US)).1, "increase");
    // The target is 6 us now: 0.8 x 2/8 off 100,010.
    assert_eq!(after(&mut swift, &ack(9, 8 * US)), (80_008, "decrease"));
}

#[test]
fn flow_scaling_adds_its_range_at_the_smallest_window_and_nothing_at_the_largest() {
    // steep = 30 us / (1/sqrt(1/4) - 1/sqrt(16)) = 30/1.75, offset = -30/7.
    let millionths = |num| Ratio {
        num,
        den: 1_000_000,
    };
    let params = Params {
        fs_range: Some(Span(30 * US)),
        fs_min: millionths(250_000),
        fs_max: millionths(16_000_000),
        ..Params::default()
    };
    let target = Target::scaled(&params, &ENV);
    // At 1 frame 120/7 - 30/7; at 4 frames 60/7 - 30/7.
    for (frames, added) in [
        (0.01, 30.0),
        (0.25, 30.0),
        (1.0, 90.0 / 7.0),
        (4.0, 30.0 / 7.0),
        (16.0, 0.0),
        (1e6, 0.0),
    ] {
        let found = target.at(Span(8 * US), frames) / 1e6;
        assert!((found - 9.0 - added).abs() < 1e-6, "{frames}: {found}");
    }
}

#[test]
fn the_target_follows_from_the_base_rtt_or_is_that_of_htsim() {
    let us = |params: &Params, frames| Target::scaled(params, &ENV).at(Span(8 * US), frames) / 1e6;
    let near =
        |found: f64, expected: f64| assert!((found - expected).abs() < 1e-4, "{found}, {expected}");
    let usual = Params::default();
    near(us(&usual, 1e9), 9.0);
    // Five times 9 us.
    near(us(&usual, 0.01), 54.0);
    // 6 links of 0.5 us each.
    let hops = Params {
        hop: Some(Span(US / 2)),
        ..usual
    };
    near(us(&hops, 1e9), 12.0);
    // htsim: 20 us + 6 x 20/6.55 us, and up to 100 us more.
    let htsim = Params {
        base_target: Some(Span(20 * US)),
        ..usual
    };
    near(us(&htsim, 1e9), 38.320_610);
    near(us(&htsim, 0.01), 138.320_610);
    // It does not follow the base RTT.
    let found = Target::scaled(&htsim, &ENV).at(Span(US), 1e9) / 1e6;
    near(found, 38.320_610);
}

#[test]
fn losses_halve_the_window_at_most_once_a_smoothed_rtt() {
    for cause in [LossCause::Nack, LossCause::Reordering] {
        let mut swift = swift(plain(100));
        swift.on_ack(&ack(20, 8 * US));
        assert_eq!(lose(&mut swift, 20, cause), (50_005, "loss"));
        assert_eq!(lose(&mut swift, 27, cause), (50_005, "hold"));
        assert_eq!(lose(&mut swift, 28, cause), (25_002, "loss"));
        // Delays do not lower it either.
        assert_eq!(after(&mut swift, &ack(29, 40 * US)).1, "hold");
    }
}

#[test]
fn a_loss_before_any_rtt_halves_it_once_a_base_rtt() {
    let mut swift = swift(plain(100));
    assert_eq!(lose(&mut swift, 0, LossCause::Nack), (50_000, "loss"));
    assert_eq!(lose(&mut swift, 7, LossCause::Nack), (50_000, "hold"));
    assert_eq!(lose(&mut swift, 8, LossCause::Nack), (25_000, "loss"));
}

#[test]
fn timeouts_halve_the_window_and_five_in_a_row_make_it_the_smallest() {
    let mut swift = swift(plain(100));
    assert_eq!(expire(&mut swift, 20, 1), (50_000, "timeout"));
    assert_eq!(expire(&mut swift, 20, 1), (50_000, "hold"));
    assert_eq!(expire(&mut swift, 40, 4), (25_000, "timeout"));
    // Whenever the last decrease was. 0.0025 frames: one packet every 400 base RTTs.
    assert_eq!(expire(&mut swift, 40, 5), (1000, "reset"));
    assert_eq!(swift.pacing(), Span(3200 * US));
    assert_eq!(expire(&mut swift, 41, 6), (1000, "reset"));
    // The first packet that comes back without delay brings a frame.
    assert_eq!(after(&mut swift, &ack(42, 8 * US)), (1002, "increase"));
    assert_eq!(swift.pacing(), Span::ZERO);
}

#[test]
fn below_one_frame_packets_are_paced_by_the_smoothed_rtt() {
    let mut swift = swift(plain(2));
    assert_eq!(lose(&mut swift, 20, LossCause::Nack), (1000, "loss"));
    assert_eq!(swift.pacing(), Span::ZERO);
    assert_eq!(lose(&mut swift, 40, LossCause::Nack), (1000, "loss"));
    // Half a frame: two base RTTs; with a smoothed RTT of 8.8 us, 17.6 us.
    assert_eq!(swift.pacing(), Span(16 * US));
    assert_eq!(after(&mut swift, &ack(41, 8_800_000)).1, "increase");
    assert_eq!((swift.window(), swift.pacing()), (1500, Span::ZERO));
    assert_eq!(lose(&mut swift, 60, LossCause::Nack), (1000, "loss"));
    // 3/4 of a frame.
    assert_eq!(swift.pacing(), Span(11_733_333));
}

#[test]
fn a_window_that_cannot_fall_is_held() {
    let mut params = plain(1);
    params.shared.min_window_packets = Ratio::ONE;
    let mut swift = swift(params);
    assert_eq!(after(&mut swift, &ack(20, 40 * US)), (1000, "hold"));
    assert_eq!(swift.last_decrease, None);
}
