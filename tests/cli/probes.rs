//! Odd inputs that break a peer: what the table in the inputs' README says of each.

use crate::support::{Ended, Folder, columns, input};

/// Run probe `name` on a fat tree of `k` with more keys of the workload; `None` where the inputs are missing.
fn probe(folder: &Folder, name: &str, k: u32, more: &[&str]) -> Option<Ended> {
    let file = input(&format!("probes/{name}"))?;
    let scenario = serde_json::json!({
        "repeats": 1,
        "fabric": {"k": k},
        "load_balancing": {"scheme": "ofan"},
        "workload": {"kind": "htsim_cm", "path": file, "start_jitter": "none"},
    });
    folder.write("x.json", scenario.to_string());
    let args = ["run", "x.json", "--csv", "--quiet", "--out", "out"];
    Some(folder.spraysim(&[&args, more].concat()))
}

/// The probe is refused before anything is written, in one line that names the file and says `words`.
fn refuses(name: &str, more: &[&str], words: &[&str]) {
    let folder = Folder::new(&[]);
    let Some(ended) = probe(&folder, name, 4, more) else {
        return;
    };
    let lines = ended.refused();
    assert_eq!(lines.len(), words.len(), "{lines:#?}");
    for (line, words) in lines.iter().zip(words) {
        assert!(line.starts_with("error: x.json: workload.path: "), "{line}");
        assert!(line.contains(&format!("{name}: {words}")), "{line}");
    }
    assert_eq!(folder.entries("."), ["x.json"]);
}

#[test]
fn line_ends_double_spaces_and_tabs_do_not_matter() {
    for (name, k) in [("crlf16.cm", 4), ("tabs.cm", 4)] {
        let folder = Folder::new(&[]);
        let Some(ended) = probe(&folder, name, k, &[]) else {
            return;
        };
        let rows = columns(&ended.done().out, &["hosts", "flows", "finished_flows"]);
        assert_eq!(rows, [["16", "1", "1"]], "{name}");
    }
    let folder = Folder::new(&[]);
    // Eight hosts: no three-level tree has as many.
    if let Some(ended) = probe(&folder, "dspace.cm", 4, &["--set", "fabric.levels=2"]) {
        assert_eq!(
            columns(&ended.done().out, &["hosts", "finished_flows"]),
            [["8", "1"]]
        );
    }
    refuses(
        "dspace.cm",
        &[],
        &["Nodes 8 but this fabric has 16 hosts; a fat tree of 2 levels and k = 4 has 8"],
    );
}

#[test]
fn a_fraction_of_a_microsecond_is_exact_and_one_of_a_picosecond_refused() {
    let folder = Folder::new(&[]);
    let name = "fractional_start_us.cm";
    let Some(ended) = probe(&folder, name, 4, &["--set", "workload.start_unit=us"]) else {
        return;
    };
    ended.done();
    let starts = columns(&folder.read("out/flows.csv"), &["src", "start_ps"]);
    assert_eq!(starts, [["h0", "1500000"], ["h1", "0"]]);
    let words = "line 3: `start`: \"1.5\" is no whole number of picoseconds";
    refuses(name, &["--set", "workload.start_unit=ps"], &[words]);
    refuses(name, &[], &["line 3: `start` \"1.5\" has no unit"]);
}

#[test]
fn large_starts_keep_every_digit() {
    let folder = Folder::new(&[]);
    let Some(ended) = probe(
        &folder,
        "large_start_ps.cm",
        4,
        &["--set", "workload.start_unit=ps"],
    ) else {
        return;
    };
    ended.done();
    let starts = columns(&folder.read("out/flows.csv"), &["start_ps", "finished"]);
    assert_eq!(starts, [["16777217", "true"], ["1000000001", "true"]]);
}

#[test]
fn five_gigabytes_are_accepted_and_unfinished_at_a_horizon() {
    let folder = Folder::new(&[]);
    let Some(ended) = probe(&folder, "five_gigabytes.cm", 4, &["--set", "horizon_us=50"]) else {
        return;
    };
    assert_eq!((ended.code, ended.err.as_str()), (3, ""));
    let shown = [
        "message_bytes",
        "flows",
        "finished_flows",
        "cct_ps",
        "cct_increase_pct",
    ];
    assert_eq!(
        columns(&ended.out, &shown),
        [["5000000000", "1", "0", "", ""]]
    );
    let flows = columns(
        &folder.read("out/flows.csv"),
        &["bytes", "end_ps", "fct_ps", "finished"],
    );
    assert_eq!(flows, [["5000000000", "", "", "false"]]);
}

