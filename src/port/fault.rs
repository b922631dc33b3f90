//! When the link behind a port is down or slow.
//!
//! The schedule is known beforehand, so a port needs no event for it: it asks when a frame starts and when it has left. A link is down from
//! the first instant of a period on and up again at the first instant after it. A frame is lost if its link is down at any instant from its first bit out to
//! its last bit in, both included. A frame that starts while the link is slow has the slow rate to its end, its gap too.
//!
//! Not modelled: frames that are cut short (a lost frame takes the port as long as any).

use crate::link::Link;
use crate::units::{Span, Time};

/// When the link of a port is slow.
#[derive(Clone, Copy, Debug)]
pub struct Slow {
    /// The first instant.
    pub from: Time,
    /// The first instant after it.
    pub until: Time,
    /// The wire that it is meanwhile.
    pub link: Link,
}

/// The faults of one port.
#[derive(Clone, Debug)]
pub struct Fault {
    /// When the link is down: from the first instant of each to the first one after it; in order and apart.
    down: Box<[(Time, Time)]>,
    /// When it is slow, in order and apart.
    slow: Box<[Slow]>,
    /// No frame starts while the link is down.
    holds: bool,
    /// The wire for the frame in service.
    link: Link,
    /// When a frame last entered or left: those that are held stay.
    last_active: Time,
}

impl Fault {
    /// A port whose wire is `link` at other times, and which `holds` frames back while it is down.
    #[must_use]
    pub fn new(down: Box<[(Time, Time)]>, slow: Box<[Slow]>, holds: bool, link: Link) -> Self {
        Self {
            down,
            slow,
            holds,
            link,
            last_active: Time::ZERO,
        }
    }

    /// A frame enters or leaves the queue at `at`.
    pub(super) fn note(&mut self, at: Time) {
        self.last_active = self.last_active.max(at);
    }

    /// When a frame last entered or left.
    pub(super) const fn last_active(&self) -> Time {
        self.last_active
    }

    /// The wire for the frame in service.
    pub(super) const fn link(&self) -> &Link {
        &self.link
    }

    /// A frame may start at `at`: when it does, over `usual` or what that has become; `None`: never.
    #[inline(never)]
    pub(super) fn start(&mut self, at: Time, usual: &Link) -> Option<Time> {
        let mut start = at;
        if self.holds {
            let next = self.down.partition_point(|&(_, until)| until <= at);
            if let Some(&(from, until)) = self.down.get(next)
                && from <= at
            {
                start = until;
            }
        }
        if start == Time::NEVER {
            return None;
        }
        let next = self.slow.partition_point(|slow| slow.until <= start);
        self.link = match self.slow.get(next) {
            Some(slow) if slow.from <= start => slow.link,
            _ => *usual,
        };
        Some(start)
    }

    /// Whether the frame in service, which was on the wire for `wire` when its last bit left at `left`, does not arrive.
    #[inline(never)]
    pub(super) fn loses(&self, left: Time, wire: Span) -> bool {
        let (first, last) = (Time(left.0 - wire.0), left + self.link.latency);
        let next = self.down.partition_point(|&(_, until)| until <= first);
        self.down.get(next).is_some_and(|&(from, _)| from <= last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Rate;

    const LINK: Link = Link {
        rate: Rate::from_gbps(800),
        latency: Span(500),
        gap: Span(20),
    };

    fn fault(holds: bool) -> Fault {
        let down = Box::new([(Time(1_000), Time(2_000)), (Time(9_000), Time::NEVER)]);
        let slow = Slow {
            from: Time(4_000),
            until: Time(5_000),
            link: Link {
                rate: Rate::from_gbps(80),
                ..LINK
            },
        };
        Fault::new(down, Box::new([slow]), holds, LINK)
    }

    /// Whether a frame of 10 bytes (100 ps) that starts at `start` is lost.
    fn lost(start: u64) -> bool {
        let mut fault = fault(false);
        assert_eq!(fault.start(Time(start), &LINK), Some(Time(start)));
        fault.loses(Time(start + 100), Span(100))
    }

    #[test]
    fn a_frame_is_lost_from_the_instant_at_which_its_last_bit_would_have_come_in_to_that_of_repair()
    {
        // First bit out at s, last bit in at s + 600; down from 1,000 on and up at 2,000.
        assert!(!lost(399));
        assert!(lost(400));
        assert!(lost(1_000));
        assert!(lost(1_999));
        assert!(!lost(2_000));
        assert!(!lost(8_399));
        assert!(lost(8_400));
        assert!(lost(1 << 40));
    }

    #[test]
    fn a_port_that_holds_starts_when_the_link_is_back_or_never() {
        let mut fault = fault(true);
        let mut start = |at| fault.start(Time(at), &LINK);
        assert_eq!(start(999), Some(Time(999)));
        assert_eq!(start(1_000), Some(Time(2_000)));
        assert_eq!(start(1_999), Some(Time(2_000)));
        assert_eq!(start(2_000), Some(Time(2_000)));
        assert_eq!(start(9_000), None);
    }

    #[test]
    fn a_frame_that_starts_while_the_link_is_slow_is_slow() {
        let mut fault = fault(false);
        for (at, picoseconds_per_byte) in [(3_999, 10), (4_000, 100), (4_999, 100), (5_000, 10)] {
            fault.start(Time(at), &LINK);
            assert_eq!(fault.link().tx_time(1), Span(picoseconds_per_byte));
        }
    }
}
