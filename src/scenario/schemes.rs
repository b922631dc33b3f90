//! The objects whose `scheme` or `kind` says what their other keys mean.
//!
//! A scheme comes with its own parameters: where another one is named, by an option, a sweep or a file that extends another, those
//! beside the old name go. Likewise for a kind that a file which extends another names. Keys that mean the same whatever the scheme or
//! kind stay.

/// An object with a `scheme` or a `kind`.
struct Owner {
    path: &'static str,
    /// Its keys that are no parameters of the scheme or kind.
    kept: &'static [&'static str],
}

const SCHEMES: [Owner; 2] = [
    Owner {
        path: "load_balancing",
        kept: &[super::mixed::KEY],
    },
    Owner {
        path: "congestion_control",
        kept: &["load", "rho_max"],
    },
];

const KINDS: [Owner; 2] = [
    Owner {
        path: "fabric",
        kept: &[
            "buffer_bytes",
            "buffer_packets",
            "buffer_bdp",
            "ecn_threshold_bytes",
            "ecn_threshold_packets",
            "ecn_threshold_bdp",
            "ecn_max_threshold_bytes",
            "ecn_max_threshold_packets",
            "ecn_max_threshold_bdp",
            "ecn_counts_departing",
            "queue",
        ],
    },
    Owner {
        path: "workload",
        kept: &[
            "mice",
            "start_jitter",
            "pacing_jitter_pct",
            "pacing_jitter_adds",
        ],
    },
];

/// Whether setting what stands at `path` names a scheme.
pub(super) fn is_scheme(path: &str) -> bool {
    let object = path.strip_suffix(".scheme");
    object.is_some_and(|object| SCHEMES.iter().any(|owner| owner.path == object))
}

/// Whether `key` of the object at `path` stays when another scheme or kind is named.
pub(super) fn is_kept(path: &str, key: &str) -> bool {
    let mut owners = SCHEMES.iter().chain(&KINDS);
    owners.any(|owner| owner.path == path && owner.kept.contains(&key))
}
