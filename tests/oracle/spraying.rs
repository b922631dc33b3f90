//! Hosts that spray by entropy values, told a second time: RPS with its three draws, and uet-htsim's BITMAP and MIXED.
//!
//! Written from the description of the schemes alone, with lists and numbers where the product has bits: a flow has its values written
//! out one by one, penalties stand beside them, and each cycle is a list that is used up. What must be the same is the order of draws:
//! a cycle is shuffled by a draw from the host's stream when its first value is wanted, and the part that a flow's values share is from
//! the flow's own stream.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use spraysim::lb::host::bitmap;
use spraysim::lb::host::rps::{self, Draw};
use spraysim::lb::host::{Feedback, HostEnv, HostScheme, Outcome, PathPolicy, TxInfo};
use spraysim::rng::{Domain, Rng};

use super::cases::Case;
use super::cases_lossy;
use super::policies::Policies;
use super::world::simulate_waiting;

/// The policy of a host, if it is one of these.
pub(crate) fn sprayer(scheme: &HostScheme, env: &HostEnv) -> Option<Box<dyn PathPolicy>> {
    counted(scheme, env, &Rc::default())
}

/// The same, and what happens is counted in `seen`.
fn counted(
    scheme: &HostScheme,
    env: &HostEnv,
    seen: &Rc<RefCell<Counts>>,
) -> Option<Box<dyn PathPolicy>> {
    match scheme {
        HostScheme::Rps(params) => Some(Box::new(Sprayer::new(params, env))),
        HostScheme::Bitmap(params) => Some(Box::new(Judge::new(params, env, false, seen))),
        HostScheme::Mixed(params) => Some(Box::new(Judge::new(params, env, true, seen))),
        _ => None,
    }
}

/// What happened to hosts that judge values.
#[derive(Debug, Default)]
struct Counts {
    /// Feedback by outcome: good, marked, NACK, timeout.
    told: [u32; 4],
    /// Penalties that would have gone above the limit.
    capped: u32,
    /// Packets for which values were passed over; and those that then took one with a penalty.
    passed: u32,
    forced: u32,
    /// Packets that took a value that had come back.
    recycled: u32,
}

/// A flow that uses each of its values once before it repeats one.
#[derive(Debug)]
struct Rounds {
    /// What is added to each number below `count`.
    base: u32,
    count: u32,
    /// The numbers left in this round, the next one first.
    left: VecDeque<u32>,
}

impl Rounds {
    fn all(count: u32, env: &HostEnv) -> Vec<Self> {
        let of = |flow: &u32| {
            let fixed = Rng::stream(env.seed, Domain::FlowEntropy, u64::from(*flow)).below(65_536);
            Self {
                base: fixed - fixed % count,
                count,
                left: VecDeque::new(),
            }
        };
        env.sent_flows.iter().map(of).collect()
    }

    /// The next number below `count`.
    fn next(&mut self, rng: &mut Rng) -> u32 {
        if self.left.is_empty() {
            let mask = rng.below(self.count);
            self.left = (0..self.count).map(|n| n ^ mask).collect();
        }
        self.left.pop_front().expect("a round has a number")
    }
}

/// RPS.
#[derive(Debug)]
struct Sprayer {
    params: rps::Params,
    rounds: Vec<Rounds>,
    sent: Vec<u64>,
}

impl Sprayer {
    fn new(params: &rps::Params, env: &HostEnv) -> Self {
        let in_rounds = params.draw == Draw::MaskedCycle;
        let count = if in_rounds { params.entropy_count } else { 1 };
        Self {
            params: params.clone(),
            rounds: Rounds::all(count, env),
            sent: vec![0; env.sent_flows.len()],
        }
    }
}

impl PathPolicy for Sprayer {
    fn data_path(&mut self, tx: &TxInfo, rng: &mut Rng) -> u16 {
        let count = self.params.entropy_count;
        let number = self.sent[tx.local_flow];
        self.sent[tx.local_flow] += 1;
        let value = match self.params.draw {
            Draw::Uniform => rng.below(count),
            Draw::Sequential => (number % u64::from(count)) as u32,
            Draw::MaskedCycle => {
                let rounds = &mut self.rounds[tx.local_flow];
                rounds.base + rounds.next(rng)
            }
        };
        u16::try_from(value).expect("16 bits")
    }

