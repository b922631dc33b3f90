//! From a checked scenario to hosts and switches.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use num_bigint::BigUint;

use super::Stage;
use super::dependencies;
use super::fabric::Fabric;
use super::order::FlowOrder;
use super::partition::Partition;
use super::ports::LinkLosses;
use super::switches::SwitchParts;
use crate::engine::Outbox;
use crate::engine::windowed::{Shard, Windows};
use crate::host::{
    Host, HostFlows, HostSettings, HostTriggers, Pacer, PacerSettings, Peer, Plug, Receiver,
    Sender, TransportEnv,
};
use crate::lb::host::HostEnv;
use crate::lb::mixed::Mix;
use crate::link::Link;
use crate::packet::Kind;
use crate::probe::{Sending, Tally};
use crate::rng::{Domain, Rng};
use crate::settings::{QueueKind, RtoKind, Scenario, Tier};
use crate::theory::{fabric_numbers, rho_max};
use crate::topology::{FatTree, Outages};
use crate::units::{Drift, Ratio, Span, Time};
use crate::workload::{self, FlowSpec, Traffic};

/// The tree of a scenario.
pub(super) fn tree(scenario: &Scenario) -> FatTree {
    FatTree::of(scenario.fabric.shape)
}

/// The links of a tier: 0 those of hosts.
pub(super) fn link(scenario: &Scenario, tier: usize) -> Link {
    let Tier { rate, latency, .. } = scenario.fabric.tiers[tier];
    Link {
        rate,
        latency,
        gap: rate.tx_time(u64::from(scenario.packet.gap_bytes)),
    }
}

/// What the windowed engine needs to know of a scenario.
pub(super) fn windows(scenario: &Scenario) -> Windows {
    Windows {
        lookahead: scenario.fabric.shortest_latency(),
        latency: scenario.fabric.longest_latency(),
        horizon: scenario.horizon,
    }
}

/// Everything that the nodes are built from.
pub(super) struct Builder<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) traffic: &'a Traffic,
    pub(super) order: &'a FlowOrder,
    pub(super) partition: &'a Partition,
    pub(super) seed: u64,
    /// What `congestion_control.load` is a fraction of.
    pub(super) rho_max: Ratio,
    pub(super) record_paths: bool,
    /// The flow whose sender is traced.
    pub(super) trace: Option<u32>,
    /// No switch has plain ports.
    pub(super) general_ports: bool,
    /// The flows that a trigger starts, by index in the workload.
    pub(super) triggered: BTreeSet<u32>,
    /// What fails; `None`: nothing.
    pub(super) outages: Option<&'a Outages>,
}

