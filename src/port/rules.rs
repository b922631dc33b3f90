//! How ports with classes queue, as values that ports to links of one kind share.

use super::classes::DATA;
use super::{Lane, Marking, Trim};
use crate::link::Link;

/// How ports to links of one kind queue; they share it.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The wire, and the buffer.
    pub lane: Lane,
    /// What becomes of a frame that does not fit.
    pub full: Full,
    /// Whether control frames are a class of their own.
    pub control_priority: bool,
    /// What is marked.
    pub marking: Marking,
}

/// What becomes of a frame that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// It is dropped; all bytes of the port count.
    Drop,
    /// Data loses its payload, or is dropped; bytes of data count, and bytes of control on their own. With priority for control.
    Trim(Trim),
    /// Every frame fits.
    Never,
}

impl Rules {
    /// Whether frames of `class` count in a shared buffer.
    #[inline]
    pub(super) fn pools(&self, class: usize) -> bool {
        match self.full {
            Full::Never => false,
            Full::Drop => true,
            Full::Trim(_) => class == DATA,
        }
    }

    /// The wire.
    #[must_use]
    pub const fn link(&self) -> &Link {
        &self.lane.link
    }
}
