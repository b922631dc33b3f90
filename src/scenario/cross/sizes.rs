//! Whether packets, times and bytes can be counted.

use crate::fields::Scale;
use crate::json::element_path;
use crate::scenario::{Acks, RhoMaxRule, WorkloadKind};
use crate::theory::rho_max::{self, NotComputed};
use crate::topology::FatTree;
use crate::units::Ratio;

use super::{Flows, Judge};

/// No port may be busy for longer than this, so that sums of spans and bytes stay far from 2^64: 53 days in ps.
const LONGEST: u128 = 1 << 62;

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
        if self.sound(&[flows.path]) {
            self.buffer(largest.min(payload));
            self.spans(flows);
        }
    }

    /// An optimal rho_max must not be too large to be computed, where it is to be.
    pub(super) fn optimum(&mut self, flows: &Flows) {
        let Some(tree) = self.tree() else { return };
        let (draft, path) = (self.draft, "congestion_control.rho_max");
        let is_asked = draft.congestion_control.rho_max == RhoMaxRule::Lp;
        if !is_asked || !self.sound(&[path, flows.path]) || rho_max::is_one(&draft.fabric) {
            return;
        }
        let flows = match &flows.kind {
            WorkloadKind::Permutation { .. } => u64::from(tree.hosts()),
            WorkloadKind::Flows { flows, .. } => flows.len() as u64,
        };
        if let Err(NotComputed::TooLarge { variables, limit }) =
            rho_max::lp_size(&draft.fabric, flows)
        {
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
        if let Some(bytes) = self.draft.fabric.tiers[0].down_buffer_bytes
            && bytes < frame
        {
            let text = format!(
                "{bytes} bytes hold no frame of {frame} bytes, so nothing could pass; allowed: null, or at least {frame}"
            );
            self.problem(self.draft.origins.buffer_bytes, "fabric.buffer_bytes", text);
        }
    }

    /// A frame must take a time that can be counted.
    pub(super) fn slowness(&mut self) {
        if self.sound(&SLOT) && self.slot_ceiling() > LONGEST {
            let rate = self.draft.fabric.host_rate().bits_per_sec();
            let least = (self.slot_bits() * 1_000_000_000_000).div_ceil(LONGEST - 3);
            let gbps = |rate| Scale::GBPS.decimal(rate);
            let text = format!(
                "{} Gb/s is so slow that one frame takes longer than 53 days (2^62 ps); allowed: at least {}",
                gbps(rate),
                gbps(u64::try_from(least).unwrap_or(u64::MAX))
            );
            let path = "fabric.link_gbps";
            self.problem(self.draft.origins.link_gbps, path, text);
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
        let payload = u64::from(self.draft.packet.payload_bytes);
        let packets = |bytes: u64| u128::from(bytes.div_ceil(payload));
        let (meeting, all, last_start, told) = match &flows.kind {
            WorkloadKind::Permutation { message_bytes, .. } => {
                let Some(hosts) = self.tree().map(FatTree::hosts) else {
                    return;
                };
                let each = packets(*message_bytes);
                let meeting = u128::from(self.tree().map_or(1, FatTree::hosts_per_pod));
                let told = format!("{message_bytes} bytes from each of {hosts} hosts");
                (each * meeting, each * u128::from(hosts), 0, told)
            }
            WorkloadKind::Flows { flows, .. } => {
                let all = flows.iter().map(|flow| packets(flow.bytes)).sum();
                let last = flows.iter().map(|flow| flow.start.0).max();
                let bytes: u128 = flows.iter().map(|flow| u128::from(flow.bytes)).sum();
                let told = format!("{bytes} bytes in all flows ({})", flows.len());
                (all, all, last.unwrap_or(0), told)
            }
        };
        // Packets and spans are below 2^93 and 2^63 here: too large a product counts as too long.
        let Ratio { num, den } = self.draft.congestion_control.load;
        let longest = meeting
            .checked_mul(frame)
            .and_then(|span| span.checked_mul(u128::from(den)))
            .map(|span| span / u128::from(num) + u128::from(last_start));
        let bytes = all.checked_mul(u128::from(self.frame_bytes()));
        if longest.is_none_or(|span| span > LONGEST) || bytes.is_none_or(|bytes| bytes > LONGEST) {
            let text = format!(
                "{told} are more traffic than can be counted: it could keep one link busy for over 53 days (2^62 ps), or is over 2^62 bytes; allowed: fewer bytes, a faster link, or a higher load"
            );
            self.problem(self.draft.traffic.origin, flows.path, text);
        }
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
        let rate = u128::from(self.draft.fabric.host_rate().bits_per_sec());
        (self.slot_bits() * 1_000_000_000_000).div_ceil(rate) + 3
    }
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
