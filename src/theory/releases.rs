//! When flows can start at the earliest, given what they wait for.
//!
//! A flow is done no sooner than [`lone_bound`] after its release; a target is released at the activation that completes what it
//! needs, the trigger's latency and delay later. All of this only grows with each release, so that counting activations in the order
//! of their earliest instants gives a bound, for multishot triggers too. The order of messages on a connection is not used.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::frames::Frames;
use super::ideal_fct::lone_bound;
use crate::settings::{Activator, FlowEvent, Scenario, Traffic};
use crate::topology::FatTree;
use crate::units::Span;

/// For each flow, the earliest instant of its release, in ps, without start jitter.
pub(super) fn earliest(scenario: &Scenario, tree: FatTree, traffic: &Traffic) -> Vec<u128> {
    let flows = traffic.flows.iter();
    let mut releases: Vec<u128> = flows.map(|flow| flow.start.0.into()).collect();
    let triggers = &traffic.dependencies.triggers;
    if triggers.is_empty() {
        return releases;
    }
    let mut pulls: Vec<Vec<(FlowEvent, u32)>> = vec![Vec::new(); releases.len()];
    let mut waits = vec![false; releases.len()];
    for (number, trigger) in (0..).zip(triggers) {
        for &Activator { flow, event } in &trigger.activators {
            pulls[flow as usize].push((event, number));
        }
        for target in &trigger.targets {
            waits[target.flow as usize] = true;
        }
    }
    let mut due = BinaryHeap::new();
    let mut pull = |due: &mut BinaryHeap<_>, flow: u32, release: u128| {
        for (event, trigger) in pulls[flow as usize].drain(..) {
            let least = least(scenario, tree, traffic, Activator { flow, event });
            let done = release + u128::from(least.0);
            due.push(Reverse((done, trigger)));
        }
    };
    for (flow, _) in (0..).zip(&waits).filter(|(_, waits)| !**waits) {
        pull(&mut due, flow, releases[flow as usize]);
    }
    let mut counts = vec![0; triggers.len()];
    while let Some(Reverse((at, number))) = due.pop() {
        let trigger = &triggers[number as usize];
        counts[number as usize] += 1;
        let latency = if traffic.is_at_one_host(trigger) {
            Span::ZERO
        } else {
            scenario.trigger_latency()
        };
        let after = at + u128::from(latency.0) + u128::from(trigger.delay.0);
        for target in trigger.started_by(counts[number as usize]) {
            let release = &mut releases[target.flow as usize];
            *release = after.max(*release);
            pull(&mut due, target.flow, *release);
        }
    }
    releases
}

/// The least time from the release of the flow of `activator` to its event.
fn least(scenario: &Scenario, tree: FatTree, traffic: &Traffic, activator: Activator) -> Span {
    let spec = &traffic.flows[activator.flow as usize];
    let frames = Frames {
        acks: activator.event == FlowEvent::Acked,
        ..Frames::new(scenario, spec.bytes)
    };
    lone_bound(&frames, tree.hops(tree.layer(spec.src, spec.dst)))
}
