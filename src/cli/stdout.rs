//! Standard output whose reader may leave early (`| head`): that is no error, and not worth a word.

use std::io::{self, ErrorKind, Write};

use super::Failure;

/// Write `text` to stdout.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes());
    is_open(written.and_then(|()| stdout.flush())).map(drop)
}

/// Whether the reader is still there, after a write to stdout.
pub(super) fn is_open(written: io::Result<()>) -> Result<bool, Failure> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::internal(format!("standard output: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_left_is_no_error() {
        let left = is_open(Err(ErrorKind::BrokenPipe.into()));
        assert!(!left.expect("no failure"));
    }

    #[test]
    fn any_other_error_is_one() {
        is_open(Err(ErrorKind::StorageFull.into())).expect_err("a failure");
    }
}
