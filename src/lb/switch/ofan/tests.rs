use std::collections::{BTreeMap, HashSet};

use super::super::fake::{FakeSwitch, ack, aggregation, data, edge, histogram, picks};
use super::order::{additive_orders, cycle_from_zero};
use super::*;
use crate::lb::testing::params;

fn ofan(env: &SwitchEnv) -> Ofan {
    Ofan::new(&Params::default(), env)
}

/// The whole order of a key.
fn ports(policy: &Ofan, key: usize) -> Vec<u8> {
    let rotation = &policy.rotation;
    (0..rotation.w)
        .map(|position| rotation.orders.port(key, position))
        .collect()
}

/// Every permutation of `0..w` that begins with 0: one per cyclic order.
fn cyclic_classes(w: u8) -> Vec<Vec<u8>> {
    let mut all = vec![vec![0]];
    for _ in 1..w {
        all = all
            .into_iter()
            .flat_map(|start| {
                let rest: Vec<u8> = (1..w).filter(|port| !start.contains(port)).collect();
                rest.into_iter()
                    .map(move |port| [start.as_slice(), &[port]].concat())
            })
            .collect();
    }
    all
}

/// How many distinct cyclic orders XOR with anything below 2^b and addition make of `basis`.
fn all_orders(basis: &[u8]) -> usize {
    let w = basis.len() as u8;
    let mut orders = HashSet::new();
    for x in 0..w.next_power_of_two() {
        for shift in 0..w {
            let order: Vec<u8> = basis
                .iter()
                .map(|&port| (xor_w(port, x, w) + shift) % w)
                .collect();
            orders.insert(cycle_from_zero(&order));
        }
    }
    orders.len()
}

#[test]
fn xor_w_is_an_involution_of_the_uplinks_for_every_width_and_operand() {
    for w in 2..=64_u8 {
        for x in 0..w.next_power_of_two() {
            for v in 0..w {
                let image = xor_w(v, x, w);
                assert!(image < w);
                assert_eq!(xor_w(image, x, w), v);
            }
        }
    }
}

#[test]
fn six_uplinks_have_the_known_numbers_of_orders_over_all_bases() {
    let mut rows = BTreeMap::new();
    for basis in cyclic_classes(6) {
        *rows
            .entry((additive_orders(&basis), all_orders(&basis)))
            .or_insert(0) += 1;
    }
    let expected = BTreeMap::from([
        ((1, 11), 2),
        ((2, 10), 4),
        ((3, 33), 6),
        ((6, 14), 6),
        ((6, 19), 6),
        ((6, 20), 6),
        ((6, 24), 18),
        ((6, 30), 48),
        ((6, 33), 18),
        ((6, 36), 6),
    ]);
    assert_eq!(rows, expected);
}

#[test]
fn small_widths_have_the_known_numbers_of_orders() {
    let counts = |w| {
        cyclic_classes(w)
            .iter()
            .map(|basis| all_orders(basis))
            .collect::<Vec<_>>()
    };
    assert_eq!(counts(2), [1]);
    assert_eq!(counts(3), [2, 2]);
    assert_eq!(counts(4).into_iter().max(), Some(4));
    assert_eq!(counts(5).into_iter().max(), Some(22));
    let distinct_by_addition = cyclic_classes(4)
        .iter()
        .filter(|basis| additive_orders(basis) == 4)
        .count();
    assert_eq!(distinct_by_addition, 4);
}

#[test]
fn the_basis_is_a_permutation_with_distinct_value_shifts_from_four_uplinks_on() {
    for w in 1..=64 {
        let found = basis(w);
        let mut sorted = found.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..w as u8).collect::<Vec<_>>());
        if w >= 4 {
            assert_eq!(additive_orders(&found), w);
        }
    }
    assert_eq!(all_orders(&basis(6)), 30);
}

#[test]
fn a_tree_of_12_ports_reaches_30_orders_at_edges_and_18_at_aggregation_switches() {
    for (env, keys, orders) in [
        (edge(6, 1), 72, 30),
        (edge(6, 1), 144, 30),
        (aggregation(6, 1), 24, 18),
    ] {
        let policy = ofan(&env);
        let found: HashSet<_> = (0..keys)
            .map(|key| cycle_from_zero(&ports(&policy, key)))
            .collect();
        assert_eq!(found.len(), orders);
    }
}

#[test]
fn the_orders_of_the_4_port_tree_are_those_worked_out_by_hand() {
    let (edge, agg) = (ofan(&edge(2, 1)), ofan(&aggregation(2, 1)));
    let flipped = [1, 5, 13];
    for key in [0, 8, 1, 5, 13] {
        let expected = if flipped.contains(&key) {
            [1, 0]
        } else {
            [0, 1]
        };
        assert_eq!(ports(&edge, key), expected, "{key}");
    }
    for key in [4, 3, 7] {
        assert_eq!(ports(&agg, key), [0, 1], "{key}");
    }
}

