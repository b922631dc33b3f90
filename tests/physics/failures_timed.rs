//! Links that fail and come back, or are slow for a while: small cases computed by hand, and conservation.

use super::setup::*;
use spraysim::lb::SCHEMES;
use spraysim::scenario::{Acks, Failures, LinkFault, Queued, Scenario, SwitchFault};
use spraysim::sim::{RunResult, Stage};
use spraysim::units::{Ratio, Span, Time};

/// One full packet over one link: 41,580 ps and 500,000 ps.
const HOP: u64 = DATA + 500_000;

/// Two leaves below one spine, a host each, data only: one path. Its link from the first leaf to the spine has this fault from 5 to 50 us.
fn one_path(slow_to: Option<Ratio>, queued: Queued, convergence_us: u64) -> Scenario {
    let mut scenario = paper(2, 2, "rsq").quiet().at_once();
    scenario.fabric.failures = Some(Failures {
        links: vec![LinkFault {
            cable: 0,
            from: Time(5_000_000),
            until: Time(50_000_000),
            slow_to,
        }],
        convergence: Span::from_ns(1_000 * convergence_us),
        queued,
        ..Failures::default()
    });
    scenario
}

fn link(result: &RunResult, stage: Stage) -> &spraysim::sim::LinkResult {
    let mut links = result.links.iter().filter(|link| link.stage == stage);
    links.next().expect("the stage has links")
}

#[test]
fn frames_are_lost_until_switches_know_and_dropped_until_they_know_of_the_repair() {
    let result = run_flows(
        &one_path(None, Queued::Lost, 1),
        vec![flow(0, 1, 1_500 * PAYLOAD)],
        1,
    );
    // Packet i is at the leaf, and starts for the spine, at s = HOP + i SLOT. It is lost if s + HOP >= 5 us (i >= 94) and the leaf does not
    // know yet, s < 6 us (i <= 130); then it has no uplink until s >= 51 us (i >= 1208).
    let start = |i: u64| HOP + i * SLOT;
    assert!(start(93) + HOP < 5_000_000 && start(94) + HOP >= 5_000_000);
    assert!(start(130) < 6_000_000 && start(131) >= 6_000_000);
    assert!(start(1_207) < 51_000_000 && start(1_208) >= 51_000_000);
    assert_eq!(link(&result, Stage::Ea).lost_packets, 131 - 94);
    assert_eq!(result.failures.unroutable_packets, 1_208 - 131);
    assert_eq!(result.delivered_packets, 94 + 1_500 - 1_208);
    assert_eq!(result.flows[0].end, None);
    assert!(result.ran_dry);
    assert_eq!(result.failures.outage, Some(Span(start(1_207) - 5_000_000)));
    // The first packet after the repair starts for the host at 52.09 us: bin 104 is not full, those from 52.5 us on are.
    assert_eq!(start(1_208) + 2 * HOP, 52_094_980);
    assert_eq!(result.failures.recovery, Some(Span(2_500_000)));
    assert_eq!(result.failures.failed_links, 1);
}

#[test]
fn the_spine_sends_into_a_dead_link_what_the_leaf_sent_before_it_knew() {
    let mut scenario = one_path(None, Queued::Lost, 0);
    let failures = scenario.fabric.failures.as_mut().expect("they were set");
    // The link down to the second leaf; leaves know at once, the spine has no other way.
    failures.links[0].cable = 1;
    let result = run_flows(&scenario, vec![flow(0, 1, 200 * PAYLOAD)], 1);
    // Packet i starts at the spine at 2 HOP + i SLOT and would be there HOP later: lost from i = 81 on; the leaf drops from i = 107 on.
    let (at_host, at_leaf) = (|i: u64| 3 * HOP + i * SLOT, |i: u64| HOP + i * SLOT);
    assert!(at_host(80) < 5_000_000 && at_host(81) >= 5_000_000);
    assert!(at_leaf(106) < 5_000_000 && at_leaf(107) >= 5_000_000);
    assert_eq!(link(&result, Stage::Ea).lost_packets, 0);
    let below = result.links.iter().filter(|link| link.stage == Stage::Ae);
    assert_eq!(below.map(|link| link.lost_packets).sum::<u64>(), 107 - 81);
    assert_eq!(result.failures.unroutable_packets, 200 - 107);
    assert_eq!(result.delivered_packets, 81);
}

