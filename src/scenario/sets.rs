//! `--set PATH=VALUE`, `--seed`, `--repeats`: the command line over the file.

use std::path::PathBuf;

use crate::fields::{DUPLICATE, Problem};
use crate::json::{self, Json, Origin, Step, Value, parse_path, path_text};

use super::document::Sources;
use super::schemes;

/// What the command line changes of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `PATH=VALUE`, applied in order; VALUE is JSON, else a string.
    pub sets: Vec<String>,
    /// The first seed.
    pub seed: Option<u64>,
    /// How often every point runs.
    pub repeats: Option<u32>,
}

/// A value that the command line sets.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    /// Where it goes.
    pub(super) steps: Vec<Step>,
    /// The option that it came from.
    pub(super) origin: Origin,
}

/// Put `value` at `steps`. A scheme comes with its own defaults: setting it clears the parameters beside it, and nothing else.
///
/// # Errors
/// As [`json::set`].
pub(super) fn assign(root: &mut Json, steps: &[Step], value: Json) -> Result<(), (usize, String)> {
    let Some(object) = object_of_scheme(steps) else {
        return json::set(root, steps, value);
    };
    let (origin, path) = (value.origin, path_text(object));
    let mut members = vec![("scheme".to_owned(), value)];
    if let Some(Value::Object(before)) = json::get(root, object).map(|json| &json.value) {
        let kept = before
            .iter()
            .filter(|(key, _)| schemes::is_kept(&path, key));
        members.extend(kept.cloned());
    }
    json::set(root, object, Json::new(Value::Object(members), origin))
}

/// The object whose scheme stands at `steps`, if one does.
fn object_of_scheme(steps: &[Step]) -> Option<&[Step]> {
    let is_scheme = schemes::is_scheme(&path_text(steps));
    is_scheme.then(|| &steps[..steps.len() - 1])
}

/// Whether assigning at `later` after `earlier` loses what `earlier` assigned (the same place again is meant so).
pub(super) fn undoes(later: &[Step], earlier: &[Step]) -> bool {
    let object = object_of_scheme(later);
    let cleared = object.unwrap_or(later);
    let kept = object.is_some_and(|object| match earlier.strip_prefix(object) {
        Some([Step::Key(key), ..]) => schemes::is_kept(&path_text(object), key),
        _ => false,
    });
    earlier.len() > cleared.len() && earlier.starts_with(cleared) && earlier != later && !kept
}

/// Apply `overrides` to `root`; yields what was set.
pub(super) fn apply(
    root: &mut Json,
    overrides: &Overrides,
    sources: &mut Sources,
    problems: &mut Vec<Problem>,
) -> Vec<Assignment> {
    let mut done: Vec<Assignment> = Vec::new();
    let sets = overrides.sets.iter().map(|set| ("--set", set.clone()));
    let seed = overrides
        .seed
        .map(|seed| ("--seed", format!("seed={seed}")));
    let repeats = overrides
        .repeats
        .map(|n| ("--repeats", format!("repeats={n}")));
    for (option, set) in sets.chain(seed).chain(repeats) {
        let name = match option {
            "--set" => format!("--set {}", shortened(&set)),
            _ => option.to_owned(),
        };
        let origin = sources.add(name, PathBuf::new());
        if let Err((path, text)) = apply_one(root, &set, origin, &mut done, problems) {
            problems.push(Problem { origin, path, text });
        }
    }
    done
}

fn shortened(set: &str) -> String {
    let plain: String = set
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(61)
        .collect();
    match plain.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &plain[..end]),
        None => plain,
    }
}

fn apply_one(
    root: &mut Json,
    set: &str,
    origin: Origin,
    done: &mut Vec<Assignment>,
    problems: &mut Vec<Problem>,
) -> Result<(), (String, String)> {
    let whole = |text: &str| (String::new(), text.to_owned());
    let Some((path, value)) = set.split_once('=') else {
        return Err(whole("has no `=`; allowed: PATH=VALUE, e.g. fabric.k=8"));
    };
    let steps = parse_path(path).map_err(|text| whole(&text))?;
    let value = json::parse(value, origin).unwrap_or_else(|_| Json::text(value, origin));
    match steps.first() {
        Some(Step::Key(key)) if key == "extends" => {
            return Err((path.to_owned(), "only a file can extend another".to_owned()));
        }
        Some(Step::Key(key)) if key == "sweep" && steps.len() > 1 => {
            let text = "the keys of a sweep are paths with dots; set the sweep whole: --set 'sweep={\"fabric.k\": [4, 8]}'";
            return Err((path.to_owned(), text.to_owned()));
        }
        _ => {}
    }
    for (path, origin) in json::duplicates(&value, path) {
        let text = DUPLICATE.to_owned();
        problems.push(Problem { origin, path, text });
    }
    if let Some(earlier) = done.iter().find(|earlier| undoes(&steps, &earlier.steps)) {
        let earlier = path_text(&earlier.steps);
        let text = format!("would undo {earlier}, which is set before it; set {path} first");
        return Err((path.to_owned(), text));
    }
    assign(root, &steps, value).map_err(|(depth, text)| (path_text(&steps[..depth]), text))?;
    done.push(Assignment { steps, origin });
    Ok(())
}
