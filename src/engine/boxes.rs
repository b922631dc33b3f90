//! What arrives in one window at nodes of a shard: packets by node, and which nodes are due.

use std::ops::Range;

use crate::packet::Packet;
use crate::prefetch;
use crate::units::Time;

/// How many packets later a slot of a box is used that the processor is told of: the next cache line.
const AHEAD: usize = 2;

/// Emptied boxes, to be used again: those of switches and those of hosts, which are much smaller.
#[derive(Debug, Default)]
pub(super) struct Spare([Vec<Vec<Packet>>; 2]);

impl Spare {
    #[inline]
    pub(super) fn pop(&mut self, host: bool) -> Option<Vec<Packet>> {
        self.0[usize::from(host)].pop()
    }

    #[inline]
    pub(super) fn push(&mut self, host: bool, mut packets: Vec<Packet>) {
        if packets.capacity() > 0 {
            packets.clear();
            self.0[usize::from(host)].push(packets);
        }
    }
}

/// The boxes of a range of nodes.
#[derive(Debug)]
pub(super) struct Boxes {
    /// The number of the first node.
    first: u32,
    /// Nodes of lower numbers are hosts.
    hosts: u32,
    boxes: Vec<Vec<Packet>>,
    /// Bit n: the n-th node has packets or a timer in this window.
    due: Vec<u64>,
    any_due: bool,
    any_packets: bool,
}

impl Boxes {
    /// For `nodes` of a shard in which nodes below `hosts` are hosts.
    pub(super) fn new(nodes: Range<u32>, hosts: u32) -> Self {
        Self {
            first: nodes.start,
            hosts,
            due: vec![0; nodes.len().div_ceil(64)],
            boxes: nodes.map(|_| Vec::new()).collect(),
            any_due: false,
            any_packets: false,
        }
    }

    /// Put a copy of `packet` into the box of `node`, a box without memory getting that of a spare one; no if `node` has no box here.
    #[inline(always)]
    pub(super) fn put(
        &mut self,
        node: u32,
        packet: &Packet,
        at: Time,
        ingress: u16,
        spare: &mut Spare,
    ) -> bool {
        let index = node.wrapping_sub(self.first) as usize;
        let Some(inbox) = self.boxes.get_mut(index) else {
            return false;
        };
        if inbox.is_empty() {
            if inbox.capacity() == 0
                && let Some(spare) = spare.pop(node < self.hosts)
            {
                *inbox = spare;
            }
            self.due[index / 64] |= 1 << (index % 64);
            self.any_due = true;
            self.any_packets = true;
        }
        inbox.push(packet.landing(at, ingress));
        prefetch::for_writing(inbox, AHEAD);
        true
    }

    /// `node` has a timer.
    #[inline]
    pub(super) fn mark(&mut self, node: u32) {
        let index = (node - self.first) as usize;
        self.due[index / 64] |= 1 << (index % 64);
        self.any_due = true;
    }

    /// The box of `node`, if it has one here that holds anything.
    #[inline]
    pub(super) fn filled(&mut self, node: u32) -> Option<&mut Vec<Packet>> {
        let index = node.wrapping_sub(self.first) as usize;
        self.boxes
            .get_mut(index)
            .filter(|packets| !packets.is_empty())
    }

    /// Whether any node is due.
    pub(super) fn any_due(&self) -> bool {
        self.any_due
    }

    /// Whether any packet was put here since the last [`Self::take_any_packets`].
    #[inline]
    pub(super) fn any_packets(&self) -> bool {
        self.any_packets
    }

    /// As [`Self::any_packets`]; it will not be asked again.
    pub(super) fn take_any_packets(&mut self) -> bool {
        std::mem::take(&mut self.any_packets)
    }

    /// As [`Self::any_due`]; it will not be asked again.
    pub(super) fn take_any_due(&mut self) -> bool {
        std::mem::take(&mut self.any_due)
    }

