//! Importer of htsim's topology files (`.topo`), as text.
//!
//! Source: `FatTreeTopologyCfg` of uet-htsim (our spec's section 9.4), read more strictly where htsim guesses, more freely in white space
//! and in the order of keys. A header `Nodes`, `Tiers`, `Podsize`; then a block `Tier t` for each level of switches from the edges
//! (0) up. `#` starts a comment, anywhere; keys may be in any case. Speed and latency of a tier are those of the links below its switches.
//!
//! Where it differs from htsim: per-tier queues are honoured (htsim overwrites them); `Oversubscribed` may be left out, and is compared
//! with the ratio of ports and of capacity, either of which may be meant; ports must match exactly (htsim rounds some divisions down).

use super::htsim_text::{LineError, lines};
use crate::fields::hint;
use crate::lb::switch::MOST_UPLINKS;
use crate::settings::{CoreNumbers, Shape};

/// The most ports of a switch.
pub const MOST_PORTS: u64 = 1000;
/// The most hosts.
const MOST_NODES: u64 = 1_000_000;

/// What a file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topo {
    /// Counts of switches and links.
    pub shape: Shape,
    /// Tiers of links and switches, edges first; the third is that of the second on two levels.
    pub tiers: [TopoTier; 3],
}

/// One tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopoTier {
    /// Rate of the links below, in Gb/s.
    pub gbps: u64,
    /// Their latency, in ns.
    pub latency_ns: u64,
    /// Latency of the switches, in ns.
    pub switch_latency_ns: u64,
    /// Bytes that an uplink of the switches holds, if the file says so, and its line.
    pub queue_up: Option<(u64, u32)>,
    /// The same of a down-port.
    pub queue_down: Option<(u64, u32)>,
}

/// A key of the header or of a tier.
struct Key {
    name: &'static str,
    least: u64,
    most: u64,
}

const fn key(name: &'static str, least: u64, most: u64) -> Key {
    Key { name, least, most }
}

const HEADER: [Key; 3] = [
    key("Nodes", 2, MOST_NODES),
    key("Tiers", 2, 3),
    key("Podsize", 1, MOST_NODES),
];
const NODES: usize = 0;
const TIERS: usize = 1;
const PODSIZE: usize = 2;

const TIER: [Key; 9] = [
    key("Downlink_speed_Gbps", 1, 100_000),
    key("Radix_Down", 1, MOST_PORTS),
    key("Radix_Up", 1, MOST_UPLINKS as u64),
    key("Downlink_Latency_ns", 1, 1_000_000_000),
    key("Switch_Latency_ns", 0, 1_000_000_000),
    key("Oversubscribed", 1, MOST_PORTS),
    key("Bundle", 1, MOST_UPLINKS as u64),
    key("Queue_Up", 1, 1 << 50),
    key("Queue_Down", 1, 1 << 50),
];
const SPEED: usize = 0;
const RADIX_DOWN: usize = 1;
const RADIX_UP: usize = 2;
const LATENCY: usize = 3;
const SWITCH_LATENCY: usize = 4;
const OVERSUBSCRIBED: usize = 5;
const BUNDLE: usize = 6;
const QUEUE_UP: usize = 7;
const QUEUE_DOWN: usize = 8;
/// The keys that every tier must have.
const NEEDED: [usize; 3] = [SPEED, RADIX_DOWN, LATENCY];

/// A value and its line.
type Found = Option<(u64, u32)>;

