//! `spraysim list`: what a scenario can name, from the tables that the program itself goes by.

use clap::Args;

use super::{Failure, stdout};
use crate::cc::{CONTROLLERS, ControllerRow};
use crate::fields::{ParamDoc, hint};
use crate::lb::{SCHEMES, SchemeRow};
use crate::scenario::{KEYS, KeyDoc};

/// Columns of a line, at most.
const WIDTH: usize = 100;

/// Arguments of `list`.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Show only this scheme, congestion control, workload or key, or the keys of this section, e.g. fabric.queue
    name: Option<String>,
}

/// A choice that is spread over several keys of one section.
struct Choice {
    name: &'static str,
    about: &'static str,
    /// Paths of its parameters.
    keys: &'static [&'static str],
}

const WORKLOADS: &[Choice] = &[
    Choice {
        name: "permutation",
        about: "Every host sends one message to another one, and receives one: a uniform random derangement.",
        keys: &["workload.message_bytes", "workload.inter_pod_only"],
    },
    Choice {
        name: "pairs",
        about: "The flows listed in the scenario; one may start when others are done (`after`).",
        keys: &["workload.pairs"],
    },
    Choice {
        name: "htsim_cm",
        about: "The flows of an htsim connection matrix, with its triggers and re-used connections.",
        keys: &["workload.path", "workload.start_unit"],
    },
];

/// Schemes and controllers that have all parameters of another one, which are then not repeated.
const EXTENSIONS: &[(&str, &str)] = &[("pofan", "ofan"), ("mnscc", "nscc"), ("mswift", "lswift")];

/// Run the command.
pub(super) fn list(args: &ListArgs) -> Result<(), Failure> {
    let text = match &args.name {
        None => listing(),
        Some(name) => named(name)?,
    };
    stdout::print(&text)
}

/// Sections with these names: a title and the entries.
fn sections() -> [(&'static str, Vec<(&'static str, String)>); 3] {
    let schemes = SCHEMES.iter().map(|row| (row.name, scheme(row, true)));
    let controllers = CONTROLLERS
        .iter()
        .map(|row| (row.name, controller(row, true)));
    let choices = |choices: &'static [Choice]| {
        let entries = choices.iter().map(|row| (row.name, choice(row)));
        entries.collect()
    };
    [
        ("load_balancing.scheme", schemes.collect()),
        ("congestion_control.scheme", controllers.collect()),
        ("workload.kind", choices(WORKLOADS)),
    ]
}

fn listing() -> String {
    let mut text = String::new();
    for (title, entries) in sections() {
        text.push_str(&format!("{title}\n"));
        text.extend(entries.into_iter().map(|(_, entry)| entry));
        text.push('\n');
    }
    text.push_str("other keys\n");
    let is_told = |doc: &&KeyDoc| {
        WORKLOADS
            .iter()
            .any(|choice| choice.keys.contains(&doc.path))
    };
    text.extend(KEYS.iter().filter(|doc| !is_told(doc)).map(key));
    text
}

/// What there is of this name.
fn named(name: &str) -> Result<String, Failure> {
    let mut names = Vec::new();
    let mut text = String::new();
    for (title, entries) in sections() {
        for (known, entry) in entries {
            names.push(known);
            if known == name {
                let of_schemes = SCHEMES.iter().find(|row| row.name == name);
                let mut of_controllers = CONTROLLERS.iter();
                let of_controllers = of_controllers.find(|row| row.name == name);
                let entry = match (of_schemes, of_controllers) {
                    (Some(row), _) => scheme(row, false),
                    (None, Some(row)) => controller(row, false),
                    (None, None) => entry,
                };
                text.push_str(&format!("{title}\n{entry}"));
            }
        }
    }
    text.extend(keys_under(name).map(key));
    if text.is_empty() {
        let known = names.iter().copied().chain(key_sections());
        let hint = hint(name, known.chain(KEYS.iter().map(|doc| doc.path)));
        let (names, sections) = (names.join(", "), key_sections().join(", "));
        return Err(Failure::input(format!(
            "list {name:?}: no scheme, congestion control, workload, key or section of this name; \
             allowed: {names}; {sections}, and the keys in these{hint}"
        )));
    }
    Ok(text)
}

/// The key of this path and those in it.
fn keys_under(path: &str) -> impl Iterator<Item = &'static KeyDoc> {
    KEYS.iter().filter(move |doc| {
        let rest = doc.path.strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    })
}

