//! BITMAP: a flow takes all entropy values in turn, as in RPS with masked cycles, but passes over those that met congestion or loss.
//!
//! Definition: BITMAP of uet-htsim (`UecMpBitmap` in `uec_mp.cpp`), the multipath of its UET (Ultra Ethernet transport) model. Each value
//! of a flow has a penalty. A mark, a NACK and a timeout add to it, up to a limit. For each packet the values are tried in the order of
//! the flow's masked cycle (see `masked_cycle`, also for what is drawn): one with a penalty is skipped. Of the values skipped for one
//! packet, only the first loses 1. After as many skips as there are values, the next one is taken whatever its penalty. A cycle that ends
//! while values are skipped is followed by the next one, with a new mask. An ACK carries the value of its data packet.
//!
//! Our readings: a timeout is charged to the value of the packet that timed out (uet-htsim forgets that value and charges value 0). Each
//! penalty is a parameter; there, a timeout adds the limit. What counts as a NACK is the host's to say: `Outcome::Trimmed`.
//!
//! Not modelled: a penalty for feedback that ACKs withhold (with coalesced ACKs only the value that an ACK echoes is judged), and
//! penalties that time takes away.

use super::masked_cycle::MaskedCycles;
use super::{Feedback, HostEnv, Outcome, PathPolicy, Split, TxInfo};
use crate::fields::{integer, params, power_of_two};
use crate::rng::Rng;

/// What users read about it.
pub const ABOUT: &str = "Hosts take all entropy values in turn, but pass over those that met congestion or loss of late.";

params! {
    /// The parameters of BITMAP, and of MIXED.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Params {
        /// Number of entropy values of a flow, and bytes that it takes to remember their penalties. uet-htsim, a simulator: its paths (64
        /// unless told otherwise).
        pub entropy_count: u32 = key("entropy_count", power_of_two(1..=1 << 16), default = 64),
        /// What an ACK with an ECN mark adds to the penalty of its packet's value. uet-htsim, a simulator: 1.
        pub ecn_penalty: u8 = key("ecn_penalty", integer(0..=255), default = 1),
        /// What a NACK that speaks against the path adds. uet-htsim, a simulator: 4.
        pub nack_penalty: u8 = key("nack_penalty", integer(0..=255), default = 4),
        /// What a timeout adds. uet-htsim, a simulator: the limit, 15 (there to value 0, here to the packet's).
        pub timeout_penalty: u8 = key("timeout_penalty", integer(0..=255), default = 15),
        /// The limit of a penalty: what would bring it above leaves it there. uet-htsim, a simulator: 15.
        pub max_penalty: u8 = key("max_penalty", integer(1..=255), default = 15),
    }
}

impl Params {
    /// Bytes of penalties that a flow takes.
    #[must_use]
    pub const fn bytes_per_flow(&self) -> u64 {
        self.entropy_count as u64
    }
}

impl Split for Params {}

/// BITMAP on one host: 4 bytes a flow and one for each value, so 68 with 64 values.
#[derive(Clone, Debug)]
pub struct Bitmap {
    params: Params,
    cycles: MaskedCycles,
    /// The penalties of each flow's values, flows back to back.
    penalties: Box<[u8]>,
}

impl Bitmap {
    /// The policy of the host of `env`.
    #[must_use]
    pub fn new(params: &Params, env: &HostEnv) -> Self {
        let cycles = MaskedCycles::new(params.entropy_count, env);
        Self {
            penalties: vec![0; env.sent_flows.len() * cycles.count()].into(),
            params: params.clone(),
            cycles,
        }
    }

    /// The penalty of a flow's value.
    #[inline]
    fn penalty(&mut self, local_flow: usize, value: u16) -> &mut u8 {
        let place = local_flow * self.cycles.count() + self.cycles.index(value);
        &mut self.penalties[place]
    }

    /// The value that is taken where `value` has a penalty.
    #[cold]
    fn skip(&mut self, local_flow: usize, mut value: u16, rng: &mut Rng) -> u16 {
        *self.penalty(local_flow, value) -= 1;
        for _ in 1..self.cycles.count() {
            value = self.cycles.next(local_flow, rng);
            if *self.penalty(local_flow, value) == 0 {
                return value;
            }
        }
        self.cycles.next(local_flow, rng)
    }
}

impl PathPolicy for Bitmap {
    #[inline]
    fn data_path(&mut self, tx: &TxInfo, rng: &mut Rng) -> u16 {
        let value = self.cycles.next(tx.local_flow, rng);
        if *self.penalty(tx.local_flow, value) == 0 {
            return value;
        }
        self.skip(tx.local_flow, value, rng)
    }

    #[inline]
    fn ack_path(&mut self, _tx: &TxInfo, data_path: u16, _rng: &mut Rng) -> u16 {
        data_path
    }

    #[inline]
    fn on_feedback(&mut self, local_flow: usize, feedback: &Feedback) {
        let added = match feedback.outcome {
            Outcome::Good => return,
            Outcome::Ecn => self.params.ecn_penalty,
            Outcome::Trimmed => self.params.nack_penalty,
            Outcome::Timeout => self.params.timeout_penalty,
        };
        let most = self.params.max_penalty;
        let penalty = self.penalty(local_flow, feedback.path);
        *penalty = penalty.saturating_add(added).min(most);
    }
}

#[cfg(test)]
mod tests;
