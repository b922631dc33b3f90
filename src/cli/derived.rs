//! What follows from a scenario without simulating it.

mod recovery;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use super::failures;
use super::input::counted;
use crate::fields::Words as _;
use crate::lb::mixed::Mix;
use crate::lb::switch::Level;
use crate::scenario::Scenario;
use crate::settings::{FlowSpec, RhoMaxRule, StartJitter};
use crate::sim::estimate::{self, Memory};
use crate::theory::rho_max::{self, NotComputed, RhoMax};
use crate::theory::{self, LowerBound, fabric_numbers};
use crate::topology::{FatTree, Outages};
use crate::units::{Ratio, Span};
use crate::workload;

/// Sizes and bounds of one point.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Derived {
    tree: FatTree,
    base_rtt: Span,
    bdp_bytes: u64,
    bdp_packets: u64,
    lower_bound: LowerBound,
    flows: u64,
    /// Of these.
    mice: u64,
    /// The load that they are, as a fraction of the rate of the hosts' links, if they take their time.
    mice_load: Option<f64>,
    triggers: u64,
    trigger_latency: Span,
    payload_bytes: u64,
    data_packets: u64,
    packet_hops: u64,
    memory: Memory,
    /// How many switches run what, if not all run the same.
    mix: Option<String>,
    /// On pauses, timeouts and windows.
    recovery: Vec<recovery::Line>,
    /// Links that are down, and slow, at some time, and draws that were repeated, if links can fail.
    failures: Option<[u64; 3]>,
    /// By the rules that compute it; `None`: 1 by all of them, whatever the flows.
    rho_max: Option<Vec<String>>,
    /// Hosts start up to a slot of a full packet apart, which takes longer than a message does to send.
    jitter_dominates: bool,
}

impl Derived {
    /// From one point and its first seed.
    pub(super) fn of(scenario: &Scenario, seed: u64) -> Self {
        let fabric = &scenario.fabric;
        let traffic = workload::traffic(scenario, seed);
        let flows = &traffic.flows;
        let outages = failures::outages(scenario, seed, flows);
        let outages = outages.as_ref();
        let packets = |flow| fabric_numbers::data_packets(scenario, flow, outages);
        Self {
            tree: FatTree::of(fabric.shape),
            base_rtt: fabric_numbers::base_rtt(scenario),
            bdp_bytes: fabric_numbers::bdp_bytes(scenario),
            bdp_packets: fabric_numbers::bdp_packets(scenario),
            lower_bound: theory::lower_bound(scenario, &traffic),
            flows: flows.len() as u64,
            mice: traffic.mice as u64,
            mice_load: mice_load(scenario),
            triggers: traffic.dependencies.triggers.len() as u64,
            trigger_latency: scenario.trigger_latency(),
            payload_bytes: flows.iter().map(|flow| flow.bytes).sum(),
            data_packets: flows.iter().map(packets).sum(),
            packet_hops: fabric_numbers::packet_hops(scenario, flows, outages),
            memory: estimate::memory(scenario, &traffic),
            failures: outages.map(|outages| {
                let links = [outages.failed_links(), outages.slow_links()];
                [links[0], links[1], outages.redraws().into()]
            }),
            mix: mix(scenario, seed),
            recovery: recovery::lines(scenario),
            rho_max: rho_max_by_rule(scenario, traffic.collective(), outages),
            jitter_dominates: scenario.workload.start_jitter == StartJitter::Slot
                && traffic
                    .collective()
                    .iter()
                    .all(|flow| flow.bytes < scenario.packet.payload_bytes.into()),
        }
    }

    /// Packet-hops of one run if nothing is dropped.
    pub(super) const fn packet_hops(&self) -> u64 {
        self.packet_hops
    }

    /// rho_max by each rule that computes it.
    fn rho_max_lines(&self) -> Vec<String> {
        let Some(rules) = &self.rho_max else {
            return vec!["1 (an intact fabric without oversubscription)".to_owned()];
        };
        rules.clone()
    }
}

impl Derived {
    /// The lines on hosts, switches and links.
    fn fabric(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tree = self.tree;
        writeln!(f, "  hosts           {}", tree.hosts())?;
        write!(f, "  switches        {} (", tree.switches())?;
        write!(f, "{} edge, {} aggregation", tree.edges(), tree.aggs())?;
        if tree.cores() > 0 {
            write!(f, ", {} core", tree.cores())?;
        }
        writeln!(f, ")")?;
        if let Some(mix) = &self.mix {
            writeln!(f, "  mixed fabric    {mix}")?;
        }
        let directed = tree.directed_links();
        writeln!(
            f,
            "  links           {} ({directed} directed)",
            directed / 2
        )?;
        if let Some([down, slow, redraws]) = self.failures {
            writeln!(
                f,
                "  failures        {down} links down at some time, {slow} slow, {redraws} draws repeated (first seed)"
            )?;
        }
        Ok(())
    }

