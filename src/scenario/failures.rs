//! `failures`: links and switches that fail, links that lose frames, hosts that are stuck; and whether the fabric has them.

use std::collections::BTreeMap;

use crate::fields::{
    Bounds, Count, Text, Worded, choice, integer, keys, list, microseconds, named, nullable,
    number, number_to, object, params, positive, text,
};
use crate::json::element_path;
use crate::settings::limits::{LATENCY, MAX_INSTANT};
use crate::settings::{
    Failures, LinkFault, LinkLoss, LossFrames, Losses, OnPartition, Queued, StuckHost, SwitchFault,
};
use crate::topology::{FatTree, Level, NodeName};
use crate::units::{Ratio, Span, Time};
use crate::workload::no_such_host;

use super::judge::Judge;

/// No probability.
const NEVER: Ratio = Ratio { num: 0, den: 1 };
/// A link between switches.
const LINK: Text = text("two switches, as in \"e3-a5\"", is_told);
/// One of parallel links.
const MEMBER: Worded<Count<u64>> = named(
    "an integer from 0, below the size of the bundle",
    integer(0..=254),
);
/// A switch.
const SWITCH: Text = text("a switch, as in \"a5\"", is_told);

const fn is_told(text: &str) -> bool {
    !text.is_empty()
}

params! {
    /// The failures as far as their own object tells.
    #[derive(Clone, Debug)]
    pub(super) struct FailuresKeys {
        /// Probability that a link between an edge and an aggregation switch is down, drawn for each link, both directions, and run
        edge_agg_probability: Ratio = key("edge_agg_probability", number_to(1), default = NEVER),
        /// The same for links between aggregation switches and cores (three levels)
        agg_core_probability: Ratio = key("agg_core_probability", number_to(1), default = NEVER),
        /// The same for aggregation switches and cores: all links of one are down
        switch_probability: Ratio = key("switch_probability", number_to(1), default = NEVER),
        /// Links that are down or slow for a time, or for good
        pub(super) links: Vec<LinkKeys> = key("links", list(object()), default = Vec::new()),
        /// Switches all of whose links are down for a time, or for good
        switches: Vec<SwitchKeys> = key("switches", list(object()), default = Vec::new()),
        /// From a link's going down or coming back to the instant at which all switches know it
        convergence: Span = key("convergence_us", microseconds(LATENCY), default = Span::from_ns(1_000)),
        /// Frames that wait behind a dead link: sent into it and lost, or held until it is back
        queued: Queued = key("queued", choice(), default = Queued::Lost),
        /// If hosts that are to communicate have no path at time 0: draw all links again (and refuse if the lists alone are to blame),
        /// refuse, or run and drop their packets
        on_partition: OnPartition = key("on_partition", choice(), default = OnPartition::Redraw),
        /// Links that lose frames at random; each entry draws on its own
        loss: Vec<LossKeys> = key("loss", list(object()), default = Vec::new()),
        /// Hosts that are stuck for a time, or for good: they pause their link (lossless fabrics only)
        hosts: Vec<HostKeys> = key("hosts", list(object()), default = Vec::new(),
            needs = [("fabric.queue", "{\"kind\": \"lossless\", \"pause_bytes\": 1000000}")]),
    }
}

keys! {
    /// One entry of `links`.
    #[derive(Clone, Debug)]
    pub(super) struct LinkKeys {
        /// The link, both directions, by the names of its ends in links.csv, e.g. "a5-c7"
        link: String = key("link", LINK, sample = "\"e0-a0\""),
        /// Which of several parallel links; null: all of them
        member: Option<u64> = key("member", nullable(MEMBER), default = None),
        /// From when on; what fails at 0 is known to all from the start.
        period: Period = flat(),
        /// The fraction of its rate that a slow link keeps, without anybody noticing; null: the link is down
        pub(super) slow_to: Option<Ratio> = key("slow_to", nullable(number(Bounds::PART)), default = None),
    }
}

keys! {
    /// One entry of `switches`.
    #[derive(Clone, Debug)]
    pub(super) struct SwitchKeys {
        /// The switch, an aggregation switch or a core, by its name in links.csv
        switch: String = key("switch", SWITCH, sample = "\"a1\""),
        /// When.
        period: Period = flat(),
    }
}

