//! From a scenario file and the command line to the points to run, or to all that is wrong.

use std::collections::BTreeMap;
use std::path::Path;

use crate::fields::{MISSING, Problem, canonical};
use crate::files::Files;
use crate::json::{Json, Value};

use super::document::{self, Sources};
use super::effective::labels;
use super::errors::InputErrors;
use super::judge::{self, Around};
use super::sets::{self, Overrides};
use super::sweep::{self, Axis};
use super::{Scenario, whole};

/// Everything to run: the points of a scenario's sweep.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Name of the scenario (of its first point, if the name is swept).
    pub name: String,
    /// The first seed (of the first point, if seeds are swept); every point runs with its seed, seed + 1, ...
    pub seed: u64,
    /// How often every point runs, at least once.
    pub repeats: u32,
    /// The swept paths, in file order.
    pub swept: Vec<String>,
    /// The points, first swept key slowest; at least one.
    pub points: Vec<Point>,
    /// A line for each connection matrix: what was read, and what was ignored.
    pub notes: Vec<String>,
    /// Of each swept path, its values as written.
    pub(super) axes: Vec<Axis>,
    /// What values came from: `path`s are relative to it.
    pub(super) sources: Sources,
}

/// One point of the sweep.
#[derive(Clone, Debug)]
pub struct Point {
    /// The swept values, in the order of [`Plan::swept`], as tables show them: as written, but files by the shortest ends of their
    /// paths that tell them apart.
    pub values: Vec<Json>,
    /// The seed of the point's first run.
    pub seed: u64,
    /// What to run.
    pub scenario: Scenario,
    /// The point as JSON with every default filled in; without a sweep.
    pub effective: Json,
}

/// Read `file` with what it extends, apply `overrides`, and check every point of the sweep.
///
/// # Errors
/// All that is wrong, at once; only a file that cannot be read at all hides what else is.
pub fn load(file: &Path, overrides: &Overrides) -> Result<Plan, InputErrors> {
    let mut sources = Sources::default();
    let mut problems = Vec::new();
    let root = document::read(file, &mut sources, &mut problems);
    let stem = file.file_stem().map(|stem| stem.to_string_lossy());
    let stem = stem.filter(|stem| whole::is_name(stem));
    plan(root, (sources, problems), stem.as_deref(), overrides)
}

/// As [`load`], for the text of a scenario that lies in no file: its default name is `scenario`, and paths in it are relative to the
/// working directory.
///
/// # Errors
/// All that is wrong, at once.
pub fn parse(text: &str, overrides: &Overrides) -> Result<Plan, InputErrors> {
    let mut sources = Sources::default();
    let mut problems = Vec::new();
    let root = document::read_str(text, &mut sources, &mut problems);
    plan(root, (sources, problems), None, overrides)
}

fn plan(
    root: Option<Json>,
    (mut sources, mut problems): (Sources, Vec<Problem>),
    stem: Option<&str>,
    overrides: &Overrides,
) -> Result<Plan, InputErrors> {
    let Some(mut root) = root else {
        return Err(InputErrors::new(problems, &sources));
    };
    let sets = sets::apply(&mut root, overrides, &mut sources, &mut problems);
    let axes = sweep::take_axes(&mut root, &sets, &sources, &mut problems);
    let mut reader = Reader {
        root: &root,
        axes: &axes,
        stem: stem.unwrap_or("scenario"),
        sources: &sources,
        files: Files::default(),
        notes: Vec::new(),
        found: Found::default(),
    };
    let points = reader.points();
    let notes = reader.notes;
    problems.append(&mut reader.found.into_problems(&axes));
    let first = points.first().and_then(Option::as_ref);
    match first {
        Some(first) if problems.is_empty() => {
            let (name, seed) = (first.0.scenario.name.clone(), first.0.seed);
            let repeats = first.1;
            let points = points
                .into_iter()
                .flatten()
                .map(|(point, _)| point)
                .collect();
            let plan = assemble((name, seed, repeats), axes, points, sources);
            Ok(Plan { notes, ..plan })
        }
        _ => Err(InputErrors::new(problems, &sources)),
    }
}

