//! What starts and ends the freezes of REPS, and what each flow must remember for that.
//!
//! Definition: the REPS paper, section 3.2 and appendix A, and its public code. Where switches trim, a packet that a timeout declares
//! lost met a dead path. Where they do not, it may have met a full queue; then the largest recent RTT tells: it is high if queues are
//! long. As in the code, no timer bounds what is recent: windows follow one another, the first RTT after the end of one opens the next
//! one and is its first value. A timeout sees the latest window, however old; without any RTT yet, its largest one is zero, which is low.
//!
//! The paper says that a freeze ends after a fixed time or by "probe packets that test the failed path", and leaves the latter
//! open. Our reading: the failed path is that of the value whose timeout started the freeze. Every so many data packets of a frozen flow
//! carry this value, and an ACK with it, marked or not, ends the freeze. No time does then.

use super::params::{Freezing, Leave, Params};
use crate::lb::host::{Feedback, HostEnv, Outcome};
use crate::units::{Span, Time};

/// Freezes of one host's flows.
#[derive(Clone, Debug)]
pub(super) struct Freezer {
    rule: Rule,
    /// How long a window of RTTs is open.
    window: Span,
    /// How long a freeze takes that time ends.
    hold: Span,
    leave: Leave,
    /// One in so many packets of a frozen flow is a probe.
    probe_packets: u32,
    flow_count: usize,
    /// By local flow; empty until one of them has something to remember.
    flows: Vec<Memory>,
}

/// Which timeouts freeze.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Never,
    Always,
    /// If the largest RTT of the latest window is below this.
    Below(Span),
}

/// What a flow remembers.
#[derive(Clone, Copy, Debug, Default)]
struct Memory {
    /// The largest RTT of the latest window.
    max_rtt: Span,
    /// The last instant of the latest window.
    window_end: Time,
    /// The last instant of the freeze, where time ends it.
    until: Time,
    /// Packets sent since the last probe.
    since_probe: u32,
    /// The value whose timeout started the freeze.
    suspect: u16,
    /// The ring entry that a frozen flow uses next.
    cursor: u8,
}

impl Freezer {
    pub(super) fn new(params: &Params, env: &HostEnv) -> Self {
        let by_rtt = || {
            let product = u128::from(env.base_rtt.0) * u128::from(params.low_rtt.num);
            let limit = product.div_ceil(u128::from(params.low_rtt.den));
            Rule::Below(Span(u64::try_from(limit).unwrap_or(u64::MAX)))
        };
        // Six RTTs: two timeouts of RFC 6298 after a single RTT of the idle fabric (R + 4 x R/2 each).
        let two_timeouts = env.fixed_rto.map_or(env.base_rtt * 6, |rto| rto * 2);
        Self {
            rule: match params.freezing {
                Freezing::Off => Rule::Never,
                Freezing::Timeout => Rule::Always,
                Freezing::Auto if env.trims => Rule::Always,
                Freezing::Auto | Freezing::TimeoutIfLowRtt => by_rtt(),
            },
            window: params.rtt_window.unwrap_or(two_timeouts),
            hold: params.freeze,
            leave: params.leave,
            probe_packets: params.probe_packets.count(env.bdp_packets),
            flow_count: env.sent_flows.len(),
            flows: Vec::new(),
        }
    }

    fn memory(&mut self, flow: usize) -> &mut Memory {
        if self.flows.is_empty() {
            self.flows = vec![Memory::default(); self.flow_count];
        }
        &mut self.flows[flow]
    }

    /// An ACK gave an RTT.
    pub(super) fn note_rtt(&mut self, flow: usize, now: Time, rtt: Span) {
        if !matches!(self.rule, Rule::Below(_)) {
            return;
        }
        let window = self.window;
        let memory = self.memory(flow);
        if now > memory.window_end {
            memory.window_end = now + window;
            memory.max_rtt = Span::ZERO;
        }
        memory.max_rtt = memory.max_rtt.max(rtt);
    }

    /// A packet with `value` timed out: whether its flow, which is neither frozen nor exploring, is frozen from now on.
    pub(super) fn freezes(&mut self, flow: usize, now: Time, value: u16) -> bool {
        let low_enough = match self.rule {
            Rule::Never => false,
            Rule::Always => true,
            Rule::Below(limit) => self.memory(flow).max_rtt < limit,
        };
        if low_enough {
            let until = now + self.hold;
            let memory = self.memory(flow);
            memory.until = until;
            memory.suspect = value;
            memory.since_probe = 0;
        }
        low_enough
    }

    /// Whether what became of a packet with `value` ends the freeze of its flow.
    pub(super) fn ends(&mut self, flow: usize, feedback: &Feedback) -> bool {
        let leave = self.leave;
        let memory = self.memory(flow);
        match leave {
            Leave::Time => feedback.now > memory.until,
            Leave::Probe => {
                let arrived = matches!(feedback.outcome, Outcome::Good | Outcome::Ecn);
                arrived && feedback.path == memory.suspect
            }
        }
    }