/// Read a whole file.
///
/// # Errors
///
/// Everything that is wrong with it, by line.
pub fn read(text: &str) -> Result<Topo, Vec<LineError>> {
    let mut reader = Reader::default();
    for (number, words) in lines(text) {
        reader.line(number, &words);
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    header: [Found; HEADER.len()],
    /// Which keys of the header stand in the file, right or wrong.
    stand: [bool; HEADER.len()],
    /// By tier: the line of its block, and its keys.
    tiers: [Option<(u32, [Found; TIER.len()])>; 3],
    /// Keys of tiers whose values are wrong, by tier and key.
    wrong: Vec<(usize, usize)>,
    /// The tier whose block is being read; nothing after a tier that does not exist.
    current: Option<usize>,
    begun: bool,
    errors: Vec<LineError>,
}

impl Reader {
    fn error(&mut self, line: u32, text: String) {
        self.errors.push(LineError { line, text });
    }

    fn line(&mut self, line: u32, words: &[&str]) {
        if words.len() != 2 {
            let found = words.len();
            let text = format!("found {found} words; allowed: a key and its value");
            return self.error(line, text);
        }
        let value = words[1].parse::<u64>().ok();
        if words[0].eq_ignore_ascii_case("Tier") {
            return self.tier(line, words[1], value);
        }
        let at = |keys: &[Key]| {
            keys.iter()
                .position(|key| key.name.eq_ignore_ascii_case(words[0]))
        };
        if let Some(index) = at(&HEADER) {
            self.stand[index] = true;
            if self.begun {
                let name = HEADER[index].name;
                self.error(line, format!("`{name}` stands after the first `Tier`"));
            }
            let Some(value) = self.value(line, &HEADER[index], words[1], value) else {
                return;
            };
            let before = self.header[index].replace((value, line));
            return self.once(line, &HEADER[index], before);
        }
        let Some(index) = at(&TIER) else {
            let known = HEADER.iter().chain(&TIER).map(|key| key.name);
            let hint = hint(words[0], known.chain(["Tier"]));
            let text = format!("unknown key {:?}{hint}", cut(words[0]));
            return self.error(line, text);
        };
        if !self.begun {
            let name = TIER[index].name;
            return self.error(line, format!("`{name}` stands before the first `Tier`"));
        }
        let value = self.value(line, &TIER[index], words[1], value);
        let Some(tier) = self.current else {
            return;
        };
        let Some(value) = value else {
            return self.wrong.push((tier, index));
        };
        if let Some((_, keys)) = &mut self.tiers[tier] {
            let before = keys[index].replace((value, line));
            self.once(line, &TIER[index], before);
        }
    }

    fn tier(&mut self, line: u32, word: &str, number: Option<u64>) {
        self.begun = true;
        self.current = number.filter(|&tier| tier < 3).map(|tier| tier as usize);
        let Some(tier) = self.current else {
            let text = format!("`Tier` is {:?}; allowed: 0, 1 or 2", cut(word));
            return self.error(line, text);
        };
        if let Some((before, _)) = self.tiers[tier] {
            self.error(
                line,
                format!("`Tier {tier}` also begins on line {before}; allowed: once"),
            );
        } else {
            self.tiers[tier] = Some((line, [None; TIER.len()]));
        }
    }

    /// The value of `key`, if it is one.
    fn value(&mut self, line: u32, key: &Key, word: &str, value: Option<u64>) -> Option<u64> {
        let value = value.filter(|value| (key.least..=key.most).contains(value));
        if value.is_none() {
            let (name, least, most) = (key.name, key.least, key.most);
            let text = format!(
                "`{name}` is {:?}; allowed: an integer from {least} to {most}",
                cut(word)
            );
            self.error(line, text);
        }
        value
    }

    fn once(&mut self, line: u32, key: &Key, before: Found) {
        if let Some((_, before)) = before {
            let name = key.name;
            self.error(
                line,
                format!("`{name}` also stands on line {before}; allowed: once"),
            );
        }
    }

    fn finish(mut self) -> Result<Topo, Vec<LineError>> {
        for (key, stands) in HEADER.iter().zip(self.stand) {
            if !stands {
                self.errors.push(LineError {
                    line: 0,
                    text: format!("`{}` is missing", key.name),
                });
            }
        }
        let tiers = self.header[TIERS].map_or(3, |(tiers, _)| tiers as usize);
        for tier in 0..3 {
            self.complete(tier, tiers);
        }
        if self.errors.is_empty() {
            let topo = self.shape(tiers);
            if let (Some(topo), true) = (topo, self.errors.is_empty()) {
                return Ok(topo);
            }
        }
        self.errors.sort();
        Err(self.errors)
    }

    /// Whether tier `tier` of `tiers` is there, with all that it needs and nothing that it may not have.
    fn complete(&mut self, tier: usize, tiers: usize) {
        let Some((line, keys)) = self.tiers[tier] else {
            if tier < tiers {
                self.error(0, format!("`Tier {tier}` is missing"));
            }
            return;
        };
        if tier >= tiers {
            let text = format!("`Tier {tier}` does not exist where `Tiers` is {tiers}");
            return self.error(line, text);
        }
        let top = tier + 1 == tiers;
        let needed = NEEDED.into_iter().chain((!top).then_some(RADIX_UP));
        for index in needed {
            if keys[index].is_none() && !self.wrong.contains(&(tier, index)) {
                let name = TIER[index].name;
                self.error(line, format!("`Tier {tier}` has no `{name}`"));
            }
        }
        let upward = [RADIX_UP, OVERSUBSCRIBED, QUEUE_UP];
        for index in upward.into_iter().filter(|_| top) {
            if let Some((value, line)) = keys[index]
                && !(index == OVERSUBSCRIBED && value == 1)
            {
                let name = TIER[index].name;
                self.error(
                    line,
                    format!("`{name}` makes no sense on the top tier, which has no uplinks"),
                );
            }
        }
        if let (0, Some((bundle, line))) = (tier, keys[BUNDLE])
            && bundle != 1
        {
            self.error(
                line,
                format!("`Bundle` is {bundle} on tier 0: a host has one link; allowed: 1"),
            );
        }
    }
}

/// A word of the file, cut off for a message.
fn cut(word: &str) -> String {
    word.chars().take(40).collect()
}

mod shape;
#[cfg(test)]
mod tests;
