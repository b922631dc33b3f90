//! Connection matrices that a scenario names: each is read once, and must fit the fabric.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::fields::Problem;
use crate::json::Origin;
use crate::settings::{Acks, LinkFault};
use crate::topology::{FatTree, Level};
use crate::units::Time;
use crate::workload::{FlowEvent, Traffic};

use super::document::{FileKind, Sources, read_text};
use crate::workload::htsim_cm::{CmOptions, Matrix, SwitchType, read as read_matrix};

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

    /// The traffic of the matrix at `path`, which `origin` names, and the links that are down in it.
    pub(super) fn traffic(
        &mut self,
        path: &str,
        origin: Origin,
        options: CmOptions,
        around: Surroundings,
    ) -> Result<(Traffic, Vec<LinkFault>), Vec<Problem>> {
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
        let (faults, mut unfit_lines) = match around.tree {
            Some(tree) => faults(matrix, tree),
            None => Default::default(),
        };
        let mut unfit = unfit(matrix, around.acks);
        unfit.append(&mut unfit_lines);
        if unfit.is_empty() {
            Ok((matrix.traffic.clone(), faults))
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

/// The links that a matrix says are down, all the time; and the lines that name none of the tree, or one twice.
fn faults(matrix: &Matrix, tree: FatTree) -> (Vec<LinkFault>, Vec<String>) {
    let (mut faults, mut wrong) = (Vec::new(), Vec::new());
    let mut lines: BTreeMap<u32, u32> = BTreeMap::new();
    for failure in &matrix.failures {
        let level = match failure.switch_type {
            SwitchType::Tor => Level::Edge,
            SwitchType::Agg => Level::Agg,
            SwitchType::Core => Level::Core,
        };
        let line = failure.line;
        let (switch, link) = (failure.switch_id.into(), failure.link_id.into());
        match tree.htsim_cable(level, switch, link) {
            Err(text) => wrong.push(format!("line {line}: `failure`: {text}")),
            Ok(cable) => match lines.insert(cable, line) {
                Some(before) => wrong.push(format!(
                    "line {line}: `failure` names the link of line {before}; allowed: each once"
                )),
                None => faults.push(LinkFault {
                    cable,
                    from: Time::ZERO,
                    until: Time::NEVER,
                    slow_to: None,
                }),
            },
        }
    }
    (faults, wrong)
}

/// What cannot be simulated of a matrix that is right in itself.
fn unfit(matrix: &Matrix, acks: Option<Acks>) -> Vec<String> {
    let mut texts = Vec::new();
    if matrix.traffic.flows.is_empty() {
        texts.push("it has no flows; allowed: at least one".to_owned());
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
