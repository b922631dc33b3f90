//! A connection at its sender: what is in flight, what is lost, when to give up waiting, what the controller is told, and when its pace lets
//! the next packet go. That runs from the start of one packet on the wire, so a busy NIC delays it and is not made up for.
//!
//! Definition: uet-htsim's `UecSrc` where it has one (send rule, timeout over the oldest transmission, SLEEK), RFC 6298 for estimated timeouts,
//! RFC 9002 section 6.1.1 for the reordering threshold; TCP's recovery and handshake are modules of their own. A connection is a flow, or all
//! messages of a re-used connection, which count packets on. Not modelled: request-to-send packets (what is lost leaves the window, so something is always in flight or allowed),
//! receiver credit.

mod answers;
pub(super) mod bits;
mod coded;
mod counted;
mod handshake;
mod losses;
mod newreno;
pub(super) mod received;
pub(super) mod records;
mod rto;
mod sleek;

use std::collections::VecDeque;

use crate::cc::{CcEnv, CongestionControl, Control};
use crate::packet::AckRecord;
use crate::settings::{Transport, TransportKind};
use crate::units::{Span, Time};

use coded::Coded;
use counted::Counted;
use handshake::Handshake;
use newreno::NewReno;
use records::Records;
pub(super) use records::{Record, State};
use rto::Timeout;
use sleek::Recovery;

/// What connections are built from.
#[derive(Clone, Copy, Debug)]
pub struct TransportEnv {
    /// The transport.
    pub transport: Transport,
    /// The timeout before there are samples and expiries.
    pub first_rto: Span,
    /// What controllers are built from, but for the RTT of their path.
    pub cc: CcEnv,
}

/// What an ACK, a NACK or a timer changed; the buffers are used again.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Packets now known to have arrived, with their frame bytes.
    pub(super) acked: Vec<(u32, u32)>,
    /// Packets taken for lost.
    pub(super) lost: Vec<Lost>,
    /// The RTT that the ACK gave.
    pub(super) rtt: Option<Span>,
    /// What the controller says that it did at the ACK.
    pub(super) decision: &'static str,
}

/// A packet taken for lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lost {
    pub(super) psn: u32,
    pub(super) record: Record,
    /// What the controller says that it did.
    pub(super) decision: &'static str,
}

impl Changes {
    fn clear(&mut self) {
        self.acked.clear();
        self.lost.clear();
        self.rtt = None;
        self.decision = "";
    }
}

/// What a connection's timer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alarm {
    /// Nothing: what it was for has passed.
    Nothing,
    /// Packets are taken for lost, or an erasure-coded flow goes on without its last ACK.
    Expired,
    /// The controller's pace lets it go on.
    Paced,
    /// A probe leaves.
    Probe,
    /// A SYN leaves again.
    Syn,
}

/// Why a connection has given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GaveUp {
    /// After so many timeouts in a row, without anything new acknowledged.
    Timeouts(u32),
    /// A packet was lost that it had sent so often.
    Sends(u16),
}

/// What a connection would send next.
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    /// A lost packet.
    Again(u32, Record),
    /// The next new packet of its message.
    New,
    /// A packet beyond the message, as others do not come back.
    Extra,
}

/// A connection at its sender.
#[derive(Debug)]
pub(super) struct Connection {
    control: Control,
    records: Records,
    timeout: Timeout,
    recovery: Option<Box<Recovery>>,
    coded: Option<Box<Coded>>,
    newreno: Option<Box<NewReno>>,
    /// While it is not open.
    handshake: Option<Box<Handshake>>,
    counted: Option<Counted>,
    /// What ACKs say that have not arrived, by number.
    mail: VecDeque<AckRecord>,
    /// The message, by local flow, that has been released and has new packets.
    pub(super) current: Option<u32>,
    /// Whether it is in the NIC's round robin.
    pub(super) listed: bool,
    /// The earliest entry among the host's timers.
    pub(super) armed: Time,
    /// When it last sent a packet; and until when the controller's pace holds the next one back, if it does.
    sent_at: Time,
    held_until: Time,
    /// One more than the highest packet acknowledged, and the packets whose reordering has been judged.
    highest: u32,
    judged: u32,
    /// Why it has given up, if it has.
    stuck: Option<GaveUp>,
    /// The reordering threshold between its hosts.
    dup_threshold: Option<u32>,
    transport: Transport,
    /// A full frame.
    frame_bytes: u32,
}

impl Connection {
    /// A connection with so many packets between hosts with so many paths.
    pub(super) fn new(env: &TransportEnv, control: Control, packets: u64, paths: u32) -> Self {
        let TransportEnv {
            transport,
            first_rto,
            cc,
        } = *env;
        let recovery = transport
            .sleek
            .map(|sleek| Recovery::new(sleek, cc.base_rtt, cc.bdp_bytes, cc.frame_bytes));
        let coded = match transport.kind {
            TransportKind::Erasure(erasure) => Some(Coded::new(erasure, packets)),
            _ => None,
        };
        let threshold = transport.dup_threshold.map(|d| d.packets(paths));
        let newreno = (transport.kind == TransportKind::NewReno).then(|| {
            let threshold = threshold.unwrap_or(newreno::DUPLICATES);
            Box::new(NewReno::new(threshold, cc.frame_bytes))
        });
        Self {
            control,
            records: Records::default(),
            timeout: Timeout::new(transport.rto, first_rto),
            recovery: recovery.map(Box::new),
            coded: coded.map(Box::new),
            dup_threshold: threshold.filter(|_| newreno.is_none()),
            newreno,
            handshake: transport.handshake.then(Box::default),
            counted: transport.counts_received_bytes.then(Counted::default),
            mail: VecDeque::new(),
            current: None,
            listed: false,
            armed: Time::NEVER,
            sent_at: Time::ZERO,
            held_until: Time::NEVER,
            highest: 0,
            judged: 0,
            stuck: None,
            transport,
            frame_bytes: cc.frame_bytes,
        }
    }

