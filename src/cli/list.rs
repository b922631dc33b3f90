//! `spraysim list`: what a scenario can name, from the tables that the program itself goes by.

use clap::Args;

use super::{Failure, stdout};
use crate::cc::CONTROLLERS;
use crate::fields::{KeyDoc, PathDoc, Schema, Word, hint};
use crate::lb::{SCHEMES, SchemeRow};
use crate::scenario::keys;

/// Columns of a line, at most.
const WIDTH: usize = 100;

/// Arguments of `list`.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Show only this scheme, congestion control, kind (of workload, fabric, port or transport) or key, or the keys of this section, e.g.
    /// fabric.queue
    name: Option<String>,
}

/// Something that a scenario can name.
struct Entry {
    name: &'static str,
    about: String,
    /// Its own keys, with their paths, or alone where they stand beside the name of a scheme.
    keys: Vec<PathDoc>,
}

/// Run the command.
pub(super) fn list(args: &ListArgs) -> Result<(), Failure> {
    let text = match &args.name {
        None => listing(),
        Some(name) => named(name)?,
    };
    stdout::print(&text)
}

/// What stands at a key of this path and can be named, by that path.
type Table = (String, Vec<Entry>);

/// Schemes, controllers and kinds.
fn tables() -> Vec<Table> {
    let schemes = SCHEMES.iter().map(scheme);
    let controllers = CONTROLLERS
        .iter()
        .map(|row| parameters(row.name, row.about.to_owned(), (row.keys)()));
    let mut tables: Vec<Table> = vec![
        ("load_balancing.scheme".to_owned(), schemes.collect()),
        (
            "congestion_control.scheme".to_owned(),
            controllers.collect(),
        ),
    ];
    tables.extend(
        keys()
            .iter()
            .filter(|doc| doc.key.name == "kind")
            .filter_map(kinds),
    );
    // Workloads, which have no defaults, come before what has.
    tables.sort_by_key(|(path, _)| !is_listed(path));
    tables
}

/// Whether what stands at this path is told on its own.
fn is_listed(path: &str) -> bool {
    path.ends_with(".scheme") || path == "workload.kind"
}

fn scheme(row: &SchemeRow) -> Entry {
    let hosts = if row.is_of_switches() {
        ""
    } else {
        " Has a host part."
    };
    let needs = if row.needs_acks() { " Needs ACKs." } else { "" };
    parameters(
        row.name,
        format!("{}{needs}{hosts}", row.about),
        (row.keys)(),
    )
}

fn parameters(name: &'static str, about: String, keys: Vec<KeyDoc>) -> Entry {
    let alone = |key: KeyDoc| PathDoc {
        path: key.name.to_owned(),
        key,
    };
    let keys = keys.into_iter().map(alone).collect();
    Entry { name, about, keys }
}

/// The kinds that may stand at the key `of`, with the keys that only some kinds have.
fn kinds(of: &PathDoc) -> Option<Table> {
    let Schema::Choice(words) = &of.key.schema else {
        return None;
    };
    let object = of.path.strip_suffix("kind")?;
    let entry = |word: &Word| {
        let of_kind = |doc: &&PathDoc| {
            let rest = doc.path.strip_prefix(object);
            rest.is_some_and(|rest| !rest.contains(['.', '['])) && doc.key.of.contains(&word.name)
        };
        Entry {
            name: word.name,
            about: word.about.to_owned(),
            keys: keys().iter().filter(of_kind).cloned().collect(),
        }
    };
    Some((of.path.clone(), words.iter().map(entry).collect()))
}

fn listing() -> String {
    let mut text = String::new();
    let mut told: Vec<String> = Vec::new();
    for (path, entries) in tables() {
        // What has a default is told with its section.
        if !is_listed(&path) {
            continue;
        }
        text.push_str(&format!("{path}\n"));
        for entry in &entries {
            text.push_str(&shown(entry, base_of(entry, &entries)));
            told.extend(entry.keys.iter().map(|doc| doc.path.clone()));
        }
        text.push('\n');
    }
    text.push_str("other keys\n");
    text.extend(
        keys()
            .iter()
            .filter(|doc| !told.contains(&doc.path))
            .map(key),
    );
    text
}

