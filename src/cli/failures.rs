//! What failures would do to the runs of a plan, before any of them begins.

use super::Failure;
use super::input::counted;
use super::run::run_name;
use crate::experiment::Runs;
use crate::scenario::{Plan, Scenario};
use crate::topology::{CutOff, FatTree, Outages};
use crate::workload::{self, FlowSpec};

/// Runs that are named one by one.
const NAMED_RUNS: usize = 10;

/// What fails in a run, if anything can.
fn of(scenario: &Scenario, seed: u64, flows: &[FlowSpec]) -> Result<Option<Outages>, CutOff> {
    let tree = FatTree::of(scenario.fabric.shape);
    Outages::of(tree, scenario.fabric.failures.as_ref(), seed, flows)
}

/// What fails in a run that [`foresee`] has nothing against.
pub(super) fn outages(scenario: &Scenario, seed: u64, flows: &[FlowSpec]) -> Option<Outages> {
    of(scenario, seed, flows).ok().flatten()
}

/// Refuse runs of the scenario in `file` in which failures, its own or its matrix's, cut off hosts that are to communicate.
pub(super) fn foresee(file: &str, plan: &Plan, runs: &Runs) -> Result<(), Failure> {
    let (mut told, mut more) = (Vec::new(), 0_u64);
    for index in 0..runs.count() {
        let run = runs.get(index);
        let scenario = &plan.points[run.point].scenario;
        if scenario.fabric.failures.is_none() {
            continue;
        }
        let flows = workload::flows(scenario, run.seed);
        let Err(cut_off) = of(scenario, run.seed, &flows) else {
            continue;
        };
        if told.len() == NAMED_RUNS {
            more += 1;
            continue;
        }
        told.push(format!(
            "{file}: failures: {}: {cut_off}; allowed: what leaves a path to all that communicate, or \"on_partition\": \"drop\"",
            run_name(plan, run)
        ));
        // The next run would take as many draws.
        if cut_off.redraws > 0 {
            break;
        }
    }
    if more > 0 {
        told.push(format!(
            "{file}: failures: ... and so in {}",
            counted(more, "more run")
        ));
    }
    if told.is_empty() {
        Ok(())
    } else {
        Err(Failure::input(told.join("\n")))
    }
}
