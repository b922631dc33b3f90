//! The last RTTs of a flow, and their median or another percentile.
//!
//! A percentile is over the newest of them. They are kept in order as well, so that a new one costs two binary searches and moving what
//! lies behind them, whatever was asked for; memory grows with what is kept and is then used again.

use std::collections::VecDeque;

use crate::fields::words;
use crate::units::Span;

words! {
    /// What a percentile is where it falls between two RTTs.
    pub enum Between {
        /// What lies in between, in proportion, rounded down: the mean for a median.
        Mean = "mean",
        /// The lower one.
        Lower = "lower",
    }
}

/// The last RTTs of a flow.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    /// The newest last.
    rtts: VecDeque<Span>,
    /// How many are kept.
    most: usize,
    /// The newest of them that the last percentile was over, in order.
    sorted: Vec<Span>,
}

impl Recent {
    /// None yet; so many are kept, at least one.
    pub(super) fn new(most: usize) -> Self {
        Self {
            rtts: VecDeque::new(),
            most: most.max(1),
            sorted: Vec::new(),
        }
    }

    /// One more.
    pub(super) fn push(&mut self, rtt: Span) {
        if self.rtts.len() == self.most {
            if self.sorted.len() == self.most {
                self.take_out(self.rtts[0]);
            }
            self.rtts.pop_front();
        }
        self.rtts.push_back(rtt);
        self.put_in(rtt);
    }

    /// The median of the last `count`, at least one, as far as there are so many.
    pub(super) fn median(&mut self, count: u64) -> Span {
        self.percentile(count, 50, Between::Mean)
    }

    /// The `percent` percentile, up to 100, of the last `count`, at least one, as far as there are so many; zero if there are none. Of n in
    /// order, from place 0 on, it is that at place (n - 1) `percent` / 100.
    pub(super) fn percentile(&mut self, count: u64, percent: u8, between: Between) -> Span {
        self.resize(usize::try_from(count).unwrap_or(usize::MAX).max(1));
        let Some(last) = self.sorted.len().checked_sub(1) else {
            return Span::ZERO;
        };
        let place = last * usize::from(percent);
        let (low, part) = (self.sorted[place / 100], place % 100);
        if part == 0 || between == Between::Lower {
            return low;
        }
        let apart = self.sorted[place / 100 + 1].0 - low.0;
        let more = u128::from(apart) * part as u128 / 100;
        Span(low.0 + more as u64)
    }

    /// Keep the newest `count` in order, as far as there are so many.
    fn resize(&mut self, count: usize) {
        let all = self.rtts.len();
        let count = count.min(all);
        while self.sorted.len() > count {
            self.take_out(self.rtts[all - self.sorted.len()]);
        }
        while self.sorted.len() < count {
            self.put_in(self.rtts[all - self.sorted.len() - 1]);
        }
    }

    fn put_in(&mut self, rtt: Span) {
        let place = self.sorted.partition_point(|other| *other < rtt);
        self.sorted.insert(place, rtt);
    }

    fn take_out(&mut self, rtt: Span) {
        let place = self.sorted.partition_point(|other| *other < rtt);
        self.sorted.remove(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Domain, Rng};

    #[test]
    fn medians_are_over_the_newest_and_of_two_in_the_middle_the_mean() {
        let mut recent = Recent::new(4);
        assert_eq!(recent.median(4), Span::ZERO);
        for (rtt, medians) in [
            (7, [7, 7, 7, 7]),
            (10, [10, 8, 8, 8]),
            (1, [1, 5, 7, 7]),
            (4, [4, 2, 4, 5]),
            // 10, 1, 4, 100.
            (100, [100, 52, 4, 7]),
        ] {
            recent.push(Span(rtt));
            let found = [1, 2, 3, 4].map(|count| recent.median(count).0);
            assert_eq!(found, medians, "after {rtt}");
            assert_eq!(recent.median(0), recent.median(1));
            assert_eq!(recent.median(u64::MAX), recent.median(4));
        }
    }

    #[test]
    fn percentiles_lie_between_two_in_proportion_or_at_the_lower_one() {
        let mut recent = Recent::new(5);
        for rtt in [50, 10, 40, 20, 30] {
            recent.push(Span(rtt));
        }
        // Places 0.4, 2, 3.6 of 10, 20, 30, 40, 50.
        for (percent, mean, lower) in [
            (0, 10, 10),
            (10, 14, 10),
            (50, 30, 30),
            (90, 46, 40),
            (100, 50, 50),
        ] {
            assert_eq!(recent.percentile(9, percent, Between::Mean), Span(mean));
            assert_eq!(recent.percentile(9, percent, Between::Lower), Span(lower));
        }
        // 40, 20, 30, 10: the last four, of which 10 is the newest.
        recent.push(Span(10));
        assert_eq!(recent.percentile(4, 50, Between::Mean), Span(25));
        assert_eq!(recent.percentile(4, 50, Between::Lower), Span(20));
    }

    #[test]
    fn percentiles_are_those_of_the_newest_sorted_anew() {
        let rng = &mut Rng::stream(1, Domain::SwitchPick, 0);
        for most in [1, 2, 7, 64] {
            let mut recent = Recent::new(most);
            let mut all = Vec::new();
            for _ in 0..2_000 {
                // Few values, so that many are equal; at times the largest there is.
                let rtt = [u64::from(rng.below(9)), u64::MAX][usize::from(rng.below(9) == 0)];
                recent.push(Span(rtt));
                all.push(rtt);
                let count = 1 + rng.below(most as u32 + 3) as usize;
                let mut newest: Vec<u64> =
                    all.iter().rev().take(count.min(most)).copied().collect();
                newest.sort_unstable();
                let percent = rng.below(101) as u8;
                let expected = newest[(newest.len() - 1) * usize::from(percent) / 100];
                let found = recent.percentile(count as u64, percent, Between::Lower);
                assert_eq!(found, Span(expected));
            }
        }
    }
}