/// What stands at the top of a scenario.
fn key_sections() -> Vec<&'static str> {
    let first = |doc: &KeyDoc| doc.path.split(['.', '[']).next();
    let mut sections: Vec<_> = KEYS.iter().filter_map(first).collect();
    sections.dedup();
    sections
}

/// A scheme and its parameters, in brief or all of them.
fn scheme(row: &SchemeRow, is_brief: bool) -> String {
    let hosts = if row.is_of_switches() {
        ""
    } else {
        " Has a host part."
    };
    let needs = if row.needs_acks { " Needs ACKs." } else { "" };
    let about = format!("{}{needs}{hosts}", row.about);
    entry(row.name, &about) + &parameters(row.name, row.params, is_brief)
}

/// A controller and its parameters, in brief or all of them.
fn controller(row: &ControllerRow, is_brief: bool) -> String {
    entry(row.name, row.about) + &parameters(row.name, row.params, is_brief)
}

/// The parameters of what has this name; in brief, only those that what it extends does not have.
fn parameters(name: &str, params: &[ParamDoc], is_brief: bool) -> String {
    let base = EXTENSIONS.iter().find(|extension| extension.0 == name);
    let base = base.filter(|_| is_brief).map_or("", |(_, base)| *base);
    let shared = params_of(base).unwrap_or_default();
    let is_shared = |param: &&ParamDoc| shared.iter().any(|known| known.name == param.name);
    let own = params.iter().filter(|param| !is_shared(param));
    let mut text: String = own.map(of_scheme).collect();
    if !base.is_empty() {
        text.push_str(&format!("      and the parameters of {base}\n"));
    }
    text
}

/// The parameters of the scheme or controller of this name.
fn params_of(name: &str) -> Option<&'static [ParamDoc]> {
    let schemes = SCHEMES.iter().map(|row| (row.name, row.params));
    let controllers = CONTROLLERS.iter().map(|row| (row.name, row.params));
    let mut rows = schemes.chain(controllers);
    rows.find(|row| row.0 == name).map(|(_, params)| params)
}

fn of_scheme(param: &ParamDoc) -> String {
    parameter(param.name, param.about, param.allowed, param.default)
}

fn choice(choice: &Choice) -> String {
    let docs = choice.keys.iter().filter_map(|path| find(path));
    entry(choice.name, choice.about) + &docs.map(key).collect::<String>()
}

fn key(doc: &KeyDoc) -> String {
    let default = doc.default.unwrap_or_default();
    parameter(doc.path, doc.about, doc.allowed, default)
}

fn entry(name: &str, about: &str) -> String {
    wrapped(&format!("  {name:<12}  "), about, 16)
}

fn parameter(name: &str, about: &str, allowed: &str, default: &str) -> String {
    let default = match default {
        // What it depends on is said in words.
        "" if about.contains("default:") => String::new(),
        "" => "; required".to_owned(),
        default => format!("; default: {default}"),
    };
    let stop = if about.ends_with('.') { "" } else { "." };
    let text = format!("{about}{stop} Allowed: {allowed}{default}.");
    wrapped(&format!("      {name}: "), &text, 10)
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

fn find(path: &str) -> Option<&'static KeyDoc> {
    KEYS.iter().find(|doc| doc.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_of_a_choice_is_a_key_of_the_scenario() {
        for choice in WORKLOADS {
            for path in choice.keys {
                assert!(find(path).is_some(), "{path} of {}", choice.name);
            }
        }
    }

    #[test]
    fn every_scheme_and_key_is_listed() {
        let text = listing();
        for scheme in SCHEMES {
            assert!(text.contains(&format!("\n  {:<12}  ", scheme.name)));
        }
        for controller in CONTROLLERS {
            assert!(text.contains(&format!("\n  {:<12}  ", controller.name)));
        }
        for doc in KEYS {
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
    fn an_extension_has_the_very_parameters_of_what_it_extends() {
        let params = |name: &str| params_of(name).expect("a scheme or a controller");
        for &(name, base) in EXTENSIONS {
            for param in params(base) {
                let own = params(name).iter().find(|own| own.name == param.name);
                let own = own.expect("shared");
                assert_eq!((own.about, own.allowed), (param.about, param.allowed));
                assert_eq!(own.default, param.default);
            }
        }
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
