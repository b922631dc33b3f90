//! Lower bound of a permutation's completion time: every host sends one message and receives one.
//!
//! Source: paper, appendix A, in the reading that gives the quoted 17.05694 us (our spec, section 10): frames with headers,
//! last leg (H - 1) T_a. A host sends i1 data packets before the first ACK is due, then data and ACKs in turn, then ACKs:
//!
//! - m < i1: as a lone flow.
//! - m >= i1: A_m + T'_a + max(T_p + (H - 1) T_a, (i1 - 1) T'_a), where A_m = T_p + H T_d + (i1 - 1) T'_d + (m - i1)(T'_d + T'_a)
//!   is when the last data packet arrives, and the second constraint is the serialisation of the remaining ACKs.
//!
//! A short last packet (ours; the paper has none): its own trip ends at o = A_m - H (T_d - T_l), the last full packet's at
//! A_(m-1) = A_m - T'_d - T'_a, and both use the receiver's link. Either the short one comes second, so the last arrival is
//! max(o, A_(m-1) + T_g + T_l), or first: max(A_(m-1), o + T_g + T_d). The bound takes the smaller.
//!
//! It holds for hosts that start together, up to the largest offset of start jitter. In a permutation of near and far pairs, H is the
//! farthest pair's, as in the paper: a host that sends far and receives from near has its first ACK due earlier, not later.

use super::frames::{Exact, Frames, to_ps};
use super::ideal_fct::{last_arrival_bound, lone_bound};
use crate::units::Span;

/// Data packets that a host sends before its first ACK can be due (i1, equation 8).
#[must_use]
pub fn packets_before_first_ack(frames: &Frames, hops: u32) -> u64 {
    to_ps(first_ack_after(&frames.exact(hops)))
}

fn first_ack_after(f: &Exact) -> u128 {
    (f.latency + f.data_way - f.td).div_ceil(f.slot()) + 1
}

/// Lower bound with an ACK a packet, over `hops` links between the farthest pair.
#[must_use]
pub fn permutation(frames: &Frames, hops: u32) -> Span {
    let f = frames.exact(hops);
    let lone = lone_bound(
        &Frames {
            acks: true,
            ..*frames
        },
        hops,
    );
    let i1 = first_ack_after(&f);
    if f.m < i1 {
        return lone;
    }
    let arrival = if f.m == i1 {
        last_arrival_bound(&f)
    } else {
        last_arrival_between_acks(&f, i1)
    };
    let ack_left = (f.latency + f.ack_way - f.ta).max((i1 - 1) * f.ack_slot());
    lone.max(Span(to_ps(arrival + f.ack_slot() + ack_left)))
}

fn last_arrival_between_acks(f: &Exact, i1: u128) -> u128 {
    let turn = f.slot() + f.ack_slot();
    let last_full = f.latency + f.data_way + (i1 - 1) * f.slot() + (f.m - 1 - i1) * turn;
    let own = last_full + turn - (f.data_way - f.short_way);
    let second = own.max(last_full + f.tg + f.tl);
    let first = last_full.max(own + f.tg + f.td);
    second.min(first)
}

/// Lower bound without ACKs: the arrival of the last packet of a lone flow, T_p + H T_d + (m - 1) T'_d for full packets.
#[must_use]
pub fn permutation_no_acks(frames: &Frames, hops: u32) -> Span {
    lone_bound(
        &Frames {
            acks: false,
            ..*frames
        },
        hops,
    )
}

#[cfg(test)]
mod tests {
    use super::super::frames::Times;
    use super::super::frames::testing::paper;
    use super::*;

    fn full(packets: u64) -> Frames {
        Frames::new(&paper(3, 12), packets * 4096)
    }

    fn bound(packets: u64) -> u64 {
        permutation(&full(packets), 6).0
    }

    #[test]
    fn the_bound_has_every_value_of_the_table_of_the_spec() {
        let table = [
            (1, 6_253_320),
            (16, 6_880_020),
            (64, 8_885_460),
            (77, 9_428_600),
            (78, 9_470_580),
            (79, 9_513_200),
            (119, 11_218_000),
            (128, 11_601_580),
            (244, 16_545_500),
            (245, 16_588_120),
            (256, 17_056_940),
            (418, 23_961_380),
            (512, 27_967_660),
            (1024, 49_789_100),
            (1533, 71_482_680),
            (4096, 180_717_740),
        ];
        for (packets, ps) in table {
            assert_eq!(bound(packets), ps, "m = {packets}");
        }
    }

    #[test]
    fn the_first_ack_is_due_during_packet_78_or_52_in_a_two_level_tree() {
        assert_eq!(packets_before_first_ack(&full(256), 6), 78);
        assert_eq!(packets_before_first_ack(&full(256), 4), 52);
    }

    #[test]
    fn a_two_level_permutation_of_256_packets_is_bounded_by_14_994_340_ps() {
        assert_eq!(permutation(&full(256), 4), Span(14_994_340));
    }

    #[test]
    fn without_acks_256_packets_are_bounded_by_13_903_380_ps() {
        assert_eq!(permutation_no_acks(&full(256), 6), Span(13_903_380));
    }

    #[test]
    fn the_bound_never_falls_when_a_byte_is_added() {
        let scenario = paper(3, 12);
        for base in [1, 4096 * 76, 4096 * 77, 4096 * 78, 4096 * 255] {
            let at = |bytes| permutation(&Frames::new(&scenario, bytes), 6);
            assert!((base..base + 9000).all(|bytes| at(bytes) <= at(bytes + 1)));
        }
    }

    #[test]
    fn a_short_last_packet_costs_less_than_a_full_one_and_no_less_than_none() {
        let at = |bytes| permutation(&Frames::new(&paper(3, 12), bytes), 6).0;
        assert!(at(255 * 4096 + 1) < at(256 * 4096));
        assert!(at(255 * 4096 + 1) >= at(255 * 4096));
    }

    #[test]
    fn serialising_the_acks_binds_once_they_are_larger_than_data() {
        let mut frames = full(256);
        frames.tiers = frames.tiers.map(|tier| Times {
            ack: Span(50_000),
            ..tier
        });
        let arrival = 3_249_480 + 77 * 41_780 + 178 * (41_780 + 50_200);
        assert_eq!(
            permutation(&frames, 6),
            Span(arrival + 50_200 + 77 * 50_200)
        );
    }
}
