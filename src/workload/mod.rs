//! Workloads: who sends how many bytes to whom, and when. One file a generator.

use crate::units::Time;

/// One flow to simulate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowSpec {
    /// The input's own number of it (its index where the input has none).
    pub id: u64,
    /// Sending host.
    pub src: u32,
    /// Receiving host; never `src`.
    pub dst: u32,
    /// Payload bytes, at least 1.
    pub bytes: u64,
    /// Nominal start; start jitter comes on top.
    pub start: Time,
}
