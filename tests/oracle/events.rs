//! What happens, and in which order: one ordered map.
//!
//! At one instant: departures, delayed enqueues in the order of their decisions, arrivals by ingress or at random, notices of triggers,
//! flows that activate, stuck hosts, timers of connections, NIC decisions, service at ports. Nodes do not see each other within an
//! instant, so their order among themselves does not matter.

use std::collections::BTreeMap;

use spraysim::engine::Ties;
use spraysim::packet::Packet;
use spraysim::units::Time;

/// One action.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// The last bit of the frame in service has left the port of a switch.
    FrameLeftSwitch { node: usize, port: usize },
    /// The last bit of the frame in service has left a NIC.
    FrameLeftNic { host: usize },
    /// A packet has spent the switch's latency and reaches its port.
    Enqueue {
        node: usize,
        port: usize,
        packet: Packet,
    },
    /// The last bit of a packet reaches a node.
    Arrive { node: usize, packet: Packet },
    /// The targets of a trigger learn of one activation.
    Notice { trigger: usize },
    /// A flow starts to have packets to send.
    Activate { flow: usize },
    /// A host begins or ends to be stuck.
    Stuck { host: usize, begins: bool },
    /// A connection, the `local`-th of those that the host sends, looks whether it has waited too long.
    Timeout {
        host: usize,
        local: usize,
        connection: usize,
    },
    /// A NIC looks for something to send.
    NicDecide { host: usize },
    /// A port of a switch looks for something to serve.
    Serve { node: usize, port: usize },
}

/// Time, phase, node, order within.
pub(crate) type Key = (Time, u8, usize, u64);

/// All that is due.
#[derive(Debug)]
pub(crate) struct Agenda {
    due: BTreeMap<Key, Event>,
    /// Sets apart what has no order of its own.
    decisions: u64,
    /// By node, the order of arrivals at one instant, if that is random.
    ties: Vec<Ties>,
}

impl Agenda {
    /// Nothing is due.
    pub(crate) fn new(ties: Vec<Ties>) -> Self {
        Self {
            due: BTreeMap::new(),
            decisions: 0,
            ties,
        }
    }

    /// Note that `event` happens at `time`.
    pub(crate) fn add(&mut self, time: Time, event: Event) {
        let key = match event {
            Event::FrameLeftSwitch { node, port } => (time, 0, node, port as u64),
            Event::FrameLeftNic { host } => (time, 0, host, 0),
            Event::Enqueue { node, .. } => {
                self.decisions += 1;
                (time, 1, node, self.decisions)
            }
            Event::Arrive { node, packet } => {
                let place = |ties: &Ties| ties.rank(time, packet.ingress);
                let place = self.ties.get(node).map_or(packet.ingress, place);
                (time, 2, node, u64::from(place))
            }
            Event::Notice { .. } => {
                self.decisions += 1;
                (time, 3, 0, self.decisions)
            }
            Event::Activate { flow } => (time, 4, 0, flow as u64),
            Event::Stuck { host, begins } => (time, 5, host, u64::from(begins)),
            Event::Timeout { host, local, .. } => (time, 6, host, local as u64),
            Event::NicDecide { host } => (time, 7, host, 0),
            Event::Serve { node, port } => (time, 8, node, port as u64),
        };
        let before = self.due.insert(key, event);
        let repeatable = matches!(
            event,
            Event::NicDecide { .. } | Event::Timeout { .. } | Event::Serve { .. }
        );
        assert!(before.is_none() || repeatable, "{before:?} and {event:?}");
    }

    /// Take the first event, unless it is later than `horizon`.
    pub(crate) fn next(&mut self, horizon: Time) -> Option<(Key, Event)> {
        let first = self.due.first_entry()?;
        (first.key().0 <= horizon).then(|| first.remove_entry())
    }

    /// What is left to do.
    pub(crate) fn rest(&self) -> impl Iterator<Item = &Event> {
        self.due.values()
    }
}
