//! `load_balancing`: the scheme with its parameters, and switches that run another one; and whether they can.

use crate::fields::{
    Choice, Either, Fields, Key, KeyDoc, OneOf, Place, Schema, Section, Shape, Size, Worded,
    canonical, choice, either, list, not_allowed, object, positive, told, words,
};
use crate::json::{Json, Origin, Value, child_path, element_path};
use crate::lb::mixed::{Deployment, Placement, Site, SwitchName};
use crate::lb::switch::Level;
use crate::lb::{self, SCHEMES, Scheme};

use super::judge::Judge;

/// The key of mixed fabrics, beside `scheme`.
pub(super) const KEY: &str = "override";

/// The scheme, and switches that run another one.
#[derive(Clone, Debug)]
pub(super) struct LoadBalancing {
    pub(super) scheme: Scheme,
    overrides: Vec<Override>,
}

/// Switches that run another scheme.
#[derive(Clone, Debug)]
struct Override {
    place: Placement,
    scheme: Scheme,
}

impl LoadBalancing {
    /// What runs elsewhere.
    pub(super) fn deployments(&self) -> Vec<Deployment> {
        let deployment = |of: &Override| Deployment {
            place: of.place.clone(),
            scheme: of.scheme.clone(),
        };
        self.overrides.iter().map(deployment).collect()
    }
}

impl Section for LoadBalancing {
    fn read(fields: &mut Fields<'_>, _usual: Option<&Self>) -> Self {
        let scheme = lb::read(fields);
        let overrides = fields.take(Key::new(KEY, list(object()), Some(Vec::new())));
        Self { scheme, overrides }
    }

    fn keys(_usual: Option<&Self>) -> Vec<KeyDoc> {
        let about = "How packets are spread over paths; its parameters stand beside it. Setting or sweeping it takes the scheme's defaults";
        let over = "Mixed fabrics: switches that run another scheme; where two entries select a switch, the later one wins";
        vec![
            scheme_key(about, SCHEMES.iter()),
            KeyDoc {
                sample: Some(
                    r#"[{"where": "random_switches", "fraction": 0.5, "scheme": {"scheme": "rsq"}}]"#,
                ),
                ..KeyDoc::new(KEY, over, &list(object::<Override>()), Some(Vec::new()))
            },
        ]
    }
}

/// The key `scheme`, where the schemes of these rows may stand.
fn scheme_key<'a>(about: &'static str, rows: impl Iterator<Item = &'a lb::SchemeRow>) -> KeyDoc {
    KeyDoc {
        sample: Some("\"rsq\""),
        ..KeyDoc::naming("scheme", about, None, rows)
    }
}

words! {
    /// The words of `where`, and what each selects.
    enum Pick {
        /// A share of all switches, drawn at random.
        RandomSwitches = "random_switches",
        /// All switches of a share of the pods, drawn at random.
        RandomPods = "random_pods",
        /// All aggregation switches.
        Aggregation = "aggregation",
        /// All edge switches.
        Edge = "edge",
    }
}

/// What `where` takes, in words.
const WHERE: &str =
    "random_switches, random_pods, aggregation, edge, or a list of switches, e.g. [\"e0\", \"a3\"]";

/// What a list of switches takes, in words.
const SWITCHES: &str = "edge and aggregation switches, e.g. \"e0\" or \"a3\"";

/// What `where` may be: a word, or a list of switches.
const PLACE: Worded<OneOf<Choice<'static, Pick>, SwitchList>> =
    told(WHERE, either(choice(), SwitchList));

/// A list of at least one switch, each once.
#[derive(Clone, Copy, Debug)]
struct SwitchList;

impl Shape for SwitchList {
    type Value = Vec<SwitchName>;

    fn schema(&self) -> Schema {
        let switch = Schema::Text("a switch, as in \"e0\" or \"a3\"");
        Schema::List(Box::new(switch), Size::Some)
    }

