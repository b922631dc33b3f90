//! The dual of the restricted program, as the solver wants it.

use std::collections::BTreeMap;

use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, Variable};

use super::Master;
use crate::theory::rho_max::NotComputed;

impl Master<'_> {
    /// The restricted program's load, and its prices by number of link.
    pub(super) fn solve(&self) -> Result<(f64, Vec<f64>), NotComputed> {
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        let mut variable = |worth| problem.add_var(worth, (0.0, f64::INFINITY));
        let stop = variable(self.bound);
        let prices: Vec<Option<Variable>> = self
            .load
            .iter()
            .map(|&load| (load > 0.0).then(|| variable(load)))
            .collect();
        let pairs = 0..self.pairs.len();
        let savings: Vec<Option<Variable>> = pairs
            .map(|i| (!self.columns[i].is_empty()).then(|| variable(-self.pairs[i].demand)))
            .collect();
        let mut budget = LinearExpr::empty();
        budget.add(stop, 1.0);
        for (price, &capacity) in prices.iter().zip(&self.capacity) {
            if let Some(price) = *price {
                budget.add(price, capacity);
            }
        }
        problem.add_constraint(budget, ComparisonOp::Le, 1.0);
        for (index, saving) in savings.iter().enumerate() {
            let Some(saving) = *saving else { continue };
            for column in &self.columns[index] {
                let mut change: BTreeMap<usize, f64> =
                    self.equal_splits[index].iter().copied().collect();
                for &(link, share) in column {
                    *change.entry(link).or_insert(0.0) -= share;
                }
                let mut row = LinearExpr::empty();
                row.add(saving, -1.0);
                for (link, change) in change {
                    if let Some(price) = prices[link] {
                        row.add(price, change);
                    }
                }
                problem.add_constraint(row, ComparisonOp::Le, 0.0);
            }
        }
        let outcome = problem.solve().map_err(|_| NotComputed::Unsolved)?;
        let solution = outcome.into_solution().map_err(|_| NotComputed::Unsolved)?;
        let price = |price: &Option<Variable>| price.map_or(0.0, |price| solution[price].max(0.0));
        Ok((solution.objective(), prices.iter().map(price).collect()))
    }
}
