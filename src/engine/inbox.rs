//! The inboxes of the nodes of one shard, for the current and some later windows; and the mail to other shards.
//!
//! Most of what is posted arrives in the very next window. It lies in boxes by the shard it goes to, this one being like any other, so that no packet waits
//! for the question whose it is. The boxes for another shard are handed over whole at the end of a window, and come back empty.

use std::ops::Range;

use super::Outbox;
use super::boxes::{Boxes, Spare};
use super::windowed::Windows;
use crate::packet::{AckRecord, Packet};
use crate::units::{Span, Time};

/// A node's address: its shard above these bits, its number in the shard below.
const SHARD_SHIFT: u32 = 24;

/// The address of node number `local` of `shard`. With one shard, addresses are numbers of nodes.
#[must_use]
pub const fn address(shard: u32, local: u32) -> u32 {
    debug_assert!(shard < 1 << (32 - SHARD_SHIFT) && local < 1 << SHARD_SHIFT);
    shard << SHARD_SHIFT | local
}

/// The shard and the number in it of the node at `address`.
#[must_use]
pub const fn place(address: u32) -> (u32, u32) {
    (address >> SHARD_SHIFT, address & ((1 << SHARD_SHIFT) - 1))
}

/// How many nodes a shard has, and how many of these, the first, are hosts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) nodes: u32,
    pub(super) hosts: u32,
}

/// What goes from one shard to another at the end of a window.
#[derive(Debug)]
pub(super) struct Mail {
    /// What arrives at switches in the very next window.
    next: Boxes,
    /// What arrives at hosts or later, with the node there.
    later: Vec<(u32, Packet)>,
    pub(super) records: Vec<(u32, AckRecord)>,
}

impl Mail {
    /// For `nodes` of a shard of `size`.
    fn new(nodes: Range<u32>, size: Size) -> Self {
        Self {
            next: Boxes::new(nodes, size.hosts),
            later: Vec::new(),
            records: Vec::new(),
        }
    }

    /// For a shard of `size`, to which others have links between switches only.
    pub(super) fn between_shards(size: Size) -> Self {
        Self::new(size.hosts..size.nodes, size)
    }

    /// Holds the place of mail that is elsewhere, or that there is none of.
    pub(super) fn none() -> Self {
        Self::new(0..0, Size { nodes: 0, hosts: 0 })
    }

    /// The packets in it.
    pub(super) fn packets(&self) -> impl Iterator<Item = &Packet> {
        let later = self.later.iter().map(|(_, packet)| packet);
        self.next.packets().chain(later)
    }
}

/// The inboxes of one shard.
#[derive(Debug)]
pub struct Inboxes {
    shard: usize,
    window: Span,
    /// The number of the current window, its end, and that of the next.
    number: u64,
    end: Time,
    next_end: Time,
    hosts: u32,
    /// By shard: what was posted to it in the current window.
    sent: Vec<Mail>,
    /// By shard: what it posted in the window before.
    received: Vec<Mail>,
    /// What is due besides: timers, and packets that were posted earlier. A power of two of slots; window n has slot n modulo their number.
    slots: Vec<Boxes>,
    spare: Spare,
    /// Records of ACKs for hosts of this shard.
    told: Vec<(u32, AckRecord)>,
    /// The earliest arrival of what was posted to other shards for after the next window, or to hosts.
    later_due: Time,
}

impl Inboxes {
    /// For shard number `shard` of those of `sizes`.
    pub(super) fn new(shard: usize, sizes: &[Size], windows: &Windows) -> Self {
        let window = windows.window();
        // A packet posted in a window arrives less than `latency` after its end.
        let ahead = windows.latency.0.div_ceil(window.0) as usize + 1;
        let size = sizes[shard];
        let mail = || {
            let mut mail: Vec<_> = sizes.iter().map(|_| Mail::none()).collect();
            mail[shard] = Mail::new(0..size.nodes, size);
            mail
        };
        let slot = |_| Boxes::new(0..size.nodes, size.hosts);
        Self {
            shard,
            window,
            number: 0,
            end: Time(window.0),
            next_end: Time(window.0.saturating_mul(2)),
            hosts: size.hosts,
            sent: mail(),
            received: mail(),
            slots: (0..ahead.next_power_of_two()).map(slot).collect(),
            spare: Spare::default(),
            told: Vec::new(),
            later_due: Time::NEVER,
        }
    }