#[test]
fn frames_that_are_held_leave_back_to_back_when_the_link_returns() {
    let result = run_flows(
        &one_path(None, Queued::Held, 1_000),
        vec![flow(0, 1, 1_000 * PAYLOAD)],
        1,
    );
    // Those that started before 5 us and would have arrived after it are lost (i = 94 to 106); all others wait from i = 107 on.
    let up = link(&result, Stage::Ea);
    assert_eq!(up.lost_packets, 107 - 94);
    assert_eq!(up.queue_max_packets, 1_000 - 107);
    assert_eq!(up.packets, 1_000);
    assert_eq!(result.delivered_packets, 1_000 - 13);
    assert_eq!(result.failures.unroutable_packets, 0);
    assert_eq!(up.busy, Span(1_000 * DATA));
}

#[test]
fn frames_behind_a_link_that_never_returns_are_held_for_good() {
    let mut scenario = one_path(None, Queued::Held, 1_000);
    let failures = scenario.fabric.failures.as_mut().expect("they were set");
    failures.links[0].until = Time::NEVER;
    let result = run_flows(&scenario, vec![flow(0, 1, 1_000 * PAYLOAD)], 1);
    let up = link(&result, Stage::Ea);
    assert_eq!((up.packets, up.lost_packets), (107, 13));
    assert_eq!(up.busy, Span(107 * DATA));
    assert_eq!(result.delivered_packets, 94);
    assert!(result.ran_dry);
}

#[test]
fn a_link_at_a_quarter_of_its_rate_delays_and_loses_nothing() {
    let quarter = Some(Ratio { num: 1, den: 4 });
    let result = run_flows(
        &one_path(quarter, Queued::Lost, 1),
        vec![flow(0, 1, 1_000 * PAYLOAD)],
        1,
    );
    // Packet 107 is the first to start after 5 us; frames and gaps then take four times as long, until those that start from 50 us on.
    let first_slow = HOP + 107 * SLOT;
    let slow = (50_000_000 - first_slow).div_ceil(4 * SLOT);
    let first_fast = first_slow + slow * 4 * SLOT;
    assert!(first_slow >= 5_000_000 && first_fast - 4 * SLOT < 50_000_000);
    let last = first_fast + (999 - 107 - slow) * SLOT;
    assert_eq!(result.flows[0].end, Some(Time(last + 3 * HOP)));
    let up = link(&result, Stage::Ea);
    assert_eq!(up.lost_packets, 0);
    assert_eq!(up.busy, Span((1_000 - slow) * DATA + slow * 4 * DATA));
    assert_eq!(result.failures.failed_links, 0);
}

/// One path whose link up has this fault, and 200 packets over it.
fn with_fault(from: u64, until: u64, slow_to: Option<Ratio>) -> RunResult {
    let mut scenario = one_path(slow_to, Queued::Lost, 1_000);
    let failures = scenario.fabric.failures.as_mut().expect("they were set");
    (failures.links[0].from, failures.links[0].until) = (Time(from), Time(until));
    run_flows(&scenario, vec![flow(0, 1, 200 * PAYLOAD)], 1)
}

#[test]
fn an_outage_is_to_the_picosecond() {
    let start = |i: u64| HOP + i * SLOT;
    let lost = |from, until| link(&with_fault(from, until, None), Stage::Ea).lost_packets;
    // Last bit in of packet 93 to first bit out of packet 120.
    assert_eq!(lost(start(93) + HOP, start(120)), 120 - 93);
    assert_eq!(lost(start(93) + HOP + 1, start(120)), 120 - 94);
    assert_eq!(lost(start(93) + HOP, start(120) + 1), 121 - 93);
    // Between two frames, and their gap, the shortest outage loses all that is on the wire: 13 frames.
    assert_eq!(lost(start(60), start(60) + 1), HOP / SLOT + 1);
}

#[test]
fn a_slow_period_is_to_the_picosecond() {
    let start = |i: u64| HOP + i * SLOT;
    let half = Some(Ratio { num: 1, den: 2 });
    let busy = |from, until| link(&with_fault(from, until, half), Stage::Ea).busy;
    assert_eq!(busy(start(10), start(10) + 1), Span(201 * DATA));
    assert_eq!(busy(start(10) + 1, start(11)), Span(200 * DATA));
    assert_eq!(busy(start(10) + 1, start(11) + 1), Span(201 * DATA));
}

