//! What the README says of targets and mice follows from the reference result, and that from the scenario.

use crate::references::{estimate, holds, numbers};
use crate::{code, hold, table};

const REFERENCE: &str = "scenarios/reference/target_sweep/summary.csv";
const CONTROLLERS: [&str; 2] = ["lswift", "mswift"];
const SCHEMES: [&str; 3] = ["rps", "reps", "ofan"];
const TARGETS: [&str; 5] = ["0.25", "0.5", "1", "2", "4"];

#[test]
fn the_reference_of_the_target_sweep_is_what_it_gives() {
    // One seed of one scheme stands for all.
    let part = [
        "scenarios/target_sweep.json",
        "--repeats=1",
        "--set",
        "load_balancing.scheme=ofan",
    ];
    holds(REFERENCE, &part, 2 * 5);
}

/// The mean of a column over the three seeds of a point, and its standard error.
fn of_point((controller, scheme, target): (&str, &str, &str), column: &str) -> (f64, f64) {
    let point = [
        ("cca", controller),
        ("scheme", scheme),
        ("congestion_control.target_us", target),
    ];
    let values = numbers(REFERENCE, &point, column);
    assert_eq!(values.len(), 3, "{point:?}");
    estimate(&values)
}

#[test]
fn the_table_of_the_target_sweep_is_that_of_its_reference() {
    let line = |(controller, target): (&str, &str)| {
        let of = |column: &'static str, scale: f64, digits: usize| {
            SCHEMES.map(|scheme| {
                let (mean, error) = of_point((controller, scheme, target), column);
                let (mean, error) = (mean / scale, error / scale);
                format!("{mean:.digits$} ± {error:.digits$}")
            })
        };
        let above = of("cct_increase_pct", 1.0, 1);
        let mice = of("mice_fct_p99_ps", 1e6, 2);
        let point = [code(controller), target.to_owned()];
        [&point[..], &above, &mice].concat()
    };
    let points = CONTROLLERS
        .iter()
        .flat_map(|controller| TARGETS.map(|target| (*controller, target)));
    let head = [
        "controller",
        "target, µs",
        "CCT above the bound, %: `rps`",
        "`reps`",
        "`ofan`",
        "mice, µs: `rps`",
        "`reps`",
        "`ofan`",
    ];
    hold("target sweep", &table(&head, points.map(line)));
}

#[test]
fn what_the_readme_says_of_the_target_sweep_is_so() {
    let increase = |controller, scheme, target| {
        let point = (controller, scheme, target);
        of_point(point, "cct_increase_pct").0
    };
    let mice = |controller, scheme, target| {
        let point = (controller, scheme, target);
        of_point(point, "mice_fct_p99_ps").0 / 1e6
    };
    for controller in CONTROLLERS {
        for scheme in ["rps", "reps"] {
            for target in TARGETS {
                assert!(increase(controller, "ofan", "0.5") < increase(controller, scheme, target));
                assert!(mice(controller, "ofan", "4") < mice(controller, scheme, target));
            }
        }
        for (scheme, enough) in [("rps", "2"), ("reps", "2"), ("ofan", "1")] {
            let free = increase(controller, scheme, "4");
            let at = |target| increase(controller, scheme, target) - free;
            // LSwift takes five late packets in a row for a queue, which chance brings at times.
            assert!(at(enough) < 1.3, "{controller}, {scheme}: {}", at(enough));
            assert!(at("0.5") > 6.0, "{controller}, {scheme}: {}", at("0.5"));
        }
    }
    for (column, most) in [
        ("dropped_packets", 0.0),
        ("retransmitted_packets", 0.0),
        ("timeouts", 0.0),
    ] {
        for target in TARGETS {
            assert!(of_point(("lswift", "rps", target), column).0 <= most);
        }
    }
}
