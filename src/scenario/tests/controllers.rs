//! The parameters of controllers that adapt: what they become, and what is refused.

use super::effective::holds;
use super::{Folder, SMALL, errors, plan};
use crate::cc::{Controller, mnscc, nscc};
use crate::units::{Ratio, Span};

const REPEAT: &str = "transport.kind=selective_repeat";
const NSCC: &str = "congestion_control.scheme=nscc";
const MNSCC: &str = "congestion_control.scheme=mnscc";

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
            "median_packets: belongs to scheme \"mnscc\"; this is scheme \"nscc\"",
        ),
        (
            "congestion_control.scheme=fixed_window",
            "target_us=1",
            "target_us: belongs to schemes \"nscc\", \"mnscc\"; this is scheme \"fixed_window\"",
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
    let sweep = r#"sweep={"congestion_control.scheme": ["nscc", "mnscc", "fixed_window"], "congestion_control.load": [1, 0.5]}"#;
    let folder = Folder::new(&[("x.json", SMALL)]);
    let text = holds(&folder, "x.json", &[REPEAT, sweep], "out");
    assert!(text.contains("\"delay_gain\": 0.0125"), "{text}");
}
