//! What the threads of a run share: a gate at the end of each window, the mail between shards, and what each has to say.
//!
//! All of it is written before the gate and read after it, in two copies used in turn, so one passage a window suffices.

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::inbox::{Mail, Size};
use crate::probe::Sending;
use crate::units::Time;

/// What a shard says at the end of a window, or what several say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// When anything is next due in it, its outgoing mail included.
    pub(super) due: Time,
    /// How far its hosts are.
    pub(super) sending: Sending,
}

impl Said {
    /// What a thread says that ran nothing.
    pub(super) const NOTHING: Self = Self {
        due: Time::NEVER,
        sending: Sending::NOBODY,
    };

    pub(super) fn join(self, other: Self) -> Self {
        Self {
            due: self.due.min(other.due),
            sending: self.sending.join(other.sending),
        }
    }
}

#[derive(Debug, Default)]
struct Slate {
    due: AtomicU64,
    hosts: AtomicU32,
    far_hosts: AtomicU32,
    last_sent: AtomicU64,
}

impl Slate {
    fn write(&self, said: Said) {
        self.due.store(said.due.0, Relaxed);
        self.hosts.store(said.sending.hosts, Relaxed);
        self.far_hosts.store(said.sending.far_hosts, Relaxed);
        self.last_sent.store(said.sending.last_sent.0, Relaxed);
    }

    fn read(&self) -> Said {
        Said {
            due: Time(self.due.load(Relaxed)),
            sending: Sending {
                hosts: self.hosts.load(Relaxed),
                far_hosts: self.far_hosts.load(Relaxed),
                last_sent: Time(self.last_sent.load(Relaxed)),
            },
        }
    }
}

/// Shared by all threads of a run.
#[derive(Debug)]
pub(super) struct Shared {
    shards: usize,
    gate: Gate,
    /// By copy and thread; the third copy is for the middle of a window.
    slates: [Vec<Slate>; 3],
    /// By copy, and within it from x shards + to.
    mail: [Vec<Mutex<Mail>>; 2],
}

/// The copy of the slates that is written in the middle of a window.
pub(super) const MIDDLE: usize = 2;

impl Shared {
    pub(super) fn new(threads: usize, sizes: &[Size]) -> Self {
        let shards = sizes.len();
        let slates = || (0..threads).map(|_| Slate::default()).collect();
        let between = |from: usize, to: usize| {
            if from == to {
                Mail::none()
            } else {
                Mail::between_shards(sizes[to])
            }
        };
        let from_one = |from| (0..shards).map(move |to| Mutex::new(between(from, to)));
        let mail = || (0..shards).flat_map(from_one).collect();
        Self {
            shards,
            gate: Gate::new(threads),
            slates: std::array::from_fn(|_| slates()),
            mail: std::array::from_fn(|_| mail()),
        }
    }

    /// How many shards there are.
    pub(super) fn shards(&self) -> usize {
        self.shards
    }

    /// Say `said` for `thread`, wait for the others, and hear what all say together.
    pub(super) fn exchange(&self, copy: usize, thread: usize, said: Said) -> Said {
        self.slates[copy][thread].write(said);
        self.gate.pass();
        let all = self.slates[copy].iter().map(Slate::read);
        all.fold(Said::NOTHING, Said::join)
    }

    /// The mail from one shard to another. Never contended: the gate is between those who lock it.
    pub(super) fn mail(&self, copy: usize, from: usize, to: usize) -> MutexGuard<'_, Mail> {
        self.mail[copy][from * self.shards + to]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// All mail of a copy, at the end of the run.
    pub(super) fn into_mail(mut self, copy: usize) -> impl Iterator<Item = Mail> {
        let mail = std::mem::take(&mut self.mail[copy]);
        let open = |mail: Mutex<Mail>| mail.into_inner().unwrap_or_else(PoisonError::into_inner);
        mail.into_iter().map(open)
    }

    /// A thread gave up: let no other wait for it.
    pub(super) fn give_up(&self) {
        self.gate.give_up();
    }
}

/// How often a thread looks whether the gate has opened before it sleeps: for about 0.4 ms here, up to 1.5 where a pause takes
/// longest. A thread that sleeps wakes late, and its
/// core slows down or goes to somebody else in the meantime: with this, two threads are 3 to 5 % faster at k = 8 and 16.
const LOOKS: u32 = 40_000;

/// A barrier that opens for good when one of its threads panics.
#[derive(Debug)]
struct Gate {
    threads: usize,
    /// [`LOOKS`], or none if there are more threads than cores: the others want this one.
    looks: u32,
    state: Mutex<GateState>,
    opened: Condvar,
    /// How often it has opened; written with the state held.
    passages: AtomicU64,
}

#[derive(Debug, Default)]
struct GateState {
    waiting: usize,
    given_up: bool,
}

impl Gate {
    fn new(threads: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self {
            threads,
            looks: if threads <= cores { LOOKS } else { 0 },
            state: Mutex::default(),
            opened: Condvar::new(),
            passages: AtomicU64::new(0),
        }
    }

    fn state(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wait for all threads.
    ///
    /// # Panics
    /// If another thread has: the run is lost.
    fn pass(&self) {
        if self.threads == 1 {
            return;
        }
        let mut state = self.state();
        let passage = self.passages.load(Relaxed);
        state.waiting += 1;
        if state.waiting == self.threads {
            state.waiting = 0;
            self.passages.store(passage + 1, Release);
            self.opened.notify_all();
        } else {
            drop(state);
            for _ in 0..self.looks {
                if self.passages.load(Acquire) != passage {
                    break;
                }
                std::hint::spin_loop();
            }
            state = self.state();
            while self.passages.load(Relaxed) == passage && !state.given_up {
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
