//! What `run` says at the end: unfinished flows, frames, and how fast it went.

use std::time::Duration;

use super::{Done, run_name};
use crate::cli::exit;
use crate::cli::input::counted;
use crate::cli::stderr::tell;
use crate::scenario::Plan;
use crate::sim::{Audit, FlowResult, GaveUp, Stuck};
use crate::units::{Span, Time};

/// Unfinished runs that are named one by one.
const NAMED_RUNS: usize = 10;
/// Unfinished flows that are, of all runs.
const NAMED_FLOWS: usize = 10;

/// What is said at the end.
#[derive(Debug, Default)]
pub(super) struct Tally {
    setup: Duration,
    simulate: Duration,
    packet_hops: u64,
    simulated: Span,
    runs: u64,
    unfinished_runs: u64,
    /// A line for each of the first unfinished runs.
    unfinished: Vec<String>,
    /// A line for each of the first unfinished flows, with the place of its run among these.
    stuck: Vec<(usize, String)>,
    /// A line a run on where its frames went, if that is asked for.
    audits: Option<Vec<String>>,
}

impl Tally {
    /// Nothing so far.
    pub(super) fn new(audit: bool) -> Self {
        Self {
            audits: audit.then(Vec::new),
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, plan: &Plan, done: &Done) {
        self.setup += done.timings.setup;
        self.simulate += done.timings.simulate;
        self.packet_hops += done.result.packet_hops;
        let end = done.result.last_finish.unwrap_or(done.result.ended);
        self.simulated += end.saturating_since(Time::ZERO);
        self.runs += 1;
        if let Some(audits) = &mut self.audits {
            let (name, audit) = (run_name(plan, done.run), Audit::of(&done.result));
            audits.push(format!("{name}: {audit}"));
        }
        let flows = &done.result.flows;
        let unfinished = flows.iter().zip(0..).filter(|(flow, _)| flow.end.is_none());
        let room = NAMED_FLOWS - self.stuck.len();
        let named = unfinished.clone().take(room);
        let run = self.unfinished.len();
        let transport = plan.points[done.run.point].scenario.transport.is_some();
        let known = if transport { "acknowledged" } else { "arrived" };
        self.stuck
            .extend(named.map(|(flow, number)| (run, stuck(number, flow, known))));
        let unfinished = unfinished.count();
        if unfinished == 0 {
            return;
        }
        self.unfinished_runs += 1;
        if self.unfinished.len() < NAMED_RUNS {
            let name = run_name(plan, done.run);
            let total = flows.len();
            self.unfinished
                .push(format!("{name}: {unfinished} of {total} flows unfinished"));
        }
    }

    /// Tell stderr.
    pub(super) fn tell(&self, writing: Duration) {
        for line in self.audits.iter().flatten() {
            tell(format_args!("audit: {line}"));
        }
        for (run, line) in self.unfinished.iter().enumerate() {
            tell(format_args!("warning: {line}"));
            for (_, flow) in self.stuck.iter().filter(|(of, _)| *of == run) {
                tell(format_args!("warning:   {flow}"));
            }
        }
        let more = self.unfinished_runs - self.unfinished.len() as u64;
        if more > 0 {
            tell(format_args!(
                "warning: ... and unfinished flows in {}",
                counted(more, "more run")
            ));
        }
        let seconds = self.simulate.as_secs_f64().max(1e-9);
        tell(format_args!(
            "{}: set-up {:.3} s, simulation {seconds:.3} s, writing {:.3} s",
            counted(self.runs, "run"),
            self.setup.as_secs_f64(),
            writing.as_secs_f64(),
        ));
        tell(format_args!(
            "{} packet-hops, {:.2} M/s a run; {} simulated, {} a second{}",
            self.packet_hops,
            self.packet_hops as f64 / seconds / 1e6,
            self.simulated,
            Span((self.simulated.0 as f64 / seconds) as u64),
            peak_memory().map_or_else(String::new, |memory| format!("; peak memory {memory}")),
        ));
    }

    pub(super) const fn exit_code(&self) -> u8 {
        if self.unfinished_runs > 0 {
            exit::UNFINISHED
        } else {
            exit::DONE
        }
    }
}

/// An unfinished flow, how many of its bytes are `known` to be there, and why it is unfinished.
fn stuck(number: u64, flow: &FlowResult, known: &str) -> String {
    let why = match flow.stuck {
        Some(Stuck::GaveUp(GaveUp::Timeouts(timeouts))) => {
            format!(
                "gave up after {} in a row",
                counted(timeouts.into(), "timeout")
            )
        }
        Some(Stuck::GaveUp(GaveUp::Sends(sends))) => {
            format!("gave up when a packet was lost that had been sent {sends} times")
        }
        Some(Stuck::Window) => "its window takes no frame".to_owned(),
        Some(Stuck::CutOff) => "its hosts have no path".to_owned(),
        Some(Stuck::Waiting) => "what it waits for did not happen".to_owned(),
        Some(Stuck::Late) => "it starts after the horizon".to_owned(),
        Some(Stuck::Horizon) if flow.acked_bytes >= flow.spec.bytes => {
            "ACKs still under way at the horizon".to_owned()
        }
        Some(Stuck::Horizon) => "still under way at the horizon".to_owned(),
        Some(Stuck::Missing) => {
            "packets were dropped or lost, or wait behind a port that sends nothing".to_owned()
        }
        None => "unfinished".to_owned(),
    };
    let (spec, acked) = (&flow.spec, flow.acked_bytes);
    format!(
        "flow {number} (h{} to h{}): {acked} of {} bytes {known}; {why}",
        spec.src, spec.dst, spec.bytes
    )
}

/// The most memory that this process has had resident, where the system tells (Linux).
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(format!("{:.3} GB", kib as f64 * 1024.0 / 1e9))
}
