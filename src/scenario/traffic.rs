//! The `workload` object, key by key.

use crate::fields::{Fields, MISSING, Scale};
use crate::json::Origin;
use crate::settings::FlowEvent;
use crate::units::{Ratio, Span, Time};

use super::check::{MAX_BYTES, MAX_INSTANT, MAX_LATENCY};
use super::{Mice, StartJitter, StragglerHosts, Stragglers};
use crate::workload::htsim_cm::StartUnit;

/// The workload as far as its own object tells.
#[derive(Debug)]
pub(super) struct TrafficDraft {
    pub(super) source: Source,
    /// Where `inter_pod_only`, `message_bytes`, `pairs` or `path` came from, whichever decides.
    pub(super) origin: Origin,
    pub(super) mice: Option<Mice>,
    /// Where their `message_bytes`, `count_per_host` and `period_ns` came from.
    pub(super) mice_origins: [Origin; 3],
    pub(super) start_jitter: StartJitter,
    pub(super) stragglers: Option<Stragglers>,
    /// Where the stragglers' `fraction` or `hosts` came from.
    pub(super) stragglers_origin: Origin,
    pub(super) pacing_jitter_pct: Ratio,
    pub(super) pacing_jitter_adds: bool,
}

/// Where flows come from.
#[derive(Debug)]
pub(super) enum Source {
    /// A random derangement.
    Permutation {
        message_bytes: u64,
        inter_pod_only: bool,
        inter_pod_origin: Origin,
    },
    /// A list.
    Pairs(Vec<Pair>),
    /// A connection matrix.
    Matrix {
        path: String,
        unit: Option<StartUnit>,
    },
}

/// One entry of `pairs`.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) id: u64,
    pub(super) src: u64,
    pub(super) dst: u64,
    pub(super) bytes: u64,
    pub(super) start: Time,
    pub(super) after: Option<After>,
    /// Where `src`, `dst` and the entry came from.
    pub(super) origins: [Origin; 3],
}

/// What a pair waits for.
#[derive(Clone, Debug)]
pub(super) struct After {
    /// The ids of flows.
    pub(super) flows: Vec<u64>,
    /// What has to happen to all of them.
    pub(super) event: FlowEvent,
    pub(super) delay: Span,
    /// Where `flows` and `event` came from.
    pub(super) origins: [Origin; 2],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Permutation,
    Pairs,
    Matrix,
}

const KINDS: [(&str, Kind); 3] = [
    ("permutation", Kind::Permutation),
    ("pairs", Kind::Pairs),
    ("htsim_cm", Kind::Matrix),
];

/// The keys that only one kind takes.
const OWN_KEYS: [(&str, Kind); 5] = [
    ("message_bytes", Kind::Permutation),
    ("inter_pod_only", Kind::Permutation),
    ("pairs", Kind::Pairs),
    ("path", Kind::Matrix),
    ("start_unit", Kind::Matrix),
];

/// Read the `workload` object.
pub(super) fn read(fields: &mut Fields<'_>) -> TrafficDraft {
    let (kind, known) = fields.kind(None, &KINDS, &OWN_KEYS);
    let (source, deciding) = match kind {
        Kind::Permutation if known => (permutation(fields), "message_bytes"),
        Kind::Pairs if known => (Source::Pairs(pairs(fields)), "pairs"),
        Kind::Matrix if known => (matrix(fields), "path"),
        _ => (Source::Pairs(Vec::new()), "kind"),
    };
    let origin = fields.origin(deciding);
    let (mice, mice_origins) = fields
        .nullable_section("mice", MICE, mice)
        .map_or((None, [origin; 3]), |(mice, at)| (Some(mice), at));
    let (start_jitter, late) = start(fields);
    let (stragglers, stragglers_origin) =
        late.map_or((None, origin), |(late, at)| (Some(late), at));
    TrafficDraft {
        source,
        origin,
        mice,
        mice_origins,
        start_jitter,
        stragglers,
        stragglers_origin,
        pacing_jitter_pct: fields.percent("pacing_jitter_pct"),
        pacing_jitter_adds: fields.boolean("pacing_jitter_adds", false),
    }
}

/// What `mice` may be.
const MICE: &str =
    "null, or an object with \"message_bytes\", \"count_per_host\", \"period_ns\" and \"start_ns\"";

/// `mice`, and where its keys but the last came from.
fn mice(fields: &mut Fields<'_>) -> (Mice, [Origin; 3]) {
    let mice = Mice {
        message_bytes: fields.integer("message_bytes", None, 1..=MAX_BYTES),
        count_per_host: fields.integer("count_per_host", None, 1..=Mice::MOST) as u32,
        period: Span(fields.decimal("period_ns", None, Scale::NS, 0..=MAX_INSTANT)),
        start: Time(fields.decimal("start_ns", Some(0), Scale::NS, 0..=MAX_INSTANT)),
    };
    let keys = ["message_bytes", "count_per_host", "period_ns"];
    (mice, keys.map(|key| fields.origin(key)))
}