    /// The nodes that are due in `from` (boxes of the same shard) are due in these boxes, which are of all nodes, and not any more in `from`.
    pub(super) fn take_due_of(&mut self, from: &mut Self) {
        if !from.take_any_due() {
            return;
        }
        self.any_due = true;
        let (word, shift) = (from.first as usize / 64, from.first % 64);
        for (bits, word) in from.due.iter_mut().zip(word..) {
            let bits = std::mem::take(bits);
            self.due[word] |= bits << shift;
            // Above the last node there are no bits.
            if let Some(over) = bits.checked_shr(64 - shift)
                && over != 0
            {
                self.due[word + 1] |= over;
            }
        }
    }

    /// Those of the 64 nodes from 64 `word` on that are among `nodes` and due; they are not any more.
    pub(super) fn take_due(&mut self, word: u32, nodes: &Range<u32>) -> u64 {
        let bit = |node: u32| node.saturating_sub(word * 64).min(64);
        let below = |bit: u32| 1_u64.checked_shl(bit).map_or(u64::MAX, |one| one - 1);
        let wanted = below(bit(nodes.end)) & !below(bit(nodes.start));
        let due = &mut self.due[word as usize];
        let taken = *due & wanted;
        *due &= !wanted;
        taken
    }

    /// The nodes that are due.
    pub(super) fn due_nodes(&self) -> impl Iterator<Item = u32> + '_ {
        let words = (0_u32..).zip(&self.due);
        words.flat_map(move |(word, &due)| {
            let bits = (0..64).filter(move |bit| due >> bit & 1 == 1);
            bits.map(move |bit| self.first + word * 64 + bit)
        })
    }

    /// All packets.
    pub(super) fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.boxes.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Kind;

    fn due(boxes: &Boxes) -> Vec<u32> {
        boxes.due_nodes().collect()
    }

    #[test]
    fn due_nodes_move_to_the_boxes_of_all_nodes() {
        for first in [0, 1, 63, 64, 65, 100] {
            let mut all = Boxes::new(0..first + 130, 0);
            let mut some = Boxes::new(first..first + 130, 0);
            let nodes = [0, 1, 62, 63, 64, 127, 128, 129].map(|node| first + node);
            nodes.iter().for_each(|&node| some.mark(node));
            all.mark(0);
            all.take_due_of(&mut some);
            let mut wanted = vec![0];
            wanted.extend(nodes);
            wanted.dedup();
            assert_eq!(due(&all), wanted);
            assert!(due(&some).is_empty() && !some.any_due() && all.any_due());
        }
    }

    #[test]
    fn due_nodes_are_taken_by_range() {
        let mut boxes = Boxes::new(0..200, 0);
        (0..200).for_each(|node| boxes.mark(node));
        assert_eq!(boxes.take_due(1, &(70..72)), 0b11 << 6);
        assert_eq!(boxes.take_due(1, &(0..200)), !(0b11 << 6));
        assert_eq!(boxes.take_due(0, &(64..200)), 0);
        assert_eq!(boxes.take_due(0, &(1..64)), !1);
        assert_eq!(
            due(&boxes),
            [&[0][..], &(128..200).collect::<Vec<_>>()].concat()
        );
    }

    #[test]
    fn a_node_without_a_box_is_refused() {
        let mut boxes = Boxes::new(10..20, 10);
        let mut spare = Spare::default();
        let packet = Packet::pause_frame(Kind::Pause, 64);
        assert!(!boxes.put(9, &packet, Time(5), 3, &mut spare));
        assert!(!boxes.put(20, &packet, Time(5), 3, &mut spare));
        assert!(boxes.put(19, &packet, Time(5), 3, &mut spare));
        assert_eq!(due(&boxes), [19]);
        assert_eq!(boxes.filled(19).map(|packets| packets.len()), Some(1));
        assert!(boxes.filled(9).is_none() && boxes.filled(20).is_none());
        assert_eq!(boxes.packets().count(), 1);
    }
}
