//! Banks of three ports (0 and 1 down, 2 up), by hand: 10 ps a byte, a gap of 20 ps, a latency of 500 ps.

use super::*;
use crate::engine::TIMER_START;
use crate::packet::Kind::{self, Ack, Data, Pause, Resume};
use crate::port::testing::{Posted, frame, place, port, rules, tally, with};
use crate::port::{Full, Pool, Port, Trim};
use crate::rng::{Domain, Rng};
use crate::units::Ratio;

struct Bench {
    bank: Ports,
    out: Posted,
    tally: Tally,
}

/// What left: when, by which port, kind, number.
type Left = (u64, u32, Kind, u32);

impl Bench {
    fn new(rules: (Full, bool), coupling: Coupling) -> Self {
        Self::of_ports((0..3).map(port), rules, coupling)
    }

    fn of_ports(
        ports: impl Iterator<Item = Port>,
        (full, control_priority): (Full, bool),
        coupling: Coupling,
    ) -> Self {
        let rules = rules(full, 0, control_priority);
        Self {
            bank: Ports::new(ports, 2, [rules; 2], Some(coupling)),
            out: Posted::default(),
            tally: tally(),
        }
    }

    fn lossless(thresholds: Thresholds, control_priority: bool) -> Self {
        let counts = IngressCounts::new(3, 2, thresholds, 64).with_control(!control_priority);
        Self::new((Full::Never, control_priority), Coupling::lossless(counts))
    }

    fn shared(bytes: u64, alpha: Ratio, full: Full) -> Self {
        let priority = matches!(full, Full::Trim(_));
        Self::new((full, priority), Coupling::shared(Pool::new(bytes, alpha)))
    }

    /// A frame arrives by `ingress` at `at` and goes to port `to`.
    fn pass(&mut self, at: u64, ingress: u16, to: usize, mut packet: Packet) {
        (packet.time, packet.ingress) = (Time(at), ingress);
        with(&mut self.out, &mut self.tally, |cx| {
            if !self.bank.arrive(&packet, cx) {
                self.bank.admit(&packet, cx);
                self.bank.enqueue(to, &packet, packet.via, Time(at), cx);
            }
        });
    }

    fn left(&mut self, until: u64) -> Vec<Left> {
        with(&mut self.out, &mut self.tally, |cx| {
            self.bank.settle(Time(until), cx)
        });
        let posted = self.out.0.iter().zip(self.out.left());
        posted
            .map(|(&(node, _), (at, kind, psn))| (at, node - 100, kind, psn))
            .collect()
    }

    fn close(&mut self, end: u64) -> Vec<PortStats> {
        let end = Time(end);
        let ends = Ends {
            integrated_until: end,
            ended: end,
        };
        self.bank.close(ends, &mut self.tally)
    }
}

const HALF: Ratio = Ratio { num: 1, den: 2 };

#[test]
fn a_departure_at_another_port_makes_room_at_its_instant_and_not_before() {
    for (at, fits) in [(999, false), (1_000, true)] {
        let mut bench = Bench::shared(300, Ratio { num: 10, den: 1 }, Full::Drop);
        bench.pass(0, 0, 2, frame(Data, 0, 100));
        bench.pass(0, 1, 0, frame(Data, 1, 200));
        bench.pass(at, 0, 1, frame(Data, 2, 100));
        let stats = bench.close(at);
        assert_eq!(stats[1].dropped_packets, u64::from(!fits), "at {at}");
    }
}

#[test]
fn a_port_may_hold_alpha_times_what_all_ports_leave_free() {
    let mut bench = Bench::shared(1_000, HALF, Full::Drop);
    // 300 <= (1,000 - 0) / 2.
    bench.pass(0, 0, 2, frame(Data, 0, 300));
    // Port 2: 300 + 51 > (1,000 - 300) / 2 = 350; 300 + 50 is not. Then 350 are left to port 0: 325.
    bench.pass(0, 0, 2, frame(Data, 1, 51));
    bench.pass(0, 0, 2, frame(Data, 2, 50));
    bench.pass(0, 1, 0, frame(Ack, 3, 326));
    bench.pass(0, 1, 0, frame(Ack, 4, 325));
    let stats = bench.close(0);
    let dropped = |port: usize| {
        (
            stats[port].dropped_packets,
            stats[port].dropped_control_packets,
        )
    };
    assert_eq!((dropped(2), dropped(0)), ((1, 0), (1, 1)));
    assert_eq!(stats[2].queued.data + stats[0].queued.other, 3);
}

