//! Results as CSV: one file a table, header and row from one struct; and the folder that they are written to, whole or not at all.
//!
//! No wall-clock time, path or date appears in any row: the same scenario, seed and version give the same bytes.

pub mod cells;
pub mod flows;
pub mod keys;
pub mod links;
mod mice;
pub mod output;
pub mod queues;
mod staging;
pub mod summary;
mod switch_queues;
pub mod table;
pub mod trace;

#[cfg(test)]
mod testing;

pub use cells::Decimal;
pub use keys::{Keys, Subject, SweptColumns};
pub use output::Output;
pub use staging::Leftovers;
pub use summary::SummaryRow;
pub use table::Table;

/// A column as the README defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in the header.
    pub name: &'static str,
    /// Its unit; empty for names and plain numbers.
    pub unit: &'static str,
    /// What it holds.
    pub definition: &'static str,
}

/// The CSV files with the columns that follow the run's keys (`keys::COLUMNS`, then swept keys) in each.
pub const FILES: &[(&str, &[Column])] = &[
    ("summary.csv", summary::COLUMNS),
    ("flows.csv", flows::COLUMNS),
    ("queues.csv", queues::COLUMNS),
    ("links.csv", links::COLUMNS),
    ("trace.csv", trace::COLUMNS),
];

/// Shorthand for the column tables.
const fn column(name: &'static str, unit: &'static str, definition: &'static str) -> Column {
    Column {
        name,
        unit,
        definition,
    }
}
