//! What the senders of one host see of the fabric: the RTTs that their ACKs give, and their congestion windows over time.
//!
//! Kept only with a transport, beside connections, for tables; nothing in a run depends on it. The window is that of the connection,
//! a step function that changes with ACKs, NACKs and timeouts: a message of a re-used connection sees it from its own first bit on.

use std::ops::Range;

use super::Host;
use crate::units::{Span, Time};

/// The RTTs that the ACKs of one flow gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RttStats {
    /// How many.
    pub samples: u64,
    /// Their sum in picoseconds.
    pub sum_ps: u128,
    /// The shortest.
    pub min: Span,
    /// The longest.
    pub max: Span,
}

impl RttStats {
    const NONE: Self = Self {
        samples: 0,
        sum_ps: 0,
        min: Span(u64::MAX),
        max: Span::ZERO,
    };

    fn add(&mut self, rtt: Span) {
        self.samples += 1;
        self.sum_ps += u128::from(rtt.0);
        self.min = self.min.min(rtt);
        self.max = self.max.max(rtt);
    }
}

/// The congestion window of one flow in frame bytes, from its first bit to its end; if it did not end, to the last ACK, NACK or timeout
/// of its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowStats {
    /// The smallest.
    pub min: u64,
    /// The largest.
    pub max: u64,
    /// The last.
    pub end: u64,
    /// Its integral over that time.
    pub byte_ps: u128,
    /// That time.
    pub span: Span,
}

/// The window of one connection so far.
#[derive(Clone, Debug)]
struct History {
    /// The window since the last event, and when that was.
    window: u64,
    since: Time,
    /// The integral until then: a product of two numbers below 2^64 at most.
    byte_ps: u128,
    /// Messages: those below have ended, those above have not begun.
    live: Range<usize>,
}

impl History {
    /// What it says at `at`, which is not before the last event.
    fn read(&self, at: Time) -> Reading {
        Reading {
            at,
            byte_ps: self.byte_ps(at),
            window: self.window,
        }
    }

    /// The integral until `at`, which is not before the last event.
    fn byte_ps(&self, at: Time) -> u128 {
        self.byte_ps + u128::from(self.window) * u128::from((at - self.since).0)
    }
}

/// A window at one instant.
#[derive(Clone, Copy, Debug)]
struct Reading {
    at: Time,
    /// Its integral until then.
    byte_ps: u128,
    window: u64,
}

/// What one flow saw.
#[derive(Clone, Debug)]
struct Seen {
    rtts: RttStats,
    /// When its first bit was sent.
    begun: Option<Reading>,
    min: u64,
    max: u64,
    /// When it ended.
    ended: Option<Reading>,
}

/// What all flows of one host saw.
#[derive(Clone, Debug)]
pub(super) struct Observed {
    /// By local flow; those of later messages on a connection are not used.
    connections: Vec<History>,
    flows: Vec<Seen>,
}

impl Observed {
    /// Before the run: `windows` are those that the connections begin with.
    pub(super) fn new(windows: impl ExactSizeIterator<Item = u64>) -> Self {
        let seen = Seen {
            rtts: RttStats::NONE,
            begun: None,
            min: u64::MAX,
            max: 0,
            ended: None,
        };
        let flows = vec![seen; windows.len()];
        let history = |(number, window)| History {
            window,
            since: Time::ZERO,
            byte_ps: 0,
            live: number..number,
        };
        Self {
            connections: windows.enumerate().map(history).collect(),
            flows,
        }
    }

    /// The first bit of message `flow` of `connection` is sent at `at`.
    pub(super) fn begin(&mut self, connection: usize, flow: usize, at: Time) {
        let history = &mut self.connections[connection];
        history.live.end = flow + 1;
        let seen = &mut self.flows[flow];
        seen.begun = Some(history.read(at));
        (seen.min, seen.max) = (history.window, history.window);
    }

