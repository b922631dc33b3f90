//! Appendix A's experiment: the first and the last host exchange 256 packets; the smallest of 1,000 runs sits on the bound.

use super::setup::*;

/// Appendix A's bound for m = 256.
const BOUND: u64 = 17_056_940;
/// How far above it the smallest run may lie: the paper measured 1.8 ns at k = 4 and 4 ns at k = 8 with its own hosts.
const ABOVE: u64 = 6_000;

/// The smallest completion time of 1,000 seeds spread over all schemes.
fn smallest(k: u32) -> u64 {
    let one = |seed: u64| {
        let scenario = paper(3, k, ALL[seed as usize % ALL.len()]);
        let last = tree(&scenario).hosts() - 1;
        let exchange = vec![flow(0, last, 1 << 20), flow(last, 0, 1 << 20)];
        cct(&run_flows(&scenario, exchange, seed))
    };
    (0..1000).map(one).min().expect("1,000 runs")
}

#[test]
fn two_hosts_of_the_smallest_fabric_exchange_256_packets_within_6_ns_of_the_bound() {
    let smallest = smallest(4);
    assert!((BOUND..=BOUND + ABOVE).contains(&smallest), "{smallest}");
}

#[test]
fn two_hosts_of_128_exchange_256_packets_within_6_ns_of_the_bound() {
    let smallest = smallest(8);
    assert!((BOUND..=BOUND + ABOVE).contains(&smallest), "{smallest}");
}