#[test]
fn of_ports_that_trim_only_data_counts_in_a_shared_buffer() {
    let trim = Trim {
        bytes: Some(64),
        header_buffer_bytes: 1_000,
        coin: false,
        last_hop: false,
    };
    let mut bench = Bench::shared(200, Ratio::ONE, Full::Trim(trim));
    bench.pass(0, 0, 2, frame(Ack, 0, 500));
    bench.pass(0, 0, 2, frame(Data, 1, 100));
    // 100 + 1 > 200 - 100: cut; its 1 byte is control. At port 0: 100 <= 200 - 100.
    bench.pass(0, 0, 2, frame(Data, 2, 1));
    bench.pass(0, 1, 0, frame(Data, 3, 100));
    bench.pass(0, 1, 0, frame(Data, 4, 1));
    let stats = bench.close(0);
    assert_eq!((stats[2].trimmed_packets, stats[0].trimmed_packets), (1, 1));
    assert_eq!((stats[2].queued.data, stats[0].queued.data), (2, 2));
    assert_eq!(
        (stats[2].queue_max_bytes, stats[0].queue_max_bytes),
        (601, 101)
    );
}

/// Three ports that share 300 bytes and drop what does not fit, the arriving packet or, as coins of `seed` say, the last that waits.
fn dropping(seed: u64) -> Bench {
    let drop = Full::Trim(Trim {
        bytes: None,
        header_buffer_bytes: 1_000,
        coin: true,
        last_hop: false,
    });
    let shared = Coupling::shared(Pool::new(300, Ratio { num: 10, den: 1 }));
    let coins = |number| [(); 2].map(|()| Rng::stream(seed, Domain::TrimCoin, number));
    let port = |number| Port::new(place(number), coins(number.into()), None, None);
    Bench::of_ports((0..3).map(port), (drop, true), shared)
}

#[test]
fn a_packet_that_is_dropped_in_place_of_the_arriving_one_leaves_the_shared_buffer() {
    let mut evictions = 0;
    for seed in 0..40 {
        let evicts = Rng::stream(seed, Domain::TrimCoin, 2).below(2) == 0;
        // Either the last 100 bytes make way for the 40, or these do not come in.
        let (free, left) = if evicts {
            (60, [0, 1, 3])
        } else {
            (0, [0, 1, 2])
        };
        let mut bench = dropping(seed);
        for (at, psn, bytes) in [(0, 0, 100), (1, 1, 100), (2, 2, 100), (3, 3, 40)] {
            bench.pass(at, 0, 2, frame(Data, psn, bytes));
        }
        bench.pass(3, 1, 2, frame(Ack, 4, 500));
        bench.pass(4, 1, 0, frame(Data, 5, free + 1));
        if evicts {
            bench.pass(4, 1, 0, frame(Data, 6, free));
        }
        // All has left long before: the whole buffer is free, and no more.
        bench.pass(50_000, 1, 1, frame(Data, 7, 301));
        bench.pass(50_000, 1, 1, frame(Data, 8, 300));
        let of_data = bench.left(90_000).into_iter().filter(|left| left.2 == Data);
        let of_two: Vec<u32> = of_data
            .filter(|left| left.1 == 2)
            .map(|left| left.3)
            .collect();
        assert_eq!(of_two, left, "seed {seed}");
        let stats = bench.close(90_000);
        let dropped: Vec<u64> = stats.iter().map(|stats| stats.dropped_packets).collect();
        assert_eq!(dropped, [1, 1, 1], "seed {seed}");
        let sent: Vec<u64> = stats.iter().map(|stats| stats.packets).collect();
        assert_eq!(sent, [u64::from(evicts), 1, 4], "seed {seed}");
        assert!(stats.iter().all(|stats| stats.trimmed_packets == 0));
        evictions += u32::from(evicts);
    }
    assert!((8..32).contains(&evictions), "{evictions}");
}

fn fixed(high: u64, low: u64) -> Thresholds {
    Thresholds::Fixed([(high, low); 2])
}

