//! What the README says of targets and mice follows from the reference result, and that from the scenario.

use std::collections::BTreeSet;
use std::process::Command;

use crate::profiles::rows;
use crate::{BINARY, assert_done, code, hold, read, root, table, text};

const REFERENCE: &str = "scenarios/reference/target_sweep/summary.csv";
const CONTROLLERS: [&str; 2] = ["lswift", "mswift"];
const SCHEMES: [&str; 3] = ["rps", "reps", "ofan"];
const TARGETS: [&str; 5] = ["0.25", "0.5", "1", "2", "4"];

#[test]
fn the_reference_of_the_target_sweep_is_what_it_gives() {
    // One seed of one scheme stands for all.
    let mut command = Command::new(BINARY);
    command.args(["run", "scenarios/target_sweep.json", "--csv", "-q"]);
    command.args(["--repeats=1", "--set", "load_balancing.scheme=ofan"]);
    let output = command.current_dir(root()).output();
    let output = output.expect("the binary runs");
    assert_done(&output);
    let reference = read(REFERENCE);
    let known: BTreeSet<&str> = reference.lines().collect();
    let lines: Vec<&str> = text(&output.stdout).lines().collect();
    assert_eq!(lines.len(), 1 + 2 * 5);
    for line in lines {
        assert!(known.contains(line), "not in the reference: {line}");
    }
}

/// The mean of a column over the three seeds of a point, and its standard error.
fn estimate(point: (&str, &str, &str), column: &str) -> (f64, f64) {
    let reference = read(REFERENCE);
    let here = rows(&reference).into_iter().filter(|row| {
        let target = row("congestion_control.target_us");
        (row("cca").as_str(), row("scheme").as_str(), target.as_str()) == point
    });
    let values: Vec<f64> = here
        .map(|row| row(column).parse().expect("a number"))
        .collect();
    assert_eq!(values.len(), 3, "{point:?}");
    let mean = values.iter().sum::<f64>() / 3.0;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / 2.0 / 3.0).sqrt())
}

#[test]
fn the_table_of_the_target_sweep_is_that_of_its_reference() {
    let line = |(controller, target): (&str, &str)| {
        let of = |column: &'static str, scale: f64, digits: usize| {
            SCHEMES.map(|scheme| {
                let (mean, error) = estimate((controller, scheme, target), column);
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
        estimate(point, "cct_increase_pct").0
    };
    let mice = |controller, scheme, target| {
        let point = (controller, scheme, target);
        estimate(point, "mice_fct_p99_ps").0 / 1e6
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
            assert!(estimate(("lswift", "rps", target), column).0 <= most);
        }
    }
}
