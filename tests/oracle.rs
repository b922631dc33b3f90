//! The product held to the oracle, and the oracle to numbers computed by hand (`oracle/by_hand.rs`).

#[path = "oracle/mod.rs"]
mod oracle;

use oracle::bench::{flow, paper};
use oracle::cases::Case;
use oracle::cases_lossy::{self, Family};
use oracle::compare::same;
use oracle::policies::Policies;
use oracle::world::{simulate, simulate_waiting};
use spraysim::lb::{SCHEMES, Scheme};
use spraysim::scenario::{Failures, LinkFault, Queued};
use spraysim::settings::TransportKind;
use spraysim::sim::{Engine, Progress, RunOptions, RunResult, run_flows};
use spraysim::units::{Ratio, Time};
use spraysim::workload::{Dependencies, Target, Traffic, Trigger};

/// Run the product on a case.
fn product(case: &Case, (engine, threads): (Engine, usize)) -> RunResult {
    let options = RunOptions::new(engine, threads);
    let progress = Progress::default();
    run_flows(
        &case.scenario,
        Traffic {
            flows: case.flows.clone(),
            dependencies: case.dependencies.clone(),
            mice: 0,
        },
        case.seed,
        options,
        &progress,
    )
    .0
}

/// Run the oracle on a case.
fn oracle_on(case: &Case, policies: &Policies) -> oracle::seen::Seen {
    let traffic = (&case.flows[..], &case.dependencies);
    simulate_waiting(&case.scenario, traffic, case.seed, policies)
}

/// The first differences between the product, by that engine, and the oracle on the case of that number.
fn differences(family: Family, number: u64, engine: (Engine, usize)) -> Option<String> {
    let case = family(number);
    let policies = Policies::of_scenario(&case.scenario, case.seed);
    let oracle = oracle_on(&case, &policies);
    let text = same(&product(&case, engine), &oracle).err()?;
    Some(format!(
        "case {number}, {engine:?} (engine, threads): {text}\n{:?}",
        case.scenario
    ))
}

/// Hold the product, by each engine, to the oracle on so many cases of a family.
fn agrees(family: Family, cases: u64) {
    // Threads meet in every window, which takes its time in windows of 1 ns: every fifth case is enough.
    for (engine, step) in [
        ((Engine::Heap, 1), 1),
        ((Engine::Windowed, 1), 1),
        ((Engine::Windowed, 3), 5),
    ] {
        let told: Vec<String> = (0..cases)
            .step_by(step)
            .filter_map(|number| differences(family, number, engine))
            .collect();
        let first = told.iter().take(3).map(String::as_str).collect::<Vec<_>>();
        assert!(
            told.is_empty(),
            "{} cases differ:\n{}",
            told.len(),
            first.join("\n\n")
        );
    }
}

#[test]
fn agrees_with_the_product_on_1000_random_scenarios() {
    agrees(Case::numbered, 1_000);
}

#[test]
fn agrees_with_the_product_on_random_ports_that_lose_trim_mark_and_share() {
    agrees(cases_lossy::of_ports, 600);
}

#[test]
fn agrees_with_the_product_on_random_senders_that_recover() {
    agrees(cases_lossy::of_transport, 400);
}

#[test]
fn agrees_with_the_product_on_random_handshakes_and_tcp() {
    agrees(cases_lossy::of_tcp, 400);
}

#[test]
fn the_random_tcp_senders_recover_in_every_way() {
    let (mut fast, mut late, mut in_vain, mut syns) = (0, 0, 0, 0);
    for number in 0..400 {
        let case = cases_lossy::of_tcp(number);
        let transport = case.scenario.transport.expect("one that recovers");
        let policies = Policies::of_scenario(&case.scenario, case.seed);
        let seen = oracle_on(&case, &policies);
        for (flow, recovery) in seen.flows.iter().zip(&seen.recovery) {
            if transport.kind == TransportKind::NewReno {
                let by_duplicates = recovery.retransmissions > 0 && recovery.timeouts == 0;
                fast += u32::from(by_duplicates);
                late += u32::from(recovery.timeouts > 0 && recovery.retransmissions > 0);
                in_vain += u32::from(recovery.spurious > 0);
            }
            syns += u32::from(transport.handshake && flow.packets == 0 && recovery.timeouts > 0);
        }
    }
    let found = [fast, late, in_vain, syns];
    assert!(found.iter().all(|&count| count > 50), "{found:?}");
}

#[test]
fn agrees_with_the_product_on_random_lossless_fabrics() {
    agrees(cases_lossy::of_pfc, 200);
}

