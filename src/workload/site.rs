//! What the kinds of workloads see of the scenario around them while they are checked, and where they tell what is wrong.

use std::path::PathBuf;

use crate::files::Files;
use crate::settings::{Acks, LinkFault};
use crate::topology::FatTree;
use crate::units::{Rate, Time};

/// A scenario around its workload. What is `None` is not known, as something is wrong with it: then rules on it are not judged.
pub struct Site<'a> {
    /// The tree.
    pub tree: Option<FatTree>,
    /// Whether receivers acknowledge.
    pub acks: Option<Acks>,
    /// Line rate.
    pub rate: Option<Rate>,
    /// When the run ends at the latest, if it is told.
    pub horizon: Option<Time>,
    /// Whether what stands at a path of the scenario was read as written.
    pub is_sound: &'a dyn Fn(&str) -> bool,
    /// Where the file lies that is named at a path of the scenario by this text.
    pub locate: &'a dyn Fn(&str, &str) -> PathBuf,
    /// The files read so far.
    pub files: &'a mut Files,
    /// What is wrong.
    pub wrong: Vec<Wrong>,
    /// The links that the workload's file says are down.
    pub faults: Vec<LinkFault>,
    /// What there is to say of what was read, a line each.
    pub notes: Vec<String>,
}

/// Something wrong with a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Its path in the scenario.
    pub path: String,
    /// What is wrong, with the value, and what is allowed.
    pub text: String,
}

impl std::fmt::Debug for Site<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Site")
            .field("tree", &self.tree)
            .field("wrong", &self.wrong)
            .finish_non_exhaustive()
    }
}

impl Site<'_> {
    /// Whether what stands at all of these paths was read as written.
    #[must_use]
    pub fn sound(&self, paths: &[&str]) -> bool {
        paths.iter().all(|path| (self.is_sound)(path))
    }

    /// Tell what is wrong with what stands at `path`.
    pub fn problem(&mut self, path: impl Into<String>, text: impl Into<String>) {
        let (path, text) = (path.into(), text.into());
        self.wrong.push(Wrong { path, text });
    }
}

/// The text for a host that the fabric does not have.
#[must_use]
pub fn no_such_host(host: u64, hosts: u32) -> String {
    let last = hosts - 1;
    format!("host {host} does not exist; this fabric has hosts 0 to {last}")
}
