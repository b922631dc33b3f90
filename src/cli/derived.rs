//! What follows from a scenario without simulating it.

use std::fmt;

use crate::scenario::{Acks, Fabric, Scenario};
use crate::standin::theory::{self, LowerBound};
use crate::standin::workload::{self, FlowSpec};
use crate::units::Span;

/// Sizes and bounds of one point.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Derived {
    hosts: u64,
    edges: u64,
    aggregations: u64,
    cores: u64,
    /// Cables; each is two directed links.
    cables: u64,
    base_rtt: Span,
    bdp_bytes: f64,
    bdp_packets: f64,
    lower_bound: LowerBound,
    flows: u64,
    payload_bytes: u64,
    data_packets: u64,
    packet_hops: u64,
}

impl Derived {
    /// From one point and its first seed.
    pub(super) fn of(scenario: &Scenario, seed: u64) -> Self {
        let fabric = &scenario.fabric;
        let flows = workload::generate(scenario, seed);
        let base_rtt = base_rtt(scenario);
        let rate = fabric.link_rate.bits_per_sec() as f64;
        let (k, half) = (u64::from(fabric.k), u64::from(fabric.k / 2));
        let pods = if fabric.levels == 2 { 1 } else { k };
        let edges = if fabric.levels == 2 { k } else { k * half };
        let cores = if fabric.levels == 2 { 0 } else { half * half };
        let aggregations = pods * half;
        let hosts = edges * half;
        let packets = |flow: &FlowSpec| {
            let payload = u64::from(scenario.packet.payload_bytes);
            flow.bytes.div_ceil(payload)
        };
        let acks = u64::from(scenario.packet.acks == Acks::PerPacket);
        let hops = |flow: &FlowSpec| packets(flow) * (1 + acks) * hops(fabric, flow);
        Self {
            hosts,
            edges,
            aggregations,
            cores,
            cables: hosts + edges * half + if cores > 0 { aggregations * half } else { 0 },
            base_rtt,
            bdp_bytes: base_rtt.0 as f64 * rate / 8e12,
            bdp_packets: base_rtt.0 as f64 / slot(scenario).0 as f64,
            lower_bound: theory::lower_bound(scenario, &flows),
            flows: flows.len() as u64,
            payload_bytes: flows.iter().map(|flow| flow.bytes).sum(),
            data_packets: flows.iter().map(packets).sum(),
            packet_hops: flows.iter().map(hops).sum(),
        }
    }

    /// Packet-hops of one run if nothing is dropped.
    pub(super) const fn packet_hops(&self) -> u64 {
        self.packet_hops
    }
}

impl fmt::Display for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let switches = self.edges + self.aggregations + self.cores;
        writeln!(f, "  hosts           {}", self.hosts)?;
        write!(f, "  switches        {switches} (")?;
        write!(f, "{} edge, {} aggregation", self.edges, self.aggregations)?;
        if self.cores > 0 {
            write!(f, ", {} core", self.cores)?;
        }
        writeln!(f, ")")?;
        let directed = 2 * self.cables;
        writeln!(f, "  links           {} ({directed} directed)", self.cables)?;
        writeln!(
            f,
            "  base RTT        {:.5} us (a full packet across the tree and its ACK back, idle fabric)",
            self.base_rtt.0 as f64 / 1e6
        )?;
        let (bytes, packets) = (self.bdp_bytes, self.bdp_packets);
        writeln!(f, "  BDP             {bytes:.0} bytes, {packets:.1} packets")?;
        let bound = self.lower_bound;
        let bound_us = bound.span.0 as f64 / 1e6;
        writeln!(f, "  lower bound     {bound_us:.5} us ({})", bound.kind)?;
        let (flows, bytes, packets) = (self.flows, self.payload_bytes, self.data_packets);
        writeln!(f, "  flows           {flows}: {bytes} bytes, {packets} packets")?;
        writeln!(f, "  packet-hops     about {} a run", self.packet_hops)
    }
}

/// Links between two hosts at the far ends of the tree.
fn longest_path(fabric: &Fabric) -> u64 {
    2 * u64::from(fabric.levels)
}

/// Ports that serialise a packet of `flow`, the NIC included.
fn hops(fabric: &Fabric, flow: &FlowSpec) -> u64 {
    let half = fabric.k / 2;
    if flow.src / half == flow.dst / half {
        2
    } else if fabric.levels == 3 && flow.src / (half * half) == flow.dst / (half * half) {
        4
    } else {
        longest_path(fabric)
    }
}

/// The time of a full data packet and its gap on the wire.
fn slot(scenario: &Scenario) -> Span {
    let (rate, packet) = (scenario.fabric.link_rate, &scenario.packet);
    data_time(scenario) + rate.tx_time(packet.gap_bytes.into())
}

fn data_time(scenario: &Scenario) -> Span {
    let packet = &scenario.packet;
    let bytes = u64::from(packet.payload_bytes) + u64::from(packet.header_bytes);
    scenario.fabric.link_rate.tx_time(bytes)
}

/// A full data packet there and an ACK back over the longest path of an idle fabric. Without ACKs the way back is latency alone.
fn base_rtt(scenario: &Scenario) -> Span {
    let fabric = &scenario.fabric;
    let ack = match scenario.packet.acks {
        Acks::PerPacket => fabric.link_rate.tx_time(scenario.packet.ack_bytes.into()),
        Acks::None => Span::ZERO,
    };
    let links = longest_path(fabric);
    let latency = fabric.link_latency * links + fabric.switch_latency * (links - 1);
    latency * 2 + (data_time(scenario) + ack) * links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Rate, Time};

    fn hops_between(levels: u8, src: u32, dst: u32) -> u64 {
        let fabric = Fabric {
            levels,
            k: 4,
            link_rate: Rate::from_gbps(800),
            link_latency: Span::ZERO,
            switch_latency: Span::ZERO,
            buffer_bytes: None,
            ecn_threshold_bytes: None,
        };
        let flow = FlowSpec {
            id: 0,
            src,
            dst,
            bytes: 1,
            start: Time::ZERO,
        };
        hops(&fabric, &flow)
    }

    #[test]
    fn hops_grow_with_the_level_at_which_paths_meet() {
        assert_eq!(hops_between(3, 0, 1), 2);
        assert_eq!(hops_between(3, 0, 3), 4);
        assert_eq!(hops_between(3, 3, 4), 6);
        assert_eq!(hops_between(2, 0, 1), 2);
        assert_eq!(hops_between(2, 3, 4), 4);
    }
}
