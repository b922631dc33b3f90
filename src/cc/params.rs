//! Parameters of controllers: how ratios are read, and how the table of a controller that extends another one is made.

use crate::fields::{Fields, ParamDoc, Scale};
use crate::units::Ratio;

/// `count` / 10^6.
pub(super) const fn millionths(count: u64) -> Ratio {
    Ratio {
        num: count,
        den: 1_000_000,
    }
}

/// A number from 0 to `most`; `default` in millionths.
pub(super) fn up_to(
    fields: &mut Fields<'_>,
    key: &'static str,
    default: Ratio,
    most: u64,
) -> Ratio {
    let range = 0..=most * 1_000_000;
    millionths(fields.decimal(key, Some(default.num), Scale::MILLIONTHS, range))
}

/// The parameters `first`, then `more`; N of them.
pub(super) const fn joined<const N: usize>(first: &[ParamDoc], more: &[ParamDoc]) -> [ParamDoc; N] {
    let mut all = [first[0]; N];
    let (start, end) = all.split_at_mut(first.len());
    start.copy_from_slice(first);
    end.copy_from_slice(more);
    all
}
