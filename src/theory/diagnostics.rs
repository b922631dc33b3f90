//! What the paper's theorems predict, as functions for tests.
//!
//! Source: our spec's section 9, which collects the paper's appendices B to G. w = k / 2, m = packets a message, queues in
//! packets. Exact simulation of the N.D/D/1 queue is not here, only its heavy-traffic form.

use crate::topology::FatTree;
use crate::units::Span;

/// Probability that all flows of an edge leave it, at least (equation 9).
#[must_use]
pub fn p_northbound(k: u32) -> f64 {
    let w = f64::from(k / 2);
    1.0 - w * (w - 1.0) / (2.0 * w.powi(3) - 1.0)
}

/// Probability that a flow of JSQ is safe (equation 10).
#[must_use]
pub fn p_safe(k: u32, gap: Span, slot: Span) -> f64 {
    let share = 2.0 * gap.0 as f64 / slot.0 as f64;
    (1.0 - share).powi(k as i32 / 2 - 1)
}

/// Least mean queue of a downlink that `sticky` flows of `m` packets share, up to a constant (theorem 2, step 2).
#[must_use]
pub fn sticky_downlink_mean(sticky: u32, m: u64) -> f64 {
    (f64::from(sticky) - 1.0) * m as f64 / 2.0
}

/// Theorem 2: least mean over all switch queues, where a flow is sticky with probability `p`.
#[must_use]
pub fn theorem2_floor(k: u32, p: f64, m: u64) -> f64 {
    let w = k / 2;
    let bracket = (1.0 - p / f64::from(w)).powi(w as i32) - (1.0 - p);
    3.0 / 40.0 * bracket * m as f64
}

/// Theorem 1: least expected excess of arrivals over service at an edge uplink after `t` packet times.
#[must_use]
pub fn theorem1_excess(t: u64) -> f64 {
    (t as f64).sqrt() / 4.0
}

/// Theorem 1: least time mean of an edge uplink's or a downlink's queue.
#[must_use]
pub fn theorem1_link_floor(m: u64) -> f64 {
    2.0 / 15.0 * (m as f64).sqrt()
}

/// Theorem 1: least time mean over all switch queues.
#[must_use]
pub fn theorem1_floor(m: u64) -> f64 {
    theorem1_link_floor(m) * 2.0 / 5.0
}

/// Theorem 1: greatest expected maximum of a queue.
#[must_use]
pub fn theorem1_ceiling(m: u64) -> f64 {
    4.0 * (m as f64).sqrt() + 1.0
}

/// DRB: expected flows that an edge sends north (equation 14); each has period w slots at an uplink.
#[must_use]
pub fn drb_edge_flows(k: u32) -> f64 {
    let (w, n) = (f64::from(k / 2), f64::from(FatTree::new(3, k).hosts()));
    w * (1.0 - (w - 1.0) / (n - 1.0))
}

/// DRB: expected inter-pod flows of a pod (equation 15).
#[must_use]
pub fn drb_pod_flows(k: u32) -> f64 {
    let (w, n) = (f64::from(k / 2), f64::from(FatTree::new(3, k).hosts()));
    w * w * (1.0 - (w * w - 1.0) / (n - 1.0))
}

/// Ofan: expected distinct destination edges of an edge's flows (appendix F.4).
#[must_use]
pub fn ofan_edge_pointers(k: u32) -> f64 {
    let edges = f64::from(k * k / 2);
    edges * (1.0 - (1.0 - 1.0 / edges).powi(k as i32 / 2))
}

/// Ofan: most pointers of one class that an aggregation switch uses.
#[must_use]
pub fn ofan_agg_pointers(k: u32) -> u32 {
    k - 1
}

/// How many times fewer pointers Ofan's aggregation switches have than DRB's flows (appendix F.3).
#[must_use]
pub fn consolidation_gain(k: u32) -> f64 {
    f64::from(k * k) / f64::from(4 * (k - 1))
}

