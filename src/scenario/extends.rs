//! Merging of scenarios that share parts.

use crate::json::{Json, Value, child_path};

use super::{keys, schemes};

/// The keys that say what kind of thing an object describes: parameters of one kind mean nothing to another.
const KINDS: [&str; 2] = ["scheme", "kind"];

/// `top` over `base`: objects merge key by key, anything else of `top` replaces what `base` has.
///
/// Where `top` names another `scheme` or `kind` than `base` does, or has by default, `top`'s object replaces `base`'s whole, but for
/// keys that are no parameters of the scheme, such as overrides.
pub(super) fn merge(base: Json, top: Json) -> Json {
    merge_at("", base, top)
}

/// The same for what stands at `path`.
fn merge_at(path: &str, base: Json, top: Json) -> Json {
    match (base.value, top.value) {
        (Value::Object(mut members), Value::Object(over)) => {
            if KINDS.iter().any(|key| differ(path, &members, &over, key)) {
                members.retain(|(key, _)| schemes::is_kept(path, key));
            }
            for (key, json) in over {
                match members.iter().rposition(|(name, _)| *name == key) {
                    Some(at) => {
                        let below = std::mem::replace(
                            &mut members[at].1,
                            Json::new(Value::Null, json.origin),
                        );
                        members[at].1 = merge_at(&child_path(path, &key), below, json);
                    }
                    None => members.push((key, json)),
                }
            }
            Json::new(Value::Object(members), top.origin)
        }
        (_, value) => Json::new(value, top.origin),
    }
}

fn differ(path: &str, base: &[(String, Json)], top: &[(String, Json)], key: &str) -> bool {
    let value = |members: &[(String, Json)]| {
        let found = members.iter().rfind(|(name, _)| name == key);
        found.map(|(_, json)| json.to_compact())
    };
    let default = || {
        let declared = keys().iter().find(|of| of.path == child_path(path, key))?;
        declared.key.default_json()
    };
    matches!((value(base).or_else(default), value(top)), (Some(base), Some(top)) if base != top)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Origin, parse};

    fn merged(base: &str, top: &str) -> String {
        let json = |text, origin| parse(text, Origin(origin)).expect("the test's JSON parses");
        merge(json(base, 1), json(top, 0)).to_compact()
    }

    #[test]
    fn a_kind_that_the_base_has_by_default_counts_as_named() {
        assert_eq!(
            merged(
                r#"{"fabric": {"k": 4}}"#,
                r#"{"fabric": {"kind": "htsim_topo", "path": "t.topo"}}"#
            ),
            r#"{"fabric": {"kind": "htsim_topo", "path": "t.topo"}}"#
        );
        assert_eq!(
            merged(
                r#"{"fabric": {"k": 4}}"#,
                r#"{"fabric": {"kind": "fat_tree", "levels": 2}}"#
            ),
            r#"{"fabric": {"k": 4, "kind": "fat_tree", "levels": 2}}"#
        );
    }

    #[test]
    fn objects_merge_and_everything_else_is_replaced() {
        assert_eq!(
            merged(
                r#"{"a": {"x": 1, "y": [1, 2]}, "b": 1}"#,
                r#"{"a": {"y": [3]}, "c": null, "b": {"z": 1}}"#
            ),
            r#"{"a": {"x": 1, "y": [3]}, "b": {"z": 1}, "c": null}"#
        );
    }

    #[test]
    fn another_scheme_replaces_the_object_and_the_same_one_merges() {
        let base = r#"{"lb": {"scheme": "ar", "refresh_ns": 5}}"#;
        assert_eq!(
            merged(base, r#"{"lb": {"scheme": "rps"}}"#),
            r#"{"lb": {"scheme": "rps"}}"#
        );
        assert_eq!(
            merged(base, r#"{"lb": {"scheme": "ar", "q": 1}}"#),
            r#"{"lb": {"scheme": "ar", "refresh_ns": 5, "q": 1}}"#
        );
        assert_eq!(
            merged(base, r#"{"lb": {"refresh_ns": 6}}"#),
            r#"{"lb": {"scheme": "ar", "refresh_ns": 6}}"#
        );
    }

    #[test]
    fn what_is_no_parameter_of_the_scheme_stays_when_another_one_is_named() {
        assert_eq!(
            merged(
                r#"{"load_balancing": {"scheme": "ar", "refresh_ns": 5, "override": [1]}}"#,
                r#"{"load_balancing": {"scheme": "rps"}}"#
            ),
            r#"{"load_balancing": {"override": [1], "scheme": "rps"}}"#
        );
        let base =
            r#"{"congestion_control": {"scheme": "fixed_window", "load": 0.5, "window_bdp": 2}}"#;
        assert_eq!(
            merged(base, r#"{"congestion_control": {"scheme": "none"}}"#),
            r#"{"congestion_control": {"load": 0.5, "scheme": "none"}}"#
        );
    }
}
