//! AR, adaptive routing: the valid uplink with the lowest quantised queue level, uniform among equals.
//!
//! Definition: the Ofan paper, section 3.1 (JSQ with the queue length in quanta of 5, 10 and 20 percent of the buffer); the refresh
//! interval of a port's level is that of the authors' public simulator. A level is sampled when a packet looks at it and held until a
//! packet looks again later than the interval. What it looks at is the queue of the instant, or with `view_period_ns` the switch's table
//! (`sight`): levels and table then both lag. Not modelled: any vendor's actual thresholds, averaging or state of remote switches.

use super::{Refresh, SwitchEnv, UplinkPolicy, Uplinks, lowest, sight::View, uniform};
use crate::fields::{increasing, means, nanoseconds, params, word_or};
use crate::packet::Packet;
use crate::rng::Rng;
use crate::units::{Span, Time};

/// What users read about it.
pub const ABOUT: &str = "Adaptive routing: each switch takes a random uplink among those with the lowest coarse queue level.";

/// What a port's level is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thresholds {
    /// The number of these percentages of the buffer that the queue has reached.
    Percent(Vec<u64>),
    /// The queue's bytes.
    Bytes,
}

impl From<Option<Vec<u64>>> for Thresholds {
    fn from(told: Option<Vec<u64>>) -> Self {
        told.map_or(Self::Bytes, Self::Percent)
    }
}

impl From<Thresholds> for Option<Vec<u64>> {
    fn from(thresholds: Thresholds) -> Self {
        match thresholds {
            Thresholds::Percent(percents) => Some(percents),
            Thresholds::Bytes => None,
        }
    }
}

params! {
    /// The parameters of AR.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Params {
        /// Queue lengths at which a port's level rises, in percent of the port's buffer (of 800,000 bytes if that is unlimited). [] reads
        /// no queue and is RSQ; "bytes" compares exact bytes and with refresh_ns 0 is JSQ. Paper, section 3.1.
        pub thresholds: Thresholds = key("thresholds_pct", means(word_or("bytes", increasing(1..=100, usize::MAX))),
            default = Thresholds::Percent(vec![5, 10, 20])),
        /// How long a port's level is held before it is sampled again, in ns; 0 looks at the queue for every packet. From the authors' public
        /// simulator.
        pub refresh: Span = key("refresh_ns", nanoseconds(0..=1_000_000_000_000), default = Span::from_ns(100)),
        /// How it sees the queues that levels are sampled from.
        pub view: View = flat(),
    }
}

/// An uplink's level as last seen.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Time,
    level: u64,
}

/// AR on one switch.
#[derive(Clone, Debug)]
pub struct Ar {
    /// Thresholds in bytes, or nothing to compare exact bytes.
    thresholds: Option<Box<[u64]>>,
    refresh: Span,
    view: Option<Refresh>,
    samples: Box<[Sample]>,
}

impl Ar {
    /// The policy of the switch of `env`; every level starts as 0, sampled at time 0.
    #[must_use]
    pub fn new(params: &Params, env: &SwitchEnv) -> Self {
        let thresholds = match &params.thresholds {
            Thresholds::Bytes => None,
            Thresholds::Percent(percents) => Some(
                percents
                    .iter()
                    .map(|percent| (percent * env.reference_buffer_bytes).div_ceil(100))
                    .collect(),
            ),
        };
        let unseen = Sample {
            at: Time::ZERO,
            level: 0,
        };
        Self {
            thresholds,
            refresh: params.refresh,
            view: Refresh::new(params.view, env),
            samples: vec![unseen; env.uplinks].into(),
        }
    }

    /// The held level of `uplink`, sampled anew if it is due.
    #[inline]
    fn level<U: Uplinks>(&mut self, uplink: usize, uplinks: &mut U) -> u64 {
        let now = uplinks.now();
        let sample = &mut self.samples[uplink];
        if self.refresh == Span::ZERO || now.saturating_since(sample.at) > self.refresh {
            let bytes = uplinks.queued_bytes(uplink);
            sample.at = now;
            sample.level = match &self.thresholds {
                None => bytes,
                Some(thresholds) => thresholds.iter().filter(|&&t| bytes >= t).count() as u64,
            };
        }
        sample.level
    }
}

impl UplinkPolicy for Ar {
    #[inline]
    fn pick<U: Uplinks>(&mut self, _packet: &Packet, uplinks: &mut U, rng: &mut Rng) -> usize {
        let valid = uplinks.valid();
        if matches!(&self.thresholds, Some(thresholds) if thresholds.is_empty()) {
            return uniform(valid, rng);
        }
        lowest(valid, rng, |uplink| self.level(uplink, uplinks))
    }

