//! Output ports of switches: a plain FIFO, which is the fast path, and one with classes that also trims, pauses and loses.

mod classes;
pub mod fault;
pub mod fifo;
mod general;
mod loss;
mod marking;
mod pool;
mod rules;
mod stats;
#[cfg(test)]
pub(crate) mod testing;
mod trimming;

pub use fault::{Fault, Slow};
pub use fifo::{Fifo, Lane, Limits};
pub use general::Port;
pub use loss::Loss;
pub use marking::Marking;
pub use pool::Pool;
pub use rules::{Full, Rules};
pub use stats::{Bins, Place, PortStats};
pub use trimming::Trim;
