//! `workload`: where flows come from (one file a kind in the room `workload`), mice beside them, and when hosts start; and whether that fits.

use std::collections::BTreeMap;

use crate::fields::{
    Either, Fields, Key, KeyDoc, MISSING, Scale, Section, Tables, choice, either, flag, integer,
    list, named, nanoseconds, nullable, number_to, object, params, table_keys, told, words,
};
use crate::files::Files;
use crate::json::element_path;
use crate::settings::limits::{LATENCY, MAX_INSTANT};
use crate::settings::{Mice, StartJitter, StragglerHosts, Stragglers, straggler_count};
use crate::topology::FatTree;
use crate::units::{Ratio, Span};
use crate::workload::{Draft, Site, WORKLOADS, no_such_host};

use super::judge::{Flows, Judge};

/// The workload as far as its own object tells.
#[derive(Debug)]
pub(super) struct WorkloadKeys {
    /// Nothing if its kind is wrong.
    draft: Option<Box<dyn Draft>>,
    /// What all kinds have.
    pub(super) common: Common,
}

impl Section for WorkloadKeys {
    fn read(fields: &mut Fields<'_>, _usual: Option<&Self>) -> Self {
        let (_, draft) = fields.one_of("kind", None, Tables::of(WORKLOADS));
        let common = Common::read(fields, None);
        Self { draft, common }
    }

    fn keys(_usual: Option<&Self>) -> Vec<KeyDoc> {
        let mut keys = table_keys("kind", "Where flows come from", None, WORKLOADS);
        keys.extend(Common::keys(None));
        keys
    }
}

params! {
    /// What every kind of workload has beside its own keys.
    #[derive(Clone, Debug)]
    pub(super) struct Common {
        /// Short messages beside these flows, which are then the collective: every host sends one a round, to its receiver in a random
        /// permutation drawn for the round (null: none)
        pub(super) mice: Option<Mice> = key("mice", nullable(object()), default = None),
        /// Every host starts at a uniform offset within one packet slot, or at 0; or as the keys of an object say
        start_jitter: Either<Jitter, StartKeys> =
            key("start_jitter", either(choice(), object()), default = Either::A(Jitter::Slot)),
        /// Every data packet is due later by up to this many percent of the time between two full packets (slot / load), uniformly
        pub(super) pacing_jitter_pct: Ratio = key("pacing_jitter_pct", number_to(100), default = Ratio { num: 0, den: 1 }),
        /// Whether each packet's delay also delays all later ones of a busy period, so that hosts drift apart (the Ofan authors' public
        /// simulator)
        pub(super) pacing_jitter_adds: bool = key("pacing_jitter_adds", flag(), default = false),
    }
}

words! {
    /// `start_jitter` in a word.
    enum Jitter {
        /// A uniform offset within one packet slot.
        Slot = "slot",
        /// All hosts start at 0.
        None = "none",
    }
}

