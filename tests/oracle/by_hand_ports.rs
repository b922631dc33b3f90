//! Ports that give way to control frames, trim, mark at random, share a buffer and lose frames, held to numbers computed by hand.

use spraysim::packet::{Kind, Packet};
use spraysim::rng::{Domain, Rng};
use spraysim::scenario::Scenario;
use spraysim::settings::{
    Evict, LinkLoss, LossFrames, Queue, QueueKind, Shape, SharedBuffer, Trimming,
};
use spraysim::units::{Ratio, Time};

use super::bench::{flow, leftmost, paper};
use super::coins::Coins;
use super::failures::Faults;
use super::nic::new_packet;
use super::ports::{Attempt, Loss, OutPort, Wire};
use super::switching::wire;
use super::wiring::Wiring;
use super::world::simulate;

const FRAME: u32 = 4_158;
const DATA: u64 = 41_580;
const SLOT: u64 = 41_780;
const SEED: u64 = 1;
/// The first edge's port to the first aggregation switch of a fabric of 16 hosts.
const PORT: (usize, usize) = (16, 2);

/// What left a port: when, which packet, as what, marked or not, and lost or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Left {
    at: u64,
    psn: u32,
    kind: Kind,
    marked: bool,
    lost: bool,
}

fn data(psn: u32) -> Packet {
    new_packet(Time::ZERO, Kind::Data, 2, 0, psn, FRAME, 0)
}

fn ack(psn: u32) -> Packet {
    new_packet(Time::ZERO, Kind::Ack, 2, 0, psn, 64, 0)
}

/// A port alone, to which frames come in order of time.
#[derive(Debug)]
struct Alone {
    port: OutPort,
    wire: Wire,
    /// Bytes at the switch's other ports.
    others: u64,
}

impl Alone {
    fn new(scenario: &Scenario, seed: u64) -> Self {
        let wiring = Wiring::new(&Shape::fat_tree(3, 4));
        let coins = Coins::new(PORT, seed, scenario, &wiring);
        Self {
            port: OutPort::new(PORT, coins),
            wire: wire(scenario, &wiring, PORT.0, PORT.1),
            others: 0,
        }
    }

    /// All that leaves.
    fn run(&mut self, arrivals: &[(u64, Packet)]) -> Vec<Left> {
        let faults = Faults::default();
        let (mut left, mut rest) = (Vec::new(), arrivals.iter().peekable());
        let mut leaves = None;
        loop {
            let comes = rest.peek().map(|(at, _)| Time(*at));
            let starts = self.port.ready(Time::ZERO);
            let Some(now) = [comes, leaves, starts].into_iter().flatten().min() else {
                return left;
            };
            if leaves == Some(now) {
                let (packet, loss) = self.port.depart(now, &self.wire, &faults);
                left.push(Left {
                    at: now.0,
                    psn: packet.psn,
                    kind: packet.kind,
                    marked: packet.is_marked(),
                    lost: loss != Loss::None,
                });
                leaves = None;
            } else if comes == Some(now) {
                let (_, packet) = rest.next().expect("one comes");
                self.port.enqueue(*packet, now, &self.wire, self.others);
            } else if let Attempt::Leaves(at) = self.port.serve(now, &self.wire, &faults) {
                leaves = Some(at);
            }
        }
    }
}

fn with_queue(queue: Queue) -> Scenario {
    let mut scenario = paper(4);
    scenario.fabric.queue = queue;
    scenario
}

fn with_buffer(mut scenario: Scenario, bytes: u64) -> Scenario {
    let buffer = Some(bytes);
    scenario
        .fabric
        .each_tier(|tier| (tier.down_buffer_bytes, tier.up_buffer_bytes) = (buffer, buffer));
    scenario
}

fn trimming(evict: Evict, header_buffer_bytes: Option<u64>) -> Queue {
    Queue {
        kind: QueueKind::Trimming(Trimming {
            trim_bytes: Some(64),
            header_buffer_bytes,
            evict,
        }),
        ..Queue::PLAIN
    }
}

/// When packets left, by number.
fn order(left: &[Left]) -> Vec<(u32, u64)> {
    left.iter().map(|left| (left.psn, left.at)).collect()
}

