//! The gates: each takes source and tells what is wrong with it, a line a finding.

use crate::source::{Source, item_length};

/// The rooms with their levels: arrows go down.
pub(crate) const ROOMS: &[(&str, u8)] = &[
    ("main", 6),
    ("cli", 6),
    ("report", 5),
    ("experiment", 5),
    ("sim", 4),
    ("scenario", 4),
    ("switch", 3),
    ("host", 3),
    ("workload", 3),
    ("theory", 3),
    ("engine", 2),
    ("port", 2),
    ("link", 2),
    ("topology", 2),
    ("lb", 1),
    ("cc", 1),
    ("probe", 1),
    ("settings", 1),
    ("units", 0),
    ("ids", 0),
    ("rng", 0),
    ("packet", 0),
    ("prefetch", 0),
    ("json", 0),
    ("fields", 0),
    ("files", 0),
];

/// The arrows inside a level that are allowed. `report` and `experiment` know nothing of each other, and policies are leaves.
pub(crate) const SIDEWAYS: &[(&str, &str)] = &[
    ("main", "cli"),
    ("settings", "cc"),
    ("settings", "lb"),
    ("port", "engine"),
    ("port", "link"),
    ("packet", "units"),
    ("fields", "json"),
    ("fields", "units"),
];

/// Lines that no file may exceed, and those above which it should be split.
pub(crate) const LINES: (usize, usize) = (600, 400);
/// Lines that no function may exceed.
pub(crate) const FUNCTION_LINES: usize = 60;
/// Lines that `main.rs` may have.
pub(crate) const MAIN_LINES: usize = 60;

/// Words that no code outside tests may have: the word, where it may stand all the same, and why it is banned.
const BANNED: &[(&str, &[&str], &str)] = &[
    (".unwrap()", &[], "say why it cannot fail: expect(\"...\")"),
    ("HashMap", &[], "its order differs from run to run"),
    ("HashSet", &["lb"], "its order differs from run to run"),
    ("RandomState", &[], "it differs from run to run"),
    (
        "Instant",
        &["cli", "sim"],
        "wall-clock times are for timings",
    ),
    ("SystemTime", &[], "results know no dates"),
    (".powf(", &["theory"], "platforms differ in it"),
    (".exp(", &["theory"], "platforms differ in it"),
    (".ln(", &["theory"], "platforms differ in it"),
    (".log2(", &["theory"], "platforms differ in it"),
    (".sin(", &[], "platforms differ in it"),
    (".cos(", &[], "platforms differ in it"),
    (
        "thread_rng",
        &[],
        "streams are named by seed, domain and entity",
    ),
    ("unsafe ", &["prefetch"], "it is forbidden"),
];

fn level(room: &str) -> Option<u8> {
    let found = ROOMS.iter().find(|(name, _)| *name == room);
    found.map(|(_, level)| *level)
}

/// Every `crate::room` of the code outside tests, with its byte.
pub(crate) fn imports(source: &Source) -> Vec<(usize, String)> {
    let root = if source.path == "main.rs" {
        "spraysim::"
    } else {
        "crate::"
    };
    let mut found = Vec::new();
    for (at, _) in source.code.match_indices(root) {
        let before = source.code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &source.code[at + root.len()..];
        for name in first_names(rest) {
            found.push((at, name));
        }
    }
    found
}

/// `a` of `a::b`; `a` and `b` of `{a::{c, d}, b}`.
fn first_names(path: &str) -> Vec<String> {
    let name = |text: &str| {
        let text = text.trim_start();
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
        text[..end.unwrap_or(text.len())].to_owned()
    };
    if !path.starts_with('{') {
        return vec![name(path)];
    }
    let group = &path[1..item_length(path)];
    let mut open = 0usize;
    let mut names = vec![name(group)];
    for (at, c) in group.char_indices() {
        match c {
            '{' => open += 1,
            '}' => open = open.saturating_sub(1),
            ',' if open == 0 => names.push(name(&group[at + 1..])),
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Arrows that go up, or sideways without permission.
pub(crate) fn arrows(source: &Source) -> Vec<String> {
    let room = source.room();
    if room == "lib" {
        return Vec::new();
    }
    let Some(here) = level(room) else {
        return vec![format!("src/{}: no room of that name", source.path)];
    };
    let mut wrong = Vec::new();
    for (at, target) in imports(source) {
        let place = source.at(at);
        match level(&target) {
            None => wrong.push(format!("{place}: {target} is no room")),
            Some(_) if target == room => {}
            Some(there) if there < here => {}
            Some(there) if there == here && SIDEWAYS.contains(&(room, &target)) => {}
            Some(there) => wrong.push(format!(
                "{place}: {room} (level {here}) may not use {target} (level {there})"
            )),
        }
    }
    wrong
}

/// `super::super::...` that leaves its room: the way round the table.
pub(crate) fn escapes(source: &Source) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut from = 0;
    while let Some(at) = source.code[from..].find("super::").map(|at| from + at) {
        let chain = &source.code[at..];
        let mut steps = 0;
        while chain[steps * 7..].starts_with("super::") {
            steps += 1;
        }
        if steps >= source.depth() {
            wrong.push(format!("{}: reaches out of its room", source.at(at)));
        }
        from = at + steps * 7;
    }
    wrong
}

/// Same-level arrows that, together, lead back to where they began.
pub(crate) fn cycles(sideways: &[(&str, &str)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (start, _) in sideways {
        let mut reached: Vec<&str> = vec![start];
        let mut next = 0;
        while let Some(here) = reached.get(next).copied() {
            next += 1;
            for (_, to) in sideways.iter().filter(|(from, _)| *from == here) {
                if to == start {
                    wrong.push(format!("{start} is below itself, through {here}"));
                }
                if !reached.contains(to) {
                    reached.push(to);
                }
            }
        }
    }
    wrong
}

/// A file that is too long.
pub(crate) fn length(source: &Source) -> Vec<String> {
    let lines = source.text.lines().count();
    let most = if source.path == "main.rs" {
        MAIN_LINES
    } else {
        LINES.0
    };
    let is_long = lines > most;
    let finding = || format!("src/{}: {lines} lines, over {most}", source.path);
    is_long.then(finding).into_iter().collect()
}

/// A file without a header that says what it is.
pub(crate) fn header(source: &Source) -> Vec<String> {
    let is_bare = !source.text.starts_with("//!");
    let finding = || format!("src/{}: no `//!` header", source.path);
    is_bare.then(finding).into_iter().collect()
}

/// Functions that are too long.
pub(crate) fn long_functions(source: &Source) -> Vec<String> {
    let mut wrong = Vec::new();
    for (at, _) in source.code.match_indices("fn ") {
        let before = source.code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let item = &source.code[at..];
        let lines = item[..item_length(item)].lines().count();
        if lines > FUNCTION_LINES {
            let name = item[3..].split(['(', '<']).next().unwrap_or_default();
            let place = source.at(at);
            wrong.push(format!(
                "{place}: {name} has {lines} lines, over {FUNCTION_LINES}"
            ));
        }
    }
    wrong
}

/// Words that may not stand there.
pub(crate) fn banned(source: &Source) -> Vec<String> {
    let mut wrong = Vec::new();
    for (word, rooms, why) in BANNED {
        if rooms.contains(&source.room()) {
            continue;
        }
        for (at, _) in source.code.match_indices(word) {
            wrong.push(format!("{}: {word}: {why}", source.at(at)));
        }
    }
    wrong
}
