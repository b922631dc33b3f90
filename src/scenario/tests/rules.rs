//! What takes several keys to judge.

use std::fs;

use super::{Folder, SMALL, errors, plan};
use crate::lb::SCHEMES;
use crate::scenario::{StartJitter, StragglerHosts, Stragglers};
use crate::units::{Ratio, Span, Time};
use crate::workload::traffic;

fn pairs(list: &str) -> String {
    format!(
        r#"{{"fabric": {{"k": 4}}, "load_balancing": {{"scheme": "rps"}}, "workload": {{"kind": "pairs", "pairs": {list}}}}}"#
    )
}

#[test]
fn values_arrive_in_the_simulators_units() {
    let plan = plan(
        SMALL,
        &[
            "fabric.link_gbps=0.5",
            "fabric.link_latency_ns=0.5",
            "horizon_us=0.000001",
            "trigger_latency_ns=1.5",
            "congestion_control.load=0.75",
            "workload.pacing_jitter_pct=12.5",
            "fabric.buffer_bytes=4158",
        ],
    );
    let scenario = &plan.points[0].scenario;
    assert_eq!(scenario.fabric.host_rate().bits_per_sec(), 500_000_000);
    assert_eq!(scenario.fabric.shortest_latency(), Span(500));
    assert_eq!(
        (scenario.horizon, scenario.trigger_latency),
        (Some(Time(1)), Some(Span(1_500)))
    );
    assert_eq!(scenario.congestion_control.load, Ratio { num: 3, den: 4 });
    assert_eq!(
        scenario.workload.pacing_jitter_pct,
        Ratio { num: 25, den: 2 }
    );
    assert_eq!(scenario.fabric.tiers[2].down_buffer_bytes, Some(4_158));
}

/// The scenario with this start jitter.
fn starting(jitter: &str) -> String {
    SMALL.replacen(
        "\"kind\"",
        &format!("\"start_jitter\": {jitter}, \"kind\""),
        1,
    )
}

