//! `load_balancing.override`: switches that run another scheme, key by key.

use crate::fields::{Fields, hint, not_allowed};
use crate::json::{Json, Origin, Value};
use crate::lb;
use crate::lb::mixed::{Deployment, Placement, SwitchName};
use crate::lb::switch::Level;
use crate::units::Ratio;

/// The key, beside `load_balancing.scheme`.
pub(super) const KEY: &str = "override";

/// What the list holds, in words.
const LIST: &str = "a list of objects with where, fraction and scheme";

/// The words of `where`.
const WORDS: [&str; 4] = ["random_switches", "random_pods", "aggregation", "edge"];

/// What `where` takes, in words.
const WHERE: &str =
    "random_switches, random_pods, aggregation, edge, or a list of switches, e.g. [\"e0\", \"a3\"]";

/// What a list of switches takes, in words.
const SWITCHES: &str = "edge and aggregation switches, e.g. \"e0\" or \"a3\"";

/// One entry of the list.
#[derive(Debug)]
pub(super) struct DeploymentDraft {
    pub(super) deployment: Deployment,
    /// Where `where` came from.
    pub(super) place: Origin,
    /// Where `fraction` came from.
    pub(super) fraction: Origin,
    /// Where each element of a list of switches came from.
    pub(super) elements: Vec<Origin>,
}

/// What `where` says.
enum Where {
    Word(&'static str),
    Switches(Vec<(SwitchName, Origin)>),
}

/// Read the list, which may be missing.
pub(super) fn read(load_balancing: &mut Fields<'_>) -> Vec<DeploymentDraft> {
    load_balancing.optional_sections(KEY, LIST, |_, fields| entry(fields))
}

fn entry(fields: &mut Fields<'_>) -> DeploymentDraft {
    let before = fields.problem_count();
    let mut wrong = Vec::new();
    let found = fields.required("where", WHERE, |json| place(json, &mut wrong));
    for (index, origin, text) in wrong {
        fields.element_problem("where", index, origin, text);
    }
    let known = fields.problem_count() == before;
    let random = match found {
        Some(Where::Word("random_switches")) => Some(Placement::RandomSwitches as fn(Ratio) -> _),
        Some(Where::Word("random_pods")) => Some(Placement::RandomPods as fn(Ratio) -> _),
        _ => None,
    };
    let mut elements = Vec::new();
    let place = match (random, found) {
        (Some(random), _) => random(fields.fraction("fraction", None)),
        (None, Some(Where::Word("aggregation"))) => Placement::Aggregation,
        (None, Some(Where::Switches(switches))) => {
            elements = switches.iter().map(|(_, origin)| *origin).collect();
            Placement::Listed(switches.into_iter().map(|(name, _)| name).collect())
        }
        (None, _) => Placement::Edge,
    };
    if random.is_none() && known {
        let why = "belongs to where \"random_switches\" and \"random_pods\"; allowed: none here";
        fields.foreign("fraction", why);
    } else if random.is_none() {
        // What `where` is wrong with comes first.
        fields.skip("fraction");
    }
    let scheme = fields.section("scheme", lb::read_for_switches);
    DeploymentDraft {
        deployment: Deployment { place, scheme },
        place: fields.origin("where"),
        fraction: fields.origin("fraction"),
        elements,
    }
}

/// What stands at `where`; what is wrong with elements of a list goes into `wrong`.
fn place(json: &Json, wrong: &mut Vec<(usize, Origin, String)>) -> Result<Where, String> {
    match &json.value {
        Value::Text(text) => {
            let word = WORDS.into_iter().find(|word| word == text);
            word.map(Where::Word).ok_or_else(|| {
                let near = hint(text, WORDS);
                format!("unknown where {}; allowed: {WHERE}{near}", json.shown())
            })
        }
        Value::List(list) if list.is_empty() => Err(format!("the list is empty; allowed: {WHERE}")),
        Value::List(list) => {
            let mut switches: Vec<(SwitchName, Origin)> = Vec::new();
            for (index, element) in list.iter().enumerate() {
                match switch(element) {
                    Ok(name) if switches.iter().any(|(other, _)| *other == name) => {
                        let text = format!("{} stands twice; allowed: each once", element.shown());
                        wrong.push((index, element.origin, text));
                    }
                    Ok(name) => switches.push((name, element.origin)),
                    Err(text) => wrong.push((index, element.origin, text)),
                }
            }
            Ok(Where::Switches(switches))
        }
        _ => Err(not_allowed(json, WHERE)),
    }
}

/// A switch by its name in tables.
fn switch(json: &Json) -> Result<SwitchName, String> {
    let Value::Text(text) = &json.value else {
        return Err(not_allowed(json, SWITCHES));
    };
    let level = match text.chars().next() {
        Some('e') => Some(Level::Edge),
        Some('a') => Some(Level::Aggregation),
        _ => None,
    };
    let number = text.get(1..).and_then(|digits| digits.parse().ok());
    let name = level.zip(number);
    let name = name.map(|(level, index)| SwitchName { level, index });
    let shown = json.shown();
    match name.filter(|name| name.to_string() == *text) {
        Some(name) => Ok(name),
        None if is_core(text) => Err(format!(
            "{shown} is a core switch, which has no choice of uplink; allowed: {SWITCHES}"
        )),
        None => Err(format!("{shown} names no switch; allowed: {SWITCHES}")),
    }
}

fn is_core(text: &str) -> bool {
    let digits = text.strip_prefix('c');
    digits.is_some_and(|digits| digits.parse::<u32>().is_ok())
}
