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

/// Declares the rows of a table: for each column a field, whose doc is its definition, its unit, and what stands there, made of what a row is
/// of. From it come the struct, which `serde` writes, the table of columns, and the row's `of`.
macro_rules! columns {
    (
        $(#[$meta:meta])*
        pub struct $name:ident of ($($from:ident: $from_type:ty),*) {
            $($(#[doc = $about:literal])* $column:ident[$unit:literal]: $type:ty = $cell:expr,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, serde::Serialize)]
        pub struct $name {
            $($(#[doc = $about])* pub $column: $type,)*
        }

        /// The columns, in order.
        pub const COLUMNS: &[$crate::report::Column] = &[
            $($crate::report::Column {
                name: stringify!($column),
                unit: $unit,
                definition: concat!($($about),*).trim_ascii_start(),
            },)*
        ];

        impl $name {
            /// The row of these.
            #[must_use]
            pub fn of($($from: $from_type),*) -> Self {
                Self { $($column: $cell,)* }
            }
        }
    };
}

use columns;
