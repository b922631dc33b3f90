//! What is wrong with a matrix, collected.

use std::collections::BTreeMap;

pub use crate::topology::htsim_text::LineError as CmError;

/// Errors reported of one file; the rest is counted.
const MOST: usize = 20;

/// A word that is recognised but not supported.
#[derive(Debug)]
struct Unsupported {
    /// What it is.
    what: &'static str,
    /// The first line on which it stands.
    line: u32,
    /// On how many more it does.
    more: u32,
}

/// The errors of one file so far.
#[derive(Debug, Default)]
pub(super) struct Errors {
    found: Vec<CmError>,
    /// By word.
    unsupported: BTreeMap<String, Unsupported>,
}

impl Errors {
    pub(super) fn add(&mut self, line: u32, text: String) {
        self.found.push(CmError { line, text });
    }

    /// Whether nothing is wrong so far.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty() && self.unsupported.is_empty()
    }

    /// `word` is known, but `what` ("triggers are") not supported. One error a word, however many lines have it.
    pub(super) fn unsupported(&mut self, line: u32, word: &str, what: &'static str) {
        self.unsupported
            .entry(word.to_owned())
            .and_modify(|word| word.more += 1)
            .or_insert(Unsupported {
                what,
                line,
                more: 0,
            });
    }

    /// `word` is none of `known`.
    pub(super) fn unknown(
        &mut self,
        line: u32,
        word: &str,
        known: impl IntoIterator<Item = &'static str>,
        expected: &str,
    ) {
        let mut text = format!("{} is not {expected}", shown(Some(word)));
        if let Some(nearest) = nearest(word, known) {
            text += &format!("; did you mean `{nearest}`?");
        }
        self.add(line, text);
    }

    /// All of them by line, the first `MOST` and a count of the others.
    pub(super) fn finish(self) -> Vec<CmError> {
        let mut errors = self.found;
        for (word, Unsupported { what, line, more }) in self.unsupported {
            let elsewhere = match more {
                0 => String::new(),
                1 => " (also in 1 more place)".to_owned(),
                _ => format!(" (also in {more} more places)"),
            };
            let text = format!("`{word}`: {what} not supported yet{elsewhere}");
            errors.push(CmError { line, text });
        }
        errors.sort();
        let rest = errors.len().saturating_sub(MOST);
        if rest > 0 {
            errors.truncate(MOST);
            let text = format!("and {rest} more errors");
            errors.push(CmError { line: 0, text });
        }
        errors
    }
}

/// Lines as a message names them: the first few of at least one.
pub(super) fn lines(lines: &[u32]) -> String {
    const SHOWN: usize = 6;
    let shown: Vec<String> = lines.iter().take(SHOWN).map(u32::to_string).collect();
    let s = if lines.len() == 1 { "" } else { "s" };
    let more = match lines.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("line{s} {}{more}", shown.join(", "))
}

/// A word of the file as shown in a message: quoted, escaped, cut off.
pub(super) fn shown(word: Option<&str>) -> String {
    let Some(word) = word else {
        return "nothing".to_owned();
    };
    let cut: String = word.chars().take(40).collect();
    let dots = if cut.len() < word.len() { "..." } else { "" };
    format!("{cut:?}{dots}")
}

/// The most similar of `known`, if any is within two edits (and most of the word is left).
fn nearest(word: &str, known: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    if word.len() > 40 {
        return None;
    }
    let lower = word.to_lowercase();
    let scored = known
        .into_iter()
        .map(|option| (edits(&lower, &option.to_lowercase()), option));
    let (distance, option) = scored.min()?;
    (distance <= 2 && distance < option.len()).then_some(option)
}

/// Edit distance of Levenshtein.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, &to) in b.iter().enumerate() {
            let replace = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
