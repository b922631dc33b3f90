//! Single values: from JSON to what a key means, or to the words that refuse it.

use std::ops::RangeInclusive;

use crate::json::{Json, Origin, Value};
use crate::units::Ratio;

use super::decimal::{Inexact, Scale, ratio, scaled};
use super::words::hint;

/// How the text of every problem with an absent key begins.
pub const MISSING: &str = "missing, and has no default";

/// The text for a key that stands more than once in its object.
pub const DUPLICATE: &str = "stands twice in its object; allowed: once";

/// The text for a key that is none of `known`.
#[must_use]
pub fn unknown_key(key: &str, known: &[&str]) -> String {
    let near = hint(key, known.iter().copied());
    let key = Json::text(key, Origin::default()).shown();
    format!("unknown key {key}; allowed: {}{near}", known.join(", "))
}

/// The text for a value of the wrong type, or a wrong one of the right type.
#[must_use]
pub fn not_allowed(json: &Json, words: &str) -> String {
    match json.value {
        Value::Null => format!("null is not allowed; allowed: {words}"),
        _ => format!("{} is {}; allowed: {words}", json.shown(), json.noun()),
    }
}

pub(super) fn refused(json: &Json, words: &dyn Fn() -> String) -> String {
    format!("{} is not allowed; allowed: {}", json.shown(), words())
}

pub(super) fn out_of_range(json: &Json, words: &dyn Fn() -> String) -> String {
    format!("{} is out of range; allowed: {}", json.shown(), words())
}

/// Whole numbers, also in lists and objects, as integers (`1e6` as 1000000), so that a value has one spelling in what is written back.
#[must_use]
pub fn canonical(json: &Json) -> Json {
    let value = match &json.value {
        Value::Float(_) => match scaled(json, 0) {
            Some(Ok(whole)) => Value::Integer(whole),
            _ => json.value.clone(),
        },
        Value::List(list) => Value::List(list.iter().map(canonical).collect()),
        Value::Object(members) => {
            let member = |(key, json): &(String, Json)| (key.clone(), canonical(json));
            Value::Object(members.iter().map(member).collect())
        }
        leaf => leaf.clone(),
    };
    Json::new(value, json.origin)
}

pub(super) fn one_of<T: Copy>(
    key: &str,
    json: &Json,
    options: &[(&'static str, T)],
    words: &dyn Fn() -> String,
) -> Result<T, String> {
    let Value::Text(text) = &json.value else {
        return Err(not_allowed(json, &words()));
    };
    let found = options.iter().find(|(name, _)| name == text);
    found.map(|(_, option)| *option).ok_or_else(|| {
        let near = hint(text, options.iter().map(|(name, _)| *name));
        format!("unknown {key} {}; allowed: {}{near}", json.shown(), words())
    })
}

pub(super) fn count_in(
    json: &Json,
    scale: Scale,
    allowed: &RangeInclusive<u64>,
    words: &dyn Fn() -> String,
) -> Result<u64, String> {
    let Some(count) = scaled(json, scale.places) else {
        return Err(not_allowed(json, &words()));
    };
    match count.map_err(|error| inexact(json, error, scale.finest, words))? {
        count if allowed.contains(&count) => Ok(count),
        _ => Err(out_of_range(json, words)),
    }
}

pub(super) fn exact_ratio(json: &Json, words: &dyn Fn() -> String) -> Result<Ratio, String> {
    let exact = ratio(json).ok_or_else(|| not_allowed(json, &words()))?;
    exact.map_err(|error| inexact(json, error, "15 decimal places", words))
}

fn inexact(json: &Json, error: Inexact, finest: &str, words: &dyn Fn() -> String) -> String {
    let (shown, words) = (json.shown(), words());
    match error {
        Inexact::Negative => format!("{shown} is negative; allowed: {words}"),
        Inexact::TooLarge => format!("{shown} is out of range; allowed: {words}"),
        Inexact::TooFine => format!("{shown} is finer than {finest}; allowed: {words}"),
        Inexact::TooManyDigits => {
            format!("{shown} has more than 15 significant digits; allowed: {words}")
        }
    }
}
