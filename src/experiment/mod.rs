//! A scenario's sweep and repeats as runs, spread over threads, and the statistics over repeats.
//!
//! Results reach the caller in order (points in file order, then seeds), whatever the number of threads.

pub mod pool;
mod sharing;
pub mod statistics;

use std::fmt;

use crate::sim::Engine;
use crate::units::Span;

pub use pool::{Stopped, in_order};
pub use sharing::{Sharing, Work};
pub use statistics::Statistic;

/// All runs of a plan: every point with seeds seed, seed + 1, ...
#[derive(Clone, Debug)]
pub struct Runs {
    seeds: Vec<u64>,
    repeats: u32,
}

/// One run of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Index of its point.
    pub point: usize,
    /// Its seed.
    pub seed: u64,
}

impl Runs {
    /// `repeats` runs for each point, given the first seed of each.
    ///
    /// # Errors
    /// If the seeds of a point go beyond 2^64 - 1.
    pub fn new(seeds: Vec<u64>, repeats: u32) -> Result<Self, SeedOverflow> {
        let last = u64::from(repeats.saturating_sub(1));
        match seeds.iter().find(|seed| seed.checked_add(last).is_none()) {
            Some(&seed) => Err(SeedOverflow { seed, repeats }),
            None => Ok(Self { seeds, repeats }),
        }
    }

    /// How many runs there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.seeds.len() as u64 * u64::from(self.repeats)
    }

    /// Run number `index` < `count()`: points first, then seeds.
    #[must_use]
    pub fn get(&self, index: u64) -> Run {
        let repeats = u64::from(self.repeats);
        let point = (index / repeats) as usize;
        Run {
            point,
            seed: self.seeds[point] + index % repeats,
        }
    }
}

/// The seeds of a point do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedOverflow {
    seed: u64,
    repeats: u32,
}

impl fmt::Display for SeedOverflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, repeats } = self;
        let largest = u64::MAX - u64::from(repeats.saturating_sub(1));
        write!(
            f,
            "seed: {seed} with {repeats} repeats goes beyond 2^64 - 1; the largest seed allowed is {largest}"
        )
    }
}

impl std::error::Error for SeedOverflow {}

/// The engine to use where links have `latency`: the one asked for, else windows, which need a latency to look ahead by.
///
/// # Errors
/// If windows were asked for and there is no latency.
pub fn engine(asked: Option<Engine>, latency: Span) -> Result<Engine, NoLookahead> {
    match asked {
        Some(Engine::Windowed) if latency == Span::ZERO => Err(NoLookahead),
        None if latency == Span::ZERO => Ok(Engine::Heap),
        None => Ok(Engine::Windowed),
        Some(engine) => Ok(engine),
    }
}

/// The windowed engine was asked for where links have no latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoLookahead;

impl fmt::Display for NoLookahead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "--engine windowed needs a link latency to look ahead by, and fabric.link_latency_ns is 0; use --engine heap",
        )
    }
}

impl std::error::Error for NoLookahead {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_go_point_by_point_then_seed_by_seed() {
        let runs = Runs::new(vec![5, 9], 2).expect("small seeds");
        let all: Vec<_> = (0..runs.count()).map(|i| runs.get(i)).collect();
        let run = |point, seed| Run { point, seed };
        assert_eq!(all, [run(0, 5), run(0, 6), run(1, 9), run(1, 10)]);
    }

    #[test]
    fn seeds_that_overflow_are_refused_and_the_last_that_fits_is_not() {
        assert!(Runs::new(vec![u64::MAX - 9], 10).is_ok());
        let error = Runs::new(vec![1, u64::MAX - 8], 10).expect_err("one too far");
        assert!(error.to_string().contains("18446744073709551606"));
    }

    #[test]
    fn without_latency_the_heap_is_the_default_and_windows_are_refused() {
        let latency = Span::from_ns(500);
        assert_eq!(engine(None, Span::ZERO), Ok(Engine::Heap));
        assert_eq!(engine(None, latency), Ok(Engine::Windowed));
        assert_eq!(engine(Some(Engine::Heap), latency), Ok(Engine::Heap));
        assert_eq!(engine(Some(Engine::Windowed), Span::ZERO), Err(NoLookahead));
    }
}