#[test]
fn the_orders_of_the_12_port_tree_are_those_worked_out_by_hand() {
    let (edge, agg) = (ofan(&edge(6, 1)), ofan(&aggregation(6, 1)));
    for (key, order) in [
        (0, [0, 1, 2, 4, 5, 3]),
        (72, [3, 4, 5, 1, 2, 0]),
        (1, [1, 0, 3, 5, 4, 2]),
        (73, [4, 3, 0, 2, 1, 5]),
        (7, [0, 1, 5, 3, 2, 4]),
        (8, [1, 2, 3, 5, 0, 4]),
        (13, [0, 5, 3, 2, 1, 4]),
        (71, [2, 3, 1, 5, 4, 0]),
        (143, [5, 0, 4, 2, 1, 3]),
    ] {
        assert_eq!(ports(&edge, key), order, "{key}");
    }
    for (key, order) in [
        (12, [5, 0, 3, 1, 2, 4]),
        (5, [5, 4, 2, 1, 0, 3]),
        (17, [3, 2, 5, 1, 0, 4]),
        (11, [4, 3, 2, 5, 0, 1]),
        (23, [2, 3, 1, 5, 4, 0]),
    ] {
        assert_eq!(ports(&agg, key), order, "{key}");
    }
}

/// Ofan at an edge whose data pointer to `group` is `first`, its ACK pointer half a rotation later; and a switch view to it.
fn placed(w: usize, group: usize, first: u8) -> (Ofan, FakeSwitch) {
    let env = edge(w, 1);
    let mut policy = ofan(&env);
    policy.rotation.pointers[group] = first;
    policy.rotation.pointers[group + env.groups] = (first + w as u8 / 2) % w as u8;
    let mut switch = FakeSwitch::idle(w);
    switch.group = group;
    (policy, switch)
}

#[test]
fn the_traces_are_those_worked_out_by_hand() {
    let (mut policy, mut switch) = placed(2, 5, 1);
    assert_eq!(picks(&mut policy, &data(), &mut switch, 4), [0, 1, 0, 1]);
    assert_eq!(picks(&mut policy, &ack(), &mut switch, 4), [1, 0, 1, 0]);

    let (mut policy, mut switch) = placed(6, 13, 4);
    assert_eq!(
        picks(&mut policy, &data(), &mut switch, 7),
        [1, 4, 0, 5, 3, 2, 1]
    );
    assert_eq!(picks(&mut policy, &ack(), &mut switch, 5), [2, 0, 5, 4, 1]);
}

#[test]
fn a_failed_port_is_skipped_and_every_live_port_has_one_packet_a_turn() {
    let (mut policy, switch) = placed(6, 13, 4);
    assert_eq!(
        picks(&mut policy, &data(), &mut switch.without(3), 10),
        [1, 4, 0, 5, 2, 1, 4, 0, 5, 2]
    );
}

#[test]
fn any_w_packets_of_any_key_visit_each_uplink_once_from_any_start() {
    for order in [PortOrder::XorAdd, PortOrder::Random, PortOrder::Identity] {
        let params = Params {
            port_order: order,
            ..Params::default()
        };
        for w in [1, 2, 3, 4, 5, 6, 7, 8, 12] {
            let policy = Ofan::new(&params, &edge(w, 1));
            let mut switch = FakeSwitch::idle(w);
            for key in 0..policy.rotation.keys() {
                let groups = policy.rotation.destinations;
                let packet = if key < groups { data() } else { ack() };
                switch.group = key % groups;
                for start in 0..w {
                    let mut policy = policy.clone();
                    policy.rotation.pointers[key] = start as u8;
                    let seen = picks(&mut policy, &packet, &mut switch, w);
                    assert_eq!(histogram(&seen, w), vec![1; w]);
                    assert_eq!(usize::from(policy.rotation.pointers[key]), start);
                }
            }
        }
    }
}

#[test]
fn with_failed_ports_each_valid_port_is_visited_once_a_turn() {
    let mut switch = FakeSwitch::idle(12).without(0).without(7).without(11);
    let mut policy = ofan(&edge(12, 1));
    for group in 0..288 {
        switch.group = group;
        for window in picks(&mut policy, &data(), &mut switch, 27).windows(9) {
            let counts = histogram(window, 12);
            assert!(
                (0..12).all(|uplink| counts[uplink] == usize::from(switch.valid.contains(uplink)))
            );
        }
    }
}

#[test]
fn ack_pointers_start_half_a_rotation_later_and_data_never_moves_them() {
    for w in [1, 2, 5, 6, 32] {
        let env = edge(w, 9);
        let mut policy = ofan(&env);
        let (data_pointers, ack_pointers) = policy.rotation.pointers.split_at(env.groups);
        for (first, second) in data_pointers.iter().zip(ack_pointers) {
            assert_eq!(usize::from(*second), (usize::from(*first) + w / 2) % w);
        }
        let before = ack_pointers.to_vec();
        for group in 0..env.groups {
            let mut switch = FakeSwitch::idle(w);
            switch.group = group;
            picks(&mut policy, &data(), &mut switch, 3);
        }
        assert_eq!(policy.rotation.pointers[env.groups..], before);
    }
}