    /// The window of `connection` after an ACK, a NACK or a timeout at `now`.
    #[inline]
    pub(super) fn change(&mut self, connection: usize, window: u64, now: Time) {
        let history = &mut self.connections[connection];
        history.byte_ps = history.byte_ps(now);
        history.since = now;
        if window == history.window {
            return;
        }
        history.window = window;
        let live = self.flows[history.live.clone()].iter_mut().rev();
        for seen in live.filter(|seen| seen.ended.is_none()) {
            if (seen.min..=seen.max).contains(&window) {
                // So it is for those that began before.
                break;
            }
            seen.min = seen.min.min(window);
            seen.max = seen.max.max(window);
        }
    }

    /// Message `flow` of `connection` ends with the event of the last change.
    pub(super) fn end(&mut self, connection: usize, flow: usize) {
        let history = &mut self.connections[connection];
        self.flows[flow].ended = Some(history.read(history.since));
        let live = &mut history.live;
        while live.start < live.end && self.flows[live.start].ended.is_some() {
            live.start += 1;
        }
    }

    /// An ACK gives `flow` an RTT.
    #[inline]
    pub(super) fn sample(&mut self, flow: usize, rtt: Span) {
        self.flows[flow].rtts.add(rtt);
    }

    /// The RTTs of `flow`, if there are any.
    fn rtts(&self, flow: usize) -> Option<RttStats> {
        Some(self.flows[flow].rtts).filter(|rtts| rtts.samples > 0)
    }

    /// The window of message `flow` of `connection`, if a bit of it was sent and the window limited it all the time.
    fn window(&self, connection: usize, flow: usize) -> Option<WindowStats> {
        let (history, seen) = (&self.connections[connection], &self.flows[flow]);
        let begun = seen.begun?;
        let so_far = || history.read(begun.at.max(history.since));
        let ended = seen.ended.unwrap_or_else(so_far);
        (seen.max < u64::MAX).then(|| WindowStats {
            min: seen.min,
            max: seen.max,
            end: ended.window,
            byte_ps: ended.byte_ps - begun.byte_ps,
            span: ended.at - begun.at,
        })
    }
}

impl Host {
    /// The RTTs that ACKs of local flow `local_flow` gave; `None` if none did, or without a transport.
    #[must_use]
    pub fn rtts(&self, local_flow: u32) -> Option<RttStats> {
        let connections = self.connections.as_ref()?;
        connections.observed.rtts(local_flow as usize)
    }

