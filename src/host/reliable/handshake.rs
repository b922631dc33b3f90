//! The handshake that opens a connection: a SYN and its answer, before which nothing else is sent. It costs a round trip.
//!
//! Definition: htsim's `TcpSrc`, RFC 9293. A SYN is a small frame, a probe by the name of [`Packet::SYN`](crate::packet::Packet::SYN): of the
//! size of an ACK (our reading; htsim's has one byte), on the path of a data packet. A lost one is sent again after the timeout, counted from
//! when it is queued; to the controller that is a timeout of packet 0, without bytes in flight, so that TCP's first window is a frame then.
//! Its answer is no ACK of data: it brings the window nothing (in htsim it brings a frame), and its RTT, that of small frames, is no sample
//! (our reading; RFC 6298 allows it, and in htsim a SYN carries no timestamp). Not modelled: connections that are refused or closed, data in a SYN.

use super::{Alarm, Connection, GaveUp};
use crate::cc::{CongestionControl, TimeoutInfo};
use crate::units::Time;

/// The state of a connection that is not open.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Handshake {
    /// When the last SYN was queued.
    sent_at: Option<Time>,
}

impl Connection {
    /// A message waits at `now`: whether a SYN is to be sent for it.
    pub(in crate::host) fn asks_to_open(&mut self, now: Time) -> bool {
        match &mut self.handshake {
            Some(handshake) if handshake.sent_at.is_none() => {
                handshake.sent_at = Some(now);
                true
            }
            _ => false,
        }
    }

    /// A SYN has been answered.
    pub(in crate::host) fn open(&mut self) {
        if self.handshake.take().is_some() {
            self.timeout.progress();
        }
    }

    /// When the next SYN is due, if one has been sent and not been answered.
    pub(super) fn syn_due(&self) -> Time {
        let sent_at = self.handshake.as_ref().and_then(|of| of.sent_at);
        sent_at.map_or(Time::NEVER, |at| at.saturating_add(self.timeout.span()))
    }

    /// No answer to a SYN came until `now`.
    pub(super) fn ask_again(&mut self, now: Time) -> Alarm {
        let in_a_row = self.timeout.expire(now, now);
        self.control.on_timeout(&TimeoutInfo {
            now,
            psn: 0,
            bytes: 0,
            in_a_row,
            in_flight: 0,
            next_psn: 0,
        });
        if in_a_row >= self.transport.give_up_after {
            self.stuck = Some(GaveUp::Timeouts(in_a_row));
            return Alarm::Expired;
        }
        if let Some(handshake) = &mut self.handshake {
            handshake.sent_at = Some(now);
        }
        Alarm::Syn
    }
}
