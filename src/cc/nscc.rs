//! NSCC, network signal-based congestion control: the sender's algorithm of Ultra Ethernet (UEC 1.0), which goes by ECN marks and by
//! queueing delay, the RTT above the lowest one.
//!
//! Definition: uet-htsim, the public simulator of Ultra Ethernet (`UecSrc`), whose names the methods have; the UET paper (arXiv 2508.08906)
//! describes the same four cases. After each ACK, by the delay of its packet and the mark that it echoes:
//!
//! | | not marked | marked |
//! |---|---|---|
//! | delay below target | proportional increase, or fast increase | nothing: that path is another's matter |
//! | at least the target | fair increase | multiplicative decrease, by the average delay, at most once a base RTT |
//!
//! Proportional and fair increases add up and are fulfilled after some frames, or a period; each period adds a little more (eta). Under heavy
//! congestion (a NACK, or delay far above target), when little has arrived in the last period, quick adapt sets the window to what has; marked
//! ACKs of packets that were in flight then are ignored.
//!
//! As in uet-htsim: all that has the form of a real number is computed in IEEE 754 double precision and cut to whole bytes and picoseconds
//! where it is stored; a raised base RTT is never noticed; a loss found by reordering leaves the window alone, a timeout takes the packet's
//! bytes off it; an ACK without an RTT (see [`AckInfo::rtt`]) counts with the average delay; the RTT of a probe counts, but for the base.
//!
//! Our reading: byte counts have 64 bits. In uet-htsim the pending increase has 32 and wraps, in a fair increase of 64 KiB packets at every
//! ACK. Bandwidth-delay products are exact, so may be a byte apart. The largest window is never below the smallest, one frame, or a flow on a
//! short fast path could not send. One gain serves all delays: uet-htsim has a second one, of the same value, above five base RTTs.
//!
//! Not modelled: the receiver's window penalty, receiver credit (and what NACKs of a last hop mean under it).

mod constants;
mod decision;
mod params;
#[cfg(test)]
mod tests;

use super::{AckInfo, CcEnv, CongestionControl, LossCause, LossInfo, TimeoutInfo};
use crate::units::{Span, Time};
use constants::Constants;
use decision::Decision;
pub use params::{BaseRtt, Params};

/// What users read about it.
pub const ABOUT: &str = "NSCC of Ultra Ethernet: a window that follows ECN marks and queueing delay; needs a transport.";

/// The state of one sender, but for how it comes by a delay.
#[derive(Clone, Debug)]
pub struct Nscc {
    constants: Constants,
    window: u64,
    max_window: u64,
    base_rtt: Span,
    avg_delay: Span,
    /// Increases not yet fulfilled: bytes times window.
    inc_bytes: u64,
    /// Bytes that have arrived since increases were fulfilled.
    received: u64,
    /// When eta was last added, and the window last decreased.
    last_adjust: Time,
    last_decrease: Time,
    /// Bytes in a row that arrived with a delay low enough for the fast increase, and whether that is on.
    fast_count: u64,
    is_fast: bool,
    /// Bytes that have arrived in this period of quick adapt, and its end; zero: there was no period yet.
    achieved: u64,
    qa_end: Time,
    /// Bytes that were in flight at the last quick adapt, and those that have come back since.
    to_ignore: u64,
    ignored: u64,
    /// A NACK has come since.
    is_triggered: bool,
    decision: Decision,
    /// Whether increases were fulfilled with it.
    is_fulfilled: bool,
}

/// `count` and `more`, cut to a whole number; what is too large is 2^64 - 1.
fn plus(count: u64, more: f64) -> u64 {
    (count as f64 + more) as u64
}

impl Nscc {
    pub(super) fn new(params: &Params, env: &CcEnv) -> Self {
        let constants = Constants::new(params, env);
        let base_rtt = constants.first_base_rtt;
        let max_window = constants.max_window(base_rtt);
        Self {
            window: constants.first_window.unwrap_or(max_window),
            constants,
            max_window,
            base_rtt,
            avg_delay: Span::ZERO,
            inc_bytes: 0,
            received: 0,
            last_adjust: Time::ZERO,
            last_decrease: Time::ZERO,
            fast_count: 0,
            is_fast: false,
            achieved: 0,
            qa_end: Time::ZERO,
            to_ignore: 0,
            ignored: 0,
            is_triggered: false,
            decision: Decision::Nothing,
            is_fulfilled: false,
        }
    }

