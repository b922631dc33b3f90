//! Fabrics: which nodes there are and how their ports are cabled.
//!
//! A topology is arithmetic on numbers: no tables, no packets, no time. What fails, and when, is in [`Outages`];
//! what failed links leave in [`Reach`].

mod cabling;
mod fat_tree;
pub mod htsim_text;
pub mod htsim_topo;
mod outages;
mod reach;
mod routes;
mod sites;

use crate::lb::host::Layer;
pub use fat_tree::{FatTree, Level, PortRef};
pub use outages::{CutOff, Epoch, Outages, Period};
pub use reach::Reach;
pub use routes::{Routes, Way};

/// A stage of links, named by the levels at its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Host to edge.
    Nic,
    /// Edge to aggregation.
    Ea,
    /// Aggregation to core.
    Ac,
    /// Core to aggregation.
    Ca,
    /// Aggregation to edge.
    Ae,
    /// Edge to host.
    Eh,
}

impl Stage {
    /// All stages, in the order in which an inter-pod packet crosses them.
    pub const ALL: [Self; 6] = [Self::Nic, Self::Ea, Self::Ac, Self::Ca, Self::Ae, Self::Eh];

    /// The name in CSVs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nic => "nic",
            Self::Ea => "ea",
            Self::Ac => "ac",
            Self::Ca => "ca",
            Self::Ae => "ae",
            Self::Eh => "eh",
        }
    }
}

/// The name of a node: its level's letter and its number in that level (`h12`, `e3`, `a3`, `c5`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeName(pub char, pub u32);

impl std::fmt::Display for NodeName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.0, self.1)
    }
}
