//! Which packets of a connection have arrived, and when its receiver owes an ACK.
//!
//! ACKs are made when uet-htsim makes them (`UecSink::processData`): for a marked packet, after so many frame bytes, for the first packet, when the
//! sender asks, when that happened before and nothing is out of order any more, and for whatever had arrived before. Not modelled: a
//! timer for delayed ACKs (the sender asks with the last packet that it may send), receiver credit.

use super::bits::Bits;
use crate::packet::{AckRecord, Flags, Kind, Packet};
use crate::settings::{Transport, TransportKind};

/// What a data packet is to its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) enum Verdict {
    /// New.
    Accepted,
    /// It had arrived before.
    Duplicate,
    /// Too far ahead to be kept.
    Discarded,
}

/// A connection at its receiver.
#[derive(Debug, Default)]
pub(in crate::host) struct Received {
    /// The packets that have arrived; their floor is the one expected next.
    seen: Bits,
    packets: u32,
    bytes: u32,
    /// ACKs and NACKs made so far.
    numbers: u32,
    /// Frame bytes since the last ACK.
    owed: u32,
    /// The sender asked while packets were out of order.
    asked: bool,
    /// Whether a NACK was made for the gap at `expected`.
    nacked: bool,
}

impl Received {
    fn out_of_order(&self) -> u32 {
        self.packets - self.seen.floor()
    }

    /// Data packet `packet` has arrived: what it is, and whether it is to be answered.
    pub(in crate::host) fn take(
        &mut self,
        packet: &Packet,
        transport: &Transport,
    ) -> (Verdict, Option<Answer>) {
        let psn = packet.psn;
        let asks = packet.flags.has(Flags::ASK);
        if self.seen.has(psn) {
            return (Verdict::Duplicate, Some(Answer::Ack));
        }
        let first = self.packets == 0;
        let expected = self.seen.floor();
        let goes_back = transport.kind == TransportKind::GoBackN;
        if goes_back && psn != expected {
            let answer = (!std::mem::replace(&mut self.nacked, true)).then_some(Answer::Nack);
            return (Verdict::Discarded, answer);
        }
        let bounded = !matches!(transport.kind, TransportKind::Erasure(_));
        if bounded && psn - expected >= transport.reorder_packets {
            return (Verdict::Discarded, None);
        }
        self.seen.insert(psn);
        self.nacked &= psn != expected;
        self.packets += 1;
        self.bytes = self.bytes.wrapping_add(packet.size);
        self.owed = self.owed.saturating_add(packet.size);
        let in_order = self.out_of_order() == 0;
        let was_asked = self.asked && in_order;
        self.asked = (self.asked || asks) && !in_order;
        let owes = self.owed >= transport.ack_bytes_threshold;
        let answers = first || asks || was_asked || owes || packet.is_marked();
        (Verdict::Accepted, answers.then_some(Answer::Ack))
    }

    /// The header of packet `psn` has arrived alone: how it is answered. A receiver that takes no packets out of order asks for the one that it
    /// waits for once a gap, and whenever that one has lost its payload.
    pub(in crate::host) fn answer_to_header(
        &mut self,
        psn: u32,
        transport: &Transport,
    ) -> Option<Answer> {
        if self.seen.has(psn) {
            return Some(Answer::Ack);
        }
        match transport.kind {
            TransportKind::GoBackN => {}
            // To TCP it is a frame with a wrong checksum.
            TransportKind::NewReno => return None,
            _ => return Some(Answer::Nack),
        }
        let told = std::mem::replace(&mut self.nacked, true);
        (psn == self.seen.floor() || !told).then_some(Answer::Nack)
    }

    /// The record of an answer to `packet`, which was new (`is_new`) or not. Only ACKs of data answer what is owed; the bitmap starts at a
    /// new packet that asks, and at a marked one.
    pub(in crate::host) fn record(
        &mut self,
        packet: &Packet,
        answer: Answer,
        is_new: bool,
        transport: &Transport,
    ) -> AckRecord {
        let number = self.numbers;
        self.numbers += 1;
        let is_data = packet.kind == Kind::Data;
        if answer == Answer::Ack && is_data {
            self.owed = 0;
        }
        let expected = self.seen.floor();
        let goes_back = transport.kind == TransportKind::GoBackN;
        let tells_no_more = transport.kind.is_cumulative();
        let own = is_data && (packet.is_marked() || is_new && packet.flags.has(Flags::ASK));
        let base = if own {
            packet.psn
        } else {
            packet.psn.saturating_sub(63).max(expected + 1)
        };
        AckRecord {
            flow: packet.flow,
            number,
            psn: if answer == Answer::Nack && goes_back {
                expected
            } else {
                packet.psn
            },
            cumulative: expected,
            base,
            bitmap: if tells_no_more {
                0
            } else {
                self.seen.window(base)
            },
            out_of_order: self.out_of_order(),
            received_packets: self.packets,
            received_bytes: self.bytes,
            path: packet.path,
            probe: packet.kind == Kind::Probe,
            again: packet.flags.has(Flags::AGAIN),
            last_hop: packet.flags.has(Flags::LAST_HOP),
        }
    }
}

/// How a packet is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) enum Answer {
    /// What it asks for or brings is confirmed.
    Ack,
    /// It, or what comes before it, is asked for again.
    Nack,
}
