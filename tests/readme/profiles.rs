//! What the README says of profiles follows from their reference results, and those from the program.
//!
//! `tests/reference.rs` holds `agreement.csv` to the program and to uet-htsim's runs.

use crate::references::{estimate, holds, rows};
use crate::{code, hold, read, table};

const FORK: &str = "scenarios/reference/fork/summary.csv";

/// What each case of the agreement is.
const CASES: [(&str, &str); 8] = [
    ("one_100g", "one flow, 16 hosts, `mixed`"),
    ("bidir_100g", "two flows in opposite directions, `mixed`"),
    ("incast16_nscc", "15 to 1, oblivious"),
    ("incast128_nscc", "127 to 1, oblivious"),
    (
        "perm32_leafspine_nscc_oblivious",
        "permutation, 32 hosts, 4:1 leaf-spine, oblivious",
    ),
    (
        "perm432_1MiB_nscc_oblivious_trim",
        "permutation, 432 hosts, 800 Gb/s, 1 MiB, oblivious",
    ),
    ("perm432_1MiB_nscc_reps_trim", "the same, `reps`"),
    (
        "perm432_4MiB_nscc_reps_perpktack",
        "4 MiB, `reps`, an ACK a packet",
    ),
];

/// A percentage with its sign and two digits; a dash where there is none.
fn percent(cell: &str) -> String {
    let number = |cell: &str| cell.parse::<f64>().expect("a number");
    match cell {
        "" => "–".to_owned(),
        "0.00" => "0".to_owned(),
        cell => format!("{:+.2}", number(cell)),
    }
}

/// A count without decimals.
fn count(cell: &str) -> String {
    let number: f64 = cell.parse().expect("a number");
    format!("{number:.0}")
}

#[test]
fn the_table_of_agreement_is_that_of_its_csv() {
    let agreement = read("scenarios/reference/uet/agreement.csv");
    let agreement = rows(&agreement);
    assert_eq!(agreement.len(), CASES.len());
    let line = |(row, (case, what)): (_, (&str, &str))| {
        let cell: &dyn Fn(&str) -> String = row;
        assert_eq!(cell("case"), case);
        let both = |name: &str| {
            let reference = count(&cell(&format!("reference_{name}")));
            format!("{reference} / {}", count(&cell(name)))
        };
        vec![
            what.to_owned(),
            format!("{} / {}", cell("reference_seeds"), cell("seeds")),
            cell("reference_mean_fct_us"),
            format!("{} ± {}", cell("mean_fct_us"), cell("mean_fct_se_us")),
            percent(&cell("mean_fct_difference_pct")),
            percent(&cell("median_fct_difference_pct")),
            percent(&cell("max_fct_difference_pct")),
            both("retransmissions"),
            both("acks"),
        ]
    };
    let cells = agreement.iter().map(|row| row as &dyn Fn(&str) -> String);
    let head = [
        "case",
        "seeds, there / here",
        "mean FCT there, µs",
        "here",
        "mean, %",
        "median, %",
        "largest, %",
        "retransmissions, there / here",
        "ACKs, there / here",
    ];
    hold(
        "agreement",
        &table(&head, std::iter::zip(cells, CASES).map(line)),
    );
}

#[test]
fn the_reference_of_the_fork_scenario_is_what_it_gives() {
    // One seed of each point stands for all.
    let part = ["scenarios/fork_permutation.json", "--repeats=1"];
    holds(FORK, &part, 2 * 5);
}

#[test]
fn the_table_of_the_fork_scenario_is_that_of_its_reference() {
    let reference = read(FORK);
    let rows = rows(&reference);
    let cell = |scheme: &str, transport: &str| {
        let here = rows.iter().filter(|row| {
            row("scheme") == scheme && row("transport").contains(&format!("\"{transport}\""))
        });
        let here: Vec<_> = here.collect();
        assert_eq!(here.len(), 5, "{scheme}");
        let column = |name: &str, scale: f64| {
            let values = here.iter().map(|row| row(name).parse::<f64>());
            let values = values.map(|value| value.expect("a number") / scale);
            estimate(&values.collect::<Vec<f64>>())
        };
        let (cct, cct_error) = column("cct_ps", 1e6);
        let (above, above_error) = column("cct_increase_pct", 1.0);
        format!("{cct:.3} ± {cct_error:.3} ({above:.1} ± {above_error:.1})")
    };
    let line = |scheme: &str| {
        let cells = ["erasure", "none"].map(|transport| cell(scheme, transport));
        [&[code(scheme)], &cells[..]].concat()
    };
    let schemes = ["ar", "rps", "reps", "drb", "ofan"];
    let head = [
        "scheme",
        "any 256 packets: CCT, µs (above the bound, %)",
        "all packets",
    ];
    hold("fork", &table(&head, schemes.into_iter().map(line)));
}
