//! One run: take the first event, do what the model page says, until nothing is due.

use std::sync::Arc;

use spraysim::lb::host::{Feedback, Outcome, TxInfo};
use spraysim::packet::{Flags, Kind, Packet};
use spraysim::scenario::{Acks, Scenario};
use spraysim::units::{Span, Time};
use spraysim::workload::{Dependencies, FlowEvent, FlowSpec};

use super::events::{Agenda, Event, Key};
use super::fabric::Switch;
use super::failures::{Faults, Live};
use super::flows::{Flow, flows_by_number};
use super::host::{Class, Host, PendingAck, hosts};
use super::imperfect::{offsets, ties};
use super::policies::Policies;
use super::ports::Wire;
use super::rho_max;
use super::seen::Seen;
use super::wiring::Wiring;

/// Everything that changes during a run.
#[derive(Debug)]
pub(crate) struct World<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) wiring: Wiring,
    pub(crate) agenda: Agenda,
    pub(crate) dependencies: &'a Dependencies,
    /// Of each trigger, the activations that its targets know of.
    pub(crate) activations: Vec<u32>,
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
    pub(crate) faults: Faults,
    /// Packets that some switch had no uplink for.
    pub(crate) unroutable: u64,
    /// Of these, data.
    pub(crate) unroutable_data: u64,
    /// When the last packet was lost or unroutable.
    pub(crate) last_loss: Time,
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
    simulate_waiting(scenario, (specs, &Dependencies::default()), seed, policies)
}

/// The same for flows that wait for others.
pub(crate) fn simulate_waiting(
    scenario: &Scenario,
    traffic: (&[FlowSpec], &Dependencies),
    seed: u64,
    policies: &Policies,
) -> Seen {
    let mut world = World::new(scenario, traffic, seed, policies);
    world.run();
    world.seen()
}