    /// Start window `number`; nothing may be due in the windows that are skipped.
    pub(super) fn enter(&mut self, number: u64) {
        self.current().take_any_packets();
        self.number = number;
        let end = |number: u64| Time(number.saturating_add(1).saturating_mul(self.window.0));
        (self.end, self.next_end) = (end(number), end(number + 1));
        let own = self.shard;
        std::mem::swap(&mut self.sent[own], &mut self.received[own]);
        self.receive(own);
    }

    /// The current window's start.
    #[inline]
    pub(super) fn start(&self) -> Time {
        Time(self.number * self.window.0)
    }

    /// The current window's end.
    #[inline]
    pub(super) fn end(&self) -> Time {
        self.end
    }

    /// The first instant that has no slot yet.
    #[inline]
    pub(super) fn horizon(&self) -> Time {
        Time(
            self.end
                .0
                .saturating_add((self.slots.len() as u64 - 1) * self.window.0),
        )
    }

    /// The slot of an instant after the current window.
    #[inline]
    fn slot_at(&self, at: Time) -> usize {
        debug_assert!(
            at >= self.end && at < self.horizon(),
            "{at:?} outside the inboxes"
        );
        let number = if at < self.next_end {
            self.number + 1
        } else {
            at.0 / self.window.0
        };
        number as usize & (self.slots.len() - 1)
    }

