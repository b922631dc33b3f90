//! Time, spans of time and link rates, as integers: one tick is one picosecond.
//!
//! A byte at 800 Gb/s takes exactly 10 ps, so the rates of the paper divide the tick; a rate that
//! does not is rounded up per frame (a link is never faster than its rate). Byte counts are plain
//! `u32` (one frame) or `u64` (totals) whose names end in `bytes`. 2^64 ps are 213 days.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

/// An instant: picoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

/// A length of time in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than every event: "never".
    pub const NEVER: Self = Self(u64::MAX);

    /// The span since `earlier`, or zero if `earlier` is later.
    #[inline]
    #[must_use]
    pub fn saturating_since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// The instant `span` later; [`Time::NEVER`] beyond all that can be counted.
    #[inline]
    #[must_use]
    pub const fn saturating_add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A span of whole nanoseconds.
    #[must_use]
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns * 1_000)
    }

    /// The span in nanoseconds, for messages only.
    #[must_use]
    pub fn as_ns(self) -> f64 {
        self.0 as f64 / 1e3
    }
}

impl Add<Span> for Time {
    type Output = Self;
    #[inline]
    fn add(self, span: Span) -> Self {
        Self(self.0 + span.0)
    }
}

impl AddAssign<Span> for Time {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        self.0 += span.0;
    }
}

impl Sub for Time {
    type Output = Span;
    #[inline]
    fn sub(self, earlier: Self) -> Span {
        Span(self.0 - earlier.0)
    }
}

impl Add for Span {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Span {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    #[inline]
    fn mul(self, times: u64) -> Self {
        Self(self.0 * times)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Span(self.0).fmt(f)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ps = self.0;
        match ps {
            0..1_000 => write!(f, "{ps} ps"),
            1_000..1_000_000 => write!(f, "{:.2} ns", ps as f64 / 1e3),
            1_000_000..1_000_000_000 => write!(f, "{:.3} us", ps as f64 / 1e6),
            _ => write!(f, "{:.3} ms", ps as f64 / 1e9),
        }
    }
}

/// The rate of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    bits_per_sec: u64,
    /// Picoseconds a byte takes, if that is a whole number; else 0.
    whole_ps_per_byte: u64,
}

impl Rate {
    /// 8 bits x 10^12 ps: a byte takes this over the rate in bit/s.
    const BYTE: u64 = 8_000_000_000_000;

    /// A rate of `bits_per_sec` > 0.
    #[must_use]
    pub const fn from_bits_per_sec(bits_per_sec: u64) -> Self {
        let whole = if Self::BYTE.is_multiple_of(bits_per_sec) {
            Self::BYTE / bits_per_sec
        } else {
            0
        };
        Self {
            bits_per_sec,
            whole_ps_per_byte: whole,
        }
    }

    /// A rate of whole Gb/s.
    #[must_use]
    pub const fn from_gbps(gbps: u64) -> Self {
        Self::from_bits_per_sec(gbps * 1_000_000_000)
    }

    /// The rate in bit/s.
    #[must_use]
    pub const fn bits_per_sec(self) -> u64 {
        self.bits_per_sec
    }

    /// The time that `bytes` take on the wire, rounded up to a whole picosecond.
    #[inline]
    #[must_use]
    pub fn tx_time(self, bytes: u64) -> Span {
        if self.whole_ps_per_byte != 0 {
            return Span(bytes * self.whole_ps_per_byte);
        }
        let exact = u128::from(bytes) * u128::from(Self::BYTE);
        Span(exact.div_ceil(u128::from(self.bits_per_sec)) as u64)
    }
}

/// A positive fraction, kept exact: the offered load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// Numerator.
    pub num: u64,
    /// Denominator, not zero.
    pub den: u64,
}

impl Ratio {
    /// One.
    pub const ONE: Self = Self { num: 1, den: 1 };

    /// `count` / 10^6.
    #[must_use]
    pub const fn millionths(count: u64) -> Self {
        Self {
            num: count,
            den: 1_000_000,
        }
    }

    /// `span` divided by this ratio, rounded up to a whole picosecond.
    #[inline]
    #[must_use]
    pub fn stretch(self, span: Span) -> Span {
        if self.num == self.den {
            return span;
        }
        let exact = u128::from(span.0) * u128::from(self.den);
        Span(exact.div_ceil(u128::from(self.num)) as u64)
    }

    /// The nearest `f64`, for reports.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.num as f64 / self.den as f64
    }
}

/// How slow a clock is, exactly: a span by it is longer by this many parts in 10^12 (a millionth of a part per million).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drift(pub u64);

impl Drift {
    /// A perfect clock.
    pub const NONE: Self = Self(0);
    /// Parts of a whole; also the parts of a picosecond in which [`Drift::exact`] counts.
    pub const PARTS: u64 = 1_000_000_000_000;

    /// `span` by this clock, in 10^-12 ps.
    #[inline]
    #[must_use]
    pub fn exact(self, span: Span) -> u128 {
        u128::from(span.0) * u128::from(Self::PARTS + self.0)
    }

    /// `span` by this clock, rounded up to a whole picosecond.
    #[inline]
    #[must_use]
    pub fn stretch(self, span: Span) -> Span {
        if self == Self::NONE {
            return span;
        }
        Span(self.exact(span).div_ceil(u128::from(Self::PARTS)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_4158_byte_frame_takes_41_580_ps_at_800_gbps() {
        assert_eq!(Rate::from_gbps(800).tx_time(4158), Span(41_580));
    }

    #[test]
    fn a_rate_that_does_not_divide_a_picosecond_rounds_up_once_a_frame() {
        assert_eq!(Rate::from_gbps(300).tx_time(1), Span(27));
        assert_eq!(Rate::from_gbps(300).tx_time(3), Span(80));
    }

    #[test]
    fn a_clock_that_is_100_ppm_slow_stretches_10_000_ps_by_one() {
        let slow = Drift(100_000_000);
        assert_eq!(slow.stretch(Span(10_000)), Span(10_001));
        assert_eq!(slow.stretch(Span(1)), Span(2), "rounded up");
        assert_eq!(Drift::NONE.stretch(Span(7)), Span(7));
    }

    #[test]
    fn a_load_of_nine_tenths_stretches_exactly_and_rounds_up() {
        let load = Ratio { num: 9, den: 10 };
        assert_eq!(load.stretch(Span(9)), Span(10));
        assert_eq!(load.stretch(Span(10)), Span(12));
        assert_eq!(Ratio::ONE.stretch(Span(7)), Span(7));
    }
}
