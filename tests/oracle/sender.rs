//! The sending end of a connection that recovers what is lost: a record for each packet, and nothing that could be computed from them.

use spraysim::cc::Controller;
use spraysim::scenario::Scenario;
use spraysim::settings::{DupThreshold, RtoScope, Transport, TransportKind};
use spraysim::units::{Span, Time};

use super::flows::base_rtt;
use super::newreno::Tcp;
use super::receiver::Answer;
use super::rto::Patience;

/// Where a packet is, as far as its sender knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    InFlight,
    Lost,
    Acked,
}

/// A packet that was sent, as it was sent last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) sent_at: Time,
    pub(crate) size: u32,
    pub(crate) path: u16,
    pub(crate) sends: u32,
    pub(crate) state: State,
}

/// What an answer changed: packets in order of their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    /// Acknowledged for the first time.
    pub(crate) acked: Vec<u32>,
    /// Of these, how many waited to be sent again.
    pub(crate) spared: usize,
    /// Taken for lost.
    pub(crate) lost: Vec<u32>,
    /// Of these, those whose paths the host's policy hears of, if they expired.
    pub(crate) blamed: Vec<u32>,
    pub(crate) rtt: Option<Span>,
}

/// The sending end of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    transport: Transport,
    /// Frame bytes that may be in flight; `None`: any number.
    pub(crate) window: Option<u64>,
    pub(crate) patience: Patience,
    /// The receiver's count of bytes, and what is in flight by it.
    told: u64,
    by_count: i64,
    /// By packet number: those that were sent.
    pub(crate) records: Vec<Record>,
    /// It has given up.
    pub(crate) stuck: bool,
    tcp: Option<Tcp>,
    /// Until a SYN is answered: when the last one was made, if any was.
    pub(crate) opening: Option<Option<Time>>,
}

/// Bytes that a host's link carries in the longest base RTT.
fn bdp_bytes(scenario: &Scenario) -> u128 {
    let rate = u128::from(scenario.fabric.host_rate().bits_per_sec());
    u128::from(base_rtt(scenario).0) * rate / 8_000_000_000_000
}

impl Sender {
    /// One that has sent nothing.
    pub(crate) fn new(transport: Transport, scenario: &Scenario) -> Self {
        let threshold = transport.dup_threshold.map(|threshold| match threshold {
            DupThreshold::Packets(packets) => packets,
            DupThreshold::PathsPlus(_) => panic!("not told here"),
        });
        let frame = scenario.packet.payload_bytes + scenario.packet.header_bytes;
        let is_tcp = transport.kind == TransportKind::NewReno;
        let known = !matches!(transport.kind, TransportKind::Erasure(_));
        assert!(known && transport.sleek.is_none(), "not told here");
        let window = match scenario.congestion_control.controller {
            Controller::None(_) => None,
            Controller::FixedWindow(params) => Some(params.bytes.unwrap_or_else(|| {
                let bdp = bdp_bytes(scenario) * u128::from(params.bdp.num);
                (bdp / u128::from(params.bdp.den)) as u64
            })),
            _ => panic!("the oracle knows no windows that adapt"),
        };
        Self {
            transport,
            window,
            patience: Patience::new(transport.rto, scenario),
            told: 0,
            by_count: 0,
            records: Vec::new(),
            stuck: false,
            tcp: is_tcp.then(|| Tcp::new(threshold, frame)),
            opening: transport.handshake.then_some(None),
        }
    }

    fn goes_back(&self) -> bool {
        self.transport.kind == TransportKind::GoBackN
    }

    /// The packets in that state.
    fn all(&self, state: State) -> Vec<u32> {
        let records = (0..).zip(&self.records);
        let found = records.filter(|(_, record)| record.state == state);
        found.map(|(psn, _)| psn).collect()
    }

    /// Frame bytes in flight, as the transport counts them.
    pub(crate) fn in_flight(&self) -> u64 {
        match self.transport.counts_received_bytes {
            true => self.by_count.max(0) as u64,
            false => self.flying(),
        }
    }

    fn flying(&self) -> u64 {
        let flying = self.all(State::InFlight).into_iter();
        let sizes = flying.map(|psn| u64::from(self.records[psn as usize].size));
        sizes.sum()
    }

    /// The packet to send next, of `available` that there are: the lowest that is lost, else the first new one.
    pub(crate) fn next(&self, available: u32) -> Option<u32> {
        if self.opening.is_some() {
            return None;
        }
        if let Some(tcp) = &self.tcp {
            let next = (tcp.nxt < available).then_some(tcp.nxt);
            return tcp.hole.or(next);
        }
        let lost = self.all(State::Lost);
        let new = self.records.len() as u32;
        let next = lost.first().copied();
        next.or_else(|| (new < available).then_some(new))
    }

