//! The `fabric` object, key by key; and the topology files that it names: each is read once.

use std::path::PathBuf;

use crate::fields::{Fields, Problem, Scale};
use crate::json::Origin;
use crate::settings::Losses;
use crate::topology::htsim_topo::{self, Topo};
use crate::units::{Rate, Span};

use super::bounds::{Bounds, Measure};
use super::check::MAX_LATENCY;
use super::document::{FileKind, Sources, read_text};
use super::queue::{self, QueueDraft};
use super::{Fabric, PacketFormat, Shape, Tier};

/// The fabric as far as its own object tells.
#[derive(Debug)]
pub(super) struct FabricDraft {
    /// Nothing if it could not be read.
    source: Option<Source>,
    /// The bounds of every queue that a topology file does not speak of.
    pub(super) bounds: Bounds,
    /// What output ports do.
    pub(super) queue: QueueDraft,
    /// Where `link_gbps` and `path` came from.
    pub(super) link_gbps: Origin,
    pub(super) path_origin: Origin,
}

/// Where the tree comes from.
#[derive(Debug)]
enum Source {
    /// Equal switches and links: the shape, and a tier without buffers.
    Plain(Shape, Tier),
    /// A topology file of htsim.
    File(String),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    File,
}

const KINDS: [(&str, Kind); 2] = [("fat_tree", Kind::Plain), ("htsim_topo", Kind::File)];

/// The keys that only one kind takes.
const OWN_KEYS: [(&str, Kind); 6] = [
    ("levels", Kind::Plain),
    ("k", Kind::Plain),
    ("link_gbps", Kind::Plain),
    ("link_latency_ns", Kind::Plain),
    ("switch_latency_ns", Kind::Plain),
    ("path", Kind::File),
];

/// Read the `fabric` object.
pub(super) fn read(fields: &mut Fields<'_>) -> FabricDraft {
    let (kind, known) = fields.kind(Some("fat_tree"), &KINDS, &OWN_KEYS);
    let source = match kind {
        _ if !known => None,
        Kind::File => file(fields),
        Kind::Plain => Some(plain(fields)),
    };
    FabricDraft {
        source,
        bounds: Bounds::read(fields),
        queue: fields.section("queue", queue::read),
        link_gbps: fields.origin("link_gbps"),
        path_origin: fields.origin("path"),
    }
}

fn file(fields: &mut Fields<'_>) -> Option<Source> {
    let before = fields.problem_count();
    let words = "the path of a topology file, relative to the file that names it";
    let path = fields.text("path", None, words, |path| {
        !path.is_empty() && !path.contains('\0')
    });
    (fields.problem_count() == before).then_some(Source::File(path))
}

fn plain(fields: &mut Fields<'_>) -> Source {
    let levels = fields.integer("levels", Some(3), 2..=3) as u8;
    let k = fields.integer("k", None, 2..=128) as u32;
    if !k.is_multiple_of(2) {
        let (below, above) = (k - 1, k + 1);
        let text = format!("{k} is odd; a fat tree needs an even k, e.g. {below} or {above}");
        fields.problem("k", text);
    }
    let fastest = 100_000 * 1_000_000_000;
    let rate = fields.decimal("link_gbps", Some(800_000_000_000), Scale::GBPS, 1..=fastest);
    let latencies = Span::ZERO..=MAX_LATENCY;
    let latency = fields.span_ns(
        "link_latency_ns",
        Some(Span::from_ns(500)),
        latencies.clone(),
    );
    let tier = Tier {
        rate: Rate::from_bits_per_sec(rate),
        latency,
        switch_latency: fields.span_ns("switch_latency_ns", Some(Span::ZERO), latencies),
        down_buffer_bytes: None,
        up_buffer_bytes: None,
    };
    Source::Plain(Shape::fat_tree(levels, k), tier)
}

impl FabricDraft {
    /// Whether the fabric comes from a file.
    pub(super) const fn is_file(&self) -> bool {
        matches!(self.source, Some(Source::File(_)))
    }

    /// The fabric without its failures, with frames of `packet`.
    ///
    /// # Errors
    /// What is wrong with the topology file; nothing where the object itself is wrong.
    pub(super) fn resolve(
        &self,
        files: &mut Topologies<'_>,
        packet: &PacketFormat,
    ) -> Result<Fabric, Vec<Problem>> {
        let (shape, tiers) = match &self.source {
            None => return Err(Vec::new()),
            Some(Source::Plain(shape, tier)) => (*shape, [*tier; 3]),
            Some(Source::File(path)) => {
                let topo = files.read(path, self.path_origin)?;
                let tiers = topo.tiers.map(|tier| Tier {
                    rate: Rate::from_gbps(tier.gbps),
                    latency: Span::from_ns(tier.latency_ns),
                    switch_latency: Span::from_ns(tier.switch_latency_ns),
                    down_buffer_bytes: tier.queue_down.map(|(bytes, _)| bytes),
                    up_buffer_bytes: tier.queue_up.map(|(bytes, _)| bytes),
                });
                (topo.shape, tiers)
            }
        };
        let mut fabric = Fabric {
            shape,
            tiers,
            failures: None,
            queue: self.queue.queue,
            losses: Losses::NONE,
            ecn_threshold_bytes: None,
        };
        let of = Measure::new(&fabric, packet);
        let buffer = self.bounds.buffer_bytes(of);
        fabric.each_tier(|tier| {
            tier.down_buffer_bytes = tier.down_buffer_bytes.or(buffer);
            tier.up_buffer_bytes = tier.up_buffer_bytes.or(buffer);
        });
        fabric.ecn_threshold_bytes = self.bounds.ecn_threshold_bytes(of);
        fabric.queue.ecn_max_threshold_bytes = self.bounds.ecn_max_threshold_bytes(of);
        fabric.queue.ecn_counts_departing = self.bounds.ecn_counts_departing;
        Ok(fabric)
    }
}

/// The topology files read so far.
#[derive(Debug)]
pub(super) struct Topologies<'a> {
    sources: &'a Sources,
    read: Vec<(PathBuf, Result<Topo, Vec<String>>)>,
}

impl<'a> Topologies<'a> {
    /// None yet.
    pub(super) const fn new(sources: &'a Sources) -> Self {
        let read = Vec::new();
        Self { sources, read }
    }

    /// The file at `path`, which `origin` names.
    fn read(&mut self, path: &str, origin: Origin) -> Result<Topo, Vec<Problem>> {
        let file = self.sources.dir(origin).join(path);
        let name = file.display().to_string();
        let known = self.read.iter().position(|(other, _)| *other == file);
        let number = known.unwrap_or_else(|| {
            let text = read_text(&file, FileKind::Regular).map_err(|why| vec![why]);
            let read = text.and_then(|text| {
                let texts = |errors: Vec<_>| errors.iter().map(ToString::to_string).collect();
                htsim_topo::read(&text).map_err(texts)
            });
            self.read.push((file, read));
            self.read.len() - 1
        });
        let problem = |text: &String| Problem {
            origin,
            path: "fabric.path".to_owned(),
            text: format!("{name}: {text}"),
        };
        let read = &self.read[number].1;
        read.clone()
            .map_err(|texts| texts.iter().map(problem).collect())
    }
}
