//! Priority flow control (IEEE 802.1Qbb, one lossless class), the switch's side: bytes by the port that they came in by, and when a neighbour
//! is paused and may go on.
//!
//! A frame counts from its arrival until its last bit has left. Above a threshold its neighbour is paused; what is on its way then goes
//! into headroom. The threshold is fixed, or alpha times what is free of a shared buffer (Choudhury and Hahne 1998; the headroom is
//! beside that buffer). With a moving threshold headroom is counted from the one at the instant of the pause (our reading). Where control
//! frames have priority a pause does not stop them, so they do not count (our reading: they are another class).
//!
//! Not modelled: reserves of single ports, watchdogs against pause storms.

use crate::packet::Packet;
use crate::port::Pool;

/// When neighbours are paused.
#[derive(Clone, Copy, Debug)]
pub enum Thresholds {
    /// Above the first so many bytes they are paused, at the second or fewer they go on; by down-ports and by uplinks.
    Fixed([(u64, u64); 2]),
    /// As a shared buffer says; they go on at so many bytes less.
    Shared {
        /// All bytes that count.
        pool: Pool,
        /// How many bytes less.
        resume_offset: u64,
    },
}

/// What came in by one port.
#[derive(Clone, Copy, Debug, Default)]
struct Ingress {
    bytes: u64,
    paused: bool,
    /// The threshold at the instant of the last pause.
    threshold: u64,
    headroom_max_bytes: u64,
}

/// What came in by each port.
#[derive(Debug)]
pub struct IngressCounts {
    ports: Box<[Ingress]>,
    downlinks: usize,
    thresholds: Thresholds,
    pause_frame_bytes: u32,
    counts_control: bool,
}

impl IngressCounts {
    /// Nothing has come in by `ports` ports, the first `downlinks` of them down-ports.
    #[must_use]
    pub fn new(
        ports: usize,
        downlinks: usize,
        thresholds: Thresholds,
        pause_frame_bytes: u32,
    ) -> Self {
        Self {
            ports: vec![Ingress::default(); ports].into(),
            downlinks,
            thresholds,
            pause_frame_bytes,
            counts_control: true,
        }
    }

    /// The same where control frames count or not.
    #[must_use]
    pub fn with_control(mut self, counts: bool) -> Self {
        self.counts_control = counts;
        self
    }

    /// Whether `packet` counts.
    pub(super) fn counts(&self, packet: &Packet) -> bool {
        !packet.is_pause() && (self.counts_control || !packet.is_control())
    }

    /// Bytes of a pause frame.
    pub(super) fn pause_frame_bytes(&self) -> u32 {
        self.pause_frame_bytes
    }

    /// Most bytes beyond the threshold that came in by `port`.
    pub(super) fn headroom_max_bytes(&self, port: usize) -> u64 {
        self.ports[port].headroom_max_bytes
    }

    /// A frame of `size` bytes came in by `port`; whether the neighbour there is now to be paused.
    pub(super) fn add(&mut self, port: usize, size: u32) -> bool {
        let ingress = &mut self.ports[port];
        ingress.bytes += u64::from(size);
        let (exceeds, threshold) = match &mut self.thresholds {
            Thresholds::Fixed(sides) => {
                let (high, _) = sides[usize::from(port >= self.downlinks)];
                (ingress.bytes > high, high)
            }
            Thresholds::Shared { pool, .. } => {
                pool.add(size);
                (!pool.allows(ingress.bytes), pool.threshold())
            }
        };
        let pauses = exceeds && !ingress.paused;
        if pauses {
            ingress.paused = true;
            ingress.threshold = threshold;
        }
        if ingress.paused {
            let beyond = ingress.bytes.saturating_sub(ingress.threshold);
            ingress.headroom_max_bytes = ingress.headroom_max_bytes.max(beyond);
        }
        pauses
    }

    /// A frame of `size` bytes that came in by `port` has left; whether the neighbour there may now go on.
    pub(super) fn remove(&mut self, port: usize, size: u32) -> bool {
        let ingress = &mut self.ports[port];
        ingress.bytes -= u64::from(size);
        let is_low = match &mut self.thresholds {
            Thresholds::Fixed(sides) => {
                let (_, low) = sides[usize::from(port >= self.downlinks)];
                ingress.bytes <= low
            }
            Thresholds::Shared {
                pool,
                resume_offset,
            } => {
                pool.remove(size);
                ingress.bytes == 0 || pool.allows(ingress.bytes.saturating_add(*resume_offset))
            }
        };
        let resumes = is_low && ingress.paused;
        ingress.paused &= !resumes;
        resumes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Ratio;

    #[test]
    fn a_neighbour_is_paused_above_the_threshold_and_goes_on_at_the_lower_one() {
        let fixed = Thresholds::Fixed([(1_000, 500), (300, 0)]);
        let mut counts = IngressCounts::new(2, 1, fixed, 64);
        assert!(!counts.add(0, 1_000));
        assert!(counts.add(0, 1));
        assert!(!counts.add(0, 100), "it has been told");
        assert_eq!(counts.headroom_max_bytes(0), 101);
        assert!(!counts.remove(0, 600));
        assert!(counts.remove(0, 1));
        assert!(!counts.remove(0, 500), "it has been told");
        assert!(counts.add(1, 301), "an uplink has its own");
        assert!(!counts.remove(1, 300));
        assert!(counts.remove(1, 1));
        assert_eq!(counts.headroom_max_bytes(1), 1);
    }

    #[test]
    fn with_a_shared_buffer_the_threshold_moves_with_what_is_free() {
        let pool = Pool::new(4_000, Ratio { num: 1, den: 2 });
        let shared = Thresholds::Shared {
            pool,
            resume_offset: 200,
        };
        let mut counts = IngressCounts::new(2, 2, shared, 64);
        // 1,333 <= (4,000 - 1,333) / 2 = 1,333.5; 1,334 > 1,333.
        assert!(!counts.add(0, 1_333));
        assert!(counts.add(0, 1));
        // Another port's bytes lower it to (4,000 - 1,834) / 2 = 1,083: the headroom is counted from 1,333.
        assert!(!counts.add(1, 500));
        assert!(!counts.add(0, 100));
        assert_eq!(counts.headroom_max_bytes(0), 101);
        // 900 + 200 <= (4,000 - 1,400) / 2 = 1,300; before that 1,034 + 200 > (4,000 - 1,534) / 2 = 1,233.
        assert!(!counts.remove(0, 400));
        assert!(counts.remove(0, 134));
        assert!(!counts.remove(0, 900));
    }

    #[test]
    fn whoever_has_nothing_here_goes_on_however_full_the_buffer() {
        let pool = Pool::new(100, Ratio::ONE);
        let shared = Thresholds::Shared {
            pool,
            resume_offset: 5_000,
        };
        let mut counts = IngressCounts::new(2, 2, shared, 64);
        assert!(counts.add(0, 60));
        assert!(counts.add(1, 60));
        assert!(counts.remove(0, 60));
    }
}
