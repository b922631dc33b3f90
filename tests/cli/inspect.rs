//! Looking into a run: the audit of its frames, the trace of a flow, and the flows that did not finish.

use crate::support::{Folder, column, columns};

const SMALL: &str = r#"{
  "fabric": {"k": 4},
  "load_balancing": {"scheme": "rps"},
  "workload": {"kind": "permutation", "message_bytes": 65536},
  "repeats": 2
}"#;

#[test]
fn an_audit_has_a_line_a_run_in_which_all_frames_are_accounted_for() {
    let folder = Folder::of(SMALL);
    let ended = folder.spraysim(&["run", "x.json", "--csv", "--audit"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let lines: Vec<&str> = ended
        .err
        .lines()
        .filter(|line| line.starts_with("audit: "))
        .collect();
    // 16 hosts send 16 packets each, and as many are acknowledged.
    let told = "data 256 sent = 256 delivered; other 256 sent = 256 delivered";
    assert_eq!(
        lines,
        [
            format!("audit: point 1, seed 1: {told}"),
            format!("audit: point 1, seed 2: {told}")
        ]
    );
    let quiet = folder.spraysim(&["run", "x.json", "--csv", "--audit", "--quiet"]);
    assert_eq!((quiet.code, quiet.err.as_str()), (0, ""));
}

#[test]
fn a_trace_lies_beside_the_other_files_and_names_a_flow_that_exists() {
    let folder = Folder::of(SMALL);
    let run = ["run", "x.json", "--quiet", "--out", "out", "--trace"];
    let traced = |flow: &str| folder.spraysim(&[&run[..], &[flow]].concat());
    assert_eq!(traced("flow=15").code, 0);
    let trace = folder.read("out/trace.csv");
    let header = trace.lines().next().expect("a header");
    assert!(header.starts_with("scenario,scheme,cca,"), "{header}");
    assert!(header.ends_with(
        ",seed,time_ps,event,psn,bytes,window_bytes,in_flight_bytes,rtt_ps,marked,path,decision"
    ));
    let refused = traced("flow=16").refused();
    assert_eq!(
        refused,
        ["error: --trace flow=16: point 1 has no such flow; allowed: flow=0 to flow=15"]
    );
    for wrong in [
        "16",
        "flow=",
        "flow=-1",
        "flow=x",
        "packet=3",
        "flow=4294967296",
    ] {
        let ended = traced(wrong);
        assert_eq!(ended.code, 2, "{wrong}");
        assert!(ended.err.contains("allowed: flow=ID"), "{}", ended.err);
    }
    let nowhere = folder.spraysim(&["run", "x.json", "--trace", "flow=0"]);
    assert_eq!(nowhere.code, 2);
    assert!(nowhere.err.contains("--out"), "{}", nowhere.err);
}

#[test]
fn the_first_ten_unfinished_flows_are_named_with_what_they_got_and_why() {
    let folder = Folder::of(SMALL);
    let ended = folder.spraysim(&["run", "x.json", "--csv", "--set", "horizon_us=1"]);
    assert_eq!(ended.code, 3);
    let flows: Vec<&str> = ended
        .err
        .lines()
        .filter(|line| line.starts_with("warning:   flow "))
        .collect();
    assert_eq!(flows.len(), 10, "{}", ended.err);
    for (number, line) in flows.iter().enumerate() {
        let start = format!("warning:   flow {number} (h{number} to h");
        assert!(line.starts_with(&start), "{line}");
        assert!(line.ends_with(" of 65536 bytes arrived; still under way at the horizon"));
    }
}

/// What stderr says of one run that leaves flows unfinished, where `sets` are set.
fn unfinished(sets: &[&str]) -> String {
    let mut args = vec!["run", "x.json", "--csv", "--repeats", "1"];
    for set in sets {
        args.extend(["--set", *set]);
    }
    let ended = Folder::of(SMALL).spraysim(&args);
    assert_eq!(ended.code, 3, "{}", ended.err);
    ended.err
}

#[test]
fn a_flow_that_starts_after_the_horizon_says_so() {
    let late = r#"workload={"kind": "pairs", "pairs": [{"src": 4, "dst": 0, "bytes": 100000},
        {"src": 8, "dst": 0, "bytes": 100000, "start_ns": 6000}]}"#;
    let err = unfinished(&["horizon_us=5", late]);
    let reason = |flow: &str| {
        let line = err.lines().find(|line| line.contains(flow));
        let line = line.unwrap_or_else(|| panic!("{flow}: {err}"));
        line.rsplit("; ").next().map(str::to_owned)
    };
    assert_eq!(
        reason("flow 0 ").as_deref(),
        Some("ACKs still under way at the horizon")
    );
    assert_eq!(
        reason("flow 1 ").as_deref(),
        Some("it starts after the horizon")
    );
}

