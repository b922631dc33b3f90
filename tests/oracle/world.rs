//! One run: take the first event, do what the model page says, until nothing is due.

use std::collections::{BTreeMap, BTreeSet};

use spraysim::lb::host::{Feedback, HostEnv, TxInfo};
use spraysim::packet::{Kind, Packet};
use spraysim::rng::{Domain, Rng};
use spraysim::scenario::{Acks, Scenario, StartJitter};
use spraysim::units::{Span, Time};
use spraysim::workload::FlowSpec;

use super::events::{Agenda, Event, Key};
use super::fabric::Switch;
use super::flows::{Flow, flows_by_number, slot};
use super::host::{Class, Host, PendingAck};
use super::policies::Policies;
use super::rho_max;
use super::seen::Seen;
use super::wiring::Wiring;

/// Everything that changes during a run.
#[derive(Debug)]
pub(crate) struct World<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) wiring: Wiring,
    agenda: Agenda,
    pub(crate) flows: Vec<Flow>,
    pub(crate) hosts: Vec<Host>,
    /// By node number less the number of hosts.
    pub(crate) switches: Vec<Switch>,
    pub(crate) first_bit: Option<Time>,
    /// The latest departure of a data packet at a NIC.
    pub(crate) last_data_left: Time,
    pub(crate) data_packets: u64,
    pub(crate) ack_packets: u64,
    pub(crate) delivered_bytes: u64,
    /// Whether the run ended because nothing was left to do.
    pub(crate) ran_dry: bool,
}

/// Simulate `specs` on the scenario's fabric. The scenario's own workload and scheme are not looked at.
pub(crate) fn simulate(
    scenario: &Scenario,
    specs: &[FlowSpec],
    seed: u64,
    policies: &Policies,
) -> Seen {
    let mut world = World::new(scenario, specs, seed, policies);
    world.run();
    world.seen()
}

/// The start offset of each sending host.
fn offsets(scenario: &Scenario, specs: &[FlowSpec], seed: u64) -> BTreeMap<usize, Span> {
    let offset = |src: u32| match scenario.workload.start_jitter {
        StartJitter::None => Span::ZERO,
        StartJitter::Slot => {
            let mut draws = Rng::stream(seed, Domain::StartJitter, u64::from(src));
            Span(draws.below_u64(slot(scenario).0))
        }
    };
    let sources = specs.iter().map(|spec| spec.src);
    sources.map(|src| (src as usize, offset(src))).collect()
}

/// One bandwidth-delay product in full data packets.
fn bdp_packets(scenario: &Scenario, levels: u64) -> u32 {
    let (fabric, format) = (&scenario.fabric, &scenario.packet);
    let links = 2 * levels;
    let frame = u64::from(format.payload_bytes) + u64::from(format.header_bytes);
    let one_way = |bytes: u64| {
        let hop = fabric.shortest_latency() + fabric.host_rate().tx_time(bytes);
        hop * links + fabric.tiers[0].switch_latency * (links - 1)
    };
    let round_trip = one_way(frame) + one_way(u64::from(format.ack_bytes));
    (round_trip.0 / slot(scenario).0).max(1) as u32
}

impl<'a> World<'a> {
    fn new(scenario: &'a Scenario, specs: &[FlowSpec], seed: u64, policies: &Policies) -> Self {
        let levels = scenario.fabric.shape.levels;
        let wiring = Wiring::new(levels, 2 * scenario.fabric.shape.hosts_per_edge as usize);
        let rho_max = rho_max::rho_max(scenario, specs, &wiring);
        let load = rho_max::product(scenario.congestion_control.load, rho_max);
        let offsets = offsets(scenario, specs, seed);
        let flows = flows_by_number(specs, &offsets, scenario, seed, &wiring, policies);
        let mut agenda = Agenda::default();
        for (flow, state) in flows.iter().enumerate() {
            agenda.add(state.activates, Event::Activate { flow });
        }
        let acks = scenario.packet.acks == Acks::PerPacket;
        let mut hosts = Vec::new();
        for host in 0..wiring.hosts {
            let sends_to = flows.iter().filter(|f| f.src == host).map(|f| f.dst);
            let answers = flows
                .iter()
                .filter(|f| acks && f.dst == host)
                .map(|f| f.src);
            let peers: BTreeSet<usize> = sends_to.chain(answers).collect();
            let sent = (0..flows.len()).filter(|flow| flows[*flow].src == host);
            let env = HostEnv {
                seed,
                host: host as u32,
                edge_uplinks: wiring.half,
                agg_uplinks: if levels == 3 { wiring.half } else { 0 },
                sent_flows: sent.map(|flow| flow as u32).collect(),
                peers: peers.iter().map(|peer| *peer as u32).collect(),
                bdp_packets: bdp_packets(scenario, u64::from(levels)),
            };
            let brain = (policies.host)(&env);
            let peers = peers.into_iter().collect();
            hosts.push(Host::new(host, seed, scenario, brain, peers, load));
        }
        let switches = (wiring.hosts..wiring.plugs.len())
            .map(|node| Switch::new(node, seed, scenario, &wiring, policies))
            .collect();
        Self {
            scenario,
            wiring,
            agenda,
            flows,
            hosts,
            switches,
            first_bit: None,
            last_data_left: Time::ZERO,
            data_packets: 0,
            ack_packets: 0,
            delivered_bytes: 0,
            ran_dry: false,
        }
    }

