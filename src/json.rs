//! JSON as the user wrote it: keys in file order, duplicates kept (so that they can be refused), and where each value came from.

/// Which input a value came from: an index into the sources of the document (files, `--set` options).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin(pub u16);

/// A JSON value and its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Json {
    /// The value.
    pub value: Value,
    /// The input that it came from.
    pub origin: Origin,
}

/// The kinds of JSON value. Numbers keep their kind: a non-negative integer is `Integer`, anything else `Float`.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// An integer from 0 to 2^64 - 1.
    Integer(u64),
    /// Any other number.
    Float(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object: keys in file order; a key may stand twice.
    Object(Vec<(String, Json)>),
}
