//! Priority flow control in a switch: what came in by each port and has not left, and when the neighbour there is paused.
//!
//! Where control frames have priority, a pause does not stop them, so they do not count: else no headroom would be enough.

use spraysim::packet::{Kind, Packet};
use spraysim::scenario::Scenario;
use spraysim::settings::{Lossless, QueueKind, SharedBuffer};

use super::ports::Wire;

/// What came in by one port.
#[derive(Clone, Copy, Debug, Default)]
struct Ingress {
    bytes: u64,
    paused: bool,
    /// Without a shared buffer: a pause above this, a resume not above that.
    high: u64,
    low: u64,
    /// Most bytes above the threshold.
    headroom: u64,
    /// The threshold at which it was paused last.
    paused_at: u64,
}

/// The counters of a lossless switch.
#[derive(Debug)]
pub(crate) struct Pfc {
    /// With a shared buffer: the buffer, and how far below the threshold it resumes.
    shared: Option<(SharedBuffer, u64)>,
    pub(crate) frame_bytes: u32,
    control_priority: bool,
    ports: Vec<Ingress>,
}

/// The largest frame but for pause frames.
fn largest_frame(scenario: &Scenario) -> u64 {
    let format = &scenario.packet;
    let data = format.payload_bytes + format.header_bytes;
    // Frames without a size of their own count as 64 bytes.
    data.max(format.ack_bytes).max(64).into()
}

/// Bytes that may still come in after the decision to pause.
pub(crate) fn needed_headroom(lossless: &Lossless, scenario: &Scenario, wire: &Wire) -> u64 {
    let bits = u128::from(wire.latency.0) * u128::from(wire.rate.bits_per_sec()) * 2;
    let on_wires = bits.div_ceil(8_000_000_000_000) as u64;
    let frames = 3 * largest_frame(scenario) + u64::from(lossless.pause_frame_bytes);
    frames + 2 * wire.gap_bytes + on_wires
}

impl Pfc {
    /// That of a switch with these ports, if it is lossless.
    pub(crate) fn new(scenario: &Scenario, wires: &[Wire]) -> Option<Self> {
        let QueueKind::Lossless(lossless) = scenario.fabric.queue.kind else {
            return None;
        };
        let port = |wire: &Wire| {
            let needed = needed_headroom(&lossless, scenario, wire);
            let headroom = lossless.headroom_bytes.unwrap_or(needed);
            let left = wire.buffer.map(|buffer| buffer.saturating_sub(headroom));
            let high = lossless.pause_bytes.or(left).unwrap_or(u64::MAX);
            Ingress {
                high,
                low: lossless.resume_bytes.unwrap_or(high / 2),
                ..Ingress::default()
            }
        };
        let frame = scenario.packet.payload_bytes + scenario.packet.header_bytes;
        let offset = lossless
            .resume_offset_bytes
            .unwrap_or_else(|| 2 * u64::from(frame));
        let shared = scenario.fabric.queue.shared_buffer;
        Some(Self {
            shared: shared.map(|shared| (shared, offset)),
            frame_bytes: lossless.pause_frame_bytes,
            control_priority: scenario.fabric.queue.control_priority,
            ports: wires.iter().map(port).collect(),
        })
    }

    fn counts(&self, packet: &Packet) -> bool {
        let passes = self.control_priority && packet.is_control();
        !packet.is_pause() && !passes
    }

    /// `alpha` times what is free, by the denominator of `alpha`; and that.
    fn threshold(&self, shared: SharedBuffer) -> (u128, u128) {
        let total: u64 = self.ports.iter().map(|port| port.bytes).sum();
        let free = shared.bytes.saturating_sub(total);
        let product = u128::from(free) * u128::from(shared.alpha.num);
        (product, shared.alpha.den.into())
    }

    /// A frame has come in: the pause frame that goes back, if any.
    pub(crate) fn arrive(&mut self, packet: &Packet) -> Option<Kind> {
        if !self.counts(packet) {
            return None;
        }
        let ingress = usize::from(packet.ingress);
        self.ports[ingress].bytes += u64::from(packet.size);
        let bytes = self.ports[ingress].bytes;
        let high = match self.shared {
            None => self.ports[ingress].high,
            Some((shared, _)) => {
                let (product, by) = self.threshold(shared);
                u64::try_from(product / by).unwrap_or(u64::MAX)
            }
        };
        let port = &mut self.ports[ingress];
        // `bytes` is whole, so it is above a threshold if it is above the whole part of it.
        let pauses = bytes > high && !port.paused;
        if pauses {
            port.paused = true;
            port.paused_at = high;
        }
        // Headroom begins at the threshold of the instant at which the neighbour was told.
        if port.paused {
            port.headroom = port.headroom.max(bytes.saturating_sub(port.paused_at));
        }
        pauses.then_some(Kind::Pause)
    }

    /// A frame has left: the pause frame that goes where it came from, if any.
    pub(crate) fn leave(&mut self, packet: &Packet) -> Option<Kind> {
        if !self.counts(packet) {
            return None;
        }
        let ingress = usize::from(packet.ingress);
        self.ports[ingress].bytes -= u64::from(packet.size);
        let bytes = self.ports[ingress].bytes;
        let low_enough = match self.shared {
            None => bytes <= self.ports[ingress].low,
            Some((shared, offset)) => {
                let (product, by) = self.threshold(shared);
                bytes == 0 || u128::from(bytes + offset) * by <= product
            }
        };
        let port = &mut self.ports[ingress];
        let resumes = low_enough && port.paused;
        port.paused &= !resumes;
        resumes.then_some(Kind::Resume)
    }

    /// Most bytes above the threshold that came in by `ingress`.
    pub(crate) fn headroom(&self, ingress: usize) -> u64 {
        self.ports[ingress].headroom
    }
}
