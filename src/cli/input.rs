//! What `run` and `check` have in common: a scenario and changes to it.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;

use super::Failure;
use crate::json::Json;
use crate::report::keys::{column_name, plain};
use crate::scenario::{self, Overrides, Plan};

/// The scenario to work on.
#[derive(Debug, Args)]
pub(super) struct InputArgs {
    /// Scenario file (JSON)
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,

    /// Set a key of the scenario, e.g. `--set workload.message_bytes=65536`; the value is read as JSON, else as a string
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,

    /// First seed of every point; wins over `--set seed=N`
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    seed: Option<u64>,

    /// Runs a point, with seeds SEED, SEED + 1, ...; wins over `--set repeats=N`
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = repeats)]
    repeats: Option<u32>,
}

impl InputArgs {
    /// The scenario's file as the user named it.
    pub(super) fn file(&self) -> String {
        self.scenario.display().to_string()
    }

    /// The checked plan.
    pub(super) fn load(&self) -> Result<Plan, Failure> {
        let overrides = Overrides {
            sets: self.sets.clone(),
            seed: self.seed,
            repeats: self.repeats,
        };
        scenario::load(&self.scenario, &overrides).map_err(Failure::input)
    }
}

/// A whole number in `range`, as an option takes it; clap tells the value.
pub(super) fn whole(text: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| {
        let (from, to) = range.into_inner();
        format!("allowed: a whole number from {from} to {to}")
    })
}

fn seed(text: &str) -> Result<u64, String> {
    whole(text, 0..=u64::MAX)
}

fn repeats(text: &str) -> Result<u32, String> {
    whole(text, 1..=1_000_000).map(|number| number as u32)
}

/// A point as messages name it, e.g. `point 3 (scheme=rps, message_bytes=65536)`; points count from 1.
pub(super) fn point_name(swept: &[String], index: usize, values: &[Json]) -> String {
    let values: Vec<String> = std::iter::zip(swept, values)
        .map(|(path, value)| format!("{}={}", column_name(path), plain(value)))
        .collect();
    if values.is_empty() {
        format!("point {}", index + 1)
    } else {
        format!("point {} ({})", index + 1, values.join(", "))
    }
}

/// `1 run`, `2 runs`.
pub(super) fn counted(count: u64, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{s}")
}
