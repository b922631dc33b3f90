//! `fabric`: switches and links, as the scenario says or as a topology file does. One row a kind in [`FABRICS`].

use crate::fields::{
    Fields, KeyDoc, Row, Section, Tables, even, gbps, integer, keys, nanoseconds, path, table_keys,
};
use crate::files::Files;
use crate::settings::limits::LATENCY;
use crate::settings::{Fabric, Losses, Shape, Tier};
use crate::topology::htsim_topo;
use crate::units::{Rate, Span};

use super::bounds::{Bounds, Measure};
use super::judge::Judge;
use super::queue::QueueKeys;

/// All kinds of fabrics.
pub const FABRICS: &[Row<Source>] = &[
    Row {
        name: "fat_tree",
        about: "Equal switches and links on two or three levels.",
        keys: || FatTreeKeys::keys(None),
        read: |fields| Source::FatTree(FatTreeKeys::read(fields, None)),
    },
    Row {
        name: "htsim_topo",
        about: "A topology file of htsim.",
        keys: || TopologyKeys::keys(None),
        read: |fields| Source::Topology(TopologyKeys::read(fields, None)),
    },
];

/// Where the tree comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// Equal switches and links.
    FatTree(FatTreeKeys),
    /// A topology file.
    Topology(TopologyKeys),
}

keys! {
    /// A fat tree of equal switches and links.
    #[derive(Clone, Debug)]
    pub struct FatTreeKeys {
        /// Layers of switches: three make k^3/4 hosts, two (leaves and spines) k^2/2
        pub levels: u8 = key("levels", integer(2..=3), default = 3),
        /// Ports a switch
        pub k: u32 = key("k", even(2..=128, "a fat tree needs an even k"), sample = "4"),
        /// Rate of every link
        pub rate: Rate = key("link_gbps", gbps(1..=100_000_000_000_000), default = Rate::from_gbps(800)),
        /// Propagation latency of every link, those of the hosts included
        pub latency: Span = key("link_latency_ns", nanoseconds(LATENCY), default = Span::from_ns(500)),
        /// Time between a packet's arrival at a switch and its enqueueing
        pub switch_latency: Span = key("switch_latency_ns", nanoseconds(LATENCY), default = Span::ZERO),
    }
}

keys! {
    /// A topology file of htsim.
    #[derive(Clone, Debug)]
    pub struct TopologyKeys {
        /// A topology file of htsim, relative to the file that names it
        pub path: String = key("path", path("the path of a topology file, relative to the file that names it"), sample = "\"t.topo\""),
    }
}

/// The fabric as far as its own object tells.
#[derive(Clone, Debug)]
pub(super) struct FabricKeys {
    /// Nothing if its kind is wrong.
    source: Option<Source>,
    /// The bounds of every queue that a topology file does not speak of.
    pub(super) bounds: Bounds,
    /// What output ports do.
    pub(super) queue: QueueKeys,
}

impl Section for FabricKeys {
    fn read(fields: &mut Fields<'_>, _usual: Option<&Self>) -> Self {
        let (_, source) = fields.one_of("kind", Some("fat_tree"), Tables::of(FABRICS));
        let bounds = Bounds::read(fields, None);
        bounds.told_once(fields);
        Self {
            source,
            bounds,
            queue: fields.take_section("queue", &[]),
        }
    }

    fn keys(_usual: Option<&Self>) -> Vec<KeyDoc> {
        let about = "Topology: equal switches and links, or a topology file of htsim";
        let mut keys = table_keys("kind", about, Some("fat_tree"), FABRICS);
        keys.extend(Bounds::keys(None));
        keys.push(KeyDoc::section::<QueueKeys>(
            "queue",
            "What output ports do where room is short",
            &[],
        ));
        keys
    }
}

impl FabricKeys {
    /// Whether the fabric comes from a file.
    pub(super) const fn is_file(&self) -> bool {
        matches!(self.source, Some(Source::Topology(_)))
    }
}

impl Judge<'_> {
    /// The fabric without its failures, unless something is wrong with its object or its file.
    pub(super) fn resolve(&mut self, files: &mut Files) -> Option<Fabric> {
        let keys = &self.keys.fabric;
        let (shape, tiers) = match keys.source.as_ref()? {
            Source::FatTree(tree) => {
                let tier = Tier {
                    rate: tree.rate,
                    latency: tree.latency,
                    switch_latency: tree.switch_latency,
                    down_buffer_bytes: None,
                    up_buffer_bytes: None,
                };
                (Shape::fat_tree(tree.levels, tree.k), [tier; 3])
            }
            Source::Topology(file) => self.topology(&file.path, files)?,
        };
        let mut fabric = Fabric {
            shape,
            tiers,
            failures: None,
            queue: keys.queue.queue(),
            losses: Losses::NONE,
            ecn_threshold_bytes: None,
        };
        let of = Measure::new(&fabric, &self.keys.packet);
        let buffer = keys.bounds.buffer_bytes(of);
        fabric.each_tier(|tier| {
            tier.down_buffer_bytes = tier.down_buffer_bytes.or(buffer);
            tier.up_buffer_bytes = tier.up_buffer_bytes.or(buffer);
        });
        fabric.ecn_threshold_bytes = keys.bounds.ecn_threshold_bytes(of);
        fabric.queue.ecn_max_threshold_bytes = keys.bounds.ecn_max_threshold_bytes(of);
        fabric.queue.ecn_counts_departing = keys.bounds.ecn_counts_departing;
        Some(fabric)
    }

    /// The tree of a topology file.
    fn topology(&mut self, written: &str, files: &mut Files) -> Option<(Shape, [Tier; 3])> {
        const PATH: &str = "fabric.path";
        if !self.sound(&[PATH]) {
            return None;
        }
        let file = self.locate(PATH, written);
        let read = files.parsed(&file, "", htsim_topo::read);
        match read.as_ref() {
            Ok(topo) => {
                let tiers = topo.tiers.map(|tier| Tier {
                    rate: Rate::from_gbps(tier.gbps),
                    latency: Span::from_ns(tier.latency_ns),
                    switch_latency: Span::from_ns(tier.switch_latency_ns),
                    down_buffer_bytes: tier.queue_down.map(|(bytes, _)| bytes),
                    up_buffer_bytes: tier.queue_up.map(|(bytes, _)| bytes),
                });
                Some((topo.shape, tiers))
            }
            Err(texts) => {
                for text in texts {
                    self.problem(PATH, format!("{}: {text}", file.display()));
                }
                None
            }
        }
    }
}
