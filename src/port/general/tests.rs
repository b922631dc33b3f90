//! One port, frame by frame, against times computed by hand: 10 ps a byte, a gap of 20 ps, a latency of 500 ps.

use super::*;
use crate::port::Marking;
use crate::port::Trim;
use crate::port::testing::{Posted, coins, frame, place, port, rules, tally, with};
use crate::rng::Domain;
use crate::settings::LossFrames;
use crate::units::Ratio;
use Kind::{Ack, Data, Nack, Pause, Probe, Resume, Trimmed};

mod trimming;

/// A port and what came of it.
struct Bench {
    port: Port,
    rules: Rules,
    out: Posted,
    tally: Tally,
}

impl Bench {
    fn new(rules: Rules) -> Self {
        Self::with_port(port(0), rules)
    }

    fn with_port(port: Port, rules: Rules) -> Self {
        Self {
            port,
            rules,
            out: Posted::default(),
            tally: tally(),
        }
    }

    fn enqueue(&mut self, at: u64, packet: Packet) {
        let Self { port, rules, .. } = self;
        with(&mut self.out, &mut self.tally, |cx| {
            port.drain(Time(at), rules, cx);
            port.enqueue(packet, Time(at), rules, None, cx);
        });
    }

    fn pause(&mut self, at: u64, paused: bool) {
        let Self { port, rules, .. } = self;
        with(&mut self.out, &mut self.tally, |cx| {
            port.drain(Time(at), rules, cx);
            port.pause(paused, Time(at), rules, cx);
        });
    }

    /// All that leaves by `until`: when, kind, number.
    fn left(&mut self, until: u64) -> Vec<(u64, Kind, u32)> {
        let Self { port, rules, .. } = self;
        with(&mut self.out, &mut self.tally, |cx| {
            port.settle(Time(until), rules, cx);
        });
        self.out.left()
    }

    fn close(&mut self, end: u64) -> PortStats {
        let end = Time(end);
        let ends = Ends {
            integrated_until: end,
            ended: end,
        };
        self.port.close(ends, &mut self.tally)
    }
}

/// Control first, no bound.
fn classes() -> Bench {
    Bench::new(rules(Full::Drop, u64::MAX, true))
}

const TRIM: Trim = Trim {
    bytes: Some(64),
    header_buffer_bytes: u64::MAX,
    coin: false,
    last_hop: false,
};

/// Nothing is left of what does not fit.
const DROP: Trim = Trim {
    bytes: None,
    ..TRIM
};

#[test]
fn the_frame_is_chosen_when_service_starts_and_what_arrives_then_takes_part() {
    for (arrival, order) in [
        (1_019, [(1_660, Ack, 2), (2_680, Data, 1)]),
        (1_020, [(1_660, Ack, 2), (2_680, Data, 1)]),
        (1_021, [(2_020, Data, 1), (2_680, Ack, 2)]),
    ] {
        let mut bench = classes();
        bench.enqueue(0, frame(Data, 0, 100));
        bench.enqueue(5, frame(Data, 1, 100));
        // The first has left at 1,000; the gap ends at 1,020.
        bench.enqueue(arrival, frame(Ack, 2, 64));
        let expected = [&[(1_000, Data, 0)], &order[..]].concat();
        assert_eq!(bench.left(10_000), expected, "arrival at {arrival}");
    }
}

#[test]
fn of_two_that_arrive_at_an_idle_port_at_once_control_goes_first() {
    let mut bench = classes();
    bench.enqueue(70, frame(Data, 0, 100));
    bench.enqueue(70, frame(Nack, 1, 64));
    assert_eq!(bench.left(5_000), [(710, Nack, 1), (1_730, Data, 0)]);
}

#[test]
fn control_does_not_interrupt_the_frame_in_service() {
    let mut bench = classes();
    bench.enqueue(0, frame(Data, 0, 1_000));
    bench.enqueue(1, frame(Data, 1, 100));
    bench.enqueue(2, frame(Trimmed, 2, 64));
    bench.enqueue(3, frame(Probe, 3, 64));
    let expected = [
        (10_000, Data, 0),
        (10_660, Trimmed, 2),
        (11_680, Data, 1),
        (12_340, Probe, 3),
    ];
    assert_eq!(bench.left(20_000), expected);
}

