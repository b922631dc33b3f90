//! Adding up a run when it is over.

use std::collections::BTreeMap;

use spraysim::packet::Kind;
use spraysim::sim::{FailureResult, Stage, UTILIZATION_WINDOW};
use spraysim::units::{Span, Time};

use super::failures::Port;
use super::flows::Flow;
use super::seen::{AnswersSeen, LinkKey, LinkSeen, LossySeen, Seen, StageSeen, Stay};
use super::world::World;

impl World<'_> {
    /// What the run showed.
    pub(crate) fn seen(&mut self) -> Seen {
        self.hosts.iter_mut().for_each(super::host::Host::close);
        let ports = self
            .switches
            .iter_mut()
            .flat_map(|switch| &mut switch.ports);
        ports.for_each(super::ports::OutPort::close);
        let all_sent = self.flows.iter().all(|f| f.left == f.pieces.len() as u64);
        let last_sent = all_sent.then_some(self.last_data_left);
        // A horizon keeps a host from sending all, or the wait for something that never happens: until the last frame came or left.
        let stays = self.hosts.iter().flat_map(|host| &host.stays);
        let ports = self.switches.iter().flat_map(|switch| &switch.ports);
        let stays = stays.chain(ports.flat_map(|port| &port.stays));
        let end = stays.map(|stay| stay.left.unwrap_or(stay.since)).max();
        let end = end.max(Some(self.last_pause));
        let horizon = self.scenario.horizon.filter(|_| !self.ran_dry);
        let ended = horizon.or(end).unwrap_or_default();
        let integrated_until = last_sent
            .or(self.scenario.horizon)
            .or(end)
            .unwrap_or_default();
        let (mut links, mut lossy) = (BTreeMap::new(), BTreeMap::new());
        let mut stages: BTreeMap<Stage, StageSeen> = BTreeMap::new();
        for (key, (node, port)) in self.links() {
            let (link, stays) = self.port(node, port);
            links.insert(key, link.clone());
            lossy.insert(key, self.lossy(node, port, ended));
            let stage = stages.entry(key.0).or_default();
            stage.add(stays, integrated_until);
        }
        let mut by_position: Vec<&Flow> = self.flows.iter().collect();
        by_position.sort_by_key(|flow| flow.position);
        let ends: Option<Vec<Time>> = self.flows.iter().map(|f| f.end).collect();
        Seen {
            flows: by_position.iter().map(|flow| flow.seen()).collect(),
            recovery: by_position.iter().map(|flow| flow.recovery).collect(),
            answers: by_position.iter().map(|flow| self.answers(flow)).collect(),
            lossy,
            taken: self.taken,
            held: self.held(),
            ended,
            delivered_packets: self.flows.iter().map(|f| f.arrived as u64).sum(),
            packet_hops: links.values().map(|link| link.packets).sum(),
            links,
            stages,
            first_bit: self.first_bit,
            last_sent,
            last_finish: ends.and_then(|ends| ends.into_iter().max()),
            integrated_until,
            peak_ae_busy: self.peak_ae_busy(),
            data_packets: self.data_packets,
            ack_packets: self.ack_packets,
            delivered_bytes: self.delivered_bytes,
            ran_dry: self.ran_dry,
            failures: self.failures(integrated_until),
        }
    }

    fn answers(&self, flow: &Flow) -> AnswersSeen {
        let connection = self.connections.get(&flow.connection);
        let window = connection.and_then(|connection| connection.sender.window);
        flow.answers(window, self.flows[flow.connection].heard)
    }

    fn held(&self) -> u64 {
        let ports = self.switches.iter().flat_map(|switch| &switch.ports);
        ports.map(super::ports::OutPort::held).sum()
    }

    /// All links, with the ports that they leave.
    fn links(&self) -> Vec<(LinkKey, Port)> {
        let mut links = Vec::new();
        for (node, plugs) in self.wiring.plugs.iter().enumerate() {
            for (port, plug) in plugs.iter().enumerate() {
                let stage = self.wiring.stage(node, port);
                let ends = (self.wiring.name(node), self.wiring.name(plug.peer));
                let key = (stage, ends.0, ends.1, self.wiring.member(node, port));
                links.push((key, (node, port)));
            }
        }
        links
    }

    /// What a port did that trims or pauses, in a run that ended at `end`.
    fn lossy(&self, node: usize, port: usize, end: Time) -> LossySeen {
        let (mut seen, paused, headroom) = match node.checked_sub(self.hosts.len()) {
            None => (self.hosts[node].lossy, self.hosts[node].paused, 0),
            Some(number) => {
                let switch = &self.switches[number];
                let out = &switch.ports[port];
                let headroom = switch.pfc.as_ref().map_or(0, |pfc| pfc.headroom(port));
                (out.lossy, out.paused, headroom)
            }
        };
        seen.paused += paused.map_or(Span::ZERO, |since| end.saturating_since(since));
        seen.headroom = headroom;
        seen
    }

    /// What failures did in a run whose hosts sent until `end`.
    fn failures(&self, end: Time) -> FailureResult {
        if self.scenario.fabric.failures.is_none() {
            return FailureResult::default();
        }
        let changes = self.faults.changes(end);
        let last_loss = self.last_loss;
        FailureResult {
            failed_links: self.faults.failed_links(),
            redraws: self.faults.redraws,
            unroutable_packets: self.unroutable,
            unroutable_data_packets: self.unroutable_data,
            outage: changes.first().map(|first| last_loss.max(*first) - *first),
            recovery: changes
                .first()
                .and_then(|first| self.recovery(*first, *changes.last()?, end)),
        }
    }

    /// From the last change to the start of the first window from which on all have 95 % of the mean before the first change.
    fn recovery(&self, first: Time, last: Time, end: Time) -> Option<Span> {
        let mut windows = BTreeMap::new();
        for (number, switch) in self.switches.iter().enumerate() {
            for (port, out) in switch.ports.iter().enumerate() {
                let stage = self.wiring.stage(self.hosts.len() + number, port);
                let data = out.served.iter().filter(|f| f.kind == Kind::Data);
                for frame in data.filter(|_| stage == Stage::Eh) {
                    spread(frame.start, frame.left, &mut windows);
                }
            }
        }
        let length = UTILIZATION_WINDOW.0;
        let whole_from = |at: Time| at.0.div_ceil(length);
        let of = |window: u64| windows.get(&window).copied().unwrap_or(0);
        let before = windows.keys().next()? + 1..first.0 / length;
        let mean = before.clone().map(of).sum::<u64>() as f64 / before.count() as f64;
        if mean.is_nan() {
            return None;
        }
        let mut after = (whole_from(last)..end.0 / length).peekable();
        after.peek()?;
        // Below 0.95 of the mean; the sums are small enough for f64.
        let low = after.clone().rfind(|w| of(*w) as f64 * 20.0 < mean * 19.0);
        match low {
            None => Some(Span::ZERO),
            Some(low) if low + 1 == end.0 / length => None,
            Some(low) => Some(Time((low + 1) * length) - last),
        }
    }

    fn port(&self, node: usize, port: usize) -> (&LinkSeen, &[Stay]) {
        match node.checked_sub(self.hosts.len()) {
            None => (&self.hosts[node].seen, &self.hosts[node].stays),
            Some(switch) => {
                let port = &self.switches[switch].ports[port];
                (&port.seen, &port.stays)
            }
        }
    }

    /// Most time that the A->E links together spent on frames that left, gaps included, in one window.
    fn peak_ae_busy(&self) -> Span {
        let mut windows: BTreeMap<u64, u64> = BTreeMap::new();
        for (number, switch) in self.switches.iter().enumerate() {
            for (port, out) in switch.ports.iter().enumerate() {
                if self.wiring.stage(self.hosts.len() + number, port) != Stage::Ae {
                    continue;
                }
                for frame in &out.served {
                    spread(frame.start, frame.free, &mut windows);
                }
            }
        }
        Span(windows.into_values().max().unwrap_or(0))
    }
}

/// Add the time between two instants to the windows that it falls into.
fn spread(from: Time, to: Time, windows: &mut BTreeMap<u64, u64>) {
    let mut from = from.0;
    while from < to.0 {
        let window = from / UTILIZATION_WINDOW.0;
        let until = to.0.min((window + 1) * UTILIZATION_WINDOW.0);
        *windows.entry(window).or_default() += until - from;
        from = until;
    }
}

impl StageSeen {
    /// Add a port whose queue saw `stays`.
    fn add(&mut self, stays: &[Stay], until: Time) {
        self.ports += 1;
        for stay in stays {
            self.packet_ps += stay.clipped(until);
            self.byte_ps += stay.clipped(until) * u128::from(stay.bytes);
        }
    }
}
