//! From a checked scenario and a seed to the result of one run.

mod audit;
mod build;
mod collect;
mod dependencies;
pub mod estimate;
mod fabric;
mod faults;
mod imperfection;
mod order;
mod partition;
mod ports;
mod recovery;
mod result;
mod run;
mod switches;

pub use crate::engine::Progress;
pub use crate::host::{GaveUp, RttStats, TraceEvent, TraceRow, WindowStats};
pub use crate::topology::{NodeName, Stage};
pub use audit::{Account, Audit};
pub use result::{Arrivals, FailureResult, FlowResult, LinkResult, RunResult, StageResult, Stuck};
pub use run::{Engine, RunOptions, Timings, run, run_flows};

/// Windows of the peak utilisation (spec: figure 1), aligned to the start of the run.
pub use crate::probe::BIN as UTILIZATION_WINDOW;
