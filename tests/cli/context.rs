//! Scenarios in which one key or another means something, from the declarations.

use spraysim::fields::{KeyDoc, PathDoc};
use spraysim::json::{Json, Origin, Value, get, parse, parse_path, path_text, set};
use spraysim::scenario::keys_and_sections;

/// The text as JSON.
pub(crate) fn json(text: &str) -> Json {
    parse(text, Origin(0)).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The path with the first element of each list.
pub(crate) fn concrete(path: &str) -> String {
    path.replace("[]", "[0]")
}

fn at<'a>(root: &'a Json, path: &str) -> Option<&'a Json> {
    get(
        root,
        &parse_path(&concrete(path)).expect("a declared path is one"),
    )
}

/// Put `value` at `path`.
pub(crate) fn put(root: &mut Json, path: &str, value: Json) {
    let steps = parse_path(&concrete(path)).expect("a declared path is one");
    set(root, &steps, value).unwrap_or_else(|error| panic!("{path}: {error:?}"));
}

/// The path of the object around `path`.
fn parent(path: &str) -> String {
    let steps = parse_path(&path.replace("[]", "[0]")).expect("a declared path is one");
    path_text(&steps[..steps.len() - 1]).replace("[0]", "[]")
}

/// The smallest scenario.
pub(crate) fn plain() -> Json {
    json(
        r#"{"fabric": {"k": 4}, "load_balancing": {"scheme": "rsq"}, "workload": {"kind": "permutation", "message_bytes": 5}}"#,
    )
}

/// A scenario in which the key at `path` means something.
pub(crate) fn context(path: &str) -> Json {
    let mut root = plain();
    let around = |doc: &&PathDoc| {
        let rest = path.strip_prefix(&doc.path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    for doc in keys_and_sections().iter().filter(around) {
        for (needed, value) in &doc.key.needs {
            name_kinds(&mut root, needed);
            put(&mut root, needed, json(value));
        }
        name_kind(&mut root, doc);
        let has_object = matches!(
            at(&root, &doc.path).map(|json| &json.value),
            Some(Value::Object(_) | Value::List(_))
        );
        if doc.path != path && !has_object && !doc.key.is_section() {
            let fine = doc
                .key
                .fine()
                .unwrap_or_else(|| panic!("{} has no sample", doc.path));
            put(&mut root, &doc.path, fine);
        }
    }
    root
}

/// Name the kinds that the key at `path` and those around it belong to.
fn name_kinds(root: &mut Json, path: &str) {
    for doc in keys_and_sections()
        .iter()
        .filter(|doc| path == doc.path || path.starts_with(&format!("{}.", doc.path)))
    {
        name_kind(root, doc);
    }
}

/// If a key belongs to some kinds of its object only, make the object one of them, with all that such a one requires.
fn name_kind(root: &mut Json, doc: &PathDoc) {
    let Some(kind) = doc.key.of.first() else {
        return;
    };
    let object = parent(&doc.path);
    let sibling = |other: &&PathDoc| parent(&other.path) == object;
    let siblings = || keys_and_sections().iter().filter(sibling);
    let naming = siblings()
        .find(|other| ["kind", "where"].contains(&other.key.name))
        .expect("kinds have a key");
    let named = at(root, &naming.path)
        .map(Json::to_compact)
        .or_else(|| naming.key.default_json());
    if doc
        .key
        .of
        .iter()
        .any(|kind| named.as_deref() == Some(&format!("\"{kind}\"")))
    {
        return;
    }
    let mut members = match at(root, &object).map(|json| json.value.clone()) {
        Some(Value::Object(members)) => members,
        _ => Vec::new(),
    };
    let of_all =
        |name: &str| siblings().any(|other| other.key.name == name && other.key.of.is_empty());
    members.retain(|(name, _)| of_all(name) && name != naming.key.name);
    members.push((naming.key.name.to_owned(), Json::text(kind, Origin(0))));
    let required = |other: &&PathDoc| is_required(&other.key) && other.key.of.contains(kind);
    for other in siblings().filter(required) {
        members.push((
            other.key.name.to_owned(),
            other.key.fine().expect("it has a sample"),
        ));
    }
    put(root, &object, Json::new(Value::Object(members), Origin(0)));
}

/// Whether a key must stand where it applies.
pub(crate) fn is_required(key: &KeyDoc) -> bool {
    key.default.is_none() && key.unset.is_empty()
}
