//! Ports that trim, share, mark and lose: books and closed forms of whole fabrics.

use super::setup::*;
use spraysim::scenario::{Acks, Scenario, Tier};
use spraysim::settings::{Evict, LinkLoss, LossFrames, Queue, QueueKind, SharedBuffer, Trimming};
use spraysim::sim::{LinkResult, RunResult, Stage};
use spraysim::units::{Ratio, Time};
use spraysim::workload::FlowSpec;

const TRIMMING: Trimming = Trimming {
    trim_bytes: Some(64),
    header_buffer_bytes: None,
    evict: Evict::Arriving,
};

fn of(result: &RunResult, stage: Stage) -> impl Iterator<Item = &LinkResult> {
    result.links.iter().filter(move |link| link.stage == stage)
}

fn sum(result: &RunResult, value: impl Fn(&LinkResult) -> u64) -> u64 {
    result.links.iter().map(value).sum()
}

fn buffer(scenario: &mut Scenario, bytes: Option<u64>) {
    let change = |tier: &mut Tier| {
        (tier.down_buffer_bytes, tier.up_buffer_bytes) = (bytes, bytes);
    };
    scenario.fabric.each_tier(change);
}

fn loss(link: Option<(&str, &str)>, frames: LossFrames, (num, den): (u64, u64)) -> LinkLoss {
    LinkLoss {
        link: link.map(|(one, other)| (one.to_owned(), other.to_owned())),
        member: None,
        probability: Ratio { num, den },
        frames,
    }
}

/// All hosts but the last `senders` + 1 are silent; those send `packets` each to the last.
fn incast(scenario: &Scenario, senders: u32, packets: u64) -> Vec<FlowSpec> {
    let last = tree(scenario).hosts() - 1;
    let to_last = |src| flow(src, last, packets * PAYLOAD);
    (last - senders..last).map(to_last).collect()
}

/// A random case: any queue but lossless ones, random losses, incast or permutation, a horizon at times.
fn case(number: u64) -> (Scenario, RunResult) {
    let mut dice = Dice::new(number);
    let (levels, k) = dice.one(&[(3, 4), (3, 6), (2, 6)]);
    let mut scenario = paper(levels, k, dice.one(&ALL)).permutation(30 * PAYLOAD, false);
    buffer(&mut scenario, dice.one(&[Some(9_000), Some(40_000)]));
    let trimming = Trimming {
        trim_bytes: dice.one(&[Some(64), None]),
        header_buffer_bytes: dice.one(&[None, Some(200)]),
        evict: dice.one(&[Evict::Arriving, Evict::Coin]),
    };
    scenario.fabric.queue = Queue {
        kind: dice.one(&[QueueKind::Fifo, QueueKind::Trimming(trimming)]),
        control_priority: dice.one(&[false, true]),
        shared_buffer: dice.one(&[
            None,
            Some(SharedBuffer {
                bytes: 50_000,
                alpha: Ratio { num: 1, den: 2 },
            }),
        ]),
        ecn_max_threshold_bytes: dice.one(&[None, Some(90_000)]),
        ecn_counts_departing: dice.one(&[false, true]),
    };
    if dice.below(2) == 0 {
        let frames = dice.one(&[LossFrames::All, LossFrames::Data, LossFrames::Control]);
        scenario.fabric.losses.links = vec![loss(None, frames, (1, 40))];
    }
    if dice.below(3) == 0 {
        scenario.horizon = Some(Time(1_000_000 + dice.below(3_000_000)));
    }
    let result = match dice.below(2) {
        0 => run(&scenario, number),
        _ => run_flows(&scenario, incast(&scenario, 8, 20), number),
    };
    (scenario, result)
}

#[test]
fn what_hosts_send_arrives_or_is_dropped_lost_held_or_on_a_wire() {
    let mut seen = [0_u64; 4];
    for number in 0..400 {
        let (scenario, result) = case(number);
        let nics: u64 = of(&result, Stage::Nic).map(|link| link.packets).sum();
        let arrived: u64 = of(&result, Stage::Eh).map(|link| link.packets).sum();
        let gone = sum(&result, |link| link.dropped_packets + link.lost_packets);
        let held = sum(&result, |link| link.queued.all());
        // Those on a wire to a host count as arrived here.
        let between = nics - arrived - gone - held;
        assert!(
            between <= result.on_wires.all(),
            "case {number}: {scenario:?}"
        );
        if result.ran_dry {
            assert_eq!((held, between), (0, 0), "case {number}: {scenario:?}");
        }
        let control = sum(&result, |link| link.dropped_control_packets);
        let dropped = sum(&result, |link| link.dropped_packets);
        assert!(control <= dropped);
        let trims = scenario.fabric.queue.kind.trims();
        let trimmed = sum(&result, |link| link.trimmed_packets);
        assert!(trims || trimmed == 0);
        // Data that does not fit loses its payload; what is dropped of it is headers.
        let data = sum(&result, |link| {
            link.dropped_packets - link.dropped_control_packets
        });
        assert!(!trims || data <= trimmed, "case {number}");
        for (count, found) in seen.iter_mut().zip([trimmed, dropped, held, between]) {
            *count += u64::from(found > 0);
        }
    }
    assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
}

