//! No congestion control: an open loop paced at the offered load (paper, section 2.2).

use super::{CcEnv, CongestionControl};
use crate::fields::params;

/// What users read about it.
pub const ABOUT: &str =
    "Open loop: hosts send at a fixed fraction of line rate, whatever is in flight.";

params! {
    /// Its parameters: none.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Params;
}

impl Params {
    /// The controller of any connection.
    #[must_use]
    pub const fn build(&self, _env: &CcEnv) -> Unlimited {
        Unlimited
    }
}

/// A connection that may send whatever it has.
#[derive(Clone, Copy, Debug)]
pub struct Unlimited;

impl CongestionControl for Unlimited {
    fn window(&self) -> u64 {
        u64::MAX
    }
}