impl<'a> World<'a> {
    fn new(
        scenario: &'a Scenario,
        (specs, dependencies): (&[FlowSpec], &'a Dependencies),
        seed: u64,
        policies: &Policies,
    ) -> Self {
        let wiring = Wiring::new(&scenario.fabric.shape);
        let failures = scenario.fabric.failures.as_ref();
        let faults = failures.map(|failures| Faults::new(failures, &wiring, seed, specs));
        let fails = faults.is_some();
        let faults = faults.unwrap_or_default();
        let live = Arc::new(Live::new(wiring.clone(), &faults));
        let rho_max = rho_max::rho_max(scenario, specs, &wiring, &faults);
        let load = rho_max::product(scenario.congestion_control.load, rho_max);
        let offsets = offsets(scenario, wiring.hosts, seed);
        let flows = flows_by_number(
            (specs, dependencies),
            &offsets,
            scenario,
            seed,
            (&wiring, &live),
            policies,
        );
        let mut agenda = Agenda::new(ties(scenario, wiring.plugs.len(), seed));
        for (flow, state) in flows.iter().enumerate() {
            if let Some(at) = state.activates {
                agenda.add(at, Event::Activate { flow });
            }
        }
        let hosts = hosts(
            scenario,
            &flows,
            (&wiring, fails.then_some(&live)),
            (seed, load),
            policies,
        );
        let switches = (wiring.hosts..wiring.plugs.len())
            .map(|node| Switch::new(node, seed, scenario, &wiring, policies))
            .collect();
        Self {
            scenario,
            wiring,
            agenda,
            dependencies,
            activations: vec![0; dependencies.triggers.len()],
            flows,
            hosts,
            switches,
            first_bit: None,
            last_data_left: Time::ZERO,
            data_packets: 0,
            ack_packets: 0,
            delivered_bytes: 0,
            faults,
            unroutable: 0,
            unroutable_data: 0,
            last_loss: Time::ZERO,
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
                Event::Notice { trigger } => self.activated(now, trigger),
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

    /// What lies behind `port` of `node`.
    fn wire(&self, node: usize, port: usize) -> Wire {
        let fabric = &self.scenario.fabric;
        let tier = fabric.tiers[self.wiring.tier(node, port)];
        let buffer = match node.checked_sub(self.wiring.hosts) {
            None => None,
            Some(_) if self.wiring.plugs[node][port].up => {
                fabric.tiers[self.wiring.own_tier(node)].up_buffer_bytes
            }
            Some(_) => fabric.tiers[self.wiring.own_tier(node)].down_buffer_bytes,
        };
        Wire {
            rate: tier.rate,
            latency: tier.latency,
            gap_bytes: self.scenario.packet.gap_bytes.into(),
            buffer,
            ecn_threshold: fabric.ecn_threshold_bytes,
        }
    }

    fn send_over(&mut self, now: Time, node: usize, port: usize, mut packet: Packet) {
        let plug = self.wiring.plugs[node][port];
        packet.time = now + self.wire(node, port).latency;
        packet.ingress = plug.peer_port as u16;
        let node = plug.peer;
        self.agenda.add(packet.time, Event::Arrive { node, packet });
    }

    fn arrive_at_switch(&mut self, now: Time, node: usize, mut packet: Packet) {
        let switch = &mut self.switches[node - self.wiring.hosts];
        let Some(port) = switch.route(&mut packet, now, &self.wiring, &self.faults) else {
            self.unroutable += 1;
            self.unroutable_data += u64::from(packet.kind == Kind::Data);
            self.last_loss = self.last_loss.max(now);
            return;
        };
        let at = switch.pipeline.through(now, packet.ingress);
        if at == now {
            self.enqueue(now, node, port, packet);
        } else {
            let event = Event::Enqueue { node, port, packet };
            self.agenda.add(at, event);
        }
    }

    fn enqueue(&mut self, now: Time, node: usize, port: usize, packet: Packet) {
        let wire = self.wire(node, port);
        let out = &mut self.switches[node - self.wiring.hosts].ports[port];
        if let Some(leaves) = out.enqueue(packet, now, &wire, &self.faults) {
            self.agenda
                .add(leaves, Event::FrameLeftSwitch { node, port });
        }
    }

    fn frame_left_switch(&mut self, now: Time, node: usize, port: usize) {
        let wire = self.wire(node, port);
        let out = &mut self.switches[node - self.wiring.hosts].ports[port];
        let (packet, lost, next) = out.depart(now, &wire, &self.faults);
        if let Some(next) = next {
            self.agenda.add(next, Event::FrameLeftSwitch { node, port });
        }
        if lost {
            let arrival = now + wire.latency;
            self.last_loss = self.last_loss.max(arrival);
            return;
        }
        self.send_over(now, node, port, packet);
    }

    fn frame_left_nic(&mut self, now: Time, host: usize) {
        let gap = self.gap();
        let packet = self.hosts[host].finish_frame(now, gap);
        if packet.is_control() {
            self.ack_packets += 1;
        } else {
            self.data_packets += 1;
            let message = self.message_of(packet.flow as usize, packet.psn);
            self.flows[message].left += 1;
            self.last_data_left = now;
        }
        let free = self.hosts[host].free();
        self.agenda.add(free, Event::NicDecide { host });
        self.send_over(now, host, 0, packet);
    }

    fn arrive_at_host(&mut self, now: Time, host: usize, packet: Packet) {
        assert_eq!(packet.dst as usize, host, "it came to the right host");
        let number = self.message_of(packet.flow as usize, packet.psn);
        let flow = &mut self.flows[number];
        let psn = packet.psn - flow.base;
        let acks = self.scenario.packet.acks == Acks::PerPacket;
        if packet.is_control() {
            let outcome = match packet.is_marked() {
                true => Outcome::Ecn,
                false => Outcome::Good,
            };
            let feedback = Feedback {
                now,
                path: flow.paths[psn as usize],
                outcome,
                rtt: None,
            };
            flow.acked += 1;
            let known_as = self.flows[packet.flow as usize].sent_as;
            self.hosts[host].brain.on_feedback(known_as, &feedback);
        } else {
            flow.arrive(psn);
            self.delivered_bytes += u64::from(flow.pieces[psn as usize].payload);
            if acks {
                self.hosts[host].pend(PendingAck {
                    flow: number,
                    connection: packet.flow as usize,
                    psn,
                    marked: packet.is_marked(),
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
        if packet.is_control() && flow.acked == flow.pieces.len() {
            self.fire(now, number, FlowEvent::Acked);
        } else if !packet.is_control() && flow.arrived == flow.pieces.len() {
            self.fire(now, number, FlowEvent::Received);
        }
    }

    fn activate(&mut self, now: Time, flow: usize) {
        let host = self.flows[flow].src;
        let packets = self.flows[flow].pieces.len() as u64;
        self.flows[flow].release = Some(now);
        if self.flows[flow].queued {
            self.flows[flow].ready = true;
            return;
        }
        self.hosts[host].pacer.activate(now, packets);
        self.hosts[host].join_flow(flow);
        self.wake(now, host);
    }

    /// Something may have become eligible: let the NIC decide as soon as it is free.
    fn wake(&mut self, now: Time, host: usize) {
        let nic = &self.hosts[host];
        if nic.in_service.is_none() {
            let at = now.max(nic.free());
            self.agenda.add(at, Event::NicDecide { host });
        }
    }

    fn decide(&mut self, now: Time, host: usize) {
        let nic = &mut self.hosts[host];
        if nic.in_service.is_some() || now < nic.free() {
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
        let psn = flow.base + flow.started as u32;
        flow.started += 1;
        flow.start.get_or_insert(now);
        self.first_bit.get_or_insert(now);
        let (dst, connection) = (flow.dst, flow.connection);
        let more = flow.has_unsent();
        let local_flow = self.flows[connection].sent_as;
        let tx = self.tx_info(now, host, connection, dst, local_flow, piece.subflow);
        let nic = &mut self.hosts[host];
        let path = nic.brain.data_path(&tx, &mut nic.draws);
        self.flows[number].paths.push(path);
        let size = piece.payload + self.scenario.packet.header_bytes;
        let wire = self.tx(size) + self.gap();
        let packet = new_packet(now, Kind::Data, dst, connection, psn, size, path);
        let next = match more {
            true => Some(number),
            false => self.hand_over(number),
        };
        let nic = &mut self.hosts[host];
        if let Some(next) = next {
            if !more {
                nic.pacer.unsent += self.flows[next].pieces.len() as u64;
            }
            nic.rejoin_later(Class::Data(next));
        }
        nic.pacer.sent(wire);
        self.put_on_wire(now, host, packet, now);
    }

    fn send_ack(&mut self, now: Time, host: usize, turn: Option<usize>) {
        let fifo = self.hosts[host].acks.get_mut(&turn).expect("pending ACKs");
        let ack = fifo.pop_front().expect("a pending ACK");
        if !fifo.is_empty() {
            self.hosts[host].rejoin_later(Class::Acks(turn));
        }
        let flow = &self.flows[ack.flow];
        let (dst, psn) = (flow.src, flow.base + ack.psn);
        let data_path = flow.paths[ack.psn as usize];
        let local_flow = self.flows[ack.connection].received_as;
        let tx = self.tx_info(now, host, ack.connection, dst, local_flow, 0);
        let nic = &mut self.hosts[host];
        let path = nic.brain.ack_path(&tx, data_path, &mut nic.draws);
        let size = self.scenario.packet.ack_bytes;
        let mut packet = new_packet(now, Kind::Ack, dst, ack.connection, psn, size, path);
        packet.flags = Flags::when(ack.marked, Flags::MARKED);
        self.put_on_wire(now, host, packet, ack.since);
    }

    fn put_on_wire(&mut self, now: Time, host: usize, packet: Packet, since: Time) {
        let tx = self.tx(packet.size);
        let left = self.hosts[host].serve(packet, since, now, tx);
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
        flags: Flags::NONE,
        via: [0, 0],
    }
}
