//! A switch of plain values, for the tests of policies.

use super::{Level, SwitchEnv, UplinkPolicy, UplinkSet, Uplinks};
use crate::packet::{Flags, Kind, Packet};
use crate::rng::{Domain, Rng};
use crate::units::Time;

/// The view of one packet's decision, all fields free.
#[derive(Clone, Debug)]
pub(crate) struct FakeSwitch {
    pub(crate) now: Time,
    pub(crate) ingress: usize,
    pub(crate) group: usize,
    pub(crate) valid: UplinkSet,
    pub(crate) queues: Vec<u64>,
    /// How often a queue was looked at.
    pub(crate) looks: usize,
}

impl FakeSwitch {
    /// All of `uplinks` valid and empty.
    pub(crate) fn idle(uplinks: usize) -> Self {
        Self {
            now: Time::ZERO,
            ingress: 0,
            group: 0,
            valid: UplinkSet::first(uplinks),
            queues: vec![0; uplinks],
            looks: 0,
        }
    }

    /// The same with `uplink` invalid.
    pub(crate) fn without(mut self, uplink: usize) -> Self {
        self.valid = self.valid.iter().filter(|&valid| valid != uplink).collect();
        self
    }
}

impl Uplinks for FakeSwitch {
    fn now(&self) -> Time {
        self.now
    }
    fn ingress(&self) -> usize {
        self.ingress
    }
    fn group(&self) -> usize {
        self.group
    }
    fn valid(&self) -> UplinkSet {
        self.valid
    }
    fn queued_bytes(&mut self, uplink: usize) -> u64 {
        self.looks += 1;
        self.queues[uplink]
    }
}

/// An edge of a three-level tree with `w` uplinks.
pub(crate) fn edge(w: usize, seed: u64) -> SwitchEnv {
    SwitchEnv {
        seed,
        level: Level::Edge,
        switch: 3,
        uplinks: w,
        downlinks: w,
        groups: 2 * w * w,
        hosts: 2 * w * w * w,
        reference_buffer_bytes: 800_000,
    }
}

/// An aggregation switch of a three-level tree with `w` uplinks.
pub(crate) fn aggregation(w: usize, seed: u64) -> SwitchEnv {
    SwitchEnv {
        level: Level::Aggregation,
        groups: 2 * w,
        ..edge(w, seed)
    }
}

/// A full data packet.
pub(crate) fn data() -> Packet {
    Packet {
        time: Time::ZERO,
        dst: 0,
        flow: 0,
        psn: 0,
        size: 4158,
        path: 0,
        ingress: 0,
        kind: Kind::Data,
        flags: Flags::NONE,
        via: [0; 2],
    }
}

/// An ACK.
pub(crate) fn ack() -> Packet {
    Packet {
        size: 64,
        kind: Kind::Ack,
        ..data()
    }
}

/// A stream for picks.
pub(crate) fn pick_stream() -> Rng {
    Rng::stream(11, Domain::SwitchPick, 3)
}

/// `n` picks for equal packets.
pub(crate) fn picks(
    policy: &mut impl UplinkPolicy,
    packet: &Packet,
    switch: &mut FakeSwitch,
    n: usize,
) -> Vec<usize> {
    let mut rng = pick_stream();
    (0..n)
        .map(|_| policy.pick(packet, switch, &mut rng))
        .collect()
}

/// How often each of `bins` values occurs.
pub(crate) fn histogram(values: &[usize], bins: usize) -> Vec<usize> {
    let mut counts = vec![0; bins];
    for &value in values {
        counts[value] += 1;
    }
    counts
}

/// Pearson's statistic against the uniform distribution: about `counts.len()` - 1 if uniform.
pub(crate) fn chi_square(counts: &[usize]) -> f64 {
    let expected = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
    counts
        .iter()
        .map(|&count| (count as f64 - expected).powi(2) / expected)
        .sum()
}
