//! Exact fractions: probabilities, shares, percentages and factors.

use crate::json::Value;
use crate::units::Ratio;

use super::Fields;
use super::values::{exact_ratio, out_of_range};

impl Fields<'_> {
    /// An exact decimal fraction in (0, 1]; a missing key without a default is a problem.
    pub fn fraction(&mut self, key: &'static str, default: Option<Ratio>) -> Ratio {
        let words = "a number above 0 and up to 1";
        let value = default.map(|default| Value::Float(default.as_f64()));
        self.value(key, value, words, |json| {
            let exact = exact_ratio(json, words)?;
            if exact.num == 0 || exact.num > exact.den {
                return Err(out_of_range(json, words));
            }
            Ok(exact)
        })
        .unwrap_or_else(|| default.unwrap_or(Ratio::ONE))
    }

    /// An exact decimal above zero, up to `most`.
    pub fn positive(&mut self, key: &'static str, default: Ratio, most: u64) -> Ratio {
        let words = format!("a number above 0 and up to {most}");
        let value = Value::Float(default.as_f64());
        self.value(key, Some(value), &words, |json| {
            let exact = exact_ratio(json, &words)?;
            if exact.num == 0 || u128::from(exact.num) > u128::from(most) * u128::from(exact.den) {
                return Err(out_of_range(json, &words));
            }
            Ok(exact)
        })
        .unwrap_or(default)
    }

    /// An exact decimal above zero, up to `most`, or `null`, which is the default.
    pub fn nullable_positive(&mut self, key: &'static str, most: u64) -> Option<Ratio> {
        let words = format!("null, or a number above 0 and up to {most}");
        self.value(key, Some(Value::Null), &words, |json| {
            if json.value == Value::Null {
                return Ok(None);
            }
            let exact = exact_ratio(json, &words)?;
            if exact.num == 0 || u128::from(exact.num) > u128::from(most) * u128::from(exact.den) {
                return Err(out_of_range(json, &words));
            }
            Ok(Some(exact))
        })
        .flatten()
    }

    /// An exact decimal fraction in (0, 1), or `null`, which is the default.
    pub fn nullable_fraction(&mut self, key: &'static str) -> Option<Ratio> {
        let words = "null, or a number above 0 and below 1";
        self.value(key, Some(Value::Null), words, |json| {
            if json.value == Value::Null {
                return Ok(None);
            }
            let exact = exact_ratio(json, words)?;
            if exact.num == 0 || exact.num >= exact.den {
                return Err(out_of_range(json, words));
            }
            Ok(Some(exact))
        })
        .flatten()
    }

    /// An exact decimal from 0 to 100; the default is 0.
    pub fn percent(&mut self, key: &'static str) -> Ratio {
        let words = "a number from 0 to 100";
        self.value(key, Some(Value::Integer(0)), words, |json| {
            let exact = exact_ratio(json, words)?;
            if u128::from(exact.num) > 100 * u128::from(exact.den) {
                return Err(out_of_range(json, words));
            }
            Ok(exact)
        })
        .unwrap_or(Ratio { num: 0, den: 1 })
    }

    /// An exact decimal from 0 to 1; a missing one is a problem.
    pub fn share(&mut self, key: &'static str) -> Ratio {
        self.portion(key, None)
    }

    /// An exact decimal from 0 to 1; the default is 0.
    pub fn probability(&mut self, key: &'static str) -> Ratio {
        self.portion(key, Some(Value::Integer(0)))
    }

    fn portion(&mut self, key: &'static str, default: Option<Value>) -> Ratio {
        let words = "a number from 0 to 1";
        self.value(key, default, words, |json| {
            let exact = exact_ratio(json, words)?;
            if exact.num > exact.den {
                return Err(out_of_range(json, words));
            }
            Ok(exact)
        })
        .unwrap_or(Ratio { num: 0, den: 1 })
    }
}
