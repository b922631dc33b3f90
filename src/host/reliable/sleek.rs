//! SLEEK, the loss recovery of uet-htsim (`UecSrc::runSleek`, off there by default): many packets out of order start it, and a probe that comes
//! back fast does.
//!
//! Recovery starts when as many packets are out of order at the receiver as `window_pct` of the window (at most 1.5 bandwidth-delay
//! products), but `min_packets` at least, and no packet waits to be sent again. Until everything that had been sent by then is
//! acknowledged, what is missing within one window of the lowest missing packet is sent again, each once and whatever the window.
//! A probe leaves when no ACK has come for a while; if its answer was hardly delayed, what is missing is lost, not late.

use crate::settings::Sleek;
use crate::units::{Span, Time};

/// The state of one connection.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct Recovery {
    settings: Sleek,
    base_rtt: Span,
    bdp_bytes: u64,
    frame_bytes: u32,
    /// While it recovers: what must be acknowledged for that to end, and the lowest PSN not yet looked at.
    until: Option<(u32, u32)>,
    /// When the next probe leaves; [`Time::NEVER`]: none does.
    probe_due: Time,
    /// When the last one left, if it has not been answered.
    probed: Option<Time>,
}

impl Recovery {
    pub(in crate::host) fn new(
        settings: Sleek,
        base_rtt: Span,
        bdp_bytes: u64,
        frame_bytes: u32,
    ) -> Self {
        Self {
            settings,
            base_rtt,
            bdp_bytes,
            frame_bytes,
            until: None,
            probe_due: Time::NEVER,
            probed: None,
        }
    }

    /// Packets out of order that start recovery under a window of `window` bytes.
    fn threshold(&self, window: u64) -> u32 {
        let cap = u128::from(self.bdp_bytes) * 3 / 2;
        let bytes = (u128::from(window) * u128::from(self.settings.window_pct) / 100).min(cap);
        let packets = bytes / u128::from(self.frame_bytes);
        (packets as u32).max(self.settings.min_packets)
    }

    /// Whether it recovers.
    pub(in crate::host) fn recovers(&self) -> bool {
        self.until.is_some()
    }

    /// Start: all below `next` has been sent, and `base` is the lowest missing.
    fn start(&mut self, base: u32, next: u32) {
        if self.until.is_none() {
            self.until = Some((next, base));
        }
    }

    /// An ACK came: `base` is the lowest missing packet, `next` the next new one, `out_of_order` packets are at the receiver. The range of
    /// packets that are to be sent again if they are in flight.
    pub(in crate::host) fn on_ack(
        &mut self,
        base: u32,
        next: u32,
        out_of_order: u32,
        window: u64,
        any_lost: bool,
    ) -> Option<std::ops::Range<u32>> {
        if self.until.is_some_and(|(until, _)| base >= until) {
            self.until = None;
        }
        if self.until.is_none() && !any_lost && out_of_order >= self.threshold(window) {
            self.start(base, next);
        }
        let (until, from) = self.until.as_mut()?;
        let packets = (window / u64::from(self.frame_bytes)).min(u64::from(u32::MAX)) as u32;
        let end = base.saturating_add(packets).min(*until);
        let range = (*from).max(base)..end;
        *from = (*from).max(end);
        (!range.is_empty()).then_some(range)
    }

    /// When the next probe leaves.
    pub(in crate::host) fn probe_due(&self) -> Time {
        self.probe_due
    }

    /// An ACK came at `now`; data is in flight (or not), and `all_sent` says whether nothing else waits.
    pub(in crate::host) fn arm(&mut self, now: Time, in_flight: bool, all_sent: bool) {
        let wait = if all_sent {
            self.base_rtt + self.target()
        } else {
            self.base_rtt * u64::from(self.settings.probe_rtts)
        };
        self.probe_due = if in_flight { now + wait } else { Time::NEVER };
    }

    /// A probe leaves at `now`.
    pub(in crate::host) fn probe(&mut self, now: Time) {
        self.probed = Some(now);
        self.probe_due = now + self.base_rtt * u64::from(self.settings.probe_retry_rtts);
    }

    /// The RTT of the last probe, if its answer comes at `now` and is the first.
    pub(in crate::host) fn probe_rtt(&self, now: Time) -> Option<Span> {
        self.probed.map(|sent| now - sent)
    }

    /// The answer to a probe came at `now`.
    pub(in crate::host) fn probe_answered(&mut self, now: Time, base: u32, next: u32) {
        if let Some(sent) = self.probed.take()
            && now - sent < self.base_rtt + self.target()
            && base < next
        {
            self.start(base, next);
        }
    }

    fn target(&self) -> Span {
        self.settings
            .target
            .unwrap_or(Span(self.base_rtt.0 / 4 * 3))
    }
}
