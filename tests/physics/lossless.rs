//! Priority flow control in whole fabrics: nothing is dropped, everything arrives, and headroom is enough.

use super::setup::*;
use spraysim::scenario::{Scenario, Tier};
use spraysim::settings::{Lossless, QueueKind, SharedBuffer};
use spraysim::sim::{LinkResult, RunResult, Stage};
use spraysim::units::{Ratio, Span};
use spraysim::workload::FlowSpec;

pub(super) const PFC: Lossless = Lossless {
    pause_bytes: None,
    resume_bytes: None,
    resume_offset_bytes: None,
    headroom_bytes: None,
    pause_frame_bytes: 64,
};

/// Lossless ports with a buffer of `bytes` each.
fn lossless(mut scenario: Scenario, bytes: u64) -> Scenario {
    scenario.fabric.queue.kind = QueueKind::Lossless(PFC);
    let change = |tier: &mut Tier| {
        (tier.down_buffer_bytes, tier.up_buffer_bytes) = (Some(bytes), Some(bytes));
    };
    scenario.fabric.each_tier(change);
    scenario
}

/// Links between switches: both ends pause and obey.
fn inner(result: &RunResult) -> impl Iterator<Item = &LinkResult> {
    let links = result.links.iter();
    links.filter(|link| !matches!(link.stage, Stage::Nic | Stage::Eh))
}

/// Everything arrives, nothing is dropped, headroom suffices; the pauses.
fn check(scenario: &Scenario, result: &RunResult, what: &str) -> u64 {
    assert!(result.ran_dry, "{what}");
    assert!(result.flows.iter().all(|flow| flow.end.is_some()), "{what}");
    assert_eq!(result.delivered_packets, result.data_packets, "{what}");
    let needed = |stage: Stage| {
        let tier = match stage {
            Stage::Ea | Stage::Ae => 1,
            _ => 2,
        };
        let tier = &scenario.fabric.tiers[tier];
        PFC.needed_headroom(&scenario.packet, tier)
    };
    for link in &result.links {
        assert_eq!(link.dropped_packets + link.queued.all(), 0, "{what}");
        assert!(link.paused <= Span(result.ended.0), "{what}");
        assert_eq!(
            link.paused > Span::ZERO,
            link.pauses > 0,
            "{what}: {link:?}"
        );
    }
    for link in inner(result) {
        assert!(
            link.headroom_max_bytes <= needed(link.stage),
            "{what}: {link:?}"
        );
        // What went one way on a cable paused the port of the other.
        let back = inner(result)
            .find(|back| (back.src, back.dst, back.member) == (link.dst, link.src, link.member));
        let back = back.expect("cables have two directions");
        assert_eq!(back.pause_packets, 2 * link.pauses, "{what}: {link:?}");
    }
    inner(result).map(|link| link.pauses).sum()
}

/// `senders` hosts send `packets` each to the last host.
fn incast(scenario: &Scenario, senders: u32, packets: u64) -> Vec<FlowSpec> {
    let last = tree(scenario).hosts() - 1;
    let senders = (0..last).take(senders as usize);
    senders
        .map(|src| flow(src, last, packets * PAYLOAD))
        .collect()
}

#[test]
fn an_incast_from_other_pods_pauses_its_way_back_and_all_of_it_arrives() {
    for scheme in ["ofan", "rps", "ecmp", "jsq"] {
        let scenario = lossless(paper(3, 6, scheme), 400_000);
        let result = run_flows(&scenario, incast(&scenario, 40, 60), 1);
        let pauses = check(&scenario, &result, scheme);
        assert!(pauses > 10, "{scheme}: {pauses}");
        // A neighbour goes on at 143,712 bytes, more than what the link carries until its frames are here (100,000): the receiver's
        // link never idles, but for 2 us at both ends and ACKs.
        let hot = result
            .links
            .iter()
            .find(|link| link.stage == Stage::Eh && link.packets == 2_400);
        assert!(hot.is_some(), "{scheme}");
        let most = 2_400 * SLOT + 6_000_000 + 20 * SLOT;
        assert!(cct(&result) < most, "{scheme}: {}", cct(&result));
    }
}

#[test]
fn bursts_of_all_to_all_lose_nothing_with_own_and_with_shared_buffers() {
    let (mut own, mut shared) = (0, 0);
    for (number, scheme) in (0..).zip(ALL.iter().copied()) {
        let mut scenario = lossless(paper(3, 4, scheme), 140_000);
        let hosts = tree(&scenario).hosts();
        let pairs = (0..hosts).flat_map(|src| (0..hosts).map(move |dst| (src, dst)));
        let pairs = pairs.filter(|(src, dst)| src != dst);
        let flows: Vec<FlowSpec> = pairs
            .map(|(src, dst)| flow(src, dst, 6 * PAYLOAD))
            .collect();
        let result = run_flows(&scenario, flows.clone(), number);
        own += check(&scenario, &result, scheme);
        scenario.fabric.queue.shared_buffer = Some(SharedBuffer {
            bytes: 150_000,
            alpha: Ratio { num: 1, den: 4 },
        });
        let result = run_flows(&scenario, flows, number);
        shared += check(&scenario, &result, scheme);
    }
    assert!(own > 10 && shared > 10, "{own}, {shared}");
}

#[test]
fn ports_with_room_for_everything_pause_nobody_and_change_nothing() {
    for &scheme in ALL.iter() {
        let plain = paper(3, 4, scheme).permutation(50 * PAYLOAD, false);
        let expected = run(&plain, 1);
        // As much as AR takes for granted, and more than all data of a flow.
        let found = run(&lossless(plain, 800_000), 1);
        assert!(found == expected, "{scheme}");
    }
}
