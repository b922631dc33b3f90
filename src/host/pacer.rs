//! Pacing of a host's data at a fraction of line rate.
//!
//! Data packet j of a busy period is due at base + ceil(W / load) + jitter, where W is the wire time (gaps included) of the data that
//! the host sent before it in that period: with full frames one packet every slot / load (paper section 2.2). A busy period starts when
//! a flow starts at a host that has no data to send, but not before the next packet of the last period would have been due. At load 1
//! without jitter data is always due. The grid stretches with the host's clock; jitter does not. The jitter of each packet is its own and does not
//! add up (our reading of "optional jitter"), or delays all later packets of the period too (the authors' public simulator).

use crate::rng::Rng;
use crate::units::{Drift, Ratio, Span, Time};

/// How a host paces.
#[derive(Clone, Copy, Debug)]
pub struct PacerSettings {
    /// Offered load.
    pub load: Ratio,
    /// Each packet's own delay is uniform in whole ps below this; zero: none.
    pub jitter: Span,
    /// Whether that delays all later packets of the busy period too.
    pub adds: bool,
    /// How slow the host's clock is.
    pub drift: Drift,
}

/// The pacer of one host.
#[derive(Debug)]
pub struct Pacer {
    settings: PacerSettings,
    rng: Rng,
    base: Time,
    /// Wire time of the data sent in this busy period.
    wire: Span,
    jitter: Span,
}

impl Pacer {
    /// A pacer that draws jitter from `rng`.
    #[must_use]
    pub fn new(settings: PacerSettings, rng: Rng) -> Self {
        Self {
            settings,
            rng,
            base: Time::ZERO,
            wire: Span::ZERO,
            jitter: Span::ZERO,
        }
    }

    /// How slow the host's clock is.
    pub fn drift(&self) -> Drift {
        self.settings.drift
    }

    #[inline]
    fn always_due(&self) -> bool {
        self.settings.load == Ratio::ONE && self.settings.jitter == Span::ZERO
    }

    /// When the next packet would be due without jitter.
    fn grid(&self) -> Time {
        let PacerSettings { load, drift, .. } = self.settings;
        self.base + drift.stretch(load.stretch(self.wire))
    }

    /// When the next data packet is due.
    #[inline]
    pub fn due(&self) -> Time {
        if self.always_due() {
            Time::ZERO
        } else {
            self.grid() + self.jitter
        }
    }

    /// The earliest instant at which data can be due if a busy period starts at `start`.
    pub fn due_if_started(&self, start: Time) -> Time {
        if self.always_due() {
            start
        } else {
            start.max(self.grid())
        }
    }

    /// A busy period starts at `start`.
    pub fn start(&mut self, start: Time) {
        if self.always_due() {
            return;
        }
        self.base = start.max(self.grid());
        self.wire = Span::ZERO;
        self.draw();
    }

    /// A data packet that takes `wire` (gap included) was sent; `more` wait.
    #[inline]
    pub fn sent(&mut self, wire: Span, more: bool) {
        if self.always_due() {
            return;
        }
        self.wire += wire;
        if self.settings.adds {
            self.base += self.jitter;
        }
        self.jitter = Span::ZERO;
        if more {
            self.draw();
        }
    }

    fn draw(&mut self) {
        if self.settings.jitter > Span::ZERO {
            self.jitter = Span(self.rng.below_u64(self.settings.jitter.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Domain;

    fn pacer(load: Ratio, jitter: u64) -> Pacer {
        slow_pacer(load, jitter, Drift::NONE)
    }

    /// How late packets 0 to 999 of 100 ps are, with jitter below 50 ps.
    fn lateness(adds: bool) -> Vec<u64> {
        let mut pacer = pacer(Ratio::ONE, 50);
        pacer.settings.adds = adds;
        pacer.start(Time(0));
        let mut late = Vec::new();
        for packet in 0..1_000 {
            late.push(pacer.due().0 - packet * 100);
            pacer.sent(Span(100), true);
        }
        late
    }

    fn slow_pacer(load: Ratio, jitter: u64, drift: Drift) -> Pacer {
        let rng = Rng::stream(1, Domain::PacingJitter, 0);
        Pacer::new(
            PacerSettings {
                load,
                jitter: Span(jitter),
                adds: false,
                drift,
            },
            rng,
        )
    }

    #[test]
    fn a_slow_clock_stretches_the_grid_without_adding_up_roundings() {
        // 10 ppm of 2 x 41,780 ps are 0.8356 ps a packet.
        let mut pacer = slow_pacer(Ratio { num: 1, den: 2 }, 0, Drift(10_000_000));
        pacer.start(Time(100));
        let mut due = Vec::new();
        for _ in 0..1_001 {
            due.push(pacer.due().0);
            pacer.sent(Span(41_780), true);
        }
        assert_eq!(due[..3], [100, 83_661, 167_222]);
        assert_eq!(due[1_000], 100 + 83_560_000 + 836);
    }

    #[test]
    fn packets_are_due_on_a_grid_that_does_not_drift() {
        let mut pacer = pacer(Ratio { num: 9, den: 10 }, 0);
        pacer.start(Time(100));
        let mut due = Vec::new();
        for _ in 0..4 {
            due.push(pacer.due().0);
            pacer.sent(Span(41_780), true);
        }
        assert_eq!(due, [100, 46_523, 92_945, 139_367]);
    }

    #[test]
    fn a_new_busy_period_does_not_outrun_the_load() {
        let mut pacer = pacer(Ratio { num: 1, den: 2 }, 0);
        pacer.start(Time(0));
        pacer.sent(Span(100), false);
        assert_eq!(pacer.due_if_started(Time(150)), Time(200));
        pacer.start(Time(150));
        assert_eq!(pacer.due(), Time(200));
        pacer.sent(Span(100), false);
        pacer.start(Time(1_000));
        assert_eq!(pacer.due(), Time(1_000));
    }

    #[test]
    fn jitter_stays_within_its_bound_and_off_the_grid_only() {
        assert!(lateness(false).iter().all(|late| *late < 50));
    }

    #[test]
    fn jitter_that_adds_up_is_the_sum_of_what_each_packet_drew() {
        let sums = lateness(false).into_iter().scan(0, |sum, late| {
            *sum += late;
            Some(*sum)
        });
        assert_eq!(lateness(true), sums.collect::<Vec<_>>());
    }
}
