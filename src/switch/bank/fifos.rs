//! Plain ports: one FIFO each, a buffer each, none of which knows of the others. The fast path.

use super::{Bank, Busy};
use crate::engine::{Context, Outbox};
use crate::packet::Packet;
use crate::port::{Fifo, Lane, PortStats};
use crate::probe::{Ends, Tally};
use crate::units::Time;

/// Plain ports, drained one by one when they are looked at.
#[derive(Debug)]
pub struct Fifos {
    ports: Vec<Fifo>,
    busy: Busy,
    downlinks: usize,
    /// What lies behind down-ports and behind uplinks.
    lanes: [Lane; 2],
}

impl Fifos {
    /// `ports`, the first `downlinks` of them down-ports; `lanes`: what lies behind these and behind uplinks.
    #[must_use]
    pub fn new(ports: impl Iterator<Item = Fifo>, downlinks: usize, lanes: [Lane; 2]) -> Self {
        let ports: Vec<Fifo> = ports.collect();
        Self {
            busy: Busy::none_of(ports.len()),
            ports,
            downlinks,
            lanes,
        }
    }

    #[inline]
    fn lane(&self, port: usize) -> &Lane {
        &self.lanes[usize::from(port >= self.downlinks)]
    }
}

impl Bank for Fifos {
    const PLAIN: bool = true;

    fn arrive<O: Outbox>(&mut self, _: &Packet, _: &mut Context<'_, O>) -> bool {
        false
    }

    fn admit<O: Outbox>(&mut self, _: &Packet, _: &mut Context<'_, O>) {}

    #[inline]
    fn uplink_bytes<O: Outbox>(
        &mut self,
        uplink: usize,
        now: Time,
        cx: &mut Context<'_, O>,
    ) -> u64 {
        let port = &mut self.ports[self.downlinks + uplink];
        port.drain(now, &self.lanes[1], cx);
        port.queued_bytes()
    }

    #[inline]
    fn enqueue<O: Outbox>(
        &mut self,
        port: usize,
        packet: &Packet,
        via: [u8; 2],
        now: Time,
        cx: &mut Context<'_, O>,
    ) {
        let lane = &self.lanes[usize::from(port >= self.downlinks)];
        self.busy.add(port);
        let port = &mut self.ports[port];
        port.drain(now, lane, cx);
        port.enqueue(packet, via, now, lane, cx);
    }

    fn settle<O: Outbox>(&mut self, now: Time, cx: &mut Context<'_, O>) -> Time {
        self.busy.settle(|number| {
            let lane = &self.lanes[usize::from(number >= self.downlinks)];
            let port = &mut self.ports[number];
            port.drain(now, lane, cx);
            port.depart()
        })
    }

    fn timer<O: Outbox>(&mut self, timer: u32, now: Time, cx: &mut Context<'_, O>) {
        let port = timer as usize;
        let lane = &self.lanes[usize::from(port >= self.downlinks)];
        self.ports[port].drain(now, lane, cx);
    }

    fn last_active(&self) -> Time {
        let ports = self.ports.iter().enumerate();
        let last = ports.map(|(number, port)| port.last_active(&self.lane(number).link));
        last.max().unwrap_or_default()
    }

    fn close(&mut self, ends: Ends, tally: &mut Tally) -> Vec<PortStats> {
        let (lanes, downlinks) = (&self.lanes, self.downlinks);
        let ports = self.ports.iter_mut().enumerate();
        let close = |(number, port): (usize, &mut Fifo)| {
            let link = &lanes[usize::from(number >= downlinks)].link;
            port.close(ends.integrated_until, link, tally)
        };
        ports.map(close).collect()
    }
}
