//! Load balancing: which path each packet takes. One file a scheme, one table each for switches and hosts.
//!
//! A scheme's scenario name is a pair underneath: a host part (what the sender writes into a packet) and a switch part (which uplink a
//! switch gives a northbound packet). Policies are leaves: what they need from a device is a small view that the device fills.

pub mod host;
pub mod switch;

use std::ops::RangeInclusive;

use crate::json::{Json, Origin, Value};

/// A scheme of the scenario: its name and its two parts with their parameters.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// The scenario's name for it.
    pub name: &'static str,
}

/// The integers of a strictly increasing list, each within `allowed`.
fn increasing(json: &Json, allowed: RangeInclusive<u64>) -> Option<Vec<u64>> {
    let Value::List(items) = &json.value else {
        return None;
    };
    let integers: Option<Vec<u64>> = items
        .iter()
        .map(|item| match item.value {
            Value::Integer(integer) if allowed.contains(&integer) => Some(integer),
            _ => None,
        })
        .collect();
    integers.filter(|list| list.is_sorted_by(|a, b| a < b))
}

/// A JSON list of integers: a default.
fn list(integers: &[u64]) -> Json {
    let json = |value| Json {
        value,
        origin: Origin::default(),
    };
    let items = integers.iter().map(|&i| json(Value::Integer(i))).collect();
    json(Value::List(items))
}
