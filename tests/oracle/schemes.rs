//! Random load-balancing schemes: each of the product's, with parameters of every kind.

use spraysim::lb::host::{HostScheme, bitmap, drb, ecmp, ethereal, none, reps, rps};
use spraysim::lb::switch::sight::View;
use spraysim::lb::switch::{SwitchScheme, ar, explicit, hash, jsq, ofan, pofan, rsq, simple_rr};
use spraysim::lb::{SCHEMES, Scheme};
use spraysim::units::Span;

use super::cases::Dice;

/// A scheme of the table.
pub(crate) fn random_scheme(dice: &mut Dice) -> Scheme {
    let row = dice.one_of(SCHEMES);
    let (switch, host) = parts(dice, row.name);
    Scheme {
        name: row.name,
        switch,
        host,
    }
}

/// A scheme of the table that switches run whatever hosts do.
pub(crate) fn random_switch_scheme(dice: &mut Dice) -> Scheme {
    let rows: Vec<_> = SCHEMES.iter().filter(|row| row.is_of_switches()).collect();
    let name = dice.one_of(&rows).name;
    let (switch, host) = parts(dice, name);
    Scheme { name, switch, host }
}

fn parts(dice: &mut Dice, name: &str) -> (SwitchScheme, HostScheme) {
    let by_hosts = SwitchScheme::Explicit(explicit::Params);
    let hashed = SwitchScheme::Hash(hash::Params);
    let by_switches = HostScheme::None(none::Params);
    match name {
        "ecmp" => (hashed, HostScheme::Ecmp(ecmp::Params)),
        "rps" => (hashed, HostScheme::Rps(rps(dice))),
        "reps" => (hashed, HostScheme::Reps(reps(dice))),
        "bitmap" => (hashed, HostScheme::Bitmap(bitmap(dice))),
        "mixed" => (hashed, HostScheme::Mixed(bitmap(dice))),
        "drb" => (by_hosts, HostScheme::Drb(drb::Params)),
        "ethereal" => (by_hosts, HostScheme::Ethereal(ethereal::Params)),
        "simple_rr" => (SwitchScheme::SimpleRr(simple_rr(dice)), by_switches),
        "rsq" => (SwitchScheme::Rsq(rsq::Params), by_switches),
        "jsq" => (SwitchScheme::Jsq(jsq(dice)), by_switches),
        "ar" => (SwitchScheme::Ar(ar(dice)), by_switches),
        "ofan" => (SwitchScheme::Ofan(ofan(dice)), by_switches),
        "pofan" => (SwitchScheme::Pofan(pofan(dice)), by_switches),
        // Another scheme's come from its declarations; what of them the naive simulator must be taught, its own code says.
        other => {
            let row = SCHEMES
                .iter()
                .find(|row| row.name == other)
                .expect("a scheme of the table");
            let (scheme, _) = row.draw(&mut |n| dice.between(0, n.max(1) - 1));
            (scheme.switch, scheme.host)
        }
    }
}

fn rps(dice: &mut Dice) -> rps::Params {
    use rps::Draw::{MaskedCycle, Sequential, Uniform};
    let draw = dice.one_of(&[Uniform, Uniform, MaskedCycle, Sequential]);
    let any = dice.between(1, 1 << 16) as u32;
    let count = dice.one_of(&[1 << 16, 1, 2, 7, 64, any]);
    rps::Params {
        entropy_count: match draw {
            MaskedCycle => dice.one_of(&[1 << 16, 1, 2, 4, 64, 1 << 15]),
            Uniform | Sequential => count,
        },
        draw,
    }
}

/// Few values, so that all of them have a penalty at times, and penalties of any size.
fn bitmap(dice: &mut Dice) -> bitmap::Params {
    let mut penalty = |usual: u8, least| {
        let any = dice.between(least, 255) as u8;
        dice.one_of(&[usual, usual, least as u8, 2, any])
    };
    bitmap::Params {
        ecn_penalty: penalty(1, 0),
        nack_penalty: penalty(4, 0),
        timeout_penalty: penalty(15, 0),
        max_penalty: penalty(15, 1),
        entropy_count: dice.one_of(&[64, 64, 1, 2, 4, 8, 16, 1 << 10]),
    }
}