#[test]
fn a_pause_leaves_when_its_port_is_free_and_a_resume_with_the_frame_that_makes_room() {
    let mut bench = Bench::lossless(fixed(250, 100), false);
    // A frame to the neighbour at port 0 is in service from 0 to 2,000.
    bench.pass(0, 2, 0, frame(Data, 9, 200));
    for (at, psn) in [(100, 0), (1_120, 1), (1_500, 2)] {
        bench.pass(at, 0, 1, frame(Data, psn, 100));
    }
    // From port 0: 0 leaves port 1 at 1,100, so that at 1,500 two are here; 3 makes 300 and a pause at 1,600, which waits for 2,020.
    bench.pass(1_600, 0, 2, frame(Data, 3, 100));
    // Left: 1 at 2,120, 3 at 2,600 (100 bytes: resume), 2 at 3,140. The pause ends at 2,660, its gap at 2,680.
    let expected = [
        (1_100, 1, Data, 0),
        (2_000, 0, Data, 9),
        (2_120, 1, Data, 1),
        (2_600, 2, Data, 3),
        (2_660, 0, Pause, 0),
        (3_140, 1, Data, 2),
        (3_320, 0, Resume, 0),
    ];
    assert_eq!(bench.left(9_000), expected);
    let stats = bench.close(9_000);
    assert_eq!(stats[0].headroom_max_bytes, 50);
    assert_eq!((stats[0].pause_packets, stats[0].packets), (2, 3));
    assert_eq!(stats[1].headroom_max_bytes, 0);
}

#[test]
fn a_pause_from_a_neighbour_stops_the_port_to_it_and_what_waits_there_pauses_others() {
    let mut bench = Bench::lossless(fixed(150, 0), false);
    bench.pass(0, 2, 0, frame(Pause, 0, 64));
    bench.pass(10, 1, 0, frame(Data, 0, 100));
    bench.pass(20, 1, 0, frame(Data, 1, 100));
    bench.pass(20, 1, 2, frame(Data, 2, 100));
    // The pause came in by port 2: it stops port 2 alone.
    assert_eq!(bench.left(1_999), [(660, 1, Pause, 0), (1_010, 0, Data, 0)]);
    bench.pass(5_000, 2, 0, frame(Resume, 0, 64));
    let expected = [
        (660, 1, Pause, 0),
        (1_010, 0, Data, 0),
        (2_030, 0, Data, 1),
        (6_000, 2, Data, 2),
        (6_640, 1, Resume, 0),
    ];
    assert_eq!(bench.left(9_000), expected);
    let stats = bench.close(9_000);
    assert_eq!((stats[2].pauses, stats[2].paused.0), (1, 5_000));
    assert_eq!(stats[1].headroom_max_bytes, 150);
}

#[test]
fn control_with_priority_passes_pauses_and_does_not_count() {
    let mut bench = Bench::lossless(fixed(100, 0), true);
    bench.pass(0, 2, 0, frame(Pause, 0, 64));
    for psn in 0..5 {
        bench.pass(0, 0, 2, frame(Ack, psn, 64));
    }
    bench.pass(0, 0, 2, frame(Data, 5, 100));
    let left = bench.left(50_000);
    assert!(
        left.iter()
            .all(|&(_, port, kind, _)| (port, kind) == (2, Ack))
    );
    assert_eq!(left.len(), 5);
    assert_eq!(bench.close(50_000)[0].headroom_max_bytes, 0);
}

#[test]
fn departures_of_all_ports_come_in_order_of_time_and_port() {
    let mut bench = Bench::lossless(fixed(u64::MAX, 0), false);
    bench.pass(0, 0, 2, frame(Data, 0, 100));
    bench.pass(0, 2, 0, frame(Data, 1, 100));
    bench.pass(0, 0, 1, frame(Data, 2, 90));
    let expected = [(900, 1, Data, 2), (1_000, 0, Data, 1), (1_000, 2, Data, 0)];
    assert_eq!(bench.left(2_000), expected);
}

#[test]
fn settling_says_when_a_port_is_next_due_and_timers_do_what_is_due_alone() {
    let mut bench = Bench::lossless(fixed(u64::MAX, 0), false);
    let due = with(&mut bench.out, &mut bench.tally, |cx| {
        bench.bank.settle(Time(5), cx)
    });
    assert_eq!(due, Time::NEVER);
    bench.pass(10, 0, 2, frame(Data, 0, 100));
    bench.pass(10, 0, 2, frame(Data, 1, 100));
    let Bench { bank, out, tally } = &mut bench;
    with(out, tally, |cx| {
        bank.timer(TIMER_START + 2, Time(10), cx);
        bank.timer(2, Time(1_009), cx);
        assert!(cx.out.0.is_empty());
        bank.timer(2, Time(1_010), cx);
        assert_eq!(cx.out.0.len(), 1);
        assert_eq!(bank.settle(Time(1_029), cx), Time(1_030));
        assert_eq!(bank.settle(Time(1_030), cx), Time(2_030));
        assert_eq!(bank.settle(Time(2_030), cx), Time::NEVER);
    });
}