    /// Whether the window has room for a frame of `size`.
    pub(crate) fn admits(&self, size: u32) -> bool {
        if let Some(tcp) = &self.tcp {
            let flight = self.records[tcp.una as usize..tcp.nxt as usize].iter();
            let flight = flight.map(|record| u64::from(record.size)).sum();
            // As below for those that go back.
            let steps = self.patience.in_a_row > 1 && tcp.una < tcp.nxt;
            return !self.stuck && !steps && tcp.admits(self.window, flight, size);
        }
        let after = self.in_flight() + u64::from(size);
        // Going back has not helped twice in a row: one packet at a time.
        let steps = self.goes_back() && self.patience.in_a_row > 1;
        let waits = self.stuck || steps && self.flying() > 0;
        !waits && self.window.is_none_or(|window| window >= after)
    }

    /// The NIC starts packet `psn`. Whether it asks for an ACK.
    pub(crate) fn sent(&mut self, psn: u32, record: Record, available: u32) -> bool {
        let is_new = psn as usize == self.records.len();
        let span = self.patience.span();
        if let Some(tcp) = &mut self.tcp {
            tcp.sent(psn, record.sent_at, span);
        }
        self.by_count += i64::from(record.size);
        if is_new {
            self.records.push(record);
        } else {
            let before = &mut self.records[psn as usize];
            assert!(before.state == State::Lost || self.tcp.is_some());
            let sends = before.sends + 1;
            *before = Record { sends, ..record };
        }
        let after = self.in_flight() + u64::from(record.size);
        let full = self.window.is_some_and(|window| after >= window);
        !is_new || self.records.len() as u32 == available || full
    }

    /// The packet whose transmission is the oldest in flight.
    pub(crate) fn oldest(&self) -> Option<u32> {
        let flying = self.all(State::InFlight).into_iter();
        flying.min_by_key(|psn| (self.records[*psn as usize].sent_at, *psn))
    }

    /// When the oldest transmission in flight has been waited for long enough.
    pub(crate) fn expiry(&self) -> Option<Time> {
        if let Some(asked) = self.opening {
            let asked = asked.filter(|_| !self.stuck);
            return asked.map(|at| at + self.patience.span());
        }
        if let Some(tcp) = &self.tcp {
            return tcp.due.filter(|_| !self.stuck);
        }
        let oldest = self.oldest().filter(|_| !self.stuck);
        oldest.map(|psn| self.records[psn as usize].sent_at + self.patience.span())
    }

    fn lose(&mut self, psns: &[u32]) {
        for psn in psns {
            let record = &mut self.records[*psn as usize];
            assert_eq!(record.state, State::InFlight);
            // TCP knows no packets, but from where on to send.
            if self.tcp.is_none() {
                record.state = State::Lost;
            }
            self.by_count -= i64::from(record.size);
            // A packet that was sent so often does not get through.
            let most = (10 * u64::from(self.transport.give_up_after)).min(65_535);
            self.stuck |= u64::from(record.sends) >= most;
        }
    }

    /// A SYN is made at `now`, as a message waits.
    pub(crate) fn ask_to_open(&mut self, now: Time) -> bool {
        let first = self.opening == Some(None);
        if first {
            self.opening = Some(Some(now));
        }
        first
    }

    /// A SYN is answered.
    pub(crate) fn open(&mut self) {
        if self.opening.take().is_some() {
            self.patience.in_a_row = 0;
        }
    }

    /// No answer to a SYN came until `now`: whether another one is made.
    pub(crate) fn ask_again(&mut self, now: Time) -> bool {
        self.patience.expire(now, now);
        self.stuck |= self.patience.in_a_row >= self.transport.give_up_after;
        self.opening = Some(Some(now));
        !self.stuck
    }

    /// TCP's timer has expired at `now`.
    fn go_back(&mut self, now: Time) -> Change {
        let all = self.records.len() as u32;
        let tcp = self.tcp.as_mut().expect("it is TCP");
        let (first, lost) = (tcp.una, tcp.expire(all));
        self.lose(&lost);
        self.patience.expire(now, now);
        self.stuck |= self.patience.in_a_row >= self.transport.give_up_after;
        Change {
            lost,
            blamed: vec![first],
            ..Change::default()
        }
    }

