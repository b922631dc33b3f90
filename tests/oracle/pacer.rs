//! A host's pacer.

use spraysim::rng::{Domain, Rng};
use spraysim::scenario::Scenario;
use spraysim::units::{Ratio, Span, Time};

use super::flows::slot;
use super::imperfect::{Fine, drift};

/// When a host's data packets become due.
#[derive(Debug)]
pub(crate) struct Pacer {
    /// Whether data waits for its time at all.
    paced: bool,
    load: Ratio,
    /// How slow the host's clock is, in parts in 10^12.
    drift: u64,
    /// Jitter is uniform below this; 0: none.
    jitter_range: u64,
    /// A packet that was late makes all later ones of the busy period as late again.
    adds: bool,
    draws: Rng,
    /// Packets of active flows that the NIC has not started.
    pub(crate) unsent: u64,
    /// Start of the busy period, if there has been one.
    base: Option<Time>,
    /// Wire time of the data sent in this busy period.
    wire: Span,
    /// Jitter of the next packet, once drawn.
    jitter: Option<Span>,
}

impl Pacer {
    /// `load` is the fraction of line rate, not of rho_max.
    pub(crate) fn new(host: usize, seed: u64, scenario: &Scenario, load: Ratio) -> Self {
        let pct = scenario.workload.pacing_jitter_pct;
        let slot = u128::from(slot(scenario).0);
        let range = slot * u128::from(pct.num) * u128::from(load.den)
            / (100 * u128::from(pct.den) * u128::from(load.num));
        Self {
            paced: load.num != load.den || pct.num != 0,
            load,
            drift: drift(scenario, host, seed),
            jitter_range: u64::try_from(range).expect("a jitter in 64 bits"),
            adds: scenario.workload.pacing_jitter_adds,
            draws: Rng::stream(seed, Domain::PacingJitter, host as u64),
            unsent: 0,
            base: None,
            wire: Span::ZERO,
            jitter: None,
        }
    }

    /// `packets` packets come to be sent: a flow activates, or they were lost.
    pub(crate) fn activate(&mut self, now: Time, packets: u64) {
        if self.unsent == 0 {
            let next = self.base.map(|base| self.on_grid(base));
            self.base = Some(next.map_or(now, |next| next.max(now)));
            self.wire = Span::ZERO;
        }
        self.unsent += packets;
    }

    /// When the next packet is due without jitter, in the busy period from `base`.
    fn on_grid(&self, base: Time) -> Time {
        Fine::at(base)
            .after(self.load.stretch(self.wire), self.drift)
            .time()
    }

    /// When the next data packet is due. Called only while there are unsent packets.
    pub(crate) fn due(&mut self) -> Time {
        assert!(self.unsent > 0, "no packet to wait for");
        if !self.paced {
            return Time::ZERO;
        }
        let (range, draws) = (self.jitter_range, &mut self.draws);
        let jitter = *self.jitter.get_or_insert_with(|| match range {
            0 => Span::ZERO,
            _ => Span(draws.below_u64(range)),
        });
        self.on_grid(self.base.expect("a busy period")) + jitter
    }

    /// So many packets need not be sent after all.
    pub(crate) fn forget(&mut self, packets: usize) {
        self.unsent -= packets as u64;
    }

    /// A data packet that takes `wire` (gap included) is sent.
    pub(crate) fn sent(&mut self, wire: Span) {
        self.unsent -= 1;
        self.wire += wire;
        let jitter = self.jitter.take();
        if let Some((base, jitter)) = self.base.zip(jitter).filter(|_| self.adds) {
            self.base = Some(base + jitter);
        }
    }
}
