//! Frames that a link loses at random: each on its own, with a probability that does not change.
//!
//! A lost frame takes its port as long as any other. Pause frames are never lost.
//!
//! Not modelled: bursts of losses, losses that depend on the size of a frame.

use crate::packet::Kind;
use crate::rng::Rng;
use crate::settings::LossFrames;
use crate::units::Ratio;

/// What the link behind a port loses at random.
#[derive(Clone, Debug)]
pub struct Loss {
    /// Which frames, and how likely; each on its own.
    entries: Box<[(LossFrames, Ratio)]>,
    rng: Rng,
}

impl Loss {
    /// Losses by `entries`, in the order in which they draw from `rng`.
    #[must_use]
    pub fn new(entries: Box<[(LossFrames, Ratio)]>, rng: Rng) -> Self {
        Self { entries, rng }
    }

    /// Whether a frame of `kind`, which leaves, is lost: one draw an entry that is about such frames.
    pub(super) fn loses(&mut self, kind: Kind) -> bool {
        let mut lost = false;
        for &(frames, probability) in &self.entries {
            if concerns(frames, kind) {
                lost |= self.rng.below_u64(probability.den) < probability.num;
            }
        }
        lost
    }
}

fn concerns(frames: LossFrames, kind: Kind) -> bool {
    match kind {
        Kind::Data | Kind::Probe => frames != LossFrames::Control,
        Kind::Ack | Kind::Nack | Kind::Trimmed => frames != LossFrames::Data,
        Kind::Pause | Kind::Resume | Kind::Notice => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Domain;

    const KINDS: [Kind; 7] = [
        Kind::Data,
        Kind::Probe,
        Kind::Ack,
        Kind::Nack,
        Kind::Trimmed,
        Kind::Pause,
        Kind::Resume,
    ];

    fn loss(entries: &[(LossFrames, Ratio)]) -> Loss {
        Loss::new(entries.into(), Rng::stream(1, Domain::LossCoin, 0))
    }

    #[test]
    fn an_entry_is_about_its_kinds_of_frames_and_never_about_pauses() {
        let lost = |frames| {
            let mut loss = loss(&[(frames, Ratio::ONE)]);
            KINDS.map(|kind| loss.loses(kind))
        };
        let (t, f) = (true, false);
        assert_eq!(lost(LossFrames::All), [t, t, t, t, t, f, f]);
        assert_eq!(lost(LossFrames::Data), [t, t, f, f, f, f, f]);
        assert_eq!(lost(LossFrames::Control), [f, f, t, t, t, f, f]);
    }

    #[test]
    fn every_entry_draws_for_its_frames_whatever_the_others_say() {
        let third = Ratio { num: 1, den: 3 };
        let mut both = loss(&[(LossFrames::All, Ratio::ONE), (LossFrames::Data, third)]);
        let mut draws = Rng::stream(1, Domain::LossCoin, 0);
        for kind in [Kind::Data, Kind::Ack, Kind::Pause, Kind::Data] {
            both.loses(kind);
            let draw = |(_, den)| _ = draws.below_u64(den);
            let entries = match kind {
                Kind::Data => &[(1, 1), (1, 3)][..],
                Kind::Ack => &[(1, 1)],
                _ => &[],
            };
            entries.iter().copied().for_each(draw);
        }
        assert_eq!(both.rng.bits(), draws.bits());
    }

    #[test]
    fn frames_are_lost_with_the_probability_within_five_sigma() {
        let mut loss = loss(&[(LossFrames::All, Ratio { num: 3, den: 100 })]);
        let lost = (0..100_000).filter(|_| loss.loses(Kind::Data)).count();
        assert!(lost.abs_diff(3_000) < 5 * 54, "{lost}");
    }
}