impl Builder<'_> {
    /// The nodes and counters of each shard.
    pub(super) fn shards<O: Outbox + 'static>(&self) -> Vec<Shard<Fabric<O>>> {
        let tree = tree(self.scenario);
        let mut hosts = HostParts::new(self);
        let parts = SwitchParts {
            mix: Mix::new(&self.scenario.deployments, &tree.sites(), self.seed),
            losses: LinkLosses::new(self.scenario, tree),
        };
        let mut shard = |nodes: &Vec<u32>| {
            let (hosts_here, switches) =
                nodes.split_at(nodes.partition_point(|&node| node < tree.hosts()));
            let fabric = Fabric {
                hosts: hosts_here
                    .iter()
                    .map(|&host| self.host(tree, host, &mut hosts))
                    .collect(),
                switches: switches
                    .iter()
                    .map(|&node| self.switch(tree, node, &parts))
                    .collect(),
            };
            let count = |wanted: fn(&Host) -> bool| {
                fabric.hosts.iter().filter(|host| wanted(host)).count() as u32
            };
            let sending = Sending {
                hosts: count(|host| !host.senders().is_empty()),
                far_hosts: count(Host::is_far_from_end),
                last_sent: Time::ZERO,
            };
            let tally = Tally::new(Stage::ALL.len(), Stage::Nic as usize, sending);
            Shard {
                nodes: fabric,
                tally,
                ties: self.ties(nodes),
            }
        };
        self.partition.shards().iter().map(&mut shard).collect()
    }

    fn host(&self, tree: FatTree, host: u32, parts: &mut HostParts) -> Host {
        let edge = tree.peer(host, 0);
        let plug = Plug {
            edge: self.partition.address(edge.node),
            edge_port: edge.port as u16,
        };
        let env = self.host_env(tree, host, parts.bdp_packets);
        let mut flows = self.host_flows(tree, &env, parts.offsets[host as usize]);
        flows.triggers = parts.triggers.remove(&host).map(Box::new);
        let policy = self.scenario.load_balancing.host.build(&env);
        let stream = |domain| Rng::stream(self.seed, domain, u64::from(host));
        let pacing = PacerSettings {
            drift: self.drift(host),
            ..parts.pacing
        };
        let pacer = Pacer::new(pacing, stream(Domain::PacingJitter));
        let settings = Arc::clone(&parts.settings);
        let rng = stream(Domain::Entropy);
        let mut host = Host::new(settings, plug, flows, pacer, policy, rng);
        let sent = self.order.sent(env.host);
        let index = |number: u32| self.order.index[number as usize] as u32;
        if let Some(number) = sent
            .clone()
            .find(|&number| Some(index(number)) == self.trace)
        {
            host.record_trace(number - sent.start);
        }
        host
    }

    fn host_env(&self, tree: FatTree, host: u32, bdp_packets: u32) -> HostEnv {
        let spec =
            |number: u32| -> &FlowSpec { &self.traffic.flows[self.order.index[number as usize]] };
        let received = &self.order.received[host as usize];
        let mut peers: Vec<u32> = self
            .order
            .sent(host)
            .map(|number| spec(number).dst)
            .collect();
        peers.extend(received.iter().map(|&number| spec(number).src));
        peers.sort_unstable();
        peers.dedup();
        HostEnv {
            seed: self.seed,
            host,
            edge_uplinks: tree.edge_uplinks() as usize,
            agg_uplinks: tree.agg_uplinks() as usize,
            sent_flows: self.order.sent(host).collect(),
            peers,
            bdp_packets,
            base_rtt: fabric_numbers::base_rtt(self.scenario),
            trims: self.scenario.fabric.queue.kind.trims(),
            fixed_rto: self.fixed_rto(),
            live: self.live_paths(),
        }
    }

    fn host_flows(&self, tree: FatTree, env: &HostEnv, offset: Span) -> HostFlows {
        let local_peer = |peer: u32| {
            env.peers
                .binary_search(&peer)
                .expect("peers hold every flow's other end")
        };
        let mut flows = HostFlows {
            first: self.order.sent(env.host).start,
            senders: Vec::new(),
            starts: Vec::new(),
            receivers: Vec::new(),
            triggers: None,
            storms: self.storms(env.host),
        };
        for number in self.order.sent(env.host) {
            let index = self.order.index[number as usize];
            let spec = &self.traffic.flows[index];
            let mut sender = self.sender(tree, env, number, local_peer(spec.dst));
            let start = (!self.triggered.contains(&(index as u32))).then(|| spec.start + offset);
            sender.release = start.unwrap_or(Time::NEVER);
            if self.order.follows(number) {
                sender.follow(&mut flows.senders);
            }
            flows.senders.push(sender);
            flows.starts.push(start);
        }
        for &number in &self.order.received[env.host as usize] {
            let mut receiver = self.receiver(tree, number, &local_peer);
            if self.order.follows(number) {
                receiver.follow(&mut flows.receivers);
            }
            flows.receivers.push(receiver);
        }
        flows
    }

    fn receiver(&self, tree: FatTree, number: u32, local_peer: &impl Fn(u32) -> usize) -> Receiver {
        let frames = self.scenario.packet;
        let spec = &self.traffic.flows[self.order.index[number as usize]];
        let subflows = fabric_numbers::subflows(self.scenario, spec, self.outages);
        let packets = frames.data_packets(spec.bytes, subflows);
        let peer = Peer {
            host: spec.src,
            local: local_peer(spec.src),
            layer: tree.layer(spec.src, spec.dst),
        };
        let mut receiver = Receiver::new(number, peer, packets, frames.header_bytes);
        receiver.address = self.partition.address(spec.src);
        if self.record_paths {
            receiver.record_paths();
        }
        receiver
    }

    fn sender(&self, tree: FatTree, env: &HostEnv, number: u32, local_peer: usize) -> Sender {
        let frames = self.scenario.packet;
        let spec = &self.traffic.flows[self.order.index[number as usize]];
        let local = number - self.order.sent(env.host).start;
        let peer = Peer {
            host: spec.dst,
            local: local_peer,
            layer: tree.layer(spec.src, spec.dst),
        };
        let mut sender = Sender::new(local, peer, spec.bytes, &frames);
        let paths = fabric_numbers::paths(self.scenario, spec, self.outages);
        if self.scenario.transport.is_some() {
            sender.path_hops = tree.hops(peer.layer);
            sender.path_rtt = fabric_numbers::rtt(self.scenario, sender.path_hops);
            sender.paths = paths;
        }
        match self.scenario.load_balancing.host.subflows(paths) {
            1 => sender,
            subflows => {
                let mut order: Vec<u32> = (0..subflows).collect();
                Rng::stream(self.seed, Domain::SubflowOrder, u64::from(number)).shuffle(&mut order);
                sender.split(&order, &frames)
            }
        }
    }

    /// When host `host` is stuck, as the pause frames that it sends.
    fn storms(&self, host: u32) -> Vec<(Time, Kind)> {
        let stuck = self.scenario.fabric.losses.stuck_hosts.iter();
        let mut frames = Vec::new();
        for stuck in stuck.filter(|stuck| stuck.host == host) {
            frames.push((stuck.from, Kind::Pause));
            if stuck.until < Time::NEVER {
                frames.push((stuck.until, Kind::Resume));
            }
        }
        frames.sort_by_key(|&(at, _)| at);
        frames
    }

    /// The transport's timeout, where it is fixed.
    fn fixed_rto(&self) -> Option<Span> {
        let rto = self.scenario.transport?.rto;
        let fixed = matches!(rto.kind, RtoKind::Fixed(_));
        fixed.then(|| rto.first(&self.scenario.fabric))
    }

    fn transport(&self) -> Option<TransportEnv> {
        let scenario = self.scenario;
        let transport = scenario.transport?;
        Some(TransportEnv {
            first_rto: transport.rto.first(&scenario.fabric),
            transport,
            cc: fabric_numbers::cc_env(scenario),
        })
    }

    fn pacing(&self) -> PacerSettings {
        let load = rho_max::paced(self.scenario.congestion_control.load, self.rho_max);
        let percent = self.scenario.workload.pacing_jitter_pct;
        let slot = self.scenario.slot();
        let jitter = BigUint::from(slot.0) * percent.num * load.den
            / (BigUint::from(100_u32) * percent.den * load.num);
        PacerSettings {
            load,
            jitter: Span(u64::try_from(jitter).unwrap_or(u64::MAX)),
            adds: self.scenario.workload.pacing_jitter_adds,
            drift: Drift::NONE,
        }
    }
}

