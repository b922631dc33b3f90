//! Flows: their packets in the order of sending, what has been sent, delivered and acknowledged.

use std::collections::{BTreeMap, VecDeque};

use spraysim::lb::host::{Layer, LivePaths as _};
use spraysim::rng::{Domain, Rng};
use spraysim::scenario::Scenario;
use spraysim::units::{Span, Time};
use spraysim::workload::FlowSpec;

use super::failures::Live;
use super::policies::Policies;
use super::seen::FlowSeen;
use super::wiring::Wiring;

/// One packet of a flow, before it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) subflow: u32,
    pub(crate) payload: u32,
}

/// A flow. Its number is its position among the flows sorted by source host.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) src: usize,
    pub(crate) dst: usize,
    /// Position in the workload.
    pub(crate) position: usize,
    /// Position among the flows that the source sends.
    pub(crate) sent_as: usize,
    /// Position among the flows that the destination receives.
    pub(crate) received_as: usize,
    pub(crate) layer: Layer,
    pub(crate) activates: Time,
    pub(crate) pieces: Vec<Piece>,
    /// How many packets the NIC has started: the next `psn`.
    pub(crate) started: usize,
    /// How many packets have left the NIC.
    pub(crate) left: u64,
    /// Path of each packet sent, by `psn`.
    pub(crate) paths: Vec<u16>,
    pub(crate) arrived: usize,
    pub(crate) acked: usize,
    highest: Option<u32>,
    max_reordering: u64,
    pub(crate) start: Option<Time>,
    pub(crate) end: Option<Time>,
}

impl Flow {
    /// Whether packets remain to be sent.
    pub(crate) fn has_unsent(&self) -> bool {
        self.started < self.pieces.len()
    }

    /// Note the arrival of packet `psn` at the receiver.
    pub(crate) fn arrive(&mut self, psn: u32) {
        self.arrived += 1;
        let highest = self.highest.map_or(psn, |highest| highest.max(psn));
        self.max_reordering = self.max_reordering.max(u64::from(highest - psn));
        self.highest = Some(highest);
    }

    /// What the run shows of it.
    pub(crate) fn seen(&self) -> FlowSeen {
        FlowSeen {
            start: self.start,
            end: self.end,
            packets: self.started as u64,
            max_reordering: self.max_reordering,
        }
    }
}

/// The packets of `bytes`, split in as many subflows as `order` names, one a turn in that order.
pub(crate) fn pieces(bytes: u64, payload_bytes: u32, order: &[u32]) -> Vec<Piece> {
    let parts = order.len() as u64;
    let mut waiting: Vec<VecDeque<Piece>> = Vec::new();
    for subflow in order {
        let mut rest = bytes / parts + u64::from(u64::from(*subflow) < bytes % parts);
        let mut queue = VecDeque::new();
        while rest > 0 {
            let payload = rest.min(u64::from(payload_bytes));
            queue.push_back(Piece {
                subflow: *subflow,
                payload: payload as u32,
            });
            rest -= payload;
        }
        waiting.push(queue);
    }
    let mut pieces = Vec::new();
    while waiting.iter().any(|queue| !queue.is_empty()) {
        pieces.extend(waiting.iter_mut().filter_map(VecDeque::pop_front));
    }
    pieces
}

/// The time that a full data frame and its gap take on the wire.
pub(crate) fn slot(scenario: &Scenario) -> Span {
    let format = &scenario.packet;
    let frame = u64::from(format.payload_bytes) + u64::from(format.header_bytes);
    let rate = scenario.fabric.host_rate();
    rate.tx_time(frame) + rate.tx_time(u64::from(format.gap_bytes))
}

/// The workload's flows by number, each with its packets. `offset` is what each source host starts later.
pub(crate) fn flows_by_number(
    specs: &[FlowSpec],
    offsets: &BTreeMap<usize, Span>,
    scenario: &Scenario,
    seed: u64,
    wiring: &Wiring,
    policies: &Policies,
    live: &Live,
) -> Vec<Flow> {
    let mut by_source: Vec<(usize, &FlowSpec)> = specs.iter().enumerate().collect();
    by_source.sort_by_key(|(_, spec)| spec.src);
    let mut flows: Vec<Flow> = Vec::new();
    for (number, (position, spec)) in by_source.into_iter().enumerate() {
        let (src, dst) = (spec.src as usize, spec.dst as usize);
        let layer = wiring.layer(src, dst);
        let parts = (policies.subflows)(live.count((spec.src, spec.dst)));
        let mut order: Vec<u32> = (0..parts).collect();
        Rng::stream(seed, Domain::SubflowOrder, number as u64).shuffle(&mut order);
        flows.push(Flow {
            src,
            dst,
            position,
            sent_as: flows.iter().filter(|f| f.src == src).count(),
            received_as: flows.iter().filter(|f| f.dst == dst).count(),
            layer,
            activates: spec.start + offsets[&src],
            pieces: pieces(spec.bytes, scenario.packet.payload_bytes, &order),
            started: 0,
            left: 0,
            paths: Vec::new(),
            arrived: 0,
            acked: 0,
            highest: None,
            max_reordering: 0,
            start: None,
            end: None,
        });
    }
    flows
}
