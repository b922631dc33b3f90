//! Windows that adapt: neither engines nor threads show, whatever the queues.

use spraysim::cc::{Controller, mnscc, nscc};
use spraysim::lb::SCHEMES;
use spraysim::scenario::Plan;
use spraysim::settings::{Acks, Rto, RtoKind, RtoScope, Transport, TransportKind};
use spraysim::sim::Engine;
use spraysim::units::Span;

use super::plan;
use super::queues::{draw_queues, result};
use super::scenarios::Draw;

fn draw_transport(draw: &mut Draw) -> Transport {
    let kinds = [TransportKind::SelectiveRepeat, TransportKind::GoBackN];
    let scopes = [RtoScope::Oldest, RtoScope::All];
    let (kind, scope) = match draw.below(3) {
        0 => (kinds[1], scopes[1]),
        _ => (kinds[0], scopes[draw.below(2) as usize]),
    };
    Transport {
        kind,
        ack_bytes_threshold: [0, 0, 9_000][draw.below(3) as usize],
        counts_received_bytes: draw.chance(50),
        reorder_packets: 16_384,
        dup_threshold: None,
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
    match draw.below(2) {
        0 => Controller::Nscc(nscc),
        _ => Controller::Mnscc(mnscc::Params {
            nscc,
            median_packets,
        }),
    }
}

#[test]
fn engines_and_threads_do_not_show_under_windows_that_adapt() {
    for number in 0..12 * SCHEMES.len() as u64 {
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
