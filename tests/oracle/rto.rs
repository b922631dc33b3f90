//! How long a sender waits for an answer.

use spraysim::scenario::Scenario;
use spraysim::settings::{Rto, RtoKind};
use spraysim::units::Span;

/// The timeout of one connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    settings: Rto,
    /// Before the first sample; always, if it is fixed.
    first: Span,
    /// Smoothed RTT and mean deviation, in picoseconds.
    smoothed: Option<(u64, u64)>,
    /// Expiries in a row.
    pub(crate) in_a_row: u32,
}

/// A fixed timeout as the scenario has it: 15 us and six times what the largest buffer takes to drain at the hosts' rate.
pub(crate) fn fixed(scenario: &Scenario, given: Option<Span>) -> Span {
    if let Some(given) = given {
        return given;
    }
    let fabric = &scenario.fabric;
    let levels = usize::from(fabric.shape.levels);
    let tiers = &fabric.tiers[..levels];
    let down = tiers.iter().map(|tier| tier.down_buffer_bytes);
    let up = tiers[..levels - 1].iter().map(|tier| tier.up_buffer_bytes);
    let buffers: Option<Vec<u64>> = match fabric.queue.shared_buffer {
        Some(shared) => Some(vec![shared.bytes]),
        None => down.chain(up).collect(),
    };
    let largest = buffers.and_then(|buffers| buffers.into_iter().max());
    largest.map_or(Span(100_000_000), |bytes| {
        Span(15_000_000) + fabric.host_rate().tx_time(6 * bytes)
    })
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
