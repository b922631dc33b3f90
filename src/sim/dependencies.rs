//! From the dependencies of a workload to what each host has to know of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::build::{self, Builder};
use crate::host::{End, HostTriggers, LocalTarget, Pull, Told, TriggerPlan, Wait};
use crate::settings::{FlowEvent, Target, Traffic, Trigger};
use crate::units::Span;

/// The flows that a trigger starts, by index in the workload.
pub(super) fn triggered(traffic: &Traffic) -> BTreeSet<u32> {
    let triggers = traffic.dependencies.triggers.iter();
    let targets = triggers.flat_map(|trigger| &trigger.targets);
    targets.map(|target| target.flow).collect()
}

/// The numbers of flows on re-used connections, by index in the workload.
pub(super) fn messages(traffic: &Traffic) -> BTreeMap<u32, u64> {
    let connections = traffic.dependencies.connections.iter();
    let messages = connections.flat_map(|connection| &connection.messages);
    messages
        .map(|message| (message.flow, message.number))
        .collect()
}

/// What the triggers have to do with each host, where there is anything.
pub(super) fn of_hosts(builder: &Builder<'_>) -> BTreeMap<u32, HostTriggers> {
    let triggers = &builder.traffic.dependencies.triggers;
    let plans: Arc<[TriggerPlan]> = triggers.iter().map(|t| plan(builder, t)).collect();
    let numbers = builder.order.numbers();
    let mut hosts: BTreeMap<u32, HostTriggers> = BTreeMap::new();
    let latency = build::windows(builder.scenario).lookahead;
    let mut host = |host: u32, change: &mut dyn FnMut(&mut HostTriggers)| {
        change(hosts.entry(host).or_insert_with(|| HostTriggers {
            plans: Arc::clone(&plans),
            latency,
            ..HostTriggers::default()
        }));
    };
    for (number, trigger) in (0..).zip(triggers) {
        for &activator in &trigger.activators {
            let at = builder.traffic.host_of(activator);
            let flow = numbers[activator.flow as usize];
            let local = match activator.event {
                FlowEvent::Acked => flow - builder.order.sent(at).start,
                FlowEvent::Received => builder.order.slot(flow) as u32,
            };
            host(at, &mut |host| {
                pull(host, number, End::of(activator.event), local);
            });
        }
        for target in &trigger.targets {
            let spec = &builder.traffic.flows[target.flow as usize];
            let local = LocalTarget {
                needs: target.needs,
                flow: numbers[target.flow as usize] - builder.order.sent(spec.src).start,
                not_before: spec.start,
            };
            host(spec.src, &mut |host| wait(host, number, local));
        }
    }
    for host in hosts.values_mut() {
        host.pulls.sort_unstable();
        for wait in &mut host.waits {
            wait.targets.sort_unstable();
        }
    }
    hosts
}

fn plan(builder: &Builder<'_>, trigger: &Trigger) -> TriggerPlan {
    let at_one_host = builder.traffic.is_at_one_host(trigger);
    let all = trigger.activators.len() as u64;
    let hosts = trigger.targets.iter();
    let hosts = hosts.map(|target| builder.traffic.flows[target.flow as usize].src);
    let hosts: BTreeSet<u32> = hosts.collect();
    let rest = if at_one_host {
        Span::ZERO
    } else {
        let lookahead = build::windows(builder.scenario).lookahead;
        Span(builder.scenario.trigger_latency().0 - lookahead.0)
    };
    let waits_for_all = |target: &Target| u64::from(target.needs) == all;
    TriggerPlan {
        at_one_host,
        in_turn: !trigger.targets.iter().all(waits_for_all),
        hosts: hosts
            .into_iter()
            .map(|host| builder.partition.address(host))
            .collect(),
        delay: rest + trigger.delay,
    }
}

/// A flow of this host activates `trigger`. Called by trigger.
fn pull(host: &mut HostTriggers, trigger: u32, end: End, flow: u32) {
    if host.told.last().is_none_or(|told| told.trigger != trigger) {
        host.told.push(Told {
            trigger,
            activations: 0,
            left: 0,
        });
    }
    let index = host.told.len() - 1;
    let told = &mut host.told[index];
    told.activations += 1;
    told.left += 1;
    host.pulls.push(Pull {
        end,
        flow,
        told: index as u32,
    });
}

/// A flow of this host waits for `trigger`. Called by trigger.
fn wait(host: &mut HostTriggers, trigger: u32, target: LocalTarget) {
    if host.waits.last().is_none_or(|wait| wait.trigger != trigger) {
        host.waits.push(Wait {
            trigger,
            seen: 0,
            targets: Vec::new(),
            started: 0,
        });
    }
    if let Some(wait) = host.waits.last_mut() {
        wait.targets.push(target);
    }
}