#[test]
fn without_priority_all_frames_are_one_queue() {
    let mut bench = Bench::new(rules(Full::Drop, 200, false));
    bench.enqueue(0, frame(Data, 0, 100));
    bench.enqueue(0, frame(Ack, 1, 64));
    bench.enqueue(0, frame(Data, 2, 36));
    bench.enqueue(0, frame(Ack, 3, 1));
    let expected = [(1_000, Data, 0), (1_660, Ack, 1), (2_040, Data, 2)];
    assert_eq!(bench.left(5_000), expected);
    let stats = bench.close(5_000);
    assert_eq!(
        (stats.dropped_packets, stats.dropped_control_packets),
        (1, 1)
    );
    assert_eq!((stats.queue_max_packets, stats.queue_max_bytes), (3, 200));
}

#[test]
fn with_priority_both_classes_share_the_buffer_of_a_drop_tail_port() {
    let mut bench = Bench::new(rules(Full::Drop, 200, true));
    bench.enqueue(0, frame(Data, 0, 100));
    bench.enqueue(0, frame(Ack, 1, 64));
    bench.enqueue(0, frame(Data, 2, 37));
    bench.enqueue(0, frame(Ack, 3, 36));
    let stats = bench.close(0);
    assert_eq!(
        (stats.dropped_packets, stats.dropped_control_packets),
        (1, 0)
    );
}

#[test]
fn a_mark_is_decided_by_the_bytes_of_its_class() {
    for (counts_departing, marked) in [(true, [true, true, false]), (false, [true, false, false])] {
        let mut bench = classes();
        bench.rules.marking = Marking {
            min_bytes: 150,
            max_bytes: 150,
            counts_departing,
        };
        for psn in 0..3 {
            bench.enqueue(0, frame(Data, psn, 100));
        }
        for psn in 3..9 {
            bench.enqueue(0, frame(Ack, psn, 64));
        }
        bench.left(50_000);
        let of = |p: &Packet| p.kind == Data;
        let data = bench.out.0.iter().filter(|(_, p)| of(p));
        let found: Vec<bool> = data.map(|(_, p)| p.is_marked()).collect();
        assert_eq!(found, marked);
        assert!(!bench.out.0.iter().any(|(_, p)| !of(p) && p.is_marked()));
        assert_eq!(
            bench.close(50_000).marked_packets,
            marked.iter().filter(|&&marked| marked).count() as u64
        );
    }
}

#[test]
fn frames_that_are_marked_already_draw_too() {
    let marked_behind = |first_is_marked: bool| {
        let mut bench = classes();
        bench.rules.marking = Marking {
            min_bytes: 0,
            max_bytes: 100_000,
            counts_departing: true,
        };
        for psn in 0..600 {
            let mut data = frame(Data, psn, 100);
            if first_is_marked && psn == 0 {
                data.flags.set(Flags::MARKED);
            }
            bench.enqueue(0, data);
        }
        bench.left(10_000_000);
        let marks = bench.out.0.iter().map(|(_, p)| p.is_marked());
        marks.skip(1).collect::<Vec<bool>>()
    };
    assert_eq!(marked_behind(true), marked_behind(false));
}

#[test]
fn a_paused_port_finishes_its_frame_and_starts_none_until_it_may() {
    let mut bench = Bench::new(rules(Full::Never, 0, false));
    bench.enqueue(0, frame(Data, 0, 100));
    bench.enqueue(0, frame(Ack, 1, 64));
    bench.pause(999, true);
    bench.pause(1_500, true);
    assert_eq!(bench.left(4_999), [(1_000, Data, 0)]);
    bench.pause(5_000, false);
    assert_eq!(bench.left(9_000), [(1_000, Data, 0), (5_640, Ack, 1)]);
    let stats = bench.close(9_000);
    assert_eq!((stats.pauses, stats.paused), (1, Span(4_001)));
}

