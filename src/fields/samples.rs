//! Samples of what may stand at a key, from its declaration: one that is fine, the ends of its range and what lies beyond, and random draws.
//!
//! Rules that take several keys are not modelled: [`KeyDoc::limits`] says that there are some, and a declared sample then stands for all.

use std::ops::RangeInclusive;

use crate::json::{Json, Origin, Value, parse};

use super::schema::{Bounds, KeyDoc, Schema, Size, Step};
use super::shape::increasing_in;
use super::{Fields, Row, Scale, ratio, scaled};

/// A value at a key, and whether it is accepted there.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The value.
    pub json: Json,
    /// Whether it is accepted.
    pub is_fine: bool,
}

const fn json(value: Value) -> Json {
    Json::new(value, Origin(0))
}

impl KeyDoc {
    /// A value that is fine, where its object has it; `None`: none can be derived, and none is declared.
    #[must_use]
    pub fn fine(&self) -> Option<Json> {
        match self.sample {
            Some(sample) => parse(sample, Origin(0)).ok(),
            None => self.schema.fine(),
        }
    }
}

impl<T> Row<T> {
    /// What a drawn value at each of its keys reads as, and these values; keys whose rules take other keys keep their defaults.
    pub fn draw(&self, below: &mut dyn FnMut(u64) -> u64) -> (T, Json) {
        let mut members = Vec::new();
        for key in (self.keys)().iter().filter(|key| key.limits.is_empty()) {
            let drawn = key.schema.draw(below);
            members.extend(drawn.map(|drawn| (key.name.to_owned(), drawn)));
        }
        let object = json(Value::Object(members));
        let read = (self.read)(&mut Fields::new(&object, "", &mut Vec::new()));
        (read, object)
    }
}

impl Schema {
    /// A value that is fine.
    #[must_use]
    pub fn fine(&self) -> Option<Json> {
        let value = match self {
            Self::Null => Value::Null,
            Self::Flag => Value::Bool(true),
            Self::Count(scale, range, _) => {
                let one = 10_u64.pow(scale.places);
                return Some(scale.json(one.clamp(*range.start(), *range.end()), Origin(0)));
            }
            Self::Number(bounds) if bounds.whole => Value::Integer(1),
            Self::Number(_) => Value::Float(0.5),
            Self::Choice(words) => Value::Text(words.first()?.name.to_owned()),
            Self::Text(_) | Self::Other(_) => return None,
            Self::List(of, _) => Value::List(vec![of.fine()?]),
            Self::Increasing(range, _) => Value::List(vec![json(Value::Integer(*range.start()))]),
            Self::Object(keys) => {
                let required = keys.iter().filter(|key| {
                    key.default.is_none() && key.unset.is_empty() && key.of.is_empty()
                });
                let members: Option<Vec<_>> = required
                    .map(|key| Some((key.name.to_owned(), key.fine()?)))
                    .collect();
                Value::Object(members?)
            }
            Self::AnyOf(parts) => return parts.last()?.fine(),
            Self::Told(_, of) | Self::Named(_, of) => return of.fine(),
        };
        Some(json(value))
    }

    /// The ends of its ranges, and what lies just beyond them.
    #[must_use]
    pub fn ends(&self) -> Vec<Sample> {
        let sample = |value: Json, is_fine| Sample {
            json: value,
            is_fine,
        };
        match self {
            Self::Count(scale, range, step) => {
                let (from, to) = (*range.start(), *range.end());
                let beyond = match step {
                    Step::Any => [from.checked_sub(1), to.checked_add(1)],
                    Step::Even(_) => [from.checked_sub(2), to.checked_add(1)],
                    Step::PowerOfTwo => [Some(3), to.checked_mul(2)],
                };
                let inside = [from, to].map(|count| (count, true));
                let outside = beyond.into_iter().flatten().map(|count| (count, false));
                let all = inside.into_iter().chain(outside);
                let ends =
                    all.map(|(count, is_fine)| sample(scale.json(count, Origin(0)), is_fine));
                // What no number can say exactly is no sample.
                let exact =
                    |sample: &Sample| matches!(scaled(&sample.json, scale.places), Some(Ok(_)));
                ends.filter(exact).collect()
            }
            Self::Number(Bounds { zero, most, whole }) => vec![
                sample(json(Value::Integer(0)), *zero),
                sample(json(Value::Integer(*most)), *whole),
                sample(json(Value::Integer(most + 1)), false),
            ],
            Self::List(of, size) => {
                let list = |of: Sample| sample(json(Value::List(vec![of.json])), of.is_fine);
                let mut ends: Vec<Sample> = of.ends().into_iter().map(list).collect();
                ends.push(sample(json(Value::List(Vec::new())), *size == Size::Any));
                ends
            }
            Self::AnyOf(parts) => parts.iter().flat_map(Self::ends).collect(),
            Self::Told(_, of) => of.ends(),
            _ => Vec::new(),
        }
    }

