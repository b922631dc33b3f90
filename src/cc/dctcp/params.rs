//! The parameters of DCTCP.

use crate::cc::params::{millionths, up_to};
use crate::fields::{Fields, ParamDoc};
use crate::units::Ratio;

pub(in crate::cc) const GAIN: ParamDoc = ParamDoc {
    name: "gain",
    allowed: "a number from 0 to 1, down to a millionth",
    default: "0.0625",
    about: "Weight of the last window's fraction of marked ACKs in alpha (g of the DCTCP paper)",
};

pub(in crate::cc) const MAX_WINDOW: ParamDoc = ParamDoc {
    name: "max_window_packets",
    allowed: "null, or an integer from 1 to 1000000",
    default: "null",
    about: "The largest window in full frames; null: none",
};

pub(in crate::cc) const CUT_WITHOUT_MARKS: ParamDoc = ParamDoc {
    name: "cut_without_marks",
    allowed: "true or false",
    default: "true",
    about: "Whether a window without marks is cut too, by what is left of alpha (htsim); the DCTCP paper and RFC 8257: false",
};

/// The parameters as users see them.
pub const PARAMS: &[ParamDoc] = &[
    GAIN,
    ParamDoc {
        name: "initial_window_bdp",
        allowed: "a number from 0 to 1000, down to a millionth",
        default: "1",
        about: "The first window in bandwidth-delay products, at least one frame; our reading of the Ofan paper",
    },
    ParamDoc {
        name: "initial_window_packets",
        allowed: "null, or an integer from 1 to 1000000",
        default: "null",
        about: "The same in full frames, whatever initial_window_bdp says (htsim: 10); null: initial_window_bdp says it",
    },
    ParamDoc {
        name: "ssthresh_packets",
        allowed: "null, or an integer from 1 to 1000000",
        default: "null",
        about: "The first slow-start threshold in full frames (htsim: 100); null: the first window, so that there is no slow start",
    },
    MAX_WINDOW,
    CUT_WITHOUT_MARKS,
];

/// The parameters, as in [`PARAMS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// g.
    pub gain: Ratio,
    /// The first window in bandwidth-delay products.
    pub initial_window_bdp: Ratio,
    /// The same in full frames; none: the other says it.
    pub initial_window_packets: Option<u64>,
    /// The first slow-start threshold in full frames; none: the first window.
    pub ssthresh_packets: Option<u64>,
    /// The largest window in full frames; none: no bound.
    pub max_window_packets: Option<u64>,
    /// Whether windows without marks are cut.
    pub cut_without_marks: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            gain: millionths(62_500),
            initial_window_bdp: millionths(1_000_000),
            initial_window_packets: None,
            ssthresh_packets: None,
            max_window_packets: None,
            cut_without_marks: true,
        }
    }
}

impl Params {
    /// Reads all keys of [`PARAMS`], in their order.
    #[must_use]
    pub fn read(fields: &mut Fields<'_>) -> Self {
        let usual = Self::default();
        let gain = up_to(fields, "gain", usual.gain, 1);
        let bdp = usual.initial_window_bdp;
        let initial_window_bdp = up_to(fields, "initial_window_bdp", bdp, 1_000);
        let mut packets = |key| fields.nullable_integer(key, None, 1..=1_000_000);
        Self {
            gain,
            initial_window_bdp,
            initial_window_packets: packets("initial_window_packets"),
            ssthresh_packets: packets("ssthresh_packets"),
            max_window_packets: packets("max_window_packets"),
            cut_without_marks: fields.boolean("cut_without_marks", usual.cut_without_marks),
        }
    }
}
