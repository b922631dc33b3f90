//! `fabric.queue` and what stands beside it: what it becomes, and what is refused.

use super::{Folder, SMALL, errors, plan};
use crate::settings::{Evict, Lossless, Queue, QueueKind, SharedBuffer, Trimming};
use crate::units::Ratio;

/// The queues of the small scenario with these settings.
fn queue(sets: &[&str]) -> Queue {
    plan(SMALL, sets).points[0].scenario.fabric.queue
}

/// Its errors, from the path on.
fn refused(sets: &[&str]) -> Vec<String> {
    let found = errors(SMALL, sets);
    let cut = |line: &String| {
        line.split_once(": fabric.")
            .map(|(_, rest)| rest.to_owned())
    };
    found
        .iter()
        .map(|line| cut(line).unwrap_or_else(|| line.clone()))
        .collect()
}

const LOSSLESS: &str = r#"fabric.queue={"kind": "lossless", "pause_bytes": 100000}"#;

#[test]
fn a_port_is_a_plain_fifo_unless_something_else_is_said() {
    assert_eq!(queue(&[]), Queue::PLAIN);
    let queue = queue(&[
        "fabric.queue.control_priority=true",
        "fabric.ecn_max_threshold_packets=30",
        "fabric.ecn_counts_departing=false",
    ]);
    let expected = Queue {
        control_priority: true,
        ecn_max_threshold_bytes: Some(30 * 4158),
        ecn_counts_departing: false,
        ..Queue::PLAIN
    };
    assert_eq!(queue, expected);
}

#[test]
fn trimming_ports_always_serve_control_frames_first() {
    let plain = queue(&["fabric.queue.kind=trimming"]);
    let trimming = Trimming {
        trim_bytes: Some(64),
        header_buffer_bytes: None,
        evict: Evict::Arriving,
    };
    assert_eq!(plain.kind, QueueKind::Trimming(trimming));
    assert!(plain.control_priority);
    assert_eq!(
        refused(&[
            "fabric.queue.kind=trimming",
            "fabric.queue.control_priority=true"
        ]),
        [
            "queue.control_priority: belongs to kinds \"fifo\", \"lossless\"; this is kind \"trimming\""
        ]
    );
}

#[test]
fn of_a_packet_that_does_not_fit_nothing_is_left_where_that_is_said() {
    let read = |bytes: &str| {
        let bytes = format!("fabric.queue.trim_bytes={bytes}");
        queue(&["fabric.queue.kind=trimming", &bytes])
    };
    let dropping = read("null");
    let trimming = Trimming {
        trim_bytes: None,
        header_buffer_bytes: None,
        evict: Evict::Arriving,
    };
    assert_eq!(dropping.kind, QueueKind::Trimming(trimming));
    assert!(dropping.control_priority && !dropping.kind.trims());
    assert!(read("1").kind.trims() && !queue(&[]).kind.trims());
    for bytes in ["0", "65536", "\"none\""] {
        let set = format!("fabric.queue.trim_bytes={bytes}");
        let found = refused(&["fabric.queue.kind=trimming", &set]);
        let told = "allowed: null, or an integer from 1 to 65535";
        assert!(found[0].starts_with("queue.trim_bytes: ") && found[0].ends_with(told));
    }
    let of_a_fifo = ["fabric.queue.trim_bytes=null"];
    assert_eq!(
        refused(&of_a_fifo),
        ["queue.trim_bytes: belongs to kind \"trimming\"; this is kind \"fifo\""]
    );
}

