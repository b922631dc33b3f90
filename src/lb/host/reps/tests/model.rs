//! REPS held to a plain model of its description, over random operations and parameters.

use std::collections::BTreeMap;

use super::super::*;
use crate::lb::host::Layer;
use crate::lb::host::fake::{env, stream, tx};
use crate::rng::Domain;
use crate::units::{Ratio, Span};

/// A value in the ring: when it was stored, and how many uses are left.
#[derive(Clone, Copy, Debug)]
struct Entry {
    value: u16,
    stored: u64,
    left: u32,
}

/// A freeze.
#[derive(Clone, Copy, Debug)]
struct Freeze {
    since: Time,
    suspect: u16,
    sent: u32,
}

/// How often the rarer things happened.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    freezes: u32,
    refused: u32,
    ends: u32,
    probes: u32,
    expiries: u32,
    reuses: u32,
}

/// One flow by the book.
struct Model {
    params: Params,
    env: HostEnv,
    ring: Vec<Option<Entry>>,
    head: usize,
    cursor: usize,
    explore: u32,
    freeze: Option<Freeze>,
    /// The end of the window of RTTs, and the largest in it.
    window: Option<(Time, Span)>,
    timers: BTreeMap<u16, Time>,
    /// Smoothed RTT and deviation.
    rtt: Option<(u64, u64)>,
    stored: u64,
    rng: Rng,
    seen: Seen,
}

impl Model {
    fn new(params: &Params, env: &HostEnv) -> Self {
        Self {
            ring: vec![None; params.ring_entries],
            head: 0,
            cursor: 0,
            explore: Self::packets(params.explore, env),
            freeze: None,
            window: None,
            timers: BTreeMap::new(),
            rtt: None,
            stored: 0,
            rng: stream(),
            seen: Seen::default(),
            params: params.clone(),
            env: env.clone(),
        }
    }

    fn packets(packets: Packets, env: &HostEnv) -> u32 {
        match packets {
            Packets::Bdp => env.bdp_packets,
            Packets::Count(count) => count,
        }
    }

    fn random(&mut self) -> u16 {
        self.rng.below(self.params.entropies) as u16
    }

    fn draw(&mut self) -> u16 {
        if self.explore > 0 {
            self.explore -= 1;
            return self.random();
        }
        if self.freeze.is_some() {
            let stored: Vec<Entry> = self.ring.iter().flatten().copied().collect();
            if stored.is_empty() {
                return self.random();
            }
            let value = stored[self.cursor].value;
            self.cursor = (self.cursor + 1) % stored.len();
            return value;
        }
        let fresh = self.ring.iter_mut().flatten();
        let oldest = fresh
            .filter(|entry| entry.left > 0)
            .min_by_key(|entry| entry.stored);
        match oldest {
            None => self.random(),
            Some(entry) => {
                entry.left -= 1;
                self.seen.reuses += 1;
                entry.value
            }
        }
    }

    fn timeout(&self, timers: EntropyTimers) -> Span {
        self.rtt.map_or(timers.initial, |(smoothed, deviation)| {
            Span(smoothed + 4 * deviation).max(timers.min)
        })
    }

    fn send(&mut self, now: Time) -> u16 {
        let every = Self::packets(self.params.probe_packets, &self.env);
        if self.params.leave == Leave::Probe
            && let Some(freeze) = &mut self.freeze
        {
            freeze.sent += 1;
            if freeze.sent.is_multiple_of(every) {
                self.seen.probes += 1;
                self.timers.insert(freeze.suspect, now);
                return freeze.suspect;
            }
        }
        let Some(timers) = self.params.entropy_timers else {
            return self.draw();
        };
        loop {
            let value = self.draw();
            let since = *self.timers.entry(value).or_insert(now);
            if now - since <= self.timeout(timers) {
                return value;
            }
            self.seen.expiries += 1;
            self.timers.remove(&value);
            self.lose(now, value);
        }
    }

    fn is_low(&self) -> bool {
        let Ratio { num, den } = self.params.low_rtt;
        let max = self.window.map_or(0, |(_, max)| max.0);
        max * den < self.env.base_rtt.0 * num
    }

    /// A timeout.
    fn lose(&mut self, now: Time, value: u16) {
        if self.freeze.is_some() {
            self.end_by_time(now);
            return;
        }
        if self.explore > 0 {
            return;
        }
        let freezes = match self.params.freezing {
            Freezing::Off => false,
            Freezing::Timeout => true,
            Freezing::Auto if self.env.trims => true,
            Freezing::Auto | Freezing::TimeoutIfLowRtt => self.is_low(),
        };
        if freezes {
            self.seen.freezes += 1;
            self.freeze = Some(Freeze {
                since: now,
                suspect: value,
                sent: 0,
            });
        } else {
            self.seen.refused += 1;
        }
    }

    fn end_by_time(&mut self, now: Time) {
        if let Some(freeze) = self.freeze
            && self.params.leave == Leave::Time
            && now - freeze.since > self.params.freeze
        {
            self.end();
        }
    }

    fn end(&mut self) {
        self.seen.ends += 1;
        self.freeze = None;
        self.explore = Self::packets(self.params.exit_explore, &self.env);
        match self.params.on_exit {
            OnExit::Reset => {
                self.ring.fill(None);
                self.head = 0;
                self.cursor = 0;
            }
            OnExit::Keep => {
                for entry in self.ring.iter_mut().flatten() {
                    entry.left = 0;
                }
            }
        }
    }