    fn read(&self, json: &Json, place: &mut Place<'_>) -> Option<(Vec<SwitchName>, Json)> {
        let switches = switches(place.elements(json, Size::Some)?, place);
        Some((switches, canonical(json)))
    }

    fn write(&self, switches: &Vec<SwitchName>) -> Value {
        let json = |name: &SwitchName| Json::text(&name.to_string(), Origin::default());
        Value::List(switches.iter().map(json).collect())
    }

    fn stand_in(&self) -> Vec<SwitchName> {
        Vec::new()
    }
}

/// The switches of a list; what is wrong with others is told.
fn switches(elements: &[Json], place: &mut Place<'_>) -> Vec<SwitchName> {
    let mut switches: Vec<SwitchName> = Vec::new();
    let list = place.path.clone();
    for (index, element) in elements.iter().enumerate() {
        let text = match switch(element) {
            Ok(name) if !switches.contains(&name) => {
                switches.push(name);
                continue;
            }
            Ok(_) => format!("{} stands twice; allowed: each once", element.shown()),
            Err(text) => text,
        };
        place.path = element_path(&list, index);
        place.refuse(element, text);
    }
    place.path = list;
    switches
}

impl Section for Override {
    fn read(fields: &mut Fields<'_>, _usual: Option<&Self>) -> Self {
        let before = fields.problem_count();
        let found = fields.take(Key::new("where", PLACE, None));
        let known = fields.problem_count() == before;
        let share = |fields: &mut Fields<'_>| fields.take(Key::new("fraction", positive(1), None));
        let place = match found {
            // What `where` is wrong with comes first.
            _ if !known => {
                fields.skip("fraction");
                Placement::Edge
            }
            Either::A(Pick::RandomSwitches) => Placement::RandomSwitches(share(fields)),
            Either::A(Pick::RandomPods) => Placement::RandomPods(share(fields)),
            Either::A(Pick::Aggregation) => Placement::Aggregation,
            Either::A(Pick::Edge) => Placement::Edge,
            Either::B(switches) => Placement::Listed(switches),
        };
        let is_random = matches!(
            place,
            Placement::RandomSwitches(_) | Placement::RandomPods(_)
        );
        if known && !is_random {
            let why =
                "belongs to where \"random_switches\" and \"random_pods\"; allowed: none here";
            fields.foreign("fraction", why);
        }
        let scheme = fields.section("scheme", lb::read_for_switches);
        Self { place, scheme }
    }

