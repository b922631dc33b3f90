//! The retransmission timeout: fixed, or estimated from RTT samples (RFC 6298), and lengthened by expiries in a row.
//!
//! RFC 6298's clock granularity is taken for nothing here. Its timer, which starts anew with each ACK, is NewReno's alone; the others run from
//! the oldest transmission in flight, as uet-htsim's does.

use crate::settings::{Rto, RtoKind};
use crate::units::{Span, Time};

/// The timeout of one connection.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct Timeout {
    settings: Rto,
    /// What a fixed timeout is, and an estimated one before the first sample.
    base: Span,
    /// Smoothed RTT and mean deviation, once there is a sample.
    estimate: Option<(u64, u64)>,
    /// Expiries in a row that count, and the last of them.
    in_a_row: u32,
    counted: Time,
}

impl Timeout {
    /// A timeout that is `first` before samples and expiries.
    pub(in crate::host) fn new(settings: Rto, first: Span) -> Self {
        Self {
            settings,
            base: first,
            estimate: None,
            in_a_row: 0,
            counted: Time::ZERO,
        }
    }

    /// A round trip took `rtt`.
    pub(in crate::host) fn sample(&mut self, rtt: Span) {
        let rtt = rtt.0;
        self.estimate = Some(match self.estimate {
            None => (rtt, rtt / 2),
            Some((smoothed, deviation)) => (
                (7 * smoothed + rtt) / 8,
                (3 * deviation + smoothed.abs_diff(rtt)) / 4,
            ),
        });
    }

    /// The smoothed RTT.
    pub(in crate::host) fn smoothed(&self) -> Option<Span> {
        self.estimate.map(|(smoothed, _)| Span(smoothed))
    }

    /// The timeout now.
    pub(in crate::host) fn span(&self) -> Span {
        let base = match (self.settings.kind, self.estimate) {
            (RtoKind::Estimated { min, .. }, Some((smoothed, deviation))) => {
                Span(smoothed + 4 * deviation)
                    .max(min)
                    .min(self.settings.max)
            }
            _ => self.base,
        };
        if self.settings.backoff == 1 {
            return base;
        }
        let factor = u64::from(self.settings.backoff).saturating_pow(self.in_a_row);
        Span(base.0.saturating_mul(factor)).min(self.settings.max.max(base))
    }

    /// It expired at `now` for a transmission of `sent_at`: how often in a row it has.
    pub(in crate::host) fn expire(&mut self, sent_at: Time, now: Time) -> u32 {
        if self.in_a_row == 0 || sent_at >= self.counted {
            self.in_a_row += 1;
            self.counted = now;
        }
        self.in_a_row
    }

    /// Expiries in a row that count.
    pub(in crate::host) fn in_a_row(&self) -> u32 {
        self.in_a_row
    }

    /// Something new was acknowledged.
    pub(in crate::host) fn progress(&mut self) {
        self.in_a_row = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::RtoScope;

    fn timeout(kind: RtoKind, backoff: u32) -> Timeout {
        let settings = Rto {
            kind,
            backoff,
            max: Span(5_000),
            scope: RtoScope::Oldest,
        };
        let first = match kind {
            RtoKind::Fixed(told) => told.unwrap_or(Span(700)),
            RtoKind::Estimated { initial, .. } => initial,
        };
        Timeout::new(settings, first)
    }

    #[test]
    fn the_estimate_is_that_of_rfc_6298() {
        let mut rto = timeout(
            RtoKind::Estimated {
                initial: Span(9_000),
                min: Span(10),
            },
            1,
        );
        assert_eq!(rto.span(), Span(9_000));
        rto.sample(Span(800));
        // 800 + 4 x 400.
        assert_eq!(rto.span(), Span(2_400));
        rto.sample(Span(1_600));
        // Deviation (3 x 400 + 800) / 4 = 500; smoothed (7 x 800 + 1600) / 8 = 900.
        assert_eq!(rto.span(), Span(2_900));
        assert_eq!(rto.smoothed(), Some(Span(900)));
    }

    #[test]
    fn the_least_timeout_holds() {
        let kind = RtoKind::Estimated {
            initial: Span(1),
            min: Span(3_000),
        };
        let mut rto = timeout(kind, 1);
        rto.sample(Span(100));
        assert_eq!(rto.span(), Span(3_000));
    }

    #[test]
    fn expiries_in_a_row_double_it_up_to_the_most_and_progress_ends_that() {
        let mut rto = timeout(RtoKind::Fixed(None), 2);
        let mut now = Time(0);
        let mut spans = Vec::new();
        for _ in 0..5 {
            spans.push(rto.span().0);
            let sent_at = now;
            now += rto.span();
            rto.expire(sent_at, now);
        }
        assert_eq!(spans, [700, 1_400, 2_800, 5_000, 5_000]);
        rto.progress();
        assert_eq!(rto.span(), Span(700));
    }

    #[test]
    fn what_was_sent_before_the_last_expiry_does_not_count_again() {
        let mut rto = timeout(RtoKind::Fixed(Some(Span(10))), 2);
        assert_eq!(rto.expire(Time(0), Time(10)), 1);
        assert_eq!(rto.expire(Time(1), Time(11)), 1);
        assert_eq!(rto.expire(Time(9), Time(19)), 1);
        assert_eq!(rto.expire(Time(10), Time(20)), 2);
    }
}
