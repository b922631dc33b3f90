//! What a sender takes for lost, and why: a NACK, packets sent later that have arrived, SLEEK, or no answer in time; and its timer.
//!
//! Definitions are those of the connection. Not modelled: more than one timer a connection.

use super::records::Record;
use super::{Alarm, Changes, Connection, GaveUp, Lost};
use crate::cc::{CongestionControl, LossCause, LossInfo, TimeoutInfo};
use crate::packet::AckRecord;
use crate::settings::RtoScope;
use crate::units::Time;

impl Connection {
    /// Packets that were sent once and overtaken by `dup_threshold` are lost.
    pub(super) fn judge_reordering(&mut self, now: Time, changes: &mut Changes) {
        let Some(threshold) = self.dup_threshold else {
            return;
        };
        let end = (self.highest).saturating_sub(threshold);
        for psn in self.judged.max(self.records.base())..end {
            if self.records.get(psn).is_some_and(|sent| sent.sends == 1) {
                self.lose(psn, LossCause::Reordering, now, changes);
            }
        }
        self.judged = self.judged.max(end);
    }

    /// SLEEK.
    pub(super) fn recover(
        &mut self,
        record: &AckRecord,
        all_sent: bool,
        now: Time,
        changes: &mut Changes,
    ) {
        let (base, next) = (self.records.base(), self.records.next());
        let any_lost = self.records.any_lost();
        let window = self.control.window();
        let flies = self.records.in_flight() > 0;
        let Some(recovery) = &mut self.recovery else {
            return;
        };
        if record.probe {
            recovery.probe_answered(now, base, next);
        }
        let range = recovery.on_ack(base, next, record.out_of_order, window, any_lost);
        recovery.arm(now, flies, all_sent);
        for psn in range.into_iter().flatten() {
            self.lose(psn, LossCause::Reordering, now, changes);
        }
    }

    /// Packet `psn` is lost, if it is in flight: its record. Lost too often, it is the last.
    pub(super) fn note_loss(&mut self, psn: u32) -> Option<Record> {
        let record = self.records.lose(psn)?;
        if let Some(counted) = &mut self.counted {
            counted.lose(record.size);
        }
        if record.sends >= self.most_sends() {
            self.stuck.get_or_insert(GaveUp::Sends(record.sends));
        }
        Some(record)
    }

    /// Packet `psn` is lost, if it is in flight: the controller is told why.
    pub(super) fn lose(&mut self, psn: u32, cause: LossCause, now: Time, changes: &mut Changes) {
        if let Some(record) = self.note_loss(psn) {
            self.control.on_loss(&LossInfo {
                now,
                psn,
                bytes: record.size,
                cause,
                rtt: (cause == LossCause::Nack).then(|| now - record.sent_at),
                in_flight: self.in_flight(),
                next_psn: self.records.next(),
            });
            self.tell_lost(psn, record, changes);
        }
    }

    /// The controller knows that packet `psn` is lost.
    fn tell_lost(&self, psn: u32, record: Record, changes: &mut Changes) {
        changes.lost.push(Lost {
            psn,
            record,
            decision: self.control.decision(),
        });
    }

    /// A packet lost after being sent so often will not get through: ports may trim it for ever, and no timer expires (our reading).
    fn most_sends(&self) -> u16 {
        let most = 10 * u64::from(self.transport.give_up_after);
        u16::try_from(most).unwrap_or(u16::MAX)
    }

    /// A NACK that says `record` has arrived at `now`.
    pub(in crate::host) fn on_nack(
        &mut self,
        record: &AckRecord,
        now: Time,
        changes: &mut Changes,
    ) {
        changes.clear();
        if self.coded.is_some() {
            return;
        }
        let end = if self.goes_back() {
            // All below the packet that is asked for has arrived, whether or not ACKs have said so.
            if let Some(counted) = &mut self.counted {
                counted.receive(record.received_bytes);
            }
            self.acknowledge_below(record.psn, changes);
            self.forget_arrived(changes);
            self.records.next()
        } else {
            record.psn + 1
        };
        for psn in record.psn..end {
            self.lose(psn, LossCause::Nack, now, changes);
        }
    }

