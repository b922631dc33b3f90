//! A window that never changes: as much in flight as the parameter says, clocked by ACKs (htsim's `constant`).
//!
//! Of the two ways to say it, bandwidth-delay products follow the fabric. A window below one frame sends nothing.

use super::{CcEnv, CongestionControl};
use crate::fields::{integer, nullable, params, up_to};
use crate::units::Ratio;

/// What users read about it.
pub const ABOUT: &str = "A window that never changes: so many bytes in flight, clocked by ACKs.";

params! {
    /// The parameters.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Params {
        /// The window in bandwidth-delay products: bytes (gaps included) that a host's link carries in the longest base RTT, rounded down
        pub bdp: Ratio = key("window_bdp", up_to(1000), default = Ratio::millionths(1_500_000)),
        /// The window in frame bytes, whatever window_bdp says; null: window_bdp says it
        pub bytes: Option<u64> = key("window_bytes", nullable(integer(0..=1 << 50)), default = None),
    }
}

impl Params {
    /// The controller of a connection of `env`.
    #[must_use]
    pub fn build(&self, env: &CcEnv) -> FixedWindow {
        let bdp = u128::from(env.bdp_bytes) * u128::from(self.bdp.num) / u128::from(self.bdp.den);
        FixedWindow {
            bytes: self.bytes.unwrap_or(bdp as u64),
        }
    }
}

/// A window that never changes.
#[derive(Clone, Copy, Debug)]
pub struct FixedWindow {
    bytes: u64,
}

impl CongestionControl for FixedWindow {
    #[inline]
    fn window(&self) -> u64 {
        self.bytes
    }
}
