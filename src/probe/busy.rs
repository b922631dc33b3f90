//! Busy time in consecutive bins of time, for the peak utilisation.
//!
//! Memory follows traffic, not simulated time: bins near the present lie side by side, those that time has left behind are kept only if they hold
//! something, and a frame that covers many whole bins is noted at its ends.

use std::collections::VecDeque;

use crate::units::{Span, Time};

/// The length of a bin; bin n starts at n times this.
pub const BIN: Span = Span(500_000);

/// Bins that lie side by side.
const RECENT: usize = 1024;

/// What is known of one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bin {
    /// Busy time of frames that cover it in part.
    busy: u64,
    /// How many more frames cover this bin whole than the one before.
    whole: i64,
}

/// Busy time by bin.
#[derive(Clone, Debug, Default)]
pub struct Busy {
    /// The first bin of `recent`.
    first: u64,
    recent: VecDeque<Bin>,
    /// Other bins that hold something; one may stand here several times.
    others: Vec<(u64, Bin)>,
}

impl Busy {
    /// Add the time from `from` to `to`.
    #[inline]
    pub fn add(&mut self, from: Time, to: Time) {
        let (first, last) = (from.0 / BIN.0, to.0 / BIN.0);
        if first == last {
            self.put(first, to.0 - from.0, 0);
            return;
        }
        self.put(first, (first + 1) * BIN.0 - from.0, 0);
        self.put(last, to.0 - last * BIN.0, 0);
        if last > first + 1 {
            self.put(first + 1, 0, 1);
            self.put(last, 0, -1);
        }
    }

    #[inline]
    fn put(&mut self, bin: u64, busy: u64, whole: i64) {
        if bin.wrapping_sub(self.first) >= RECENT as u64 {
            self.move_to(bin);
        }
        let Some(index) = bin.checked_sub(self.first) else {
            self.others.push((bin, Bin { busy, whole }));
            return;
        };
        if index as usize >= self.recent.len() {
            self.recent.resize(index as usize + 1, Bin::default());
        }
        let here = &mut self.recent[index as usize];
        here.busy += busy;
        here.whole += whole;
    }

    /// Make `bin`, if it is later than the recent ones, one of them.
    fn move_to(&mut self, bin: u64) {
        if bin < self.first {
            return;
        }
        let first = bin - RECENT as u64 / 2;
        let left = self.recent.len().min((first - self.first) as usize);
        let (start, others) = (self.first, &mut self.others);
        let left = (start..).zip(self.recent.drain(..left));
        others.extend(left.filter(|(_, bin)| *bin != Bin::default()));
        self.first = first;
    }

    /// Add all that `other` holds.
    pub fn absorb(&mut self, other: &Self) {
        self.others.extend_from_slice(&other.others);
        self.others
            .extend((other.first..).zip(other.recent.iter().copied()));
    }

    /// The largest busy time of any bin.
    #[must_use]
    pub fn peak(&self) -> Span {
        let peak = self.levels().into_iter().map(|(_, busy)| busy).max();
        Span(peak.unwrap_or(0))
    }

    /// Busy times as a step function: each stands with the first of the bins that have it. Bins before the first step have none.
    #[must_use]
    pub fn levels(&self) -> Vec<(u64, u64)> {
        let mut bins = self.others.clone();
        bins.extend((self.first..).zip(self.recent.iter().copied()));
        bins.sort_unstable_by_key(|&(number, _)| number);
        let mut levels: Vec<(u64, u64)> = Vec::new();
        let mut whole = 0_i64;
        for same in bins.chunk_by(|(one, _), (other, _)| one == other) {
            let number = same[0].0;
            let before = whole as u64 * BIN.0;
            whole += same.iter().map(|(_, bin)| bin.whole).sum::<i64>();
            let covered = whole as u64 * BIN.0;
            let busy = covered + same.iter().map(|(_, bin)| bin.busy).sum::<u64>();
            // What covered the bin before covers those up to this one.
            if let Some(&(last, _)) = levels.last()
                && last + 1 < number
            {
                levels.push((last + 1, before));
            }
            levels.push((number, busy));
        }
        if let Some(&(last, _)) = levels.last() {
            levels.push((last + 1, 0));
        }
        levels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Busy times as (bin x 500,000 + ps) intervals.
    fn peak(spans: &[(u64, u64)]) -> u64 {
        let mut busy = Busy::default();
        for &(from, to) in spans {
            busy.add(Time(from), Time(to));
        }
        busy.peak().0
    }

    #[test]
    fn busy_time_is_split_over_the_bins_that_it_spans() {
        assert_eq!(peak(&[(499_000, 500_400)]), 1_000);
        assert_eq!(peak(&[(499_000, 500_400), (500_400, 501_200)]), 1_200);
        assert_eq!(peak(&[(0, 500_000)]), 500_000);
    }

    #[test]
    fn a_frame_may_cover_any_number_of_whole_bins() {
        assert_eq!(peak(&[(100, 500_000 * 1_000_000_000)]), 500_000);
        assert_eq!(peak(&[(100, 5_000_000), (1_000_000, 4_000_000)]), 1_000_000);
        assert_eq!(peak(&[(100, 5_000_000), (1_000_000, 1_000_010)]), 500_010);
    }

    #[test]
    fn far_apart_times_cost_what_they_hold() {
        let mut busy = Busy::default();
        for i in 0..1_000 {
            let at = i * 1_000_000_000_000;
            busy.add(Time(at), Time(at + 10));
        }
        assert_eq!(busy.peak(), Span(10));
        assert!(busy.others.len() + busy.recent.len() < 3_000);
    }

    #[test]
    fn shards_and_late_news_add_up() {
        let (mut one, mut other) = (Busy::default(), Busy::default());
        one.add(Time(0), Time(300_000));
        one.add(Time(9_000_000_000), Time(9_000_000_001));
        one.add(Time(400_000), Time(450_000));
        other.add(Time(100_000), Time(200_000));
        one.absorb(&other);
        assert_eq!(one.peak(), Span(450_000));
    }

    #[test]
    fn agrees_with_plain_bins_on_random_spans() {
        use crate::rng::{Domain, Rng};
        let mut rng = Rng::stream(1, Domain::SwitchPick, 0);
        for _ in 0..50 {
            let mut busy = Busy::default();
            let mut plain = vec![0_u64; 4_000];
            for _ in 0..200 {
                let from = rng.below_u64(3_900) * 500_000 + rng.below_u64(500_000);
                let to = from + rng.below_u64(40_000_000);
                busy.add(Time(from), Time(to));
                for (bin, sum) in (0..).zip(&mut plain) {
                    let (start, end) = (bin * 500_000, (bin + 1) * 500_000);
                    *sum += to.min(end).saturating_sub(from.max(start));
                }
            }
            let levels = busy.levels();
            for (bin, &sum) in (0..).zip(&plain) {
                let step = levels.partition_point(|&(first, _)| first <= bin);
                let level = step.checked_sub(1).map_or(0, |step| levels[step].1);
                assert_eq!(level, sum);
            }
            assert_eq!(busy.peak().0, plain.into_iter().max().unwrap_or(0));
        }
    }
}
