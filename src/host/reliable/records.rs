//! What a sender remembers of each packet, by PSN, and the order in which they were sent.
//!
//! Not modelled: a limit on its memory; it holds what is not acknowledged cumulatively.

use std::collections::VecDeque;

use super::bits::Bits;
use crate::units::Time;

/// What became of a packet, as far as its sender knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) enum State {
    /// Sent, and nothing known.
    InFlight,
    /// Taken for lost: to be sent again.
    Lost,
    /// Known to have arrived.
    Acked,
}

/// One packet that has been sent.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct Record {
    /// The last time.
    pub(in crate::host) sent_at: Time,
    /// Frame bytes.
    pub(in crate::host) size: u32,
    /// The path of the last time.
    pub(in crate::host) path: u16,
    /// Its subflow.
    pub(in crate::host) subflow: u16,
    /// How often it was sent, at most 65,535.
    pub(in crate::host) sends: u16,
    pub(in crate::host) state: State,
}

/// The packets from the lowest that is not acknowledged to the last one sent.
#[derive(Debug, Default)]
pub(in crate::host) struct Records {
    ring: VecDeque<Record>,
    /// The PSN of the first.
    base: u32,
    /// The packets that are acknowledged.
    acked: Bits,
    /// Transmissions in order: (PSN, which of its transmissions). Some are stale.
    order: VecDeque<(u32, u16)>,
    /// Frame bytes in flight.
    in_flight: u64,
    /// Packets that are lost, and a PSN that none of them is below.
    lost: u32,
    lost_from: u32,
}

impl Records {
    /// The lowest PSN that is not acknowledged.
    #[inline]
    pub(in crate::host) fn base(&self) -> u32 {
        self.base
    }

    /// The PSN of the next new packet.
    #[inline]
    pub(in crate::host) fn next(&self) -> u32 {
        self.base + self.ring.len() as u32
    }

    /// Frame bytes in flight.
    #[inline]
    pub(in crate::host) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Whether packets wait to be sent again.
    #[inline]
    pub(in crate::host) fn any_lost(&self) -> bool {
        self.lost > 0
    }

    /// Packet `psn`, if it has been sent and is not acknowledged cumulatively.
    #[inline]
    pub(in crate::host) fn get(&self, psn: u32) -> Option<&Record> {
        self.ring.get(psn.checked_sub(self.base)? as usize)
    }

    /// A new packet is sent.
    pub(in crate::host) fn send(&mut self, record: Record) {
        self.order.push_back((self.next(), record.sends));
        self.in_flight += u64::from(record.size);
        self.ring.push_back(record);
    }

    /// The lowest packet that waits to be sent again.
    pub(in crate::host) fn lowest_lost(&mut self) -> Option<(u32, Record)> {
        if self.lost == 0 {
            return None;
        }
        let from = self.lost_from.max(self.base);
        let ahead = self.ring.range((from - self.base) as usize..);
        let skipped = ahead
            .take_while(|record| record.state != State::Lost)
            .count();
        self.lost_from = from + skipped as u32;
        let record = self.ring.get((self.lost_from - self.base) as usize)?;
        Some((self.lost_from, *record))
    }

    /// Packet `psn`, which is lost, is sent again at `at` on `path`.
    pub(in crate::host) fn resend(&mut self, psn: u32, at: Time, path: u16) {
        let Some(record) = self.ring.get_mut((psn - self.base) as usize) else {
            return;
        };
        debug_assert_eq!(record.state, State::Lost);
        record.sent_at = at;
        record.path = path;
        record.sends = record.sends.saturating_add(1);
        record.state = State::InFlight;
        self.lost -= 1;
        self.in_flight += u64::from(record.size);
        self.order.push_back((psn, record.sends));
    }

    /// Packet `psn` has arrived: its record before, if that was not known.
    #[inline]
    pub(in crate::host) fn acknowledge(&mut self, psn: u32) -> Option<Record> {
        let index = psn.checked_sub(self.base)? as usize;
        let record = self.ring.get_mut(index)?;
        let before = *record;
        record.state = State::Acked;
        if before.state != State::Acked {
            self.acked.insert(psn);
        }
        match before.state {
            State::Acked => return None,
            State::InFlight => self.in_flight -= u64::from(before.size),
            State::Lost => self.lost -= 1,
        }
        Some(before)
    }

