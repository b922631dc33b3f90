//! Output ports of switches.

pub mod fifo;

pub use fifo::{Fifo, Limits, PortStats};
