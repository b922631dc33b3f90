//! Connection matrices that a scenario names: each is read once, and must fit the fabric.

use std::path::PathBuf;

use crate::fields::Problem;
use crate::json::Origin;
use crate::settings::Acks;
use crate::topology::FatTree;
use crate::workload::{FlowEvent, Traffic};

use super::document::{FileKind, Sources, read_text};
use crate::workload::htsim_cm::{CmOptions, Matrix, read as read_matrix};

/// The matrices read so far.
#[derive(Debug)]
pub(super) struct Matrices<'a> {
    sources: &'a Sources,
    read: Vec<(PathBuf, CmOptions, Result<Matrix, Vec<String>>)>,
}

/// What a matrix has to fit, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings {
    pub(super) tree: Option<FatTree>,
    pub(super) acks: Option<Acks>,
}

impl<'a> Matrices<'a> {
    /// None yet.
    pub(super) const fn new(sources: &'a Sources) -> Self {
        let read = Vec::new();
        Self { sources, read }
    }

    /// What was read and what was ignored: a line for each matrix that was.
    pub(super) fn summaries(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for (file, _, read) in &self.read {
            let line = read
                .as_ref()
                .map(|matrix| format!("{}: {}", file.display(), matrix.summary()));
            lines.extend(line.ok().filter(|line| !lines.contains(line)));
        }
        lines
    }

    /// The traffic of the matrix at `path`, which `origin` names.
    pub(super) fn traffic(
        &mut self,
        path: &str,
        origin: Origin,
        options: CmOptions,
        around: Surroundings,
    ) -> Result<Traffic, Vec<Problem>> {
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
        if let Some(tree) = around.tree
            && tree.hosts() != matrix.nodes
        {
            let (have, fit) = (tree.hosts(), fit(matrix.nodes, tree.levels()));
            let text = format!(
                "Nodes {} but this fabric has {have} hosts; {fit}",
                matrix.nodes
            );
            return Err(vec![problem(&text)]);
        }
        let unfit = unfit(matrix, around.acks);
        if unfit.is_empty() {
            Ok(matrix.traffic.clone())
        } else {
            Err(unfit.iter().map(problem).collect())
        }
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

/// What cannot be simulated of a matrix that is right in itself.
fn unfit(matrix: &Matrix, acks: Option<Acks>) -> Vec<String> {
    let mut texts = Vec::new();
    if matrix.traffic.flows.is_empty() {
        texts.push("it has no flows; allowed: at least one".to_owned());
    }
    if let [first, others @ ..] = &matrix.failures[..] {
        let elsewhere = match others.len() {
            0 => String::new(),
            1 => " (also in 1 more place)".to_owned(),
            more => format!(" (also in {more} more places)"),
        };
        texts.push(format!(
            "line {}: `failure`: failures are not supported yet{elsewhere}",
            first.line
        ));
    }
    let triggers = matrix.traffic.dependencies.triggers.iter();
    let mut activators = triggers.flat_map(|trigger| &trigger.activators);
    if acks == Some(Acks::None)
        && let Some(of) = activators.find(|of| of.event == FlowEvent::Acked)
    {
        texts.push(format!(
            "line {}: `send_done_trigger` waits for ACKs, and packet.acks is \"none\"; allowed: `recv_done_trigger`, or \"per_packet\"",
            matrix.lines[of.flow as usize]
        ));
    }
    texts
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
