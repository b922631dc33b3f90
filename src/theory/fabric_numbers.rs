//! The sizes of a fabric and its traffic that need no simulation: what `check` prints and estimates start from.

use super::frames::to_ps;
use crate::cc::CcEnv;
use crate::lb::host::{Ends, LivePaths};
use crate::settings::{Acks, Fabric, FlowSpec, PacketFormat, Scenario, Tier};
use crate::topology::{FatTree, Outages};
use crate::units::Span;

/// Links of the longest shortest path of the scenario's fabric.
fn diameter(fabric: &Fabric) -> u32 {
    2 * u32::from(fabric.shape.levels)
}

/// Round trip over `hops` links (2, 4 or 6): a full data packet there and an ACK back on an idle fabric.
#[must_use]
pub fn rtt(scenario: &Scenario, hops: u32) -> Span {
    Span(to_ps(rtt_ps(&scenario.fabric, &scenario.packet, hops)))
}

/// Base round trip: that between the farthest hosts.
#[must_use]
pub fn base_rtt(scenario: &Scenario) -> Span {
    rtt(scenario, diameter(&scenario.fabric))
}

/// [`rtt`] in 128 bits: links may be too slow for their times to be counted.
fn rtt_ps(fabric: &Fabric, packet: &PacketFormat, hops: u32) -> u128 {
    let tiers = &fabric.tiers[..(hops / 2) as usize];
    let way = |tier: &Tier| 2 * u128::from(tier.latency.0 + tier.switch_latency.0);
    let frame = |tier: &Tier, bytes: u64| {
        let exact = u128::from(bytes) * 8_000_000_000_000;
        exact.div_ceil(tier.rate.bits_per_sec().into())
    };
    let both = |tier: &Tier| {
        let frames = frame(tier, packet.full_frame()) + frame(tier, packet.ack_bytes.into());
        2 * (way(tier) + frames)
    };
    // The top switch is passed once each way.
    let top = tiers
        .last()
        .map_or(0, |tier| u128::from(tier.switch_latency.0));
    tiers.iter().map(both).sum::<u128>() - 2 * top
}

/// Bytes that line rate moves in one base round trip, rounded down.
#[must_use]
pub fn bdp_bytes(scenario: &Scenario) -> u64 {
    bdp(&scenario.fabric, &scenario.packet)
}

fn bdp(fabric: &Fabric, packet: &PacketFormat) -> u64 {
    let rtt = rtt_ps(fabric, packet, diameter(fabric));
    let bits = rtt.saturating_mul(fabric.host_rate().bits_per_sec().into());
    to_ps(bits / 8_000_000_000_000)
}

/// The same in full frames of `packet`, rounded up.
#[must_use]
pub fn bdp_frames(fabric: &Fabric, packet: &PacketFormat) -> u64 {
    bdp(fabric, packet).div_ceil(packet.full_frame())
}

/// What congestion control knows of a connection between the farthest hosts.
#[must_use]
pub fn cc_env(scenario: &Scenario) -> CcEnv {
    let base_rtt = base_rtt(scenario);
    CcEnv {
        base_rtt,
        path_rtt: base_rtt,
        path_hops: diameter(&scenario.fabric),
        bdp_bytes: bdp_bytes(scenario),
        frame_bytes: scenario.packet.full_frame() as u32,
        payload_bytes: scenario.packet.payload_bytes,
        rate: scenario.fabric.host_rate(),
        trims: scenario.fabric.queue.kind.trims(),
    }
}

/// Slots of a full data packet in one base round trip, rounded down, at least 1.
#[must_use]
pub fn bdp_packets(scenario: &Scenario) -> u64 {
    (base_rtt(scenario).0 / scenario.slot().0).max(1)
}

/// How many shortest paths there are for `flow`, where `outages` tells of links that are down at time 0.
#[must_use]
pub fn paths(scenario: &Scenario, flow: &FlowSpec, outages: Option<&Outages>) -> u32 {
    match outages {
        Some(outages) => {
            let (src, dst) = (flow.src, flow.dst);
            outages.at_start().count(Ends { src, dst })
        }
        None => {
            let tree = FatTree::of(scenario.fabric.shape);
            tree.paths(tree.layer(flow.src, flow.dst))
        }
    }
}

/// Into how many subflows the scheme splits `flow`, where `outages` tells of failed links.
#[must_use]
pub fn subflows(scenario: &Scenario, flow: &FlowSpec, outages: Option<&Outages>) -> u32 {
    let paths = paths(scenario, flow, outages);
    scenario.load_balancing.host.subflows(paths)
}

/// Data packets of `flow`: those of all its subflows, if its scheme splits it.
#[must_use]
pub fn data_packets(scenario: &Scenario, flow: &FlowSpec, outages: Option<&Outages>) -> u64 {
    let subflows = subflows(scenario, flow, outages);
    scenario.packet.data_packets(flow.bytes, subflows)
}

