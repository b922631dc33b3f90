use super::super::PortRef;
use super::super::fat_tree::tests::odd_trees;
use super::*;
use crate::settings::{LinkFault, SwitchFault};
use crate::units::Span;

fn ratio(num: u64, den: u64) -> Ratio {
    Ratio { num, den }
}

fn flow(src: u32, dst: u32) -> FlowSpec {
    FlowSpec {
        id: 0,
        src,
        dst,
        bytes: 1,
        start: Time::ZERO,
    }
}

fn link(cable: u32, from: u64, until: u64) -> LinkFault {
    LinkFault {
        cable,
        from: Time(from),
        until: Time(until),
        slow_to: None,
    }
}

const GOOD: u64 = u64::MAX;

#[test]
fn every_cable_has_a_number_and_is_found_from_both_ends() {
    for tree in odd_trees()
        .into_iter()
        .chain([FatTree::new(2, 6), FatTree::new(3, 6)])
    {
        let mut numbers = BTreeSet::new();
        for number in 0..tree.cables() {
            let lower = tree.cable(number);
            let upper = tree.peer(lower.node, lower.port);
            assert_eq!(tree.cable_number(lower), Some(number));
            assert_eq!(tree.cable_number(upper), Some(number));
            assert!(tree.bundle(lower.node, upper.node).any(|n| n == number));
            assert!(tree.cables_of(upper.node).any(|n| n == number));
            numbers.insert((lower.node, lower.port));
        }
        assert_eq!(numbers.len(), tree.cables() as usize);
        let links = 2 * (u64::from(tree.cables()) + u64::from(tree.hosts()));
        assert_eq!(tree.directed_links(), links);
        let host = PortRef { node: 0, port: 0 };
        assert_eq!(tree.cable_number(host), None);
        assert_eq!(tree.cable_number(tree.peer(0, 0)), None);
    }
}

#[test]
fn cables_fail_as_often_as_they_should_each_by_itself() {
    let tree = FatTree::new(3, 8);
    let failures = Failures {
        edge_agg_probability: ratio(1, 50),
        agg_core_probability: ratio(1, 10),
        on_partition: OnPartition::Drop,
        ..Failures::default()
    };
    let (mut below, mut above) = (vec![0; 128], vec![0; 128]);
    for seed in 0..1_000 {
        let outages = Outages::new(tree, &failures, seed, &[]).expect("anything goes");
        for cable in 0..128 {
            below[cable as usize] += outages.down(cable).len();
            above[cable as usize] += outages.down(128 + cable).len();
        }
    }
    // 128,000 draws each: five standard deviations of the sum, and of each cable's 1,000.
    let near = |counts: &[usize], p: f64| {
        let sigma = |n: f64| (n * p * (1.0 - p)).sqrt();
        let sum: usize = counts.iter().sum();
        assert!((sum as f64 - 128_000.0 * p).abs() < 5.0 * sigma(128_000.0));
        let each = |&count: &usize| (count as f64 - 1_000.0 * p).abs() < 5.0 * sigma(1_000.0);
        assert!(counts.iter().all(each), "{counts:?}");
    };
    near(&below, 0.02);
    near(&above, 0.1);
}

#[test]
fn a_draw_depends_on_the_seed_and_on_no_other_probability() {
    let tree = FatTree::new(3, 6);
    let draw = |seed, agg_core| {
        let failures = Failures {
            edge_agg_probability: ratio(1, 5),
            agg_core_probability: agg_core,
            on_partition: OnPartition::Drop,
            ..Failures::default()
        };
        let outages = Outages::new(tree, &failures, seed, &[]).expect("anything goes");
        let cables = 0..tree.edge_cables();
        let down = cables.filter(|&cable| !outages.down(cable).is_empty());
        down.collect::<Vec<_>>()
    };
    assert_eq!(draw(1, ratio(0, 1)), draw(1, ratio(1, 2)));
    assert_ne!(draw(1, ratio(0, 1)), draw(2, ratio(0, 1)));
}

#[test]
fn a_draw_that_cuts_off_hosts_which_communicate_is_repeated_and_others_stand() {
    let tree = FatTree::new(2, 4);
    let failures = Failures {
        edge_agg_probability: ratio(1, 2),
        ..Failures::default()
    };
    let mut redraws = 0;
    for seed in 0..50 {
        let flows = [flow(0, 2), flow(5, 6)];
        let outages = Outages::new(tree, &failures, seed, &flows).expect("some draw is fine");
        assert!(outages.at_start().connects(0, 2) && outages.at_start().connects(5, 6));
        redraws += outages.redraws();
        let alone = Outages::new(tree, &failures, seed, &[flow(0, 1)]).expect("one edge");
        assert_eq!(alone.redraws(), 0);
    }
    assert!(redraws > 50);
}

