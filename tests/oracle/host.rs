//! A host: its NIC's round robin between flows and ACKs, and its pacer.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use spraysim::lb::host::{HostEnv, LivePaths, PathPolicy};
use spraysim::packet::Packet;
use spraysim::rng::{Domain, Rng};
use spraysim::scenario::{AckTurns, Acks, Scenario};
use spraysim::units::{Ratio, Span, Time};

use super::failures::Live;
use super::flows::{Flow, base_rtt, bdp_packets, slot};
use super::imperfect::{Fine, drift};
use super::policies::Policies;
use super::seen::{LinkSeen, Stay};
use super::wiring::Wiring;

/// One member of the NIC's round robin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// A data flow.
    Data(usize),
    /// The pending ACKs of one incoming flow, or of all (`None`).
    Acks(Option<usize>),
}

/// An ACK that waits for its turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingAck {
    /// The message, and the first of its connection.
    pub(crate) flow: usize,
    pub(crate) connection: usize,
    pub(crate) psn: u32,
    pub(crate) marked: bool,
    pub(crate) since: Time,
}

/// The frame on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InService {
    pub(crate) packet: Packet,
    /// Since when it counts as queued.
    pub(crate) since: Time,
    pub(crate) started: Time,
}

/// A host.
pub(crate) struct Host {
    pub(crate) brain: Box<dyn PathPolicy>,
    pub(crate) draws: Rng,
    /// Hosts that this one sends data or ACKs to, ascending.
    pub(crate) peers: Vec<usize>,
    pub(crate) pacer: Pacer,
    pub(crate) in_service: Option<InService>,
    /// When the gap after the last frame ends, exactly; and when the frame in service has left.
    free: Fine,
    left: Fine,
    /// How slow the clock is, in parts in 10^12.
    drift: u64,
    /// The classes that stand in the queue.
    round: VecDeque<Class>,
    /// The class served last, if packets remained when it was served.
    rejoins: Option<Class>,
    pub(crate) acks: BTreeMap<Option<usize>, VecDeque<PendingAck>>,
    ack_turns: AckTurns,
    pub(crate) seen: LinkSeen,
    pub(crate) stays: Vec<Stay>,
    ack_bytes: u64,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Host with queue {:?}", self.round)
    }
}

impl Host {
    /// An idle host.
    pub(crate) fn new(
        host: usize,
        seed: u64,
        scenario: &Scenario,
        brain: Box<dyn PathPolicy>,
        peers: Vec<usize>,
        load: Ratio,
    ) -> Self {
        Self {
            brain,
            draws: Rng::stream(seed, Domain::Entropy, host as u64),
            peers,
            pacer: Pacer::new(host, seed, scenario, load),
            in_service: None,
            free: Fine::default(),
            left: Fine::default(),
            drift: drift(scenario, host, seed),
            round: VecDeque::new(),
            rejoins: None,
            acks: BTreeMap::new(),
            ack_turns: scenario.nic.ack_turns,
            seen: LinkSeen::default(),
            stays: Vec::new(),
            ack_bytes: u64::from(scenario.packet.ack_bytes),
        }
    }

    /// A flow activates: it joins the round robin.
    pub(crate) fn join_flow(&mut self, flow: usize) {
        self.round.push_back(Class::Data(flow));
    }

    /// An ACK becomes pending. Its class joins if it was empty.
    pub(crate) fn pend(&mut self, ack: PendingAck) {
        let turn = match self.ack_turns {
            AckTurns::Class => None,
            AckTurns::Flow => Some(ack.connection),
        };
        let fifo = self.acks.entry(turn).or_default();
        fifo.push_back(ack);
        if fifo.len() == 1 {
            self.round.push_back(Class::Acks(turn));
        }
        self.note_queue();
    }

    /// Take the class whose turn it is out of the queue, if any is eligible.
    pub(crate) fn take_turn(&mut self, data_is_due: bool) -> Option<Class> {
        let eligible = |class: &Class| match class {
            Class::Data(_) => data_is_due,
            Class::Acks(_) => true,
        };
        if !self.round.iter().chain(&self.rejoins).any(eligible) {
            return None;
        }
        self.round.extend(self.rejoins.take());
        let turn = self.round.iter().position(eligible);
        self.round.remove(turn.expect("one is eligible"))
    }

    /// The class just served still has packets: it comes back at the next decision.
    pub(crate) fn rejoin_later(&mut self, class: Class) {
        assert_eq!(self.rejoins.replace(class), None);
    }

    /// When the gap after the last frame ends.
    pub(crate) fn free(&self) -> Time {
        self.free.time()
    }

    /// A frame that takes `tx` by the host's clock starts: when it will have left.
    pub(crate) fn serve(&mut self, packet: Packet, since: Time, started: Time, tx: Span) -> Time {
        let exact = if started == self.free() {
            self.free
        } else {
            Fine::at(started)
        };
        self.left = exact.after(tx, self.drift);
        let before = self.in_service.replace(InService {
            packet,
            since,
            started,
        });
        assert!(before.is_none(), "one frame at a time");
        self.note_queue();
        self.left.time()
    }

    /// The frame in service has left at `now`.
    pub(crate) fn finish_frame(&mut self, now: Time, gap: Span) -> Packet {
        let frame = self.in_service.take().expect("a frame was in service");
        let bytes = u64::from(frame.packet.size);
        assert_eq!(now, self.left.time());
        self.free = self.left.after(gap, self.drift);
        self.seen.packets += 1;
        self.seen.bytes += bytes;
        self.seen.busy += now - frame.started;
        self.stays.push(Stay {
            since: frame.since,
            left: Some(now),
            bytes,
        });
        frame.packet
    }

