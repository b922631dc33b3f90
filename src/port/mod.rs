//! Output ports of switches.

pub mod fault;
pub mod fifo;

pub use fault::Fault;
pub use fifo::{Bins, Fifo, Lane, Limits, PortStats};
