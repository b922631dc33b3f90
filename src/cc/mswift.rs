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

use super::params::joined;
use super::recent::Recent;
use super::swift::Swift;
use super::{AckInfo, CcEnv, CongestionControl, LossInfo, TimeoutInfo, lswift};
use crate::fields::{Fields, ParamDoc};
use crate::units::Span;

pub use super::recent::Between;

/// What users read about it.
pub const ABOUT: &str = "LSwift by the median of the last delays in place of each packet's own (arXiv 2509.07907); needs a transport.";

const OWN: [ParamDoc; 3] = [
    ParamDoc {
        name: "median_packets",
        allowed: "an integer from 1 to 4096",
        default: "512",
        about: "The median is over so many delays at most, and over half as many as the window has full frames",
    },
    ParamDoc {
        name: "percentile",
        allowed: "an integer from 0 to 100",
        default: "50",
        about: "Which percentile of them takes the place of the median",
    },
    ParamDoc {
        name: "even_median",
        allowed: "\"mean\" or \"lower\"",
        default: "\"mean\"",
        about: "What it is where it falls between two delays, as the median of an even number: what lies in between in proportion, or the lower one",
    },
];

/// The parameters as users see them: those of LSwift, and its own.
pub const PARAMS: &[ParamDoc] = &joined::<13>(lswift::PARAMS, &OWN);

/// The parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Those of LSwift.
    pub lswift: lswift::Params,
    /// Delays that the median is over, at most.
    pub median_packets: u16,
    /// The percentile in place of the median, up to 100.
    pub percentile: u8,
    /// What it is between two delays.
    pub even_median: Between,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            lswift: lswift::Params::default(),
            median_packets: 512,
            percentile: 50,
            even_median: Between::Mean,
        }
    }
}

impl Params {
    /// Reads all keys of [`PARAMS`], in their order.
    #[must_use]
    pub fn read(fields: &mut Fields<'_>) -> Self {
        let usual = Self::default();
        let lswift = lswift::Params::read(fields);
        let mut integer = |key, usual: u64, range| fields.integer(key, Some(usual), range);
        Self {
            lswift,
            median_packets: integer("median_packets", usual.median_packets.into(), 1..=4096) as u16,
            percentile: integer("percentile", usual.percentile.into(), 0..=100) as u8,
            even_median: fields.choice(
                "even_median",
                Some("mean"),
                &[("mean", Between::Mean), ("lower", Between::Lower)],
            ),
        }
    }

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
