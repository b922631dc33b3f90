//! The effective scenario gives the same points again, whatever is swept.

use std::fs;

use super::effective::holds;
use super::{Folder, SMALL};
use crate::fields::KeyDoc;
use crate::lb::SCHEMES;
use crate::rng::{Domain, Rng};

/// Some values of a parameter, drawn from its declaration, some of them in another spelling.
fn values(key: &KeyDoc, rng: &mut Rng) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for _ in 0..3 {
        let Some(drawn) = key.schema.draw(&mut |n| rng.below_u64(n.max(1))) else {
            continue;
        };
        let text = drawn.to_compact();
        if !values.contains(&text) {
            values.push(text);
        }
    }
    let respelt = |text: String| match text.parse::<u64>() {
        Ok(1..1_000_000) if text.len() % 2 == 1 => format!("{text}e0"),
        _ => text,
    };
    values.into_iter().map(respelt).collect()
}

/// Some of `values`, each once, perhaps none.
fn some(values: &[String], rng: &mut Rng) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for value in values {
        if rng.below(2) == 0 {
            continue;
        }
        let at = rng.below(list.len() as u32 + 1) as usize;
        list.insert(at, value.clone());
    }
    list
}

/// A sweep over a scheme's parameters one by one, and perhaps over whole objects before and another key after them.
fn random_sweep(scheme: usize, rng: &mut Rng) -> String {
    let row = &SCHEMES[scheme];
    let mut object = vec![format!("\"scheme\": \"{}\"", row.name)];
    let mut objects = vec![format!("{{{}}}", object.join(", "))];
    let mut axes = Vec::new();
    // One key at a time is judged here: those whose rules take others have tests of their own.
    for param in (row.keys)().iter().filter(|key| key.limits.is_empty()) {
        let list = some(&values(param, rng), rng);
        let Some(first) = list.first() else {
            continue;
        };
        if rng.below(2) == 0 {
            object.push(format!("\"{}\": {first}", param.name));
            objects.push(format!("{{{}}}", object.join(", ")));
        } else {
            let list = list.join(", ");
            axes.push(format!("\"load_balancing.{}\": [{list}]", param.name));
        }
    }
    let head = match rng.below(3) {
        0 => format!("\"load_balancing.scheme\": [\"{}\"]", row.name),
        _ => format!("\"load_balancing\": [{}]", objects.join(", ")),
    };
    axes.insert(0, head);
    match rng.below(3) {
        0 => axes.push("\"seed\": [3, 1]".to_owned()),
        1 => axes.push("\"fabric\": [{\"k\": 4}, {\"levels\": 2, \"k\": 4.0}]".to_owned()),
        _ => {}
    }
    format!("sweep={{{}}}", axes.join(", "))
}

#[test]
fn every_point_is_the_same_again_whatever_of_a_scheme_is_swept() {
    let mut rng = Rng::stream(1, Domain::Entropy, 0);
    for _ in 0..15 {
        for scheme in 0..SCHEMES.len() {
            let sweep = random_sweep(scheme, &mut rng);
            holds(
                &Folder::new(&[("x.json", SMALL)]),
                "x.json",
                &[&sweep],
                "out",
            );
        }
    }
}

#[test]
fn a_first_pointer_is_swept_with_the_port_order_that_it_takes() {
    let sweep = "sweep={\"load_balancing.scheme\": [\"ofan\", \"pofan\"], \"load_balancing.first_pointer\": [\"random\", \"shortest_queue\"]}";
    let folder = Folder::new(&[("x.json", SMALL)]);
    let text = holds(&folder, "x.json", &[sweep], "out");
    assert!(text.contains("\"port_order\": \"auto\""), "{text}");
}

#[test]
fn files_of_one_name_are_told_apart_by_the_shortest_ends_of_their_paths() {
    const MATRIX: &str = "Nodes 16\nConnections 1\n0->5 start 0 size 1000\n";
    let text = r#"{"fabric": {"k": 4}, "load_balancing": {"scheme": "rps"}, "workload": {"kind": "htsim_cm"},
        "sweep": {"workload.path": ["pa/a.cm", "x/pb/a.cm", "./y/pb/a.cm", "b.cm"]}}"#;
    let folder = Folder::new(&[
        ("x.json", text),
        ("pa/a.cm", MATRIX),
        ("x/pb/a.cm", MATRIX),
        ("y/pb/a.cm", MATRIX),
        ("b.cm", MATRIX),
    ]);
    holds(&folder, "x.json", &[], "out/deep");
    let plan = folder.load("x.json", &[]).expect("fine");
    let labels: Vec<String> = plan
        .points
        .iter()
        .map(|point| point.values[0].to_compact())
        .collect();
    assert_eq!(
        labels,
        ["\"pa/a.cm\"", "\"x/pb/a.cm\"", "\"y/pb/a.cm\"", "\"b.cm\""]
    );
    fs::write(
        folder.path("y.json"),
        text.replace("./y/pb/a.cm", "pa/../pa/a.cm"),
    )
    .expect("a file");
    assert_eq!(
        folder.load("y.json", &[]).unwrap_err(),
        [
            "y.json: sweep[\"workload.path\"][2]: \"pa/../pa/a.cm\" is the same as element [0]; allowed: each value once"
        ]
    );
}
