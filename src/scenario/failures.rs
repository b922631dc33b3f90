//! The `failures` object, key by key. Whether its links and switches exist, only the fabric tells: `cross` does.

use crate::fields::{Fields, Scale};
use crate::json::Origin;
use crate::settings::{LossFrames, OnPartition, Queued};
use crate::units::{Ratio, Span, Time};

use super::check::{MAX_INSTANT, MAX_LATENCY};

/// The failures as far as their own object tells.
#[derive(Debug)]
pub(super) struct FailuresDraft {
    pub(super) edge_agg_probability: Ratio,
    pub(super) agg_core_probability: Ratio,
    pub(super) switch_probability: Ratio,
    pub(super) links: Vec<LinkDraft>,
    pub(super) switches: Vec<SwitchDraft>,
    pub(super) convergence: Span,
    pub(super) queued: Queued,
    pub(super) on_partition: OnPartition,
    pub(super) losses: Vec<LossDraft>,
    pub(super) hosts: Vec<HostDraft>,
    /// Where `agg_core_probability` came from.
    pub(super) agg_core_origin: Origin,
}

impl FailuresDraft {
    /// Whether anything may fail.
    pub(super) fn can_fail(&self) -> bool {
        let probabilities = [
            self.edge_agg_probability,
            self.agg_core_probability,
            self.switch_probability,
        ];
        let is_listed = !self.links.is_empty() || !self.switches.is_empty();
        is_listed || probabilities.iter().any(|of| of.num > 0)
    }
}

/// One entry of `links`.
#[derive(Debug)]
pub(super) struct LinkDraft {
    pub(super) link: String,
    pub(super) member: Option<u64>,
    pub(super) period: PeriodDraft,
    pub(super) slow_to: Option<Ratio>,
    pub(super) slow_origin: Origin,
    /// Where `link` and `member` came from.
    pub(super) origins: [Origin; 2],
}

/// One entry of `switches`.
#[derive(Debug)]
pub(super) struct SwitchDraft {
    pub(super) switch: String,
    pub(super) period: PeriodDraft,
    /// Where `switch` came from.
    pub(super) origin: Origin,
}

/// One entry of `loss`.
#[derive(Debug)]
pub(super) struct LossDraft {
    pub(super) link: Option<String>,
    pub(super) member: Option<u64>,
    pub(super) probability: Ratio,
    pub(super) frames: LossFrames,
    /// Where `link` and `member` came from.
    pub(super) origins: [Origin; 2],
}

/// One entry of `hosts`.
#[derive(Debug)]
pub(super) struct HostDraft {
    pub(super) host: u64,
    pub(super) period: PeriodDraft,
    /// Where `host` came from.
    pub(super) origin: Origin,
}

/// From when to when; [`Time::NEVER`]: for good.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeriodDraft {
    pub(super) from: Time,
    pub(super) until: Time,
    /// Where `until_us` came from.
    pub(super) origin: Origin,
}

/// Read the `failures` object.
pub(super) fn read(fields: &mut Fields<'_>) -> FailuresDraft {
    let queued = [("lost", Queued::Lost), ("held", Queued::Held)];
    let on_partition = [
        ("redraw", OnPartition::Redraw),
        ("refuse", OnPartition::Refuse),
        ("drop", OnPartition::Drop),
    ];
    let latency = Span::ZERO.0..=MAX_LATENCY.0;
    FailuresDraft {
        edge_agg_probability: fields.probability("edge_agg_probability"),
        agg_core_probability: fields.probability("agg_core_probability"),
        switch_probability: fields.probability("switch_probability"),
        links: links(fields),
        switches: switches(fields),
        convergence: Span(fields.decimal("convergence_us", Some(1_000_000), Scale::US, latency)),
        queued: fields.choice("queued", Some("lost"), &queued),
        on_partition: fields.choice("on_partition", Some("redraw"), &on_partition),
        losses: losses(fields),
        hosts: hosts(fields),
        agg_core_origin: fields.origin("agg_core_probability"),
    }
}

fn links(fields: &mut Fields<'_>) -> Vec<LinkDraft> {
    let words = "a list of {\"link\", \"member\", \"from_us\", \"until_us\", \"slow_to\"}";
    fields.optional_sections("links", words, |_, link| LinkDraft {
        link: link.text("link", None, "two switches, as in \"e3-a5\"", |text| {
            !text.is_empty()
        }),
        member: link.nullable_integer("member", None, 0..=254),
        period: period(link),
        slow_to: link.nullable_fraction("slow_to"),
        slow_origin: link.origin("slow_to"),
        origins: [link.origin("link"), link.origin("member")],
    })
}

fn switches(fields: &mut Fields<'_>) -> Vec<SwitchDraft> {
    let words = "a list of {\"switch\", \"from_us\", \"until_us\"}";
    fields.optional_sections("switches", words, |_, switch| SwitchDraft {
        switch: switch.text("switch", None, "a switch, as in \"a5\"", |text| {
            !text.is_empty()
        }),
        period: period(switch),
        origin: switch.origin("switch"),
    })
}

fn losses(fields: &mut Fields<'_>) -> Vec<LossDraft> {
    let words = "a list of {\"link\", \"member\", \"probability\", \"frames\"}";
    let frames = [
        ("all", LossFrames::All),
        ("data", LossFrames::Data),
        ("control", LossFrames::Control),
    ];
    fields.optional_sections("loss", words, |_, loss| LossDraft {
        link: loss.nullable_text("link", "null, or two switches, as in \"e3-a5\"", |text| {
            !text.is_empty()
        }),
        member: loss.nullable_integer("member", None, 0..=254),
        probability: loss.fraction("probability", None),
        frames: loss.choice("frames", Some("all"), &frames),
        origins: [loss.origin("link"), loss.origin("member")],
    })
}

fn hosts(fields: &mut Fields<'_>) -> Vec<HostDraft> {
    let words = "a list of {\"host\", \"from_us\", \"until_us\"}";
    fields.optional_sections("hosts", words, |_, host| HostDraft {
        host: host.integer("host", None, 0..=u64::MAX),
        period: period(host),
        origin: host.origin("host"),
    })
}

fn period(fields: &mut Fields<'_>) -> PeriodDraft {
    let from = fields.decimal("from_us", Some(0), Scale::US, 0..=MAX_INSTANT);
    let until = fields.nullable_decimal("until_us", Scale::US, 1..=MAX_INSTANT);
    PeriodDraft {
        from: Time(from),
        until: until.map_or(Time::NEVER, Time),
        origin: fields.origin("until_us"),
    }
}