#[test]
fn a_shared_buffer_has_an_exact_factor() {
    let read = |shared: &str| queue(&[&format!("fabric.queue.shared_buffer={shared}")]);
    let shared = |num, den| {
        let (bytes, alpha) = (1_000_000, Ratio { num, den });
        Some(SharedBuffer { bytes, alpha })
    };
    assert_eq!(read(r#"{"bytes": 1e6}"#).shared_buffer, shared(1, 1));
    assert_eq!(
        read(r#"{"bytes": 1e6, "alpha": 0.125}"#).shared_buffer,
        shared(1, 8)
    );
    for alpha in ["0", "1000.5", "-1", "null"] {
        let set = format!(r#"fabric.queue.shared_buffer={{"bytes": 1e6, "alpha": {alpha}}}"#);
        let found = refused(&[&set]);
        let told = "allowed: a number above 0 and up to 1000";
        assert!(found[0].starts_with("queue.shared_buffer.alpha: ") && found[0].ends_with(told));
    }
}

#[test]
fn a_shared_buffer_stands_for_all_others_and_holds_a_frame() {
    let shared = r#"fabric.queue.shared_buffer={"bytes": 8315, "alpha": 0.5}"#;
    assert_eq!(
        refused(&[shared]),
        [
            "queue.shared_buffer.bytes: alpha times 8315 bytes hold no frame of 4158 bytes, so nothing could pass; allowed: more bytes, or a larger alpha"
        ]
    );
    assert_eq!(
        refused(&[shared, "fabric.queue.shared_buffer.bytes=8316"]),
        [""; 0]
    );
    assert_eq!(
        refused(&[shared, "fabric.buffer_packets=9"]),
        ["queue.shared_buffer: stands beside fabric.buffer_packets; allowed: one of the two"]
    );
}

#[test]
fn a_shared_buffer_is_refused_beside_queues_of_a_topology_file() {
    let topo = "Nodes 16\nTiers 2\nPodsize 16\nTier 0\nRadix_Down 4\nRadix_Up 4\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1\n\
                Queue_Down 9000\nTier 1\nRadix_Down 4\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1\n";
    let text = r#"{"fabric": {"kind": "htsim_topo", "path": "t.topo", "queue": {"shared_buffer": {"bytes": 1e6}}},
        "load_balancing": {"scheme": "rps"}, "workload": {"kind": "permutation", "message_bytes": 5}}"#;
    let folder = Folder::new(&[("x.json", text), ("t.topo", topo)]);
    assert_eq!(
        folder.load("x.json", &[]).err().unwrap_or_default(),
        [
            "x.json: fabric.queue.shared_buffer: stands beside the queues of Tier 0 of the topology file, of 9000 bytes; allowed: one of the two"
        ]
    );
}

#[test]
fn marks_are_random_only_between_two_thresholds() {
    assert_eq!(
        refused(&["fabric.ecn_max_threshold_bytes=79999"]),
        [
            "ecn_max_threshold_bytes: 79999 bytes are below the threshold from which frames may be marked, which is 80000; allowed: null, or at least that"
        ]
    );
    assert_eq!(refused(&["fabric.ecn_max_threshold_bytes=80000"]), [""; 0]);
    assert_eq!(
        refused(&[
            "fabric.ecn_threshold_bytes=null",
            "fabric.ecn_max_threshold_packets=9"
        ]),
        [
            "ecn_max_threshold_packets: has no meaning without a lower threshold; allowed: null, or an ecn_threshold_bytes"
        ]
    );
    let both = [
        "fabric.ecn_max_threshold_packets=90",
        "fabric.ecn_max_threshold_bytes=90000",
    ];
    assert_eq!(
        refused(&both),
        [
            "ecn_max_threshold_packets: 90 packets beside fabric.ecn_max_threshold_bytes, which is 90000 bytes; allowed: one of the three, null for the others"
        ]
    );
}

#[test]
fn a_trimmed_packet_is_no_larger_than_a_full_one_and_has_room() {
    let small = ["fabric.queue.kind=trimming", "packet.payload_bytes=1"];
    assert_eq!(
        refused(&small),
        [
            "queue.trim_bytes: 64 bytes are more than a full data frame has, which is 63; allowed: at most that"
        ]
    );
    let tight = [
        "fabric.queue.kind=trimming",
        "fabric.queue.header_buffer_bytes=63",
    ];
    assert_eq!(
        refused(&tight),
        [
            "queue.header_buffer_bytes: 63 bytes hold no control frame of 64 bytes, so none could pass; allowed: null, or at least 64"
        ]
    );
    // Where nothing is left of a packet, what has to fit is an ACK, if there are any.
    let dropping = [&small[..], &["fabric.queue.trim_bytes=null"]].concat();
    assert_eq!(refused(&dropping), [""; 0]);
    let room = |bytes: &str, acks: &str| {
        let room = format!("fabric.queue.header_buffer_bytes={bytes}");
        refused(&[&dropping[..], &["packet.ack_bytes=40", acks, &room]].concat())
    };
    assert_eq!(
        room("39", "packet.acks=per_packet"),
        [
            "queue.header_buffer_bytes: 39 bytes hold no control frame of 40 bytes, so none could pass; allowed: null, or at least 40"
        ]
    );
    assert_eq!(room("40", "packet.acks=per_packet"), [""; 0]);
    assert_eq!(room("1", "packet.acks=none"), [""; 0]);
}

#[test]
fn pauses_need_a_threshold_and_room_beyond_it() {
    let lossless = Lossless {
        pause_bytes: Some(100_000),
        resume_bytes: None,
        resume_offset_bytes: None,
        headroom_bytes: None,
        pause_frame_bytes: 64,
    };
    assert_eq!(queue(&[LOSSLESS]).kind, QueueKind::Lossless(lossless));
    for (sets, told) in [
        (
            vec!["fabric.queue.kind=lossless"],
            "queue.pause_bytes: null needs a buffer to follow from; allowed: bytes, a fabric.buffer_bytes, or a shared_buffer",
        ),
        (
            vec!["fabric.queue.kind=lossless", "fabric.buffer_bytes=116735"],
            "queue.pause_bytes: null leaves what a buffer of 116735 bytes holds beside a headroom of 112578, which is less than a frame of 4158 bytes; allowed: a buffer of at least 116736",
        ),
        (
            vec![LOSSLESS, "fabric.buffer_bytes=212577"],
            "queue.pause_bytes: 100000 bytes and a headroom of 112578 are more than a buffer of 212577 holds; allowed: null, at most 99999, or a larger buffer",
        ),
        (
            vec![LOSSLESS, "fabric.queue.headroom_bytes=112577"],
            "queue.headroom_bytes: 112577 bytes are fewer than can be on their way when a neighbour is paused, which are 112578; allowed: null, or at least that",
        ),
        (
            vec![LOSSLESS, "fabric.queue.resume_bytes=100000"],
            "queue.resume_bytes: 100000 bytes are not below those at which a neighbour is paused, which are 100000; allowed: null, or fewer than that",
        ),
        (
            vec![LOSSLESS, "fabric.queue.resume_offset_bytes=5"],
            "queue.resume_offset_bytes: 5 has no meaning: without shared_buffer, resume_bytes says when; allowed: null",
        ),
        (
            vec![LOSSLESS, "fabric.queue.shared_buffer={\"bytes\": 1e6}"],
            "queue.pause_bytes: 100000 has no meaning: a shared buffer has thresholds of its own; allowed: null",
        ),
    ] {
        assert_eq!(refused(&sets), [told]);
    }
    for sets in [
        vec!["fabric.queue.kind=lossless", "fabric.buffer_bytes=116736"],
        vec![LOSSLESS, "fabric.buffer_bytes=212578"],
        vec![LOSSLESS, "fabric.queue.headroom_bytes=112578"],
        vec![LOSSLESS, "fabric.queue.resume_bytes=99999"],
        vec![
            "fabric.queue.kind=lossless",
            "fabric.queue.shared_buffer={\"bytes\": 5}",
        ],
    ] {
        assert_eq!(refused(&sets), [""; 0], "{sets:?}");
    }
}

#[test]
fn the_slowest_link_to_react_says_how_much_headroom_is_needed() {
    let topo = "Nodes 16\nTiers 2\nPodsize 16\nTier 0\nRadix_Down 4\nRadix_Up 4\nDownlink_speed_Gbps 800\nDownlink_Latency_ns 500\n\
                Tier 1\nRadix_Down 4\nDownlink_speed_Gbps 800\nDownlink_Latency_ns 1000\n";
    let text = r#"{"fabric": {"kind": "htsim_topo", "path": "t.topo", "queue": {"kind": "lossless", "pause_bytes": 1000,
        "headroom_bytes": 212577}}, "load_balancing": {"scheme": "rps"}, "workload": {"kind": "permutation", "message_bytes": 5}}"#;
    let folder = Folder::new(&[("x.json", text), ("t.topo", topo)]);
    let found = folder.load("x.json", &[]).err().unwrap_or_default();
    assert!(found[0].contains("paused, which are 212578; "), "{found:?}");
    assert_eq!(found.len(), 1);
    folder
        .load("x.json", &["fabric.queue.headroom_bytes=212578"])
        .expect("enough");
}

