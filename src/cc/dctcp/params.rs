//! The parameters of DCTCP.

use crate::fields::{flag, integer, nullable, params, up_to};
use crate::units::Ratio;

params! {
    /// The parameters of DCTCP.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Params {
        /// Weight of the last window's fraction of marked ACKs in alpha (g of the DCTCP paper)
        pub gain: Ratio = key("gain", up_to(1), default = Ratio::millionths(62_500)),
        /// The first window in bandwidth-delay products, at least one frame; our reading of the Ofan paper
        pub initial_window_bdp: Ratio = key("initial_window_bdp", up_to(1_000), default = Ratio::millionths(1_000_000)),
        /// The same in full frames, whatever initial_window_bdp says (htsim: 10); null: initial_window_bdp says it
        pub initial_window_packets: Option<u64> = key("initial_window_packets", nullable(integer(1..=1_000_000)), default = None),
        /// The first slow-start threshold in full frames (htsim: 100); null: the first window, so that there is no slow start
        pub ssthresh_packets: Option<u64> = key("ssthresh_packets", nullable(integer(1..=1_000_000)), default = None),
        /// The largest window in full frames; null: none
        pub max_window_packets: Option<u64> = key("max_window_packets", nullable(integer(1..=1_000_000)), default = None),
        /// Whether a window without marks is cut too, by what is left of alpha (htsim); the DCTCP paper and RFC 8257: false
        pub cut_without_marks: bool = key("cut_without_marks", flag(), default = true),
    }
}