    /// Which of the 64 packets from `base` on are acknowledged: bit j is `base` + j.
    #[inline]
    pub(in crate::host) fn acknowledged(&self, base: u32) -> u64 {
        self.acked.window(base)
    }

    /// Forget the packets at the front that are acknowledged.
    #[inline]
    pub(in crate::host) fn trim(&mut self) {
        let floor = self.acked.floor();
        self.ring.drain(..(floor - self.base) as usize);
        self.base = floor;
        if self.ring.is_empty() {
            self.order.clear();
        }
    }

    /// Packet `psn` is taken for lost: its record, if it was in flight.
    pub(in crate::host) fn lose(&mut self, psn: u32) -> Option<Record> {
        let index = psn.checked_sub(self.base)? as usize;
        let record = self.ring.get_mut(index)?;
        if record.state != State::InFlight {
            return None;
        }
        record.state = State::Lost;
        self.in_flight -= u64::from(record.size);
        self.lost_from = if self.lost == 0 {
            psn
        } else {
            self.lost_from.min(psn)
        };
        self.lost += 1;
        Some(*record)
    }

    /// The oldest transmission in flight: when, and which packet.
    #[inline]
    pub(in crate::host) fn oldest(&mut self) -> Option<(Time, u32)> {
        while let Some(&(psn, sends)) = self.order.front() {
            let flies = |record: &&Record| record.state == State::InFlight && record.sends == sends;
            if let Some(record) = self.get(psn).filter(flies) {
                return Some((record.sent_at, psn));
            }
            self.order.pop_front();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(at: u64) -> Record {
        Record {
            sent_at: Time(at),
            size: 100,
            path: 0,
            subflow: 0,
            sends: 1,
            state: State::InFlight,
        }
    }

    fn sent(n: u64) -> Records {
        let mut records = Records::default();
        (0..n).for_each(|at| records.send(record(at)));
        records
    }

    #[test]
    fn lost_packets_come_back_lowest_first() {
        let mut records = sent(5);
        for psn in [3, 1, 4] {
            assert!(records.lose(psn).is_some());
            assert!(records.lose(psn).is_none(), "once");
        }
        assert_eq!(records.in_flight(), 200);
        let mut order = Vec::new();
        while let Some((psn, _)) = records.lowest_lost() {
            order.push(psn);
            records.resend(psn, Time(10 + u64::from(psn)), 7);
        }
        assert_eq!(order, [1, 3, 4]);
        assert_eq!(records.in_flight(), 500);
        assert_eq!(records.get(3).map(|record| record.sends), Some(2));
    }

    #[test]
    fn the_oldest_transmission_is_that_of_the_last_time() {
        let mut records = sent(3);
        assert_eq!(records.oldest(), Some((Time(0), 0)));
        records.lose(0);
        assert_eq!(records.oldest(), Some((Time(1), 1)));
        records.resend(0, Time(9), 0);
        records.acknowledge(1);
        records.trim();
        assert_eq!(records.oldest(), Some((Time(2), 2)));
        records.acknowledge(2);
        assert_eq!(records.oldest(), Some((Time(9), 0)));
        assert_eq!(records.base(), 0);
        records.acknowledge(0);
        records.trim();
        assert_eq!((records.oldest(), records.base()), (None, 3));
        assert_eq!((records.in_flight(), records.next()), (0, 3));
    }

    #[test]
    fn a_lost_packet_that_turns_out_to_have_arrived_is_not_sent_again() {
        let mut records = sent(3);
        records.lose(1);
        assert_eq!(records.acknowledge(1).map(|r| r.state), Some(State::Lost));
        assert!(records.acknowledge(1).is_none());
        assert!(!records.any_lost() && records.lowest_lost().is_none());
        assert_eq!(records.in_flight(), 200);
    }
}
