//! The numbers of flows: what packets carry, and the order in which hosts hold them.

use std::sync::Arc;

use crate::workload::Traffic;

/// Flows in order of senders, the messages of a connection one after another: the numbers that packets carry.
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
    /// The numbers of messages that follow another on their connection, sorted.
    follows: Vec<u32>,
}

impl FlowOrder {
    pub(super) fn new(traffic: &Traffic, hosts: u32) -> Self {
        let flows = &traffic.flows;
        // Messages stand where the first of their connection does.
        let mut place: Vec<usize> = (0..flows.len()).collect();
        for connection in &traffic.dependencies.connections {
            for message in &connection.messages {
                place[message.flow as usize] = connection.messages[0].flow as usize;
            }
        }
        let mut index: Vec<usize> = (0..flows.len()).collect();
        index.sort_by_key(|&i| (flows[i].src, place[i]));
        let follows = (0_u32..).zip(&index).filter(|&(_, &i)| place[i] != i);
        let follows = follows.map(|(number, _)| number).collect();
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
            follows,
        }
    }

    /// Whether flow `number` follows another message on its connection.
    pub(super) fn follows(&self, number: u32) -> bool {
        self.follows.binary_search(&number).is_ok()
    }

    /// For each flow of the workload, its number.
    pub(super) fn numbers(&self) -> Vec<u32> {
        let mut numbers = vec![0; self.index.len()];
        for (&index, number) in self.index.iter().zip(0..) {
            numbers[index] = number;
        }
        numbers
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
