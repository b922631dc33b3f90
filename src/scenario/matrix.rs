//! Connection matrices that a scenario names: each is read once, and must fit the fabric.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::fields::Problem;
use crate::json::Origin;
use crate::units::Time;
use crate::workload::FlowSpec;

use super::Fabric;
use super::cross::hosts;
use super::document::Sources;
use super::seams::{StartUnit, read_matrix};

type Read = Result<Vec<FlowSpec>, Vec<String>>;

/// The matrices read so far.
#[derive(Debug)]
pub(super) struct Matrices<'a> {
    sources: &'a Sources,
    read: BTreeMap<(PathBuf, StartUnit, u32), Read>,
}

impl<'a> Matrices<'a> {
    /// None yet.
    pub(super) const fn new(sources: &'a Sources) -> Self {
        Self {
            sources,
            read: BTreeMap::new(),
        }
    }

    /// The flows of the matrix at `path`, which `origin` names, for `fabric`.
    pub(super) fn read(
        &mut self,
        path: &str,
        origin: Origin,
        unit: Option<StartUnit>,
        fabric: &Fabric,
    ) -> Result<Vec<FlowSpec>, Vec<Problem>> {
        let file = self.sources.dir(origin).join(path);
        let problem = |path: &str, text: String| Problem {
            origin,
            path: path.to_owned(),
            text,
        };
        let have = hosts(fabric.levels, fabric.k);
        if let Some(nodes) = declared_nodes(&file)
            && nodes != u64::from(have)
        {
            let name = file.display();
            let text = format!(
                "{name}: Nodes {nodes} but this fabric has {have} hosts; {}",
                fit(nodes, fabric.levels)
            );
            return Err(vec![problem("workload.path", text)]);
        }
        // Without a unit only zeros can be understood, and those are the same in any unit.
        let key = (file, unit.unwrap_or(StartUnit::Ps), have);
        if !self.read.contains_key(&key) {
            let read = read_matrix(&key.0, key.1, have);
            self.read.insert(key.clone(), read);
        }
        let flows = match &self.read[&key] {
            Ok(flows) => flows,
            Err(texts) => {
                let texts = texts.iter();
                return Err(texts
                    .map(|text| problem("workload.path", text.clone()))
                    .collect());
            }
        };
        if flows.is_empty() {
            let text = format!("{} has no flows", key.0.display());
            return Err(vec![problem("workload.path", text)]);
        }
        if let Some(flow) = flows
            .iter()
            .find(|flow| flow.start != Time::ZERO && unit.is_none())
        {
            let text = format!(
                "missing, and flow {} does not start at 0; allowed: us, ps (such files do not tell which they mean)",
                flow.id
            );
            return Err(vec![problem("workload.start_unit", text)]);
        }
        Ok(flows.clone())
    }
}

/// The number of hosts that the matrix is for, if its first line says so.
fn declared_nodes(file: &Path) -> Option<u64> {
    if !file.is_file() {
        return None;
    }
    let mut head = Vec::new();
    File::open(file)
        .ok()?
        .take(256)
        .read_to_end(&mut head)
        .ok()?;
    let head = String::from_utf8_lossy(&head);
    let mut words = head.lines().next()?.split_whitespace();
    (words.next()? == "Nodes").then(|| words.next()?.parse().ok())?
}

/// Which plain fat tree has `nodes` hosts, in words; one of `levels` if possible.
fn fit(nodes: u64, levels: u8) -> String {
    let other = if levels == 2 { 3 } else { 2 };
    let found = [levels, other].into_iter().find_map(|levels| {
        let fits = |k: &u32| u64::from(hosts(levels, *k)) == nodes;
        Some((levels, (2..=128).step_by(2).find(fits)?))
    });
    match found {
        Some((of, k)) if of == levels => format!("a fat tree of k = {k} has {nodes}"),
        Some((of, k)) => format!("a fat tree of {of} levels and k = {k} has {nodes}"),
        None => format!("no plain fat tree has {nodes}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_that_fits_a_matrix_is_named() {
        assert_eq!(fit(16, 3), "a fat tree of k = 4 has 16");
        assert_eq!(fit(8, 3), "a fat tree of 2 levels and k = 4 has 8");
        assert_eq!(fit(8, 2), "a fat tree of k = 4 has 8");
        assert_eq!(fit(17, 3), "no plain fat tree has 17");
        assert_eq!(
            fit(u64::MAX, 3),
            "no plain fat tree has 18446744073709551615"
        );
    }
}
