//! rho_max by hand, and what holds for all trees.

use super::*;

const UP: Option<Ratio> = Some(Ratio::ONE);

/// Hosts 0 and 1 of edge 0 of a k = 4 tree send to pods 1 and 2; the other hosts do not send.
fn two_senders() -> Case {
    Case::new(Shape::fat_tree(3, 4), [100; 3], flows(&[(0, 4), (1, 8)]))
}

#[test]
fn one_dead_uplink_of_an_edge_leaves_one_for_both_of_its_senders() {
    let case = two_senders().with(Level::Edge, 0, 0, None);
    assert_eq!(case.all(), [(); 3].map(|()| fraction(1, 2)));
}

#[test]
fn a_dead_link_to_a_core_weighs_on_the_other_position_path_by_path() {
    // Position 0 has one path left of two, position 1 has two: each flow sends 1/3 and 2/3. Hop by hop it is half and half, which
    // loads the live link to a core with two halves; over all splits nothing needs to exceed line rate.
    let case = two_senders().with(Level::Agg, 0, 0, None);
    assert_eq!(case.all(), [fraction(3, 4), fraction(1, 1), fraction(1, 1)]);
}

#[test]
fn a_receiver_behind_a_dead_link_takes_from_one_position() {
    // Edge 4 of pod 2 has hosts 8 and 9, and only its link from position 1 is left.
    let case = Case::new(Shape::fat_tree(3, 4), [100; 3], flows(&[(0, 8), (4, 9)]));
    let case = case.with(Level::Edge, 4, 0, None);
    assert_eq!(case.all(), [(); 3].map(|()| fraction(1, 2)));
}

#[test]
fn a_dead_member_of_a_bundle_shifts_load_to_its_twin_on_the_way_down() {
    // Two leaves of two hosts, two spines, two parallel links at a third of line rate each: 4/3 of 2 by four links.
    let both = flows(&[(0, 2), (1, 3)]);
    let intact = || Case::new(leaf_spine(2, 2, 2, 2), [300, 100, 100], both.clone());
    assert_eq!(intact().all(), [(); 3].map(|()| fraction(2, 3)));
    // Without one member at the sender, its three uplinks carry 2/3 each, i.e. twice their rate.
    let sender = intact().with(Level::Edge, 0, 0, None);
    assert_eq!(sender.all(), [(); 3].map(|()| fraction(1, 2)));
    // At the receiver, the spine of the lone member gets half of the traffic: 1 on a link of 1/3. The optimum sends it a third.
    let receiver = intact().with(Level::Edge, 1, 0, None);
    assert_eq!(
        receiver.all(),
        [fraction(1, 3), fraction(1, 3), fraction(1, 2)]
    );
}

#[test]
fn a_slow_cable_counts_at_its_own_rate() {
    let quarter = Some(Ratio { num: 1, den: 4 });
    let case = two_senders().with(Level::Edge, 0, 0, quarter);
    // Equally, 1 on a link of 1/4; at best, 2 on links of 5/4 together.
    assert_eq!(case.all(), [fraction(1, 4), fraction(1, 4), fraction(5, 8)]);
}

#[test]
fn oversubscription_four_to_one_leaves_a_quarter() {
    let shift = |hosts: u32| {
        (0..hosts)
            .map(|host| flow(host, (host + 8) % hosts))
            .collect()
    };
    let case = Case::new(leaf_spine(4, 8, 2, 1), [100; 3], shift(32));
    assert_eq!(case.all(), [(); 3].map(|()| fraction(1, 4)));
    // Half of it, if only every second host sends; none, if all stay below their leaf.
    let mut half = Case::new(leaf_spine(4, 8, 2, 1), [100; 3], shift(32));
    half.flows.retain(|flow| flow.src % 2 == 0);
    assert_eq!(half.all(), [(); 3].map(|()| fraction(1, 2)));
    let local: Vec<_> = (0..32).map(|host| flow(host, host ^ 1)).collect();
    let local = Case::new(leaf_spine(4, 8, 2, 1), [100; 3], local);
    assert_eq!(local.all(), [(); 3].map(|()| fraction(1, 1)));
}

#[test]
fn slower_tiers_bind_at_their_own_level() {
    let far = (0..16)
        .map(|host| flow(host, (host + 4) % 16))
        .collect::<Vec<_>>();
    let near: Vec<_> = (0..16).map(|host| flow(host, host ^ 2)).collect();
    let of =
        |gbps, flows: &Vec<FlowSpec>| Case::new(Shape::fat_tree(3, 4), gbps, flows.clone()).all();
    assert_eq!(of([400, 400, 100], &far), [(); 3].map(|()| fraction(1, 4)));
    assert_eq!(of([400, 400, 100], &near), [(); 3].map(|()| fraction(1, 1)));
    assert_eq!(of([400, 300, 100], &near), [(); 3].map(|()| fraction(3, 4)));
    assert_eq!(of([400, 800, 600], &far), [(); 3].map(|()| fraction(1, 1)));
}

#[test]
fn an_incast_is_limited_by_its_receiver_and_not_by_the_fabric() {
    let incast: Vec<_> = (2..16).map(|host| flow(host, 0)).collect();
    let case = Case::new(Shape::fat_tree(3, 4), [100; 3], incast);
    assert_eq!(case.all(), [(); 3].map(|()| fraction(1, 1)));
}

