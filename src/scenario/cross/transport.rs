//! Whether hosts can recover what is lost with the ACKs, controllers, schemes and workloads that they have.

use crate::cc::Controller;
use crate::fields::Scale;
use crate::lb::host::HostScheme;
use crate::scenario::transport::MAX_TIMEOUT;
use crate::scenario::{Acks, WorkloadKind};
use crate::settings::{QueueKind, Rto, RtoKind, Transport, TransportKind};
use crate::units::Span;

use super::sizes::LONGEST;
use super::{Flows, Judge};

const KIND: &str = "transport.kind";
const CONTROLLER: &str = "congestion_control.scheme";

impl Judge<'_> {
    /// Transport, controller and ACKs need one another.
    pub(super) fn transport(&mut self) {
        let draft = self.draft;
        let controller = &draft.congestion_control.controller;
        let is_controlled = *controller != Controller::default();
        let Some(transport) = &draft.transport.transport else {
            if is_controlled && self.sound(&[KIND, CONTROLLER]) {
                let text = format!(
                    "\"{}\" counts what is in flight, which takes a transport.kind other than \"none\"; allowed: that, or \"none\"",
                    controller.name()
                );
                self.problem(draft.origins.controller, CONTROLLER, text);
            }
            return;
        };
        if draft.packet.acks == Acks::None && self.sound(&[KIND, "packet.acks"]) {
            let text = "a transport lives on ACKs, and packet.acks is \"none\"; allowed: \"none\", or \"per_packet\"";
            self.problem(draft.transport.kind_origin, KIND, text.to_owned());
        }
        let is_split = matches!(draft.load_balancing.host, HostScheme::Ethereal(_));
        let is_erasure = matches!(transport.kind, TransportKind::Erasure(_));
        if is_split && is_erasure && self.sound(&[KIND, "load_balancing.scheme"]) {
            let text = format!(
                "\"erasure\" completes a flow by any of its packets, and scheme \"{}\" splits it into subflows of which each must be complete; allowed: another scheme, or another kind",
                draft.load_balancing.name
            );
            self.problem(draft.transport.kind_origin, KIND, text);
        }
        if !is_erasure {
            self.timeout(&transport.rto);
        }
        if transport.kind == TransportKind::NewReno {
            self.headers();
        }
        if controller.is_stock_tcp() {
            self.stock(transport);
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
                self.draft.congestion_control.controller.name()
            );
            self.problem(self.draft.origins.controller, CONTROLLER, text);
        }
    }

    /// TCP knows no NACKs, and nothing of headers without a payload.
    fn headers(&mut self) {
        const QUEUE: &str = "fabric.queue.kind";
        let kind = self.fabric.map(|fabric| fabric.queue.kind);
        let trims = matches!(kind, Some(QueueKind::Trimming(of)) if of.trim_bytes.is_some());
        if trims && self.sound(&[KIND, QUEUE, "fabric.queue.trim_bytes"]) {
            let text = "\"newreno\" has no answer to headers, and ports trim (fabric.queue.kind \"trimming\"); allowed: another kind, or ports that do not trim";
            self.problem(self.draft.transport.kind_origin, KIND, text.to_owned());
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
        let (origin, told) = (self.draft.transport.rto_origin, us(first));
        if first.0 > MAX_TIMEOUT {
            let most = us(Span(MAX_TIMEOUT));
            let text = format!(
                "null follows from the buffers and is {told} us; allowed: at most {most} us, or smaller buffers"
            );
            self.problem(origin, "transport.rto.us", text);
        } else if rto.backoff > 1 && first > rto.max {
            let text = format!(
                "{} us is below us, which follows from the buffers and is {told} us; allowed: at least that",
                us(rto.max)
            );
            self.problem(origin, "transport.rto.max_us", text);
        }
    }

    /// The transport must be able to carry the flows, in a time that can be counted.
    pub(super) fn carried(&mut self, flows: &Flows) {
        let Some(transport) = self.draft.transport.transport else {
            return;
        };
        let sound = [
            KIND,
            "transport.give_up_after",
            "packet.payload_bytes",
            flows.path,
        ];
        if !self.sound(&sound) {
            return;
        }
        match transport.kind {
            TransportKind::Erasure(erasure) => self.coded(flows, erasure.extra_packets),
            _ => self.patience(flows, &transport),
        }
    }

    /// What completes a flow must be countable, and a connection carry one flow.
    fn coded(&mut self, flows: &Flows, extra: u32) {
        let draft = self.draft;
        let packets = self.longest_connection(flows) + u128::from(extra);
        if packets > u128::from(u32::MAX) && self.sound(&["transport.extra_packets"]) {
            let text = format!(
                "with {extra} more, a flow has {packets} packets; allowed: at most {} packets a flow",
                u32::MAX
            );
            self.problem(
                draft.transport.extra_origin,
                "transport.extra_packets",
                text,
            );
        }
        let WorkloadKind::Flows { dependencies, .. } = &flows.kind else {
            return;
        };
        let mut connections = dependencies.connections.iter();
        if connections.any(|connection| connection.messages.len() > 1) {
            let text = "\"erasure\" completes a flow by any of its packets, and connections of the workload carry several messages; allowed: another kind, or a workload without re-used connections";
            self.problem(draft.transport.kind_origin, KIND, text.to_owned());
        }
    }

    /// Timeouts, as many as may be, must end within a time that can be counted.
    fn patience(&mut self, flows: &Flows, transport: &Transport) {
        let Some(fabric) = self.fabric else {
            return;
        };
        if self.draft.horizon.is_some() || !self.sound(&["transport.rto", "horizon_us"]) {
            return;
        }
        let rto = transport.rto.first(fabric);
        let longest = match (transport.rto.backoff, transport.rto.kind) {
            (1, RtoKind::Fixed(_)) => rto,
            _ => transport.rto.max.max(rto),
        };
        let each = u128::from(transport.give_up_after) * u128::from(longest.0);
        let packets = self.longest_connection(flows);
        if longest.0 <= MAX_TIMEOUT && packets * each > LONGEST {
            let text = format!(
                "{} timeouts of up to {} us for each of {packets} packets could take longer than 53 days (2^62 ps); allowed: fewer, shorter timeouts, or a horizon_us",
                transport.give_up_after,
                Scale::US.decimal(longest.0)
            );
            let origin = self.draft.transport.give_up_origin;
            self.problem(origin, "transport.give_up_after", text);
        }
    }

    /// The most packets of a connection; of all together, where flows wait for one another.
    fn longest_connection(&self, flows: &Flows) -> u128 {
        let payload = u64::from(self.draft.packet.payload_bytes);
        let packets = |bytes: u64| u128::from(bytes.div_ceil(payload));
        let mice = self.sound_mice();
        let mouse = mice.map_or(0, |mice| packets(mice.message_bytes));
        let longest = match &flows.kind {
            WorkloadKind::Permutation { message_bytes, .. } => packets(*message_bytes),
            WorkloadKind::Flows {
                flows,
                dependencies,
                ..
            } => {
                let each = flows.iter().map(|flow| packets(flow.bytes));
                if dependencies.is_empty() {
                    each.max().unwrap_or(0)
                } else {
                    each.sum()
                }
            }
        };
        longest.max(mouse)
    }
}
