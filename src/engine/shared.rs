//! What the shards of a run share: a gate at the end of each window, the mail between them, and what each has to say.
//!
//! All of it is written before the gate and read after it, in two copies used in turn, so one passage a window suffices.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::inbox::Mail;
use crate::units::Time;

/// What a shard says at the end of a window, or what all say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// When anything is next due in it, its outgoing mail included.
    pub(super) due: Time,
    /// Its hosts that have not sent all their data, and when the last of the others had.
    pub(super) sending: u32,
    pub(super) last_sent: Time,
    /// Its hosts that cannot finish sending within the next window.
    pub(super) far: u32,
}

impl Said {
    fn join(self, other: Self) -> Self {
        Self {
            due: self.due.min(other.due),
            sending: self.sending + other.sending,
            last_sent: self.last_sent.max(other.last_sent),
            far: self.far + other.far,
        }
    }
}

#[derive(Debug, Default)]
struct Slate {
    due: AtomicU64,
    sending: AtomicU32,
    last_sent: AtomicU64,
    far: AtomicU32,
}

impl Slate {
    fn write(&self, said: Said) {
        self.due.store(said.due.0, Relaxed);
        self.sending.store(said.sending, Relaxed);
        self.last_sent.store(said.last_sent.0, Relaxed);
        self.far.store(said.far, Relaxed);
    }

    fn read(&self) -> Said {
        Said {
            due: Time(self.due.load(Relaxed)),
            sending: self.sending.load(Relaxed),
            last_sent: Time(self.last_sent.load(Relaxed)),
            far: self.far.load(Relaxed),
        }
    }
}

/// Shared by all shards of a run.
#[derive(Debug)]
pub(super) struct Shared {
    shards: usize,
    gate: Gate,
    /// By copy and shard; the third copy is for the middle of a window.
    slates: [Vec<Slate>; 3],
    /// By copy, and within it from x shards + to.
    mail: [Vec<Mutex<Mail>>; 2],
}

/// The copy of the slates that is written in the middle of a window.
pub(super) const MIDDLE: usize = 2;

impl Shared {
    pub(super) fn new(shards: usize) -> Self {
        let slates = || (0..shards).map(|_| Slate::default()).collect();
        let mail = || (0..shards * shards).map(|_| Mutex::default()).collect();
        Self {
            shards,
            gate: Gate::new(shards),
            slates: std::array::from_fn(|_| slates()),
            mail: std::array::from_fn(|_| mail()),
        }
    }

    /// How many shards there are.
    pub(super) fn shards(&self) -> usize {
        self.shards
    }

    /// Say `said` for `shard`, wait for the others, and hear what all say together.
    pub(super) fn exchange(&self, copy: usize, shard: usize, said: Said) -> Said {
        self.slates[copy][shard].write(said);
        self.gate.pass();
        let all = self.slates[copy].iter().map(Slate::read);
        all.reduce(Said::join).unwrap_or(said)
    }

    /// The mail from one shard to another. Never contended: the gate is between those who lock it.
    pub(super) fn mail(&self, copy: usize, from: usize, to: usize) -> MutexGuard<'_, Mail> {
        self.mail[copy][from * self.shards + to]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// A shard gave up: let no other wait for it.
    pub(super) fn give_up(&self) {
        self.gate.give_up();
    }
}

/// A barrier that opens for good when one of its threads panics.
#[derive(Debug)]
struct Gate {
    shards: usize,
    state: Mutex<GateState>,
    opened: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    waiting: usize,
    passages: u64,
    given_up: bool,
}

impl Gate {
    fn new(shards: usize) -> Self {
        Self {
            shards,
            state: Mutex::default(),
            opened: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wait for all shards.
    ///
    /// # Panics
    /// If another shard has: the run is lost.
    fn pass(&self) {
        if self.shards == 1 {
            return;
        }
        let mut state = self.state();
        state.waiting += 1;
        if state.waiting == self.shards {
            state.waiting = 0;
            state.passages += 1;
            self.opened.notify_all();
        } else {
            let passage = state.passages;
            while state.passages == passage && !state.given_up {
                state = self
                    .opened
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        }
        assert!(!state.given_up, "another thread of this run has panicked");
    }

    fn give_up(&self) {
        self.state().given_up = true;
        self.opened.notify_all();
    }
}