fn assemble(
    (name, seed, repeats): (String, u64, u32),
    mut axes: Vec<Axis>,
    mut points: Vec<Point>,
    sources: Sources,
) -> Plan {
    for value in axes.iter_mut().flat_map(|axis| &mut axis.values) {
        *value = canonical(value);
    }
    let labels: Vec<Vec<Json>> = axes.iter().map(|axis| labels(axis, &sources)).collect();
    for (number, point) in points.iter_mut().enumerate() {
        let at = labels.iter().zip(sweep::indices(&axes, number));
        point.values = at.map(|(labels, index)| labels[index].clone()).collect();
    }
    Plan {
        name,
        seed,
        repeats,
        swept: axes.iter().map(|axis| axis.key.clone()).collect(),
        points,
        notes: Vec::new(),
        axes,
        sources,
    }
}

struct Reader<'a> {
    root: &'a Json,
    axes: &'a [Axis],
    stem: &'a str,
    sources: &'a Sources,
    files: Files,
    /// What was said of files, a line each.
    notes: Vec<String>,
    found: Found,
}

impl Reader<'_> {
    /// Every point with its repeats; `None` where something is wrong with it.
    fn points(&mut self) -> Vec<Option<(Point, u32)>> {
        if !self.axes.is_empty() {
            self.unswept();
        }
        let count = sweep::points(self.axes).unwrap_or(0);
        (0..count).map(|number| self.point(number)).collect()
    }

    /// What is wrong with the scenario as it stands without the sweep: a slip in a value that every point replaces is one too.
    fn unswept(&mut self) {
        let mut problems = Vec::new();
        whole::structure(self.root, self.stem, &mut problems);
        problems.retain(|problem| !problem.text.starts_with(MISSING));
        for problem in problems {
            self.found.add(problem, None);
        }
    }

    fn point(&mut self, number: usize) -> Option<(Point, u32)> {
        let mut problems = Vec::new();
        let indices = sweep::indices(self.axes, number);
        let json = sweep::at(self.root, self.axes, &indices, &mut problems);
        let (keys, name, effective) = whole::structure(&json, self.stem, &mut problems);
        let (seed, repeats) = (keys.seed, keys.repeats);
        let around = Around {
            json: &json,
            sources: self.sources,
            files: &mut self.files,
            notes: &mut self.notes,
        };
        let scenario = judge::scenario(keys, name, around, &mut problems);
        for mut problem in problems {
            let moved = sweep::relocate(&mut problem, self.axes, &indices);
            self.found.add(problem, Some((&indices, moved)));
        }
        let point = Point {
            values: Vec::new(),
            seed,
            scenario: scenario?,
            effective,
        };
        Some((point, repeats))
    }
}

/// A problem, and at which points it was found.
#[derive(Debug)]
struct Finding {
    problem: Problem,
    /// Indices of the points, if which matters.
    at: Vec<Vec<usize>>,
}

/// What is wrong with the points: each problem once.
#[derive(Debug, Default)]
struct Found {
    findings: Vec<Finding>,
    by_problem: BTreeMap<(u16, String, String), usize>,
}

impl Found {
    /// Add a problem, found at a point (its indices, and whether the path tells which point it is) or without the sweep.
    fn add(&mut self, problem: Problem, at: Option<(&[usize], bool)>) {
        let key = (problem.origin.0, problem.path.clone(), problem.text.clone());
        let new = self.findings.len();
        let number = *self.by_problem.entry(key).or_insert(new);
        if number == new {
            let at = Vec::new();
            self.findings.push(Finding { problem, at });
        } else if self.findings[number].at.is_empty() {
            // Found without the sweep, or told by its path.
            return;
        }
        if let Some((indices, false)) = at {
            self.findings[number].at.push(indices.to_vec());
        }
    }

    /// The problems; one that only some points have says which.
    fn into_problems(self, axes: &[Axis]) -> Vec<Problem> {
        let findings = self.findings.into_iter();
        findings
            .map(|Finding { mut problem, at }| {
                let deciding = axes.iter().enumerate().filter(|(number, axis)| {
                    (0..axis.values.len()).any(|i| at.iter().all(|indices| indices[*number] != i))
                });
                let values: Vec<String> = deciding
                    .filter_map(|(number, axis)| {
                        let value = &axis.values[*at.first()?.get(number)?];
                        Some(format!("{} = {}", axis.key, shown(value)))
                    })
                    .collect();
                if !values.is_empty() {
                    problem
                        .text
                        .push_str(&format!(" (where {})", values.join(", ")));
                }
                problem
            })
            .collect()
    }
}

fn shown(json: &Json) -> String {
    match &json.value {
        Value::Text(text) if text.len() < 60 => text.clone(),
        _ => json.shown(),
    }
}