/// Most packets that an edge uplink ever holds, data only, in a permutation; `None` where no constant bound is known.
#[must_use]
pub fn edge_uplink_bound(scheme: &str, k: u32) -> Option<u32> {
    match scheme {
        "drb" | "ofan" | "pofan" => Some(k / 2 + 1),
        "ethereal" => Some(k * k / 4 + 1),
        "simple_rr" | "jsq" => Some(1),
        _ => None,
    }
}

/// P(Q > x) of N periodic unit sources of period `d` in heavy traffic.
#[must_use]
pub fn ndd1_tail(n: f64, d: f64, x: f64) -> f64 {
    (-2.0 * x * (x + d - n) / n).exp()
}

/// Mean of the same, by Simpson's rule over six standard deviations.
#[must_use]
pub fn ndd1_mean(n: f64, d: f64) -> f64 {
    let (steps, end) = (600_u32, 6.0 * n.sqrt());
    let step = end / f64::from(steps);
    let weight = |i| match i {
        0 => 1.0,
        i if i == steps => 1.0,
        i if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let term = |i| weight(i) * ndd1_tail(n, d, f64::from(i) * step);
    (0..=steps).map(term).sum::<f64>() * step / 3.0
}

/// Theorem 6: the payload that minimises the completion time of `bytes`, with `overhead` bytes a frame (gap included) and
/// `alpha` packets of delay.
#[must_use]
pub fn best_payload_bytes(bytes: u64, overhead: u32, alpha: f64) -> f64 {
    (f64::from(overhead) * bytes as f64 / alpha).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, digits: i32) {
        let half = 0.5 * 10_f64.powi(-digits);
        assert!(
            (value - expected).abs() <= half * 1.000_001,
            "{value} is not {expected}"
        );
    }

    #[test]
    fn the_k_12_column_of_the_spec_comes_out() {
        near(p_northbound(12), 0.930, 3);
        near(p_safe(12, Span(200), Span(41_780)), 0.953, 3);
        near(theorem2_floor(12, p_northbound(12), 1), 0.022, 3);
        near(drb_edge_flows(12), 5.930, 3);
        near(drb_pod_flows(12), 33.08, 2);
        near(ofan_edge_pointers(12), 5.795, 3);
        assert_eq!(ofan_agg_pointers(12), 11);
        near(consolidation_gain(12), 3.27, 2);
        near(theorem1_ceiling(256), 65.0, 6);
        near(theorem1_floor(256), 2.0 / 15.0 * 16.0 * 0.4, 6);
        near(theorem1_excess(16), 1.0, 6);
        near(sticky_downlink_mean(3, 256), 256.0, 6);
    }

    #[test]
    fn p_northbound_is_least_at_k_4() {
        near(p_northbound(4), 13.0 / 15.0, 9);
        assert!((6..=128).step_by(2).all(|k| p_northbound(k) > 13.0 / 15.0));
    }

    #[test]
    fn edge_uplinks_are_bounded_by_7_37_and_1_at_k_12() {
        let of = |scheme| edge_uplink_bound(scheme, 12);
        assert_eq!([of("drb"), of("ofan"), of("pofan")], [Some(7); 3]);
        assert_eq!(
            (of("ethereal"), of("jsq"), of("rps")),
            (Some(37), Some(1), None)
        );
    }

    #[test]
    fn the_heavy_traffic_means_of_the_spec_come_out() {
        let table = [
            (6.0, 6.0, 1.535),
            (8.0, 8.0, 1.77),
            (33.0, 36.0, 2.48),
            (36.0, 36.0, 3.76),
        ];
        let more = [
            (60.0, 64.0, 3.36),
            (64.0, 64.0, 5.01),
            (11.0, 12.0, 1.66),
            (15.0, 16.0, 2.00),
        ];
        for (n, d, mean) in table.into_iter().chain(more) {
            near(ndd1_mean(n, d), mean, 2);
        }
    }

    #[test]
    fn the_best_payload_of_half_a_mebibyte_is_2073_bytes() {
        near(best_payload_bytes(1 << 19, 82, 10.0), 2073.0, 0);
        near(best_payload_bytes(1 << 22, 82, 10.0), 5865.0, 0);
    }
}