params! {
    /// `start_jitter` as an object.
    #[derive(Clone, Debug)]
    struct StartKeys {
        /// Every host starts at a uniform offset below this; null: within one packet slot
        uniform: Option<Span> = key("uniform_ns", nullable(nanoseconds(LATENCY)), default = None),
        /// Hosts that start later still; null: none
        stragglers: Option<StragglersKeys> =
            key("stragglers", nullable(told(STRAGGLERS, object())), default = None, sample = r#"{"hosts": [1], "delay_ns": 5}"#),
    }
}

/// What `stragglers` may be.
const STRAGGLERS: &str = "an object with \"fraction\" or \"hosts\", and \"delay_ns\"";

/// Hosts that start late, by one of two keys.
#[derive(Clone, Debug)]
struct StragglersKeys(Stragglers);

impl Section for StragglersKeys {
    fn read(fields: &mut Fields<'_>, _usual: Option<&Self>) -> Self {
        let hosts = match (fields.has("fraction"), fields.has("hosts")) {
            (false, true) => {
                fields.skip("fraction");
                StragglerHosts::Listed(fields.take(Key::new(
                    "hosts",
                    list(integer(0..=u32::MAX.into())),
                    None,
                )))
            }
            (has_fraction, has_hosts) => {
                if has_hosts {
                    fields.problem(
                        "hosts",
                        "cannot stand beside fraction; allowed: one of the two".to_owned(),
                    );
                }
                fields.skip("hosts");
                if has_fraction {
                    StragglerHosts::Fraction(fields.take(Key::new("fraction", number_to(1), None)))
                } else {
                    fields.skip("fraction");
                    let text = format!(
                        "{MISSING}; allowed: a number from 0 to 1, or else hosts, a list of hosts"
                    );
                    fields.problem("fraction", text);
                    StragglerHosts::Listed(Vec::new())
                }
            }
        };
        let delay = fields.take(Key::new("delay_ns", nanoseconds(LATENCY), None));
        Self(Stragglers { hosts, delay })
    }

    fn keys(_usual: Option<&Self>) -> Vec<KeyDoc> {
        let fraction = "So large a share of all hosts straggles, rounded to the nearest count and drawn for each seed";
        let hosts = "These hosts straggle";
        vec![
            KeyDoc {
                unset: "`hosts` names them",
                limits: "0, or at least one host",
                sample: Some("0.5"),
                needs: vec![(
                    "workload.start_jitter.stragglers",
                    r#"{"fraction": 0.5, "delay_ns": 5}"#,
                )],
                ..KeyDoc::new("fraction", fraction, &number_to(1), None)
            },
            KeyDoc {
                unset: "`fraction` says how many",
                sample: Some("[1]"),
                ..KeyDoc::new(
                    "hosts",
                    hosts,
                    &named(
                        "a list of at least one host, each once",
                        list(integer::<u32>(0..=u32::MAX.into())),
                    ),
                    None,
                )
            },
            KeyDoc::new::<Span, _>(
                "delay_ns",
                "How much later stragglers start, on top of their offset",
                &nanoseconds(LATENCY),
                None,
            ),
        ]
    }
}

impl Common {
    /// Where in time hosts start, and those that are late.
    pub(super) fn start(&self) -> (StartJitter, Option<Stragglers>) {
        match &self.start_jitter {
            Either::A(Jitter::Slot) => (StartJitter::Slot, None),
            Either::A(Jitter::None) => (StartJitter::None, None),
            Either::B(keys) => {
                let spread = keys.uniform.map_or(StartJitter::Slot, StartJitter::Uniform);
                (spread, keys.stragglers.clone().map(|late| late.0))
            }
        }
    }
}

/// Where mice and stragglers stand.
const MICE_BYTES: &str = "workload.mice.message_bytes";
const MICE_COUNT: &str = "workload.mice.count_per_host";
const MICE_PERIOD: &str = "workload.mice.period_ns";
const MICE_START: &str = "workload.mice.start_ns";
const FRACTION: &str = "workload.start_jitter.stragglers.fraction";
const HOSTS: &str = "workload.start_jitter.stragglers.hosts";

impl Judge<'_> {
    /// The workload, as far as it is known.
    pub(super) fn flows(&mut self, files: &mut Files, notes: &mut Vec<String>) -> Option<Flows> {
        let draft = self.keys.workload.draft.as_ref()?;
        let this = &*self;
        let mut site = Site {
            tree: this.tree(),
            acks: this
                .sound(&["packet.acks"])
                .then_some(this.keys.packet.acks),
            rate: this.fabric.map(|fabric| fabric.host_rate()),
            horizon: this.keys.horizon,
            is_sound: &|path| this.sound(&[path]),
            locate: &|path, written| this.locate(path, written),
            files,
            wrong: Vec::new(),
            faults: Vec::new(),
            notes: Vec::new(),
        };
        let kind = draft.check(&mut site);
        let Site {
            wrong,
            faults,
            notes: said,
            ..
        } = site;
        for note in said {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        for wrong in wrong {
            self.problem(&wrong.path, wrong.text);
        }
        kind.map(|kind| Flows { kind, faults })
    }

    /// Mice must be few enough, and the last round begin in time.
    pub(super) fn mice(&mut self) {
        let Some(mice) = self.keys.workload.common.mice else {
            return;
        };
        self.mice_packets(&mice);
        self.mice_count(&mice);
        self.mice_rounds(&mice);
    }

    /// The mice, if what stands there was read as written.
    pub(super) fn sound_mice(&self) -> Option<Mice> {
        let mice = self.keys.workload.common.mice?;
        self.sound(&["workload.mice"]).then_some(mice)
    }

    fn mice_packets(&mut self, mice: &Mice) {
        if !self.sound(&[MICE_BYTES, "packet.payload_bytes"]) {
            return;
        }
        let (bytes, payload) = (mice.message_bytes, self.keys.packet.payload_bytes);
        let (packets, most) = (bytes.div_ceil(payload.into()), u32::MAX);
        if packets > most.into() {
            let text = format!(
                "{bytes} bytes are {packets} packets of {payload} bytes; allowed: at most {most} packets a flow"
            );
            self.problem(MICE_BYTES, text);
        }
    }

    fn mice_count(&mut self, mice: &Mice) {
        let Some(hosts) = self.tree().map(FatTree::hosts) else {
            return;
        };
        let (count, all) = (
            mice.count_per_host,
            u64::from(hosts) * u64::from(mice.count_per_host),
        );
        if all > Mice::MOST && self.sound(&[MICE_COUNT]) {
            let (most, each) = (Mice::MOST, Mice::MOST / u64::from(hosts));
            let text = format!(
                "{count} for each of {hosts} hosts are {all} messages; allowed: at most {most} in all, so {each} here"
            );
            self.problem(MICE_COUNT, text);
        }
    }

    fn mice_rounds(&mut self, mice: &Mice) {
        if !self.sound(&[MICE_COUNT, MICE_PERIOD, MICE_START]) {
            return;
        }
        let ns = |ps: u64| Scale::NS.decimal(ps);
        let (count, room) = (mice.count_per_host, MAX_INSTANT - mice.start.0);
        let longest = room.checked_div(u64::from(count) - 1);
        if let Some(longest) = longest.filter(|&longest| mice.period.0 > longest) {
            let text = format!(
                "the last of {count} rounds of {} ns from {} ns on begins after {} ns; allowed: at most {} ns",
                ns(mice.period.0),
                ns(mice.start.0),
                ns(MAX_INSTANT),
                ns(longest)
            );
            self.problem(MICE_PERIOD, text);
        }
    }

    /// Stragglers must be hosts of the fabric, and some, if some are asked for.
    pub(super) fn stragglers(&mut self) {
        let Some(stragglers) = self.keys.workload.common.start().1 else {
            return;
        };
        match &stragglers.hosts {
            StragglerHosts::Fraction(fraction) => self.some_straggle(*fraction),
            StragglerHosts::Listed(hosts) => self.all_are_hosts(hosts),
        }
    }

    fn some_straggle(&mut self, fraction: Ratio) {
        let Some(hosts) = self.tree().map(FatTree::hosts) else {
            return;
        };
        let is_none = fraction.num > 0 && straggler_count(fraction, hosts) == 0;
        if is_none && self.sound(&[FRACTION]) {
            let least = 0.5 / f64::from(hosts);
            let text = format!(
                "{} of {hosts} hosts rounds to no host; allowed: 0, or at least {least}",
                fraction.as_f64()
            );
            self.problem(FRACTION, text);
        }
    }

    fn all_are_hosts(&mut self, late: &[u32]) {
        // An element that was refused is not in the list, and then the places of the others are not known.
        if !self.sound(&[HOSTS]) || !self.sound(&[FRACTION]) {
            return;
        }
        if late.is_empty() {
            let text = "the list is empty; allowed: a list of at least one host, each once";
            self.problem(HOSTS, text);
        }
        let hosts = self.tree().map(FatTree::hosts);
        let mut first = BTreeMap::new();
        for (i, &host) in late.iter().enumerate() {
            let path = element_path(HOSTS, i);
            if let Some(hosts) = hosts
                && host >= hosts
            {
                self.problem(&path, no_such_host(host.into(), hosts));
            } else if let Some(other) = first.insert(host, i) {
                let text = format!("host {host} is element [{other}] too; allowed: each once");
                self.problem(&path, text);
            }
        }
    }
}
