//! Objects within the object: alone at a key, in place of a word or of `null`, or in a list; and keys that belong to another kind of
//! object.

use crate::json::{Json, Origin, Value, child_path, element_path};

use super::values::one_of;
use super::{Fields, ParamDoc, Problem, not_allowed};

impl Fields<'_> {
    /// A key that has no meaning here: if it stands there, that is a problem, and `why` says what it belongs to.
    pub fn foreign(&mut self, key: &'static str, why: &str) {
        if self.has(key) && !self.known.contains(&key) {
            self.known.push(key);
            self.problem(key, why.to_owned());
        }
    }

    /// The `kind` of the object, one of `kinds`, and whether it was read. `own_keys` belong to the kinds beside which they stand (a key
    /// may stand more than once): those of other kinds are a problem where they stand, or passed over if the kind is what is wrong.
    pub fn kind<T: Copy + PartialEq>(
        &mut self,
        default: Option<&'static str>,
        kinds: &[(&'static str, T)],
        own_keys: &[(&'static str, T)],
    ) -> (T, bool) {
        let before = self.problem_count();
        let kind = self.choice("kind", default, kinds);
        let known = self.problem_count() == before;
        let name = |kind: T| kinds.iter().find(|of| of.1 == kind).map_or("", |of| of.0);
        let is_own = |key| known && own_keys.contains(&(key, kind));
        for &(key, _) in own_keys.iter().filter(|own| !is_own(own.0)) {
            if known {
                let takers = own_keys.iter().filter(|own| own.0 == key);
                let takers: Vec<String> =
                    takers.map(|own| format!("\"{}\"", name(own.1))).collect();
                let noun = if takers.len() == 1 { "kind" } else { "kinds" };
                let (takers, this) = (takers.join(", "), name(kind));
                let why = format!("belongs to {noun} {takers}; this is kind \"{this}\"");
                self.foreign(key, &why);
            } else {
                self.skip(key);
            }
        }
        (kind, known)
    }

    /// Deals with the parameters of the other `schemes` (name, parameters) than `this`: a problem where they stand, or passed over unless
    /// `known`, since then the scheme's name is what is wrong.
    pub fn foreign_params(
        &mut self,
        schemes: &[(&str, &'static [ParamDoc])],
        this: &str,
        known: bool,
    ) {
        let has = |params: &[ParamDoc], key: &str| params.iter().any(|param| param.name == key);
        let own = |key: &str| schemes.iter().any(|of| of.0 == this && has(of.1, key));
        let params = schemes.iter().flat_map(|of| of.1).map(|param| param.name);
        for key in params.filter(|key| !own(key)) {
            if known {
                let takers = schemes.iter().filter(|of| has(of.1, key));
                let takers: Vec<String> = takers.map(|of| format!("\"{}\"", of.0)).collect();
                let noun = if takers.len() == 1 {
                    "scheme"
                } else {
                    "schemes"
                };
                let takers = takers.join(", ");
                let why = format!("belongs to {noun} {takers}; this is scheme \"{this}\"");
                self.foreign(key, &why);
            } else if self.has(key) {
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

    /// Whether an object stands at `key`.
    #[must_use]
    pub fn is_object(&self, key: &str) -> bool {
        let value = self.object.key(key).map(|json| &json.value);
        matches!(value, Some(Value::Object(_)))
    }

    /// The object at `key`, read by `read`, or `null`, which is the default; `words` say so.
    pub fn nullable_section<T>(
        &mut self,
        key: &'static str,
        words: &str,
        read: impl FnOnce(&mut Fields<'_>) -> T,
    ) -> Option<T> {
        if self.is_object(key) {
            return Some(self.section(key, read));
        }
        self.value(key, Some(Value::Null), words, |json| match json.value {
            Value::Null => Ok(()),
            _ => Err(not_allowed(json, words)),
        });
        None
    }

    /// One of the words of `options` (at least one); the error names the nearest, and `others`: what else may stand there and is read
    /// elsewhere.
    pub fn choice_or<T: Copy>(
        &mut self,
        key: &'static str,
        default: Option<&'static str>,
        options: &[(&'static str, T)],
        others: Option<&str>,
    ) -> T {
        let names = options.iter().map(|(name, _)| *name);
        let words: Vec<&str> = names.chain(others).collect();
        let words = words.join(", ");
        let default = default.map(|name| Value::Text(name.to_owned()));
        let read = self.value(key, default.clone(), &words, |json| {
            one_of(key, json, options, &words)
        });
        let stand_in = options
            .iter()
            .find(|(name, _)| matches!(&default, Some(Value::Text(text)) if text == name));
        read.unwrap_or_else(|| stand_in.unwrap_or(&options[0]).1)
    }

    /// The objects of the non-empty list at `key`, each read by `read`; no objects if it is missing or no list, which is a problem.
    pub fn sections<T>(
        &mut self,
        key: &'static str,
        words: &str,
        read: impl FnMut(usize, &mut Fields<'_>) -> T,
    ) -> Vec<T> {
        self.known.push(key);
        let Some(json) = self.object.key(key) else {
            self.missing(key, words);
            return Vec::new();
        };
        if matches!(&json.value, Value::List(list) if list.is_empty()) {
            self.problem(key, format!("the list is empty; allowed: {words}"));
        }
        self.objects(key, json, words, read)
    }

    /// The objects of the list at `key`, each read by `read`; a missing list is an empty one, anything else a problem.
    pub fn optional_sections<T>(
        &mut self,
        key: &'static str,
        words: &str,
        read: impl FnMut(usize, &mut Fields<'_>) -> T,
    ) -> Vec<T> {
        self.known.push(key);
        let none = Json::new(Value::List(Vec::new()), self.object.origin);
        let json = self.object.key(key).unwrap_or(&none);
        self.objects(key, json, words, read)
    }

    /// The elements of the list `json`, which stands at `key`.
    fn objects<T>(
        &mut self,
        key: &'static str,
        json: &Json,
        words: &str,
        mut read: impl FnMut(usize, &mut Fields<'_>) -> T,
    ) -> Vec<T> {
        let Value::List(list) = &json.value else {
            self.problem(key, not_allowed(json, words));
            return Vec::new();
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

    /// Note a problem with element `index` of the list at `key`, which came from `origin`.
    pub fn element_problem(&mut self, key: &str, index: usize, origin: Origin, text: String) {
        self.problems.push(Problem {
            origin,
            path: element_path(&child_path(&self.path, key), index),
            text,
        });
    }
}
