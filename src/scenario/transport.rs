//! `transport`: how hosts recover what the fabric loses, and whether they can with the ACKs, controllers, schemes and workloads that they have.

use crate::cc::Controller;
use crate::fields::{
    Either, Fields, Key, KeyDoc, Scale, Section, choice, choice_of, either, flag, integer, keys,
    means, microseconds, nullable, object, params, words,
};
use crate::lb::host::HostScheme;
use crate::settings::limits::{MAX_REORDERED, MAX_TIMEOUT};
use crate::settings::{
    Acks, Demand, DupThreshold, Erasure, QueueKind, Rto, RtoKind, RtoScope, Sleek, Transport,
    TransportKind,
};
use crate::units::Span;

use super::judge::Judge;
use super::sizes::LONGEST;

words! {
    /// The kinds of transports.
    pub enum Recovery {
        /// What is lost stays lost.
        None = "none",
        /// The sender repeats what is missing.
        SelectiveRepeat = "selective_repeat",
        /// The sender goes back to what is missing first.
        GoBackN = "go_back_n",
        /// The sender repeats one hole a round trip by cumulative ACKs, as TCP.
        NewReno = "newreno",
        /// Any packets complete a flow if they are enough.
        Erasure = "erasure",
    }
}

keys! {
    /// The transport as far as its own object tells. Without a reordering buffer nothing is out of order, and no particular packet of a code
    /// is ever missing: keys that would say something of them belong to other kinds.
    #[derive(Clone, Debug)]
    pub(super) struct TransportKeys {
        /// How hosts recover lost packets: not at all; the sender repeats what is missing; it goes back to what is missing first; it repeats
        /// one hole a round trip by cumulative ACKs, as TCP; or any packets complete a flow if they are enough
        kind: Recovery = kind("kind", choice(), default = Recovery::None),
        /// A connection begins with a SYN, a frame of packet.ack_bytes, and sends nothing else before its answer (htsim's TCP: true)
        handshake: bool = key("handshake", flag(), default = false, of = ["selective_repeat", "go_back_n", "newreno", "erasure"]),
        /// Frame bytes that a receiver takes in before it owes an ACK; 0: an ACK a packet, as under newreno (uet-htsim: 16384)
        ack_bytes_threshold: u32 =
            key("ack_bytes_threshold", integer(0..=1 << 30), default = 0, of = ["selective_repeat", "go_back_n", "erasure"]),
        /// What an ACK takes out of flight: the packets that it names, or the bytes by which the receiver's count has grown, which fewer ACKs
        /// than packets name one by one (uet-htsim)
        counts_received_bytes: bool = key("in_flight", choice_of(&[("packets", false), ("received_bytes", true)]), default = false,
            of = ["selective_repeat", "go_back_n"]),
        /// Packets from the lowest missing one on that a receiver keeps; what is beyond them is discarded
        reorder_packets: u32 = key("reorder_packets", integer(1..=MAX_REORDERED), default = 16_384, of = ["selective_repeat"]),
        /// A packet sent once is lost when one so many places above it is acknowledged; null: never for that reason. newreno: so many
        /// duplicate ACKs begin a recovery; null: 3
        dup_threshold: Option<DupThreshold> = key("dup_threshold", nullable(means(either(integer(1..=MAX_REORDERED), object()))),
            default = None, of = ["selective_repeat", "newreno"]),
        /// Retransmission timeout
        rto: RtoKeys = section_by("rto", of = ["selective_repeat", "go_back_n", "newreno"], |fields| RtoKeys::of(fields, kind)),
        /// Recovery by out-of-order counts and probes, SLEEK (uet-htsim); null: off
        sleek: Option<Sleek> = key("sleek", nullable(object()), default = None, of = ["selective_repeat"]),
        /// Packets that a flow needs beyond those of its message
        extra_packets: u32 = key("extra_packets", integer(0..=1_000_000), default = 0, of = ["erasure"]),
        /// A sender that has sent enough goes on after a smoothed RTT without the last ACK
        resume: bool = key("resume", flag(), default = true, of = ["erasure"]),
        /// A connection gives up after so many timeouts in a row without anything new acknowledged, or when a packet is lost that was sent ten
        /// times as often (or 65535 times)
        give_up_after: u32 = key("give_up_after", integer(1..=1_000_000), default = 100,
            of = ["selective_repeat", "go_back_n", "newreno", "erasure"]),
    }
}

