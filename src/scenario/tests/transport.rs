//! `transport` and `congestion_control`: what they become, and what is refused.

use super::effective::holds;
use super::{Folder, SMALL, errors, plan};
use crate::cc::{CONTROLLERS, Controller, dctcp_stock, fixed_window};
use crate::settings::{
    DupThreshold, Erasure, Rto, RtoKind, RtoScope, Sleek, Transport, TransportKind,
};
use crate::units::{Ratio, Span};

/// The transport of the small scenario with these settings.
fn transport(sets: &[&str]) -> Option<Transport> {
    plan(SMALL, sets).points[0].scenario.transport
}

/// Its errors, from the path on.
fn refused(sets: &[&str]) -> Vec<String> {
    let found = errors(SMALL, sets);
    let starts = [": transport.", ": congestion_control."];
    let cut = |line: &String| {
        let at = starts.iter().find_map(|start| line.find(start));
        at.map_or_else(|| line.clone(), |at| line[at + 2..].to_owned())
    };
    found.iter().map(cut).collect()
}

const REPEAT: &str = "transport.kind=selective_repeat";
const BACK: &str = "transport.kind=go_back_n";
const NEWRENO: &str = "transport.kind=newreno";
const ERASURE: &str = "transport.kind=erasure";

#[test]
fn what_is_lost_stays_lost_unless_a_transport_is_named() {
    assert_eq!(transport(&[]), None);
    let expected = Transport {
        kind: TransportKind::SelectiveRepeat,
        handshake: false,
        ack_bytes_threshold: 0,
        counts_received_bytes: false,
        reorder_packets: 16_384,
        dup_threshold: None,
        rto: Rto {
            kind: RtoKind::Fixed(None),
            backoff: 1,
            max: Span::from_ns(10_000_000),
            scope: RtoScope::Oldest,
        },
        sleek: None,
        give_up_after: 100,
    };
    assert_eq!(transport(&[REPEAT]), Some(expected));
}

#[test]
fn values_arrive_in_the_transports_units() {
    let text = r#"transport={"kind": "selective_repeat", "handshake": true, "ack_bytes_threshold": 16384, "in_flight": "received_bytes", "reorder_packets": 64, "dup_threshold": 3,
        "rto": {"kind": "estimated", "initial_us": 0.5, "min_us": 0.25, "backoff": 2, "max_us": 7, "scope": "all"},
        "sleek": {"min_packets": 9}, "give_up_after": 8}"#;
    let expected = Transport {
        kind: TransportKind::SelectiveRepeat,
        handshake: true,
        ack_bytes_threshold: 16_384,
        counts_received_bytes: true,
        reorder_packets: 64,
        dup_threshold: Some(DupThreshold::Packets(3)),
        rto: Rto {
            kind: RtoKind::Estimated {
                initial: Span(500_000),
                min: Span(250_000),
            },
            backoff: 2,
            max: Span(7_000_000),
            scope: RtoScope::All,
        },
        sleek: Some(Sleek {
            min_packets: 9,
            window_pct: 150,
            probe_rtts: 3,
            probe_retry_rtts: 5,
            target: None,
        }),
        give_up_after: 8,
    };
    assert_eq!(transport(&[text]), Some(expected));
    let coded = transport(&[
        ERASURE,
        "transport.extra_packets=25",
        "transport.resume=false",
    ]);
    let expected = Erasure {
        extra_packets: 25,
        resume: false,
    };
    assert_eq!(
        coded.map(|transport| transport.kind),
        Some(TransportKind::Erasure(expected))
    );
    let back = transport(&[BACK, "transport.rto.us=63"]).expect("a transport");
    assert_eq!(
        (back.kind, back.rto.scope),
        (TransportKind::GoBackN, RtoScope::All)
    );
    assert_eq!(back.rto.kind, RtoKind::Fixed(Some(Span(63_000_000))));
    let paths = r#"transport.dup_threshold={"paths_plus": 3}"#;
    let newreno = transport(&[NEWRENO, paths]).expect("a transport");
    assert_eq!(
        (newreno.kind, newreno.dup_threshold),
        (TransportKind::NewReno, Some(DupThreshold::PathsPlus(3)))
    );
}