/// What an entry extends, whose keys are then not repeated: the largest of those that it takes over whole and adds less to.
fn base_of<'a>(entry: &Entry, entries: &'a [Entry]) -> Option<&'a Entry> {
    let is_extended = |base: &&Entry| {
        let shared = base.keys.len();
        let own = entry.keys.len().saturating_sub(shared);
        0 < own
            && own < shared
            && base
                .keys
                .iter()
                .all(|key| entry.keys.iter().any(|other| is_same(key, other)))
    };
    entries
        .iter()
        .filter(is_extended)
        .max_by_key(|base| base.keys.len())
}

/// Whether two keys are told in the same words.
fn is_same(one: &PathDoc, other: &PathDoc) -> bool {
    let told = |doc: &PathDoc| (doc.key.about, doc.key.allowed(), doc.key.default_json());
    one.path == other.path && told(one) == told(other)
}

/// An entry and its keys, without those of `base`, which are named as such.
fn shown(entry: &Entry, base: Option<&Entry>) -> String {
    let is_shared = |doc: &&PathDoc| {
        base.is_some_and(|base| base.keys.iter().any(|known| known.path == doc.path))
    };
    let own = entry.keys.iter().filter(|doc| !is_shared(doc));
    let mut text = wrapped(&format!("  {:<12}  ", entry.name), &entry.about, 16);
    text.extend(own.map(|doc| described(&doc.path, &doc.key, doc.key.about)));
    if let Some(base) = base {
        text.push_str(&format!("      and the parameters of {}\n", base.name));
    }
    text
}

/// What there is of this name.
fn named(name: &str) -> Result<String, Failure> {
    let tables = tables();
    let mut text = String::new();
    for (path, entries) in &tables {
        let found = entries.iter().filter(|entry| entry.name == name);
        text.extend(found.map(|entry| format!("{path}\n{}", shown(entry, None))));
    }
    text.extend(keys_under(name).map(key));
    if text.is_empty() {
        let mut names: Vec<&str> = Vec::new();
        for entry in tables.iter().flat_map(|(_, entries)| entries) {
            if !names.contains(&entry.name) {
                names.push(entry.name);
            }
        }
        let paths = keys().iter().map(|doc| doc.path.as_str());
        let hint = hint(
            name,
            names.iter().copied().chain(key_sections()).chain(paths),
        );
        let (names, sections) = (names.join(", "), key_sections().join(", "));
        return Err(Failure::input(format!(
            "list {name:?}: no scheme, congestion control, kind, key or section of this name; \
             allowed: {names}; {sections}, and the keys in these{hint}"
        )));
    }
    Ok(text)
}

/// The key of this path and those in it.
fn keys_under(path: &str) -> impl Iterator<Item = &'static PathDoc> {
    keys().iter().filter(move |doc| {
        let rest = doc.path.strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    })
}

/// What stands at the top of a scenario.
fn key_sections() -> Vec<&'static str> {
    let first = |doc: &'static PathDoc| doc.path.split(['.', '[']).next();
    let mut sections: Vec<_> = keys().iter().filter_map(first).collect();
    sections.dedup();
    sections
}

fn key(doc: &PathDoc) -> String {
    described(&doc.path, &doc.key, &doc.key.explained())
}

/// A key in words, under `path`.
fn described(path: &str, key: &KeyDoc, about: &str) -> String {
    let default = match key.default_json() {
        None if key.unset.is_empty() => "; required".to_owned(),
        None => format!("; default: {}", key.unset),
        Some(default) => format!("; default: {default}"),
    };
    let stop = if about.ends_with('.') { "" } else { "." };
    let text = format!("{about}{stop} Allowed: {}{default}.", key.allowed());
    wrapped(&format!("      {path}: "), &text, 10)
}

