//! A buffer that the ports of a switch share, with dynamic thresholds (Choudhury and Hahne, "Dynamic queue length thresholds for
//! shared-memory packet switches", IEEE/ACM ToN 1998): a port may hold alpha times what is free at the instant.
//!
//! Not modelled: cells (bytes are bytes), reserves of single ports.

use crate::units::Ratio;

/// The buffer and what is in it.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    bytes: u64,
    alpha: Ratio,
    /// Bytes that count, of all ports.
    held: u64,
}

impl Pool {
    /// An empty buffer of `bytes`.
    #[must_use]
    pub const fn new(bytes: u64, alpha: Ratio) -> Self {
        Self {
            bytes,
            alpha,
            held: 0,
        }
    }

    /// Whether `bytes` is at most alpha times what is free, exactly.
    #[inline]
    #[must_use]
    pub fn allows(&self, bytes: u64) -> bool {
        let free = u128::from(self.bytes.saturating_sub(self.held));
        u128::from(bytes) * u128::from(self.alpha.den) <= u128::from(self.alpha.num) * free
    }

    /// Alpha times what is free, rounded down.
    #[must_use]
    pub fn threshold(&self) -> u64 {
        let free = u128::from(self.bytes.saturating_sub(self.held));
        let threshold = u128::from(self.alpha.num) * free / u128::from(self.alpha.den);
        u64::try_from(threshold).unwrap_or(u64::MAX)
    }

    /// Whether a port that holds `queued` bytes may take a frame of `size` more.
    #[inline]
    #[must_use]
    pub fn has_room(&self, queued: u64, size: u32) -> bool {
        let size = u64::from(size);
        self.held + size <= self.bytes && self.allows(queued + size)
    }

    /// A frame of `size` bytes came.
    #[inline]
    pub fn add(&mut self, size: u32) {
        self.held += u64::from(size);
    }

    /// A frame of `size` bytes left.
    #[inline]
    pub fn remove(&mut self, size: u32) {
        self.held -= u64::from(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_alpha_times_what_is_free_compared_exactly() {
        // 1/3 of 10,000 - 4,000: a port may hold 2,000.
        let mut pool = Pool::new(10_000, Ratio { num: 1, den: 3 });
        pool.add(4_000);
        assert!(pool.has_room(1_900, 100));
        assert!(!pool.has_room(1_901, 100));
        assert_eq!(pool.threshold(), 2_000);
        // 1/3 of 5,999 is 1,999.67.
        pool.add(1);
        assert!(pool.has_room(1_899, 100));
        assert!(!pool.has_room(1_900, 100));
        assert_eq!(pool.threshold(), 1_999);
        pool.remove(1);
        assert!(pool.has_room(1_900, 100));
    }

    #[test]
    fn the_buffer_itself_is_a_bound_whatever_alpha() {
        let mut pool = Pool::new(1_000, Ratio { num: 1_000, den: 1 });
        pool.add(900);
        assert!(pool.has_room(900, 100));
        assert!(!pool.has_room(900, 101));
        pool.add(200);
        assert!(!pool.allows(1) && pool.allows(0));
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        let most = Ratio {
            num: u64::MAX,
            den: 1,
        };
        let pool = Pool::new(u64::MAX, most);
        assert!(pool.has_room(u64::MAX - 100, 100));
        assert_eq!(pool.threshold(), u64::MAX);
    }
}