    /// The line on mice, if there are any.
    fn small(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.mice, self.mice_load) {
            (0, _) => Ok(()),
            (mice, None) => writeln!(
                f,
                "  mice            {mice} of the flows, each round at once"
            ),
            (mice, Some(load)) => writeln!(
                f,
                "  mice            {mice} of the flows, in their rounds {:.2} % of what hosts' links carry",
                100.0 * load
            ),
        }
    }

    /// The line on triggers, if there are any.
    fn waiting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.triggers == 0 {
            return Ok(());
        }
        let (triggers, latency) = (self.triggers, self.trigger_latency);
        writeln!(
            f,
            "  triggers        {triggers} with targets, {latency} between hosts"
        )
    }
}

impl fmt::Display for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fabric(f)?;
        writeln!(
            f,
            "  base RTT        {:.5} us (a full packet across the tree and its ACK back, idle fabric)",
            self.base_rtt.0 as f64 / 1e6
        )?;
        let (bytes, packets) = (self.bdp_bytes, self.bdp_packets);
        writeln!(f, "  BDP             {bytes} bytes, {packets} packets")?;
        let bound = self.lower_bound;
        let bound_us = bound.span.0 as f64 / 1e6;
        writeln!(f, "  lower bound     {bound_us:.5} us ({})", bound.kind)?;
        let (flows, bytes, packets) = (self.flows, self.payload_bytes, self.data_packets);
        writeln!(
            f,
            "  flows           {flows}: {bytes} bytes, {packets} packets"
        )?;
        self.small(f)?;
        self.waiting(f)?;
        for (title, text) in &self.recovery {
            writeln!(f, "  {title:<15} {text}")?;
        }
        writeln!(f, "  packet-hops     about {} a run", self.packet_hops)?;
        writeln!(
            f,
            "  run time        about {}",
            run_time(self.packet_hops.into())
        )?;
        let Memory {
            one_thread,
            several,
        } = self.memory;
        let [alone, several] = [one_thread, several].map(|bytes| bytes as f64 / 1e9);
        writeln!(
            f,
            "  memory          about {alone:.3} GB a run ({several:.3} on several threads), unless queues grow without end"
        )?;
        for line in self.rho_max_lines() {
            writeln!(f, "  rho_max         {line}")?;
        }
        if self.jitter_dominates {
            writeln!(
                f,
                "  note            messages are smaller than packet.payload_bytes, so the start jitter of up to a full packet's\n                  \
                 slot dominates; see workload.start_jitter"
            )?;
        }
        Ok(())
    }
}

/// The load of mice within their rounds: frames and gaps, without ACKs. `None` without mice, or if a round takes no time.
fn mice_load(scenario: &Scenario) -> Option<f64> {
    let mice = scenario.workload.mice?;
    let packet = &scenario.packet;
    let frames = mice.message_bytes.div_ceil(packet.payload_bytes.into());
    let overhead = u64::from(packet.header_bytes) + u64::from(packet.gap_bytes);
    let bytes = mice.message_bytes as f64 + frames as f64 * overhead as f64;
    let bytes_a_ps = scenario.fabric.host_rate().bits_per_sec() as f64 / 8e12;
    (mice.period > Span::ZERO).then(|| bytes / (bytes_a_ps * mice.period.0 as f64))
}

/// How many switches of each level run what with this seed; `None` if the scenario deploys nothing.
fn mix(scenario: &Scenario, seed: u64) -> Option<String> {
    let deployments = &scenario.deployments;
    if deployments.is_empty() {
        return None;
    }
    let sites = FatTree::of(scenario.fabric.shape).sites();
    let mix = Mix::new(deployments, &sites, seed);
    let count = |level, number| {
        let sites = sites.iter().filter(|site| site.name.level == level);
        sites.filter(|site| mix.of(site.switch) == number).count()
    };
    let levels = [(Level::Edge, "edge"), (Level::Aggregation, "aggregation")];
    let told = levels.into_iter().filter_map(|(level, noun)| {
        let base = (count(level, None), scenario.load_balancing.name);
        let others = deployments.iter().enumerate();
        let others = others.map(|(number, other)| (count(level, Some(number)), other.scheme.name));
        let counts: Vec<String> = std::iter::once(base)
            .chain(others)
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{count} {name}"))
            .collect();
        (!counts.is_empty()).then(|| format!("{noun}: {}", counts.join(", ")))
    });
    let told: Vec<String> = told.collect();
    Some(format!("{} (seed {seed})", told.join("; ")))
}

