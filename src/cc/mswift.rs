//! MSwift: LSwift by the median of the last delays, so that packets that met queues of their own do not count (sprayed packets take different
//! paths).
//!
//! Definition: Gerstein, Silberstein and Keslassy, arXiv 2509.07907, as others quote it (we could not read its full text): each packet's
//! delay is replaced by the median of the last H = max(W/2, 1), W being the window in packets; they also try the 10th and the 90th percentile. All
//! else is [`lswift`].
//!
//! Our reading, as the paper leaves it open: the delays are RTTs of ACKs that have one, in the order in which the ACKs come, whatever they
//! answer; W counts full frames, and halves are rounded down; a window that shrinks keeps the newest delays, and one that grows again finds
//! the older ones where they were; the median of an even number is the mean of the two in the middle, rounded down, or the lower one. H is at
//! most 512 unless it is told, which is more than half of htsim's largest window. The smoothed RTT is of the packets' own.

#[cfg(test)]
mod tests;

use super::recent::Recent;
use super::swift::Swift;
use super::{AckInfo, CcEnv, CongestionControl, LossInfo, TimeoutInfo, lswift};
use crate::fields::{choice, integer, params};
use crate::units::Span;

pub use super::recent::Between;

/// What users read about it.
pub const ABOUT: &str = "LSwift by the median of the last delays in place of each packet's own (arXiv 2509.07907); needs a transport.";

params! {
    /// The parameters: those of LSwift, and its own.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Params {
        /// Those of LSwift.
        pub lswift: lswift::Params = flat(),
        /// The median is over so many delays at most, and over half as many as the window has full frames
        pub median_packets: u16 = key("median_packets", integer(1..=4096), default = 512),
        /// Which percentile of them takes the place of the median
        pub percentile: u8 = key("percentile", integer(0..=100), default = 50),
        /// What it is where it falls between two delays, as the median of an even number: what lies in between in proportion, or the lower
        /// one
        pub even_median: Between = key("even_median", choice(), default = Between::Mean),
    }
}

impl Params {
    /// The controller of a connection of `env`.
    #[must_use]
    pub fn build(&self, env: &CcEnv) -> Mswift {
        Mswift {
            core: self.lswift.build(env),
            recent: Recent::new(self.median_packets.into()),
            percentile: self.percentile,
            even_median: self.even_median,
        }
    }
}

/// MSwift at one sender.
#[derive(Clone, Debug)]
pub struct Mswift {
    core: Swift,
    recent: Recent,
    percentile: u8,
    even_median: Between,
}

impl CongestionControl for Mswift {
    fn on_ack(&mut self, ack: &AckInfo) {
        let delay = ack.rtt_of_data().map(|rtt| {
            self.core.update_base_rtt(rtt);
            self.recent.push(rtt);
            let half_window = (self.core.frames() / 2.0) as u64;
            let recent = &mut self.recent;
            recent.percentile(half_window, self.percentile, self.even_median)
        });
        self.core.take_ack(ack, delay);
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

    #[inline]
    fn pacing(&self) -> Span {
        self.core.pacing()
    }

    fn decision(&self) -> &'static str {
        self.core.decision()
    }
}
