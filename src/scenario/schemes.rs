//! The objects whose `scheme` or `kind` says what their other keys mean.
//!
//! A scheme comes with its own parameters: where another one is named, by an option, a sweep or a file that extends another, those
//! beside the old name go. Likewise for a kind that a file which extends another names. Keys that mean the same whatever the scheme or
//! kind stay.

use crate::json::child_path;

use super::keys_and_sections;

/// The objects that keep such keys: those with a `scheme`, then those with a `kind`.
const SCHEMES: [&str; 2] = ["load_balancing", "congestion_control"];
const KINDS: [&str; 2] = ["fabric", "workload"];

/// Whether setting what stands at `path` names a scheme.
pub(super) fn is_scheme(path: &str) -> bool {
    let object = path.strip_suffix(".scheme");
    object.is_some_and(|object| SCHEMES.contains(&object))
}

/// Whether `key` of the object at `path` stays when another scheme or kind is named.
pub(super) fn is_kept(path: &str, key: &str) -> bool {
    let is_name = ["scheme", "kind"].contains(&key);
    if is_name || !SCHEMES.contains(&path) && !KINDS.contains(&path) {
        return false;
    }
    let path = child_path(path, key);
    let declared = keys_and_sections().iter().find(|doc| doc.path == path);
    declared.is_some_and(|doc| doc.key.of.is_empty())
}
