//! Reading a finished run's counters into its result.

use super::build::{self, Builder};
use super::dependencies;
use super::fabric::Fabric;
use super::{Arrivals, FlowResult, LinkResult, RunResult, Stage, StageResult, Stuck, recovery};
use crate::engine::windowed::Shard;
use crate::engine::{Ended, OnWires, Outbox, inbox};
use crate::host::{Host, NicStats, Sender};
use crate::port::PortStats;
use crate::probe::Tally;
use crate::settings::Acks;
use crate::theory;
use crate::topology::FatTree;
use crate::units::{Span, Time};
use crate::workload::FlowSpec;

/// The counters of all shards together.
fn absorbed<N>(shards: &[Shard<N>]) -> Tally {
    let mut tally = shards[0].tally.clone();
    for shard in &shards[1..] {
        tally.absorb(&shard.tally);
    }
    tally
}

pub(super) fn collect<O: Outbox>(
    builder: &Builder<'_>,
    mut shards: Vec<Shard<Fabric<O>>>,
    Ended { ran_dry, on_wires }: Ended,
) -> RunResult {
    let tree = build::tree(builder.scenario);
    let mut tally = absorbed(&shards);
    let last_sent = tally.last_sent();
    let (integrated_until, ended) = ends(builder, &shards, last_sent, ran_dry);
    let mut nics = Vec::with_capacity(tree.hosts() as usize);
    let mut ports = Vec::with_capacity(tree.switches() as usize);
    for node in 0..tree.nodes() {
        let (shard, local) = inbox::place(builder.partition.address(node));
        let fabric = &mut shards[shard as usize].nodes;
        match (local as usize).checked_sub(fabric.hosts.len()) {
            None => nics.push(fabric.hosts[local as usize].close(integrated_until, &mut tally)),
            Some(switch) => ports.push(fabric.switches[switch].close(integrated_until, &mut tally)),
        }
    }
    tally.settle(last_sent);
    let host = |host: u32| {
        let (shard, local) = inbox::place(builder.partition.address(host));
        &shards[shard as usize].nodes.hosts[local as usize]
    };
    let links = links(tree, &nics, &ports);
    let flows = flows(builder, (tree, ran_dry), &host);
    let receivers = || (0..tree.hosts()).flat_map(|number| host(number).receivers());
    let data_packets = nics.iter().map(|nic| nic.data_packets).sum();
    RunResult {
        rho_max: builder.rho_max,
        first_bit: flows.iter().filter_map(|flow| flow.start).min(),
        last_finish: flows
            .iter()
            .map(|flow| flow.end)
            .collect::<Option<Vec<_>>>()
            .and_then(|ends| ends.into_iter().max()),
        last_sent,
        integrated_until,
        ended,
        stages: tree
            .stages()
            .map(|stage| stage_result(tree, stage, &tally))
            .collect(),
        peak_ae_busy: tally.busy.peak(),
        data_packets,
        ack_packets: nics.iter().map(|nic| nic.port.packets).sum::<u64>() - data_packets,
        delivered_bytes: receivers().map(|receiver| receiver.bytes).sum(),
        delivered_packets: receivers().map(|receiver| receiver.received).sum(),
        packet_hops: links.iter().map(|link| link.packets).sum(),
        ran_dry,
        on_wires,
        arrivals: arrivals(tree, &host),
        trace: Vec::new(),
        failures: recovery::failures(builder.outages, &tally, integrated_until),
        flows,
        links,
    }
}

/// The frames that hosts took in.
fn arrivals<'a>(tree: FatTree, host: &impl Fn(u32) -> &'a Host) -> Arrivals {
    let hosts = || (0..tree.hosts()).map(host);
    let receivers = hosts().flat_map(Host::receivers);
    let senders = hosts().flat_map(Host::senders);
    Arrivals {
        first: receivers.map(|receiver| receiver.received).sum(),
        other: senders.map(Sender::acks).sum(),
        ..Arrivals::default()
    }
}

/// The instant up to which queues were integrated, and that at which the run ended.
fn ends<O: Outbox>(
    builder: &Builder<'_>,
    shards: &[Shard<Fabric<O>>],
    last_sent: Option<Time>,
    ran_dry: bool,
) -> (Time, Time) {
    let horizon = builder.scenario.horizon;
    // A host may not send all that it has because of the horizon, or because what it waits for never happens.
    let cut_off = last_sent.or(horizon);
    let last_active = || shards.iter().map(|shard| shard.nodes.last_active()).max();
    let integrated_until = cut_off.or_else(last_active).unwrap_or_default();
    let ended = horizon.filter(|_| !ran_dry).or_else(last_active);
    (integrated_until, ended.unwrap_or_default())
}

