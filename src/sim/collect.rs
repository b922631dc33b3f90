//! Reading a finished run's counters into its result.

use super::build::{self, Builder};
use super::dependencies;
use super::fabric::Fabric;
use super::{Arrivals, FlowResult, LinkResult, RunResult, Stage, StageResult, Stuck, recovery};
use crate::engine::windowed::Shard;
use crate::engine::{Ended, Outbox, inbox};
use crate::host::{Host, NicStats, Sender, TraceRow};
use crate::port::PortStats;
use crate::probe::{Ends, Tally};
use crate::settings::Acks;
use crate::theory;
use crate::topology::{FatTree, PortRef};
use crate::units::Time;

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
    let ends = ends(builder, &shards, last_sent, ran_dry);
    let Closed { nics, ports, trace } = close(builder, &mut shards, ends, &mut tally);
    tally.settle(last_sent);
    let host = |host: u32| {
        let (shard, local) = inbox::place(builder.partition.address(host));
        &shards[shard as usize].nodes.hosts[local as usize]
    };
    let links = links(tree, &nics, &ports);
    let finished = Finished {
        builder,
        tree,
        host: &host,
        ran_dry,
    };
    let flows = finished.flows();
    let receivers = || (0..tree.hosts()).flat_map(|number| host(number).receivers());
    let data_packets = nics.iter().map(|nic| nic.data_packets).sum();
    let stages = tree.stages();
    RunResult {
        rho_max: builder.rho_max,
        first_bit: flows.iter().filter_map(|flow| flow.start).min(),
        last_finish: flows
            .iter()
            .map(|flow| flow.end)
            .collect::<Option<Vec<_>>>()
            .and_then(|ends| ends.into_iter().max()),
        last_sent,
        integrated_until: ends.integrated_until,
        ended: ends.ended,
        stages: stages
            .map(|stage| stage_result(tree, stage, &tally))
            .collect(),
        peak_ae_busy: tally.busy.peak(),
        data_packets,
        ack_packets: nics.iter().map(|nic| nic.control_packets).sum(),
        delivered_bytes: receivers().map(|receiver| receiver.bytes).sum(),
        delivered_packets: receivers().map(|receiver| receiver.received).sum(),
        packet_hops: links.iter().map(|link| link.packets).sum(),
        ran_dry,
        on_wires,
        arrivals: arrivals(tree, &host),
        trace: trace.unwrap_or_default(),
        failures: recovery::failures(builder.outages, &tally, ends.integrated_until),
        flows,
        links,
    }
}

/// What the nodes counted.
struct Closed {
    /// By host.
    nics: Vec<NicStats>,
    /// By switch and port.
    ports: Vec<Vec<PortStats>>,
    trace: Option<Vec<TraceRow>>,
}

/// Close all nodes at the end of a run.
fn close<O: Outbox>(
    builder: &Builder<'_>,
    shards: &mut [Shard<Fabric<O>>],
    ends: Ends,
    tally: &mut Tally,
) -> Closed {
    let tree = build::tree(builder.scenario);
    let mut closed = Closed {
        nics: Vec::with_capacity(tree.hosts() as usize),
        ports: Vec::with_capacity(tree.switches() as usize),
        trace: None,
    };
    for node in 0..tree.nodes() {
        let (shard, local) = inbox::place(builder.partition.address(node));
        let fabric = &mut shards[shard as usize].nodes;
        match (local as usize).checked_sub(fabric.hosts.len()) {
            None => {
                let host = &mut fabric.hosts[local as usize];
                closed.trace = closed.trace.take().or_else(|| host.take_trace());
                closed.nics.push(host.close(ends, tally));
            }
            Some(switch) => closed
                .ports
                .push(fabric.switches[switch].close(ends, tally)),
        }
    }
    closed
}

/// The frames that hosts took in.
fn arrivals<'a>(tree: FatTree, host: &impl Fn(u32) -> &'a Host) -> Arrivals {
    let hosts = || (0..tree.hosts()).map(host);
    let receivers = || hosts().flat_map(Host::receivers);
    Arrivals {
        first: receivers().map(|receiver| receiver.received).sum(),
        duplicates: receivers().map(|receiver| receiver.duplicates).sum(),
        discarded: receivers().map(|receiver| receiver.discarded).sum(),
        trimmed: receivers().map(|receiver| receiver.headers).sum(),
        other: hosts().map(Host::control_received).sum(),
    }
}

