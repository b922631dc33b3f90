//! Decimals that an `f64` cannot hold as written.

use super::SyntaxError;

/// The most significant digits that every decimal keeps through an `f64`.
const KEPT: usize = 15;

/// The first number of `json` (valid JSON) that has a point or an exponent, more than 15 significant digits, and would be read as
/// another number with fewer.
pub(super) fn first_inexact(json: &str) -> Option<SyntaxError> {
    let bytes = json.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = string_end(bytes, at),
            b'-' | b'0'..=b'9' => {
                let length = bytes[at..]
                    .iter()
                    .take_while(|byte| is_numeric(**byte))
                    .count();
                let number = &json[at..at + length];
                if drops_digits(number) {
                    return Some(error(json, at, number));
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    None
}

const fn is_numeric(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// The byte after the string that starts at `at`.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// The digits of a number without zeros at either end.
fn significant(number: &str) -> String {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

fn drops_digits(number: &str) -> bool {
    let written = significant(number);
    if written.len() <= KEPT || !number.contains(['.', 'e', 'E']) {
        return false;
    }
    let read: f64 = number.parse().unwrap_or(f64::NAN);
    significant(&format!("{read:e}")) != written
}

fn error(json: &str, at: usize, number: &str) -> SyntaxError {
    let before = &json[..at];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let shown: String = number.chars().take(40).collect();
    SyntaxError {
        line: 1 + before.matches('\n').count(),
        column: 1 + before[line_start..].chars().count(),
        text: format!(
            "{shown} has more digits than can be kept; allowed: {KEPT} significant digits"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_that_would_be_dropped_are_found_with_their_place() {
        let found = first_inexact("{\n \"a\": 0.99999999999999999999}").unwrap();
        assert_eq!((found.line, found.column), (2, 7));
        assert!(first_inexact("[9007199254740.991]").is_some());
        assert!(first_inexact("1e-400").is_none(), "not more digits");
    }

    #[test]
    fn what_is_kept_is_no_error() {
        for text in [
            "[0.1, 1.50000000000000000000000, 18446744073709551615, 99999999999999999999]",
            "{\"0.99999999999999999999\": \"\\\"0.99999999999999999999\"}",
            "0.1234567890123456",
        ] {
            assert_eq!(first_inexact(text), None, "{text}");
        }
    }
}
