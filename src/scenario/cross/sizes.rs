//! Whether packets, times and bytes can be counted.

use crate::fields::Scale;
use crate::json::element_path;
use crate::scenario::bounds::Measure;
use crate::scenario::check::MAX_INSTANT;
use crate::scenario::{Acks, Fabric, RhoMaxRule, WorkloadKind};
use crate::theory::rho_max::{self, NotComputed};
use crate::units::Ratio;

use super::{Flows, Judge};

/// No port may be busy for longer than this, so that sums of spans and bytes stay far from 2^64: 53 days in ps.
pub(super) const LONGEST: u128 = 1 << 62;

/// What [`Judge::slot_ceiling`] needs.
const SLOT: [&str; 5] = [
    "packet.payload_bytes",
    "packet.header_bytes",
    "packet.gap_bytes",
    "packet.ack_bytes",
    "fabric.link_gbps",
];

impl Judge<'_> {
    /// Whether the flows can be counted, and fit the fabric's buffers.
    pub(super) fn sizes(&mut self, flows: &Flows) {
        if !self.sound(&["packet.payload_bytes"]) {
            return;
        }
        let payload = u64::from(self.draft.packet.payload_bytes);
        let (largest, number) = largest(&flows.kind);
        let packets = largest.div_ceil(payload);
        if packets > u64::from(u32::MAX) {
            let most = u32::MAX;
            let mut text = format!(
                "{largest} bytes are {packets} packets of {payload} bytes; allowed: at most {most} packets a flow"
            );
            let mut path = flows.path.to_owned();
            match (&flows.kind, number) {
                (WorkloadKind::Flows { kind: "pairs", .. }, Some(i)) => {
                    path = format!("{}.bytes", element_path(flows.path, i));
                }
                (WorkloadKind::Flows { flows, .. }, Some(i)) => {
                    let (id, endless) = (flows[i].id, self.endless_bytes() == Some(largest));
                    let why = if endless {
                        " (it has no end, so it must outlast the horizon)"
                    } else {
                        ""
                    };
                    text = format!("flow {id}{why}: {text}");
                }
                _ => {}
            }
            self.problem(self.draft.traffic.origin, &path, text);
        }
        self.connections(flows, payload);
        if self.sound(&[flows.path]) {
            let mouse = self.sound_mice().map_or(0, |mice| mice.message_bytes);
            self.buffer(largest.max(mouse).min(payload));
            self.spans(flows);
        }
    }

    /// The packets of a connection must be countable, all its messages together.
    fn connections(&mut self, flows: &Flows, payload: u64) {
        let WorkloadKind::Flows {
            flows: specs,
            dependencies,
            ..
        } = &flows.kind
        else {
            return;
        };
        for connection in &dependencies.connections {
            let messages = connection.messages.iter();
            let specs = messages.map(|message| &specs[message.flow as usize]);
            let id = specs.clone().next().map_or(0, |spec| spec.id);
            let packets: u128 = specs
                .map(|spec| u128::from(spec.bytes.div_ceil(payload)))
                .sum();
            if connection.messages.len() > 1 && packets > u128::from(u32::MAX) {
                let most = u32::MAX;
                let text = format!(
                    "the messages of connection {id} are {packets} packets of {payload} bytes; allowed: at most {most} packets a connection"
                );
                self.problem(self.draft.traffic.origin, flows.path, text);
            }
        }
    }

    /// An optimal rho_max must not be too large to be computed, where it is to be.
    pub(super) fn optimum(&mut self, flows: &Flows) {
        let (Some(tree), Some(fabric)) = (self.tree(), self.fabric) else {
            return;
        };
        let (draft, path) = (self.draft, "congestion_control.rho_max");
        let fails = draft.failures.can_fail() || !flows.faults.is_empty();
        let is_asked = draft.congestion_control.rho_max == RhoMaxRule::Lp;
        if !is_asked || !self.sound(&[path, flows.path]) || !fails && rho_max::is_one(fabric) {
            return;
        }
        let flows = match &flows.kind {
            WorkloadKind::Permutation { .. } => u64::from(tree.hosts()),
            WorkloadKind::Flows { flows, .. } => flows.len() as u64,
        };
        if let Err(NotComputed::TooLarge { variables, limit }) = rho_max::lp_size(fabric, flows) {
            let text = format!(
                "an optimum of {variables} variables (pairs of edge switches x aggregation switches of a pod) is too large to be computed; allowed: at most {limit}, or \"path_equal\", \"hop_equal\", \"line_rate\""
            );
            self.problem(draft.origins.rho_max, path, text);
        }
    }

    /// A port must have room for the largest frame.
    fn buffer(&mut self, payload: u64) {
        let packet = &self.draft.packet;
        let needed = [
            "fabric.buffer_bytes",
            "fabric.buffer_packets",
            "fabric.buffer_bdp",
            "packet.header_bytes",
            "packet.ack_bytes",
            "packet.acks",
        ];
        if !self.sound(&needed) {
            return;
        }
        let mut frame = payload + u64::from(packet.header_bytes);
        if packet.acks == Acks::PerPacket {
            frame = frame.max(u64::from(packet.ack_bytes));
        }
        let Some(fabric) = self.fabric else {
            return;
        };
        let buffers = fabric.tiers().iter().zip(0..).flat_map(|(tier, number)| {
            [
                (tier.down_buffer_bytes, number),
                (tier.up_buffer_bytes, number),
            ]
        });
        let small = buffers
            .filter_map(|(bytes, tier)| Some((bytes?, tier)))
            .find(|(bytes, _)| *bytes < frame);
        let Some((bytes, tier)) = small else {
            return;
        };
        let of = &self.draft.fabric;
        let (key, origin) = of.bounds.buffer_key;
        let full = packet.full_frame();
        let (told, least) = match key {
            "buffer_packets" => {
                let packets = format!("{} packets of {full} bytes", bytes / full);
                (packets, frame.div_ceil(full).to_string())
            }
            "buffer_bdp" => {
                let packets = format!("{} packets of {full} bytes", bytes / full);
                (packets, format!("{} packets", frame.div_ceil(full)))
            }
            _ => (format!("{bytes} bytes"), frame.to_string()),
        };
        let told_bytes = of.bounds.buffer_bytes(Measure::new(fabric, packet));
        if of.is_file() && told_bytes != Some(bytes) {
            let text = format!(
                "Tier {tier}: a queue of {bytes} bytes holds no frame of {frame} bytes, so nothing could pass; allowed: at least {frame}"
            );
            self.problem(of.path_origin, "fabric.path", text);
        } else {
            let text = format!(
                "{told} hold no frame of {frame} bytes, so nothing could pass; allowed: null, or at least {least}"
            );
            self.problem(origin, &format!("fabric.{key}"), text);
        }
    }

    /// A frame must take a time that can be counted.
    pub(super) fn slowness(&mut self) {
        if self.sound(&SLOT) && self.slot_ceiling() > LONGEST {
            let rate = self.slowest_rate();
            let least = (self.slot_bits() * 1_000_000_000_000).div_ceil(LONGEST - 3);
            let gbps = |rate| Scale::GBPS.decimal(rate);
            let text = format!(
                "{} Gb/s is so slow that one frame takes longer than 53 days (2^62 ps); allowed: at least {}",
                gbps(rate),
                gbps(u64::try_from(least).unwrap_or(u64::MAX))
            );
            let path = "fabric.link_gbps";
            self.problem(self.draft.fabric.link_gbps, path, text);
        }
    }

    /// The traffic must fit into a time that can be counted, even if one port has to carry what can meet at one.
    fn spans(&mut self, flows: &Flows) {
        if !(self.sound(&SLOT) && self.sound(&["congestion_control.load"])) {
            return;
        }
        let frame = self.slot_ceiling();
        if frame > LONGEST {
            return;
        }
        let Some(demand) = self.demand(flows) else {
            return;
        };
        let Demand {
            meeting,
            all,
            last_start,
            told,
        } = self.with_mice(demand);
        // Packets and spans are below 2^93 and 2^63 here: too large a product counts as too long.
        let Ratio { num, den } = self.draft.congestion_control.load;
        let longest = meeting
            .checked_mul(frame)
            .and_then(|span| span.checked_mul(u128::from(den)))
            .map(|span| span / u128::from(num) + last_start);
        let bytes = all.checked_mul(u128::from(self.frame_bytes()));
        if longest.is_none_or(|span| span > LONGEST) || bytes.is_none_or(|bytes| bytes > LONGEST) {
            let text = format!(
                "{told} are more traffic than can be counted: it could keep one link busy for over 53 days (2^62 ps), or is over 2^62 bytes; allowed: fewer bytes, earlier starts, shorter delays, a faster link, or a higher load"
            );
            self.problem(self.draft.traffic.origin, flows.path, text);
            return;
        }
        self.slow_links(meeting, last_start);
    }

    /// What the flows of the collective ask of the fabric, if it is known.
    fn demand(&self, flows: &Flows) -> Option<Demand> {
        let payload = u64::from(self.draft.packet.payload_bytes);
        let packets = |bytes: u64| u128::from(bytes.div_ceil(payload));
        let trip = self.trip_latencies();
        Some(match &flows.kind {
            WorkloadKind::Permutation { message_bytes, .. } => {
                let tree = self.tree()?;
                let (hosts, each) = (tree.hosts(), packets(*message_bytes));
                Demand {
                    meeting: each * u128::from(tree.hosts_per_pod()),
                    all: each * u128::from(hosts),
                    last_start: 0,
                    told: format!("{message_bytes} bytes from each of {hosts} hosts"),
                }
            }
            WorkloadKind::Flows {
                flows,
                dependencies,
                ..
            } => {
                let all = flows.iter().map(|flow| packets(flow.bytes)).sum();
                let last = flows.iter().map(|flow| flow.start.0).max();
                // At worst they all stand in one chain.
                let waits = dependencies.triggers.iter();
                let waits: u128 = waits
                    .map(|trigger| {
                        trip * (trigger.targets.len() as u128 + 1) + u128::from(trigger.delay.0)
                    })
                    .sum();
                let last = last.map(|last| u128::from(last) + waits);
                let bytes: u128 = flows.iter().map(|flow| u128::from(flow.bytes)).sum();
                Demand {
                    meeting: all,
                    all,
                    last_start: last.unwrap_or(0),
                    told: format!("{bytes} bytes in all flows ({})", flows.len()),
                }
            }
        })
    }

    /// With what mice ask. A host receives one a round, so no more meet at a port than one from each host of a pod.
    fn with_mice(&self, demand: Demand) -> Demand {
        let (Some(mice), Some(tree)) = (self.sound_mice(), self.tree()) else {
            return demand;
        };
        let (bytes, count) = (mice.message_bytes, mice.count_per_host);
        let payload = u64::from(self.draft.packet.payload_bytes);
        let each = u128::from(bytes.div_ceil(payload)) * u128::from(count);
        let end = u128::from(mice.start.0) + u128::from(count) * u128::from(mice.period.0);
        Demand {
            meeting: demand.meeting + each * u128::from(tree.hosts_per_pod()),
            all: demand.all + each * u128::from(tree.hosts()),
            last_start: demand.last_start.max(end.min(2 * u128::from(MAX_INSTANT))),
            told: format!("{}, and {count} mice of {bytes} bytes a host,", demand.told),
        }
    }

    /// So must what can meet at a slow link, all of it after `last_start`.
    fn slow_links(&mut self, meeting: u128, last_start: u128) {
        let usual = u128::from(self.slowest_rate());
        for (i, link) in self.draft.failures.links.iter().enumerate() {
            let path = format!("{}.slow_to", element_path("failures.links", i));
            let Some(Ratio { num, den }) = link.slow_to else {
                continue;
            };
            let rate = (usual * u128::from(num) / u128::from(den)).max(1);
            let frame = (self.slot_bits() * 1_000_000_000_000).div_ceil(rate) + 3;
            let span = meeting.checked_mul(frame);
            if span.is_none_or(|span| span + last_start > LONGEST) && self.sound(&[&path]) {
                let text = "the traffic could keep a link that is so slow busy for over 53 days (2^62 ps); allowed: a larger fraction, or fewer bytes";
                self.problem(link.slow_origin, &path, text.to_owned());
            }
        }
    }

    /// The rate of the slowest links, in bit/s.
    fn slowest_rate(&self) -> u64 {
        let tiers = self.fabric.map_or(&[][..], Fabric::tiers);
        let rates = tiers.iter().map(|tier| tier.rate.bits_per_sec());
        rates.min().unwrap_or(u64::MAX)
    }

    /// More than all latencies of a trigger, a message and its ACK, in ps.
    fn trip_latencies(&self) -> u128 {
        let tiers = self.fabric.map_or(&[][..], Fabric::tiers);
        let hops = tiers
            .iter()
            .map(|tier| u128::from(tier.latency.0) + u128::from(tier.switch_latency.0));
        let hop = hops.max().unwrap_or(0);
        let trigger = self
            .draft
            .trigger_latency
            .map_or(hop, |latency| latency.0.into());
        2 * 6 * hop + trigger
    }

    fn frame_bytes(&self) -> u64 {
        let packet = &self.draft.packet;
        [
            packet.payload_bytes,
            packet.header_bytes,
            packet.gap_bytes,
            packet.ack_bytes,
        ]
        .into_iter()
        .map(u64::from)
        .sum()
    }

    /// More than a data packet and its ACK take on the wire, gaps included, in bits.
    fn slot_bits(&self) -> u128 {
        8 * u128::from(self.frame_bytes() + u64::from(self.draft.packet.gap_bytes))
    }

    /// More than a data packet and its ACK take on the wire, gaps included, in ps.
    fn slot_ceiling(&self) -> u128 {
        let rate = u128::from(self.slowest_rate());
        (self.slot_bits() * 1_000_000_000_000).div_ceil(rate) + 3
    }
}

/// What flows ask of the fabric, in packets.
struct Demand {
    /// What can meet at one port.
    meeting: u128,
    /// All of it.
    all: u128,
    /// When the last of it has started, in ps.
    last_start: u128,
    /// In words.
    told: String,
}

/// The most bytes of a flow, and the flow's number where it has one.
fn largest(kind: &WorkloadKind) -> (u64, Option<usize>) {
    match kind {
        WorkloadKind::Permutation { message_bytes, .. } => (*message_bytes, None),
        WorkloadKind::Flows { flows, .. } => {
            let largest = flows.iter().enumerate().max_by_key(|(_, flow)| flow.bytes);
            largest.map_or((1, None), |(i, flow)| (flow.bytes, Some(i)))
        }
    }
}
