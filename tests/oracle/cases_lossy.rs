//! Random scenarios with ports that lose, trim or pause and senders that recover: those of `cases` with more on top.

use spraysim::cc::{Controller, fixed_window};
use spraysim::rng::{Domain, Rng};
use spraysim::scenario::{Acks, RhoMaxRule, Scenario};
use spraysim::settings::{
    DupThreshold, Evict, LinkLoss, LossFrames, Lossless, Queue, QueueKind, Rto, RtoKind, RtoScope,
    SharedBuffer, StuckHost, Transport, TransportKind, Trimming,
};
use spraysim::units::{Ratio, Span, Time};

use super::cases::{Case, Dice};
use super::flows::{base_rtt, slot};
use super::pfc::needed_headroom;
use super::switching::wire;
use super::wiring::Wiring;

/// Makes the case of a number.
pub(crate) type Family = fn(u64) -> Case;

fn dice(number: u64) -> Dice {
    Dice::new(Rng::stream(0x0105_505E, Domain::Permutation, number))
}

/// Ports of all kinds that lose frames, and nothing that recovers them.
pub(crate) fn of_ports(number: u64) -> Case {
    let (mut case, mut dice) = (Case::numbered(100_000 + number), dice(number));
    lossy_ports(&mut case.scenario, &mut dice);
    case
}

/// Senders that recover what such ports lose.
pub(crate) fn of_transport(number: u64) -> Case {
    let (mut case, mut dice) = (Case::numbered(200_000 + number), dice(number));
    if dice.chance(80) {
        lossy_ports(&mut case.scenario, &mut dice);
        take_at_least_a_frame(&mut case.scenario);
    }
    recovery(&mut case.scenario, &mut dice);
    case
}

/// Connections that begin with a handshake, and TCP.
pub(crate) fn of_tcp(number: u64) -> Case {
    let (mut case, mut dice) = (Case::numbered(400_000 + number), dice(number));
    if dice.chance(80) {
        lossy_ports(&mut case.scenario, &mut dice);
        take_at_least_a_frame(&mut case.scenario);
    }
    recovery(&mut case.scenario, &mut dice);
    let Some(transport) = &mut case.scenario.transport else {
        return case;
    };
    transport.handshake = dice.chance(50);
    if !transport.handshake || dice.chance(70) {
        *transport = Transport {
            kind: TransportKind::NewReno,
            ack_bytes_threshold: 0,
            counts_received_bytes: false,
            reorder_packets: 1 << 30,
            ..*transport
        };
        // TCP has no answer to headers.
        if let QueueKind::Trimming(trimming) = &mut case.scenario.fabric.queue.kind {
            trimming.trim_bytes = None;
        }
    }
    case
}

/// Lossless ports, at times with losses that senders recover.
pub(crate) fn of_pfc(number: u64) -> Case {
    let (mut case, mut dice) = (Case::numbered(300_000 + number), dice(number));
    case.scenario.fabric.failures = None;
    lossless(&mut case.scenario, &mut dice);
    stuck_hosts(&mut case.scenario, &mut dice);
    if dice.chance(40) {
        recovery(&mut case.scenario, &mut dice);
        if dice.chance(50) {
            losses(&mut case.scenario, &mut dice);
        }
    }
    case
}

fn frame(scenario: &Scenario) -> u64 {
    u64::from(scenario.packet.payload_bytes + scenario.packet.header_bytes)
}

fn ratio((num, den): (u64, u64)) -> Ratio {
    Ratio { num, den }
}

fn lossy_ports(scenario: &mut Scenario, dice: &mut Dice) {
    let frame = frame(scenario);
    let any = dice.between(1, 3 * frame) as u32;
    let header_any = dice.between(1, 40 * u64::from(scenario.packet.ack_bytes));
    let trimming = Trimming {
        trim_bytes: dice.one_of(&[
            Some(64),
            Some(64),
            Some(scenario.packet.ack_bytes),
            Some(any),
            None,
            None,
        ]),
        header_buffer_bytes: dice.one_of(&[None, None, Some(header_any)]),
        evict: dice.one_of(&[Evict::Arriving, Evict::Coin]),
    };
    let kinds = [
        QueueKind::Fifo,
        QueueKind::Trimming(trimming),
        QueueKind::Trimming(trimming),
    ];
    scenario.fabric.queue = Queue {
        kind: dice.one_of(&kinds),
        control_priority: dice.chance(40),
        ..Queue::PLAIN
    };
    if dice.chance(50) {
        // Small buffers, so that something is lost.
        let bytes = Some(dice.between(frame, 6 * frame));
        scenario.fabric.each_tier(|tier| {
            (tier.down_buffer_bytes, tier.up_buffer_bytes) = (bytes, bytes);
        });
    }
    if dice.chance(30) {
        share_buffers(scenario, dice);
    }
    marks(scenario, dice);
    if dice.chance(40) {
        losses(scenario, dice);
    }
    scenario.nic.control_per_data = dice.one_of(&[1, 1, 2, 3, 10]);
}

