//! TCP's recovery, NewReno, as htsim has it (`TcpSrc`): by cumulative ACKs alone, one hole at a time.
//!
//! An ACK that does not move the lowest missing packet is a duplicate. Where their count equals the threshold, once all that had been sent
//! when the last recovery or timeout began is acknowledged, the lowest missing packet is sent again and recovery begins. In it each ACK that
//! moves the lowest missing packet tells of the next hole, which is sent again at once, whatever the window; recovery ends when all that had
//! been sent at its start is acknowledged. A timeout goes back to the lowest missing packet: all from it on is sent again, as the window allows.
//!
//! TCP keeps the count of what has left the network in its window: at the start of a recovery it adds 3 frames, then one for each duplicate,
//! and takes off what an ACK acknowledges, less a frame. Here that is a count of its own, which the bytes in flight are less by, so
//! that controllers know a window and no more of it than whether a recovery goes on or has ended. Three frames whatever the threshold,
//! as in htsim.
//!
//! The timer is TCP's (RFC 6298, section 5): it starts with a packet if it does not run, and anew with each ACK that moves the lowest
//! missing packet.
//!
//! Our reading: duplicates count only while something is in flight (htsim counts them always, and would send what it does not have), the last
//! packet of a message is as long as it is, no scanner of timers makes them late, and after two timeouts in a row one packet flies at a time
//! whatever the window, as TCP's own would have it after one. RTTs are those of timestamps, but that no ACK gives one
//! if it cannot be told which sending of its packet is answered, or if that packet is acknowledged since. Not modelled: SACK, limited
//! transmit, delayed ACKs, the receiver's window.

use super::{Changes, Connection};
use crate::cc::{CongestionControl, LossCause, Recovery, TimeoutInfo};
use crate::host::reliable::{GaveUp, Lost};
use crate::units::{Span, Time};

/// Duplicates that begin a recovery unless the scenario says how many (RFC 5681).
pub(super) const DUPLICATES: u32 = 3;
/// Frames that the start of a recovery takes out of flight.
const FIRST_INFLATION: i64 = 3;

/// The state of one connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewReno {
    threshold: u32,
    frame: i64,
    /// Duplicates since the lowest missing packet last moved.
    duplicates: u32,
    /// One more than the last packet sent when the last recovery or timeout began.
    recover: u32,
    recovers: bool,
    /// Frame bytes by which less is in flight; below zero where an ACK in a recovery tells of many packets.
    inflation: i64,
    /// When the timer expires; [`Time::NEVER`]: it does not run.
    due: Time,
}

/// What an ACK did.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    /// What it says arrived without a gap.
    pub(super) cumulative: u32,
    /// The lowest missing packet before and after it, and the next new one.
    pub(super) before: u32,
    pub(super) base: u32,
    pub(super) next: u32,
    /// Frame bytes that it acknowledges.
    pub(super) acked: u64,
}

impl NewReno {
    pub(super) fn new(threshold: u32, frame_bytes: u32) -> Self {
        Self {
            threshold,
            frame: frame_bytes.into(),
            duplicates: 0,
            recover: 0,
            recovers: false,
            inflation: 0,
            due: Time::NEVER,
        }
    }

    /// Whether it recovers.
    #[inline]
    pub(super) fn recovers(&self) -> bool {
        self.recovers
    }

    /// When the timer expires.
    #[inline]
    pub(super) fn due(&self) -> Time {
        self.due
    }

    /// Bytes in flight, where `bytes` have been sent and neither been acknowledged nor been gone back on.
    #[inline]
    pub(super) fn in_flight(&self, bytes: u64) -> u64 {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        u64::try_from(bytes.saturating_sub(self.inflation)).unwrap_or(0)
    }

    /// A packet is sent at `at` under a timeout of `span`.
    #[inline]
    pub(super) fn sent(&mut self, at: Time, span: Span) {
        if self.due == Time::NEVER {
            self.due = at.saturating_add(span);
        }
    }

    /// The lowest missing packet moved at `now`: the timer starts anew, if anything flies.
    pub(super) fn restart(&mut self, flies: bool, now: Time, span: Span) {
        self.due = if flies {
            now.saturating_add(span)
        } else {
            Time::NEVER
        };
    }

