//! Counters that are always on: integrals of queues by stage, busy time in bins, who still sends.
//!
//! A queue's integral over time is the sum of departure instants less the sum of arrival instants (weighted by bytes for
//! bytes), so an event costs one addition and nothing needs the time of the previous one. The sums wrap; their difference does not.

mod busy;

pub use busy::{BIN, Busy};

use crate::packet::{FrameCount, Packet};
use crate::units::Time;

/// Integral of queued frames and bytes over time, for the ports of one stage.
#[derive(Clone, Copy, Debug, Default)]
struct Area {
    packet_ps: u128,
    byte_ps: u128,
}

impl Area {
    #[inline]
    fn enter(&mut self, at: Time, bytes: u32) {
        self.packet_ps = self.packet_ps.wrapping_sub(u128::from(at.0));
        self.byte_ps = self
            .byte_ps
            .wrapping_sub(u128::from(at.0) * u128::from(bytes));
    }

    #[inline]
    fn leave(&mut self, at: Time, bytes: u32) {
        self.packet_ps = self.packet_ps.wrapping_add(u128::from(at.0));
        self.byte_ps = self
            .byte_ps
            .wrapping_add(u128::from(at.0) * u128::from(bytes));
    }
}

/// A frame that enters or leaves a NIC's queue when it is not yet known whether the integrals still run.
#[derive(Clone, Copy, Debug)]
struct Late {
    at: Time,
    bytes: u32,
    leaves: bool,
}

/// How far hosts are with their data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sending {
    /// Hosts that have not sent all of theirs.
    pub hosts: u32,
    /// Those of them that cannot within one window.
    pub far_hosts: u32,
    /// When the last of the others had.
    pub last_sent: Time,
}

impl Sending {
    /// As of no hosts.
    pub const NOBODY: Self = Self {
        hosts: 0,
        far_hosts: 0,
        last_sent: Time::ZERO,
    };

    /// Both sets of hosts together.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self {
            hosts: self.hosts + other.hosts,
            far_hosts: self.far_hosts + other.far_hosts,
            last_sent: self.last_sent.max(other.last_sent),
        }
    }

    /// When the last host finished sending, if all have.
    #[must_use]
    pub fn all_sent(&self) -> Option<Time> {
        (self.hosts == 0).then_some(self.last_sent)
    }
}

/// The instants at which what is counted ends.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// Queues are integrated up to here: frames still queued leave them now.
    pub integrated_until: Time,
    /// When the run ended: a pause that is on lasts until then.
    pub ended: Time,
}

/// The counters of a set of nodes that run on one thread.
#[derive(Clone, Debug)]
pub struct Tally {
    areas: Vec<Area>,
    late: Vec<Late>,
    late_stage: usize,
    /// Integrals stop here: when the last host has finished sending, once that is known.
    cutoff: Time,
    sending: Sending,
    /// Busy time of the links whose peak utilisation is asked for.
    pub busy: Busy,
    delivered: Busy,
    /// Packets that a switch had no uplink for.
    pub unroutable: FrameCount,
    /// When the last frame was lost or dropped for want of an uplink.
    last_loss: Option<Time>,
}

impl Tally {
    /// Counters for `stages` stages, of which `nic_stage` is the hosts'; `sending` says which hosts have data to send.
    #[must_use]
    pub fn new(stages: usize, nic_stage: usize, sending: Sending) -> Self {
        Self {
            areas: vec![Area::default(); stages],
            late: Vec::new(),
            late_stage: nic_stage,
            cutoff: Time::NEVER,
            sending,
            busy: Busy::default(),
            delivered: Busy::default(),
            unroutable: FrameCount::default(),
            last_loss: None,
        }
    }

    /// A link to a host carried a data frame from `from` to `to`. Out of line: most runs do not ask for it.
    #[inline(never)]
    pub fn deliver(&mut self, from: Time, to: Time) {
        self.delivered.add(from, to);
    }

    /// Time that data frames took on the links to hosts, if that was asked for.
    #[must_use]
    pub const fn delivered(&self) -> &Busy {
        &self.delivered
    }

    /// A dead link lost a frame that would have arrived at `at`.
    #[cold]
    pub fn lost(&mut self, at: Time) {
        self.last_loss = self.last_loss.max(Some(at));
    }

    /// A switch has no uplink for `packet`, which has just arrived.
    #[cold]
    pub fn unroutable(&mut self, packet: &Packet) {
        self.unroutable.add(packet);
        self.lost(packet.time);
    }

