//! Random small scenarios, each named by a number: every knob of the model, with a liking for coincidences.
//!
//! Sizes and latencies that are multiples of one another make things happen at one instant, where only the order of events decides;
//! odd ones make rounding show.

use std::sync::Arc;

use spraysim::fields::Words as _;
use spraysim::rng::{Domain, Rng};
use spraysim::scenario::{
    AckTurns, Acks, CongestionControl, Fabric, Imperfection, Nic, PacketFormat, RhoMaxRule,
    Scenario, StartJitter, Tier, Workload,
};
use spraysim::settings::{CoreNumbers, Shape};
use spraysim::theory::rho_max;
use spraysim::units::{Rate, Ratio, Span, Time};
use spraysim::workload::pairs::Pairs;
use spraysim::workload::{Dependencies, FlowSpec, Traffic};

use super::dependencies;
use super::faulty::random_failures;
use super::flows::slot;
use super::imperfect;
use super::mixed::random_deployments;
use super::schemes::random_scheme;

/// A scenario, its flows and its seed.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) scenario: Scenario,
    pub(crate) flows: Vec<FlowSpec>,
    pub(crate) dependencies: Dependencies,
    pub(crate) seed: u64,
}

/// Draws.
#[derive(Debug)]
pub(crate) struct Dice(Rng);

impl Dice {
    /// Those of a stream.
    pub(crate) fn new(stream: Rng) -> Self {
        Self(stream)
    }

    /// One of `options`.
    pub(crate) fn one_of<T: Clone>(&mut self, options: &[T]) -> T {
        options[self.0.below(options.len() as u32) as usize].clone()
    }

    /// An integer from `low` to `high`.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.0.below_u64(high - low + 1)
    }

    /// Put `items` in a random order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        self.0.shuffle(items);
    }

    /// True in `percent` of 100 cases.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.0.below(100) < percent
    }
}

impl Case {
    /// The case of that number.
    pub(crate) fn numbered(number: u64) -> Self {
        let mut dice = Dice(Rng::stream(0x000A_C1E5, Domain::Permutation, number));
        let mut scenario = scenario(&mut dice, number);
        scenario.deployments = random_deployments(&mut dice, &scenario);
        let mut flows = flows(&mut dice, &scenario);
        if dice.chance(15) {
            let last = flows.iter().map(|f| f.start.0).max().unwrap_or(0);
            let about = last + 12 * scenario.fabric.shortest_latency().0 + 60 * slot(&scenario).0;
            scenario.horizon = Some(Time(dice.between(0, about)));
        }
        let seed = dice.between(0, u64::from(u32::MAX));
        let dependencies = match dice.chance(45) {
            true => dependencies::random(&mut dice, &mut scenario, &mut flows),
            false => Dependencies::default(),
        };
        scenario.workload.kind = Arc::new(Pairs {
            traffic: Traffic {
                flows: flows.clone(),
                dependencies: dependencies.clone(),
                mice: 0,
            },
        });
        if dice.chance(60) {
            imperfect::spoil(&mut scenario, &mut dice);
        }
        if dice.chance(40) {
            let failures = random_failures(&mut dice, &scenario, &flows, seed);
            scenario.fabric.failures = Some(failures);
        }
        let known = scenario.fabric.failures.is_none() && rho_max::is_one(&scenario.fabric);
        if scenario.congestion_control.rho_max == RhoMaxRule::Lp && !known {
            scenario.congestion_control.rho_max = RhoMaxRule::PathEqual;
        }
        scenario.workload.pacing_jitter_adds = dice.chance(50);
        Self {
            scenario,
            flows,
            dependencies,
            seed,
        }
    }
}

