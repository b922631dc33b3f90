//! What failures mean for the nodes of a run.

use std::sync::Arc;

use super::Stage;
use super::build::{Builder, link};
use crate::lb::host::LivePaths;
use crate::link::Link;
use crate::port::{Bins, Fault, Slow};
use crate::settings::Queued;
use crate::switch::Knowledge;
use crate::topology::{FatTree, Level, PortRef};
use crate::units::{Rate, Ratio};

impl Builder<'_> {
    /// What hosts know: what is live when the run starts.
    pub(super) fn live_paths(&self) -> Option<Arc<dyn LivePaths>> {
        let outages = self.outages?;
        Some(Arc::clone(outages.at_start()) as Arc<dyn LivePaths>)
    }

    /// What switch `node` knows.
    pub(super) fn knowledge(&self, tree: FatTree, node: u32) -> Option<Knowledge> {
        let outages = self.outages?;
        Some(Knowledge::new(Arc::clone(outages.epochs()), tree, node))
    }

    /// What is counted by time at the ports of `stage`: deliveries only if failures have times.
    pub(super) fn bins(&self, stage: Stage) -> Bins {
        match stage {
            Stage::Ae => Bins::Busy,
            Stage::Eh if self.outages.is_some_and(|all| !all.changes().is_empty()) => {
                Bins::Delivered
            }
            _ => Bins::None,
        }
    }

    /// What happens to the link behind the port `end`.
    pub(super) fn fault(&self, tree: FatTree, end: PortRef) -> Option<Fault> {
        let outages = self.outages?;
        let cable = tree.cable_number(end)?;
        let (down, slow) = (outages.down(cable), outages.slow(cable));
        if down.is_empty() && slow.is_empty() {
            return None;
        }
        let tier = match tree.place(tree.cable(cable).node).0 {
            Level::Agg => 2,
            _ => 1,
        };
        let usual = link(self.scenario, tier);
        let gap_bytes = self.scenario.packet.gap_bytes;
        let slow = slow.iter().map(|&((from, until), share)| Slow {
            from,
            until,
            link: slowed(usual, share, gap_bytes),
        });
        let failures = self.scenario.fabric.failures.as_ref()?;
        let holds = failures.queued == Queued::Held;
        Some(Fault::new(down.into(), slow.collect(), holds, usual))
    }
}

/// `usual` at a share of its rate, rounded down to a whole bit/s.
fn slowed(usual: Link, share: Ratio, gap_bytes: u32) -> Link {
    let bits = u128::from(usual.rate.bits_per_sec()) * u128::from(share.num);
    let rate = Rate::from_bits_per_sec((bits / u128::from(share.den)).max(1) as u64);
    Link {
        rate,
        gap: rate.tx_time(gap_bytes.into()),
        ..usual
    }
}