    /// The slot of the current window.
    #[inline]
    fn slot_now(&self) -> usize {
        self.number as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn current(&mut self) -> &mut Boxes {
        let now = self.slot_now();
        &mut self.slots[now]
    }

    /// No later than when anything is next due here or in what was posted in the current window, and no earlier than the next window.
    pub(super) fn next_due(&mut self) -> Time {
        let later_due = std::mem::replace(&mut self.later_due, Time::NEVER);
        if self.sent.iter().any(|mail| mail.next.any_due()) {
            return self.end;
        }
        let slots = self.slots.len() as u64;
        let slot_due = (1..slots)
            .map(|ahead| self.number + ahead)
            .find(|number| self.slots[(number & (slots - 1)) as usize].any_due())
            .map_or(Time::NEVER, |number| Time(number * self.window.0));
        slot_due.min(later_due)
    }

    /// Node `node` of this shard has a timer in the current window.
    pub(super) fn mark_now(&mut self, node: u32) {
        self.current().mark(node);
    }

    /// Node `node` of this shard has a timer at `at`, after the current window and before the horizon.
    pub(super) fn mark(&mut self, node: u32, at: Time) {
        let slot = self.slot_at(at);
        self.slots[slot].mark(node);
    }

    /// Whether anything is due in the current window; it will not be asked again.
    pub(super) fn take_any(&mut self) -> bool {
        self.current().take_any_due()
    }

    /// Those of the 64 nodes from 64 `word` on that are among `nodes` and due in the current window.
    pub(super) fn take_due(&mut self, word: u32, nodes: &Range<u32>) -> u64 {
        self.current().take_due(word, nodes)
    }

    /// The packets that arrive at `node` in the current window.
    #[inline]
    pub(super) fn take_box(&mut self, node: u32) -> Vec<Packet> {
        let own = self.received[self.shard].next.filled(node);
        let mut packets = own.map(std::mem::take).unwrap_or_default();
        if self.current().any_packets()
            && let Some(more) = self.current().filled(node).map(std::mem::take)
        {
            let less = std::mem::replace(&mut packets, more);
            packets.extend_from_slice(&less);
            self.recycle(node, less);
        }
        for mail in &mut self.received {
            if let Some(more) = mail.next.filled(node) {
                if packets.capacity() == 0
                    && let Some(spare) = self.spare.pop(node < self.hosts)
                {
                    packets = spare;
                }
                packets.append(more);
            }
        }
        packets
    }

    /// Give a box back, to be used again.
    #[inline]
    pub(super) fn recycle(&mut self, node: u32, packets: Vec<Packet>) {
        self.spare.push(node < self.hosts, packets);
    }

    /// Swap `mail` and what is posted to shard number `to`.
    pub(super) fn swap_sent(&mut self, to: usize, mail: &mut Mail) {
        std::mem::swap(&mut self.sent[to], mail);
    }

    /// Swap `mail` and what came from shard number `from`.
    pub(super) fn swap_received(&mut self, from: usize, mail: &mut Mail) {
        std::mem::swap(&mut self.received[from], mail);
    }

    /// What shard number `from` posted in the window before is due in the current one, or later.
    pub(super) fn receive(&mut self, from: usize) {
        let now = self.slot_now();
        self.slots[now].take_due_of(&mut self.received[from].next);
        let mut later = std::mem::take(&mut self.received[from].later);
        for (node, packet) in later.drain(..) {
            let slot = if packet.time < self.end {
                now
            } else {
                self.slot_at(packet.time)
            };
            let (at, ingress) = (packet.time, packet.ingress);
            self.slots[slot].put(node, &packet, at, ingress, &mut self.spare);
        }
        self.received[from].later = later;
    }

    /// The records told to hosts of this shard.
    pub(super) fn told(&mut self) -> &mut Vec<(u32, AckRecord)> {
        &mut self.told
    }

    /// What lies in the boxes of this shard.
    pub(super) fn packets(&self) -> impl Iterator<Item = &Packet> {
        let mail = self.received.iter().chain(&self.sent);
        let slots = self.slots.iter().flat_map(Boxes::packets);
        mail.flat_map(Mail::packets).chain(slots)
    }

    /// The nodes that are due in some window, or may be: those of this shard to which anything was posted, or that have timers.
    pub(super) fn due_nodes(&self) -> impl Iterator<Item = u32> + '_ {
        let next = &self.sent[self.shard].next;
        next.due_nodes()
            .chain(self.slots.iter().flat_map(Boxes::due_nodes))
    }

    /// A packet for this shard after the next window, or for another shard's host or after the next window.
    #[inline(never)]
    fn post_elsewhere(&mut self, shard: usize, node: u32, packet: &Packet, at: Time, ingress: u16) {
        if shard == self.shard {
            let slot = self.slot_at(at);
            self.slots[slot].put(node, packet, at, ingress, &mut self.spare);
        } else {
            self.later_due = self.later_due.min(at);
            let later = &mut self.sent[shard].later;
            later.push((node, packet.landing(at, ingress)));
        }
    }
}

impl Outbox for Inboxes {
    #[inline]
    fn post(&mut self, to: u32, packet: &Packet, at: Time, ingress: u16) {
        debug_assert!(
            at >= self.end && at < self.horizon(),
            "{at:?} outside the inboxes"
        );
        let (shard, node) = place(to);
        let shard = shard as usize;
        if at < self.next_end {
            let next = &mut self.sent[shard].next;
            if next.put(node, packet, at, ingress, &mut self.spare) {
                return;
            }
        }
        self.post_elsewhere(shard, node, packet, at, ingress);
    }

    fn notify(&mut self, to: u32, notice: Packet) {
        self.post(to, &notice, notice.time, notice.ingress);
    }

    fn tell(&mut self, to: u32, record: AckRecord) {
        let (shard, node) = place(to);
        if shard as usize == self.shard {
            self.told.push((node, record));
        } else {
            self.sent[shard as usize].records.push((node, record));
        }
    }

    #[inline]
    fn wake(&mut self, _timer: u32, _at: Time) {}
}
