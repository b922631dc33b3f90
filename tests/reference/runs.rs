//! What runs gave, theirs from files and ours from the program, and the statistics that are compared.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use crate::cases::{Case, shared};

/// What is compared of one run.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// When each flow finished, in us.
    pub(crate) fcts: Vec<f64>,
    /// Packets sent again, NACKs and ACKs, all flows together.
    pub(crate) counts: [u64; 3],
}

/// The names of `Run::counts`.
pub(crate) const COUNTS: [&str; 3] = ["retransmissions", "nacks", "acks"];

/// uet-htsim's runs of a case; `None`, and the reason on stdout, if they are not here.
pub(crate) fn theirs(case: &Case) -> Option<Vec<Run>> {
    let reference = |file: &str| {
        let path = shared("SPRAYSIM_REFERENCE", "reference", file)?;
        Some(fs::read_to_string(path).expect("a readable file"))
    };
    let flows = reference(&format!("{}.csv", case.name))?;
    let totals = reference("counters.txt")?;
    let mut runs: BTreeMap<u64, Run> = BTreeMap::new();
    for [seed, finish] in rows(&flows, ["seed", "finish_us"]) {
        let run = runs.entry(seed.parse().expect("a seed")).or_default();
        run.fcts.push(finish.parse().expect("microseconds"));
    }
    for (seed, run) in &mut runs {
        let start = format!("{} seed {seed}: ", case.name);
        let line = totals.lines().find_map(|line| line.strip_prefix(&start));
        let words: Vec<&str> = line.expect("a line a run").split(' ').collect();
        run.counts = ["Rtx:", "NACKs:", "ACKs:"].map(|word| {
            let at = words.iter().position(|found| *found == word);
            let count = words[at.expect("all counters") + 1];
            count.parse().expect("a count")
        });
    }
    Some(runs.into_values().collect())
}

/// This program's runs of a case with the seeds 1, 2, ...; `None` if its input is not here.
pub(crate) fn ours(case: &Case, seeds: usize) -> Option<Vec<Run>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scenario = case.scenario(folder.path())?;
    let out = folder.path().join("out");
    let mut command = Command::new(env!("CARGO_BIN_EXE_spraysim"));
    command.arg("run").arg(&scenario).arg("--out").arg(&out);
    command.args(["--quiet", "--repeats", &seeds.to_string()]);
    let output = command.output().expect("the program starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {told}", case.name);
    let flows = fs::read_to_string(out.join("flows.csv")).expect("it was written");
    let mut runs: BTreeMap<u64, Run> = BTreeMap::new();
    let names = ["seed", "end_ps", "retransmissions", "nacks", "acks"];
    for [seed, end, counts @ ..] in rows(&flows, names) {
        let run = runs.entry(seed.parse().expect("a seed")).or_default();
        let end: u64 = end.parse().expect("every flow finishes");
        run.fcts.push(end as f64 / 1e6);
        for (sum, count) in std::iter::zip(&mut run.counts, counts) {
            *sum += count.parse::<u64>().expect("a count");
        }
    }
    assert_eq!(runs.len(), seeds);
    Some(runs.into_values().collect())
}

/// Some columns of a CSV, row by row.
pub(crate) fn rows<const N: usize>(csv: &str, columns: [&str; N]) -> Vec<[String; N]> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let places = columns.map(|name| {
        let at = header.iter().position(|column| column == name);
        at.unwrap_or_else(|| panic!("no column {name}"))
    });
    let rows = reader.records().map(|row| row.expect("a whole row"));
    rows.map(|row| places.map(|at| row[at].to_owned()))
        .collect()
}

/// The mean over runs of something that each run has, and the standard error of that mean.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    pub(crate) mean: f64,
    /// `None`: of one run, so unknown.
    pub(crate) error: Option<f64>,
}

impl Estimate {
    pub(crate) fn of(runs: &[Run], value: impl Fn(&Run) -> f64) -> Self {
        let values: Vec<f64> = runs.iter().map(value).collect();
        let center = mean(&values);
        let n = values.len() as f64;
        let squares: f64 = values.iter().map(|value| (value - center).powi(2)).sum();
        Self {
            mean: center,
            error: (values.len() > 1).then(|| (squares / (n - 1.0) / n).sqrt()),
        }
    }
}

/// A statistic of a run's FCTs, and by what fraction of theirs ours may differ from it.
pub(crate) type Statistic = (&'static str, fn(&[f64]) -> f64, f64);

/// What is compared of FCTs.
pub(crate) const STATISTICS: [Statistic; 3] = [
    ("mean_fct", mean, 0.02),
    ("median_fct", median, 0.02),
    ("max_fct", largest, 0.05),
];

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    let below = if sorted.len().is_multiple_of(2) {
        half - 1
    } else {
        half
    };
    f64::midpoint(sorted[below], sorted[half])
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}
