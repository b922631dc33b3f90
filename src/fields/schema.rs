//! What may stand at a key, as data: from it follow the words of errors and of documentation, and samples for tests.

use std::ops::RangeInclusive;

use crate::json::{Json, Origin, Value, child_path};
use crate::units::Ratio;

use super::decimal::Scale;
use super::{Row, Section, Shape};

/// What may stand at a key.
#[derive(Clone, Debug)]
pub enum Schema {
    /// `null`.
    Null,
    /// `true` or `false`.
    Flag,
    /// A number, counted in the finest step of its scale.
    Count(Scale, RangeInclusive<u64>, Step),
    /// An exact decimal.
    Number(Bounds),
    /// One of these words.
    Choice(Vec<Word>),
    /// A string; what it is in words.
    Text(&'static str),
    /// A list of such elements.
    List(Box<Self>, Size),
    /// A strictly increasing list of whole numbers, so many at most.
    Increasing(RangeInclusive<u64>, usize),
    /// An object with these keys.
    Object(Vec<KeyDoc>),
    /// Any of these.
    AnyOf(Vec<Self>),
    /// That, told to users in these words where it was refused.
    Told(&'static str, Box<Self>),
    /// That, as far as rules allow which are no data: documented in these words.
    Named(&'static str, Box<Self>),
    /// What is read before the keys are; in words.
    Other(&'static str),
}

/// A word that may stand at a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub name: &'static str,
    /// What it means; empty: what it says.
    pub about: &'static str,
}

/// Which numbers of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// All.
    Any,
    /// Even ones, for this reason.
    Even(&'static str),
    /// Powers of two.
    PowerOfTwo,
}

impl Step {
    /// Whether it has this number.
    #[must_use]
    pub const fn has(self, count: u64) -> bool {
        match self {
            Self::Any => true,
            Self::Even(_) => count.is_multiple_of(2),
            Self::PowerOfTwo => count.is_power_of_two(),
        }
    }
}

/// How many elements a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Any number.
    Any,
    /// At least one.
    Some,
}

/// Where an exact decimal lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Whether it may be 0.
    pub zero: bool,
    /// The most that it may be.
    pub most: u64,
    /// Whether it may be that.
    pub whole: bool,
}

/// A key as declared.
#[derive(Clone, Debug)]
pub struct KeyDoc {
    /// The key in its object.
    pub name: &'static str,
    /// What may stand there.
    pub schema: Schema,
    /// What is read if nothing does; `None`: it is required where it applies. A section reads as an object without keys.
    pub default: Option<Value>,
    /// What an absent key without a default stands for, in words; empty: it must stand there.
    pub unset: &'static str,
    /// Meaning, unit, source, and where it applies.
    pub about: &'static str,
    /// The kinds of the object that have it; empty: all.
    pub of: Vec<&'static str>,
    /// What else it has to be, as other keys say: then it does not follow from the schema alone what is fine.
    pub limits: &'static str,
    /// JSON that is fine, where that cannot be derived.
    pub sample: Option<&'static str>,
    /// What else must stand in the scenario for the key to mean something: paths and JSON.
    pub needs: Vec<(&'static str, &'static str)>,
}

impl KeyDoc {
    /// What is allowed, in the words of documentation.
    #[must_use]
    pub fn allowed(&self) -> String {
        let words = self.schema.documented();
        match self.limits {
            "" => words,
            limits => format!("{words}; {limits}"),
        }
    }

    /// The meaning, behind the kinds that have it, if not all do.
    #[must_use]
    pub fn explained(&self) -> String {
        match self.of.as_slice() {
            [] => self.about.to_owned(),
            of => format!("{}: {}", of.join(", "), self.about),
        }
    }

    /// The default as JSON text, if there is one.
    #[must_use]
    pub fn default_json(&self) -> Option<String> {
        let json = |value: &Value| Json::new(value.clone(), Origin::default()).to_compact();
        self.default.as_ref().map(json)
    }

