//! Timeouts of single entropy values, by which a sender without a transport notices that nothing came back.
//!
//! Definition: the public code of the Ofan paper (its open-loop sender). When a packet takes a value without a running timer, one starts
//! for it; anything that comes back of the value ends it. A timer is looked at when its value is drawn again, not before: if it has run
//! longer than the timeout, it ends and the value has timed out. The timeout follows the RTT as TCP's does (RFC 6298: gains 1/8 and
//! 1/4, four deviations), in whole picoseconds, rounded down. Our reading: an ACK that tells no RTT stands for the time since its
//! value's timer started, which is its packet's RTT unless the value was used again meanwhile.

use super::params::EntropyTimers;
use crate::lb::host::{Feedback, Outcome};
use crate::units::{Span, Time};

/// The timers of one host's flows.
#[derive(Clone, Debug)]
pub(super) struct Timers {
    min: Span,
    /// By local flow.
    flows: Box<[Flow]>,
}

#[derive(Clone, Debug)]
struct Flow {
    /// Values with a running timer and when it started, by value.
    running: Vec<(u16, Time)>,
    /// Smoothed RTT and its mean deviation; zero before the first RTT.
    rtt: Span,
    deviation: Span,
    /// The timeout.
    rto: Span,
}

impl Timers {
    pub(super) fn new(params: EntropyTimers, flow_count: usize) -> Self {
        let idle = Flow {
            running: Vec::new(),
            rtt: Span::ZERO,
            deviation: Span::ZERO,
            rto: params.initial,
        };
        Self {
            min: params.min,
            flows: vec![idle; flow_count].into(),
        }
    }

    /// A packet is about to take `value`: whether the value has timed out, so that it must take another one. Else its timer runs.
    pub(super) fn has_expired(&mut self, flow: usize, value: u16, now: Time) -> bool {
        let flow = &mut self.flows[flow];
        match flow.place(value) {
            Ok(at) if now - flow.running[at].1 > flow.rto => {
                flow.running.remove(at);
                true
            }
            Ok(_) => false,
            Err(at) => {
                flow.running.insert(at, (value, now));
                false
            }
        }
    }

    /// A probe takes `value`: its timer starts, again if it ran.
    pub(super) fn restart(&mut self, flow: usize, value: u16, now: Time) {
        let flow = &mut self.flows[flow];
        match flow.place(value) {
            Ok(at) => flow.running[at].1 = now,
            Err(at) => flow.running.insert(at, (value, now)),
        }
    }

    /// Something came back of a packet, or the transport gave it up: its value's timer ends. The RTT, if there is one.
    pub(super) fn on_feedback(&mut self, flow: usize, feedback: &Feedback) -> Option<Span> {
        let min = self.min;
        let flow = &mut self.flows[flow];
        let ended = flow.place(feedback.path).ok();
        let timed = ended.map(|at| feedback.now - flow.running.remove(at).1);
        let rtt = match feedback.outcome {
            Outcome::Good | Outcome::Ecn => feedback.rtt.or(timed)?,
            Outcome::Trimmed | Outcome::Timeout => return None,
        };
        flow.learn(rtt, min);
        Some(rtt)
    }
}

impl Flow {
    /// Where the timer of a value is, or would be.
    fn place(&self, value: u16) -> Result<usize, usize> {
        self.running.binary_search_by_key(&value, |timer| timer.0)
    }