#[test]
fn a_pause_at_the_instant_of_a_start_comes_before_it() {
    for (at, expected) in [
        (1_020, vec![(1_000, Data, 0)]),
        (1_021, { vec![(1_000, Data, 0), (2_020, Data, 1)] }),
    ] {
        let mut bench = Bench::new(rules(Full::Never, 0, false));
        bench.enqueue(0, frame(Data, 0, 100));
        bench.enqueue(0, frame(Data, 1, 100));
        bench.pause(at, true);
        assert_eq!(bench.left(5_000), expected);
        assert_eq!(bench.close(6_000).paused, Span(6_000 - at), "to the end");
    }
}

#[test]
fn a_pause_that_is_taken_back_in_the_gap_changes_nothing() {
    let mut bench = Bench::new(rules(Full::Never, 0, false));
    bench.enqueue(0, frame(Data, 0, 100));
    bench.enqueue(0, frame(Data, 1, 100));
    bench.pause(1_005, true);
    bench.pause(1_010, false);
    assert_eq!(bench.left(5_000), [(1_000, Data, 0), (2_020, Data, 1)]);
}

#[test]
fn control_with_priority_passes_a_pause_and_pause_frames_pass_everything() {
    let mut bench = Bench::new(rules(Full::Never, 0, true));
    bench.pause(0, true);
    bench.enqueue(10, frame(Data, 0, 100));
    bench.enqueue(10, frame(Ack, 1, 64));
    bench.enqueue(10, frame(Pause, 2, 64));
    bench.enqueue(10, frame(Resume, 3, 64));
    let control = [(650, Pause, 2), (1_310, Resume, 3), (1_970, Ack, 1)];
    assert_eq!(bench.left(8_000), control);
    let stats = bench.close(8_000);
    assert_eq!((stats.pause_packets, stats.packets), (2, 3));
    assert_eq!((stats.queued.data, stats.queued.other), (1, 0));
}

#[test]
fn a_port_that_holds_frames_chooses_when_its_link_is_back() {
    let rules = rules(Full::Drop, u64::MAX, true);
    let down = Box::new([(Time(0), Time(5_000))]);
    let fault = Fault::new(down, Box::default(), true, *rules.link());
    let mut bench = Bench::with_port(Port::new(place(0), coins(), None, Some(fault)), rules);
    bench.enqueue(100, frame(Data, 0, 100));
    bench.enqueue(5_000, frame(Ack, 1, 64));
    assert_eq!(bench.left(9_000), [(5_640, Ack, 1), (6_660, Data, 0)]);
}

#[test]
fn dead_links_lose_frames_but_no_pauses() {
    let rules = rules(Full::Never, 0, false);
    let down = Box::new([(Time(0), Time::NEVER)]);
    let fault = Fault::new(down, Box::default(), false, *rules.link());
    let mut bench = Bench::with_port(Port::new(place(0), coins(), None, Some(fault)), rules);
    bench.enqueue(0, frame(Ack, 0, 64));
    bench.enqueue(0, frame(Data, 1, 64));
    bench.enqueue(0, frame(Pause, 2, 64));
    assert_eq!(bench.left(9_000), [(640, Pause, 2)]);
    let stats = bench.close(9_000);
    assert_eq!((stats.lost_packets, stats.lost_control_packets), (2, 1));
    assert_eq!(bench.tally.last_loss(), Some(Time(1_960 + 500)));
}

#[test]
fn what_a_link_loses_by_chance_has_taken_its_time_all_the_same() {
    let entries = Box::new([(LossFrames::Data, Ratio::ONE)]);
    let loss = Loss::new(entries, Rng::stream(1, Domain::LossCoin, 0));
    let port = Port::new(place(0), coins(), Some(loss), None);
    let mut bench = Bench::with_port(port, rules(Full::Drop, u64::MAX, false));
    bench.enqueue(0, frame(Data, 0, 100));
    bench.enqueue(0, frame(Ack, 1, 64));
    assert_eq!(bench.left(9_000), [(1_660, Ack, 1)]);
    let stats = bench.close(9_000);
    assert_eq!((stats.packets, stats.lost_packets), (2, 1));
    assert_eq!(stats.lost_control_packets, 0);
    assert_eq!(bench.tally.last_loss(), None, "no failure, no outage");
}

