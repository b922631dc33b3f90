//! Simple RR: all northbound packets of a switch take its uplinks in turn, whatever their destination.
//!
//! Definition: the Ofan paper, section 3.1 and appendix C. Each switch has one uniformly random port order that stays for the whole
//! run and one pointer with a uniform start; a port that does not lead to the destination is skipped. Not modelled: the reshuffling
//! of the order after some turns of public simulators, which destroys the effect that the paper proves.

use super::{SwitchEnv, UplinkPolicy, Uplinks};
use crate::fields::{choice, params, words};
use crate::packet::Packet;
use crate::rng::{Domain, Rng};

/// What users read about it.
pub const ABOUT: &str =
    "Each switch sends its northbound packets to its uplinks in turn, whatever their destination.";

words! {
    /// Whose pointer ACKs use.
    pub enum AckPointer {
        /// The one that data packets use.
        Shared = "shared",
        /// Their own.
        Separate = "separate",
    }
}

params! {
    /// The parameters of Simple RR.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Params {
        /// Whether ACKs advance the pointer of the data packets or one of their own with its own uniform start. The paper's wording (all
        /// northbound packets, section 3.1) is shared.
        pub ack_pointer: AckPointer = key("ack_pointer", choice(), default = AckPointer::Shared),
    }
}

/// Simple RR on one switch.
#[derive(Clone, Debug)]
pub struct SimpleRr {
    /// The uplinks in the order of the turn.
    order: Box<[u8]>,
    /// Positions in `order`: of data (or of all), of ACKs.
    pointers: [u8; 2],
    separate: bool,
}

impl SimpleRr {
    /// The policy of the switch of `env`, with its own order and start.
    #[must_use]
    pub fn new(params: &Params, env: &SwitchEnv) -> Self {
        let mut order: Box<[u8]> = (0..env.uplinks as u8).collect();
        env.stream(Domain::PortOrder).shuffle(&mut order);
        let mut start = env.stream(Domain::SwitchPointer);
        let pointers = [(); 2].map(|()| start.below(env.uplinks as u32) as u8);
        Self {
            order,
            pointers,
            separate: params.ack_pointer == AckPointer::Separate,
        }
    }
}

impl UplinkPolicy for SimpleRr {
    #[inline]
    fn pick<U: Uplinks>(&mut self, packet: &Packet, uplinks: &mut U, _rng: &mut Rng) -> usize {
        let valid = uplinks.valid();
        debug_assert!(!valid.is_empty());
        let pointer = &mut self.pointers[usize::from(self.separate && packet.is_control())];
        loop {
            let uplink = usize::from(self.order[usize::from(*pointer)]);
            *pointer += 1;
            if usize::from(*pointer) == self.order.len() {
                *pointer = 0;
            }
            if valid.contains(uplink) {
                return uplink;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::{FakeSwitch, ack, data, edge, histogram, pick_stream, picks};
    use super::*;

    #[test]
    fn counts_of_any_run_of_packets_differ_by_at_most_one() {
        for w in [1, 2, 3, 6, 64] {
            let mut rr = SimpleRr::new(&Params::default(), &edge(w, 1));
            for n in [1, w, w + 1, 5 * w / 2] {
                let counts = histogram(&picks(&mut rr, &data(), &mut FakeSwitch::idle(w), n), w);
                assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1);
            }
        }
    }

    #[test]
    fn the_order_never_changes_and_destinations_share_it() {
        let mut rr = SimpleRr::new(&Params::default(), &edge(6, 1));
        let mut switch = FakeSwitch::idle(6);
        let first = picks(&mut rr, &data(), &mut switch, 6);
        for turn in 0..50 {
            switch.group = turn;
            assert_eq!(picks(&mut rr, &data(), &mut switch, 6), first);
        }
    }

    #[test]
    fn an_invalid_port_is_skipped_and_the_others_keep_their_turns() {
        let mut rr = SimpleRr::new(&Params::default(), &edge(6, 1));
        let whole = picks(&mut rr.clone(), &data(), &mut FakeSwitch::idle(6), 12);
        let mut broken = FakeSwitch::idle(6).without(4);
        let expected: Vec<_> = whole.into_iter().filter(|&uplink| uplink != 4).collect();
        assert_eq!(picks(&mut rr, &data(), &mut broken, 10), expected);
    }

    #[test]
    fn acks_move_the_data_pointer_only_if_shared() {
        let separate = Params {
            ack_pointer: AckPointer::Separate,
        };
        for (params, moves) in [(Params::default(), true), (separate, false)] {
            let mut rr = SimpleRr::new(&params, &edge(6, 1));
            let mut undisturbed = rr.clone();
            let (mut switch, mut rng) = (FakeSwitch::idle(6), pick_stream());
            rr.pick(&ack(), &mut switch, &mut rng);
            let next = rr.pick(&data(), &mut switch, &mut rng);
            let without = undisturbed.pick(&data(), &mut switch, &mut rng);
            assert_eq!(next != without, moves);
        }
    }

    #[test]
    fn switches_have_their_own_orders() {
        let order = |switch| {
            let env = SwitchEnv {
                switch,
                ..edge(16, 1)
            };
            SimpleRr::new(&Params::default(), &env).order
        };
        assert_ne!(order(0), order(1));
    }
}