fn reps(dice: &mut Dice) -> reps::Params {
    use reps::{EntropyTimers, Freezing, Leave, OnExit, Packets};
    let some = Packets::Count(dice.between(0, 20) as u32);
    let every = Packets::Count(dice.between(1, 20) as u32);
    let any = Span(dice.between(0, 3_000_000));
    let timers = EntropyTimers {
        initial: dice.one_of(&[Span(1_000_000_000), any]),
        min: dice.one_of(&[Span(2_000_000), Span::ZERO]),
    };
    let freezing = [Freezing::Auto, Freezing::Off, Freezing::Timeout];
    reps::Params {
        ring_entries: dice.between(1, 10) as usize,
        entropies: dice.one_of(&[1, 2, 7, 256, 1 << 16]),
        explore: dice.one_of(&[Packets::Bdp, some]),
        lifetime: dice.one_of(&[1, 1, 3]),
        freezing: dice.one_of(&freezing),
        freeze: dice.one_of(&[Span(10_000_000_000), any]),
        leave: dice.one_of(&[Leave::Time, Leave::Probe]),
        probe_packets: dice.one_of(&[Packets::Bdp, every]),
        exit_explore: dice.one_of(&[Packets::Bdp, some]),
        on_exit: dice.one_of(&[OnExit::Reset, OnExit::Keep]),
        entropy_timers: dice.one_of(&[None, Some(timers)]),
        ..reps::Params::default()
    }
}

fn simple_rr(dice: &mut Dice) -> simple_rr::Params {
    use simple_rr::AckPointer::{Separate, Shared};
    simple_rr::Params {
        ack_pointer: dice.one_of(&[Shared, Separate]),
    }
}

fn jsq(dice: &mut Dice) -> jsq::Params {
    jsq::Params {
        view: View {
            period: view_period(dice),
        },
    }
}

fn view_period(dice: &mut Dice) -> Span {
    let any = dice.between(1, 3_000_000);
    Span(dice.one_of(&[0, 0, 0, 1, 2, 41_780, 500_000, any, any]))
}

fn ar(dice: &mut Dice) -> ar::Params {
    let percents = [vec![], vec![1], vec![5, 10, 20], vec![1, 2, 3, 4, 50]];
    let percent = ar::Thresholds::Percent(dice.one_of(&percents));
    let any = dice.between(1, 400_000);
    ar::Params {
        thresholds: dice.one_of(&[percent.clone(), percent, ar::Thresholds::Bytes]),
        refresh: Span(dice.one_of(&[0, 1, 41_780, 100_000, any])),
        view: View {
            period: view_period(dice),
        },
    }
}

fn ofan(dice: &mut Dice) -> ofan::Params {
    use ofan::{AckPointer, Consolidate, FirstPointer, PortOrder};
    let acks = [
        AckPointer::HalfRotation,
        AckPointer::Random,
        AckPointer::Shared,
    ];
    let orders = [PortOrder::XorAdd, PortOrder::Random, PortOrder::Identity];
    let ack_pointer = dice.one_of(&acks);
    let classes = [None, Some(vec![128]), Some(vec![1, 100, 5_000])];
    ofan::Params {
        consolidate: dice.one_of(&[Consolidate::Switch, Consolidate::Host]),
        first_pointer: dice.one_of(&[FirstPointer::Random, FirstPointer::ShortestQueue]),
        port_order: dice.one_of(&orders),
        ack_pointer,
        size_class_bytes: match ack_pointer {
            AckPointer::Shared => None,
            _ => dice.one_of(&classes),
        },
    }
}

fn pofan(dice: &mut Dice) -> pofan::Params {
    pofan::Params {
        ports_per_pipe: dice.between(1, 4) as usize,
        ofan: ofan(dice),
    }
}
