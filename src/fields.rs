//! Keys of scenarios: declared once, and read one object at a time.
//!
//! A key is a declaration (`keys!`, see `declare`): its name, what may stand there (a [`Shape`], put together from parts), its default, and what
//! users read about it. [`Fields`] reads an object by it: what is wrong is noted and reading goes on with a stand-in, so that all errors of a
//! file are reported at once; every value read (defaults too) is recorded, which yields the effective scenario. As data ([`KeyDoc`], [`Schema`])
//! the declaration yields the words of errors and documentation, and samples for tests.
//!
//! No crate that we know does this part: serde's derived readers stop at the first error, keep the last of two equal keys, and know nothing of
//! which input a value came from; `garde` and its like judge what those have read; `schemars` describes Rust types, so that ranges and kinds
//! would be said beside them again; `miette` draws source text where our errors are lines that name file, path, value and what is allowed.

mod compound;
mod count;
mod decimal;
mod declare;
mod phrase;
mod samples;
mod schema;
mod sections;
mod shape;
mod values;
mod words;

use std::collections::BTreeSet;

use crate::json::{Json, Origin, Value, child_path};

use sections::belongs;

pub use compound::{
    Either, OneOf, Worded, either, list, means, named, nullable, object, some, told, word_or,
};
pub use count::{
    Count, Counted, even, gbps, integer, microseconds, millionths, nanoseconds, power_of_two, ppm,
    up_to,
};
pub(crate) use declare::{declared, keys, params, words};
pub use samples::Sample;
pub use schema::{Bounds, KeyDoc, PathDoc, Schema, Size, Step, Word, flat, table_keys};
pub use sections::Tables;
pub use shape::{
    Choice, Place, Shape, Text, Words, choice, choice_of, flag, increasing, number, number_to,
    path, positive, text,
};

pub use decimal::{Inexact, Scale, ratio, scaled};
pub use values::{DUPLICATE, MISSING, canonical, not_allowed, unknown_key};
pub use words::hint;

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

/// The keys of an object: `keys!` declares them.
pub trait Section: Sized {
    /// What stands there; `usual` has other defaults than those declared.
    fn read(fields: &mut Fields<'_>, usual: Option<&Self>) -> Self;
    /// The keys, in the order in which they are read.
    fn keys(usual: Option<&Self>) -> Vec<KeyDoc>;
}

/// A row of a table of what a scenario can name: the name yields how its own keys are read.
#[derive(Debug)]
pub struct Row<T> {
    /// The name.
    pub name: &'static str,
    /// What it is or does, in a line.
    pub about: &'static str,
    /// Its own keys, in the order in which they are read.
    pub keys: fn() -> Vec<KeyDoc>,
    /// Reads them.
    pub read: fn(&mut Fields<'_>) -> T,
}

impl<T> Clone for Row<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Row<T> {}

impl<T> Row<T> {
    /// What it reads where its name stands alone, if every key of it has a default.
    #[must_use]
    pub fn usual(&self) -> T {
        let (usual, problems) = of_nothing(self.read);
        debug_assert!(problems.is_empty(), "{}: {problems:?}", self.name);
        usual
    }
}

/// What `read` makes of an object without keys, and the keys that are missing.
fn of_nothing<T>(read: impl FnOnce(&mut Fields<'_>) -> T) -> (T, Vec<Problem>) {
    let nothing = Json::new(Value::Object(Vec::new()), Origin::default());
    let mut problems = Vec::new();
    let value = read(&mut Fields::new(&nothing, "", &mut problems));
    (value, problems)
}

/// A key as it is read.
#[derive(Debug)]
pub struct Key<S: Shape> {
    /// The key.
    pub name: &'static str,
    /// What may stand there.
    pub shape: S,
    /// What is read if nothing does; `None`: that is a problem.
    pub default: Option<S::Value>,
    /// The kinds of the object that have it; empty: all.
    pub of: &'static [&'static str],
    /// What else it has to be, in words.
    pub limits: &'static str,
}

impl<S: Shape> Key<S> {
    /// A key of all kinds, with a default or without.
    pub const fn new(name: &'static str, shape: S, default: Option<S::Value>) -> Self {
        Self {
            name,
            shape,
            default,
            of: &[],
            limits: "",
        }
    }
}

/// The key that says which other keys of its object apply, as read.
#[derive(Debug)]
struct KindRead {
    key: &'static str,
    /// Its word; `None`: it was refused.
    word: Option<String>,
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
    /// The kind of the object, once that was read.
    kind: Option<KindRead>,
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
            kind: None,
        }
    }

