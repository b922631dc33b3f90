//! Tests of scenarios as a whole: files on disk in, plans or errors out.

mod after;
mod controllers;
mod effective;
mod failures;
mod files;
mod mice;
mod mixed;
mod points;
mod queues;
mod reload;
mod rules;
mod transport;

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::{Overrides, Plan, load};

/// A small scenario that is fine.
pub(super) const SMALL: &str = r#"{
  "fabric": {"k": 4},
  "load_balancing": {"scheme": "rps"},
  "workload": {"kind": "permutation", "message_bytes": 65536}
}"#;

/// A folder of scenario files.
pub(super) struct Folder(TempDir);

impl Folder {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        for (name, text) in files {
            let file = folder.path(name);
            fs::create_dir_all(file.parent().expect("a file lies in a folder")).expect("a folder");
            fs::write(file, text).expect("a file");
        }
        folder
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn load(&self, name: &str, sets: &[&str]) -> Result<Plan, Vec<String>> {
        let sets = sets.iter().map(|set| (*set).to_owned()).collect();
        let overrides = Overrides {
            sets,
            ..Overrides::default()
        };
        self.load_with(name, &overrides)
    }

    /// The plan, or the error lines with file names relative to this folder.
    pub(super) fn load_with(&self, name: &str, overrides: &Overrides) -> Result<Plan, Vec<String>> {
        let here = format!("{}/", self.0.path().display());
        load(&self.path(name), overrides).map_err(|errors| {
            let text = errors.to_string().replace(&here, "");
            text.lines().map(str::to_owned).collect()
        })
    }
}

/// The plan of one file with `--set` options.
pub(super) fn plan(text: &str, sets: &[&str]) -> Plan {
    Folder::new(&[("x.json", text)])
        .load("x.json", sets)
        .unwrap_or_else(|errors| panic!("{text} {sets:?}: {errors:#?}"))
}

/// The errors of one file with `--set` options.
pub(super) fn errors(text: &str, sets: &[&str]) -> Vec<String> {
    Folder::new(&[("x.json", text)])
        .load("x.json", sets)
        .err()
        .unwrap_or_default()
}
