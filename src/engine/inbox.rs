//! The inboxes of the nodes of one shard, for the current and some later windows; and the mail to other shards.

use super::Outbox;
use crate::packet::{AckRecord, FrameCount, Packet};
use crate::prefetch;
use crate::units::{Span, Time};

/// A node's address: its shard above these bits, its number in the shard below.
const SHARD_SHIFT: u32 = 24;

/// The address of node number `local` of `shard`. With one shard, addresses are numbers of nodes.
#[must_use]
pub const fn address(shard: u32, local: u32) -> u32 {
    debug_assert!(shard < 1 << (32 - SHARD_SHIFT) && local < 1 << SHARD_SHIFT);
    shard << SHARD_SHIFT | local
}

/// How many packets later a slot of an inbox is used that the processor is told of: the next cache line.
const AHEAD: usize = 2;

/// The shard and the number in it of the node at `address`.
#[must_use]
pub const fn place(address: u32) -> (u32, u32) {
    (address >> SHARD_SHIFT, address & ((1 << SHARD_SHIFT) - 1))
}

/// What is due in one window.
#[derive(Debug)]
struct Slot {
    /// Packets by node; a node without any holds no memory.
    boxes: Vec<Vec<Packet>>,
    /// Bit n: node n has packets or a timer in this window.
    due: Vec<u64>,
    any: bool,
}

impl Slot {
    #[inline]
    fn mark(&mut self, node: usize) {
        self.due[node / 64] |= 1 << (node % 64);
        self.any = true;
    }
}

/// What goes from one shard to another at the end of a window, each with the node there.
#[derive(Debug, Default)]
pub(super) struct Mail {
    pub(super) packets: Vec<(u32, Packet)>,
    pub(super) records: Vec<(u32, AckRecord)>,
}

/// The inboxes of one shard.
#[derive(Debug)]
pub struct Inboxes {
    shard: u32,
    window: Span,
    /// The number of the current window, and its end.
    number: u64,
    end: Time,
    /// A power of two of slots; window n has slot n modulo their number.
    slots: Vec<Slot>,
    /// Emptied boxes, to be used again: those of switches and those of hosts, which are much smaller.
    spare: [Vec<Vec<Packet>>; 2],
    hosts: u32,
    /// What goes to each other shard, with the node there.
    mail: Vec<Mail>,
    /// Records of ACKs for hosts of this shard.
    told: Vec<(u32, AckRecord)>,
    /// The earliest arrival among them.
    mail_due: Time,
}

impl Inboxes {
    /// For shard number `shard` of `shards`, which has `nodes` nodes, the first `hosts` of them hosts. `latency` is the longest of any link.
    pub(super) fn new(
        (shard, shards): (u32, usize),
        (nodes, hosts): (usize, usize),
        (window, latency): (Span, Span),
    ) -> Self {
        // A packet posted in a window arrives less than `latency` after its end.
        let ahead = latency.0.div_ceil(window.0) as usize + 1;
        let slot = || Slot {
            boxes: (0..nodes).map(|_| Vec::new()).collect(),
            due: vec![0; nodes.div_ceil(64)],
            any: false,
        };
        Self {
            shard,
            window,
            number: 0,
            end: Time(window.0),
            slots: (0..ahead.next_power_of_two()).map(|_| slot()).collect(),
            spare: Default::default(),
            hosts: hosts as u32,
            mail: (0..shards).map(|_| Mail::default()).collect(),
            told: Vec::new(),
            mail_due: Time::NEVER,
        }
    }

