//! The event engines alone: nodes that do nothing but send each packet on.
//!
//! Every node sends every packet to a pseudo-random node, one link latency plus a few ns later. One CSV line an engine and size; the rate is
//! divided by that of the heap on the same nodes.

use std::time::Instant;

use spraysim::engine::windowed::{self, Shard, Windows};
use spraysim::engine::{Arrivals, Context, Nodes, Outbox, Progress, TIMER_HOST, heap};
use spraysim::packet::{Flags, Kind, Packet};
use spraysim::probe::{Sending, Tally};
use spraysim::rng::mix64;
use spraysim::units::{Span, Time};

const ROUNDS: usize = 5;
const LATENCY: Span = Span(500_000);
const WINDOWS: u64 = 40;
/// Packets a node in each link latency.
const PACKETS: u64 = 24;

/// Nodes that forward for a while.
struct Forwarders {
    count: u32,
    hops: u64,
    stop: Time,
}

impl Forwarders {
    fn new(count: u32) -> Self {
        Self {
            count,
            hops: 0,
            stop: Time(LATENCY.0 * WINDOWS),
        }
    }

    fn forward<O: Outbox>(&mut self, packet: &Packet, cx: &mut Context<'_, O>) {
        self.hops += 1;
        if packet.time >= self.stop {
            return;
        }
        let mut next = *packet;
        next.psn = next.psn.wrapping_add(1);
        let draw = mix64(u64::from(packet.flow) << 32 | u64::from(next.psn));
        // A node has one port a sender, so that no two packets arrive on one at the same instant in the wrong order.
        let (at, ingress) = (packet.time + LATENCY, (packet.flow % 64) as u16);
        let to = (draw % u64::from(self.count)) as u32;
        cx.out.post(to, &next, at, ingress);
    }

    fn inject<O: Outbox>(&mut self, node: u32, cx: &mut Context<'_, O>) {
        for i in 0..PACKETS {
            let flow = node * PACKETS as u32 + i as u32;
            let packet = Packet {
                time: Time(LATENCY.0 + u64::from(flow) * 7 % LATENCY.0),
                dst: 0,
                flow,
                psn: 0,
                size: 64,
                path: 0,
                ingress: (flow % 64) as u16,
                kind: Kind::Data,
                flags: Flags::NONE,
                via: [0; 2],
            };
            cx.out.post(node, &packet, packet.time, packet.ingress);
        }
    }
}

impl<O: Outbox> Nodes<O> for Forwarders {
    fn count(&self) -> usize {
        self.count as usize
    }

    fn hosts(&self) -> usize {
        0
    }

    fn run(
        &mut self,
        node: u32,
        arrivals: Arrivals<'_>,
        until: Time,
        cx: &mut Context<'_, O>,
    ) -> Time {
        if until.0 <= LATENCY.0 {
            self.inject(node, cx);
        }
        arrivals.for_each(|packet| self.forward(packet, cx));
        Time::NEVER
    }

    fn arrive(&mut self, _node: u32, packet: &Packet, cx: &mut Context<'_, O>) {
        self.forward(packet, cx);
    }

    fn timer(&mut self, node: u32, timer: u32, _now: Time, cx: &mut Context<'_, O>) {
        if timer == TIMER_HOST {
            self.inject(node, cx);
        }
    }

    fn host_due(&self, _node: u32) -> Time {
        Time::ZERO
    }
}

fn tally() -> Tally {
    Tally::new(1, 0, Sending::NOBODY)
}

/// Packets handled and seconds, by one engine.
fn windowed_run(count: u32) -> (u64, f64) {
    let mut shards = [Shard {
        nodes: Forwarders::new(count),
        tally: tally(),
        ties: Vec::new(),
    }];
    let windows = Windows {
        lookahead: LATENCY,
        latency: LATENCY,
        horizon: None,
    };
    let started = Instant::now();
    windowed::run(&mut shards, 1, windows, &Progress::default());
    (shards[0].nodes.hops, started.elapsed().as_secs_f64())
}

fn heap_run(count: u32) -> (u64, f64) {
    let mut nodes = Forwarders::new(count);
    let ports = vec![64; count as usize];
    let started = Instant::now();
    heap::run(
        &mut nodes,
        &mut tally(),
        &ports,
        &[],
        None,
        &Progress::default(),
    );
    (nodes.hops, started.elapsed().as_secs_f64())
}

fn best(run: impl Fn() -> (u64, f64)) -> (u64, f64) {
    let rounds = (0..ROUNDS).map(|_| run());
    rounds
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .expect("at least one round")
}

fn main() {
    println!("case,nodes,packets,seconds,packets_per_s,rate_over_heap");
    for count in [600, 10_000] {
        let heap = best(|| heap_run(count));
        let windowed = best(|| windowed_run(count));
        assert_eq!(heap.0, windowed.0, "both engines carry every packet");
        for (name, (packets, seconds)) in [("windowed", windowed), ("heap", heap)] {
            let rate = packets as f64 / seconds;
            let over = rate / (heap.0 as f64 / heap.1);
            println!("{name},{count},{packets},{seconds:.4},{rate:.0},{over:.3}");
        }
    }
}