fn stage_result(tree: FatTree, stage: Stage, tally: &Tally) -> StageResult {
    let (packet_ps, byte_ps) = tally.integrals(stage as usize);
    StageResult {
        stage,
        ports: tree.stage_links(stage).into(),
        packet_ps,
        byte_ps,
    }
}

fn links(tree: FatTree, nics: &[NicStats], ports: &[Vec<PortStats>]) -> Vec<LinkResult> {
    let stats = |node: u32, port: u32| match nics.get(node as usize) {
        Some(nic) => nic.port,
        None => ports[node as usize - nics.len()][port as usize],
    };
    tree.links()
        .map(|(stage, from)| {
            let stats = stats(from.node, from.port);
            LinkResult {
                stage,
                src: tree.name(from.node),
                dst: tree.name(tree.peer(from.node, from.port).node),
                member: tree.member(from.node, from.port),
                packets: stats.packets,
                bytes: stats.bytes,
                busy: stats.busy,
                queue_max_packets: stats.queue_max_packets,
                queue_max_bytes: stats.queue_max_bytes,
                marked_packets: stats.marked_packets,
                dropped_packets: stats.dropped_packets,
                dropped_control_packets: 0,
                lost_packets: stats.lost_packets,
                lost_control_packets: 0,
                trimmed_packets: 0,
                pause_packets: 0,
                pauses: 0,
                paused: Span::ZERO,
                headroom_max_bytes: 0,
                queued: OnWires::default(),
            }
        })
        .collect()
}

/// Why the flow `spec`, which might start at `release`, did not finish in a run that had nothing left to do or met the horizon.
fn stuck(builder: &Builder<'_>, spec: &FlowSpec, release: Option<Time>, ran_dry: bool) -> Stuck {
    let paths = builder.outages.map(|outages| outages.at_start());
    let is_cut_off = paths.is_some_and(|paths| !paths.connects(spec.src, spec.dst));
    match release {
        _ if is_cut_off => Stuck::CutOff,
        _ if !ran_dry => Stuck::Horizon,
        None => Stuck::Waiting,
        Some(_) => Stuck::Missing,
    }
}

fn flows<'a>(
    builder: &Builder<'_>,
    (tree, ran_dry): (FatTree, bool),
    host: &impl Fn(u32) -> &'a Host,
) -> Vec<FlowResult> {
    let acks = builder.scenario.packet.acks == Acks::PerPacket;
    let horizon = builder.scenario.horizon.unwrap_or(Time::NEVER);
    let messages = dependencies::messages(builder.traffic);
    // Flows in order of senders, host by host; then back to the workload's order.
    let senders = (0..tree.hosts()).flat_map(|number| host(number).senders());
    let mut results: Vec<(usize, FlowResult)> = builder
        .order
        .index
        .iter()
        .zip(0_u32..)
        .zip(senders)
        .map(|((&index, number), sender)| {
            let spec = builder.traffic.flows[index].clone();
            let slot = builder.order.slot(number);
            let receiver = &host(spec.dst).receivers()[slot];
            let frames = theory::Frames::new(builder.scenario, spec.bytes);
            let release = Some(sender.release).filter(|&at| at < Time::NEVER && at <= horizon);
            let end = if acks {
                sender.finished
            } else {
                receiver.finished
            };
            let is_stuck = end.is_none();
            let result = FlowResult {
                release,
                start: sender.started,
                message: messages.get(&(index as u32)).copied(),
                end,
                ideal: theory::ideal_fct::ideal_fct(&frames, tree.hops(sender.layer)),
                packets: sender.sent(),
                retransmissions: 0,
                timeouts: 0,
                nacks: 0,
                spurious_retransmissions: 0,
                discarded_packets: 0,
                acked_bytes: receiver.bytes,
                stuck: is_stuck.then(|| stuck(builder, &spec, release, ran_dry)),
                received_packets: receiver.received,
                max_reordering: u64::from(receiver.max_reordering),
                reordering_sum: 0,
                p99_reordering: 0,
                paths: receiver.paths().map(<[_]>::to_vec),
                spec,
            };
            (index, result)
        })
        .collect();
    results.sort_unstable_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}
