//! The receiving end of a connection that recovers what is lost: what it has, and what it answers.

use std::collections::BTreeSet;

use spraysim::packet::{Flags, Kind, Packet};
use spraysim::settings::{Transport, TransportKind};

/// An ACK or NACK with all that it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) kind: Kind,
    /// The packet that it answers.
    pub(crate) psn: u32,
    /// All packets below this one are there.
    pub(crate) cumulative: u32,
    /// Of the 64 packets from the base on, those that are there.
    pub(crate) above: BTreeSet<u32>,
    /// Whether it echoes a mark.
    pub(crate) marked: bool,
    /// The path of the packet that it answers.
    pub(crate) path: u16,
    /// Frame bytes of all packets that are there.
    pub(crate) received: u64,
    /// That packet had been sent before.
    pub(crate) again: bool,
    /// It was trimmed where the link to the receiver begins.
    pub(crate) at_the_end: bool,
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is new and kept.
    Accepted,
    /// It was there before.
    Duplicate,
    /// It is not kept.
    Discarded,
    /// It has no payload.
    Header,
}

/// The receiving end of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    transport: Transport,
    got: BTreeSet<u32>,
    received: u64,
    /// Frame bytes accepted since the last ACK.
    unanswered: u64,
    /// An ACK was asked for while packets were missing.
    asked: bool,
    /// The missing packet that it has sent a NACK for, if it goes back.
    complained: Option<u32>,
}

impl Receiver {
    /// One that has nothing.
    pub(crate) fn new(transport: Transport) -> Self {
        Self {
            transport,
            got: BTreeSet::new(),
            received: 0,
            unanswered: 0,
            asked: false,
            complained: None,
        }
    }

    /// The lowest packet that is not there.
    pub(crate) fn expected(&self) -> u32 {
        let mut psns = 0..;
        let missing = psns.find(|psn| !self.got.contains(psn));
        missing.expect("finitely many packets")
    }

    fn has(&self, psn: u32) -> bool {
        self.got.contains(&psn)
    }

    fn out_of_order(&self) -> usize {
        self.got.range(self.expected()..).count()
    }

    fn goes_back(&self) -> bool {
        self.transport.kind == TransportKind::GoBackN
    }

    /// A data packet, or the header of one, comes in: what becomes of it, and the answer, if there is one.
    pub(crate) fn take(&mut self, packet: &Packet) -> (Fate, Option<Answer>) {
        let (psn, expected) = (packet.psn, self.expected());
        if packet.kind == Kind::Trimmed {
            if self.has(psn) {
                return (Fate::Header, Some(self.answer(Kind::Ack, psn, packet)));
            }
            if !self.goes_back() {
                return (Fate::Header, Some(self.answer(Kind::Nack, psn, packet)));
            }
            // It asks for the packet that it waits for: once a gap, and whenever that has lost its payload.
            let complains = psn == expected || self.complained != Some(expected);
            self.complained = Some(expected);
            let nack = complains.then(|| self.answer(Kind::Nack, expected, packet));
            return (Fate::Header, nack);
        }
        if self.has(psn) {
            let mut repeated = *packet;
            // Only a new packet's wish decides where the report begins.
            repeated.flags = Flags::when(packet.is_marked(), Flags::MARKED)
                .and(Flags::when(packet.flags.has(Flags::AGAIN), Flags::AGAIN));
            let ack = self.answer(Kind::Ack, psn, &repeated);
            return (Fate::Duplicate, Some(ack));
        }
        if self.goes_back() && psn != expected {
            let complains = self.complained != Some(expected);
            self.complained = Some(expected);
            let nack = complains.then(|| self.answer(Kind::Nack, expected, packet));
            return (Fate::Discarded, nack);
        }
        if psn - expected >= self.transport.reorder_packets {
            return (Fate::Discarded, None);
        }
        let answers = self.accept(packet);
        let ack = answers.then(|| self.answer(Kind::Ack, psn, packet));
        (Fate::Accepted, ack)
    }

    /// Keep the packet. Whether that is a reason for an ACK.
    fn accept(&mut self, packet: &Packet) -> bool {
        let is_first = self.got.is_empty();
        self.got.insert(packet.psn);
        self.received += u64::from(packet.size);
        self.unanswered += u64::from(packet.size);
        let asks = packet.flags.has(Flags::ASK);
        self.asked |= asks;
        let in_order = self.out_of_order() == 0;
        let settled = self.asked && in_order;
        self.asked &= !in_order;
        let enough = self.unanswered >= u64::from(self.transport.ack_bytes_threshold);
        packet.is_marked() || enough || is_first || asks || settled
    }

    /// The answer to a SYN.
    pub(crate) fn welcome(&mut self, packet: &Packet) -> Answer {
        self.answer(Kind::Ack, packet.psn, packet)
    }

    fn answer(&mut self, kind: Kind, psn: u32, packet: &Packet) -> Answer {
        let expected = self.expected();
        let whole = packet.kind == Kind::Data;
        let near = whole && (packet.is_marked() || packet.flags.has(Flags::ASK));
        let base = match near {
            true => psn,
            false => psn.saturating_sub(63).max(expected + 1),
        };
        let above = match self.transport.kind {
            TransportKind::GoBackN | TransportKind::NewReno => BTreeSet::new(),
            _ => self
                .got
                .range(base..base.saturating_add(64))
                .copied()
                .collect(),
        };
        if kind == Kind::Ack && whole {
            self.unanswered = 0;
        }
        Answer {
            kind,
            psn,
            cumulative: expected,
            above,
            marked: packet.is_marked(),
            path: packet.path,
            received: self.received,
            again: packet.flags.has(Flags::AGAIN),
            at_the_end: packet.flags.has(Flags::LAST_HOP),
        }
    }
}