keys! {
    /// One entry of `loss`.
    #[derive(Clone, Debug)]
    pub(super) struct LossKeys {
        /// The link, both directions, by the names of its ends in links.csv; null: every link between switches
        link: Option<String> = key("link", nullable(LINK), default = None, sample = "\"e0-a0\""),
        /// Which of several parallel links; null: all of them
        member: Option<u64> = key("member", nullable(MEMBER), default = None),
        /// Probability that a frame is lost, drawn for each frame that leaves by the link
        probability: Ratio = key("probability", positive(1)),
        /// Which frames: data and probes; ACKs, NACKs and trimmed headers; or all of these. Pause frames are never lost so
        frames: LossFrames = key("frames", choice(), default = LossFrames::All),
    }
}

keys! {
    /// One entry of `hosts`.
    #[derive(Clone, Debug)]
    pub(super) struct HostKeys {
        /// The host, from 0, each once
        host: u64 = key("host", named("a host", integer(0..=u64::MAX)), sample = "1"),
        /// When.
        period: Period = flat(),
    }
}

params! {
    /// From when to when.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Period {
        /// From when on; what fails at 0 is known to all from the start
        from: Time = key("from_us", microseconds(0..=MAX_INSTANT), default = Time::ZERO),
        /// Until when; null: for good
        end: Option<Time> = key("until_us", nullable(microseconds(1..=MAX_INSTANT)), default = None, limits = "after from_us"),
    }
}

impl Period {
    /// The first instant after it; [`Time::NEVER`]: it is for good.
    fn until(self) -> Time {
        self.end.unwrap_or(Time::NEVER)
    }
}

impl FailuresKeys {
    /// Whether anything may fail.
    pub(super) fn can_fail(&self) -> bool {
        let probabilities = [
            self.edge_agg_probability,
            self.agg_core_probability,
            self.switch_probability,
        ];
        let is_listed = !self.links.is_empty() || !self.switches.is_empty();
        is_listed || probabilities.iter().any(|of| of.num > 0)
    }
}

