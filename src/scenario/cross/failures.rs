//! Whether the links and switches of `failures` exist in the fabric, and when they fail.

use std::collections::BTreeMap;

use crate::json::element_path;
use crate::settings::{Failures, LinkFault, SwitchFault};
use crate::topology::{FatTree, Level, NodeName};
use crate::units::Time;

use super::Judge;
use crate::scenario::failures::{LinkDraft, PeriodDraft};

impl Judge<'_> {
    /// The failures, if anything can fail; `faults` are those of the workload's file.
    pub(super) fn failures(&mut self, faults: &[LinkFault]) -> Option<Failures> {
        let draft = &self.draft.failures;
        let tree = self.tree();
        if let Some(tree) = tree
            && tree.cores() == 0
            && draft.agg_core_probability.num > 0
            && self.sound(&["failures.agg_core_probability"])
        {
            let text = "a two-level tree has no cores; allowed: 0";
            let path = "failures.agg_core_probability";
            self.problem(draft.agg_core_origin, path, text.to_owned());
        }
        let failures = Failures {
            edge_agg_probability: draft.edge_agg_probability,
            agg_core_probability: draft.agg_core_probability,
            switch_probability: draft.switch_probability,
            links: [&self.links(tree), faults].concat(),
            switches: self.switches(tree),
            convergence: draft.convergence,
            queued: draft.queued,
            on_partition: draft.on_partition,
        };
        (!failures.is_none()).then_some(failures)
    }

    fn links(&mut self, tree: Option<FatTree>) -> Vec<LinkFault> {
        let mut faults = Vec::new();
        let mut taken = Taken::default();
        for (i, link) in self.draft.failures.links.iter().enumerate() {
            let path = element_path("failures.links", i);
            self.ends_after_it_begins(&path, link.period);
            let Some(tree) = tree else { continue };
            for cable in self.cables(tree, &path, link) {
                let PeriodDraft { from, until, .. } = link.period;
                if let Some(other) = taken.overlap(cable, link.period, i) {
                    let text = format!(
                        "overlaps failures.links[{other}], which names the same link; allowed: one fault at a time"
                    );
                    self.problem(link.origins[0], &format!("{path}.link"), text);
                    break;
                }
                faults.push(LinkFault {
                    cable,
                    from,
                    until,
                    slow_to: link.slow_to,
                });
            }
        }
        faults
    }

    /// The cables that an entry names.
    fn cables(&mut self, tree: FatTree, path: &str, link: &LinkDraft) -> Vec<u32> {
        let (at, member_at) = (format!("{path}.link"), format!("{path}.member"));
        if !self.sound(&[&at]) {
            return Vec::new();
        }
        let cables = match bundle(tree, &link.link) {
            Ok(cables) => cables,
            Err(text) => {
                self.problem(link.origins[0], &at, text);
                return Vec::new();
            }
        };
        let Some(member) = link.member.filter(|_| self.sound(&[&member_at])) else {
            return cables;
        };
        if let Some(&cable) = cables.get(member as usize) {
            return vec![cable];
        }
        let last = cables.len() - 1;
        let text = format!(
            "member {member} of {} does not exist; allowed: null (all of them), or 0 to {last}",
            link.link
        );
        self.problem(link.origins[1], &member_at, text);
        Vec::new()
    }

    fn switches(&mut self, tree: Option<FatTree>) -> Vec<SwitchFault> {
        let mut faults = Vec::new();
        let mut taken = Taken::default();
        for (i, switch) in self.draft.failures.switches.iter().enumerate() {
            let path = element_path("failures.switches", i);
            self.ends_after_it_begins(&path, switch.period);
            let at = format!("{path}.switch");
            let Some(tree) = tree.filter(|_| self.sound(&[&at])) else {
                continue;
            };
            let number = match failing_switch(tree, &switch.switch) {
                Ok(number) => number,
                Err(text) => {
                    self.problem(switch.origin, &at, text);
                    continue;
                }
            };
            if let Some(other) = taken.overlap(number, switch.period, i) {
                let text = format!(
                    "overlaps failures.switches[{other}], which names the same switch; allowed: one fault at a time"
                );
                self.problem(switch.origin, &at, text);
                continue;
            }
            faults.push(SwitchFault {
                switch: number,
                from: switch.period.from,
                until: switch.period.until,
            });
        }
        faults
    }

    pub(super) fn ends_after_it_begins(&mut self, path: &str, period: PeriodDraft) {
        let at = format!("{path}.until_us");
        if period.until <= period.from && self.sound(&[&at, &format!("{path}.from_us")]) {
            let text = format!(
                "{} us is not after from_us; allowed: null, or more than {} us",
                period.until.0 as f64 / 1e6,
                period.from.0 as f64 / 1e6
            );
            self.problem(period.origin, &at, text);
        }
    }
}

