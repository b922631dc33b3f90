//! Lines of failed links: `failure switch_type TOR|AGG|CORE switch_id i link_id j`.

use super::error::{Errors, shown};
use super::number;

/// A failed link, as a matrix names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CmFailure {
    /// The layer of the switch.
    pub switch_type: SwitchType,
    /// The switch within its layer.
    pub switch_id: u32,
    /// The link upwards of this switch.
    pub link_id: u32,
    /// The line, from 1.
    pub line: u32,
}

/// A layer of switches in htsim's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchType {
    /// Edge.
    Tor,
    /// Aggregation.
    Agg,
    /// Core.
    Core,
}

const WORDS: [&str; 3] = ["switch_type", "switch_id", "link_id"];
const TYPES: [(&str, SwitchType); 3] = [
    ("TOR", SwitchType::Tor),
    ("AGG", SwitchType::Agg),
    ("CORE", SwitchType::Core),
];

/// Read what stands behind `failure`; what is wrong is noted.
pub(super) fn read(line: u32, words: &[&str], errors: &mut Errors) -> Option<CmFailure> {
    let (mut switch_type, mut numbers) = (None, [None; 2]);
    let mut sound = true;
    for pair in words.chunks(2) {
        let (key, value) = (pair[0], pair.get(1).copied());
        let Some(place) = WORDS.iter().position(|word| *word == key) else {
            errors.unknown(line, key, WORDS, "a word of a failure");
            return None;
        };
        let twice = match place.checked_sub(1) {
            None => {
                let found = TYPES.iter().find(|(name, _)| value == Some(name));
                if found.is_none() {
                    let text = format!("`{key}`: {}; allowed: TOR, AGG or CORE", shown(value));
                    errors.add(line, text);
                    sound = false;
                }
                switch_type.replace(found.map(|(_, of)| *of)).is_some()
            }
            Some(number) => {
                let found = value.and_then(number::whole);
                let found = found.and_then(|found| u32::try_from(found).ok());
                if found.is_none() {
                    let (value, most) = (shown(value), u32::MAX);
                    let text = format!("`{key}`: {value} is no whole number; allowed: 0 to {most}");
                    errors.add(line, text);
                    sound = false;
                }
                numbers[number].replace(found).is_some()
            }
        };
        if twice {
            errors.add(line, format!("`{key}` twice"));
            sound = false;
        }
    }
    let found = [
        switch_type.is_some(),
        numbers[0].is_some(),
        numbers[1].is_some(),
    ];
    for (word, _) in WORDS.iter().zip(found).filter(|(_, found)| !found) {
        errors.add(line, format!("`failure` has no `{word}`"));
    }
    if !sound {
        return None;
    }
    Some(CmFailure {
        switch_type: switch_type??,
        switch_id: numbers[0]??,
        link_id: numbers[1]??,
        line,
    })
}