    /// Whether it is an object that is always there.
    #[must_use]
    pub fn is_section(&self) -> bool {
        let is_empty = matches!(&self.default, Some(Value::Object(keys)) if keys.is_empty());
        is_empty && matches!(self.schema, Schema::Object(_))
    }
}

/// A key with its path from where the declarations begin; `[]` stands for any element of a list.
#[derive(Clone, Debug)]
pub struct PathDoc {
    /// The path.
    pub path: String,
    /// The key.
    pub key: KeyDoc,
}

/// `keys` of the object at `prefix`, each followed by those below it.
#[must_use]
pub fn flat(prefix: &str, keys: &[KeyDoc]) -> Vec<PathDoc> {
    let mut all = Vec::new();
    for key in keys {
        let path = child_path(prefix, key.name);
        all.push(PathDoc {
            path: path.clone(),
            key: key.clone(),
        });
        below(&path, &key.schema, &mut all);
    }
    all
}

fn below(path: &str, schema: &Schema, all: &mut Vec<PathDoc>) {
    match schema {
        Schema::Object(keys) => all.extend(flat(path, keys)),
        Schema::List(of, _) => below(&format!("{path}[]"), of, all),
        Schema::AnyOf(parts) => parts.iter().for_each(|part| below(path, part, all)),
        Schema::Told(_, of) | Schema::Named(_, of) => below(path, of, all),
        _ => {}
    }
}

impl Schema {
    /// Whether `json` is of a type that it takes.
    #[must_use]
    pub fn takes(&self, json: &Json) -> bool {
        match self {
            Self::Null => json.value == Value::Null,
            Self::Flag => matches!(json.value, Value::Bool(_)),
            Self::Count(..) | Self::Number(_) => {
                matches!(json.value, Value::Integer(_) | Value::Float(_))
            }
            Self::Choice(_) | Self::Text(_) => matches!(json.value, Value::Text(_)),
            Self::List(..) | Self::Increasing(..) => matches!(json.value, Value::List(_)),
            Self::Object(_) => matches!(json.value, Value::Object(_)),
            Self::AnyOf(parts) => parts.iter().any(|part| part.takes(json)),
            Self::Told(_, of) | Self::Named(_, of) => of.takes(json),
            Self::Other(_) => true,
        }
    }
}

impl Bounds {
    /// Whether `number` lies within them.
    #[must_use]
    pub fn has(self, number: Ratio) -> bool {
        let Self { zero, most, whole } = self;
        let (num, most) = (
            u128::from(number.num),
            u128::from(most) * u128::from(number.den),
        );
        (zero || num > 0) && (num < most || whole && num == most)
    }

    /// From 0 to `most`.
    #[must_use]
    pub const fn from_zero(most: u64) -> Self {
        Self {
            zero: true,
            most,
            whole: true,
        }
    }

    /// Above 0 and up to `most`.
    #[must_use]
    pub const fn positive(most: u64) -> Self {
        Self {
            zero: false,
            most,
            whole: true,
        }
    }

    /// Above 0 and below 1.
    pub const PART: Self = Self {
        zero: false,
        most: 1,
        whole: false,
    };
}

impl KeyDoc {
    /// A key of all kinds, where what may stand is `schema`.
    #[must_use]
    pub fn of(
        name: &'static str,
        about: &'static str,
        schema: Schema,
        default: Option<Value>,
    ) -> Self {
        Self {
            name,
            schema,
            default,
            unset: "",
            about: about.trim_start(),
            of: Vec::new(),
            limits: "",
            sample: None,
            needs: Vec::new(),
        }
    }

    /// The same, where it is what `shape` reads.
    #[must_use]
    pub fn new<T, S: Shape<Value = T>>(
        name: &'static str,
        about: &'static str,
        shape: &S,
        default: Option<T>,
    ) -> Self {
        let default = default.map(|default| shape.write(&default));
        Self::of(name, about, shape.schema(), default)
    }

    /// An object that is always there.
    #[must_use]
    pub fn section<T: Section>(
        name: &'static str,
        about: &'static str,
        of: &[&'static str],
    ) -> Self {
        let none = Value::Object(Vec::new());
        Self {
            of: of.to_vec(),
            ..Self::of(name, about, Schema::Object(T::keys(None)), Some(none))
        }
    }

    /// The key that names one of `rows`.
    #[must_use]
    pub fn naming<'a, T: 'static>(
        name: &'static str,
        about: &'static str,
        default: Option<&'static str>,
        rows: impl IntoIterator<Item = &'a Row<T>>,
    ) -> Self {
        let words = rows.into_iter().map(|row| Word {
            name: row.name,
            about: row.about,
        });
        let default = default.map(|word| Value::Text(word.to_owned()));
        Self::of(name, about, Schema::Choice(words.collect()), default)
    }
}

/// The key that names a row of a table, and the keys of all rows, each with the rows that have it.
#[must_use]
pub fn table_keys<T: 'static>(
    name: &'static str,
    about: &'static str,
    default: Option<&'static str>,
    rows: &[Row<T>],
) -> Vec<KeyDoc> {
    let mut keys = vec![KeyDoc::naming(name, about, default, rows)];
    for row in rows {
        for key in (row.keys)() {
            match keys.iter_mut().find(|known| known.name == key.name) {
                Some(known) => known.of.push(row.name),
                None => keys.push(KeyDoc {
                    of: vec![row.name],
                    ..key
                }),
            }
        }
    }
    keys
}