/// Failures of every kind at random instants of a small run.
fn random(dice: &mut Dice, scenario: &Scenario) -> Failures {
    let tree = tree(scenario);
    let period = |dice: &mut Dice| {
        let from = dice.one(&[0, 1_000_000, 2_500_000, 4_000_000]) + dice.below(500_000);
        let later = from + 1 + dice.below(3_000_000);
        let until = dice.one(&[later, u64::MAX]);
        (Time(from), Time(until))
    };
    let mut failures = Failures {
        agg_core_probability: dice.one(&[Ratio { num: 0, den: 1 }, Ratio { num: 1, den: 10 }]),
        convergence: Span::from_ns(dice.below(3_000)),
        queued: dice.one(&[Queued::Lost, Queued::Held]),
        on_partition: spraysim::scenario::OnPartition::Drop,
        ..Failures::default()
    };
    for cable in 0..tree.cables() {
        if dice.below(6) > 0 {
            continue;
        }
        let (from, until) = period(dice);
        let slow = dice.below(3) == 0;
        failures.links.push(LinkFault {
            cable,
            from,
            until,
            slow_to: slow.then_some(Ratio { num: 1, den: 3 }),
        });
    }
    let (from, until) = period(dice);
    failures.switches.push(SwitchFault {
        switch: tree.edges() + dice.below(u64::from(tree.switches() - tree.edges())) as u32,
        from,
        until,
    });
    failures
}

#[test]
fn sent_is_delivered_or_dropped_or_lost_or_unroutable_or_still_there() {
    let (mut lost, mut unroutable, mut held) = (0, 0, 0);
    for case in 0..500 {
        let mut dice = Dice::new(case);
        let row = SCHEMES[case as usize % SCHEMES.len()];
        let (levels, k) = dice.one(&[(2, 6), (3, 4), (3, 6)]);
        let mut scenario = paper(levels, k, row.name).permutation(60 * PAYLOAD, false);
        scenario.fabric.shape.edge_bundle = dice.one(&[1, 1, 2]) as u32;
        scenario.fabric.shape.agg_bundle = dice.one(&[1, 1, 3]) as u32;
        if levels == 2 {
            scenario.fabric.shape.agg_bundle = 1;
        }
        let buffer = dice.one(&[None, None, Some(30_000)]);
        scenario
            .fabric
            .each_tier(|tier| (tier.down_buffer_bytes, tier.up_buffer_bytes) = (buffer, buffer));
        let failures = random(&mut dice, &scenario);
        scenario.fabric.failures = Some(failures.clone());
        let result = run(&scenario, case);
        let of = |stage: Stage| result.links.iter().filter(move |link| link.stage == stage);
        let sent: u64 = of(Stage::Nic).map(|link| link.packets).sum();
        let arrived: u64 = of(Stage::Eh).map(|link| link.packets).sum();
        let gone = |link: &spraysim::sim::LinkResult| link.dropped_packets + link.lost_packets;
        let gone: u64 = result.links.iter().map(gone).sum();
        let accounted = arrived + gone + result.failures.unroutable_packets;
        assert!(result.ran_dry);
        if failures.queued == Queued::Held {
            assert!(sent >= accounted, "case {case}");
            held += u64::from(sent > accounted);
        } else {
            assert_eq!(sent, accounted, "case {case}, {}", row.name);
        }
        for stage in [Stage::Nic, Stage::Eh] {
            assert_eq!(of(stage).map(|link| link.lost_packets).sum::<u64>(), 0);
        }
        assert_eq!(
            result.ack_packets,
            result.delivered_packets * u64::from(scenario.packet.acks == Acks::PerPacket)
        );
        lost += u64::from(result.links.iter().any(|link| link.lost_packets > 0));
        unroutable += u64::from(result.failures.unroutable_packets > 0);
    }
    assert!(
        lost > 100 && unroutable > 10 && held > 10,
        "{lost}, {unroutable}, {held}"
    );
}

#[test]
fn losses_fall_between_a_failure_and_the_instant_at_which_switches_know() {
    for row in SCHEMES {
        let mut scenario = paper(3, 8, row.name).permutation(128 * PAYLOAD, true);
        let failing = LinkFault {
            cable: 0,
            from: Time(3_000_000),
            until: Time::NEVER,
            slow_to: None,
        };
        scenario.fabric.failures = Some(Failures {
            links: vec![failing],
            ..Failures::default()
        });
        let result = run(&scenario, 1);
        let lost: u64 = result.links.iter().map(|link| link.lost_packets).sum();
        let outage = result.failures.outage.expect("it fails while hosts send");
        // What an edge sent on by 4 us has three queues and three links before the dead one, and that.
        let stages = [Stage::Ea, Stage::Ac, Stage::Ca, Stage::Ae];
        let waiting: u64 = stages.map(|stage| queue_max(&result, stage)).iter().sum();
        let most = 1_000_000 + waiting * SLOT + 4 * HOP;
        assert!(lost > 0 || row.name == "ecmp", "{}", row.name);
        assert!(outage <= Span(most), "{}: {outage} > {most} ps", row.name);
        assert_eq!(result.failures.unroutable_packets, 0, "{}", row.name);
    }
}
