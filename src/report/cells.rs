//! How single values look in a CSV: numbers with a fixed count of decimals, names of nodes.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::sim::NodeName;

/// A number written with `DECIMALS` decimals; unknown (or not finite) is an empty field.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decimal<const DECIMALS: usize>(pub Option<f64>);

/// A percentage.
pub type Percent = Decimal<4>;

/// A mean or a fraction.
pub type Mean = Decimal<6>;

impl<const DECIMALS: usize> Decimal<DECIMALS> {
    /// `numerator / denominator`; unknown if the denominator is zero.
    #[must_use]
    pub fn ratio(numerator: f64, denominator: f64) -> Self {
        Self((denominator != 0.0).then(|| numerator / denominator))
    }

    /// No value.
    #[must_use]
    pub const fn unknown() -> Self {
        Self(None)
    }
}

impl<const DECIMALS: usize> fmt::Display for Decimal<DECIMALS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(value) = self.0.filter(|value| value.is_finite()) else {
            return Ok(());
        };
        let text = format!("{value:.DECIMALS$}");
        let is_negative_zero =
            text.starts_with('-') && text.bytes().all(|b| matches!(b, b'-' | b'0' | b'.'));
        f.write_str(if is_negative_zero { &text[1..] } else { &text })
    }
}

impl<const DECIMALS: usize> Serialize for Decimal<DECIMALS> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A node's name as a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node(pub NodeName);

impl Default for Node {
    fn default() -> Self {
        Self(NodeName('h', 0))
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_exactly_its_decimals() {
        assert_eq!(Percent::ratio(1.0, 3.0).to_string(), "0.3333");
        assert_eq!(Mean::ratio(2.0, 1.0).to_string(), "2.000000");
    }

    #[test]
    fn unknown_and_not_finite_are_empty() {
        assert_eq!(Percent::ratio(1.0, 0.0).to_string(), "");
        assert_eq!(Percent::unknown().to_string(), "");
        assert_eq!(Decimal::<4>(Some(f64::NAN)).to_string(), "");
    }

    #[test]
    fn a_tiny_negative_value_is_zero_without_a_sign() {
        assert_eq!(Decimal::<4>(Some(-0.000_001)).to_string(), "0.0000");
        assert_eq!(Decimal::<4>(Some(-0.000_1)).to_string(), "-0.0001");
    }
}
