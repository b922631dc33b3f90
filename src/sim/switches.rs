//! From a checked scenario to switches: ports of the kind that they need, and their policies.

use super::build::Builder;
use super::ports::LinkLosses;
use crate::engine::Outbox;
use crate::lb::mixed::Mix;
use crate::lb::switch::{self, PolicyVisitor, SwitchEnv, UplinkPolicy};
use crate::rng::{Domain, Rng};
use crate::settings::Tier;
use crate::switch::{Bank, Knowledge, LatencyStage, Switch, SwitchNode, Top};
use crate::topology::{FatTree, Level, Routes};

/// The buffer that quantised schemes refer to where the port's is unlimited (paper, section 6).
const REFERENCE_BUFFER_BYTES: u64 = 800_000;

impl Builder<'_> {
    pub(super) fn switch<O: Outbox + 'static>(
        &self,
        tree: FatTree,
        node: u32,
        parts: &SwitchParts,
    ) -> Box<dyn SwitchNode<O>> {
        if self.is_plain(tree, node, &parts.losses) {
            self.switch_with(tree, node, &parts.mix, self.fifos(tree, node))
        } else {
            let ports = self.ports(tree, node, &parts.losses);
            self.switch_with(tree, node, &parts.mix, ports)
        }
    }

    fn switch_with<O: Outbox + 'static>(
        &self,
        tree: FatTree,
        node: u32,
        mix: &Mix,
        bank: impl Bank + 'static,
    ) -> Box<dyn SwitchNode<O>> {
        let id = node - tree.hosts();
        let Tier {
            switch_latency,
            up_buffer_bytes,
            ..
        } = self.scenario.fabric.tiers[match tree.place(node).0 {
            Level::Host | Level::Edge => 0,
            Level::Agg => 1,
            Level::Core => 2,
        }];
        let assembly = Assembly::<_, O> {
            routes: Routes::new(tree, node),
            uplinks: tree.uplinks(node) as usize,
            bank,
            rng: Rng::stream(self.seed, Domain::SwitchPick, u64::from(id)),
            stage: self.latency_stage(id, tree.ports(node), switch_latency),
            knowledge: self.knowledge(tree, node),
            out: std::marker::PhantomData,
        };
        if tree.uplinks(node) == 0 {
            return assembly.visit(Top);
        }
        let env = self.switch_env(tree, node, up_buffer_bytes);
        let scheme = match mix.of(id) {
            Some(number) => &self.scenario.deployments[number].scheme,
            None => &self.scenario.load_balancing,
        };
        scheme.switch.build(&env, assembly)
    }

    /// What the policy of a switch with uplinks is built from.
    fn switch_env(&self, tree: FatTree, node: u32, up_buffer_bytes: Option<u64>) -> SwitchEnv {
        let edge = tree.place(node).0 == Level::Edge;
        SwitchEnv {
            seed: self.seed,
            level: if edge {
                switch::Level::Edge
            } else {
                switch::Level::Aggregation
            },
            switch: node - tree.hosts(),
            uplinks: tree.uplinks(node) as usize,
            downlinks: tree.down_ports(node) as usize,
            groups: if edge { tree.edges() } else { tree.pods() } as usize,
            hosts: tree.hosts() as usize,
            reference_buffer_bytes: up_buffer_bytes.unwrap_or(REFERENCE_BUFFER_BYTES),
        }
    }
}

/// What switches have in common.
pub(super) struct SwitchParts {
    pub(super) mix: Mix,
    pub(super) losses: LinkLosses,
}

/// A switch but for its policy.
struct Assembly<B, O> {
    routes: Routes,
    uplinks: usize,
    bank: B,
    rng: Rng,
    stage: LatencyStage,
    knowledge: Option<Knowledge>,
    out: std::marker::PhantomData<O>,
}

impl<B: Bank + 'static, O: Outbox + 'static> PolicyVisitor for Assembly<B, O> {
    type Output = Box<dyn SwitchNode<O>>;

    fn visit<P: UplinkPolicy + Send + std::fmt::Debug + 'static>(self, policy: P) -> Self::Output {
        let switch = Switch::new(
            self.routes,
            self.uplinks,
            self.bank,
            policy,
            self.rng,
            self.stage,
        );
        Box::new(switch.with_knowledge(self.knowledge))
    }
}