fn scenario(dice: &mut Dice, number: u64) -> Scenario {
    let load_balancing = random_scheme(dice);
    let acks = if load_balancing.needs_acks() || dice.chance(75) {
        Acks::PerPacket
    } else {
        Acks::None
    };
    let load = dice.one_of(&[
        (1, 1),
        (1, 1),
        (1, 1),
        (9, 10),
        (37, 100),
        (1, 3),
        (999, 1_000),
    ]);
    let jitter = dice.one_of(&[(0, 1), (0, 1), (0, 1), (1, 1), (3, 10), (50, 1), (100, 1)]);
    let packet = packet_format(dice, acks);
    Scenario {
        name: format!("case {number}"),
        fabric: fabric(dice, &packet),
        packet,
        load_balancing,
        deployments: Vec::new(),
        transport: None,
        congestion_control: CongestionControl {
            controller: spraysim::cc::Controller::default(),
            load: ratio(load),
            rho_max: RhoMaxRule::WORDS[number as usize % 4].1,
        },
        nic: Nic {
            ack_turns: dice.one_of(&[AckTurns::Class, AckTurns::Flow]),
            control_per_data: 1,
        },
        workload: Workload {
            kind: Arc::new(Pairs::default()),
            mice: None,
            start_jitter: dice.one_of(&[StartJitter::Slot, StartJitter::None]),
            stragglers: None,
            pacing_jitter_pct: ratio(jitter),
            pacing_jitter_adds: false,
        },
        imperfection: Imperfection::default(),
        trigger_latency: None,
        horizon: None,
    }
}

fn ratio((num, den): (u64, u64)) -> Ratio {
    Ratio { num, den }
}

fn packet_format(dice: &mut Dice, acks: Acks) -> PacketFormat {
    let any = dice.between(1, 9_000) as u32;
    let payload_bytes = dice.one_of(&[1, 100, 1_000, 4_096, 9_000, any, any]);
    let header_bytes = dice.one_of(&[0, 0, 1, 62, 62, 40]);
    let full = payload_bytes + header_bytes;
    PacketFormat {
        payload_bytes,
        header_bytes,
        ack_bytes: dice.one_of(&[64, 64, 1, 84, full, full + 1, 2 * full + 77]),
        gap_bytes: dice.one_of(&[20, 20, 0, 0, 1, 12, full, 1_000]),
        acks,
    }
}

fn fabric(dice: &mut Dice, packet: &PacketFormat) -> Fabric {
    let any_rate = dice.between(1_000_000_000, 900_000_000_000);
    let gbps = 1_000_000_000;
    let rates = [
        800 * gbps,
        800 * gbps,
        100 * gbps,
        300 * gbps,
        7 * gbps,
        any_rate,
    ];
    let link_rate = Rate::from_bits_per_sec(dice.one_of(&rates));
    let frame = u64::from(packet.payload_bytes + packet.header_bytes);
    let gap = link_rate.tx_time(u64::from(packet.gap_bytes));
    let slot = (link_rate.tx_time(frame) + gap).0;
    let (any_latency, multiple) = (dice.between(1, 1_000_000), slot * dice.between(1, 12));
    let latencies = [
        500_000,
        500_000,
        1_000,
        10_000,
        37,
        any_latency,
        multiple,
        multiple,
    ];
    let link_latency = dice.one_of(&latencies);
    let switch_latencies = [
        0,
        0,
        0,
        1,
        1_000,
        any_latency / 3,
        slot,
        multiple,
        link_latency,
    ];
    let (buffer, ecn_threshold_bytes) = limits(dice, frame);
    let tier = Tier {
        rate: link_rate,
        latency: Span(link_latency),
        switch_latency: Span(dice.one_of(&switch_latencies)),
        down_buffer_bytes: buffer,
        up_buffer_bytes: buffer,
    };
    if dice.chance(50) {
        let (levels, k) = (dice.one_of(&[2, 3, 3]), dice.one_of(&[2, 4, 4, 6]));
        return Fabric {
            ecn_threshold_bytes,
            ..Fabric::plain(levels, k, tier)
        };
    }
    Fabric {
        shape: shape(dice),
        tiers: [(); 3].map(|()| other_tier(dice, tier, frame)),
        ecn_threshold_bytes,
        ..Fabric::plain(2, 2, tier)
    }
}

/// A tree with bundles, oversubscription and odd radices.
fn shape(dice: &mut Dice) -> Shape {
    let mut count = |most: u64| dice.between(1, most) as u32;
    let levels = 1 + count(2) as u8;
    let three = levels == 3;
    let mut shape = Shape {
        levels,
        pods: if three { 1 + count(2) } else { 1 },
        edges_per_pod: 1 + count(2),
        hosts_per_edge: count(4),
        aggs_per_pod: count(3),
        cores_per_agg: if three { count(3) } else { 0 },
        edge_bundle: count(3),
        agg_bundle: if three { count(3) } else { 1 },
        cores: CoreNumbers::Strides,
    };
    if dice.chance(30) {
        shape.cores = CoreNumbers::Blocks;
    }
    shape
}