#[test]
fn hosts_that_no_draw_connects_are_named() {
    let tree = FatTree::new(3, 4);
    let mut failures = Failures {
        edge_agg_probability: Ratio::ONE,
        ..Failures::default()
    };
    let flows = [flow(0, 1), flow(0, 15), flow(9, 2), flow(9, 2)];
    let cut_off = Outages::new(tree, &failures, 1, &flows).expect_err("all links are down");
    let text = "each of 1000 draws cuts off hosts; the last one: no path from h0 to h15, h9 to h2";
    assert_eq!(cut_off.to_string(), text);
    failures.on_partition = OnPartition::Refuse;
    let cut_off = Outages::new(tree, &failures, 1, &flows).expect_err("all links are down");
    assert_eq!(cut_off.to_string(), "no path from h0 to h15, h9 to h2");
    let all: Vec<_> = (2..16).map(|dst| flow(0, dst)).collect();
    let cut_off = Outages::new(tree, &failures, 1, &all).expect_err("all links are down");
    assert!(cut_off.to_string().ends_with("h0 to h11, and 4 more"));
    failures.on_partition = OnPartition::Drop;
    assert!(Outages::new(tree, &failures, 1, &flows).is_ok());
}

#[test]
fn what_the_lists_alone_cut_off_is_not_drawn_again() {
    let tree = FatTree::new(2, 4);
    let failures = Failures {
        edge_agg_probability: ratio(1, 1_000_000),
        links: vec![link(0, 0, GOOD), link(1, 0, 5)],
        ..Failures::default()
    };
    let cut_off = Outages::new(tree, &failures, 1, &[flow(0, 7)]).expect_err("both uplinks");
    assert_eq!((cut_off.redraws, cut_off.count), (0, 1));
    // Later than time 0 it is no reason to refuse.
    let later = Failures {
        links: vec![link(0, 0, GOOD), link(1, 1, 5)],
        ..failures
    };
    assert!(Outages::new(tree, &later, 1, &[flow(0, 7)]).is_ok());
}

#[test]
fn periods_of_a_link_and_its_switches_are_joined() {
    let tree = FatTree::new(3, 4);
    let switch = SwitchFault {
        switch: tree.edges(),
        from: Time(30),
        until: Time(50),
    };
    let failures = Failures {
        links: vec![link(0, 40, 60), link(0, 10, 20), link(0, 20, 25)],
        switches: vec![switch],
        ..Failures::default()
    };
    // Cable 0 leads from e0 up to a0, the first switch above the edges.
    let outages = Outages::new(tree, &failures, 1, &[]).expect("nobody is cut off");
    let periods = [(Time(10), Time(25)), (Time(30), Time(60))];
    assert_eq!(outages.down(0), periods);
    assert_eq!(outages.failed_links(), 4);
    let changes: Vec<u64> = outages.changes().iter().map(|at| at.0).collect();
    assert_eq!(changes, [10, 25, 30, 50, 60]);
}

#[test]
fn switches_learn_of_every_change_the_convergence_time_later_and_of_slow_links_never() {
    let tree = FatTree::new(2, 4);
    let slow = LinkFault {
        slow_to: Some(ratio(1, 4)),
        ..link(2, 3, 9)
    };
    let failures = Failures {
        links: vec![link(0, 0, 20), link(1, 10, GOOD), slow],
        convergence: Span(5),
        ..Failures::default()
    };
    let outages = Outages::new(tree, &failures, 1, &[]).expect("nobody is cut off");
    let lower = |cable| tree.cable(cable);
    let known: Vec<(u64, [bool; 3])> = outages
        .epochs()
        .iter()
        .map(|epoch| (epoch.from.0, [0, 1, 2].map(|n| epoch.reach.is_up(lower(n)))))
        .collect();
    let expected = [
        (0, [false, true, true]),
        (15, [false, false, true]),
        (25, [true, false, true]),
    ];
    assert_eq!(known, expected);
    assert_eq!((outages.failed_links(), outages.slow_links()), (2, 1));
    assert_eq!(outages.slow(2), [((Time(3), Time(9)), ratio(1, 4))]);
}

#[test]
fn htsim_names_links_by_uplinks_and_those_of_a_core_by_down_ports() {
    let tree = FatTree::new(3, 4);
    assert_eq!(tree.htsim_cable(Level::Edge, 3, 1), Ok(7));
    assert_eq!(tree.htsim_cable(Level::Agg, 0, 1), Ok(17));
    // Core 1 is the second of the aggregation switches at position 0; its down-port 2 leads to pod 2, a4.
    let end = tree.cable(tree.htsim_cable(Level::Core, 1, 2).expect("it exists"));
    assert_eq!(tree.name(end.node).to_string(), "a4");
    let wrong = |level, switch, link| tree.htsim_cable(level, switch, link).expect_err("wrong");
    assert_eq!(
        wrong(Level::Edge, 8, 0),
        "TOR 8 does not exist; this fabric has TOR 0 to 7"
    );
    assert_eq!(
        wrong(Level::Agg, 1, 2),
        "uplink 2 of AGG 1 does not exist; it has uplinks 0 to 1"
    );
    assert_eq!(
        wrong(Level::Core, 3, 9),
        "down-port 9 of CORE 3 does not exist; it has down-ports 0 to 3"
    );
    let leaf_spine = FatTree::new(2, 4);
    let wrong = |level, switch| leaf_spine.htsim_cable(level, switch, 0).expect_err("wrong");
    assert_eq!(
        wrong(Level::Core, 0),
        "CORE 0 does not exist; this fabric has no CORE"
    );
    assert_eq!(wrong(Level::Agg, 0), "AGG 0 has no uplinks in this fabric");
}