/// ACKs of a flow of so many data packets that arrive in order and unmarked: of the first, then after each so many as the receiver's
/// threshold takes, and of the last.
fn acks(scenario: &Scenario, packets: u64) -> u64 {
    if scenario.packet.acks == Acks::None {
        return 0;
    }
    let transport = scenario.transport.as_ref();
    let each = transport.map_or(1, |t| t.packets_an_ack(&scenario.packet));
    1 + (packets - 1).div_ceil(each)
}

/// Frames times links that `flows` take, data and ACKs, if nothing is lost; where ACKs are coalesced, if all arrives in order and unmarked.
#[must_use]
pub fn packet_hops(scenario: &Scenario, flows: &[FlowSpec], outages: Option<&Outages>) -> u64 {
    let tree = FatTree::of(scenario.fabric.shape);
    let of = |flow: &FlowSpec| {
        let packets = data_packets(scenario, flow, outages);
        let frames = u128::from(packets) + u128::from(acks(scenario, packets));
        frames * u128::from(tree.hops(tree.layer(flow.src, flow.dst)))
    };
    to_ps(flows.iter().map(of).sum())
}

#[cfg(test)]
mod tests {
    use super::super::frames::testing::paper;
    use super::*;
    use crate::lb::host::{HostScheme, ethereal};
    use crate::settings::{Evict, QueueKind, Trimming};
    use crate::units::Time;

    #[test]
    fn the_base_round_trip_is_6_253_320_ps_and_holds_149_packets() {
        assert_eq!(base_rtt(&paper(3, 12)), Span(6_253_320));
        assert_eq!(bdp_packets(&paper(3, 12)), 149);
        assert_eq!(bdp_bytes(&paper(3, 12)), 625_332);
        assert_eq!(base_rtt(&paper(2, 64)), Span(4_168_880));
    }

    #[test]
    fn a_round_trip_takes_as_long_for_each_pair_of_links_on_its_way() {
        // Each link: 41.58 ns of data, 0.64 ns of an ACK, and 500 ns of latency there and back.
        for (hops, expected) in [(2, 2_084_440), (4, 4_168_880), (6, 6_253_320)] {
            assert_eq!(rtt(&paper(3, 12), hops), Span(expected));
        }
    }

    #[test]
    fn controllers_start_from_the_farthest_hosts_and_a_full_frame() {
        let env = cc_env(&paper(3, 12));
        assert_eq!([env.base_rtt, env.path_rtt], [Span(6_253_320); 2]);
        assert_eq!((env.bdp_bytes, env.frame_bytes), (625_332, 4158));
    }

    #[test]
    fn controllers_count_on_being_told_of_losses_only_where_headers_go_on() {
        let mut scenario = paper(3, 12);
        let mut trims = |kind| {
            scenario.fabric.queue.kind = kind;
            cc_env(&scenario).trims
        };
        let trimming = |trim_bytes| {
            QueueKind::Trimming(Trimming {
                trim_bytes,
                header_buffer_bytes: None,
                evict: Evict::Coin,
            })
        };
        let kinds = [QueueKind::Fifo, trimming(Some(64)), trimming(None)];
        assert_eq!(kinds.map(&mut trims), [false, true, false]);
    }

    #[test]
    fn a_split_flow_has_the_packets_of_its_subflows() {
        let mut scenario = paper(3, 12);
        scenario.load_balancing.host = HostScheme::Ethereal(ethereal::Params);
        let flow = |dst, bytes| FlowSpec {
            id: 0,
            src: 0,
            dst,
            bytes,
            start: Time::ZERO,
        };
        let packets = |dst, bytes| data_packets(&scenario, &flow(dst, bytes), None);
        // One path at an edge, 6 in a pod, 36 between pods: 29,127 or 29,128 bytes each are 8 packets.
        assert_eq!(packets(1, 1 << 20), 256);
        assert_eq!(packets(6, 1 << 20), 6 * 43);
        assert_eq!(packets(431, 1 << 20), 36 * 8);
        // Shares of 4096 bytes, three of them a byte longer; and fewer bytes than paths.
        assert_eq!(packets(431, 36 * 4096 + 3), 36 + 3);
        assert_eq!(packets(431, 5), 5);
    }

    #[test]
    fn packet_hops_count_data_and_acks_over_every_link() {
        let flow = |dst| FlowSpec {
            id: 0,
            src: 0,
            dst,
            bytes: 4097,
            start: Time::ZERO,
        };
        let flows = [flow(1), flow(6), flow(431)];
        assert_eq!(
            packet_hops(&paper(3, 12), &flows, None),
            2 * 2 * (2 + 4 + 6)
        );
        let mut quiet = paper(3, 12);
        quiet.packet.acks = Acks::None;
        assert_eq!(packet_hops(&quiet, &flows, None), 2 * (2 + 4 + 6));
    }
}
