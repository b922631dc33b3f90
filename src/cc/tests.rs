//! What holds for every controller, whatever happens to it.

use super::*;
use crate::rng::{Domain, Rng};
use crate::units::Ratio;
use swift::{Excess, Shared};

/// Operations of a sequence.
const OPERATIONS: u32 = 150;

/// A number of any size up to 2^`bits`.
fn any(rng: &mut Rng, bits: u32) -> u64 {
    let bits = rng.below(bits + 1);
    rng.below_u64(1 << bits)
}

fn one<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.below(of.len() as u32) as usize]
}

/// A network: that of the paper, or anything from a byte at 1 bit/s to 16 MiB at 100 Tb/s.
fn env(rng: &mut Rng) -> CcEnv {
    if rng.below(3) == 0 {
        return CcEnv {
            base_rtt: Span(6_253_320),
            path_rtt: Span(2_084_440),
            path_hops: 2,
            bdp_bytes: 625_332,
            frame_bytes: 4158,
            payload_bytes: 4096,
            rate: Rate::from_gbps(800),
            trims: rng.below(2) == 0,
        };
    }
    let bits = one(
        rng,
        &[1, 1_000_000_000, 800_000_000_000, 100_000_000_000_000],
    );
    let base_rtt = one(rng, &[0, 1, 1_000_000, 1 << 40, 1 << 62, u64::MAX]);
    let base_rtt = base_rtt.min(any(rng, 62).max(base_rtt / 2));
    let payload_bytes = one(rng, &[1, 1000, 1 << 16, 1 << 24]);
    CcEnv {
        base_rtt: Span(base_rtt),
        path_rtt: Span(rng.below_u64(base_rtt.saturating_add(1).max(1))),
        path_hops: one(rng, &[2, 6, u32::MAX]),
        bdp_bytes: bdp(base_rtt, bits),
        frame_bytes: payload_bytes + one(rng, &[0, 62, 65_535]),
        payload_bytes,
        rate: Rate::from_bits_per_sec(bits),
        trims: rng.below(2) == 0,
    }
}

