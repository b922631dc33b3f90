//! Keys of the scenario as a whole.

use super::{KeyDoc, key};

/// Before its parts.
pub(super) const FIRST: &[KeyDoc] = &[
    key(
        "extends",
        "a path, or a list of paths",
        Some("[]"),
        "Files whose keys this one shares: deep merge, the later win, this file wins over all; another scheme or kind replaces its object",
    ),
    key(
        "name",
        "a string, not blank, without line breaks and control characters",
        None,
        "Name of the scenario in every table (default: the file's name without its ending)",
    ),
    key(
        "seed",
        "an integer from 0, repeats below 2^64",
        Some("1"),
        "Seed of a point's first run; the next repeats have seed + 1, seed + 2, ...",
    ),
    key(
        "repeats",
        "an integer from 1 to 1000000",
        Some("10"),
        "How often every point runs",
    ),
];

/// After its parts.
pub(super) const LAST: &[KeyDoc] = &[
    key(
        "trigger_latency_ns",
        "null, or nanoseconds from the link latency to 1000000000, down to a whole picosecond",
        Some("null"),
        "From the last event that a flow waits for to its start; null: the link latency. 0 where all that a trigger waits for and starts happens at one host",
    ),
    key(
        "horizon_us",
        "null, or microseconds above 0 to 10000000000, down to a whole picosecond",
        Some("null"),
        "The run stops after the events of this instant; null: when all flows have finished",
    ),
    key(
        "sweep",
        "null, or an object of paths to lists of values",
        Some("null"),
        "Cross product over any keys but repeats: file order, first key slowest",
    ),
];
