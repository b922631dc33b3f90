//! The connections of one host, and when each may be due.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::observed::Observed;
use super::reliable::received::Received;
use super::reliable::{Changes, Connection, TransportEnv};
use super::{Receiver, Sender};
use crate::cc::{CcEnv, Controller};
use crate::units::Time;

/// The connections of one host.
#[derive(Debug)]
pub(super) struct Connections {
    pub(super) env: TransportEnv,
    /// By local flow; those of later messages on a connection are not used.
    pub(super) senders: Vec<Connection>,
    /// By receiver; likewise.
    pub(super) receivers: Vec<Received>,
    /// When each connection may be due, the earliest first; some are stale.
    timers: BinaryHeap<Reverse<(Time, u32)>>,
    pub(super) changes: Changes,
    pub(super) observed: Observed,
}

impl Connections {
    pub(super) fn new(
        env: TransportEnv,
        controller: Controller,
        senders: &[Sender],
        receivers: &[Receiver],
    ) -> Self {
        let connection = |sender: &Sender| {
            let cc = CcEnv {
                path_rtt: sender.path_rtt,
                path_hops: sender.path_hops,
                ..env.cc
            };
            let control = controller.build(&cc);
            Connection::new(&env, control, sender.packets(), sender.paths)
        };
        let senders: Vec<Connection> = senders.iter().map(connection).collect();
        Self {
            env,
            observed: Observed::new(senders.iter().map(Connection::window)),
            senders,
            receivers: receivers.iter().map(|_| Received::default()).collect(),
            timers: BinaryHeap::new(),
            changes: Changes::default(),
        }
    }

    /// When a connection may next be due.
    #[inline]
    pub(super) fn due(&self) -> Time {
        self.timers
            .peek()
            .map_or(Time::NEVER, |Reverse((at, _))| *at)
    }

    /// Forget the first entries that nobody waits for any more: they would keep a run alive.
    pub(super) fn forget_stale(&mut self) {
        while let Some(&Reverse((at, number))) = self.timers.peek() {
            let connection = &mut self.senders[number as usize];
            if connection.armed == at {
                if connection.waits() {
                    return;
                }
                connection.armed = Time::NEVER;
            }
            self.timers.pop();
        }
    }

    /// See at `now` that the timers know of connection `number`'s deadline, which may have passed if the timeout has become shorter.
    pub(super) fn arm(&mut self, number: u32, now: Time) {
        let connection = &mut self.senders[number as usize];
        let deadline = connection.deadline().max(now);
        if deadline < connection.armed {
            connection.armed = deadline;
            self.timers.push(Reverse((deadline, number)));
        }
    }

    /// The connection whose timer is due at `now`, if the entry is not stale.
    pub(super) fn take_due(&mut self, now: Time) -> Option<u32> {
        let &Reverse((at, number)) = self.timers.peek()?;
        if at > now {
            return None;
        }
        self.timers.pop();
        let connection = &mut self.senders[number as usize];
        if connection.armed != at {
            return None;
        }
        connection.armed = Time::NEVER;
        Some(number)
    }
}
