//! One run: build, drive an engine until nothing is due, read the counters.

use std::time::{Duration, Instant};

use super::RunResult;
use super::build::{self, Builder};
use super::dependencies;
use super::fabric::Fabric;
use super::order::FlowOrder;
use super::partition::Partition;
use crate::engine::windowed::Shard;
use crate::engine::{Ended, Outbox, Progress, heap, windowed};
use crate::settings::Scenario;
use crate::theory::rho_max;
use crate::topology::Outages;
use crate::units::Span;
use crate::workload::{self, Traffic};

/// Which engine drives a run. Both give the same results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Node by node through windows of one link latency; needs a latency above zero.
    Windowed,
    /// One global heap, event by event.
    Heap,
}

impl Engine {
    /// The engine to use where the user names none: windowed, unless links have no latency.
    #[must_use]
    pub fn for_latency(latency: Span) -> Self {
        if latency == Span::ZERO {
            Self::Heap
        } else {
            Self::Windowed
        }
    }
}

/// How to run; nothing here changes a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// The engine.
    pub engine: Engine,
    /// Threads that the windowed engine may use, at least 1; it uses no more than there are pods (leaves in a two-level tree).
    pub threads: usize,
    /// Record the uplinks that each data packet takes (memory: 2 bytes a packet).
    pub record_paths: bool,
    /// Record what the sender of this flow does, by index in the workload.
    pub trace: Option<u32>,
    /// Use the general ports even where plain ones will do, which give the same results faster.
    pub general_ports: bool,
}

impl RunOptions {
    /// Run with `engine` on `threads`, and record nothing but results.
    #[must_use]
    pub const fn new(engine: Engine, threads: usize) -> Self {
        Self {
            engine,
            threads,
            record_paths: false,
            trace: None,
            general_ports: false,
        }
    }
}

/// Wall-clock times of one run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// Building the nodes.
    pub setup: Duration,
    /// Simulating.
    pub simulate: Duration,
}

/// Run `scenario`'s workload under `seed`.
///
/// # Panics
/// As [`run_flows`].
#[must_use]
pub fn run(
    scenario: &Scenario,
    seed: u64,
    options: RunOptions,
    progress: &Progress,
) -> (RunResult, Timings) {
    let started = Instant::now();
    let traffic = workload::traffic(scenario, seed);
    let generation = started.elapsed();
    let (result, mut timings) = run_flows(scenario, traffic, seed, options, progress);
    timings.setup += generation;
    (result, timings)
}

/// Run `traffic`, e.g. a list of flows, in place of the scenario's workload.
///
/// # Panics
/// If the windowed engine is asked to run a fabric of zero latency; if failures cut off hosts that are to communicate
/// ([`Outages::of`](crate::topology::Outages::of) tells beforehand); if rho_max is to be an optimum that the solver does not find
/// (one of too many variables is refused by the scenario); or if the frames of the run do not add up, which is a mistake in this program.
#[must_use]
pub fn run_flows(
    scenario: &Scenario,
    traffic: impl Into<Traffic>,
    seed: u64,
    options: RunOptions,
    progress: &Progress,
) -> (RunResult, Timings) {
    let tree = build::tree(scenario);
    let traffic = traffic.into();
    let outages = Outages::of(
        tree,
        scenario.fabric.failures.as_ref(),
        seed,
        &traffic.flows,
    );
    let outages = outages.unwrap_or_else(|cut_off| panic!("{cut_off}"));
    let order = FlowOrder::new(&traffic, tree.hosts());
    let rho_max = rho_max::of_run(scenario, traffic.collective(), outages.as_ref());
    let rho_max = rho_max.expect("the scenario checked its size");
    let threads = match options.engine {
        Engine::Heap => 1,
        Engine::Windowed => options.threads,
    };
    let partition = Partition::new(tree, threads);
    let builder = Builder {
        scenario,
        traffic: &traffic,
        order: &order,
        partition: &partition,
        seed,
        rho_max: rho_max.value,
        record_paths: options.record_paths,
        trace: options.trace,
        general_ports: options.general_ports,
        triggered: dependencies::triggered(&traffic),
        outages: outages.as_ref(),
    };
    match options.engine {
        Engine::Windowed => {
            let windows = build::windows(scenario);
            assert!(
                windows.lookahead > Span::ZERO,
                "the windowed engine needs a latency above zero"
            );
            drive(&builder, |shards| {
                windowed::run(shards, threads, windows, progress)
            })
        }
        Engine::Heap => {
            let ports: Vec<u32> = (0..tree.nodes()).map(|node| tree.ports(node)).collect();
            drive(&builder, |shards| {
                let Shard { nodes, tally, ties } = &mut shards[0];
                heap::run(nodes, tally, &ports, ties, scenario.horizon, progress)
            })
        }
    }
}

fn drive<O: Outbox + 'static>(
    builder: &Builder<'_>,
    engine: impl FnOnce(&mut [Shard<Fabric<O>>]) -> Ended,
) -> (RunResult, Timings) {
    let started = Instant::now();
    let mut shards = builder.shards::<O>();
    let setup = started.elapsed();
    let started = Instant::now();
    let ended = engine(&mut shards);
    let simulate = started.elapsed();
    let result = super::collect::collect(builder, shards, ended);
    let audit = super::Audit::of(&result);
    assert!(audit.adds_up(), "frames appeared or vanished: {audit}");
    (result, Timings { setup, simulate })
}
