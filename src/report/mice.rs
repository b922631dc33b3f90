//! Completion times of the mice of one run. Percentiles are by nearest rank: a time that a mouse took.

use super::cells::Mean;
use crate::sim::{FlowResult, RunResult};

/// The mice of one run.
#[derive(Debug)]
pub(super) struct Mice {
    /// All of them.
    pub(super) count: u64,
    /// From first bit sent to last ACK received (last arrival without ACKs) of those that finished, in ps, sorted.
    pub(super) times: Vec<u64>,
}

impl Mice {
    pub(super) fn of(result: &RunResult) -> Self {
        let time = |flow: &FlowResult| Some((flow.end? - flow.start?).0);
        let mut times: Vec<u64> = result.mice().filter_map(time).collect();
        times.sort_unstable();
        Self {
            count: result.mice().count() as u64,
            times,
        }
    }

    /// Unknown if none finished.
    pub(super) fn mean(&self) -> Mean {
        let sum: u128 = self.times.iter().map(|&time| u128::from(time)).sum();
        Mean::ratio(sum as f64, self.times.len() as f64)
    }

    /// The least time that so many percent of those that finished did not exceed.
    pub(super) fn percentile(&self, percent: usize) -> Option<u64> {
        let rank = (self.times.len() * percent).div_ceil(100);
        self.times.get(rank.checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::SummaryRow;
    use crate::report::flows;
    use crate::report::keys::Keys;
    use crate::report::testing::{cells, flow, result, subject};
    use crate::workload::FlowClass;

    fn mouse(start: u64, end: u64) -> FlowResult {
        FlowResult {
            class: FlowClass::Mouse,
            ..flow(0, (0, 1), 5_000, start, end)
        }
    }

    #[test]
    fn percentiles_are_times_that_mice_took() {
        let times: Vec<u64> = (1..=200).collect();
        let of = |count: usize| Mice {
            count: 200,
            times: times[..count].to_vec(),
        };
        let percentiles = |mice: &Mice| [50, 99, 100].map(|percent| mice.percentile(percent));
        assert_eq!(percentiles(&of(200)), [Some(100), Some(198), Some(200)]);
        assert_eq!(percentiles(&of(3)), [Some(2), Some(3), Some(3)]);
        assert_eq!(percentiles(&of(1)), [Some(1); 3]);
        assert_eq!(percentiles(&of(0)), [None; 3]);
        assert_eq!(of(0).mean(), Mean::unknown());
        assert_eq!(of(4).mean(), Mean::ratio(2.5, 1.0));
    }

    #[test]
    fn mice_have_columns_of_their_own_and_change_no_other_but_the_counts_of_flows() {
        let before = cells(&SummaryRow::new(&subject(), &result()));
        let mut result = result();
        // One that starts before the collective, one that ends after it, one that does not finish.
        result.flows.push(mouse(50_000, 350_000));
        result.flows.push(mouse(2_000_000, 2_500_001));
        result.flows.push(mouse(2_000_000, 2_500_000));
        result.flows[4].end = None;
        for flow in &mut result.flows[2..] {
            (flow.received_bytes, flow.timeouts) = (5_000, 0);
        }
        // The payload of the mice is delivered, but not the collective's.
        result.delivered_bytes += 3 * 5_000;
        let row = SummaryRow::new(&subject(), &result);
        let after = cells(&row);
        let expected = before
            .replacen("2,2,2000000", "5,4,2000000", 1)
            .replacen(",300000,ae,", ",315000,ae,", 1)
            .replacen(",0,0,,,,", ",3,2,400000.500000,300000,500001,500001", 1);
        assert_eq!(after, expected);
        let classes: Vec<&str> = flows::rows(&result).map(|row| row.class).collect();
        assert_eq!(classes[..2], ["collective"; 2]);
        assert_eq!(classes[2..], ["mouse"; 3]);
    }

    #[test]
    fn the_message_size_of_a_run_is_that_of_its_collective() {
        let plan = crate::scenario::parse(
            r#"{"fabric": {"k": 4}, "load_balancing": {"scheme": "rps"},
                "workload": {"kind": "permutation", "message_bytes": 100000}}"#,
            &crate::scenario::Overrides::default(),
        )
        .expect("a scenario without errors");
        let mut result = result();
        result.flows[1].spec.bytes = 100_000;
        result.flows.push(mouse(0, 1));
        let keys = Keys::of(&plan.points[0].scenario, 1, &result);
        assert_eq!(keys.message_bytes, Some(100_000));
    }
}
