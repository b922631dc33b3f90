//! ECN: which data frames a port marks as they leave.
//!
//! One threshold: all frames that leave while more is queued (DCTCP's step). Two: none up to the lower one, all above the upper one, and
//! between them a share that grows linearly from 0 to 1 (RED's line, on the queue of the instant and not on an average of it, as
//! switches that run DCQCN do; Zhu et al., SIGCOMM 2015).
//!
//! Not modelled: averages of the queue, marking at enqueueing.

use crate::rng::Rng;

/// When a port marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marking {
    /// Nothing is marked up to so many bytes; `u64::MAX`: ever.
    pub min_bytes: u64,
    /// Everything is marked above so many; no less than `min_bytes`, and that where there is one threshold.
    pub max_bytes: u64,
    /// Whether the departing frame counts among the bytes queued.
    pub counts_departing: bool,
}

impl Marking {
    /// Whether a frame of `size` bytes is marked that leaves while `queued` bytes are queued, itself included. Draws from `rng` between
    /// the two thresholds only.
    #[inline]
    pub fn marks(&self, queued: u64, size: u32, rng: &mut Rng) -> bool {
        let queued = match self.counts_departing {
            true => queued,
            false => queued - u64::from(size),
        };
        if queued > self.max_bytes {
            return true;
        }
        queued > self.min_bytes
            && rng.below_u64(self.max_bytes - self.min_bytes) < queued - self.min_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Domain;

    fn rng() -> Rng {
        Rng::stream(1, Domain::EcnCoin, 0)
    }

    #[test]
    fn one_threshold_is_a_step_and_draws_nothing() {
        let step = |counts_departing| Marking {
            min_bytes: 1_000,
            max_bytes: 1_000,
            counts_departing,
        };
        let (mut used, mut fresh) = (rng(), rng());
        assert!(!step(true).marks(1_000, 100, &mut used));
        assert!(step(true).marks(1_001, 100, &mut used));
        assert!(!step(false).marks(1_100, 100, &mut used));
        assert!(step(false).marks(1_101, 100, &mut used));
        assert_eq!(used.bits(), fresh.bits());
    }

    #[test]
    fn between_two_thresholds_the_share_of_marks_is_linear() {
        let red = Marking {
            min_bytes: 1_000,
            max_bytes: 5_000,
            counts_departing: true,
        };
        let mut rng = rng();
        for (queued, share) in [
            (1_000, 0.0_f64),
            (2_000, 0.25),
            (3_000, 0.5),
            (4_500, 0.875),
        ] {
            let marks = (0..40_000).filter(|_| red.marks(queued, 100, &mut rng));
            let found = marks.count() as f64;
            // Five standard deviations.
            let slack = 5.0 * (40_000.0 * share * (1.0 - share)).sqrt();
            assert!(
                (found - 40_000.0 * share).abs() <= slack,
                "{queued}: {found}"
            );
        }
        // At the upper threshold: 4,000 of 4,000.
        assert!((0..1_000).all(|_| red.marks(5_000, 100, &mut rng)));
        assert!((0..1_000).all(|_| red.marks(5_001, 100, &mut rng)));
    }

    #[test]
    fn without_a_threshold_nothing_is_marked() {
        let never = Marking {
            min_bytes: u64::MAX,
            max_bytes: u64::MAX,
            counts_departing: true,
        };
        assert!(!never.marks(u64::MAX, 100, &mut rng()));
    }
}
