//! The profiles in `configs/`: what they say, and that a scenario which takes one may still choose its fabric, scheme and workload.

use spraysim::cc::{Controller, dctcp, dctcp_stock};
use spraysim::scenario::{Overrides, Scenario, load};
use spraysim::settings::{DupThreshold, Fabric, QueueKind, RtoKind, TransportKind};
use spraysim::units::{Ratio, Span};

use crate::support::Folder;

/// The scenario of `text`, which extends profile `name`.
fn taking(name: &str, text: &str) -> Scenario {
    let profile = format!("{}/configs/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let folder = Folder::new(&[]);
    folder.write("x.json", format!(r#"{{"extends": "{profile}", {text}}}"#));
    let topo = "Nodes 32\nTiers 2\nPodsize 32\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 8\nRadix_Up 2\nDownlink_Latency_ns 1000\nOversubscribed 4\n\
                Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 4\nDownlink_Latency_ns 1000\n";
    folder.write("leaves.topo", topo);
    let plan = load(&folder.path("x.json"), &Overrides::default());
    let plan = plan.unwrap_or_else(|errors| panic!("{errors:#?}"));
    plan.points[0].scenario.clone()
}

const PERMUTATION: &str = r#""workload": {"kind": "permutation", "message_bytes": 1000000}"#;

#[test]
fn the_paper_profile_spells_out_the_defaults() {
    let folder = Folder::new(&[]);
    let paper = format!("{}/configs/paper.json", env!("CARGO_MANIFEST_DIR"));
    folder.write("paper.json", format!(r#"{{"extends": "{paper}"}}"#));
    // The threshold's default, "auto", is 80000 unless another key says otherwise.
    let least = r#"{"fabric": {"k": 12, "ecn_threshold_bytes": 80000}, "load_balancing": {"scheme": "ofan"},
        "workload": {"kind": "permutation", "message_bytes": 1048576}}"#;
    folder.write("least.json", least);
    let effective = |name: &str| {
        let args = ["check", name, "--set", "name=x"];
        let told = folder.spraysim(&args).out;
        let json = told.find("\n{").expect("the effective scenario");
        told[json..].to_owned()
    };
    assert_eq!(effective("paper.json"), effective("least.json"));
}

/// Buffer, and lower and upper ECN threshold, in frames of `frame` bytes.
fn bounds(fabric: &Fabric, frame: u64) -> [Option<u64>; 3] {
    let bytes = [
        fabric.tiers[0].down_buffer_bytes,
        fabric.ecn_threshold_bytes,
        fabric.queue.ecn_max_threshold_bytes,
    ];
    bytes.map(|bytes| bytes.map(|bytes| bytes / frame))
}

#[test]
fn queues_of_the_uet_profile_follow_the_fabric_as_in_uet_htsim() {
    // 14.0227 us at 100 Gb/s are 42.2 packets of 4,150 bytes: 43, of which 20 % are 9 and 80 % are 35.
    let three = taking("uet", &format!(r#""fabric": {{"k": 4}}, {PERMUTATION}"#));
    assert_eq!(bounds(&three.fabric, 4150), [Some(43), Some(9), Some(35)]);
    // Two levels, from a file: 8 us of latency and 4 x 4,214 bytes are 9.3485 us, 28.2 packets: 29, 6 and 24.
    let leaves = r#""fabric": {"kind": "htsim_topo", "path": "leaves.topo"}"#;
    let two = taking("uet", &format!("{leaves}, {PERMUTATION}"));
    assert_eq!(bounds(&two.fabric, 4150), [Some(29), Some(6), Some(24)]);
    assert!(matches!(two.fabric.queue.kind, QueueKind::Trimming(_)));
    assert!(!two.fabric.queue.ecn_counts_departing);
    // The paper's fabric: 150.3 packets of 4,160 bytes.
    let fast = r#""fabric": {"k": 12, "link_gbps": 800, "link_latency_ns": 500}, "packet": {"payload_bytes": 4096}"#;
    let fast = taking("uet", &format!("{fast}, {PERMUTATION}"));
    assert_eq!(bounds(&fast.fabric, 4160), [Some(151), Some(31), Some(121)]);
}

#[test]
fn a_scenario_takes_a_profile_and_its_own_scheme() {
    let scheme = r#""fabric": {"k": 4}, "load_balancing": {"scheme": "rps", "draw": "masked_cycle", "entropy_count": 64}"#;
    let scenario = taking("uet", &format!("{scheme}, {PERMUTATION}"));
    assert_eq!(scenario.load_balancing.name, "rps");
    assert!(matches!(
        scenario.congestion_control.controller,
        Controller::Nscc(_)
    ));
    let transport = scenario.transport.expect("a transport");
    assert_eq!(transport.ack_bytes_threshold, 16_384);
    assert!(transport.counts_received_bytes);
    let mixed = taking("uet", &format!(r#""fabric": {{"k": 4}}, {PERMUTATION}"#));
    assert_eq!(mixed.load_balancing.name, "mixed");
}

#[test]
fn the_fork_profile_paces_at_the_interval_of_a_frame_with_header_and_gap() {
    let scheme = r#""fabric": {"k": 4}, "load_balancing": {"scheme": "ar"}"#;
    let scenario = taking("fork", &format!("{scheme}, {PERMUTATION}"));
    let Ratio { num, den } = scenario.congestion_control.load;
    // 4,178 bytes at 800 Gb/s for frames of 4,096, which take 40.96 ns.
    let interval = u128::from(scenario.slot().0) * u128::from(den) / u128::from(num);
    assert_eq!(interval, 41_780);
    assert!(scenario.workload.pacing_jitter_adds);
    assert!(matches!(
        scenario.transport.map(|transport| transport.kind),
        Some(TransportKind::Erasure(_))
    ));
}

#[test]
fn the_profiles_of_dctcp_are_tcp_over_the_paths_and_htsims_own() {
    let rest =
        format!(r#""fabric": {{"k": 4}}, "load_balancing": {{"scheme": "ar"}}, {PERMUTATION}"#);
    let paper = taking("dctcp", &rest);
    let Controller::Dctcp(params) = paper.congestion_control.controller else {
        panic!("{:?}", paper.congestion_control);
    };
    assert_eq!(params, dctcp::Params::default());
    let tcp = paper.transport.expect("a transport");
    assert_eq!(
        (tcp.kind, tcp.handshake, tcp.dup_threshold),
        (
            TransportKind::NewReno,
            false,
            Some(DupThreshold::PathsPlus(3))
        )
    );
    let stock = taking("dctcp_stock", &rest);
    assert_eq!(
        stock.congestion_control.controller,
        Controller::DctcpStock(dctcp_stock::Params::default())
    );
    let tcp = stock.transport.expect("a transport");
    assert_eq!(
        (tcp.kind, tcp.handshake, tcp.dup_threshold),
        (TransportKind::NewReno, true, Some(DupThreshold::Packets(3)))
    );
    let (initial, min) = (Span::from_ns(10_000_000), Span::from_ns(250_000_000));
    assert_eq!(tcp.rto.kind, RtoKind::Estimated { initial, min });
    assert_eq!(tcp.rto.backoff, 2);
}

#[test]
fn of_several_profiles_the_later_one_sets_the_queues() {
    let configs = format!("{}/configs", env!("CARGO_MANIFEST_DIR"));
    // 6,252.84 ns at 800 Gb/s: 150.7 frames of 4,150 bytes.
    for (last, before, buffer) in [
        ("uet", "paper", Some(151 * 4150)),
        ("uet", "fork", Some(151 * 4150)),
        ("fork", "uet", Some(800_000)),
        ("paper", "uet", None),
    ] {
        let folder = Folder::new(&[]);
        let files = format!(r#"["{configs}/{before}.json", "{configs}/{last}.json"]"#);
        let rest = r#""fabric": {"k": 4, "link_gbps": 800, "link_latency_ns": 500}, "load_balancing": {"scheme": "rps"}"#;
        folder.write(
            "x.json",
            format!(r#"{{"extends": {files}, {rest}, {PERMUTATION}}}"#),
        );
        let plan = load(&folder.path("x.json"), &Overrides::default());
        let plan = plan.unwrap_or_else(|errors| panic!("{before}, {last}: {errors:#?}"));
        let fabric = &plan.points[0].scenario.fabric;
        assert_eq!(fabric.tiers[0].down_buffer_bytes, buffer, "{last}");
    }
}
