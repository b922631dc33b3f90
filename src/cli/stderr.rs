//! Standard error that may be full or closed: there is nobody left to be told, so the results matter more.

use std::fmt::Display;
use std::io::{self, Write};

/// Write `line` to stderr.
pub(super) fn tell(line: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
