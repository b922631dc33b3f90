//! The constants of six networks, as worked out from uet-htsim's formulas.

use super::*;

/// A network and what follows.
struct Row {
    rtt_ps: u64,
    gbps: u64,
    frame: u32,
    trims: bool,
    target: Option<u64>,
    bdp: u64,
    max_window: u64,
    target_us: f64,
    alpha: f64,
    fair_increase: f64,
    eta: f64,
    fast_increase: f64,
    adjust_bytes: u64,
}

const PAPER: Row = Row {
    rtt_ps: 6_253_320,
    gbps: 800,
    frame: 4158,
    trims: false,
    target: None,
    bdp: 625_332,
    max_window: 937_998,
    target_us: 6.253,
    alpha: 0.005_689_1,
    fair_increase: 85_337.0,
    eta: 2560.0,
    fast_increase: 1.0422,
    adjust_bytes: 33_264,
};

const ROWS: [Row; 6] = [
    // uet-htsim's default: three tiers, 1 us a hop.
    Row {
        rtt_ps: 14_022_720,
        gbps: 100,
        frame: 4150,
        trims: true,
        target: None,
        bdp: 175_284,
        max_window: 262_926,
        target_us: 10.517,
        alpha: 0.001_591_6,
        fair_increase: 23_874.0,
        eta: 716.2,
        fast_increase: 0.2921,
        adjust_bytes: 33_200,
    },
    Row {
        trims: true,
        target_us: 4.690,
        ..PAPER
    },
    PAPER,
    Row {
        target: Some(US),
        target_us: 1.0,
        ..PAPER
    },
    // Packets of 64 KiB.
    Row {
        rtt_ps: 9_939_720,
        frame: 65_598,
        bdp: 993_972,
        max_window: 1_490_958,
        target_us: 9.940,
        alpha: 0.144_75,
        fair_increase: 2_171_299.0,
        eta: 65_139.0,
        fast_increase: 1.6566,
        adjust_bytes: 524_784,
        ..PAPER
    },
    // Two tiers.
    Row {
        rtt_ps: 4_168_880,
        bdp: 416_888,
        max_window: 625_332,
        target_us: 4.169,
        alpha: 0.003_792_8,
        fair_increase: 56_891.0,
        eta: 1707.0,
        fast_increase: 0.6948,
        ..PAPER
    },
];

impl Row {
    fn env(&self) -> CcEnv {
        CcEnv {
            base_rtt: Span(self.rtt_ps),
            path_rtt: Span(self.rtt_ps),
            path_hops: 6,
            bdp_bytes: self.bdp,
            frame_bytes: self.frame,
            // uet-htsim's headers have 64 bytes.
            payload_bytes: self.frame - 64,
            rate: Rate::from_gbps(self.gbps),
            trims: self.trims,
        }
    }

    fn params(&self) -> Params {
        Params {
            target: self.target.map(Span),
            ..Params::default()
        }
    }
}

#[test]
fn constants_follow_from_the_network_as_in_uet_htsim() {
    for row in ROWS {
        let exact = u128::from(row.rtt_ps) * u128::from(row.gbps) / 8000;
        assert_eq!(exact, u128::from(row.bdp));
        let constants = Constants::new(&row.params(), &row.env());
        // Half a unit of the last digit given.
        let near = |found: f64, given: f64| {
            assert!((found / given - 1.0).abs() < 2e-4, "{found} {given}");
        };
        near(constants.target.0 as f64 / 1e6, row.target_us);
        near(constants.alpha, row.alpha);
        near(constants.fair_increase, row.fair_increase);
        near(constants.eta, row.eta);
        near(constants.fast_increase, row.fast_increase);
        assert_eq!(constants.qa_threshold.0, 4 * constants.target.0);
        assert_eq!(constants.min_window, u64::from(row.frame));
        assert_eq!(constants.adjust_bytes, row.adjust_bytes);
        assert_eq!(constants.adjust_period, Span(row.rtt_ps));
        let window = row.params().build(&row.env()).window();
        assert_eq!(window, row.max_window);
    }
}

#[test]
fn pending_increases_of_64_kib_packets_do_not_wrap() {
    let row = &ROWS[4];
    let mut nscc = row.params().build(&row.env());
    let delayed = AckInfo {
        rtt: Some(Span(2 * row.rtt_ps)),
        ..ack(1000, 65_598, false, 0)
    };
    nscc.on_ack(&delayed);
    assert_eq!(nscc.decision(), "fair_increase");
    // 5 x 65,534 x 993,972 / 150,000 bytes times 65,598 bytes: 33 times 2^32.
    let exact = 5 * 65_534 * 993_972 * 65_598_u128 / 150_000;
    assert!(exact > 33 << 32);
    assert!(exact.abs_diff(nscc.inc_bytes.into()) <= 1);
}
