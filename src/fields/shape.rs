//! Single values: from JSON to what a key means, or to the words that refuse it.

use std::ops::RangeInclusive;

use crate::json::{Json, Origin, Value};
use crate::units::Ratio;

use super::Problem;
use super::schema::{Bounds, Schema, Size, Word};
use super::values::{canonical, exact_ratio, not_allowed, one_of, out_of_range, refused};

/// What may stand at a key, and what it means. Shapes are put together from parts: `nullable(integer(1..=64))`.
pub trait Shape {
    /// What it means.
    type Value: Clone;

    /// What may stand there, as data.
    fn schema(&self) -> Schema;

    /// What `json` means, and how the effective scenario has it; `None`: it was refused, and `place` told why.
    fn read(&self, json: &Json, place: &mut Place<'_>) -> Option<(Self::Value, Json)>;

    /// How a value is written.
    fn write(&self, value: &Self::Value) -> Value;

    /// A value to go on with where something else was refused.
    fn stand_in(&self) -> Self::Value;
}

/// Where a value stands, for what is wrong with it.
pub struct Place<'a> {
    /// Its path.
    pub path: String,
    /// The name of its key.
    pub key: &'a str,
    /// What is allowed, of all alternatives.
    pub words: &'a dyn Fn() -> String,
    /// What is wrong so far.
    pub problems: &'a mut Vec<Problem>,
}

impl std::fmt::Debug for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Place<'_> {
    /// Note what is wrong with `json`, which stands here.
    pub fn refuse(&mut self, json: &Json, text: String) {
        let (origin, path) = (json.origin, self.path.clone());
        self.problems.push(Problem { origin, path, text });
    }

    /// The elements of the list `json`; anything else is refused, and so is an empty list where there must be `Some`.
    pub fn elements<'b>(&mut self, json: &'b Json, size: Size) -> Option<&'b [Json]> {
        match &json.value {
            Value::List(elements) if elements.is_empty() && size == Size::Some => {
                self.refuse(
                    json,
                    format!("the list is empty; allowed: {}", (self.words)()),
                );
                None
            }
            Value::List(elements) => Some(elements),
            _ => {
                self.refuse(json, not_allowed(json, &(self.words)()));
                None
            }
        }
    }

    /// A single value, read by `parse`, which gets what is allowed in words.
    pub fn leaf<T>(
        &mut self,
        json: &Json,
        parse: impl FnOnce(&dyn Fn() -> String) -> Result<T, String>,
    ) -> Option<(T, Json)> {
        match parse(self.words) {
            Ok(value) => Some((value, canonical(json))),
            Err(text) => {
                self.refuse(json, text);
                None
            }
        }
    }
}

/// An exact decimal: [`number`].
#[derive(Clone, Copy, Debug)]
pub struct Number(Bounds);

/// An exact decimal within `bounds`.
#[must_use]
pub const fn number(bounds: Bounds) -> Number {
    Number(bounds)
}

/// An exact decimal from 0 to `most`.
#[must_use]
pub const fn number_to(most: u64) -> Number {
    Number(Bounds::from_zero(most))
}

/// An exact decimal above 0, up to `most`.
#[must_use]
pub const fn positive(most: u64) -> Number {
    Number(Bounds::positive(most))
}

impl Shape for Number {
    type Value = Ratio;

    fn schema(&self) -> Schema {
        Schema::Number(self.0)
    }

    fn read(&self, json: &Json, place: &mut Place<'_>) -> Option<(Ratio, Json)> {
        place.leaf(json, |words| {
            let exact = exact_ratio(json, words)?;
            if self.0.has(exact) {
                Ok(exact)
            } else {
                Err(out_of_range(json, words))
            }
        })
    }

    fn write(&self, value: &Ratio) -> Value {
        canonical(&Json::new(Value::Float(value.as_f64()), Origin::default())).value
    }

    fn stand_in(&self) -> Ratio {
        if self.0.zero {
            Ratio { num: 0, den: 1 }
        } else {
            Ratio::ONE
        }
    }
}

/// `true` or `false`: [`flag`].
#[derive(Clone, Copy, Debug)]
pub struct Flag;

/// `true` or `false`.
#[must_use]
pub const fn flag() -> Flag {
    Flag
}

impl Shape for Flag {
    type Value = bool;

    fn schema(&self) -> Schema {
        Schema::Flag
    }

    fn read(&self, json: &Json, place: &mut Place<'_>) -> Option<(bool, Json)> {
        place.leaf(json, |words| match json.value {
            Value::Bool(value) => Ok(value),
            _ => Err(not_allowed(json, &words())),
        })
    }

    fn write(&self, value: &bool) -> Value {
        Value::Bool(*value)
    }