/// `tier`, or with a rate, a latency and buffers of its own.
fn other_tier(dice: &mut Dice, mut tier: Tier, frame: u64) -> Tier {
    if dice.chance(40) {
        let rate = tier.rate.bits_per_sec();
        tier.rate =
            Rate::from_bits_per_sec(dice.one_of(&[rate.div_ceil(2), rate.div_ceil(3), 2 * rate]));
    }
    if dice.chance(40) {
        tier.latency.0 += dice.between(0, 2 * tier.latency.0);
    }
    if dice.chance(30) {
        tier.switch_latency.0 += dice.between(0, 1_000);
    }
    if dice.chance(30) {
        tier.up_buffer_bytes = Some(dice.between(frame, 8 * frame));
    }
    if dice.chance(30) {
        tier.down_buffer_bytes = Some(dice.between(frame, 8 * frame));
    }
    tier
}

/// A buffer and an ECN threshold, in bytes.
fn limits(dice: &mut Dice, frame: u64) -> (Option<u64>, Option<u64>) {
    let any_buffer = dice.between(frame, 12 * frame);
    let buffers = [
        None,
        None,
        None,
        Some(any_buffer),
        Some(5 * frame),
        Some(frame - 1),
    ];
    let any_threshold = dice.between(0, 6 * frame);
    let thresholds = [None, Some(any_threshold), Some(2 * frame), Some(0)];
    (dice.one_of(&buffers), dice.one_of(&thresholds))
}

fn flows(dice: &mut Dice, scenario: &Scenario) -> Vec<FlowSpec> {
    let shape = &scenario.fabric.shape;
    let hosts = u64::from(shape.pods * shape.edges_per_pod * shape.hosts_per_edge);
    let pairs = if dice.chance(50) {
        derangement(dice, hosts)
    } else {
        let count = dice.between(1, 2 * hosts.min(16));
        (0..count).map(|_| pair(dice, hosts)).collect()
    };
    let message = dice.chance(60).then(|| bytes(dice, scenario));
    let staggered = dice.chance(50);
    let mut flows = Vec::new();
    for (id, (src, dst)) in pairs.into_iter().enumerate() {
        let bytes = message.unwrap_or_else(|| bytes(dice, scenario));
        let start = if staggered { start(dice, scenario) } else { 0 };
        flows.push(FlowSpec {
            id: id as u64,
            src: src as u32,
            dst: dst as u32,
            bytes,
            start: Time(start),
        });
    }
    flows
}

/// One flow a host, none to itself.
fn derangement(dice: &mut Dice, hosts: u64) -> Vec<(u64, u64)> {
    let mut to: Vec<u64> = (0..hosts).collect();
    while (0..hosts).zip(&to).any(|(src, dst)| src == *dst) {
        dice.0.shuffle(&mut to);
    }
    (0..hosts).zip(to).collect()
}

/// Two different hosts, the second often one of the first few: many senders to one receiver.
fn pair(dice: &mut Dice, hosts: u64) -> (u64, u64) {
    loop {
        let few = dice.one_of(&[hosts, hosts, hosts.min(3)]);
        let (src, dst) = (dice.between(0, hosts - 1), dice.between(0, few - 1));
        if src != dst {
            return (src, dst);
        }
    }
}

pub(super) fn bytes(dice: &mut Dice, scenario: &Scenario) -> u64 {
    let payload = u64::from(scenario.packet.payload_bytes);
    let longest = dice.one_of(&[1, 3, 12, 30, 80]);
    let packets = dice.between(1, longest);
    match dice.between(0, 5) {
        0 => dice.between(1, 10),
        1 | 2 => packets * payload,
        _ => (packets - 1) * payload + dice.between(1, payload),
    }
}

fn start(dice: &mut Dice, scenario: &Scenario) -> u64 {
    let slot = slot(scenario).0;
    let frame = u64::from(scenario.packet.payload_bytes + scenario.packet.header_bytes);
    let slots = dice.between(0, 20);
    let fabric = &scenario.fabric;
    let hop = fabric.shortest_latency() + fabric.host_rate().tx_time(frame);
    let way = |links: u64| (hop * links + fabric.tiers[0].switch_latency * (links - 1)).0;
    let links = dice.one_of(&[2, 4, 6]);
    match dice.between(0, 5) {
        0 => 0,
        5 => way(links) + slots * slot,
        1 | 2 => slots * slot,
        3 => dice.between(0, 20 * slot),
        _ => dice.between(0, 12 * scenario.fabric.shortest_latency().0 + 60 * slot),
    }
}
