//! Output ports of switches.

pub mod fifo;

pub use fifo::{Fifo, Lane, Limits, PortStats};