#[test]
fn shared_pointers_serve_data_and_acks_in_one_rotation() {
    let params = Params {
        ack_pointer: AckPointer::Shared,
        ..Params::default()
    };
    let mut policy = Ofan::new(&params, &edge(6, 1));
    let mut switch = FakeSwitch::idle(6);
    let mut seen = picks(&mut policy, &data(), &mut switch, 3);
    seen.extend(picks(&mut policy, &ack(), &mut switch, 3));
    assert_eq!(histogram(&seen, 6), [1; 6]);
}

#[test]
fn random_ack_pointers_leave_the_data_pointers_as_they_are() {
    let params = Params {
        ack_pointer: AckPointer::Random,
        ..Params::default()
    };
    let (random, half) = (Ofan::new(&params, &edge(6, 1)), ofan(&edge(6, 1)));
    assert_eq!(random.rotation.pointers[..72], half.rotation.pointers[..72]);
    assert_ne!(random.rotation.pointers[72..], half.rotation.pointers[72..]);
}

#[test]
fn per_host_pointers_tell_the_hosts_of_an_edge_apart() {
    let params = Params {
        consolidate: Consolidate::Host,
        ..Params::default()
    };
    let env = aggregation(6, 1);
    let mut policy = Ofan::new(&params, &env);
    assert_eq!(policy.rotation.pointers.len(), 2 * 432);
    let mut switch = FakeSwitch::idle(6);
    let to = |dst| Packet { dst, ..data() };
    let before = policy.rotation.pointers[431];
    picks(&mut policy, &to(430), &mut switch, 2);
    assert_eq!(policy.rotation.pointers[431], before);
    picks(&mut policy, &to(431), &mut switch, 1);
    assert_eq!(policy.rotation.pointers[431], (before + 1) % 6);
}

#[test]
fn size_classes_count_down_from_the_largest_frames_and_start_evenly_spaced() {
    let params = |bounds: &[u64]| Params {
        size_class_bytes: Some(bounds.to_vec()),
        ..Params::default()
    };
    let class = |bounds: &[u64], size| params(bounds).classes().of(&Packet { size, ..data() });
    assert_eq!([64, 128, 129].map(|size| class(&[128], size)), [1, 1, 0]);
    let three = [64, 65, 1024, 1025].map(|size| class(&[64, 1024], size));
    assert_eq!(three, [2, 1, 1, 0]);
    let policy = Ofan::new(&params(&[64, 1024]), &edge(6, 1));
    for group in 0..72 {
        let at = |class: usize| policy.rotation.pointers[group + 72 * class];
        assert_eq!([at(1), at(2)], [(at(0) + 2) % 6, (at(0) + 4) % 6]);
    }
}

#[test]
fn the_first_pointer_may_be_the_shortest_valid_queue() {
    for port_order in [PortOrder::Identity, PortOrder::XorAdd] {
        let params = Params {
            first_pointer: FirstPointer::ShortestQueue,
            port_order,
            ..Params::default()
        };
        let mut policy = Ofan::new(&params, &edge(6, 1));
        let mut switch = FakeSwitch::idle(6).without(0);
        switch.queues = vec![0, 9, 9, 9, 2, 9];
        let seen = picks(&mut policy, &data(), &mut switch, 5);
        assert_eq!(seen[0], 4);
        assert_eq!(histogram(&seen, 6), [0, 1, 1, 1, 1, 1]);
        assert_eq!(switch.looks, 5);
        if port_order == PortOrder::Identity {
            assert_eq!(seen, [4, 5, 1, 2, 3]);
        }
    }
}

#[test]
fn classes_are_null_or_an_increasing_list() {
    let read = |classes: &str| {
        let (params, problems) = params::<Params>(&format!("{{\"size_class_bytes\": {classes}}}"));
        problems.is_empty().then_some(params.size_class_bytes)
    };
    assert_eq!(read("null"), Some(None));
    assert_eq!(read("[128]"), Some(Some(vec![128])));
    assert_eq!(read("[128, 128]"), None);
    let many = |most: u64| format!("{:?}", Vec::from_iter(1..=most));
    assert_eq!(read(&many(15)), Some(Some((1..=15).collect())));
    assert_eq!(read(&many(16)), None);
}

#[test]
fn the_auto_port_order_is_the_papers_for_either_first_pointer() {
    for (first_pointer, port_order) in [
        (FirstPointer::Random, PortOrder::XorAdd),
        (FirstPointer::ShortestQueue, PortOrder::Identity),
    ] {
        let params = |port_order| Params {
            first_pointer,
            port_order,
            ..Params::default()
        };
        let mut auto = Ofan::new(&params(PortOrder::Auto), &edge(6, 1));
        let mut named = Ofan::new(&params(port_order), &edge(6, 1));
        let mut switch = FakeSwitch::idle(6);
        for group in 0..72 {
            switch.group = group;
            assert_eq!(
                picks(&mut auto, &data(), &mut switch, 12),
                picks(&mut named, &data(), &mut switch, 12)
            );
        }
    }
}
