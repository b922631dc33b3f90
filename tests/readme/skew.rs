//! What the README says of clock skew follows from the reference result, and that from the scenario.

use crate::references::holds;
use crate::{read, readme};

const REFERENCE: &str = "scenarios/reference/skew/summary.csv";

/// The column `name` of a row of `csv`.
fn cell<'a>(header: &str, row: &'a str, name: &str) -> &'a str {
    let at = header.split(',').position(|column| column == name);
    let cell = row.split(',').nth(at.expect("a column"));
    cell.expect("a row has every column")
}

#[test]
fn the_reference_of_the_skew_scenario_is_what_it_gives() {
    // Its shortest message and two seeds stand for all: the whole takes minutes.
    let part = [
        "scenarios/skew.json",
        "--repeats=2",
        "--set",
        "workload.message_bytes=262144",
    ];
    holds(REFERENCE, &part, 2 * 4 * 2);
}

#[test]
fn the_readme_tells_the_largest_queues_of_the_skew_scenario() {
    let reference = read(REFERENCE);
    let (header, rows) = reference.split_once('\n').expect("a header");
    let largest = |scheme: &str, ppm: &str, bytes: &str| {
        let of_point = rows.lines().filter(|row| {
            cell(header, row, "scheme") == scheme
                && cell(header, row, "imperfection.clock_skew_ppm") == ppm
                && cell(header, row, "message_bytes") == bytes
        });
        let cells = of_point.map(|row| cell(header, row, "queue_max_packets").parse::<f64>());
        let cells: Vec<f64> = cells.map(|cell| cell.expect("a number")).collect();
        assert_eq!(cells.len(), 10, "{scheme}, {ppm} ppm, {bytes} B");
        cells.iter().sum::<f64>() / 10.0
    };
    let (small, large) = ("4194304", "16777216");
    for scheme in ["simple_rr", "jsq"] {
        for bytes in ["262144", "1048576", small, large] {
            let kept = largest(scheme, "10", bytes) / largest(scheme, "0", bytes);
            assert!((0.92..1.01).contains(&kept), "{scheme}, {bytes} B: {kept}");
        }
    }
    let lost = |scheme| 100.0 * (1.0 - largest(scheme, "100", large) / largest(scheme, "0", large));
    let growth = |scheme| largest(scheme, "100", large) / largest(scheme, "100", small);
    let told = format!(
        "{:.0} % (`jsq`) or {:.0} % (`simple_rr`) smaller than with perfect clocks and still {:.1} or {:.1} times that of 4 MiB",
        lost("jsq"),
        lost("simple_rr"),
        growth("jsq"),
        growth("simple_rr")
    );
    let readme = readme();
    let words: Vec<&str> = readme.split_whitespace().collect();
    assert!(
        words.join(" ").contains(&told),
        "the README should say: {told}"
    );
}
