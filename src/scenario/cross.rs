//! One point of a scenario: what takes several keys to judge.

use std::collections::BTreeMap;

use crate::fields::Problem;
use crate::json::{Origin, element_path};
use crate::units::Ratio;
use crate::workload::FlowSpec;

use super::check::Draft;
use super::matrix::Matrices;
use super::traffic::{Pair, Source};
use super::{Acks, Fabric, Scenario, Workload, WorkloadKind};
use crate::workload::htsim_cm::CmOptions;

/// No port may be busy for longer than this, so that sums of spans and bytes stay far from 2^64: 53 days in ps.
const LONGEST: u128 = 1 << 62;

/// Hosts of a plain fat tree.
pub(super) const fn hosts(levels: u8, k: u32) -> u32 {
    if levels == 2 {
        k * k / 2
    } else {
        k * k * k / 4
    }
}

/// Judge `draft`: the checked scenario, unless a problem was noted here or before.
pub(super) fn scenario(
    draft: Draft,
    matrices: &mut Matrices<'_>,
    problems: &mut Vec<Problem>,
    sound: bool,
) -> Option<Scenario> {
    let mut judge = Judge {
        draft: &draft,
        problems,
    };
    let before = judge.problems.len();
    judge.seeds();
    judge.feedback();
    judge.latencies();
    let flows = judge.flows(matrices);
    let spec = flows.as_ref().and_then(|flows| judge.sizes(flows));
    let clean = judge.problems.len() == before;
    let kind = flows.filter(|_| sound && clean && spec.is_some())?.kind;
    Some(Scenario {
        name: draft.name,
        fabric: draft.fabric,
        packet: draft.packet,
        load_balancing: draft.load_balancing,
        congestion_control: draft.congestion_control,
        nic: draft.nic,
        workload: Workload {
            kind,
            start_jitter: draft.traffic.start_jitter,
            pacing_jitter_pct: draft.traffic.pacing_jitter_pct,
        },
        trigger_latency: draft.trigger_latency,
        horizon: draft.horizon,
    })
}

/// The workload, and where it stands.
struct Flows {
    kind: WorkloadKind,
    /// The path of what gives the bytes.
    path: &'static str,
}

struct Judge<'a> {
    draft: &'a Draft,
    problems: &'a mut Vec<Problem>,
}