    fn learn(&mut self, rtt: Span, min: Span) {
        if self.rtt == Span::ZERO {
            self.rtt = rtt;
            self.deviation = Span(rtt.0 / 2);
        } else {
            let error = rtt.0.abs_diff(self.rtt.0);
            self.deviation = Span((3 * self.deviation.0 + error) / 4);
            self.rtt = Span((7 * self.rtt.0 + rtt.0) / 8);
        }
        self.rto = (self.rtt + self.deviation * 4).max(min);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lb::host::fake;

    fn timers() -> Timers {
        let params = EntropyTimers {
            initial: Span(1_000),
            min: Span(200),
        };
        Timers::new(params, 2)
    }

    fn ack(path: u16, now: u64, rtt: Option<u64>) -> Feedback {
        Feedback {
            now: Time(now),
            rtt: rtt.map(Span),
            ..fake::feedback(path, Outcome::Good)
        }
    }

    #[test]
    fn the_timeout_follows_the_rtt_with_gains_of_an_eighth_and_a_quarter() {
        let mut timers = timers();
        assert_eq!(timers.flows[0].rto, Span(1_000));
        // RTT 800: deviation 400, timeout 800 + 4 x 400.
        timers.on_feedback(0, &ack(1, 5_000, Some(800)));
        assert_eq!(timers.flows[0].rto, Span(2_400));
        // RTT 1000: deviation (3 x 400 + 200) / 4 = 350, smoothed (7 x 800 + 1000) / 8 = 825, timeout 825 + 1400.
        timers.on_feedback(0, &ack(1, 6_000, Some(1_000)));
        assert_eq!(timers.flows[0].rto, Span(2_225));
        // RTT 820: deviation (1050 + 5) / 4 = 263, smoothed (5775 + 820) / 8 = 824, timeout 824 + 1052.
        timers.on_feedback(0, &ack(1, 7_000, Some(820)));
        assert_eq!(timers.flows[0].rto, Span(1_876));
        // The other flow has not heard of that, and the floor holds: 30 + 60 < 200.
        assert_eq!(timers.flows[1].rto, Span(1_000));
        timers.on_feedback(1, &ack(1, 5_000, Some(30)));
        assert_eq!(timers.flows[1].rto, Span(200));
    }

    #[test]
    fn a_value_times_out_when_it_is_drawn_later_than_the_timeout_after_its_oldest_unanswered_use() {
        let mut timers = timers();
        assert!(!timers.has_expired(0, 7, Time(100)));
        // The first use counts, and the timeout itself is not too late.
        assert!(!timers.has_expired(0, 7, Time(900)));
        assert!(!timers.has_expired(0, 7, Time(1_100)));
        assert!(!timers.has_expired(1, 7, Time(1_101)), "another flow");
        assert!(!timers.has_expired(0, 8, Time(1_101)), "another value");
        assert!(timers.has_expired(0, 7, Time(1_101)));
        // That ended the timer: the next use starts one.
        assert!(!timers.has_expired(0, 7, Time(5_000)));
        assert!(!timers.has_expired(0, 7, Time(6_000)));
        assert!(timers.has_expired(0, 7, Time(6_001)));
    }

    #[test]
    fn whatever_comes_back_of_a_value_ends_its_timer_and_only_acks_tell_rtts() {
        use Outcome::{Ecn, Good, Timeout, Trimmed};
        for (outcome, rtt) in [
            (Good, Some(150)),
            (Ecn, Some(150)),
            (Trimmed, None),
            (Timeout, None),
        ] {
            let mut timers = timers();
            timers.has_expired(0, 6, Time(90));
            timers.has_expired(0, 7, Time(100));
            timers.has_expired(0, 8, Time(110));
            let feedback = Feedback {
                outcome,
                ..ack(7, 250, None)
            };
            assert_eq!(timers.on_feedback(0, &feedback), rtt.map(Span));
            assert_eq!(timers.flows[0].running, [(6, Time(90)), (8, Time(110))]);
            // No timer runs for 7 any more, so that a second ACK without an RTT tells nothing.
            assert_eq!(timers.on_feedback(0, &ack(7, 300, None)), None);
            // An RTT that the ACK tells goes first.
            let told = timers.on_feedback(0, &ack(8, 300, Some(20)));
            assert_eq!(told, Some(Span(20)));
        }
    }

    #[test]
    fn a_probe_starts_its_timer_afresh() {
        let mut timers = timers();
        timers.restart(0, 7, Time(100));
        timers.restart(0, 7, Time(5_000));
        assert_eq!(timers.flows[0].running, [(7, Time(5_000))]);
        let told = timers.on_feedback(0, &ack(7, 5_300, None));
        assert_eq!(told, Some(Span(300)));
    }
}