    fn ack_path(&mut self, _: &TxInfo, data_path: u16, _: &mut Rng) -> u16 {
        data_path
    }
}

/// BITMAP, and MIXED, which has values recycled before.
#[derive(Debug)]
struct Judge {
    params: bitmap::Params,
    recycles: bool,
    flows: Vec<Judged>,
    seen: Rc<RefCell<Counts>>,
}

/// A flow of it.
#[derive(Debug)]
struct Judged {
    rounds: Rounds,
    /// By number below the count.
    penalties: Vec<u32>,
    recycled: VecDeque<u16>,
}

impl Judge {
    fn new(
        params: &bitmap::Params,
        env: &HostEnv,
        recycles: bool,
        seen: &Rc<RefCell<Counts>>,
    ) -> Self {
        let judged = |rounds| Judged {
            rounds,
            penalties: vec![0; params.entropy_count as usize],
            recycled: VecDeque::new(),
        };
        let rounds = Rounds::all(params.entropy_count, env);
        Self {
            params: params.clone(),
            recycles,
            flows: rounds.into_iter().map(judged).collect(),
            seen: Rc::clone(seen),
        }
    }
}

impl PathPolicy for Judge {
    fn data_path(&mut self, tx: &TxInfo, rng: &mut Rng) -> u16 {
        let flow = &mut self.flows[tx.local_flow];
        let mut seen = self.seen.borrow_mut();
        if let Some(value) = flow.recycled.pop_front() {
            seen.recycled += 1;
            return value;
        }
        let mut passed = Vec::new();
        let number = loop {
            let number = flow.rounds.next(rng);
            let is_free = flow.penalties[number as usize] == 0;
            if is_free || passed.len() == flow.penalties.len() {
                seen.forced += u32::from(!is_free);
                break number;
            }
            if passed.is_empty() {
                // At once: the same value may be met again in the next round.
                flow.penalties[number as usize] -= 1;
            }
            passed.push(number);
        };
        seen.passed += u32::from(!passed.is_empty());
        u16::try_from(flow.rounds.base + number).expect("16 bits")
    }

    fn ack_path(&mut self, _: &TxInfo, data_path: u16, _: &mut Rng) -> u16 {
        data_path
    }

    fn on_feedback(&mut self, local_flow: usize, feedback: &Feedback) {
        let flow = &mut self.flows[local_flow];
        let number = u32::from(feedback.path) - flow.rounds.base;
        let mut seen = self.seen.borrow_mut();
        seen.told[feedback.outcome as usize] += 1;
        let penalty = &mut flow.penalties[number as usize];
        *penalty += u32::from(match feedback.outcome {
            Outcome::Good => 0,
            Outcome::Ecn => self.params.ecn_penalty,
            Outcome::Trimmed => self.params.nack_penalty,
            Outcome::Timeout => self.params.timeout_penalty,
        });
        let limit = u32::from(self.params.max_penalty);
        seen.capped += u32::from(*penalty > limit);
        *penalty = limit.min(*penalty);
        if self.recycles && feedback.outcome == Outcome::Good {
            flow.recycled.push_back(feedback.path);
        }
    }
}

#[test]
fn the_random_scenarios_judge_values_in_every_way() {
    let seen: Rc<RefCell<Counts>> = Rc::default();
    let plain = (0..300).map(Case::numbered);
    for case in plain.chain((0..400).map(cases_lossy::of_transport)) {
        let host = case.scenario.load_balancing.host.clone();
        if !matches!(host, HostScheme::Bitmap(_) | HostScheme::Mixed(_)) {
            continue;
        }
        let seen = Rc::clone(&seen);
        let policies = Policies {
            host: Box::new(move |env| counted(&host, env, &seen).expect("one of these")),
            ..Policies::of_scenario(&case.scenario, case.seed)
        };
        let traffic = (&case.flows[..], &case.dependencies);
        simulate_waiting(&case.scenario, traffic, case.seed, &policies);
    }
    let seen = seen.borrow();
    let Counts {
        told: [good, marked, refused, late],
        capped,
        passed,
        forced,
        recycled,
    } = *seen;
    for count in [
        good, marked, refused, late, capped, passed, forced, recycled,
    ] {
        assert!(count > 100, "{seen:?}");
    }
}
