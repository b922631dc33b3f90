//! Keys of `workload` and `imperfection`.

use super::{KeyDoc, key};

/// In the order of the effective scenario.
pub(super) const KEYS: &[KeyDoc] = &[
    key(
        "workload.kind",
        "\"permutation\", \"pairs\" or \"htsim_cm\"",
        None,
        "Where flows come from",
    ),
    key(
        "workload.message_bytes",
        "an integer from 1 to 2^50",
        None,
        "permutation: payload that every host sends",
    ),
    key(
        "workload.inter_pod_only",
        "true or false",
        Some("false"),
        "permutation: only to hosts of other pods (three levels)",
    ),
    key(
        "workload.pairs",
        "a list of at least one object",
        None,
        "pairs: the flows",
    ),
    key(
        "workload.pairs[].id",
        "an integer from 0 to 2^64 - 1, each once",
        None,
        "Number of the flow in tables (default: its index)",
    ),
    key(
        "workload.pairs[].src",
        "a host",
        None,
        "Sending host, from 0",
    ),
    key(
        "workload.pairs[].dst",
        "another host",
        None,
        "Receiving host, from 0",
    ),
    key(
        "workload.pairs[].bytes",
        "an integer from 1 to 2^50",
        None,
        "Payload of the flow",
    ),
    key(
        "workload.pairs[].start_ns",
        "nanoseconds from 0 to 10000000000000, down to a whole picosecond",
        Some("0"),
        "When the flow starts; start jitter comes on top. With `after`: the earliest instant, without jitter",
    ),
    key(
        "workload.pairs[].after",
        "null, or an object",
        Some("null"),
        "The flow starts when others are done",
    ),
    key(
        "workload.pairs[].after.flows",
        "a list of at least one id of another pair, each once",
        None,
        "The flows that must all be done first; no cycles",
    ),
    key(
        "workload.pairs[].after.event",
        "\"acked\" or \"received\"",
        Some("\"acked\""),
        "When a flow is done: its sender has all ACKs, or its receiver has all data",
    ),
    key(
        "workload.pairs[].after.delay_ns",
        "nanoseconds from 0 to 10000000000000, down to a whole picosecond",
        Some("0"),
        "From the last of them to the start, on top of `trigger_latency_ns`; e.g. time to compute",
    ),
    key(
        "workload.path",
        "a path",
        None,
        "htsim_cm: a connection matrix of htsim, relative to the file that names it",
    ),
    key(
        "workload.start_unit",
        "null, \"us\" or \"ps\"",
        Some("null"),
        "htsim_cm: unit of its start times; null is enough where all are 0",
    ),
    key(
        "workload.mice",
        "null, or an object",
        Some("null"),
        "Short messages beside these flows, which are then the collective: every host sends one a round, to its receiver in a random permutation drawn for the round (null: none)",
    ),
    key(
        "workload.mice.message_bytes",
        "an integer from 1 to 2^50",
        None,
        "Payload of each",
    ),
    key(
        "workload.mice.count_per_host",
        "an integer from 1 to 2^24, and so many for all hosts together",
        None,
        "Rounds",
    ),
    key(
        "workload.mice.period_ns",
        "nanoseconds from 0 to 10000000000000, down to a whole picosecond",
        None,
        "Length of a round; each message starts at a uniform instant of it (0: all at once), and start jitter comes on top",
    ),
    key(
        "workload.mice.start_ns",
        "nanoseconds from 0 to 10000000000000, down to a whole picosecond",
        Some("0"),
        "When the first round begins",
    ),
    key(
        "workload.start_jitter",
        "\"slot\", \"none\", or an object",
        Some("\"slot\""),
        "Every host starts at a uniform offset within one packet slot, or at 0; or as the keys of an object say",
    ),
    key(
        "workload.start_jitter.uniform_ns",
        "null, or nanoseconds from 0 to 1000000000, down to a whole picosecond",
        Some("null"),
        "Every host starts at a uniform offset below this; null: within one packet slot",
    ),
    key(
        "workload.start_jitter.stragglers",
        "null, or an object",
        Some("null"),
        "Hosts that start later still; null: none",
    ),
    key(
        "workload.start_jitter.stragglers.fraction",
        "a number from 0 to 1",
        None,
        "So large a share of all hosts straggles, rounded to the nearest count and drawn for each seed (default: `hosts` names them)",
    ),
    key(
        "workload.start_jitter.stragglers.hosts",
        "a list of at least one host, each once",
        None,
        "These hosts straggle (default: `fraction` says how many)",
    ),
    key(
        "workload.start_jitter.stragglers.delay_ns",
        "nanoseconds from 0 to 1000000000, down to a whole picosecond",
        None,
        "How much later stragglers start, on top of their offset",
    ),
    key(
        "workload.pacing_jitter_pct",
        "a number from 0 to 100",
        Some("0"),
        "Every data packet is due later by up to this many percent of the time between two full packets (slot / load), uniformly",
    ),
    key(
        "workload.pacing_jitter_adds",
        "true or false",
        Some("false"),
        "Whether each packet's delay also delays all later ones of a busy period, so that hosts drift apart (the Ofan authors' public simulator)",
    ),
    key(
        "imperfection.clock_skew_ppm",
        "parts per million from 0 to 1000, down to a millionth of one",
        Some("0"),
        "Each host's clock is off by up to this either way: its NIC and its pacing are slower than nominal by a uniform draw from 0 to twice this",
    ),
    key(
        "imperfection.switch_jitter_ns",
        "nanoseconds from 0 to 1000000000, down to a whole picosecond",
        Some("0"),
        "Each packet spends a uniform draw from 0 to this in a switch on top of `fabric.switch_latency_ns`; those of one ingress port stay in order",
    ),
    key(
        "imperfection.tie_break",
        "\"ingress_port\" or \"random\"",
        Some("\"ingress_port\""),
        "Order of packets that arrive at one node at the same picosecond: the lowest ingress port first, or random for each node and instant",
    ),
];
