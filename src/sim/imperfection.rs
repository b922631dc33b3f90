//! What of a run is imperfect: clocks, latencies, and the order of what meets.

use super::build::Builder;
use crate::engine::Ties;
use crate::rng::{Domain, Rng};
use crate::settings::TieBreak;
use crate::switch::LatencyStage;
use crate::units::{Drift, Span};

impl Builder<'_> {
    /// How slow the clock of `host` is: uniform from none to twice the skew.
    pub(super) fn drift(&self, host: u32) -> Drift {
        match self.scenario.imperfection.clock_skew {
            Drift::NONE => Drift::NONE,
            Drift(skew) => {
                let mut rng = Rng::stream(self.seed, Domain::ClockSkew, u64::from(host));
                Drift(rng.below_u64(2 * skew + 1))
            }
        }
    }

    /// What switch number `id`, of `ports` ports and with `latency`, takes between a decision and the output queue.
    pub(super) fn latency_stage(&self, id: u32, ports: u32, latency: Span) -> LatencyStage {
        match self.scenario.imperfection.switch_jitter {
            Span::ZERO => LatencyStage::new(latency),
            jitter => {
                let rng = Rng::stream(self.seed, Domain::SwitchJitter, u64::from(id));
                LatencyStage::jittery(latency, jitter, rng, ports as usize)
            }
        }
    }

    /// How each of `nodes` orders what arrives at one instant.
    pub(super) fn ties(&self, nodes: &[u32]) -> Vec<Ties> {
        let ties = |&node: &u32| {
            let mut rng = Rng::stream(self.seed, Domain::TieBreak, u64::from(node));
            let high = u64::from(rng.bits()) << 32;
            Ties::new(high | u64::from(rng.bits()))
        };
        match self.scenario.imperfection.tie_break {
            TieBreak::IngressPort => Vec::new(),
            TieBreak::Random => nodes.iter().map(ties).collect(),
        }
    }
}
