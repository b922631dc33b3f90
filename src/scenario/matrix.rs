//! Connection matrices that a scenario names: each is read once, and must fit the fabric.

use std::path::PathBuf;

use crate::fields::Problem;
use crate::json::Origin;
use crate::topology::FatTree;
use crate::workload::FlowSpec;

use super::document::{FileKind, Sources, read_text};
use crate::workload::htsim_cm::{CmOptions, Matrix, read as read_matrix};

/// The matrices read so far.
#[derive(Debug)]
pub(super) struct Matrices<'a> {
    sources: &'a Sources,
    read: Vec<(PathBuf, CmOptions, Result<Matrix, Vec<String>>)>,
}

impl<'a> Matrices<'a> {
    /// None yet.
    pub(super) const fn new(sources: &'a Sources) -> Self {
        let read = Vec::new();
        Self { sources, read }
    }

    /// The flows of the matrix at `path`, which `origin` names, for the tree of `fabric`, if it is known.
    pub(super) fn flows(
        &mut self,
        path: &str,
        origin: Origin,
        options: CmOptions,
        fabric: Option<FatTree>,
    ) -> Result<Vec<FlowSpec>, Vec<Problem>> {
        let file = self.sources.dir(origin).join(path);
        let name = file.display().to_string();
        let problem = |text: &String| Problem {
            origin,
            path: "workload.path".to_owned(),
            text: format!("{name}: {text}"),
        };
        let read = self.matrix(file, options);
        let matrix = read
            .as_ref()
            .map_err(|texts| texts.iter().map(problem).collect::<Vec<_>>())?;
        if let Some(tree) = fabric
            && tree.hosts() != matrix.nodes
        {
            let (have, fit) = (tree.hosts(), fit(matrix.nodes, tree.levels()));
            let text = format!(
                "Nodes {} but this fabric has {have} hosts; {fit}",
                matrix.nodes
            );
            return Err(vec![problem(&text)]);
        }
        if matrix.flows.is_empty() {
            return Err(vec![problem(
                &"it has no flows; allowed: at least one".to_owned(),
            )]);
        }
        Ok(matrix.flows.clone())
    }

    fn matrix(&mut self, file: PathBuf, options: CmOptions) -> &Result<Matrix, Vec<String>> {
        let known = self
            .read
            .iter()
            .position(|(name, with, _)| *name == file && *with == options);
        let number = known.unwrap_or_else(|| {
            let text = read_text(&file, FileKind::Regular).map_err(|why| vec![why]);
            let read = text.and_then(|text| {
                let texts = |errors: Vec<_>| errors.iter().map(ToString::to_string).collect();
                read_matrix(&text, &options).map_err(texts)
            });
            self.read.push((file, options, read));
            self.read.len() - 1
        });
        &self.read[number].2
    }
}

/// Which plain fat tree has `nodes` hosts, in words; one of `levels` if possible.
fn fit(nodes: u32, levels: u8) -> String {
    let other = if levels == 2 { 3 } else { 2 };
    let found = [levels, other].into_iter().find_map(|levels| {
        let fits = |k: &u32| FatTree::new(levels, *k).hosts() == nodes;
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
    }
}
