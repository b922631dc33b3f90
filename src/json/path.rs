//! Paths into a JSON value: `workload.pairs[7].dst`, `sweep["fabric.k"][0]`.

use std::collections::BTreeSet;

use super::{Json, Origin, Value, parse, quoted};

/// The most steps that a path may have: with the parser's own limit it bounds how deep a tree can get.
pub const MAX_STEPS: usize = 32;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Into an object.
    Key(String),
    /// Into a list.
    Index(usize),
}

/// The path of the member `key` of the object at `parent`.
#[must_use]
pub fn child_path(parent: &str, key: &str) -> String {
    let plain = !key.is_empty()
        && key
            .chars()
            .all(|c| c.is_alphanumeric() || "_-$".contains(c));
    match (plain, parent.is_empty()) {
        (true, true) => key.to_owned(),
        (true, false) => format!("{parent}.{key}"),
        (false, _) => format!("{parent}[{}]", quoted(key)),
    }
}

/// The path of element `index` of the list at `parent`.
#[must_use]
pub fn element_path(parent: &str, index: usize) -> String {
    format!("{parent}[{index}]")
}

/// `steps` as a path, the inverse of [`parse_path`].
#[must_use]
pub fn path_text(steps: &[Step]) -> String {
    steps.iter().fold(String::new(), |path, step| match step {
        Step::Key(key) => child_path(&path, key),
        Step::Index(index) => element_path(&path, *index),
    })
}

/// Parse a path: keys joined by `.`, `[3]` for the fourth element of a list, `["a.b"]` for a key that is no plain word.
///
/// # Errors
/// What is wrong with it: empty, an empty key, an unclosed or odd bracket, too many steps.
pub fn parse_path(path: &str) -> Result<Vec<Step>, String> {
    let wrong = |what: &str| Err(format!("{} is no path: {what}", quoted(path)));
    let mut steps = Vec::new();
    let mut rest = path;
    let mut key_expected = true;
    while key_expected || !rest.is_empty() {
        if steps.len() == MAX_STEPS {
            return wrong(&format!("more than {MAX_STEPS} steps"));
        }
        if rest.starts_with('[') && (steps.is_empty() || !key_expected) {
            let Some((step, after)) = bracket(rest) else {
                return wrong("after `[` stands a number or a string, then `]`");
            };
            steps.push(step);
            rest = after;
        } else if key_expected {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            if end == 0 {
                return wrong("a key is missing; e.g. workload.pairs[0].bytes");
            }
            steps.push(Step::Key(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            return wrong("after `]` stands `.`, `[` or nothing");
        }
        key_expected = rest.starts_with('.');
        if key_expected {
            rest = &rest[1..];
        }
    }
    Ok(steps)
}

/// `[3]...` or `["a.b"]...`: the step, and what follows it.
fn bracket(text: &str) -> Option<(Step, &str)> {
    let inner = text.strip_prefix('[')?;
    if !inner.starts_with('"') {
        let (digits, rest) = inner.split_once(']')?;
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        return Some((Step::Index(plain.then(|| digits.parse().ok())??), rest));
    }
    let mut escaped = false;
    let end = inner.bytes().skip(1).position(|b| {
        let closes = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        closes
    })? + 2;
    let Value::Text(key) = parse(&inner[..end], Origin(0)).ok()?.value else {
        return None;
    };
    Some((Step::Key(key), inner[end..].strip_prefix(']')?))
}

/// The value that `steps` lead to, if there is one.
#[must_use]
pub fn get<'a>(root: &'a Json, steps: &[Step]) -> Option<&'a Json> {
    steps
        .iter()
        .try_fold(root, |json, step| match (step, &json.value) {
            (Step::Key(key), _) => json.key(key),
            (Step::Index(index), Value::List(list)) => list.get(*index),
            (Step::Index(_), _) => None,
        })
}

/// Put `value` where `steps` lead; objects that are missing on the way are made.
///
/// # Errors
/// How many of `steps` lead to a value that cannot be entered, and what is wrong with it.
pub fn set(root: &mut Json, steps: &[Step], value: Json) -> Result<(), (usize, String)> {
    let origin = value.origin;
    let mut here = root;
    let mut made = false;
    for (depth, step) in steps.iter().enumerate() {
        let (noun, shown) = (here.noun(), here.shown());
        here = match (step, &mut here.value) {
            (Step::Key(key), Value::Object(members)) => {
                let at = members.iter().rposition(|(name, _)| name == key);
                made = at.is_none();
                let at = at.unwrap_or_else(|| {
                    members.push((key.clone(), Json::new(Value::Object(Vec::new()), origin)));
                    members.len() - 1
                });
                &mut members[at].1
            }
            (Step::Index(index), Value::List(list)) => {
                let length = list.len();
                let Some(element) = list.get_mut(*index) else {
                    return Err((
                        depth,
                        format!("has no element [{index}]; the list has {length}"),
                    ));
                };
                element
            }
            (Step::Key(key), _) => {
                let text = if noun == "null" {
                    format!("is null, so it has no key {}", quoted(key))
                } else {
                    format!("{shown} is {noun}, so it has no key {}", quoted(key))
                };
                return Err((depth, text));
            }
            (Step::Index(index), _) => {
                return Err((depth, no_list(made, &shown, *index)));
            }
        };
    }
    *here = value;
    Ok(())
}

