//! The parameters of controllers that adapt: what they become, and what is refused.

use super::effective::holds;
use super::{Folder, SMALL, errors, plan};
use crate::cc::{Controller, lswift, mnscc, mswift, nscc, swift};
use crate::units::{Ratio, Span};

const REPEAT: &str = "transport.kind=selective_repeat";
const NSCC: &str = "congestion_control.scheme=nscc";
const MNSCC: &str = "congestion_control.scheme=mnscc";
const SWIFT: &str = "congestion_control.scheme=swift";
const LSWIFT: &str = "congestion_control.scheme=lswift";
const MSWIFT: &str = "congestion_control.scheme=mswift";

fn controller(sets: &[&str]) -> Controller {
    let scenario = &plan(SMALL, sets).points[0].scenario;
    scenario.congestion_control.controller
}

/// The errors, from the path on, of the small scenario with a transport and these settings of the controller.
fn refused(scheme: &str, key: &str) -> Vec<String> {
    let key = format!("congestion_control.{key}");
    let cut = |line: String| {
        let at = line.find(": congestion_control.").map_or(0, |at| at + 2);
        line[at..]
            .trim_start_matches("congestion_control.")
            .to_owned()
    };
    let found = errors(SMALL, &[REPEAT, scheme, &key]);
    found.into_iter().map(cut).collect()
}

#[test]
fn controllers_that_adapt_have_the_defaults_of_uet_htsim() {
    let usual = nscc::Params::default();
    assert_eq!(controller(&[REPEAT, NSCC]), Controller::Nscc(usual));
    let usual = mnscc::Params::default();
    assert_eq!(controller(&[REPEAT, MNSCC]), Controller::Mnscc(usual));
}

#[test]
fn swift_and_its_relatives_have_their_defaults() {
    for (scheme, expected) in [
        (SWIFT, Controller::Swift(swift::Params::default())),
        (LSWIFT, Controller::Lswift(lswift::Params::default())),
        (MSWIFT, Controller::Mswift(mswift::Params::default())),
    ] {
        assert_eq!(controller(&[REPEAT, scheme]), expected);
    }
}

#[test]
fn mswift_takes_the_parameters_of_lswift() {
    let sets = [
        REPEAT,
        MSWIFT,
        "congestion_control.target_us=2",
        "congestion_control.streak=3",
        "congestion_control.excess=queueing",
        "congestion_control.percentile=90",
        "congestion_control.even_median=lower",
        "congestion_control.median_packets=64",
    ];
    let usual = lswift::Params::default();
    let expected = mswift::Params {
        lswift: lswift::Params {
            shared: swift::Shared {
                target: Span(2_000_000),
                ..usual.shared
            },
            streak: 3,
            excess: swift::Excess::Queueing,
        },
        median_packets: 64,
        percentile: 90,
        even_median: mswift::Between::Lower,
    };
    assert_eq!(controller(&sets), Controller::Mswift(expected));
}

#[test]
fn both_take_the_parameters_of_nscc() {
    let params = nscc::Params {
        target: Some(Span(1_000_000)),
        gamma: Ratio {
            num: 500_000,
            den: 1_000_000,
        },
        ..nscc::Params::default()
    };
    let with = |scheme: &'static str, more: &[&'static str]| {
        let shared = [
            REPEAT,
            scheme,
            "congestion_control.target_us=1",
            "congestion_control.gamma=0.5",
        ];
        controller(&[&shared[..], more].concat())
    };
    assert_eq!(with(NSCC, &[]), Controller::Nscc(params));
    let median = "congestion_control.median_packets=16";
    let expected = mnscc::Params {
        nscc: params,
        median_packets: 16,
    };
    assert_eq!(with(MNSCC, &[median]), Controller::Mnscc(expected));
}

#[test]
fn parameters_that_make_no_sense_are_refused_in_words() {
    for (scheme, key, told) in [
        (
            NSCC,
            "target_us=-1",
            "target_us: -1 is negative; allowed: null, or microseconds from 0 to 1000000, down to a whole picosecond",
        ),
        (
            NSCC,
            "max_decrease=1.5",
            "max_decrease: 1.5 is out of range; allowed: a number from 0 to 1, down to a millionth",
        ),
        (
            NSCC,
            "reference_gbps=0",
            "reference_gbps: 0 is out of range; allowed: Gb/s from 0.000000001 to 100000, down to a whole bit/s",
        ),
        (
            NSCC,
            "base_rtt=pth",
            "base_rtt: unknown base_rtt \"pth\"; allowed: network, path; did you mean \"path\"?",
        ),
        (
            MNSCC,
            "median_packets=0",
            "median_packets: 0 is out of range; allowed: an integer from 1 to 64",
        ),
        (
            NSCC,
            "median_packets=2",
            "median_packets: belongs to schemes \"mnscc\", \"mswift\"; this is scheme \"nscc\"",
        ),
        (
            "congestion_control.scheme=fixed_window",
            "target_us=1",
            "target_us: belongs to schemes \"nscc\", \"mnscc\", \"swift\", \"lswift\", \"mswift\"; this is scheme \"fixed_window\"",
        ),
        (
            LSWIFT,
            "fs_range_us=1",
            "fs_range_us: belongs to scheme \"swift\"; this is scheme \"lswift\"",
        ),
        (
            SWIFT,
            "min_window_packets=2",
            "min_window_packets: 2 is out of range; allowed: a number from 0.001 to 1, down to a millionth",
        ),
        (
            SWIFT,
            "fs_max_packets=0.1",
            "fs_min_packets: 0.1 is not below fs_max_packets, which is 0.1; allowed: less than that",
        ),
        (
            MSWIFT,
            "percentile=101",
            "percentile: 101 is out of range; allowed: an integer from 0 to 100",
        ),
        (
            MNSCC,
            "window_bdp=1",
            "window_bdp: belongs to scheme \"fixed_window\"; this is scheme \"mnscc\"",
        ),
    ] {
        assert_eq!(refused(scheme, key), [told]);
    }
    let small = [
        REPEAT,
        NSCC,
        "congestion_control.min_window_packets=4",
        "congestion_control.initial_window_packets=3",
    ];
    let found = errors(SMALL, &small);
    assert_eq!(found.len(), 1, "{found:?}");
    let told = "congestion_control.initial_window_packets: 3 is below min_window_packets, which is 4; allowed: at least that";
    assert!(found[0].ends_with(told), "{found:?}");
    let found = errors(SMALL, &[NSCC]);
    assert!(
        found[0].contains("\"nscc\" counts what is in flight, which takes a transport.kind"),
        "{found:?}"
    );
}

#[test]
fn their_effective_scenario_reads_back_as_it_is() {
    let sweep = r#"sweep={"congestion_control.scheme": ["nscc", "mnscc", "swift", "lswift", "mswift", "fixed_window"], "congestion_control.load": [1, 0.5]}"#;
    let folder = Folder::new(&[("x.json", SMALL)]);
    let text = holds(&folder, "x.json", &[REPEAT, sweep], "out");
    assert!(text.contains("\"delay_gain\": 0.0125"), "{text}");
}