/// When queues stopped being integrated, and when the run ended.
fn ends<O: Outbox>(
    builder: &Builder<'_>,
    shards: &[Shard<Fabric<O>>],
    last_sent: Option<Time>,
    ran_dry: bool,
) -> Ends {
    let horizon = builder.scenario.horizon;
    // A host may not send all that it has because of the horizon, or because what it waits for never happens.
    let cut_off = last_sent.or(horizon);
    let last_active = || shards.iter().map(|shard| shard.nodes.last_active()).max();
    let integrated_until = cut_off.or_else(last_active).unwrap_or_default();
    let ended = horizon.filter(|_| !ran_dry).or_else(last_active);
    Ends {
        integrated_until,
        ended: ended.unwrap_or_default(),
    }
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
    let of_switch = |end: PortRef| {
        let switch = (end.node as usize).checked_sub(nics.len())?;
        Some(ports[switch][end.port as usize])
    };
    let stats = |end: PortRef| of_switch(end).unwrap_or_else(|| nics[end.node as usize].port);
    tree.links()
        .map(|(stage, from)| {
            let to = tree.peer(from.node, from.port);
            let held = of_switch(to).map_or(0, |end| end.headroom_max_bytes);
            let stats = stats(from);
            LinkResult {
                stage,
                src: tree.name(from.node),
                dst: tree.name(to.node),
                member: tree.member(from.node, from.port),
                packets: stats.packets,
                bytes: stats.bytes,
                busy: stats.busy,
                queue_max_packets: stats.queue_max_packets,
                queue_max_bytes: stats.queue_max_bytes,
                marked_packets: stats.marked_packets,
                dropped_packets: stats.dropped_packets,
                dropped_control_packets: stats.dropped_control_packets,
                lost_packets: stats.lost_packets,
                lost_control_packets: stats.lost_control_packets,
                trimmed_packets: stats.trimmed_packets,
                pause_packets: stats.pause_packets,
                pauses: stats.pauses,
                paused: stats.paused,
                headroom_max_bytes: held,
                queued: stats.queued,
            }
        })
        .collect()
}

/// A run that has ended, as its flows are read.
struct Finished<'a, H> {
    builder: &'a Builder<'a>,
    tree: FatTree,
    /// By number.
    host: H,
    ran_dry: bool,
}

impl<'a, H: Fn(u32) -> &'a Host> Finished<'a, H> {
    /// Why flow `number`, whose sender is `sender`, did not finish: the run had nothing left to do or met the horizon.
    fn stuck(&self, number: u32, sender: &Sender) -> Stuck {
        let builder = self.builder;
        let spec = &builder.traffic.flows[builder.order.index[number as usize]];
        let paths = builder.outages.map(|outages| outages.at_start());
        let is_cut_off = paths.is_some_and(|paths| !paths.connects(spec.src, spec.dst));
        let local = number - builder.order.sent(spec.src).start;
        let transport = builder.scenario.transport.is_some();
        let horizon = builder.scenario.horizon.unwrap_or(Time::NEVER);
        let gave_up = (self.host)(spec.src).gave_up(local);
        match gave_up.map(Stuck::GaveUp) {
            _ if is_cut_off => Stuck::CutOff,
            Some(gave_up) => gave_up,
            _ if sender.release != Time::NEVER && sender.release > horizon => Stuck::Late,
            _ if !self.ran_dry => Stuck::Horizon,
            _ if sender.release == Time::NEVER => Stuck::Waiting,
            _ if transport && sender.has_more() => Stuck::Window,
            _ => Stuck::Missing,
        }
    }

    /// What flow `number` did, whose sender is `sender`.
    fn flow(&self, number: u32, sender: &Sender, message: Option<u64>) -> FlowResult {
        let builder = self.builder;
        let acks = builder.scenario.packet.acks == Acks::PerPacket;
        let horizon = builder.scenario.horizon.unwrap_or(Time::NEVER);
        let index = builder.order.index[number as usize];
        let spec = builder.traffic.flows[index].clone();
        let local = number - builder.order.sent(spec.src).start;
        let [source, destination] = [spec.src, spec.dst].map(&self.host);
        let receiver = &destination.receivers()[builder.order.slot(number)];
        let frames = theory::Frames::new(builder.scenario, spec.bytes);
        let end = if acks {
            sender.finished
        } else {
            receiver.finished
        };
        let is_stuck = end.is_none();
        FlowResult {
            class: builder.traffic.class(index),
            release: Some(sender.release).filter(|&at| at < Time::NEVER && at <= horizon),
            start: sender.started,
            message,
            end,
            ideal: theory::ideal_fct::ideal_fct(&frames, self.tree.hops(sender.layer)),
            packets: sender.sent() + sender.extra + sender.resent,
            retransmissions: sender.resent,
            timeouts: sender.timeouts,
            nacks: sender.nacks,
            acks: sender.acks,
            marked_acks: sender.marked_acks,
            rtts: source.rtts(local),
            window: source.window(local),
            spurious_retransmissions: receiver.duplicates,
            discarded_packets: receiver.discarded,
            acked_bytes: match builder.scenario.transport {
                None => receiver.bytes,
                Some(_) => sender.acked_bytes,
            },
            stuck: is_stuck.then(|| self.stuck(number, sender)),
            received_packets: receiver.received,
            received_bytes: receiver.bytes,
            max_reordering: receiver.reordering.max(),
            reordering_sum: receiver.reordering.sum().0,
            p99_reordering: receiver.reordering.p99(),
            paths: receiver.paths().map(<[_]>::to_vec),
            spec,
        }
    }

    /// What all flows did, in the workload's order.
    fn flows(&self) -> Vec<FlowResult> {
        let builder = self.builder;
        let messages = dependencies::messages(builder.traffic);
        // Flows in order of senders, host by host; then back to the workload's order.
        let senders = (0..self.tree.hosts()).flat_map(|number| (self.host)(number).senders());
        let mut results: Vec<(usize, FlowResult)> = builder
            .order
            .index
            .iter()
            .zip(0_u32..)
            .zip(senders)
            .map(|((&index, number), sender)| {
                let message = messages.get(&(index as u32)).copied();
                (index, self.flow(number, sender, message))
            })
            .collect();
        results.sort_unstable_by_key(|&(index, _)| index);
        results.into_iter().map(|(_, result)| result).collect()
    }
}
