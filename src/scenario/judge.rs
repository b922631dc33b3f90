//! One point of a scenario: what takes several keys to judge. Each rule is judged if the keys that it needs are sound, and stands in the file
//! of its section.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::fields::Problem;
use crate::files::Files;
use crate::json::{Json, Origin, Step, Value, child_path, parse_path};
use crate::settings::{Demand, Fabric, Generator, LinkFault};
use crate::topology::FatTree;

use super::document::Sources;
use super::whole::Whole;
use super::{Scenario, Workload};

/// What a point is judged with.
pub(super) struct Around<'a> {
    /// The point as the user wrote it.
    pub(super) json: &'a Json,
    /// What values came from.
    pub(super) sources: &'a Sources,
    /// The files read so far.
    pub(super) files: &'a mut Files,
    /// What was said of them, a line each.
    pub(super) notes: &'a mut Vec<String>,
}

/// Judge `keys`: the checked scenario, unless a problem was noted here or before.
pub(super) fn scenario(
    keys: Whole,
    name: String,
    around: Around<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Scenario> {
    let mut judge = Judge {
        keys: &keys,
        json: around.json,
        sources: around.sources,
        fabric: None,
        wrong: paths(problems),
        problems,
    };
    let fabric = judge.resolve(around.files);
    judge.wrong = paths(judge.problems);
    judge.fabric = fabric.as_ref();
    judge.all_but_flows();
    let flows = judge.flows(around.files, around.notes);
    let failures = judge.failures(flows.as_ref().map_or(&[], |flows| &flows.faults));
    let losses = judge.losses();
    judge.slowness();
    if let Some(flows) = &flows {
        let demand = judge.demand(flows);
        judge.sizes(&demand);
        judge.carried(&demand);
        judge.optimum(&demand, &flows.faults);
    }
    let (kind, fabric) = flows
        .filter(|_| problems.is_empty())
        .map(|flows| flows.kind)
        .zip(fabric)?;
    let fabric = Fabric {
        failures,
        losses,
        ..fabric
    };
    Some(checked(keys, name, kind, fabric))
}

/// Where problems are.
fn paths(problems: &[Problem]) -> BTreeSet<String> {
    let paths = problems.iter().map(|problem| problem.path.clone());
    paths.collect()
}

/// The scenario of keys that are right.
fn checked(keys: Whole, name: String, kind: Arc<dyn Generator>, fabric: Fabric) -> Scenario {
    let common = &keys.workload.common;
    let (start_jitter, stragglers) = common.start();
    Scenario {
        name,
        fabric,
        packet: keys.packet,
        deployments: keys.load_balancing.deployments(),
        load_balancing: keys.load_balancing.scheme,
        transport: keys.transport.transport(),
        congestion_control: keys.congestion_control,
        nic: keys.nic,
        workload: Workload {
            kind,
            mice: common.mice,
            start_jitter,
            stragglers,
            pacing_jitter_pct: common.pacing_jitter_pct,
            pacing_jitter_adds: common.pacing_jitter_adds,
        },
        imperfection: keys.imperfection,
        trigger_latency: keys.trigger_latency,
        horizon: keys.horizon,
    }
}

/// The workload, and the links that its file says are down.
pub(super) struct Flows {
    pub(super) kind: Arc<dyn Generator>,
    pub(super) faults: Vec<LinkFault>,
}

/// A point being judged.
pub(super) struct Judge<'a> {
    /// Its keys. Where one was wrong, a stand-in is in its place.
    pub(super) keys: &'a Whole,
    json: &'a Json,
    sources: &'a Sources,
    /// The fabric, or nothing if it is wrong or its file could not be read.
    pub(super) fabric: Option<&'a Fabric>,
    /// The paths of what was wrong before.
    wrong: BTreeSet<String>,
    pub(super) problems: &'a mut Vec<Problem>,
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

    /// Note a problem with what stands at `path`, or would.
    pub(super) fn problem(&mut self, path: &str, text: impl Into<String>) {
        let (origin, path, text) = (self.origin(path), path.to_owned(), text.into());
        self.problems.push(Problem { origin, path, text });
    }

    /// The input that the value at `path` came from: that of the innermost value around it that stands there.
    pub(super) fn origin(&self, path: &str) -> Origin {
        let mut here = self.json;
        for step in parse_path(path).unwrap_or_default() {
            let next = match (&step, &here.value) {
                (Step::Key(key), _) => here.key(key),
                (Step::Index(index), Value::List(list)) => list.get(*index),
                _ => None,
            };
            let Some(next) = next else {
                break;
            };
            here = next;
        }
        here.origin
    }

    /// Where the file lies that is named at `path` by `written`.
    pub(super) fn locate(&self, path: &str, written: &str) -> PathBuf {
        self.sources.dir(self.origin(path)).join(written)
    }

    /// Whether what stands at `paths` was read as written, so that rules on it can be judged.
    pub(super) fn sound(&self, paths: &[&str]) -> bool {
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

    /// The same for keys of the object at `section`.
    pub(super) fn all_sound(&self, section: &str, keys: &[&str]) -> bool {
        keys.iter()
            .all(|key| self.sound(&[&child_path(section, key)]))
    }

    /// The tree, if it is known.
    pub(super) fn tree(&self) -> Option<FatTree> {
        let fabric = self.fabric?;
        let sound = self.sound(&["fabric.kind", "fabric.levels", "fabric.k", "fabric.path"]);
        sound.then(|| FatTree::of(fabric.shape))
    }

    /// What the flows ask of the fabric.
    fn demand(&self, flows: &Flows) -> Demand {
        let shape = self
            .fabric
            .filter(|_| self.tree().is_some())
            .map(|fabric| fabric.shape);
        flows.kind.demand(shape, self.keys.packet.payload_bytes)
    }
}