    fn keys(_usual: Option<&Self>) -> Vec<KeyDoc> {
        let place = "Which switches; names are those of links.csv, e.g. [\"e0\", \"a3\"]";
        let share = "The share of the switches or pods that the run's seed draws, to the nearest whole number (half up), at least one";
        let rows = SCHEMES.iter().filter(|row| row.is_of_switches());
        let scheme = scheme_key("What they run; its parameters stand beside it", rows);
        vec![
            KeyDoc {
                limits: "each once",
                sample: Some("\"random_pods\""),
                ..KeyDoc::new("where", place, &PLACE, None)
            },
            KeyDoc {
                of: vec!["random_switches", "random_pods"],
                ..KeyDoc::new("fraction", share, &positive(1), None)
            },
            KeyDoc::of(
                "scheme",
                "What they run",
                Schema::Object(vec![scheme]),
                Some(Value::Object(Vec::new())),
            ),
        ]
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

impl Judge<'_> {
    /// Whether every override selects switches that the fabric has, and some that no later one takes.
    pub(super) fn mix(&mut self) {
        let drafts = &self.keys.load_balancing.overrides;
        if drafts.is_empty() {
            return;
        }
        let list = child_path("load_balancing", KEY);
        self.base(&list);
        let Some(tree) = self.tree() else {
            return;
        };
        let sites = tree.sites();
        let before = self.problems.len();
        for (number, draft) in drafts.iter().enumerate() {
            let path = element_path(&list, number);
            if self.sound(&[&child_path(&path, "where"), &child_path(&path, "fraction")]) {
                self.selection(draft, &path, &sites, tree.levels());
            }
        }
        if self.problems.len() == before && self.sound(&[&list]) {
            self.hidden(&list, &sites);
        }
    }

    /// The route that a host writes names both uplinks, the second one as a port of the aggregation switch that the first one leads to:
    /// a switch that chooses for itself leaves the route, and the rest of it means nothing. So all switches obey, or none.
    fn base(&mut self, list: &str) {
        let base = &self.keys.load_balancing.scheme;
        if base.is_source_routed() && self.sound(&["load_balancing.scheme"]) {
            let text = format!(
                "scheme \"{}\" routes every packet from its source, so a switch cannot choose for itself; allowed: [], or a load_balancing.scheme without source routes",
                base.name
            );
            self.problem(list, text);
        }
    }

    /// What one override selects.
    fn selection(&mut self, draft: &Override, path: &str, sites: &[Site], levels: u8) {
        let at = child_path(path, "where");
        let place = &draft.place;
        let no_pods = levels == 2 && matches!(place, Placement::RandomPods(_));
        if no_pods {
            let text = "\"random_pods\" makes no sense in a two-level tree, which has no pods; allowed: random_switches, edge, or a list of edge switches";
            self.problem(&at, text);
        } else if let Placement::Listed(names) = place {
            for (index, name) in names.iter().enumerate() {
                if sites.iter().all(|site| site.name != *name) {
                    let text = no_such_switch(*name, sites);
                    self.problem(&element_path(&at, index), text);
                }
            }
        } else if place.possible(sites).is_empty() {
            let text = format!(
                "\"{place}\" selects no switch: the aggregation switches of a two-level tree are spines, which have no choice of uplink; allowed: random_switches, edge, or a list of edge switches"
            );
            self.problem(&at, text);
        } else if let Some((all, 0)) = place.share(sites) {
            self.nothing(&child_path(path, "fraction"), place, all);
        }
    }

    fn nothing(&mut self, path: &str, place: &Placement, all: usize) {
        let (Placement::RandomSwitches(share) | Placement::RandomPods(share)) = place else {
            return;
        };
        let share = share.as_f64();
        let things = match place {
            Placement::RandomPods(_) => "pods",
            _ => "switches",
        };
        let text = format!(
            "{share} of {all} {things} is none, as it is rounded to the nearest number; allowed: a number from 1/{} to 1",
            2 * all
        );
        self.problem(path, text);
    }

    /// An override whose switches are all taken by later ones, whatever the seed, would do nothing.
    fn hidden(&mut self, list: &str, sites: &[Site]) {
        let drafts = &self.keys.load_balancing.overrides;
        for (number, draft) in drafts.iter().enumerate() {
            let mut left = draft.place.possible(sites);
            for later in &drafts[number + 1..] {
                let taken = later.place.certain(sites);
                left.retain(|switch| !taken.contains(switch));
            }
            if left.is_empty() {
                let text = "every switch that it selects is taken by a later override, and the last one wins; allowed: at least one switch of its own";
                let path = child_path(&element_path(list, number), "where");
                self.problem(&path, text);
            }
        }
    }
}

/// The text for a switch that does not exist, or has no choice.
fn no_such_switch(name: SwitchName, sites: &[Site]) -> String {
    let last = |level| {
        let named = sites.iter().map(|site| site.name);
        named.filter(|name| name.level == level).max()
    };
    let range = |level, noun: &str| {
        let last = last(level)?;
        let first = SwitchName { level, index: 0 };
        Some(format!("{noun} {first} to {last}"))
    };
    let ranges = [
        range(Level::Edge, "edge switches"),
        range(Level::Aggregation, "aggregation switches"),
    ];
    let ranges: Vec<String> = ranges.into_iter().flatten().collect();
    let allowed = ranges.join(" and ");
    if last(name.level).is_none() {
        return format!(
            "{name}: the aggregation switches of a two-level tree are spines, which have no choice of uplink; allowed: {allowed}"
        );
    }
    format!("switch {name} does not exist; this fabric has {allowed}")
}
