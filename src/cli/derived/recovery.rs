//! What follows from a scenario for pauses, timeouts and windows: the values in place of null.

use crate::cc::{CongestionControl, Controller};
use crate::scenario::{Scenario, Tier};
use crate::settings::{Lossless, QueueKind, RtoKind, TransportKind};
use crate::theory::{fabric_numbers, headroom};

/// A line's title, and what it says.
pub(super) type Line = (&'static str, String);

/// The lines, as far as the scenario has such things.
pub(super) fn lines(scenario: &Scenario) -> Vec<Line> {
    let mut lines = Vec::new();
    if let QueueKind::Lossless(lossless) = &scenario.fabric.queue.kind {
        lines.extend(pauses(scenario, lossless));
    }
    lines.extend(timeout(scenario));
    lines.extend(window(scenario));
    lines
}

/// Headroom and thresholds; those of each tier of links, hosts' links first, where they differ.
fn pauses(scenario: &Scenario, lossless: &Lossless) -> Vec<Line> {
    let (packet, fabric) = (&scenario.packet, &scenario.fabric);
    let room = |tier: &Tier| lossless.headroom(packet, tier);
    let mut lines = vec![(
        "headroom",
        format!("{} bytes a port", by_tier(fabric.tiers().iter().map(room))),
    )];
    if fabric.queue.shared_buffer.is_none() {
        let of = |buffer, tier| headroom::thresholds(lossless, buffer, tier, packet);
        let tiers = || fabric.tiers().iter();
        let downs = tiers().map(|tier| of(tier.down_buffer_bytes, tier));
        // Uplinks are links of the tier above.
        let ups = tiers().zip(tiers().skip(1));
        let ups = ups.map(|(tier, above)| of(tier.up_buffer_bytes, above));
        let told = |thresholds: Vec<(u64, u64)>| {
            let highs = by_tier(thresholds.iter().map(|&(high, _)| high));
            let lows = by_tier(thresholds.iter().map(|&(_, low)| low));
            format!("above {highs} bytes, until {lows} are left")
        };
        let (downs, ups) = (told(downs.collect()), told(ups.collect()));
        if downs == ups {
            lines.push(("pauses", downs));
        } else {
            lines.push(("pauses", format!("{downs} (down-ports)")));
            lines.push(("", format!("{ups} (uplinks)")));
        }
    }
    lines
}

/// One number if all are the same.
fn by_tier(values: impl Iterator<Item = u64>) -> String {
    let mut values: Vec<u64> = values.collect();
    values.dedup();
    let texts: Vec<String> = values.iter().map(u64::to_string).collect();
    texts.join(" / ")
}

fn timeout(scenario: &Scenario) -> Option<Line> {
    let transport = scenario.transport.as_ref()?;
    if matches!(transport.kind, TransportKind::Erasure(_)) {
        return None;
    }
    let why = match transport.rto.kind {
        RtoKind::Fixed(Some(_)) => "fixed",
        RtoKind::Fixed(None) => "fixed, from the buffers",
        RtoKind::Estimated { .. } => "before the first sample",
    };
    let first = transport.rto.first(&scenario.fabric);
    Some(("timeout", format!("{first} ({why})")))
}

fn window(scenario: &Scenario) -> Option<Line> {
    let controller = &scenario.congestion_control.controller;
    if *controller == Controller::default() {
        return None;
    }
    let window = controller.build(&fabric_numbers::cc_env(scenario)).window();
    Some((
        "window",
        format!("{window} bytes at first, across the tree"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Overrides, parse};

    /// The lines of the small scenario with these settings.
    fn told(sets: &[&str]) -> Vec<String> {
        let text = r#"{"fabric": {"k": 4}, "load_balancing": {"scheme": "rps"},
            "workload": {"kind": "permutation", "message_bytes": 5}}"#;
        let sets = sets.iter().map(|set| (*set).to_owned()).collect();
        let overrides = Overrides {
            sets,
            ..Overrides::default()
        };
        let plan = parse(text, &overrides).expect("a sound scenario");
        let lines = lines(&plan.points[0].scenario).into_iter();
        lines
            .map(|(title, text)| format!("{title}: {text}"))
            .collect()
    }

    #[test]
    fn nothing_is_told_where_nothing_is_recovered_or_paused() {
        assert_eq!(told(&[]), [""; 0]);
    }

    #[test]
    fn what_follows_from_buffers_and_links_is_told() {
        let lossless = ["fabric.queue.kind=lossless", "fabric.buffer_bytes=800000"];
        assert_eq!(
            told(&lossless),
            [
                "headroom: 112578 bytes a port",
                "pauses: above 687422 bytes, until 343711 are left"
            ]
        );
        let window = "congestion_control.scheme=fixed_window";
        assert_eq!(
            told(&[
                "transport.kind=go_back_n",
                "fabric.buffer_bytes=800000",
                window
            ]),
            [
                "timeout: 63.000 us (fixed, from the buffers)",
                // 1.5 x 625,332 bytes.
                "window: 937998 bytes at first, across the tree"
            ]
        );
        assert_eq!(
            told(&["transport.kind=selective_repeat"]),
            ["timeout: 100.000 us (fixed, from the buffers)"]
        );
    }
}
