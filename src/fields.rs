//! Reading one JSON object of a scenario, key by key: types, ranges, defaults, unknown and duplicate keys.
//!
//! A reader asks [`Fields`] for each key that it knows. What is wrong is noted and reading goes on with a stand-in, so that all
//! errors of a file are reported at once; every value read (defaults too) is recorded, which yields the effective scenario.

mod decimal;
mod fractions;
mod sections;
mod shapes;
mod values;
mod words;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::json::{Json, Origin, Value, child_path, element_path};
use crate::units::Span;

use values::{decimal_in, decimal_words, integer_in, one_of};

pub use decimal::{Inexact, Scale, ratio, scaled};
pub use values::{DUPLICATE, MISSING, canonical, not_allowed, unknown_key};
pub use words::hint;

/// A parameter as `spraysim list` shows it.
#[derive(Clone, Copy, Debug)]
pub struct ParamDoc {
    /// The key, beside `scheme`.
    pub name: &'static str,
    /// What is allowed, in words.
    pub allowed: &'static str,
    /// The default, as JSON.
    pub default: &'static str,
    /// Meaning, unit, source.
    pub about: &'static str,
}

/// Something wrong with the input: where, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The input that the value came from.
    pub origin: Origin,
    /// JSON path, e.g. `workload.pairs[7].dst`; empty for the whole document.
    pub path: String,
    /// What is wrong, with the value; what is allowed; the nearest name.
    pub text: String,
}

/// The cursor over one object.
#[derive(Debug)]
pub struct Fields<'a> {
    object: &'a Json,
    path: String,
    problems: &'a mut Vec<Problem>,
    /// Keys that were asked for, whether there or not: the known ones.
    known: Vec<&'static str>,
    /// What was read, in reading order.
    read: Vec<(String, Json)>,
}

impl<'a> Fields<'a> {
    /// Start reading `object`, which stands at `path`. If it is no object, that is a problem and every key has its default.
    pub fn new(object: &'a Json, path: &str, problems: &'a mut Vec<Problem>) -> Self {
        if !matches!(object.value, Value::Object(_)) {
            problems.push(Problem {
                origin: object.origin,
                path: path.to_owned(),
                text: not_allowed(object, "an object"),
            });
        }
        Self {
            object,
            path: path.to_owned(),
            problems,
            known: Vec::new(),
            read: Vec::new(),
        }
    }

    /// An integer within `allowed`; a missing key without a default is a problem.
    pub fn integer(
        &mut self,
        key: &'static str,
        default: Option<u64>,
        allowed: RangeInclusive<u64>,
    ) -> u64 {
        let words = format!("an integer from {} to {}", allowed.start(), allowed.end());
        let stand_in = default.unwrap_or_else(|| *allowed.start());
        self.value(key, default.map(Value::Integer), &words, |json| {
            integer_in(json, &allowed, &words)
        })
        .unwrap_or(stand_in)
    }

    /// An integer within `allowed`, or `null`.
    pub fn nullable_integer(
        &mut self,
        key: &'static str,
        default: Option<u64>,
        allowed: RangeInclusive<u64>,
    ) -> Option<u64> {
        let (from, to) = (allowed.start(), allowed.end());
        let words = format!("null, or an integer from {from} to {to}");
        let value = default.map_or(Value::Null, Value::Integer);
        self.value(key, Some(value), &words, |json| match json.value {
            Value::Null => Ok(None),
            _ => integer_in(json, &allowed, &words).map(Some),
        })
        .unwrap_or(default)
    }

