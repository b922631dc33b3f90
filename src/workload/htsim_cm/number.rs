//! Numbers of a matrix, without floating point.

use crate::fields::words;
use crate::units::Time;

words! {
    /// Unit of `start`.
    pub enum StartUnit {
        /// Microseconds: uet-htsim's UEC. Decimals down to a picosecond.
        Microseconds = "us",
        /// Whole picoseconds: the REPS artifact, csg-htsim and others.
        Picoseconds = "ps",
    }
}

/// Why a start could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartError {
    NoUnit,
    Malformed,
    Negative,
    Fraction,
    TooLate,
}

impl StartError {
    /// What follows the value in the message.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::NoUnit => "has no unit",
            Self::Malformed => "is no decimal number; allowed: 0 or more",
            Self::Negative => "is negative; allowed: 0 or more",
            Self::Fraction => "is no whole number of picoseconds",
            Self::TooLate => "is too late; allowed: up to 18446744073709551615 ps",
        }
    }
}

/// Digits only, as a number.
pub(super) fn whole(word: &str) -> Option<u64> {
    if !is_digits(word) {
        return None;
    }
    word.parse().ok()
}

fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// A decimal start, exact; without a unit only zero can be read.
pub(super) fn start(word: &str, unit: Option<StartUnit>) -> Result<Time, StartError> {
    let (negative, size) = match word.strip_prefix('-') {
        Some(size) => (true, size),
        None => (false, word),
    };
    let (integer, fraction) = size.split_once('.').unwrap_or((size, "0"));
    if !is_digits(integer) || !is_digits(fraction) {
        return Err(StartError::Malformed);
    }
    let fraction = fraction.trim_end_matches('0');
    let is_zero = fraction.is_empty() && integer.bytes().all(|digit| digit == b'0');
    if is_zero {
        return Ok(Time::ZERO);
    }
    if negative {
        return Err(StartError::Negative);
    }
    let digits = match unit {
        None => return Err(StartError::NoUnit),
        Some(StartUnit::Microseconds) => 6,
        Some(StartUnit::Picoseconds) => 0,
    };
    if fraction.len() > digits {
        return Err(StartError::Fraction);
    }
    let ps = format!("{integer}{fraction:0<digits$}");
    ps.parse().map(Time).map_err(|_| StartError::TooLate)
}

#[cfg(test)]
mod tests {
    use super::StartError::*;
    use super::StartUnit::*;
    use super::*;

    #[test]
    fn microseconds_are_exact_to_the_picosecond() {
        let us = |word| start(word, Some(Microseconds));
        assert_eq!(us("1.5"), Ok(Time(1_500_000)));
        assert_eq!(us("16777217.000001"), Ok(Time(16_777_217_000_001)));
        assert_eq!(us("0.0000010000"), Ok(Time(1)));
        assert_eq!(us("0.0000001"), Err(Fraction));
        assert_eq!(us("18446744073709.551615"), Ok(Time(u64::MAX)));
        assert_eq!(us("18446744073709.551616"), Err(TooLate));
    }

    #[test]
    fn picoseconds_are_whole() {
        let ps = |word| start(word, Some(Picoseconds));
        assert_eq!(ps("3499686000"), Ok(Time(3_499_686_000)));
        assert_eq!(ps("7.0"), Ok(Time(7)));
        assert_eq!(ps("1.5"), Err(Fraction));
    }

    #[test]
    fn what_is_no_decimal_number_is_refused() {
        for word in [
            "", ".", "1.", ".5", "1e3", "+1", "nan", "1_0", "0x1", "--5", "1.2.3", "٣",
        ] {
            assert_eq!(start(word, Some(Microseconds)), Err(Malformed), "{word}");
        }
        assert_eq!(start("-5", Some(Microseconds)), Err(Negative));
        assert_eq!(start("-5", None), Err(Negative));
    }

    #[test]
    fn without_a_unit_only_zero_is_read() {
        assert_eq!(start("0", None), Ok(Time::ZERO));
        assert_eq!(start("00.00", None), Ok(Time::ZERO));
        assert_eq!(start("1", None), Err(NoUnit));
    }
}