/// `start_jitter`: a word, or an object. The stragglers come with where their `fraction` or `hosts` came from.
fn start(fields: &mut Fields<'_>) -> (StartJitter, Option<(Stragglers, Origin)>) {
    let words = [("slot", StartJitter::Slot), ("none", StartJitter::None)];
    if !fields.is_object("start_jitter") {
        let others = Some("or an object with \"uniform_ns\", \"stragglers\" or both");
        let word = fields.choice_or("start_jitter", Some("slot"), &words, others);
        return (word, None);
    }
    fields.section("start_jitter", |jitter| {
        let span = jitter.nullable_decimal("uniform_ns", Scale::NS, 0..=MAX_LATENCY.0);
        let spread = span.map_or(StartJitter::Slot, |span| StartJitter::Uniform(Span(span)));
        let words = "null, or an object with \"fraction\" or \"hosts\", and \"delay_ns\"";
        (
            spread,
            jitter.nullable_section("stragglers", words, stragglers),
        )
    })
}

fn stragglers(fields: &mut Fields<'_>) -> (Stragglers, Origin) {
    let (key, hosts) = match (fields.has("fraction"), fields.has("hosts")) {
        (false, true) => {
            fields.skip("fraction");
            let hosts = fields.integers("hosts", &[], 0..=u32::MAX.into());
            let hosts = hosts.into_iter().map(|host| host as u32);
            ("hosts", StragglerHosts::Listed(hosts.collect()))
        }
        (has_fraction, has_hosts) => {
            if has_hosts {
                let text = "cannot stand beside fraction; allowed: one of the two";
                fields.problem("hosts", text.to_owned());
            }
            fields.skip("hosts");
            if has_fraction {
                (
                    "fraction",
                    StragglerHosts::Fraction(fields.share("fraction")),
                )
            } else {
                fields.skip("fraction");
                let text = format!(
                    "{MISSING}; allowed: a number from 0 to 1, or else hosts, a list of hosts"
                );
                fields.problem("fraction", text);
                ("fraction", StragglerHosts::Listed(Vec::new()))
            }
        }
    };
    let origin = fields.origin(key);
    let delay = fields.span_ns("delay_ns", None, Span::ZERO..=MAX_LATENCY);
    (Stragglers { hosts, delay }, origin)
}

fn permutation(fields: &mut Fields<'_>) -> Source {
    Source::Permutation {
        message_bytes: fields.integer("message_bytes", None, 1..=MAX_BYTES),
        inter_pod_only: fields.boolean("inter_pod_only", false),
        inter_pod_origin: fields.origin("inter_pod_only"),
    }
}

fn pairs(fields: &mut Fields<'_>) -> Vec<Pair> {
    let words = "a list of at least one {\"src\", \"dst\", \"bytes\", \"start_ns\", \"after\"}";
    fields.sections("pairs", words, |index, pair| Pair {
        id: pair.integer("id", Some(index as u64), 0..=u64::MAX),
        src: pair.integer("src", None, 0..=u64::MAX),
        dst: pair.integer("dst", None, 0..=u64::MAX),
        bytes: pair.integer("bytes", None, 1..=MAX_BYTES),
        start: Time(pair.decimal("start_ns", Some(0), Scale::NS, 0..=MAX_INSTANT)),
        after: pair.nullable_section("after", AFTER, after),
        origins: [pair.origin("src"), pair.origin("dst"), pair.origin("")],
    })
}

/// What `after` may be.
const AFTER: &str = "null, or an object {\"flows\", \"event\", \"delay_ns\"}";

fn after(fields: &mut Fields<'_>) -> After {
    let before = fields.problem_count();
    let flows = fields.integers("flows", &[], 0..=u64::MAX);
    if flows.is_empty() && fields.problem_count() == before {
        let text =
            "there is no flow to wait for; allowed: a list of at least one id of another pair";
        fields.problem("flows", text.to_owned());
    }
    let events = [
        ("acked", FlowEvent::Acked),
        ("received", FlowEvent::Received),
    ];
    After {
        flows,
        event: fields.choice("event", Some("acked"), &events),
        delay: Span(fields.decimal("delay_ns", Some(0), Scale::NS, 0..=MAX_INSTANT)),
        origins: [fields.origin("flows"), fields.origin("event")],
    }
}

fn matrix(fields: &mut Fields<'_>) -> Source {
    let words = "the path of a connection matrix, relative to the file that names it";
    let path = fields.text("path", None, words, |path| {
        !path.is_empty() && !path.contains('\0')
    });
    let units = [
        ("us", StartUnit::Microseconds),
        ("ps", StartUnit::Picoseconds),
    ];
    Source::Matrix {
        path,
        unit: fields.nullable_choice("start_unit", &units),
    }
}