    /// When its timer is next due; [`Time::NEVER`]: nothing is awaited.
    pub(in crate::host) fn deadline(&mut self) -> Time {
        if self.stuck.is_some() {
            return Time::NEVER;
        }
        if self.handshake.is_some() {
            return self.syn_due();
        }
        if let Some(coded) = &self.coded {
            return coded.deadline().min(self.held_until);
        }
        let probe = self
            .recovery
            .as_ref()
            .map_or(Time::NEVER, |recovery| recovery.probe_due());
        self.rto_due().min(probe).min(self.held_until)
    }

    /// Whether it has a deadline.
    pub(in crate::host) fn waits(&self) -> bool {
        let probes = || {
            let recovery = self.recovery.as_ref();
            recovery.is_some_and(|recovery| recovery.probe_due() < Time::NEVER)
        };
        self.stuck.is_none()
            && (self.is_held()
                || self.syn_due() < Time::NEVER
                || match &self.coded {
                    Some(coded) => coded.deadline() < Time::NEVER,
                    None => self.rto_runs() || probes(),
                })
    }

    fn rto_runs(&self) -> bool {
        match &self.newreno {
            Some(newreno) => newreno.due() < Time::NEVER,
            None => self.records.in_flight() > 0,
        }
    }

    fn rto_due(&mut self) -> Time {
        if let Some(newreno) = &self.newreno {
            return newreno.due();
        }
        let span = self.timeout.span();
        self.records
            .oldest()
            .map_or(Time::NEVER, |(at, _)| at.saturating_add(span))
    }

    /// Its timer is due at `now`.
    pub(in crate::host) fn alarm(&mut self, now: Time, changes: &mut Changes) -> Alarm {
        changes.clear();
        if self.stuck.is_some() || self.deadline() > now {
            return Alarm::Nothing;
        }
        if self.handshake.is_some() {
            return self.ask_again(now);
        }
        if let Some(coded) = &self.coded {
            if coded.deadline() > now {
                self.held_until = Time::NEVER;
                return Alarm::Paced;
            }
            self.resume(now);
            return Alarm::Expired;
        }
        if self.rto_due() <= now {
            match self.newreno {
                Some(_) => self.go_back(now, changes),
                None => self.expire(now, changes),
            }
            return Alarm::Expired;
        }
        if self.held_until <= now {
            self.held_until = Time::NEVER;
            return Alarm::Paced;
        }
        if let Some(recovery) = &mut self.recovery {
            recovery.probe(now);
        }
        Alarm::Probe
    }

    /// An erasure-coded flow goes on without its last ACK, or gives up.
    fn resume(&mut self, now: Time) {
        let in_a_row = self.timeout.expire(now, now);
        let (next, wait) = (self.records.next(), self.coded_wait());
        let bytes = self.in_flight();
        if let Some(coded) = &mut self.coded {
            coded.resume(next, now, wait);
        }
        self.control.on_timeout(&TimeoutInfo {
            now,
            psn: next - 1,
            bytes: bytes.min(u64::from(u32::MAX)) as u32,
            in_a_row,
            in_flight: 0,
            next_psn: next,
        });
        if in_a_row >= self.transport.give_up_after {
            self.stuck = Some(GaveUp::Timeouts(in_a_row));
        }
    }

    /// The timeout of the oldest transmission, at least, has passed at `now`.
    fn expire(&mut self, now: Time, changes: &mut Changes) {
        let all = self.goes_back() || self.transport.rto.scope == RtoScope::All;
        let span = self.timeout.span();
        let Some((first, _)) = self.records.oldest() else {
            return;
        };
        let in_a_row = self.timeout.expire(first, now);
        while let Some((sent_at, psn)) = self.records.oldest() {
            if !all && sent_at + span > now {
                break;
            }
            let Some(record) = self.note_loss(psn) else {
                break;
            };
            self.control.on_timeout(&TimeoutInfo {
                now,
                psn,
                bytes: record.size,
                in_a_row,
                in_flight: self.in_flight(),
                next_psn: self.records.next(),
            });
            self.tell_lost(psn, record, changes);
        }
        if in_a_row >= self.transport.give_up_after {
            self.stuck.get_or_insert(GaveUp::Timeouts(in_a_row));
        }
        if self.records.in_flight() == 0
            && let Some(recovery) = &mut self.recovery
        {
            recovery.arm(now, false, false);
        }
    }
}