/// Two switches face to face: what port 2 of one sends comes in by port 2 of the other. Hosts at ports 0 and 1 do as they are told.
#[test]
fn a_neighbour_that_obeys_never_exceeds_the_headroom() {
    let mut rng = Rng::stream(3, Domain::SwitchPick, 0);
    let (mut pauses, mut most) = (0, 0);
    for case in 0..60 {
        // 3 F + P + 2 gaps + 2 latencies, in bytes at 10 ps each.
        let needed = 3 * 100 + 64 + 2 * 2 + 2 * 50;
        let thresholds = match case % 3 {
            0 => fixed(400, 200),
            1 => fixed(0, 0),
            _ => Thresholds::Shared {
                pool: Pool::new(2_000, HALF),
                resume_offset: 200,
            },
        };
        let mut switches = [0, 1].map(|_| Bench::lossless(thresholds, false));
        // Port 0 of the second is stopped now and then, as if a host there were.
        let mut stops: Vec<(u64, Kind)> = Vec::new();
        for round in 0..u64::from(rng.below(6)) {
            stops.push((round * 20_000, Pause));
            stops.push((round * 20_000 + 1 + u64::from(rng.below(19_000)), Resume));
        }
        let mut offered: Vec<(u64, u32)> =
            (0..200).map(|psn| (u64::from(psn) * 520, psn)).collect();
        run_pair(&mut switches, &mut offered, &mut stops);
        let [first, second] = switches.map(|mut bench| bench.close(1 << 40));
        assert_eq!(
            first
                .iter()
                .chain(&second)
                .map(|port| port.queued.all())
                .sum::<u64>(),
            0
        );
        assert_eq!(second[0].packets, 200, "case {case}");
        assert!(
            second[2].headroom_max_bytes <= needed,
            "case {case}: {second:?}"
        );
        pauses += first[2].pauses;
        most = most.max(second[2].headroom_max_bytes);
    }
    assert!(pauses > 100 && most > 200, "{pauses} pauses, {most} bytes");
}

/// `offered` come in by ports 0 and 1 of the first switch, for port 0 of the second; `stops` by port 0 of the second.
fn run_pair(pair: &mut [Bench; 2], offered: &mut Vec<(u64, u32)>, stops: &mut Vec<(u64, Kind)>) {
    let mut taken = [0, 0];
    // One latency is a window.
    for window in 0..1_000 {
        let (start, end) = (window * 500, (window + 1) * 500);
        let mut arrivals: [Vec<(u64, u16, Packet)>; 2] = Default::default();
        for from in 0..2 {
            let posted = &pair[from].out.0[taken[from]..];
            taken[from] = pair[from].out.0.len();
            let across = posted.iter().filter(|(node, _)| *node == 102);
            arrivals[1 - from].extend(across.map(|(_, p)| (p.time.0, 2, *p)));
        }
        while let Some(&(at, psn)) = offered.first().filter(|(at, _)| *at < end) {
            offered.remove(0);
            let data = frame(Data, psn, 100);
            arrivals[0].push((at, (psn % 2) as u16, data));
        }
        while let Some(&(at, kind)) = stops.first().filter(|(at, _)| *at < end) {
            stops.remove(0);
            arrivals[1].push((at, 0, frame(kind, 0, 64)));
        }
        for (bench, (mut arrivals, to)) in pair.iter_mut().zip(arrivals.into_iter().zip([2, 0])) {
            arrivals.sort_by_key(|&(at, ingress, _)| (at, ingress));
            for (at, ingress, packet) in arrivals {
                assert!((start..end).contains(&at));
                bench.pass(at, ingress, to, packet);
            }
            bench.left(end - 1);
        }
    }
}

#[test]
fn busy_ports_are_settled_in_order_until_they_are_due_no_more() {
    let mut busy = Busy::none_of(131);
    for port in [64, 130, 63, 0, 64] {
        busy.add(port);
    }
    let mut settled = Vec::new();
    let next = busy.settle(|port| {
        settled.push(port);
        match port {
            63 => Time(9),
            130 => Time(7),
            _ => Time::NEVER,
        }
    });
    assert_eq!((next, &settled[..]), (Time(7), &[0, 63, 64, 130][..]));
    settled.clear();
    let next = busy.settle(|port| {
        settled.push(port);
        Time::NEVER
    });
    assert_eq!((next, settled), (Time::NEVER, vec![63, 130]));
    assert_eq!(busy.settle(|port| unreachable!("port {port}")), Time::NEVER);
}
