use super::*;
use crate::cc::testing::{ACK, ENV, US, agree};
use crate::fields::{KeyDoc, Section};
use crate::units::Span;

/// A base RTT of 12 us at 100 Gb/s, frames of 1000 bytes; a first window of so many, and increases that stay pending.
fn mnscc(window: u64, median_packets: u8) -> (Params, CcEnv) {
    let params = Params {
        nscc: nscc::Params {
            initial_window_packets: Some(window),
            adjust_packets: 1_000_000,
            ..nscc::Params::default()
        },
        median_packets,
    };
    let env = CcEnv {
        base_rtt: Span(12 * US),
        path_rtt: Span(12 * US),
        bdp_bytes: 150_000,
        payload_bytes: 1000,
        ..ENV
    };
    (params, env)
}

fn built((params, env): (Params, CcEnv)) -> Mnscc {
    params.build(&env)
}

fn ack(rtt: Option<u64>) -> AckInfo {
    AckInfo {
        rtt: rtt.map(Span),
        in_flight: 0,
        ..ACK
    }
}

/// What it does at ACKs with these delays in microseconds.
fn decisions(mnscc: &mut Mnscc, delays: &[u64]) -> Vec<&'static str> {
    let decide = |&delay: &u64| {
        mnscc.on_ack(&ack(Some((12 + delay) * US)));
        mnscc.decision()
    };
    delays.iter().map(decide).collect()
}

#[test]
fn a_packet_that_met_a_queue_of_its_own_does_not_count() {
    let (low, high) = ("proportional_increase", "fair_increase");
    let mut wide = built(mnscc(100, 4));
    // The medians: 2, 2, 2, 2; then 26, as half of the last four are large; 50.
    assert_eq!(
        decisions(&mut wide, &[2, 2, 2, 50, 50, 50]),
        [low, low, low, low, high, high]
    );
    let mut plain = built(mnscc(100, 1));
    assert_eq!(decisions(&mut plain, &[2, 2, 2, 50]), [low, low, low, high]);
}

#[test]
fn a_window_of_few_frames_goes_by_as_few_delays_as_half_of_them() {
    for (window, median) in [
        (1, 50),
        (3, 50),
        (4, 30),
        (5, 30),
        (6, 10),
        (7, 10),
        (8, 6),
        (99, 6),
    ] {
        for (target, expected) in [
            (median * US, "fair_increase"),
            (median * US + 1, "proportional_increase"),
        ] {
            let (mut params, env) = mnscc(window, 4);
            params.nscc.target = Some(Span(target));
            let mut mnscc = built((params, env));
            let last = decisions(&mut mnscc, &[2, 2, 10, 50]).pop();
            assert_eq!(last, Some(expected), "{window} frames, {target} ps");
        }
    }
}

#[test]
fn a_lower_base_rtt_holds_for_older_delays_too() {
    let mut mnscc = built(mnscc(100, 4));
    // 9 us above the base RTT: below target. With a base RTT of 5 us, 16 us above it.
    assert_eq!(
        decisions(&mut mnscc, &[9, 9, 9]),
        ["proportional_increase"; 3]
    );
    mnscc.on_ack(&ack(Some(5 * US)));
    assert_eq!(mnscc.decision(), "fair_increase");
}

#[test]
fn an_ack_without_an_rtt_is_no_delay_among_the_last() {
    let mut mnscc = built(mnscc(100, 4));
    decisions(&mut mnscc, &[2, 50]);
    mnscc.on_ack(&ack(None));
    assert_eq!(mnscc.recent.median(4), Span((12 + 26) * US));
    // The average is small.
    assert!(mnscc.decision().starts_with("proportional_increase"));
}

#[test]
fn the_median_of_one_delay_is_nscc() {
    let (params, env) = mnscc(50, 1);
    agree(
        params.build(&env),
        params.nscc.build(&env),
        &(11 * US..81 * US),
    );
}

#[test]
fn its_parameters_are_those_of_nscc_and_one_more() {
    let names = |keys: Vec<KeyDoc>| -> Vec<&str> { keys.iter().map(|key| key.name).collect() };
    let expected = [names(nscc::Params::keys(None)), vec!["median_packets"]].concat();
    assert_eq!(names(Params::keys(None)), expected);
}
