//! Whether the hosts that start late are hosts, and any.

use std::collections::BTreeMap;

use crate::json::element_path;
use crate::scenario::StragglerHosts;
use crate::settings::straggler_count;
use crate::topology::FatTree;
use crate::units::Ratio;

use super::Judge;
use super::pairs::no_such_host;

/// Where the stragglers stand.
const FRACTION: &str = "workload.start_jitter.stragglers.fraction";
const HOSTS: &str = "workload.start_jitter.stragglers.hosts";

impl Judge<'_> {
    /// Stragglers must be hosts of the fabric, and some, if some are asked for.
    pub(super) fn stragglers(&mut self) {
        let traffic = &self.draft.traffic;
        let Some(stragglers) = &traffic.stragglers else {
            return;
        };
        match &stragglers.hosts {
            StragglerHosts::Fraction(fraction) => self.some_straggle(*fraction),
            StragglerHosts::Listed(hosts) => self.all_are_hosts(hosts),
        }
    }

    fn some_straggle(&mut self, fraction: Ratio) {
        let Some(hosts) = self.tree().map(FatTree::hosts) else {
            return;
        };
        let is_none = fraction.num > 0 && straggler_count(fraction, hosts) == 0;
        if is_none && self.sound(&[FRACTION]) {
            let least = 0.5 / f64::from(hosts);
            let text = format!(
                "{} of {hosts} hosts rounds to no host; allowed: 0, or at least {least}",
                fraction.as_f64()
            );
            self.problem(self.draft.traffic.stragglers_origin, FRACTION, text);
        }
    }

    fn all_are_hosts(&mut self, late: &[u32]) {
        let origin = self.draft.traffic.stragglers_origin;
        // An element that was refused is not in the list, and then the places of the others are not known.
        if !self.sound(&[HOSTS]) || !self.sound(&[FRACTION]) {
            return;
        }
        if late.is_empty() {
            let text = "the list is empty; allowed: a list of at least one host, each once";
            self.problem(origin, HOSTS, text.to_owned());
        }
        let hosts = self.tree().map(FatTree::hosts);
        let mut first = BTreeMap::new();
        for (i, &host) in late.iter().enumerate() {
            let path = element_path(HOSTS, i);
            if let Some(hosts) = hosts
                && host >= hosts
            {
                self.problem(origin, &path, no_such_host(host.into(), hosts));
            } else if let Some(other) = first.insert(host, i) {
                let text = format!("host {host} is element [{other}] too; allowed: each once");
                self.problem(origin, &path, text);
            }
        }
    }
}