impl Judge<'_> {
    /// The failures, if anything can fail; `faults` are those of the workload's file.
    pub(super) fn failures(&mut self, faults: &[LinkFault]) -> Option<Failures> {
        let draft = &self.keys.failures;
        let tree = self.tree();
        if let Some(tree) = tree
            && tree.cores() == 0
            && draft.agg_core_probability.num > 0
            && self.sound(&["failures.agg_core_probability"])
        {
            let text = "a two-level tree has no cores; allowed: 0";
            let path = "failures.agg_core_probability";
            self.problem(path, text);
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
        for (i, link) in self.keys.failures.links.iter().enumerate() {
            let path = element_path("failures.links", i);
            self.ends_after_it_begins(&path, link.period);
            let Some(tree) = tree else { continue };
            for cable in self.cables(tree, &path, &link.link, link.member) {
                let (from, until) = (link.period.from, link.period.until());
                if let Some(other) = taken.overlap(cable, link.period, i) {
                    let text = format!(
                        "overlaps failures.links[{other}], which names the same link; allowed: one fault at a time"
                    );
                    self.problem(&format!("{path}.link"), text);
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

    /// The cables that the entry at `path` names by `link` and `member`.
    fn cables(&mut self, tree: FatTree, path: &str, link: &str, member: Option<u64>) -> Vec<u32> {
        let (at, member_at) = (format!("{path}.link"), format!("{path}.member"));
        if !self.sound(&[&at]) {
            return Vec::new();
        }
        let cables = match bundle(tree, link) {
            Ok(cables) => cables,
            Err(text) => {
                self.problem(&at, text);
                return Vec::new();
            }
        };
        let Some(member) = member.filter(|_| self.sound(&[&member_at])) else {
            return cables;
        };
        if let Some(&cable) = cables.get(member as usize) {
            return vec![cable];
        }
        let last = cables.len() - 1;
        let text = format!(
            "member {member} of {link} does not exist; allowed: null (all of them), or 0 to {last}"
        );
        self.problem(&member_at, text);
        Vec::new()
    }

    fn switches(&mut self, tree: Option<FatTree>) -> Vec<SwitchFault> {
        let mut faults = Vec::new();
        let mut taken = Taken::default();
        for (i, switch) in self.keys.failures.switches.iter().enumerate() {
            let path = element_path("failures.switches", i);
            self.ends_after_it_begins(&path, switch.period);
            let at = format!("{path}.switch");
            let Some(tree) = tree.filter(|_| self.sound(&[&at])) else {
                continue;
            };
            let number = match failing_switch(tree, &switch.switch) {
                Ok(number) => number,
                Err(text) => {
                    self.problem(&at, text);
                    continue;
                }
            };
            if let Some(other) = taken.overlap(number, switch.period, i) {
                let text = format!(
                    "overlaps failures.switches[{other}], which names the same switch; allowed: one fault at a time"
                );
                self.problem(&at, text);
                continue;
            }
            faults.push(SwitchFault {
                switch: number,
                from: switch.period.from,
                until: switch.period.until(),
            });
        }
        faults
    }

    fn ends_after_it_begins(&mut self, path: &str, period: Period) {
        let at = format!("{path}.until_us");
        if period.until() <= period.from && self.sound(&[&at, &format!("{path}.from_us")]) {
            let text = format!(
                "{} us is not after from_us; allowed: null, or more than {} us",
                period.until().0 as f64 / 1e6,
                period.from.0 as f64 / 1e6
            );
            self.problem(&at, text);
        }
    }
}

impl Judge<'_> {
    /// Random losses and stuck hosts.
    pub(super) fn losses(&mut self) -> Losses {
        let draft = &self.keys.failures;
        let (losses, tree) = (draft.loss.iter().enumerate(), self.tree());
        let links = losses.filter_map(|(i, loss)| self.loss(tree, i, loss));
        Losses {
            links: links.collect(),
            stuck_hosts: self.stuck_hosts(tree),
        }
    }

    fn loss(&mut self, tree: Option<FatTree>, i: usize, loss: &LossKeys) -> Option<LinkLoss> {
        let path = element_path("failures.loss", i);
        let (at, member_at) = (format!("{path}.link"), format!("{path}.member"));
        let is_sound = self.sound(&[&at, &member_at]);
        let problems = self.problems.len();
        match (&loss.link, loss.member, tree) {
            (None, Some(member), _) if is_sound => {
                let text = format!("{member} is a member of no link; allowed: null without a link");
                self.problem(&member_at, text);
            }
            (Some(link), member, Some(tree)) if is_sound => {
                self.cables(tree, &path, link, member);
            }
            _ => {}
        }
        let link = loss.link.as_ref().map(|link| {
            let ends = link.split_once('-').unwrap_or((link, ""));
            (ends.0.to_owned(), ends.1.to_owned())
        });
        (self.problems.len() == problems).then_some(LinkLoss {
            link,
            member: loss.member.map(|member| member as u32),
            probability: loss.probability,
            frames: loss.frames,
        })
    }

    fn stuck_hosts(&mut self, tree: Option<FatTree>) -> Vec<StuckHost> {
        let hosts = &self.keys.failures.hosts;
        let is_lossless = self.keys.fabric.queue.is_lossless();
        if !hosts.is_empty() && !is_lossless && self.sound(&["fabric.queue.kind"]) {
            let text = "a host is stuck by pausing its link, which takes a fabric.queue of kind \"lossless\"; allowed: that, or []";
            self.problem("failures.hosts", text);
            return Vec::new();
        }
        let mut taken = BTreeMap::new();
        let mut stuck = Vec::new();
        for (i, host) in hosts.iter().enumerate() {
            let path = element_path("failures.hosts", i);
            self.ends_after_it_begins(&path, host.period);
            let at = format!("{path}.host");
            let count = tree.map(FatTree::hosts).filter(|_| self.sound(&[&at]));
            let Some(count) = count else { continue };
            if host.host >= u64::from(count) {
                self.problem(&at, no_such_host(host.host, count));
            } else if let Some(other) = taken.insert(host.host, i) {
                let text = format!(
                    "host {} is element [{other}] too; allowed: each once",
                    host.host
                );
                self.problem(&at, text);
            } else {
                stuck.push(StuckHost {
                    host: host.host as u32,
                    from: host.period.from,
                    until: host.period.until(),
                });
            }
        }
        stuck
    }
}

/// When things fail already, and which entry says so.
#[derive(Debug, Default)]
struct Taken(BTreeMap<u32, Vec<(Time, Time, usize)>>);

impl Taken {
    /// Note a fault of `number` by entry `i`; the earlier entry that it overlaps, if any.
    fn overlap(&mut self, number: u32, period: Period, i: usize) -> Option<usize> {
        let (from, until) = (period.from, period.until());
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
fn bundle(tree: FatTree, text: &str) -> Result<Vec<u32>, String> {
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
