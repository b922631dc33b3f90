//! Mice beside a collective: what tables show of both.

use crate::support::{Folder, columns, table};

/// A permutation of 16 hosts under `ofan`, which draws nothing for each flow.
fn scenario(mice: &str) -> String {
    format!(
        r#"{{
  "repeats": 2,
  "fabric": {{"k": 4}},
  "load_balancing": {{"scheme": "ofan"}},
  "transport": {{"kind": "selective_repeat"}},
  "congestion_control": {{"scheme": "mswift", "rho_max": "line_rate"}},
  "workload": {{"kind": "permutation", "message_bytes": 400000, "mice": {mice}}}
}}"#
    )
}

fn run(mice: &str) -> Folder {
    let folder = Folder::of(&scenario(mice));
    folder
        .spraysim(&["run", "x.json", "--quiet", "--out", "out"])
        .done();
    folder
}

/// A message long after the collective is over.
const LATE: &str =
    r#"{"message_bytes": 16384, "count_per_host": 3, "period_ns": 100000, "start_ns": 1000000}"#;
/// Messages beside it.
const BESIDE: &str = r#"{"message_bytes": 16384, "count_per_host": 3, "period_ns": 2000}"#;

#[test]
fn mice_that_come_after_the_collective_change_nothing_of_it() {
    let (alone, late) = (run("null"), run(LATE));
    let of_collective = [
        "message_bytes",
        "cct_ps",
        "lower_bound_ps",
        "lower_bound_kind",
        "cct_increase_pct",
        "utilization_mean",
        "utilization_peak",
        "rho_max",
    ];
    let summary = |folder: &Folder| columns(&folder.read("out/summary.csv"), &of_collective);
    assert_eq!(summary(&late), summary(&alone));
    assert_eq!(summary(&alone)[0][0], "400000");
    let counts = ["flows", "finished_flows", "mice", "finished_mice"];
    let counted = |folder: &Folder| columns(&folder.read("out/summary.csv"), &counts);
    assert_eq!(counted(&alone)[0], ["16", "16", "0", "0"]);
    assert_eq!(counted(&late)[0], ["64", "64", "48", "48"]);
    // Every flow of the collective is the same to its last cell.
    let (header, flows) = table(&late.read("out/flows.csv"));
    assert_eq!(header.last().map(String::as_str), Some("class"));
    let (mice, collective): (Vec<_>, Vec<_>) = flows
        .into_iter()
        .partition(|row| row.last().map(String::as_str) == Some("mouse"));
    assert_eq!(collective, table(&alone.read("out/flows.csv")).1);
    assert_eq!(mice.len(), 2 * 48);
}

#[test]
fn mice_on_an_idle_fabric_take_what_they_would_alone() {
    // One flow in 100 us from each of 16 hosts: few meet, and what meets is four packets.
    let folder = run(LATE);
    let names = ["class", "fct_ps", "ideal_fct_ps"];
    let flows = columns(&folder.read("out/flows.csv"), &names);
    let mice = flows.iter().filter(|row| row[0] == "mouse");
    let number = |cell: &str| cell.parse::<u64>().expect("a number");
    let (mut alone, mut all) = (0, 0);
    for row in mice {
        let (took, ideal) = (number(&row[1]), number(&row[2]));
        assert!(took >= ideal, "{row:?}");
        alone += u32::from(took == ideal);
        all += 1;
    }
    assert!(alone * 10 >= all * 9, "{alone} of {all}");
}

#[test]
fn the_collective_is_the_same_beside_mice_and_the_columns_are_those_of_the_flows() {
    let (alone, beside) = (run("null"), run(BESIDE));
    let names = ["seed", "flow", "src", "dst", "bytes", "release_ps", "class"];
    let flows = |folder: &Folder| columns(&folder.read("out/flows.csv"), &names);
    let mut collective = flows(&beside);
    collective.retain(|row| row[6] == "collective");
    assert_eq!(collective, flows(&alone));
    // A seed at a time: mean, median, 99th percentile and maximum of 48 by nearest rank.
    let rows = columns(
        &beside.read("out/flows.csv"),
        &["seed", "class", "fct_ps", "start_ps", "end_ps"],
    );
    let number = |cell: &String| cell.parse::<u64>().expect("a number");
    for (seed, row) in columns(
        &beside.read("out/summary.csv"),
        &[
            "mice_fct_mean_ps",
            "mice_fct_p50_ps",
            "mice_fct_p99_ps",
            "mice_fct_max_ps",
            "cct_ps",
        ],
    )
    .iter()
    .enumerate()
    .map(|(i, row)| ((i + 1).to_string(), row))
    {
        let of = |class: &str| {
            let here = rows.iter().filter(|row| row[0] == seed && row[1] == class);
            here.cloned().collect::<Vec<_>>()
        };
        let mut times: Vec<u64> = of("mouse").iter().map(|row| number(&row[2])).collect();
        times.sort_unstable();
        assert_eq!(times.len(), 48);
        let mean = times.iter().sum::<u64>() as f64 / 48.0;
        let expected = [
            format!("{mean:.6}"),
            times[23].to_string(),
            times[47].to_string(),
            times[47].to_string(),
        ];
        assert_eq!(row[..4], expected);
        let collective = of("collective");
        let first = collective.iter().map(|row| number(&row[3])).min();
        let last = collective.iter().map(|row| number(&row[4])).max();
        let cct = last.zip(first).map(|(last, first)| last - first);
        assert_eq!(row[4], cct.expect("flows").to_string());
    }
}

#[test]
fn check_tells_how_many_mice_there_are_and_what_they_load() {
    let told = |mice: &str| {
        let folder = Folder::of(&scenario(mice));
        let text = folder.spraysim(&["check", "x.json"]).done().out;
        let line = text.lines().find(|line| line.contains("  mice "));
        line.map(|line| line.trim().to_owned())
    };
    // 16,384 bytes in four packets of 82 bytes more are 167.12 ns at 800 Gb/s; a round is 2 us.
    assert_eq!(
        told(BESIDE).as_deref(),
        Some("mice            48 of the flows, in their rounds 8.36 % of what hosts' links carry")
    );
    let at_once = r#"{"message_bytes": 1, "count_per_host": 1, "period_ns": 0}"#;
    assert_eq!(
        told(at_once).as_deref(),
        Some("mice            16 of the flows, each round at once")
    );
    assert_eq!(told("null"), None);
}

#[test]
fn the_table_shows_mice_where_there_are_any() {
    let head = |mice: &str| {
        let folder = Folder::of(&scenario(mice));
        let table = folder.spraysim(&["run", "x.json", "--quiet"]).done().out;
        let line = table.lines().next().expect("a line").to_owned();
        line.split("  ")
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (alone, beside) = (head("null"), head(BESIDE));
    assert_eq!(beside[..alone.len()], alone);
    assert_eq!(beside[alone.len()..], ["mice p50 us", "mice p99 us"]);
}