#[test]
fn a_control_frame_that_comes_when_service_starts_goes_before_data_that_waits() {
    let queue = Queue {
        control_priority: true,
        ..Queue::PLAIN
    };
    let of = |queue: Queue, at: u64| {
        let mut alone = Alone::new(&with_queue(queue), SEED);
        order(&alone.run(&[(0, data(0)), (0, data(1)), (at, ack(9))]))
    };
    let overtakes = [(0, DATA), (9, SLOT + 640), (1, SLOT + 840 + DATA)];
    assert_eq!(of(queue, 1), overtakes);
    assert_eq!(of(queue, SLOT), overtakes, "at the instant of the choice");
    let waits = [(0, DATA), (1, SLOT + DATA), (9, 2 * SLOT + 640)];
    assert_eq!(of(queue, SLOT + 1), waits, "data is in service");
    assert_eq!(of(Queue::PLAIN, 1), waits, "one queue for all");
}

#[test]
fn an_ack_overtakes_a_queue_of_data_at_a_switch() {
    // Hosts 0 and 1 fill the uplink of their edge. An ACK of host 0 comes there at 2,673.2 ns and goes at the 53rd start of service, at
    // 541.58 + 52 x 41.78 ns; one switch on, it waits for the frame that came just before it; the rest of its way is free.
    let mut scenario = paper(4);
    scenario.fabric.queue.control_priority = true;
    let flows = [(0, 2, 100), (1, 3, 100), (2, 0, 1)];
    let flows = flows.map(|(src, dst, packets)| flow(src, dst, packets, Time::ZERO));
    let seen = simulate(&scenario, &flows, SEED, &leftmost());
    assert_eq!(seen.flows[2].end, Some(Time(4_257_000)));
}

#[test]
fn the_frame_that_does_not_fit_is_trimmed_and_its_header_goes_first() {
    let scenario = with_buffer(with_queue(trimming(Evict::Arriving, None)), 2 * 4_158);
    let mut alone = Alone::new(&scenario, SEED);
    let left = alone.run(&[(0, data(0)), (0, data(1)), (0, data(2))]);
    assert_eq!(
        order(&left),
        [(2, 640), (0, 840 + DATA), (1, 840 + SLOT + DATA)]
    );
    assert_eq!(left[0].kind, Kind::Trimmed);
    assert_eq!((alone.port.lossy.trimmed, alone.port.seen.dropped), (1, 0));
    let seen = &alone.port.seen;
    assert_eq!((seen.max_packets, seen.max_bytes), (3, 2 * 4_158 + 64));
}

#[test]
fn a_coin_says_whether_the_last_data_frame_is_trimmed_in_place_of_the_arriving_one() {
    let scenario = with_buffer(with_queue(trimming(Evict::Coin, None)), 2 * 4_158);
    let mut cut_a_queued_one = 0;
    for seed in 0..20 {
        let index = (PORT.0 as u64) << 16 | PORT.1 as u64;
        let mut coin = Rng::stream(seed, Domain::TrimCoin, index);
        let mut alone = Alone::new(&scenario, seed);
        // The first frame is in service when the third comes.
        let left = alone.run(&[(0, data(0)), (0, data(1)), (1, data(2))]);
        let psns: Vec<u32> = left.iter().map(|left| left.psn).collect();
        let queued = coin.below(2) == 0;
        let expected = if queued { [0, 1, 2] } else { [0, 2, 1] };
        assert_eq!(psns, expected, "seed {seed}");
        assert_eq!(left[1].kind, Kind::Trimmed);
        cut_a_queued_one += u32::from(queued);
    }
    assert!((1..20).contains(&cut_a_queued_one));
}

/// The same, but nothing is left of what does not fit.
fn dropping(evict: Evict, header_buffer_bytes: Option<u64>) -> Queue {
    Queue {
        kind: QueueKind::Trimming(Trimming {
            trim_bytes: None,
            header_buffer_bytes,
            evict,
        }),
        ..Queue::PLAIN
    }
}

#[test]
fn data_of_which_nothing_is_left_is_dropped_and_acks_keep_their_own_room() {
    let queue = dropping(Evict::Arriving, Some(64));
    let mut alone = Alone::new(&with_buffer(with_queue(queue), 2 * 4_158), SEED);
    let arrivals = [data(0), data(1), data(2), ack(3), ack(4)].map(|packet| (0, packet));
    let left = alone.run(&arrivals);
    assert_eq!(
        order(&left),
        [(3, 640), (0, 840 + DATA), (1, 840 + SLOT + DATA)]
    );
    // The third data frame and the second ACK.
    assert_eq!((alone.port.lossy.trimmed, alone.port.seen.dropped), (0, 2));
    let seen = &alone.port.seen;
    assert_eq!((seen.max_packets, seen.max_bytes), (3, 2 * 4_158 + 64));
}

