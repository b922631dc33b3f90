//! Random failures for random cases.

use spraysim::scenario::{Failures, LinkFault, OnPartition, Queued, Scenario, SwitchFault};
use spraysim::topology::{FatTree, Outages};
use spraysim::units::{Ratio, Span, Time};
use spraysim::workload::FlowSpec;

use super::cases::Dice;

/// Failures that the product does not refuse, some of them about when the flows are under way.
pub(crate) fn random_failures(
    dice: &mut Dice,
    scenario: &Scenario,
    flows: &[FlowSpec],
    seed: u64,
) -> Failures {
    let tree = FatTree::of(scenario.fabric.shape);
    let chance = |dice: &mut Dice| {
        let (num, den) = dice.one_of(&[(0, 1), (0, 1), (1, 20), (3, 10)]);
        Ratio { num, den }
    };
    let latency = scenario.fabric.shortest_latency().0;
    let about = 8 * latency + 30 * super::flows::slot(scenario).0;
    let mut failures = Failures {
        edge_agg_probability: chance(dice),
        agg_core_probability: chance(dice),
        switch_probability: chance(dice),
        convergence: Span(dice.one_of(&[0, latency, about / 3, 1])),
        queued: dice.one_of(&[Queued::Lost, Queued::Held]),
        on_partition: OnPartition::Redraw,
        ..Failures::default()
    };
    for cable in 0..tree.cables() {
        if dice.chance(15) {
            let (from, until) = period(dice, about, scenario);
            let slow = dice.chance(35);
            let share = dice.one_of(&[(1, 4), (99, 100), (1, 3), (1, 1_000)]);
            failures.links.push(LinkFault {
                cable,
                from,
                until,
                slow_to: slow.then_some(Ratio {
                    num: share.0,
                    den: share.1,
                }),
            });
        }
    }
    for switch in tree.edges()..tree.switches() {
        if dice.chance(8) {
            let (from, until) = period(dice, about, scenario);
            failures.switches.push(SwitchFault {
                switch,
                from,
                until,
            });
        }
    }
    if Outages::new(tree, &failures, seed, flows).is_err() {
        failures.on_partition = OnPartition::Drop;
    }
    failures
}

/// When something fails: from the start or later, for good or not, at times at instants at which frames come and go.
fn period(dice: &mut Dice, about: u64, scenario: &Scenario) -> (Time, Time) {
    let latency = scenario.fabric.shortest_latency().0;
    let slot = super::flows::slot(scenario).0;
    let bytes = scenario.packet.payload_bytes + scenario.packet.header_bytes;
    let frame = scenario.fabric.host_rate().tx_time(u64::from(bytes)).0;
    // Without jitter the last bits of full frames come in at these instants.
    let links = dice.between(1, 4);
    let comes_in = links * (frame + latency) + dice.between(0, 20) * slot;
    let any = dice.between(1, about);
    let from = dice.one_of(&[0, 0, latency, any, comes_in, comes_in]);
    let long = dice.between(1, about);
    let slots = dice.between(1, 20) * slot;
    let until = dice.one_of(&[
        Time::NEVER,
        Time(from + long),
        Time(from + slots),
        Time(from + latency),
        Time(from + 1),
    ]);
    (Time(from), until)
}
