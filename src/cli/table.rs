//! The table that `run` prints: one line a point, mean and standard error over its runs.

use crate::experiment::Statistic;
use crate::report::SummaryRow;

/// Columns after those that tell points apart.
const COLUMNS: [&str; 9] = [
    "runs",
    "CCT us",
    "bound us",
    "CCT increase %",
    "utilization",
    "peak util.",
    "max queue pkts",
    "drops",
    "finished flows",
];

/// What the table keeps of the runs of one point.
#[derive(Debug, Default)]
pub(super) struct PointStatistics {
    runs: usize,
    cct_us: Vec<f64>,
    bound_us: Vec<f64>,
    increase_pct: Vec<f64>,
    utilization: Vec<f64>,
    peak: Vec<f64>,
    max_queue: Vec<f64>,
    drops: u64,
    flows: u64,
    finished: u64,
    /// Whether there were mice.
    mice: bool,
    mice_p50_us: Vec<f64>,
    mice_p99_us: Vec<f64>,
}

/// Columns after these, if some run has mice.
const MICE: [&str; 2] = ["mice p50 us", "mice p99 us"];

impl PointStatistics {
    /// Count one more run.
    pub(super) fn add(&mut self, row: &SummaryRow) {
        self.runs += 1;
        self.cct_us.extend(row.cct_ps.map(|ps| ps as f64 / 1e6));
        self.bound_us.push(row.lower_bound_ps as f64 / 1e6);
        self.increase_pct.extend(row.cct_increase_pct.0);
        self.utilization.extend(row.utilization_mean.0);
        self.peak.extend(row.utilization_peak.0);
        self.max_queue.push(row.queue_max_packets as f64);
        self.drops += row.dropped_packets;
        self.flows += row.flows;
        self.finished += row.finished_flows;
        self.mice |= row.mice > 0;
        let us = |ps: Option<u64>| ps.map(|ps| ps as f64 / 1e6);
        self.mice_p50_us.extend(us(row.mice_fct_p50_ps));
        self.mice_p99_us.extend(us(row.mice_fct_p99_ps));
    }

    fn of_mice(&self) -> [String; MICE.len()] {
        [&self.mice_p50_us, &self.mice_p99_us].map(|values| self.spread(values, 3))
    }

    fn cells(&self) -> [String; COLUMNS.len()] {
        [
            self.runs.to_string(),
            self.spread(&self.cct_us, 3),
            Statistic::of(&self.bound_us).map_or_else(dash, |bound| format!("{:.3}", bound.mean)),
            self.spread(&self.increase_pct, 3),
            self.spread(&self.utilization, 4),
            self.spread(&self.peak, 4),
            self.spread(&self.max_queue, 1),
            self.drops.to_string(),
            format!("{}/{}", self.finished, self.flows),
        ]
    }

    /// `mean ± SEM`, and over how many runs if some lack the value.
    fn spread(&self, values: &[f64], decimals: usize) -> String {
        let Some(statistic) = Statistic::of(values) else {
            return dash();
        };
        let mut text = format!("{:.decimals$}", statistic.mean);
        if let Some(sem) = statistic.sem {
            text.push_str(&format!(" ± {sem:.decimals$}"));
        }
        if statistic.count < self.runs {
            text.push_str(&format!(" (of {})", statistic.count));
        }
        text
    }
}

/// The table: `names` head the columns that tell points apart, each point has their values and its statistics.
pub(super) fn render(names: &[String], points: &[(Vec<String>, PointStatistics)]) -> String {
    let mice = if points.iter().any(|(_, statistics)| statistics.mice) {
        MICE.len()
    } else {
        0
    };
    let head = names.iter().cloned().chain(COLUMNS.map(str::to_owned));
    let head = head.chain(MICE.map(str::to_owned).into_iter().take(mice));
    let head = head.collect();
    let line = |(values, statistics): &(Vec<String>, PointStatistics)| {
        let cells = values.iter().cloned().chain(statistics.cells());
        cells
            .chain(statistics.of_mice().into_iter().take(mice))
            .collect()
    };
    let lines: Vec<Vec<String>> = std::iter::once(head)
        .chain(points.iter().map(line))
        .collect();
    aligned(&lines, names.len())
}

/// Columns padded to their widest cell, the first `left` of them to the left, two blanks apart.
pub(super) fn aligned(lines: &[Vec<String>], left: usize) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let cells = line.iter().zip(&widths).enumerate();
        let cells = cells.map(|(i, (cell, &width))| {
            if i < left {
                format!("{cell:<width$}")
            } else {
                format!("{cell:>width$}")
            }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn dash() -> String {
    "-".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Decimal;

    fn row(cct_us: Option<u64>, max_queue: u64) -> SummaryRow {
        SummaryRow {
            flows: 10,
            finished_flows: if cct_us.is_some() { 10 } else { 9 },
            cct_ps: cct_us.map(|us| us * 1_000_000),
            lower_bound_ps: 16_000_000,
            cct_increase_pct: Decimal(cct_us.map(|us| (us as f64 / 16.0 - 1.0) * 100.0)),
            utilization_peak: Decimal(Some(0.5)),
            queue_max_packets: max_queue,
            ..SummaryRow::default()
        }
    }

    #[test]
    fn a_line_a_point_with_mean_and_standard_error_aligned() {
        let mut point = PointStatistics::default();
        point.add(&row(Some(17), 4));
        point.add(&row(Some(19), 6));
        let mut single = PointStatistics::default();
        single.add(&row(Some(20), 12));
        let points = [
            (vec!["rps".to_owned()], point),
            (vec!["ofan".to_owned()], single),
        ];
        let expected = "\
scheme  runs          CCT us  bound us  CCT increase %  utilization       peak util.  max queue pkts  drops  finished flows
rps        2  18.000 ± 1.000    16.000  12.500 ± 6.250            -  0.5000 ± 0.0000       5.0 ± 1.0      0           20/20
ofan       1          20.000    16.000          25.000            -           0.5000            12.0      0           10/10
";
        assert_eq!(render(&["scheme".to_owned()], &points), expected);
    }

    #[test]
    fn mice_have_columns_if_there_are_any() {
        let mut point = PointStatistics::default();
        let with_mice = SummaryRow {
            mice: 3,
            mice_fct_p50_ps: Some(6_500_000),
            mice_fct_p99_ps: None,
            ..row(Some(17), 4)
        };
        point.add(&with_mice);
        let table = render(&[], &[(Vec::new(), point)]);
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[0].ends_with("  finished flows  mice p50 us  mice p99 us"));
        assert!(lines[1].ends_with("10/10        6.500            -"));
    }

    #[test]
    fn a_mean_over_some_runs_says_over_how_many() {
        let mut point = PointStatistics::default();
        point.add(&row(Some(17), 4));
        point.add(&row(None, 4));
        let cells = point.cells();
        assert_eq!(
            (cells[1].as_str(), cells[8].as_str()),
            ("17.000 (of 1)", "19/20")
        );
    }
}
