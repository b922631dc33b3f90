//! The sending side of a flow: cuts the message into packets and counts what is acknowledged.
//!
//! Under Ethereal a flow is split into subflows of equal bytes, one a path, which the NIC's queue pairs rotate through in a random
//! order (paper section 3.4, appendix E). Not modelled: retransmission.

use super::Peer;
use crate::lb::host::{Layer, TxInfo};
use crate::settings::PacketFormat;
use crate::units::{Span, Time};

/// The subflows of a flow, in their rotation.
#[derive(Clone, Debug)]
struct Subflows {
    /// (number, bytes left), none of them empty.
    rotation: Vec<(u32, u64)>,
    next: usize,
}

/// The next packet of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextPacket {
    /// Its index in the flow, or in the connection.
    pub psn: u32,
    /// Frame bytes.
    pub size: u32,
    /// Its subflow.
    pub subflow: u32,
}

/// A flow at its source.
#[derive(Clone, Debug)]
pub struct Sender {
    /// The receiving host.
    pub peer: u32,
    /// Its number among the host's peers.
    pub local_peer: usize,
    /// How far it is.
    pub layer: Layer,
    /// First bit sent.
    pub started: Option<Time>,
    /// Last ACK received, of all packets.
    pub finished: Option<Time>,
    /// When it may start; [`Time::NEVER`] while that is not known.
    pub release: Time,
    /// With a transport: RTT of a full data frame and its ACK on the idle fabric.
    pub path_rtt: Span,
    /// With a transport: links from here to the peer.
    pub path_hops: u32,
    /// With a transport: live paths to the peer at the start.
    pub paths: u32,
    /// Packets sent again.
    pub resent: u64,
    /// Packets sent beyond those of the message (erasure-style completion).
    pub extra: u64,
    /// Payload known to have arrived, with a transport.
    pub acked_bytes: u64,
    /// Timers that expired for it.
    pub timeouts: u64,
    /// NACKs received.
    pub nacks: u64,
    /// ACKs received.
    pub acks: u64,
    /// Of these, those that echo a mark.
    pub marked_acks: u64,
    /// The first message of its connection, by local number: itself, if it shares none.
    pub(super) connection: u32,
    /// Of the first message of a connection: its messages, which follow one another. 1 otherwise.
    pub(super) messages: u32,
    /// Number of its first packet on the connection.
    pub(super) first_psn: u32,
    /// Whether another message comes behind it.
    pub(super) followed: bool,
    /// Whether packets of the message before it are left to send; and whether it has been released since.
    pub(super) queued: bool,
    pub(super) ready: bool,
    bytes_left: u64,
    packets: u64,
    sent: u64,
    acknowledged: u64,
    subflows: Option<Box<Subflows>>,
}

impl Sender {
    /// Flow number `local_flow` of the host, of `bytes` to `peer`, as one sequence of packets.
    #[must_use]
    pub fn new(local_flow: u32, peer: Peer, bytes: u64, frames: &PacketFormat) -> Self {
        Self {
            peer: peer.host,
            local_peer: peer.local,
            layer: peer.layer,
            started: None,
            finished: None,
            release: Time::NEVER,
            path_rtt: Span::ZERO,
            path_hops: 0,
            paths: 1,
            resent: 0,
            extra: 0,
            acked_bytes: 0,
            timeouts: 0,
            nacks: 0,
            acks: 0,
            marked_acks: 0,
            connection: local_flow,
            messages: 1,
            first_psn: 0,
            followed: false,
            queued: false,
            ready: false,
            bytes_left: bytes,
            packets: frames.data_packets(bytes, 1),
            sent: 0,
            acknowledged: 0,
            subflows: None,
        }
    }

    /// The same flow split into `order.len()` subflows of equal bytes (the first ones take a byte more where it does not divide),
    /// which send in turn in `order`.
    #[must_use]
    pub fn split(mut self, order: &[u32], frames: &PacketFormat) -> Self {
        let (share, rest) = PacketFormat::share(self.bytes_left, order.len() as u32);
        let bytes = |subflow: u32| share + u64::from(u64::from(subflow) < rest);
        let rotation: Vec<_> = order
            .iter()
            .map(|&i| (i, bytes(i)))
            .filter(|&(_, bytes)| bytes > 0)
            .collect();
        self.packets = frames.data_packets(self.bytes_left, order.len() as u32);
        self.subflows = Some(Box::new(Subflows { rotation, next: 0 }));
        self
    }

    /// Make `self` the next message of the connection whose messages so far end `senders`.
    pub fn follow(&mut self, senders: &mut [Self]) {
        let Some(before) = senders.last_mut() else {
            return;
        };
        before.followed = true;
        self.queued = true;
        self.connection = before.connection;
        self.first_psn = before.first_psn + before.packets as u32;
        senders[self.connection as usize].messages += 1;
    }

    /// Payload that has not been sent, while nothing has.
    pub(super) fn bytes_left(&self) -> u64 {
        self.bytes_left
    }

