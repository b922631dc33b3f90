//! A switch: where a packet goes.

use std::collections::BTreeMap;
use std::fmt;

use spraysim::lb::switch::{Level, SwitchEnv};
use spraysim::packet::Packet;
use spraysim::rng::{Domain, Rng};
use spraysim::scenario::Scenario;
use spraysim::units::Time;

use super::coins::Coins;
use super::failures::Faults;
use super::imperfect::{Pipeline, Seen, Sight};
use super::pfc::Pfc;
use super::policies::{BoxedPolicy, Policies, View};
use super::ports::{OutPort, Wire};
use super::switching::wire;
use super::wiring::Wiring;

/// A switch. Cores and spines have no policy: they have no uplinks.
pub(crate) struct Switch {
    node: usize,
    level: Option<Level>,
    policy: Option<Box<dyn BoxedPolicy>>,
    draws: Rng,
    /// For each bundle that leads down, by its first port: how many packets went there.
    turns: BTreeMap<usize, usize>,
    pub(crate) pipeline: Pipeline,
    sight: Sight,
    pub(crate) ports: Vec<OutPort>,
    pub(crate) pfc: Option<Pfc>,
}

impl fmt::Debug for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Switch {:?}", self.ports)
    }
}

impl Switch {
    /// The idle switch at `node`.
    pub(crate) fn new(
        node: usize,
        seed: u64,
        scenario: &Scenario,
        wiring: &Wiring,
        policies: &Policies,
    ) -> Self {
        let number = node - wiring.hosts;
        let level = match number {
            edge if edge < wiring.edges => Some(Level::Edge),
            _ if wiring.uplinks(node) > 0 => Some(Level::Aggregation),
            _ => None,
        };
        let env = |level| SwitchEnv {
            seed,
            level,
            switch: number as u32,
            uplinks: wiring.uplinks(node),
            downlinks: wiring.downlinks(node),
            groups: match level {
                Level::Edge => wiring.edges,
                Level::Aggregation => wiring.pods(),
            },
            hosts: wiring.hosts,
            reference_buffer_bytes: scenario.fabric.tiers[wiring.own_tier(node)]
                .up_buffer_bytes
                .unwrap_or(800_000),
        };
        let ports = 0..wiring.plugs[node].len();
        let wires: Vec<Wire> = ports
            .map(|port| wire(scenario, wiring, node, port))
            .collect();
        Self {
            pfc: Pfc::new(scenario, &wires),
            node,
            level,
            policy: level.map(|level| (policies.switch)(&env(level))),
            draws: Rng::stream(seed, Domain::SwitchPick, number as u64),
            turns: BTreeMap::new(),
            pipeline: Pipeline::new(scenario, number, wiring.own_tier(node), seed),
            sight: Sight::new(scenario, number, seed),
            ports: wiring.plugs[node]
                .iter()
                .enumerate()
                .map(|(port, _)| {
                    let coins = Coins::new((node, port), seed, scenario, wiring);
                    OutPort::new((node, port), coins)
                })
                .collect(),
        }
    }

    /// `packet` comes to `port`.
    pub(crate) fn enqueue(&mut self, packet: Packet, now: Time, port: usize, wire: &Wire) {
        let ports = self.ports.iter().enumerate();
        let others = ports.filter(|(other, _)| *other != port);
        let others = others.map(|(_, other)| other.buffered_bytes(&wire.queue));
        let others = others.sum();
        self.ports[port].enqueue(packet, now, wire, others);
    }

    /// Decide by which port `packet` leaves, if any leads to its destination; stamp the uplink on it if it goes up.
    pub(crate) fn route(
        &mut self,
        packet: &mut Packet,
        now: Time,
        wiring: &Wiring,
        faults: &Faults,
    ) -> Option<usize> {
        let dst = packet.dst as usize;
        let is_up = |node, port| faults.known_up((node, port), now);
        let down = wiring.down_ports(self.node, dst);
        if let [first, ..] = down[..] {
            // The next of the bundle that is thought to be up, or the next if none is.
            let turn = self.turns.entry(first).or_default();
            let next = (0..down.len()).map(|step| (*turn + step) % down.len());
            let mut live = next.filter(|&member| is_up(self.node, down[member]));
            let member = live.next().unwrap_or(*turn % down.len());
            *turn = member + 1;
            return Some(down[member]);
        }
        let valid = wiring.valid_uplinks(self.node, dst, &is_up);
        if valid.is_empty() {
            return None;
        }
        let downlinks = wiring.downlinks(self.node);
        let (group, hop) = match self.level.expect("every host is below a core") {
            Level::Edge => (wiring.edge_of(dst), 0),
            Level::Aggregation => (wiring.pod_of(dst), 1),
        };
        let uplinks = &self.ports[downlinks..];
        let mut view = View {
            now,
            ingress: usize::from(packet.ingress),
            group,
            valid,
            queued_bytes: uplinks
                .iter()
                .map(|port| match self.sight.of(now) {
                    Seen::Now => port.queued_bytes(),
                    Seen::At(at) => port.queued_bytes_at(at),
                    Seen::Nothing => 0,
                })
                .collect(),
        };
        let policy = self.policy.as_mut().expect("a switch with uplinks");
        let uplink = policy.pick(packet, &mut view, &mut self.draws);
        assert!(view.valid.contains(uplink), "uplink {uplink} is not valid");
        packet.via[hop] = uplink as u8;
        Some(downlinks + uplink)
    }
}