#[test]
fn keys_that_mean_nothing_to_a_kind_are_refused() {
    for (sets, told) in [
        (
            ["transport.rto.us=5", "transport.kind=none"],
            "transport.rto: belongs to kinds \"selective_repeat\", \"go_back_n\", \"newreno\"; this is kind \"none\"",
        ),
        (
            ["transport.handshake=true", "transport.kind=none"],
            "transport.handshake: belongs to kinds \"selective_repeat\", \"go_back_n\", \"newreno\", \"erasure\"; this is kind \"none\"",
        ),
        (
            [ERASURE, "transport.in_flight=packets"],
            "transport.in_flight: belongs to kinds \"selective_repeat\", \"go_back_n\"; this is kind \"erasure\"",
        ),
        (
            ["transport.kind=newreno", "transport.dup_threshold=0"],
            "transport.dup_threshold: 0 is out of range; allowed: null, an integer from 1 to 16777216, or an object with \"paths_plus\"",
        ),
        (
            [BACK, "transport.dup_threshold=3"],
            "transport.dup_threshold: belongs to kinds \"selective_repeat\", \"newreno\"; this is kind \"go_back_n\"",
        ),
        (
            [NEWRENO, "transport.ack_bytes_threshold=0"],
            "transport.ack_bytes_threshold: belongs to kinds \"selective_repeat\", \"go_back_n\", \"erasure\"; this is kind \"newreno\"",
        ),
        (
            [NEWRENO, "transport.sleek={}"],
            "transport.sleek: belongs to kind \"selective_repeat\"; this is kind \"newreno\"",
        ),
        (
            [NEWRENO, "transport.rto.scope=all"],
            "transport.rto.scope: belongs to kind \"selective_repeat\"; a newreno sender always goes back to the first packet in flight",
        ),
        (
            [BACK, "transport.rto.scope=oldest"],
            "transport.rto.scope: belongs to kind \"selective_repeat\"; a go_back_n sender always takes all in flight for lost",
        ),
        (
            [ERASURE, "transport.rto={}"],
            "transport.rto: belongs to kinds \"selective_repeat\", \"go_back_n\", \"newreno\"; this is kind \"erasure\"",
        ),
        (
            [REPEAT, "transport.rto.min_us=5"],
            "transport.rto.min_us: belongs to kind \"estimated\"; this is kind \"fixed\"",
        ),
        (
            [REPEAT, "congestion_control.window_bytes=5"],
            "congestion_control.window_bytes: belongs to scheme \"fixed_window\"; this is scheme \"none\"",
        ),
    ] {
        assert_eq!(refused(&sets), [told]);
    }
    let names: Vec<&str> = CONTROLLERS.iter().map(|row| row.name).collect();
    let told = format!(
        "congestion_control.scheme: unknown scheme \"fixed_windw\"; allowed: {}; did you mean \"fixed_window\"?",
        names.join(", ")
    );
    let sets = [REPEAT, "congestion_control.scheme=fixed_windw"];
    assert_eq!(refused(&sets), [told]);
}