    /// Start window `number`; nothing may be due in the windows that are skipped.
    pub(super) fn enter(&mut self, number: u64) {
        self.number = number;
        self.end = Time((number + 1).saturating_mul(self.window.0));
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
        let next = at.0 < self.end.0 + self.window.0;
        let number = if next {
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
    fn current(&mut self) -> &mut Slot {
        let now = self.slot_now();
        &mut self.slots[now]
    }

    /// The start of the next window after the current one that has a slot in which anything is due.
    pub(super) fn next_due(&self) -> Time {
        let slots = self.slots.len() as u64;
        (1..slots)
            .map(|ahead| self.number + ahead)
            .find(|number| self.slots[(number & (slots - 1)) as usize].any)
            .map_or(Time::NEVER, |number| Time(number * self.window.0))
    }

    /// Node `node` of this shard has a timer in the current window.
    pub(super) fn mark_now(&mut self, node: u32) {
        self.current().mark(node as usize);
    }

    /// Node `node` of this shard has a timer at `at`, after the current window and before the horizon.
    pub(super) fn mark(&mut self, node: u32, at: Time) {
        let slot = self.slot_at(at);
        self.slots[slot].mark(node as usize);
    }

    /// Whether anything is due in the current window; it will not be asked again.
    pub(super) fn take_any(&mut self) -> bool {
        std::mem::take(&mut self.current().any)
    }

    /// Words of 64 nodes.
    pub(super) fn words(&self) -> usize {
        self.slots[0].due.len()
    }

    /// The nodes of word `word` that are due in the current window.
    pub(super) fn take_due(&mut self, word: usize) -> u64 {
        std::mem::take(&mut self.current().due[word])
    }

    /// The packets that arrive at `node` in the current window.
    #[inline]
    pub(super) fn take_box(&mut self, node: u32) -> Vec<Packet> {
        std::mem::take(&mut self.current().boxes[node as usize])
    }

    /// Give a box back, to be used again.
    #[inline]
    pub(super) fn recycle(&mut self, node: u32, mut packets: Vec<Packet>) {
        if packets.capacity() > 0 {
            packets.clear();
            self.spare[usize::from(node < self.hosts)].push(packets);
        }
    }

    #[inline(always)]
    fn put(&mut self, slot: usize, node: u32, packet: &Packet, at: Time, ingress: u16) {
        let slot = &mut self.slots[slot];
        let inbox = &mut slot.boxes[node as usize];
        if inbox.is_empty() {
            if inbox.capacity() == 0
                && let Some(spare) = self.spare[usize::from(node < self.hosts)].pop()
            {
                *inbox = spare;
            }
            slot.due[node as usize / 64] |= 1 << (node % 64);
            slot.any = true;
        }
        inbox.push(packet.landing(at, ingress));
        prefetch::for_writing(inbox, AHEAD);
    }

    /// Take packets that another shard posted before the current window; they arrive in it or later.
    pub(super) fn receive(&mut self, packets: &mut Vec<(u32, Packet)>) {
        for (node, packet) in packets.drain(..) {
            let now = packet.time < self.end;
            let slot = if now {
                self.slot_now()
            } else {
                self.slot_at(packet.time)
            };
            self.put(slot, node, &packet, packet.time, packet.ingress);
        }
    }

    /// The mail to `shard`, to be handed over.
    pub(super) fn mail_to(&mut self, shard: usize) -> &mut Mail {
        &mut self.mail[shard]
    }

    /// The records told to hosts of this shard.
    pub(super) fn told(&mut self) -> &mut Vec<(u32, AckRecord)> {
        &mut self.told
    }

    /// Whether no box holds anything.
    pub(super) fn is_empty(&self) -> bool {
        let mut boxes = self.slots.iter().flat_map(|slot| &slot.boxes);
        boxes.all(Vec::is_empty)
    }

    /// The nodes that are due in some window.
    pub(super) fn due_nodes(&self) -> impl Iterator<Item = u32> + '_ {
        self.slots.iter().flat_map(|slot| {
            let words = (0_u32..).zip(&slot.due);
            words.flat_map(|(word, &due)| {
                let bits = (0..64).filter(move |bit| due >> bit & 1 == 1);
                bits.map(move |bit| word * 64 + bit)
            })
        })
    }

    /// What lies in the boxes.
    pub(super) fn count(&self, on_wires: &mut FrameCount) {
        let boxes = self.slots.iter().flat_map(|slot| &slot.boxes);
        boxes.flatten().for_each(|packet| on_wires.add(packet));
    }

    /// The earliest arrival of the mail since the last call.
    pub(super) fn take_mail_due(&mut self) -> Time {
        std::mem::replace(&mut self.mail_due, Time::NEVER)
    }
}

impl Outbox for Inboxes {
    #[inline]
    fn post(&mut self, to: u32, packet: &Packet, at: Time, ingress: u16) {
        let (shard, node) = place(to);
        if shard == self.shard {
            let slot = self.slot_at(at);
            self.put(slot, node, packet, at, ingress);
        } else {
            self.mail_due = self.mail_due.min(at);
            let packet = packet.landing(at, ingress);
            self.mail[shard as usize].packets.push((node, packet));
        }
    }

    fn notify(&mut self, to: u32, notice: Packet) {
        self.post(to, &notice, notice.time, notice.ingress);
    }

    fn tell(&mut self, to: u32, record: AckRecord) {
        let (shard, node) = place(to);
        if shard == self.shard {
            self.told.push((node, record));
        } else {
            self.mail[shard as usize].records.push((node, record));
        }
    }

    #[inline]
    fn wake(&mut self, _timer: u32, _at: Time) {}
}
