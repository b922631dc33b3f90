//! Every key of a scenario: what `spraysim list` and the README say, and what the tests go through.

mod fabric;
mod failures;
mod hosts;
mod whole;
mod workload;

/// A key of the scenario.
#[derive(Clone, Copy, Debug)]
pub struct KeyDoc {
    /// The path; `[]` stands for any element of a list.
    pub path: &'static str,
    /// What is allowed, in words.
    pub allowed: &'static str,
    /// The default, as JSON; `None`: the key is required where it applies.
    pub default: Option<&'static str>,
    /// Meaning, unit, and where it applies.
    pub about: &'static str,
}

const fn key(
    path: &'static str,
    allowed: &'static str,
    default: Option<&'static str>,
    about: &'static str,
) -> KeyDoc {
    KeyDoc {
        path,
        allowed,
        default,
        about,
    }
}

/// The keys, in the order of the effective scenario. `name` defaults to the file's stem, a pair's `id` to its index; a scheme's
/// parameters stand beside its name and are documented with the scheme.
pub const KEYS: &[KeyDoc] = &ALL;

/// The keys, section by section.
const SECTIONS: [&[KeyDoc]; 6] = [
    whole::FIRST,
    fabric::KEYS,
    failures::KEYS,
    hosts::KEYS,
    workload::KEYS,
    whole::LAST,
];

const COUNT: usize = {
    let (mut count, mut section) = (0, 0);
    while section < SECTIONS.len() {
        count += SECTIONS[section].len();
        section += 1;
    }
    count
};

const ALL: [KeyDoc; COUNT] = {
    let mut all = [key("", "", None, ""); COUNT];
    let (mut at, mut section) = (0, 0);
    while section < SECTIONS.len() {
        let mut index = 0;
        while index < SECTIONS[section].len() {
            all[at] = SECTIONS[section][index];
            at += 1;
            index += 1;
        }
        section += 1;
    }
    all
};
