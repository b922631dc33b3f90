//! What the tests of controllers share: a network, what a transport tells, parameters from text.

use std::ops::Range;

use super::{AckInfo, CcEnv, CongestionControl, LossCause, LossInfo, Recovery, TimeoutInfo};
use crate::fields::{Fields, Section};
use crate::json::{Json, Origin, parse};
use crate::rng::{Domain, Rng};
use crate::units::{Rate, Span, Time};

/// Picoseconds a microsecond.
pub(super) const US: u64 = 1_000_000;

/// A base RTT of 8 us at 100 Gb/s, over 6 links; frames of 1000 bytes, so that a bandwidth-delay product is 100 of them.
pub(super) const ENV: CcEnv = CcEnv {
    base_rtt: Span(8 * US),
    path_rtt: Span(8 * US),
    path_hops: 6,
    bdp_bytes: 100_000,
    frame_bytes: 1000,
    payload_bytes: 950,
    rate: Rate::from_gbps(100),
    trims: false,
};

/// An ACK of a frame without an RTT at 1 us, after which 10 are in flight.
pub(super) const ACK: AckInfo = AckInfo {
    now: Time(US),
    psn: 0,
    acked_bytes: 1000,
    acked_packets: 1,
    marked: false,
    rtt: None,
    probe: false,
    advanced: true,
    recovery: Recovery::None,
    out_of_order: 0,
    in_flight: 10_000,
    all_sent: false,
};

/// A frame overtaken by others at 1 us, after which nothing is in flight.
pub(super) const LOSS: LossInfo = LossInfo {
    now: Time(US),
    psn: 0,
    bytes: 1000,
    cause: LossCause::Reordering,
    rtt: None,
    in_flight: 0,
    next_psn: 100,
};

/// The first timeout of a frame at 1 us, after which nothing is in flight.
pub(super) const TIMEOUT: TimeoutInfo = TimeoutInfo {
    now: Time(US),
    psn: 0,
    bytes: 1000,
    in_a_row: 1,
    in_flight: 0,
    next_psn: 100,
};

/// The parameters that the object `text` gives, and what is wrong with it.
pub(super) fn read<P: Section>(text: &str) -> (P, Vec<String>) {
    read_by(|fields| P::read(fields, None), text)
}

/// What `read` makes of the object `text`, and what is wrong with it.
pub(super) fn read_by<P>(read: impl FnOnce(&mut Fields<'_>) -> P, text: &str) -> (P, Vec<String>) {
    let json: Json = parse(text, Origin(0)).expect("it is JSON");
    let mut problems = Vec::new();
    let mut fields = Fields::new(&json, "c", &mut problems);
    let params = read(&mut fields);
    let _ = fields.finish();
    let told = problems.into_iter();
    let told = told.map(|problem| format!("{}: {}", problem.path, problem.text));
    (params, told.collect())
}

/// Both decide the same at ACKs, some marked, some without an RTT, the others with any of `rtts` in ps.
pub(super) fn agree(
    mut one: impl CongestionControl,
    mut other: impl CongestionControl,
    rtts: &Range<u64>,
) {
    let mut rng = Rng::stream(1, Domain::SwitchPick, 0);
    let mut now = 0;
    for _ in 0..5_000 {
        now += rng.below_u64(2 * US);
        let ack = AckInfo {
            now: Time(now),
            marked: rng.below(3) == 0,
            in_flight: rng.below_u64(200_000),
            rtt: (rng.below(8) > 0)
                .then(|| Span(rtts.start + rng.below_u64(rtts.end - rtts.start))),
            ..ACK
        };
        one.on_ack(&ack);
        other.on_ack(&ack);
        assert_eq!(told(&one), told(&other));
    }
}

fn told(control: &impl CongestionControl) -> (u64, Span, &'static str) {
    (control.window(), control.pacing(), control.decision())
}
