//! The clock of a host's transmitter, which may be slow.
//!
//! One oscillator sets the rate at which a NIC serialises, its gaps and the pace of its data, so all of them stretch by (1 + s). IEEE
//! 802.3 allows 100 parts per million either way. Here s is 0 or more, the fastest clock being the nominal one (our reading): the ports
//! of switches run at the nominal rate, and one fed for long by a faster sender would build a queue that in hardware the receiver's
//! elastic buffer absorbs by deleting idle. Only differences between hosts matter to lockstep, and those are kept.
//!
//! A slot of 41,780 ps is 0.04 ps longer at 1 ppm, so fractions of a picosecond are kept: the n-th frame of a busy wire leaves at
//! the whole picosecond at or after its exact instant. Not modelled: wander, and the clocks of switches and receivers.

use crate::units::{Drift, Span, Time};

/// The transmitter of one host.
#[derive(Debug)]
pub(super) struct TxClock {
    drift: Drift,
    /// By how much the wire is free before the whole picosecond at which it is said to be, in 10^-12 ps.
    early: u64,
}

impl TxClock {
    pub(super) fn new(drift: Drift) -> Self {
        Self { drift, early: 0 }
    }

    /// A frame starts at `at`, on a wire that has been free since `free`: when it has left, and when the wire is free again.
    #[inline]
    pub(super) fn send(&mut self, at: Time, free: Time, wire: Span, gap: Span) -> (Time, Time) {
        if self.drift == Drift::NONE {
            return (at + wire, at + wire + gap);
        }
        // Behind another frame it starts when the wire is free, to the fraction of a picosecond.
        let early = if at == free { self.early } else { 0 };
        let (left, _) = self.after(at, early, wire);
        let (free, early) = self.after(at, early, wire + gap);
        self.early = early;
        (left, free)
    }

    /// `span` by this clock after the instant that is `early` before `at`: rounded up, and by how much.
    fn after(&self, at: Time, early: u64, span: Span) -> (Time, u64) {
        let parts = u128::from(Drift::PARTS);
        // A frame takes a picosecond at least, and less than that is `early`.
        let exact = self.drift.exact(span) - u128::from(early);
        let whole = exact.div_ceil(parts);
        (at + Span(whole as u64), (whole * parts - exact) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIRE: Span = Span(41_580);
    const GAP: Span = Span(200);

    /// ceil(n (1 + s)) after `start`.
    fn exact(start: u64, span: u64, drift: u64) -> Time {
        Time(start + Drift(drift).stretch(Span(span)).0)
    }

    #[test]
    fn a_perfect_clock_adds_nothing() {
        let mut clock = TxClock::new(Drift::NONE);
        let sent = clock.send(Time(5), Time(0), WIRE, GAP);
        assert_eq!(sent, (Time(41_585), Time(41_785)));
    }

    #[test]
    fn the_nth_frame_of_a_busy_wire_leaves_at_its_exact_instant_rounded_up() {
        for drift in [1, 1_000_000, 1_999_999, 123_456_789, 2_000_000_000] {
            let mut clock = TxClock::new(Drift(drift));
            let (start, mut free) = (700, Time(700));
            for n in 0..100_000 {
                let (left, next) = clock.send(free, free, WIRE, GAP);
                assert_eq!(left, exact(start, n * 41_780 + 41_580, drift));
                assert_eq!(next, exact(start, (n + 1) * 41_780, drift));
                free = next;
            }
        }
    }

    #[test]
    fn a_pause_of_the_wire_starts_a_new_count() {
        let mut clock = TxClock::new(Drift(1_000_000));
        let (_, free) = clock.send(Time(0), Time(0), WIRE, GAP);
        let later = free + Span(1);
        let (left, _) = clock.send(later, free, WIRE, GAP);
        assert_eq!(left, exact(later.0, 41_580, 1_000_000));
    }
}