    fn run(&mut self) {
        let horizon = self.scenario.horizon.unwrap_or(Time::NEVER);
        let mut before: Option<Key> = None;
        while let Some((key, event)) = self.agenda.next(horizon) {
            assert!(before <= Some(key), "time goes backwards: {event:?}");
            before = Some(key);
            let now = key.0;
            match event {
                Event::FrameLeftSwitch { node, port } => self.frame_left_switch(now, node, port),
                Event::FrameLeftNic { host } => self.frame_left_nic(now, host),
                Event::Enqueue { node, port, packet } => self.enqueue(now, node, port, packet),
                Event::Arrive { node, packet } if node < self.hosts.len() => {
                    self.arrive_at_host(now, node, packet);
                }
                Event::Arrive { node, packet } => self.arrive_at_switch(now, node, packet),
                Event::Activate { flow } => self.activate(now, flow),
                Event::NicDecide { host } => self.decide(now, host),
            }
        }
        self.ran_dry = self.agenda.is_empty();
    }

    fn tx(&self, bytes: u32) -> Span {
        self.scenario.fabric.host_rate().tx_time(u64::from(bytes))
    }

    fn gap(&self) -> Span {
        self.tx(self.scenario.packet.gap_bytes)
    }

    fn send_over(&mut self, now: Time, node: usize, port: usize, mut packet: Packet) {
        let plug = self.wiring.plugs[node][port];
        packet.time = now + self.scenario.fabric.shortest_latency();
        packet.ingress = plug.peer_port as u16;
        let node = plug.peer;
        self.agenda.add(packet.time, Event::Arrive { node, packet });
    }

    fn arrive_at_switch(&mut self, now: Time, node: usize, mut packet: Packet) {
        let switch = &mut self.switches[node - self.wiring.hosts];
        let port = switch.route(&mut packet, now, &self.wiring);
        let latency = self.scenario.fabric.tiers[0].switch_latency;
        if latency == Span::ZERO {
            self.enqueue(now, node, port, packet);
        } else {
            let event = Event::Enqueue { node, port, packet };
            self.agenda.add(now + latency, event);
        }
    }

    fn enqueue(&mut self, now: Time, node: usize, port: usize, packet: Packet) {
        let out = &mut self.switches[node - self.wiring.hosts].ports[port];
        if let Some(leaves) = out.enqueue(packet, now, &self.scenario.fabric) {
            self.agenda
                .add(leaves, Event::FrameLeftSwitch { node, port });
        }
    }

    fn frame_left_switch(&mut self, now: Time, node: usize, port: usize) {
        let gap = self.gap();
        let out = &mut self.switches[node - self.wiring.hosts].ports[port];
        let (packet, next) = out.depart(now, gap, &self.scenario.fabric);
        if let Some(next) = next {
            self.agenda.add(next, Event::FrameLeftSwitch { node, port });
        }
        self.send_over(now, node, port, packet);
    }

    fn frame_left_nic(&mut self, now: Time, host: usize) {
        let gap = self.gap();
        let packet = self.hosts[host].finish_frame(now, gap);
        if packet.is_ack() {
            self.ack_packets += 1;
        } else {
            self.data_packets += 1;
            self.flows[packet.flow as usize].left += 1;
            self.last_data_left = now;
        }
        self.agenda.add(now + gap, Event::NicDecide { host });
        self.send_over(now, host, 0, packet);
    }

    fn arrive_at_host(&mut self, now: Time, host: usize, packet: Packet) {
        assert_eq!(packet.dst as usize, host, "it came to the right host");
        let number = packet.flow as usize;
        let flow = &mut self.flows[number];
        let acks = self.scenario.packet.acks == Acks::PerPacket;
        if packet.is_ack() {
            let feedback = match packet.marked {
                true => Feedback::Ecn,
                false => Feedback::Good,
            };
            let path = flow.paths[packet.psn as usize];
            self.hosts[host]
                .brain
                .on_feedback(flow.sent_as, path, feedback);
            flow.acked += 1;
        } else {
            flow.arrive(packet.psn);
            self.delivered_bytes += u64::from(flow.pieces[packet.psn as usize].payload);
            if acks {
                self.hosts[host].pend(PendingAck {
                    flow: number,
                    psn: packet.psn,
                    marked: packet.marked,
                    since: now,
                });
                self.wake(now, host);
            }
        }
        let flow = &mut self.flows[number];
        let done = if acks { flow.acked } else { flow.arrived };
        if done == flow.pieces.len() {
            flow.end = Some(now);
        }
    }