params! {
    /// `dup_threshold` as an object.
    #[derive(Clone, Copy, Debug)]
    struct PathsPlus {
        /// The same: so many places and one for each path between the two hosts
        more: u32 = key("paths_plus", integer(0..=MAX_REORDERED), default = 3),
    }
}

impl From<Either<u32, PathsPlus>> for DupThreshold {
    fn from(read: Either<u32, PathsPlus>) -> Self {
        match read {
            Either::A(packets) => Self::Packets(packets),
            Either::B(PathsPlus { more }) => Self::PathsPlus(more),
        }
    }
}

impl From<DupThreshold> for Either<u32, PathsPlus> {
    fn from(threshold: DupThreshold) -> Self {
        match threshold {
            DupThreshold::Packets(packets) => Self::A(packets),
            DupThreshold::PathsPlus(more) => Self::B(PathsPlus { more }),
        }
    }
}

words! {
    /// The kinds of timeouts.
    enum Timeout {
        /// Always the same.
        Fixed = "fixed",
        /// It follows the RTT (RFC 6298).
        Estimated = "estimated",
    }
}

params! {
    /// How long the timeout is.
    #[derive(Clone, Debug)]
    struct Times {
        /// The retransmission timeout is always the same, or follows the RTT (RFC 6298)
        kind: Timeout = kind("kind", choice(), default = Timeout::Fixed),
        /// The timeout; null: 15 us and six times what the largest buffer takes to drain, 100 us where buffers are unlimited (uet-htsim), and
        /// 10 ms where ports are lossless, as what pauses hold is not lost
        fixed: Option<Span> = key("us", nullable(microseconds(1..=MAX_TIMEOUT)), default = None, of = ["fixed"]),
        /// The timeout before the first sample, which may be below min_us (htsim's DCTCP: 10000)
        initial: Span = key("initial_us", microseconds(1..=MAX_TIMEOUT), default = Span(100_000_000), of = ["estimated"],
            limits = "at most max_us"),
        /// The shortest timeout after that (htsim: 250000)
        min: Span = key("min_us", microseconds(1..=MAX_TIMEOUT), default = Span(5_000_000), of = ["estimated"], limits = "at most max_us"),
        /// Factor by which each timeout in a row lengthens the next, until something new is acknowledged
        backoff: u32 = key("backoff", integer(1..=2), default = 1),
        /// The longest timeout, estimated or lengthened
        max: Span = key("max_us", microseconds(1..=MAX_TIMEOUT), default = Span(10_000_000_000)),
    }
    check Times::in_order;
}

impl Times {
    const fn rto_kind(&self) -> RtoKind {
        match self.kind {
            Timeout::Fixed => RtoKind::Fixed(self.fixed),
            Timeout::Estimated => RtoKind::Estimated {
                initial: self.initial,
                min: self.min,
            },
        }
    }

    /// No timeout may be longer than the longest. An estimate may start below the shortest: that one is about samples (htsim's DCTCP waits
    /// 10 ms at first, and 250 ms at least).
    fn in_order(&self, fields: &mut Fields<'_>) {
        let us = |span: Span| Scale::US.decimal(span.0);
        let most = us(self.max);
        let above = |told| {
            format!(
                "{} us is above max_us, which is {most}; allowed: at most that",
                us(told)
            )
        };
        match self.rto_kind() {
            RtoKind::Fixed(Some(fixed)) if self.backoff > 1 && fixed > self.max => {
                let text = format!(
                    "{most} us is below us, which is {}; allowed: at least that",
                    us(fixed)
                );
                fields.problem("max_us", text);
            }
            RtoKind::Estimated { min, .. } if min > self.max => {
                fields.problem("min_us", above(min))
            }
            RtoKind::Estimated { initial, .. } if initial > self.max => {
                fields.problem("initial_us", above(initial))
            }
            _ => {}
        }
    }
}

/// The timeout of a transport.
#[derive(Clone, Debug)]
struct RtoKeys {
    times: Times,
    scope: RtoScope,
}

impl RtoKeys {
    /// That of a kind of transport: a sender that goes back has no choice of `scope`.
    fn of(fields: &mut Fields<'_>, kind: Recovery) -> Self {
        let times = Times::read(fields, None);
        let foreign = match kind {
            Recovery::GoBackN => "a go_back_n sender always takes all in flight for lost",
            Recovery::NewReno => "a newreno sender always goes back to the first packet in flight",
            _ => {
                let scope = fields.take(Key::new("scope", choice(), Some(RtoScope::Oldest)));
                return Self { times, scope };
            }
        };
        fields.foreign(
            "scope",
            &format!("belongs to kind \"selective_repeat\"; {foreign}"),
        );
        let scope = RtoScope::All;
        Self { times, scope }
    }
}

