//! DCTCP, Data Center TCP: a window that grows like TCP's and is cut by the fraction of its ACKs that echo a mark.
//!
//! Definition: Alizadeh et al., SIGCOMM 2010, and RFC 8257, in the form of htsim (`dctcp.cpp`, `tcp.cpp`): after about a window of ACKs
//! alpha moves by `gain` to the fraction of marked ones, and while it is above zero the window is cut by half of it, whether or not
//! the last ones were marked (the RFC cuts where they were: `cut_without_marks` `false`). A mark ends slow start. Each ACK that moves the
//! lowest missing packet grows the window, by at most one frame in slow start and one frame a window after it: ACKs of packets out of
//! order do not. A loss halves the window, once for all packets sent by then; a timeout leaves one frame.
//!
//! Our reading of the Ofan paper, which has DCTCP finish 4 MiB within 1 % of the bound and says no more: no handshake, a first window and
//! slow-start threshold of one bandwidth-delay product, timeouts of microseconds, and, as in htsim over several paths, a reordering
//! threshold of 3 and the number of paths (`transport.dup_threshold` `{"paths_plus": 3}`), most likely on htsim's TCP (`newreno`);
//! `configs/dctcp.json` has all of it, and [`dctcp_stock`](super::dctcp_stock) is what htsim has in its place.
//!
//! What is lost and sent again is the transport's matter, and so are TCP's inflated windows. While a recovery of `newreno` goes on the window
//! does not grow, and at its end it is at most a frame above what is in flight. With selective repeat all that is missing is known: more than
//! one packet a round trip comes again, and ACKs go on to grow the window. Windows are in frames, headers included.
//!
//! Our reading: a cut by alpha in a recovery is of the window that is not inflated. Not modelled: pacing, delayed ACKs.

mod params;
#[cfg(test)]
mod tests;

use super::{AckInfo, CcEnv, CongestionControl, LossInfo, Recovery, TimeoutInfo};
use crate::units::Ratio;
pub use params::Params;

/// What users read about it.
pub const ABOUT: &str =
    "DCTCP: TCP's window, cut by the fraction of ACKs that echo a mark; needs a transport.";

/// DCTCP at one sender.
#[derive(Clone, Debug)]
pub struct Dctcp {
    /// Bytes, at least one frame.
    window: u64,
    ssthresh: u64,
    frame: u64,
    max_window: u64,
    gain: f64,
    cut_without_marks: bool,
    /// The estimated fraction of ACKs that echo a mark.
    alpha: f64,
    /// ACKs since alpha last moved, and those of them with a mark.
    seen: u64,
    marked: u64,
    /// Bytes of ACKed packets after which it moves again.
    past_window: u64,
    /// Losses of packets below this have been answered.
    recover: u32,
    decision: &'static str,
}

impl Dctcp {
    fn new(params: &Params, env: &CcEnv) -> Self {
        let frame = u64::from(env.frame_bytes);
        let max_window = params
            .max_window_packets
            .map_or(u64::MAX, |packets| packets * frame);
        let first = params.initial_window_packets.map_or_else(
            || {
                let Ratio { num, den } = params.initial_window_bdp;
                let bytes = u128::from(env.bdp_bytes) * u128::from(num) / u128::from(den);
                u64::try_from(bytes).unwrap_or(u64::MAX)
            },
            |packets| packets * frame,
        );
        let window = first.max(frame).min(max_window);
        let ssthresh = params
            .ssthresh_packets
            .map_or(window, |packets| packets * frame);
        Self {
            window,
            ssthresh,
            frame,
            max_window,
            gain: params.gain.as_f64(),
            cut_without_marks: params.cut_without_marks,
            alpha: 0.0,
            seen: 0,
            marked: 0,
            past_window: 2 * frame,
            recover: 0,
            decision: "",
        }
    }

    /// A window of ACKs, about, has come (`DCTCPSrc::receivePacket`): whether the window was cut.
    fn estimate(&mut self) -> bool {
        if self.seen.saturating_mul(self.frame) < self.past_window {
            return false;
        }
        let had_marks = self.marked > 0;
        let fraction = self.marked as f64 / self.seen as f64;
        self.alpha = (1.0 - self.gain) * self.alpha + self.gain * fraction;
        (self.seen, self.marked) = (0, 0);
        let cuts = self.alpha > 0.0 && (had_marks || self.cut_without_marks);
        if cuts {
            let less = (self.window as f64 * (1.0 - self.alpha / 2.0)) as u64;
            self.window = less.max(self.frame);
            self.ssthresh = self.window;
        }
        self.past_window = self.window;
        cuts
    }

    /// TCP's growth (`TcpSrc::inflate_window`), by what of the window is not in flight.
    fn inflate(&mut self, in_flight: u64) {
        let newly = self.window.saturating_sub(in_flight).min(self.frame);
        let grown = if self.window < self.ssthresh {
            self.window.saturating_add(newly).min(self.ssthresh)
        } else {
            let more = u128::from(newly) * u128::from(self.frame) / u128::from(self.window);
            self.window.saturating_add(more as u64)
        };
        self.window = grown.min(self.max_window).max(self.frame);
    }

    /// A recovery is over: no burst follows, even if little is in flight.
    fn resume(&mut self, in_flight: u64) {
        let allowed = in_flight.saturating_add(self.frame);
        self.window = self.window.min(self.ssthresh).min(allowed);
    }

    /// A loss (`deflate_window`).
    fn deflate(&mut self, next_psn: u32) {
        self.ssthresh = (self.window / 2).max(2 * self.frame).min(self.max_window);
        (self.seen, self.marked) = (0, 0);
        self.past_window = self.window;
        self.recover = next_psn;
    }
}

impl Params {
    /// The controller of a connection of `env`.
    #[must_use]
    pub fn build(&self, env: &CcEnv) -> Dctcp {
        Dctcp::new(self, env)
    }
}

impl CongestionControl for Dctcp {
    fn on_ack(&mut self, ack: &AckInfo) {
        if ack.probe {
            self.decision = "hold";
            return;
        }
        self.seen += 1;
        if ack.marked {
            self.marked += 1;
            self.ssthresh = self.ssthresh.min(self.window);
        }
        let is_cut = self.estimate();
        let is_over = ack.recovery == Recovery::Ended;
        let grows = ack.advanced && ack.recovery == Recovery::None;
        if grows {
            self.inflate(ack.in_flight);
        } else if is_over {
            self.resume(ack.in_flight);
        }
        self.decision = match (is_cut, grows, is_over) {
            (true, true, _) => "cut+increase",
            (true, false, true) => "cut+resume",
            (true, false, false) => "cut",
            (false, true, _) => "increase",
            (false, false, true) => "resume",
            (false, false, false) => "hold",
        };
    }

    fn on_loss(&mut self, loss: &LossInfo) {
        self.decision = "recover";
        if loss.psn >= self.recover {
            self.deflate(loss.next_psn);
            self.window = self.ssthresh;
            self.decision = "halve";
        }
    }

    fn on_timeout(&mut self, timeout: &TimeoutInfo) {
        if timeout.psn >= self.recover || self.window > self.frame {
            self.deflate(timeout.next_psn);
        }
        self.window = self.frame;
        self.decision = "timeout";
    }

    #[inline]
    fn window(&self) -> u64 {
        self.window
    }

    fn decision(&self) -> &'static str {
        self.decision
    }
}