#[test]
fn timeouts_lie_between_the_shortest_and_the_longest() {
    let estimated = |rest: &str| {
        let rto = format!("transport.rto={{\"kind\": \"estimated\", {rest}}}");
        refused(&[REPEAT, &rto])
    };
    assert_eq!(
        estimated("\"initial_us\": 200, \"max_us\": 100"),
        ["transport.rto.initial_us: 200 us is above max_us, which is 100; allowed: at most that"]
    );
    assert_eq!(
        estimated("\"min_us\": 7, \"max_us\": 6.5"),
        ["transport.rto.min_us: 7 us is above max_us, which is 6.5; allowed: at most that"]
    );
    for fine in [
        "\"initial_us\": 5, \"min_us\": 5, \"max_us\": 5",
        "\"initial_us\": 100, \"min_us\": 200",
    ] {
        assert_eq!(estimated(fine), [""; 0]);
    }
    let fixed = [REPEAT, "transport.rto.us=20000"];
    assert_eq!(refused(&fixed), [""; 0]);
    assert_eq!(
        refused(&[&fixed[..], &["transport.rto.backoff=2"]].concat()),
        ["transport.rto.max_us: 10000 us is below us, which is 20000; allowed: at least that"]
    );
}

#[test]
fn a_timeout_that_follows_from_buffers_is_no_longer_than_one_may_be() {
    let large = [REPEAT, "fabric.buffer_bytes=1e9", "transport.rto.backoff=2"];
    // A gigabyte drains in 10 ms.
    assert_eq!(
        refused(&large),
        [
            "transport.rto.max_us: 10000 us is below us, which follows from the buffers and is 60015 us; allowed: at least that"
        ]
    );
    assert_eq!(
        refused(&[REPEAT, "fabric.buffer_bytes=1e14"]),
        [
            "transport.rto.us: null follows from the buffers and is 6000000015 us; allowed: at most 1000000 us, or smaller buffers"
        ]
    );
}

#[test]
fn transports_controllers_and_acks_need_one_another() {
    assert_eq!(
        refused(&[REPEAT, "packet.acks=none"]),
        [
            "transport.kind: a transport lives on ACKs, and packet.acks is \"none\"; allowed: \"none\", or \"per_packet\""
        ]
    );
    let window = "congestion_control.scheme=fixed_window";
    assert_eq!(
        refused(&[window]),
        [
            "congestion_control.scheme: \"fixed_window\" counts what is in flight, which takes a transport.kind other than \"none\"; allowed: that, or \"none\""
        ]
    );
    let plan = plan(SMALL, &[BACK, window, "congestion_control.window_bytes=0"]);
    let params = fixed_window::Params {
        bdp: Ratio {
            num: 1_500_000,
            den: 1_000_000,
        },
        bytes: Some(0),
    };
    let control = plan.points[0].scenario.congestion_control.controller;
    assert_eq!(control, Controller::FixedWindow(params));
}

#[test]
fn erasure_takes_whole_flows_on_connections_of_their_own() {
    assert_eq!(
        refused(&["load_balancing.scheme=ethereal", ERASURE]),
        [
            "transport.kind: \"erasure\" completes a flow by any of its packets, and scheme \"ethereal\" splits it into subflows of which each must be complete; allowed: another scheme, or another kind"
        ]
    );
    let matrix = "Nodes 16\nConnections 2\n0->5 id 1 msg 1 start 0 size 1000\n0->5 id 1 msg 2 start 0 size 1000\n";
    let text = r#"{"fabric": {"k": 4}, "load_balancing": {"scheme": "rps"}, "transport": {"kind": "erasure"},
        "workload": {"kind": "htsim_cm", "path": "m.cm"}}"#;
    let folder = Folder::new(&[("x.json", text), ("m.cm", matrix)]);
    let found = folder.load("x.json", &[]).err().unwrap_or_default();
    assert_eq!(
        found,
        [
            "x.json: transport.kind: \"erasure\" completes a flow by any of its packets, and connections of the workload carry several messages; allowed: another kind, or a workload without re-used connections"
        ]
    );
    folder
        .load("x.json", &["transport.kind=go_back_n"])
        .expect("fine");
}

#[test]
fn patience_without_end_is_refused_unless_there_is_a_horizon() {
    let patient = [
        BACK,
        "transport.rto.us=1e6",
        "transport.rto.max_us=1e6",
        "transport.give_up_after=1e6",
    ];
    assert_eq!(
        refused(&patient),
        [
            "transport.give_up_after: 1000000 timeouts of up to 1000000 us for each of 16 packets could take longer than 53 days (2^62 ps); allowed: fewer, shorter timeouts, or a horizon_us"
        ]
    );
    let bounded = [&patient[..], &["horizon_us=1e6"]].concat();
    assert_eq!(refused(&bounded), [""; 0]);
}

