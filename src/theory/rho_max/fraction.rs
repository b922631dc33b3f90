//! Exact fractions, and the fractions of 64 bits next to them.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

use crate::units::Ratio;

/// `num / den`, for `den` > 0.
pub(super) fn fraction(num: impl Into<BigInt>, den: impl Into<BigInt>) -> BigRational {
    BigRational::new(num.into(), den.into())
}

/// The `f64` next to `x`, or one of the two; loads and shares are within its range.
pub(super) fn approximate(x: &BigRational) -> f64 {
    x.to_f64().unwrap_or(f64::INFINITY)
}

/// The sum of `terms`, added in pairs, so that most additions are of short numbers.
pub(super) fn sum(mut terms: Vec<BigRational>) -> BigRational {
    while terms.len() > 1 {
        terms = terms
            .chunks(2)
            .map(|pair| pair.iter().fold(BigRational::zero(), |a, b| a + b))
            .collect();
    }
    terms.pop().unwrap_or_else(BigRational::zero)
}

/// The greatest fraction of 64-bit integers that is at most `x`, and whether it is `x`; `x` is in (0, 1].
pub(super) fn at_most(x: &BigRational) -> (Ratio, bool) {
    let (below, _) = neighbours(x, &BigInt::from(u64::MAX));
    let part = |integer: &BigInt| integer.to_u64().unwrap_or(u64::MAX);
    let ratio = Ratio {
        num: part(below.numer()),
        den: part(below.denom()),
    };
    (ratio, below == *x)
}

/// The fraction of a denominator up to `limit` that is closest to `x`.
pub(super) fn closest(x: &BigRational, limit: u32) -> BigRational {
    match neighbours(x, &limit.into()) {
        (below, Some(above)) if &above - x < x - &below => above,
        (below, _) => below,
    }
}

/// The greatest fraction up to `x` of a denominator up to `limit`, and one above that none of these lies between; `None` if there
/// is none of a denominator above 0. Walks down the tree of Stern and Brocot, a run of equal turns at a time; `x` is not negative.
fn neighbours(x: &BigRational, limit: &BigInt) -> (BigRational, Option<BigRational>) {
    type Pair = (BigInt, BigInt);
    // How far a pair lies from x, up to a common factor, and as many steps as a denominator allows.
    let off = |(n, d): &Pair| x.numer() * d - x.denom() * n;
    let room = |to: &Pair, by: &Pair| match by.1.is_zero() {
        true => None,
        false => Some((limit - &to.1) / &by.1),
    };
    let (mut low, mut high): (Pair, Pair) = (
        (BigInt::zero(), BigInt::one()),
        (BigInt::one(), BigInt::zero()),
    );
    loop {
        let wanted = off(&low) / -off(&high);
        let steps = match room(&low, &high) {
            Some(room) => room.min(wanted),
            None => wanted,
        };
        low = (&low.0 + &steps * &high.0, &low.1 + &steps * &high.1);
        let rest = off(&low);
        if rest.is_zero() {
            break;
        }
        // Steps that leave `high` above x.
        let wanted = (-off(&high) - BigInt::one()) / &rest;
        let free = (limit - &high.1) / &low.1;
        let turns = free.min(wanted);
        high = (&high.0 + &turns * &low.0, &high.1 + &turns * &low.1);
        if steps.is_zero() && turns.is_zero() {
            break;
        }
    }
    let whole = |(n, d): Pair| (!d.is_zero()).then(|| BigRational::new(n, d));
    let below = BigRational::new(low.0, low.1);
    (below, whole(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_those_of_the_list_of_all_fractions() {
        for limit in 1..9_i64 {
            for den in 1..40_i64 {
                for num in 0..=2 * den {
                    let x = fraction(num, den);
                    let all = || (1..=limit).flat_map(|d| (0..=3 * d).map(move |n| fraction(n, d)));
                    let below = all().filter(|y| *y <= x).max();
                    let (found, above) = neighbours(&x, &limit.into());
                    assert_eq!(Some(&found), below.as_ref(), "{x} {limit}");
                    if found != x {
                        assert_eq!(above, all().filter(|y| *y > x).min(), "{x} {limit}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_fits_64_bits_stays_and_what_does_not_is_rounded_down() {
        let (third, exact) = at_most(&fraction(1, 3));
        assert_eq!((third, exact), (Ratio { num: 1, den: 3 }, true));
        let huge: BigInt = BigInt::from(u64::MAX) * 3;
        let (one, exact) = at_most(&fraction(huge.clone() - 1, huge.clone()));
        assert!(!exact && one.num < one.den);
        let as_big = |ratio: Ratio| fraction(ratio.num, ratio.den);
        assert!(as_big(one) < fraction(huge.clone() - 1, huge));
        assert_eq!(at_most(&fraction(1, 1)), (Ratio::ONE, true));
    }

    #[test]
    fn the_closest_fraction_undoes_the_rounding_of_a_float() {
        for (num, den) in [(1, 3), (5, 7), (13, 11), (0, 1), (63, 64)] {
            let float = num as f64 / den as f64;
            let x = BigRational::from_float(float).expect("a number");
            assert_eq!(closest(&x, 64), fraction(num, den));
        }
    }

    #[test]
    fn sums_are_exact_for_any_number_of_terms() {
        for count in 0..20_i64 {
            let terms = (1..=count).map(|n| fraction(1, n * (n + 1))).collect();
            assert_eq!(sum(terms), fraction(count, count + 1));
        }
    }
}
