//! JSON as the user wrote it: keys in file order, duplicates kept (so that they can be refused), and where each value came from.
//!
//! A decimal whose digits an `f64` would drop is an error, never rounded in silence. Nesting is limited to 127 levels, so that recursion over a tree is safe.

mod digits;
mod path;

use std::fmt::{self, Write as _};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

pub use path::{
    MAX_STEPS, Step, child_path, duplicates, element_path, get, parse_path, path_text, set,
};

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

impl Json {
    /// `value`, from `origin`.
    #[must_use]
    pub const fn new(value: Value, origin: Origin) -> Self {
        Self { value, origin }
    }

    /// A string, from `origin`.
    #[must_use]
    pub fn text(text: &str, origin: Origin) -> Self {
        Self::new(Value::Text(text.to_owned()), origin)
    }

    /// The value at `key`, if this is an object that has it; the last one if it stands twice.
    #[must_use]
    pub fn key(&self, key: &str) -> Option<&Self> {
        let Value::Object(members) = &self.value else {
            return None;
        };
        members
            .iter()
            .rev()
            .find(|(name, _)| name == key)
            .map(|(_, json)| json)
    }

    /// What kind of value this is, in words: `a number`, `null`.
    #[must_use]
    pub const fn noun(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Integer(_) | Value::Float(_) => "a number",
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        }
    }

    /// The value on one line, as for a CSV cell.
    #[must_use]
    pub fn to_compact(&self) -> String {
        let mut out = String::new();
        write_compact(&self.value, &mut out);
        out
    }

    /// The value over several lines, two spaces a level; a list or object inside that fits on a line stays on it. Ends in a newline.
    #[must_use]
    pub fn to_pretty(&self) -> String {
        let mut out = String::new();
        write_pretty(&self.value, 0, &mut out);
        out.push('\n');
        out
    }

    /// The value for a message: compact, whole floats without `.0`, cut after 60 characters.
    #[must_use]
    pub fn shown(&self) -> String {
        let text = match self.value {
            Value::Float(number) if (1e-5..1e15).contains(&number.abs()) || number == 0.0 => {
                format!("{number}")
            }
            _ => self.to_compact(),
        };
        if text.chars().count() <= 60 {
            return text;
        }
        let cut: String = text.chars().take(57).collect();
        format!("{cut}...")
    }
}

/// Why a text is no JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1 (0: before the first character of the line).
    pub column: usize,
    /// What is wrong.
    pub text: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, text } = self;
        write!(f, "line {line}, column {column}: {text}")
    }
}

impl std::error::Error for SyntaxError {}

/// Parse `text`; every value gets `origin`.
///
/// # Errors
/// The first place where `text` stops being JSON, including what follows the value and nesting deeper than 127 levels; else the
/// first decimal with digits that an `f64` would drop.
pub fn parse(text: &str, origin: Origin) -> Result<Json, SyntaxError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parsed = Tree(origin).deserialize(&mut deserializer);
    let json = parsed.and_then(|json| deserializer.end().map(|()| json));
    let json = json.map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let mut text = error.to_string();
        if let Some(at) = text.rfind(" at line ") {
            text.truncate(at);
        }
        if text.starts_with("recursion limit") {
            text = "nested too deeply; allowed: at most 127 levels".to_owned();
        }
        SyntaxError { line, column, text }
    })?;
    match digits::first_inexact(text) {
        Some(error) => Err(error),
        None => Ok(json),
    }
}

/// Builds [`Json`] from any serde format.
#[derive(Clone, Copy)]
struct Tree(Origin);

impl Tree {
    fn leaf<E>(self, value: Value) -> Result<Json, E> {
        Ok(Json::new(value, self.0))
    }
}