/// One of the ways to queue.
fn some_rules(rng: &mut Rng) -> Rules {
    let trim = |of, coin| {
        Full::Trim(Trim {
            header_buffer_bytes: 200,
            coin,
            ..of
        })
    };
    let full = [
        Full::Drop,
        trim(TRIM, false),
        trim(TRIM, true),
        trim(DROP, false),
        trim(DROP, true),
        Full::Never,
    ][rng.below(6) as usize];
    let priority = matches!(full, Full::Trim(_)) || rng.below(2) == 0;
    rules(
        full,
        [300, 1_000, u64::MAX][rng.below(3) as usize],
        priority,
    )
}

#[test]
fn what_enters_leaves_or_is_dropped_or_lost_or_is_still_there_and_bytes_add_up() {
    let mut rng = Rng::stream(9, Domain::SwitchPick, 0);
    let (mut dropped, mut trimmed, mut held) = (0, 0, 0);
    for case in 0..500 {
        let entries = Box::new([(LossFrames::All, Ratio { num: 1, den: 10 })]);
        let loss = Loss::new(entries, Rng::stream(case, Domain::LossCoin, 0));
        let rules = some_rules(&mut rng);
        let port = Port::new(place(0), coins(), Some(loss), None);
        let mut bench = Bench::with_port(port, rules);
        let mut now = 0;
        for psn in 0..100 {
            now += u64::from(rng.below(1_000));
            let kind = [Data, Data, Ack, Nack, Trimmed, Probe][rng.below(6) as usize];
            bench.enqueue(now, frame(kind, psn, 20 + rng.below(150)));
            if rules.full == Full::Never && rng.below(10) == 0 {
                bench.pause(now, rng.below(2) == 0);
            }
        }
        let end = now + u64::from(rng.below(5_000));
        let arrived = bench.left(end).len() as u64;
        let queued_bytes = bench.port.queued_bytes();
        let last = bench.port.last_active();
        let stats = bench.close(end);
        assert_eq!(stats.packets, arrived + stats.lost_packets, "case {case}");
        let accounted = stats.packets + stats.dropped_packets + stats.queued.all();
        assert_eq!(accounted, 100, "case {case}: {stats:?}");
        assert!(last <= Time(end) && stats.busy <= Span(end));
        assert!(stats.queue_max_bytes >= queued_bytes);
        assert_eq!(queued_bytes == 0, stats.queued.all() == 0, "case {case}");
        // Stays: every frame is in the queue at least as long as on the wire.
        let (packet_ps, _) = bench.tally.integrals(0);
        assert!(packet_ps >= u128::from(stats.busy.0) && packet_ps < 1 << 64);
        dropped += stats.dropped_packets;
        trimmed += stats.trimmed_packets;
        held += stats.queued.all();
    }
    assert!(dropped > 500 && trimmed > 500 && held > 500);
}

#[test]
fn when_a_port_is_looked_at_does_not_show() {
    let mut rng = Rng::stream(10, Domain::SwitchPick, 0);
    for case in 0..300 {
        let mut rules = some_rules(&mut rng);
        rules.marking = Marking {
            min_bytes: 100,
            max_bytes: 600,
            counts_departing: rng.below(2) == 0,
        };
        let mut arrivals = Vec::new();
        let mut now = 0;
        for psn in 0..60 {
            // Instants of departures and ends of gaps among them.
            now += u64::from(rng.below(60)) * GAP_STEP;
            let kind = [Data, Data, Ack][rng.below(3) as usize];
            arrivals.push((now, frame(kind, psn, 2 * (10 + rng.below(60)))));
        }
        let mut lazy = Bench::new(rules);
        let mut busy = Bench::new(rules);
        let mut looked = 0;
        for (at, packet) in arrivals {
            lazy.enqueue(at, packet);
            for instant in (looked..at).step_by(GAP_STEP as usize) {
                busy.left(instant);
            }
            looked = at;
            busy.enqueue(at, packet);
        }
        assert_eq!(
            lazy.left(now + 500_000),
            busy.left(now + 500_000),
            "case {case}"
        );
        assert_eq!(lazy.out.0, busy.out.0, "case {case}");
        assert_eq!(lazy.close(now), busy.close(now), "case {case}");
    }
}

/// All frames and gaps take multiples of it.
const GAP_STEP: u64 = 20;
