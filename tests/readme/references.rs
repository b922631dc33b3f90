//! Reference results: rows of a `summary.csv` under `scenarios/reference`, and whether the program still gives them.

use std::collections::BTreeSet;
use std::process::Command;

use crate::{BINARY, assert_done, read, root, text};

/// The rows of a CSV, each as a look-up of its columns.
pub(super) fn rows(csv: &str) -> Vec<impl Fn(&str) -> String> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let rows = reader.records().map(|row| row.expect("a whole row"));
    let look_up = |row: csv::StringRecord| {
        let header = header.clone();
        move |name: &str| {
            let at = header.iter().position(|column| column == name);
            row[at.unwrap_or_else(|| panic!("no column {name}"))].to_owned()
        }
    };
    rows.map(look_up).collect()
}

/// `run` with `arguments`, which take a part of what gave the reference at `path`, gives `count` rows of it.
pub(super) fn holds(path: &str, arguments: &[&str], count: usize) {
    let mut command = Command::new(BINARY);
    command.args(["run", "--csv", "-q"]).args(arguments);
    let output = command.current_dir(root()).output();
    let output = output.expect("the binary runs");
    assert_done(&output);
    let reference = read(path);
    let known: BTreeSet<&str> = reference.lines().collect();
    let lines: Vec<&str> = text(&output.stdout).lines().collect();
    assert_eq!(lines.len(), 1 + count, "{path}");
    assert_eq!(lines.first(), reference.lines().next().as_ref());
    for line in lines {
        assert!(known.contains(line), "not in {path}: {line}");
    }
}

/// The mean of numbers, and its standard error.
pub(super) fn estimate(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

/// The numbers that column `column` has in those rows of the reference at `path` of which each of `point` (column, cell) is true.
pub(super) fn numbers(path: &str, point: &[(&str, &str)], column: &str) -> Vec<f64> {
    let reference = read(path);
    let rows = rows(&reference).into_iter();
    let here = rows.filter(|row| point.iter().all(|(name, cell)| row(name) == *cell));
    here.map(|row| row(column).parse().expect("a number"))
        .collect()
}