impl Section for RtoKeys {
    fn read(fields: &mut Fields<'_>, _usual: Option<&Self>) -> Self {
        Self::of(fields, Recovery::SelectiveRepeat)
    }

    fn keys(_usual: Option<&Self>) -> Vec<KeyDoc> {
        let about = "selective_repeat: what an expiry declares lost: what was sent a timeout ago, or all that is in flight (as go_back_n and newreno always do)";
        let mut keys = Times::keys(None);
        keys.push(KeyDoc::new(
            "scope",
            about,
            &choice(),
            Some(RtoScope::Oldest),
        ));
        keys
    }
}

impl TransportKeys {
    /// The transport; `None`: what is lost stays lost.
    pub(super) fn transport(&self) -> Option<Transport> {
        let kind = match self.kind {
            Recovery::None => return None,
            Recovery::SelectiveRepeat => TransportKind::SelectiveRepeat,
            Recovery::GoBackN => TransportKind::GoBackN,
            Recovery::NewReno => TransportKind::NewReno,
            Recovery::Erasure => TransportKind::Erasure(Erasure {
                extra_packets: self.extra_packets,
                resume: self.resume,
            }),
        };
        let is_selective = self.kind == Recovery::SelectiveRepeat;
        let times = &self.rto.times;
        Some(Transport {
            kind,
            handshake: self.handshake,
            ack_bytes_threshold: self.ack_bytes_threshold,
            counts_received_bytes: self.counts_received_bytes,
            // The other kinds keep nothing out of order, or all of it.
            reorder_packets: if is_selective {
                self.reorder_packets
            } else {
                1 << 30
            },
            dup_threshold: self.dup_threshold,
            rto: Rto {
                kind: times.rto_kind(),
                backoff: times.backoff,
                max: times.max,
                scope: self.rto.scope,
            },
            sleek: self.sleek,
            give_up_after: self.give_up_after,
        })
    }
}

const KIND: &str = "transport.kind";
const CONTROLLER: &str = "congestion_control.scheme";

