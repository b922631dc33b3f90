//! The receiving side of a flow: counts packets and measures reordering.
//!
//! Not modelled: a bounded reorder buffer, duplicates (nothing is sent twice so far).

use crate::lb::host::Layer;
use crate::packet::Packet;
use crate::units::Time;

/// A flow at its destination.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The flow's number in order of senders.
    pub flow: u32,
    /// The sending host, to which ACKs go.
    pub peer: u32,
    /// Its number among the host's peers.
    pub local_peer: usize,
    /// How far it is.
    pub layer: Layer,
    /// Largest distance by which a packet came after a later one, in packets.
    pub max_reordering: u32,
    /// Last arrival, of all packets.
    pub finished: Option<Time>,
    /// Packets received.
    pub received: u64,
    /// Payload bytes received.
    pub bytes: u64,
    /// Of the first message of a connection: its messages, which follow one another. 1 otherwise.
    pub(super) messages: u32,
    /// Number of its first packet on the connection.
    pub(super) first_psn: u32,
    /// Of a later message: the place of the first.
    first: u32,
    packets: u64,
    header_bytes: u32,
    highest: u32,
    /// Uplinks taken by each data packet, in order of arrival, if asked for.
    paths: Option<Vec<[u8; 2]>>,
}

impl Receiver {
    /// Flow number `flow`, of `packets` packets with `header_bytes` of header, from host `peer` (its number among the host's peers).
    #[must_use]
    pub fn new(
        flow: u32,
        (peer, local_peer): (u32, usize),
        layer: Layer,
        packets: u64,
        header_bytes: u32,
    ) -> Self {
        Self {
            flow,
            peer,
            local_peer,
            layer,
            max_reordering: 0,
            finished: None,
            received: 0,
            bytes: 0,
            messages: 1,
            first_psn: 0,
            first: 0,
            packets,
            header_bytes,
            highest: 0,
            paths: None,
        }
    }

    /// Make `self` the next message of the connection whose messages so far end `receivers`.
    pub fn follow(&mut self, receivers: &mut [Self]) {
        let Some(before) = receivers.last() else {
            return;
        };
        self.first_psn = before.first_psn + before.packets as u32;
        self.first = match before.first_psn {
            0 => receivers.len() as u32 - 1,
            _ => before.first,
        };
        receivers[self.first as usize].messages += 1;
    }

    /// Record the uplinks that each data packet took.
    pub fn record_paths(&mut self) {
        self.paths = Some(Vec::new());
    }

    /// The uplinks recorded, by arrival.
    #[must_use]
    pub fn paths(&self) -> Option<&[[u8; 2]]> {
        self.paths.as_deref()
    }

    /// A data packet arrived. Whether it was the last.
    pub fn receive(&mut self, packet: &Packet) -> bool {
        self.received += 1;
        self.bytes += u64::from(packet.size - self.header_bytes);
        self.highest = self.highest.max(packet.psn);
        self.max_reordering = self.max_reordering.max(self.highest - packet.psn);
        if let Some(paths) = &mut self.paths {
            paths.push(packet.via);
        }
        let done = self.received == self.packets;
        if done {
            self.finished = Some(packet.time);
        }
        done
    }
}
