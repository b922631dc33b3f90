//! The product's policies behind object-safe doors, and in place of some of them the oracle's own.

use std::fmt;

use spraysim::lb::Scheme;
use spraysim::lb::host::{HostEnv, PathPolicy};
use spraysim::lb::switch::{PolicyVisitor, SwitchEnv, UplinkPolicy, UplinkSet, Uplinks};
use spraysim::packet::Packet;
use spraysim::rng::Rng;
use spraysim::scenario::Scenario;
use spraysim::units::Time;

use super::mixed::others;
use super::spraying::sprayer;

/// What the switch shows to a policy, all of it copied out beforehand.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) now: Time,
    pub(crate) ingress: usize,
    pub(crate) group: usize,
    pub(crate) valid: UplinkSet,
    pub(crate) queued_bytes: Vec<u64>,
}

impl Uplinks for View {
    fn now(&self) -> Time {
        self.now
    }
    fn ingress(&self) -> usize {
        self.ingress
    }
    fn group(&self) -> usize {
        self.group
    }
    fn valid(&self) -> UplinkSet {
        self.valid
    }
    fn queued_bytes(&mut self, uplink: usize) -> u64 {
        self.queued_bytes[uplink]
    }
}

/// An uplink policy that can be boxed.
pub(crate) trait BoxedPolicy {
    fn pick(&mut self, packet: &Packet, view: &mut View, rng: &mut Rng) -> usize;
}

impl<P: UplinkPolicy> BoxedPolicy for P {
    fn pick(&mut self, packet: &Packet, view: &mut View, rng: &mut Rng) -> usize {
        UplinkPolicy::pick(self, packet, view, rng)
    }
}

/// Makes a policy from its place in the fabric.
type Builder<Env, Policy> = Box<dyn Fn(&Env) -> Box<Policy>>;

/// How to build the policies of a run.
pub(crate) struct Policies {
    pub(crate) switch: Builder<SwitchEnv, dyn BoxedPolicy>,
    pub(crate) host: Builder<HostEnv, dyn PathPolicy>,
    /// In how many subflows a flow with so many live paths is split.
    pub(crate) subflows: Box<dyn Fn(u32) -> u32>,
}

impl fmt::Debug for Policies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Policies")
    }
}

impl Policies {
    /// Those for `scheme`: the product's, but for hosts that `spraying` tells of.
    pub(crate) fn of(scheme: &Scheme) -> Self {
        let (switch, host, split) = (
            scheme.switch.clone(),
            scheme.host.clone(),
            scheme.host.clone(),
        );
        Self {
            switch: Box::new(move |env| switch.build(env, Boxer)),
            host: Box::new(move |env| {
                sprayer(&host, env).unwrap_or_else(|| Box::new(host.build(env)))
            }),
            subflows: Box::new(move |paths| split.subflows(paths)),
        }
    }
}

impl Policies {
    /// The same for a scenario in which some switches may run another scheme.
    pub(crate) fn of_scenario(scenario: &Scenario, seed: u64) -> Self {
        let base = scenario.load_balancing.switch.clone();
        let others = others(scenario, seed);
        Self {
            switch: Box::new(move |env| {
                let scheme = others.get(&(env.switch as usize)).unwrap_or(&base);
                scheme.build(env, Boxer)
            }),
            ..Self::of(&scenario.load_balancing)
        }
    }
}

/// Boxes what it visits.
struct Boxer;

impl PolicyVisitor for Boxer {
    type Output = Box<dyn BoxedPolicy>;

    fn visit<P: UplinkPolicy + Send + fmt::Debug + 'static>(self, policy: P) -> Self::Output {
        Box::new(policy)
    }
}
