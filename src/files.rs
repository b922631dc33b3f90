//! Files that scenarios name: bounded reading as text, and what was made of each, so that a file that many points name is read once.

use std::any::Any;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most bytes of a file: 10^9.
const MAX_FILE: u64 = 1_000_000_000;

/// What may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Regular files only: devices may never end.
    Regular,
    /// Pipes and the like too, e.g. `/dev/stdin`.
    Stream,
}

/// The bytes of a file of up to [`MAX_FILE`] bytes.
fn read_bounded(file: &Path, kind: FileKind) -> Result<Vec<u8>, String> {
    if let Ok(about) = fs::metadata(file) {
        if about.is_dir() {
            return Err("it is a directory".to_owned());
        }
        if kind == FileKind::Regular && !about.is_file() {
            return Err("it is no regular file".to_owned());
        }
        if about.is_file() && about.len() > MAX_FILE {
            let bytes = about.len();
            return Err(format!(
                "it has {bytes} bytes; allowed: up to {MAX_FILE} bytes"
            ));
        }
    }
    let mut bytes = Vec::new();
    fs::File::open(file)
        .and_then(|open| open.take(MAX_FILE + 1).read_to_end(&mut bytes))
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(format!("it is larger than {MAX_FILE} bytes"));
    }
    Ok(bytes)
}

/// The text of a file, without a byte order mark; not empty.
///
/// # Errors
/// Why it cannot be read as text, in words that follow the file's name.
pub fn read_text(file: &Path, kind: FileKind) -> Result<String, String> {
    let bytes = read_bounded(file, kind).map_err(|why| format!("cannot be read: {why}"))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let (at, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
        let line = 1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count();
        format!("line {line}: byte 0x{:02x} is no UTF-8 text", bytes[at])
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.trim().is_empty() {
        return Err("the file is empty".to_owned());
    }
    Ok(text.to_owned())
}

/// What was made of a file: a value, or what is wrong with it, a line each.
pub type Parsed<T> = Arc<Result<T, Vec<String>>>;

/// What was made of files, by path and by the options with which they were read.
#[derive(Debug, Default)]
pub struct Files {
    read: BTreeMap<(PathBuf, String), Arc<dyn Any + Send + Sync>>,
}

impl Files {
    /// What `parse` makes of the text of `file`; made before with equal `options`, it is not made again.
    pub fn parsed<T, E>(
        &mut self,
        file: &Path,
        options: &str,
        parse: impl FnOnce(&str) -> Result<T, Vec<E>>,
    ) -> Parsed<T>
    where
        T: Send + Sync + 'static,
        E: ToString,
    {
        let key = (
            file.to_owned(),
            format!("{}: {options}", std::any::type_name::<T>()),
        );
        let known = self
            .read
            .get(&key)
            .and_then(|known| Arc::clone(known).downcast().ok());
        known.unwrap_or_else(|| {
            let text = read_text(file, FileKind::Regular).map_err(|why| vec![why]);
            let texts = |errors: Vec<E>| errors.iter().map(ToString::to_string).collect();
            let made: Parsed<T> = Arc::new(text.and_then(|text| parse(&text).map_err(texts)));
            self.read
                .insert(key, Arc::<Result<T, Vec<String>>>::clone(&made));
            made
        })
    }
}