fn bdp(rtt: u64, bits: u64) -> u64 {
    let bytes = u128::from(rtt) * u128::from(bits) / 8_000_000_000_000;
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// A ratio from nothing to `most`, the ends more often.
fn ratio(rng: &mut Rng, most: u64) -> Ratio {
    let inside = rng.below_u64(most * 1_000_000);
    let num = one(rng, &[0, most * 1_000_000, inside, 1]);
    Ratio {
        num,
        den: 1_000_000,
    }
}

/// NSCC with any parameters.
fn any_nscc(rng: &mut Rng) -> nscc::Params {
    let min_window_packets = one(rng, &[1, 1, 2, 1_000_000]);
    let first = one(rng, &[None, Some(0), Some(1_000_000)]);
    nscc::Params {
        target: one(
            rng,
            &[
                None,
                Some(Span(0)),
                Some(Span(1_000_000)),
                Some(Span(1 << 39)),
            ],
        ),
        base_rtt: one(rng, &[nscc::BaseRtt::Network, nscc::BaseRtt::Path]),
        base_rtt_on_nack: rng.below(2) == 0,
        initial_window_packets: first.map(|more| (min_window_packets + more).min(1_000_000)),
        max_window_bdp: ratio(rng, 1000),
        min_window_packets,
        quick_adapt: rng.below(4) > 0,
        qa_gate: one(rng, &[0, 3, 32]),
        qa_threshold_targets: ratio(rng, 1000),
        alpha: ratio(rng, 1000),
        fair_increase: ratio(rng, 1000),
        eta: ratio(rng, 1000),
        fast_increase: ratio(rng, 1000),
        fast_increase_delay: one(rng, &[Span(0), Span(1_000_000), Span(1 << 39)]),
        gamma: ratio(rng, 1000),
        max_decrease: ratio(rng, 1),
        delay_gain: ratio(rng, 1),
        unmarked_delay_rtts: ratio(rng, 1000),
        adjust_packets: one(rng, &[0, 8, 1_000_000]),
        adjust_period_rtts: ratio(rng, 1000),
        reference_rate: Rate::from_bits_per_sec(one(rng, &[1, 100_000_000_000_000])),
        reference_rtt: one(rng, &[Span(1), Span(1_000_000_000_000)]),
    }
}

/// What Swift and its relatives share, with any parameters.
fn any_shared(rng: &mut Rng) -> Shared {
    let max_window_packets = one(rng, &[None, Some(1), Some(100), Some(1_000_000)]);
    let min_window = 1_000 + rng.below_u64(999_000);
    let min_window = one(rng, &[1_000, 2_500, 1_000_000, min_window]);
    Shared {
        target: one(rng, &[Span(0), Span(1_000_000), Span(1_000_000_000_000)]),
        ai: ratio(rng, 1000),
        beta: ratio(rng, 1000),
        max_mdf: ratio(rng, 1),
        initial_window_packets: one(rng, &[None, Some(1), Some(15), Some(1_000_000)]),
        max_window_packets,
        min_window_packets: Ratio {
            num: min_window,
            den: 1_000_000,
        },
        reset_timeouts: one(rng, &[1, 5, 1_000_000]),
    }
}

/// Swift with any parameters.
fn any_swift(rng: &mut Rng) -> swift::Params {
    let span = |rng: &mut Rng| {
        one(
            rng,
            &[
                None,
                None,
                Some(Span(0)),
                Some(Span(20_000_000)),
                Some(Span(1_000_000_000_000)),
            ],
        )
    };
    let fs_min = one(rng, &[1, 100_000, 999_999_999_999]);
    let more = 1 + rng.below_u64(1_000_000_000_000 - fs_min);
    let fs_max = fs_min + one(rng, &[1, more, 1_000_000_000_000 - fs_min]);
    let millionths = |num| Ratio {
        num,
        den: 1_000_000,
    };
    swift::Params {
        shared: any_shared(rng),
        base_target: span(rng),
        hop: span(rng),
        fs_range: span(rng),
        fs_min: millionths(fs_min),
        fs_max: millionths(fs_max),
    }
}

/// LSwift with any parameters.
fn any_lswift(rng: &mut Rng) -> lswift::Params {
    lswift::Params {
        shared: any_shared(rng),
        streak: one(rng, &[1, 2, 5, 1_000_000]),
        excess: one(rng, &[Excess::Rtt, Excess::Queueing]),
    }
}

/// The controller with its defaults, or with any parameters if it is one that adapts.
fn drawn(row: &ControllerRow, rng: &mut Rng) -> Controller {
    let controller = row.usual();
    if rng.below(2) == 0 {
        return controller;
    }
    match controller {
        Controller::Nscc(_) => Controller::Nscc(any_nscc(rng)),
        Controller::Mnscc(_) => Controller::Mnscc(mnscc::Params {
            nscc: any_nscc(rng),
            median_packets: one(rng, &[1, 2, 4, 64]),
        }),
        Controller::Swift(_) => Controller::Swift(any_swift(rng)),
        Controller::Lswift(_) => Controller::Lswift(any_lswift(rng)),
        Controller::Mswift(_) => Controller::Mswift(mswift::Params {
            lswift: any_lswift(rng),
            median_packets: one(rng, &[1, 2, 64, 4096]),
            percentile: one(rng, &[0, 10, 50, 90, 100]),
            even_median: one(rng, &[mswift::Between::Mean, mswift::Between::Lower]),
        }),
        Controller::Dctcp(_) => Controller::Dctcp(any_dctcp(rng)),
        Controller::DctcpStock(_) => Controller::DctcpStock(dctcp_stock::Params {
            gain: ratio(rng, 1),
            initial_window_packets: one(rng, &[1, 10, 1_000_000]),
            ssthresh_packets: one(rng, &[1, 100, 1_000_000]),
            max_window_packets: one(rng, &[None, Some(1), Some(100), Some(1_000_000)]),
            cut_without_marks: rng.below(2) == 0,
        }),
        other => other,
    }
}

/// DCTCP with any parameters.
fn any_dctcp(rng: &mut Rng) -> dctcp::Params {
    let packets = [None, Some(1), Some(100), Some(1_000_000)];
    dctcp::Params {
        gain: ratio(rng, 1),
        initial_window_bdp: ratio(rng, 1000),
        initial_window_packets: one(rng, &packets),
        ssthresh_packets: one(rng, &packets),
        max_window_packets: one(rng, &packets),
        cut_without_marks: rng.below(2) == 0,
    }
}

/// The bounds of the window after any call.
fn bounds(controller: &Controller, env: &CcEnv) -> (u64, u64) {
    let first = controller.build(env).window();
    let params = match controller {
        Controller::None(_) | Controller::FixedWindow(_) => return (first, first),
        Controller::Nscc(params) => params,
        Controller::Mnscc(params) => &params.nscc,
        Controller::Swift(swift::Params { shared, .. })
        | Controller::Lswift(lswift::Params { shared, .. })
        | Controller::Mswift(mswift::Params {
            lswift: lswift::Params { shared, .. },
            ..
        }) => return swift_bounds(shared, env),
        Controller::Dctcp(dctcp::Params {
            max_window_packets, ..
        })
        | Controller::DctcpStock(dctcp_stock::Params {
            max_window_packets, ..
        }) => {
            let frame = u64::from(env.frame_bytes);
            let most = max_window_packets.map(|packets| packets * frame);
            return (frame, most.unwrap_or(u64::MAX));
        }
    };
    let frame = u64::from(env.frame_bytes);
    let low = params.min_window_packets * frame;
    let rtt = match params.base_rtt {
        nscc::BaseRtt::Network => env.base_rtt,
        nscc::BaseRtt::Path => env.path_rtt,
    };
    let bdp = u128::from(bdp(rtt.0, env.rate.bits_per_sec()));
    let (num, den) = (params.max_window_bdp.num, params.max_window_bdp.den);
    let high = bdp * u128::from(num) / u128::from(den);
    let high = u64::try_from(high).unwrap_or(u64::MAX);
    assert!(
        low >= frame,
        "something can be sent when nothing is in flight"
    );
    (low, high.max(low).max(first))
}

/// Those of Swift and its relatives.
fn swift_bounds(shared: &Shared, env: &CcEnv) -> (u64, u64) {
    let frame = u64::from(env.frame_bytes);
    let first = shared.initial_window_packets.map(|packets| packets * frame);
    let most = match shared.max_window_packets {
        Some(packets) => packets * frame,
        // Doubles of such numbers are exact, or so large that they are 2^64 - 1.
        None => (1000 * frame).max((2.0 * env.bdp_bytes as f64) as u64),
    };
    (frame, most.max(first.unwrap_or(0)))
}

/// Tells `controls` of anything at `now`; whether it was an ACK.
fn tell(controls: &mut [Control], env: &CcEnv, now: Time, rng: &mut Rng) -> bool {
    let rtt = match rng.below(4) {
        0 => any(rng, 62),
        _ => env.base_rtt.0.saturating_add(any(rng, 26)),
    };
    let in_flight = any(rng, 40);
    let bytes = rng.below(env.frame_bytes + 1);
    let cause = one(rng, &[LossCause::Nack, LossCause::Reordering]);
    let ack = AckInfo {
        now,
        psn: rng.bits(),
        acked_bytes: one(
            rng,
            &[0, u64::from(bytes), env.frame_bytes.into(), in_flight],
        ),
        acked_packets: rng.below(9),
        marked: rng.below(3) == 0,
        rtt: (rng.below(5) > 0).then_some(Span(rtt)),
        probe: rng.below(9) == 0,
        advanced: rng.below(2) == 0,
        recovery: one(rng, &[Recovery::None, Recovery::Ongoing, Recovery::Ended]),
        out_of_order: rng.below(100),
        in_flight,
        all_sent: rng.below(2) == 0,
    };
    let loss = LossInfo {
        now,
        psn: ack.psn,
        bytes,
        cause,
        rtt: (cause == LossCause::Nack).then_some(Span(rtt)),
        in_flight,
        next_psn: rng.bits(),
    };
    let timeout = TimeoutInfo {
        now,
        psn: ack.psn,
        bytes: one(rng, &[bytes, u32::MAX]),
        in_a_row: rng.below(9),
        in_flight,
        next_psn: loss.next_psn,
    };
    let what = rng.below(12);
    for control in controls {
        match what {
            0 | 1 => control.on_loss(&loss),
            2 => control.on_timeout(&timeout),
            _ => control.on_ack(&ack),
        }
    }
    what > 2
}

#[test]
fn windows_stay_in_bounds_and_follow_from_what_was_told() {
    let mut seen = std::collections::BTreeSet::new();
    for case in 0..4000 {
        let rng = &mut Rng::stream(case, Domain::SwitchPick, 0);
        let env = env(rng);
        let row = &CONTROLLERS[(case % CONTROLLERS.len() as u64) as usize];
        let controller = drawn(row, rng);
        let (low, high) = bounds(&controller, &env);
        let mut controls = [controller.build(&env), controller.build(&env)];
        let step = one(rng, &[20, 30, 55]);
        let mut now = Time(any(rng, 55));
        for _ in 0..OPERATIONS {
            let is_ack = tell(&mut controls, &env, now, rng);
            let window = controls[0].window();
            assert!(
                (low..=high).contains(&window),
                "case {case}: {window} of {low} to {high}: {controller:?}, {env:?}"
            );
            assert_eq!(window, controls[1].window(), "case {case}");
            assert_eq!(controls[0].pacing(), controls[1].pacing(), "case {case}");
            // A pace takes the place of a window below a frame.
            let is_paced = controls[0].pacing() > Span::ZERO;
            assert!(
                !is_paced || window == u64::from(env.frame_bytes),
                "case {case}"
            );
            let decision = controls[0].decision();
            let adapts = !matches!(controller, Controller::None(_) | Controller::FixedWindow(_));
            assert!(!(decision.is_empty() && is_ack && adapts), "case {case}");
            seen.insert(decision);
            // Several things may happen at one instant.
            let later = any(rng, step);
            now = Time(now.0.saturating_add(one(rng, &[0, later])));
        }
    }
    // All that NSCC can do has been done: 16 decisions, and none; and three of Swift's and six of DCTCP's that NSCC does not have.
    assert_eq!(seen.len(), 26, "{seen:?}");
}

#[test]
fn the_defaults_are_those_that_users_read() {
    for row in CONTROLLERS {
        let keys = (row.keys)();
        let params = keys.iter().map(|key| {
            format!(
                "\"{}\": {}",
                key.name,
                key.default_json().expect("a parameter has a default")
            )
        });
        let text = format!("{{{}}}", params.collect::<Vec<_>>().join(", "));
        assert_eq!(testing::read_by(row.read, &text), (row.usual(), vec![]));
    }
    let defaults = [
        Controller::Nscc(nscc::Params::default()),
        Controller::Mnscc(mnscc::Params::default()),
        Controller::Swift(swift::Params::default()),
        Controller::Lswift(lswift::Params::default()),
        Controller::Mswift(mswift::Params::default()),
        Controller::Dctcp(dctcp::Params::default()),
        Controller::DctcpStock(dctcp_stock::Params::default()),
    ];
    let of_rows: Vec<_> = CONTROLLERS.iter().map(ControllerRow::usual).collect();
    assert_eq!(of_rows[2..], defaults);
}

#[test]
fn a_connection_holds_a_word_of_its_controller_or_two() {
    assert!(size_of::<Control>() <= 16);
}

#[test]
fn names_are_unique_and_each_controller_is_explained_in_a_sentence() {
    let names: Vec<_> = CONTROLLERS.iter().map(|row| row.name).collect();
    let expected = [
        "none",
        "fixed_window",
        "nscc",
        "mnscc",
        "swift",
        "lswift",
        "mswift",
        "dctcp",
        "dctcp_stock",
    ];
    assert_eq!(names, expected);
    for row in CONTROLLERS {
        assert!(row.about.ends_with('.'), "{}", row.name);
        assert_eq!(row.usual().name(), row.name);
    }
}
