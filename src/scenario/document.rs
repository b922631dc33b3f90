//! Reading scenario files: text, `extends`, and which input each value came from.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::fields::{DUPLICATE, Problem, not_allowed};
use crate::files::{FileKind, read_text};
use crate::json::{self, Json, Origin, Value, element_path};

use super::extends::merge;

/// How long a chain of `extends` may get.
const MAX_CHAIN: usize = 32;

/// Everything that values came from: files and options of the command line.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources(Vec<Source>);

#[derive(Clone, Debug)]
struct Source {
    name: String,
    /// Relative paths in it start here.
    dir: PathBuf,
    /// As it was read, to tell where in it an error stands.
    root: Option<Json>,
}

impl Sources {
    /// A new input. Past 65,536 inputs they share the last name.
    pub(super) fn add(&mut self, name: String, dir: PathBuf) -> Origin {
        if self.0.len() <= usize::from(u16::MAX) {
            self.0.push(Source {
                name,
                dir,
                root: None,
            });
        }
        Origin((self.0.len() - 1) as u16)
    }

    fn get(&self, origin: Origin) -> Option<&Source> {
        self.0.get(usize::from(origin.0))
    }

    /// The input's name in messages.
    pub(super) fn name(&self, origin: Origin) -> &str {
        self.get(origin).map_or("", |source| &source.name)
    }

    /// Where relative paths of the input start.
    pub(super) fn dir(&self, origin: Origin) -> &Path {
        self.get(origin)
            .map_or_else(|| Path::new(""), |source| &source.dir)
    }

    /// The input as it was read.
    pub(super) fn root(&self, origin: Origin) -> Option<&Json> {
        self.get(origin)?.root.as_ref()
    }
}

/// Read `file` and all that it extends into one object without `extends`; `None` if that failed, which is a problem.
pub(super) fn read(
    file: &Path,
    sources: &mut Sources,
    problems: &mut Vec<Problem>,
) -> Option<Json> {
    let mut loader = Loader {
        sources,
        problems,
        chain: Vec::new(),
        done: BTreeMap::new(),
    };
    loader.file(file, None)
}

/// As `read`, for a `text` that lies in no file; `extends` in it is relative to the working directory.
pub(super) fn read_str(
    text: &str,
    sources: &mut Sources,
    problems: &mut Vec<Problem>,
) -> Option<Json> {
    let dir = PathBuf::new();
    let origin = sources.add("scenario".to_owned(), dir.clone());
    let mut loader = Loader {
        sources,
        problems,
        chain: Vec::new(),
        done: BTreeMap::new(),
    };
    let json = loader.parsed(text, origin)?;
    loader.extended(json, &dir)
}

/// Where a file is named: the origin, and the JSON path there.
type NamedAt<'a> = (Origin, &'a str, &'a str);

struct Loader<'a> {
    sources: &'a mut Sources,
    problems: &'a mut Vec<Problem>,
    /// The files being read, each extending the next: canonical path, and name in messages.
    chain: Vec<(PathBuf, String)>,
    /// Files read already: one that two others extend is read once.
    done: BTreeMap<PathBuf, Option<Json>>,
}

impl Loader<'_> {
    fn problem(&mut self, origin: Origin, path: &str, text: String) {
        self.problems.push(Problem {
            origin,
            path: path.to_owned(),
            text,
        });
    }

    fn file(&mut self, file: &Path, named_at: Option<NamedAt<'_>>) -> Option<Json> {
        let identity = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        if let (Some(known), Some(_)) = (self.done.get(&identity), named_at) {
            return known.clone();
        }
        let name = file.display().to_string();
        if let Some((origin, path, _)) = named_at
            && let Some(text) = self.refuse_chain(&identity, &name)
        {
            self.problem(origin, path, text);
            return None;
        }
        let kind = match named_at {
            Some(_) => FileKind::Regular,
            None => FileKind::Stream,
        };
        let text = match (read_text(file, kind), named_at) {
            (Ok(text), _) => text,
            (Err(why), Some((origin, path, written))) => {
                self.problem(origin, path, format!("\"{written}\" ({name}): {why}"));
                return None;
            }
            (Err(why), None) => {
                let origin = self.sources.add(name, PathBuf::new());
                self.problem(origin, "", why);
                return None;
            }
        };
        let dir = file.parent().unwrap_or_else(|| Path::new("")).to_owned();
        let origin = self.sources.add(name.clone(), dir.clone());
        self.chain.push((identity.clone(), name));
        let json = self
            .parsed(&text, origin)
            .and_then(|json| self.extended(json, &dir));
        self.chain.pop();
        self.done.insert(identity, json.clone());
        json
    }

    /// Why a file cannot be extended from here, if so.
    fn refuse_chain(&self, identity: &Path, name: &str) -> Option<String> {
        let links = || {
            let names = self.chain.iter().map(|(_, name)| name.as_str());
            names.chain([name]).collect::<Vec<_>>().join(" -> ")
        };
        if self.chain.iter().any(|(file, _)| file == identity) {
            return Some(format!("files extend each other in a cycle: {}", links()));
        }
        (self.chain.len() >= MAX_CHAIN)
            .then(|| format!("more than {MAX_CHAIN} files extend each other: {}", links()))
    }

    fn parsed(&mut self, text: &str, origin: Origin) -> Option<Json> {
        let json = match json::parse(text, origin) {
            Ok(json) => json,
            Err(error) => {
                self.problem(origin, "", error.to_string());
                return None;
            }
        };
        for (path, origin) in json::duplicates(&json, "") {
            self.problem(origin, &path, DUPLICATE.to_owned());
        }
        if !matches!(json.value, Value::Object(_)) {
            self.problem(origin, "", not_allowed(&json, "an object"));
            return None;
        }
        if let Some(source) = self.sources.0.get_mut(usize::from(origin.0)) {
            source.root = Some(json.clone());
        }
        Some(json)
    }

    /// `json` merged over what it extends.
    fn extended(&mut self, mut json: Json, dir: &Path) -> Option<Json> {
        let Some(extends) = take(&mut json, "extends") else {
            return Some(json);
        };
        let words = "a path, or a list of paths; the later win, the file itself wins over all";
        let named = match &extends.value {
            Value::List(list) => list
                .iter()
                .enumerate()
                .map(|(i, json)| (element_path("extends", i), json))
                .collect(),
            _ => vec![("extends".to_owned(), &extends)],
        };
        let mut base: Option<Json> = None;
        let mut failed = false;
        for (path, file) in named {
            let read = match &file.value {
                Value::Text(written) if !written.is_empty() => {
                    self.file(&dir.join(written), Some((file.origin, &path, written)))
                }
                _ => {
                    self.problem(file.origin, &path, not_allowed(file, words));
                    None
                }
            };
            failed |= read.is_none();
            base = match (base, read) {
                (Some(base), Some(read)) => Some(merge(base, read)),
                (base, read) => read.or(base),
            };
        }
        match base {
            _ if failed => None,
            Some(base) => Some(merge(base, json)),
            None => Some(json),
        }
    }
}

/// Remove `key` from an object; the last value if it stands twice.
pub(super) fn take(json: &mut Json, key: &str) -> Option<Json> {
    let Value::Object(members) = &mut json.value else {
        return None;
    };
    let mut taken = None;
    while let Some(at) = members.iter().position(|(name, _)| name == key) {
        taken = Some(members.remove(at).1);
    }
    taken
}
