//! What happens at switches: packets come, wait, are served and leave; neighbours are paused.

use spraysim::packet::{Kind, Packet};
use spraysim::units::Time;

use super::events::Event;
use super::fabric::Switch;
use super::nic::new_packet;
use super::ports::{Attempt, Loss, Wire};
use super::wiring::Wiring;
use super::world::World;
use spraysim::scenario::Scenario;

/// What lies behind `port` of `node`.
pub(crate) fn wire(scenario: &Scenario, wiring: &Wiring, node: usize, port: usize) -> Wire {
    let fabric = &scenario.fabric;
    let tier = fabric.tiers[wiring.tier(node, port)];
    let buffer = match node.checked_sub(wiring.hosts) {
        None => None,
        Some(_) if wiring.plugs[node][port].up => {
            fabric.tiers[wiring.own_tier(node)].up_buffer_bytes
        }
        Some(_) => fabric.tiers[wiring.own_tier(node)].down_buffer_bytes,
    };
    Wire {
        rate: tier.rate,
        latency: tier.latency,
        gap_bytes: scenario.packet.gap_bytes.into(),
        buffer,
        ecn_threshold: fabric.ecn_threshold_bytes,
        queue: fabric.queue,
        to_host: wiring.plugs[node][port].peer < wiring.hosts,
    }
}

impl World<'_> {
    fn wire(&self, node: usize, port: usize) -> Wire {
        wire(self.scenario, &self.wiring, node, port)
    }

    fn switch(&mut self, node: usize) -> &mut Switch {
        &mut self.switches[node - self.wiring.hosts]
    }

    pub(crate) fn send_over(&mut self, now: Time, node: usize, port: usize, mut packet: Packet) {
        let plug = self.wiring.plugs[node][port];
        packet.time = now + self.wire(node, port).latency;
        packet.ingress = plug.peer_port as u16;
        let node = plug.peer;
        self.agenda.add(packet.time, Event::Arrive { node, packet });
    }

    pub(crate) fn arrive_at_switch(&mut self, now: Time, node: usize, mut packet: Packet) {
        let ingress = usize::from(packet.ingress);
        if packet.is_pause() {
            let port = &mut self.switch(node).ports[ingress];
            port.lossy.hear(packet.kind, &mut port.paused, now);
            self.last_pause = self.last_pause.max(now);
            self.wake_port(now, node, ingress);
            return;
        }
        let switch = &mut self.switches[node - self.wiring.hosts];
        let Some(port) = switch.route(&mut packet, now, &self.wiring, &self.faults) else {
            self.unroutable += 1;
            let data = matches!(packet.kind, Kind::Data | Kind::Trimmed);
            self.unroutable_data += u64::from(data);
            self.last_loss = self.last_loss.max(now);
            return;
        };
        let pfc = switch.pfc.as_mut();
        let told = pfc.and_then(|pfc| pfc.arrive(&packet));
        self.tell_neighbour(now, node, ingress, told);
        let at = self.switch(node).pipeline.through(now, packet.ingress);
        if at == now {
            self.enqueue(now, node, port, packet);
        } else {
            let event = Event::Enqueue { node, port, packet };
            self.agenda.add(at, event);
        }
    }

    /// Send a pause frame, if any, to the neighbour at `port`.
    fn tell_neighbour(&mut self, now: Time, node: usize, port: usize, told: Option<Kind>) {
        let pfc = self.switch(node).pfc.as_ref();
        if let (Some(kind), Some(pfc)) = (told, pfc) {
            let packet = new_packet(now, kind, 0, 0, 0, pfc.frame_bytes, 0);
            self.enqueue(now, node, port, packet);
        }
    }

    pub(crate) fn enqueue(&mut self, now: Time, node: usize, port: usize, packet: Packet) {
        let wire = self.wire(node, port);
        self.switch(node).enqueue(packet, now, port, &wire);
        self.wake_port(now, node, port);
    }

    /// Something may be sent: let the port choose as soon as it is free.
    fn wake_port(&mut self, now: Time, node: usize, port: usize) {
        if let Some(at) = self.switch(node).ports[port].ready(now) {
            self.agenda.add(at, Event::Serve { node, port });
        }
    }

    pub(crate) fn serve(&mut self, now: Time, node: usize, port: usize) {
        let wire = self.wire(node, port);
        let out = &mut self.switches[node - self.wiring.hosts].ports[port];
        match out.serve(now, &wire, &self.faults) {
            Attempt::Leaves(at) => self.agenda.add(at, Event::FrameLeftSwitch { node, port }),
            Attempt::Again(at) => self.agenda.add(at, Event::Serve { node, port }),
            Attempt::Idle => {}
        }
    }

    pub(crate) fn frame_left_switch(&mut self, now: Time, node: usize, port: usize) {
        let wire = self.wire(node, port);
        let switch = &mut self.switches[node - self.wiring.hosts];
        let (packet, loss) = switch.ports[port].depart(now, &wire, &self.faults);
        self.wake_port(now, node, port);
        if !packet.is_pause() {
            let ingress = usize::from(packet.ingress);
            let pfc = self.switch(node).pfc.as_mut();
            let told = pfc.and_then(|pfc| pfc.leave(&packet));
            self.tell_neighbour(now, node, ingress, told);
        }
        match loss {
            Loss::None => self.send_over(now, node, port, packet),
            Loss::Chance => {}
            Loss::DeadLink => self.last_loss = self.last_loss.max(now + wire.latency),
        }
    }
}