impl Judge<'_> {
    fn problem(&mut self, origin: Origin, path: &str, text: String) {
        let path = path.to_owned();
        self.problems.push(Problem { origin, path, text });
    }

    fn seeds(&mut self) {
        let (seed, repeats) = (self.draft.seed, self.draft.repeats);
        if seed.checked_add(u64::from(repeats)).is_none() {
            let last = u64::MAX - u64::from(repeats);
            let text = format!(
                "{seed} is out of range; allowed: an integer from 0 to {last}, as {repeats} repeats take the seeds from it up"
            );
            self.problem(self.draft.origins.seed, "seed", text);
        }
    }

    fn feedback(&mut self) {
        let draft = self.draft;
        let deaf = draft.packet.acks == Acks::None && draft.load_balancing.row().needs_acks;
        if draft.scheme_ok && draft.packet_ok && deaf {
            let text = format!(
                "scheme \"{}\" lives on ACKs, and packet.acks is \"none\"; allowed: another scheme, or \"per_packet\"",
                draft.load_balancing.name
            );
            self.problem(draft.origins.scheme, "load_balancing.scheme", text);
        }
    }

    fn latencies(&mut self) {
        let draft = self.draft;
        let link = draft.fabric.link_latency;
        match draft.trigger_latency {
            Some(latency) if draft.fabric_ok && latency < link => {
                let text = format!(
                    "{} ns is below fabric.link_latency_ns; allowed: null, or at least {} ns",
                    latency.as_ns(),
                    link.as_ns()
                );
                self.problem(draft.origins.trigger_latency, "trigger_latency_ns", text);
            }
            _ => {}
        }
    }

    /// The workload, if the fabric and it can be judged and fit each other.
    fn flows(&mut self, matrices: &mut Matrices<'_>) -> Option<Flows> {
        let draft = self.draft;
        if !draft.fabric_ok || !draft.traffic_ok {
            return None;
        }
        let (kind, path) = match &draft.traffic.source {
            Source::Permutation {
                message_bytes,
                inter_pod_only,
                inter_pod_origin,
            } => {
                if *inter_pod_only && draft.fabric.levels == 2 {
                    let text = "true makes no sense in a two-level tree, which has no pods; allowed: false";
                    let path = "workload.inter_pod_only";
                    self.problem(*inter_pod_origin, path, text.to_owned());
                }
                let (message_bytes, inter_pod_only) = (*message_bytes, *inter_pod_only);
                let kind = WorkloadKind::Permutation {
                    message_bytes,
                    inter_pod_only,
                };
                (kind, "workload.message_bytes")
            }
            Source::Pairs(pairs) => {
                let flows = self.pairs(pairs);
                let kind = "pairs";
                (WorkloadKind::Flows { kind, flows }, "workload.pairs")
            }
            Source::Matrix { path, unit } => {
                let origin = draft.traffic.origin;
                let options = CmOptions {
                    start_unit: *unit,
                    has_horizon: draft.horizon.is_some(),
                };
                match matrices.flows(path, origin, options, &draft.fabric) {
                    Ok(flows) => {
                        let kind = "htsim_cm";
                        (WorkloadKind::Flows { kind, flows }, "workload.path")
                    }
                    Err(problems) => {
                        self.problems.extend(problems);
                        return None;
                    }
                }
            }
        };
        Some(Flows { kind, path })
    }

    fn pairs(&mut self, pairs: &[Pair]) -> Vec<FlowSpec> {
        let hosts = hosts(self.draft.fabric.levels, self.draft.fabric.k);
        let mut first: BTreeMap<u64, usize> = BTreeMap::new();
        let mut flows = Vec::with_capacity(pairs.len());
        for (i, pair) in pairs.iter().enumerate() {
            let path = element_path("workload.pairs", i);
            for (key, host, origin) in [
                ("src", pair.src, pair.origins[0]),
                ("dst", pair.dst, pair.origins[1]),
            ] {
                if host >= u64::from(hosts) {
                    let text = no_such_host(host, hosts);
                    self.problem(origin, &format!("{path}.{key}"), text);
                }
            }
            if pair.src == pair.dst {
                let text = format!("host {} sends to itself; allowed: another host", pair.src);
                self.problem(pair.origins[1], &format!("{path}.dst"), text);
            }
            if let Some(other) = first.insert(pair.id, i) {
                let text = format!(
                    "{} is the id of pairs[{other}] too; allowed: each once",
                    pair.id
                );
                self.problem(pair.origins[2], &format!("{path}.id"), text);
            }
            flows.push(FlowSpec {
                id: pair.id,
                src: u32::try_from(pair.src).unwrap_or(0),
                dst: u32::try_from(pair.dst).unwrap_or(0),
                bytes: pair.bytes,
                start: pair.start,
            });
        }
        flows
    }

    /// Whether packets, times and bytes can be counted.
    fn sizes(&mut self, flows: &Flows) -> Option<()> {
        let draft = self.draft;
        if !draft.packet_ok {
            return None;
        }
        let before = self.problems.len();
        let origin = draft.traffic.origin;
        let payload = u64::from(draft.packet.payload_bytes);
        let (largest, number) = largest(&flows.kind);
        let packets = largest.div_ceil(payload);
        if packets > u64::from(u32::MAX) {
            let most = u32::MAX;
            let text = format!(
                "{largest} bytes are {packets} packets of {payload} bytes; allowed: at most {most} packets a flow"
            );
            let path = number.map_or_else(
                || flows.path.to_owned(),
                |i| format!("{}.bytes", element_path(flows.path, i)),
            );
            self.problem(origin, &path, text);
        }
        self.buffer(largest.min(payload));
        self.spans(flows, origin);
        (self.problems.len() == before).then_some(())
    }

    /// A port must have room for the largest frame.
    fn buffer(&mut self, payload: u64) {
        let packet = &self.draft.packet;
        let mut frame = payload + u64::from(packet.header_bytes);
        if packet.acks == Acks::PerPacket {
            frame = frame.max(u64::from(packet.ack_bytes));
        }
        if let Some(bytes) = self.draft.fabric.buffer_bytes
            && bytes < frame
        {
            let text = format!(
                "{bytes} bytes hold no frame of {frame} bytes, so nothing could pass; allowed: null, or at least {frame}"
            );
            self.problem(self.draft.origins.buffer_bytes, "fabric.buffer_bytes", text);
        }
    }

    /// The traffic must fit into a time that can be counted, even if one port has to carry what can meet at one.
    fn spans(&mut self, flows: &Flows, origin: Origin) {
        let frame = self.slot();
        if frame > LONGEST {
            let text = "is so slow that one frame takes longer than 53 days (2^62 ps); allowed: a faster link";
            let path = "fabric.link_gbps";
            return self.problem(self.draft.origins.link_gbps, path, text.to_owned());
        }
        let payload = u64::from(self.draft.packet.payload_bytes);
        let packets = |bytes: u64| u128::from(bytes.div_ceil(payload));
        let Fabric { k, levels, .. } = self.draft.fabric;
        let (meeting, all, last_start) = match &flows.kind {
            WorkloadKind::Permutation { message_bytes, .. } => {
                let each = packets(*message_bytes);
                let meeting = u128::from(k / 2).pow(2);
                (each * meeting, each * u128::from(hosts(levels, k)), 0)
            }
            WorkloadKind::Flows { flows, .. } => {
                let all = flows.iter().map(|flow| packets(flow.bytes)).sum();
                let last = flows.iter().map(|flow| flow.start.0).max();
                (all, all, last.unwrap_or(0))
            }
        };
        // Packets and spans are below 2^93 and 2^63 here: too large a product counts as too long.
        let Ratio { num, den } = self.draft.congestion_control.load;
        let longest = meeting
            .checked_mul(frame)
            .and_then(|span| span.checked_mul(u128::from(den)))
            .map(|span| span / u128::from(num) + u128::from(last_start));
        let bytes = all.checked_mul(u128::from(self.frame_bytes()));
        if longest.is_none_or(|span| span > LONGEST) || bytes.is_none_or(|bytes| bytes > LONGEST) {
            let text = "is more traffic than can be counted: it could keep one link busy for over 53 days (2^62 ps), or is over 2^62 bytes; allowed: fewer bytes, a faster link, or a higher load";
            self.problem(origin, flows.path, text.to_owned());
        }
    }

    fn frame_bytes(&self) -> u64 {
        let packet = &self.draft.packet;
        [
            packet.payload_bytes,
            packet.header_bytes,
            packet.gap_bytes,
            packet.ack_bytes,
        ]
        .into_iter()
        .map(u64::from)
        .sum()
    }

    /// More than a data packet and its ACK take on the wire, gaps included, in ps.
    fn slot(&self) -> u128 {
        let bytes = self.frame_bytes() + u64::from(self.draft.packet.gap_bytes);
        let rate = u128::from(self.draft.fabric.link_rate.bits_per_sec());
        (u128::from(bytes) * 8_000_000_000_000).div_ceil(rate) + 3
    }
}

/// The text for a host that the fabric does not have.
fn no_such_host(host: u64, hosts: u32) -> String {
    let last = hosts - 1;
    format!("host {host} does not exist; this fabric has hosts 0 to {last}")
}

/// The most bytes of a flow, and the flow's number where it has one in a list.
fn largest(kind: &WorkloadKind) -> (u64, Option<usize>) {
    match kind {
        WorkloadKind::Permutation { message_bytes, .. } => (*message_bytes, None),
        WorkloadKind::Flows { kind, flows } => {
            let largest = flows.iter().enumerate().max_by_key(|(_, flow)| flow.bytes);
            largest.map_or((1, None), |(i, flow)| {
                (flow.bytes, (*kind == "pairs").then_some(i))
            })
        }
    }
}