#[test]
fn another_controller_takes_its_own_defaults_and_keeps_the_load() {
    let text = SMALL.replacen(
        '{',
        r#"{"transport": {"kind": "go_back_n"}, "congestion_control": {"scheme": "fixed_window", "window_bdp": 2, "load": 0.5},"#,
        1,
    );
    let set = plan(&text, &["congestion_control.scheme=none"]);
    let control = &set.points[0].scenario.congestion_control;
    assert_eq!(control.controller, Controller::default());
    assert_eq!(control.load, Ratio { num: 1, den: 2 });
    let folder = Folder::new(&[("x.json", &text)]);
    let sweep = r#"sweep={"congestion_control.scheme": ["none", "fixed_window"], "congestion_control.load": [1, 0.25]}"#;
    let written = holds(&folder, "x.json", &[sweep], "out");
    assert!(written.contains("\"go_back_n\""), "{written}");
    let sweep = r#"sweep={"transport": [{"kind": "none"}, {"kind": "erasure", "extra_packets": 3}, {"kind": "selective_repeat", "sleek": {}}],
        "fabric.queue": [{}, {"kind": "trimming", "evict": "coin"}, {"kind": "trimming", "trim_bytes": null}, {"shared_buffer": {"bytes": 1e6, "alpha": 0.5}}]}"#;
    let none = "congestion_control.scheme=none";
    holds(&folder, "x.json", &[none, sweep], "out");
    let sweep = r#"sweep={"transport": [{"kind": "newreno", "handshake": true, "dup_threshold": {"paths_plus": 3}}, {"kind": "newreno"}, {"kind": "erasure", "handshake": true}]}"#;
    holds(&folder, "x.json", &[none, sweep], "out");
}

#[test]
fn tcp_has_no_answer_to_trimmed_packets() {
    let trims = [
        NEWRENO,
        "fabric.queue={\"kind\": \"trimming\"}",
        "fabric.buffer_bytes=800000",
    ];
    assert_eq!(
        refused(&trims),
        [
            "transport.kind: \"newreno\" has no answer to headers, and ports trim (fabric.queue.kind \"trimming\"); allowed: another kind, or ports that do not trim"
        ]
    );
    let drops = [&trims[..], &["fabric.queue.trim_bytes=null"]].concat();
    assert_eq!(refused(&drops), [""; 0]);
}

#[test]
fn stock_dctcp_takes_the_whole_of_htsims_tcp() {
    let stock = "congestion_control.scheme=dctcp_stock";
    let tcp = [
        stock,
        NEWRENO,
        "transport.handshake=true",
        "transport.rto.kind=estimated",
    ];
    let told = "congestion_control.scheme: \"dctcp_stock\" stands for htsim's TCP, which takes transport.kind \"newreno\", transport.handshake true and transport.rto.kind \"estimated\" (configs/dctcp_stock.json has them and its times); allowed: that, or \"dctcp\" with any transport";
    for sets in [
        &[stock, REPEAT, "transport.handshake=true", tcp[3]][..],
        &[stock, NEWRENO, tcp[3]],
        &tcp[..3],
    ] {
        assert_eq!(refused(sets), [told], "{sets:?}");
    }
    let plan = plan(SMALL, &tcp);
    let control = plan.points[0].scenario.congestion_control.controller;
    let expected = Controller::DctcpStock(dctcp_stock::Params::default());
    assert_eq!(control, expected);
    assert_eq!(
        refused(&[stock]),
        [
            "congestion_control.scheme: \"dctcp_stock\" counts what is in flight, which takes a transport.kind other than \"none\"; allowed: that, or \"none\""
        ]
    );
}
