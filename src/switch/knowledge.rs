//! What a switch knows of failed links, as time goes on.

use std::sync::Arc;

use crate::lb::switch::UplinkSet;
use crate::topology::{Epoch, FatTree, Level, PortRef};
use crate::units::Time;

/// What a switch knows of failed links: all switches learn of a change at the same instant.
#[derive(Clone, Debug)]
pub struct Knowledge {
    epochs: Arc<[Epoch]>,
    /// The epoch that holds, and when the next one does.
    current: usize,
    next: Time,
    tree: FatTree,
    node: u32,
}

impl Knowledge {
    /// What switch `node` of `tree` knows: one of `epochs` after the other, the first from time 0.
    #[must_use]
    pub fn new(epochs: Arc<[Epoch]>, tree: FatTree, node: u32) -> Self {
        Self {
            next: epochs.get(1).map_or(Time::NEVER, |epoch| epoch.from),
            epochs,
            current: 0,
            tree,
            node,
        }
    }

    fn epoch(&mut self, now: Time) -> &Epoch {
        while self.next <= now {
            self.current += 1;
            let next = self.epochs.get(self.current + 1);
            self.next = next.map_or(Time::NEVER, |epoch| epoch.from);
        }
        &self.epochs[self.current]
    }

    /// The uplinks that lead to `group` (an edge or a pod), if any does.
    pub(super) fn valid(&mut self, now: Time, group: usize) -> Option<UplinkSet> {
        let (level, index) = self.tree.place(self.node);
        let reach = &self.epoch(now).reach;
        let valid = match level {
            Level::Edge => reach.from_edge(index, group as u32),
            _ => reach.from_agg(index, group as u32),
        };
        (!valid.is_empty()).then_some(valid)
    }

    /// Whether the link behind `port` is up.
    pub(super) fn is_up(&mut self, now: Time, port: usize) -> bool {
        let end = PortRef {
            node: self.node,
            port: port as u32,
        };
        self.epoch(now).reach.is_up(end)
    }
}
