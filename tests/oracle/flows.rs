//! Flows: their packets in the order of sending, what has been sent, delivered and acknowledged.

use std::collections::VecDeque;

use spraysim::lb::host::{Layer, LivePaths as _};
use spraysim::rng::{Domain, Rng};
use spraysim::scenario::Scenario;
use spraysim::units::{Span, Time};
use spraysim::workload::{Dependencies, FlowSpec};

use super::failures::{Live, ends};
use super::policies::Policies;
use super::seen::{AnswersSeen, FlowSeen, RecoverySeen};
use super::triggers;
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
    /// When it activates; `None`: when a trigger says so, but not before `not_before`.
    pub(crate) activates: Option<Time>,
    pub(crate) not_before: Time,
    /// The first message of its connection (itself, if it is alone), and how many packets the messages before it have.
    pub(crate) connection: usize,
    pub(crate) base: u32,
    /// The message behind it.
    pub(crate) behind: Option<usize>,
    /// Whether the message before it has packets left to send; whether it has activated since.
    pub(crate) queued: bool,
    pub(crate) ready: bool,
    /// When it activated.
    pub(crate) release: Option<Time>,
    pub(crate) pieces: Vec<Piece>,
    /// How many packets the NIC has started, each counted once: the next `psn`.
    pub(crate) started: usize,
    /// How many packets have left the NIC, each counted once.
    pub(crate) left: u64,
    /// Path of each packet sent, by `psn`, where nothing is sent again.
    pub(crate) paths: Vec<u16>,
    pub(crate) arrived: usize,
    pub(crate) acked: usize,
    highest: Option<u32>,
    max_reordering: u64,
    pub(crate) recovery: RecoverySeen,
    /// ACKs that came back, marked or not, and the RTTs that they gave.
    pub(crate) acks: Vec<(bool, Option<Span>)>,
    /// Of the first message of a connection: when an ACK, a NACK or a timeout last came to it.
    pub(crate) heard: Option<Time>,
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

    /// What its sender saw, in a `window` if there is one, on a connection that last heard something at `heard`.
    pub(crate) fn answers(&self, window: Option<u64>, heard: Option<Time>) -> AnswersSeen {
        let rtts: Vec<Span> = self.acks.iter().filter_map(|ack| ack.1).collect();
        let sum = rtts.iter().map(|rtt| u128::from(rtt.0)).sum();
        let ends = rtts.iter().min().zip(rtts.iter().max());
        let lasted = self.start.map(|start| {
            let until = self.end.or(heard).unwrap_or(start);
            until.max(start) - start
        });
        AnswersSeen {
            acks: self.acks.len() as u64,
            marked: self.acks.iter().filter(|ack| ack.0).count() as u64,
            rtts: ends.map(|(min, max)| (rtts.len() as u64, sum, *min, *max)),
            window: window.zip(lasted),
        }
    }

    /// What the run shows of it.
    pub(crate) fn seen(&self) -> FlowSeen {
        FlowSeen {
            release: self.release,
            start: self.start,
            end: self.end,
            packets: self.started as u64 + self.recovery.retransmissions,
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

/// The workload's flows by number, each with its packets. `offsets` are what each host starts later.
pub(crate) fn flows_by_number(
    (specs, dependencies): (&[FlowSpec], &Dependencies),
    offsets: &[Span],
    scenario: &Scenario,
    seed: u64,
    (wiring, live): (&Wiring, &Live),
    policies: &Policies,
) -> Vec<Flow> {
    let mut flows: Vec<Flow> = Vec::new();
    for (number, position) in triggers::order(specs, dependencies).into_iter().enumerate() {
        let spec = &specs[position];
        let connection = triggers::connection_of(position, dependencies);
        let connection = connection.filter(|messages| messages[0] != position);
        let before = connection.map(|_| number - 1);
        if let Some(before) = before {
            flows[before].behind = Some(number);
        }
        let before = before.map(|before| &flows[before]);
        let timed = triggers::trigger_of(position, dependencies).is_none();
        let (src, dst) = (spec.src as usize, spec.dst as usize);
        let layer = wiring.layer(src, dst);
        let parts = (policies.subflows)(live.count(ends(spec)));
        let mut order: Vec<u32> = (0..parts).collect();
        Rng::stream(seed, Domain::SubflowOrder, number as u64).shuffle(&mut order);
        flows.push(Flow {
            src,
            dst,
            position,
            sent_as: flows.iter().filter(|f| f.src == src).count(),
            received_as: flows.iter().filter(|f| f.dst == dst).count(),
            layer,
            activates: timed.then(|| spec.start + offsets[src]),
            not_before: spec.start,
            connection: before.map_or(number, |before| before.connection),
            base: before.map_or(0, |before| before.base + before.pieces.len() as u32),
            behind: None,
            queued: before.is_some(),
            ready: false,
            release: None,
            pieces: pieces(spec.bytes, scenario.packet.payload_bytes, &order),
            started: 0,
            left: 0,
            paths: Vec::new(),
            arrived: 0,
            acked: 0,
            highest: None,
            max_reordering: 0,
            recovery: RecoverySeen::default(),
            acks: Vec::new(),
            heard: None,
            start: None,
            end: None,
        });
    }
    flows
}

/// One bandwidth-delay product in full data packets.
pub(crate) fn bdp_packets(scenario: &Scenario) -> u32 {
    (base_rtt(scenario).0 / slot(scenario).0).max(1) as u32
}

/// Round trip of a full data frame and its ACK between hosts as far apart as any.
pub(crate) fn base_rtt(scenario: &Scenario) -> Span {
    let (fabric, format) = (&scenario.fabric, &scenario.packet);
    let levels = usize::from(fabric.shape.levels);
    let up: Vec<_> = fabric.tiers[..levels].iter().collect();
    let frame = u64::from(format.payload_bytes) + u64::from(format.header_bytes);
    let one_way = |bytes: u64| {
        let links = up.iter().chain(up.iter().rev());
        let wires: u64 = links
            .map(|tier| (tier.latency + tier.rate.tx_time(bytes)).0)
            .sum();
        // Every switch below the top is passed twice.
        let switches = up.iter().chain(up[..levels - 1].iter());
        wires + switches.map(|tier| tier.switch_latency.0).sum::<u64>()
    };
    Span(one_way(frame) + one_way(u64::from(format.ack_bytes)))
}