    /// An ACK came, under a window of `window` bytes: where recovery stands, and whether the lowest missing packet is to be sent again.
    pub(super) fn on_ack(&mut self, told: &Told, window: u64) -> (Recovery, bool) {
        let ongoing = if self.recovers {
            Recovery::Ongoing
        } else {
            Recovery::None
        };
        if told.base > told.before {
            return self.advance(told, window);
        }
        if told.cumulative < told.before || told.base == told.next {
            return (ongoing, false);
        }
        if self.recovers {
            self.inflation += self.frame;
            return (ongoing, false);
        }
        self.duplicates = self.duplicates.saturating_add(1);
        let begins = self.duplicates == self.threshold && told.base >= self.recover;
        if begins {
            self.recovers = true;
            self.recover = told.next;
            self.inflation = FIRST_INFLATION * self.frame;
        }
        (ongoing, begins)
    }

    fn advance(&mut self, told: &Told, window: u64) -> (Recovery, bool) {
        if !self.recovers {
            self.duplicates = 0;
            return (Recovery::None, false);
        }
        if told.base >= self.recover {
            self.end();
            return (Recovery::Ended, false);
        }
        // The window and this never fall below zero together.
        let least = -i64::try_from(window).unwrap_or(i64::MAX);
        let acked = i64::try_from(told.acked).unwrap_or(i64::MAX);
        self.inflation = self.inflation.saturating_sub(acked).max(least) + self.frame;
        (Recovery::Ongoing, true)
    }

    fn end(&mut self) {
        self.recovers = false;
        self.inflation = 0;
        self.duplicates = 0;
    }

    /// The timer expired when packet `next` would have been the next new one.
    fn expire(&mut self, next: u32) {
        self.end();
        self.recover = next;
        self.due = Time::NEVER;
    }
}

impl Connection {
    /// NewReno, if it is that, hears at `now` what an ACK did: where recovery stands, and the packet to be sent again.
    #[inline]
    pub(super) fn hear_newreno(&mut self, told: &Told, now: Time) -> (Recovery, Option<u32>) {
        let Some(newreno) = &mut self.newreno else {
            return (Recovery::None, None);
        };
        if told.base > told.before {
            let flies = self.records.in_flight() > 0;
            newreno.restart(flies, now, self.timeout.span());
        }
        let (recovery, again) = newreno.on_ack(told, self.control.window());
        (recovery, again.then_some(told.base))
    }

    /// NewReno takes `hole`, if there is one, for lost.
    pub(super) fn repair(&mut self, hole: Option<u32>, now: Time, changes: &mut Changes) {
        if let Some(psn) = hole {
            self.lose(psn, LossCause::Reordering, now, changes);
        }
    }

