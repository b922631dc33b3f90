//! A host: its NIC's round robin between flows and ACKs.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use spraysim::lb::host::{HostEnv, LivePaths, PathPolicy};
use spraysim::packet::{Kind, Packet};
use spraysim::rng::{Domain, Rng};
use spraysim::scenario::{AckTurns, Acks, Scenario};
use spraysim::settings::{QueueKind, RtoKind};
use spraysim::units::{Ratio, Span, Time};

use super::failures::Live;
use super::flows::{Flow, base_rtt, bdp_packets};
use super::imperfect::{Fine, drift};
use super::pacer::Pacer;
use super::policies::Policies;
use super::rto;
use super::seen::{LinkSeen, LossySeen, Stay};
use super::wiring::Wiring;

/// One member of the NIC's round robin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// A data flow.
    Data(usize),
    /// The pending ACKs of one incoming flow, or of all (`None`); SYNs are among them, or a flow of their own.
    Acks(Option<usize>),
}

impl Class {
    fn is_data(&self) -> bool {
        matches!(self, Self::Data(_))
    }
}

/// An ACK or NACK that waits for its turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingAck {
    pub(crate) kind: Kind,
    /// The first message of the connection.
    pub(crate) connection: usize,
    /// What its frame carries as a number.
    pub(crate) number: u32,
    pub(crate) marked: bool,
    /// The path of the data packet.
    pub(crate) path: u16,
    pub(crate) since: Time,
}

