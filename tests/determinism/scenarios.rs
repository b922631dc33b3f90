//! Random scenarios: small, of every scheme, with everything that a scenario can say at times.

use serde_json::{Value, json};
use spraysim::fields::KeyDoc;
use spraysim::lb::{SCHEMES, Scheme};

use super::topologies::topologies;

/// Draws for scenarios (SplitMix64).
pub(super) struct Draw(pub(super) u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn one(&mut self, of: &[Value]) -> Value {
        of[self.below(of.len() as u64) as usize].clone()
    }

    /// A member of `of` and its index.
    fn any<T: Clone>(&mut self, of: &[T]) -> (usize, T) {
        let index = self.below(of.len() as u64) as usize;
        (index, of[index].clone())
    }

    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// Scenario `number`: schemes in turn, the rest at random.
pub(super) fn scenario(number: u64) -> Value {
    let draw = &mut Draw(number);
    let row = &SCHEMES[(number % SCHEMES.len() as u64) as usize];
    let (mut fabric, hosts, levels) = tree(draw);
    let acks = if row.needs_acks() || draw.chance(70) {
        "per_packet"
    } else {
        "none"
    };
    let payload = draw.one(&[json!(4096), json!(1000), json!(1), json!(65_536)]);
    bounds(draw, &mut fabric, payload == 65_536);
    let most = if payload == 1 { 60 } else { 80_000 };
    json!({
        "name": format!("random {number}"),
        "seed": draw.next() >> 1,
        "repeats": 2,
        "fabric": fabric,
        "failures": failures(draw, levels),
        "packet": {
            "payload_bytes": payload,
            "acks": acks,
            "gap_bytes": draw.one(&[json!(20), json!(0)]),
        },
        "load_balancing": load_balancing(draw, row.name, levels),
        "congestion_control": {
            "load": draw.one(&[json!(1), json!(0.9), json!(0.37)]),
            "rho_max": draw.one(&["path_equal", "hop_equal", "lp", "line_rate"].map(|rule| json!(rule))),
        },
        "nic": {"ack_turns": draw.one(&[json!("class"), json!("flow")])},
        "workload": workload(draw, hosts, most, acks),
        "imperfection": imperfection(draw),
        "trigger_latency_ns": draw.one(&[json!(null), json!(null), json!(2000), json!(5000.5)]),
        "horizon_us": if draw.chance(25) { json!(1 + draw.below(9)) } else { json!(null) },
    })
}

/// A plain tree or one of the topology files, its hosts and its levels.
fn tree(draw: &mut Draw) -> (Value, u64, u64) {
    if draw.chance(30) {
        let (number, (_, hosts)) = draw.any(&topologies());
        let fabric = json!({"kind": "htsim_topo", "path": format!("{number}.topo")});
        return (fabric, hosts, if number == 0 { 2 } else { 3 });
    }
    let levels = 2 + draw.below(2);
    let k = 2 * (1 + draw.below(3));
    let fabric = json!({
        "levels": levels,
        "k": k,
        "link_gbps": draw.one(&[json!(800), json!(100), json!(33.3)]),
        "link_latency_ns": draw.one(&[json!(500), json!(1), json!(37.251), json!(2000)]),
        "switch_latency_ns": draw.one(&[json!(0), json!(0), json!(300), json!(0.7)]),
    });
    let hosts = if levels == 2 {
        k * k / 2
    } else {
        k * k * k / 4
    };
    (fabric, hosts, levels)
}

/// Bound the queues of `fabric`; with large packets the bounds are counted in them.
fn bounds(draw: &mut Draw, fabric: &mut Value, in_packets: bool) {
    if in_packets {
        fabric["buffer_packets"] = draw.one(&[json!(null), json!(1), json!(4)]);
        fabric["ecn_threshold_packets"] = draw.one(&[json!(null), json!(0), json!(2)]);
    } else {
        fabric["buffer_bytes"] =
            draw.one(&[json!(null), json!(null), json!(13_000), json!(60_000)]);
        fabric["ecn_threshold_bytes"] =
            draw.one(&[json!(80_000), json!(null), json!(0), json!(9000)]);
    }
}

/// The scheme, at times with switches that run another one.
fn load_balancing(draw: &mut Draw, name: &str, levels: u64) -> Value {
    let mut base = scheme(draw, name);
    let is_source_routed = Scheme::by_name(name).is_some_and(|scheme| scheme.is_source_routed());
    if is_source_routed || draw.chance(60) {
        return base;
    }
    let rows: Vec<_> = SCHEMES.iter().filter(|row| row.is_of_switches()).collect();
    let mut places = vec![
        json!({"where": "random_switches", "fraction": 0.5}),
        json!({"where": ["e1"]}),
        json!({"where": "edge"}),
    ];
    if levels == 3 {
        places.push(json!({"where": "random_pods", "fraction": 0.5}));
        places.push(json!({"where": "aggregation"}));
    }
    // A single switch comes last, so that it hides no other entry whole.
    let mut list = vec![draw.one(&places), json!({"where": ["e0"]})];
    list.truncate(1 + draw.below(2) as usize);
    for entry in &mut list {
        let row = rows[draw.below(rows.len() as u64) as usize];
        entry["scheme"] = scheme(draw, row.name);
    }
    base["override"] = json!(list);
    base
}

/// No failures, or some from the start and some in the middle of the run.
fn failures(draw: &mut Draw, levels: u64) -> Value {
    if draw.chance(60) {
        return json!({});
    }
    let mut link = |name: &str| {
        let from = draw.one(&[json!(0), json!(0.7), json!(1.3)]);
        let until = draw.one(&[json!(null), json!(2.5), json!(1.3001)]);
        let slow_to = draw.one(&[json!(null), json!(null), json!(0.3)]);
        json!({"link": name, "from_us": from, "until_us": until, "slow_to": slow_to})
    };
    let mut links = vec![link("e0-a0")];
    if levels == 3 {
        links.push(link("a0-c0"));
    }
    json!({
        "edge_agg_probability": draw.one(&[json!(0), json!(0.1)]),
        "agg_core_probability": if levels == 3 { json!(0.2) } else { json!(0) },
        "links": links,
        "switches": [{"switch": "a0", "from_us": 1}],
        "convergence_us": draw.one(&[json!(0), json!(0.5), json!(5)]),
        "queued": draw.one(&[json!("lost"), json!("held")]),
        "on_partition": "drop",
    })
}

/// The scheme, at times with other parameters than its defaults.
fn scheme(draw: &mut Draw, name: &str) -> Value {
    let mut scheme = json!({"scheme": name});
    let others: &[(&str, Value)] = &match name {
        "ofan" => vec![
            ("consolidate", json!("host")),
            ("port_order", json!("random")),
            ("ack_pointer", json!("random")),
            ("first_pointer", json!("shortest_queue")),
            ("size_class_bytes", json!([100, 2000])),
        ],
        "pofan" => vec![("ports_per_pipe", json!(1))],
        "ar" => vec![
            ("thresholds_pct", json!("bytes")),
            ("thresholds_pct", json!([1, 2])),
            ("refresh_ns", json!(0)),
            ("view_period_ns", json!(250)),
        ],
        "jsq" => vec![
            ("view_period_ns", json!(0.003)),
            ("view_period_ns", json!(250)),
        ],
        "reps" => vec![
            ("entropies", json!(7)),
            ("explore_packets", json!(3)),
            ("lifetime", json!(2)),
            ("freezing", json!("timeout")),
            ("freeze_us", json!(1.5)),
            ("leave", json!("probe")),
            ("exit_explore", json!(2)),
            ("entropy_timers", json!(true)),
            ("entropy_rto_initial_us", json!(0.5)),
        ],
        "rps" => vec![
            ("entropy_count", json!(16)),
            ("draw", json!("sequential")),
            ("draw", json!("masked_cycle")),
        ],
        "bitmap" | "mixed" => vec![
            ("entropy_count", json!(8)),
            ("ecn_penalty", json!(3)),
            ("nack_penalty", json!(0)),
            ("timeout_penalty", json!(2)),
            ("max_penalty", json!(4)),
        ],
        "simple_rr" => vec![("ack_pointer", json!("separate"))],
        other => drawn(draw, other),
    };
    for (key, value) in others {
        if draw.chance(40) {
            scheme[*key] = value.clone();
        }
    }
    scheme
}

/// A value for each parameter of a scheme whose rules take no other, drawn from its declaration.
fn drawn(draw: &mut Draw, name: &str) -> Vec<(&'static str, Value)> {
    let row = SCHEMES
        .iter()
        .find(|row| row.name == name)
        .expect("a scheme of the table");
    let keys = (row.keys)().into_iter().filter(|key| key.limits.is_empty());
    let value = |key: KeyDoc| {
        let drawn = key.schema.draw(&mut |n| draw.below(n.max(1)))?;
        Some((
            key.name,
            serde_json::from_str(&drawn.to_compact()).expect("it is JSON"),
        ))
    };
    keys.filter_map(value).collect()
}

fn workload(draw: &mut Draw, hosts: u64, most: u64, acks: &str) -> Value {
    let mut workload = if draw.chance(50) || hosts < 3 {
        json!({"kind": "permutation", "message_bytes": 1 + draw.below(most)})
    } else {
        let pair = |number: u64| {
            let src = draw.below(hosts);
            let dst = (src + 1 + draw.below(hosts - 1)) % hosts;
            let start = draw.one(&[json!(0), json!(0), json!(1250.125), json!(41.78)]);
            let after = after(draw, number, acks);
            json!({"src": src, "dst": dst, "bytes": 1 + draw.below(most), "start_ns": start, "after": after})
        };
        let pairs: Vec<Value> = (0..12).map(pair).collect();
        json!({"kind": "pairs", "pairs": pairs})
    };
    workload["start_jitter"] = start_jitter(draw, hosts);
    workload["pacing_jitter_pct"] = draw.one(&[json!(0), json!(0), json!(50), json!(100)]);
    workload["pacing_jitter_adds"] = draw.one(&[json!(false), json!(true)]);
    if draw.chance(30) {
        workload["mice"] = json!({
            "message_bytes": 1 + draw.below(most),
            "count_per_host": 1 + draw.below(3),
            "period_ns": draw.one(&[json!(0), json!(41.78), json!(2500.125)]),
            "start_ns": draw.one(&[json!(0), json!(1000)]),
        });
    }
    workload
}

/// Each kind at times.
fn imperfection(draw: &mut Draw) -> Value {
    json!({
        "clock_skew_ppm": draw.one(&[json!(0), json!(0), json!(100), json!(0.5)]),
        "switch_jitter_ns": draw.one(&[json!(0), json!(0), json!(50), json!(0.002)]),
        "tie_break": draw.one(&[json!("ingress_port"), json!("ingress_port"), json!("random")]),
    })
}

/// A word, a span, or stragglers.
fn start_jitter(draw: &mut Draw, hosts: u64) -> Value {
    let straggler = draw.below(hosts);
    let objects = [
        json!({"uniform_ns": 2000}),
        json!({"uniform_ns": 0, "stragglers": {"hosts": [straggler], "delay_ns": 700.5}}),
        json!({"stragglers": {"fraction": 0.5, "delay_ns": 41.78}}),
    ];
    if draw.chance(70) {
        draw.one(&[json!("slot"), json!("none")])
    } else {
        draw.one(&objects)
    }
}

/// What pair `number` waits for: at times some of the pairs before it.
fn after(draw: &mut Draw, number: u64, acks: &str) -> Value {
    let flows: Vec<u64> = (0..number).filter(|_| draw.chance(20)).collect();
    if flows.is_empty() {
        return json!(null);
    }
    let mut event = draw.one(&[json!("acked"), json!("received")]);
    if acks == "none" {
        event = json!("received");
    }
    let delay = draw.one(&[json!(0), json!(0), json!(700.001)]);
    json!({"flows": flows, "event": event, "delay_ns": delay})
}
