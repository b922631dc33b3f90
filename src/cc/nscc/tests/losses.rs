//! NACKs, timeouts, and quick adapt.

use super::*;

/// After an ACK at 1 us, so that the first period ends at 25 us (a base RTT and a target later).
fn in_a_period(params: Params) -> Nscc {
    let mut nscc = nscc(params);
    nscc.on_ack(&ack(US, 50_000, true, 0));
    assert_eq!(nscc.qa_end, Time(25 * US));
    assert_eq!(nscc.achieved, 0, "the first ACK opens it");
    nscc
}

#[test]
fn a_nack_takes_its_bytes_off_the_window() {
    let mut nscc = nscc(calm());
    nscc.on_loss(&nack(US, 12 * US));
    assert_eq!((nscc.window(), nscc.decision()), (105_336, "nack"));
    // It counts as a delay of the network's RTT.
    assert_eq!(nscc.avg_delay, Span(150_000));
    let mut small = super::nscc(Params {
        initial_window_packets: Some(1),
        ..calm()
    });
    small.on_loss(&nack(US, 12 * US));
    assert_eq!(small.window(), FRAME);
}

#[test]
fn a_nack_can_lower_the_base_rtt() {
    for (lowers, base, window) in [(true, 6, 112_500), (false, 12, 223_936)] {
        let mut nscc = nscc(Params {
            base_rtt_on_nack: lowers,
            ..Params::default()
        });
        nscc.on_loss(&nack(US, 6 * US));
        assert_eq!(nscc.base_rtt, Span(base * US));
        assert_eq!(nscc.window(), window);
    }
}

#[test]
fn losses_by_reordering_change_nothing() {
    let mut nscc = nscc(calm());
    nscc.on_ack(&ack(US, FRAME, true, 0));
    let lost = LossInfo {
        cause: LossCause::Reordering,
        rtt: None,
        ..nack(2 * US, 0)
    };
    nscc.on_loss(&lost);
    assert_eq!((nscc.window(), nscc.decision()), (106_400, "hold"));
    assert!(!nscc.is_triggered);
}

#[test]
fn a_timeout_takes_its_bytes_off_the_window_and_leaves_a_frame() {
    let mut nscc = nscc(Params {
        initial_window_packets: Some(2),
        ..calm()
    });
    let timeout = |bytes| TimeoutInfo { bytes, ..TIMEOUT };
    nscc.on_timeout(&timeout(64));
    assert_eq!((nscc.window(), nscc.decision()), (2064, "timeout"));
    nscc.on_timeout(&timeout(u32::MAX));
    assert_eq!(nscc.window(), FRAME);
    assert_eq!(nscc.avg_delay, Span(0));
}

#[test]
fn quick_adapt_takes_what_has_arrived_in_a_period_of_large_delays() {
    let mut nscc = in_a_period(calm());
    nscc.on_ack(&ack(25 * US, 4_000, false, 49 * US));
    assert_eq!(nscc.decision(), "fair_increase", "the period lasts");
    // Four targets are not above four targets.
    let mut other = nscc.clone();
    other.on_ack(&ack(25 * US + 1, 1_000, false, 48 * US));
    assert_eq!(other.decision(), "fair_increase");
    assert_eq!(other.qa_end, Time(49 * US + 1));
    let heavy = ack(25 * US + 1, 1_000, false, 48 * US + 1);
    assert_eq!(after(&mut nscc, &heavy), (5_000, "quick_adapt"));
    assert_eq!(nscc.qa_end, Time(49 * US + 1));
    assert_eq!((nscc.inc_bytes, nscc.received, nscc.achieved), (0, 0, 0));
    // Not twice a period.
    let again = ack(26 * US, 1_000, false, 49 * US);
    assert_eq!(after(&mut nscc, &again).1, "fair_increase");
}

