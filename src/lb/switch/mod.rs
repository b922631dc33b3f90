//! Switch policies: the uplink of a northbound packet. One file a scheme, one row a scheme in the table of `lb`.
//!
//! A policy decides when the packet's last bit has arrived, before the packet is enqueued, and only where there is a choice: at an
//! edge switch toward another edge, at an aggregation switch toward another pod. Every other hop is forced. Each scheme applies its
//! rule to the valid uplinks of the packet's destination only. Unless a scheme says otherwise an ACK is a packet like any other.

pub mod ar;
pub mod explicit;
#[cfg(test)]
pub(crate) mod fake;
pub mod hash;
pub mod jsq;
pub mod ofan;
pub mod pofan;
pub mod rsq;
pub mod sight;
pub mod simple_rr;

use crate::packet::Packet;
use crate::rng::{Domain, Rng};
use crate::units::Time;

pub use sight::{Refresh, View};

/// The kind of switch that a policy runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// An edge switch (or a two-level tree's leaf): its down-ports lead to hosts.
    Edge,
    /// An aggregation switch: its down-ports lead to edges.
    Aggregation,
}

/// The most uplinks that a switch may have: pointers to them take a byte.
pub const MOST_UPLINKS: usize = 255;

/// A set of uplinks.
#[derive(Clone, Copy, Debug)]
pub enum UplinkSet {
    /// Uplinks 0 up to this, exclusive: all of an intact switch.
    First(u8),
    /// Bit i of word i / 64: uplink i.
    Some([u64; WORDS]),
}

/// Words of an [`UplinkSet`].
pub const WORDS: usize = MOST_UPLINKS.div_ceil(64);

impl UplinkSet {
    /// Uplinks 0 to `count` - 1.
    ///
    /// # Panics
    /// If they are more than [`MOST_UPLINKS`].
    #[must_use]
    pub const fn first(count: usize) -> Self {
        assert!(count <= MOST_UPLINKS, "the topology has no more");
        Self::First(count as u8)
    }

    /// Whether `uplink` is in the set.
    #[inline]
    #[must_use]
    pub const fn contains(self, uplink: usize) -> bool {
        match self {
            Self::First(count) => uplink < count as usize,
            Self::Some(words) => words[uplink / 64] >> (uplink % 64) & 1 == 1,
        }
    }

    /// How many uplinks are in the set.
    #[inline]
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Self::First(count) => count.into(),
            Self::Some(words) => words.iter().map(|word| word.count_ones() as usize).sum(),
        }
    }

    /// Whether no uplink is in the set.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        match self {
            Self::First(count) => count == 0,
            Self::Some(words) => words == [0; WORDS],
        }
    }

    /// The `n`-th uplink of the set in increasing order; `n` < `len`.
    #[inline]
    #[must_use]
    pub fn nth(self, mut n: usize) -> usize {
        let words = match self {
            Self::First(_) => return n,
            Self::Some(words) => words,
        };
        for (i, word) in words.into_iter().enumerate() {
            let here = word.count_ones() as usize;
            if n < here {
                return 64 * i + nth_bit(word, n);
            }
            n -= here;
        }
        unreachable!("n is below the size of the set")
    }

    /// The uplinks of the set, in increasing order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let (end, words) = match self {
            Self::First(count) => (usize::from(count), [u64::MAX; WORDS]),
            Self::Some(words) => (MOST_UPLINKS, words),
        };
        let mut word = words[0];
        let mut next = 0;
        std::iter::from_fn(move || {
            while word == 0 {
                next = (next / 64 + 1) * 64;
                word = *words.get(next / 64)?;
            }
            let uplink = next / 64 * 64 + word.trailing_zeros() as usize;
            word &= word - 1;
            (uplink < end).then_some(uplink)
        })
    }
}

impl FromIterator<usize> for UplinkSet {
    fn from_iter<I: IntoIterator<Item = usize>>(uplinks: I) -> Self {
        let mut words = [0; WORDS];
        for uplink in uplinks {
            words[uplink / 64] |= 1 << (uplink % 64);
        }
        Self::Some(words)
    }
}

/// What a policy may see when it picks: filled by the switch for one packet.
pub trait Uplinks {
    /// The instant of the decision: the packet's arrival.
    fn now(&self) -> Time;
    /// The down-port by which the packet came, 0 to downlinks - 1.
    fn ingress(&self) -> usize;
    /// The packet's destination group: its edge switch's index in the fabric at an edge, its pod at an aggregation switch.
    fn group(&self) -> usize;
    /// The uplinks that lead to the destination; never empty.
    fn valid(&self) -> UplinkSet;
    /// Bytes waiting and in service at `uplink`: now, or as of the last [`UplinkPolicy::refresh`]. Costs a look at the port: call it only where the scheme reads queues.
    fn queued_bytes(&mut self, uplink: usize) -> u64;
}

