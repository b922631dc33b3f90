//! TCP at its sender, in TCP's own terms: the lowest byte that is not acknowledged, the next one to send, and a window that duplicates inflate.

use spraysim::units::{Span, Time};

/// The state of one connection. Packets in place of bytes.
#[derive(Clone, Debug)]
pub(crate) struct Tcp {
    threshold: u32,
    /// A full frame.
    frame: i64,
    /// The lowest packet that is not acknowledged, and the next one to send: a timeout sets it back.
    pub(crate) una: u32,
    pub(crate) nxt: u32,
    /// What the window is inflated by.
    extra: i64,
    duplicates: u32,
    recovering: bool,
    recover: u32,
    /// The packet to send at once, whatever the window.
    pub(crate) hole: Option<u32>,
    /// When the timer expires, if it runs.
    pub(crate) due: Option<Time>,
}

impl Tcp {
    /// One that has sent nothing.
    pub(crate) fn new(threshold: Option<u32>, frame: u32) -> Self {
        Self {
            threshold: threshold.unwrap_or(3),
            frame: frame.into(),
            una: 0,
            nxt: 0,
            extra: 0,
            duplicates: 0,
            recovering: false,
            recover: 0,
            hole: None,
            due: None,
        }
    }

    /// Whether `window`, inflated, has room for `size` bytes behind `flight` bytes.
    pub(crate) fn admits(&self, window: Option<u64>, flight: u64, size: u32) -> bool {
        let room = |window: u64| i128::from(window) + i128::from(self.extra);
        let needed = i128::from(flight) + i128::from(size);
        self.hole.is_some() || window.is_none_or(|window| room(window) >= needed)
    }

    /// Packet `psn` is sent at `now`.
    pub(crate) fn sent(&mut self, psn: u32, now: Time, span: Span) {
        if self.hole == Some(psn) {
            self.hole = None;
        } else {
            assert_eq!(psn, self.nxt);
            self.nxt += 1;
        }
        self.due = self.due.or(Some(now + span));
    }

    /// An ACK of all below `cumulative` came at `now`, which acknowledges `acked` bytes; `all` packets have ever been sent. Whether a hole
    /// is found.
    pub(crate) fn acknowledge(
        &mut self,
        (cumulative, all): (u32, u32),
        acked: u64,
        window: Option<u64>,
        (now, span): (Time, Span),
    ) -> bool {
        if cumulative < self.una {
            return false;
        }
        if cumulative == self.una {
            return self.una < all && self.duplicate(all);
        }
        (self.una, self.nxt) = (cumulative, self.nxt.max(cumulative));
        self.hole = None;
        self.due = (self.una < self.nxt).then_some(now + span);
        if !self.recovering {
            self.duplicates = 0;
            return false;
        }
        if self.una >= self.recover {
            (self.recovering, self.extra, self.duplicates) = (false, 0, 0);
            return false;
        }
        let all_of_it = -i128::from(window.unwrap_or(1 << 60));
        let less = (i128::from(self.extra) - i128::from(acked)).max(all_of_it);
        self.extra = i64::try_from(less).expect("it fits") + self.frame;
        self.hole = Some(self.una);
        true
    }

    fn duplicate(&mut self, all: u32) -> bool {
        if self.recovering {
            self.extra += self.frame;
            return false;
        }
        self.duplicates += 1;
        if self.duplicates != self.threshold || self.una < self.recover {
            return false;
        }
        (self.recovering, self.recover) = (true, all);
        self.extra = 3 * self.frame;
        self.hole = Some(self.una);
        true
    }

    /// The timer expired when `all` packets had ever been sent: those that go back to where they came from.
    pub(crate) fn expire(&mut self, all: u32) -> Vec<u32> {
        let back = (self.una..self.nxt).filter(|psn| self.hole != Some(*psn));
        let back = back.collect();
        (self.recovering, self.extra, self.duplicates) = (false, 0, 0);
        (self.recover, self.nxt) = (all, self.una);
        (self.hole, self.due) = (None, None);
        back
    }
}
