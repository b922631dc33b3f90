//! What tests of ports and banks share: an outbox that keeps what is posted, frames, and rules at 10 ps a byte.

use super::{Bins, Full, Lane, Limits, Marking, Place, Port, Rules};
use crate::engine::{Context, Outbox};
use crate::link::Link;
use crate::packet::{AckRecord, Kind, Packet};
use crate::probe::{Sending, Tally};
use crate::rng::{Domain, Rng};
use crate::units::{Rate, Span, Time};

/// From the last bit out to the last bit in.
pub(crate) const LATENCY: u64 = 500;
/// After each frame.
pub(crate) const GAP: u64 = 20;

/// What was posted, in order, with the node that it goes to.
#[derive(Debug, Default)]
pub(crate) struct Posted(pub(crate) Vec<(u32, Packet)>);

impl Outbox for Posted {
    fn post(&mut self, to: u32, packet: &Packet, at: Time, ingress: u16) {
        self.0.push((to, packet.landing(at, ingress)));
    }

    fn notify(&mut self, _: u32, _: Packet) {}

    fn tell(&mut self, _: u32, _: AckRecord) {}

    fn wake(&mut self, _: u32, _: Time) {}
}

impl Posted {
    /// When the last bit of each frame left, and its kind and number.
    pub(crate) fn left(&self) -> Vec<(u64, Kind, u32)> {
        let left = |(_, p): &(u32, Packet)| (p.time.0 - LATENCY, p.kind, p.psn);
        self.0.iter().map(left).collect()
    }
}

/// Counters of one stage.
pub(crate) fn tally() -> Tally {
    let sending = Sending {
        hosts: 1,
        ..Sending::NOBODY
    };
    Tally::new(1, 0, sending)
}

/// Run `step` with an outbox.
pub(crate) fn with<T>(
    out: &mut Posted,
    tally: &mut Tally,
    step: impl FnOnce(&mut Context<'_, Posted>) -> T,
) -> T {
    step(&mut Context { out, tally })
}

/// Frame number `psn`, of `size` bytes.
pub(crate) fn frame(kind: Kind, psn: u32, size: u32) -> Packet {
    // Ports do not read what tells these frames from pause frames, but for the kind.
    Packet {
        psn,
        ..Packet::pause_frame(kind, size)
    }
}

/// A port at 800 Gb/s with a buffer of `buffer_bytes`, which marks nothing.
pub(crate) fn rules(full: Full, buffer_bytes: u64, control_priority: bool) -> Rules {
    Rules {
        lane: Lane {
            link: Link {
                rate: Rate::from_gbps(800),
                latency: Span(LATENCY),
                gap: Span(GAP),
            },
            limits: Limits {
                buffer_bytes,
                ecn_threshold_bytes: u64::MAX,
            },
        },
        full,
        control_priority,
        marking: Marking {
            min_bytes: u64::MAX,
            max_bytes: u64::MAX,
            counts_departing: true,
        },
    }
}

/// Port number `port`, which leads to port 7 of node 100 + `port`.
pub(crate) fn place(port: u16) -> Place {
    Place {
        port,
        peer: 100 + u32::from(port),
        peer_port: 7,
        stage: 0,
        bins: Bins::None,
    }
}

/// A port without faults and losses.
pub(crate) fn port(number: u16) -> Port {
    Port::new(place(number), coins(), None, None)
}

/// The streams of a port.
pub(crate) fn coins() -> [Rng; 2] {
    [Domain::EcnCoin, Domain::TrimCoin].map(|domain| Rng::stream(1, domain, 0))
}