    /// The congestion window of local flow `local_flow`; `None` if no bit of it was sent, or no window limits it.
    #[must_use]
    pub fn window(&self, local_flow: u32) -> Option<WindowStats> {
        let connection = self.senders[local_flow as usize].connection as usize;
        let connections = self.connections.as_ref()?;
        connections.observed.window(connection, local_flow as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_messages(messages: usize, window: u64) -> Observed {
        Observed::new(vec![window; messages].into_iter())
    }

    #[test]
    fn the_mean_weighs_each_window_by_its_time() {
        let mut observed = of_messages(1, 100);
        observed.begin(0, 0, Time(10));
        observed.change(0, 50, Time(20));
        observed.change(0, 400, Time(40));
        observed.end(0, 0);
        observed.change(0, 7, Time(90));
        // 10 ps of 100, 20 ps of 50; 400 counts as the last one, 7 comes after the end.
        let expected = WindowStats {
            min: 50,
            max: 400,
            end: 400,
            byte_ps: 10 * 100 + 20 * 50,
            span: Span(30),
        };
        assert_eq!(observed.window(0, 0), Some(expected));
    }

    #[test]
    fn an_unfinished_flow_sees_the_window_until_the_last_event() {
        let mut observed = of_messages(1, 100);
        assert_eq!(observed.window(0, 0), None, "nothing was sent");
        observed.begin(0, 0, Time(10));
        let nothing_came = WindowStats {
            min: 100,
            max: 100,
            end: 100,
            byte_ps: 0,
            span: Span::ZERO,
        };
        assert_eq!(observed.window(0, 0), Some(nothing_came));
        observed.change(0, 60, Time(30));
        let expected = WindowStats {
            min: 60,
            max: 100,
            end: 60,
            byte_ps: 20 * 100,
            span: Span(20),
        };
        assert_eq!(observed.window(0, 0), Some(expected));
    }

    #[test]
    fn messages_of_a_connection_share_its_window_each_from_its_own_first_bit() {
        let mut observed = of_messages(4, 10);
        observed.begin(0, 0, Time(0));
        observed.change(0, 30, Time(5));
        observed.begin(0, 1, Time(6));
        observed.begin(0, 2, Time(8));
        observed.change(0, 20, Time(10));
        observed.end(0, 1);
        observed.change(0, 40, Time(12));
        observed.end(0, 2);
        observed.change(0, 25, Time(20));
        observed.end(0, 0);
        let window = |flow| {
            let stats = observed.window(0, flow)?;
            Some((
                (stats.min, stats.max, stats.end),
                stats.byte_ps,
                stats.span.0,
            ))
        };
        let first = 5 * 10 + 5 * 30 + 2 * 20 + 8 * 40;
        assert_eq!(window(0), Some(((10, 40, 25), first, 20)));
        assert_eq!(window(1), Some(((20, 30, 20), 4 * 30, 4)));
        assert_eq!(window(2), Some(((20, 40, 40), 2 * 30 + 2 * 20, 4)));
        assert_eq!(window(3), None);
        assert_eq!(observed.connections[0].live, 3..3);
    }

    #[test]
    fn the_extremes_of_every_message_are_those_of_all_windows_while_it_lasts() {
        // Each event: the window, how many messages begin after it, and which end with it (an index among those that have begun).
        let mut state = 1_u64;
        let mut draw = |below: u64| {
            state = crate::rng::mix64(state);
            state % below
        };
        let mut observed = of_messages(300, 50);
        let mut windows = vec![50];
        let (mut begun, mut ended): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
        for at in 1..400 {
            windows.push(draw(100));
            observed.change(0, windows[at], Time(at as u64));
            if !begun.is_empty() {
                let flow = draw(begun.len() as u64) as usize;
                if ended[flow].is_none() {
                    ended[flow] = Some(at);
                    observed.end(0, flow);
                }
            }
            for _ in 0..draw(3).min(300 - begun.len() as u64) {
                observed.begin(0, begun.len(), Time(at as u64));
                begun.push(at);
                ended.push(None);
            }
        }
        assert!(begun.len() > 250 && ended.iter().filter(|end| end.is_none()).count() > 50);
        for (flow, (&from, &to)) in begun.iter().zip(&ended).enumerate() {
            let to = to.unwrap_or(399);
            let lasted = &windows[from..=to];
            let stats = observed.window(0, flow).expect("it began");
            let extremes = (lasted.iter().min(), lasted.iter().max());
            assert_eq!(extremes, (Some(&stats.min), Some(&stats.max)), "{flow}");
            let area: u64 = windows[from..to].iter().sum();
            assert_eq!(stats.byte_ps, u128::from(area), "{flow}");
            assert_eq!((stats.end, stats.span.0), (windows[to], (to - from) as u64));
        }
    }

    #[test]
    fn a_window_without_limit_is_none_and_overflows_nothing() {
        let mut observed = of_messages(1, u64::MAX);
        observed.begin(0, 0, Time(1));
        observed.change(0, u64::MAX, Time(u64::MAX));
        assert_eq!(observed.window(0, 0), None);
        let mut observed = of_messages(1, u64::MAX - 1);
        observed.begin(0, 0, Time(0));
        observed.change(0, u64::MAX - 1, Time(u64::MAX));
        let stats = observed.window(0, 0).expect("it limits");
        assert_eq!(
            stats.byte_ps,
            u128::from(u64::MAX - 1) * u128::from(u64::MAX)
        );
    }

    #[test]
    fn rtts_are_counted_by_flow() {
        let mut observed = of_messages(2, 1);
        for rtt in [7, 3, 5] {
            observed.sample(1, Span(rtt));
        }
        let expected = RttStats {
            samples: 3,
            sum_ps: 15,
            min: Span(3),
            max: Span(7),
        };
        assert_eq!((observed.rtts(0), observed.rtts(1)), (None, Some(expected)));
    }
}
