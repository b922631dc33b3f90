//! The optimum, proven for each case by a split that reaches it and prices that no split can beat, over lists of all paths.

use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, Variable};

use super::*;
use crate::theory::rho_max::fraction::approximate;

/// Every flow with what it asks for, and its paths: a choice of members on the way down too, as the optimum may split there.
fn paths(case: &Case) -> Vec<(f64, Vec<Vec<PortRef>>)> {
    let of = |(flow, asked): (&FlowSpec, BigRational)| {
        let edge = case.tree().peer(flow.src, 0).node;
        (approximate(&asked), walks(case, edge, flow.dst))
    };
    case.asked().into_iter().map(of).collect()
}

fn walks(case: &Case, node: u32, dst: u32) -> Vec<Vec<PortRef>> {
    let mut all = Vec::new();
    for (port, next) in case.next(node, dst) {
        if next == dst {
            return vec![Vec::new()];
        }
        for mut walk in walks(case, next, dst) {
            walk.push(PortRef { node, port });
            all.push(walk);
        }
    }
    all
}

/// The least load by splits that were found, and the most by prices that were found. Both are checked by adding up.
fn certificates(case: &Case) -> (f64, f64) {
    let paths = paths(case);
    let links: BTreeMap<PortRef, f64> = paths
        .iter()
        .flat_map(|(_, paths)| paths.iter().flatten())
        .map(|&link| (link, approximate(&case.capacity(link))))
        .collect();
    (split(&paths, &links), priced(&paths, &links))
}

fn split(paths: &[(f64, Vec<Vec<PortRef>>)], links: &BTreeMap<PortRef, f64>) -> f64 {
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let highest = problem.add_var(1.0, (0.0, f64::INFINITY));
    let mut crossing: BTreeMap<PortRef, LinearExpr> = BTreeMap::new();
    let mut shares: Vec<Vec<Variable>> = Vec::new();
    for (asked, paths) in paths {
        let mut all = LinearExpr::empty();
        shares.push(Vec::new());
        for path in paths {
            let share = problem.add_var(0.0, (0.0, f64::INFINITY));
            all.add(share, 1.0);
            shares.last_mut().expect("pushed above").push(share);
            for &link in path {
                crossing
                    .entry(link)
                    .or_insert_with(LinearExpr::empty)
                    .add(share, 1.0);
            }
        }
        problem.add_constraint(all, ComparisonOp::Eq, *asked);
    }
    for (link, mut load) in crossing {
        load.add(highest, -links[&link]);
        problem.add_constraint(load, ComparisonOp::Le, 0.0);
    }
    let solution = problem
        .solve()
        .expect("solved")
        .into_solution()
        .expect("solved");
    let mut loads: BTreeMap<PortRef, f64> = BTreeMap::new();
    for ((asked, paths), shares) in paths.iter().zip(&shares) {
        let found: Vec<f64> = shares
            .iter()
            .map(|share| solution[*share].max(0.0))
            .collect();
        let total: f64 = found.iter().sum();
        for (path, share) in paths.iter().zip(&found) {
            for link in path {
                *loads.entry(*link).or_insert(0.0) += share * asked / total;
            }
        }
    }
    let strain = loads.iter().map(|(link, load)| load / links[link]);
    strain.fold(1.0, f64::max)
}

fn priced(paths: &[(f64, Vec<Vec<PortRef>>)], links: &BTreeMap<PortRef, f64>) -> f64 {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let mut budget = LinearExpr::empty();
    let prices: BTreeMap<PortRef, Variable> = links
        .iter()
        .map(|(&link, &capacity)| {
            let price = problem.add_var(0.0, (0.0, f64::INFINITY));
            budget.add(price, capacity);
            (link, price)
        })
        .collect();
    problem.add_constraint(budget, ComparisonOp::Le, 1.0);
    for (asked, paths) in paths {
        let cost = problem.add_var(*asked, (0.0, f64::INFINITY));
        for path in paths {
            let mut row = LinearExpr::empty();
            row.add(cost, 1.0);
            path.iter().for_each(|link| row.add(prices[link], -1.0));
            problem.add_constraint(row, ComparisonOp::Le, 0.0);
        }
    }
    let solution = problem
        .solve()
        .expect("solved")
        .into_solution()
        .expect("solved");
    let price = |link: &PortRef| solution[prices[link]].max(0.0);
    let spent: f64 = links
        .iter()
        .map(|(link, capacity)| price(link) * capacity)
        .sum();
    let cost = |paths: &Vec<Vec<PortRef>>| {
        let costs = paths.iter().map(|path| path.iter().map(price).sum::<f64>());
        costs.fold(f64::INFINITY, f64::min)
    };
    let cost: f64 = paths.iter().map(|(asked, paths)| asked * cost(paths)).sum();
    (cost / spent).max(1.0)
}

#[test]
fn a_split_reaches_the_optimum_and_prices_prove_that_none_does_better() {
    let mut below_one = 0;
    for case in random_cases().filter(|case| !case.asked().is_empty()) {
        let rho = approximate(&case.rho(RhoMaxRule::Lp));
        below_one += i32::from(rho < 1.0);
        if case.asked().iter().all(|(flow, _)| {
            let edge = |host| case.tree().edge_of(host);
            edge(flow.src) == edge(flow.dst)
        }) {
            assert_eq!(rho, 1.0);
            continue;
        }
        let (reached, proven) = certificates(&case);
        let near = |load: f64| (load * rho - 1.0).abs() < 1e-7;
        assert!(near(reached) && near(proven), "{rho} {reached} {proven}");
    }
    assert!(below_one > 50, "{below_one}");
}

#[test]
fn no_equal_split_beats_the_optimum() {
    let mut better = 0;
    for case in random_cases() {
        let [paths, hops, optimum] = case.all();
        assert!(paths <= optimum && hops <= optimum);
        better += i32::from(paths < optimum && hops < optimum);
    }
    assert!(better > 20, "{better}");
}