    /// Packets of the whole flow.
    #[must_use]
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Packets sent so far, each once.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// What the path policy knows of a packet of `subflow` that leaves at `now`; `first_flow` is the number of the host's first flow.
    #[inline]
    pub(super) fn tx(&self, first_flow: u32, subflow: u32, now: Time) -> TxInfo {
        TxInfo {
            now,
            flow: first_flow + self.connection,
            local_flow: self.connection as usize,
            peer: self.peer,
            local_peer: self.local_peer,
            layer: self.layer,
            subflow,
        }
    }

    /// The frame of the next packet. Call only if there is one.
    pub(super) fn next_size(&self, frames: &PacketFormat) -> u32 {
        let left = match &self.subflows {
            None => self.bytes_left,
            Some(subflows) => subflows.rotation[subflows.next].1,
        };
        left.min(u64::from(frames.payload_bytes)) as u32 + frames.header_bytes
    }

    /// Whether packets are left to send.
    #[inline]
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.sent < self.packets
    }

    /// Take the next packet, whose first bit is sent at `at`. Call only if there is one.
    pub fn next_packet(&mut self, frames: &PacketFormat, at: Time) -> NextPacket {
        self.started.get_or_insert(at);
        let psn = self.first_psn + self.sent as u32;
        self.sent += 1;
        let (subflow, payload) = match &mut self.subflows {
            None => (0, take(&mut self.bytes_left, frames)),
            Some(subflows) => subflows.take(frames),
        };
        NextPacket {
            psn,
            size: payload + frames.header_bytes,
            subflow,
        }
    }

    /// An ACK has come, `marked` or not.
    #[inline]
    pub(super) fn count_ack(&mut self, marked: bool) {
        self.acks += 1;
        self.marked_acks += u64::from(marked);
    }

    /// An ACK arrived at `at`. Whether it was the last.
    pub fn acknowledged(&mut self, at: Time) -> bool {
        self.acknowledged += 1;
        let done = self.acknowledged == self.packets;
        if done {
            self.finished = Some(at);
        }
        done
    }
}

impl Subflows {
    /// The next subflow's number and the payload that it sends.
    fn take(&mut self, frames: &PacketFormat) -> (u32, u32) {
        let (subflow, bytes) = &mut self.rotation[self.next];
        let taken = (*subflow, take(bytes, frames));
        if *bytes == 0 {
            self.rotation.remove(self.next);
        } else {
            self.next += 1;
        }
        if self.next >= self.rotation.len() {
            self.next = 0;
        }
        taken
    }
}

fn take(bytes: &mut u64, frames: &PacketFormat) -> u32 {
    let payload = (*bytes).min(u64::from(frames.payload_bytes)) as u32;
    *bytes -= u64::from(payload);
    payload
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Acks;

    const FRAMES: PacketFormat = PacketFormat {
        payload_bytes: 4096,
        header_bytes: 62,
        ack_bytes: 64,
        gap_bytes: 20,
        acks: Acks::PerPacket,
    };
    const PEER: Peer = Peer {
        host: 1,
        local: 0,
        layer: Layer::InterPod,
    };

    #[test]
    fn the_last_packet_carries_what_is_left() {
        let mut sender = Sender::new(0, PEER, 4097, &FRAMES);
        assert_eq!(sender.packets(), 2);
        let first = NextPacket {
            psn: 0,
            size: 4158,
            subflow: 0,
        };
        assert_eq!(sender.next_packet(&FRAMES, Time(5)), first);
        let last = NextPacket {
            psn: 1,
            size: 63,
            subflow: 0,
        };
        assert_eq!(sender.next_packet(&FRAMES, Time(9)), last);
        assert!(!sender.has_more());
        assert_eq!(sender.started, Some(Time(5)));
    }

    #[test]
    fn a_mebibyte_over_36_subflows_takes_288_packets_and_equal_bytes() {
        let order: Vec<u32> = (0..36).rev().collect();
        let sender = Sender::new(0, PEER, 1 << 20, &FRAMES);
        let mut sender = sender.split(&order, &FRAMES);
        assert_eq!(sender.packets(), 288);
        assert_eq!(FRAMES.data_packets(1 << 20, 36), 288);
        let mut bytes = [0; 36];
        let mut subflows = Vec::new();
        while sender.has_more() {
            let packet = sender.next_packet(&FRAMES, Time(0));
            bytes[packet.subflow as usize] += packet.size - 62;
            subflows.push(packet.subflow);
        }
        assert_eq!(bytes.iter().sum::<u32>(), 1 << 20);
        assert!(bytes.iter().all(|&b| b == 29_127 || b == 29_128));
        assert_eq!(subflows[..36], order);
        assert_eq!(
            subflows[252..],
            order,
            "the short packets come last, in the same order"
        );
    }

    #[test]
    fn a_subflow_without_bytes_does_not_exist() {
        let sender = Sender::new(0, PEER, 2, &FRAMES);
        let mut sender = sender.split(&[2, 1, 0], &FRAMES);
        assert_eq!(sender.packets(), 2);
        assert_eq!(sender.next_packet(&FRAMES, Time(0)).subflow, 1);
        assert_eq!(sender.next_packet(&FRAMES, Time(0)).subflow, 0);
    }
}