    /// The base RTT is the lowest one seen; the largest window follows it.
    pub(super) fn update_base_rtt(&mut self, rtt: Span) {
        if rtt < self.base_rtt {
            self.base_rtt = rtt;
            self.max_window = self.constants.max_window(rtt);
        }
    }

    /// An ACK gives this RTT. That of a probe is short for its size, and no base.
    pub(super) fn take_rtt(&mut self, rtt: Span, probe: bool) {
        if !probe {
            self.update_base_rtt(rtt);
        }
    }

    /// The queueing delay in an RTT.
    pub(super) fn queueing_delay(&self, rtt: Span) -> Span {
        Span(rtt.0.saturating_sub(self.base_rtt.0))
    }

    /// An ACK, and the delay that it tells of, if it does (`processAck`, `updateCwndOnAck_NSCC`).
    pub(super) fn take_ack(&mut self, ack: &AckInfo, sample: Option<Span>) {
        let bytes = ack.acked_bytes;
        for count in [&mut self.achieved, &mut self.received, &mut self.ignored] {
            *count = count.saturating_add(bytes);
        }
        if let Some(delay) = sample {
            self.update_delay(delay, ack.marked);
        }
        let delay = sample.unwrap_or(self.avg_delay);
        self.is_fulfilled = false;
        let is_heavy = delay > self.constants.qa_threshold;
        if let Some(adapted) = self.quick_adapt(ack.now, ack.marked, is_heavy, ack.in_flight) {
            self.decision = adapted;
            return;
        }
        self.decision = match (ack.marked, delay < self.constants.target) {
            (false, false) => self.fair_increase(bytes),
            (false, true) => self.proportional_increase(bytes, delay),
            (true, false) => self.multiplicative_decrease(ack.now),
            (true, true) => Decision::Hold,
        };
        self.set_bounds();
        if self.received > self.constants.adjust_bytes
            || ack.now.saturating_since(self.last_adjust) > self.constants.adjust_period
        {
            self.fulfill_adjustment(ack.now);
            self.set_bounds();
        }
    }

    /// A NACK (`processNack`, `updateCwndOnNack_NSCC`).
    fn on_nack(&mut self, loss: &LossInfo) {
        let bytes = u64::from(loss.bytes);
        if self.constants.base_rtt_on_nack
            && let Some(rtt) = loss.rtt
        {
            self.update_base_rtt(rtt);
        }
        self.ignored = self.ignored.saturating_add(bytes);
        // In place of the delay at which packets are trimmed.
        self.update_delay(self.constants.network_rtt, true);
        self.is_triggered = true;
        // The packet counts as in flight until its NACK has been dealt with.
        let in_flight = loss.in_flight.saturating_add(bytes);
        let adapted = self.quick_adapt(loss.now, true, true, in_flight);
        if adapted.is_none() {
            self.window = self.window.saturating_sub(bytes);
            self.set_bounds();
        }
        self.decision = adapted.map_or(Decision::Nack, Decision::of_nack);
        self.is_fulfilled = false;
    }

    fn set_bounds(&mut self) {
        self.window = self
            .window
            .clamp(self.constants.min_window, self.max_window);
    }

    /// Take a delay into the average; one above target that was not marked is taken for a small one.
    fn update_delay(&mut self, delay: Span, marked: bool) {
        let constants = &self.constants;
        let gain = constants.delay_gain;
        let new = if !marked && delay > constants.target {
            gain * self.base_rtt.0 as f64 * constants.unmarked_delay_rtts
        } else {
            gain * delay.0 as f64
        };
        self.avg_delay = Span((new + (1.0 - gain) * self.avg_delay.0 as f64) as u64);
    }