fn share_buffers(scenario: &mut Scenario, dice: &mut Dice) {
    let frame = frame(scenario);
    let any = dice.between(frame, 60 * frame);
    let alpha = dice.one_of(&[(1, 1), (1, 2), (8, 1), (1, 7), (3, 10)]);
    scenario.fabric.queue.shared_buffer = Some(SharedBuffer {
        bytes: dice.one_of(&[any, 8 * frame, 30 * frame]),
        alpha: ratio(alpha),
    });
    scenario.fabric.each_tier(|tier| {
        (tier.down_buffer_bytes, tier.up_buffer_bytes) = (None, None);
    });
}

/// Where a port trims that has no room for any frame, NACKs and their answers go to and fro for ever.
fn take_at_least_a_frame(scenario: &mut Scenario) {
    let frame = frame(scenario);
    scenario.fabric.each_tier(|tier| {
        for buffer in [&mut tier.down_buffer_bytes, &mut tier.up_buffer_bytes] {
            *buffer = buffer.map(|bytes| bytes.max(frame));
        }
    });
    if let Some(shared) = &mut scenario.fabric.queue.shared_buffer {
        let least = (frame * shared.alpha.den).div_ceil(shared.alpha.num);
        shared.bytes = shared.bytes.max(frame).max(least);
    }
}

fn marks(scenario: &mut Scenario, dice: &mut Dice) {
    let frame = frame(scenario);
    scenario.fabric.queue.ecn_counts_departing = dice.chance(50);
    if let Some(low) = scenario.fabric.ecn_threshold_bytes {
        let any = low + dice.between(1, 8 * frame);
        scenario.fabric.queue.ecn_max_threshold_bytes = dice.one_of(&[None, Some(any), Some(low)]);
    }
}

/// Links that lose frames by chance.
fn losses(scenario: &mut Scenario, dice: &mut Dice) {
    let wiring = Wiring::new(&scenario.fabric.shape);
    for _ in 0..dice.one_of(&[1, 1, 2, 4]) {
        let node = dice.between(wiring.hosts as u64, wiring.plugs.len() as u64 - 1) as usize;
        let ports = wiring.plugs[node].iter().enumerate();
        let ports: Vec<_> = ports.filter(|(_, p)| p.peer >= wiring.hosts).collect();
        let (port, plug) = dice.one_of(&ports);
        let ends = (node, plug.peer);
        let ends = dice.one_of(&[ends, (ends.1, ends.0)]);
        let names = (
            wiring.name(ends.0).to_string(),
            wiring.name(ends.1).to_string(),
        );
        let member = wiring.member(node, port);
        let named = dice.chance(60);
        let probability = dice.one_of(&[(1, 100), (1, 10), (1, 3), (1, 1_000_000), (1, 20)]);
        scenario.fabric.losses.links.push(LinkLoss {
            link: named.then_some(names),
            member: (named && dice.chance(50)).then_some(member),
            probability: ratio(probability),
            frames: dice.one_of(&[LossFrames::All, LossFrames::Data, LossFrames::Control]),
        });
    }
}

fn recovery(scenario: &mut Scenario, dice: &mut Dice) {
    scenario.packet.acks = Acks::PerPacket;
    let frame = frame(scenario);
    let kinds = [
        TransportKind::SelectiveRepeat,
        TransportKind::SelectiveRepeat,
        TransportKind::GoBackN,
    ];
    let any = dice.between(1, 10 * frame) as u32;
    scenario.transport = Some(Transport {
        kind: dice.one_of(&kinds),
        handshake: false,
        ack_bytes_threshold: dice.one_of(&[0, 0, 16_384, any, 4 * frame as u32]),
        counts_received_bytes: dice.one_of(&[false, false, true]),
        reorder_packets: dice.one_of(&[16_384, 16_384, 1, 2, 8]),
        dup_threshold: dice.one_of(&[
            None,
            None,
            Some(DupThreshold::Packets(1)),
            Some(DupThreshold::Packets(3)),
            Some(DupThreshold::Packets(10)),
        ]),
        rto: rto(scenario, dice),
        sleek: None,
        give_up_after: dice.one_of(&[1, 3, 8, 20]),
    });
    let bytes = dice.between(frame, 20 * frame);
    let bdp = dice.one_of(&[(1, 10), (1, 2), (1, 1), (3, 2)]);
    let window = |bytes| {
        let bdp = ratio(bdp);
        Controller::FixedWindow(fixed_window::Params { bdp, bytes })
    };
    let controllers = [
        Controller::default(),
        window(None),
        window(Some(bytes)),
        window(Some(2 * frame)),
    ];
    scenario.congestion_control.controller = dice.one_of(&controllers);
    // Unpaced: what a pacer makes of windows and retransmissions is not told here.
    scenario.congestion_control.load = Ratio::ONE;
    scenario.congestion_control.rho_max = RhoMaxRule::LineRate;
    scenario.workload.pacing_jitter_pct = ratio((0, 1));
}