    /// The value that the next packet of a frozen flow probes, if it is a probe. Called once per packet.
    pub(super) fn probe(&mut self, flow: usize) -> Option<u16> {
        if self.leave == Leave::Time {
            return None;
        }
        let every = self.probe_packets;
        let memory = self.memory(flow);
        memory.since_probe += 1;
        if memory.since_probe < every {
            return None;
        }
        memory.since_probe = 0;
        Some(memory.suspect)
    }

    /// The entry that a frozen flow uses next, of its first `stored` (at least 1).
    pub(super) fn next_entry(&mut self, flow: usize, stored: u8) -> u8 {
        let memory = self.memory(flow);
        let entry = memory.cursor;
        memory.cursor = if entry + 1 < stored { entry + 1 } else { 0 };
        entry
    }

    /// The ring of a flow was emptied.
    pub(super) fn rewind(&mut self, flow: usize) {
        self.memory(flow).cursor = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lb::host::fake;
    use crate::units::Ratio;

    /// Of a host with two flows, a base RTT of 10 us and a fixed timeout of 50 us.
    fn freezer(params: &Params, trims: bool) -> Freezer {
        let env = HostEnv {
            base_rtt: Span::from_ns(10_000),
            fixed_rto: Some(Span::from_ns(50_000)),
            trims,
            ..fake::env(6, 2)
        };
        Freezer::new(params, &env)
    }

    fn us(us: u64) -> Time {
        Time(us * 1_000_000)
    }

    #[test]
    fn auto_means_each_timeout_where_switches_trim_and_else_those_below_the_factor() {
        let params = Params::default();
        assert_eq!(freezer(&params, true).rule, Rule::Always);
        let low = Rule::Below(Span::from_ns(16_500));
        assert_eq!(freezer(&params, false).rule, low);
        let with = |freezing| Params {
            freezing,
            ..Params::default()
        };
        for trims in [false, true] {
            let rule = |freezing| freezer(&with(freezing), trims).rule;
            assert_eq!(rule(Freezing::Off), Rule::Never);
            assert_eq!(rule(Freezing::Timeout), Rule::Always);
            assert_eq!(rule(Freezing::TimeoutIfLowRtt), low);
        }
    }

    #[test]
    fn an_rtt_below_the_factor_is_low_and_one_at_it_is_not() {
        let params = Params {
            low_rtt: Ratio {
                num: 1_234_567,
                den: 1_000_000,
            },
            ..Params::default()
        };
        // 10 us x 1.234567 = 12 345 670 ps.
        for (rtt, freezes) in [(12_345_669, true), (12_345_670, false)] {
            let mut freezer = freezer(&params, false);
            freezer.note_rtt(0, us(1), Span(rtt));
            assert_eq!(freezer.freezes(0, us(2), 7), freezes);
        }
    }

    #[test]
    fn the_window_is_two_fixed_timeouts_or_six_rtts_or_what_the_parameter_says() {
        let params = Params::default();
        assert_eq!(freezer(&params, false).window, Span::from_ns(100_000));
        let estimated = HostEnv {
            base_rtt: Span::from_ns(10_000),
            ..fake::env(6, 2)
        };
        let freezer_of = |params: &Params| Freezer::new(params, &estimated);
        assert_eq!(freezer_of(&params).window, Span::from_ns(60_000));
        let told = Params {
            rtt_window: Some(Span::from_ns(3)),
            ..params
        };
        assert_eq!(freezer_of(&told).window, Span::from_ns(3));
    }

    #[test]
    fn a_high_rtt_counts_until_the_first_rtt_after_its_window() {
        let mut freezer = freezer(&Params::default(), false);
        let high = Span::from_ns(40_000);
        let low = Span::from_ns(11_000);
        // Without any RTT the largest is low.
        assert!(freezer.freezes(0, us(5), 1));
        // The window that opens at 10 us lasts to 110 us, itself included.
        freezer.note_rtt(0, us(10), high);
        freezer.note_rtt(0, us(110), low);
        assert!(!freezer.freezes(0, us(110), 1));
        assert!(!freezer.freezes(0, us(500), 1), "no newer window is open");
        freezer.note_rtt(0, us(111), low);
        assert!(freezer.freezes(0, us(111), 1));
        freezer.note_rtt(0, us(200), high);
        assert!(!freezer.freezes(0, us(211), 1));
        assert!(freezer.freezes(1, us(211), 1), "of another flow");
    }

    #[test]
    fn nothing_is_remembered_before_there_is_something_to_remember() {
        let mut freezer = freezer(&Params::default(), true);
        freezer.note_rtt(0, us(1), Span::from_ns(40_000));
        assert!(freezer.flows.is_empty());
        assert!(freezer.freezes(1, us(2), 3));
        assert_eq!(freezer.flows.len(), 2);
    }
}
