//! What may stand at a key, in words: those of errors and those of documentation.

use std::ops::RangeInclusive;

use super::Scale;
use super::schema::{Bounds, KeyDoc, Schema, Size, Step};

/// Whether words stand for themselves or are marked as JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Error,
    Documentation,
}

impl Schema {
    /// What is allowed, in the words of errors.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            // A list of words needs no marks.
            Self::Choice(words) => words
                .iter()
                .map(|word| word.name)
                .collect::<Vec<_>>()
                .join(", "),
            Self::Flag => "true, false".to_owned(),
            other => other.told(Style::Error),
        }
    }

    /// What is allowed, in the words of documentation.
    #[must_use]
    pub fn documented(&self) -> String {
        self.told(Style::Documentation)
    }

    fn told(&self, style: Style) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Count(scale, of, step) => counted(*scale, of, *step, style),
            Self::Number(bounds) => bounds.words(),
            Self::Choice(words) => listed(
                &words
                    .iter()
                    .map(|word| format!("\"{}\"", word.name))
                    .collect::<Vec<_>>(),
            ),
            Self::Text(what) | Self::Other(what) => (*what).to_owned(),
            Self::List(of, size) => format!("a list of {}", elements(&of.told(style), *size)),
            Self::Increasing(of, most) => {
                let most = if *most == usize::MAX {
                    String::new()
                } else {
                    format!("at most {most} ")
                };
                format!(
                    "a strictly increasing list of {most}integers from {} to {}",
                    of.start(),
                    of.end()
                )
            }
            Self::Object(keys) if style == Style::Error => object(keys),
            Self::Object(_) => "an object".to_owned(),
            Self::Told(words, _) if style == Style::Error => (*words).to_owned(),
            Self::Named(words, _) if style == Style::Documentation => (*words).to_owned(),
            Self::Told(_, of) | Self::Named(_, of) => of.told(style),
            Self::AnyOf(parts) => {
                let parts: Vec<String> = parts
                    .iter()
                    .flat_map(|part| part.alternatives(style))
                    .collect();
                alternatives(&parts)
            }
        }
    }

    /// The parts of a list of alternatives that it makes.
    fn alternatives(&self, style: Style) -> Vec<String> {
        match self {
            Self::AnyOf(parts) => parts
                .iter()
                .flat_map(|part| part.alternatives(style))
                .collect(),
            Self::Choice(words) => words
                .iter()
                .map(|word| format!("\"{}\"", word.name))
                .collect(),
            other => vec![other.told(style)],
        }
    }
}

/// What is named in the singular, with its article, without it and in the plural.
const NOUNS: [[&str; 3]; 3] = [
    ["an integer", "integer", "integers"],
    ["an object", "object", "objects"],
    ["a switch", "switch", "switches"],
];

/// The elements of a list, of which one is `words`.
fn elements(words: &str, size: Size) -> String {
    let named = NOUNS.iter().find_map(|[one, bare, several]| {
        let rest = words.strip_prefix(one)?;
        Some(match size {
            Size::Any => format!("{several}{rest}"),
            Size::Some => format!("at least one {bare}{rest}"),
        })
    });
    named.unwrap_or_else(|| words.to_owned())
}

/// An object by its keys.
fn object(keys: &[KeyDoc]) -> String {
    let names: Vec<String> = keys.iter().map(|key| format!("\"{}\"", key.name)).collect();
    let is_free = keys.iter().all(|key| key.default.is_some());
    match names.as_slice() {
        [] => "an object".to_owned(),
        [only] => format!("an object with {only}"),
        names if is_free => format!("an object with any of {}", names.join(", ")),
        [most @ .., last] => format!("an object with {} and {last}", most.join(", ")),
    }
}

/// `"a", "b" or "c"`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// `null, or an integer`; words only are listed without the last comma.
fn alternatives(parts: &[String]) -> String {
    match parts {
        [most @ .., last] if !most.is_empty() && !last.starts_with('"') => {
            format!("{}, or {last}", most.join(", "))
        }
        _ => listed(parts),
    }
}

/// A large power of two as such, or the number before one.
fn power(number: u64, style: Style) -> String {
    match number {
        u64::MAX if style == Style::Documentation => "2^64 - 1".to_owned(),
        large if large.is_power_of_two() && large > 1 << 24 && style == Style::Documentation => {
            format!("2^{}", large.trailing_zeros())
        }
        number => number.to_string(),
    }
}

/// A range of counts in words.
fn counted(scale: Scale, range: &RangeInclusive<u64>, step: Step, style: Style) -> String {
    let is_documented = style == Style::Documentation;
    let (from, to) = (*range.start(), *range.end());
    if scale != Scale::WHOLE {
        let [least, to] = [from, to].map(|count| scale.decimal(count));
        let from = if is_documented && from == 1 {
            "above 0".to_owned()
        } else {
            format!("from {least}")
        };
        return format!("{} {from} to {to}, down to {}", scale.noun, scale.finest);
    }
    let noun = match step {
        Step::Any if is_documented && from + 1 == to => return format!("{from} or {to}"),
        Step::Any => scale.noun,
        Step::Even(_) => "an even integer",
        Step::PowerOfTwo => "a power of two",
    };
    format!("{noun} from {from} to {}", power(to, style))
}

impl Bounds {
    fn words(self) -> String {
        match (self.zero, self.whole) {
            (true, _) => format!("a number from 0 to {}", self.most),
            (false, true) => format!("a number above 0 and up to {}", self.most),
            (false, false) => format!("a number above 0 and below {}", self.most),
        }
    }
}
