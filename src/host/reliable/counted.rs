//! Bytes in flight by the receiver's count of bytes, as uet-htsim has them, and not by the packets that ACKs name.
//!
//! An ACK says how many bytes have arrived in all, and the sender takes out of flight what that has grown by. Most ACKs name fewer packets
//! than have arrived: their bitmap starts at the packet that they answer where that was marked. A packet taken for lost leaves; if it turns
//! out to have arrived, the count has taken it out twice, and it comes back once. So no more is in flight than packets are, and when all is
//! acknowledged nothing is, however ACKs are lost or overtake one another.
//!
//! A NACK counts only where it acknowledges too, going back (our reading: uet-htsim, which does not go back, ignores the count of its own).

/// The account of one connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    /// Below zero between the two halves of a correction.
    in_flight: i64,
    /// The receiver's count, modulo 2^32, as far as it is known.
    received: u32,
}

impl Counted {
    /// Frame bytes in flight.
    #[inline]
    pub(super) fn in_flight(&self) -> u64 {
        u64::try_from(self.in_flight).unwrap_or(0)
    }

    /// A packet of `size` is sent, or had been taken for lost and has arrived.
    #[inline]
    pub(super) fn fly(&mut self, size: u32) {
        self.in_flight += i64::from(size);
    }

    /// A packet of `size` is taken for lost.
    #[inline]
    pub(super) fn lose(&mut self, size: u32) {
        self.in_flight -= i64::from(size);
    }

    /// The receiver has `count` bytes, modulo 2^32: how many more than was known. None, if the ACK was overtaken.
    #[inline]
    pub(super) fn receive(&mut self, count: u32) -> u64 {
        let more = count.wrapping_sub(self.received).cast_signed();
        if more <= 0 {
            return 0;
        }
        self.received = count;
        self.in_flight -= i64::from(more);
        more.unsigned_abs().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overtaken_acks_count_nothing_and_the_count_may_wrap() {
        let mut counted = Counted {
            in_flight: 500,
            received: u32::MAX - 99,
        };
        assert_eq!(counted.receive(100), 200);
        assert_eq!(counted.receive(0), 0);
        assert_eq!(counted.receive(100), 0);
        assert_eq!(counted.in_flight(), 300);
    }

    #[test]
    fn a_packet_taken_for_lost_that_had_arrived_leaves_once() {
        // Sent, lost, its arrival counted, named.
        let mut counted = Counted::default();
        counted.fly(100);
        counted.lose(100);
        assert_eq!((counted.receive(100), counted.in_flight()), (100, 0));
        counted.fly(100);
        assert_eq!(counted.in_flight(), 0);
        // Sent, counted, lost before it was named, sent again; the second one changes no count.
        counted.fly(100);
        assert_eq!(counted.receive(200), 100);
        counted.lose(100);
        counted.fly(100);
        assert_eq!(counted.in_flight(), 0);
    }
}