#[test]
fn quick_adapt_needs_little_to_have_arrived() {
    // 225,000 / 8.
    for (bytes, expected) in [(28_124, "quick_adapt"), (28_125, "fair_increase")] {
        let mut nscc = in_a_period(calm());
        nscc.on_ack(&ack(26 * US, bytes, false, 49 * US));
        assert_eq!(nscc.decision(), expected, "{bytes}");
    }
    let mut wide = in_a_period(Params {
        qa_gate: 0,
        ..calm()
    });
    wide.on_ack(&ack(26 * US, 200_000, false, 49 * US));
    assert_eq!((wide.window(), wide.decision()), (200_000, "quick_adapt"));
}

#[test]
fn quick_adapt_may_raise_the_window_and_leaves_a_frame() {
    for (bytes, window) in [(20_000, 20_000), (10, FRAME)] {
        let mut nscc = in_a_period(Params {
            initial_window_packets: Some(2),
            ..calm()
        });
        nscc.on_ack(&ack(26 * US, bytes, false, 49 * US));
        assert_eq!((nscc.window(), nscc.decision()), (window, "quick_adapt"));
    }
}

#[test]
fn after_quick_adapt_marks_are_ignored_until_what_was_in_flight_is_back() {
    let mut nscc = in_a_period(calm());
    nscc.on_ack(&ack(26 * US, 5_000, false, 49 * US));
    assert_eq!(nscc.to_ignore, 10_000);
    assert_eq!(
        after(&mut nscc, &ack(27 * US, 4_000, true, 30 * US)),
        (5_000, "ignore")
    );
    // Without a mark an ACK counts as ever; a NACK is ignored too.
    nscc.on_ack(&ack(28 * US, 4_000, false, 2 * US));
    assert_eq!(nscc.decision(), "proportional_increase");
    nscc.on_loss(&nack(29 * US, 40 * US));
    assert_eq!((nscc.window(), nscc.decision()), (5_000, "nack+ignore"));
    assert_eq!(nscc.ignored, 9_064);
    nscc.on_ack(&ack(30 * US, 936, true, 2 * US));
    assert_eq!(nscc.decision(), "hold", "10,000 bytes are back");
}

#[test]
fn an_ignored_ack_drops_pending_increases() {
    let mut nscc = in_a_period(calm());
    nscc.on_ack(&ack(26 * US, 5_000, false, 49 * US));
    nscc.on_ack(&ack(27 * US, 1_000, false, 20 * US));
    assert!(nscc.inc_bytes > 0 && nscc.received > 0);
    nscc.on_ack(&ack(28 * US, 1_000, true, 20 * US));
    assert_eq!((nscc.inc_bytes, nscc.received), (0, 0));
}

#[test]
fn a_nack_at_the_end_of_a_period_adapts_in_place_of_the_cut() {
    let mut nscc = in_a_period(calm());
    nscc.on_ack(&ack(20 * US, 5_000, true, 0));
    nscc.on_loss(&nack(26 * US, 40 * US));
    assert_eq!(
        (nscc.window(), nscc.decision()),
        (5_000, "nack+quick_adapt")
    );
    // The packet that was NACKed is still in flight then.
    assert_eq!(nscc.to_ignore, 11_064);
    assert!(!nscc.is_triggered);
}

#[test]
fn a_nack_within_a_period_is_remembered_for_its_end() {
    let mut nscc = in_a_period(calm());
    nscc.on_loss(&nack(10 * US, 40 * US));
    assert_eq!(nscc.decision(), "nack");
    nscc.on_ack(&ack(26 * US, 5_000, false, 0));
    assert_eq!((nscc.window(), nscc.decision()), (5_000, "quick_adapt"));
    nscc.on_ack(&ack(60 * US, 5_000, false, 2 * US));
    assert_eq!(nscc.decision(), "proportional_increase", "once");
}

#[test]
fn there_is_no_quick_adapt_before_the_first_period_and_none_if_it_is_off() {
    let mut fresh = nscc(calm());
    fresh.on_loss(&nack(100 * US, 40 * US));
    assert_eq!(fresh.decision(), "nack");
    let mut off = nscc(Params {
        quick_adapt: false,
        ..calm()
    });
    for now in 1..100 {
        off.on_loss(&nack(now * US, 40 * US));
        assert_eq!(off.decision(), "nack");
    }
    off.on_ack(&ack(100 * US, 1, false, 100 * US));
    assert_eq!(off.decision(), "fair_increase");
}
