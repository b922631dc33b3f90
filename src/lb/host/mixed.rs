//! MIXED: a flow sends each entropy value that came back unmarked once more, oldest first; for want of any, one that BITMAP gives.
//!
//! Definition: MIXED of uet-htsim (`UecMpMixed` in `uec_mp.cpp`): the list of values of its REPS_LEGACY, without that one's first window,
//! before its BITMAP. Every feedback without a mark or a complaint puts its value at the end of the flow's list, which has no limit; each
//! packet takes the first value off it. Feedback goes to both parts, so a value may have a penalty and be sent again all the same. While
//! there are values on the list, BITMAP's cycle stands still and no penalty goes down. An ACK carries the value of its data packet.
//!
//! The list holds at most about as many values as a flow has packets in flight: an ACK adds one, a packet takes one. Otherwise as BITMAP,
//! see `bitmap`, also for what is not modelled. A repeated ACK for a packet that was sent twice adds its value twice.

use std::collections::VecDeque;

use super::bitmap::Bitmap;
pub use super::bitmap::Params;
use super::{Feedback, HostEnv, Outcome, PathPolicy, TxInfo};
use crate::rng::Rng;

/// What users read about it.
pub const ABOUT: &str = "Hosts use a path again when its ACK came back unmarked; for want of any, that which bitmap gives.";

/// MIXED on one host: BITMAP, 32 bytes a flow, and 2 bytes for each place of its list.
#[derive(Clone, Debug)]
pub struct Mixed {
    bitmap: Bitmap,
    /// By local flow: values that came back unmarked, oldest first.
    good: Box<[VecDeque<u16>]>,
}

impl Mixed {
    /// The policy of the host of `env`.
    #[must_use]
    pub fn new(params: &Params, env: &HostEnv) -> Self {
        Self {
            bitmap: Bitmap::new(params, env),
            good: vec![VecDeque::new(); env.sent_flows.len()].into(),
        }
    }
}

impl PathPolicy for Mixed {
    #[inline]
    fn data_path(&mut self, tx: &TxInfo, rng: &mut Rng) -> u16 {
        match self.good[tx.local_flow].pop_front() {
            Some(value) => value,
            None => self.bitmap.data_path(tx, rng),
        }
    }

    #[inline]
    fn ack_path(&mut self, _tx: &TxInfo, data_path: u16, _rng: &mut Rng) -> u16 {
        data_path
    }

    #[inline]
    fn on_feedback(&mut self, local_flow: usize, feedback: &Feedback) {
        self.bitmap.on_feedback(local_flow, feedback);
        if feedback.outcome == Outcome::Good {
            self.good[local_flow].push_back(feedback.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Layer;
    use super::super::fake::{env, feedback, stream, tx};
    use super::*;

    fn mixed(flows: u32) -> Mixed {
        let params = Params {
            entropy_count: 4,
            ..Params::default()
        };
        Mixed::new(&params, &env(6, flows))
    }

    #[test]
    fn values_that_came_back_go_out_oldest_first_and_once_per_ack() {
        let mut mixed = mixed(2);
        let mut rng = stream();
        let [own, other] = [0, 1].map(|flow| tx(flow, Layer::InterPod));
        let sent: Vec<_> = (0..3).map(|_| mixed.data_path(&own, &mut rng)).collect();
        for back in [2, 0, 0] {
            mixed.on_feedback(0, &feedback(sent[back], Outcome::Good));
        }
        let mut bitmap = mixed.bitmap.clone();
        let of_other = mixed.data_path(&other, &mut rng);
        assert!(!sent.contains(&of_other), "lists are the flows' own");
        let again: Vec<_> = (0..3).map(|_| mixed.data_path(&own, &mut rng)).collect();
        assert_eq!(again, [sent[2], sent[0], sent[0]]);
        // Then the cycle goes on where it stood.
        let fourth = mixed.data_path(&own, &mut rng);
        assert_eq!(fourth, bitmap.data_path(&own, &mut stream()));
        assert!(!sent.contains(&fourth));
    }

    #[test]
    fn feedback_goes_to_both_parts() {
        let mut mixed = mixed(1);
        let mut rng = stream();
        let tx = tx(0, Layer::InterPod);
        let cycle: Vec<_> = (0..4).map(|_| mixed.data_path(&tx, &mut rng)).collect();
        let bad = cycle[1];
        // A mark, a NACK and a timeout put nothing on the list; a good answer does, whatever the penalty.
        for outcome in [Outcome::Ecn, Outcome::Trimmed, Outcome::Timeout] {
            mixed.on_feedback(0, &feedback(bad, outcome));
        }
        assert!(mixed.good[0].is_empty());
        mixed.on_feedback(0, &feedback(bad, Outcome::Good));
        assert_eq!(mixed.data_path(&tx, &mut rng), bad);
        for _ in 0..12 {
            assert_ne!(mixed.data_path(&tx, &mut rng), bad, "the bitmap skips it");
        }
    }

    #[test]
    fn an_ack_carries_the_value_of_its_packet() {
        let mut mixed = mixed(1);
        let tx = tx(0, Layer::InterPod);
        assert_eq!(mixed.ack_path(&tx, 77, &mut stream()), 77);
    }
}
