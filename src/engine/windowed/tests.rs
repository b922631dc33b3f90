use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use super::*;
use crate::engine::inbox::address;
use crate::engine::{Arrivals, Context, Outbox};
use crate::packet::{Kind, Packet};
use crate::probe::Sending;

const LATENCY: Span = Span(1000);

/// How many nodes have run, by window.
#[derive(Debug, Default)]
struct Ran {
    count: Mutex<u32>,
    changed: Condvar,
}

impl Ran {
    fn add(&self) {
        *self.count.lock().expect("no panic") += 1;
        self.changed.notify_all();
    }

    /// Wait until `wanted` nodes have run; no if that does not happen.
    fn wait_for(&self, wanted: u32) -> bool {
        let count = self.count.lock().expect("no panic");
        let guard = Duration::from_secs(60);
        let waited = self
            .changed
            .wait_timeout_while(count, guard, |count| *count < wanted);
        !waited.expect("no panic").1.timed_out()
    }
}

/// One host and one switch, which sends what it gets to the switch of the next shard.
struct Pair {
    shard: u32,
    shards: u32,
    ran: Arc<Ran>,
    /// Packets that came in, with their times.
    came: Vec<Time>,
    act: fn(&Self, window: u64),
}

impl Nodes<Inboxes> for Pair {
    fn count(&self) -> usize {
        2
    }

    fn hosts(&self) -> usize {
        1
    }

    fn run(
        &mut self,
        node: u32,
        arrivals: Arrivals<'_>,
        until: Time,
        cx: &mut Context<'_, Inboxes>,
    ) -> Time {
        let window = until.0 / LATENCY.0 - 1;
        if node == 0 {
            (self.act)(self, window);
            self.ran.add();
            let packet = Packet::pause_frame(Kind::Pause, 64);
            let to = address((self.shard + 1) % self.shards, 1);
            cx.out.post(to, &packet, until, 3);
        }
        arrivals.for_each(|packet| self.came.push(packet.time));
        if node == 0 && window < 4 {
            until
        } else {
            Time::NEVER
        }
    }

    fn arrive(&mut self, _: u32, _: &Packet, _: &mut Context<'_, Inboxes>) {
        unreachable!("no heap here");
    }

    fn timer(&mut self, _: u32, _: u32, _: Time, _: &mut Context<'_, Inboxes>) {
        unreachable!("no heap here");
    }

    fn host_due(&self, node: u32) -> Time {
        if node == 0 { Time::ZERO } else { Time::NEVER }
    }
}

/// Run four shards on two threads; their hosts do `act` in each of five windows.
fn run_pairs(act: fn(&Pair, u64)) -> (Vec<Shard<Pair>>, Ended) {
    let ran = Arc::new(Ran::default());
    let pair = |shard| Pair {
        shard,
        shards: 4,
        ran: Arc::clone(&ran),
        came: Vec::new(),
        act,
    };
    let shard = |number| Shard {
        nodes: pair(number),
        tally: Tally::new(1, 0, Sending::NOBODY),
        ties: Vec::new(),
    };
    let mut shards: Vec<_> = (0..4).map(shard).collect();
    let windows = Windows {
        lookahead: LATENCY,
        latency: LATENCY,
        horizon: None,
    };
    let ended = run(&mut shards, 2, windows, &Progress::default());
    (shards, ended)
}

#[test]
fn what_a_shard_posts_arrives_at_the_next() {
    let (shards, ended) = run_pairs(|_, _| {});
    assert!(ended.ran_dry && ended.on_wires == FrameCount::default());
    for shard in &shards {
        let ends = (1..=5).map(|window| Time(window * LATENCY.0));
        assert_eq!(shard.nodes.came, ends.collect::<Vec<_>>());
    }
}

#[test]
fn a_thread_that_is_done_runs_what_nobody_has_begun() {
    // The first shard is not done before all others are, and the second one belongs to the same thread.
    let (shards, _) = run_pairs(|pair, window| {
        if pair.shard == 0 {
            let others = 4 * window as u32 + 3;
            assert!(pair.ran.wait_for(others), "window {window}: nobody came");
        }
    });
    assert!(shards.iter().all(|shard| shard.nodes.came.len() == 5));
}

#[test]
fn a_panic_in_one_shard_ends_the_run() {
    for shard in 0..4 {
        let acts: [fn(&Pair, u64); 4] = [
            |pair, window| assert!(pair.shard != 0 || window < 2),
            |pair, window| assert!(pair.shard != 1 || window < 2),
            |pair, window| assert!(pair.shard != 2 || window < 2),
            |pair, window| assert!(pair.shard != 3 || window < 2),
        ];
        let run = catch_unwind(|| run_pairs(acts[shard]).1);
        assert!(run.is_err(), "a panic of shard {shard} was lost");
    }
}
