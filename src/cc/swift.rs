//! Swift: a window that follows the delay alone, the full RTT of each packet against a target; below one frame it becomes a pace.
//!
//! Definition: htsim's `SwiftSrc` (`swift.cpp`), after Kumar et al., *Swift: Delay is Simple and Effective for Congestion Control in the
//! Datacenter*, SIGCOMM 2020, whose names the parameters have. For each ACK with a delay:
//!
//! - below the target: `ai` frames more for each window that has come back, or, while the window is below a frame, for each frame;
//! - else, if the last decrease is at least a smoothed RTT ago: the window is multiplied by
//!   max(1 - `beta` (delay - target) / delay, 1 - `max_mdf`).
//!
//! A packet taken for lost, whatever told of it, multiplies it by 1 - `max_mdf`, at most once a smoothed RTT; timeouts in a row set it to the
//! smallest. The target is a base target, a part for each hop, and flow scaling: the more, the smaller the window, so that many flows at
//! one link, whose windows are small, allow one another for their bursts.
//!
//! As in htsim: the smoothed RTT has a gain of 1/8, and whether the window may be decreased is tested before the ACK's RTT is taken in; a window
//! below one frame means one packet in flight, and so many smoothed RTTs between two packets as it fits into a frame.
//!
//! Our reading. htsim's base target is 20 us whatever the fabric; here it is the flow's base RTT and a queueing delay unless it is told, the base
//! RTT being that of its path, or the lowest seen if that is lower. A base RTT knows its hops, so there is a part for each hop only
//! beside a base target that is told. The transport names packets one by one, so every ACK with an RTT is a sample; htsim counts bytes
//! up to the first gap, and drops an ACK that is behind another one. An ACK without an RTT changes nothing. The window in frames that flow scaling
//! goes by is not rounded down. Losses are decreases as they are noticed: htsim waits for the end of the recovery.
//!
//! Not modelled: delays of hosts and the second window for them (the paper's endpoint target: NICs here answer at once), PLB (new paths
//! for flows that stay congested: paths are the load balancer's), subflows with windows of their own.

mod params;
mod target;
#[cfg(test)]
mod tests;

use super::{AckInfo, CcEnv, CongestionControl, LossInfo, TimeoutInfo};
use crate::units::{Span, Time};
pub use params::{Excess, Params, Shared};
pub(super) use target::Target;

/// What users read about it.
pub const ABOUT: &str = "Swift (Kumar et al., SIGCOMM 2020, as in htsim): a window that follows the RTT, and a pace below one frame; needs a transport.";

/// How Swift and its relatives differ, but for the parameters that they share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variant {
    /// Delayed ACKs in a row that a decrease takes.
    pub(super) streak: u32,
    /// What the excess delay is compared with.
    pub(super) excess: Excess,
}

/// The state of one sender, but for which delay an ACK tells of.
#[derive(Clone, Debug)]
pub struct Swift {
    target: Target,
    variant: Variant,
    ai: f64,
    beta: f64,
    /// What is left of the window after the largest decrease.
    least_factor: f64,
    /// Timeouts in a row that make the window the smallest.
    reset_timeouts: u32,
    frame_bytes: u64,
    /// Bytes: a full frame, and the bounds of the window.
    frame: f64,
    min_window: f64,
    max_window: f64,
    /// Bytes.
    window: f64,
    base_rtt: Span,
    /// The smoothed RTT in picoseconds, once there is a sample.
    srtt: Option<f64>,
    last_decrease: Option<Time>,
    /// Delayed ACKs in a row.
    streak: u32,
    decision: &'static str,
}

impl Swift {
    pub(super) fn new(shared: &Shared, target: Target, variant: Variant, env: &CcEnv) -> Self {
        let frame_bytes = u64::from(env.frame_bytes).max(1);
        let (window, min_window, max_window) = shared.windows(env.bdp_bytes, frame_bytes);
        Self {
            target,
            variant,
            ai: shared.ai.as_f64(),
            beta: shared.beta.as_f64(),
            least_factor: 1.0 - shared.max_mdf.as_f64(),
            reset_timeouts: shared.reset_timeouts,
            frame_bytes,
            frame: frame_bytes as f64,
            min_window,
            max_window,
            window,
            base_rtt: env.path_rtt,
            srtt: None,
            last_decrease: None,
            streak: 0,
            decision: "",
        }
    }

    /// The window in frames.
    #[inline]
    pub(super) fn frames(&self) -> f64 {
        self.window / self.frame
    }

