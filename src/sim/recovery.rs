//! What failures did, as far as it takes more than counting: how long packets were lost, and when deliveries were back to normal.
//!
//! Deliveries are the time that data frames take on the links to hosts, in bins of 0.5 us. Normal is the mean over whole bins from the first delivery to the
//! first timed change of a link; deliveries are back when no later whole bin, as long as all hosts send, falls below 95 % of that.
//! Both definitions are our own. They mean something while the offered load is steady; the noise of a small fabric counts as well.

use super::FailureResult;
use crate::probe::{BIN, Busy, Tally};
use crate::topology::Outages;
use crate::units::{Span, Time};

/// The timed changes of links.
#[derive(Clone, Copy)]
struct Changes {
    first: Time,
    last: Time,
}

/// Consecutive bins that are equally busy.
struct Stretch {
    /// How many there are.
    bins: u64,
    /// The first bin after them.
    until: u64,
    /// The busy time of each.
    busy: u64,
}

/// What failures did in a run whose hosts stopped sending at `end`.
pub(super) fn failures(outages: Option<&Outages>, tally: &Tally, end: Time) -> FailureResult {
    let Some(outages) = outages else {
        return FailureResult::default();
    };
    let mut changes = outages.changes().range(..=end).copied();
    let changes = changes.next().map(|first| Changes {
        first,
        last: changes.next_back().unwrap_or(first),
    });
    let lost_after = |changes: Changes| {
        let last_loss = tally.last_loss().unwrap_or_default();
        last_loss.saturating_since(changes.first)
    };
    FailureResult {
        failed_links: outages.failed_links(),
        redraws: outages.redraws().into(),
        unroutable_packets: tally.unroutable.all(),
        unroutable_data_packets: tally.unroutable.data,
        outage: changes.map(lost_after),
        recovery: changes.and_then(|changes| recovery(tally.delivered(), changes, end)),
    }
}

/// From the last change to the start of the first bin from which on deliveries are normal.
fn recovery(delivered: &Busy, changes: Changes, end: Time) -> Option<Span> {
    let levels = delivered.levels();
    let start = levels.iter().find(|&&(_, busy)| busy > 0)?.0 + 1;
    let bins = (changes.first.0 / BIN.0)
        .checked_sub(start)
        .filter(|&bins| bins > 0)?;
    let before = stretches(&levels, start, start + bins);
    let usual: u128 = before
        .map(|stretch| u128::from(stretch.bins) * u128::from(stretch.busy))
        .sum();
    let (from, to) = (changes.last.0.div_ceil(BIN.0), end.0 / BIN.0);
    if from >= to {
        return None;
    }
    let is_low = |stretch: &Stretch| u128::from(stretch.busy) * u128::from(bins) * 20 < usual * 19;
    let low = stretches(&levels, from, to).filter(is_low);
    match low.last().map(|stretch| stretch.until) {
        None => Some(Span::ZERO),
        Some(until) if until == to => None,
        Some(until) => Some(Time(until * BIN.0) - changes.last),
    }
}

/// The steps of `levels` within bins `from` to `to`, exclusive.
fn stretches(levels: &[(u64, u64)], from: u64, to: u64) -> impl Iterator<Item = Stretch> + '_ {
    let ends = levels.iter().skip(1).map(|&(bin, _)| bin);
    let steps = std::iter::zip(levels, ends.chain([u64::MAX]));
    steps.filter_map(move |(&(first, busy), end)| {
        let (first, end) = (first.max(from), end.min(to));
        (first < end).then(|| Stretch {
            bins: end - first,
            until: end,
            busy,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recovery where bins 10, 11, ... hold these busy times, links change at `changes` and hosts stop at `end` (in ns).
    fn of(busy_times: &[u64], changes: (u64, u64), end: u64) -> Option<u64> {
        let mut busy = Busy::default();
        for (bin, &time) in (10..).zip(busy_times) {
            let start = Time(bin * BIN.0);
            busy.add(start, start + Span(time));
        }
        let ns = |ns: u64| Time(ns * 1_000);
        let changes = Changes {
            first: ns(changes.0),
            last: ns(changes.1),
        };
        recovery(&busy, changes, ns(end)).map(|span| span.0 / 1_000)
    }

    #[test]
    fn recovery_ends_with_the_last_bin_below_95_percent_of_the_usual() {
        // Bins are 500 ns; bin 10 starts at 5,000 ns, is the first with deliveries and does not count.
        let busy = [7, 100, 100, 100, 40, 96, 94, 95, 99, 100];
        // The change at 7,100 ns is in bin 14; bin 16 (94) is the last one below; it ends at 8,500 ns.
        assert_eq!(of(&busy, (7_100, 7_100), 10_000), Some(1_400));
        assert_eq!(of(&busy, (7_100, 8_400), 10_000), Some(0));
        assert_eq!(of(&busy, (7_100, 7_900), 10_000), Some(600));
    }

    #[test]
    fn without_a_before_or_an_after_recovery_is_unknown() {
        let busy = [7, 100, 100, 100, 40, 96, 94];
        assert_eq!(
            of(&busy, (5_600, 5_600), 10_000),
            None,
            "no whole bin before"
        );
        assert_eq!(
            of(&busy, (4_000, 4_000), 10_000),
            None,
            "no delivery before"
        );
        assert_eq!(of(&busy, (7_100, 7_100), 7_400), None, "no whole bin after");
        assert_eq!(of(&busy, (7_100, 7_100), 8_500), None, "not back");
        assert_eq!(of(&busy, (7_100, 7_100), 10_000), None, "then nothing");
        assert_eq!(of(&[], (7_100, 7_100), 10_000), None);
    }
}
