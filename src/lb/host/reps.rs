//! REPS, recycled entropy packet spraying: an entropy value whose ACK came back unmarked is used once more; otherwise a random one. A
//! timeout that points to a dead path freezes the flow, which then uses only values that were good.
//!
//! Definition: the REPS paper (EuroSys 2026, arXiv 2407.21625) and its public code: a ring of the latest good values per flow, oldest
//! used first, newest overwriting. An ACK carries the value of its data packet and hashes in its own direction. The paper explores for
//! the first bandwidth-delay product; the public code does not, which is the same until the first ACK.
//!
//! While a flow is frozen it goes round the values in its ring, used before or not, and ACKs go on overwriting them; with an empty ring
//! it draws at random. A flow that explores does not freeze. Packets that a switch trimmed never freeze a flow: their path works. As in
//! the codes, a freeze that time ends lasts until something comes back or times out after that time. What starts and ends a freeze is in
//! `freeze`, timeouts of single values in `timers`.
//!
//! Not modelled: ACKs that carry several values (the paper's "carry EVs"), exploring again after a flow was idle.

mod freeze;
mod params;
#[cfg(test)]
mod tests;
mod timers;

use super::{Feedback, HostEnv, Outcome, PathPolicy, TxInfo};
use crate::rng::Rng;
use crate::units::Time;
use freeze::Freezer;
pub use params::{EntropyTimers, Freezing, Leave, OnExit, Packets, Params};
use timers::Timers;

/// What users read about it.
pub const ABOUT: &str =
    "Random packet spraying that uses a path again when its ACK came back unmarked.";

/// What a flow knows: 8 bytes, and 2 for each ring entry (24 in all with 8 entries).
#[derive(Clone, Copy, Debug)]
struct Flow {
    /// Random packets still to send.
    explore: u32,
    /// The ring entry to write next.
    head: u8,
    /// Good values not used up yet: the ring's entries before `head`. Or [`FROZEN`].
    fresh: u8,
    /// How often the oldest of them has been used.
    uses: u8,
    /// Whether all entries of the ring hold values; else those below `head` do.
    is_full: bool,
}

/// In place of the number of fresh values: the flow is frozen, and it does not matter which are.
const FROZEN: u8 = u8::MAX;

/// REPS on one host.
#[derive(Clone, Debug)]
pub struct Reps {
    entropies: u32,
    ring_entries: u8,
    lifetime: u8,
    empties_ring: bool,
    exit_explore: u32,
    /// By local flow.
    flows: Box<[Flow]>,
    /// The rings of all flows, back to back.
    rings: Box<[u16]>,
    freezer: Freezer,
    timers: Option<Timers>,
}

impl Reps {
    /// The policy of the host of `env`.
    #[must_use]
    pub fn new(params: &Params, env: &HostEnv) -> Self {
        let unused = Flow {
            explore: params.explore.count(env.bdp_packets),
            head: 0,
            fresh: 0,
            uses: 0,
            is_full: false,
        };
        let flows = env.sent_flows.len();
        let timers = params.entropy_timers;
        Self {
            entropies: params.entropies,
            ring_entries: params.ring_entries as u8,
            lifetime: params.lifetime,
            empties_ring: params.on_exit == OnExit::Reset,
            exit_explore: params.exit_explore.count(env.bdp_packets),
            flows: vec![unused; flows].into(),
            rings: vec![0; flows * params.ring_entries].into(),
            freezer: Freezer::new(params, env),
            timers: timers.map(|timers| Timers::new(timers, flows)),
        }
    }

    #[inline]
    fn ring_place(&self, flow: usize, entry: u8) -> usize {
        flow * usize::from(self.ring_entries) + usize::from(entry)
    }

    /// The value of the next packet but for probes and timers.
    #[inline]
    fn draw(&mut self, local_flow: usize, rng: &mut Rng) -> u16 {
        let flow = &mut self.flows[local_flow];
        if flow.explore > 0 || flow.fresh == 0 {
            flow.explore = flow.explore.saturating_sub(1);
            return rng.below(self.entropies) as u16;
        }
        if flow.fresh == FROZEN {
            return self.draw_frozen(local_flow, rng);
        }
        let oldest = if flow.head >= flow.fresh {
            flow.head - flow.fresh
        } else {
            flow.head + self.ring_entries - flow.fresh
        };
        flow.uses += 1;
        if flow.uses == self.lifetime {
            flow.uses = 0;
            flow.fresh -= 1;
        }
        self.rings[self.ring_place(local_flow, oldest)]
    }

