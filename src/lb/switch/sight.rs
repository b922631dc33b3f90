//! How stale the queues are that a policy sees.
//!
//! By default it sees the queue of the instant, which no real switch does: hardware copies queue lengths into a table now and then. Here
//! it does so every `view_period_ns` from a first instant that is drawn uniformly within one period for each switch, so that switches
//! do not look in step (our reading). At a refresh the table takes what was enqueued before that instant and has not left by it; before
//! the first one it holds zeros. Not modelled: ports that are read one after another, and tables of remote switches.

use super::SwitchEnv;
use crate::fields::{nanoseconds, params};
use crate::rng::Domain;
use crate::units::{Span, Time};

params! {
    /// The parameter of schemes that read queues.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct View {
        /// How often a switch refreshes the table of queue lengths that it goes by, in ns, from an instant drawn for each switch; 0: it sees
        /// the queues of the instant. The paper, section 3.1, knows no such delay.
        pub period: Span = key("view_period_ns", nanoseconds(0..=1_000_000_000_000), default = Span::ZERO),
    }
}

/// When a switch refreshes its table: at `phase`, and every `period` after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refresh {
    phase: Span,
    period: Span,
}

impl Refresh {
    /// Of the switch of `env`; `None` if `period` is zero: there is no table.
    pub(super) fn new(View { period }: View, env: &SwitchEnv) -> Option<Self> {
        (period > Span::ZERO).then(|| Self {
            phase: Span(env.stream(Domain::ViewPhase).below_u64(period.0)),
            period,
        })
    }

    /// The first refresh.
    #[must_use]
    pub fn first(self) -> Time {
        Time(self.phase.0)
    }

    /// The last refresh at or before `now`, which is not before the first.
    #[must_use]
    pub fn last_by(self, now: Time) -> Time {
        Time(now.0 - (now.0 - self.phase.0) % self.period.0)
    }

    /// The refresh after the one at `last`.
    #[must_use]
    pub fn after(self, last: Time) -> Time {
        last + self.period
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::edge;
    use super::*;

    #[test]
    fn refreshes_come_every_period_from_the_phase_on() {
        let refresh = Refresh {
            phase: Span(30),
            period: Span(100),
        };
        assert_eq!(refresh.first(), Time(30));
        for (now, last) in [(30, 30), (129, 30), (130, 130), (131, 130), (1_029, 930)] {
            assert_eq!(refresh.last_by(Time(now)), Time(last));
            assert_eq!(refresh.after(Time(last)), Time(last + 100));
        }
    }

    #[test]
    fn phases_fill_a_period_and_differ_from_switch_to_switch() {
        let phase = |switch| {
            let env = SwitchEnv {
                switch,
                ..edge(4, 1)
            };
            Refresh::new(
                View {
                    period: Span(1_000_000),
                },
                &env,
            )
            .expect("a period")
            .phase
            .0
        };
        let phases: Vec<u64> = (0..1_000).map(phase).collect();
        assert!(phases.iter().all(|&phase| phase < 1_000_000));
        // The deviation of a mean of 1,000 is 9,129.
        let mean = phases.iter().sum::<u64>() / 1_000;
        assert!((455_000..545_000).contains(&mean), "{mean}");
        assert_eq!(Refresh::new(View::default(), &edge(4, 1)), None);
    }
}
