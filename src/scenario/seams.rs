//! Where scenarios meet schemes and importers: the only place that names them.
//!
//! STAND-IN, to be replaced on merge: the scheme reader by `lb::read` and `needs_acks` by its table, the matrix reader by
//! `workload::htsim_cm::read`.

use std::fs;
use std::path::Path;

use crate::fields::Fields;
use crate::lb::Scheme;
use crate::units::Time;
use crate::workload::FlowSpec;

/// The unit of the start times in a connection matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StartUnit {
    /// Microseconds.
    Us,
    /// Picoseconds.
    Ps,
}

/// Read the scheme and its parameters.
pub(super) fn read_scheme(fields: &mut Fields<'_>) -> Scheme {
    crate::lb::read(fields)
}

/// Whether the scheme lives on feedback.
pub(super) fn needs_acks(scheme: &Scheme) -> bool {
    scheme.row().needs_acks
}

/// Read a connection matrix for a fabric of `hosts` hosts.
pub(super) fn read_matrix(
    path: &Path,
    unit: StartUnit,
    hosts: u32,
) -> Result<Vec<FlowSpec>, Vec<String>> {
    let text = fs::read_to_string(path).map_err(|error| vec![error.to_string()])?;
    let mut flows = Vec::new();
    for line in text.lines().skip(2).filter(|line| !line.trim().is_empty()) {
        let flow = read_line(line, unit, flows.len() as u64).filter(|flow| flow.dst < hosts);
        flows.push(flow.ok_or_else(|| vec![format!("cannot read {line}")])?);
    }
    Ok(flows)
}

fn read_line(line: &str, unit: StartUnit, id: u64) -> Option<FlowSpec> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (src, dst) = words.first()?.split_once("->")?;
    let number = |key: &str| -> Option<u64> {
        let at = words.iter().position(|word| *word == key)?;
        words.get(at + 1)?.parse().ok()
    };
    let scale = match unit {
        StartUnit::Us => 1_000_000,
        StartUnit::Ps => 1,
    };
    Some(FlowSpec {
        id: number("id").unwrap_or(id),
        src: src.parse().ok()?,
        dst: dst.parse().ok()?,
        bytes: number("size")?,
        start: Time(number("start")? * scale),
    })
}
