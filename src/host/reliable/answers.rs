//! What ACKs do to a connection: what has arrived is known and forgotten, and the controller hears of it.
//!
//! An ACK that says nothing new still is an event: it counts marks, and duplicates where the transport goes by them. NACKs are losses (`losses`).

use super::newreno::Told;
use super::{Changes, Connection, State};
use crate::cc::{AckInfo, CongestionControl};
use crate::packet::AckRecord;
use crate::settings::TransportKind;
use crate::units::{Span, Time};

impl Connection {
    /// What an ACK says has come to this host; the ACK follows.
    pub(in crate::host) fn hear(&mut self, record: AckRecord) {
        // Most come in order.
        let later = |other: &&AckRecord| other.number > record.number;
        let behind = self.mail.iter().rev().take_while(later).count();
        self.mail.insert(self.mail.len() - behind, record);
    }

    /// The record of ACK or NACK `number`, which has arrived.
    pub(in crate::host) fn take_record(&mut self, number: u32) -> Option<AckRecord> {
        // Numbers follow each other but for those that have been taken, so it stands here or before; most often here.
        let ahead = number.checked_sub(self.mail.front()?.number)? as usize;
        let mut place = ahead.min(self.mail.len() - 1);
        while self.mail[place].number > number {
            place -= 1;
        }
        let found = self.mail[place].number == number;
        if found { self.mail.remove(place) } else { None }
    }

    fn acknowledge(&mut self, psn: u32, changes: &mut Changes) -> u64 {
        match self.records.acknowledge(psn) {
            None => 0,
            Some(before) => {
                changes.acked.push((psn, before.size));
                if let Some(counted) = self.counted.as_mut()
                    && before.state == State::Lost
                {
                    counted.fly(before.size);
                }
                self.highest = self.highest.max(psn + 1);
                u64::from(before.size)
            }
        }
    }

    /// All packets below `end` have arrived: the bytes that were not known to have.
    pub(super) fn acknowledge_below(&mut self, end: u32, changes: &mut Changes) -> u64 {
        let mut bytes = 0;
        for psn in self.records.base()..end.min(self.records.next()) {
            bytes += self.acknowledge(psn, changes);
        }
        bytes
    }

    /// What has arrived without a gap is forgotten; if `changes` says that anything has, that is progress.
    pub(super) fn forget_arrived(&mut self, changes: &Changes) {
        self.records.trim();
        if !changes.acked.is_empty() {
            self.timeout.progress();
        }
    }

    /// Everything that `record` says has arrived: the bytes that were not known to have.
    fn acknowledge_all(&mut self, record: &AckRecord, changes: &mut Changes) -> u64 {
        let mut bytes = self.acknowledge_below(record.cumulative, changes);
        if !record.probe && !self.transport.kind.is_cumulative() {
            bytes += self.acknowledge(record.psn, changes);
        }
        let mut new = record.bitmap & !self.records.acknowledged(record.base);
        while new != 0 {
            let psn = record.base + new.trailing_zeros();
            new &= new - 1;
            bytes += self.acknowledge(psn, changes);
        }
        bytes
    }

    pub(super) fn goes_back(&self) -> bool {
        self.transport.kind == TransportKind::GoBackN
    }

    /// The RTT that an ACK which says `record` gives at `now`: of a packet in flight that was sent once, or twice and the second one is
    /// answered (uet-htsim's `validateSendTs`). NewReno goes by it even if the packet is to be sent again, but by no ACK that was overtaken.
    fn rtt(&self, record: &AckRecord, now: Time) -> Option<Span> {
        let sent = self.records.get(record.psn)?;
        let is_clear = sent.sends == 1 || sent.sends == 2 && record.again;
        let counts = match &self.newreno {
            Some(_) => record.cumulative >= self.records.base(),
            None => sent.state == State::InFlight,
        };
        let answers = !record.probe && counts && is_clear;
        answers.then(|| now - sent.sent_at)
    }

    /// An ACK that says `record` has arrived at `now`, `marked` or not; `all_sent` says that no new packet is left.
    pub(in crate::host) fn on_ack(
        &mut self,
        record: &AckRecord,
        marked: bool,
        all_sent: bool,
        now: Time,
        changes: &mut Changes,
    ) {
        changes.clear();
        changes.rtt = self.rtt(record, now);
        let counted = self.counted.as_mut();
        let counted = counted.map(|counted| counted.receive(record.received_bytes));
        let named = self.acknowledge_all(record, changes);
        let acked_bytes = counted.unwrap_or(named);
        let before = self.records.base();
        let recovery = self.recovery.as_ref().filter(|_| record.probe);
        let probed = recovery.and_then(|recovery| recovery.probe_rtt(now));
        if let Some(coded) = &mut self.coded {
            coded.on_ack(record);
            let floor = coded.floor();
            for psn in self.records.base()..floor {
                self.records.acknowledge(psn);
            }
        }
        self.forget_arrived(changes);
        if let Some(rtt) = changes.rtt {
            self.timeout.sample(rtt);
        }
        self.settle_coded(now);
        let told = Told {
            cumulative: record.cumulative,
            before,
            base: self.records.base(),
            next: self.records.next(),
            acked: named,
        };
        let (recovery, hole) = self.hear_newreno(&told, now);
        self.control.on_ack(&AckInfo {
            now,
            psn: record.psn,
            acked_bytes,
            acked_packets: changes.acked.len() as u32,
            marked,
            rtt: changes.rtt.or(probed),
            probe: record.probe,
            advanced: told.base > before,
            recovery,
            out_of_order: record.out_of_order,
            in_flight: self.in_flight(),
            all_sent,
        });
        changes.decision = self.control.decision();
        self.repair(hole, now, changes);
        self.judge_reordering(now, changes);
        self.recover(record, all_sent, now, changes);
    }

    /// How long an erasure-coded sender waits for its last ACK.
    pub(super) fn coded_wait(&self) -> Span {
        self.timeout
            .smoothed()
            .unwrap_or_else(|| self.timeout.span())
    }

    pub(super) fn settle_coded(&mut self, now: Time) {
        if self.coded.is_none() {
            return;
        }
        let (next, wait) = (self.records.next(), self.coded_wait());
        let allows = self.allows(self.frame_bytes);
        if let Some(coded) = &mut self.coded {
            coded.settle(next, allows, now, wait);
        }
    }
}
