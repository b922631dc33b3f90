//! Exact decimals: a JSON number as an integer count of some power of ten, never through rounding.

use crate::json::{Json, Origin, Value};
use crate::units::Ratio;

/// The most significant digits of a decimal: up to here the shortest text of an `f64` is what the user wrote.
const DIGITS: usize = 15;

/// How a decimal is counted: a key in nanoseconds has 3 places, and then counts picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Decimal places that are kept.
    pub places: u32,
    /// What is allowed, in words, before the range: `nanoseconds`, `a number`.
    pub noun: &'static str,
    /// The finest step, in words: `a whole picosecond`.
    pub finest: &'static str,
}

impl Scale {
    /// Whole numbers.
    pub const WHOLE: Self = Self {
        places: 0,
        noun: "an integer",
        finest: "an integer",
    };
    /// Nanoseconds, counted in picoseconds.
    pub const NS: Self = Self {
        places: 3,
        noun: "nanoseconds",
        finest: "a whole picosecond",
    };
    /// Microseconds, counted in picoseconds.
    pub const US: Self = Self {
        places: 6,
        noun: "microseconds",
        finest: "a whole picosecond",
    };
    /// Parts per million, counted in parts in 10^12.
    pub const PPM: Self = Self {
        places: 6,
        noun: "parts per million",
        finest: "a millionth of one",
    };
    /// A plain number, counted in millionths.
    pub const MILLIONTHS: Self = Self {
        places: 6,
        noun: "a number",
        finest: "a millionth",
    };
    /// Gb/s, counted in bit/s.
    pub const GBPS: Self = Self {
        places: 9,
        noun: "Gb/s",
        finest: "a whole bit/s",
    };

    /// `count` as a decimal: 1500 picoseconds are `1.5` nanoseconds.
    #[must_use]
    pub fn decimal(self, count: u64) -> String {
        let unit = 10_u64.pow(self.places);
        let (whole, part) = (count / unit, count % unit);
        if part == 0 {
            return whole.to_string();
        }
        let places = self.places as usize;
        let digits = format!("{part:0places$}");
        format!("{whole}.{}", digits.trim_end_matches('0'))
    }

    /// `count` as JSON: an integer where it is whole.
    #[must_use]
    pub fn json(self, count: u64, origin: Origin) -> Json {
        let unit = 10_u64.pow(self.places);
        let value = if count.is_multiple_of(unit) {
            Value::Integer(count / unit)
        } else {
            Value::Float(self.decimal(count).parse().unwrap_or(f64::MAX))
        };
        Json::new(value, origin)
    }
}

/// Why a number is no exact decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inexact {
    /// Below zero.
    Negative,
    /// More significant digits than an `f64` keeps.
    TooManyDigits,
    /// Not a whole number of the finest step.
    TooFine,
    /// Beyond 2^64 of the finest step.
    TooLarge,
}

/// A number as digits x 10^exponent; `None` if it is no number.
fn digits(json: &Json) -> Option<Result<(u64, i32), Inexact>> {
    let number = match json.value {
        Value::Integer(number) => return Some(Ok((number, 0))),
        Value::Float(number) => number,
        _ => return None,
    };
    if number < 0.0 {
        return Some(Err(Inexact::Negative));
    }
    if number >= u64::MAX as f64 {
        return Some(Err(Inexact::TooLarge));
    }
    // The shortest text that parses to the same number: `1.234e-5`.
    let text = format!("{number:e}");
    let (mantissa, exponent) = text.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    let places = mantissa.split_once('.').map_or(0, |(_, part)| part.len());
    let plain: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    if plain.len() > DIGITS {
        return Some(Err(Inexact::TooManyDigits));
    }
    Some(Ok((plain.parse().ok()?, exponent - places as i32)))
}

