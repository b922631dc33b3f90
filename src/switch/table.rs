//! The table of queue lengths that a policy with a stale view goes by.
//!
//! It has no event of its own: whatever changes or reads a queue at an instant first takes the refresh that was due by then. Nothing
//! was enqueued or drained since that refresh, so the ports, drained to it, still show what it saw.

use crate::lb::switch::Refresh;
use crate::units::Time;

/// Queue lengths as of the last refresh.
#[derive(Debug)]
pub(super) struct Table {
    refresh: Option<Refresh>,
    /// The next refresh; never, if there is no table.
    next: Time,
    /// Bytes by uplink; none, if there is no table.
    pub(super) bytes: Box<[u64]>,
}

impl Table {
    /// All zeros, for `uplinks`; without `refresh`, no table.
    pub(super) fn new(refresh: Option<Refresh>, uplinks: usize) -> Self {
        Self {
            refresh,
            next: refresh.map_or(Time::NEVER, Refresh::first),
            bytes: vec![0; refresh.map_or(0, |_| uplinks)].into(),
        }
    }

    /// Whether a refresh was due by `now`.
    #[inline]
    pub(super) fn is_due(&self, now: Time) -> bool {
        self.next <= now
    }

    /// The last refresh that was due by `now`, which is now taken: the caller fills in `bytes` as of it.
    pub(super) fn take(&mut self, now: Time) -> Option<Time> {
        let refresh = self.refresh?;
        let last = refresh.last_by(now);
        self.next = refresh.after(last);
        Some(last)
    }
}