    /// The timer has expired at `now`: the packets that are lost.
    pub(crate) fn expire(&mut self, now: Time) -> Change {
        if self.tcp.is_some() {
            return self.go_back(now);
        }
        let span = self.patience.span();
        let all = self.goes_back() || self.transport.rto.scope == RtoScope::All;
        let mut lost = self.all(State::InFlight);
        lost.retain(|psn| all || self.records[*psn as usize].sent_at + span <= now);
        // In the order in which they were sent.
        lost.sort_by_key(|psn| self.records[*psn as usize].sent_at);
        let oldest = lost.first().map(|psn| self.records[*psn as usize].sent_at);
        self.lose(&lost);
        self.patience
            .expire(oldest.expect("something is in flight"), now);
        self.stuck |= self.patience.in_a_row >= self.transport.give_up_after;
        Change {
            blamed: lost.clone(),
            lost,
            ..Change::default()
        }
    }

    /// TCP gets an ACK.
    fn acknowledge_in_order(&mut self, answer: &Answer, now: Time) -> Change {
        let record = self.records[answer.psn as usize];
        let tcp = self.tcp.as_mut().expect("it is TCP");
        let (una, nxt, hole) = (tcp.una, tcp.nxt, tcp.hole);
        let clear = record.sends == 1 || record.sends == 2 && answer.again;
        let counts = answer.psn >= una && answer.cumulative >= una;
        let acked: Vec<u32> = (una..answer.cumulative.max(una)).collect();
        let waited = |psn: &&u32| **psn >= nxt || hole == Some(**psn);
        let mut change = Change {
            rtt: (clear && counts).then(|| now - record.sent_at),
            spared: acked.iter().filter(waited).count(),
            ..Change::default()
        };
        let mut bytes = 0;
        for psn in &acked {
            self.records[*psn as usize].state = State::Acked;
            bytes += u64::from(self.records[*psn as usize].size);
        }
        change.rtt.iter().for_each(|rtt| self.patience.sample(*rtt));
        if !acked.is_empty() {
            self.patience.in_a_row = 0;
        }
        let all = self.records.len() as u32;
        let clock = (now, self.patience.span());
        if tcp.acknowledge((answer.cumulative, all), bytes, self.window, clock) {
            change.lost = tcp.hole.into_iter().collect();
        }
        change.acked = acked;
        let lost = change.lost.clone();
        self.lose(&lost);
        change
    }

    /// An ACK comes back.
    pub(crate) fn acknowledge(&mut self, answer: &Answer, now: Time) -> Change {
        if self.tcp.is_some() {
            return self.acknowledge_in_order(answer, now);
        }
        let record = self.records[answer.psn as usize];
        // It must be clear which sending is answered.
        let clear = record.sends == 1 || record.sends == 2 && answer.again;
        let sampled = record.state == State::InFlight && clear;
        self.by_count -= answer.received.saturating_sub(self.told) as i64;
        self.told = self.told.max(answer.received);
        let mut change = Change {
            rtt: sampled.then(|| now - record.sent_at),
            ..Change::default()
        };
        for psn in 0..self.records.len() as u32 {
            let told = psn < answer.cumulative || psn == answer.psn || answer.above.contains(&psn);
            let record = &mut self.records[psn as usize];
            if told && record.state != State::Acked {
                let was_lost = record.state == State::Lost;
                change.spared += usize::from(was_lost);
                self.by_count += i64::from(record.size) * i64::from(was_lost);
                record.state = State::Acked;
                change.acked.push(psn);
            }
        }
        change.rtt.iter().for_each(|rtt| self.patience.sample(*rtt));
        if !change.acked.is_empty() {
            self.patience.in_a_row = 0;
        }
        if let Some(threshold) = self.transport.dup_threshold {
            let DupThreshold::Packets(distance) = threshold else {
                panic!("not told here");
            };
            let highest = self.all(State::Acked).last().copied().unwrap_or(0);
            change.lost = self.all(State::InFlight);
            change
                .lost
                .retain(|&psn| self.records[psn as usize].sends == 1 && psn + distance <= highest);
            self.lose(&change.lost);
        }
        change
    }

    /// A NACK comes back.
    pub(crate) fn refuse(&mut self, answer: &Answer) -> Change {
        let back = self.goes_back();
        let mut change = Change::default();
        if back {
            self.by_count -= answer.received.saturating_sub(self.told) as i64;
            self.told = self.told.max(answer.received);
        }
        // One that goes back asks for the lowest missing packet, so all below it has arrived.
        for psn in 0..answer.psn.min(self.records.len() as u32) {
            let record = &mut self.records[psn as usize];
            if back && record.state != State::Acked {
                let was_lost = record.state == State::Lost;
                change.spared += usize::from(was_lost);
                self.by_count += i64::from(record.size) * i64::from(was_lost);
                record.state = State::Acked;
                change.acked.push(psn);
            }
        }
        if !change.acked.is_empty() {
            self.patience.in_a_row = 0;
        }
        change.lost = self.all(State::InFlight);
        change
            .lost
            .retain(|&psn| psn == answer.psn || back && psn > answer.psn);
        self.lose(&change.lost);
        change
    }
}
