//! What keeps hosts and switches from lockstep: random doses of it for the cases, and what the model page says it does.

use spraysim::rng::{Domain, Rng};
use spraysim::scenario::{Scenario, StartJitter, StragglerHosts, Stragglers};
use spraysim::units::{Ratio, Span};

use super::cases::Dice;
use super::flows::slot;

/// Make the scenario less perfect, each way at times.
pub(crate) fn spoil(scenario: &mut Scenario, dice: &mut Dice) {
    let slot = slot(scenario).0;
    if dice.chance(40) {
        let span = dice.between(0, 30 * slot);
        scenario.workload.start_jitter = StartJitter::Uniform(Span(span));
    }
    if dice.chance(30) {
        let k = u64::from(scenario.fabric.k);
        let hosts = match scenario.fabric.levels {
            2 => k * k / 2,
            _ => k * k * k / 4,
        };
        let some = dice.between(0, hosts - 1) as u32;
        let num = dice.between(0, 100);
        let which = [
            StragglerHosts::Listed(vec![some]),
            StragglerHosts::Fraction(Ratio { num, den: 100 }),
        ];
        scenario.workload.stragglers = Some(Stragglers {
            hosts: dice.one_of(&which),
            delay: Span(dice.one_of(&[slot, 7 * slot, 1_000_000, 1])),
        });
    }
}

/// How much later than its flows say each host starts.
pub(crate) fn offsets(scenario: &Scenario, hosts: usize, seed: u64) -> Vec<Span> {
    let mut offsets: Vec<Span> = Vec::new();
    for host in 0..hosts {
        let mut draws = Rng::stream(seed, Domain::StartJitter, host as u64);
        offsets.push(match scenario.workload.start_jitter {
            StartJitter::Slot => Span(draws.below_u64(slot(scenario).0)),
            StartJitter::Uniform(Span(below)) if below > 0 => Span(draws.below_u64(below)),
            StartJitter::Uniform(_) | StartJitter::None => Span::ZERO,
        });
    }
    let Some(stragglers) = &scenario.workload.stragglers else {
        return offsets;
    };
    let late: Vec<usize> = match &stragglers.hosts {
        StragglerHosts::Listed(listed) => listed.iter().map(|host| *host as usize).collect(),
        StragglerHosts::Fraction(Ratio { num, den }) => {
            let mut order: Vec<usize> = (0..hosts).collect();
            Rng::stream(seed, Domain::Stragglers, 0).shuffle(&mut order);
            // Within half a host of so many.
            let is_nearest = |count: &u64| {
                let (twice, exact) = (2 * count * den, 2 * num * hosts as u64);
                exact < twice + den && twice <= exact + den
            };
            let count = (0..=hosts as u64).find(is_nearest).expect("0 to all");
            order.drain(..count as usize).collect()
        }
    };
    for host in late {
        offsets[host] += stragglers.delay;
    }
    offsets
}