/// How long `check` waits for an optimum.
const PATIENCE: Duration = Duration::from_secs(5);

/// rho_max by every rule that computes it, in words; `None`: 1 by all of them, whatever the flows.
fn rho_max_by_rule(
    scenario: &Scenario,
    flows: &[FlowSpec],
    outages: Option<&Outages>,
) -> Option<Vec<String>> {
    let text = |(name, rule)| {
        let text = match rule {
            RhoMaxRule::Lp => optimum(scenario, flows, outages),
            _ => rho_max_text(&rho_max::of_rule(scenario, flows, outages, rule)),
        };
        format!("{name}: {text}")
    };
    let rules = RhoMaxRule::WORDS.iter().copied();
    let computed = rules.filter(|(_, rule)| *rule != RhoMaxRule::LineRate);
    (!rho_max::is_one(&scenario.fabric)).then(|| computed.map(text).collect())
}

/// The optimum in words. A linear program may take minutes, so it is given up after [`PATIENCE`], and so are those of later points.
fn optimum(scenario: &Scenario, flows: &[FlowSpec], outages: Option<&Outages>) -> String {
    static GIVEN_UP: AtomicBool = AtomicBool::new(false);
    if GIVEN_UP.load(Ordering::Relaxed) {
        return "not computed (another point took too long)".to_owned();
    }
    let (send, receive) = mpsc::channel();
    let (scenario, flows, outages) = (scenario.clone(), flows.to_vec(), outages.cloned());
    // The thread ends with the program.
    std::thread::spawn(move || {
        let result = rho_max::of_rule(&scenario, &flows, outages.as_ref(), RhoMaxRule::Lp);
        // Nobody may wait any more.
        send.send(rho_max_text(&result)).ok();
    });
    receive.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        GIVEN_UP.store(true, Ordering::Relaxed);
        format!("not computed within {} s", PATIENCE.as_secs())
    })
}

/// A result in words: `5/6 = 0.8333333`, with what is to be said about it.
fn rho_max_text(result: &Result<RhoMax, NotComputed>) -> String {
    let result = match result {
        Ok(result) => result,
        Err(error) => return error.to_string(),
    };
    let Ratio { num, den } = result.value;
    let value = result.value.as_f64();
    let mut text = match den {
        1 => num.to_string(),
        2..10_000 => format!("{num}/{den} = {value:.7}"),
        _ => format!("{value:.7}"),
    };
    if !result.is_exact {
        text.push_str(" (rounded to a fraction of 64 bits)");
    }
    if result.cut_off > 0 {
        let flows = counted(result.cut_off, "flow");
        text.push_str(&format!(" ({flows} cut off and left out)"));
    }
    text
}

/// Packet-hops a second that an estimate assumes of one core.
const RATE: f64 = 8e6;

/// How long so many packet-hops take, in words.
pub(super) fn run_time(packet_hops: u128) -> String {
    let seconds = packet_hops as f64 / RATE;
    format!(
        "{seconds:.1} s on one core (at {:.0} million packet-hops/s)",
        RATE / 1e6
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Shape;
    use crate::theory::testing::paper;

    #[test]
    fn rho_max_is_told_by_every_rule_unless_it_is_one_by_all() {
        let mut scenario = paper(2, 4);
        let lines = |scenario: &Scenario| Derived::of(scenario, 1).rho_max_lines();
        assert_eq!(
            lines(&scenario),
            ["1 (an intact fabric without oversubscription)"]
        );
        scenario.fabric.shape = Shape {
            hosts_per_edge: 8,
            ..Shape::fat_tree(2, 4)
        };
        let all = ["path_equal", "hop_equal", "lp"];
        for (line, rule) in lines(&scenario).iter().zip(all) {
            // Most of a leaf's eight flows leave it, by two uplinks.
            let (name, value) = line.split_once(": ").expect("the rule and its value");
            assert_eq!(name, rule);
            assert!(
                ["1/4 = 0.2500000", "2/7 = 0.2857143", "1/3 = 0.3333333"].contains(&value),
                "{line}"
            );
        }
    }

    #[test]
    fn what_is_not_exact_or_not_there_is_said() {
        let result = RhoMax {
            value: Ratio {
                num: 123_456,
                den: 1_000_000,
            },
            is_exact: false,
            cut_off: 2,
        };
        assert_eq!(
            rho_max_text(&Ok(result)),
            "0.1234560 (rounded to a fraction of 64 bits) (2 flows cut off and left out)"
        );
        assert_eq!(rho_max_text(&Ok(RhoMax::ONE)), "1");
        assert!(rho_max_text(&Err(NotComputed::Unsolved)).starts_with("not computed"));
    }
}
