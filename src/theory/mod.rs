//! Closed forms: how fast a workload can possibly finish, and what the paper predicts of queues.
//!
//! Nothing here simulates. Times are exact integers of picoseconds, saturating; queue models are `f64` and serve tests only.
//! The bounds take a message as ceil(bytes / payload) packets. Ethereal cuts its subflows into more and smaller frames, which
//! cross a store-and-forward hop sooner: on messages of few packets it can end below a bound. It is kept so that all schemes
//! are measured against one baseline, as in the paper. Bounds of all kinds take start times as given: start jitter can
//! undercut them by its largest offset, by default a slot of a full packet.

pub mod cct_bound;
pub mod diagnostics;
pub mod fabric_numbers;
mod frames;
pub mod headroom;
pub mod ideal_fct;
mod lower_bound;
mod releases;
pub mod rho_max;

pub use frames::Frames;
pub use lower_bound::{LowerBound, lower_bound};

#[cfg(test)]
pub(crate) use frames::testing;