#[test]
fn a_flow_that_lacks_but_an_ack_says_so() {
    let folder = Folder::of(SMALL);
    let whole = folder.spraysim(&["run", "x.json", "--csv", "--repeats", "1"]);
    let ps: u64 = column(&whole.out, "cct_ps")[0].parse().expect("a number");
    let horizon = format!(
        "horizon_us={}.{:06}",
        (ps - 1) / 1_000_000,
        (ps - 1) % 1_000_000
    );
    let err = unfinished(&[&horizon]);
    let wanted = "65536 of 65536 bytes arrived; ACKs still under way at the horizon";
    assert!(err.contains(wanted), "{err}");
}

#[test]
fn a_flow_whose_packets_are_dropped_and_one_behind_it_say_so() {
    let incast = r#"workload={"kind": "pairs", "pairs": [{"src": 4, "dst": 0, "bytes": 100000}, {"src": 8, "dst": 0, "bytes": 100000},
        {"src": 5, "dst": 6, "bytes": 5, "after": {"flows": [0, 1]}}]}"#;
    let err = unfinished(&[incast, "fabric.buffer_bytes=9000"]);
    let dropped = "packets were dropped or lost, or wait behind a port that sends nothing";
    assert!(err.contains(dropped), "{err}");
    let waiting = "flow 2 (h5 to h6): 0 of 5 bytes arrived; what it waits for did not happen";
    assert!(err.contains(waiting), "{err}");
}

/// What stderr says of flow 0, which host 4 sends to host 0 with a transport that gives up, where `sets` are set too.
fn why_given_up(give_up_after: u32, sets: &[&str]) -> String {
    let after = format!("transport.give_up_after={give_up_after}");
    let kind = ["transport.kind=selective_repeat", &after];
    let err = unfinished(&[&kind[..], sets].concat());
    let mut lines = err.lines();
    let line = lines.find(|line| line.starts_with("warning:   flow 0 (h4 to h0): "));
    let (_, why) = line
        .and_then(|line| line.split_once("acknowledged; "))
        .expect("a reason");
    why.to_owned()
}

#[test]
fn a_sender_of_which_all_is_lost_gives_up_after_timeouts() {
    let lone = r#"workload={"kind": "pairs", "pairs": [{"src": 4, "dst": 0, "bytes": 100000}]}"#;
    let lost = r#"failures.loss=[{"probability": 1, "frames": "data"}]"#;
    let why = |after| why_given_up(after, &[lone, lost]);
    assert_eq!(why(1), "gave up after 1 timeout in a row");
    assert_eq!(why(3), "gave up after 3 timeouts in a row");
}

#[test]
fn a_sender_of_which_a_packet_is_trimmed_ever_again_gives_up_without_a_timeout() {
    // Three senders keep a port full that holds one frame: most packets lose their payload, but their headers are answered in time.
    let incast = r#"workload={"kind": "pairs", "pairs": [{"src": 4, "dst": 0, "bytes": 4000000},
        {"src": 8, "dst": 0, "bytes": 4000000}, {"src": 12, "dst": 0, "bytes": 4000000}]}"#;
    let trims = [
        incast,
        "fabric.queue.kind=trimming",
        "fabric.buffer_bytes=4158",
    ];
    let told = "gave up when a packet was lost that had been sent 10 times";
    assert_eq!(why_given_up(1, &trims), told);
}

#[test]
fn the_trace_tells_what_nscc_decided_and_adds_up_to_what_uet_htsim_prints() {
    let profile = format!("{}/configs/uet.json", env!("CARGO_MANIFEST_DIR"));
    // Its example of one flow, whose summary reads: fair_inc 0, fast_inc 519430, multi_dec 0, quick_dec 0, nack_dec 0.
    let one = format!(
        r#"{{"extends": "{profile}", "fabric": {{"k": 4}}, "repeats": 1,
            "workload": {{"kind": "pairs", "pairs": [{{"src": 0, "dst": 13, "bytes": 2000000}}]}}}}"#
    );
    let folder = Folder::of(&one);
    let ended = folder.spraysim(&[
        "run", "x.json", "--quiet", "--out", "out", "--trace", "flow=0",
    ]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let trace = folder.read("out/trace.csv");
    let acks = columns(&trace, &["event", "bytes", "decision"]);
    let acks: Vec<_> = acks.iter().filter(|row| row[0] == "ack").collect();
    assert_eq!(acks.len(), 124);
    let is = |row: &[String], word: &str| row[2].split('+').any(|part| part == word);
    let all = ["fast_increase", "proportional_increase"];
    assert!(acks.iter().all(|row| all.iter().any(|word| is(row, word))));
    // A quarter of the bandwidth-delay product over that of 100 Gb/s and 12 us: 14.02272 us are 175,284 bytes.
    let scale = 0.25 * 175_284.0 / 150_000.0;
    let fast = acks.iter().filter(|row| is(row, "fast_increase"));
    let sum: u64 = fast
        .map(|row| (row[1].parse::<f64>().expect("bytes") * scale) as u64)
        .sum();
    assert_eq!(sum, 519_430);
}