    /// One of the words of `options` (at least one); the error names the nearest.
    pub fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        default: Option<&'static str>,
        options: &[(&'static str, T)],
    ) -> T {
        self.choice_or(key, default, options, None)
    }

    /// One of the words of `options`, or `null`, which is the default.
    pub fn nullable_choice<T: Copy>(
        &mut self,
        key: &'static str,
        options: &[(&'static str, T)],
    ) -> Option<T> {
        let names: Vec<&str> = options.iter().map(|(name, _)| *name).collect();
        let words = format!("null, {}", names.join(", "));
        self.value(key, Some(Value::Null), &words, |json| match json.value {
            Value::Null => Ok(None),
            _ => one_of(key, json, options, &words).map(Some),
        })
        .flatten()
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, key: &'static str, default: bool) -> bool {
        let words = "true, false";
        self.value(key, Some(Value::Bool(default)), words, |json| {
            match json.value {
                Value::Bool(value) => Ok(value),
                _ => Err(not_allowed(json, words)),
            }
        })
        .unwrap_or(default)
    }

    /// A string that `accept` accepts; `words` says which. A missing key without a default is a problem.
    pub fn text(
        &mut self,
        key: &'static str,
        default: Option<&str>,
        words: &str,
        accept: impl Fn(&str) -> bool,
    ) -> String {
        let value = default.map(|text| Value::Text(text.to_owned()));
        self.value(key, value, words, |json| match &json.value {
            Value::Text(text) if accept(text) => Ok(text.clone()),
            _ => Err(not_allowed(json, words)),
        })
        .unwrap_or_else(|| default.unwrap_or_default().to_owned())
    }

    /// Nanoseconds, decimals allowed down to a whole picosecond.
    pub fn span_ns(
        &mut self,
        key: &'static str,
        default: Option<Span>,
        allowed: RangeInclusive<Span>,
    ) -> Span {
        let range = allowed.start().0..=allowed.end().0;
        Span(self.decimal(key, default.map(|span| span.0), Scale::NS, range))
    }

    /// A decimal, counted in the finest step of `scale`; `default` and `allowed` are such counts.
    pub fn decimal(
        &mut self,
        key: &'static str,
        default: Option<u64>,
        scale: Scale,
        allowed: RangeInclusive<u64>,
    ) -> u64 {
        let words = decimal_words(scale, &allowed);
        let value = default.map(|count| scale.json(count, self.object.origin).value);
        self.value(key, value, &words, |json| {
            decimal_in(json, scale, &allowed, &words)
        })
        .unwrap_or_else(|| default.unwrap_or_else(|| *allowed.start()))
    }

    /// A decimal as in [`Self::decimal`], or `null`, which is the default.
    pub fn nullable_decimal(
        &mut self,
        key: &'static str,
        scale: Scale,
        allowed: RangeInclusive<u64>,
    ) -> Option<u64> {
        let words = format!("null, or {}", decimal_words(scale, &allowed));
        self.value(key, Some(Value::Null), &words, |json| match json.value {
            Value::Null => Ok(None),
            _ => decimal_in(json, scale, &allowed, &words).map(Some),
        })
        .flatten()
    }

    /// A list of integers, each within `allowed`.
    pub fn integers(
        &mut self,
        key: &'static str,
        default: &[u64],
        allowed: RangeInclusive<u64>,
    ) -> Vec<u64> {
        let (from, to) = (allowed.start(), allowed.end());
        let words = format!("a list of integers from {from} to {to}");
        let each = format!("an integer from {from} to {to}");
        let origin = self.object.origin;
        let elements = default
            .iter()
            .map(|n| Json::new(Value::Integer(*n), origin));
        let value = Value::List(elements.collect());
        let path = child_path(&self.path, key);
        let mut wrong = Vec::new();
        let read = self.value(key, Some(value), &words, |json| {
            let Value::List(list) = &json.value else {
                return Err(not_allowed(json, &words));
            };
            let mut integers = Vec::new();
            for (i, element) in list.iter().enumerate() {
                match integer_in(element, &allowed, &each) {
                    Ok(integer) => integers.push(integer),
                    Err(text) => wrong.push(Problem {
                        origin: element.origin,
                        path: element_path(&path, i),
                        text,
                    }),
                }
            }
            Ok(integers)
        });
        self.problems.append(&mut wrong);
        read.unwrap_or_else(|| default.to_vec())
    }

    /// A value of any other shape. `allowed` says in words what `parse` accepts; a missing key is parsed from `default`.
    ///
    /// # Panics
    /// If `parse` refuses `default`, which is a mistake of the caller.
    pub fn custom<T>(
        &mut self,
        key: &'static str,
        default: Json,
        allowed: &str,
        parse: impl Fn(&Json) -> Option<T>,
    ) -> T {
        let read = self.value(key, Some(default.value.clone()), allowed, |json| {
            parse(json)
                .ok_or_else(|| format!("{} is not allowed; allowed: {allowed}", json.shown()))
        });
        read.or_else(|| parse(&default))
            .expect("a default is a value that is allowed")
    }

    /// A key that is read elsewhere: known, but not recorded.
    pub fn skip(&mut self, key: &'static str) {
        self.known.push(key);
    }

    /// Where the object stands.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The input that the value at `key` came from; the object's, if the key is missing.
    #[must_use]
    pub fn origin(&self, key: &str) -> Origin {
        self.object.key(key).unwrap_or(self.object).origin
    }

    /// Problems noted so far, those of other objects included: compare before and after.
    #[must_use]
    pub fn problem_count(&self) -> usize {
        self.problems.len()
    }

    /// Note a problem with the value at `key`.
    pub fn problem(&mut self, key: &str, text: String) {
        self.problems.push(Problem {
            origin: self.origin(key),
            path: child_path(&self.path, key),
            text,
        });
    }

    /// Report keys that nobody asked for, and yield the object with every default filled in, in reading order.
    pub fn finish(self) -> Json {
        let mut seen = BTreeSet::new();
        let mut told = BTreeSet::new();
        if let Value::Object(members) = &self.object.value {
            for (key, member) in members {
                let text = if !seen.insert(key) {
                    DUPLICATE.to_owned()
                } else if self.known.contains(&key.as_str()) {
                    continue;
                } else {
                    unknown_key(key, &self.known)
                };
                if told.insert(text.clone() + key) {
                    self.problems.push(Problem {
                        origin: member.origin,
                        path: child_path(&self.path, key),
                        text,
                    });
                }
            }
        }
        Json::new(Value::Object(self.read), self.object.origin)
    }

    /// The value at `key`, or `default`, through `parse`; recorded if that is content, a problem if not.
    fn value<T>(
        &mut self,
        key: &'static str,
        default: Option<Value>,
        words: &str,
        parse: impl FnOnce(&Json) -> Result<T, String>,
    ) -> Option<T> {
        self.known.push(key);
        let filled = default.map(|value| Json::new(value, self.object.origin));
        let Some(json) = self.object.key(key).or(filled.as_ref()) else {
            self.missing(key, words);
            return None;
        };
        match parse(json) {
            Ok(value) => {
                let json = canonical(json);
                self.read.push((key.to_owned(), json));
                Some(value)
            }
            Err(text) => {
                self.problem(key, text);
                None
            }
        }
    }

    fn missing(&mut self, key: &str, words: &str) {
        if matches!(self.object.value, Value::Object(_)) {
            self.problem(key, format!("{MISSING}; allowed: {words}"));
        }
    }
}

#[cfg(test)]
mod tests;
