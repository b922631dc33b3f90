//! Erasure-style completion: any packets complete a flow if they are enough (the authors' fork of htsim, `constant_cca_erasure.cpp`).
//!
//! The sender stops when what it has sent, less what seems lost, is enough: m + `extra_packets` packets. What seems lost is the highest packet
//! acknowledged less the number acknowledged, so reordering alone makes it send more. If the last ACK does not come within a smoothed RTT
//! (the timeout before the first sample), it goes on, if `resume` says so, until it comes. A sender that its window holds for as long takes
//! what is on its way for lost. Packets are counted, not bytes (our reading): a
//! short last packet counts as one, and those beyond the message are full.

use crate::packet::AckRecord;
use crate::settings::Erasure;
use crate::units::{Span, Time};

/// How far a PSN below the highest acknowledged one may still count as on its way.
pub(super) const KEPT: u32 = 1 << 14;

/// The state of one connection.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct Coded {
    needed: u32,
    resume: bool,
    /// One more than the highest packet acknowledged; how many are.
    highest: u32,
    count: u32,
    /// Packets below this are not on their way any more: no answer came for long.
    given_up: u32,
    /// Whether it goes on after having sent enough.
    resumed: bool,
    /// When it resumes; [`Time::NEVER`] while it has not sent enough.
    resume_at: Time,
}

impl Coded {
    pub(in crate::host) fn new(erasure: Erasure, packets: u64) -> Self {
        Self {
            needed: packets as u32 + erasure.extra_packets,
            resume: erasure.resume,
            highest: 0,
            count: 0,
            given_up: 0,
            resumed: false,
            resume_at: Time::NEVER,
        }
    }

    /// Whether to send packet `next`.
    pub(in crate::host) fn wants(&self, next: u32) -> bool {
        !self.is_done()
            && (self.resumed || next - self.highest.saturating_sub(self.count) < self.needed)
    }

    /// Whether enough has arrived.
    pub(in crate::host) fn is_done(&self) -> bool {
        self.count >= self.needed
    }

    /// Packets, of the `next` sent, that are on their way.
    pub(in crate::host) fn flying(&self, next: u32) -> u32 {
        next - self.highest.max(self.given_up)
    }

    /// The lowest packet that may still be on its way.
    pub(in crate::host) fn floor(&self) -> u32 {
        self.highest.saturating_sub(KEPT)
    }

    /// An ACK came.
    pub(in crate::host) fn on_ack(&mut self, record: &AckRecord) {
        self.highest = self.highest.max(record.psn + 1).max(record.cumulative);
        self.count = self.count.max(record.received_packets);
    }

    /// A packet left or an ACK came at `now`, and packet `next` would be the next new one, which the window `allows` or not; `wait` is how
    /// long to wait for an ACK.
    pub(in crate::host) fn settle(&mut self, next: u32, allows: bool, now: Time, wait: Span) {
        if self.resumed {
            return;
        }
        let wants = self.wants(next);
        if wants && allows {
            self.resume_at = Time::NEVER;
        } else if wants || self.resume {
            // A sender that the window holds starts to wait anew with each event; one that has sent enough waits once.
            let waits = !wants && self.resume_at < Time::NEVER;
            self.resume_at = if waits { self.resume_at } else { now + wait };
        }
    }

    /// When it resumes, or asks itself once more whether anything comes back.
    pub(in crate::host) fn deadline(&self) -> Time {
        if self.is_done() {
            Time::NEVER
        } else {
            self.resume_at
        }
    }

    /// That instant, `now`, has come, and packet `next` would be the next new one.
    pub(in crate::host) fn resume(&mut self, next: u32, now: Time, wait: Span) {
        self.resumed |= !self.wants(next);
        self.given_up = next;
        self.resume_at = now + wait;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(psn: u32, received: u32) -> AckRecord {
        AckRecord {
            flow: 0,
            number: 0,
            psn,
            cumulative: 0,
            base: 0,
            bitmap: 0,
            out_of_order: 0,
            received_packets: received,
            received_bytes: 0,
            path: 0,
            probe: false,
            again: false,
            last_hop: false,
        }
    }

    #[test]
    fn it_sends_one_more_for_each_packet_that_seems_lost() {
        let erasure = Erasure {
            extra_packets: 1,
            resume: true,
        };
        let mut coded = Coded::new(erasure, 4);
        assert!(coded.wants(4) && !coded.wants(5));
        // Packets 0 and 1 have been overtaken by 2.
        coded.on_ack(&ack(2, 1));
        assert!(coded.wants(6) && !coded.wants(7));
        coded.on_ack(&ack(0, 2));
        coded.on_ack(&ack(1, 3));
        assert!(!coded.wants(5) && !coded.is_done());
        coded.settle(5, true, Time(100), Span(50));
        coded.settle(5, true, Time(120), Span(50));
        assert_eq!(coded.deadline(), Time(150));
        coded.resume(5, Time(150), Span(50));
        assert_eq!(coded.flying(7), 2);
        assert!(coded.wants(1_000));
        assert_eq!(coded.deadline(), Time(200));
        coded.on_ack(&ack(3, 5));
        assert!(coded.is_done() && !coded.wants(5));
        assert_eq!(coded.deadline(), Time::NEVER);
    }
}
