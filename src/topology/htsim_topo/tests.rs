//! Tests of the importer of `.topo` files.

use super::*;

const LEAF_SPINE: &str = "# a comment\r\nNodes 32\r\nTiers 2\nPodsize 32\n\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 8\nRadix_Up 2\n\
    Queue_down\t100000\nDownlink_Latency_ns  1000 # here too\nOversubscribed 4\n\nTier 1\ndownlink_speed_gbps 400\nRadix_Down 4\n\
    Downlink_Latency_ns 500\nSwitch_Latency_ns 300\n";

const THREE: &str = "Nodes 8\nTiers 3\nPodsize 4\nTier 0\nDownlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 1000\n\
    Tier 1\nDownlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 4\nDownlink_Latency_ns 1000\nBundle 1\nTier 2\nDownlink_speed_Gbps 100\n\
    Radix_Down 4\nDownlink_Latency_ns 1000\nBundle 2\n";

fn errors(text: &str) -> Vec<String> {
    let found = read(text).err().unwrap_or_default();
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn a_leaf_spine_with_its_own_speeds_latencies_and_queues_is_read() {
    let topo = read(LEAF_SPINE).expect("a good file");
    let shape = topo.shape;
    assert_eq!((shape.levels, shape.pods, shape.edges_per_pod), (2, 1, 4));
    assert_eq!((shape.hosts_per_edge, shape.aggs_per_pod), (8, 2));
    assert_eq!((shape.cores_per_agg, shape.edge_bundle), (0, 1));
    let [edge, spine, _] = topo.tiers;
    assert_eq!(
        (edge.gbps, edge.latency_ns, edge.switch_latency_ns),
        (100, 1000, 0)
    );
    assert_eq!(
        (spine.gbps, spine.latency_ns, spine.switch_latency_ns),
        (400, 500, 300)
    );
    assert_eq!(
        (edge.queue_down, edge.queue_up),
        (Some((100_000, 10)), None)
    );
}

#[test]
fn a_bundle_of_two_slower_links_makes_half_as_many_cores() {
    let shape = read(THREE).expect("a good file").shape;
    assert_eq!(
        (shape.pods, shape.edges_per_pod, shape.aggs_per_pod),
        (2, 2, 2)
    );
    assert_eq!((shape.cores_per_agg, shape.agg_bundle), (2, 2));
    assert_eq!(shape.cores, CoreNumbers::Strides);
}

#[test]
fn every_kind_of_slip_is_named_with_its_line_and_what_is_allowed() {
    let change = |from: &str, to: &str| errors(&THREE.replacen(from, to, 1));
    for (from, to, expected) in [
        ("Nodes 8\n", "", "`Nodes` is missing"),
        (
            "Nodes 8",
            "Nodes eight",
            "line 1: `Nodes` is \"eight\"; allowed: an integer from 2 to 1000000",
        ),
        (
            "Nodes 8",
            "Nodes -8",
            "line 1: `Nodes` is \"-8\"; allowed: an integer from 2 to 1000000",
        ),
        (
            "Nodes 8",
            "Nodes 8.0",
            "line 1: `Nodes` is \"8.0\"; allowed: an integer from 2 to 1000000",
        ),
        (
            "Nodes 8",
            "Nodes 8 9",
            "line 1: found 3 words; allowed: a key and its value",
        ),
        (
            "Nodes 8",
            "Node 8",
            "line 1: unknown key \"Node\"; did you mean \"Nodes\"?",
        ),
        (
            "Nodes 8",
            "Nodes 9",
            "line 3: `Nodes` 9 is no multiple of `Podsize` 4",
        ),
        (
            "Tiers 3",
            "Tiers 4",
            "line 2: `Tiers` is \"4\"; allowed: an integer from 2 to 3",
        ),
        (
            "Tiers 3",
            "Tiers 3\nTiers 3",
            "line 3: `Tiers` also stands on line 2; allowed: once",
        ),
        (
            "Tier 0",
            "Radix_Up 2\nTier 0",
            "line 4: `Radix_Up` stands before the first `Tier`",
        ),
        (
            "Tier 1",
            "Tier 5",
            "line 9: `Tier` is \"5\"; allowed: 0, 1 or 2",
        ),
        (
            "Tier 1",
            "Tier 0",
            "line 9: `Tier 0` also begins on line 4; allowed: once",
        ),
        (
            "Tier 1\n",
            "Tier 1\nPodsize 4\n",
            "line 10: `Podsize` stands after the first `Tier`",
        ),
        ("Radix_Up 2\n", "", "line 4: `Tier 0` has no `Radix_Up`"),
        (
            "Radix_Down 4",
            "Radix_Down 6",
            "line 17: `Radix_Down` of tier 2 is 6; allowed: 4 (2 pods, bundles of 2)",
        ),
        (
            "Radix_Down 2\nRadix_Up 4",
            "Radix_Down 3\nRadix_Up 4",
            "line 11: `Radix_Down` of tier 1 is 3; allowed: 2 (2 edge switches of a pod, bundles of 1)",
        ),
        (
            "Radix_Up 4",
            "Radix_Up 3",
            "line 12: `Radix_Up` of tier 1 3 is no multiple of `Bundle` of tier 2 2",
        ),
        (
            "Radix_Down 2\nRadix_Up 2",
            "Radix_Down 3\nRadix_Up 2",
            "line 6: `Podsize` 4 is no multiple of `Radix_Down` of tier 0 3",
        ),
        (
            "Radix_Down 4",
            "Radix_Down 4\nRadix_Up 4",
            "line 18: `Radix_Up` makes no sense on the top tier, which has no uplinks",
        ),
        (
            "Radix_Down 4",
            "Radix_Down 4\nQueue_Up 4",
            "line 18: `Queue_Up` makes no sense on the top tier, which has no uplinks",
        ),
        (
            "Radix_Up 2",
            "Radix_Up 2\nBundle 2",
            "line 8: `Bundle` is 2 on tier 0: a host has one link; allowed: 1",
        ),
        (
            "Radix_Up 2",
            "Radix_Up 2\nOversubscribed 4",
            "line 8: `Oversubscribed` is 4, but tier 0 has 2 ports of 200 Gb/s down and 2 of 200 Gb/s up; allowed: 1",
        ),
        (
            "Latency_ns 1000",
            "Latency_ns 0",
            "line 8: `Downlink_Latency_ns` is \"0\"; allowed: an integer from 1 to 1000000000",
        ),
        (
            "Gbps 200",
            "Gbps 0",
            "line 5: `Downlink_speed_Gbps` is \"0\"; allowed: an integer from 1 to 100000",
        ),
        (
            "Gbps 200",
            "Gbps 99999999999999999999",
            "line 5: `Downlink_speed_Gbps` is \"99999999999999999999\"; allowed: an integer from 1 to 100000",
        ),
    ] {
        let found = change(from, to);
        assert!(
            found.iter().any(|line| line == expected),
            "{from:?} -> {to:?}: {found:?}"
        );
    }
}

#[test]
fn the_pods_of_two_tiers_are_one() {
    let found = errors(&LEAF_SPINE.replace("Podsize 32", "Podsize 16"));
    assert_eq!(
        found,
        ["line 4: `Podsize` is 16; allowed on two tiers: `Nodes`, 32"]
    );
    let found = errors(&LEAF_SPINE.replace("Tier 1", "Tier 2"));
    assert!(
        found.contains(&"line 14: `Tier 2` does not exist where `Tiers` is 2".to_owned()),
        "{found:?}"
    );
    assert!(
        found.contains(&"`Tier 1` is missing".to_owned()),
        "{found:?}"
    );
}

#[test]
fn oversubscription_may_be_meant_in_ports_or_in_capacity_or_left_out() {
    for said in ["4", "1"] {
        assert_eq!(
            errors(&LEAF_SPINE.replace("Oversubscribed 4", &format!("Oversubscribed {said}"))),
            [""; 0]
        );
    }
    assert_eq!(errors(&LEAF_SPINE.replace("Oversubscribed 4", "")), [""; 0]);
    assert_eq!(
        errors(&LEAF_SPINE.replace("Oversubscribed 4", "Oversubscribed 2")).len(),
        1
    );
}

#[test]
fn no_text_makes_the_importer_panic() {
    let words = [
        "Nodes",
        "Tiers",
        "Podsize",
        "Tier",
        "0",
        "1",
        "2",
        "3",
        "Radix_Up",
        "Radix_Down",
        "Bundle",
        "8",
        "x",
        "\n",
        "\n",
        "\n",
    ];
    let mut rng = crate::rng::Rng::stream(3, crate::rng::Domain::SwitchPick, 0);
    for _ in 0..2_000 {
        let text: Vec<&str> = (0..rng.below(60))
            .map(|_| words[rng.below(words.len() as u32) as usize])
            .collect();
        let _ = read(&text.join(" "));
    }
}
