//! The nearest name to one that nobody knows.

/// `; did you mean "x"?` for the nearest of `known`, or nothing if none is near.
#[must_use]
pub fn hint<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(unknown, known).map_or_else(String::new, |name| format!("; did you mean \"{name}\"?"))
}

/// The name of `known` that takes the fewest edits to reach, if that is at most a third of its letters (but always one);
/// case, `-` and `_` count for nothing.
fn nearest<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let unknown = plain(unknown);
    if unknown.len() > 64 {
        return None;
    }
    known
        .into_iter()
        .map(|name| (distance(&unknown, &plain(name)), name))
        .filter(|(edits, name)| *edits <= (name.len() / 3).max(1) && *edits < unknown.len().max(1))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, name)| name)
}

fn plain(name: &str) -> Vec<char> {
    name.chars()
        .filter(|c| !"-_ ".contains(*c))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Edits between `a` and `b`: a letter more, less, or another, or two neighbours swapped.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let other = usize::from(a[i - 1] != b[j - 1]);
            let mut edits = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + other);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                edits = edits.min(before[j - 2] + 1);
            }
            row.push(edits);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_recognised() {
        let known = ["ecmp", "rps", "reps", "ofan", "pofan", "simple_rr"];
        for (typed, meant) in [
            ("offan", "ofan"),
            ("ofna", "ofan"),
            ("OFAN", "ofan"),
            ("simple-rr", "simple_rr"),
            ("simplerr", "simple_rr"),
            ("rsp", "rps"),
        ] {
            assert_eq!(nearest(typed, known), Some(meant), "{typed}");
        }
    }

    #[test]
    fn what_is_far_from_everything_has_no_nearest_name() {
        assert_eq!(nearest("conga", ["rps", "ofan"]), None);
        assert_eq!(nearest("", ["k"]), None);
        assert_eq!(nearest("z", ["k"]), None);
        assert_eq!(nearest(&"x".repeat(1_000_000), ["k"]), None);
        assert_eq!(hint("knd", ["kind", "k"]), "; did you mean \"kind\"?");
        assert_eq!(hint("zzz", ["kind"]), "");
    }
}
