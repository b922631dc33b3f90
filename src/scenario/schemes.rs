//! The objects whose `scheme` says what their other keys mean.
//!
//! A scheme comes with its own parameters: where another one is named, by an option, a sweep or a file that extends another, those
//! beside the old name go. Keys that mean the same whatever the scheme stay.

/// An object with a `scheme`.
struct Owner {
    path: &'static str,
    /// Its keys that are no parameters of the scheme.
    kept: &'static [&'static str],
}

const OWNERS: [Owner; 2] = [
    Owner {
        path: "load_balancing",
        kept: &[super::mixed::KEY],
    },
    Owner {
        path: "congestion_control",
        kept: &["load", "rho_max"],
    },
];

/// Whether setting what stands at `path` names a scheme.
pub(super) fn is_scheme(path: &str) -> bool {
    let object = path.strip_suffix(".scheme");
    object.is_some_and(|object| OWNERS.iter().any(|owner| owner.path == object))
}

/// Whether `key` of the object at `path` stays when another scheme is named.
pub(super) fn is_kept(path: &str, key: &str) -> bool {
    let mut owners = OWNERS.iter();
    owners.any(|owner| owner.path == path && owner.kept.contains(&key))
}