    #[cold]
    fn draw_frozen(&mut self, local_flow: usize, rng: &mut Rng) -> u16 {
        let flow = &self.flows[local_flow];
        let stored = if flow.is_full {
            self.ring_entries
        } else {
            flow.head
        };
        if stored == 0 {
            return rng.below(self.entropies) as u16;
        }
        let entry = self.freezer.next_entry(local_flow, stored);
        self.rings[self.ring_place(local_flow, entry)]
    }

    /// The same, but a value that has timed out is passed over. Ends, since each such value loses its timer.
    #[inline(never)]
    fn draw_timed(&mut self, local_flow: usize, now: Time, rng: &mut Rng) -> u16 {
        loop {
            let value = self.draw(local_flow, rng);
            let Some(timers) = &mut self.timers else {
                return value;
            };
            if !timers.has_expired(local_flow, value, now) {
                return value;
            }
            let timeout = Feedback {
                now,
                path: value,
                outcome: Outcome::Timeout,
                rtt: None,
            };
            self.freeze_or_thaw(local_flow, &timeout);
        }
    }

    /// Freeze a flow or end its freeze, if what became of a packet does.
    fn freeze_or_thaw(&mut self, local_flow: usize, feedback: &Feedback) {
        let flow = &mut self.flows[local_flow];
        if flow.fresh == FROZEN {
            if self.freezer.ends(local_flow, feedback) {
                flow.fresh = 0;
                flow.explore = self.exit_explore;
                if self.empties_ring {
                    flow.head = 0;
                    flow.is_full = false;
                    self.freezer.rewind(local_flow);
                }
            }
        } else if feedback.outcome == Outcome::Timeout
            && flow.explore == 0
            && self
                .freezer
                .freezes(local_flow, feedback.now, feedback.path)
        {
            flow.fresh = FROZEN;
            flow.uses = 0;
        }
    }

    /// Remember a good value.
    #[inline]
    fn store(&mut self, local_flow: usize, value: u16) {
        let size = self.ring_entries;
        let place = self.ring_place(local_flow, self.flows[local_flow].head);
        self.rings[place] = value;
        let flow = &mut self.flows[local_flow];
        if flow.head + 1 == size {
            flow.head = 0;
            flow.is_full = true;
        } else {
            flow.head += 1;
        }
        if flow.fresh < size {
            flow.fresh += 1;
        } else if flow.fresh == size {
            // The oldest was overwritten, and the next one has not been used.
            flow.uses = 0;
        }
    }
}

impl PathPolicy for Reps {
    #[inline]
    fn data_path(&mut self, tx: &TxInfo, rng: &mut Rng) -> u16 {
        let flow = tx.local_flow;
        if self.flows[flow].fresh == FROZEN
            && let Some(value) = self.freezer.probe(flow)
        {
            if let Some(timers) = &mut self.timers {
                timers.restart(flow, value, tx.now);
            }
            return value;
        }
        match self.timers {
            None => self.draw(flow, rng),
            Some(_) => self.draw_timed(flow, tx.now, rng),
        }
    }

    #[inline]
    fn ack_path(&mut self, _tx: &TxInfo, data_path: u16, _rng: &mut Rng) -> u16 {
        data_path
    }

    #[inline]
    fn on_feedback(&mut self, local_flow: usize, feedback: &Feedback) {
        let arrived = matches!(feedback.outcome, Outcome::Good | Outcome::Ecn);
        let rtt = match &mut self.timers {
            None => feedback.rtt,
            Some(timers) => timers.on_feedback(local_flow, feedback),
        };
        if arrived && let Some(rtt) = rtt {
            self.freezer.note_rtt(local_flow, feedback.now, rtt);
        }
        if feedback.outcome == Outcome::Timeout || self.flows[local_flow].fresh == FROZEN {
            self.freeze_or_thaw(local_flow, feedback);
        }
        if feedback.outcome == Outcome::Good {
            self.store(local_flow, feedback.path);
        }
    }
}