fn rto(scenario: &Scenario, dice: &mut Dice) -> Rto {
    let base = base_rtt(scenario).0;
    let any = dice.between(base / 2 + 1, 6 * base);
    let few_slots = base + slot(scenario).0 * dice.between(0, 20);
    let spans = [any, 3 * base, base, few_slots].map(Span);
    let kinds = [
        RtoKind::Fixed(None),
        RtoKind::Fixed(Some(dice.one_of(&spans))),
        RtoKind::Fixed(Some(dice.one_of(&spans))),
        RtoKind::Estimated {
            initial: dice.one_of(&spans),
            min: Span(dice.one_of(&[1, base, 5_000_000])),
        },
    ];
    Rto {
        kind: dice.one_of(&kinds),
        backoff: dice.one_of(&[1, 2]),
        max: Span(dice.one_of(&[10_000_000_000, 10_000_000_000, 8 * base])),
        scope: dice.one_of(&[RtoScope::Oldest, RtoScope::All]),
    }
}

fn lossless(scenario: &mut Scenario, dice: &mut Dice) {
    let frame = frame(scenario);
    let high = dice.between(0, 8 * frame);
    let low = dice.between(0, high);
    let any = dice.between(1, 2 * frame) as u32;
    let mut lossless = Lossless {
        pause_bytes: Some(high),
        resume_bytes: dice.one_of(&[None, Some(low), Some(high)]),
        resume_offset_bytes: None,
        headroom_bytes: None,
        pause_frame_bytes: dice.one_of(&[64, 64, any]),
    };
    scenario.fabric.queue = Queue {
        control_priority: dice.chance(50),
        kind: QueueKind::Lossless(lossless),
        ..Queue::PLAIN
    };
    scenario.fabric.each_tier(|tier| {
        (tier.down_buffer_bytes, tier.up_buffer_bytes) = (None, None);
    });
    if dice.chance(30) {
        lossless.resume_offset_bytes = dice.one_of(&[None, Some(0), Some(frame)]);
        (lossless.pause_bytes, lossless.resume_bytes) = (None, None);
        share_buffers(scenario, dice);
    } else if dice.chance(40) {
        lossless.pause_bytes = None;
        let room = dice.between(1, 8 * frame);
        buffers_with_headroom(scenario, &lossless, room);
        lossless.resume_bytes = None;
    }
    scenario.fabric.queue.kind = QueueKind::Lossless(lossless);
    marks(scenario, dice);
    scenario.nic.control_per_data = dice.one_of(&[1, 1, 3]);
}

/// Every port has `room` beside the largest headroom.
fn buffers_with_headroom(scenario: &mut Scenario, lossless: &Lossless, room: u64) {
    let wiring = Wiring::new(&scenario.fabric.shape);
    let mut needed = 0;
    for node in wiring.hosts..wiring.plugs.len() {
        for port in 0..wiring.plugs[node].len() {
            let wire = wire(scenario, &wiring, node, port);
            needed = needed.max(needed_headroom(lossless, scenario, &wire));
        }
    }
    let bytes = Some(needed + room);
    scenario.fabric.each_tier(|tier| {
        (tier.down_buffer_bytes, tier.up_buffer_bytes) = (bytes, bytes);
    });
}

fn stuck_hosts(scenario: &mut Scenario, dice: &mut Dice) {
    let hosts = Wiring::new(&scenario.fabric.shape).hosts;
    let about = 10 * base_rtt(scenario).0;
    for host in 0..hosts as u32 {
        if dice.chance(8) {
            let from = dice.between(0, about);
            let until = from + dice.between(1, about);
            scenario.fabric.losses.stuck_hosts.push(StuckHost {
                host,
                from: Time(from),
                until: dice.one_of(&[Time(until), Time(until), Time(from + 1), Time::NEVER]),
            });
        }
    }
}