#[test]
fn flows_that_are_cut_off_are_left_out_and_counted() {
    let case = two_senders()
        .with(Level::Edge, 2, 0, None)
        .with(Level::Edge, 2, 1, None);
    for rule in [RhoMaxRule::PathEqual, RhoMaxRule::HopEqual, RhoMaxRule::Lp] {
        let expected = RhoMax {
            cut_off: 1,
            ..RhoMax::ONE
        };
        assert_eq!(case.result(rule), expected);
    }
}

#[test]
fn line_rate_is_one_whatever_the_fabric_can_carry() {
    let case = two_senders().with(Level::Edge, 0, 0, None);
    assert_eq!(case.result(RhoMaxRule::LineRate), RhoMax::ONE);
}

#[test]
fn intact_trees_without_oversubscription_reach_line_rate_whatever_the_flows() {
    for (number, shape) in (0..140).zip(shapes().into_iter().cycle()) {
        let mut case = random_case(shape, number);
        case.cables.clear();
        let all = case.all();
        assert_eq!(all[0], all[2], "equal splits are optimal on intact trees");
        assert_eq!(all[1], all[2]);
        if is_one(&case.fabric) {
            assert_eq!(all, [(); 3].map(|()| fraction(1, 1)));
        }
    }
    let plain = |levels, k| is_one(&Fabric::plain(levels, k, tier(800)));
    assert!(plain(3, 4) && plain(2, 8) && plain(3, 128));
}

#[test]
fn a_tree_is_known_to_reach_line_rate_if_and_only_if_no_switch_or_pod_is_oversubscribed() {
    let of = |shape, gbps: [u64; 3]| {
        is_one(&Fabric {
            shape,
            tiers: gbps.map(tier),
            ecn_threshold_bytes: None,
            failures: None,
            queue: crate::settings::Queue::PLAIN,
            losses: crate::settings::Losses::NONE,
        })
    };
    assert!(of(leaf_spine(4, 4, 2, 2), [100, 100, 1]));
    assert!(!of(leaf_spine(4, 4, 2, 1), [100, 100, 1]));
    assert!(of(leaf_spine(4, 4, 2, 1), [100, 200, 1]));
    assert!(!of(Shape::fat_tree(3, 4), [100, 100, 99]));
    assert!(!of(Shape::fat_tree(3, 4), [100, 99, 100]));
    assert!(of(shape([3, 2, 4, 2, 2], [2, 2]), [100, 100, 100]));
    assert!(!of(shape([3, 2, 4, 2, 2], [2, 1]), [100, 100, 100]));
}

#[test]
fn swapping_positions_pods_and_edges_changes_nothing() {
    for (number, shape) in (0..60).zip(shapes().into_iter().cycle()) {
        let case = random_case(shape, number);
        let mut twin = random_case(shape, number);
        let (tree, pods) = (case.tree(), shape.pods);
        // The last pod comes first, edges and positions are in reverse, as are members and cores.
        let edge = |edge: u32| (edge / shape.edges_per_pod, edge % shape.edges_per_pod);
        let new_edge = |old: u32| {
            let (pod, place) = edge(old);
            (pod + 1) % pods * shape.edges_per_pod + shape.edges_per_pod - 1 - place
        };
        let new_host = |host: u32| {
            new_edge(tree.edge_of(host)) * shape.hosts_per_edge + host % shape.hosts_per_edge
        };
        for flow in &mut twin.flows {
            (flow.src, flow.dst) = (new_host(flow.src), new_host(flow.dst));
        }
        let moved = |(cable, state): (&PortRef, &Option<Ratio>)| {
            let (level, index) = tree.place(cable.node);
            let uplink = tree.uplinks(cable.node) - 1 - (cable.port - tree.down_ports(cable.node));
            let aggs = shape.aggs_per_pod;
            let index = match level {
                Level::Edge => new_edge(index),
                _ => (index / aggs + 1) % pods * aggs + aggs - 1 - index % aggs,
            };
            (case.uplink(level, index, uplink), *state)
        };
        twin.cables = case.cables.iter().map(moved).collect();
        assert_eq!(case.all(), twin.all());
    }
}

#[test]
fn load_times_rho_max_is_exact() {
    let ratio = |num, den| Ratio { num, den };
    assert_eq!(paced(ratio(9, 10), ratio(5, 6)), ratio(3, 4));
    assert_eq!(paced(ratio(9, 10), Ratio::ONE), ratio(9, 10));
    let near = ratio(u64::MAX - 1, u64::MAX);
    let product = paced(ratio(999_999_999, 1_000_000_000), near);
    let below = fraction(product.num, product.den);
    assert!(below < fraction(999_999_999, 1_000_000_000) && product.num < product.den);
}

#[test]
fn an_optimum_of_too_many_variables_is_not_begun() {
    let fabric = Fabric::plain(3, 64, tier(800));
    let flows: Vec<_> = (0..65_536)
        .map(|host| flow(host, (host + 1) % 65_536))
        .collect();
    let result = rho_max(&fabric, |_| UP, &flows, RhoMaxRule::Lp);
    let text = result.expect_err("too many").to_string();
    assert_eq!(text, "not computed: 2097152 variables > 20000");
}