#[test]
fn in_the_oracle_every_packet_of_a_random_scenario_arrives_is_dropped_or_is_cut_off() {
    let mut dropped_somewhere = 0;
    let mut marked_somewhere = 0;
    let mut mixed = 0;
    let (mut failed_somewhere, mut unroutable_somewhere) = (0, 0);
    for number in 0..400 {
        let case = Case::numbered(number);
        let policies = Policies::of_scenario(&case.scenario, case.seed);
        let seen = oracle_on(&case, &policies);
        let sum = |of: fn(&oracle::seen::LinkSeen) -> u64| seen.links.values().map(of).sum::<u64>();
        let (dropped, marked) = (sum(|link| link.dropped), sum(|link| link.marked));
        mixed += u32::from(!case.scenario.deployments.is_empty());
        dropped_somewhere += u32::from(dropped > 0);
        marked_somewhere += u32::from(marked > 0);
        let finished = seen.flows.iter().filter(|f| f.end.is_some()).count();
        if case.scenario.fabric.failures.is_some() {
            failed_somewhere += u32::from(sum(|link| link.lost) > 0);
            unroutable_somewhere += u32::from(seen.failures.unroutable_packets > 0);
        } else if case.scenario.horizon.is_none() && dropped == 0 {
            assert_eq!(finished, case.flows.len(), "case {number}");
            let bytes: u64 = case.flows.iter().map(|f| f.bytes).sum();
            assert_eq!(seen.delivered_bytes, bytes, "case {number}");
        } else {
            assert!(finished < case.flows.len() || dropped == 0, "case {number}");
        }
    }
    assert!(dropped_somewhere > 20 && marked_somewhere > 20 && mixed > 60);
    let failed = (failed_somewhere, unroutable_somewhere);
    assert!(failed.0 > 20 && failed.1 > 20, "{failed:?}");
}

#[test]
fn the_random_scenarios_have_waiting_flows_of_every_kind() {
    let (mut waited, mut stuck, mut local, mut in_turn, mut queued) = (0, 0, 0, 0, 0);
    for number in 0..1_000 {
        let case = Case::numbered(number);
        let traffic = Traffic {
            flows: case.flows.clone(),
            dependencies: case.dependencies.clone(),
            mice: 0,
        };
        let triggers = &traffic.dependencies.triggers;
        let at_one_host = |trigger: &&Trigger| traffic.is_at_one_host(trigger);
        local += triggers.iter().filter(at_one_host).count();
        let takes_turns = |trigger: &&Trigger| {
            let needs = trigger.targets.iter().map(|target| target.needs as usize);
            needs.min() < Some(trigger.activators.len())
        };
        in_turn += triggers.iter().filter(takes_turns).count();
        let connections = traffic.dependencies.connections.iter();
        queued += connections.filter(|c| c.messages.len() > 1).count();
        if triggers.is_empty() || case.scenario.horizon.is_some() {
            continue;
        }
        let seen = oracle_on(&case, &Policies::of(&case.scenario.load_balancing));
        let started = |flow: u32| seen.flows[flow as usize].start.is_some();
        let targets = triggers.iter().flat_map(|trigger| &trigger.targets);
        let (yes, no): (Vec<&Target>, Vec<&Target>) =
            targets.partition(|target| started(target.flow));
        waited += yes.len();
        stuck += no.len();
    }
    assert!(waited > 1_000, "{waited} flows waited and started");
    assert!(stuck > 50, "{stuck} flows wait for one that is lost");
    let found = (local, in_turn, queued);
    assert!(local > 100 && in_turn > 100 && queued > 200, "{found:?}");
}

#[test]
fn agrees_with_the_product_on_when_deliveries_are_back_to_normal() {
    let mut recovered = 0;
    for number in 0..6 * SCHEMES.len() as u32 {
        let scheme = SCHEMES[number as usize % SCHEMES.len()].name;
        let mut scenario = paper(4);
        scenario.load_balancing = Scheme::by_name(scheme).expect("it is in the table");
        let fault = LinkFault {
            cable: 5 * number % 32,
            from: Time(5_000_000 + u64::from(number) * 61_803),
            until: Time(7_000_000 + u64::from(number) * 41_421),
            slow_to: (number % 3 == 0).then_some(Ratio { num: 1, den: 2 }),
        };
        scenario.fabric.failures = Some(Failures {
            links: vec![fault],
            queued: [Queued::Lost, Queued::Held][number as usize % 2],
            ..Failures::default()
        });
        let flows = (0..16).map(|src| flow(src, (src + 3 + number % 11) % 16, 300, Time::ZERO));
        let case = Case {
            scenario,
            flows: flows.collect(),
            dependencies: Dependencies::default(),
            seed: u64::from(number),
        };
        let policies = Policies::of(&case.scenario.load_balancing);
        let oracle = simulate(&case.scenario, &case.flows, case.seed, &policies);
        let same = same(&product(&case, (Engine::Windowed, 2)), &oracle);
        same.unwrap_or_else(|text| panic!("{number}, {scheme}: {text}"));
        recovered += u32::from(oracle.failures.recovery.is_some());
    }
    assert!(recovered > 20, "{recovered}");
}
