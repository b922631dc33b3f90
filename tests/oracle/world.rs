//! One run: take the first event, do what the model page says, until nothing is due.

use std::collections::BTreeMap;
use std::sync::Arc;

use spraysim::scenario::Scenario;
use spraysim::units::Time;
use spraysim::workload::{Dependencies, FlowSpec};

use super::events::{Agenda, Event, Key};
use super::fabric::Switch;
use super::failures::{Faults, Live};
use super::flows::{Flow, flows_by_number};
use super::host::{Host, hosts};
use super::imperfect::{offsets, ties};
use super::policies::Policies;
use super::reliable::{Connection, connections};
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
    /// When a pause frame last came to a switch.
    pub(crate) last_pause: Time,
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
    /// By their first flows, the connections that recover what is lost.
    pub(crate) connections: BTreeMap<usize, Connection>,
    /// Frames that hosts took in, pause frames apart.
    pub(crate) taken: u64,
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
        starts(&flows, &mut agenda);
        stuck_hosts(scenario, &mut agenda);
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
            connections: connections(scenario, &flows),
            taken: 0,
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
            last_pause: Time::ZERO,
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
        let mut events = 0_u64;
        while let Some((key, event)) = self.agenda.next(horizon) {
            assert!(before <= Some(key), "time goes backwards: {event:?}");
            before = Some(key);
            events += 1;
            assert!(events < 10_000_000, "{} does not end", self.scenario.name);
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
                Event::Stuck { host, begins } => self.stuck(now, host, begins),
                Event::Timeout { connection, .. } => self.timeout(now, connection),
                Event::NicDecide { host } => self.decide(now, host),
                Event::Serve { node, port } => self.serve(now, node, port),
            }
        }
        self.ran_dry = self.agenda.rest().all(|event| match event {
            Event::Timeout { connection, .. } => self.waits_for_nothing(*connection),
            _ => false,
        });
    }
}

/// Note when flows start that wait for none.
fn starts(flows: &[Flow], agenda: &mut Agenda) {
    for (flow, state) in flows.iter().enumerate() {
        if let Some(at) = state.activates {
            agenda.add(at, Event::Activate { flow });
        }
    }
}

/// Note when hosts begin and end to be stuck.
fn stuck_hosts(scenario: &Scenario, agenda: &mut Agenda) {
    for stuck in &scenario.fabric.losses.stuck_hosts {
        let host = stuck.host as usize;
        agenda.add(stuck.from, Event::Stuck { host, begins: true });
        if stuck.until != Time::NEVER {
            let begins = false;
            agenda.add(stuck.until, Event::Stuck { host, begins });
        }
    }
}
