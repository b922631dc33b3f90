//! Random dependencies between the flows of a case.

use spraysim::scenario::{Acks, Scenario};
use spraysim::units::{Span, Time};
use spraysim::workload::{
    Activator, Connection, Dependencies, FlowEvent, FlowSpec, Message, Target, Trigger,
};

use super::cases::{Dice, bytes};
use super::flows::slot;

/// Triggers and re-used connections among `flows`, to which messages may be added; and their latency.
pub(crate) fn random(
    dice: &mut Dice,
    scenario: &mut Scenario,
    flows: &mut Vec<FlowSpec>,
) -> Dependencies {
    let link = scenario.fabric.shortest_latency();
    let any = dice.between(0, 3 * link.0);
    scenario.trigger_latency = dice.one_of(&[None, None, Some(link), Some(link + Span(any))]);
    let connections = match dice.chance(50) {
        true => connections(dice, scenario, flows),
        false => Vec::new(),
    };
    let mut dependencies = Dependencies {
        triggers: Vec::new(),
        connections,
    };
    if dice.chance(85) {
        dependencies.triggers = triggers(dice, scenario, flows);
    }
    if dependencies.cycle(flows.len()).is_some() {
        dependencies.triggers.clear();
    }
    dependencies
}

/// Some flows become the first messages of connections; the others are added.
fn connections(dice: &mut Dice, scenario: &Scenario, flows: &mut Vec<FlowSpec>) -> Vec<Connection> {
    let mut connections = Vec::new();
    for first in 0..flows.len() {
        if !dice.chance(30) {
            continue;
        }
        let mut messages = vec![first as u32];
        for _ in 0..dice.between(0, 3) {
            let start = flows[first].start.0 + dice.one_of(&[0, 0, slot(scenario).0, 1_000_000]);
            messages.push(flows.len() as u32);
            flows.push(FlowSpec {
                bytes: bytes(dice, scenario),
                start: Time(start),
                ..flows[first].clone()
            });
        }
        let message = |(number, flow)| Message { flow, number };
        let messages = (0..).zip(messages).map(message).collect();
        connections.push(Connection { messages });
    }
    connections
}

/// From flows to flows that come later in a random order, so that there is no cycle but for messages.
fn triggers(dice: &mut Dice, scenario: &Scenario, flows: &[FlowSpec]) -> Vec<Trigger> {
    let mut order: Vec<u32> = (0..flows.len() as u32).collect();
    dice.shuffle(&mut order);
    let mut triggers = Vec::new();
    // Flows from here on have no trigger yet; activators come from those before.
    let mut next = 1 + dice.between(0, flows.len() as u64 / 3) as usize;
    while next < order.len() && triggers.len() < 40 {
        let targets = dice.one_of(&[1, 1, 2, 3]).min(order.len() - next);
        let width = dice
            .one_of(&[1, 1, 2, 5])
            .max(if dice.chance(50) { targets } else { 1 });
        let pick = |dice: &mut Dice| {
            let flow = order[dice.between(0, next as u64 - 1) as usize];
            let received = scenario.packet.acks == Acks::None || dice.chance(40);
            let event = match received {
                true => FlowEvent::Received,
                false => FlowEvent::Acked,
            };
            Activator { flow, event }
        };
        let near = nearby(scenario, flows, &order[..next], order[next]);
        let (targets, activators) = match near.is_empty() || dice.chance(50) {
            true => (targets, (0..width).map(|_| pick(dice)).collect::<Vec<_>>()),
            false => (1, (0..width).map(|_| dice.one_of(&near)).collect()),
        };
        let in_turn = activators.len() >= targets && dice.chance(40);
        let target = |i: usize| Target {
            flow: order[next + i],
            needs: if in_turn { i + 1 } else { activators.len() } as u32,
        };
        let any = dice.between(0, 2 * scenario.fabric.shortest_latency().0);
        triggers.push(Trigger {
            targets: (0..targets).map(target).collect(),
            activators,
            delay: Span(dice.one_of(&[0, 0, slot(scenario).0, any])),
        });
        next += targets + dice.one_of(&[0, 0, 1, 2]);
    }
    triggers
}

/// What happens to `flows[others]` at the host that sends `flows[flow]`.
fn nearby(scenario: &Scenario, flows: &[FlowSpec], others: &[u32], flow: u32) -> Vec<Activator> {
    let here = flows[flow as usize].src;
    let acks = scenario.packet.acks == Acks::PerPacket;
    let mut found = Vec::new();
    for &flow in others {
        let spec = &flows[flow as usize];
        let events = [
            (acks && spec.src == here, FlowEvent::Acked),
            (spec.dst == here, FlowEvent::Received),
        ];
        let events = events.into_iter().filter(|(is_here, _)| *is_here);
        found.extend(events.map(|(_, event)| Activator { flow, event }));
    }
    found
}