    fn stand_in(&self) -> bool {
        false
    }
}

/// Values that have a word each in scenarios; `words!` declares them.
pub trait Words: Copy + PartialEq + 'static {
    /// All, at least one.
    const WORDS: &'static [(&'static str, Self)];
    /// What each means, in the same order.
    const ABOUT: &'static [&'static str];
}

/// One of some words: [`choice`], [`choice_of`].
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a, T> {
    words: &'a [(&'static str, T)],
    about: &'static [&'static str],
}

/// One of the words of a type.
#[must_use]
pub const fn choice<T: Words>() -> Choice<'static, T> {
    let (words, about) = (T::WORDS, T::ABOUT);
    Choice { words, about }
}

/// One of these words, which say themselves what they mean.
#[must_use]
pub const fn choice_of<'a, T>(words: &'a [(&'static str, T)]) -> Choice<'a, T> {
    let about = &[];
    Choice { words, about }
}

impl<T: Copy + PartialEq> Shape for Choice<'_, T> {
    type Value = T;

    fn schema(&self) -> Schema {
        let about = self.about.iter().map(|about| about.trim_start());
        let about = about.chain(std::iter::repeat(""));
        let words = self.words.iter().zip(about);
        Schema::Choice(
            words
                .map(|((name, _), about)| Word { name, about })
                .collect(),
        )
    }

    fn read(&self, json: &Json, place: &mut Place<'_>) -> Option<(T, Json)> {
        let key = place.key;
        place.leaf(json, |words| one_of(key, json, self.words, words))
    }

    fn write(&self, value: &T) -> Value {
        let word = self.words.iter().find(|(_, other)| other == value);
        Value::Text(word.map_or("", |(word, _)| word).to_owned())
    }

    fn stand_in(&self) -> T {
        self.words[0].1
    }
}

/// A string that a rule accepts: [`text`], [`path`].
#[derive(Clone, Copy, Debug)]
pub struct Text {
    what: &'static str,
    accept: fn(&str) -> bool,
}

/// A string that `accept` accepts; `what` says which.
#[must_use]
pub const fn text(what: &'static str, accept: fn(&str) -> bool) -> Text {
    Text { what, accept }
}

/// The path of a file; `what` says of which.
#[must_use]
pub const fn path(what: &'static str) -> Text {
    text(what, |path| !path.is_empty() && !path.contains('\0'))
}

impl Shape for Text {
    type Value = String;

    fn schema(&self) -> Schema {
        Schema::Text(self.what)
    }

    fn read(&self, json: &Json, place: &mut Place<'_>) -> Option<(String, Json)> {
        place.leaf(json, |words| match &json.value {
            Value::Text(text) if (self.accept)(text) => Ok(text.clone()),
            _ => Err(not_allowed(json, &words())),
        })
    }

    fn write(&self, value: &String) -> Value {
        Value::Text(value.clone())
    }

    fn stand_in(&self) -> String {
        String::new()
    }
}

/// A strictly increasing list of whole numbers: [`increasing`].
#[derive(Clone, Debug)]
pub struct Increasing {
    range: RangeInclusive<u64>,
    most: usize,
}

/// A strictly increasing list of at most `most` whole numbers within `range`.
#[must_use]
pub const fn increasing(range: RangeInclusive<u64>, most: usize) -> Increasing {
    Increasing { range, most }
}

/// The integers of a list that is such a one.
pub(super) fn increasing_in(
    json: &Json,
    range: &RangeInclusive<u64>,
    most: usize,
) -> Option<Vec<u64>> {
    let Value::List(items) = &json.value else {
        return None;
    };
    let integer = |item: &Json| match item.value {
        Value::Integer(integer) if range.contains(&integer) => Some(integer),
        _ => None,
    };
    let integers: Option<Vec<u64>> = items.iter().map(integer).collect();
    integers.filter(|list| list.is_sorted_by(|a, b| a < b) && list.len() <= most)
}

impl Shape for Increasing {
    type Value = Vec<u64>;

    fn schema(&self) -> Schema {
        Schema::Increasing(self.range.clone(), self.most)
    }

    fn read(&self, json: &Json, place: &mut Place<'_>) -> Option<(Vec<u64>, Json)> {
        place.leaf(json, |words| {
            increasing_in(json, &self.range, self.most).ok_or_else(|| refused(json, words))
        })
    }

    fn write(&self, value: &Vec<u64>) -> Value {
        let json = |&integer: &u64| Json::new(Value::Integer(integer), Origin::default());
        Value::List(value.iter().map(json).collect())
    }

    fn stand_in(&self) -> Vec<u64> {
        Vec::new()
    }
}
