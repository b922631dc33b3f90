//! Lossless ports held to numbers computed by hand.

use spraysim::scenario::{Acks, Scenario};
use spraysim::settings::{Lossless, Queue, QueueKind, SharedBuffer, StuckHost};
use spraysim::sim::NodeName;
use spraysim::units::{Ratio, Span, Time};

use super::bench::{flow, leftmost, paper};
use super::seen::{LossySeen, Seen};
use super::world::simulate;

const FRAME: u64 = 4_158;

fn lossless(k: u32, pause_bytes: u64, resume_bytes: u64) -> Scenario {
    let mut scenario = paper(k);
    scenario.packet.acks = Acks::None;
    scenario.fabric.queue = Queue {
        kind: QueueKind::Lossless(Lossless {
            pause_bytes: Some(pause_bytes),
            resume_bytes: Some(resume_bytes),
            resume_offset_bytes: None,
            headroom_bytes: None,
            pause_frame_bytes: 64,
        }),
        ..Queue::PLAIN
    };
    scenario
}

fn port(seen: &Seen, from: (char, u32), to: (char, u32)) -> LossySeen {
    let (from, to) = (NodeName(from.0, from.1), NodeName(to.0, to.1));
    let mut ports = seen.lossy.iter();
    let found = ports.find(|(key, _)| (key.1, key.2) == (from, to));
    *found.expect("the link exists").1
}

/// Hosts 1 and 2 send 40 packets each to host 0, at the same switch, from time 0.
fn two_to_one(scenario: &Scenario) -> Seen {
    let flows = [1, 2].map(|src| flow(src, 0, 40, Time::ZERO));
    simulate(scenario, &flows, 1, &leftmost())
}

#[test]
fn two_senders_to_one_are_paused_at_the_threshold_and_resumed_below() {
    // Frame k of both arrives at A + k S (A = 541.58, S = 41.78 ns), and one of the two leaves in each slot, host 1's first. Of host 2
    // three frames are there from A + 3 S on; its PAUSE takes 500.64 ns, when its 28th frame is on its way. One of the 28 is left when
    // the 54th frame of all has left, at 2,797.5 ns. Of host 1 all is a slot later. The remaining 12 and 11 frames meet in the same way,
    // 3,839.72 ns after the start, and take 23 slots.
    let seen = two_to_one(&lossless(6, 2 * FRAME, FRAME));
    assert_eq!(seen.last_finish, Some(Time(5_300_460)));
    let nic = port(&seen, ('h', 2), ('e', 0));
    assert_eq!(nic.pauses, 2);
    let (first, second) = (3_298_140 - 1_167_560, 5_217_540 - 4_507_480);
    assert_eq!(nic.paused, Span(first + second));
    assert_eq!(port(&seen, ('h', 1), ('e', 0)).pauses, 2);
    // 28 frames came, 13 of them had left.
    assert_eq!(port(&seen, ('e', 0), ('h', 2)).headroom, 13 * FRAME);
    assert_eq!(port(&seen, ('e', 0), ('h', 0)).headroom, 0);
    assert_eq!(port(&seen, ('e', 0), ('h', 0)).pauses, 0);
}

#[test]
fn without_settings_the_threshold_is_what_the_buffer_leaves_and_resumes_are_at_half() {
    // Headroom: 3 x 4158 + 64 + 2 x 20 + 2 x 50,000 bytes; so that 2 x 4158 bytes are left above it, and the same happens as above.
    let mut scenario = lossless(6, 0, 0);
    scenario.fabric.each_tier(|tier| {
        tier.down_buffer_bytes = Some(112_578 + 2 * FRAME);
        tier.up_buffer_bytes = Some(112_578 + 2 * FRAME);
    });
    if let QueueKind::Lossless(lossless) = &mut scenario.fabric.queue.kind {
        (lossless.pause_bytes, lossless.resume_bytes) = (None, None);
    }
    let (seen, told) = (
        two_to_one(&scenario),
        two_to_one(&lossless(6, 2 * FRAME, FRAME)),
    );
    assert_eq!(seen.lossy, told.lossy);
    assert_eq!(seen.last_finish, told.last_finish);
}

#[test]
fn a_shared_threshold_falls_as_the_buffer_fills() {
    // Alpha is 1 and the buffer 9 frames. When frame k of host 1 has come, k + 1 frames are there, k + 1 - ceil(k / 2) of them its own;
    // that is more than 9 - (k + 1) from k = 6 on (4 > 2; for k = 5, 3 = 3). When frame k of host 2 has come right after, there are
    // k + 2, of them k + 1 - floor(k / 2) its own: more than 9 - (k + 2) from k = 5 on (4 > 2; for k = 4, 3 = 3).
    let mut scenario = lossless(6, 0, 0);
    scenario.fabric.queue.shared_buffer = Some(SharedBuffer {
        bytes: 9 * FRAME,
        alpha: Ratio::ONE,
    });
    let flows = |packets| [1, 2].map(|src| flow(src, 0, packets, Time::ZERO));
    let pauses = |packets| {
        let seen = simulate(&scenario, &flows(packets), 1, &leftmost());
        [1, 2].map(|host| port(&seen, ('h', host), ('e', 0)).pauses)
    };
    assert_eq!(pauses(5), [0, 0]);
    assert_eq!(pauses(6), [0, 1]);
    assert_eq!(pauses(7), [1, 1]);
}

#[test]
fn a_stuck_host_pauses_its_link_until_it_is_free() {
    // PAUSE leaves host 1 at 600 ns and is at the switch at 1,100.64: frame 13 is in service, frame 14 waits for RESUME.
    let mut scenario = lossless(4, 1 << 40, 0);
    scenario.fabric.losses.stuck_hosts = vec![StuckHost {
        host: 1,
        from: Time(600_000),
        until: Time(10_000_000),
    }];
    let flows = [flow(0, 1, 15, Time::ZERO)];
    let seen = simulate(&scenario, &flows, 1, &leftmost());
    assert_eq!(seen.flows[0].end, Some(Time(10_500_640 + 41_580 + 500_000)));
    let out = port(&seen, ('e', 0), ('h', 1));
    assert_eq!((out.pauses, out.paused), (1, Span(9_400_000)));
}

#[test]
fn acks_go_on_while_data_is_paused_if_control_has_priority() {
    // Host 1 is stuck for good from 600 ns on. It has sent one packet to host 0, whose ACK comes to the paused port.
    for priority in [true, false] {
        let mut scenario = lossless(4, 1 << 40, 0);
        scenario.packet.acks = Acks::PerPacket;
        scenario.fabric.queue.control_priority = priority;
        scenario.fabric.losses.stuck_hosts = vec![StuckHost {
            host: 1,
            from: Time(600_000),
            until: Time::NEVER,
        }];
        let flows = [flow(1, 0, 1, Time(100_000))];
        let seen = simulate(&scenario, &flows, 1, &leftmost());
        let end = 100_000 + 2 * (500_000 + 41_580) + 2 * (500_000 + 640);
        let end = priority.then_some(Time(end));
        assert_eq!(seen.flows[0].end, end, "{priority}");
    }
}
