//! Where all frames of a run went: what hosts sent arrived, is gone, or is still under way.
//!
//! Data packets, trimmed or not, and other frames (ACKs, NACKs, probes) are counted apart. Pause frames are no part of it: they live
//! on one link.

use std::fmt;

use super::RunResult;
use crate::packet::FrameCount;

/// Where the frames went that hosts sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// Data packets, trimmed or not.
    pub data: Account,
    /// All other frames but those that pause.
    pub other: Account,
}

/// Where frames of one kind went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Frames whose last bit left a host.
    pub sent: u64,
    /// Frames that hosts took in, and for the first time.
    pub delivered: u64,
    /// Data packets that their receivers had already.
    pub duplicates: u64,
    /// Data packets that their receivers did not keep.
    pub discarded: u64,
    /// Data packets that arrived without their payload.
    pub trimmed: u64,
    /// Frames that ports dropped.
    pub dropped: u64,
    /// Frames that links lost.
    pub lost: u64,
    /// Frames that switches had no uplink for.
    pub unroutable: u64,
    /// Frames in switches at the end.
    pub queued: u64,
    /// Frames between two nodes at the end.
    pub on_wires: u64,
}

impl Audit {
    /// The audit of a finished run.
    #[must_use]
    pub fn of(result: &RunResult) -> Self {
        let links = &result.links;
        let sum = |of: fn(&super::LinkResult) -> u64| links.iter().map(of).sum::<u64>();
        let (arrivals, failures) = (&result.arrivals, &result.failures);
        let FrameCount { data, other } = result.on_wires;
        let dropped = sum(|link| link.dropped_control_packets);
        let lost = sum(|link| link.lost_control_packets);
        Self {
            data: Account {
                sent: result.data_packets,
                delivered: arrivals.first,
                duplicates: arrivals.duplicates,
                discarded: arrivals.discarded,
                trimmed: arrivals.trimmed,
                dropped: sum(|link| link.dropped_packets) - dropped,
                lost: sum(|link| link.lost_packets) - lost,
                unroutable: failures.unroutable_data_packets,
                queued: sum(|link| link.queued.data),
                on_wires: data,
            },
            other: Account {
                sent: result.ack_packets,
                delivered: arrivals.other,
                dropped,
                lost,
                unroutable: failures.unroutable_packets - failures.unroutable_data_packets,
                queued: sum(|link| link.queued.other),
                on_wires: other,
                ..Account::default()
            },
        }
    }

    /// Whether no frame appeared or vanished.
    #[must_use]
    pub const fn adds_up(&self) -> bool {
        self.data.adds_up() && self.other.adds_up()
    }
}

impl Account {
    /// All frames that are known of.
    const fn found(&self) -> u64 {
        let in_hosts = self.delivered + self.duplicates + self.discarded + self.trimmed;
        let gone = self.dropped + self.lost + self.unroutable;
        in_hosts + gone + self.queued + self.on_wires
    }

    const fn adds_up(&self) -> bool {
        self.sent == self.found()
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.adds_up() { "=" } else { "!=" };
        write!(f, "{} sent {sign} {} delivered", self.sent, self.delivered)?;
        for (count, what) in [
            (self.duplicates, "duplicates"),
            (self.discarded, "discarded"),
            (self.trimmed, "trimmed"),
            (self.dropped, "dropped"),
            (self.lost, "lost"),
            (self.unroutable, "unroutable"),
            (self.queued + self.on_wires, "in flight"),
        ] {
            if count > 0 {
                write!(f, " + {count} {what}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "data {}; other {}", self.data, self.other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_is_named_by_where_it_went() {
        let data = Account {
            sent: 45,
            delivered: 1,
            duplicates: 2,
            discarded: 3,
            trimmed: 4,
            dropped: 5,
            lost: 6,
            unroutable: 7,
            queued: 8,
            on_wires: 9,
        };
        let other = Account {
            sent: 3,
            delivered: 3,
            ..Account::default()
        };
        let audit = Audit { data, other };
        assert!(audit.adds_up());
        assert_eq!(
            audit.to_string(),
            "data 45 sent = 1 delivered + 2 duplicates + 3 discarded + 4 trimmed + 5 dropped + 6 lost + 7 unroutable + 17 in flight; \
             other 3 sent = 3 delivered"
        );
    }

    #[test]
    fn a_frame_too_many_or_too_few_of_either_kind_is_seen() {
        let one = Account {
            sent: 1,
            ..Account::default()
        };
        let none = Account::default();
        let wrong = [
            Audit {
                data: one,
                other: none,
            },
            Audit {
                data: none,
                other: one,
            },
        ];
        assert!(wrong.iter().all(|audit| !audit.adds_up()));
        assert!(Audit::default().adds_up());
        assert_eq!(
            wrong[1].to_string(),
            "data 0 sent = 0 delivered; other 1 sent != 0 delivered"
        );
    }
}
