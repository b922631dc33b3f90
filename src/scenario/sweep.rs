//! `sweep`: the cross product of lists of values over any keys; file order, first key slowest.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::fields::{Problem, not_allowed};
use crate::json::{Json, Origin, Step, Value, child_path, element_path, parse_path, path_text};

use super::document::{Sources, take};
use super::effective::identity;
use super::sets::{Assignment, assign, undoes};

/// The most points that a sweep may have.
const MAX_POINTS: usize = 100_000;

/// One key of the sweep and its values.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// The path, as the user wrote it.
    pub(super) key: String,
    /// The path, step by step.
    pub(super) steps: Vec<Step>,
    /// At least one value.
    pub(super) values: Vec<Json>,
    /// The input that names it.
    origin: Origin,
}

impl Axis {
    /// Where it stands in the file: `sweep["fabric.k"]`.
    pub(super) fn path(&self) -> String {
        child_path("sweep", &self.key)
    }

    fn read(key: String, json: Json, problems: &mut Vec<Problem>) -> Option<Self> {
        let mut refuse = |text: String| {
            problems.push(Problem {
                origin: json.origin,
                path: child_path("sweep", &key),
                text,
            });
            None
        };
        let steps = match parse_path(&key) {
            Ok(steps) => steps,
            Err(text) => return refuse(text),
        };
        if let Some(Step::Key(head)) = steps.first()
            && ["repeats", "sweep", "extends"].contains(&head.as_str())
        {
            return refuse(format!("{head} cannot be swept; it is one for all points"));
        }
        let words = "a list of at least one value";
        let origin = json.origin;
        match json.value {
            Value::List(values) if !values.is_empty() => Some(Self {
                key,
                steps,
                values,
                origin,
            }),
            Value::List(_) => refuse(format!("the list is empty; allowed: {words}")),
            _ => refuse(not_allowed(&json, words)),
        }
    }

    /// Note every value that stands in the list before: its points would be there twice.
    fn refuse_repeats(&self, sources: &Sources, problems: &mut Vec<Problem>) {
        let mut seen = BTreeMap::new();
        for (number, value) in self.values.iter().enumerate() {
            let first = seen.entry(identity(value, &self.steps, sources));
            if let Entry::Occupied(first) = first {
                let text = format!(
                    "{} is the same as element [{}]; allowed: each value once",
                    value.shown(),
                    first.get()
                );
                problems.push(Problem {
                    origin: value.origin,
                    path: element_path(&self.path(), number),
                    text,
                });
            } else {
                first.or_insert(number);
            }
        }
    }
}

/// Remove the sweep from `root`: its axes, in file order. Those that an option of the command line sets are dropped: the command line wins.
pub(super) fn take_axes(
    root: &mut Json,
    sets: &[Assignment],
    sources: &Sources,
    problems: &mut Vec<Problem>,
) -> Vec<Axis> {
    let Some(sweep) = take(root, "sweep") else {
        return Vec::new();
    };
    let members = match sweep.value {
        Value::Null => return Vec::new(),
        Value::Object(members) => members,
        _ => {
            problems.push(Problem {
                origin: sweep.origin,
                path: "sweep".to_owned(),
                text: not_allowed(&sweep, "null, or an object of paths to lists of values"),
            });
            return Vec::new();
        }
    };
    let mut axes: Vec<Axis> = Vec::new();
    for (key, json) in members {
        let Some(axis) = Axis::read(key, json, problems) else {
            continue;
        };
        let clash = axes.iter().find_map(|earlier| clash(&axis, earlier));
        if let Some(text) = clash {
            problems.push(Problem {
                origin: axis.origin,
                path: axis.path(),
                text,
            });
            continue;
        }
        if keep(&axis, sets, sources, problems) {
            axis.refuse_repeats(sources, problems);
            axes.push(axis);
        }
    }
    if points(&axes).is_none() {
        problems.push(Problem {
            origin: sweep.origin,
            path: "sweep".to_owned(),
            text: format!("has {} points; allowed: up to {MAX_POINTS}", product(&axes)),
        });
        axes.clear();
    }
    axes
}

