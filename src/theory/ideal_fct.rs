//! Completion time of a lone flow on an idle fabric at line rate: exact, and O(1) in the number of packets.
//!
//! Our derivation. Full frames are equally long, so behind the NIC none waits for another: packet i < m arrives at
//! t_i = T_p + H T_d + (i - 1) T'_d. A short last frame catches up with the one before it and then follows it at every hop, so
//! t_m = t_(m-1) + T_g + T_l. The receiver's NIC sends ACKs in order, and behind it they never wait either:
//! end = max over i of t_i + (m - i) T'_a, plus T_p + H T_a. The inner term is linear over i < m, so i = 1, m - 1 and m decide.
//!
//! Where receivers coalesce ACKs, the last arrival is answered at once, and no ACK is taken to be in its way.
//!
//! Where the tiers differ in rate, only the hosts' links are taken to limit a flow, as if every other hop had parallel links enough:
//! then this is a lower bound, reached where no link is slower than the hosts'.
//!
//! The frames are taken to arrive in order (one path). Over several paths a short last frame may overtake: the last arrival is
//! the same while the receiver's link stays busy, but a queue of ACKs may then be a little shorter. [`lone_bound`] allows for it.

use super::frames::{Exact, Frames, to_ps};
use crate::units::Span;

/// From the first bit sent to the last ACK received (last arrival where there are no ACKs) over `hops` links.
#[must_use]
pub fn ideal_fct(frames: &Frames, hops: u32) -> Span {
    let f = frames.exact(hops);
    let last = last_arrival_in_order(&f);
    if !frames.acks {
        return Span(to_ps(last));
    }
    let mut end = last;
    if f.m > 1 && !frames.few_acks {
        let first = f.latency + f.data_way;
        let last_but_one = first + (f.m - 2) * f.slot();
        end = end
            .max(first + (f.m - 1) * f.ack_slot())
            .max(last_but_one + f.ack_slot());
    }
    Span(to_ps(end + f.ack_trip()))
}

/// A lower bound of the same that holds over any choice of paths: a short last frame may overtake as many others as it can.
#[must_use]
pub fn lone_bound(frames: &Frames, hops: u32) -> Span {
    let f = frames.exact(hops);
    let last = last_arrival_bound(&f);
    if !frames.acks {
        return Span(to_ps(last));
    }
    if frames.few_acks {
        return Span(to_ps(last + f.ack_trip()));
    }
    let overtaker = (f.m - 1) * f.slot() + f.short_way;
    let first = f.latency + overtaker.min(f.data_way);
    Span(to_ps(
        last.max(first + (f.m - 1) * f.ack_slot()) + f.ack_trip(),
    ))
}

fn last_arrival_in_order(f: &Exact) -> u128 {
    let before = if f.m > 1 {
        f.data_way - f.td
    } else {
        f.short_way - f.tl
    };
    f.latency + before + (f.m - 1) * f.slot() + f.tl
}

/// When the last of the frames can have arrived at the earliest. The last link serves one frame at a time, from the instant at
/// which the first of them reaches it: the first one, unless the short last one is there even before it.
pub(super) fn last_arrival_bound(f: &Exact) -> u128 {
    if f.m == 1 {
        return f.latency + f.short_way;
    }
    let first = f.data_way - f.td;
    let overtaker = (f.m - 1) * f.slot() + f.short_way - f.tl;
    let work = first.min(overtaker) + (f.m - 1) * f.slot() + f.tl;
    let last_full = first + (f.m - 2) * f.slot() + f.td;
    f.latency + work.max(last_full).max(overtaker + f.tl)
}

#[cfg(test)]
mod tests {
    use super::super::frames::Times;
    use super::super::frames::testing::paper;
    use super::*;
    use proptest::prelude::*;

    fn fct(frames: &Frames, hops: u32) -> u64 {
        ideal_fct(frames, hops).0
    }

    /// The same by brute force: every frame through every store-and-forward hop.
    fn by_recurrence(f: &Frames, hops: u32) -> u64 {
        let pass = |ready: &[u64], size: &dyn Fn(&Times, usize) -> u64, hop: u32| -> Vec<u64> {
            // Up through the tiers and down again; a switch is passed before every hop but the first.
            let tier = hop.min(hops - 1 - hop) as usize;
            let switch = hop.saturating_sub(1).min(hops - 1 - hop) as usize;
            let wait = if hop == 0 {
                0
            } else {
                f.tiers[switch].switch.0
            };
            let mut free = 0;
            let through = |(i, &at): (usize, &u64)| {
                let left = (at + wait).max(free) + size(&f.tiers[tier], i);
                free = left + f.gap.0;
                left + f.tiers[tier].link.0
            };
            ready.iter().enumerate().map(through).collect()
        };
        let last = f.packets as usize - 1;
        let data = |times: &Times, i| {
            if i == last {
                times.last.0
            } else {
                times.data.0
            }
        };
        let mut at = vec![0; last + 1];
        for hop in 0..hops {
            at = pass(&at, &data, hop);
        }
        for hop in 0..if f.acks { hops } else { 0 } {
            at = pass(&at, &|times, _| times.ack.0, hop);
        }
        at[last]
    }

