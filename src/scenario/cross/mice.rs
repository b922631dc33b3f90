//! Whether mice can be counted, and their last round begins at an instant that can be named.

use crate::fields::Scale;
use crate::scenario::check::MAX_INSTANT;
use crate::settings::Mice;
use crate::topology::FatTree;

use super::Judge;

/// Where they stand.
const BYTES: &str = "workload.mice.message_bytes";
const COUNT: &str = "workload.mice.count_per_host";
const PERIOD: &str = "workload.mice.period_ns";
const START: &str = "workload.mice.start_ns";

impl Judge<'_> {
    /// Mice must be few enough, and the last round begin in time.
    pub(super) fn mice(&mut self) {
        let Some(mice) = self.draft.traffic.mice else {
            return;
        };
        self.mice_packets(&mice);
        self.mice_count(&mice);
        self.mice_rounds(&mice);
    }

    /// The mice, if what stands there was read as written.
    pub(super) fn sound_mice(&self) -> Option<Mice> {
        let mice = self.draft.traffic.mice?;
        self.sound(&["workload.mice"]).then_some(mice)
    }

    fn mice_packets(&mut self, mice: &Mice) {
        if !self.sound(&[BYTES, "packet.payload_bytes"]) {
            return;
        }
        let (bytes, payload) = (mice.message_bytes, self.draft.packet.payload_bytes);
        let (packets, most) = (bytes.div_ceil(payload.into()), u32::MAX);
        if packets > most.into() {
            let text = format!(
                "{bytes} bytes are {packets} packets of {payload} bytes; allowed: at most {most} packets a flow"
            );
            self.problem(self.draft.traffic.mice_origins[0], BYTES, text);
        }
    }

    fn mice_count(&mut self, mice: &Mice) {
        let Some(hosts) = self.tree().map(FatTree::hosts) else {
            return;
        };
        let (count, all) = (
            mice.count_per_host,
            u64::from(hosts) * u64::from(mice.count_per_host),
        );
        if all > Mice::MOST && self.sound(&[COUNT]) {
            let (most, each) = (Mice::MOST, Mice::MOST / u64::from(hosts));
            let text = format!(
                "{count} for each of {hosts} hosts are {all} messages; allowed: at most {most} in all, so {each} here"
            );
            self.problem(self.draft.traffic.mice_origins[1], COUNT, text);
        }
    }

    fn mice_rounds(&mut self, mice: &Mice) {
        if !self.sound(&[COUNT, PERIOD, START]) {
            return;
        }
        let ns = |ps: u64| Scale::NS.decimal(ps);
        let (count, room) = (mice.count_per_host, MAX_INSTANT - mice.start.0);
        let longest = room.checked_div(u64::from(count) - 1);
        if let Some(longest) = longest.filter(|&longest| mice.period.0 > longest) {
            let text = format!(
                "the last of {count} rounds of {} ns from {} ns on begins after {} ns; allowed: at most {} ns",
                ns(mice.period.0),
                ns(mice.start.0),
                ns(MAX_INSTANT),
                ns(longest)
            );
            self.problem(self.draft.traffic.mice_origins[2], PERIOD, text);
        }
    }
}
