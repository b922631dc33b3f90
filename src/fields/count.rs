//! Numbers that are counted exactly: whole ones, and decimals in the finest step of their unit.

use std::marker::PhantomData;
use std::ops::RangeInclusive;

use crate::json::{Json, Origin, Value};
use crate::units::{Drift, Rate, Ratio, Span, Time};

use super::decimal::Scale;
use super::schema::{Schema, Step};
use super::shape::{Place, Shape};
use super::values::{count_in, refused};

/// What is counted in the finest step of a scale: whole numbers themselves, spans in picoseconds.
pub trait Counted: Copy {
    /// So many steps, which fit, as the shape's range ends below the type's.
    fn of(count: u64) -> Self;
    /// How many.
    fn count(self) -> u64;
}

macro_rules! counted {
    ($($type:ty: |$count:ident| $of:expr, |$value:ident| $back:expr;)*) => {
        $(impl Counted for $type {
            fn of($count: u64) -> Self {
                $of
            }

            fn count(self) -> u64 {
                let $value = self;
                $back
            }
        })*
    };
}

counted! {
    u8: |count| Self::try_from(count).unwrap_or(Self::MAX), |value| value.into();
    u16: |count| Self::try_from(count).unwrap_or(Self::MAX), |value| value.into();
    u32: |count| Self::try_from(count).unwrap_or(Self::MAX), |value| value.into();
    u64: |count| count, |value| value;
    usize: |count| Self::try_from(count).unwrap_or(Self::MAX), |value| value as u64;
    Span: |count| Self(count), |span| span.0;
    Time: |count| Self(count), |time| time.0;
    Drift: |count| Self(count), |drift| drift.0;
    Rate: |count| Self::from_bits_per_sec(count), |rate| rate.bits_per_sec();
    Ratio: |count| Self::millionths(count), |ratio| ratio.num * 1_000_000 / ratio.den;
}

/// A number counted in the finest step of a scale, within a range: [`integer`], [`nanoseconds`] and the like.
#[derive(Clone, Debug)]
pub struct Count<T> {
    scale: Scale,
    range: RangeInclusive<u64>,
    step: Step,
    of: PhantomData<T>,
}

const fn counted<T>(scale: Scale, range: RangeInclusive<u64>) -> Count<T> {
    let (step, of) = (Step::Any, PhantomData);
    Count {
        scale,
        range,
        step,
        of,
    }
}

impl<T> Count<T> {
    const fn only(self, step: Step) -> Self {
        let Self {
            scale, range, of, ..
        } = self;
        Self {
            scale,
            range,
            step,
            of,
        }
    }
}

/// A whole number within `range`.
#[must_use]
pub const fn integer<T>(range: RangeInclusive<u64>) -> Count<T> {
    counted(Scale::WHOLE, range)
}

/// An even number within `range`; `why` goes before examples of even ones.
#[must_use]
pub const fn even<T>(range: RangeInclusive<u64>, why: &'static str) -> Count<T> {
    integer(range).only(Step::Even(why))
}

/// A power of two within `range`.
#[must_use]
pub const fn power_of_two<T>(range: RangeInclusive<u64>) -> Count<T> {
    integer(range).only(Step::PowerOfTwo)
}

/// Nanoseconds within `range` of picoseconds.
#[must_use]
pub const fn nanoseconds<T>(range: RangeInclusive<u64>) -> Count<T> {
    counted(Scale::NS, range)
}

/// Microseconds within `range` of picoseconds.
#[must_use]
pub const fn microseconds<T>(range: RangeInclusive<u64>) -> Count<T> {
    counted(Scale::US, range)
}

/// Gb/s within `range` of bit/s.
#[must_use]
pub const fn gbps(range: RangeInclusive<u64>) -> Count<Rate> {
    counted(Scale::GBPS, range)
}

/// Parts per million within `range` of millionths of one.
#[must_use]
pub const fn ppm(range: RangeInclusive<u64>) -> Count<Drift> {
    counted(Scale::PPM, range)
}

/// A plain number within `range` of millionths.
#[must_use]
pub const fn millionths(range: RangeInclusive<u64>) -> Count<Ratio> {
    counted(Scale::MILLIONTHS, range)
}

/// A plain number from 0 to `most`, down to a millionth.
#[must_use]
pub const fn up_to(most: u64) -> Count<Ratio> {
    millionths(0..=most * 1_000_000)
}

impl<T: Counted> Shape for Count<T> {
    type Value = T;

    fn schema(&self) -> Schema {
        Schema::Count(self.scale, self.range.clone(), self.step)
    }

    fn read(&self, json: &Json, place: &mut Place<'_>) -> Option<(T, Json)> {
        place.leaf(json, |words| {
            let read = count_in(json, self.scale, &self.range, words);
            match (self.step, read) {
                (Step::PowerOfTwo, Err(_)) => Err(refused(json, words)),
                (step, Ok(count)) if !step.has(count) => Err(match step {
                    Step::Even(why) => {
                        let (below, above) = (count - 1, count + 1);
                        format!("{count} is odd; {why}, e.g. {below} or {above}")
                    }
                    _ => refused(json, words),
                }),
                (_, read) => read.map(T::of),
            }
        })
    }

    fn write(&self, value: &T) -> Value {
        self.scale.json(value.count(), Origin::default()).value
    }

    fn stand_in(&self) -> T {
        T::of(*self.range.start())
    }
}