    /// What stands at a key, or its default. A key of other kinds than the object's is a problem where it stands, and reads as its default.
    pub fn take<S: Shape>(&mut self, key: Key<S>) -> S::Value {
        let Key {
            name,
            shape,
            default,
            of,
            limits,
        } = key;
        let stand_in = |default: Option<S::Value>| default.unwrap_or_else(|| shape.stand_in());
        if !self.applies(name, of) {
            return stand_in(default);
        }
        self.known.push(name);
        let filled = default
            .as_ref()
            .map(|default| Json::new(shape.write(default), self.object.origin));
        let Some(json) = self.object.key(name).or(filled.as_ref()) else {
            let semicolon = if limits.is_empty() { "" } else { "; " };
            self.missing(
                name,
                &format!("{}{semicolon}{limits}", shape.schema().words()),
            );
            return shape.stand_in();
        };
        let mut place = Place {
            path: child_path(&self.path, name),
            key: name,
            words: &|| shape.schema().words(),
            problems: self.problems,
        };
        match shape.read(json, &mut place) {
            Some((value, json)) => {
                self.read.push((name.to_owned(), json));
                value
            }
            None => stand_in(default),
        }
    }

    /// The same for the key that says which other keys apply.
    pub fn take_kind<S: Shape>(&mut self, key: Key<S>) -> S::Value {
        let (before, name) = (self.problem_count(), key.name);
        let value = self.take(key);
        let known = self.problem_count() == before;
        let read = self.read.last().map(|(_, json)| &json.value);
        let word = match read {
            Some(Value::Text(word)) if known => Some(word.clone()),
            _ => None,
        };
        self.kind = Some(KindRead { key: name, word });
        value
    }

    /// The object at a key; a missing one is read as an empty object.
    pub fn take_section<T: Section>(&mut self, name: &'static str, of: &[&str]) -> T {
        self.take_section_by(name, of, |fields| T::read(fields, None))
    }

    /// The same, read by `read`.
    pub fn take_section_by<T: Section>(
        &mut self,
        name: &'static str,
        of: &[&str],
        read: impl FnOnce(&mut Fields<'_>) -> T,
    ) -> T {
        if self.applies(name, of) {
            return self.section(name, read);
        }
        of_nothing(|fields| T::read(fields, None)).0
    }

    /// Whether the object's kind is one of `of`. If not, the key is a problem where it stands, or passed over if the kind is what is wrong.
    fn applies(&mut self, name: &'static str, of: &[&str]) -> bool {
        let Some(kind) = self.kind.as_ref().filter(|_| !of.is_empty()) else {
            return true;
        };
        let Some(word) = &kind.word else {
            self.known.push(name);
            return false;
        };
        if of.contains(&word.as_str()) {
            return true;
        }
        let why = belongs(kind.key, of, word);
        self.foreign(name, &why);
        false
    }

    /// The place in `names` of the name that stands at `key`, and whether one stands there; without a default a missing one is a problem.
    fn name(
        &mut self,
        key: &'static str,
        default: Option<&'static str>,
        names: &[&'static str],
    ) -> (usize, bool) {
        let options: Vec<(&'static str, usize)> = names.iter().copied().zip(0..).collect();
        let before = self.problem_count();
        let shape = choice_of(&options);
        let default = default.and_then(|default| names.iter().position(|name| *name == default));
        let number = self.take(Key::new(key, shape, default));
        (number, self.problem_count() == before)
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

    fn missing(&mut self, key: &str, words: &str) {
        if matches!(self.object.value, Value::Object(_)) {
            self.problem(key, format!("{MISSING}; allowed: {words}"));
        }
    }
}

#[cfg(test)]
mod tests;
