//! Scenarios in which one key or another means something.

use crate::json::{Json, Origin, parse};

/// Keys of lossless queues.
const LOSSLESS: [&str; 3] = ["resume_bytes", "headroom_bytes", "pause_frame_bytes"];

/// A scenario in which `path` means something. Its scheme has no parameters, which are documented elsewhere.
pub(super) fn host_of(path: &str) -> Json {
    let workload = match path {
        "workload.path" | "workload.start_unit" => r#"{"kind": "htsim_cm", "path": "m.cm"}"#,
        _ if path.starts_with("workload.pairs[].after.") => {
            r#"{"kind": "pairs", "pairs": [{"src": 1, "dst": 2, "bytes": 5, "after": {"flows": [1]}}, {"src": 2, "dst": 3, "bytes": 5}]}"#
        }
        _ if path.starts_with("workload.pairs") => {
            r#"{"kind": "pairs", "pairs": [{"src": 1, "dst": 2, "bytes": 5}]}"#
        }
        _ if path.starts_with("workload.mice.") => {
            r#"{"kind": "permutation", "message_bytes": 5,
                "mice": {"message_bytes": 5, "count_per_host": 5, "period_ns": 5}}"#
        }
        "workload.start_jitter.stragglers.fraction" => {
            r#"{"kind": "permutation", "message_bytes": 5,
                "start_jitter": {"stragglers": {"fraction": 0.5, "delay_ns": 5}}}"#
        }
        _ if path.starts_with("workload.start_jitter.stragglers.") => {
            r#"{"kind": "permutation", "message_bytes": 5,
                "start_jitter": {"stragglers": {"hosts": [1], "delay_ns": 5}}}"#
        }
        _ if path.starts_with("workload.start_jitter.") => {
            r#"{"kind": "permutation", "message_bytes": 5, "start_jitter": {}}"#
        }
        _ => r#"{"kind": "permutation", "message_bytes": 5}"#,
    };
    let fabric = match path {
        "fabric.path" => r#"{"kind": "htsim_topo", "path": "t.topo"}"#,
        "fabric.queue.trim_bytes" | "fabric.queue.header_buffer_bytes" | "fabric.queue.evict" => {
            r#"{"k": 4, "queue": {"kind": "trimming"}}"#
        }
        _ if path.starts_with("fabric.queue.shared_buffer.") => {
            r#"{"k": 4, "queue": {"shared_buffer": {"bytes": 1000000}}}"#
        }
        "fabric.queue.resume_offset_bytes" => {
            r#"{"k": 4, "queue": {"kind": "lossless", "shared_buffer": {"bytes": 1000000}}}"#
        }
        "fabric.queue.pause_bytes" => {
            r#"{"k": 4, "buffer_bytes": 1000000, "queue": {"kind": "lossless"}}"#
        }
        _ if path.starts_with("fabric.queue.") && LOSSLESS.iter().any(|of| path.ends_with(of)) => {
            r#"{"k": 4, "queue": {"kind": "lossless", "pause_bytes": 1000000}}"#
        }
        _ if path.starts_with("failures.hosts") => {
            r#"{"k": 4, "queue": {"kind": "lossless", "pause_bytes": 1000000}}"#
        }
        _ => r#"{"k": 4}"#,
    };
    let transport = match path {
        "transport.rto.initial_us" | "transport.rto.min_us" => {
            r#"{"kind": "selective_repeat", "rto": {"kind": "estimated"}}"#
        }
        "transport.extra_packets" | "transport.resume" => r#"{"kind": "erasure"}"#,
        "transport.dup_threshold.paths_plus" => {
            r#"{"kind": "selective_repeat", "dup_threshold": {}}"#
        }
        _ if path.starts_with("transport.sleek.") => r#"{"kind": "selective_repeat", "sleek": {}}"#,
        "transport.kind" => "{}",
        _ if path.starts_with("transport.") => r#"{"kind": "selective_repeat"}"#,
        _ => "{}",
    };
    let load_balancing = match path {
        _ if path.starts_with("load_balancing.override[]") => {
            r#"{"scheme": "ecmp", "override": [
                {"where": "random_switches", "fraction": 0.5, "scheme": {"scheme": "rsq"}}]}"#
        }
        _ => r#"{"scheme": "ecmp"}"#,
    };
    let failures = match path {
        _ if path.starts_with("failures.links") => r#"{"links": [{"link": "e0-a0"}]}"#,
        _ if path.starts_with("failures.switches") => r#"{"switches": [{"switch": "a1"}]}"#,
        _ if path.starts_with("failures.loss") => {
            r#"{"loss": [{"link": "e0-a0", "probability": 0.5}]}"#
        }
        _ if path.starts_with("failures.hosts") => r#"{"hosts": [{"host": 1}]}"#,
        _ => "{}",
    };
    let text = format!(
        r#"{{"fabric": {fabric}, "load_balancing": {load_balancing}, "workload": {workload},
            "failures": {failures}, "transport": {transport}}}"#
    );
    parse(&text, Origin(0)).expect("the test's JSON parses")
}
