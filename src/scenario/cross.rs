//! One point of a scenario: what takes several keys to judge. Each rule is judged if the keys that it needs are sound.

mod failures;
mod losses;
mod mice;
mod mixed;
mod pairs;
mod queues;
mod sizes;
mod stragglers;
mod transport;

use std::collections::BTreeSet;

use crate::fields::Problem;
use crate::json::Origin;
use crate::settings::LinkFault;
use crate::topology::FatTree;
use crate::workload::Traffic;
use crate::workload::htsim_cm::{CmOptions, endless_bytes};

use super::check::Draft;
use super::document::Sources;
use super::fabric::Topologies;
use super::matrix::{Matrices, Surroundings};
use super::traffic::Source;
use super::{Acks, Fabric, Scenario, Workload, WorkloadKind};

/// Judge `draft`: the checked scenario, unless a problem was noted here or before.
pub(super) fn scenario(
    draft: Draft,
    files: &mut Files<'_>,
    problems: &mut Vec<Problem>,
    sound: bool,
) -> Option<Scenario> {
    let before = problems.len();
    let fabric = draft.fabric.resolve(&mut files.topologies, &draft.packet);
    let fabric = fabric.map_err(|found| problems.extend(found)).ok();
    let mut judge = Judge {
        draft: &draft,
        fabric: fabric.as_ref(),
        wrong: problems.iter().map(|p| p.path.clone()).collect(),
        problems,
    };
    judge.all_but_flows();
    let flows = judge.flows(&mut files.matrices);
    let faults = flows.as_ref().map_or(&[][..], |flows| &flows.faults);
    let failures = judge.failures(faults);
    let losses = judge.losses();
    judge.slowness();
    if let Some(flows) = &flows {
        judge.sizes(flows);
        judge.carried(flows);
        judge.optimum(flows);
    }
    let clean = judge.problems.len() == before;
    let kind = flows.filter(|_| sound && clean)?.kind;
    let deployments = draft.deployments.into_iter();
    Some(Scenario {
        name: draft.name,
        fabric: Fabric {
            failures,
            losses,
            ..fabric?
        },
        packet: draft.packet,
        load_balancing: draft.load_balancing,
        deployments: deployments.map(|draft| draft.deployment).collect(),
        transport: draft.transport.transport,
        congestion_control: draft.congestion_control,
        nic: draft.nic,
        workload: Workload {
            kind,
            mice: draft.traffic.mice,
            start_jitter: draft.traffic.start_jitter,
            stragglers: draft.traffic.stragglers,
            pacing_jitter_pct: draft.traffic.pacing_jitter_pct,
            pacing_jitter_adds: draft.traffic.pacing_jitter_adds,
        },
        imperfection: draft.imperfection,
        trigger_latency: draft.trigger_latency,
        horizon: draft.horizon,
    })
}

/// The files that a scenario names, each read once.
#[derive(Debug)]
pub(super) struct Files<'a> {
    topologies: Topologies<'a>,
    matrices: Matrices<'a>,
}

impl<'a> Files<'a> {
    /// None yet.
    pub(super) const fn new(sources: &'a Sources) -> Self {
        Self {
            topologies: Topologies::new(sources),
            matrices: Matrices::new(sources),
        }
    }

    /// What was read of each matrix, in a line.
    pub(super) fn summaries(&self) -> Vec<String> {
        self.matrices.summaries()
    }
}

/// The workload, and where it stands.
struct Flows {
    kind: WorkloadKind,
    /// The path of what gives the bytes.
    path: &'static str,
    /// The links that the workload's file says are down.
    faults: Vec<LinkFault>,
}

struct Judge<'a> {
    draft: &'a Draft,
    /// The fabric, or nothing if its file could not be read.
    fabric: Option<&'a Fabric>,
    /// The paths of what was wrong before: there stand-ins are in place.
    wrong: BTreeSet<String>,
    problems: &'a mut Vec<Problem>,
}

impl Judge<'_> {
    /// What can be judged without the flows.
    fn all_but_flows(&mut self) {
        self.seeds();
        self.feedback();
        self.latencies();
        self.queues();
        self.transport();
        self.mix();
        self.stragglers();
        self.mice();
    }

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
        let fabric = self.fabric?;
        self.sound(&["fabric.kind", "fabric.levels", "fabric.k", "fabric.path"])
            .then(|| FatTree::of(fabric.shape))
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
        let Some(link) = self.fabric.map(Fabric::shortest_latency) else {
            return;
        };
        let of = if draft.fabric.is_file() {
            "the shortest latency of the topology file"
        } else {
            "fabric.link_latency_ns"
        };
        let sound = self.sound(&["trigger_latency_ns", "fabric.link_latency_ns"]);
        match draft.trigger_latency {
            Some(latency) if sound && latency < link => {
                let text = format!(
                    "{} ns is below {of}; allowed: null, or at least {} ns",
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
                let sound = self.sound(&["workload.inter_pod_only"]);
                let alone = self.tree().is_some_and(|tree| tree.pods() == 1);
                if sound && *inter_pod_only && alone {
                    let text = "true makes no sense in a two-level tree, which has no pods, or with one pod; allowed: false";
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
                let traffic = self.pairs(pairs);
                (listed("pairs", traffic), "workload.pairs")
            }
            Source::Matrix { path, unit } => {
                if !self.sound(&["workload.path", "workload.start_unit", "horizon_us"]) {
                    return None;
                }
                let options = CmOptions {
                    start_unit: *unit,
                    endless_bytes: self.endless_bytes(),
                };
                let around = Surroundings {
                    tree: self.tree(),
                    acks: self.sound(&["packet.acks"]).then_some(draft.packet.acks),
                };
                match matrices.traffic(path, draft.traffic.origin, options, around) {
                    Ok((traffic, faults)) => {
                        let (kind, path) = (listed("htsim_cm", traffic), "workload.path");
                        return Some(Flows { kind, path, faults });
                    }
                    Err(problems) => {
                        self.problems.extend(problems);
                        return None;
                    }
                }
            }
        };
        let faults = Vec::new();
        Some(Flows { kind, path, faults })
    }

    /// Payload of a flow without an end, if there is a horizon.
    fn endless_bytes(&self) -> Option<u64> {
        let rate = self.fabric?.host_rate();
        self.draft
            .horizon
            .map(|horizon| endless_bytes(rate, horizon))
    }
}

fn listed(kind: &'static str, traffic: Traffic) -> WorkloadKind {
    WorkloadKind::Flows {
        kind,
        flows: traffic.flows,
        dependencies: traffic.dependencies,
    }
}
