//! Importer of htsim's connection matrices (`.cm`), as text.
//!
//! Source: uet-htsim's `connection_matrix.cpp` (our spec's section 9.6), read more strictly where htsim guesses, more freely in
//! white space. Header lines `Nodes N`, `Connections C`, `Triggers T`, `Failures F`; then one line a flow, `S->D` followed by
//! `id n`, `start x` or `trigger t`, `size b`, `send_done_trigger t`, `recv_done_trigger t`, `msg n`, `prio p` in any order; one line a
//! trigger, `trigger id t oneshot`, `multishot` or `barrier count n`; and one line a failure. `#` starts a comment, anywhere.
//!
//! `prio` is read and ignored, as htsim's UEC does; `recv_done_trigger` is honoured, although htsim never fires it. What cannot happen
//! is refused here: a trigger that never fires for one of its targets, flows that wait for one another. Failures are read, for the
//! caller to honour. Not modelled, and refused by name: `addon`. A flow of size 0 has no end, and neither has one without a
//! size: both take a horizon, within which they never finish. A start has no fixed unit in htsim's family, so the caller must say which.

mod connection;
mod error;
mod failure;
mod kind;
mod number;
mod trigger;

use std::collections::{BTreeMap, BTreeSet};

use super::{FlowSpec, Traffic};
use crate::topology::htsim_text::lines;
use crate::units::{Rate, Time};
pub use error::CmError;
use error::{Errors, shown};
pub use failure::{CmFailure, SwitchType};
pub use kind::{ABOUT, MatrixKeys};
pub use number::StartUnit;
use trigger::Wiring;

/// The least payload of a flow of size 0, which never ends in htsim: 90 seconds at 800 Gb/s, 2^31 packets of 4,096 bytes.
pub const ENDLESS_BYTES: u64 = 1 << 43;

/// Payload of a flow that has no end: at least [`ENDLESS_BYTES`], and more than a link of `rate` carries up to `horizon`.
#[must_use]
pub fn endless_bytes(rate: Rate, horizon: Time) -> u64 {
    let bits = u128::from(rate.bits_per_sec()) * u128::from(horizon.0) / 1_000_000_000_000;
    let bytes = u64::try_from(bits / 8 + 1).unwrap_or(u64::MAX);
    bytes.max(ENDLESS_BYTES)
}

/// What the file does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CmOptions {
    /// Unit of `start`; `None`: refuse a file in which not all flows start at 0.
    pub start_unit: Option<StartUnit>,
    /// Payload of a flow that has no end ([`endless_bytes`]); `None`: refuse such flows, as the run has no horizon.
    pub endless_bytes: Option<u64>,
}

/// A matrix that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Hosts, numbered from 0.
    pub nodes: u32,
    /// Flows in the file's order, and what they wait for; `id` is the file's, or the flow's index where it has none.
    pub traffic: Traffic,
    /// The line of each flow, from 1.
    pub lines: Vec<u32>,
    /// Failed links, in the file's order.
    pub failures: Vec<CmFailure>,
    /// Flows that have no end.
    pub endless: u64,
    /// Lines with a `prio`, which is ignored.
    pub prio_lines: u64,
    /// Trigger lines.
    pub triggers: u64,
}

impl Matrix {
    /// What was read and what was ignored, in one line.
    #[must_use]
    pub fn summary(&self) -> String {
        let counted = |count: u64, noun: &str| {
            let s = if count == 1 { "" } else { "s" };
            format!("{count} {noun}{s}")
        };
        let flows = &self.traffic.flows;
        let bytes: u128 = flows.iter().map(|flow| u128::from(flow.bytes)).sum();
        let mut text = counted(flows.len() as u64, "flow");
        match self.endless {
            0 => text += &format!(", {bytes} bytes"),
            endless => text += &format!(", {endless} of them without an end"),
        }
        text += &format!(", {}", counted(self.triggers, "trigger"));
        let reused = self.traffic.dependencies.connections.iter();
        let reused = reused.map(|connection| connection.messages.len() as u64);
        let (connections, messages) = reused
            .filter(|&messages| messages > 1)
            .fold((0, 0), |(n, sum), messages| (n + 1, sum + messages));
        text += &format!(", {}", counted(connections, "re-used connection"));
        if connections > 0 {
            text += &format!(" of {messages} messages");
        }
        if !self.failures.is_empty() {
            text += &format!(", {}", counted(self.failures.len() as u64, "failed link"));
        }
        if self.prio_lines > 0 {
            text += &format!("; ignored: `prio` on {}", counted(self.prio_lines, "line"));
        }
        text
    }
}

/// Read a whole file.
///
/// # Errors
///
/// Everything that is wrong with it, by line, cut off after 20.
pub fn read(text: &str, options: &CmOptions) -> Result<Matrix, Vec<CmError>> {
    let mut reader = Reader::new(*options);
    for (number, words) in lines(text) {
        reader.line(number, &words);
    }
    reader.finish()
}

