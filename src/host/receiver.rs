//! The receiving side of a flow: counts packets and measures reordering.
//!
//! With a transport, what is new, a duplicate or discarded is decided before (`reliable::received`). Reordering follows RFC 4737: the distance
//! of a packet is by how much the highest one before it exceeds it, 0 if it is in order; each packet counts once, when it is new.

use super::Peer;
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
    /// The sending host's node.
    pub address: u32,
    /// By how much packets came after later ones.
    pub reordering: Reordering,
    /// Data packets that had arrived before.
    pub duplicates: u64,
    /// Data packets that were not kept.
    pub discarded: u64,
    /// Headers of trimmed packets.
    pub headers: u64,
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

/// Distances, in packets, by which packets of a flow came after later ones.
#[derive(Clone, Debug, Default)]
pub struct Reordering {
    in_order: u64,
    /// How often each distance from 1 on occurred.
    late: Vec<u32>,
}

impl Reordering {
    #[inline]
    fn count(&mut self, distance: u32) {
        match distance.checked_sub(1) {
            None => self.in_order += 1,
            Some(index) => self.count_late(index as usize),
        }
    }

    fn count_late(&mut self, index: usize) {
        if index >= self.late.len() {
            self.late.resize(index + 1, 0);
        }
        self.late[index] += 1;
    }

    /// The distances from 1 on, with their counts.
    fn distances(&self) -> impl Iterator<Item = (u64, u64)> {
        (1..).zip(self.late.iter().map(|&count| u64::from(count)))
    }

    /// The largest distance.
    #[must_use]
    pub fn max(&self) -> u64 {
        self.late.len() as u64
    }

    /// The sum of all distances, and how many packets there were, those in order included.
    #[must_use]
    pub fn sum(&self) -> (u64, u64) {
        let late = self.distances();
        late.fold((0, self.in_order), |(sum, packets), (distance, count)| {
            (sum + distance * count, packets + count)
        })
    }

    /// The smallest distance that 99 % of the packets do not exceed.
    #[must_use]
    pub fn p99(&self) -> u64 {
        let (_, packets) = self.sum();
        let needed = packets - packets / 100;
        let mut within = self.in_order;
        if within >= needed {
            return 0;
        }
        for (distance, count) in self.distances() {
            within += count;
            if within >= needed {
                return distance;
            }
        }
        self.max()
    }
}

impl Receiver {
    /// Flow number `flow`, of `packets` packets with `header_bytes` of header, from `peer`.
    #[must_use]
    pub fn new(flow: u32, peer: Peer, packets: u64, header_bytes: u32) -> Self {
        Self {
            flow,
            peer: peer.host,
            local_peer: peer.local,
            layer: peer.layer,
            address: peer.host,
            reordering: Reordering::default(),
            duplicates: 0,
            discarded: 0,
            headers: 0,
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
        self.reordering.count(self.highest - packet.psn);
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