    #[test]
    fn a_lone_inter_pod_flow_of_256_packets_takes_16_907_220_ps() {
        assert_eq!(fct(&Frames::new(&paper(3, 12), 1 << 20), 6), 16_907_220);
    }

    #[test]
    fn one_inter_pod_packet_takes_3_249_480_ps_one_way() {
        let mut frames = Frames::new(&paper(3, 12), 4096);
        frames.acks = false;
        assert_eq!(fct(&frames, 6), 3_249_480);
    }

    #[test]
    fn nearer_layers_save_two_links_and_two_serialisations_each_way() {
        let frames = Frames::new(&paper(3, 12), 4096);
        assert_eq!(fct(&frames, 6), 6_253_320);
        assert_eq!(fct(&frames, 4), 4_168_880);
        assert_eq!(fct(&frames, 2), 2_084_440);
    }

    #[test]
    fn a_message_of_u64_max_bytes_saturates_instead_of_overflowing() {
        let mut frames = Frames::new(&paper(3, 12), u64::MAX);
        frames.tiers = frames.tiers.map(|tier| Times {
            ack: Span(1 << 40),
            ..tier
        });
        assert_eq!(fct(&frames, 6), u64::MAX);
        assert_eq!(lone_bound(&frames, 6), Span(u64::MAX));
    }

    prop_compose! {
        fn any_frames()(packets in 1_u64..40, data in 1_u64..500, short in 0_u64..500, ack in 1_u64..900, gap in 0_u64..40,
            link in 0_u64..1000, switch in 0_u64..100, acks in any::<bool>()) -> Frames {
            let last = Span(data.saturating_sub(short).max(1));
            let times = Times { data: Span(data), last, ack: Span(ack), link: Span(link), switch: Span(switch) };
            Frames { packets, acks, few_acks: false, gap: Span(gap), tiers: [times; 3] }
        }
    }

    /// Divide the serialisation times of the upper tiers.
    fn faster(mut frames: Frames, by: [u64; 2], switches: [u64; 2]) -> Frames {
        for (tier, (by, switch)) in frames.tiers[1..]
            .iter_mut()
            .zip(by.into_iter().zip(switches))
        {
            let less = |span: Span| Span((span.0 / by).max(1));
            (tier.data, tier.last, tier.ack) = (less(tier.data), less(tier.last), less(tier.ack));
            tier.switch = Span(switch);
        }
        frames
    }

    proptest! {
        #[test]
        fn the_closed_form_is_the_recurrence_where_upper_tiers_are_faster(
            frames in any_frames(), layer in 1_u32..=3, by in [1_u64..5, 1..5], switches in [0_u64..90, 0..90],
        ) {
            let frames = faster(frames, by, switches);
            prop_assert_eq!(fct(&frames, 2 * layer), by_recurrence(&frames, 2 * layer));
        }

        #[test]
        fn the_closed_form_is_no_later_than_the_recurrence_where_upper_tiers_are_slower(
            frames in any_frames(), layer in 1_u32..=3, times in [1_u64..4, 1..4],
        ) {
            let mut frames = frames;
            for (tier, times) in frames.tiers[1..].iter_mut().zip(times) {
                (tier.data, tier.last, tier.ack) = (tier.data * times, tier.last * times, tier.ack * times);
            }
            prop_assert!(fct(&frames, 2 * layer) <= by_recurrence(&frames, 2 * layer));
        }

        #[test]
        fn the_closed_form_is_the_recurrence(frames in any_frames(), layer in 1_u32..=3) {
            prop_assert_eq!(fct(&frames, 2 * layer), by_recurrence(&frames, 2 * layer));
        }

        #[test]
        fn the_bound_is_never_above_the_ideal_and_equals_it_without_a_short_frame(
            frames in any_frames(), layer in 1_u32..=3,
        ) {
            let hops = 2 * layer;
            prop_assert!(lone_bound(&frames, hops) <= ideal_fct(&frames, hops));
            let full = Frames { tiers: frames.tiers.map(|tier| Times { last: tier.data, ..tier }), ..frames };
            prop_assert_eq!(lone_bound(&full, hops), ideal_fct(&full, hops));
        }
    }
}