/// `json` x 10^`places`, which must be a whole number; `None` if it is no number.
#[must_use]
pub fn scaled(json: &Json, places: u32) -> Option<Result<u64, Inexact>> {
    Some(digits(json)?.and_then(|(number, exponent)| {
        let shift = i64::from(exponent) + i64::from(places);
        let power = u32::try_from(shift.unsigned_abs()).unwrap_or(u32::MAX);
        let factor = 10_u64.checked_pow(power);
        match (number, factor) {
            (0, _) => Ok(0),
            (_, Some(factor)) if shift >= 0 => number.checked_mul(factor).ok_or(Inexact::TooLarge),
            (_, None) if shift >= 0 => Err(Inexact::TooLarge),
            (_, Some(factor)) if number.is_multiple_of(factor) => Ok(number / factor),
            _ => Err(Inexact::TooFine),
        }
    }))
}

/// `json` as a reduced fraction with a denominator of at most 10^15; `None` if it is no number.
#[must_use]
pub fn ratio(json: &Json) -> Option<Result<Ratio, Inexact>> {
    Some(match scaled(json, 0)? {
        Err(Inexact::TooFine) => scaled(json, DIGITS as u32)?.map(reduced),
        whole => whole.map(|num| Ratio { num, den: 1 }),
    })
}

/// `count` / 10^15 in lowest terms.
fn reduced(count: u64) -> Ratio {
    let whole = 10_u64.pow(DIGITS as u32);
    let divisor = gcd(count, whole);
    Ratio {
        num: count / divisor,
        den: whole / divisor,
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn json(text: &str) -> Json {
        parse(text, Origin(0)).expect("the test's JSON parses")
    }

    #[test]
    fn decimals_are_counted_exactly_in_their_finest_step() {
        for (text, count) in [
            ("0.5", 500),
            ("0.001", 1),
            ("1e-3", 1),
            ("500", 500_000),
            ("1e6", 1_000_000_000),
            ("33.333", 33_333),
            ("0.0", 0),
            ("-0", 0),
            ("1.1", 1_100),
        ] {
            assert_eq!(scaled(&json(text), 3), Some(Ok(count)), "{text}");
        }
    }

    #[test]
    fn what_has_no_exact_count_is_refused() {
        for (text, error) in [
            ("0.0001", Inexact::TooFine),
            ("1e-300", Inexact::TooFine),
            ("1e300", Inexact::TooLarge),
            ("18446744073709551615", Inexact::TooLarge),
            ("18446744073709551616", Inexact::TooLarge),
            ("0.1234567890123456", Inexact::TooManyDigits),
            ("-1", Inexact::Negative),
            ("-0.5", Inexact::Negative),
        ] {
            assert_eq!(scaled(&json(text), 3), Some(Err(error)), "{text}");
        }
        assert_eq!(scaled(&json("\"1\""), 3), None);
        assert_eq!(scaled(&json("null"), 3), None);
    }

    #[test]
    fn a_fraction_is_exact_and_reduced() {
        assert_eq!(ratio(&json("0.9")), Some(Ok(Ratio { num: 9, den: 10 })));
        assert_eq!(ratio(&json("0.75")), Some(Ok(Ratio { num: 3, den: 4 })));
        assert_eq!(ratio(&json("1.0")), Some(Ok(Ratio::ONE)));
        assert_eq!(ratio(&json("2.5")), Some(Ok(Ratio { num: 5, den: 2 })));
        let tiny = Ratio {
            num: 1,
            den: 1_000_000_000_000_000,
        };
        assert_eq!(ratio(&json("1e-15")), Some(Ok(tiny)));
        assert_eq!(ratio(&json("1e-16")), Some(Err(Inexact::TooFine)));
        assert_eq!(
            ratio(&json("0.1234567890123456")),
            Some(Err(Inexact::TooManyDigits))
        );
    }

    #[test]
    fn a_count_is_shown_without_needless_zeros() {
        assert_eq!(Scale::NS.decimal(1_500), "1.5");
        assert_eq!(Scale::NS.decimal(1), "0.001");
        assert_eq!(Scale::GBPS.decimal(800_000_000_000), "800");
        assert_eq!(Scale::NS.json(500, Origin(0)), json("0.5"));
        assert_eq!(Scale::NS.json(500_000, Origin(0)), json("500"));
    }
}