    /// When the last frame was lost or dropped for want of an uplink.
    #[must_use]
    pub const fn last_loss(&self) -> Option<Time> {
        self.last_loss
    }

    /// A frame enters a queue of `stage` at `at`.
    #[inline]
    pub fn enter(&mut self, stage: usize, at: Time, bytes: u32) {
        self.areas[stage].enter(at.min(self.cutoff), bytes);
    }

    /// A frame leaves a queue of `stage` at `at`.
    #[inline]
    pub fn leave(&mut self, stage: usize, at: Time, bytes: u32) {
        self.areas[stage].leave(at.min(self.cutoff), bytes);
    }

    /// As `enter` and `leave` for the NIC of a host that has finished sending: other hosts may have finished before `at`, which
    /// only [`Tally::settle`] tells.
    #[inline]
    pub fn late(&mut self, at: Time, bytes: u32, leaves: bool) {
        self.late.push(Late { at, bytes, leaves });
    }

    /// A host's last data frame left at `at`.
    pub fn host_has_sent(&mut self, at: Time) {
        self.sending.hosts -= 1;
        self.sending.last_sent = self.sending.last_sent.max(at);
    }

    /// A host can from now on finish sending within one window.
    pub fn host_nears_end(&mut self) {
        self.sending.far_hosts -= 1;
    }

    /// How far the hosts are.
    #[must_use]
    pub fn sending(&self) -> Sending {
        self.sending
    }

    /// Called when every host has run up to the same instant, with the end of sending, if all hosts of all shards have finished: account
    /// for late NIC events.
    #[inline]
    pub fn settle(&mut self, all_sent: Option<Time>) {
        if let Some(at) = all_sent {
            self.cutoff = at;
        }
        if !self.late.is_empty() {
            self.settle_late();
        }
    }

    fn settle_late(&mut self) {
        let area = &mut self.areas[self.late_stage];
        for late in self.late.drain(..) {
            let at = late.at.min(self.cutoff);
            if late.leaves {
                area.leave(at, late.bytes);
            } else {
                area.enter(at, late.bytes);
            }
        }
    }

    /// When the last host finished sending, if all have.
    #[must_use]
    pub fn last_sent(&self) -> Option<Time> {
        self.sending.all_sent()
    }

    /// Add the counters of another shard.
    pub fn absorb(&mut self, other: &Self) {
        for (area, other) in self.areas.iter_mut().zip(&other.areas) {
            area.packet_ps = area.packet_ps.wrapping_add(other.packet_ps);
            area.byte_ps = area.byte_ps.wrapping_add(other.byte_ps);
        }
        self.busy.absorb(&other.busy);
        self.delivered.absorb(&other.delivered);
        self.unroutable.absorb(other.unroutable);
        self.last_loss = self.last_loss.max(other.last_loss);
        self.sending = self.sending.join(other.sending);
        self.cutoff = self.cutoff.min(other.cutoff);
        self.late.extend_from_slice(&other.late);
    }

    /// The integrals of `stage`: frames x ps, bytes x ps, once every frame that entered has left.
    #[must_use]
    pub fn integrals(&self, stage: usize) -> (u128, u128) {
        (self.areas[stage].packet_ps, self.areas[stage].byte_ps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sending(hosts: u32) -> Sending {
        Sending {
            hosts,
            ..Sending::NOBODY
        }
    }

    #[test]
    fn an_integral_is_the_sum_of_stays() {
        let mut tally = Tally::new(1, 0, sending(1));
        tally.enter(0, Time(5), 100);
        tally.enter(0, Time(7), 10);
        tally.leave(0, Time(15), 100);
        tally.leave(0, Time(16), 10);
        assert_eq!(tally.integrals(0), (19, 1090));
    }

    #[test]
    fn integrals_stop_when_the_last_host_has_sent() {
        let mut tally = Tally::new(2, 0, sending(2));
        tally.enter(1, Time(0), 1);
        tally.host_has_sent(Time(40));
        tally.late(Time(45), 1, false);
        tally.late(Time(55), 1, true);
        tally.host_has_sent(Time(50));
        tally.settle(tally.last_sent());
        tally.leave(1, Time(70), 1);
        assert_eq!(tally.integrals(0), (5, 5));
        assert_eq!(tally.integrals(1), (50, 50));
    }
}