/// `first` and `text` in lines of at most `WIDTH` columns, all but the first indented.
fn wrapped(first: &str, text: &str, indent: usize) -> String {
    let mut lines = first.trim_end().to_owned();
    let mut column = first.chars().count();
    let mut blanks = column - lines.chars().count();
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column + length > WIDTH {
            lines.push('\n');
            (blanks, column) = (indent, indent);
        }
        lines.push_str(&" ".repeat(blanks));
        lines.push_str(word);
        (blanks, column) = (1, column + length + 1);
    }
    lines + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_and_key_is_listed() {
        let text = listing();
        for scheme in SCHEMES {
            assert!(text.contains(&format!("\n  {:<12}  ", scheme.name)));
        }
        for controller in CONTROLLERS {
            assert!(text.contains(&format!("\n  {:<12}  ", controller.name)));
        }
        for doc in keys() {
            assert!(text.contains(&format!("      {}: ", doc.path)));
        }
    }

    #[test]
    fn a_section_lists_its_keys_and_a_key_itself() {
        let paths = |name: &str| named(name).unwrap_or_default();
        let queue = paths("fabric.queue");
        assert!(queue.contains("      fabric.queue.kind: "));
        let shared = paths("fabric.queue.shared_buffer");
        assert!(shared.contains("shared_buffer: ") && shared.contains("shared_buffer.bytes: "));
        assert!(queue.contains(&shared) && !shared.contains("fabric.queue.kind: "));
        assert!(!queue.contains("fabric.k: "));
        assert!(paths("workload").contains("workload.pairs[].bytes: "));
        assert!(paths("workload.pairs").contains("workload.pairs[].bytes: "));
        assert_eq!(paths("horizon_us").matches("Allowed: ").count(), 1);
        for section in key_sections() {
            assert!(!paths(section).is_empty(), "{section}");
        }
        let error = named("transprot").expect_err("no such section");
        assert!(
            error.text.contains("did you mean \"transport\""),
            "{}",
            error.text
        );
        assert!(named("fabric.").is_err() && named("fab").is_err() && named("").is_err());
    }

    #[test]
    fn what_takes_over_all_parameters_of_another_and_adds_a_few_extends_it() {
        let mut found = Vec::new();
        for (_, entries) in tables().into_iter().filter(|(path, _)| is_listed(path)) {
            for entry in &entries {
                if let Some(base) = base_of(entry, &entries) {
                    found.push((entry.name, base.name));
                    let brief = shown(entry, Some(base));
                    let names = |doc: &&PathDoc| brief.contains(&format!("      {}: ", doc.path));
                    assert_eq!(
                        entry.keys.iter().filter(names).count(),
                        entry.keys.len() - base.keys.len()
                    );
                }
            }
        }
        // Neither those with the same parameters (mixed and bitmap) nor those that share one of several (ar and jsq).
        let known = [("pofan", "ofan"), ("mnscc", "nscc"), ("mswift", "lswift")];
        assert_eq!(found, known);
    }

    #[test]
    fn kinds_of_ports_and_transports_are_named_with_their_keys() {
        let text = named("erasure").unwrap_or_default();
        assert!(text.starts_with("transport.kind\n  erasure "), "{text}");
        assert!(
            text.contains("      transport.extra_packets: ") && !text.contains("reorder_packets")
        );
        let text = named("none").unwrap_or_default();
        assert!(
            text.contains("congestion_control.scheme\n") && text.contains("transport.kind\n"),
            "{text}"
        );
    }

    #[test]
    fn lines_are_wrapped_with_a_hanging_indent() {
        let text = wrapped("  a: ", &"word ".repeat(30), 4);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0], format!("  a:{}", " word".repeat(19)));
        assert_eq!(lines[1], format!("   {}", " word".repeat(11)));
    }
}
