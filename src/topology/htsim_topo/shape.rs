//! From the numbers of a file to a tree, if there is one.

use super::{
    BUNDLE, CoreNumbers, LATENCY, MOST_PORTS, NODES, OVERSUBSCRIBED, PODSIZE, QUEUE_DOWN, QUEUE_UP,
    RADIX_DOWN, RADIX_UP, Reader, SPEED, SWITCH_LATENCY, Shape, TIER, Topo, TopoTier,
};

/// A number, and what a message calls it.
#[derive(Clone, Copy)]
struct Named {
    value: u64,
    name: &'static str,
}

const fn named(value: u64, name: &'static str) -> Named {
    Named { value, name }
}

impl Reader {
    /// The value of a key that is there, or its default; and its line, or its tier's.
    fn number(&self, tier: usize, index: usize) -> (u64, u32) {
        let (line, keys) = self.tiers[tier].unwrap_or((0, [None; TIER.len()]));
        keys[index].unwrap_or((1, line))
    }

    /// `whole` in parts of `part`, which must fit.
    fn parts(&mut self, whole: Named, part: Named, line: u32) -> Option<u64> {
        if whole.value.is_multiple_of(part.value) {
            return Some(whole.value / part.value);
        }
        let text = format!(
            "{} {} is no multiple of {} {}",
            whole.name, whole.value, part.name, part.value
        );
        self.error(line, text);
        None
    }

    /// The tree; `None` after an error.
    pub(super) fn shape(&mut self, tiers: usize) -> Option<Topo> {
        let [nodes, podsize] = [NODES, PODSIZE].map(|key| self.header[key].unwrap_or_default());
        let top = tiers - 1;
        let down: [(u64, u32); 3] =
            std::array::from_fn(|tier| self.number(tier.min(top), RADIX_DOWN));
        let up = [0, 1].map(|tier| self.number(tier, RADIX_UP));
        let bundle = [1, 2].map(|tier| self.number(tier.min(top), BUNDLE).0);
        if tiers == 2 && podsize.0 != nodes.0 {
            let text = format!(
                "`Podsize` is {}; allowed on two tiers: `Nodes`, {}",
                podsize.0, nodes.0
            );
            self.error(podsize.1, text);
            return None;
        }
        let pod = named(podsize.0, "`Podsize`");
        let pods = self.parts(named(nodes.0, "`Nodes`"), pod, podsize.1)?;
        let edge = named(down[0].0, "`Radix_Down` of tier 0");
        let edges = self.parts(pod, edge, down[0].1)?;
        let aggs = self.parts(
            named(up[0].0, "`Radix_Up` of tier 0"),
            named(bundle[0], "`Bundle` of tier 1"),
            up[0].1,
        )?;
        let cores = if tiers == 2 {
            0
        } else {
            self.parts(
                named(up[1].0, "`Radix_Up` of tier 1"),
                named(bundle[1], "`Bundle` of tier 2"),
                up[1].1,
            )?
        };
        let below = named(edges, "edge switches of a pod");
        self.radix(1, down[1].0, down[1].1, below, bundle[0]);
        if tiers == 3 {
            self.radix(2, down[2].0, down[2].1, named(pods, "pods"), bundle[1]);
        }
        for tier in 0..top {
            self.ports(tier, down[tier].0 + up[tier].0, up[tier].1);
            self.oversubscription(tier, down[tier].0, up[tier].0);
        }
        let shape = Shape {
            levels: tiers as u8,
            pods: pods as u32,
            edges_per_pod: edges as u32,
            hosts_per_edge: down[0].0 as u32,
            aggs_per_pod: aggs as u32,
            cores_per_agg: cores as u32,
            edge_bundle: bundle[0] as u32,
            agg_bundle: if tiers == 2 { 1 } else { bundle[1] as u32 },
            cores: CoreNumbers::Strides,
        };
        let tiers = std::array::from_fn(|tier| self.tier_of(tier.min(top)));
        Some(Topo { shape, tiers })
    }

    fn tier_of(&self, tier: usize) -> TopoTier {
        let keys = self.tiers[tier].unwrap_or_default().1;
        let value = |index: usize| keys[index].map_or(0, |(value, _)| value);
        TopoTier {
            gbps: value(SPEED),
            latency_ns: value(LATENCY),
            switch_latency_ns: value(SWITCH_LATENCY),
            queue_up: keys[QUEUE_UP],
            queue_down: keys[QUEUE_DOWN],
        }
    }

    /// The `ports` down-ports of a switch of `tier` must reach all `below`, each by a bundle.
    fn radix(&mut self, tier: usize, ports: u64, line: u32, below: Named, bundle: u64) {
        let Named { value: below, name } = below;
        if ports != below * bundle {
            let text = format!(
                "`Radix_Down` of tier {tier} is {ports}; allowed: {} ({below} {name}, bundles of {bundle})",
                below * bundle
            );
            self.error(line, text);
        }
    }

    fn ports(&mut self, tier: usize, ports: u64, line: u32) {
        if ports > MOST_PORTS {
            let text =
                format!("a switch of tier {tier} has {ports} ports; allowed: at most {MOST_PORTS}");
            self.error(line, text);
        }
    }

    /// What the file says of oversubscription must be what its ports (or their capacity) are.
    fn oversubscription(&mut self, tier: usize, down: u64, up: u64) {
        let (said, line) = self.number(tier, OVERSUBSCRIBED);
        let stands = self.tiers[tier].is_some_and(|(_, keys)| keys[OVERSUBSCRIBED].is_some());
        let speeds = [tier, tier + 1].map(|tier| self.number(tier, SPEED).0);
        let of = |down: u64, up: u64| (down / up).max(1);
        let (ports, capacity) = (of(down, up), of(down * speeds[0], up * speeds[1]));
        if stands && said != ports && said != capacity {
            let text = format!(
                "`Oversubscribed` is {said}, but tier {tier} has {down} ports of {} Gb/s down and {up} of {} Gb/s up; allowed: {capacity}",
                speeds[0], speeds[1]
            );
            self.error(line, text);
        }
    }
}
