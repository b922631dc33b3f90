//! The paper's scenario and ways to run it, shared by all modules.

use std::sync::{Arc, LazyLock};

use spraysim::lb::host::{HostScheme, none};
use spraysim::lb::switch::SwitchScheme;
use spraysim::lb::switch::ofan;
use spraysim::lb::{SCHEMES, Scheme, SchemeRow};
use spraysim::rng::mix64;
use spraysim::scenario::{
    AckTurns, Acks, CongestionControl, Fabric, Imperfection, Nic, PacketFormat, RhoMaxRule,
    Scenario, StartJitter, Tier, Workload,
};
use spraysim::sim::{self, Engine, Progress, RunOptions, RunResult, Stage};
use spraysim::topology::FatTree;
use spraysim::units::{Rate, Ratio, Span, Time};
use spraysim::workload::permutation::Permutation;
use spraysim::workload::{FlowSpec, Traffic};

/// The names of all schemes.
pub(super) static ALL: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| SCHEMES.iter().map(|row| row.name).collect());

/// The schemes that send a message as ceil(bytes / payload) packets: all that do not split flows.
pub(super) fn unsplit() -> impl Iterator<Item = &'static str> {
    let whole = |row: &&SchemeRow| row.usual().host.subflows(4) == 1;
    SCHEMES.iter().filter(whole).map(|row| row.name)
}

/// Payload of a full packet.
pub(super) const PAYLOAD: u64 = 4096;
/// A full data frame and its gap at 800 Gb/s (T'_d).
pub(super) const SLOT: u64 = 41_780;
/// A full data frame (T_d).
pub(super) const DATA: u64 = 41_580;

/// The paper's permutation of 1 MiB messages on a tree of `levels` and `k`, under `scheme`.
pub(super) fn paper(levels: u8, k: u32, scheme: &str) -> Scenario {
    Scenario {
        name: "physics".into(),
        fabric: Fabric {
            ecn_threshold_bytes: Some(80_000),
            ..Fabric::plain(
                levels,
                k,
                Tier {
                    rate: Rate::from_gbps(800),
                    latency: Span::from_ns(500),
                    switch_latency: Span::ZERO,
                    down_buffer_bytes: None,
                    up_buffer_bytes: None,
                },
            )
        },
        packet: PacketFormat {
            payload_bytes: 4096,
            header_bytes: 62,
            ack_bytes: 64,
            gap_bytes: 20,
            acks: Acks::PerPacket,
        },
        load_balancing: Scheme::by_name(scheme).expect("a scheme of the table"),
        deployments: Vec::new(),
        transport: None,
        congestion_control: CongestionControl {
            controller: spraysim::cc::Controller::default(),
            load: Ratio::ONE,
            rho_max: RhoMaxRule::PathEqual,
        },
        nic: Nic {
            ack_turns: AckTurns::Class,
            control_per_data: 1,
        },
        workload: Workload {
            kind: Arc::new(Permutation {
                message_bytes: 1 << 20,
                inter_pod_only: false,
            }),
            mice: None,
            start_jitter: StartJitter::Slot,
            stragglers: None,
            pacing_jitter_pct: Ratio { num: 0, den: 1 },
            pacing_jitter_adds: false,
        },
        imperfection: Imperfection::default(),
        trigger_latency: None,
        horizon: None,
    }
}

/// Changes to a scenario, chained.
pub(super) trait With: Sized {
    /// Without ACKs: the theorems' condition.
    fn quiet(self) -> Self;
    /// A permutation of messages of `bytes`.
    fn permutation(self, bytes: u64, inter_pod_only: bool) -> Self;
    /// All hosts start at 0.
    fn at_once(self) -> Self;
    /// Hosts paced at this fraction of line rate.
    fn load(self, num: u64, den: u64) -> Self;
    /// Ofan with these parameters.
    fn ofan(self, params: ofan::Params) -> Self;
}

impl With for Scenario {
    fn quiet(mut self) -> Self {
        self.packet.acks = Acks::None;
        self
    }

    fn permutation(mut self, message_bytes: u64, inter_pod_only: bool) -> Self {
        self.workload.kind = Arc::new(Permutation {
            message_bytes,
            inter_pod_only,
        });
        self
    }

    fn at_once(mut self) -> Self {
        self.workload.start_jitter = StartJitter::None;
        self
    }

