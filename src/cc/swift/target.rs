//! The delay that a flow aims at (htsim: `targetDelay`).

use super::params::Params;
use crate::cc::CcEnv;
use crate::units::Span;

/// The target of one flow: a base, and what flow scaling adds.
#[derive(Clone, Copy, Debug)]
pub(in crate::cc) struct Target {
    base: Base,
    /// The most that flow scaling adds, in picoseconds; zero: there is none.
    range: f64,
    /// It adds `steep` / sqrt(window in frames) + `offset`, within 0 and `range`.
    steep: f64,
    offset: f64,
}

#[derive(Clone, Copy, Debug)]
enum Base {
    /// A full RTT in picoseconds.
    Fixed(f64),
    /// So much above the base RTT.
    Above(Span),
}

/// A hop's part of a base target that is told: 1 / 6.55 of it (htsim).
const HOPS_A_TARGET: f64 = 6.55;
/// The range of flow scaling in base targets (htsim).
const RANGE_TARGETS: f64 = 5.0;

impl Target {
    /// So much above the base RTT, whatever the window.
    pub(in crate::cc) fn above(queueing: Span) -> Self {
        Self {
            base: Base::Above(queueing),
            range: 0.0,
            steep: 0.0,
            offset: 0.0,
        }
    }

    /// Swift's.
    pub(super) fn scaled(params: &Params, env: &CcEnv) -> Self {
        let ps = |span: Span| span.0 as f64;
        let queueing = params.shared.target;
        let told = params.base_target.map(ps);
        let base = told.unwrap_or_else(|| ps(env.path_rtt) + ps(queueing));
        let hop = params.hop.map(ps);
        let hop = hop.unwrap_or_else(|| told.map_or(0.0, |base| base / HOPS_A_TARGET));
        let hops = hop * f64::from(env.path_hops);
        let range = params.fs_range.map(ps).unwrap_or(RANGE_TARGETS * base);
        // Nothing at the largest window, the range at the smallest.
        let root = |frames: f64| 1.0 / frames.sqrt();
        let (least, most) = (params.fs_min.as_f64(), params.fs_max.as_f64());
        let steep = range / (root(least) - root(most));
        Self {
            base: match told {
                Some(base) => Base::Fixed(base + hops),
                None => Base::Above(Span(queueing.0.saturating_add(hops as u64))),
            },
            range,
            steep,
            offset: -steep * root(most),
        }
    }

    /// The target, in picoseconds, of a flow with this base RTT and a window of so many frames.
    #[inline]
    pub(super) fn at(&self, base_rtt: Span, frames: f64) -> f64 {
        let base = match self.base {
            Base::Fixed(base) => base,
            Base::Above(queueing) => base_rtt.0 as f64 + queueing.0 as f64,
        };
        if self.range > 0.0 {
            base + (self.steep / frames.sqrt() + self.offset).clamp(0.0, self.range)
        } else {
            base
        }
    }
}
