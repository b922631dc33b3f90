//! STAND-IN, to be deleted at merge: the smallest versions of what other modules will deliver, under the names that
//! they will have (`crate::standin::scenario::Plan` becomes `crate::scenario::Plan`, and so on). Nothing here is a model.
#![allow(missing_docs, missing_debug_implementations, clippy::or_fun_call)]

pub mod scenario {
    use std::path::Path;

    use serde_json::{Value as V, json};

    use crate::json::{Json, Origin, Value};
    use crate::lb::Scheme;
    pub use crate::scenario::*;
    use crate::units::{Rate, Ratio, Span};

    #[derive(Default)]
    pub struct Overrides {
        pub sets: Vec<String>,
        pub seed: Option<u64>,
        pub repeats: Option<u32>,
    }
    pub struct Plan {
        pub name: String,
        pub seed: u64,
        pub repeats: u32,
        pub swept: Vec<String>,
        pub points: Vec<Point>,
    }
    pub struct Point {
        pub values: Vec<Json>,
        pub seed: u64,
        pub scenario: Scenario,
    }
    pub struct InputErrors(pub Vec<String>);
    impl std::fmt::Display for InputErrors {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(&self.0.join("\n"))
        }
    }
    pub struct KeyDoc {
        pub path: &'static str,
        pub allowed: &'static str,
        pub default: &'static str,
        pub about: &'static str,
    }
    const fn key(path: &'static str, default: &'static str) -> KeyDoc {
        KeyDoc {
            path,
            allowed: "see the README",
            default,
            about: "stand-in",
        }
    }
    pub const KEYS: &[KeyDoc] = &[
        key("seed", "1"),
        key("fabric.k", ""),
        key("congestion_control.load", "1.0"),
        key("workload.message_bytes", ""),
        key("workload.inter_pod_only", "false"),
        key("workload.pairs", ""),
        key("workload.path", ""),
        key("workload.start_unit", "\"us\""),
        key("workload.start_jitter", "\"slot\""),
        key("workload.pacing_jitter_pct", "0"),
    ];

    impl Plan {
        pub fn effective(&self, _out_dir: &Path) -> String {
            format!("{{\n  \"name\": {:?}\n}}\n", self.name)
        }
    }

    pub fn load(file: &Path, overrides: &Overrides) -> Result<Plan, InputErrors> {
        let fail = |e: String| InputErrors(vec![format!("{}: {e}", file.display())]);
        let text = std::fs::read_to_string(file).map_err(|e| fail(e.to_string()))?;
        let root: V = serde_json::from_str(&text).map_err(|e| fail(e.to_string()))?;
        let schemes = root["sweep"]["load_balancing.scheme"].as_array().cloned();
        let swept = schemes.is_some();
        let schemes = schemes.unwrap_or_else(|| vec![json!("ofan")]);
        let seed = overrides.seed.or(root["seed"].as_u64()).unwrap_or(1);
        let point = |scheme: &V| Point {
            values: vec![
                Json {
                    value: Value::Text(scheme.as_str().unwrap().into()),
                    origin: Origin(0)
                };
                usize::from(swept)
            ],
            seed,
            scenario: scenario(&root, scheme.as_str().unwrap()),
        };
        Ok(Plan {
            name: root["name"].as_str().unwrap_or("x").into(),
            seed,
            repeats: overrides
                .repeats
                .or(root["repeats"].as_u64().map(|r| r as u32))
                .unwrap_or(1),
            swept: vec!["load_balancing.scheme".into(); usize::from(swept)],
            points: schemes.iter().map(point).collect(),
        })
    }

    fn scenario(root: &V, scheme: &str) -> Scenario {
        Scenario {
            name: root["name"].as_str().unwrap_or("x").into(),
            fabric: Fabric {
                levels: 3,
                k: root["fabric"]["k"].as_u64().unwrap_or(4) as u32,
                link_rate: Rate::from_gbps(800),
                link_latency: Span::from_ns(root["fabric"]["link_latency_ns"].as_u64().unwrap_or(500)),
                switch_latency: Span::ZERO,
                buffer_bytes: None,
                ecn_threshold_bytes: Some(80_000),
            },
            packet: PacketFormat {
                payload_bytes: 4096,
                header_bytes: 62,
                ack_bytes: 64,
                gap_bytes: 20,
                acks: Acks::PerPacket,
            },
            load_balancing: Scheme {
                name: Box::leak(scheme.to_owned().into_boxed_str()),
            },
            congestion_control: CongestionControl { load: Ratio::ONE },
            nic: Nic {
                ack_turns: AckTurns::Class,
            },
            workload: Workload {
                kind: WorkloadKind::Permutation {
                    message_bytes: 1 << 20,
                    inter_pod_only: false,
                },
                start_jitter: StartJitter::Slot,
                pacing_jitter_pct: Ratio { num: 0, den: 1 },
            },
            trigger_latency: None,
            horizon: None,
        }
    }
}