/// Why `axis` cannot follow `earlier`, if so.
fn clash(axis: &Axis, earlier: &Axis) -> Option<String> {
    let name = &earlier.key;
    if axis.steps == earlier.steps {
        return Some(format!("sweeps the same value as \"{name}\""));
    }
    undoes(&axis.steps, &earlier.steps)
        .then(|| format!("would undo \"{name}\", which stands before it; put it first"))
}

/// Whether `axis` stays beside what the command line sets.
fn keep(axis: &Axis, sets: &[Assignment], sources: &Sources, problems: &mut Vec<Problem>) -> bool {
    let covers = |set: &Assignment| axis.steps.starts_with(&set.steps);
    let by_option = sets.iter().any(|other| other.origin == axis.origin);
    let kept = !sets.iter().any(covers);
    for set in sets {
        // An axis that ends undoes nothing.
        let lost = kept && undoes(&axis.steps, &set.steps);
        let covers = covers(set);
        let text = match (covers, lost, by_option) {
            (true, _, true) => {
                format!(
                    "is swept by {} too; give one of them",
                    sources.name(axis.origin)
                )
            }
            (_, true, _) => format!(
                "would be undone by the sweep of \"{0}\"; sweep whole objects, or set {0} too",
                axis.key
            ),
            _ => continue,
        };
        problems.push(Problem {
            origin: set.origin,
            path: path_text(&set.steps),
            text,
        });
    }
    kept
}

/// How many points `axes` span; `None` if too many.
pub(super) fn points(axes: &[Axis]) -> Option<usize> {
    let count = usize::try_from(product(axes)).ok()?;
    (count <= MAX_POINTS).then_some(count)
}

/// The product of the lengths of all lists, up to 2^128 - 1.
fn product(axes: &[Axis]) -> u128 {
    let lengths = axes.iter().map(|axis| axis.values.len() as u128);
    lengths.fold(1, u128::saturating_mul)
}

/// Which value of each axis point `point` has: the last axis moves fastest.
pub(super) fn indices(axes: &[Axis], point: usize) -> Vec<usize> {
    let mut rest = point;
    let mut indices: Vec<usize> = axes
        .iter()
        .rev()
        .map(|axis| {
            let index = rest % axis.values.len();
            rest /= axis.values.len();
            index
        })
        .collect();
    indices.reverse();
    indices
}

/// The scenario at one point of the sweep.
pub(super) fn at(
    root: &Json,
    axes: &[Axis],
    indices: &[usize],
    problems: &mut Vec<Problem>,
) -> Json {
    let mut json = root.clone();
    for (axis, index) in axes.iter().zip(indices) {
        if let Err((depth, text)) = assign(&mut json, &axis.steps, axis.values[*index].clone()) {
            let place = path_text(&axis.steps[..depth]);
            problems.push(Problem {
                origin: axis.origin,
                path: axis.path(),
                text: format!("{place}: {text}"),
            });
        }
    }
    json
}

/// Name a problem at a point by the value of the sweep that it stands in, if it does; tells whether so.
pub(super) fn relocate(problem: &mut Problem, axes: &[Axis], indices: &[usize]) -> bool {
    let Ok(steps) = parse_path(&problem.path) else {
        return false;
    };
    for (axis, index) in axes.iter().zip(indices).rev() {
        if steps.starts_with(&[Step::Key("sweep".to_owned())]) {
            return true;
        }
        let Some(rest) = steps.strip_prefix(axis.steps.as_slice()) else {
            continue;
        };
        let mut path = vec![Step::Key("sweep".to_owned()), Step::Key(axis.key.clone())];
        // An unknown key is wrong whatever its value.
        if !(rest.is_empty() && problem.text.starts_with("unknown key")) {
            path.push(Step::Index(*index));
        }
        path.extend_from_slice(rest);
        problem.path = path_text(&path);
        return true;
    }
    false
}
