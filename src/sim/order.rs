//! The order of flows in a run.

use std::sync::Arc;

use crate::workload::FlowSpec;

/// Flows in order of senders: the numbers that packets carry.
#[derive(Debug)]
pub(super) struct FlowOrder {
    /// For each number, the flow's index in the workload.
    pub(super) index: Vec<usize>,
    /// For each host, its first flow's number; one entry more at the end.
    first: Vec<u32>,
    /// For each host, the numbers of the flows that it receives.
    pub(super) received: Vec<Vec<u32>>,
    /// For each number, its place among those of its receiver.
    pub(super) slots: Arc<[u32]>,
}

impl FlowOrder {
    pub(super) fn new(flows: &[FlowSpec], hosts: u32) -> Self {
        let mut index: Vec<usize> = (0..flows.len()).collect();
        index.sort_by_key(|&i| flows[i].src);
        let mut first = vec![0; hosts as usize + 1];
        for flow in flows {
            first[flow.src as usize + 1] += 1;
        }
        for host in 0..hosts as usize {
            first[host + 1] += first[host];
        }
        let mut received = vec![Vec::new(); hosts as usize];
        let slots = (0_u32..)
            .zip(&index)
            .map(|(number, &i)| {
                let flows = &mut received[flows[i].dst as usize];
                flows.push(number);
                flows.len() as u32 - 1
            })
            .collect();
        Self {
            index,
            first,
            received,
            slots,
        }
    }

    /// The place of flow `number` among those of its receiver.
    pub(super) fn slot(&self, number: u32) -> usize {
        self.slots[number as usize] as usize
    }

    /// The numbers of the flows that `host` sends.
    pub(super) fn sent(&self, host: u32) -> std::ops::Range<u32> {
        self.first[host as usize]..self.first[host as usize + 1]
    }
}
