//! Whether a mixed fabric is one: what overrides select, and from which base.

use crate::json::{Origin, child_path, element_path};
use crate::lb::mixed::{Placement, Site, SwitchName};
use crate::lb::switch::Level;
use crate::scenario::mixed::{DeploymentDraft, KEY};

use super::Judge;

impl Judge<'_> {
    /// Whether every override selects switches that the fabric has, and some that no later one takes.
    pub(super) fn mix(&mut self) {
        let drafts = &self.draft.deployments;
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
        let base = &self.draft.load_balancing;
        if base.is_source_routed() && self.sound(&["load_balancing.scheme"]) {
            let text = format!(
                "scheme \"{}\" routes every packet from its source, so a switch cannot choose for itself; allowed: [], or a load_balancing.scheme without source routes",
                base.name
            );
            self.problem(self.draft.origins.overrides, list, text);
        }
    }

    /// What one override selects.
    fn selection(&mut self, draft: &DeploymentDraft, path: &str, sites: &[Site], levels: u8) {
        let at = child_path(path, "where");
        let place = &draft.deployment.place;
        let no_pods = levels == 2 && matches!(place, Placement::RandomPods(_));
        if no_pods {
            let text = "\"random_pods\" makes no sense in a two-level tree, which has no pods; allowed: random_switches, edge, or a list of edge switches";
            self.problem(draft.place, &at, text.to_owned());
        } else if let Placement::Listed(names) = place {
            for (index, (name, origin)) in names.iter().zip(&draft.elements).enumerate() {
                if sites.iter().all(|site| site.name != *name) {
                    let text = no_such_switch(*name, sites);
                    self.problem(*origin, &element_path(&at, index), text);
                }
            }
        } else if place.possible(sites).is_empty() {
            let text = format!(
                "\"{place}\" selects no switch: the aggregation switches of a two-level tree are spines, which have no choice of uplink; allowed: random_switches, edge, or a list of edge switches"
            );
            self.problem(draft.place, &at, text);
        } else if let Some((all, 0)) = place.share(sites) {
            self.nothing(draft.fraction, &child_path(path, "fraction"), place, all);
        }
    }

    fn nothing(&mut self, origin: Origin, path: &str, place: &Placement, all: usize) {
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
        self.problem(origin, path, text);
    }

    /// An override whose switches are all taken by later ones, whatever the seed, would do nothing.
    fn hidden(&mut self, list: &str, sites: &[Site]) {
        let drafts = &self.draft.deployments;
        for (number, draft) in drafts.iter().enumerate() {
            let mut left = draft.deployment.place.possible(sites);
            for later in &drafts[number + 1..] {
                let taken = later.deployment.place.certain(sites);
                left.retain(|switch| !taken.contains(switch));
            }
            if left.is_empty() {
                let text = "every switch that it selects is taken by a later override, and the last one wins; allowed: at least one switch of its own";
                let path = child_path(&element_path(list, number), "where");
                self.problem(draft.place, &path, text.to_owned());
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
