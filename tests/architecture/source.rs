//! Rust source as the gates see it: without comments, texts and test code. No parser: enough of one for this repository.

use std::fs;
use std::path::{Path, PathBuf};

/// One file of `src`.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Below `src`, e.g. `scenario/check.rs`.
    pub(crate) path: String,
    /// As it is.
    pub(crate) text: String,
    /// Without comments, texts and `#[cfg(test)]` items; lines stay where they are.
    pub(crate) code: String,
    /// Whether all of it is test code.
    pub(crate) is_test: bool,
}

impl Source {
    /// A file of this path with this text.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            code: without_tests(&plain(text)),
            is_test: false,
        }
    }

    /// The top module that it belongs to, e.g. `scenario`.
    pub(crate) fn room(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or(&self.path);
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// How many modules below the crate's root it is: 1 for `link.rs` and `lb/mod.rs`, 2 for `lb/switch/mod.rs`.
    pub(crate) fn depth(&self) -> usize {
        let parts = self.path.split('/').count();
        parts - usize::from(self.path.ends_with("/mod.rs"))
    }

    /// `src/path:line` of a byte of the code.
    pub(crate) fn at(&self, byte: usize) -> String {
        let line = 1 + self.code[..byte].matches('\n').count();
        format!("src/{}:{line}", self.path)
    }
}

/// All of `src`, sorted by path.
pub(crate) fn all() -> Vec<Source> {
    let mut sources = below("src");
    let tests: Vec<String> = sources.iter().flat_map(test_modules).collect();
    for source in &mut sources {
        source.is_test = tests.iter().any(|module| {
            let rest = source.path.strip_prefix(module.as_str());
            rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        });
    }
    sources
}

/// All Rust files in this folder of the package, sorted by path, which is relative to it.
pub(crate) fn below(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let read = |file: &PathBuf| {
        let below = file.strip_prefix(&root).expect("it lies in the folder");
        let text = fs::read_to_string(file).expect("source is text");
        Source::new(&below.to_string_lossy(), &text)
    };
    files.iter().map(read).collect()
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a folder can be listed") {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
}

/// The modules in files of their own that `source` declares for tests only, as paths below `src` without `.rs`.
fn test_modules(source: &Source) -> Vec<String> {
    let dir = match source.path.strip_suffix("mod.rs") {
        Some(dir) => dir.to_owned(),
        None if source.path == "lib.rs" => String::new(),
        None => format!("{}/", source.path.trim_end_matches(".rs")),
    };
    let code = plain(&source.text);
    let marked = code.split("#[cfg(test)]").skip(1);
    let modules = marked.filter_map(|rest| {
        let item = rest.split(['{', ';']).next().unwrap_or_default();
        let is_file = rest[item.len()..].starts_with(';');
        let (_, name) = item.split_once("mod ").filter(|_| is_file)?;
        Some(format!("{dir}{}", name.trim()))
    });
    let mut modules: Vec<String> = modules.collect();
    // `#[path = "x.rs"]` names a file beside this one; texts are blank in `code`.
    for line in source.text.lines() {
        if let Some(name) = line.trim().strip_prefix("#[path = \"")
            && let Some(name) = name.strip_suffix(".rs\"]")
        {
            let beside = source.path.rsplit_once('/').map_or("", |(dir, _)| dir);
            modules.push(format!("{beside}/{name}"));
        }
    }
    modules
}

/// `text` with comments and the contents of texts blanked.
pub(crate) fn plain(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let blank = blank_length(rest);
        if blank == 0 {
            code.push(c);
            rest = &rest[c.len_utf8()..];
            // A name is taken whole, so that the `r` in `bar"` opens no raw text.
            if c.is_alphanumeric() || c == '_' {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                let end = end.unwrap_or(rest.len());
                code.push_str(&rest[..end]);
                rest = &rest[end..];
            }
        } else {
            let kept = |c: char| if c == '\n' { '\n' } else { ' ' };
            code.extend(rest[..blank].chars().map(kept));
            rest = &rest[blank..];
        }
    }
    code
}

/// How many bytes at the start of `rest` are a comment, a text or a character.
fn blank_length(rest: &str) -> usize {
    let until = |from: usize, end: &str| {
        let found = rest[from..].find(end).map(|at| from + at + end.len());
        found.unwrap_or(rest.len())
    };
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return until(2, "*/");
    }
    let raw = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'));
    if let Some(raw) = raw {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let from = rest.len() - raw.len() + hashes + 1;
            return until(from, &format!("\"{}", "#".repeat(hashes)));
        }
    }
    match rest.as_bytes()[0] {
        b'"' => quoted(rest, '"'),
        b'\'' => {
            // A character, or a lifetime?
            let mut chars = rest.char_indices().skip(1);
            match (chars.next(), chars.next()) {
                (Some((_, '\\')), _) => quoted(rest, '\''),
                (Some(_), Some((at, '\''))) => at + 1,
                _ => 0,
            }
        }
        _ => 0,
    }
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// `code` with every item behind `#[cfg(test)]` blanked.
fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(MARK) {
        out.push_str(&rest[..at]);
        let end = at + item_length(&rest[at..]);
        let kept = |c: char| if c == '\n' { '\n' } else { ' ' };
        out.extend(rest[at..end].chars().map(kept));
        rest = &rest[end..];
    }
    out + rest
}

/// Bytes up to the end of the item at the start of `code`: its `;`, or the `}` that closes it.
pub(crate) fn item_length(code: &str) -> usize {
    let mut open = 0usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' | '(' | '[' => open += 1,
            '}' | ')' | ']' => {
                open = open.saturating_sub(1);
                if open == 0 && c == '}' {
                    return at + 1;
                }
            }
            ';' if open == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}