impl<'de> DeserializeSeed<'de> for Tree {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        self.leaf(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json, E> {
        self.leaf(Value::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Json, E> {
        self.leaf(Value::Integer(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Json, E> {
        self.leaf(u64::try_from(value).map_or(Value::Float(value as f64), Value::Integer))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        // Zero has no sign: `-0` is shown as 0.
        self.leaf(Value::Float(if value == 0.0 { 0.0 } else { value }))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Json, E> {
        self.leaf(Value::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element_seed(self)? {
            list.push(element);
        }
        self.leaf(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            members.push((key, entries.next_value_seed(self)?));
        }
        self.leaf(Value::Object(members))
    }
}

/// `text` as a JSON string.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                // Writing to a string cannot fail; control characters lie below U+FFFF.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn write_leaf(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Integer(value) => out.push_str(&value.to_string()),
        // `{:?}` is the shortest text that parses to the same number, with a point or an exponent.
        Value::Float(value) => out.push_str(&format!("{value:?}")),
        Value::Text(value) => out.push_str(&quoted(value)),
        Value::List(_) | Value::Object(_) => {}
    }
}

fn write_compact(value: &Value, out: &mut String) {
    match value {
        Value::List(list) => {
            out.push('[');
            for (i, element) in list.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                write_compact(&element.value, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (i, (key, member)) in members.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                out.push_str(&quoted(key));
                out.push_str(": ");
                write_compact(&member.value, out);
            }
            out.push('}');
        }
        leaf => write_leaf(leaf, out),
    }
}

/// Columns that a list or object may take to stay on one line.
const LINE: usize = 110;

fn write_pretty(value: &Value, indent: usize, out: &mut String) {
    let (open, close, members): (_, _, Vec<(Option<&String>, &Json)>) = match value {
        Value::List(list) => ('[', ']', list.iter().map(|json| (None, json)).collect()),
        Value::Object(members) => (
            '{',
            '}',
            members
                .iter()
                .map(|(key, json)| (Some(key), json))
                .collect(),
        ),
        leaf => return write_leaf(leaf, out),
    };
    if indent > 0 || members.is_empty() {
        let mut line = String::new();
        write_compact(value, &mut line);
        if members.is_empty() || line.chars().count() + 2 * indent <= LINE {
            return out.push_str(&line);
        }
    }
    out.push(open);
    for (i, (key, json)) in members.into_iter().enumerate() {
        out.push_str(if i > 0 { ",\n" } else { "\n" });
        out.push_str(&"  ".repeat(indent + 1));
        if let Some(key) = key {
            out.push_str(&quoted(key));
            out.push_str(": ");
        }
        write_pretty(&json.value, indent + 1, out);
    }
    out.push('\n');
    out.push_str(&"  ".repeat(indent));
    out.push(close);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        parse(text, Origin(3)).expect("the test's JSON parses")
    }

    #[test]
    fn keys_keep_their_order_and_duplicates_are_kept() {
        let Value::Object(members) = json(r#"{"b": 1, "a": 2, "b": 3}"#).value else {
            panic!("an object");
        };
        let keys: Vec<&str> = members.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["b", "a", "b"]);
        assert_eq!(members[2].1, Json::new(Value::Integer(3), Origin(3)));
    }

    #[test]
    fn integers_stay_exact_and_other_numbers_are_floats() {
        assert_eq!(json("18446744073709551615").value, Value::Integer(u64::MAX));
        assert_eq!(json("-5").value, Value::Float(-5.0));
        assert_eq!(json("0.1").value, Value::Float(0.1));
        assert_eq!(json("-5").shown(), "-5");
        assert_eq!(json("1e300").shown(), "1e300");
    }

    #[test]
    fn a_syntax_error_has_a_line_and_a_column() {
        let error = parse("{\n  \"k\": 12,\n  \"j\" 3\n}", Origin(0)).unwrap_err();
        assert_eq!((error.line, error.column), (3, 7));
        assert_eq!(error.text, "expected `:`");
        let error = parse("{} x", Origin(0)).unwrap_err();
        assert_eq!((error.line, error.column), (1, 4));
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_stack_overflow() {
        let error = parse(&"[".repeat(1_000_000), Origin(0)).unwrap_err();
        assert!(error.text.starts_with("nested too deeply"), "{error}");
        let error = parse(&"{\"a\":".repeat(1_000_000), Origin(0)).unwrap_err();
        assert!(error.text.starts_with("nested too deeply"), "{error}");
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let text = r#"{"a": [1, 0.5, -3.0, 1e-7, null, true], "b": {"c\n\"\u0007é": "x\\y"}, "d": {}, "e": []}"#;
        let value = json(text);
        assert_eq!(parse(&value.to_compact(), Origin(3)).unwrap(), value);
        assert_eq!(parse(&value.to_pretty(), Origin(3)).unwrap(), value);
    }

    #[test]
    fn pretty_text_breaks_the_outermost_object_and_what_is_long() {
        let long = format!(
            "{{\"a\": {{\"b\": 1}}, \"c\": [{}1]}}",
            "1234567890, ".repeat(10)
        );
        let pretty = json(&long).to_pretty();
        assert!(pretty.starts_with("{\n  \"a\": {\"b\": 1},\n  \"c\": [\n    1234567890,\n"));
        assert!(pretty.ends_with("    1\n  ]\n}\n"), "{pretty}");
    }

    #[test]
    fn a_long_value_is_cut_in_messages() {
        let shown = json(&format!("\"{}\"", "é".repeat(100))).shown();
        assert_eq!(shown.chars().count(), 60);
        assert!(shown.ends_with("..."));
    }
}