/// What hosts have in common.
struct HostParts {
    settings: Arc<HostSettings>,
    /// Start offset of each host.
    offsets: Vec<Span>,
    pacing: PacerSettings,
    bdp_packets: u32,
    /// Of each host, what triggers have to do with it.
    triggers: BTreeMap<u32, HostTriggers>,
}

impl HostParts {
    fn new(builder: &Builder<'_>) -> Self {
        let scenario = builder.scenario;
        let link = link(scenario, 0);
        let window = windows(scenario).window();
        let bits = u128::from(window.0) * u128::from(link.rate.bits_per_sec());
        let settings = HostSettings {
            link,
            frames: scenario.packet,
            ack_turns: scenario.nic.ack_turns,
            control_per_data: scenario.nic.control_per_data,
            pause_stops_control: !scenario.fabric.queue.control_priority,
            pause_frame_bytes: match scenario.fabric.queue.kind {
                QueueKind::Lossless(lossless) => lossless.pause_frame_bytes,
                _ => 0,
            },
            transport: builder.transport(),
            controller: scenario.congestion_control.controller,
            receiver_slots: Arc::clone(&builder.order.slots),
            stage: Stage::Nic as usize,
            window_bytes: (bits / 8_000_000_000_000 + 1) as u64,
        };
        Self {
            settings: Arc::new(settings),
            triggers: dependencies::of_hosts(builder),
            offsets: workload::start_offsets(scenario, builder.seed),
            pacing: builder.pacing(),
            bdp_packets: fabric_numbers::bdp_packets(scenario).min(u64::from(u32::MAX)) as u32,
        }
    }
}
