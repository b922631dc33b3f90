//! What a run will take, before it is begun: memory, from counts of nodes and of packets on their way.
//!
//! Not foreseen: queues that grow with the message (a bandwidth-delay product or two per flow is), and the inboxes of schemes that send
//! in bursts. The constants were read off runs of k = 4 to 64; a test holds them to within a factor of two.

use std::collections::BTreeSet;

use super::build;
use crate::lb::host::HostScheme;
use crate::settings::{Acks, Scenario, Traffic, Trigger};
use crate::theory::fabric_numbers;
use crate::topology::{FatTree, Reach};
use crate::units::{Span, Time};

/// Bytes of the program itself.
const PROGRAM: u64 = 8_000_000;
/// Bytes a directed link: its port, its inboxes, its row of the result.
const LINK: u64 = 400;
/// Bytes a flow: sender, receiver, path policy, its row of the result.
const FLOW: u64 = 860;
/// Bytes a frame on its way: 32 in a queue or on a wire, and what lists keep in reserve.
const FRAME: u64 = 92;
/// As much more where threads send packets to each other.
const MAIL: u64 = 30;
/// Bytes an activation or a target of a trigger.
const END: u64 = 60;

/// About the bytes that a run holds at its peak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// With one thread, with the counters and results.
    pub one_thread: u64,
    /// With several.
    pub several: u64,
}

impl Memory {
    /// With `threads`.
    #[must_use]
    pub const fn with(self, threads: usize) -> u64 {
        if threads > 1 {
            self.several
        } else {
            self.one_thread
        }
    }

    /// The larger of both, whatever the number of threads.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            one_thread: self.one_thread.max(other.one_thread),
            several: self.several.max(other.several),
        }
    }
}

/// What one run of `traffic` holds.
#[must_use]
pub fn memory(scenario: &Scenario, traffic: &Traffic) -> Memory {
    let flows = &traffic.flows;
    let tree = FatTree::of(scenario.fabric.shape);
    let links = tree.directed_links();
    let payload = u64::from(scenario.packet.payload_bytes);
    let ways = if scenario.packet.acks == Acks::PerPacket {
        2
    } else {
        1
    };
    // Half a round trip of data, and as many ACKs, or the whole message if that is less.
    let under_way = fabric_numbers::bdp_packets(scenario).div_ceil(2);
    let mut frames = vec![0_u64; tree.hosts() as usize];
    for flow in flows {
        frames[flow.src as usize] += flow.bytes.div_ceil(payload);
    }
    let frames: u64 = frames
        .iter()
        .map(|&packets| packets.min(under_way) * ways)
        .sum();
    let triggers = traffic.dependencies.triggers.iter();
    let ends = triggers.clone();
    let ends = ends.map(|trigger| (trigger.activators.len() + trigger.targets.len()) as u64);
    let notices = triggers.map(|trigger| notices(traffic, trigger)).max();
    let waiting = ends.sum::<u64>() * END + notices.unwrap_or(0) * FRAME;
    let knowledge = epochs(scenario) * Reach::bytes(tree);
    let flow = FLOW + judged_values(scenario);
    let nodes = PROGRAM + links * LINK + flows.len() as u64 * flow;
    let one_thread = nodes + frames * FRAME + waiting + knowledge;
    Memory {
        one_thread,
        several: one_thread + frames * MAIL,
    }
}

/// About the windows in which anything happens, if the run takes `span` and `packet_hops` packet-hops.
#[must_use]
pub fn windows(scenario: &Scenario, span: Span, packet_hops: u64) -> u64 {
    match build::windows(scenario).window() {
        Span::ZERO => packet_hops,
        window => (span.0 / window.0 + 1).min(packet_hops),
    }
}

/// Bytes a flow whose path policy remembers something of each entropy value.
fn judged_values(scenario: &Scenario) -> u64 {
    match &scenario.load_balancing.host {
        HostScheme::Bitmap(params) | HostScheme::Mixed(params) => params.bytes_per_flow(),
        _ => 0,
    }
}

/// The notices of one trigger if all of it happens at once: from every host that activates it to every host with targets.
fn notices(traffic: &Traffic, trigger: &Trigger) -> u64 {
    let from = trigger.activators.iter();
    let from: BTreeSet<u32> = from.map(|&of| traffic.host_of(of)).collect();
    let to = trigger.targets.iter();
    let to = to.map(|target| traffic.flows[target.flow as usize].src);
    from.len() as u64 * to.collect::<BTreeSet<u32>>().len() as u64
}

/// The most states of the fabric that switches come to know in a run with failures.
fn epochs(scenario: &Scenario) -> u64 {
    let Some(failures) = &scenario.fabric.failures else {
        return 0;
    };
    let links = failures.links.iter().map(|link| (link.from, link.until));
    let switches = failures.switches.iter();
    let switches = switches.map(|switch| (switch.from, switch.until));
    let ends = links
        .chain(switches)
        .flat_map(|(from, until)| [from, until]);
    1 + ends
        .filter(|&at| at > Time::ZERO && at != Time::NEVER)
        .count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Overrides, parse};
    use crate::workload;

    fn estimate(k: u32) -> Memory {
        let text = format!(
            r#"{{"fabric": {{"k": {k}}}, "load_balancing": {{"scheme": "ofan"}},
                 "workload": {{"kind": "permutation", "message_bytes": 1048576}}}}"#
        );
        let plan = parse(&text, &Overrides::default()).expect("a scenario without errors");
        let scenario = &plan.points[0].scenario;
        memory(scenario, &workload::traffic(scenario, 1))
    }

    #[test]
    fn penalties_of_entropy_values_are_counted_for_each_flow() {
        let of = |count: u32| {
            let text = format!(
                r#"{{"fabric": {{"k": 4}}, "load_balancing": {{"scheme": "bitmap", "entropy_count": {count}}},
                     "workload": {{"kind": "permutation", "message_bytes": 1048576}}}}"#
            );
            let plan = parse(&text, &Overrides::default()).expect("a scenario without errors");
            let scenario = &plan.points[0].scenario;
            memory(scenario, &workload::traffic(scenario, 1)).one_thread
        };
        // 16 hosts, a flow each.
        assert_eq!(of(65_536) - of(64), 16 * (65_536 - 64));
    }

    #[test]
    fn estimates_are_within_a_factor_of_two_of_what_runs_held() {
        // Peak resident bytes of 1 MiB permutations under Ofan with one thread and two, measured.
        for (k, measured) in [
            (16, [23_000_000, 28_000_000]),
            (32, [145_000_000, 185_000_000]),
            (64, [1_289_000_000, 1_539_000_000]),
        ] {
            let Memory {
                one_thread,
                several,
            } = estimate(k);
            for (estimate, measured) in [one_thread, several].into_iter().zip(measured) {
                assert!(
                    estimate < 2 * measured && 2 * estimate > measured,
                    "k = {k}: {estimate}"
                );
            }
        }
    }
}
