//! The switches with a choice of uplink: where schemes run.

use super::{FatTree, Level};
use crate::lb::mixed::{Site, SwitchName};
use crate::lb::switch;

impl FatTree {
    /// The switches with uplinks, in order of their numbers: edges and aggregation switches, or leaves alone.
    #[must_use]
    pub fn sites(self) -> Vec<Site> {
        let site = |node| {
            let (level, index) = self.place(node);
            let (level, pod) = match level {
                Level::Edge => (switch::Level::Edge, self.pod_of(index)),
                Level::Agg => (switch::Level::Aggregation, index / self.aggs_per_pod()),
                Level::Host | Level::Core => return None,
            };
            let name = SwitchName { level, index };
            let switch = self.switch_id(node)?;
            (self.uplinks(node) > 0).then_some(Site { switch, name, pod })
        };
        (self.hosts()..self.nodes()).filter_map(site).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_the_edges_and_aggregation_switches_of_all_pods_in_order() {
        let sites = FatTree::new(3, 4).sites();
        let told: Vec<String> = sites
            .iter()
            .map(|site| format!("{} {} {}", site.switch, site.name, site.pod))
            .collect();
        let expected = [
            "0 e0 0", "1 e1 0", "2 e2 1", "3 e3 1", "4 e4 2", "5 e5 2", "6 e6 3", "7 e7 3",
            "8 a0 0", "9 a1 0", "10 a2 1", "11 a3 1", "12 a4 2", "13 a5 2", "14 a6 3", "15 a7 3",
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn the_spines_of_two_levels_have_no_choice() {
        let sites = FatTree::new(2, 6).sites();
        let switches: Vec<u32> = sites.iter().map(|site| site.switch).collect();
        assert_eq!(switches, [0, 1, 2, 3, 4, 5]);
        assert!(sites.iter().all(|site| site.pod == 0));
    }

    #[test]
    fn names_are_those_of_the_tables() {
        let tree = FatTree::new(3, 6);
        for site in tree.sites() {
            let node = tree.hosts() + site.switch;
            assert_eq!(site.name.to_string(), tree.name(node).to_string());
        }
    }
}