pub mod sim {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use crate::scenario::Scenario;
    pub use crate::sim::*;
    use crate::units::{Span, Time};

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Engine {
        Windowed,
        Heap,
    }
    #[derive(Clone, Copy, Debug)]
    pub struct RunOptions {
        pub engine: Engine,
    }
    #[derive(Debug, Default)]
    pub struct Progress {
        pub simulated_ps: AtomicU64,
    }
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Timings {
        pub setup: Duration,
        pub simulate: Duration,
    }

    /// Made-up numbers. A scheme named "panic" panics; "stuck" leaves a flow unfinished.
    pub fn run(scenario: &Scenario, seed: u64, _: &RunOptions, progress: &Progress) -> (RunResult, Timings) {
        assert!(scenario.load_balancing.name != "panic", "made-up panic");
        let stuck = scenario.load_balancing.name == "stuck";
        std::thread::sleep(Duration::from_millis(20));
        progress.simulated_ps.store(17_000_000 + seed, Ordering::Relaxed);
        let flows: Vec<_> = super::workload::generate(scenario, seed)
            .into_iter()
            .map(|spec| FlowResult {
                end: (!stuck || spec.src > 0).then_some(Time(17_100_000 + seed * 1000)),
                spec,
                start: Some(Time(0)),
                ideal: Span(16_907_220),
                packets: 256,
                retransmissions: 0,
                max_reordering: 0,
            })
            .collect();
        let link = |stage, src, dst| LinkResult {
            stage,
            src,
            dst,
            packets: 512,
            bytes: 1_000_000 + seed,
            busy: Span(10_000_000),
            queue_max_packets: 2 + seed,
            queue_max_bytes: 9000,
            marked_packets: 0,
            dropped_packets: u64::from(stuck),
        };
        let result = RunResult {
            links: vec![
                link(Stage::Nic, NodeName('h', 0), NodeName('e', 0)),
                link(Stage::Ea, NodeName('e', 0), NodeName('a', 0)),
                link(Stage::Ae, NodeName('a', 0), NodeName('e', 0)),
            ],
            stages: [Stage::Nic, Stage::Ea, Stage::Ae]
                .map(|stage| StageResult {
                    stage,
                    ports: 1,
                    packet_ps: 15_000_000,
                    byte_ps: 60_000_000_000,
                })
                .to_vec(),
            first_bit: Some(Time(0)),
            last_sent: Some(Time(11_000_000)),
            last_finish: (!stuck).then_some(Time(17_100_000 + seed * 1000)),
            integrated_until: Time(11_000_000),
            peak_ae_busy: Span(490_000),
            data_packets: 256 * flows.len() as u64,
            ack_packets: 256 * flows.len() as u64,
            delivered_bytes: (1 << 20) * flows.len() as u64,
            packet_hops: 2560 * flows.len() as u64,
            end: Time(17_100_000 + seed * 1000),
            flows,
        };
        (
            result,
            Timings {
                setup: Duration::from_millis(1),
                simulate: Duration::from_millis(20),
            },
        )
    }
}

pub mod workload {
    use crate::scenario::Scenario;
    use crate::units::Time;
    pub use crate::workload::*;

    /// The flows of a scenario under a seed.
    pub fn generate(scenario: &Scenario, _seed: u64) -> Vec<FlowSpec> {
        let hosts = scenario.fabric.k.pow(3) / 4;
        let flow = |h: u32| FlowSpec {
            id: h.into(),
            src: h,
            dst: (h + 1) % hosts,
            bytes: 1 << 20,
            start: Time(0),
        };
        (0..hosts).map(flow).collect()
    }
}

pub mod theory {
    use crate::scenario::Scenario;
    use crate::units::Span;
    use crate::workload::FlowSpec;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LowerBound {
        pub span: Span,
        pub kind: &'static str,
    }
    pub fn lower_bound(_: &Scenario, _: &[FlowSpec]) -> LowerBound {
        LowerBound {
            span: Span(17_056_940),
            kind: "permutation",
        }
    }
}

pub mod lb {
    pub use crate::fields::ParamDoc;

    pub struct SchemeRow {
        pub name: &'static str,
        pub about: &'static str,
        pub params: &'static [ParamDoc],
        pub needs_acks: bool,
    }
    pub const SCHEMES: &[SchemeRow] = &[
        SchemeRow {
            name: "rps",
            about: "random entropy per packet, hashed by the switches",
            params: &[],
            needs_acks: false,
        },
        SchemeRow {
            name: "pofan",
            about: "Ofan with one pointer per group of ingress ports",
            params: &[ParamDoc {
                name: "ports_per_pipe",
                allowed: "1 to 64",
                default: "4",
                about: "ingress ports that share a pointer",
            }],
            needs_acks: false,
        },
    ];
}
