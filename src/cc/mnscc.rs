//! MNSCC: NSCC by the median of the last delays, so that one packet that met a queue of its own does not count (sprayed packets take different
//! paths).
//!
//! Definition: Gerstein, Silberstein and Keslassy, arXiv 2509.07907: the delay is replaced by the median of the last H = max(min(W/2, 4), 1)
//! delays, W being the window in packets; marks count ACK by ACK. All else is [`nscc`].
//!
//! Our reading, as the paper leaves it open: the delays are those of ACKs that have one, as RTTs less the base RTT of the moment; W counts full
//! frames, and halves are rounded down; a window that shrinks and grows again finds the older delays where they were; the median of an even
//! number is the mean of the two in the middle, rounded down. It replaces the delay everywhere: in the four cases, in quick adapt, in the
//! average. An ACK without an RTT counts with that average, as in NSCC, and is no delay among the last.

use super::recent::Recent;
use super::{AckInfo, CcEnv, CongestionControl, LossInfo, TimeoutInfo, nscc};
use crate::fields::{integer, params};

/// What users read about it.
pub const ABOUT: &str = "NSCC by the median of the last delays in place of each packet's own (arXiv 2509.07907); needs a transport.";

params! {
    /// The parameters: those of NSCC, and one more.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Params {
        /// Those of NSCC.
        pub nscc: nscc::Params = flat(),
        /// The median is over so many delays at most, and over half as many as the window has full frames
        pub median_packets: u8 = key("median_packets", integer(1..=64), default = 4),
    }
}

impl Params {
    /// The controller of a connection of `env`.
    #[must_use]
    pub fn build(&self, env: &CcEnv) -> Mnscc {
        Mnscc {
            core: self.nscc.build(env),
            recent: Recent::new(self.median_packets.into()),
            frame_bytes: u64::from(env.frame_bytes).max(1),
        }
    }
}

/// MNSCC at one sender.
#[derive(Clone, Debug)]
pub struct Mnscc {
    core: nscc::Nscc,
    recent: Recent,
    frame_bytes: u64,
}

impl CongestionControl for Mnscc {
    fn on_ack(&mut self, ack: &AckInfo) {
        let sample = ack.rtt.map(|rtt| {
            self.core.take_rtt(rtt, ack.probe);
            self.recent.push(rtt);
            let half_window = self.core.window() / self.frame_bytes / 2;
            self.core.queueing_delay(self.recent.median(half_window))
        });
        self.core.take_ack(ack, sample);
    }

    fn on_loss(&mut self, loss: &LossInfo) {
        self.core.on_loss(loss);
    }

    fn on_timeout(&mut self, timeout: &TimeoutInfo) {
        self.core.on_timeout(timeout);
    }

    #[inline]
    fn window(&self) -> u64 {
        self.core.window()
    }

    fn decision(&self) -> &'static str {
        self.core.decision()
    }
}

#[cfg(test)]
mod tests;