#[test]
fn a_coin_says_whether_the_last_data_frame_is_dropped_in_place_of_the_arriving_one() {
    let scenario = with_buffer(with_queue(dropping(Evict::Coin, None)), 2 * 4_158);
    let mut dropped_a_queued_one = 0;
    for seed in 0..20 {
        let index = (PORT.0 as u64) << 16 | PORT.1 as u64;
        let mut coin = Rng::stream(seed, Domain::TrimCoin, index);
        let mut alone = Alone::new(&scenario, seed);
        // The first frame is in service when the third comes.
        let left = alone.run(&[(0, data(0)), (0, data(1)), (1, data(2))]);
        let queued = coin.below(2) == 0;
        let second = if queued { 2 } else { 1 };
        assert_eq!(order(&left), [(0, DATA), (second, SLOT + DATA)]);
        assert_eq!((alone.port.lossy.trimmed, alone.port.seen.dropped), (0, 1));
        let short = alone
            .port
            .stays
            .iter()
            .filter(|stay| stay.left == Some(Time(1)));
        assert_eq!(short.count(), usize::from(queued), "the dropped one's stay");
        dropped_a_queued_one += u32::from(queued);
    }
    assert!((1..20).contains(&dropped_a_queued_one));
}

#[test]
fn a_frame_in_service_is_never_trimmed_and_the_coin_is_drawn_all_the_same() {
    let scenario = with_buffer(with_queue(trimming(Evict::Coin, None)), 2 * 4_158 - 1);
    for seed in 0..20 {
        let index = (PORT.0 as u64) << 16 | PORT.1 as u64;
        let mut coin = Rng::stream(seed, Domain::TrimCoin, index);
        let _first = coin.below(2);
        let mut alone = Alone::new(&scenario, seed);
        // The second frame finds the first in service. The fourth finds the third waiting.
        let arrivals = [(0, data(0)), (1, data(1)), (SLOT, data(2)), (SLOT, data(3))];
        let left = alone.run(&arrivals);
        let cut = left.iter().filter(|left| left.kind == Kind::Trimmed);
        let cut: Vec<u32> = cut.map(|left| left.psn).collect();
        let second = if coin.below(2) == 0 { 2 } else { 3 };
        assert_eq!(cut, [1, second], "seed {seed}");
    }
}

#[test]
fn headers_have_a_buffer_of_their_own_and_are_dropped_beyond_it() {
    let arrivals = [(0, data(0)), (0, data(1)), (0, data(2)), (0, ack(3))];
    for (bytes, dropped) in [(Some(192), 0), (Some(191), 1), (Some(63), 3), (None, 0)] {
        let queue = trimming(Evict::Arriving, bytes);
        let mut alone = Alone::new(&with_buffer(with_queue(queue), 4_158), SEED);
        let left = alone.run(&arrivals);
        assert_eq!(alone.port.seen.dropped, dropped, "{bytes:?}");
        assert_eq!(left.len() as u64 + dropped, 4);
        assert_eq!(alone.port.lossy.trimmed, 2);
    }
}

#[test]
fn between_two_thresholds_marks_are_random_in_proportion() {
    let index = (PORT.0 as u64) << 16 | PORT.1 as u64;
    let arrivals = [(0, data(0)), (0, data(1)), (0, data(2)), (0, data(3))];
    let mut marked = [0; 4];
    for seed in 0..20 {
        for (counts, low, high) in [(true, 4_158, 12_474), (false, 0, 8_316)] {
            let mut scenario = paper(4);
            scenario.fabric.ecn_threshold_bytes = Some(low);
            scenario.fabric.queue.ecn_max_threshold_bytes = Some(high);
            scenario.fabric.queue.ecn_counts_departing = counts;
            let mut alone = Alone::new(&scenario, seed);
            let left = alone.run(&arrivals);
            let marks: Vec<bool> = left.iter().map(|left| left.marked).collect();
            // Of 4, 3, 2 and 1 frames: above; at the top, so a draw that always marks; half way; not above the lower one.
            let mut coin = Rng::stream(seed, Domain::EcnCoin, index);
            let draws = [coin.below_u64(8_316), coin.below_u64(8_316)];
            let expected = [true, draws[0] < 8_316, draws[1] < 4_158, false];
            assert_eq!(marks, expected, "seed {seed}");
            for (count, mark) in marked.iter_mut().zip(marks) {
                *count += u32::from(mark);
            }
        }
    }
    assert_eq!((marked[0], marked[1], marked[3]), (40, 40, 0));
    assert!((2..38).contains(&marked[2]), "{marked:?}");
}

