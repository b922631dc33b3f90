//! LSwift: Swift for packets that overtake one another. A decrease takes several delayed ACKs in a row; one without delay starts the count anew.
//!
//! Definition: Gerstein, Silberstein and Keslassy, arXiv 2509.07907, as others quote it (we could not read its full text): five
//! in a row, a target 1 us above the base RTT, a first window of a bandwidth-delay product. All else is [Swift](super::swift).
//!
//! Our reading: the target has neither hops nor flow scaling; the smallest window is a frame; a decrease starts the count anew as well; a
//! count that is full waits for the smoothed RTT to pass. The excess delay that sizes a decrease is compared with the full RTT, as Swift's;
//! with the queueing delay alone (`excess`) decreases are several times as large where queues are short beside the base RTT.

#[cfg(test)]
pub(super) mod tests;

use super::CcEnv;
use super::swift::{Excess, Shared, Swift, Target, Variant};
use crate::fields::{choice, integer, params};

/// What users read about it.
pub const ABOUT: &str = "Swift by which a decrease takes several delayed ACKs in a row (arXiv 2509.07907); needs a transport.";

params! {
    /// The parameters: those that it shares with Swift, and its own.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Params {
        /// Those of Swift.
        pub shared: Shared = flat(),
        /// So many delayed ACKs in a row make a decrease
        pub streak: u32 = key("streak", integer(1..=1_000_000), default = 5),
        /// What the excess of a delay over its target is compared with to size a decrease: the full RTT, or what of it is above the base RTT
        pub excess: Excess = key("excess", choice(), default = Excess::Rtt),
    }
}

impl Params {
    /// The controller of a connection of `env`.
    #[must_use]
    pub fn build(&self, env: &CcEnv) -> Swift {
        let variant = Variant {
            streak: self.streak,
            excess: self.excess,
        };
        let target = Target::above(self.shared.target);
        Swift::new(&self.shared, target, variant, env)
    }
}