/// Which uplink a switch gives a northbound packet. One value per switch.
pub trait UplinkPolicy {
    /// Called once per northbound packet when it arrives, before it is enqueued. Returns a member of `uplinks.valid()`.
    /// `rng` is the switch's own stream for draws while it forwards.
    fn pick<U: Uplinks>(&mut self, packet: &Packet, uplinks: &mut U, rng: &mut Rng) -> usize;

    /// When the queue lengths that it sees are refreshed; `None`: it sees those of the instant. Called once, when the switch is built.
    fn refresh(&self) -> Option<Refresh> {
        None
    }
}

/// What a policy is built from: one switch's place in the fabric.
#[derive(Clone, Debug)]
pub struct SwitchEnv {
    /// The run's seed.
    pub seed: u64,
    /// Edge or aggregation.
    pub level: Level,
    /// The switch's number among all switches (edges first, then aggregation switches): names its random streams.
    pub switch: u32,
    /// Uplinks, every member of a bundle counted: 1 to [`MOST_UPLINKS`].
    pub uplinks: usize,
    /// Down-ports, every member of a bundle counted.
    pub downlinks: usize,
    /// Possible destination groups (N_d): all edges for an edge, all pods for an aggregation switch, own included.
    pub groups: usize,
    /// Hosts of the fabric.
    pub hosts: usize,
    /// The buffer to which quantised schemes refer: the port's, or 800,000 bytes where it is unlimited.
    pub reference_buffer_bytes: u64,
}

impl SwitchEnv {
    /// This switch's stream for `domain`.
    #[must_use]
    pub fn stream(&self, domain: Domain) -> Rng {
        Rng::stream(self.seed, domain, u64::from(self.switch))
    }
}

/// A uniformly random uplink of `set`: always one draw.
fn uniform(set: UplinkSet, rng: &mut Rng) -> usize {
    set.nth(rng.below(set.len() as u32) as usize)
}

/// The uplink of `set` with the lowest score, uniform among equals: one draw if there are several, none if there is one.
#[inline]
fn lowest(set: UplinkSet, rng: &mut Rng, score: impl FnMut(usize) -> u64) -> usize {
    match set {
        // The usual case in one word.
        UplinkSet::First(count @ ..=64) => {
            let [ties] = least(0..usize::from(count), score);
            match ties.count_ones() {
                1 => ties.trailing_zeros() as usize,
                several => nth_bit(ties, rng.below(several) as usize),
            }
        }
        _ => {
            let ties = UplinkSet::Some(least(set.iter(), score));
            if ties.len() == 1 {
                return ties.nth(0);
            }
            uniform(ties, rng)
        }
    }
}

/// Those of `uplinks` with the lowest score, bit i of word i / 64 for uplink i.
#[inline]
fn least<const N: usize>(
    uplinks: impl Iterator<Item = usize>,
    mut score: impl FnMut(usize) -> u64,
) -> [u64; N] {
    let (mut best, mut ties) = (u64::MAX, [0; N]);
    for uplink in uplinks {
        // Without branches: which queue is shorter cannot be foreseen.
        let found = score(uplink);
        let keep = u64::from(found < best).wrapping_sub(1);
        best = best.min(found);
        ties.iter_mut().for_each(|word| *word &= keep);
        ties[uplink / 64] |= u64::from(found == best) << (uplink % 64);
    }
    ties
}

/// The place of the `n`-th bit of `word`.
#[inline]
fn nth_bit(mut word: u64, n: usize) -> usize {
    for _ in 0..n {
        word &= word - 1;
    }
    word.trailing_zeros() as usize
}

/// Receives the policy of a [`SwitchScheme`] in its own type, so that the caller's code is compiled once per scheme.
pub trait PolicyVisitor {
    /// What comes of it.
    type Output;

    /// Called once with the policy.
    fn visit<P: UplinkPolicy + Send + std::fmt::Debug + 'static>(self, policy: P) -> Self::Output;
}

/// From the table of schemes: the enum of what switches do, and the way to a policy.
macro_rules! switch_schemes {
    (
        hosts { $($host_rows:tt)* }
        switches { $($name:literal, $variant:ident => $module:ident::$policy:ident;)* }
        parts { $($part:ident => $part_module:ident::$part_policy:ident;)* }
    ) => {
        /// A switch scheme and its parameters.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum SwitchScheme {
            $(#[doc = concat!("`", stringify!($part_module), "`: no scheme by itself.")] $part($part_module::Params),)*
            $(#[doc = concat!("`", $name, "`.")] $variant($module::Params),)*
        }

        impl SwitchScheme {
            /// Make one switch's policy and hand it to `visitor`.
            pub fn build<V: PolicyVisitor>(&self, env: &SwitchEnv, visitor: V) -> V::Output {
                match self {
                    $(Self::$part(params) => visitor.visit($part_module::$part_policy::new(params, env)),)*
                    $(Self::$variant(params) => visitor.visit($module::$policy::new(params, env)),)*
                }
            }
        }
    };
}

super::table::schemes!(switch_schemes);
