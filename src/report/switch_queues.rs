//! All output queues of switches of one run taken together.

use super::cells::Mean;
use super::summary::queue_span;
use crate::sim::{RunResult, Stage, StageResult};

/// What they held.
#[derive(Debug)]
pub(super) struct SwitchQueues {
    pub(super) max_packets: u64,
    pub(super) max_bytes: u64,
    pub(super) max_stage: &'static str,
    pub(super) up_packet_ps: u128,
    pub(super) down_packet_ps: u128,
    /// Queues x span.
    port_ps: u128,
}

impl SwitchQueues {
    pub(super) fn of(result: &RunResult) -> Self {
        let links = || result.links.iter().filter(|link| link.stage != Stage::Nic);
        let max_packets = links()
            .map(|link| link.queue_max_packets)
            .max()
            .unwrap_or(0);
        let fullest = links()
            .filter(|link| link.queue_max_packets == max_packets && max_packets > 0)
            .map(|link| link.stage)
            .min();
        let stages = || {
            result
                .stages
                .iter()
                .filter(|stage| stage.stage != Stage::Nic)
        };
        let is_up = |stage: &&StageResult| matches!(stage.stage, Stage::Ea | Stage::Ac);
        let ports: u64 = stages().map(|stage| stage.ports).sum();
        Self {
            max_packets,
            max_bytes: links().map(|link| link.queue_max_bytes).max().unwrap_or(0),
            max_stage: fullest.map_or("", Stage::name),
            up_packet_ps: stages().filter(is_up).map(|stage| stage.packet_ps).sum(),
            down_packet_ps: stages()
                .filter(|stage| !is_up(stage))
                .map(|stage| stage.packet_ps)
                .sum(),
            port_ps: u128::from(ports) * u128::from(queue_span(result).0),
        }
    }

    pub(super) fn mean(&self, packet_ps: u128) -> Mean {
        Mean::ratio(packet_ps as f64, self.port_ps as f64)
    }
}