/// The frame on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InService {
    pub(crate) packet: Packet,
    /// Since when it counts as queued.
    pub(crate) since: Time,
    pub(crate) started: Time,
    /// It carries data that was sent before.
    pub(crate) again: bool,
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
    /// Pause frames to send, and since when.
    pub(crate) pauses: VecDeque<(Kind, Time)>,
    pause_bytes: u64,
    /// Since when the switch has it paused; ACKs go on if control frames have priority.
    pub(crate) paused: Option<Time>,
    control_priority: bool,
    /// ACKs for each data frame where both wait; and how many have gone since the last data frame where both waited.
    control_per_data: u32,
    control_run: u32,
    pub(crate) lossy: LossySeen,
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
            pauses: VecDeque::new(),
            pause_bytes: pause_bytes(scenario),
            paused: None,
            control_priority: scenario.fabric.queue.control_priority,
            control_per_data: scenario.nic.control_per_data,
            control_run: 0,
            lossy: LossySeen::default(),
            seen: LinkSeen::default(),
            stays: Vec::new(),
            ack_bytes: u64::from(scenario.packet.ack_bytes),
        }
    }

    /// A flow has something to send: it joins the round robin.
    pub(crate) fn join_flow(&mut self, flow: usize) {
        self.round.push_back(Class::Data(flow));
    }

    /// Whether a flow is a member of the round robin.
    pub(crate) fn lists(&self, flow: usize) -> bool {
        let mut members = self.round.iter().chain(&self.rejoins);
        members.any(|member| *member == Class::Data(flow))
    }

    /// An ACK becomes pending. Its class joins if it was empty.
    pub(crate) fn pend(&mut self, ack: PendingAck) {
        let turn = match self.ack_turns {
            AckTurns::Class => None,
            // Those of a flow's sender have turns of their own.
            AckTurns::Flow if ack.kind == Kind::Probe => Some(usize::MAX),
            AckTurns::Flow => Some(ack.connection),
        };
        let fifo = self.acks.entry(turn).or_default();
        fifo.push_back(ack);
        if fifo.len() == 1 {
            self.round.push_back(Class::Acks(turn));
        }
        self.note_queue();
    }

    /// A pause frame becomes pending.
    pub(crate) fn pend_pause(&mut self, kind: Kind, now: Time) {
        self.pauses.push_back((kind, now));
        self.note_queue();
    }

    /// Take the class whose turn it is out of the queue, if any may send. `able` tells which flows may. A flow whose turn comes and
    /// that may not leaves the queue.
    pub(crate) fn take_turn(
        &mut self,
        data_is_due: bool,
        able: &dyn Fn(usize) -> bool,
    ) -> Option<Class> {
        let data_goes = data_is_due && self.paused.is_none();
        let control_goes = self.paused.is_none() || self.control_priority;
        let goes = |class: &Class| match class {
            Class::Data(flow) => data_goes && able(*flow),
            Class::Acks(_) => control_goes,
        };
        let blocked = |class: &Class| {
            let is_able = |flow: &usize| able(*flow);
            data_goes && matches!(class, Class::Data(flow) if !is_able(flow))
        };
        let members = self.round.iter().chain(&self.rejoins);
        let ready: Vec<bool> = members.filter(|m| goes(m)).map(Class::is_data).collect();
        if ready.is_empty() {
            self.round.retain(|class| !blocked(class));
            self.rejoins = self.rejoins.filter(|class| !blocked(class));
            return None;
        }
        let both = ready.contains(&true) && ready.contains(&false);
        let of_one_kind = (both && self.control_per_data > 1).then(|| self.data_is_next());
        let wanted = |class: &Class| of_one_kind.is_none_or(|data| class.is_data() == data);
        self.round.extend(self.rejoins.take());
        let mut members = self.round.iter();
        let turn = members.position(|class| wanted(class) && goes(class));
        let turn = turn.expect("one is ready");
        let class = self.round.remove(turn);
        let rest = self.round.split_off(turn);
        self.round
            .retain(|class| !(wanted(class) && blocked(class)));
        self.round.extend(rest);
        class
    }

    /// Where both kinds wait: whether data goes now, after so many ACKs.
    fn data_is_next(&mut self) -> bool {
        let data = self.control_run >= self.control_per_data;
        self.control_run = if data { 0 } else { self.control_run + 1 };
        data
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
    pub(crate) fn serve(&mut self, frame: InService, tx: Span) -> Time {
        let started = frame.started;
        let exact = if started == self.free() {
            self.free
        } else {
            Fine::at(started)
        };
        self.left = exact.after(tx, self.drift);
        let before = self.in_service.replace(frame);
        assert!(before.is_none(), "one frame at a time");
        self.note_queue();
        self.left.time()
    }

    /// The frame in service has left at `now`.
    pub(crate) fn finish_frame(&mut self, now: Time, gap: Span) -> InService {
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
        frame
    }

    /// Note the maxima: the frame in service, the pending ACKs and pause frames.
    fn note_queue(&mut self) {
        let acks: usize = self.acks.values().map(VecDeque::len).sum();
        let frame = self.in_service.map_or(0, |f| u64::from(f.packet.size));
        let (acks, pauses) = (acks as u64, self.pauses.len() as u64);
        let packets = acks + pauses + u64::from(self.in_service.is_some());
        let bytes = acks * self.ack_bytes + pauses * self.pause_bytes + frame;
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
        let pauses = self.pauses.iter().map(|(_, since)| Stay {
            since: *since,
            left: None,
            bytes: self.pause_bytes,
        });
        self.stays.extend(frame.chain(acks).chain(pauses));
    }
}

/// Bytes of a pause frame, if there are any.
fn pause_bytes(scenario: &Scenario) -> u64 {
    match scenario.fabric.queue.kind {
        QueueKind::Lossless(lossless) => lossless.pause_frame_bytes.into(),
        QueueKind::Fifo | QueueKind::Trimming(_) => 0,
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
            trims: match scenario.fabric.queue.kind {
                QueueKind::Trimming(trimming) => trimming.trim_bytes.is_some(),
                QueueKind::Fifo | QueueKind::Lossless(_) => false,
            },
            fixed_rto: scenario.transport.and_then(|t| match t.rto.kind {
                RtoKind::Fixed(given) => Some(rto::fixed(scenario, given)),
                RtoKind::Estimated { .. } => None,
            }),
            live: live.map(|live| Arc::clone(live) as Arc<dyn LivePaths>),
        };
        let brain = (policies.host)(&env);
        let peers = peers.into_iter().collect();
        hosts.push(Host::new(host, seed, scenario, brain, peers, load));
    }
    hosts
}