impl Judge<'_> {
    /// Transport, controller and ACKs need one another.
    pub(super) fn transport(&mut self) {
        let keys = self.keys;
        let controller = &keys.congestion_control.controller;
        let is_controlled = *controller != Controller::default();
        let Some(transport) = keys.transport.transport() else {
            if is_controlled && self.sound(&[KIND, CONTROLLER]) {
                let text = format!(
                    "\"{}\" counts what is in flight, which takes a transport.kind other than \"none\"; allowed: that, or \"none\"",
                    controller.name()
                );
                self.problem(CONTROLLER, text);
            }
            return;
        };
        if keys.packet.acks == Acks::None && self.sound(&[KIND, "packet.acks"]) {
            let text = "a transport lives on ACKs, and packet.acks is \"none\"; allowed: \"none\", or \"per_packet\"";
            self.problem(KIND, text);
        }
        let is_split = matches!(keys.load_balancing.scheme.host, HostScheme::Ethereal(_));
        let is_erasure = matches!(transport.kind, TransportKind::Erasure(_));
        if is_split && is_erasure && self.sound(&[KIND, "load_balancing.scheme"]) {
            let text = format!(
                "\"erasure\" completes a flow by any of its packets, and scheme \"{}\" splits it into subflows of which each must be complete; allowed: another scheme, or another kind",
                keys.load_balancing.scheme.name
            );
            self.problem(KIND, text);
        }
        if !is_erasure {
            self.timeout(&transport.rto);
        }
        if transport.kind == TransportKind::NewReno {
            self.headers();
        }
        if controller.is_stock_tcp() {
            self.stock(&transport);
        }
    }

    /// A controller that stands for htsim's TCP has it.
    fn stock(&mut self, transport: &Transport) {
        let is_tcp = transport.kind == TransportKind::NewReno
            && transport.handshake
            && matches!(transport.rto.kind, RtoKind::Estimated { .. });
        let keys = [CONTROLLER, KIND, "transport.handshake", "transport.rto"];
        if !is_tcp && self.sound(&keys) {
            let text = format!(
                "\"{}\" stands for htsim's TCP, which takes transport.kind \"newreno\", transport.handshake true and transport.rto.kind \"estimated\" (configs/dctcp_stock.json has them and its times); allowed: that, or \"dctcp\" with any transport",
                self.keys.congestion_control.controller.name()
            );
            self.problem(CONTROLLER, text);
        }
    }

    /// TCP knows no NACKs, and nothing of headers without a payload.
    fn headers(&mut self) {
        const QUEUE: &str = "fabric.queue.kind";
        let kind = self.fabric.map(|fabric| fabric.queue.kind);
        let trims = matches!(kind, Some(QueueKind::Trimming(of)) if of.trim_bytes.is_some());
        if trims && self.sound(&[KIND, QUEUE, "fabric.queue.trim_bytes"]) {
            let text = "\"newreno\" has no answer to headers, and ports trim (fabric.queue.kind \"trimming\"); allowed: another kind, or ports that do not trim";
            self.problem(KIND, text);
        }
    }

    /// A timeout that follows from buffers must be one.
    fn timeout(&mut self, rto: &Rto) {
        let keys = [
            "transport.rto",
            "fabric.kind",
            "fabric.queue",
            "fabric.buffer_bytes",
            "fabric.buffer_packets",
            "fabric.buffer_bdp",
            "fabric.link_gbps",
            "packet.payload_bytes",
            "packet.header_bytes",
        ];
        let Some(fabric) = self.fabric.filter(|_| self.sound(&keys)) else {
            return;
        };
        let first = rto.first(fabric);
        let us = |span: Span| Scale::US.decimal(span.0);
        let told = us(first);
        if first.0 > MAX_TIMEOUT {
            let most = us(Span(MAX_TIMEOUT));
            let text = format!(
                "null follows from the buffers and is {told} us; allowed: at most {most} us, or smaller buffers"
            );
            self.problem("transport.rto.us", text);
        } else if rto.backoff > 1 && first > rto.max {
            let text = format!(
                "{} us is below us, which follows from the buffers and is {told} us; allowed: at least that",
                us(rto.max)
            );
            self.problem("transport.rto.max_us", text);
        }
    }

    /// The transport must be able to carry the flows, in a time that can be counted.
    pub(super) fn carried(&mut self, demand: &Demand) {
        let Some(transport) = self.keys.transport.transport() else {
            return;
        };
        let sound = [
            KIND,
            "transport.give_up_after",
            "packet.payload_bytes",
            demand.path,
        ];
        if !self.sound(&sound) {
            return;
        }
        match transport.kind {
            TransportKind::Erasure(erasure) => self.coded(demand, erasure.extra_packets),
            _ => self.patience(demand, &transport),
        }
    }

    /// What completes a flow must be countable, and a connection carry one flow.
    fn coded(&mut self, demand: &Demand, extra: u32) {
        let packets = self.longest_connection(demand) + u128::from(extra);
        if packets > u128::from(u32::MAX) && self.sound(&["transport.extra_packets"]) {
            let text = format!(
                "with {extra} more, a flow has {packets} packets; allowed: at most {} packets a flow",
                u32::MAX
            );
            self.problem("transport.extra_packets", text);
        }
        if !demand.shared.is_empty() {
            let text = "\"erasure\" completes a flow by any of its packets, and connections of the workload carry several messages; allowed: another kind, or a workload without re-used connections";
            self.problem(KIND, text);
        }
    }

    /// Timeouts, as many as may be, must end within a time that can be counted.
    fn patience(&mut self, demand: &Demand, transport: &Transport) {
        let Some(fabric) = self.fabric else {
            return;
        };
        if self.keys.horizon.is_some() || !self.sound(&["transport.rto", "horizon_us"]) {
            return;
        }
        let rto = transport.rto.first(fabric);
        let longest = match (transport.rto.backoff, transport.rto.kind) {
            (1, RtoKind::Fixed(_)) => rto,
            _ => transport.rto.max.max(rto),
        };
        let each = u128::from(transport.give_up_after) * u128::from(longest.0);
        let packets = self.longest_connection(demand);
        if longest.0 <= MAX_TIMEOUT && packets * each > LONGEST {
            let text = format!(
                "{} timeouts of up to {} us for each of {packets} packets could take longer than 53 days (2^62 ps); allowed: fewer, shorter timeouts, or a horizon_us",
                transport.give_up_after,
                Scale::US.decimal(longest.0)
            );
            self.problem("transport.give_up_after", text);
        }
    }

    /// The most packets of a connection; of all together, where flows wait for one another.
    fn longest_connection(&self, demand: &Demand) -> u128 {
        let payload = u64::from(self.keys.packet.payload_bytes);
        let mouse = self
            .sound_mice()
            .map_or(0, |mice| u128::from(mice.message_bytes.div_ceil(payload)));
        demand.longest_connection.max(mouse)
    }
}