    fn learn(&mut self, now: Time, rtt: Span) {
        let window = self.params.rtt_window.expect("the test says how long");
        match &mut self.window {
            Some((end, max)) if now <= *end => *max = rtt.max(*max),
            window_now => *window_now = Some((now + window, rtt)),
        }
        self.rtt = Some(
            self.rtt
                .map_or((rtt.0, rtt.0 / 2), |(smoothed, deviation)| {
                    let error = smoothed.abs_diff(rtt.0);
                    ((7 * smoothed + rtt.0) / 8, (3 * deviation + error) / 4)
                }),
        );
    }

    fn hear(&mut self, feedback: &Feedback) {
        let Feedback {
            now, path, outcome, ..
        } = *feedback;
        let arrived = matches!(outcome, Outcome::Good | Outcome::Ecn);
        let timer = self.timers.remove(&path).map(|since| now - since);
        let timer = timer.filter(|_| self.params.entropy_timers.is_some());
        if arrived && let Some(rtt) = feedback.rtt.or(timer) {
            self.learn(now, rtt);
        }
        if outcome == Outcome::Timeout {
            self.lose(now, path);
        } else {
            self.end_by_time(now);
            let answered = self.freeze.is_some_and(|freeze| freeze.suspect == path);
            if self.params.leave == Leave::Probe && arrived && answered {
                self.end();
            }
        }
        if outcome == Outcome::Good {
            self.ring[self.head] = Some(Entry {
                value: path,
                stored: self.stored,
                left: u32::from(self.params.lifetime),
            });
            self.stored += 1;
            self.head = (self.head + 1) % self.params.ring_entries;
        }
    }
}

fn random_params(dice: &mut Rng) -> Params {
    let mut one_of = |n: u32| dice.below(n) as usize;
    let freezings = [
        Freezing::Auto,
        Freezing::Off,
        Freezing::Timeout,
        Freezing::TimeoutIfLowRtt,
    ];
    let counts = [
        Packets::Bdp,
        Packets::Count(0),
        Packets::Count(1),
        Packets::Count(5),
    ];
    let timers = EntropyTimers {
        initial: Span([0, 3_000, 100_000][one_of(3)]),
        min: Span([0, 2_000][one_of(2)]),
    };
    Params {
        ring_entries: [1, 2, 3, 8, 64][one_of(5)],
        entropies: [1, 3, 50, 1 << 16][one_of(4)],
        explore: counts[one_of(4)],
        lifetime: [1, 1, 2, 3, 255][one_of(5)],
        freezing: freezings[one_of(4)],
        low_rtt: Ratio {
            num: [1_000_000, 1_650_000][one_of(2)],
            den: 1_000_000,
        },
        rtt_window: Some(Span([1, 500, 20_000][one_of(3)])),
        freeze: Span([0, 300, 10_000][one_of(3)]),
        leave: [Leave::Time, Leave::Probe][one_of(2)],
        probe_packets: [Packets::Bdp, Packets::Count(1), Packets::Count(4)][one_of(3)],
        exit_explore: counts[one_of(4)],
        on_exit: [OnExit::Reset, OnExit::Keep][one_of(2)],
        entropy_timers: [None, Some(timers)][one_of(2)],
    }
}

/// What happens to a packet with that path.
fn random_feedback(dice: &mut Rng, now: Time, path: u16) -> Feedback {
    use Outcome::{Ecn, Good, Timeout, Trimmed};
    Feedback {
        now,
        path,
        outcome: [Good, Good, Good, Good, Ecn, Ecn, Trimmed, Timeout][dice.below(8) as usize],
        rtt: (dice.below(2) == 0).then(|| Span(900 + u64::from(dice.below(900)))),
    }
}

/// Plays 3,000 random operations on both; what the model saw.
fn play(number: u64) -> Seen {
    let mut dice = Rng::stream(number, Domain::Entropy, 1);
    let params = random_params(&mut dice);
    let env = HostEnv {
        base_rtt: Span(1_000),
        bdp_packets: 10,
        trims: dice.below(2) == 0,
        ..env(6, 1)
    };
    let (mut reps, mut model) = (Reps::new(&params, &env), Model::new(&params, &env));
    let mut rng = stream();
    let mut now = Time(1);
    let mut flying = vec![7];
    for step in 0..3_000 {
        now += Span(u64::from(dice.below(40)));
        if dice.below(2) == 0 {
            let tx = TxInfo {
                now,
                ..tx(0, Layer::InterPod)
            };
            let sent = reps.data_path(&tx, &mut rng);
            assert_eq!(sent, model.send(now), "{number}, {step}: {params:?}");
            flying.push(sent);
        } else {
            let any = dice.below(flying.len() as u32) as usize;
            let path = match dice.below(8) {
                0 => flying[any],
                _ => flying.swap_remove(any),
            };
            if flying.is_empty() {
                flying.push(path);
            }
            let feedback = random_feedback(&mut dice, now, path);
            reps.on_feedback(0, &feedback);
            model.hear(&feedback);
        }
        assert_eq!(
            reps.flows[0].fresh == FROZEN,
            model.freeze.is_some(),
            "{number}, {step}: {params:?}"
        );
        assert_eq!(rng.clone().bits(), model.rng.clone().bits());
    }
    model.seen
}

#[test]
fn agrees_with_a_plain_model_on_random_operations() {
    let mut all = Seen::default();
    for number in 0..600 {
        let seen = play(number);
        all.freezes += seen.freezes;
        all.refused += seen.refused;
        all.ends += seen.ends;
        all.probes += seen.probes;
        all.expiries += seen.expiries;
        all.reuses += seen.reuses;
    }
    println!("{all:?}");
    let Seen {
        freezes,
        refused,
        ends,
        probes,
        expiries,
        reuses,
    } = all;
    assert!(
        freezes.min(ends).min(probes).min(expiries) > 1_000,
        "{all:?}"
    );
    assert!(refused.min(reuses) > 1_000, "{all:?}");
}