#[test]
fn a_lone_hot_port_holds_alpha_in_one_plus_alpha_of_a_shared_buffer() {
    for (num, den) in [(1, 1), (1, 4), (8, 1)] {
        let mut scenario = paper(2, 8, "ofan").quiet().at_once();
        let bytes = 400_000;
        scenario.fabric.queue.shared_buffer = Some(SharedBuffer {
            bytes,
            alpha: Ratio { num, den },
        });
        // Three hosts of the last leaf send to the fourth: its port is the only one with a queue.
        let result = run_flows(&scenario, incast(&scenario, 3, 200), 1);
        let hot = of(&result, Stage::Eh)
            .map(|link| link.queue_max_bytes)
            .max();
        // A frame fits while q + F <= alpha (B - q): the last one leaves q + F at most at alpha (B + F) / (1 + alpha), and another would
        // fit if that were a frame less.
        let most = num * (bytes + 4_158) / (num + den);
        let hot = hot.expect("there are links");
        assert!(
            hot <= most && hot > most - 4_158,
            "alpha {num}/{den}: {hot} of {most}"
        );
        assert!(sum(&result, |link| link.dropped_packets) > 0);
    }
}

#[test]
fn the_headers_of_a_trimmed_incast_all_arrive_and_the_port_never_idles() {
    for evict in [Evict::Arriving, Evict::Coin] {
        let mut scenario = paper(3, 8, "ofan").quiet().at_once();
        buffer(&mut scenario, Some(20_000));
        scenario.fabric.queue.kind = QueueKind::Trimming(Trimming { evict, ..TRIMMING });
        scenario.fabric.queue.control_priority = true;
        let result = run_flows(&scenario, incast(&scenario, 20, 40), 1);
        assert_eq!(result.data_packets, 800);
        let hot = of(&result, Stage::Eh).find(|link| link.packets > 0);
        let hot = hot.expect("there is a receiver");
        assert_eq!(hot.packets + sum(&result, |link| link.dropped_packets), 800);
        // 40,000 bytes of headers fit: 625, more than are ever there at once.
        assert_eq!(sum(&result, |link| link.dropped_packets), 0);
        let trimmed = sum(&result, |link| link.trimmed_packets);
        assert_eq!(result.delivered_packets + trimmed, 800, "{evict:?}");
        assert_eq!(hot.bytes, 4_158 * (800 - trimmed) + 64 * trimmed);
    }
}

#[test]
fn an_incast_of_which_nothing_is_trimmed_arrives_or_is_dropped_whole() {
    for evict in [Evict::Arriving, Evict::Coin] {
        let mut scenario = paper(3, 8, "ofan").quiet().at_once();
        buffer(&mut scenario, Some(20_000));
        scenario.fabric.queue.kind = QueueKind::Trimming(Trimming {
            trim_bytes: None,
            evict,
            ..TRIMMING
        });
        scenario.fabric.queue.control_priority = true;
        let result = run_flows(&scenario, incast(&scenario, 20, 40), 1);
        let dropped = sum(&result, |link| link.dropped_packets);
        let hot = of(&result, Stage::Eh).find(|link| link.packets > 0);
        let hot = hot.expect("there is a receiver");
        assert_eq!(result.delivered_packets + dropped, 800, "{evict:?}");
        assert_eq!(hot.packets, result.delivered_packets);
        assert_eq!(hot.bytes, 4_158 * (800 - dropped));
        assert_eq!(hot.queue_max_packets, 4, "that many full frames fit");
        assert_eq!(sum(&result, |link| link.trimmed_packets), 0);
        assert_eq!(sum(&result, |link| link.dropped_control_packets), 0);
        // 20 come in the time in which one leaves: the port is full all the time, and all but about 40 and what it holds are dropped.
        assert!(dropped > 700, "{evict:?}: {dropped}");
    }
}