/// Header keys, in the order of `Reader::declared` and `Reader::found`.
const HEADER: [&str; 4] = ["Nodes", "Connections", "Triggers", "Failures"];
const NODES: usize = 0;
const CONNECTIONS: usize = 1;
const TRIGGERS: usize = 2;
const FAILURES: usize = 3;

/// What has been read so far.
struct Reader {
    options: CmOptions,
    /// Value and line of each header key.
    declared: [Option<(u64, u32)>; 4],
    /// Lines of each kind.
    found: [u64; 4],
    flows: Vec<FlowSpec>,
    lines: Vec<u32>,
    /// Flow of each id, and whether it stood with `msg`.
    ids: BTreeMap<u64, (u32, bool)>,
    /// Flows without an end, by index.
    endless: BTreeSet<u32>,
    prio_lines: u64,
    wiring: Wiring,
    failures: Vec<CmFailure>,
    errors: Errors,
}

impl Reader {
    fn new(options: CmOptions) -> Self {
        Self {
            options,
            declared: [None; 4],
            found: [0; 4],
            flows: Vec::new(),
            lines: Vec::new(),
            ids: BTreeMap::new(),
            endless: BTreeSet::new(),
            prio_lines: 0,
            wiring: Wiring::default(),
            failures: Vec::new(),
            errors: Errors::default(),
        }
    }

    /// Read one line that has words.
    fn line(&mut self, line: u32, words: &[&str]) {
        match words[0] {
            word if word.contains("->") => {
                self.found[CONNECTIONS] += 1;
                self.connection(line, words);
            }
            "trigger" => {
                self.found[TRIGGERS] += 1;
                self.wiring.read(line, &words[1..], &mut self.errors);
            }
            "failure" => {
                self.found[FAILURES] += 1;
                let failure = failure::read(line, &words[1..], &mut self.errors);
                self.failures.extend(failure);
            }
            _ => self.header(line, words),
        }
    }

    /// Read a line of header keys and their values.
    fn header(&mut self, line: u32, words: &[&str]) {
        for pair in words.chunks(2) {
            let Some(key) = HEADER.iter().position(|key| *key == pair[0]) else {
                let known = HEADER.iter().copied().chain(["trigger", "failure"]);
                self.errors
                    .unknown(line, pair[0], known, "a header key or `S->D`");
                return;
            };
            let name = HEADER[key];
            let Some(value) = pair.get(1).and_then(|word| number::whole(word)) else {
                let found = shown(pair.get(1).copied());
                self.errors
                    .add(line, format!("`{name}`: {found} is no whole number"));
                return;
            };
            if let Some((_, before)) = self.declared[key].replace((value, line)) {
                self.errors
                    .add(line, format!("`{name}` is also on line {before}"));
            }
        }
    }

    /// What only the whole file shows.
    fn finish(mut self) -> Result<Matrix, Vec<CmError>> {
        for key in [NODES, CONNECTIONS] {
            if self.declared[key].is_none() {
                let name = HEADER[key];
                self.errors.add(0, format!("`{name}` is missing"));
            }
        }
        for key in [CONNECTIONS, TRIGGERS, FAILURES] {
            let (name, found) = (HEADER[key], self.found[key]);
            match self.declared[key] {
                Some((declared, line)) if declared != found => {
                    let text = format!("`{name}` declares {declared}; found {found}");
                    self.errors.add(line, text);
                }
                _ => {}
            }
        }
        let nodes = self.nodes();
        self.check_hosts(nodes);
        let read = trigger::Flows {
            specs: &self.flows,
            lines: &self.lines,
            endless: &self.endless,
        };
        let dependencies = self.wiring.dependencies(&read, &mut self.errors);
        let errors = self.errors.finish();
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Matrix {
            nodes,
            traffic: Traffic {
                flows: self.flows,
                dependencies,
                mice: 0,
            },
            lines: self.lines,
            failures: self.failures,
            endless: self.endless.len() as u64,
            prio_lines: self.prio_lines,
            triggers: self.found[TRIGGERS],
        })
    }

    /// The declared number of hosts; 0 if there is none to check against.
    fn nodes(&mut self) -> u32 {
        let Some((declared, line)) = self.declared[NODES] else {
            return 0;
        };
        match u32::try_from(declared) {
            Ok(nodes) if nodes > 0 => nodes,
            _ => {
                let text = format!("`Nodes` is {declared}; allowed: 1 to {}", u32::MAX);
                self.errors.add(line, text);
                0
            }
        }
    }

    fn check_hosts(&mut self, nodes: u32) {
        if nodes == 0 {
            return;
        }
        for (flow, &line) in self.flows.iter().zip(&self.lines) {
            for host in [flow.src, flow.dst] {
                if host >= nodes {
                    let (src, dst, last) = (flow.src, flow.dst, nodes - 1);
                    let text = format!(
                        "`{src}->{dst}`: host {host} is out of range; allowed: 0 to {last}"
                    );
                    self.errors.add(line, text);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod waiting_tests;