/// Why a value that is no list has no element; `made`: there is none yet.
fn no_list(made: bool, shown: &str, index: usize) -> String {
    if made {
        format!("is missing, so it has no element [{index}]; set the list first")
    } else {
        format!("{shown} is no list, so it has no element [{index}]")
    }
}

/// The paths of all keys that stand twice in their object, each once; `path` is that of `json` itself.
#[must_use]
pub fn duplicates(json: &Json, path: &str) -> Vec<(String, Origin)> {
    let mut found = Vec::new();
    collect_duplicates(json, path, &mut found);
    found
}

fn collect_duplicates(json: &Json, path: &str, found: &mut Vec<(String, Origin)>) {
    match &json.value {
        Value::List(list) => {
            for (i, element) in list.iter().enumerate() {
                collect_duplicates(element, &element_path(path, i), found);
            }
        }
        Value::Object(members) => {
            let (mut seen, mut told) = (BTreeSet::new(), BTreeSet::new());
            for (key, member) in members {
                let child = child_path(path, key);
                if !seen.insert(key) && told.insert(key) {
                    found.push((child.clone(), member.origin));
                }
                collect_duplicates(member, &child, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        parse(text, Origin(0)).expect("the test's JSON parses")
    }

    fn key(name: &str) -> Step {
        Step::Key(name.to_owned())
    }

    #[test]
    fn a_path_is_read_step_by_step() {
        let steps = [key("a"), key("b"), Step::Index(3), key("c")];
        assert_eq!(parse_path("a.b[3].c").unwrap(), steps);
        let steps = [key("sweep"), key("a.\"b"), Step::Index(0)];
        assert_eq!(parse_path(r#"sweep["a.\"b"][0]"#).unwrap(), steps);
        assert_eq!(parse_path(r#"["x y"].z"#).unwrap(), [key("x y"), key("z")]);
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for path in [
            "",
            ".",
            "a.",
            ".a",
            "a..b",
            "a[",
            "a[x]",
            "a[-1]",
            "a[]",
            "a[1]b",
            "a.[1]",
            "a[\"x",
            "a[\"x\"",
            "a[99999999999999999999999]",
        ] {
            assert!(parse_path(path).is_err(), "{path}");
        }
        assert!(parse_path(&["a"; MAX_STEPS].join(".")).is_ok());
        assert!(parse_path(&["a"; MAX_STEPS + 1].join(".")).is_err());
    }

    #[test]
    fn setting_makes_missing_objects_and_replaces_what_is_there() {
        let mut root = json(r#"{"a": [{"b": 1}]}"#);
        set(&mut root, &parse_path("a[0].b").unwrap(), json("2")).unwrap();
        set(&mut root, &parse_path("c.d").unwrap(), json("[3]")).unwrap();
        assert_eq!(root, json(r#"{"a": [{"b": 2}], "c": {"d": [3]}}"#));
        assert_eq!(get(&root, &parse_path("c.d[0]").unwrap()), Some(&json("3")));
        assert_eq!(get(&root, &parse_path("c.d[1]").unwrap()), None);
    }

    #[test]
    fn setting_into_a_number_or_beyond_a_list_says_where_and_why() {
        let mut root = json(r#"{"a": 5, "l": [1]}"#);
        let refused = |root: &mut Json, path: &str| {
            set(root, &parse_path(path).unwrap(), json("1")).unwrap_err()
        };
        let (depth, text) = refused(&mut root, "a.b");
        assert_eq!(
            (depth, text.as_str()),
            (1, "5 is a number, so it has no key \"b\"")
        );
        let (depth, text) = refused(&mut root, "l[1]");
        assert_eq!(
            (depth, text.as_str()),
            (1, "has no element [1]; the list has 1")
        );
        assert_eq!(refused(&mut root, "a[0]").0, 1);
    }

    #[test]
    fn duplicate_keys_are_found_at_any_depth_and_named_once() {
        let root = json(r#"{"a": {"b": 1, "b": 2, "b": 3}, "l": [{"c d": 1, "c d": 1}], "a": 1}"#);
        let paths: Vec<String> = duplicates(&root, "")
            .into_iter()
            .map(|(path, _)| path)
            .collect();
        assert_eq!(paths, ["a.b", "l[0][\"c d\"]", "a"]);
    }
}
