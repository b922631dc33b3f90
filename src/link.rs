//! The wire behind a port: rate, latency, gap between frames.
//!
//! Not modelled: bit errors. Links that go down or slow are `port::Fault`'s.

use crate::units::{Rate, Span};

/// A kind of link; ports share it.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Bits per second.
    pub rate: Rate,
    /// From the last bit out to the last bit in.
    pub latency: Span,
    /// Idle time of the sender after each frame.
    pub gap: Span,
}

impl Link {
    /// Time that a frame takes on the wire.
    #[inline]
    #[must_use]
    pub fn tx_time(&self, bytes: u32) -> Span {
        self.rate.tx_time(u64::from(bytes))
    }
}