    fn activate(&mut self, now: Time, flow: usize) {
        let host = self.flows[flow].src;
        let packets = self.flows[flow].pieces.len() as u64;
        self.hosts[host].pacer.activate(now, packets);
        self.hosts[host].join_flow(flow);
        self.wake(now, host);
    }

    /// Something may have become eligible: let the NIC decide as soon as it is free.
    fn wake(&mut self, now: Time, host: usize) {
        let nic = &self.hosts[host];
        if nic.in_service.is_none() {
            let at = now.max(nic.free);
            self.agenda.add(at, Event::NicDecide { host });
        }
    }

    fn decide(&mut self, now: Time, host: usize) {
        let nic = &mut self.hosts[host];
        if nic.in_service.is_some() || now < nic.free {
            return;
        }
        let due = (nic.pacer.unsent > 0).then(|| nic.pacer.due());
        match nic.take_turn(due.is_some_and(|due| due <= now)) {
            Some(Class::Data(flow)) => self.send_data(now, host, flow),
            Some(Class::Acks(turn)) => self.send_ack(now, host, turn),
            None => {
                if let Some(due) = due {
                    self.agenda.add(due, Event::NicDecide { host });
                }
            }
        }
    }

    fn send_data(&mut self, now: Time, host: usize, number: usize) {
        let flow = &mut self.flows[number];
        let piece = flow.pieces[flow.started];
        let psn = flow.started as u32;
        flow.started += 1;
        flow.start.get_or_insert(now);
        self.first_bit.get_or_insert(now);
        let (dst, local_flow) = (flow.dst, flow.sent_as);
        let more = flow.has_unsent();
        let tx = self.tx_info(now, host, number, dst, local_flow, piece.subflow);
        let nic = &mut self.hosts[host];
        let path = nic.brain.data_path(&tx, &mut nic.draws);
        self.flows[number].paths.push(path);
        let size = piece.payload + self.scenario.packet.header_bytes;
        let wire = self.tx(size) + self.gap();
        let packet = new_packet(now, Kind::Data, dst, number, psn, size, path);
        let nic = &mut self.hosts[host];
        nic.pacer.sent(wire);
        if more {
            nic.rejoin_later(Class::Data(number));
        }
        self.put_on_wire(now, host, packet, now);
    }

    fn send_ack(&mut self, now: Time, host: usize, turn: Option<usize>) {
        let fifo = self.hosts[host].acks.get_mut(&turn).expect("pending ACKs");
        let ack = fifo.pop_front().expect("a pending ACK");
        if !fifo.is_empty() {
            self.hosts[host].rejoin_later(Class::Acks(turn));
        }
        let flow = &self.flows[ack.flow];
        let (dst, local_flow) = (flow.src, flow.received_as);
        let data_path = flow.paths[ack.psn as usize];
        let tx = self.tx_info(now, host, ack.flow, dst, local_flow, 0);
        let nic = &mut self.hosts[host];
        let path = nic.brain.ack_path(&tx, data_path, &mut nic.draws);
        let size = self.scenario.packet.ack_bytes;
        let mut packet = new_packet(now, Kind::Ack, dst, ack.flow, ack.psn, size, path);
        packet.marked = ack.marked;
        self.put_on_wire(now, host, packet, ack.since);
    }

    fn put_on_wire(&mut self, now: Time, host: usize, packet: Packet, since: Time) {
        self.hosts[host].serve(packet, since, now);
        let left = now + self.tx(packet.size);
        self.agenda.add(left, Event::FrameLeftNic { host });
    }

    fn tx_info(
        &self,
        now: Time,
        host: usize,
        flow: usize,
        peer: usize,
        local_flow: usize,
        subflow: u32,
    ) -> TxInfo {
        let mut peers = self.hosts[host].peers.iter();
        TxInfo {
            now,
            flow: flow as u32,
            local_flow,
            peer: peer as u32,
            local_peer: peers.position(|p| *p == peer).expect("a known peer"),
            layer: self.flows[flow].layer,
            subflow,
        }
    }
}

fn new_packet(
    now: Time,
    kind: Kind,
    dst: usize,
    flow: usize,
    psn: u32,
    size: u32,
    path: u16,
) -> Packet {
    Packet {
        time: now,
        dst: dst as u32,
        flow: flow as u32,
        psn,
        size,
        path,
        ingress: 0,
        kind,
        marked: false,
        via: [0, 0],
    }
}
