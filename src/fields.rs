//! Reading one JSON object of a scenario, key by key: types, ranges, defaults, unknown and duplicate keys.
//!
//! A reader asks [`Fields`] for each key that it knows. What is wrong is noted and reading goes on with a stand-in, so that all
//! errors of a file are reported at once; every value read (defaults too) is recorded, which yields the effective scenario.

use std::ops::RangeInclusive;

use crate::json::{Json, Origin};
use crate::units::{Ratio, Span};

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
}

#[allow(unused_variables)]
impl<'a> Fields<'a> {
    /// Start reading `object`, which stands at `path`. If it is no object, that is a problem and every key has its default.
    pub fn new(object: &'a Json, path: &str, problems: &'a mut Vec<Problem>) -> Self {
        Self {
            object,
            path: path.to_owned(),
            problems,
        }
    }

    /// An integer within `allowed`; a missing key without a default is a problem.
    pub fn integer(
        &mut self,
        key: &'static str,
        default: Option<u64>,
        allowed: RangeInclusive<u64>,
    ) -> u64 {
        todo!()
    }

    /// An integer within `allowed`, or `null`.
    pub fn nullable_integer(
        &mut self,
        key: &'static str,
        default: Option<u64>,
        allowed: RangeInclusive<u64>,
    ) -> Option<u64> {
        todo!()
    }

    /// One of the words of `options`; the error names the nearest.
    pub fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        default: Option<&'static str>,
        options: &[(&'static str, T)],
    ) -> T {
        todo!()
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, key: &'static str, default: bool) -> bool {
        todo!()
    }

    /// Nanoseconds, decimals allowed down to a whole picosecond.
    pub fn span_ns(
        &mut self,
        key: &'static str,
        default: Option<Span>,
        allowed: RangeInclusive<Span>,
    ) -> Span {
        todo!()
    }

    /// An exact decimal fraction in (0, 1].
    pub fn fraction(&mut self, key: &'static str, default: Ratio) -> Ratio {
        todo!()
    }

    /// A list of integers, each within `allowed`.
    pub fn integers(
        &mut self,
        key: &'static str,
        default: &[u64],
        allowed: RangeInclusive<u64>,
    ) -> Vec<u64> {
        todo!()
    }

    /// A value of any other shape. `allowed` says in words what `parse` accepts; a missing key is parsed from `default`.
    pub fn custom<T>(
        &mut self,
        key: &'static str,
        default: Json,
        allowed: &str,
        parse: impl Fn(&Json) -> Option<T>,
    ) -> T {
        todo!()
    }

    /// Note a problem with the value at `key`.
    pub fn problem(&mut self, key: &str, text: String) {
        todo!()
    }

    /// Report keys that nobody asked for, and yield the object with every default filled in, in reading order.
    pub fn finish(self) -> Json {
        todo!()
    }
}
