//! How runs share the threads: side by side, or one run on several. Results do not depend on it.

use std::num::NonZeroUsize;

/// From so many packet-hops on (seconds of work) a run is worth all threads: it needs the memory of one run only.
const LONG: u64 = 20_000_000;
/// Below so many, threads inside a run would wait for each other more than they work.
const SHORT: u64 = 1_000_000;
/// Nor is a thread worth its place at the end of each window, where all wait for each other (4 us, seen with two), if it has less to do in one: 17 us
/// at 15 million packet-hops/s.
const PER_WINDOW: u64 = 250;

/// About what a run takes; the longer run is the greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Work {
    /// Frames serialised by ports, NICs included.
    pub packet_hops: u64,
    /// Windows of simulated time in which anything happens.
    pub windows: u64,
}

/// Threads for the runs of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// Runs at a time.
    pub side_by_side: NonZeroUsize,
    /// Threads inside each run.
    pub inside: usize,
}

impl Sharing {
    /// Share `threads` among `runs` runs, the longest of which takes about `longest`.
    #[must_use]
    pub fn of(threads: NonZeroUsize, runs: u64, longest: Work) -> Self {
        let all = threads.get();
        let at_once = usize::try_from(runs).unwrap_or(all).clamp(1, all);
        let wanted = match longest.packet_hops {
            LONG.. => all,
            SHORT.. => all / at_once,
            _ => 1,
        };
        let per_window = longest.packet_hops / longest.windows.max(1);
        let busy = usize::try_from(per_window / PER_WINDOW).unwrap_or(all);
        let inside = wanted.min(busy.max(1));
        let side_by_side = (all / inside).min(at_once);
        Self {
            side_by_side: NonZeroUsize::new(side_by_side).unwrap_or(NonZeroUsize::MIN),
            inside,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(threads: usize, runs: u64, packet_hops: u64) -> (usize, usize) {
        let threads = NonZeroUsize::new(threads).expect("not zero");
        let Sharing {
            side_by_side,
            inside,
        } = Sharing::of(threads, runs, work(packet_hops, 100));
        (side_by_side.get(), inside)
    }

    fn work(packet_hops: u64, windows: u64) -> Work {
        Work {
            packet_hops,
            windows,
        }
    }

    #[test]
    fn short_windows_keep_a_run_to_as_many_threads_as_have_work_in_each() {
        let threads = NonZeroUsize::new(4).expect("not zero");
        for (windows, inside) in [
            (0, 4),
            (20_000, 4),
            (26_000, 3),
            (40_000, 2),
            (40_001, 1),
            (20_000_000, 1),
        ] {
            let sharing = Sharing::of(threads, 9, work(20_000_000, windows));
            assert_eq!(sharing.inside, inside, "{windows}");
            assert_eq!(sharing.side_by_side.get(), 4 / inside, "{windows}");
        }
    }

    #[test]
    fn many_short_runs_go_side_by_side() {
        assert_eq!(share(8, 100, 1_300_000), (8, 1));
        assert_eq!(share(2, 3, 10_000), (2, 1));
    }

    #[test]
    fn one_long_run_takes_all_threads() {
        assert_eq!(share(8, 1, 200_000_000), (1, 8));
        assert_eq!(share(8, 100, 200_000_000), (1, 8));
        assert_eq!(share(8, 3, 5_000_000), (3, 2));
    }

    #[test]
    fn a_tiny_run_keeps_to_one_thread() {
        assert_eq!(share(8, 1, 900), (1, 1));
        assert_eq!(share(1, 1, 200_000_000), (1, 1));
    }
}
