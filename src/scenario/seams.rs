//! Where scenarios meet schemes and importers: the only place that names them.
//!
//! STAND-IN, to be replaced on merge by
//!
//! ```text
//! pub(super) use crate::lb::read as read_scheme;
//! pub(super) use crate::workload::htsim_cm::{CmOptions, Matrix, StartUnit, read as read_matrix};
//! pub(super) fn needs_acks(scheme: &Scheme) -> bool { scheme.row().needs_acks }
//! ```

use crate::fields::Fields;
use crate::json::{Origin, Value};
use crate::lb::Scheme;
use crate::units::{Span, Time};
use crate::workload::FlowSpec;

/// Unit of the start times in a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartUnit {
    Microseconds,
    Picoseconds,
}

/// What the matrix does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CmOptions {
    pub(super) start_unit: Option<StartUnit>,
    pub(super) has_horizon: bool,
}

/// A matrix that was read.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    pub(super) nodes: u32,
    pub(super) flows: Vec<FlowSpec>,
}

pub(super) type CmError = String;

/// Read the scheme and its parameters.
pub(super) fn read_scheme(fields: &mut Fields<'_>) -> Scheme {
    const NAMES: [&str; 11] = [
        "ecmp",
        "rps",
        "reps",
        "drb",
        "ethereal",
        "simple_rr",
        "rsq",
        "jsq",
        "ar",
        "ofan",
        "pofan",
    ];
    let name = fields.choice("scheme", None, &NAMES.map(|name| (name, name)));
    if name == "pofan" {
        fields.integer("ports_per_pipe", Some(4), 1..=64);
    }
    if name == "ar" {
        let list = crate::json::parse("[5, 10, 20]", Origin::default()).expect("a list");
        fields.custom("thresholds_pct", list, "\"bytes\", or a list", |json| {
            matches!(json.value, Value::List(_) | Value::Text(_)).then_some(())
        });
        let range = Span::ZERO..=Span::from_ns(1_000_000);
        fields.span_ns("refresh_ns", Some(Span::from_ns(100)), range);
    }
    Scheme { name }
}

/// Whether the scheme lives on feedback.
pub(super) fn needs_acks(scheme: &Scheme) -> bool {
    scheme.name == "reps"
}

/// Read a connection matrix.
pub(super) fn read_matrix(text: &str, options: &CmOptions) -> Result<Matrix, Vec<CmError>> {
    let nodes = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("Nodes "));
    let nodes = nodes.and_then(|nodes| nodes.trim().parse().ok());
    let nodes = nodes.ok_or_else(|| vec!["`Nodes` is missing".to_owned()])?;
    let mut flows = Vec::new();
    for line in text.lines().skip(2).filter(|line| !line.trim().is_empty()) {
        let flow = read_line(line, options, flows.len() as u64);
        flows.push(flow.ok_or_else(|| vec![format!("cannot read {line}")])?);
    }
    Ok(Matrix { nodes, flows })
}

fn read_line(line: &str, options: &CmOptions, id: u64) -> Option<FlowSpec> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (src, dst) = words.first()?.split_once("->")?;
    let number = |key: &str| -> Option<u64> {
        let at = words.iter().position(|word| *word == key)?;
        words.get(at + 1)?.parse().ok()
    };
    let scale = match options.start_unit {
        Some(StartUnit::Microseconds) => 1_000_000,
        Some(StartUnit::Picoseconds) => 1,
        None => 0,
    };
    let start = number("start")?;
    let bytes = number("size").filter(|bytes| *bytes > 0 || options.has_horizon)?;
    (start == 0 || scale > 0).then_some(FlowSpec {
        id: number("id").unwrap_or(id),
        src: src.parse().ok()?,
        dst: dst.parse().ok()?,
        bytes,
        start: Time(start * scale),
    })
}