    /// Whether the window now follows what has arrived: `marked` and `is_heavy` are about what came back at `now`, a NACK being both.
    fn quick_adapt(
        &mut self,
        now: Time,
        marked: bool,
        is_heavy: bool,
        in_flight: u64,
    ) -> Option<Decision> {
        if !self.constants.quick_adapt {
            return None;
        }
        let mut adapted = None;
        if self.ignored < self.to_ignore && marked {
            adapted = Some(Decision::Ignore);
        } else if now > self.qa_end {
            if self.qa_end > Time::ZERO
                && (self.is_triggered || is_heavy)
                && self.achieved < self.max_window >> self.constants.qa_gate
            {
                self.window = self.achieved.max(self.constants.min_window);
                self.to_ignore = in_flight;
                self.ignored = 0;
                self.is_triggered = false;
                adapted = Some(Decision::QuickAdapt);
            }
            self.achieved = 0;
            let period = self.base_rtt.0.saturating_add(self.constants.target.0);
            self.qa_end = Time(now.0.saturating_add(period));
        }
        if adapted.is_some() {
            self.inc_bytes = 0;
            self.received = 0;
        }
        adapted
    }

    fn fair_increase(&mut self, bytes: u64) -> Decision {
        self.inc_bytes = plus(self.inc_bytes, self.constants.fair_increase * bytes as f64);
        Decision::FairIncrease
    }

    /// `delay` is below target.
    fn proportional_increase(&mut self, bytes: u64, delay: Span) -> Decision {
        self.fast_increase(bytes, delay);
        if self.is_fast {
            return Decision::FastIncrease;
        }
        let room = self.constants.target.0 - delay.0;
        let more = self.constants.alpha * bytes as f64 * room as f64;
        self.inc_bytes = plus(self.inc_bytes, more);
        Decision::ProportionalIncrease
    }

    /// It starts when more than a window has arrived with hardly any delay, and lasts while that is so.
    fn fast_increase(&mut self, bytes: u64, delay: Span) {
        if delay >= self.constants.fast_increase_delay {
            self.fast_count = 0;
            self.is_fast = false;
            return;
        }
        self.fast_count = self.fast_count.saturating_add(bytes);
        self.is_fast |= self.fast_count > self.window;
        if self.is_fast {
            self.window = plus(self.window, bytes as f64 * self.constants.fast_increase);
        }
    }

    fn multiplicative_decrease(&mut self, now: Time) -> Decision {
        self.is_fast = false;
        self.fast_count = 0;
        let (average, target) = (self.avg_delay.0, self.constants.target.0);
        if average <= target || now.saturating_since(self.last_decrease) <= self.base_rtt {
            return Decision::Hold;
        }
        let cut = self.constants.gamma * (average - target) as f64 / average as f64;
        let factor = (1.0 - cut).max(self.constants.least_factor);
        let less = (self.window as f64 * factor) as u64;
        self.window = less.max(self.constants.min_window);
        self.last_decrease = now;
        Decision::Decrease
    }

    /// The window is not zero.
    fn fulfill_adjustment(&mut self, now: Time) {
        self.window = self.window.saturating_add(self.inc_bytes / self.window);
        if now.saturating_since(self.last_adjust) >= self.constants.adjust_period {
            self.window = plus(self.window, self.constants.eta);
            self.last_adjust = now;
        }
        self.inc_bytes = 0;
        self.received = 0;
        self.is_fulfilled = true;
    }
}

impl Params {
    /// The controller of a connection of `env`.
    #[must_use]
    pub fn build(&self, env: &CcEnv) -> Nscc {
        Nscc::new(self, env)
    }
}

impl CongestionControl for Nscc {
    fn on_ack(&mut self, ack: &AckInfo) {
        let sample = ack.rtt.map(|rtt| {
            self.take_rtt(rtt, ack.probe);
            self.queueing_delay(rtt)
        });
        self.take_ack(ack, sample);
    }

    fn on_loss(&mut self, loss: &LossInfo) {
        match loss.cause {
            LossCause::Nack => self.on_nack(loss),
            // The decision, too, stays that of the ACK that told of it.
            LossCause::Reordering => {}
        }
    }

    /// `mark_packet_for_retransmission`.
    fn on_timeout(&mut self, timeout: &TimeoutInfo) {
        let less = self.window.saturating_sub(timeout.bytes.into());
        self.window = less.max(self.constants.min_window);
        self.decision = Decision::Timeout;
        self.is_fulfilled = false;
    }

    #[inline]
    fn window(&self) -> u64 {
        self.window
    }

    fn decision(&self) -> &'static str {
        self.decision.name(self.is_fulfilled)
    }
}