    fn refresh(&self) -> Option<Refresh> {
        self.view
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::{FakeSwitch, chi_square, data, edge, histogram, pick_stream, picks};
    use super::super::{jsq, rsq};
    use super::*;
    use crate::lb::testing::params;
    use crate::rng::Domain;

    fn ar(thresholds: Thresholds, refresh_ns: u64) -> Ar {
        let params = Params {
            thresholds,
            refresh: Span::from_ns(refresh_ns),
            ..Params::default()
        };
        Ar::new(&params, &edge(6, 1))
    }

    fn default_levels(refresh_ns: u64) -> Ar {
        ar(Params::default().thresholds, refresh_ns)
    }

    /// Runs both policies over the same random queues; they must agree in picks and in draws.
    fn agree(mut one: impl UplinkPolicy, mut other: impl UplinkPolicy) -> FakeSwitch {
        let mut load = Rng::stream(5, Domain::Entropy, 0);
        let (mut a, mut b) = (pick_stream(), pick_stream());
        let mut switch = FakeSwitch::idle(6);
        for step in 0..5_000 {
            switch.now = Time(step * 41_780);
            let valid = 1 + load.below(63);
            switch.valid = (0..6).filter(|uplink| valid >> uplink & 1 == 1).collect();
            for queue in &mut switch.queues {
                *queue = u64::from(load.below(4)) * 50_000;
            }
            assert_eq!(
                one.pick(&data(), &mut switch, &mut a),
                other.pick(&data(), &mut switch.clone(), &mut b)
            );
        }
        assert_eq!(a.bits(), b.bits());
        switch
    }

    #[test]
    fn without_thresholds_it_is_rsq_and_reads_no_queue() {
        let rsq = rsq::Rsq::new(&rsq::Params, &edge(6, 1));
        for refresh in [0, 100] {
            let switch = agree(ar(Thresholds::Percent(vec![]), refresh), rsq.clone());
            assert_eq!(switch.looks, 0);
        }
    }

    #[test]
    fn with_exact_bytes_always_fresh_it_is_jsq() {
        let jsq = jsq::Jsq::new(&jsq::Params::default(), &edge(6, 1));
        agree(ar(Thresholds::Bytes, 0), jsq);
    }

    #[test]
    fn below_the_first_threshold_ports_are_uniform() {
        let mut switch = FakeSwitch::idle(6);
        switch.queues = vec![0, 39_999, 4_158, 20_000, 64, 1];
        let counts = histogram(
            &picks(&mut default_levels(0), &data(), &mut switch, 60_000),
            6,
        );
        // 5 degrees of freedom: beyond 40 once in seven million.
        assert!(chi_square(&counts) < 40.0, "{counts:?}");
    }

    #[test]
    fn the_levels_of_an_800_kb_buffer_begin_at_40_80_and_160_kb() {
        let mut policy = default_levels(0);
        let mut switch = FakeSwitch::idle(6);
        for (bytes, level) in [
            (39_999, 0),
            (40_000, 1),
            (79_999, 1),
            (80_000, 2),
            (159_999, 2),
            (160_000, 3),
            (u64::MAX, 3),
        ] {
            switch.queues[2] = bytes;
            assert_eq!(policy.level(2, &mut switch), level);
        }
    }

    #[test]
    fn a_port_at_a_higher_level_is_never_taken_while_a_lower_one_exists() {
        let mut policy = default_levels(0);
        let mut load = Rng::stream(6, Domain::Entropy, 0);
        let mut rng = pick_stream();
        let mut switch = FakeSwitch::idle(6);
        for _ in 0..5_000 {
            for queue in &mut switch.queues {
                *queue = u64::from(load.below(200_000));
            }
            let picked = policy.pick(&data(), &mut switch, &mut rng);
            let found = policy.level(picked, &mut switch);
            for uplink in 0..6 {
                assert!(policy.level(uplink, &mut switch) >= found);
            }
        }
    }

    #[test]
    fn a_level_is_held_for_the_refresh_interval_inclusive() {
        let mut policy = default_levels(100);
        let mut switch = FakeSwitch::idle(6);
        switch.queues[0] = 50_000;
        for (now, level, looks) in [
            (0, 0, 0),
            (100_000, 0, 0),
            (100_001, 1, 1),
            (200_001, 1, 1),
            (200_002, 1, 2),
        ] {
            switch.now = Time(now);
            assert_eq!(policy.level(0, &mut switch), level);
            assert_eq!(switch.looks, looks);
        }
    }

    #[test]
    fn thresholds_are_an_increasing_list_or_the_word_bytes() {
        let read = |value: &str| {
            let (params, problems) = params::<Params>(&format!("{{\"thresholds_pct\": {value}}}"));
            problems.is_empty().then_some(params.thresholds)
        };
        assert_eq!(read("\"bytes\""), Some(Thresholds::Bytes));
        let percents = |list: &[u64]| Some(Thresholds::Percent(list.to_vec()));
        assert_eq!(read("[]"), percents(&[]));
        assert_eq!(read("[1, 100]"), percents(&[1, 100]));
        for wrong in [
            "\"byte\"", "[5, 5]", "[10, 5]", "[0, 5]", "[5, 101]", "[5.0]", "5",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
