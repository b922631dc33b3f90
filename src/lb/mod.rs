//! Load balancing: which path each packet takes. One file a scheme, one table each for switches and hosts.
//!
//! A scheme's scenario name is a pair underneath: a host part (what the sender writes into a packet) and a switch part (which uplink a
//! switch gives a northbound packet). Policies are leaves: what they need from a device is a small view that the device fills.
//!
//! To add a scheme: its file in `switch/` or `host/` with a row in the table there, and a row in [`SCHEMES`].

pub mod host;
pub mod mixed;
pub mod switch;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use crate::fields::{Fields, ParamDoc};
use crate::json::{Json, Origin, Value};
use host::{HostScheme, bitmap, drb, ecmp, ethereal, none, reps, rps};
use switch::{SwitchScheme, ar, explicit, hash, jsq, ofan, pofan, rsq, simple_rr};

/// A scheme of the scenario: its name and its two parts with their parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheme {
    /// The scenario's name for it.
    pub name: &'static str,
    /// What switches do.
    pub switch: SwitchScheme,
    /// What hosts do.
    pub host: HostScheme,
}

/// A scheme that scenarios may name.
#[derive(Clone, Copy, Debug)]
pub struct SchemeRow {
    /// The name.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Its parameters, in the order in which they are read.
    pub params: &'static [ParamDoc],
    /// Whether it learns from ACKs, so that a scenario without them cannot use it.
    pub needs_acks: bool,
    /// Reads its parameters.
    pub read: fn(&mut Fields<'_>) -> (SwitchScheme, HostScheme),
}

/// All schemes.
pub const SCHEMES: &[SchemeRow] = &[
    SchemeRow {
        name: "ecmp",
        about: "Each flow keeps one path, chosen by a hash of its header at each switch.",
        params: ecmp::PARAMS,
        needs_acks: false,
        read: |fields| {
            let host = HostScheme::Ecmp(ecmp::Params::read(fields));
            (SwitchScheme::Hash(hash::Params), host)
        },
    },
    SchemeRow {
        name: "rps",
        about: "Random packet spraying: hosts give each packet another header field (by default a random one), which switches hash.",
        params: rps::PARAMS,
        needs_acks: false,
        read: |fields| {
            let host = HostScheme::Rps(rps::Params::read(fields));
            (SwitchScheme::Hash(hash::Params), host)
        },
    },
    SchemeRow {
        name: "reps",
        about: "Random packet spraying that uses a path again when its ACK came back unmarked.",
        params: reps::PARAMS,
        needs_acks: true,
        read: |fields| {
            let host = HostScheme::Reps(reps::Params::read(fields));
            (SwitchScheme::Hash(hash::Params), host)
        },
    },
    SchemeRow {
        name: "bitmap",
        about: "Hosts take all entropy values in turn, but pass over those that met congestion or loss of late.",
        params: bitmap::PARAMS,
        needs_acks: true,
        read: |fields| {
            let host = HostScheme::Bitmap(bitmap::Params::read(fields));
            (SwitchScheme::Hash(hash::Params), host)
        },
    },
    SchemeRow {
        name: "mixed",
        about: "Hosts use a path again when its ACK came back unmarked; for want of any, that which bitmap gives.",
        params: host::mixed::PARAMS,
        needs_acks: true,
        read: |fields| {
            let host = HostScheme::Mixed(host::mixed::Params::read(fields));
            (SwitchScheme::Hash(hash::Params), host)
        },
    },
    SchemeRow {
        name: "drb",
        about: "Hosts send the packets to each destination over all paths in turn, by source route.",
        params: drb::PARAMS,
        needs_acks: false,
        read: |fields| {
            let host = HostScheme::Drb(drb::Params::read(fields));
            (SwitchScheme::Explicit(explicit::Params), host)
        },
    },
    SchemeRow {
        name: "ethereal",
        about: "Hosts split each flow into equal subflows, one per path, by source route.",
        params: ethereal::PARAMS,
        needs_acks: false,
        read: |fields| {
            let host = HostScheme::Ethereal(ethereal::Params::read(fields));
            (SwitchScheme::Explicit(explicit::Params), host)
        },
    },
    SchemeRow {
        name: "simple_rr",
        about: "Each switch sends its northbound packets to its uplinks in turn, whatever their destination.",
        params: simple_rr::PARAMS,
        needs_acks: false,
        read: |fields| by_switch(SwitchScheme::SimpleRr(simple_rr::Params::read(fields))),
    },
    SchemeRow {
        name: "rsq",
        about: "Each switch sends each northbound packet to a random uplink.",
        params: rsq::PARAMS,
        needs_acks: false,
        read: |fields| by_switch(SwitchScheme::Rsq(rsq::Params::read(fields))),
    },
    SchemeRow {
        name: "jsq",
        about: "Each switch sends each northbound packet to the uplink with the shortest queue.",
        params: jsq::PARAMS,
        needs_acks: false,
        read: |fields| by_switch(SwitchScheme::Jsq(jsq::Params::read(fields))),
    },
    SchemeRow {
        name: "ar",
        about: "Adaptive routing: each switch takes a random uplink among those with the lowest coarse queue level.",
        params: ar::PARAMS,
        needs_acks: false,
        read: |fields| by_switch(SwitchScheme::Ar(ar::Params::read(fields))),
    },
    SchemeRow {
        name: "ofan",
        about: "Each switch sends the packets to each destination switch to its uplinks in turn.",
        params: ofan::PARAMS,
        needs_acks: false,
        read: |fields| by_switch(SwitchScheme::Ofan(ofan::Params::read(fields))),
    },
    SchemeRow {
        name: "pofan",
        about: "Ofan with separate turns for each group of ingress ports, as a pipelined switch chip needs.",
        params: pofan::PARAMS,
        needs_acks: false,
        read: |fields| by_switch(SwitchScheme::Pofan(pofan::Params::read(fields))),
    },
];

/// A scheme whose hosts have no part in it.
fn by_switch(switch: SwitchScheme) -> (SwitchScheme, HostScheme) {
    (switch, HostScheme::None(none::Params))
}

/// Reads the required `scheme`, then that scheme's parameters.
#[must_use]
pub fn read(fields: &mut Fields<'_>) -> Scheme {
    read_one(fields, SCHEMES.iter())
}

/// The same for a scheme that switches run whatever hosts do: one with a host part is a problem.
#[must_use]
pub fn read_for_switches(fields: &mut Fields<'_>) -> Scheme {
    let rows = || SCHEMES.iter().filter(|row| row.is_of_switches());
    let named = fields.word("scheme");
    let refused = SCHEMES
        .iter()
        .find(|row| Some(row.name) == named && !row.is_of_switches());
    let Some(refused) = refused else {
        return read_one(fields, rows());
    };
    let names: Vec<&str> = rows().map(|row| row.name).collect();
    let text = format!(
        "\"{}\" has a host part, and hosts run the scenario's own scheme; allowed: {}",
        refused.name,
        names.join(", ")
    );
    fields.problem("scheme", text);
    fields.skip("scheme");
    for param in SCHEMES.iter().flat_map(|row| row.params) {
        fields.skip(param.name);
    }
    let (switch, host) = by_switch(SwitchScheme::Rsq(rsq::Params));
    let name = refused.name;
    Scheme { name, switch, host }
}

fn read_one(fields: &mut Fields<'_>, rows: impl Iterator<Item = &'static SchemeRow>) -> Scheme {
    let options: Vec<_> = rows.map(|row| (row.name, row)).collect();
    let before = fields.problem_count();
    let row = fields.choice("scheme", None, &options);
    let known = fields.problem_count() == before;
    let (switch, host) = (row.read)(fields);
    let all: Vec<_> = SCHEMES.iter().map(|row| (row.name, row.params)).collect();
    fields.foreign_params(&all, row.name, known);
    Scheme {
        name: row.name,
        switch,
        host,
    }
}

impl SchemeRow {
    /// Whether switches run it whatever hosts do: it has no host part.
    #[must_use]
    pub fn is_of_switches(&self) -> bool {
        let scheme = Scheme::by_name(self.name);
        scheme.is_some_and(|scheme| matches!(scheme.host, HostScheme::None(_)))
    }
}

impl Scheme {
    /// The scheme of that name with the default of every parameter, if there is one.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let row = SCHEMES.iter().find(|row| row.name == name)?;
        let nothing = Json {
            value: Value::Object(Vec::new()),
            origin: Origin::default(),
        };
        let mut problems = Vec::new();
        let (switch, host) = (row.read)(&mut Fields::new(&nothing, "", &mut problems));
        debug_assert!(problems.is_empty(), "{problems:?}");
        Some(Self {
            name: row.name,
            switch,
            host,
        })
    }

    /// Whether hosts name the path of every packet, so that switches only obey.
    #[must_use]
    pub const fn is_source_routed(&self) -> bool {
        matches!(self.switch, SwitchScheme::Explicit(_))
    }

    /// Its row in [`SCHEMES`].
    #[must_use]
    pub fn row(&self) -> &'static SchemeRow {
        SCHEMES
            .iter()
            .find(|row| row.name == self.name)
            .expect("a scheme bears the name of its row")
    }
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