/// When things fail already, and which entry says so.
#[derive(Debug, Default)]
struct Taken(BTreeMap<u32, Vec<(Time, Time, usize)>>);

impl Taken {
    /// Note a fault of `number` by entry `i`; the earlier entry that it overlaps, if any.
    fn overlap(&mut self, number: u32, period: PeriodDraft, i: usize) -> Option<usize> {
        let PeriodDraft { from, until, .. } = period;
        let before = self.0.entry(number).or_default();
        let other = before
            .iter()
            .find(|other| other.0 < until && from < other.1);
        let other = other.map(|&(.., other)| other);
        before.push((from, until, i));
        other
    }
}

/// The node of that name.
fn node(tree: FatTree, name: &str) -> Result<u32, String> {
    let mut letters = name.chars();
    let named = letters.next().and_then(|letter| {
        let number: u32 = letters.as_str().parse().ok()?;
        // "e03" and "e+3" are not names.
        let canonical = NodeName(letter, number);
        (canonical.to_string() == name).then_some(canonical)
    });
    named.and_then(|name| tree.named(name)).ok_or_else(|| {
        let last = |count: u32| count - 1;
        let (edges, aggs) = (last(tree.edges()), last(tree.aggs()));
        let cores = match tree.cores().checked_sub(1) {
            None => String::new(),
            Some(last) => format!(", c0 to c{last}"),
        };
        format!("{name:?} does not exist; this fabric has e0 to e{edges}, a0 to a{aggs}{cores}")
    })
}

/// The cables between the two switches that `text` names, by member.
pub(super) fn bundle(tree: FatTree, text: &str) -> Result<Vec<u32>, String> {
    let Some((one, other)) = text.split_once('-') else {
        return Err(format!(
            "{text:?} is no link; allowed: two switches, as in \"e3-a5\""
        ));
    };
    let ends = [node(tree, one)?, node(tree, other)?];
    if let Some(&host) = ends.iter().find(|&&node| tree.place(node).0 == Level::Host) {
        let host = tree.name(host);
        return Err(format!(
            "{text:?} is a link of host {host}, and hosts' links never fail; allowed: links between switches"
        ));
    }
    let (lower, upper) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    let cables: Vec<u32> = tree.bundle(lower, upper).collect();
    if !cables.is_empty() {
        return Ok(cables);
    }
    let downs = tree.down_ports(lower);
    let above = (downs..tree.ports(lower)).map(|port| tree.peer(lower, port).node);
    let mut above: Vec<String> = above.map(|node| tree.name(node).to_string()).collect();
    above.dedup();
    let lower = tree.name(lower);
    let allowed = match above.as_slice() {
        [] => "links between different levels".to_owned(),
        [only] => format!("from {lower} up to {only}"),
        [most @ .., last] if most.len() < 8 => {
            format!("from {lower} up to {} and {last}", most.join(", "))
        }
        [first, .., last] => format!("from {lower} up to {first}, {}, ..., {last}", above[1]),
    };
    Err(format!("{text:?} does not exist; allowed: {allowed}"))
}

/// The number among switches of the one that `text` names, if it may fail.
fn failing_switch(tree: FatTree, text: &str) -> Result<u32, String> {
    let node = node(tree, text)?;
    match tree.place(node).0 {
        Level::Agg | Level::Core => Ok(node - tree.hosts()),
        Level::Host | Level::Edge => Err(format!(
            "{text:?} does not fail: it would take hosts with it; allowed: aggregation switches and cores"
        )),
    }
}
