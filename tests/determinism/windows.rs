//! Windows that adapt: neither engines nor threads show, whatever the queues.

use spraysim::cc::swift::{Excess, Shared};
use spraysim::cc::{Controller, dctcp, dctcp_stock, lswift, mnscc, mswift, nscc, swift};
use spraysim::lb::SCHEMES;
use spraysim::scenario::Plan;
use spraysim::settings::{Acks, DupThreshold, Rto, RtoKind, RtoScope, Transport, TransportKind};
use spraysim::sim::Engine;
use spraysim::units::{Ratio, Span};

use super::plan;
use super::queues::{draw_queues, result};
use super::scenarios::Draw;

fn draw_transport(draw: &mut Draw) -> Transport {
    let scopes = [RtoScope::Oldest, RtoScope::All];
    let (kind, scope) = match draw.below(4) {
        0 => (TransportKind::GoBackN, scopes[1]),
        1 => (TransportKind::NewReno, scopes[1]),
        _ => (
            TransportKind::SelectiveRepeat,
            scopes[draw.below(2) as usize],
        ),
    };
    let is_tcp = kind == TransportKind::NewReno;
    Transport {
        kind,
        handshake: draw.chance(30),
        ack_bytes_threshold: match draw.below(3) {
            2 if !is_tcp => 9_000,
            _ => 0,
        },
        counts_received_bytes: draw.chance(50) && !is_tcp,
        reorder_packets: 16_384,
        dup_threshold: match (kind, draw.below(3)) {
            (TransportKind::SelectiveRepeat | TransportKind::NewReno, 0) => {
                Some(DupThreshold::PathsPlus(3))
            }
            _ => None,
        },
        rto: Rto {
            kind: RtoKind::Fixed(Some(Span::from_ns(20_000))),
            backoff: 1,
            max: Span::from_ns(1_000_000),
            scope,
        },
        sleek: None,
        give_up_after: 20,
    }
}

fn draw_controller(draw: &mut Draw) -> Controller {
    let short = draw.chance(50).then(|| Span::from_ns(200));
    let nscc = nscc::Params {
        target: short,
        ..nscc::Params::default()
    };
    let median_packets = 1 + draw.below(8) as u8;
    match draw.below(7) {
        6 => Controller::DctcpStock(dctcp_stock::Params::default()),
        5 => Controller::Dctcp(dctcp::Params {
            initial_window_packets: [None, Some(2)][draw.below(2) as usize],
            ssthresh_packets: [None, Some(9)][draw.below(2) as usize],
            ..dctcp::Params::default()
        }),
        0 => Controller::Nscc(nscc),
        1 => Controller::Mnscc(mnscc::Params {
            nscc,
            median_packets,
        }),
        which => draw_swift(draw, which),
    }
}

/// Swift (2) and its relatives; windows below a frame, which are paced, are drawn as well.
fn draw_swift(draw: &mut Draw, which: u64) -> Controller {
    let paced = Ratio { num: 1, den: 50 };
    let shared = Shared {
        target: Span::from_ns([0, 200, 1_000][draw.below(3) as usize]),
        initial_window_packets: [None, Some(2), Some(15)][draw.below(3) as usize],
        min_window_packets: [Ratio::ONE, paced][draw.below(2) as usize],
        reset_timeouts: [1, 5][draw.below(2) as usize],
        ..Shared::default()
    };
    let lswift = lswift::Params {
        shared,
        streak: [1, 5][draw.below(2) as usize],
        excess: [Excess::Rtt, Excess::Queueing][draw.below(2) as usize],
    };
    match which {
        2 => Controller::Swift(swift::Params {
            shared,
            fs_range: draw.chance(50).then_some(Span::ZERO),
            ..swift::Params::default()
        }),
        3 => Controller::Lswift(lswift),
        _ => Controller::Mswift(mswift::Params {
            lswift,
            ..mswift::Params::default()
        }),
    }
}

#[test]
fn engines_and_threads_do_not_show_under_windows_that_adapt() {
    for number in 0..20 * SCHEMES.len() as u64 {
        let Plan { seed, points, .. } = &plan(number + 5000 * SCHEMES.len() as u64);
        let mut scenario = points[0].scenario.clone();
        let draw = &mut Draw(number);
        draw_queues(draw, &mut scenario);
        scenario.packet.acks = Acks::PerPacket;
        scenario.transport = Some(draw_transport(draw));
        scenario.congestion_control.controller = draw_controller(draw);
        let alone = result(&scenario, *seed, (Engine::Windowed, 1, false));
        for how in [(Engine::Windowed, 3, false), (Engine::Heap, 1, false)] {
            let other = result(&scenario, *seed, how);
            assert!(other == alone, "{how:?}, scenario {number}: {scenario:#?}");
        }
    }
}
