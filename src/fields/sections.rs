//! Objects within the object: alone at a key, in place of a word or of `null`, or in a list; and keys that belong to another kind of
//! object.

use crate::json::{Json, Value, child_path};

use super::{Fields, KeyDoc, Row};

/// Rows that may be named, and all whose keys are known: those and others.
#[derive(Debug)]
pub struct Tables<T: 'static> {
    /// Those that may be named.
    pub rows: Vec<&'static Row<T>>,
    /// All.
    pub all: Vec<&'static Row<T>>,
}

impl<T> Tables<T> {
    /// Every row of a table.
    #[must_use]
    pub fn of(rows: &'static [Row<T>]) -> Self {
        let all = || rows.iter().collect();
        let (rows, all) = (all(), all());
        Self { rows, all }
    }
}

/// The text for a key of other kinds (or schemes, as `noun` says).
pub(super) fn belongs(noun: &str, takers: &[&str], this: &str) -> String {
    let s = if takers.len() == 1 { "" } else { "s" };
    let takers: Vec<String> = takers.iter().map(|taker| format!("\"{taker}\"")).collect();
    format!(
        "belongs to {noun}{s} {}; this is {noun} \"{this}\"",
        takers.join(", ")
    )
}

impl Fields<'_> {
    /// A key that has no meaning here: if it stands there, that is a problem, and `why` says what it belongs to.
    pub fn foreign(&mut self, key: &'static str, why: &str) {
        if self.has(key) && !self.known.contains(&key) {
            self.known.push(key);
            self.problem(key, why.to_owned());
        }
    }

    /// What one row of a table reads, by the name that stands at `key`, and whether that was one. Keys of the other rows of `all` are a problem
    /// where they stand, or passed over if the name is what is wrong.
    pub fn one_of<T>(
        &mut self,
        key: &'static str,
        default: Option<&'static str>,
        tables: Tables<T>,
    ) -> (&'static Row<T>, Option<T>) {
        let names: Vec<_> = tables.rows.iter().map(|row| row.name).collect();
        let (number, known) = self.name(key, default, &names);
        let row = tables.rows[number];
        let value = known.then(|| (row.read)(self));
        if self.has_unknown() {
            self.foreign_keys(key, &tables.all, row, known);
        }
        (row, value)
    }

    /// Whether a key stands there that nobody asked for.
    fn has_unknown(&self) -> bool {
        let Value::Object(members) = &self.object.value else {
            return false;
        };
        members
            .iter()
            .any(|(key, _)| !self.known.contains(&key.as_str()))
    }

    fn foreign_keys<T>(&mut self, noun: &str, all: &[&'static Row<T>], this: &Row<T>, known: bool) {
        let keys: Vec<(&str, Vec<KeyDoc>)> =
            all.iter().map(|row| (row.name, (row.keys)())).collect();
        let has = |keys: &[KeyDoc], key: &str| keys.iter().any(|other| other.name == key);
        for key in keys.iter().flat_map(|of| &of.1).map(|key| key.name) {
            if known {
                let takers: Vec<&str> = keys
                    .iter()
                    .filter(|of| has(&of.1, key))
                    .map(|of| of.0)
                    .collect();
                self.foreign(key, &belongs(noun, &takers, this.name));
            } else if !self.known.contains(&key) {
                self.skip(key);
            }
        }
    }

    /// Whether `key` stands there.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.object.key(key).is_some()
    }

    /// The object at `key`, read by `read`; a missing one is read as an empty object.
    pub fn section<T>(&mut self, key: &'static str, read: impl FnOnce(&mut Fields<'_>) -> T) -> T {
        self.known.push(key);
        let empty = Json::new(Value::Object(Vec::new()), self.object.origin);
        let object = self.object.key(key).unwrap_or(&empty);
        // What is no object lacks nothing: that it is none has been noted.
        let mut unheard = Vec::new();
        let problems = match self.object.value {
            Value::Object(_) => &mut *self.problems,
            _ => &mut unheard,
        };
        let mut fields = Fields::new(object, &child_path(&self.path, key), problems);
        let result = read(&mut fields);
        let object = fields.finish();
        self.read.push((key.to_owned(), object));
        result
    }

    /// The string at `key`, if one stands there: for a look ahead; read it all the same.
    #[must_use]
    pub fn word(&self, key: &str) -> Option<&str> {
        match &self.object.key(key)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}