    /// The smoothed RTT in picoseconds; before there is a sample, the base RTT.
    fn smoothed(&self) -> f64 {
        self.srtt.unwrap_or(self.base_rtt.0 as f64)
    }

    /// Whether the last decrease is long enough ago.
    fn may_decrease(&self, now: Time) -> bool {
        let since = |last: Time| now.saturating_since(last).0 as f64;
        self.last_decrease
            .is_none_or(|last| since(last) >= self.smoothed())
    }

    /// The base RTT is the lowest one seen.
    pub(super) fn update_base_rtt(&mut self, rtt: Span) {
        self.base_rtt = self.base_rtt.min(rtt);
    }

    /// An ACK, and the delay, a full RTT, that it tells of, if it does (`adjust_cwnd`).
    pub(super) fn take_ack(&mut self, ack: &AckInfo, delay: Option<Span>) {
        // A first window above the largest ends here.
        self.window = self.window.min(self.max_window);
        let may_decrease = self.may_decrease(ack.now);
        if let Some(rtt) = ack.rtt_of_data() {
            let rtt = rtt.0 as f64;
            self.srtt = Some(self.srtt.map_or(rtt, |srtt| srtt + (rtt - srtt) / 8.0));
        }
        let Some(delay) = delay else {
            self.decision = "hold";
            return;
        };
        let delay = delay.0 as f64;
        let target = self.target.at(self.base_rtt, self.frames());
        if delay < target {
            self.streak = 0;
            self.increase(ack.acked_bytes as f64);
            return;
        }
        self.streak = self.streak.saturating_add(1);
        let is_cut = self.streak >= self.variant.streak
            && may_decrease
            && self.cut(self.factor(delay, target), ack.now);
        self.decision = if is_cut { "decrease" } else { "hold" };
    }

    fn increase(&mut self, acked: f64) {
        let windows = acked / self.window.max(self.frame);
        let more = self.ai * self.frame * windows;
        self.window = (self.window + more).min(self.max_window);
        self.decision = "increase";
    }

    /// What the window is multiplied by for a `delay` of at least `target`.
    fn factor(&self, delay: f64, target: f64) -> f64 {
        let excess = delay - target;
        let whole = match self.variant.excess {
            Excess::Rtt => delay,
            Excess::Queueing => delay - self.base_rtt.0 as f64,
        };
        let part = if excess > 0.0 { excess / whole } else { 0.0 };
        (1.0 - self.beta * part).max(self.least_factor)
    }

    /// Multiply the window by `factor` at `now`. Whether that makes it smaller.
    fn cut(&mut self, factor: f64, now: Time) -> bool {
        let window = (self.window * factor).max(self.min_window);
        let is_less = window < self.window;
        if is_less {
            self.window = window;
            self.last_decrease = Some(now);
            self.streak = 0;
        }
        is_less
    }

    /// A packet is lost: the largest decrease, which is called `what`.
    fn cut_for_loss(&mut self, now: Time, what: &'static str) {
        let is_cut = self.may_decrease(now) && self.cut(self.least_factor, now);
        self.decision = if is_cut { what } else { "hold" };
    }
}

impl Params {
    /// The controller of a connection of `env`.
    #[must_use]
    pub fn build(&self, env: &CcEnv) -> Swift {
        let variant = Variant {
            streak: 1,
            excess: Excess::Rtt,
        };
        Swift::new(&self.shared, Target::scaled(self, env), variant, env)
    }
}

impl CongestionControl for Swift {
    /// The delay is the ACK's own RTT.
    fn on_ack(&mut self, ack: &AckInfo) {
        if let Some(rtt) = ack.rtt_of_data() {
            self.update_base_rtt(rtt);
        }
        self.take_ack(ack, ack.rtt_of_data());
    }

    fn on_loss(&mut self, loss: &LossInfo) {
        self.cut_for_loss(loss.now, "loss");
    }

    fn on_timeout(&mut self, timeout: &TimeoutInfo) {
        if timeout.in_a_row < self.reset_timeouts {
            self.cut_for_loss(timeout.now, "timeout");
        } else {
            self.cut(0.0, timeout.now);
            self.decision = "reset";
        }
    }

    #[inline]
    fn window(&self) -> u64 {
        (self.window as u64).max(self.frame_bytes)
    }

    #[inline]
    fn pacing(&self) -> Span {
        if self.window >= self.frame {
            return Span::ZERO;
        }
        Span((self.smoothed() / self.frames()) as u64)
    }

    fn decision(&self) -> &'static str {
        self.decision
    }
}