#[test]
fn hosts_are_stuck_in_lossless_fabrics_once_each_and_only_if_they_exist() {
    let stuck = |hosts: &str, sets: &[&str]| {
        let hosts = format!("failures.hosts={hosts}");
        let found = errors(SMALL, &[sets, &[&hosts]].concat());
        let cut = |line: &String| {
            line.split_once(": failures.")
                .map(|(_, rest)| rest.to_owned())
        };
        found.iter().filter_map(cut).collect::<Vec<_>>()
    };
    assert_eq!(
        stuck(r#"[{"host": 3}]"#, &[]),
        [
            "hosts: a host is stuck by pausing its link, which takes a fabric.queue of kind \"lossless\"; allowed: that, or []"
        ]
    );
    assert_eq!(
        stuck(
            r#"[{"host": 3}, {"host": 16}, {"host": 3, "from_us": 7}, {"host": 4, "from_us": 2, "until_us": 2}]"#,
            &[LOSSLESS]
        ),
        [
            "hosts[1].host: host 16 does not exist; this fabric has hosts 0 to 15",
            "hosts[2].host: host 3 is element [0] too; allowed: each once",
            "hosts[3].until_us: 2 us is not after from_us; allowed: null, or more than 2 us",
        ]
    );
    let hosts = r#"failures.hosts=[{"host": 3, "from_us": 0.5, "until_us": 2}, {"host": 15}]"#;
    let plan = plan(SMALL, &[LOSSLESS, hosts]);
    let stuck = &plan.points[0].scenario.fabric.losses.stuck_hosts;
    let told: Vec<_> = stuck
        .iter()
        .map(|stuck| (stuck.host, stuck.from.0, stuck.until.0))
        .collect();
    assert_eq!(told, [(3, 500_000, 2_000_000), (15, 0, u64::MAX)]);
}

#[test]
fn only_links_between_switches_lose_frames_at_random() {
    let lossy = |loss: &str| {
        let found = errors(SMALL, &[&format!("failures.loss={loss}")]);
        let cut = |line: &String| {
            line.split_once(": failures.")
                .map(|(_, rest)| rest.to_owned())
        };
        found.iter().filter_map(cut).collect::<Vec<_>>()
    };
    assert_eq!(
        lossy(
            r#"[{"probability": 0.1, "member": 0}, {"link": "h0-e0", "probability": 1}, {"link": "e0-a9", "probability": 1},
                {"link": "e0-a0", "member": 1, "probability": 1}, {"probability": 0}, {}]"#
        ),
        [
            "loss[4].probability: 0 is out of range; allowed: a number above 0 and up to 1",
            "loss[5].probability: missing, and has no default; allowed: a number above 0 and up to 1",
            "loss[0].member: 0 is a member of no link; allowed: null without a link",
            "loss[1].link: \"h0-e0\" is a link of host h0, and hosts' links never fail; allowed: links between switches",
            "loss[2].link: \"a9\" does not exist; this fabric has e0 to e7, a0 to a7, c0 to c3",
            "loss[3].member: member 1 of e0-a0 does not exist; allowed: null (all of them), or 0 to 0",
        ]
    );
}

#[test]
fn random_losses_arrive_in_the_order_of_the_list() {
    use crate::settings::{LinkLoss, LossFrames};
    let loss = r#"failures.loss=[{"link": "c3-a7", "probability": 0.001, "frames": "control"}, {"probability": 1e-9}]"#;
    let plan = plan(SMALL, &[loss]);
    let fabric = &plan.points[0].scenario.fabric;
    let named = LinkLoss {
        link: Some(("c3".to_owned(), "a7".to_owned())),
        member: None,
        probability: Ratio { num: 1, den: 1_000 },
        frames: LossFrames::Control,
    };
    let all = LinkLoss {
        link: None,
        member: None,
        probability: Ratio {
            num: 1,
            den: 1_000_000_000,
        },
        frames: LossFrames::All,
    };
    assert_eq!(fabric.losses.links, [named, all]);
    assert_eq!(fabric.failures, None);
}
