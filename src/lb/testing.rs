//! What the tests of schemes share: parameters from text, and parameters drawn as they are declared.

use super::{Scheme, SchemeRow, read};
use crate::fields::{Fields, Section};
use crate::json::{Json, Origin, Value, parse};
use crate::rng::Rng;

/// What `read` makes of `text`, the problems with their paths, and the keys with all defaults filled in.
fn read_text<T>(text: &str, read: impl FnOnce(&mut Fields<'_>) -> T) -> (T, Vec<String>, Json) {
    let json = parse(text, Origin::default()).expect("the test's JSON parses");
    let mut problems = Vec::new();
    let mut fields = Fields::new(&json, "", &mut problems);
    let value = read(&mut fields);
    let filled = fields.finish();
    let told = problems
        .into_iter()
        .map(|problem| format!("{}: {}", problem.path, problem.text));
    (value, told.collect(), filled)
}

/// Parameters, and what is wrong with them.
pub(super) fn params<T: Section>(text: &str) -> (T, Vec<String>) {
    let (params, problems, _) = read_text(text, |fields| T::read(fields, None));
    (params, problems)
}

/// The scheme of that name with more keys beside it, as `"key": value, ..`.
pub(super) fn scheme(name: &str, keys: &str) -> (Scheme, Vec<String>, Json) {
    let comma = if keys.is_empty() { "" } else { ", " };
    read_text(&format!("{{\"scheme\": \"{name}\"{comma}{keys}}}"), read)
}

/// The members of an object, as text.
pub(super) fn members(json: &Json) -> Vec<(String, String)> {
    let Value::Object(members) = &json.value else {
        panic!("an object stays an object");
    };
    let told = members
        .iter()
        .map(|(key, value)| (key.clone(), value.to_compact()));
    told.collect()
}

/// The scheme of a row: first with all defaults, then so many times with parameters drawn as they are declared.
pub(super) fn samples(row: &SchemeRow, draws: u32, rng: &mut Rng) -> Vec<Scheme> {
    let mut all = vec![row.usual()];
    while all.len() <= draws as usize {
        let (scheme, problems, _) = scheme(row.name, &drawn(row, rng));
        // Rules between keys are no data.
        if problems.is_empty() {
            all.push(scheme);
        } else {
            let limited = (row.keys)().iter().any(|key| !key.limits.is_empty());
            assert!(limited, "{}: {problems:?}", row.name);
        }
    }
    all
}

/// Some of the keys of a row with values that they may have.
fn drawn(row: &SchemeRow, rng: &mut Rng) -> String {
    let mut told = Vec::new();
    for key in (row.keys)() {
        if rng.below(4) == 0 {
            continue;
        }
        if let Some(value) = key.schema.draw(&mut |bound| rng.below_u64(bound)) {
            told.push(format!("\"{}\": {}", key.name, value.to_compact()));
        }
    }
    told.join(", ")
}