    /// NewReno's timer expired at `now`: all from the lowest missing packet on is to be sent again. That is one timeout, of that packet.
    pub(super) fn go_back(&mut self, now: Time, changes: &mut Changes) {
        let (base, next) = (self.records.base(), self.records.next());
        let in_a_row = self.timeout.expire(now, now);
        if let Some(newreno) = &mut self.newreno {
            newreno.expire(next);
        }
        let first = self.records.get(base).copied();
        for psn in base..next {
            self.note_loss(psn);
        }
        let Some(record) = first else {
            return;
        };
        self.control.on_timeout(&TimeoutInfo {
            now,
            psn: base,
            bytes: record.size,
            in_a_row,
            in_flight: self.in_flight(),
            next_psn: next,
        });
        changes.lost.push(Lost {
            psn: base,
            record,
            decision: self.control.decision(),
        });
        if in_a_row >= self.transport.give_up_after {
            self.stuck.get_or_insert(GaveUp::Timeouts(in_a_row));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: u64 = 1_000;

    fn newreno(threshold: u32) -> NewReno {
        NewReno::new(threshold, FRAME as u32)
    }

    /// An ACK of all below `base`, of which all below `before` was known, where `next` is the next new packet.
    fn told(before: u32, base: u32, next: u32) -> Told {
        Told {
            cumulative: base,
            before,
            base,
            next,
            acked: u64::from(base - before) * FRAME,
        }
    }

    /// With packets 5 to 24 in flight, packet 5 is lost, and three duplicates have come.
    fn recovering() -> NewReno {
        let mut newreno = newreno(3);
        let steps = [0; 3].map(|_| newreno.on_ack(&told(5, 5, 25), 10_000));
        let none = Recovery::None;
        assert_eq!(steps, [(none, false), (none, false), (none, true)]);
        newreno
    }

    #[test]
    fn the_threshold_begins_a_recovery_once() {
        let mut newreno = recovering();
        // 20 frames were sent; three have left.
        assert_eq!(newreno.in_flight(20_000), 17_000);
        for left in 4..9 {
            let step = newreno.on_ack(&told(5, 5, 25), 10_000);
            assert_eq!(step, (Recovery::Ongoing, false));
            assert_eq!(newreno.in_flight(20_000), 20_000 - left * FRAME);
        }
        let step = newreno.on_ack(&told(5, 25, 25), 10_000);
        assert_eq!(step, (Recovery::Ended, false));
        assert_eq!(newreno.in_flight(0), 0);
    }

    #[test]
    fn any_other_number_of_duplicates_begins_none() {
        let mut newreno = newreno(3);
        for _ in 0..2 {
            for _ in 0..2 {
                assert!(!newreno.on_ack(&told(5, 5, 25), 10_000).1);
            }
            assert_eq!(
                newreno.on_ack(&told(5, 6, 25), 10_000),
                (Recovery::None, false)
            );
        }
        assert_eq!(newreno.in_flight(9_000), 9_000);
    }

    #[test]
    fn an_ack_of_a_part_tells_of_the_next_hole_and_lets_one_packet_go() {
        let mut newreno = recovering();
        // Packets 5 and 6 have arrived: of the 20 frames 18 are left, and one more than before may be sent.
        let step = newreno.on_ack(&told(5, 7, 25), 10_000);
        assert_eq!(step, (Recovery::Ongoing, true));
        assert_eq!(newreno.in_flight(18_000), 16_000);
        // Twelve more at once: 2 - 12 is -10, as much as the window has, and a frame.
        let step = newreno.on_ack(&told(7, 19, 25), 10_000);
        assert_eq!(step, (Recovery::Ongoing, true));
        assert_eq!(newreno.in_flight(6_000), 15_000);
        // Five more: -14 is more than the window has.
        let step = newreno.on_ack(&told(19, 24, 25), 10_000);
        assert_eq!(step, (Recovery::Ongoing, true));
        assert_eq!(newreno.in_flight(1_000), 10_000);
        assert_eq!(
            newreno.on_ack(&told(24, 25, 30), 10_000),
            (Recovery::Ended, false)
        );
        assert_eq!(newreno.in_flight(5_000), 5_000);
    }

    #[test]
    fn overtaken_acks_and_those_with_nothing_in_flight_are_no_duplicates() {
        let mut newreno = newreno(1);
        let overtaken = Told {
            cumulative: 4,
            ..told(5, 5, 25)
        };
        assert!(!newreno.on_ack(&overtaken, 10_000).1);
        assert!(!newreno.on_ack(&told(25, 25, 25), 10_000).1);
        assert!(newreno.on_ack(&told(5, 5, 25), 10_000).1);
        let before = newreno.in_flight(20_000);
        assert_eq!(
            newreno.on_ack(&overtaken, 10_000),
            (Recovery::Ongoing, false)
        );
        assert_eq!(newreno.in_flight(20_000), before);
    }

    #[test]
    fn after_a_timeout_no_recovery_begins_before_all_of_then_is_acknowledged() {
        let mut newreno = recovering();
        newreno.expire(25);
        assert!(!newreno.recovers());
        assert_eq!(newreno.in_flight(1_000), 1_000);
        for _ in 0..9 {
            assert!(!newreno.on_ack(&told(5, 5, 25), 1_000).1);
        }
        assert_eq!(
            newreno.on_ack(&told(5, 24, 25), 1_000),
            (Recovery::None, false)
        );
        for _ in 0..9 {
            assert!(!newreno.on_ack(&told(24, 24, 26), 1_000).1);
        }
        newreno.on_ack(&told(24, 25, 30), 1_000);
        let begins = [0; 4].map(|_| newreno.on_ack(&told(25, 25, 30), 1_000).1);
        assert_eq!(begins, [false, false, true, false]);
    }

    #[test]
    fn the_timer_runs_from_the_first_packet_and_anew_from_each_ack_that_moves() {
        let mut newreno = newreno(3);
        newreno.sent(Time(10), Span(100));
        newreno.sent(Time(20), Span(100));
        assert_eq!(newreno.due(), Time(110));
        newreno.restart(true, Time(50), Span(80));
        assert_eq!(newreno.due(), Time(130));
        newreno.restart(false, Time(60), Span(80));
        assert_eq!(newreno.due(), Time::NEVER);
        newreno.sent(Time(70), Span(80));
        assert_eq!(newreno.due(), Time(150));
    }
}
