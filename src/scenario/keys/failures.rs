//! Keys of `failures`.

use super::{KeyDoc, key};

/// In the order of the effective scenario.
pub(super) const KEYS: &[KeyDoc] = &[
    key(
        "failures.edge_agg_probability",
        "a number from 0 to 1",
        Some("0"),
        "Probability that a link between an edge and an aggregation switch is down, drawn for each link, both directions, and run",
    ),
    key(
        "failures.agg_core_probability",
        "a number from 0 to 1",
        Some("0"),
        "The same for links between aggregation switches and cores (three levels)",
    ),
    key(
        "failures.switch_probability",
        "a number from 0 to 1",
        Some("0"),
        "The same for aggregation switches and cores: all links of one are down",
    ),
    key(
        "failures.links",
        "a list of objects",
        Some("[]"),
        "Links that are down or slow for a time, or for good",
    ),
    key(
        "failures.links[].link",
        "two switches, as in \"e3-a5\" or \"a5-c7\"",
        None,
        "The link, both directions, by the names of its ends in links.csv",
    ),
    key(
        "failures.links[].member",
        "null, or an integer from 0, below the size of the bundle",
        Some("null"),
        "Which of several parallel links; null: all of them",
    ),
    key(
        "failures.links[].from_us",
        "microseconds from 0 to 10000000000, down to a whole picosecond",
        Some("0"),
        "From when on; what fails at 0 is known to all from the start",
    ),
    key(
        "failures.links[].until_us",
        "null, or microseconds above from_us to 10000000000, down to a whole picosecond",
        Some("null"),
        "Until when; null: for good",
    ),
    key(
        "failures.links[].slow_to",
        "null, or a number above 0 and below 1",
        Some("null"),
        "The fraction of its rate that a slow link keeps, without anybody noticing; null: the link is down",
    ),
    key(
        "failures.switches",
        "a list of objects",
        Some("[]"),
        "Switches all of whose links are down for a time, or for good",
    ),
    key(
        "failures.switches[].switch",
        "an aggregation switch or a core, as in \"a5\"",
        None,
        "The switch, by its name in links.csv",
    ),
    key(
        "failures.switches[].from_us",
        "microseconds from 0 to 10000000000, down to a whole picosecond",
        Some("0"),
        "From when on",
    ),
    key(
        "failures.switches[].until_us",
        "null, or microseconds above from_us to 10000000000, down to a whole picosecond",
        Some("null"),
        "Until when; null: for good",
    ),
    key(
        "failures.convergence_us",
        "microseconds from 0 to 1000000, down to a whole picosecond",
        Some("1"),
        "From a link's going down or coming back to the instant at which all switches know it",
    ),
    key(
        "failures.queued",
        "\"lost\" or \"held\"",
        Some("\"lost\""),
        "Frames that wait behind a dead link: sent into it and lost, or held until it is back",
    ),
    key(
        "failures.on_partition",
        "\"redraw\", \"refuse\" or \"drop\"",
        Some("\"redraw\""),
        "If hosts that are to communicate have no path at time 0: draw all links again (and refuse if the lists alone are to blame), refuse, or run and drop their packets",
    ),
    key(
        "failures.loss",
        "a list of objects",
        Some("[]"),
        "Links that lose frames at random; each entry draws on its own",
    ),
    key(
        "failures.loss[].link",
        "null, or two switches, as in \"e3-a5\" or \"a5-c7\"",
        Some("null"),
        "The link, both directions, by the names of its ends in links.csv; null: every link between switches",
    ),
    key(
        "failures.loss[].member",
        "null, or an integer from 0, below the size of the bundle",
        Some("null"),
        "Which of several parallel links; null: all of them",
    ),
    key(
        "failures.loss[].probability",
        "a number above 0 and up to 1",
        None,
        "Probability that a frame is lost, drawn for each frame that leaves by the link",
    ),
    key(
        "failures.loss[].frames",
        "\"all\", \"data\" or \"control\"",
        Some("\"all\""),
        "Which frames: data and probes; ACKs, NACKs and trimmed headers; or all of these. Pause frames are never lost so",
    ),
    key(
        "failures.hosts",
        "a list of objects",
        Some("[]"),
        "Hosts that are stuck for a time, or for good: they pause their link (lossless fabrics only)",
    ),
    key(
        "failures.hosts[].host",
        "a host",
        None,
        "The host, from 0, each once",
    ),
    key(
        "failures.hosts[].from_us",
        "microseconds from 0 to 10000000000, down to a whole picosecond",
        Some("0"),
        "From when on",
    ),
    key(
        "failures.hosts[].until_us",
        "null, or microseconds above from_us to 10000000000, down to a whole picosecond",
        Some("null"),
        "Until when; null: for good",
    ),
];