    /// Note the maxima: the frame in service and the pending ACKs.
    fn note_queue(&mut self) {
        let acks: usize = self.acks.values().map(VecDeque::len).sum();
        let frame = self.in_service.map_or(0, |f| u64::from(f.packet.size));
        let packets = acks as u64 + u64::from(self.in_service.is_some());
        let bytes = acks as u64 * self.ack_bytes + frame;
        self.seen.max_packets = self.seen.max_packets.max(packets);
        self.seen.max_bytes = self.seen.max_bytes.max(bytes);
    }

    /// The run is over: note the frames that are still here.
    pub(crate) fn close(&mut self) {
        let frame = self.in_service.iter().map(|f| Stay {
            since: f.since,
            left: None,
            bytes: u64::from(f.packet.size),
        });
        let acks = self.acks.values().flatten().map(|ack| Stay {
            since: ack.since,
            left: None,
            bytes: self.ack_bytes,
        });
        self.stays.extend(frame.chain(acks));
    }
}

/// When a host's data packets become due.
#[derive(Debug)]
pub(crate) struct Pacer {
    /// Whether data waits for its time at all.
    paced: bool,
    load: Ratio,
    /// How slow the host's clock is, in parts in 10^12.
    drift: u64,
    /// Jitter is uniform below this; 0: none.
    jitter_range: u64,
    draws: Rng,
    /// Packets of active flows that the NIC has not started.
    pub(crate) unsent: u64,
    /// Start of the busy period, if there has been one.
    base: Option<Time>,
    /// Wire time of the data sent in this busy period.
    wire: Span,
    /// Jitter of the next packet, once drawn.
    jitter: Option<Span>,
}

impl Pacer {
    /// `load` is the fraction of line rate, not of rho_max.
    fn new(host: usize, seed: u64, scenario: &Scenario, load: Ratio) -> Self {
        let pct = scenario.workload.pacing_jitter_pct;
        let slot = u128::from(slot(scenario).0);
        let range = slot * u128::from(pct.num) * u128::from(load.den)
            / (100 * u128::from(pct.den) * u128::from(load.num));
        Self {
            paced: load.num != load.den || pct.num != 0,
            load,
            drift: drift(scenario, host, seed),
            jitter_range: u64::try_from(range).expect("a jitter in 64 bits"),
            draws: Rng::stream(seed, Domain::PacingJitter, host as u64),
            unsent: 0,
            base: None,
            wire: Span::ZERO,
            jitter: None,
        }
    }

    /// A flow of `packets` packets activates.
    pub(crate) fn activate(&mut self, now: Time, packets: u64) {
        if self.unsent == 0 {
            let next = self.base.map(|base| self.on_grid(base));
            self.base = Some(next.map_or(now, |next| next.max(now)));
            self.wire = Span::ZERO;
        }
        self.unsent += packets;
    }

    /// When the next packet is due without jitter, in the busy period from `base`.
    fn on_grid(&self, base: Time) -> Time {
        Fine::at(base)
            .after(self.load.stretch(self.wire), self.drift)
            .time()
    }

    /// When the next data packet is due. Called only while there are unsent packets.
    pub(crate) fn due(&mut self) -> Time {
        assert!(self.unsent > 0, "no packet to wait for");
        if !self.paced {
            return Time::ZERO;
        }
        let (range, draws) = (self.jitter_range, &mut self.draws);
        let jitter = *self.jitter.get_or_insert_with(|| match range {
            0 => Span::ZERO,
            _ => Span(draws.below_u64(range)),
        });
        self.on_grid(self.base.expect("a busy period")) + jitter
    }

    /// A data packet that takes `wire` (gap included) is sent.
    pub(crate) fn sent(&mut self, wire: Span) {
        self.unsent -= 1;
        self.wire += wire;
        self.jitter = None;
    }
}

/// All hosts, idle.
pub(crate) fn hosts(
    scenario: &Scenario,
    flows: &[Flow],
    (wiring, live): (&Wiring, Option<&Arc<Live>>),
    (seed, load): (u64, Ratio),
    policies: &Policies,
) -> Vec<Host> {
    let acks = scenario.packet.acks == Acks::PerPacket;
    let mut hosts = Vec::new();
    for host in 0..wiring.hosts {
        let sends_to = flows.iter().filter(|f| f.src == host).map(|f| f.dst);
        let answers = flows
            .iter()
            .filter(|f| acks && f.dst == host)
            .map(|f| f.src);
        let peers: BTreeSet<usize> = sends_to.chain(answers).collect();
        let sent = (0..flows.len()).filter(|flow| flows[*flow].src == host);
        let env = HostEnv {
            seed,
            host: host as u32,
            edge_uplinks: wiring.climbs[0],
            agg_uplinks: wiring.climbs[1],
            sent_flows: sent.map(|flow| flow as u32).collect(),
            peers: peers.iter().map(|peer| *peer as u32).collect(),
            bdp_packets: bdp_packets(scenario),
            base_rtt: base_rtt(scenario),
            trims: false,
            fixed_rto: None,
            live: live.map(|live| Arc::clone(live) as Arc<dyn LivePaths>),
        };
        let brain = (policies.host)(&env);
        let peers = peers.into_iter().collect();
        hosts.push(Host::new(host, seed, scenario, brain, peers, load));
    }
    hosts
}
