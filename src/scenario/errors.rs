//! What is wrong with the input, as the user sees it: one line an error.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;

use crate::fields::Problem;
use crate::json::{Json, Step, Value, parse_path};

use super::document::Sources;

/// One thing wrong with the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    /// The file, or the option of the command line, that the value came from.
    pub file: String,
    /// JSON path, e.g. `workload.pairs[7].dst`; empty for the whole file.
    pub path: String,
    /// What is wrong, with the value; what is allowed; the nearest name.
    pub text: String,
}

/// Everything wrong with the input: at least one error, sorted by file and place, none twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputErrors(pub Vec<InputError>);

impl InputErrors {
    /// Sort `problems` by input and by where they stand in it, and name the inputs.
    pub(super) fn new(problems: Vec<Problem>, sources: &Sources) -> Self {
        let mut seen = BTreeSet::new();
        let mut placed: Vec<(Vec<usize>, Problem)> = problems
            .into_iter()
            .filter(|problem| {
                seen.insert((problem.origin, problem.path.clone(), problem.text.clone()))
            })
            .map(|problem| (place(sources.root(problem.origin), &problem.path), problem))
            .collect();
        placed.sort_by(|(place, problem), (other_place, other)| {
            let file = problem.origin.cmp(&other.origin);
            let place = || place.cmp(other_place);
            file.then_with(place).then(Ordering::Equal)
        });
        let named = placed.into_iter().map(|(_, problem)| InputError {
            file: sources.name(problem.origin).to_owned(),
            path: problem.path,
            text: problem.text,
        });
        Self(named.collect())
    }
}

/// Where `path` stands in `root`: the index of each step among its siblings, as far as there is something. Order of these is order in the file.
fn place(root: Option<&Json>, path: &str) -> Vec<usize> {
    let (Some(mut here), Ok(steps)) = (root, parse_path(path)) else {
        return Vec::new();
    };
    let mut place = Vec::new();
    for step in steps {
        let next = match (&step, &here.value) {
            (Step::Key(key), Value::Object(members)) => members
                .iter()
                .enumerate()
                .rfind(|(_, (name, _))| name == key)
                .map(|(at, (_, json))| (at, json)),
            (Step::Index(index), Value::List(list)) => list.get(*index).map(|json| (*index, json)),
            _ => None,
        };
        let Some((at, json)) = next else {
            break;
        };
        place.push(at);
        here = json;
    }
    place
}

impl fmt::Display for InputErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, InputError { file, path, text }) in self.0.iter().enumerate() {
            let end = if i > 0 { "\n" } else { "" };
            let colon = if path.is_empty() { "" } else { ": " };
            write!(f, "{end}{file}: {path}{colon}{text}")?;
        }
        Ok(())
    }
}

impl std::error::Error for InputErrors {}
