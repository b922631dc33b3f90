//! The eight cases agree as distributions, and the committed table holds the numbers.

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::cases::{CASES, Case, SEEDS, root};
use crate::runs::{COUNTS, Estimate, Run, STATISTICS, ours, theirs};

/// Held while the table is rewritten.
static TABLE: Mutex<()> = Mutex::new(());

fn table() -> PathBuf {
    root().join("scenarios/reference/uet/agreement.csv")
}

/// Every column of the table after `case`: its name, and what it says of a case (of their runs it may say nothing, as they may
/// not be here).
fn row(theirs: Option<&[Run]>, ours: &[Run]) -> Vec<(String, Option<String>)> {
    let seeds = |runs: &[Run]| runs.len().to_string();
    let mut cells = vec![
        ("reference_seeds".to_owned(), theirs.map(seeds)),
        ("seeds".to_owned(), Some(seeds(ours))),
    ];
    let mut add = |what: &str, unit: &str, digits: usize, value: &dyn Fn(&Run) -> f64| {
        let known = theirs.map(|runs| Estimate::of(runs, value));
        let found = Estimate::of(ours, value);
        let number = |number: f64| format!("{number:.digits$}");
        let difference = known.map(|known| percent(known.mean, found.mean));
        let error = found.error.map_or_else(String::new, number);
        cells.extend([
            (
                format!("reference_{what}{unit}"),
                known.map(|known| number(known.mean)),
            ),
            (format!("{what}{unit}"), Some(number(found.mean))),
            (format!("{what}_se{unit}"), Some(error)),
            (format!("{what}_difference_pct"), difference),
        ]);
    };
    for (what, statistic, _) in STATISTICS {
        add(what, "_us", 3, &|run| statistic(&run.fcts));
    }
    for (at, what) in COUNTS.into_iter().enumerate() {
        add(what, "", 1, &|run| run.counts[at] as f64);
    }
    cells
}

/// By how many percent ours differs; empty if both are 0.
fn percent(theirs: f64, ours: f64) -> String {
    if theirs == 0.0 && ours == 0.0 {
        return String::new();
    }
    let text = format!("{:.2}", 100.0 * (ours / theirs - 1.0));
    if text == "-0.00" {
        "0.00".to_owned()
    } else {
        text
    }
}

/// What of a case's distributions is further away than it may be.
fn disagreements(theirs: &[Run], ours: &[Run]) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: &str, known: f64, allowed: f64, mean: f64| {
        if (mean - known).abs() > allowed {
            found.push(format!("{what}: {known} there, {mean} here"));
        }
    };
    for (what, statistic, fraction) in STATISTICS {
        let of = |runs| Estimate::of(runs, |run: &Run| statistic(&run.fcts));
        let (known, mean) = (of(theirs), of(ours).mean);
        let spread = known.error.map_or(0.0, |error| 2.0 * error);
        compare(what, known.mean, spread.max(fraction * known.mean), mean);
    }
    for (at, what) in COUNTS.into_iter().enumerate() {
        let of = |runs| Estimate::of(runs, |run: &Run| run.counts[at] as f64).mean;
        compare(what, of(theirs), 0.1 * of(theirs), of(ours));
    }
    found
}

/// Replace or add the case's line.
fn write(case: &Case, cells: &[(String, Option<String>)]) {
    let _guard = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    let old = fs::read_to_string(table()).unwrap_or_default();
    let names: Vec<&str> = cells.iter().map(|(name, _)| name.as_str()).collect();
    let mut text = format!("case,{}\n", names.join(","));
    for any in &CASES {
        let start = format!("{},", any.name);
        if any.name == case.name {
            let cell = |(name, cell): &(String, Option<String>)| {
                let missing = || panic!("{name}: uet-htsim's runs are needed for an update");
                cell.clone().unwrap_or_else(missing)
            };
            let cells: Vec<String> = cells.iter().map(cell).collect();
            text += &format!("{start}{}\n", cells.join(","));
        } else if let Some(line) = old.lines().find(|line| line.starts_with(&start)) {
            text += &format!("{line}\n");
        }
    }
    fs::write(table(), text).expect("the table can be written");
}

/// The committed line says what `cells` say.
fn hold(case: &Case, cells: &[(String, Option<String>)]) {
    let guard = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    let text = fs::read_to_string(table()).expect("the table is committed");
    drop(guard);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let names = std::iter::once("case").chain(cells.iter().map(|(name, _)| name.as_str()));
    assert!(names.eq(&header), "columns: {header:?}");
    let mut rows = reader.records().map(|row| row.expect("a whole row"));
    let row = rows.find(|row| &row[0] == case.name);
    let row = row.unwrap_or_else(|| panic!("no line {}", case.name));
    for ((name, cell), committed) in std::iter::zip(cells, row.iter().skip(1)) {
        if let Some(cell) = cell {
            assert_eq!(
                (name.as_str(), committed),
                (name.as_str(), cell.as_str()),
                "{}; UPDATE_README=1 cargo test --test reference rewrites the table",
                case.name
            );
        }
    }
}

/// The case agrees with uet-htsim's runs, and with the committed line.
fn agrees(name: &str) {
    let case = Case::of(name);
    let is_update = std::env::var_os("UPDATE_README").is_some();
    let seeds = if is_update { SEEDS } else { case.seeds };
    let Some(ours) = ours(case, seeds) else {
        return;
    };
    let theirs = theirs(case);
    if let Some(theirs) = &theirs {
        let found = disagreements(theirs, &ours);
        assert!(found.is_empty(), "{name}: {}", found.join("; "));
    }
    let cells = row(theirs.as_deref(), &ours);
    if is_update {
        write(case, &cells);
    }
    if seeds == SEEDS {
        hold(case, &cells);
    }
}

#[test]
fn a_lone_flow_agrees() {
    agrees("one_100g");
}

#[test]
fn two_flows_in_opposite_directions_agree() {
    agrees("bidir_100g");
}

#[test]
fn an_incast_of_15_hosts_agrees() {
    agrees("incast16_nscc");
}

#[test]
fn an_incast_of_127_hosts_agrees() {
    agrees("incast128_nscc");
}

#[test]
fn a_permutation_on_an_oversubscribed_leaf_spine_agrees() {
    agrees("perm32_leafspine_nscc_oblivious");
}

#[test]
fn a_permutation_of_432_hosts_sprayed_obliviously_agrees() {
    agrees("perm432_1MiB_nscc_oblivious_trim");
}

#[test]
fn a_permutation_of_432_hosts_under_reps_agrees() {
    agrees("perm432_1MiB_nscc_reps_trim");
}

#[test]
fn a_permutation_of_432_hosts_with_an_ack_for_every_packet_agrees() {
    agrees("perm432_4MiB_nscc_reps_perpktack");
}

#[test]
fn the_table_has_all_cases_in_order() {
    let _guard = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    let text = fs::read_to_string(table()).expect("the table is committed");
    let names = text
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').next());
    assert!(names.eq(CASES.iter().map(|case| case.name)));
}
