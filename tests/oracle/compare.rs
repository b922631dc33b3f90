//! The product against the oracle: what differs, in words.

use std::collections::BTreeMap;
use std::fmt::Debug;

use spraysim::sim::{FlowResult, LinkResult, NodeName, RunResult};

use super::seen::{
    AnswersSeen, FlowSeen, LinkKey, LinkSeen, LossySeen, RecoverySeen, Seen, StageSeen,
};

/// How many differences are told at most.
const TOLD: usize = 6;

/// Differences found so far.
#[derive(Debug, Default)]
struct Differences {
    told: Vec<String>,
    found: usize,
}

impl Differences {
    fn check<T: Debug + PartialEq>(&mut self, what: &str, product: &T, oracle: &T) {
        if product == oracle {
            return;
        }
        self.found += 1;
        if self.told.len() < TOLD {
            let text = format!("{what}:\n  product {product:?}\n  oracle  {oracle:?}");
            self.told.push(text);
        }
    }
}

/// `Ok` if both saw the same run; else the first differences: flows in workload order, links by stage, stages, totals.
pub(crate) fn same(product: &RunResult, oracle: &Seen) -> Result<(), String> {
    let mut differences = Differences::default();
    flows(&mut differences, product, oracle);
    links(&mut differences, product, oracle);
    stages(&mut differences, product, oracle);
    totals(&mut differences, product, oracle);
    if differences.found == 0 {
        return Ok(());
    }
    let told = differences.told.join("\n");
    Err(format!(
        "{} differences, the first:\n{told}",
        differences.found
    ))
}

fn flows(differences: &mut Differences, product: &RunResult, oracle: &Seen) {
    differences.check("number of flows", &product.flows.len(), &oracle.flows.len());
    for (i, (ours, theirs)) in product.flows.iter().zip(&oracle.flows).enumerate() {
        let flow = FlowSeen {
            release: ours.release,
            start: ours.start,
            end: ours.end,
            packets: ours.packets,
            max_reordering: ours.max_reordering,
        };
        let (src, dst) = (ours.spec.src, ours.spec.dst);
        differences.check(&format!("flow {i} (h{src} to h{dst})"), &flow, theirs);
        let recovery = RecoverySeen {
            retransmissions: ours.retransmissions,
            timeouts: ours.timeouts,
            nacks: ours.nacks,
            spurious: ours.spurious_retransmissions,
            discarded: ours.discarded_packets,
        };
        let name = format!("recovery of flow {i}");
        differences.check(&name, &recovery, &oracle.recovery[i]);
        let name = format!("answers of flow {i}");
        differences.check(&name, &answers(ours), &oracle.answers[i]);
    }
}

/// The oracle's windows never change.
fn answers(flow: &FlowResult) -> AnswersSeen {
    let window = flow.window.map(|window| {
        let span = window.span;
        let area = u128::from(window.min) * u128::from(span.0);
        let constant = (window.max, window.end, window.byte_ps) == (window.min, window.min, area);
        assert!(constant, "{window:?}");
        (window.min, span)
    });
    AnswersSeen {
        acks: flow.acks,
        marked: flow.marked_acks,
        rtts: flow
            .rtts
            .map(|rtts| (rtts.samples, rtts.sum_ps, rtts.min, rtts.max)),
        window,
    }
}

fn links(differences: &mut Differences, product: &RunResult, oracle: &Seen) {
    let key = |link: &LinkResult| -> LinkKey { (link.stage, link.src, link.dst, link.member) };
    let seen = |link: &LinkResult| LinkSeen {
        packets: link.packets,
        bytes: link.bytes,
        busy: link.busy,
        max_packets: link.queue_max_packets,
        max_bytes: link.queue_max_bytes,
        marked: link.marked_packets,
        dropped: link.dropped_packets,
        lost: link.lost_packets,
    };
    let ours: BTreeMap<LinkKey, LinkSeen> =
        product.links.iter().map(|l| (key(l), seen(l))).collect();
    let lossy = |link: &LinkResult| LossySeen {
        trimmed: link.trimmed_packets,
        pauses: link.pauses,
        paused: link.paused,
        headroom: link.headroom_max_bytes,
    };
    for link in &product.links {
        let of = |ends: (NodeName, NodeName)| {
            let is =
                |(_, src, dst, member): &LinkKey| (*src, *dst) == ends && *member == link.member;
            let found = oracle.lossy.iter().find(|(key, _)| is(key));
            found.map(|(_, seen)| *seen).unwrap_or_default()
        };
        // The oracle counts headroom where the way back begins.
        let theirs = LossySeen {
            headroom: of((link.dst, link.src)).headroom,
            ..of((link.src, link.dst))
        };
        let name = format!("losses of {} to {}", link.src, link.dst);
        differences.check(&name, &lossy(link), &theirs);
    }
    differences.check("number of links", &product.links.len(), &oracle.links.len());
    for (key, theirs) in &oracle.links {
        let (stage, src, dst, member) = key;
        let name = format!("link {member} of {src} to {dst} ({})", stage.name());
        differences.check(&name, &ours.get(key), &Some(theirs));
    }
}

fn stages(differences: &mut Differences, product: &RunResult, oracle: &Seen) {
    let count = product.stages.len();
    differences.check("number of stages", &count, &oracle.stages.len());
    for ours in &product.stages {
        let seen = StageSeen {
            ports: ours.ports,
            packet_ps: ours.packet_ps,
            byte_ps: ours.byte_ps,
        };
        let name = format!("stage {}", ours.stage.name());
        differences.check(&name, &Some(&seen), &oracle.stages.get(&ours.stage));
    }
}

fn totals(differences: &mut Differences, p: &RunResult, o: &Seen) {
    differences.check("first bit", &p.first_bit, &o.first_bit);
    differences.check("last sent", &p.last_sent, &o.last_sent);
    differences.check("last finish", &p.last_finish, &o.last_finish);
    let until = (p.integrated_until, o.integrated_until);
    differences.check("integrated until", &until.0, &until.1);
    differences.check("peak busy time A->E", &p.peak_ae_busy, &o.peak_ae_busy);
    differences.check("data packets", &p.data_packets, &o.data_packets);
    differences.check("ACK packets", &p.ack_packets, &o.ack_packets);
    differences.check("delivered bytes", &p.delivered_bytes, &o.delivered_bytes);
    let packets = (p.delivered_packets, o.delivered_packets);
    differences.check("delivered packets", &packets.0, &packets.1);
    differences.check("packet hops", &p.packet_hops, &o.packet_hops);
    differences.check("ran dry", &p.ran_dry, &o.ran_dry);
    differences.check("failures", &p.failures, &o.failures);
}
