//! Objects within the object: alone at a key, or in a list; and keys that belong to another kind of object.

use crate::json::{Json, Value, child_path, element_path};

use super::{Fields, not_allowed};

impl Fields<'_> {
    /// A key that has no meaning here: if it stands there, that is a problem, and `why` says what it belongs to.
    pub fn foreign(&mut self, key: &'static str, why: &str) {
        if self.has(key) && !self.known.contains(&key) {
            self.known.push(key);
            self.problem(key, why.to_owned());
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
        let mut fields = Fields::new(object, &child_path(&self.path, key), self.problems);
        let result = read(&mut fields);
        let object = fields.finish();
        self.read.push((key.to_owned(), object));
        result
    }

    /// The objects of the non-empty list at `key`, each read by `read`; no objects if it is missing or no list, which is a problem.
    pub fn sections<T>(
        &mut self,
        key: &'static str,
        words: &str,
        read: impl FnMut(usize, &mut Fields<'_>) -> T,
    ) -> Vec<T> {
        let Some(json) = self.object.key(key) else {
            self.known.push(key);
            self.missing(key, words);
            return Vec::new();
        };
        if matches!(&json.value, Value::List(list) if list.is_empty()) {
            self.problem(key, format!("the list is empty; allowed: {words}"));
        }
        self.any_sections(key, words, read)
    }

    /// As [`Self::sections`], but the list may be empty, which is the default.
    pub fn any_sections<T>(
        &mut self,
        key: &'static str,
        words: &str,
        mut read: impl FnMut(usize, &mut Fields<'_>) -> T,
    ) -> Vec<T> {
        self.known.push(key);
        let none = Json::new(Value::List(Vec::new()), self.object.origin);
        let json = self.object.key(key).unwrap_or(&none);
        let list: &[Json] = match &json.value {
            Value::List(list) => list,
            _ => {
                self.problem(key, not_allowed(json, words));
                &[]
            }
        };
        let path = child_path(&self.path, key);
        let (mut results, mut objects) = (Vec::new(), Vec::new());
        for (i, element) in list.iter().enumerate() {
            let mut fields = Fields::new(element, &element_path(&path, i), self.problems);
            results.push(read(i, &mut fields));
            objects.push(fields.finish());
        }
        let list = Json::new(Value::List(objects), json.origin);
        self.read.push((key.to_owned(), list));
        results
    }
}