#[test]
fn without_control_frames_ports_that_drop_the_arriving_packet_are_drop_tail_ports() {
    for (seed, scheme) in ALL.iter().copied().enumerate() {
        let mut scenario = paper(3, 4, scheme).permutation(60 * PAYLOAD, false);
        scenario.packet.acks = Acks::None;
        buffer(&mut scenario, Some(12_500));
        let plain = run(&scenario, seed as u64);
        scenario.fabric.queue = Queue {
            kind: QueueKind::Trimming(Trimming {
                trim_bytes: None,
                ..TRIMMING
            }),
            control_priority: true,
            ..Queue::PLAIN
        };
        let dropping = run(&scenario, seed as u64);
        assert!(plain == dropping, "{scheme}");
    }
}

#[test]
fn control_with_priority_waits_for_one_frame_at_most_at_each_port() {
    let slowest = |control_priority| {
        let mut scenario = paper(2, 6, "ofan").at_once();
        scenario.fabric.queue.control_priority = control_priority;
        // The last host gets four flows and sends one to the first: ACKs of that one come back through its queue.
        let mut flows = incast(&scenario, 2, 200);
        let last = tree(&scenario).hosts() - 1;
        flows.extend([flow(0, last, 200 * PAYLOAD), flow(3, last, 200 * PAYLOAD)]);
        flows.push(flow(last, 6, PAYLOAD));
        let result = run_flows(&scenario, flows, 1);
        let lone = result.flows.iter().find(|flow| flow.spec.src == last);
        let lone = lone.expect("it was run");
        (lone.end.expect("it ends") - lone.start.expect("it starts")).0 - lone.ideal.0
    };
    // Its ACK crosses four switch ports, a data frame and a gap before it at each; the queue of the last port is longer.
    assert!(slowest(true) <= 4 * SLOT, "{}", slowest(true));
    assert!(slowest(false) > 4 * SLOT, "{}", slowest(false));
}

#[test]
fn links_lose_what_they_are_told_to_and_nothing_else() {
    let base = paper(3, 4, "rps").permutation(400 * PAYLOAD, true);
    let between = |link: &&LinkResult| !matches!(link.stage, Stage::Nic | Stage::Eh);
    for (frames, is_data) in [(LossFrames::Data, true), (LossFrames::Control, false)] {
        let mut scenario = base.clone();
        scenario.fabric.losses.links = vec![loss(None, frames, (1, 50))];
        let result = run(&scenario, 1);
        let links = || result.links.iter().filter(between);
        let lost: u64 = links().map(|link| link.lost_packets).sum();
        let control: u64 = links().map(|link| link.lost_control_packets).sum();
        assert_eq!(sum(&result, |link| link.lost_packets), lost);
        assert_eq!(control, if is_data { 0 } else { lost });
        // A frame of the kind survives four links with 0.98^4; hosts sent so many.
        let (sent, survived) = match is_data {
            true => (result.data_packets, result.delivered_packets),
            false => (result.ack_packets, result.ack_packets - lost),
        };
        let share = 0.98_f64.powi(4);
        let slack = 5.0 * (sent as f64 * share * (1.0 - share)).sqrt();
        let off = survived as f64 - sent as f64 * share;
        assert!(off.abs() < slack, "{frames:?}: {survived} of {sent}");
    }
    let mut scenario = base;
    scenario.fabric.losses.links = vec![loss(Some(("a0", "e0")), LossFrames::All, (1, 1))];
    let result = run(&scenario, 1);
    for link in &result.links {
        let ends = [link.src.to_string(), link.dst.to_string()];
        let is_it = ends == ["e0", "a0"] || ends == ["a0", "e0"];
        assert_eq!(link.lost_packets, if is_it { link.packets } else { 0 });
        assert!(!is_it || link.packets > 0);
    }
}

#[test]
fn two_thresholds_mark_a_share_between_none_and_those_of_each_alone() {
    let marked = |min, max| {
        let mut scenario = paper(3, 4, "rps").permutation(200 * PAYLOAD, false);
        scenario.fabric.ecn_threshold_bytes = Some(min);
        scenario.fabric.queue.ecn_max_threshold_bytes = max;
        sum(&run(&scenario, 1), |link| link.marked_packets)
    };
    let (low, red, high) = (
        marked(9_000, None),
        marked(9_000, Some(60_000)),
        marked(60_000, None),
    );
    assert!(low > red && red > high, "{low}, {red}, {high}");
    assert_eq!(marked(9_000, Some(9_000)), low);
}
