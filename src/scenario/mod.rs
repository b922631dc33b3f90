//! Scenarios: from the JSON that a user wrote to checked values that the simulator builds from.
//!
//! [`load`] reads a file with all that it extends (`document`, `extends`), puts the command line over it (`sets`), spans the sweep
//! (`sweep`) and checks every point: key by key as each section declares its keys (`whole` and the files that it names), then what takes
//! several keys, in the same files (`judge`). All that is wrong comes back at once, each error with the file and the place that it came from.

mod bounds;
mod document;
mod effective;
mod errors;
mod extends;
mod fabric;
mod failures;
mod judge;
mod load_balancing;
mod plan;
mod queue;
mod schemes;
mod sets;
mod sizes;
mod sweep;
mod transport;
mod whole;
mod workload;

#[cfg(test)]
mod tests;

pub use crate::settings::{
    AckTurns, Acks, CongestionControl, Fabric, Failures, Imperfection, LinkFault, Mice, Nic,
    OnPartition, PacketFormat, Queued, RhoMaxRule, Scenario, Shape, StartJitter, StragglerHosts,
    Stragglers, SwitchFault, TieBreak, Tier, Workload,
};
pub use errors::{InputError, InputErrors};
pub use fabric::FABRICS;
pub use plan::{Plan, Point, load, parse};
pub use queue::Port;
pub use sets::Overrides;
pub use transport::Recovery;
pub use whole::{keys, keys_and_sections};
