//! A CSV whose header and rows come from one struct, behind the keys of the run.

use std::io::{self, Write};
use std::marker::PhantomData;

use serde::Serialize;

use super::keys::{Keys, Subject};

/// A CSV that is being written: the run's keys, then `Row`.
pub struct Table<Row, W: Write> {
    csv: csv::Writer<W>,
    row: PhantomData<fn(&Row)>,
}

impl<Row: Serialize + Default, W: Write> Table<Row, W> {
    /// Write the header to `sink`. `swept` names the columns between the keys and the row.
    ///
    /// # Errors
    /// Those of `sink`.
    pub fn new(sink: W, swept: &[String]) -> io::Result<Self> {
        let mut csv = csv::WriterBuilder::new()
            .has_headers(false)
            .buffer_capacity(1 << 16)
            .from_writer(sink);
        let header = header_of::<Keys>()
            .into_iter()
            .chain(swept.iter().cloned())
            .chain(header_of::<Row>());
        csv.write_record(header).map_err(into_io)?;
        Ok(Self {
            csv,
            row: PhantomData,
        })
    }

    /// Write one row.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn write(&mut self, subject: &Subject, row: &Row) -> io::Result<()> {
        self.csv
            .serialize((&subject.keys, &subject.swept, row))
            .map_err(into_io)
    }

    /// Pass everything on to the sink.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn flush(&mut self) -> io::Result<()> {
        self.csv.flush()
    }
}

impl<Row, W: Write> std::fmt::Debug for Table<Row, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table").finish_non_exhaustive()
    }
}

/// The names of the fields of `Row`, in order, as `serde` sees them.
#[must_use]
pub fn header_of<Row: Serialize + Default>() -> Vec<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .serialize(Row::default())
        .expect("a row is a flat struct");
    let text = writer.into_inner().expect("a Vec takes every byte");
    let mut reader = csv::Reader::from_reader(text.as_slice());
    let header = reader.headers().expect("the writer wrote a header");
    header.iter().map(str::to_owned).collect()
}

/// The I/O error inside a CSV error (the only kind that flat rows can cause), with its kind kept.
fn into_io(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
