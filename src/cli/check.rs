//! `spraysim check`: validate a scenario, and show what follows from it and the scenario with every default filled in.

use std::fmt::Write as _;
use std::path::Path;

use clap::Args;

use super::derived::{Derived, run_time};
use super::input::{InputArgs, counted, point_name};
use super::{Failure, failures, stdout};
use crate::experiment::Runs;
use crate::scenario::Plan;

/// Points that are named one by one above what they share.
const NAMED_POINTS: usize = 8;

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    input: InputArgs,
}

/// Run the command.
pub(super) fn check(args: &CheckArgs) -> Result<(), Failure> {
    let plan = args.input.load()?;
    let seeds = plan.points.iter().map(|point| point.seed).collect();
    let runs = Runs::new(seeds, plan.repeats).map_err(Failure::input)?;
    failures::foresee(&args.input.file(), &plan, &runs)?;
    stdout::print(&describe(&plan, runs.count()))
}

fn describe(plan: &Plan, runs: u64) -> String {
    let groups = groups(plan);
    let repeats = u64::from(plan.repeats);
    let per_run = |(derived, points): &(Derived, Vec<usize>)| {
        u128::from(derived.packet_hops()) * points.len() as u128
    };
    let packet_hops = groups.iter().map(per_run).sum::<u128>() * u128::from(repeats);
    let mut text = format!(
        "{}: {} x {} = {}, about {packet_hops} packet-hops, {}\n",
        plan.name,
        counted(plan.points.len() as u64, "point"),
        counted(repeats, "repeat"),
        counted(runs, "run"),
        run_time(packet_hops),
    );
    for note in &plan.notes {
        writeln!(text, "{note}").expect("a String takes everything");
    }
    for (derived, points) in &groups {
        text.push('\n');
        if groups.len() > 1 {
            for &point in points.iter().take(NAMED_POINTS) {
                let name = point_name(&plan.swept, point, &plan.points[point].values);
                writeln!(text, "{name}").expect("a String takes everything");
            }
            if points.len() > NAMED_POINTS {
                let more = (points.len() - NAMED_POINTS) as u64;
                writeln!(text, "... and {}", counted(more, "more point"))
                    .expect("a String takes everything");
            }
        } else {
            text.push_str("every point\n");
        }
        text.push_str(&derived.to_string());
    }
    let effective = plan.effective(Path::new("."));
    format!("{text}\neffective scenario\n{}\n", effective.trim_end())
}

/// Points from which the same follows, in the order of their first.
fn groups(plan: &Plan) -> Vec<(Derived, Vec<usize>)> {
    let mut groups: Vec<(Derived, Vec<usize>)> = Vec::new();
    for (index, point) in plan.points.iter().enumerate() {
        let derived = Derived::of(&point.scenario, point.seed);
        match groups.iter_mut().find(|(known, _)| *known == derived) {
            Some((_, points)) => points.push(index),
            None => groups.push((derived, vec![index])),
        }
    }
    groups
}