#[test]
fn hosts_and_times_that_cannot_be_are_refused_with_file_line_value_and_range() {
    refuses(
        "neg16.cm",
        &[],
        &["line 3: `start`: \"-5\" is negative; allowed: 0 or more"],
    );
    refuses(
        "self16.cm",
        &[],
        &["line 3: `0->0`: a flow from a host to itself"],
    );
    refuses(
        "oob16.cm",
        &[],
        &["line 3: `0->17`: host 17 is out of range; allowed: 0 to 15"],
    );
}

#[test]
fn an_endless_flow_needs_a_horizon() {
    refuses(
        "zero16.cm",
        &[],
        &["line 3: `size` is 0, an endless flow: it takes a horizon (`horizon_us`)"],
    );
    let folder = Folder::new(&[]);
    if let Some(ended) = probe(&folder, "zero16.cm", 4, &["--set", "horizon_us=20"]) {
        assert_eq!(ended.code, 3, "{}", ended.err);
        assert_eq!(
            columns(&ended.out, &["finished_flows", "cct_ps"]),
            [["0", ""]]
        );
    }
}

#[test]
fn an_id_of_two_flows_is_refused() {
    refuses(
        "same_id_twice.cm",
        &[],
        &["line 4: `id 1` is also that of the flow on line 3"],
    );
}

#[test]
fn counts_that_lie_are_refused_with_declared_and_found() {
    let Some(ended) = probe(&Folder::new(&[]), "counts_lie.cm", 4, &[]) else {
        return;
    };
    let text = ended.refused().join("\n");
    assert!(
        text.contains("`Connections` declares 3600; found 240"),
        "{text}"
    );
    assert!(text.contains("`Triggers` declares 3360; found 0"), "{text}");
}

#[test]
fn a_failed_link_of_a_matrix_carries_nothing() {
    let folder = Folder::new(&[]);
    let Some(ended) = probe(&folder, "fail.cm", 4, &[]) else {
        return;
    };
    let told = columns(
        &ended.done().out,
        &["finished_flows", "failed_links", "lost_packets"],
    );
    assert_eq!(told, [["1", "1", "0"]]);
    let links = columns(&folder.read("out/links.csv"), &["src", "dst", "packets"]);
    let packets = |src, dst| {
        let link = links.iter().find(|link| link[0] == src && link[1] == dst);
        link.expect("a link")[2].as_str()
    };
    assert_eq!([packets("a0", "c0"), packets("c0", "a0")], ["0", "0"]);
    assert_ne!(packets("a0", "c1"), "0");
}

#[test]
fn a_failed_link_that_does_not_exist_or_stands_twice_is_refused_with_its_line() {
    let matrix = "Nodes 16\nConnections 1\nFailures 4\n0->12 start 0 size 2000\n\
        failure switch_type AGG switch_id 8 link_id 0\nfailure switch_type TOR switch_id 0 link_id 2\n\
        failure switch_type CORE switch_id 0 link_id 0\nfailure switch_type AGG switch_id 0 link_id 0\n";
    let scenario = serde_json::json!({
        "fabric": {"k": 4}, "load_balancing": {"scheme": "ofan"}, "workload": {"kind": "htsim_cm", "path": "m.cm"},
    });
    let folder = Folder::new(&[("x.json", &scenario.to_string()), ("m.cm", matrix)]);
    let lines = folder.spraysim(&["run", "x.json"]).refused();
    assert_eq!(lines.len(), 3, "{lines:#?}");
    for (line, words) in lines.iter().zip([
        "m.cm: line 5: `failure`: AGG 8 does not exist; this fabric has AGG 0 to 7",
        "m.cm: line 6: `failure`: uplink 2 of TOR 0 does not exist; it has uplinks 0 to 1",
        "m.cm: line 8: `failure` names the link of line 7; allowed: each once",
    ]) {
        assert!(line.contains(words), "{line}");
    }
}

#[test]
fn a_topology_file_is_no_matrix() {
    let folder = Folder::new(&[]);
    let Some(ended) = probe(&folder, "queue_down_keyword.topo", 4, &[]) else {
        return;
    };
    let text = ended.refused().join("\n");
    assert!(
        text.contains("queue_down_keyword.topo: line 2: \"Tiers\" is not a header key"),
        "{text}"
    );
}
