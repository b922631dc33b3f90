//! The eight cases: what uet-htsim was told, as scenarios of this program.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// One case of uet-htsim's runs.
#[derive(Debug)]
pub(crate) struct Case {
    /// Its name there, in `agreement.csv` and, where its input is small, of its scenario in `scenarios/reference/uet`.
    pub(crate) name: &'static str,
    /// Our seeds, unless `agreement.csv` is rewritten.
    pub(crate) seeds: usize,
    input: Input,
}

/// Where the scenario of a case comes from.
#[derive(Debug)]
enum Input {
    /// `scenarios/reference/uet`.
    Scenario,
    /// A matrix on a plain tree of this radix, sprayed obliviously.
    Tree { k: u32, matrix: &'static str },
    /// A matrix and a topology file.
    Topology {
        topology: &'static str,
        matrix: &'static str,
        settings: fn() -> Value,
    },
    /// The README's example.
    Readme,
}

/// Seeds behind a row of `agreement.csv`.
pub(crate) const SEEDS: usize = 30;

/// All of them, in the order of `agreement.csv`.
pub(crate) const CASES: [Case; 8] = [
    case("one_100g", Input::Scenario),
    case("bidir_100g", Input::Scenario),
    case("incast16_nscc", Input::Scenario),
    case(
        "incast128_nscc",
        Input::Tree {
            k: 8,
            matrix: "incast_128",
        },
    ),
    case(
        "perm32_leafspine_nscc_oblivious",
        Input::Topology {
            topology: "leaf_spine_tiny",
            matrix: "perm_32n_32c_2MB",
            settings: || json!({"load_balancing": oblivious()}),
        },
    ),
    case("perm432_1MiB_nscc_oblivious_trim", Input::Readme),
    case(
        "perm432_1MiB_nscc_reps_trim",
        Input::Topology {
            topology: "fat_tree_432_800g",
            matrix: "perm_432n_1MiB",
            settings: || json!({"packet": {"payload_bytes": 4096}, "load_balancing": reps()}),
        },
    ),
    Case {
        name: "perm432_4MiB_nscc_reps_perpktack",
        seeds: 5,
        input: Input::Topology {
            topology: "fat_tree_432_800g",
            matrix: "perm_432n_4MiB",
            settings: || {
                json!({
                    "packet": {"payload_bytes": 4096},
                    "transport": {"ack_bytes_threshold": 0},
                    "load_balancing": reps(),
                })
            },
        },
    },
];

const fn case(name: &'static str, input: Input) -> Case {
    Case {
        name,
        seeds: SEEDS,
        input,
    }
}

/// uet-htsim's `-load_balancing_algo oblivious`.
fn oblivious() -> Value {
    json!({"scheme": "rps", "entropy_count": 64, "draw": "masked_cycle"})
}

/// uet-htsim's `-load_balancing_algo reps`.
fn reps() -> Value {
    json!({
        "scheme": "reps",
        "entropies": 64,
        "explore_packets": 0,
        "exit_explore": 16,
        "freezing": "timeout",
    })
}

impl Case {
    /// The case of this name.
    pub(crate) fn of(name: &str) -> &'static Self {
        let mut cases = CASES.iter();
        cases
            .find(|case| case.name == name)
            .unwrap_or_else(|| panic!("no case {name}"))
    }

    /// The scenario's file, written to `folder` where it is none of this repository; `None`, and the reason on stdout, if the
    /// input is not here.
    pub(crate) fn scenario(&self, folder: &Path) -> Option<PathBuf> {
        let scenario = match &self.input {
            Input::Scenario => {
                return Some(root().join(format!("scenarios/reference/uet/{}.json", self.name)));
            }
            Input::Tree { k, matrix } => json!({
                "fabric": {"k": k},
                "load_balancing": oblivious(),
                "workload": workload(matrix, folder)?,
            }),
            Input::Topology {
                topology,
                matrix,
                settings,
            } => {
                let mut scenario = settings();
                scenario["fabric"] = fabric(topology)?;
                scenario["workload"] = workload(matrix, folder)?;
                scenario
            }
            Input::Readme => {
                let mut scenario = readme_example();
                scenario["fabric"] = fabric("fat_tree_432_800g")?;
                scenario["workload"] = workload("perm_432n_1MiB", folder)?;
                scenario
            }
        };
        let mut scenario = scenario;
        scenario["extends"] = json!(root().join("configs/uet.json"));
        scenario["name"] = json!(self.name);
        let file = folder.join("scenario.json");
        fs::write(&file, scenario.to_string()).expect("space");
        Some(file)
    }
}

/// The README's example of a scenario that takes the profile, whose files are the user's.
fn readme_example() -> Value {
    let readme = fs::read_to_string(root().join("README.md")).expect("a README");
    let (_, rest) = readme
        .split_once("```json\n{\n  \"extends\": \"configs/uet.json\"")
        .expect("the README has an example with the profile");
    let (rest, _) = rest.split_once("```").expect("the block has an end");
    let example = format!("{{\"extends\": \"configs/uet.json\"{rest}");
    let example: Value = serde_json::from_str(&example).expect("the example is JSON");
    let named = |file: &Value| file.as_str().map(str::to_owned);
    assert_eq!(
        (
            named(&example["fabric"]["path"]),
            named(&example["workload"]["path"])
        ),
        (
            Some("fat_tree_432_800g.topo".to_owned()),
            Some("perm_432n_1MiB.cm".to_owned())
        )
    );
    assert_eq!(example["fabric"]["kind"], "htsim_topo");
    assert_eq!(example["workload"]["kind"], "htsim_cm");
    example
}

fn fabric(topology: &str) -> Option<Value> {
    let file = shared(
        "SPRAYSIM_INPUTS",
        "inputs",
        &format!("htsim_topo/{topology}.topo"),
    )?;
    Some(json!({"kind": "htsim_topo", "path": file}))
}

/// The matrix `perm_432n_4MiB` is that of 1 MiB with other sizes.
fn workload(matrix: &str, folder: &Path) -> Option<Value> {
    let stem = matrix.replace("4MiB", "1MiB");
    let mut file = shared("SPRAYSIM_INPUTS", "inputs", &format!("htsim_cm/{stem}.cm"))?;
    if stem != matrix {
        let text = fs::read_to_string(&file).expect("a matrix");
        file = folder.join(format!("{matrix}.cm"));
        let text = text.replace("size 1048576", "size 4194304");
        fs::write(&file, text).expect("space");
    }
    Some(json!({"kind": "htsim_cm", "path": file, "start_unit": "us"}))
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file that others made: in the folder that the variable names, or in `../shared` beside this repository.
pub(crate) fn shared(variable: &str, folder: &str, path: &str) -> Option<PathBuf> {
    let beside = || root().join("../shared").join(folder);
    let file = std::env::var_os(variable)
        .map_or_else(beside, PathBuf::from)
        .join(path);
    if file.exists() {
        return Some(file.canonicalize().expect("it exists"));
    }
    println!("skipped: no {}", file.display());
    None
}
