//! The nodes of a run, as the engines see them.

use crate::engine::{Arrivals, Context, Nodes, Outbox};
use crate::host::Host;
use crate::packet::{AckRecord, Packet};
use crate::switch::SwitchNode;
use crate::units::Time;

/// Hosts and switches, in the order of the topology's node numbers.
#[derive(Debug)]
pub(super) struct Fabric<O> {
    pub(super) hosts: Vec<Host>,
    pub(super) switches: Vec<Box<dyn SwitchNode<O>>>,
}

impl<O: Outbox> Fabric<O> {
    /// When a frame last entered or left a queue, once nothing more can happen.
    pub(super) fn last_active(&self) -> Time {
        let hosts = self.hosts.iter().map(Host::last_active);
        let switches = self.switches.iter().map(|switch| switch.last_active());
        hosts.chain(switches).max().unwrap_or_default()
    }
}

impl<O: Outbox> Nodes<O> for Fabric<O> {
    fn count(&self) -> usize {
        self.hosts.len() + self.switches.len()
    }

    fn hosts(&self) -> usize {
        self.hosts.len()
    }

    #[inline]
    fn run(
        &mut self,
        node: u32,
        arrivals: Arrivals<'_>,
        until: Time,
        cx: &mut Context<'_, O>,
    ) -> Time {
        match self.hosts.get_mut(node as usize) {
            Some(host) => host.run(arrivals, until, cx),
            None => self.switches[node as usize - self.hosts.len()].run(arrivals, until, cx),
        }
    }

    #[inline]
    fn arrive(&mut self, node: u32, packet: &Packet, cx: &mut Context<'_, O>) {
        match self.hosts.get_mut(node as usize) {
            Some(host) => host.arrive(packet, cx),
            None => self.switches[node as usize - self.hosts.len()].arrive(packet, cx),
        }
    }

    #[inline]
    fn timer(&mut self, node: u32, timer: u32, now: Time, cx: &mut Context<'_, O>) {
        match self.hosts.get_mut(node as usize) {
            Some(host) => host.timer(now, cx),
            None => self.switches[node as usize - self.hosts.len()].timer(timer, now, cx),
        }
    }

    fn hear(&mut self, node: u32, record: AckRecord) {
        self.hosts[node as usize].hear(record);
    }

    fn host_due(&self, node: u32) -> Time {
        self.hosts.get(node as usize).map_or(Time::NEVER, Host::due)
    }
}
