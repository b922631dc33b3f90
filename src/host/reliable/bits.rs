//! A set of numbers that fills up from below: all below its floor are in it.

use std::collections::VecDeque;

/// The set.
#[derive(Clone, Debug, Default)]
pub(in crate::host) struct Bits {
    /// The lowest number that is not in it.
    floor: u32,
    /// Bit b of word w: `first` + 64 w + b is in it. `first` is a multiple of 64, and less than 64 below the floor.
    words: VecDeque<u64>,
    first: u32,
}

impl Bits {
    /// The lowest number that is not in it.
    #[inline]
    pub(in crate::host) fn floor(&self) -> u32 {
        self.floor
    }

    /// Whether `number` is in it.
    #[inline]
    pub(in crate::host) fn has(&self, number: u32) -> bool {
        number < self.floor || self.word(number) >> (number % 64) & 1 == 1
    }

    /// The word of `number`; nothing where there is none.
    #[inline]
    fn word(&self, number: u32) -> u64 {
        let ahead = number.checked_sub(self.first);
        let word = ahead.and_then(|ahead| self.words.get(ahead as usize / 64));
        word.copied().unwrap_or(0)
    }

    /// Which of the 64 numbers from `base` on are in it: bit j is `base` + j.
    #[inline]
    pub(in crate::host) fn window(&self, base: u32) -> u64 {
        let shift = base % 64;
        let low = self.word(base) >> shift;
        let high = match shift {
            0 => 0,
            _ => self.word(base.saturating_add(64)) << (64 - shift),
        };
        match self.floor.saturating_sub(base) {
            0 => low | high,
            below @ 1..=63 => low | high | ((1 << below) - 1),
            _ => u64::MAX,
        }
    }

    /// Put `number` in, which is not in it.
    #[inline]
    pub(in crate::host) fn insert(&mut self, number: u32) {
        let index = ((number - self.first) / 64) as usize;
        if index >= self.words.len() {
            self.words.resize(index + 1, 0);
        }
        self.words[index] |= 1 << (number % 64);
        if number == self.floor {
            self.rise();
        }
    }

    /// The number at the floor is in it: find the next that is not.
    fn rise(&mut self) {
        loop {
            let run = (self.word(self.floor) >> (self.floor % 64)).trailing_ones();
            self.floor += run;
            if self.floor < self.first + 64 {
                return;
            }
            self.words.pop_front();
            self.first += 64;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::rng::{Domain, Rng};

    #[test]
    fn it_is_a_set_whose_floor_rises() {
        let mut rng = Rng::stream(5, Domain::Entropy, 0);
        for spread in [1, 2, 60, 64, 300] {
            let (mut bits, mut set) = (Bits::default(), BTreeSet::new());
            let mut floor = 0;
            for _ in 0..2_000 {
                let number = floor + rng.below(spread);
                assert_eq!(bits.has(number), set.contains(&number));
                if set.insert(number) {
                    bits.insert(number);
                }
                while set.contains(&floor) {
                    floor += 1;
                }
                assert_eq!(bits.floor(), floor);
                let base = (floor + rng.below(80)).saturating_sub(rng.below(160));
                let expected = (0..64).filter(|j| set.contains(&(base + j)));
                assert_eq!(
                    bits.window(base),
                    expected.fold(0, |word, j| word | 1 << j),
                    "from {base} with floor {floor}"
                );
            }
        }
    }
}
