//! A window that never changes: as much in flight as the parameter says, clocked by ACKs (htsim's `constant`).
//!
//! Of the two ways to say it, bandwidth-delay products follow the fabric. A window below one frame sends nothing.

use super::{CcEnv, CongestionControl};
use crate::fields::{Fields, ParamDoc, Scale};
use crate::units::Ratio;

/// What users read about it.
pub const ABOUT: &str = "A window that never changes: so many bytes in flight, clocked by ACKs.";

/// The parameters as users see them.
pub const PARAMS: &[ParamDoc] = &[
    ParamDoc {
        name: "window_bdp",
        allowed: "a number from 0 to 1000",
        default: "1.5",
        about: "The window in bandwidth-delay products: bytes (gaps included) that a host's link carries in the longest base RTT, rounded down",
    },
    ParamDoc {
        name: "window_bytes",
        allowed: "null, or an integer from 0 to 2^50",
        default: "null",
        about: "The window in frame bytes, whatever window_bdp says; null: window_bdp says it",
    },
];

/// The parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Bandwidth-delay products.
    pub bdp: Ratio,
    /// Bytes, in place of that.
    pub bytes: Option<u64>,
}

impl Params {
    /// Reads all keys of [`PARAMS`], in their order.
    #[must_use]
    pub fn read(fields: &mut Fields<'_>) -> Self {
        let bdp = fields.decimal(
            "window_bdp",
            Some(1_500_000),
            Scale::MILLIONTHS,
            0..=1_000_000_000,
        );
        Self {
            bdp: Ratio {
                num: bdp,
                den: 1_000_000,
            },
            bytes: fields.nullable_integer("window_bytes", None, 0..=1 << 50),
        }
    }

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
