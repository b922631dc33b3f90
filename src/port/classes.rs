//! The frames that wait at a port with classes: pause frames, control frames, data.
//!
//! Without priority for control all frames but pauses are one class, `DATA`, in order of arrival.

use std::collections::VecDeque;

use crate::packet::{Kind, Packet};

/// Data, or everything where control has no priority.
pub(super) const DATA: usize = 0;
/// Control frames, where they have priority.
pub(super) const CONTROL: usize = 1;
/// Pause frames.
pub(super) const PAUSE: usize = 2;

/// What waits, and the bytes of each class, those of the frame in service included.
#[derive(Debug, Default)]
pub(super) struct Classes {
    waiting: [VecDeque<Packet>; 3],
    bytes: [u64; 3],
}

impl Classes {
    /// The class of `packet`.
    #[inline]
    pub(super) fn of(packet: &Packet, control_priority: bool) -> usize {
        if packet.is_pause() {
            PAUSE
        } else if control_priority && packet.is_control() {
            CONTROL
        } else {
            DATA
        }
    }

    /// Bytes of `class`, frame in service included.
    #[inline]
    pub(super) fn bytes(&self, class: usize) -> u64 {
        self.bytes[class]
    }

    /// Bytes of all classes.
    #[inline]
    pub(super) fn all_bytes(&self) -> u64 {
        self.bytes.iter().sum()
    }

    /// Frames that wait.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.waiting.iter().map(VecDeque::len).sum()
    }

    /// `packet` joins `class` at the tail.
    #[inline]
    pub(super) fn push(&mut self, class: usize, packet: Packet) {
        self.bytes[class] += u64::from(packet.size);
        self.waiting[class].push_back(packet);
    }

    /// The class that is served next; data only if it is not `paused`.
    #[inline]
    fn next(&self, paused: bool) -> Option<usize> {
        let allowed = if paused { CONTROL } else { DATA };
        (allowed..=PAUSE)
            .rev()
            .find(|&class| !self.waiting[class].is_empty())
    }

    /// Whether a frame may be sent; data only if it is not `paused`.
    #[inline]
    pub(super) fn may_send(&self, paused: bool) -> bool {
        self.next(paused).is_some()
    }

    /// The frame that is served next; its bytes stay until [`Self::leave`].
    #[inline]
    pub(super) fn serve(&mut self, paused: bool) -> Option<Packet> {
        let class = self.next(paused)?;
        self.waiting[class].pop_front()
    }

    /// A frame of `class` has left.
    #[inline]
    pub(super) fn leave(&mut self, class: usize, size: u32) {
        self.bytes[class] -= u64::from(size);
    }

    /// The last frame with payload to cut among the data that waits leaves the queue.
    pub(super) fn evict(&mut self) -> Option<Packet> {
        let data = &mut self.waiting[DATA];
        let last = data.iter().rposition(|packet| packet.kind == Kind::Data)?;
        let evicted = data.remove(last)?;
        self.leave(DATA, evicted.size);
        Some(evicted)
    }

    /// At the end of a run: all that waits.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Packet> {
        self.waiting
            .iter_mut()
            .flat_map(|waiting| waiting.drain(..))
    }
}
