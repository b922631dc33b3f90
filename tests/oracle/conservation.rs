//! What must hold of every run of the oracle whose ports lose, trim or pause: nothing appears or vanishes.

use spraysim::settings::QueueKind;
use spraysim::units::Time;

use super::cases::Case;
use super::cases_lossy::{Family, of_pfc, of_ports, of_transport};
use super::pfc::needed_headroom;
use super::policies::Policies;
use super::seen::{LossySeen, RecoverySeen, Seen};
use super::switching::wire;
use super::wiring::Wiring;
use super::world::simulate_waiting;

/// The runs of a family that nothing cuts off, each held to what must be so.
fn each(family: Family, cases: u64, mut look: impl FnMut(&Case, &Seen)) {
    for number in 0..cases {
        let case = family(number);
        let policies = Policies::of_scenario(&case.scenario, case.seed);
        let traffic = (&case.flows[..], &case.dependencies);
        let seen = simulate_waiting(&case.scenario, traffic, case.seed, &policies);
        if seen.ran_dry {
            frames_are_conserved(&case, &seen);
            finished_flows_are_whole(&case, &seen);
        }
        look(&case, &seen);
    }
}

fn frames_are_conserved(case: &Case, seen: &Seen) {
    let of_links = |of: fn(&super::seen::LinkSeen) -> u64| seen.links.values().map(of).sum::<u64>();
    let gone = of_links(|link| link.dropped) + of_links(|link| link.lost);
    let sent = seen.data_packets + seen.ack_packets;
    let found = seen.taken + gone + seen.failures.unroutable_packets + seen.held;
    assert_eq!(sent, found, "{}", case.scenario.name);
    let packets: u64 = seen.flows.iter().map(|flow| flow.packets).sum();
    assert_eq!(seen.data_packets, packets, "{}", case.scenario.name);
}

fn finished_flows_are_whole(case: &Case, seen: &Seen) {
    let name = &case.scenario.name;
    let ends = case.flows.iter().zip(&seen.flows);
    let finished = ends.filter(|(_, flow)| flow.end.is_some());
    let bytes: u64 = finished.map(|(spec, _)| spec.bytes).sum();
    assert!(seen.delivered_bytes >= bytes, "{name}");
    let Some(transport) = case.scenario.transport else {
        return;
    };
    let started = seen.flows.iter().filter(|flow| flow.start.is_some());
    let unfinished = started.filter(|flow| flow.end.is_none()).count();
    let timeouts: u64 = seen.recovery.iter().map(|r| r.timeouts).sum();
    let stuck = &case.scenario.fabric.losses.stuck_hosts;
    let for_good = stuck.iter().any(|stuck| stuck.until == Time::NEVER);
    let again: u64 = seen.recovery.iter().map(|r| r.retransmissions).sum();
    let most = u64::from(transport.give_up_after);
    // By timeouts in a row, or because one packet was sent ten times as often.
    let gave_up = timeouts >= most || again >= 10 * most - 1;
    assert!(unfinished == 0 || gave_up || for_good, "{name}");
}

fn total(seen: &Seen) -> RecoverySeen {
    let sum = |of: fn(&RecoverySeen) -> u64| seen.recovery.iter().map(of).sum();
    RecoverySeen {
        retransmissions: sum(|r| r.retransmissions),
        timeouts: sum(|r| r.timeouts),
        nacks: sum(|r| r.nacks),
        spurious: sum(|r| r.spurious),
        discarded: sum(|r| r.discarded),
    }
}

fn of_ports_all(seen: &Seen, of: fn(&LossySeen) -> u64) -> u64 {
    seen.lossy.values().map(of).sum()
}

#[test]
fn frames_that_ports_trim_drop_or_lose_are_accounted_for() {
    let (mut trimmed, mut dropped, mut lost, mut marked) = (0, 0, 0, 0);
    each(of_ports, 300, |case, seen| {
        assert_eq!(total(seen), RecoverySeen::default());
        trimmed += u32::from(of_ports_all(seen, |port| port.trimmed) > 0);
        dropped += u32::from(seen.links.values().any(|link| link.dropped > 0));
        let fails = case.scenario.fabric.failures.is_some();
        lost += u32::from(!fails && seen.links.values().any(|link| link.lost > 0));
        let red = case.scenario.fabric.queue.ecn_max_threshold_bytes.is_some();
        marked += u32::from(red && seen.links.values().any(|link| link.marked > 0));
    });
    let found = [trimmed, dropped, lost, marked];
    assert!(found.iter().all(|count| *count > 20), "{found:?}");
}

#[test]
fn senders_recover_everything_or_give_up() {
    let (mut all, mut runs, mut unfinished) = (RecoverySeen::default(), [0; 5], 0);
    each(of_transport, 300, |_, seen| {
        let total = total(seen);
        let parts = [
            (total.retransmissions, &mut all.retransmissions),
            (total.timeouts, &mut all.timeouts),
            (total.nacks, &mut all.nacks),
            (total.spurious, &mut all.spurious),
            (total.discarded, &mut all.discarded),
        ];
        for ((part, sum), runs) in parts.into_iter().zip(&mut runs) {
            *sum += part;
            *runs += u32::from(part > 0);
        }
        unfinished += u32::from(seen.last_finish.is_none());
    });
    assert!(runs.iter().all(|count| *count > 20), "{runs:?} {all:?}");
    assert!((10..200).contains(&unfinished), "{unfinished}");
}

#[test]
fn lossless_ports_drop_nothing_and_keep_within_their_headroom() {
    let (mut paused, mut closest) = (0, 0.0_f64);
    each(of_pfc, 300, |case, seen| {
        let scenario = &case.scenario;
        assert!(seen.links.values().all(|link| link.dropped == 0));
        paused += u32::from(of_ports_all(seen, |port| port.pauses) > 0);
        let QueueKind::Lossless(lossless) = scenario.fabric.queue.kind else {
            panic!("a lossless fabric");
        };
        if scenario.fabric.queue.shared_buffer.is_some() {
            return;
        }
        let wiring = Wiring::new(&scenario.fabric.shape);
        for node in wiring.hosts..wiring.plugs.len() {
            for (port, plug) in wiring.plugs[node].iter().enumerate() {
                let wire = wire(scenario, &wiring, node, port);
                let needed = needed_headroom(&lossless, scenario, &wire);
                let ends = (wiring.name(node), wiring.name(plug.peer));
                let member = wiring.member(node, port);
                let key = (wiring.stage(node, port), ends.0, ends.1, member);
                let held = seen.lossy[&key].headroom;
                assert!(held <= needed, "{}: {held} > {needed}", scenario.name);
                closest = closest.max(held as f64 / needed as f64);
            }
        }
    });
    assert!(paused > 100, "{paused}");
    assert!(closest > 0.8, "{closest}");
}
