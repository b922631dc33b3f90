//! Mean and standard error over the repeats of a point.

/// A quantity over several runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistic {
    /// Runs that have it.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Standard error of the mean: sample standard deviation / sqrt(count); unknown for a single run.
    pub sem: Option<f64>,
}

impl Statistic {
    /// The statistic of `values`; `None` if there are none.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let count = values.len();
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let sem = (count > 1).then(|| (squares / (count - 1) as f64 / count as f64).sqrt());
        Some(Self { count, mean, sem })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_error_uses_the_sample_deviation() {
        let statistic = Statistic::of(&[1.0, 2.0, 3.0, 6.0]).expect("values");
        assert_eq!(statistic.mean, 3.0);
        // Squares 4 + 1 + 0 + 9 = 14; 14 / 3 / 4.
        assert_eq!(statistic.sem, Some((14.0_f64 / 12.0).sqrt()));
    }

    #[test]
    fn one_value_has_no_standard_error() {
        let statistic = Statistic::of(&[5.0]).expect("a value");
        assert_eq!((statistic.mean, statistic.sem), (5.0, None));
    }

    #[test]
    fn nothing_has_no_mean() {
        assert_eq!(Statistic::of(&[]), None);
    }
}
