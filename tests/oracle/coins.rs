//! What a port draws: its three random streams, and the frames that its link loses by chance.

use spraysim::packet::{Kind, Packet};
use spraysim::rng::{Domain, Rng};
use spraysim::scenario::Scenario;
use spraysim::settings::{LinkLoss, LossFrames};

use super::failures::Port;
use super::wiring::Wiring;

/// The streams of one port, and what its link loses.
#[derive(Debug)]
pub(crate) struct Coins {
    ecn: Rng,
    trim: Rng,
    loss: Rng,
    losses: Vec<LinkLoss>,
}

impl Coins {
    /// Those of the port `end`.
    pub(crate) fn new(end: Port, seed: u64, scenario: &Scenario, wiring: &Wiring) -> Self {
        let index = (end.0 as u64) << 16 | end.1 as u64;
        let stream = |domain| Rng::stream(seed, domain, index);
        let losses = scenario.fabric.losses.links.iter();
        Self {
            ecn: stream(Domain::EcnCoin),
            trim: stream(Domain::TrimCoin),
            loss: stream(Domain::LossCoin),
            losses: losses
                .filter(|l| is_about(l, end, wiring))
                .cloned()
                .collect(),
        }
    }

    /// Whether a data frame is marked that leaves a queue of `queued` bytes; thresholds in bytes.
    pub(crate) fn marks(&mut self, queued: u64, low: u64, high: Option<u64>) -> bool {
        let high = high.unwrap_or(low);
        if queued > high || queued <= low {
            return queued > high;
        }
        self.ecn.below_u64(high - low) < queued - low
    }

    /// Whether a queued frame is cut in place of the one that arrives.
    pub(crate) fn spares_the_arriving(&mut self) -> bool {
        self.trim.below(2) == 0
    }

    /// Whether the link loses a frame by chance: a draw for each entry of the list, whatever the others said.
    pub(crate) fn lose(&mut self, packet: &Packet) -> bool {
        let mut lost = false;
        for loss in &self.losses {
            let counts = match loss.frames {
                LossFrames::All => !packet.is_pause(),
                LossFrames::Data => matches!(packet.kind, Kind::Data | Kind::Probe),
                LossFrames::Control => packet.is_control(),
            };
            if counts {
                let draw = self.loss.below_u64(loss.probability.den);
                lost |= draw < loss.probability.num;
            }
        }
        lost
    }
}

/// Whether the entry is about the link that leaves by the port `end`. Either end may be named first.
fn is_about(loss: &LinkLoss, end: Port, wiring: &Wiring) -> bool {
    let (node, port) = end;
    let plug = wiring.plugs[node][port];
    let Some((one, other)) = &loss.link else {
        return plug.peer >= wiring.hosts;
    };
    let ends = [node, plug.peer].map(|node| wiring.name(node).to_string());
    let named = [one, other] == [&ends[0], &ends[1]] || [one, other] == [&ends[1], &ends[0]];
    named
        && loss
            .member
            .is_none_or(|member| member == wiring.member(node, port))
}
