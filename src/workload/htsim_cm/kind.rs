//! `htsim_cm`: a connection matrix that a scenario names, and whether it fits the fabric.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{CmOptions, Matrix, StartUnit, SwitchType, endless_bytes, read};
use crate::fields::{choice, keys, nullable, path};
use crate::settings::{Acks, Demand, FlowEvent, Generator, LinkFault, Shape, Traffic};
use crate::topology::{FatTree, Level};
use crate::units::Time;
use crate::workload::{Draft, Site};

/// What users read about it.
pub const ABOUT: &str =
    "The flows of an htsim connection matrix, with its triggers and re-used connections.";

keys! {
    /// The file.
    #[derive(Clone, Debug)]
    pub struct MatrixKeys {
        /// A connection matrix of htsim, relative to the file that names it
        pub path: String = key("path", path("the path of a connection matrix, relative to the file that names it"), sample = "\"m.cm\""),
        /// Unit of its start times; null is enough where all are 0
        pub start_unit: Option<StartUnit> = key("start_unit", nullable(choice()), default = None),
    }
}

/// Where the scenario names the file.
const PATH: &str = "workload.path";

/// The flows of a matrix.
#[derive(Clone, Debug)]
struct Imported {
    traffic: Traffic,
    /// Payload of a flow without an end.
    endless_bytes: Option<u64>,
}

impl Generator for Imported {
    fn traffic(&self, _shape: Shape, _seed: u64) -> Traffic {
        self.traffic.clone()
    }

    fn demand(&self, _shape: Option<Shape>, payload_bytes: u32) -> Demand {
        let flows = &self.traffic.flows;
        Demand::of(&self.traffic, PATH, payload_bytes, |place| {
            let is_endless = self.endless_bytes == Some(flows[place].bytes);
            let why = if is_endless {
                " (it has no end, so it must outlast the horizon)"
            } else {
                ""
            };
            (PATH.to_owned(), format!("flow {}{why}: ", flows[place].id))
        })
    }
}

impl Draft for MatrixKeys {
    fn check(&self, site: &mut Site<'_>) -> Option<Arc<dyn Generator>> {
        if !site.sound(&[PATH, "workload.start_unit", "horizon_us"]) {
            return None;
        }
        let endless = site
            .rate
            .zip(site.horizon)
            .map(|(rate, horizon)| endless_bytes(rate, horizon));
        let options = CmOptions {
            start_unit: self.start_unit,
            endless_bytes: endless,
        };
        let file = (site.locate)(PATH, &self.path);
        let name = file.display().to_string();
        let read = site
            .files
            .parsed(&file, &format!("{options:?}"), |text| read(text, &options));
        let texts = match read.as_ref() {
            Err(texts) => texts.clone(),
            Ok(matrix) => {
                site.notes.push(format!("{name}: {}", matrix.summary()));
                match fitting(matrix, site) {
                    Ok(faults) => {
                        site.faults.extend(faults);
                        let traffic = matrix.traffic.clone();
                        let endless_bytes = options.endless_bytes;
                        return Some(Arc::new(Imported {
                            traffic,
                            endless_bytes,
                        }));
                    }
                    Err(texts) => texts,
                }
            }
        };
        for text in texts {
            site.problem(PATH, format!("{name}: {text}"));
        }
        None
    }
}

/// The links that are down, if the matrix fits what is around it, or why it does not.
fn fitting(matrix: &Matrix, site: &Site<'_>) -> Result<Vec<LinkFault>, Vec<String>> {
    if let Some(tree) = site.tree
        && tree.hosts() != matrix.nodes
    {
        let (have, fit) = (tree.hosts(), fit(matrix.nodes, tree.levels()));
        return Err(vec![format!(
            "Nodes {} but this fabric has {have} hosts; {fit}",
            matrix.nodes
        )]);
    }
    let (faults, mut lines) = site
        .tree
        .map(|tree| faults(matrix, tree))
        .unwrap_or_default();
    let mut texts = unfit(matrix, site.acks);
    texts.append(&mut lines);
    if texts.is_empty() {
        Ok(faults)
    } else {
        Err(texts)
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
