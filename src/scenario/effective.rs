//! The effective scenario: every default filled in, one file, running which gives the same bytes.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::fields::canonical;
use crate::json::{Json, Origin, Step, Value, get, parse_path, set};

use super::document::Sources;
use super::plan::Plan;
use super::sweep::Axis;

/// Where a scenario names files.
const FILES: [&str; 2] = ["fabric.path", "workload.path"];

impl Plan {
    /// The effective scenario as JSON text, to lie in `out_dir` (relative paths start there; it need not exist yet).
    ///
    /// It holds the first point's values and the sweep with its lists as written, seed and repeats as the command line left them, and
    /// no `extends`. No default depends on another key, so loading it gives an equal plan and this text again.
    #[must_use]
    pub fn effective(&self, out_dir: &Path) -> String {
        let Some(first) = self.points.first() else {
            return String::new();
        };
        let mut root = first.effective.clone();
        let origin = root.origin;
        let moved = |json: &Json| moved(json, &self.sources, out_dir);
        map_files(&mut root, &[], &moved);
        let mut sweep = Vec::new();
        for (axis, path) in self.axes.iter().zip(&self.swept) {
            let mut values = axis.values.clone();
            for value in &mut values {
                map_files(value, &axis.steps, &moved);
            }
            sweep.push((path.clone(), Json::new(Value::List(values), origin)));
        }
        if let Value::Object(members) = &mut root.value
            && !sweep.is_empty()
        {
            let sweep = Json::new(Value::Object(sweep), origin);
            members.push(("sweep".to_owned(), sweep));
        }
        root.to_pretty()
    }
}

/// Change every path of a file in `value`, which stands at `place` in a scenario.
pub(super) fn map_files(value: &mut Json, place: &[Step], change: &impl Fn(&Json) -> Json) {
    for file in FILES {
        let Ok(steps) = parse_path(file) else {
            continue;
        };
        if let Some(rest) = steps.strip_prefix(place)
            && let Some(json) = get(value, rest)
        {
            let changed = change(json);
            // What was found can be replaced.
            let _ = set(value, rest, changed);
        }
    }
}

/// The values of `axis` as tables show them: as written, but files by the shortest ends of their paths that tell them apart (their
/// names alone, if those differ), so that tables are the same wherever files lie.
pub(super) fn labels(axis: &Axis, sources: &Sources) -> Vec<Json> {
    let mut files = BTreeSet::new();
    for value in &axis.values {
        let found = RefCell::new(&mut files);
        map_files(&mut value.clone(), &axis.steps, &|json| {
            found.borrow_mut().extend(target(json, sources));
            json.clone()
        });
    }
    let label = |value: &Json| {
        let mut value = value.clone();
        map_files(
            &mut value,
            &axis.steps,
            &|json| match target(json, sources) {
                Some(path) => {
                    Json::text(&shortest_end(&path, &files).to_string_lossy(), json.origin)
                }
                None => json.clone(),
            },
        );
        value
    };
    axis.values.iter().map(label).collect()
}

/// A swept value such that two are the same exactly if they mean the same by themselves: numbers by their size, files by where they lie.
pub(super) fn identity(value: &Json, place: &[Step], sources: &Sources) -> String {
    let mut value = canonical(value);
    map_files(&mut value, place, &|json| {
        target(json, sources).map_or_else(
            || json.clone(),
            |path| Json::text(&path.to_string_lossy(), json.origin),
        )
    });
    value.to_compact()
}

/// The shortest end of `path` that is no end of another of `files`.
fn shortest_end(path: &Path, files: &BTreeSet<PathBuf>) -> PathBuf {
    let parts: Vec<Component<'_>> = path.components().collect();
    let end = |count: usize| parts[parts.len() - count..].iter().collect::<PathBuf>();
    let is_unique = |count: &usize| {
        let end = end(*count);
        !files
            .iter()
            .any(|other| other != path && other.ends_with(&end))
    };
    (1..parts.len())
        .find(is_unique)
        .map_or_else(|| path.to_owned(), end)
}

/// Where the file lies that `json` names.
fn target(json: &Json, sources: &Sources) -> Option<PathBuf> {
    match &json.value {
        Value::Text(path) => Some(physical(&sources.dir(json.origin).join(path))),
        _ => None,
    }
}

/// A file's path, relative to `out_dir` instead of the input that names it. Absolute paths stay, and so does what is no path.
fn moved(json: &Json, sources: &Sources, out_dir: &Path) -> Json {
    let Value::Text(path) = &json.value else {
        return json.clone();
    };
    if Path::new(path).is_absolute() {
        return json.clone();
    }
    let target = physical(&sources.dir(json.origin).join(path));
    let moved = relative(&target, &physical(out_dir));
    Json::text(&moved.to_string_lossy(), Origin::default())
}

/// The absolute path without links, as far as it exists.
fn physical(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut rest: Vec<&OsStr> = Vec::new();
    let mut here = absolute.as_path();
    loop {
        if let Ok(real) = here.canonicalize() {
            return rest.iter().rev().fold(real, |path, name| path.join(name));
        }
        match (here.parent(), here.components().next_back()) {
            (Some(parent), Some(last)) => {
                rest.push(last.as_os_str());
                here = parent;
            }
            _ => return absolute,
        }
    }
}

/// `target` as seen from `dir`; both absolute.
fn relative(target: &Path, dir: &Path) -> PathBuf {
    let (target, dir): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (target.components().collect(), dir.components().collect());
    let common = target.iter().zip(&dir).take_while(|(a, b)| a == b).count();
    let up = dir[common..].iter().map(|_| Component::ParentDir);
    up.chain(target[common..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_seen_from_another_folder() {
        for (target, dir, seen) in [
            ("/a/b/x.cm", "/a/b", "x.cm"),
            ("/a/x.cm", "/a/b/c", "../../x.cm"),
            ("/a/b/x.cm", "/c", "../a/b/x.cm"),
        ] {
            assert_eq!(relative(Path::new(target), Path::new(dir)), Path::new(seen));
        }
    }
}
