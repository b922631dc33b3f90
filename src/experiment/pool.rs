//! Jobs on threads, results in order, memory bounded.
//!
//! Jobs are taken in order; a job starts only if it is less than `LOOKAHEAD` jobs a thread ahead of the last result that was
//! delivered, so that a slow job does not let finished results pile up behind it.

use std::any::Any;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard};

/// Results that may wait for an earlier one, per thread.
const LOOKAHEAD: u64 = 2;

/// Why not all jobs were delivered.
#[derive(Debug, PartialEq, Eq)]
pub enum Stopped<E> {
    /// This job panicked; all earlier ones were delivered.
    Panicked {
        /// Its number.
        job: u64,
        /// What it said.
        message: String,
    },
    /// `deliver` failed.
    Refused(E),
}

/// Do `work(0)`, `work(1)`, ... `work(jobs - 1)` on `threads` threads, and `deliver` the results in that order on this thread.
///
/// # Errors
/// At the first job, in order, that panicked or whose result was refused. Jobs under way are finished, no new ones begun.
pub fn in_order<T: Send, E>(
    jobs: u64,
    threads: NonZeroUsize,
    work: impl Fn(u64) -> T + Sync,
    mut deliver: impl FnMut(u64, T) -> Result<(), E>,
) -> Result<(), Stopped<E>> {
    let threads = threads
        .get()
        .min(usize::try_from(jobs).unwrap_or(usize::MAX));
    let desk = Desk::new(jobs, LOOKAHEAD * threads as u64);
    std::thread::scope(|scope| {
        // Also on a panic in `deliver`: the scope waits for workers that must then not wait for us.
        let _closer = Closer(&desk);
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(job) = desk.take() {
                    let outcome = catch_unwind(AssertUnwindSafe(|| work(job)));
                    desk.put(job, outcome.map_err(|payload| message(payload.as_ref())));
                }
            });
        }
        for job in 0..jobs {
            match desk.collect(job) {
                Ok(result) => deliver(job, result).map_err(Stopped::Refused)?,
                Err(message) => return Err(Stopped::Panicked { job, message }),
            }
        }
        Ok(())
    })
}

/// What a panic said.
#[must_use]
pub fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("panic without a message").to_owned()
}

/// Where workers take jobs and leave results.
struct Desk<T> {
    jobs: u64,
    lookahead: u64,
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    next: u64,
    delivered: u64,
    closed: bool,
    results: BTreeMap<u64, Result<T, String>>,
}

impl<T> Desk<T> {
    const fn new(jobs: u64, lookahead: u64) -> Self {
        Self {
            jobs,
            lookahead,
            state: Mutex::new(State {
                next: 0,
                delivered: 0,
                closed: false,
                results: BTreeMap::new(),
            }),
            changed: Condvar::new(),
        }
    }

    /// The next job, as soon as it may start; `None` if there is none.
    fn take(&self) -> Option<u64> {
        let must_wait = |state: &mut State<T>| {
            let is_last = state.next == self.jobs;
            !state.closed && !is_last && state.next >= state.delivered + self.lookahead
        };
        let state = self.changed.wait_while(self.lock(), must_wait);
        let mut state = state.expect(NO_POISON);
        if state.closed || state.next == self.jobs {
            return None;
        }
        state.next += 1;
        Some(state.next - 1)
    }

    fn put(&self, job: u64, result: Result<T, String>) {
        self.lock().results.insert(job, result);
        self.changed.notify_all();
    }

    /// The result of `job`, as soon as it is there.
    fn collect(&self, job: u64) -> Result<T, String> {
        let is_missing = |state: &mut State<T>| !state.results.contains_key(&job);
        let state = self.changed.wait_while(self.lock(), is_missing);
        let mut state = state.expect(NO_POISON);
        state.delivered = job + 1;
        let result = state.results.remove(&job).expect("waited for it");
        drop(state);
        self.changed.notify_all();
        result
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().expect(NO_POISON)
    }
}

const NO_POISON: &str = "nothing panics while it holds the lock";

/// Sends the workers home.
struct Closer<'a, T>(&'a Desk<T>);

impl<T> Drop for Closer<'_, T> {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use super::*;

    fn threads(n: usize) -> NonZeroUsize {
        NonZeroUsize::new(n).expect("at least one")
    }

    #[test]
    fn results_arrive_in_order_whatever_the_number_of_threads() {
        for n in [1, 2, 3, 8, 50] {
            let mut seen = Vec::new();
            let work = |job: u64| {
                std::thread::sleep(Duration::from_micros((job * 7919) % 400));
                job * job
            };
            let done = in_order(40, threads(n), work, |job, square| {
                seen.push((job, square));
                Ok::<_, Infallible>(())
            });
            assert_eq!(done, Ok(()));
            assert_eq!(
                seen,
                (0..40).map(|job| (job, job * job)).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn no_job_starts_further_ahead_than_allowed() {
        let (delivered, furthest) = (AtomicU64::new(0), AtomicU64::new(0));
        let work = |job: u64| {
            let ahead = job - delivered.load(Ordering::SeqCst).min(job);
            furthest.fetch_max(ahead, Ordering::SeqCst);
            if job == 0 {
                std::thread::sleep(Duration::from_millis(20));
            }
        };
        let done = in_order(60, threads(3), work, |_, ()| {
            delivered.fetch_add(1, Ordering::SeqCst);
            Ok::<_, Infallible>(())
        });
        assert_eq!(done, Ok(()));
        // One more, since a result is collected just before it is delivered.
        assert!(furthest.into_inner() <= 3 * LOOKAHEAD + 1);
    }

    #[test]
    fn a_panic_is_reported_with_its_job_after_all_earlier_ones() {
        let mut seen = Vec::new();
        let work = |job| assert!(job != 5, "job {job} is bad");
        let done = in_order(20, threads(4), work, |job, ()| {
            seen.push(job);
            Ok::<_, Infallible>(())
        });
        let message = "job 5 is bad".to_owned();
        assert_eq!(done, Err(Stopped::Panicked { job: 5, message }));
        assert_eq!(seen, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_refused_result_ends_the_work() {
        let started = AtomicU64::new(0);
        let work = |_| started.fetch_add(1, Ordering::SeqCst);
        let refuse = |job, _| if job == 2 { Err("full") } else { Ok(()) };
        let done = in_order(1_000_000, threads(2), work, refuse);
        assert_eq!(done, Err(Stopped::Refused("full")));
        assert!(started.into_inner() < 20);
    }

    #[test]
    fn no_jobs_are_no_work() {
        let done = in_order(0, threads(2), |_| (), |_, ()| Ok::<_, Infallible>(()));
        assert_eq!(done, Ok(()));
    }
}
