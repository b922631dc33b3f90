//! How long a sender waits for an answer.

use spraysim::scenario::Scenario;
use spraysim::settings::{QueueKind, Rto, RtoKind};
use spraysim::units::{Rate, Span, Time};

/// The timeout of one connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    settings: Rto,
    /// Before the first sample; always, if it is fixed.
    first: Span,
    /// Smoothed RTT and mean deviation, in picoseconds.
    smoothed: Option<(u64, u64)>,
    /// Expiries in a row that count, and when the last of them was.
    pub(crate) in_a_row: u32,
    counted: Time,
}

/// A fixed timeout as the scenario has it: 15 us and six times what the largest buffer takes to drain; 10 ms where
/// nothing is dropped.
pub(crate) fn fixed(scenario: &Scenario, given: Option<Span>) -> Span {
    if let Some(given) = given {
        return given;
    }
    let fabric = &scenario.fabric;
    if matches!(fabric.queue.kind, QueueKind::Lossless(_)) {
        return Span(10_000_000_000);
    }
    let levels = usize::from(fabric.shape.levels);
    let tiers = &fabric.tiers[..levels];
    // Uplinks of a switch are links of the tier above it.
    let down = tiers.iter().map(|tier| (tier.rate, tier.down_buffer_bytes));
    let up = tiers
        .windows(2)
        .map(|pair| (pair[1].rate, pair[0].up_buffer_bytes));
    let drain = |(rate, bytes): (Rate, Option<u64>)| {
        // One port alone can have alpha / (1 + alpha) of a shared buffer.
        let share = fabric.queue.shared_buffer.map(|shared| {
            let (num, den) = (u128::from(shared.alpha.num), u128::from(shared.alpha.den));
            (u128::from(shared.bytes) * num / (num + den)) as u64
        });
        Some(rate.tx_time(share.or(bytes)?).0)
    };
    let drains: Option<Vec<u64>> = down.chain(up).map(drain).collect();
    let longest = drains.and_then(|drains| drains.into_iter().max());
    longest.map_or(Span(100_000_000), |drain| Span(15_000_000 + 6 * drain))
}

impl Patience {
    /// That of a connection that has seen nothing.
    pub(crate) fn new(settings: Rto, scenario: &Scenario) -> Self {
        let first = match settings.kind {
            RtoKind::Fixed(given) => fixed(scenario, given),
            RtoKind::Estimated { initial, .. } => initial,
        };
        Self {
            settings,
            first,
            smoothed: None,
            in_a_row: 0,
            counted: Time::ZERO,
        }
    }

    /// A round trip took `rtt`.
    pub(crate) fn sample(&mut self, rtt: Span) {
        let rtt = rtt.0;
        self.smoothed = Some(match self.smoothed {
            None => (rtt, rtt / 2),
            Some((mean, deviation)) => (
                (7 * mean + rtt) / 8,
                (3 * deviation + mean.abs_diff(rtt)) / 4,
            ),
        });
    }

    /// It expired at `now` for what was sent at `sent_at`: that counts unless it was sent before the last expiry that did.
    pub(crate) fn expire(&mut self, sent_at: Time, now: Time) {
        if self.in_a_row == 0 || sent_at >= self.counted {
            self.in_a_row += 1;
            self.counted = now;
        }
    }

    /// How long to wait now.
    pub(crate) fn span(&self) -> Span {
        let longest = self.settings.max.0;
        let base = match (self.settings.kind, self.smoothed) {
            (RtoKind::Estimated { min, .. }, Some((mean, deviation))) => {
                (mean + 4 * deviation).max(min.0).min(longest)
            }
            _ => self.first.0,
        };
        let mut span = base;
        for _ in 0..self.in_a_row {
            span = (span.saturating_mul(self.settings.backoff.into())).min(longest.max(base));
        }
        Span(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::bench::paper;
    use spraysim::settings::RtoScope;

    fn estimated(backoff: u32) -> Patience {
        let settings = Rto {
            kind: RtoKind::Estimated {
                initial: Span(100),
                min: Span(50),
            },
            backoff,
            max: Span(350),
            scope: RtoScope::Oldest,
        };
        Patience::new(settings, &paper(4))
    }

    #[test]
    fn an_estimate_follows_rfc_6298() {
        let mut patience = estimated(1);
        assert_eq!(patience.span(), Span(100));
        patience.sample(Span(80));
        // 80 + 4 x 40.
        assert_eq!(patience.span(), Span(240));
        patience.sample(Span(40));
        // Deviation (3 x 40 + 40) / 4 = 40, mean (7 x 80 + 40) / 8 = 75.
        assert_eq!(patience.span(), Span(235));
        for _ in 0..100 {
            patience.sample(Span(10));
        }
        assert_eq!(patience.span(), Span(50));
    }

    #[test]
    fn each_expiry_doubles_it_up_to_its_maximum() {
        let mut patience = estimated(2);
        let spans = [0, 1, 2, 9].map(|in_a_row| {
            patience.in_a_row = in_a_row;
            patience.span().0
        });
        assert_eq!(spans, [100, 200, 350, 350]);
    }

    #[test]
    fn a_fixed_one_goes_by_the_largest_buffer() {
        let mut scenario = paper(4);
        assert_eq!(fixed(&scenario, None), Span(100_000_000));
        scenario.fabric.each_tier(|tier| {
            tier.down_buffer_bytes = Some(400_000);
            tier.up_buffer_bytes = Some(800_000);
        });
        // 800 kB at 800 Gb/s: 8 us.
        assert_eq!(fixed(&scenario, None), Span(63_000_000));
        // Cores have no uplinks, so nothing stops them from having none of a given size.
        scenario.fabric.tiers[2].up_buffer_bytes = None;
        assert_eq!(fixed(&scenario, None), Span(63_000_000));
        scenario.fabric.tiers[1].up_buffer_bytes = None;
        assert_eq!(fixed(&scenario, None), Span(100_000_000));
        assert_eq!(fixed(&scenario, Some(Span(7))), Span(7));
    }
}
