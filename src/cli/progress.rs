//! The progress bar: runs done, simulated time, and when it will be over. On stderr, and only on a terminal.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::sim::Progress;
use crate::units::Span;

/// Watches all runs under way.
#[derive(Debug)]
pub(super) struct Board {
    shared: Arc<Shared>,
    bar: ProgressBar,
}

#[derive(Debug)]
struct Shared {
    total: u64,
    done: AtomicU64,
    /// Simulated time of the runs that are done.
    simulated_ps: AtomicU64,
    active: Mutex<Vec<Active>>,
}

/// A run under way and how long it should last, going by its lower bound.
#[derive(Debug, Clone)]
struct Active {
    progress: Arc<Progress>,
    expected: Span,
}

impl Board {
    /// For `total` runs; `quiet` shows nothing.
    pub(super) fn new(total: u64, quiet: bool) -> Self {
        let shared = Arc::new(Shared {
            total,
            done: AtomicU64::new(0),
            simulated_ps: AtomicU64::new(0),
            active: Mutex::new(Vec::new()),
        });
        let is_shown = !quiet && stderr().is_terminal();
        let bar = if is_shown {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            bar.set_style(style(&shared));
            bar
        } else {
            ProgressBar::hidden()
        };
        Self { shared, bar }
    }

    /// The work begins: draw the bar from now on.
    pub(super) fn show(&self) {
        if !self.bar.is_hidden() {
            self.bar.enable_steady_tick(Duration::from_millis(200));
        }
    }

    /// A run begins that will take at least `expected`.
    pub(super) fn begin(&self, expected: Span) -> Arc<Progress> {
        let progress = Arc::new(Progress::default());
        self.shared.active().push(Active {
            progress: Arc::clone(&progress),
            expected,
        });
        progress
    }

    /// The run that `progress` was handed out for is over.
    pub(super) fn end(&self, progress: &Arc<Progress>) {
        let simulated = progress.get().0;
        let mut active = self.shared.active();
        active.retain(|run| !Arc::ptr_eq(&run.progress, progress));
        self.shared
            .simulated_ps
            .fetch_add(simulated, Ordering::Relaxed);
        self.shared.done.fetch_add(1, Ordering::Relaxed);
        drop(active);
        self.bar.inc(1);
    }

    /// Take the bar off the screen.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Shared {
    fn active(&self) -> std::sync::MutexGuard<'_, Vec<Active>> {
        // Only plain counters are behind the lock, which a panic elsewhere cannot spoil.
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Simulated time of all runs so far.
    fn simulated(&self) -> Span {
        let active = self.active();
        let under_way: u64 = active.iter().map(Active::simulated_ps).sum();
        Span(self.simulated_ps.load(Ordering::Relaxed) + under_way)
    }

    /// The part of the work that is done, from 0 to 1.
    fn fraction(&self) -> f64 {
        let active = self.active();
        let under_way: f64 = active.iter().map(Active::fraction).sum();
        (self.done.load(Ordering::Relaxed) as f64 + under_way) / self.total.max(1) as f64
    }

    /// How much longer, going by the pace so far.
    fn remaining(&self, elapsed: Duration) -> Option<Duration> {
        let fraction = self.fraction();
        let remaining = elapsed.as_secs_f64() * (1.0 / fraction - 1.0);
        Duration::try_from_secs_f64(remaining).ok()
    }
}

impl Active {
    fn simulated_ps(&self) -> u64 {
        self.progress.get().0
    }

    /// Never quite 1: the bound is a lower one.
    fn fraction(&self) -> f64 {
        (self.simulated_ps() as f64 / self.expected.0.max(1) as f64).min(0.99)
    }
}

fn style(shared: &Arc<Shared>) -> ProgressStyle {
    let template =
        "{wide_bar} {pos}/{len} runs, {simulated} simulated, {elapsed} elapsed, {left} left";
    let (simulated, left) = (Arc::clone(shared), Arc::clone(shared));
    ProgressStyle::with_template(template)
        .expect("the template is well formed")
        .with_key(
            "simulated",
            move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
                // Nothing can be done about a line that cannot be formatted.
                let _ = write!(out, "{}", simulated.simulated());
            },
        )
        .with_key(
            "left",
            move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = match left.remaining(state.elapsed()) {
                    Some(left) => write!(out, "{}s", left.as_secs()),
                    None => out.write_str("?"),
                };
            },
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Time;

    #[test]
    fn runs_under_way_count_by_their_simulated_time() {
        let board = Board::new(4, true);
        let (first, second) = (board.begin(Span(100)), board.begin(Span(100)));
        first.set(Time(120));
        second.set(Time(50));
        board.end(&first);
        assert_eq!(board.shared.fraction(), 1.5 / 4.0);
        assert_eq!(board.shared.simulated(), Span(170));
        let left = board.shared.remaining(Duration::from_secs(3));
        assert_eq!(left, Some(Duration::from_secs(5)));
    }

    #[test]
    fn before_anything_is_done_nobody_knows_how_long_it_takes() {
        let board = Board::new(4, true);
        assert_eq!(board.shared.remaining(Duration::from_secs(3)), None);
    }
}
