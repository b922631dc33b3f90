//! Values that may be of several shapes.

use std::ops::RangeInclusive;

use crate::json::{Json, Value};

use super::Fields;
use super::values::{integer_in, not_allowed};

impl<'a> Fields<'a> {
    /// The string at `key`, if one stands there: for a look ahead; read it all the same.
    #[must_use]
    pub fn word(&self, key: &str) -> Option<&'a str> {
        match &self.object.key(key)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A string that `accept` accepts, or `null`, which is the default; `words` say so.
    pub fn nullable_text(
        &mut self,
        key: &'static str,
        words: &str,
        accept: impl Fn(&str) -> bool,
    ) -> Option<String> {
        self.value(key, Some(Value::Null), words, |json| match &json.value {
            Value::Null => Ok(None),
            Value::Text(text) if accept(text) => Ok(Some(text.clone())),
            _ => Err(not_allowed(json, words)),
        })
        .flatten()
    }

    /// A required value of any shape; `parse` says what is wrong with it.
    pub fn required<T>(
        &mut self,
        key: &'static str,
        words: &str,
        parse: impl FnOnce(&Json) -> Result<T, String>,
    ) -> Option<T> {
        self.value(key, None, words, parse)
    }

    /// An integer within `allowed`, or `null`, which is the default. What else may stand there, as `others` says, is read elsewhere.
    pub fn nullable_integer_beside(
        &mut self,
        key: &'static str,
        allowed: RangeInclusive<u64>,
        others: &str,
    ) -> Option<u64> {
        let (from, to) = (allowed.start(), allowed.end());
        let words = format!("null, an integer from {from} to {to}, {others}");
        self.value(key, Some(Value::Null), &words, |json| match json.value {
            Value::Null => Ok(None),
            _ => integer_in(json, &allowed, &words).map(Some),
        })
        .flatten()
    }

    /// An integer within `allowed`, `null`, or `word`, which is the default; `None` is the word.
    pub fn nullable_integer_or(
        &mut self,
        key: &'static str,
        word: &str,
        allowed: RangeInclusive<u64>,
    ) -> Option<Option<u64>> {
        let (from, to) = (allowed.start(), allowed.end());
        let words = format!("\"{word}\", null, or an integer from {from} to {to}");
        let default = Value::Text(word.to_owned());
        self.value(key, Some(default), &words, |json| match &json.value {
            Value::Text(text) if text == word => Ok(None),
            Value::Null => Ok(Some(None)),
            _ => integer_in(json, &allowed, &words).map(|integer| Some(Some(integer))),
        })
        .flatten()
    }
}