    fn load(mut self, num: u64, den: u64) -> Self {
        self.congestion_control.load = Ratio { num, den };
        self
    }

    fn ofan(mut self, params: ofan::Params) -> Self {
        self.load_balancing = by_switch("ofan", SwitchScheme::Ofan(params));
        self
    }
}

/// A scheme of switches alone.
pub(super) fn by_switch(name: &'static str, switch: SwitchScheme) -> Scheme {
    Scheme {
        name,
        switch,
        host: HostScheme::None(none::Params),
    }
}

/// The tree of a scenario.
pub(super) fn tree(scenario: &Scenario) -> FatTree {
    FatTree::of(scenario.fabric.shape)
}

fn options(scenario: &Scenario, record_paths: bool) -> RunOptions {
    // A window is one link latency: with next to none of it, event by event is faster.
    let tiny = scenario.fabric.shortest_latency() < Span::from_ns(20);
    let engine = if tiny { Engine::Heap } else { Engine::Windowed };
    RunOptions {
        record_paths,
        ..RunOptions::new(engine, 1)
    }
}

/// One run of the scenario's workload.
pub(super) fn run(scenario: &Scenario, seed: u64) -> RunResult {
    sim::run(
        scenario,
        seed,
        options(scenario, false),
        &Progress::default(),
    )
    .0
}

/// The same, with the uplinks that each data packet took.
pub(super) fn run_with_paths(scenario: &Scenario, seed: u64) -> RunResult {
    sim::run(
        scenario,
        seed,
        options(scenario, true),
        &Progress::default(),
    )
    .0
}

/// One run of `flows` in place of the workload.
pub(super) fn run_flows(scenario: &Scenario, flows: impl Into<Traffic>, seed: u64) -> RunResult {
    sim::run_flows(
        scenario,
        flows,
        seed,
        options(scenario, true),
        &Progress::default(),
    )
    .0
}

/// A flow that starts at 0.
pub(super) fn flow(src: u32, dst: u32, bytes: u64) -> FlowSpec {
    FlowSpec {
        id: u64::from(src),
        src,
        dst,
        bytes,
        start: Time::ZERO,
    }
}

/// From the first bit sent to the last finish.
pub(super) fn cct(result: &RunResult) -> u64 {
    let first = result.first_bit.expect("something was sent");
    (result.last_finish.expect("every flow finishes") - first).0
}

/// Completion time of the run's first flow.
pub(super) fn fct(result: &RunResult) -> u64 {
    let flow = &result.flows[0];
    (flow.end.expect("it finishes") - flow.start.expect("it starts")).0
}

/// Most packets that any queue of `stage` held.
pub(super) fn queue_max(result: &RunResult, stage: Stage) -> u64 {
    let links = result.links.iter().filter(|link| link.stage == stage);
    links.map(|link| link.queue_max_packets).max().unwrap_or(0)
}

/// Most packets that any switch queue held.
pub(super) fn switch_queue_max(result: &RunResult) -> u64 {
    let stages = result.stages.iter().map(|stage| stage.stage);
    let switches = stages.filter(|&stage| stage != Stage::Nic);
    switches
        .map(|stage| queue_max(result, stage))
        .max()
        .unwrap_or(0)
}

/// Mean packets of the queues of the stages that `of` selects, over queues and over time.
pub(super) fn queue_mean(result: &RunResult, of: impl Fn(Stage) -> bool) -> f64 {
    let stages = || result.stages.iter().filter(|stage| of(stage.stage));
    let area: u128 = stages().map(|stage| stage.packet_ps).sum();
    let ports: u64 = stages().map(|stage| stage.ports).sum();
    area as f64 / ports as f64 / result.integrated_until.0 as f64
}

/// Mean of a list.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Mean and standard error of it.
pub(super) fn mean_and_sem(values: &[f64]) -> (f64, f64) {
    let center = mean(values);
    let n = values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - center).powi(2)).sum();
    (center, (squares / (n - 1.0) / n).sqrt())
}

/// Choices for random scenarios, independent of the simulator's streams.
pub(super) struct Dice(u64);

impl Dice {
    /// The dice of one case.
    pub(super) fn new(case: u64) -> Self {
        Self(mix64(case ^ 0x00D1_CE00))
    }

    /// Uniform below `n` (to one part in 2^40).
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 = mix64(self.0);
        (self.0 >> 16) % n
    }

    /// One of a list.
    pub(super) fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}
