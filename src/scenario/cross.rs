//! One point of a scenario: what takes several keys to judge. Each rule is judged if the keys that it needs are sound.

mod sizes;

use std::collections::{BTreeMap, BTreeSet};

use crate::fields::Problem;
use crate::json::{Origin, element_path};
use crate::topology::FatTree;
use crate::workload::FlowSpec;
use crate::workload::htsim_cm::{CmOptions, endless_bytes};

use super::check::Draft;
use super::matrix::Matrices;
use super::traffic::{Pair, Source};
use super::{Acks, Scenario, Workload, WorkloadKind};

/// Judge `draft`: the checked scenario, unless a problem was noted here or before.
pub(super) fn scenario(
    draft: Draft,
    matrices: &mut Matrices<'_>,
    problems: &mut Vec<Problem>,
    sound: bool,
) -> Option<Scenario> {
    let mut judge = Judge {
        draft: &draft,
        wrong: problems.iter().map(|p| p.path.clone()).collect(),
        problems,
    };
    let before = judge.problems.len();
    judge.seeds();
    judge.feedback();
    judge.latencies();
    let flows = judge.flows(matrices);
    judge.slowness();
    if let Some(flows) = &flows {
        judge.sizes(flows);
        judge.optimum(flows);
    }
    let clean = judge.problems.len() == before;
    let kind = flows.filter(|_| sound && clean)?.kind;
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
    /// The paths of what was wrong before: there stand-ins are in place.
    wrong: BTreeSet<String>,
    problems: &'a mut Vec<Problem>,
}

impl Judge<'_> {
    fn problem(&mut self, origin: Origin, path: &str, text: String) {
        let path = path.to_owned();
        self.problems.push(Problem { origin, path, text });
    }

    /// Whether what stands at `paths` was read as written, so that rules on it can be judged.
    fn sound(&self, paths: &[&str]) -> bool {
        paths.iter().all(|path| {
            let ends = path.match_indices(['.', '[']).map(|(at, _)| at);
            let around = ends
                .chain([path.len()])
                .any(|end| self.wrong.contains(&path[..end]));
            let below = ['.', '['].into_iter().any(|next| {
                let start = format!("{path}{next}");
                let first = self.wrong.range(start.clone()..).next();
                first.is_some_and(|wrong| wrong.starts_with(&start))
            });
            !around && !below
        })
    }

    /// The tree, if it is known.
    fn tree(&self) -> Option<FatTree> {
        self.sound(&["fabric.levels", "fabric.k"])
            .then(|| FatTree::of(self.draft.fabric.shape))
    }

    fn seeds(&mut self) {
        if !self.sound(&["seed", "repeats"]) {
            return;
        }
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
        if deaf && self.sound(&["load_balancing.scheme", "packet.acks"]) {
            let text = format!(
                "scheme \"{}\" lives on ACKs, and packet.acks is \"none\"; allowed: another scheme, or \"per_packet\"",
                draft.load_balancing.name
            );
            self.problem(draft.origins.scheme, "load_balancing.scheme", text);
        }
    }

    fn latencies(&mut self) {
        let draft = self.draft;
        let link = draft.fabric.shortest_latency();
        let sound = self.sound(&["trigger_latency_ns", "fabric.link_latency_ns"]);
        match draft.trigger_latency {
            Some(latency) if sound && latency < link => {
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

    /// The workload, as far as it is known.
    fn flows(&mut self, matrices: &mut Matrices<'_>) -> Option<Flows> {
        let draft = self.draft;
        if !self.sound(&["workload.kind"]) {
            return None;
        }
        let (kind, path) = match &draft.traffic.source {
            Source::Permutation {
                message_bytes,
                inter_pod_only,
                inter_pod_origin,
            } => {
                let sound = self.sound(&["fabric.levels", "workload.inter_pod_only"]);
                if sound && *inter_pod_only && draft.fabric.shape.levels == 2 {
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
                if !self.sound(&["workload.path", "workload.start_unit", "horizon_us"]) {
                    return None;
                }
                let options = CmOptions {
                    start_unit: *unit,
                    endless_bytes: self.endless_bytes(),
                };
                match matrices.flows(path, draft.traffic.origin, options, self.tree()) {
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

    /// Payload of a flow without an end, if there is a horizon.
    fn endless_bytes(&self) -> Option<u64> {
        let rate = self.draft.fabric.host_rate();
        self.draft
            .horizon
            .map(|horizon| endless_bytes(rate, horizon))
    }

    fn pairs(&mut self, pairs: &[Pair]) -> Vec<FlowSpec> {
        let hosts = self.tree().map(FatTree::hosts);
        let mut first: BTreeMap<u64, usize> = BTreeMap::new();
        let mut flows = Vec::with_capacity(pairs.len());
        for (i, pair) in pairs.iter().enumerate() {
            let path = element_path("workload.pairs", i);
            for (key, host, origin) in [
                ("src", pair.src, pair.origins[0]),
                ("dst", pair.dst, pair.origins[1]),
            ] {
                let path = format!("{path}.{key}");
                if let Some(hosts) = hosts
                    && host >= u64::from(hosts)
                    && self.sound(&[&path])
                {
                    self.problem(origin, &path, no_such_host(host, hosts));
                }
            }
            let ends = [format!("{path}.src"), format!("{path}.dst")];
            if pair.src == pair.dst && self.sound(&[&ends[0], &ends[1]]) {
                let text = format!("host {} sends to itself; allowed: another host", pair.src);
                self.problem(pair.origins[1], &format!("{path}.dst"), text);
            }
            if self.sound(&[&format!("{path}.id")])
                && let Some(other) = first.insert(pair.id, i)
            {
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
}

/// The text for a host that the fabric does not have.
fn no_such_host(host: u64, hosts: u32) -> String {
    let last = hosts - 1;
    format!("host {host} does not exist; this fabric has hosts 0 to {last}")
}
