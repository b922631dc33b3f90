//! Ports of every kind: neither engines nor threads show, nor whether a plain port or a general one does the work.

use spraysim::engine::Progress;
use spraysim::lb::SCHEMES;
use spraysim::scenario::{Plan, Scenario};
use spraysim::settings::{
    Evict, LinkLoss, LossFrames, Lossless, Queue, QueueKind, SharedBuffer, Trimming,
};
use spraysim::sim::{Engine, RunOptions, RunResult, run};
use spraysim::units::Ratio;

use super::plan;
use super::scenarios::Draw;

pub(super) fn result(scenario: &Scenario, seed: u64, how: (Engine, usize, bool)) -> RunResult {
    let (engine, threads, general_ports) = how;
    let options = RunOptions {
        record_paths: true,
        general_ports,
        ..RunOptions::new(engine, threads)
    };
    run(scenario, seed, options, &Progress::default()).0
}

#[test]
fn a_general_port_does_all_that_a_plain_one_does() {
    for number in 0..12 * SCHEMES.len() as u64 {
        let Plan { seed, points, .. } = &plan(number + 3000 * SCHEMES.len() as u64);
        let scenario = &points[0].scenario;
        let plain = result(scenario, *seed, (Engine::Windowed, 1, false));
        for how in [
            (Engine::Windowed, 1, true),
            (Engine::Windowed, 3, true),
            (Engine::Heap, 1, true),
        ] {
            let general = result(scenario, *seed, how);
            assert!(general == plain, "{how:?}, scenario {number}");
        }
    }
}

/// Some kind of queue, and links that lose frames.
pub(super) fn draw_queues(draw: &mut Draw, scenario: &mut Scenario) {
    let control_priority = draw.chance(50);
    let alpha = [(1, 1), (1, 3), (8, 1)][draw.below(3) as usize];
    let shared_buffer = draw.chance(40).then(|| SharedBuffer {
        bytes: [9_000, 30_000, 200_000][draw.below(3) as usize],
        alpha: Ratio {
            num: alpha.0,
            den: alpha.1,
        },
    });
    let kind = match draw.below(3) {
        0 => QueueKind::Fifo,
        1 => QueueKind::Trimming(Trimming {
            trim_bytes: draw.chance(60).then_some(64),
            header_buffer_bytes: draw.chance(50).then_some(300),
            evict: [Evict::Arriving, Evict::Coin][draw.below(2) as usize],
        }),
        _ => QueueKind::Lossless(Lossless {
            pause_bytes: Some([0, 3_000, 20_000][draw.below(3) as usize]),
            resume_bytes: draw.chance(50).then_some(0),
            resume_offset_bytes: None,
            headroom_bytes: None,
            pause_frame_bytes: 64,
        }),
    };
    scenario.fabric.queue = Queue {
        kind,
        control_priority,
        shared_buffer,
        ecn_max_threshold_bytes: scenario
            .fabric
            .ecn_threshold_bytes
            .filter(|_| draw.chance(50))
            .map(|min| min + draw.below(20_000)),
        ecn_counts_departing: draw.chance(50),
    };
    let frames = [LossFrames::All, LossFrames::Data, LossFrames::Control];
    let links = [None, Some(("e0".to_owned(), "a0".to_owned()))];
    for link in links {
        if draw.chance(70) {
            continue;
        }
        scenario.fabric.losses.links.push(LinkLoss {
            link,
            member: None,
            probability: Ratio { num: 1, den: 50 },
            frames: frames[draw.below(3) as usize],
        });
    }
}

#[test]
fn engines_and_threads_do_not_show_whatever_the_queues() {
    let mut seen = [0_u64; 5];
    for number in 0..24 * SCHEMES.len() as u64 {
        let Plan { seed, points, .. } = &plan(number + 4000 * SCHEMES.len() as u64);
        let mut scenario = points[0].scenario.clone();
        draw_queues(&mut Draw(number), &mut scenario);
        let alone = result(&scenario, *seed, (Engine::Windowed, 1, false));
        for how in [(Engine::Windowed, 3, false), (Engine::Heap, 1, false)] {
            let other = result(&scenario, *seed, how);
            assert!(other == alone, "{how:?}, scenario {number}: {scenario:#?}");
        }
        let links = &alone.links;
        let is_lossless = matches!(scenario.fabric.queue.kind, QueueKind::Lossless(_));
        for (count, found) in seen.iter_mut().zip([
            links.iter().any(|link| link.trimmed_packets > 0),
            links.iter().any(|link| link.pause_packets > 0),
            links.iter().any(|link| link.pauses > 0),
            links.iter().any(|link| link.dropped_packets > 0),
            links.iter().any(|link| link.lost_control_packets > 0),
        ]) {
            *count += u64::from(found);
        }
        let dropped: u64 = links.iter().map(|link| link.dropped_packets).sum();
        assert!(!is_lossless || dropped == 0, "scenario {number}");
    }
    assert!(seen.iter().all(|&count| count > 5), "{seen:?}");
}
