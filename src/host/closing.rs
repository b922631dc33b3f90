//! What a host tells of a run: what its NIC counted, its flows, its trace.

use super::nic::NicStats;
use super::trace::{Trace, TraceRow};
use super::{GaveUp, Host, Receiver, Sender};
use crate::probe::{Ends, Tally};
use crate::units::Time;

impl Host {
    /// When a frame last left or was queued, once nothing more can happen; 0 if none has.
    #[must_use]
    pub fn last_active(&self) -> Time {
        self.nic.last_left().max(self.last_queued)
    }

    /// At the end of a run: what the NIC counted.
    pub fn close(&mut self, ends: Ends, tally: &mut Tally) -> NicStats {
        let end = ends.integrated_until;
        let left = self.nic.close(ends.ended);
        for _ in 0..left.control_frames {
            self.count(end, self.settings.frames.ack_bytes, true, tally);
        }
        for _ in 0..left.pause_frames {
            self.count(end, self.settings.pause_frame_bytes, true, tally);
        }
        if let Some(packet) = left.in_service {
            self.count(end, packet.size, true, tally);
        }
        left.stats
    }

    /// Record what the sender of local flow `local_flow` does.
    pub fn record_trace(&mut self, local_flow: u32) {
        let sender = &self.senders[local_flow as usize];
        let first = sender.first_psn;
        let end = match sender.followed {
            true => first + sender.packets() as u32,
            // Erasure-coded flows count on.
            false => u32::MAX,
        };
        self.trace = Some(Box::new(Trace {
            connection: sender.connection,
            psns: first..end,
            rows: Vec::new(),
        }));
    }

    /// The rows recorded.
    pub fn take_trace(&mut self) -> Option<Vec<TraceRow>> {
        self.trace.take().map(|trace| trace.rows)
    }

    /// Why the connection of local flow `local_flow` has given up without having finished it, if it has.
    #[must_use]
    pub fn gave_up(&self, local_flow: u32) -> Option<GaveUp> {
        let sender = &self.senders[local_flow as usize];
        match sender.finished {
            Some(_) => None,
            None => self.why_given_up(sender.connection),
        }
    }

    /// ACKs, NACKs and probes received.
    #[must_use]
    pub fn control_received(&self) -> u64 {
        self.control_received
    }

    /// The host's flows as sender, in the workload's order.
    #[must_use]
    pub fn senders(&self) -> &[Sender] {
        &self.senders
    }

    /// The host's flows as receiver.
    #[must_use]
    pub fn receivers(&self) -> &[Receiver] {
        &self.receivers
    }
}
