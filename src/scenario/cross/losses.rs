//! Whether the links that lose frames at random exist, and the hosts that are stuck.

use std::collections::BTreeMap;

use crate::json::element_path;
use crate::scenario::failures::LossDraft;
use crate::settings::{LinkLoss, Losses, QueueKind, StuckHost};
use crate::topology::FatTree;

use super::Judge;
use super::failures::bundle;
use super::pairs::no_such_host;

impl Judge<'_> {
    /// Random losses and stuck hosts.
    pub(super) fn losses(&mut self) -> Losses {
        let draft = &self.draft.failures;
        let (losses, tree) = (draft.losses.iter().enumerate(), self.tree());
        let links = losses.filter_map(|(i, loss)| self.loss(tree, i, loss));
        Losses {
            links: links.collect(),
            stuck_hosts: self.stuck_hosts(tree),
        }
    }

    fn loss(&mut self, tree: Option<FatTree>, i: usize, loss: &LossDraft) -> Option<LinkLoss> {
        let path = element_path("failures.loss", i);
        let (at, member_at) = (format!("{path}.link"), format!("{path}.member"));
        let is_sound = self.sound(&[&at, &member_at]);
        let problems = self.problems.len();
        match (&loss.link, loss.member, tree) {
            (None, Some(member), _) if is_sound => {
                let text = format!("{member} is a member of no link; allowed: null without a link");
                self.problem(loss.origins[1], &member_at, text);
            }
            (Some(link), member, Some(tree)) if is_sound => match bundle(tree, link) {
                Err(text) => self.problem(loss.origins[0], &at, text),
                Ok(cables) => {
                    if let Some(member) = member.filter(|&member| member >= cables.len() as u64) {
                        let last = cables.len() - 1;
                        let text = format!(
                            "member {member} of {link} does not exist; allowed: null (all of them), or 0 to {last}"
                        );
                        self.problem(loss.origins[1], &member_at, text);
                    }
                }
            },
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
        let hosts = &self.draft.failures.hosts;
        let kind = self.draft.fabric.queue.queue.kind;
        let is_lossless = matches!(kind, QueueKind::Lossless(_));
        if !hosts.is_empty() && !is_lossless && self.sound(&["fabric.queue.kind"]) {
            let text = "a host is stuck by pausing its link, which takes a fabric.queue of kind \"lossless\"; allowed: that, or []";
            self.problem(hosts[0].origin, "failures.hosts", text.to_owned());
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
                self.problem(host.origin, &at, no_such_host(host.host, count));
            } else if let Some(other) = taken.insert(host.host, i) {
                let text = format!(
                    "host {} is element [{other}] too; allowed: each once",
                    host.host
                );
                self.problem(host.origin, &at, text);
            } else {
                stuck.push(StuckHost {
                    host: host.host as u32,
                    from: host.period.from,
                    until: host.period.until,
                });
            }
        }
        stuck
    }
}