    /// Whether it accepts `value`; `None`: that takes a rule which is no data.
    #[must_use]
    pub fn accepts(&self, value: &Json) -> Option<bool> {
        Some(match (self, &value.value) {
            (Self::Told(_, of), _) => return of.accepts(value),
            (Self::Named(_, of), _) => return of.accepts(value).filter(|accepted| !accepted),
            (Self::Null, of) => *of == Value::Null,
            (Self::Flag, of) => matches!(of, Value::Bool(_)),
            (Self::Count(scale, range, step), _) => {
                matches!(scaled(value, scale.places), Some(Ok(count)) if step.has(count) && range.contains(&count))
            }
            (Self::Number(bounds), _) => {
                matches!(ratio(value), Some(Ok(ratio)) if bounds.has(ratio))
            }
            (Self::Choice(words), Value::Text(text)) => words.iter().any(|word| word.name == text),
            (Self::Text(_), Value::Text(_)) | (Self::Other(_), _) => return None,
            (Self::List(of, size), Value::List(elements)) => {
                let each: Option<Vec<bool>> =
                    elements.iter().map(|element| of.accepts(element)).collect();
                each?.iter().all(|fits| *fits) && (*size == Size::Any || !elements.is_empty())
            }
            (Self::Increasing(range, most), _) => increasing_in(value, range, *most).is_some(),
            (Self::Object(keys), Value::Object(members)) => {
                let known = |name: &String| keys.iter().any(|key| key.name == name);
                if !members.iter().all(|(name, _)| known(name)) {
                    return Some(false);
                }
                return if members.is_empty() && keys.iter().all(|key| key.default.is_some()) {
                    Some(true)
                } else {
                    None
                };
            }
            (Self::AnyOf(parts), _) => {
                let each: Vec<Option<bool>> =
                    parts.iter().map(|part| part.accepts(value)).collect();
                if !each.contains(&Some(true)) && each.contains(&None) {
                    return None;
                }
                each.contains(&Some(true))
            }
            _ => false,
        })
    }

    /// A value drawn by `below`, which yields a number below its argument; `None`: none can be derived.
    pub fn draw(&self, below: &mut dyn FnMut(u64) -> u64) -> Option<Json> {
        if let Self::Told(_, of) | Self::Named(_, of) = self {
            return of.draw(below);
        }
        let value = match self {
            Self::Null => Value::Null,
            Self::Flag => Value::Bool(below(2) == 0),
            Self::Count(scale, range, step) => {
                return Some(scale.json(count(*scale, range, *step, below), Origin(0)));
            }
            Self::Number(bounds) => {
                let parts = 1_000 * bounds.most;
                let drawn = below(parts + 1)
                    .clamp(u64::from(!bounds.zero), parts - u64::from(!bounds.whole));
                Value::Float(drawn as f64 / 1_000.0)
            }
            Self::Choice(words) => {
                Value::Text(words[below(words.len() as u64) as usize].name.to_owned())
            }
            Self::Increasing(range, most) => {
                let mut counts: Vec<u64> = (0..below(5)).map(|_| within_of(range, below)).collect();
                counts.sort_unstable();
                counts.dedup();
                counts.truncate(*most);
                Value::List(
                    counts
                        .into_iter()
                        .map(|count| json(Value::Integer(count)))
                        .collect(),
                )
            }
            Self::AnyOf(parts) => return parts[below(parts.len() as u64) as usize].draw(below),
            Self::Text(_)
            | Self::List(..)
            | Self::Object(_)
            | Self::Other(_)
            | Self::Told(..)
            | Self::Named(..) => {
                return self.fine();
            }
        };
        Some(json(value))
    }
}

/// A number of a range; its ends and small ones more often, as they do more.
fn count(
    scale: Scale,
    range: &RangeInclusive<u64>,
    step: Step,
    below: &mut dyn FnMut(u64) -> u64,
) -> u64 {
    let (from, to) = (*range.start(), *range.end());
    let count = match below(4) {
        0 => from,
        1 => to,
        2 => from + below((to - from).min(99) + 1),
        _ => from + below((to - from).max(1)),
    };
    let count = match step {
        Step::Any => count,
        Step::Even(_) => count / 2 * 2,
        Step::PowerOfTwo => (count + 1).next_power_of_two() / 2,
    };
    // At most 15 digits, which any decimal keeps.
    let spare = count
        .checked_ilog10()
        .map_or(0, |digits| digits.saturating_sub(14));
    let finest = if scale == Scale::WHOLE {
        1
    } else {
        10_u64.pow(spare)
    };
    (count / finest * finest).clamp(from, to)
}

fn within_of(range: &RangeInclusive<u64>, below: &mut dyn FnMut(u64) -> u64) -> u64 {
    range.start() + below(range.end() - range.start() + 1)
}
