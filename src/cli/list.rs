//! `spraysim list`: what a scenario can name, from the tables that the program itself goes by.

use super::{Failure, stdout};
use crate::lb::SCHEMES;
use crate::scenario::{KEYS, KeyDoc};

/// A choice that is spread over several keys of one section.
struct Choice {
    name: &'static str,
    about: &'static str,
    /// Paths of its parameters.
    keys: &'static [&'static str],
}

const CONTROLLERS: &[Choice] = &[Choice {
    name: "none",
    about: "open loop: hosts send at a fixed fraction of line rate",
    keys: &["congestion_control.load"],
}];

const WORKLOADS: &[Choice] = &[
    Choice {
        name: "permutation",
        about: "every host sends one message to another one, and receives one: a uniform random derangement",
        keys: &["workload.message_bytes", "workload.inter_pod_only"],
    },
    Choice {
        name: "pairs",
        about: "the flows listed in the scenario",
        keys: &["workload.pairs"],
    },
    Choice {
        name: "htsim_cm",
        about: "the flows of an htsim connection matrix",
        keys: &["workload.path", "workload.start_unit"],
    },
];

/// Run the command.
pub(super) fn list() -> Result<(), Failure> {
    stdout::print(&listing())
}

fn listing() -> String {
    let mut text = "load_balancing.scheme\n".to_owned();
    for scheme in SCHEMES {
        let needs = if scheme.needs_acks {
            "; needs ACKs"
        } else {
            ""
        };
        text.push_str(&entry(scheme.name, &format!("{}{needs}", scheme.about)));
        for param in scheme.params {
            text.push_str(&parameter(
                param.name,
                param.about,
                param.allowed,
                param.default,
            ));
        }
    }
    let mut told = Vec::new();
    for (title, choices) in [
        ("congestion_control.scheme", CONTROLLERS),
        ("workload.kind", WORKLOADS),
    ] {
        text.push_str(&format!("\n{title}\n"));
        for choice in choices {
            text.push_str(&entry(choice.name, choice.about));
            for doc in choice.keys.iter().filter_map(|path| find(path)) {
                text.push_str(&parameter(
                    doc.path,
                    doc.about,
                    doc.allowed,
                    doc.default.unwrap_or_default(),
                ));
                told.push(doc.path);
            }
        }
    }
    text.push_str("\nother keys\n");
    for doc in KEYS.iter().filter(|doc| !told.contains(&doc.path)) {
        text.push_str(&parameter(
            doc.path,
            doc.about,
            doc.allowed,
            doc.default.unwrap_or_default(),
        ));
    }
    text
}

fn entry(name: &str, about: &str) -> String {
    format!("  {name:<12}  {about}\n")
}

fn parameter(name: &str, about: &str, allowed: &str, default: &str) -> String {
    let default = match default {
        // What it depends on is said in words.
        "" if about.contains("default:") => String::new(),
        "" => "; required".to_owned(),
        default => format!("; default {default}"),
    };
    format!("      {name}: {about}; allowed: {allowed}{default}\n")
}

fn find(path: &str) -> Option<&'static KeyDoc> {
    KEYS.iter().find(|doc| doc.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_of_a_choice_is_a_key_of_the_scenario() {
        for choice in CONTROLLERS.iter().chain(WORKLOADS) {
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
        for doc in KEYS {
            assert!(text.contains(&format!("      {}: ", doc.path)));
        }
    }
}