#[test]
fn a_shared_buffer_gives_a_port_no_more_than_alpha_times_what_is_free() {
    let accepted = |bytes: u64, (num, den): (u64, u64), others: u64, kind: QueueKind| {
        let queue = Queue {
            kind,
            shared_buffer: Some(SharedBuffer {
                bytes,
                alpha: Ratio { num, den },
            }),
            ..Queue::PLAIN
        };
        let mut alone = Alone::new(&with_queue(queue), SEED);
        alone.others = others;
        let arrivals: Vec<(u64, Packet)> = (0..10).map(|psn| (0, data(psn))).collect();
        let left = alone.run(&arrivals);
        left.iter().filter(|left| left.kind == Kind::Data).count()
    };
    let plain = QueueKind::Fifo;
    // (n + 1) 4158 <= (40000 - n 4158) / 2 for n = 0, 1, 2.
    assert_eq!(accepted(40_000, (1, 2), 0, plain), 3);
    assert_eq!(accepted(40_000, (1, 2), 30_000, plain), 1);
    // The third frame fits if 3 x 4158 <= (B - 2 x 4158) / 2, and no byte less.
    assert_eq!(accepted(8 * 4_158, (1, 2), 0, plain), 3);
    assert_eq!(accepted(8 * 4_158 - 1, (1, 2), 0, plain), 2);
    // A large alpha leaves the buffer itself.
    assert_eq!(accepted(5 * 4_158, (1_000, 1), 0, plain), 5);
    assert_eq!(accepted(5 * 4_158, (1_000, 1), 1, plain), 4);
    let trims = trimming(Evict::Arriving, None).kind;
    assert_eq!(accepted(8 * 4_158, (1, 2), 0, trims), 3);
}

#[test]
fn a_link_loses_frames_as_its_own_stream_says() {
    let entry = |frames, num| LinkLoss {
        link: Some(("a0".to_owned(), "e0".to_owned())),
        member: None,
        probability: Ratio { num, den: 3 },
        frames,
    };
    let mut scenario = paper(4);
    scenario.fabric.losses.links = vec![
        entry(LossFrames::Data, 1),
        entry(LossFrames::All, 2),
        LinkLoss {
            link: Some(("e0".to_owned(), "a1".to_owned())),
            ..entry(LossFrames::All, 3)
        },
    ];
    let mut alone = Alone::new(&scenario, SEED);
    let frame = |psn: u32| {
        if psn.is_multiple_of(3) {
            ack(psn)
        } else {
            data(psn)
        }
    };
    let arrivals: Vec<(u64, Packet)> = (0..60).map(|psn| (0, frame(psn))).collect();
    let index = (PORT.0 as u64) << 16 | PORT.1 as u64;
    let mut coin = Rng::stream(SEED, Domain::LossCoin, index);
    let mut lost_frames = 0;
    for left in alone.run(&arrivals) {
        let by_first = left.kind == Kind::Data && coin.below_u64(3) < 1;
        let by_second = coin.below_u64(3) < 2;
        assert_eq!(left.lost, by_first || by_second, "{left:?}");
        lost_frames += u64::from(left.lost);
    }
    assert_eq!(alone.port.seen.lost, lost_frames);
    assert!((30..55).contains(&lost_frames));
}

#[test]
fn a_loss_without_a_name_is_of_every_link_between_switches() {
    let mut scenario = paper(4);
    scenario.fabric.losses.links = vec![LinkLoss {
        link: None,
        member: None,
        probability: Ratio::ONE,
        frames: LossFrames::Data,
    }];
    let flows = [flow(0, 1, 3, Time::ZERO), flow(2, 4, 3, Time::ZERO)];
    let seen = simulate(&scenario, &flows, SEED, &leftmost());
    let ends = seen.flows.iter().map(|flow| flow.end.is_some());
    assert_eq!(ends.collect::<Vec<_>>(), [true, false]);
    assert_eq!(seen.links.values().map(|link| link.lost).sum::<u64>(), 3);
    assert_eq!((seen.taken, seen.data_packets, seen.ack_packets), (6, 6, 3));
}
