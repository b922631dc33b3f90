//! The topology files of other simulators: they run to the end, and what they say is honoured.

use serde_json::json;

use crate::support::{Ended, Folder, columns, input};

/// Name of every topology file, its hosts, and the directed links of its stages in order.
const TOPOLOGIES: [(&str, u32, &[u64]); 7] = [
    ("htsim_topo/fat_tree_1024_1os", 1024, &[1024; 6]),
    ("htsim_topo/fat_tree_128_1os", 128, &[128; 6]),
    (
        "htsim_topo/fat_tree_128_4os",
        128,
        &[128, 128, 32, 32, 128, 128],
    ),
    ("htsim_topo/fat_tree_432_800g", 432, &[432; 6]),
    ("htsim_topo/leaf_spine_tiny", 32, &[32, 8, 8, 32]),
    // Two pods of two edges and two aggregation switches, each with two links to each of two cores.
    ("htsim_topo/test", 8, &[8, 8, 16, 16, 8, 8]),
    ("probes/queue_down_keyword", 32, &[32, 8, 8, 32]),
];

fn run(folder: &Folder, topology: &str, scheme: &str, more: &[&str]) -> Option<Ended> {
    let file = input(&format!("{topology}.topo"))?;
    let scenario = json!({
        "repeats": 1,
        "fabric": {"kind": "htsim_topo", "path": file},
        "load_balancing": {"scheme": scheme},
        "workload": {"kind": "permutation", "message_bytes": 30_000},
    });
    folder.write("x.json", scenario.to_string());
    let args = ["run", "x.json", "--csv", "--quiet", "--out", "out"];
    Some(folder.spraysim(&[&args, more].concat()))
}

#[test]
fn every_topology_file_runs_to_the_end_with_the_links_that_it_says() {
    for (name, hosts, links) in TOPOLOGIES {
        let folder = Folder::new(&[]);
        for scheme in ["ofan", "drb", "ethereal", "reps", "jsq"] {
            let Some(ended) = run(&folder, name, scheme, &[]) else {
                return;
            };
            let told = columns(
                &ended.done().out,
                &["hosts", "flows", "finished_flows", "dropped_packets"],
            );
            let hosts = hosts.to_string();
            assert_eq!(
                told,
                [[hosts.as_str(), &hosts, &hosts, "0"]],
                "{name}, {scheme}"
            );
            let ports = columns(&folder.read("out/queues.csv"), &["ports"]).concat();
            let expected: Vec<String> = links.iter().map(ToString::to_string).collect();
            assert_eq!(ports, expected, "{name}, {scheme}");
        }
    }
}

#[test]
fn the_papers_fabric_as_a_file_gives_the_flows_of_the_plain_tree() {
    let folder = Folder::new(&[]);
    for scheme in ["ofan", "drb", "rps", "simple_rr"] {
        let Some(ended) = run(&folder, "htsim_topo/fat_tree_432_800g", scheme, &[]) else {
            return;
        };
        ended.done();
        let of_file = columns(
            &folder.read("out/flows.csv"),
            &["src", "dst", "start_ps", "end_ps", "packets"],
        );
        let plain = json!({
            "repeats": 1, "fabric": {"k": 12}, "load_balancing": {"scheme": scheme},
            "workload": {"kind": "permutation", "message_bytes": 30_000},
        });
        folder.write("plain.json", plain.to_string());
        folder
            .spraysim(&["run", "plain.json", "--quiet", "--out", "plain"])
            .done();
        let of_tree = columns(
            &folder.read("plain/flows.csv"),
            &["src", "dst", "start_ps", "end_ps", "packets"],
        );
        assert_eq!(of_file, of_tree, "{scheme}");
    }
}

#[test]
fn a_queue_of_the_file_is_honoured_and_the_scenarios_buffer_holds_elsewhere() {
    let folder = Folder::new(&[]);
    let incast: Vec<_> = (1..32)
        .map(|src| json!({"src": src, "dst": 0, "bytes": 60_000}))
        .collect();
    let Some(file) = input("probes/queue_down_keyword.topo") else {
        return;
    };
    let scenario = json!({
        "repeats": 1,
        "fabric": {"kind": "htsim_topo", "path": file},
        "load_balancing": {"scheme": "rsq"},
        "workload": {"kind": "pairs", "pairs": incast},
    });
    folder.write("x.json", scenario.to_string());
    for (buffer, stage, most) in [("null", "eh", 100_000), ("50000", "ae", 50_000)] {
        let set = format!("fabric.buffer_bytes={buffer}");
        let ended = folder.spraysim(&["run", "x.json", "--quiet", "--out", "out", "--set", &set]);
        assert_eq!(ended.code, 3, "frames are lost");
        let rows = columns(&folder.read("out/queues.csv"), &["stage", "max_bytes"]);
        let row = rows.iter().find(|row| row[0] == stage).expect("a stage");
        let held: u64 = row[1].parse().expect("a number");
        assert!(held <= most && held + 4_158 > most, "{stage}: {held}");
    }
}

#[test]
fn what_is_wrong_with_a_topology_is_named_with_file_line_and_what_is_allowed() {
    let topo = "Nodes 32\nTiers 2\nPodsize 32\nTier 0\nRadix_Down 8\nRadix_Up 300\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1000\n\
                Queue_down 100\nTier 1\nRadix_Down 4\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 0\n";
    let scenario = json!({
        "fabric": {"kind": "htsim_topo", "path": "t.topo", "k": 4},
        "load_balancing": {"scheme": "rsq"},
        "workload": {"kind": "permutation", "message_bytes": 1},
    });
    let folder = Folder::new(&[("x.json", &scenario.to_string()), ("t.topo", topo)]);
    let found = folder.spraysim(&["run", "x.json"]).refused();
    assert_eq!(found.len(), 3, "{found:#?}");
    for words in [
        "fabric.k: belongs to kind \"fat_tree\"",
        "t.topo: line 6: `Radix_Up` is \"300\"; allowed: an integer from 1 to 255",
        "t.topo: line 13: `Downlink_Latency_ns` is \"0\"; allowed: ",
    ] {
        assert!(found.iter().any(|line| line.contains(words)), "{found:#?}");
    }
    folder.write(
        "t.topo",
        topo.replace("300", "2").replace("_ns 0", "_ns 500"),
    );
    let mut fixed = scenario.clone();
    fixed["fabric"] = json!({"kind": "htsim_topo", "path": "t.topo"});
    fixed["workload"]["message_bytes"] = json!(4096);
    fixed["trigger_latency_ns"] = json!(499);
    folder.write("x.json", fixed.to_string());
    let found = folder.spraysim(&["check", "x.json"]).refused();
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(
        found[0].contains("t.topo") || found[0].contains("Tier 0: a queue of 100 bytes"),
        "{found:#?}"
    );
    assert!(
        found[1].contains("499 ns is below the shortest latency of the topology file"),
        "{found:#?}"
    );
}

#[test]
fn the_effective_scenario_of_a_topology_file_runs_again_to_the_same_bytes() {
    let folder = Folder::new(&[]);
    let Some(ended) = run(&folder, "htsim_topo/test", "pofan", &[]) else {
        return;
    };
    ended.done();
    let again = ["run", "out/scenario.json", "--quiet", "--out", "again"];
    folder.spraysim(&again).done();
    assert_eq!(folder.outputs("out"), folder.outputs("again"));
}
