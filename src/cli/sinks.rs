//! Where the results of `run` go: the summary or the table on stdout, and the output folder.

use std::io::{self, Stdout};
use std::path::Path;
use std::time::{Duration, Instant};

use super::stdout::{self, is_open};
use super::table::{self, PointStatistics};
use super::{Failure, interrupt};
use crate::report::keys::{column_name, plain};
use crate::report::{Output, Subject, SummaryRow, SweptColumns, Table};
use crate::scenario::Plan;
use crate::sim::RunResult;

/// Where results are to go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Targets<'a> {
    /// The output folder.
    pub(super) out: Option<&'a Path>,
    /// Whether a trace is among its files.
    pub(super) trace: bool,
    /// Whether stdout gets the summary as CSV; else it gets the table.
    pub(super) csv: bool,
}

/// Everything that takes results.
#[derive(Debug)]
pub(super) struct Sinks {
    output: Option<Output>,
    stdout: Front,
    /// Time spent writing.
    pub(super) writing: Duration,
}

/// What stdout shows.
#[derive(Debug)]
enum Front {
    /// The summary, row by row.
    Csv(Box<Table<SummaryRow, Stdout>>),
    /// The table, at the end.
    Table {
        names: Vec<String>,
        points: Vec<(Vec<String>, PointStatistics)>,
    },
    /// Nothing any more: the reader has left.
    Closed,
}

impl Sinks {
    /// Open all of them, before the first event.
    pub(super) fn open(
        plan: &Plan,
        columns: &SweptColumns,
        targets: Targets<'_>,
    ) -> Result<Self, Failure> {
        let mut leftovers = interrupt::leftovers();
        let output = targets.out.map(|dir| {
            Output::create(dir, columns.names(), &plan.effective(dir), targets.trace)
                .map_err(|error| Failure::input(format!("--out {}: {error}", dir.display())))
        });
        let output = output.transpose()?;
        *leftovers = output.as_ref().map(Output::leftovers);
        drop(leftovers);
        Ok(Self {
            output,
            stdout: if targets.csv {
                Front::csv(columns)?
            } else {
                Front::table(plan)
            },
            writing: Duration::ZERO,
        })
    }

    /// Take one run of a point. Returns whether anyone still wants results.
    pub(super) fn take(
        &mut self,
        point: usize,
        subject: &Subject,
        result: &RunResult,
    ) -> Result<bool, Failure> {
        let begun = Instant::now();
        let row = SummaryRow::new(subject, result);
        if let Some(output) = &mut self.output {
            output.write(subject, &row, result).map_err(unwritten)?;
        }
        match &mut self.stdout {
            Front::Csv(table) => {
                let written = table.write(subject, &row).and_then(|()| table.flush());
                if !is_open(written)? {
                    self.stdout = Front::Closed;
                }
            }
            Front::Table { points, .. } => points[point].1.add(&row),
            Front::Closed => {}
        }
        self.writing += begun.elapsed();
        Ok(self.output.is_some() || !matches!(self.stdout, Front::Closed))
    }

    /// All runs are in: put the files into place and print the table.
    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        let begun = Instant::now();
        if let Some(output) = self.output.take() {
            let mut leftovers = interrupt::leftovers();
            *leftovers = None;
            output.commit().map_err(unwritten)?;
        }
        if let Front::Table { names, points } = &self.stdout {
            stdout::print(&table::render(names, points))?;
        }
        self.writing += begun.elapsed();
        Ok(())
    }
}

impl Front {
    fn csv(columns: &SweptColumns) -> Result<Self, Failure> {
        let table = Table::new(io::stdout(), columns.names()).map_err(unwritten)?;
        Ok(Self::Csv(Box::new(table)))
    }

    /// Points are told apart by their swept values; the scheme is always shown, as in the summary.
    fn table(plan: &Plan) -> Self {
        let names: Vec<&str> = plan.swept.iter().map(|path| column_name(path)).collect();
        let adds_scheme = !names.contains(&"scheme");
        let scheme = adds_scheme.then_some("scheme");
        let points = plan.points.iter().map(|point| {
            let label = || point.scenario.scheme_label();
            let scheme = adds_scheme.then(label);
            let values = names.iter().zip(&point.values).map(|(name, value)| {
                if *name == "scheme" {
                    label()
                } else {
                    plain(value)
                }
            });
            let values = scheme.into_iter().chain(values);
            (values.collect(), PointStatistics::default())
        });
        let points = points.collect();
        let names = scheme.into_iter().chain(names);
        Self::Table {
            names: names.map(str::to_owned).collect(),
            points,
        }
    }
}

fn unwritten(error: io::Error) -> Failure {
    Failure::internal(format!("the results could not be written: {error}"))
}
