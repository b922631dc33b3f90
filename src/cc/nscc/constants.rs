//! What of NSCC does not change while a flow runs (uet-htsim: `initNsccParams`).

use super::params::{BaseRtt, Params};
use crate::cc::CcEnv;
use crate::units::{Rate, Ratio, Span};

/// The constants of one flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants {
    /// RTT of the idle network across the tree.
    pub(super) network_rtt: Span,
    /// The base RTT that the flow starts with.
    pub(super) first_base_rtt: Span,
    pub(super) base_rtt_on_nack: bool,
    rate: Rate,
    max_window_bdp: Ratio,
    /// The first window, if it is not the largest.
    pub(super) first_window: Option<u64>,
    pub(super) min_window: u64,
    /// Target of the queueing delay.
    pub(super) target: Span,
    pub(super) quick_adapt: bool,
    pub(super) qa_gate: u32,
    pub(super) qa_threshold: Span,
    /// Bytes a picosecond.
    pub(super) alpha: f64,
    /// Bytes.
    pub(super) fair_increase: f64,
    /// Bytes.
    pub(super) eta: f64,
    pub(super) fast_increase: f64,
    pub(super) fast_increase_delay: Span,
    pub(super) gamma: f64,
    /// What is left of the window after the largest decrease.
    pub(super) least_factor: f64,
    pub(super) delay_gain: f64,
    pub(super) unmarked_delay_rtts: f64,
    pub(super) adjust_bytes: u64,
    pub(super) adjust_period: Span,
}

impl Constants {
    pub(super) fn new(params: &Params, env: &CcEnv) -> Self {
        let frame = u64::from(env.frame_bytes).max(1);
        let payload = f64::from(env.payload_bytes);
        let network_rtt = env.base_rtt;
        let reference_rtt = params.reference_rtt.0 as f64;
        let reference_bdp = reference_rtt * params.reference_rate.bits_per_sec() as f64 / BYTE;
        // Scaling factor a of the UEC specification. Its factor b, the target over the reference RTT, cancels in alpha.
        let scale = env.bdp_bytes as f64 / reference_bdp;
        let share = Ratio {
            num: if env.trims { 3 } else { 4 },
            den: 4,
        };
        let target = params.target.unwrap_or_else(|| part(network_rtt, share));
        Self {
            network_rtt,
            first_base_rtt: match params.base_rtt {
                BaseRtt::Network => network_rtt,
                BaseRtt::Path => env.path_rtt,
            },
            base_rtt_on_nack: params.base_rtt_on_nack,
            rate: env.rate,
            max_window_bdp: params.max_window_bdp,
            first_window: params
                .initial_window_packets
                .map(|packets| packets.saturating_mul(frame)),
            min_window: params.min_window_packets.max(1).saturating_mul(frame),
            target,
            quick_adapt: params.quick_adapt,
            qa_gate: params.qa_gate,
            qa_threshold: part(target, params.qa_threshold_targets),
            alpha: params.alpha.as_f64() * payload * scale / reference_rtt,
            fair_increase: params.fair_increase.as_f64() * payload * scale,
            eta: params.eta.as_f64() * payload * scale,
            fast_increase: params.fast_increase.as_f64() * scale,
            fast_increase_delay: params.fast_increase_delay,
            gamma: params.gamma.as_f64(),
            least_factor: 1.0 - params.max_decrease.as_f64(),
            delay_gain: params.delay_gain.as_f64(),
            unmarked_delay_rtts: params.unmarked_delay_rtts.as_f64(),
            adjust_bytes: params.adjust_packets.saturating_mul(frame),
            adjust_period: part(network_rtt, params.adjust_period_rtts),
        }
    }

    /// The largest window of a flow with this base RTT: so many bandwidth-delay products, but never below the smallest window.
    pub(super) fn max_window(&self, base_rtt: Span) -> u64 {
        let bits = u128::from(base_rtt.0) * u128::from(self.rate.bits_per_sec());
        let bdp = saturated(bits / 8_000_000_000_000);
        times(bdp, self.max_window_bdp).max(self.min_window)
    }
}

/// Bits a byte times picoseconds a second.
const BYTE: f64 = 8e12;

fn saturated(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// `count` times `by`, rounded down, at most 2^64 - 1.
fn times(count: u64, by: Ratio) -> u64 {
    saturated(u128::from(count) * u128::from(by.num) / u128::from(by.den))
}

/// So many times `span`, rounded down.
fn part(span: Span, by: Ratio) -> Span {
    Span(times(span.0, by))
}
