//! What htsim's text files have in common: words in lines, and errors with lines.

use std::fmt;

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineError {
    /// The line, from 1; 0: the file as a whole.
    pub line: u32,
    /// What is wrong, with the value and what is allowed.
    pub text: String,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.text),
            line => write!(f, "line {line}: {}", self.text),
        }
    }
}

impl std::error::Error for LineError {}

/// The lines that have words, with their numbers from 1. `#` starts a comment, anywhere; a byte order mark is passed over.
pub fn lines(text: &str) -> impl Iterator<Item = (u32, Vec<&str>)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..)
        .zip(text.lines())
        .map(|(number, line)| {
            let content = line.split('#').next().unwrap_or_default();
            (number, content.split_whitespace().collect::<Vec<&str>>())
        })
        .filter(|(_, words)| !words.is_empty())
}
