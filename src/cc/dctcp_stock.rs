//! DCTCP as htsim ships it: [`dctcp`] with the first window and slow-start threshold of htsim's TCP.
//!
//! Definition: the constructors of `TcpSrc` and `DCTCPSrc`: 10 packets, a threshold of 100, alpha 0 at first, a gain of 1/16, cuts without
//! marks. All else of htsim's TCP is the transport's, and a scenario that names this must have that: `newreno` after a handshake, with an
//! estimated timeout; `configs/dctcp_stock.json` has its numbers too (3 duplicates, 250 ms at least). What of it the paper cannot have run with is said
//! at [`dctcp`].
//!
//! Our reading: windows are in full frames, headers included, as htsim's packets have none. Not modelled: the frame that the answer to a SYN
//! brings the window there.

use super::CcEnv;
use super::dctcp::{self, Dctcp};
use crate::fields::{flag, integer, nullable, params, up_to};
use crate::units::Ratio;

/// What users read about it.
pub const ABOUT: &str =
    "DCTCP with the first window and threshold of htsim's TCP; needs newreno with a handshake.";

params! {
    /// The parameters: those of DCTCP, but that the first window is in frames.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Params {
        /// Weight of the last window's fraction of marked ACKs in alpha (g of the DCTCP paper)
        pub gain: Ratio = key("gain", up_to(1), default = Ratio::millionths(62_500)),
        /// The first window in full frames
        pub initial_window_packets: u64 = key("initial_window_packets", integer(1..=1_000_000), default = 10),
        /// The first slow-start threshold in full frames
        pub ssthresh_packets: u64 = key("ssthresh_packets", integer(1..=1_000_000), default = 100),
        /// The largest window in full frames; null: none
        pub max_window_packets: Option<u64> = key("max_window_packets", nullable(integer(1..=1_000_000)), default = None),
        /// Whether a window without marks is cut too, by what is left of alpha (htsim); the DCTCP paper and RFC 8257: false
        pub cut_without_marks: bool = key("cut_without_marks", flag(), default = true),
    }
}

impl Params {
    /// The controller of a connection of `env`.
    #[must_use]
    pub fn build(&self, env: &CcEnv) -> Dctcp {
        let params = dctcp::Params {
            gain: self.gain,
            initial_window_packets: Some(self.initial_window_packets),
            ssthresh_packets: Some(self.ssthresh_packets),
            max_window_packets: self.max_window_packets,
            cut_without_marks: self.cut_without_marks,
            ..dctcp::Params::default()
        };
        params.build(env)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::testing::{ACK, ENV, LOSS, TIMEOUT, read};
    use crate::cc::{AckInfo, CongestionControl, Recovery};

    /// An ACK of a frame of a window that is in use.
    fn ack(control: &Dctcp, marked: bool) -> AckInfo {
        AckInfo {
            marked,
            in_flight: control.window() - 1_000,
            ..ACK
        }
    }

    #[test]
    fn it_starts_with_ten_frames_and_doubles_each_round_trip_up_to_a_hundred() {
        let mut control = Params::default().build(&ENV);
        let mut windows = Vec::new();
        for _ in 0..4 {
            windows.push(control.window());
            for _ in 0..control.window() / 1_000 {
                let ack = ack(&control, false);
                control.on_ack(&ack);
            }
        }
        assert_eq!(windows[..], [10_000, 20_000, 40_000, 80_000]);
        // 20 ACKs more of slow start, then 60 that bring a frame a window, in whole bytes: 10, then 9 each.
        assert_eq!(control.window(), 100_000 + 10 + 59 * 9);
    }

    #[test]
    fn a_mark_ends_its_slow_start() {
        let mut control = Params::default().build(&ENV);
        for _ in 0..10 {
            let ack = ack(&control, false);
            control.on_ack(&ack);
        }
        let marked = ack(&control, true);
        control.on_ack(&marked);
        assert!((20_000..20_100).contains(&control.window()));
    }

    #[test]
    fn losses_and_recoveries_are_those_of_dctcp() {
        let mut control = Params::default().build(&ENV);
        control.on_loss(&LOSS);
        assert_eq!((control.window(), control.decision()), (5_000, "halve"));
        let over = AckInfo {
            recovery: Recovery::Ended,
            in_flight: 1_000,
            ..ACK
        };
        control.on_ack(&over);
        assert_eq!((control.window(), control.decision()), (2_000, "resume"));
        control.on_timeout(&TIMEOUT);
        assert_eq!((control.window(), control.decision()), (1_000, "timeout"));
    }

    #[test]
    fn each_parameter_is_read_into_its_place() {
        let text = r#"{"gain": 0.5, "initial_window_packets": 2, "ssthresh_packets": 3, "max_window_packets": 4,
            "cut_without_marks": false}"#;
        let expected = Params {
            gain: Ratio {
                num: 500_000,
                den: 1_000_000,
            },
            initial_window_packets: 2,
            ssthresh_packets: 3,
            max_window_packets: Some(4),
            cut_without_marks: false,
        };
        assert_eq!(read::<Params>(text), (expected, vec![]));
    }
}
