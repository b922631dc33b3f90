//! Scenarios: from the JSON that a user wrote to checked values that the simulator builds from.
//!
//! [`load`] reads a file with all that it extends (`document`, `extends`), puts the command line over it (`sets`), spans the sweep
//! (`sweep`) and checks every point: key by key (`check`, `fabric`, `bounds`, `queue`, `failures`, `mixed`,
//! `transport`, `traffic`), then what takes several keys (`cross`, `matrix`). All that is wrong comes back at once, each error with the
//! file and the place that it came from.

mod bounds;
mod check;
mod cross;
mod document;
mod effective;
mod errors;
mod extends;
mod fabric;
mod failures;
mod keys;
mod matrix;
mod mixed;
mod plan;
mod queue;
mod schemes;
mod sets;
mod sweep;
mod traffic;
mod transport;

#[cfg(test)]
mod tests;

pub use crate::settings::{
    AckTurns, Acks, CongestionControl, Fabric, Failures, Imperfection, LinkFault, Mice, Nic,
    OnPartition, PacketFormat, Queued, RhoMaxRule, Scenario, Shape, StartJitter, StragglerHosts,
    Stragglers, SwitchFault, TieBreak, Tier, Workload, WorkloadKind,
};
pub use errors::{InputError, InputErrors};
pub use keys::{KEYS, KeyDoc};
pub use plan::{Plan, Point, load, parse};
pub use sets::Overrides;
