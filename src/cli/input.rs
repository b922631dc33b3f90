//! What `run` and `check` have in common: a scenario and changes to it.

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

    /// First seed of every point; as `--set seed=N`
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Runs a point, with seeds SEED, SEED + 1, ...; as `--set repeats=N`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeats: Option<u32>,
}

impl InputArgs {
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