    /// Frame bytes that may be in flight.
    #[inline]
    pub(super) fn window(&self) -> u64 {
        self.control.window()
    }

    /// The window and the bytes in flight.
    pub(super) fn load(&self) -> (u64, u64) {
        (self.window(), self.in_flight())
    }

    fn in_flight(&self) -> u64 {
        match (&self.coded, &self.counted) {
            (None, None) => {
                let bytes = self.records.in_flight();
                let newreno = self.newreno.as_ref();
                newreno.map_or(bytes, |newreno| newreno.in_flight(bytes))
            }
            (None, Some(counted)) => counted.in_flight(),
            (Some(coded), _) => {
                let flying = u64::from(coded.flying(self.records.next()));
                flying * u64::from(self.frame_bytes)
            }
        }
    }

    /// Why it has given up, if it has.
    pub(super) fn gave_up(&self) -> Option<GaveUp> {
        self.stuck
    }

    /// Whether all of an erasure-coded flow has arrived; nothing for others.
    pub(super) fn coded_is_done(&self) -> Option<bool> {
        self.coded.as_ref().map(|coded| coded.is_done())
    }

    /// What it may send at `now`: `new_size` is the frame of the next new packet, if there is one.
    #[inline]
    pub(super) fn next(&mut self, new_size: Option<u32>, now: Time) -> Option<Next> {
        self.held_until = Time::NEVER;
        let next = self.fits(new_size)?;
        let pacing = self.control.pacing();
        if pacing > Span::ZERO && self.records.next() > 0 {
            let due = self.sent_at.saturating_add(pacing);
            if due > now {
                self.held_until = due;
                return None;
            }
        }
        Some(next)
    }

    /// Whether the controller's pace alone holds back what it would send.
    pub(super) fn is_held(&self) -> bool {
        self.held_until < Time::NEVER
    }

    /// What the window lets it send: `new_size` as above.
    fn fits(&mut self, new_size: Option<u32>) -> Option<Next> {
        if self.stuck.is_some() || self.handshake.is_some() {
            return None;
        }
        if self.steps() && self.records.in_flight() > 0 {
            return None;
        }
        let (next, size) = if let Some(coded) = &self.coded {
            if !coded.wants(self.records.next()) {
                return None;
            }
            match new_size {
                Some(size) => (Next::New, size),
                None if self.records.next() == 0 => return None,
                None => (Next::Extra, self.frame_bytes),
            }
        } else if let Some((psn, record)) = self.records.lowest_lost() {
            let recovers = self.recovery.as_ref().is_some_and(|r| r.recovers());
            if recovers || self.newreno.as_ref().is_some_and(|n| n.recovers()) {
                return Some(Next::Again(psn, record));
            }
            (Next::Again(psn, record), record.size)
        } else {
            (Next::New, new_size?)
        };
        self.allows(size).then_some(next)
    }

    /// Whether only one packet may be in flight: going back has not helped twice in a row, so what is sent together may lose its first packet
    /// for good, as packets that overtake it are discarded or no news (our reading; TCP's own window is a packet from the first timeout on).
    fn steps(&self) -> bool {
        self.transport.kind.is_cumulative() && self.timeout.in_a_row() > 1
    }

    fn allows(&self, size: u32) -> bool {
        let (window, in_flight) = self.load();
        window >= in_flight.saturating_add(u64::from(size))
    }

    /// Whether the sender must ask for an ACK with the packet of `size` that it has just sent: `again` says that it is a retransmission,
    /// `more` that new packets are left. It asks if another like it would fill the window, or exceed it (uet-htsim).
    pub(super) fn asks(&self, size: u32, again: bool, more: bool) -> bool {
        let (window, in_flight) = self.load();
        again || !more || in_flight.saturating_add(u64::from(size)) >= window
    }

    /// The PSN of the next new packet.
    pub(super) fn next_psn(&self) -> u32 {
        self.records.next()
    }

    /// A new packet is sent.
    pub(super) fn send(&mut self, record: Record) {
        let at = record.sent_at;
        self.sent_at = at;
        if let Some(counted) = &mut self.counted {
            counted.fly(record.size);
        }
        self.records.send(record);
        self.start_timer(at);
        self.settle_coded(at);
    }

    /// Packet `psn` is sent again.
    pub(super) fn resend(&mut self, psn: u32, at: Time, path: u16) {
        if let Some((counted, record)) = self.counted.as_mut().zip(self.records.get(psn)) {
            counted.fly(record.size);
        }
        self.records.resend(psn, at, path);
        self.start_timer(at);
        self.sent_at = at;
    }

    #[inline]
    fn start_timer(&mut self, at: Time) {
        if let Some(newreno) = &mut self.newreno {
            newreno.sent(at, self.timeout.span());
        }
    }
}