#[test]
fn start_jitter_is_a_word_or_an_object_with_a_span_and_stragglers() {
    let read = |jitter: &str| {
        let plan = plan(&starting(jitter), &[]);
        let workload = &plan.points[0].scenario.workload;
        (workload.start_jitter, workload.stragglers.clone())
    };
    assert_eq!(read("\"none\""), (StartJitter::None, None));
    assert_eq!(read("{}"), (StartJitter::Slot, None));
    let uniform = StartJitter::Uniform(Span(2_000_500));
    assert_eq!(read(r#"{"uniform_ns": 2000.5}"#), (uniform, None));
    let late = |hosts| {
        let delay = Span::from_ns(10_000);
        Some(Stragglers { hosts, delay })
    };
    let fraction = StragglerHosts::Fraction(Ratio { num: 1, den: 16 });
    assert_eq!(
        read(r#"{"stragglers": {"fraction": 0.0625, "delay_ns": 1e4}}"#),
        (StartJitter::Slot, late(fraction))
    );
    assert_eq!(
        read(r#"{"uniform_ns": 2000.5, "stragglers": {"hosts": [15, 2], "delay_ns": 10000}}"#),
        (uniform, late(StragglerHosts::Listed(vec![15, 2])))
    );
}

#[test]
fn stragglers_that_cannot_be_are_refused() {
    let at = "x.json: workload.start_jitter";
    for (jitter, told) in [
        (
            "\"slots\"",
            ": unknown start_jitter \"slots\"; allowed: \"slot\", \"none\", or an object with any of \"uniform_ns\", \"stragglers\"; did you mean \"slot\"?",
        ),
        (
            r#"{"stragglers": {"delay_ns": 1}}"#,
            ".stragglers.fraction: missing, and has no default; allowed: a number from 0 to 1, or else hosts, a list of hosts",
        ),
        (
            r#"{"stragglers": {"fraction": 0.1, "hosts": [1], "delay_ns": 1}}"#,
            ".stragglers.hosts: cannot stand beside fraction; allowed: one of the two",
        ),
        (
            r#"{"stragglers": {"fraction": 0.03, "delay_ns": 1}}"#,
            ".stragglers.fraction: 0.03 of 16 hosts rounds to no host; allowed: 0, or at least 0.03125",
        ),
        (
            r#"{"stragglers": {"hosts": [], "delay_ns": 1}}"#,
            ".stragglers.hosts: the list is empty; allowed: a list of at least one host, each once",
        ),
        (
            r#"{"stragglers": {"hosts": [3, 5, 3], "delay_ns": 1}}"#,
            ".stragglers.hosts[2]: host 3 is element [0] too; allowed: each once",
        ),
        (
            r#"{"stragglers": {"hosts": [15, 16], "delay_ns": 1}}"#,
            ".stragglers.hosts[1]: host 16 does not exist; this fabric has hosts 0 to 15",
        ),
        (
            r#"{"stragglers": {"hosts": [1]}}"#,
            ".stragglers.delay_ns: missing, and has no default; allowed: nanoseconds from 0 to 1000000000, down to a whole picosecond",
        ),
    ] {
        assert_eq!(errors(&starting(jitter), &[]), [format!("{at}{told}")]);
    }
}

#[test]
fn all_errors_of_a_file_come_at_once() {
    let text = r#"{"seed": "x", "fabric": {"k": 7, "link_gbps": -1}, "packet": {"acks": "some"}, "load_balancing": {},
        "congestion_control": {"load": 1.5}, "workload": {"kind": "permutation"}, "horizon_us": 0}"#;
    let schemes: Vec<&str> = SCHEMES.iter().map(|row| row.name).collect();
    let schemes = schemes.join(", ");
    assert_eq!(
        errors(text, &[]),
        [
            "x.json: seed: \"x\" is a string; allowed: an integer from 0 to 18446744073709551615",
            "x.json: fabric.k: 7 is odd; a fat tree needs an even k, e.g. 6 or 8",
            "x.json: fabric.link_gbps: -1 is negative; allowed: Gb/s from 0.000000001 to 100000, down to a whole bit/s",
            "x.json: packet.acks: unknown acks \"some\"; allowed: per_packet, none",
            &format!(
                "x.json: load_balancing.scheme: missing, and has no default; allowed: {schemes}"
            ),
            "x.json: congestion_control.load: 1.5 is out of range; allowed: a number above 0 and up to 1",
            "x.json: workload.message_bytes: missing, and has no default; allowed: an integer from 1 to 1125899906842624; at most 2^32 - 1 packets",
            "x.json: horizon_us: 0 is out of range; allowed: null, or microseconds from 0.000001 to 10000000000, down to a whole picosecond",
        ]
    );
}

#[test]
fn an_empty_scenario_lacks_three_things() {
    let found = errors("{}", &[]);
    assert_eq!(found.len(), 3, "{found:#?}");
    for (line, path) in found
        .iter()
        .zip(["fabric.k", "load_balancing.scheme", "workload.kind"])
    {
        assert!(
            line.starts_with(&format!("x.json: {path}: missing")),
            "{line}"
        );
    }
}

#[test]
fn keys_of_another_kind_say_whose_they_are() {
    let found = errors(SMALL, &["workload.pairs=[]", "workload.path=x"]);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(
        found[0]
            .ends_with("workload.pairs: belongs to kind \"pairs\"; this is kind \"permutation\"")
    );
    assert!(
        found[1]
            .ends_with("workload.path: belongs to kind \"htsim_cm\"; this is kind \"permutation\"")
    );
    let found = errors(SMALL, &["workload.kind=permutations"]);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].ends_with("did you mean \"permutation\"?"));
}

#[test]
fn pairs_name_hosts_of_the_fabric() {
    let found = errors(
        &pairs(
            r#"[{"src": 16, "dst": 3, "bytes": 1}, {"src": 3, "dst": 3, "bytes": 1}, {"src": 1, "dst": 2, "bytes": 1, "id": 0}]"#,
        ),
        &[],
    );
    assert_eq!(
        found,
        [
            "x.json: workload.pairs[0].src: host 16 does not exist; this fabric has hosts 0 to 15",
            "x.json: workload.pairs[1].dst: host 3 sends to itself; allowed: another host",
            "x.json: workload.pairs[2].id: 0 is the id of pairs[0] too; allowed: each once",
        ]
    );
    assert!(
        errors(&pairs("[]"), &[])[0].contains("workload.pairs: the list is empty; allowed: a list")
    );
    assert!(
        errors(&pairs("[5]"), &[])[0]
            .contains("workload.pairs[0]: 5 is a number; allowed: an object")
    );
    let found = errors(&pairs(r#"[{"src": 1, "dst": 2, "bytes": 0}]"#), &[]);
    assert!(found[0].contains("workload.pairs[0].bytes: 0 is out of range"));
}

#[test]
fn a_scheme_that_lives_on_acks_is_refused_without_them() {
    let found = errors(SMALL, &["packet.acks=none", "load_balancing.scheme=reps"]);
    assert_eq!(
        found,
        [
            "--set load_balancing.scheme=reps: load_balancing.scheme: scheme \"reps\" lives on ACKs, and packet.acks is \"none\"; allowed: another scheme, or \"per_packet\""
        ]
    );
}

#[test]
fn a_buffer_holds_at_least_one_frame_of_those_that_exist() {
    let found = errors(SMALL, &["fabric.buffer_bytes=4157"]);
    assert!(
        found[0].contains("4157 bytes hold no frame of 4158 bytes"),
        "{found:?}"
    );
    plan(
        SMALL,
        &["fabric.buffer_bytes=100", "workload.message_bytes=38"],
    );
    assert_eq!(
        errors(
            SMALL,
            &["fabric.buffer_bytes=99", "workload.message_bytes=38"]
        )
        .len(),
        1
    );
}

/// Buffer and ECN threshold, in bytes, with these settings.
fn bounds(sets: &[&str]) -> [Option<u64>; 2] {
    let fabric = &plan(SMALL, sets).points[0].scenario.fabric;
    [
        fabric.tiers[0].down_buffer_bytes,
        fabric.ecn_threshold_bytes,
    ]
}

#[test]
fn bounds_of_queues_are_given_in_bytes_or_in_full_frames() {
    assert_eq!(bounds(&[]), [None, Some(80_000)]);
    let packets = [
        "fabric.buffer_packets=200",
        "fabric.ecn_threshold_packets=10",
    ];
    assert_eq!(bounds(&packets), [Some(831_600), Some(41_580)]);
    // The paper's 64 KB packets, whose threshold is 10 packets.
    let large = [&packets[..], &["packet.payload_bytes=65536"]].concat();
    assert_eq!(bounds(&large), [Some(200 * 65_598), Some(655_980)]);
    let frame = ["packet.payload_bytes=16777216", "packet.header_bytes=65535"];
    let most = ["fabric.buffer_packets=1073741824"];
    let bytes = Some(16_842_751 << 30);
    assert_eq!(bounds(&[&frame[..], &most].concat())[0], bytes);
    for (set, threshold) in [
        ("fabric.ecn_threshold_packets=0", Some(0)),
        ("fabric.ecn_threshold_packets=null", Some(80_000)),
        ("fabric.ecn_threshold_bytes=auto", Some(80_000)),
        ("fabric.ecn_threshold_bytes=null", None),
        ("fabric.ecn_threshold_bytes=0", Some(0)),
    ] {
        assert_eq!(bounds(&[set])[1], threshold, "{set}");
    }
    let unset = "fabric.ecn_threshold_bytes=null";
    assert_eq!(bounds(&[unset, packets[1]])[1], Some(41_580));
}

#[test]
fn a_bound_of_a_queue_is_given_once() {
    let sets = [
        "fabric.buffer_bytes=90000",
        "fabric.buffer_packets=20",
        "fabric.ecn_threshold_bytes=5",
        "fabric.ecn_threshold_packets=1",
    ];
    assert_eq!(
        errors(SMALL, &sets),
        [
            "--set fabric.buffer_packets=20: fabric.buffer_packets: 20 packets beside fabric.buffer_bytes, which is 90000 bytes; allowed: one of the three, null for the others",
            "--set fabric.ecn_threshold_packets=1: fabric.ecn_threshold_packets: 1 packets beside fabric.ecn_threshold_bytes, which is 5 bytes; allowed: one of the three, null for the others",
        ]
    );
    let found = errors(SMALL, &["fabric.buffer_packets=2", "packet.ack_bytes=8317"]);
    assert_eq!(
        found,
        [
            "--set fabric.buffer_packets=2: fabric.buffer_packets: 2 packets of 4158 bytes hold no frame of 8317 bytes, so nothing could pass; allowed: null, or at least 3"
        ]
    );
    plan(SMALL, &["fabric.buffer_packets=3", "packet.ack_bytes=8317"]);
}

#[test]
fn bounds_in_bandwidth_delay_products_are_rounded_up_to_frames() {
    // Base RTT 6,253.32 ns at 800 Gb/s: 625,332 bytes, 150.4 frames of 4,158 bytes.
    let sets = ["fabric.buffer_bdp=1", "fabric.ecn_threshold_bdp=0.2"];
    assert_eq!(bounds(&sets), [Some(151 * 4_158), Some(31 * 4_158)]);
    let sets = ["fabric.buffer_bdp=5", "fabric.ecn_threshold_bdp=0.0001"];
    assert_eq!(bounds(&sets), [Some(755 * 4_158), Some(4_158)]);
    // They follow the fabric: at 100 Gb/s 6 us and 6 times 4,222 bytes of 80 ps, 100,332 bytes, 24.1 frames.
    let slow = ["fabric.link_gbps=100", "fabric.buffer_bdp=1"];
    assert_eq!(bounds(&slow)[0], Some(25 * 4_158));
    assert_eq!(
        errors(SMALL, &["fabric.buffer_bdp=1", "fabric.buffer_packets=9"]),
        [
            "--set fabric.buffer_bdp=1: fabric.buffer_bdp: 1 bandwidth-delay products beside fabric.buffer_packets, which is 9 packets; allowed: one of the three, null for the others"
        ]
    );
    let found = errors(SMALL, &["fabric.buffer_bdp=0.001", "packet.ack_bytes=8317"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with("1 packets of 4158 bytes hold no frame of 8317 bytes, so nothing could pass; allowed: null, or at least 3 packets"), "{found:?}");
    let folder = Folder::new(&[("x.json", SMALL)]);
    let sweep = r#"sweep={"fabric.buffer_bdp": [0.5, null, 5], "fabric.link_gbps": [100, 800]}"#;
    super::effective::holds(&folder, "x.json", &[sweep], "out");
}

#[test]
fn a_swept_bound_in_packets_reads_back_and_follows_a_swept_payload() {
    let sweep = r#"sweep={"fabric.ecn_threshold_packets": [null, 0, 10], "packet.payload_bytes": [256, 65536]}"#;
    let points = plan(SMALL, &[sweep]).points;
    let thresholds: Vec<_> = points
        .iter()
        .map(|point| point.scenario.fabric.ecn_threshold_bytes)
        .collect();
    let expected = [80_000, 80_000, 0, 0, 3_180, 655_980];
    assert_eq!(thresholds, expected.map(Some));
    let folder = Folder::new(&[("x.json", SMALL)]);
    super::effective::holds(&folder, "x.json", &[sweep], "out");
    let buffers = r#"sweep={"fabric.buffer_packets": [7, null, 9]}"#;
    super::effective::holds(&folder, "x.json", &[buffers], "out");
}

#[test]
fn a_trigger_takes_no_less_than_a_link() {
    plan(SMALL, &["trigger_latency_ns=500"]);
    let found = errors(SMALL, &["trigger_latency_ns=499.999"]);
    assert!(found[0].ends_with(
        "499.999 ns is below fabric.link_latency_ns; allowed: null, or at least 500 ns"
    ));
}

#[test]
fn pods_exist_in_three_levels_only() {
    plan(SMALL, &["workload.inter_pod_only=true"]);
    let found = errors(SMALL, &["workload.inter_pod_only=true", "fabric.levels=2"]);
    assert!(found[0].contains("workload.inter_pod_only: true makes no sense in a two-level tree"));
}

#[test]
fn what_cannot_be_counted_is_refused() {
    plan(SMALL, &["workload.message_bytes=1e12", "fabric.k=128"]);
    let found = errors(
        SMALL,
        &[
            "workload.message_bytes=1125899906842624",
            "packet.payload_bytes=1",
        ],
    );
    assert!(
        found[0].contains("packets of 1 bytes; allowed: at most 4294967295 packets a flow"),
        "{found:?}"
    );
    let found = errors(
        SMALL,
        &[
            "fabric.link_gbps=0.000000001",
            "packet.payload_bytes=16777216",
        ],
    );
    assert!(
        found[0].contains("fabric.link_gbps: 0.000000001 Gb/s is so slow")
            && found[0].contains("allowed: at least 0.00000003"),
        "{found:?}"
    );
    let found = errors(SMALL, &["fabric.link_gbps=0.00001"]);
    assert!(found.is_empty(), "{found:?}");
    for sets in [
        &[
            "congestion_control.load=1e-15",
            "workload.message_bytes=1e9",
        ][..],
        &[
            "workload.message_bytes=1125899906842624",
            "packet.payload_bytes=1000000",
            "fabric.k=128",
        ],
    ] {
        let found = errors(SMALL, sets);
        assert!(
            found[0].contains("hosts are more traffic than can be counted"),
            "{found:?}"
        );
    }
    let found = errors(SMALL, &["seed=18446744073709551606"]);
    assert!(
        found[0].contains("allowed: an integer from 0 to 18446744073709551605, as 10 repeats"),
        "{found:?}"
    );
    plan(SMALL, &["seed=18446744073709551605"]);
}

#[test]
fn a_matrix_fits_the_fabric_or_says_which_would() {
    let text = r#"{"fabric": {"k": 6}, "load_balancing": {"scheme": "rps"}, "workload": {"kind": "htsim_cm", "path": "m.cm"}}"#;
    let matrix = "Nodes 16\nConnections 1\n0->5 id 4 start 0 size 1000\n";
    let folder = Folder::new(&[("sub/x.json", text), ("sub/m.cm", matrix)]);
    let found = folder.load("sub/x.json", &[]).unwrap_err();
    assert_eq!(
        found,
        [
            "sub/x.json: workload.path: sub/m.cm: Nodes 16 but this fabric has 54 hosts; a fat tree of k = 4 has 16"
        ]
    );
    let plan = folder.load("sub/x.json", &["fabric.k=4"]).unwrap();
    let flows = traffic(&plan.points[0].scenario, 1).flows;
    assert_eq!((flows.len(), flows[0].id), (1, 4));
    let found = folder
        .load("sub/x.json", &["fabric.k=4", "workload.path=gone.cm"])
        .unwrap_err();
    assert!(
        found[0].contains("workload.path: gone.cm: cannot be read: No such file"),
        "{found:?}"
    );
    fs::write(
        folder.path("sub/m.cm"),
        "Nodes 16\nConnections 1\n0->5 start 9 size 1\n",
    )
    .unwrap();
    assert!(folder.load("sub/x.json", &["fabric.k=4"]).is_err());
    assert!(
        folder
            .load("sub/x.json", &["fabric.k=4", "workload.start_unit=ps"])
            .is_ok()
    );
}

#[test]
fn a_rule_waits_for_nothing_but_its_own_keys() {
    let text = r#"{"fabric": {"k": 3, "buffer_bytes": 10}, "load_balancing": {"scheme": "reps"}, "packet": {"acks": "none", "payload_bytes": 0},
        "workload": {"kind": "pairs", "pairs": [{"src": 1, "dst": 1, "bytes": 5, "id": 1}, {"src": 1, "dst": 2, "bytes": 5, "id": 1},
        {"src": 1, "dst": 2000, "bytes": 5}, {"src": -1, "dst": 0, "bytes": 5}]}, "trigger_latency_ns": 1}"#;
    let found = errors(text, &[]);
    let paths: Vec<&str> = found
        .iter()
        .map(|line| line.split(": ").nth(1).expect("a path"))
        .collect();
    let expected = [
        "fabric.k",
        "load_balancing.scheme",
        "packet.payload_bytes",
        "workload.pairs[0].dst",
        "workload.pairs[1].id",
        "workload.pairs[3].src",
        "trigger_latency_ns",
    ];
    assert_eq!(paths, expected, "{found:#?}");
    let rest = text
        .replace("\"k\": 3", "\"k\": 4")
        .replace("\"payload_bytes\": 0", "\"payload_bytes\": 9")
        .replace("-1", "0")
        .replace("\"dst\": 0,", "\"dst\": 7,");
    let found = errors(&rest, &[]).join("\n");
    for path in ["fabric.buffer_bytes", "workload.pairs[2].dst"] {
        assert!(found.contains(path), "{found}");
    }
}

#[test]
fn an_endless_flow_that_could_end_within_the_horizon_is_refused() {
    let text = r#"{"fabric": {"k": 4, "link_gbps": 100000}, "load_balancing": {"scheme": "rps"},
        "workload": {"kind": "htsim_cm", "path": "m.cm"}, "horizon_us": 1e6}"#;
    let matrix = "Nodes 16\nConnections 1\n0->5 id 4 start 0\n";
    let folder = Folder::new(&[("x.json", text), ("m.cm", matrix)]);
    let plan = folder
        .load("x.json", &[])
        .expect("2^32 packets would be too many");
    let flows = traffic(&plan.points[0].scenario, 1).flows;
    assert_eq!(flows[0].bytes, 12_500_000_000_001);
    let found = folder.load("x.json", &["horizon_us=2e6"]).unwrap_err();
    assert!(
        found[0].contains(
            "flow 4 (it has no end, so it must outlast the horizon): 25000000000001 bytes are"
        ),
        "{found:?}"
    );
}
