//! Whether packets, times and bytes can be counted.

use crate::fields::Scale;
use crate::json::element_path;
use crate::settings::limits::MAX_INSTANT;
use crate::settings::{Acks, Demand, Fabric, LinkFault, RhoMaxRule};
use crate::theory::rho_max::{self, NotComputed};
use crate::units::Ratio;

use super::bounds::Measure;
use super::judge::Judge;

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
    pub(super) fn sizes(&mut self, demand: &Demand) {
        if !self.sound(&["packet.payload_bytes"]) {
            return;
        }
        let payload = u64::from(self.keys.packet.payload_bytes);
        let (largest, most) = (&demand.largest, u32::MAX);
        let packets = largest.bytes.div_ceil(payload);
        if packets > u64::from(most) {
            let text = format!(
                "{}{} bytes are {packets} packets of {payload} bytes; allowed: at most {most} packets a flow",
                largest.told, largest.bytes
            );
            self.problem(&largest.path, text);
        }
        for shared in demand
            .shared
            .iter()
            .filter(|shared| shared.packets > u128::from(most))
        {
            let text = format!(
                "the messages of connection {} are {} packets of {payload} bytes; allowed: at most {most} packets a connection",
                shared.id, shared.packets
            );
            self.problem(demand.path, text);
        }
        if self.sound(&[demand.path]) {
            let mouse = self.sound_mice().map_or(0, |mice| mice.message_bytes);
            self.buffer(largest.bytes.max(mouse).min(payload));
            self.spans(demand);
        }
    }

    /// An optimal rho_max must not be too large to be computed, where it is to be.
    pub(super) fn optimum(&mut self, demand: &Demand, faults: &[LinkFault]) {
        let (Some(_), Some(fabric)) = (self.tree(), self.fabric) else {
            return;
        };
        let path = "congestion_control.rho_max";
        let fails = self.keys.failures.can_fail() || !faults.is_empty();
        let is_asked = self.keys.congestion_control.rho_max == RhoMaxRule::Lp;
        if !is_asked || !self.sound(&[path, demand.path]) || !fails && rho_max::is_one(fabric) {
            return;
        }
        let flows = demand.flows;
        if let Err(NotComputed::TooLarge { variables, limit }) = rho_max::lp_size(fabric, flows) {
            let text = format!(
                "an optimum of {variables} variables (pairs of edge switches x aggregation switches of a pod) is too large to be computed; allowed: at most {limit}, or \"path_equal\", \"hop_equal\", \"line_rate\""
            );
            self.problem(path, text);
        }
    }

    /// A port must have room for the largest frame.
    fn buffer(&mut self, payload: u64) {
        let packet = &self.keys.packet;
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
        let of = &self.keys.fabric;
        let key = of.bounds.buffer_key();
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
            self.problem("fabric.path", text);
        } else {
            let text = format!(
                "{told} hold no frame of {frame} bytes, so nothing could pass; allowed: null, or at least {least}"
            );
            self.problem(&format!("fabric.{key}"), text);
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
            self.problem("fabric.link_gbps", text);
        }
    }

    /// The traffic must fit into a time that can be counted, even if one port has to carry what can meet at one.
    fn spans(&mut self, demand: &Demand) {
        if !(self.sound(&SLOT) && self.sound(&["congestion_control.load"])) {
            return;
        }
        let frame = self.slot_ceiling();
        if frame > LONGEST {
            return;
        }
        let Traffic {
            meeting,
            all,
            last_start,
            told,
        } = self.traffic(demand);
        // Packets and spans are below 2^93 and 2^63 here: too large a product counts as too long.
        let Ratio { num, den } = self.keys.congestion_control.load;
        let longest = meeting
            .checked_mul(frame)
            .and_then(|span| span.checked_mul(u128::from(den)))
            .map(|span| span / u128::from(num) + last_start);
        let bytes = all.checked_mul(u128::from(self.frame_bytes()));
        if longest.is_none_or(|span| span > LONGEST) || bytes.is_none_or(|bytes| bytes > LONGEST) {
            let text = format!(
                "{told} are more traffic than can be counted: it could keep one link busy for over 53 days (2^62 ps), or is over 2^62 bytes; allowed: fewer bytes, earlier starts, shorter delays, a faster link, or a higher load"
            );
            self.problem(demand.path, text);
            return;
        }
        self.slow_links(meeting, last_start);
    }

    /// What the flows ask of the fabric, and mice beside them. A host receives one a round, so no more meet at a port than one from each host
    /// of a pod.
    fn traffic(&self, demand: &Demand) -> Traffic {
        let last_start =
            u128::from(demand.last_start) + demand.trips * self.trip_latencies() + demand.delays;
        let collective = Traffic {
            meeting: demand.meeting,
            all: demand.all,
            last_start,
            told: demand.told.clone(),
        };
        let (Some(mice), Some(tree)) = (self.sound_mice(), self.tree()) else {
            return collective;
        };
        let (bytes, count) = (mice.message_bytes, mice.count_per_host);
        let payload = u64::from(self.keys.packet.payload_bytes);
        let each = u128::from(bytes.div_ceil(payload)) * u128::from(count);
        let end = u128::from(mice.start.0) + u128::from(count) * u128::from(mice.period.0);
        Traffic {
            meeting: demand.meeting + each * u128::from(tree.hosts_per_pod()),
            all: demand.all + each * u128::from(tree.hosts()),
            last_start: last_start.max(end.min(2 * u128::from(MAX_INSTANT))),
            told: format!("{}, and {count} mice of {bytes} bytes a host,", demand.told),
        }
    }

    /// So must what can meet at a slow link, all of it after `last_start`.
    fn slow_links(&mut self, meeting: u128, last_start: u128) {
        let usual = u128::from(self.slowest_rate());
        for (i, link) in self.keys.failures.links.iter().enumerate() {
            let path = format!("{}.slow_to", element_path("failures.links", i));
            let Some(Ratio { num, den }) = link.slow_to else {
                continue;
            };
            let rate = (usual * u128::from(num) / u128::from(den)).max(1);
            let frame = (self.slot_bits() * 1_000_000_000_000).div_ceil(rate) + 3;
            let span = meeting.checked_mul(frame);
            if span.is_none_or(|span| span + last_start > LONGEST) && self.sound(&[&path]) {
                let text = "the traffic could keep a link that is so slow busy for over 53 days (2^62 ps); allowed: a larger fraction, or fewer bytes";
                self.problem(&path, text);
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
            .keys
            .trigger_latency
            .map_or(hop, |latency| latency.0.into());
        2 * 6 * hop + trigger
    }

    fn frame_bytes(&self) -> u64 {
        let packet = &self.keys.packet;
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
        8 * u128::from(self.frame_bytes() + u64::from(self.keys.packet.gap_bytes))
    }

    /// More than a data packet and its ACK take on the wire, gaps included, in ps.
    fn slot_ceiling(&self) -> u128 {
        let rate = u128::from(self.slowest_rate());
        (self.slot_bits() * 1_000_000_000_000).div_ceil(rate) + 3
    }
}

/// All traffic, in packets.
struct Traffic {
    /// What can meet at one port.
    meeting: u128,
    /// All of it.
    all: u128,
    /// When the last of it has started, in ps.
    last_start: u128,
    /// In words.
    told: String,
}
