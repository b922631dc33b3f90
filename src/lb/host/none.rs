//! No host part: the field stays 0 and switches do not read it.

use super::{HostEnv, PathPolicy, Split, TxInfo};
use crate::fields::params;
use crate::rng::Rng;

params! {
    /// There are no parameters.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Params;
}

impl Split for Params {}

/// Stamps nothing.
#[derive(Clone, Debug)]
pub struct Unstamped;

impl Unstamped {
    /// The policy of any host.
    #[must_use]
    pub fn new(_params: &Params, _env: &HostEnv) -> Self {
        Self
    }
}

impl PathPolicy for Unstamped {
    #[inline]
    fn data_path(&mut self, _tx: &TxInfo, _rng: &mut Rng) -> u16 {
        0
    }

    #[inline]
    fn ack_path(&mut self, _tx: &TxInfo, _data_path: u16, _rng: &mut Rng) -> u16 {
        0
    }
}
