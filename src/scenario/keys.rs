//! Every key of a scenario: what `spraysim list` and the README say, and what the tests go through.

/// A key of the scenario.
#[derive(Clone, Copy, Debug)]
pub struct KeyDoc {
    /// The path; `[]` stands for any element of a list.
    pub path: &'static str,
    /// What is allowed, in words.
    pub allowed: &'static str,
    /// The default, as JSON; `None`: the key is required where it applies.
    pub default: Option<&'static str>,
    /// Meaning, unit, and where it applies.
    pub about: &'static str,
}

const fn key(
    path: &'static str,
    allowed: &'static str,
    default: Option<&'static str>,
    about: &'static str,
) -> KeyDoc {
    KeyDoc {
        path,
        allowed,
        default,
        about,
    }
}

/// The keys, in the order of the effective scenario. `name` defaults to the file's stem, a pair's `id` to its index; a scheme's
/// parameters stand beside its name and are documented with the scheme.
pub const KEYS: &[KeyDoc] = &[
    key(
        "extends",
        "a path, or a list of paths",
        Some("[]"),
        "Files whose keys this one shares: deep merge, the later win, this file wins over all; another scheme or kind replaces its object",
    ),
    key(
        "name",
        "a string, not blank, without line breaks and control characters",
        None,
        "Name of the scenario in every table (default: the file's name without its ending)",
    ),
    key(
        "seed",
        "an integer from 0, repeats below 2^64",
        Some("1"),
        "Seed of a point's first run; the next repeats have seed + 1, seed + 2, ...",
    ),
    key(
        "repeats",
        "an integer from 1 to 1000000",
        Some("10"),
        "How often every point runs",
    ),
    key(
        "fabric.kind",
        "\"fat_tree\" or \"htsim_topo\"",
        Some("\"fat_tree\""),
        "Topology: equal switches and links, or a topology file of htsim",
    ),
    key(
        "fabric.levels",
        "2 or 3",
        Some("3"),
        "fat_tree: layers of switches: three make k^3/4 hosts, two (leaves and spines) k^2/2",
    ),
    key(
        "fabric.k",
        "an even integer from 2 to 128",
        None,
        "fat_tree: ports a switch",
    ),
    key(
        "fabric.link_gbps",
        "Gb/s above 0 to 100000, down to a whole bit/s",
        Some("800"),
        "fat_tree: rate of every link",
    ),
    key(
        "fabric.link_latency_ns",
        "nanoseconds from 0 to 1000000000, down to a whole picosecond",
        Some("500"),
        "fat_tree: propagation latency of every link, those of the hosts included",
    ),
    key(
        "fabric.switch_latency_ns",
        "nanoseconds from 0 to 1000000000, down to a whole picosecond",
        Some("0"),
        "fat_tree: time between a packet's arrival at a switch and its enqueueing",
    ),
    key(
        "fabric.path",
        "a path",
        None,
        "htsim_topo: a topology file of htsim, relative to the file that names it",
    ),
    key(
        "fabric.buffer_bytes",
        "null, or an integer from one frame to 2^50",
        Some("null"),
        "Bytes that an output port holds, frame in service included, where a topology file does not say; null: unlimited, unless buffer_packets says otherwise",
    ),
    key(
        "fabric.buffer_packets",
        "null, or an integer from 1 to 1073741824",
        Some("null"),
        "The same in full data frames (payload and header), so that it follows packet.payload_bytes; one of the two at most",
    ),
    key(
        "fabric.ecn_threshold_bytes",
        "\"auto\", null, or an integer from 0 to 2^50",
        Some("\"auto\""),
        "A data frame that leaves while its port holds more than this, itself included, is marked; auto: 80000, or what ecn_threshold_packets says; null: never, likewise",
    ),
    key(
        "fabric.ecn_threshold_packets",
        "null, or an integer from 0 to 1073741824",
        Some("null"),
        "The same in full data frames; one of the two at most",
    ),
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
        "packet.payload_bytes",
        "an integer from 1 to 16777216",
        Some("4096"),
        "Payload of a full data packet",
    ),
    key(
        "packet.header_bytes",
        "an integer from 0 to 65535",
        Some("62"),
        "Header of a data packet",
    ),
    key(
        "packet.ack_bytes",
        "an integer from 1 to 65535",
        Some("64"),
        "Frame of an ACK",
    ),
    key(
        "packet.gap_bytes",
        "an integer from 0 to 65535",
        Some("20"),
        "Idle bytes on the link after every frame",
    ),
    key(
        "packet.acks",
        "\"per_packet\" or \"none\"",
        Some("\"per_packet\""),
        "Whether receivers acknowledge every data packet",
    ),
    key(
        "load_balancing.scheme",
        "a scheme of `spraysim list`",
        None,
        "How packets are spread over paths; its parameters stand beside it. Setting or sweeping it takes the scheme's defaults",
    ),
    key(
        "load_balancing.override",
        "a list of objects",
        Some("[]"),
        "Mixed fabrics: switches that run another scheme; where two entries select a switch, the later one wins",
    ),
    key(
        "load_balancing.override[].where",
        "\"random_switches\", \"random_pods\", \"aggregation\", \"edge\", or a list of switches, each once",
        None,
        "Which switches; names are those of links.csv, e.g. [\"e0\", \"a3\"]",
    ),
    key(
        "load_balancing.override[].fraction",
        "a number above 0 and up to 1",
        None,
        "random_switches, random_pods: the share of them that the run's seed draws, to the nearest whole number (half up), at least one",
    ),
    key(
        "load_balancing.override[].scheme.scheme",
        "a scheme of `spraysim list` without a host part",
        None,
        "What they run; its parameters stand beside it",
    ),
    key(
        "congestion_control.scheme",
        "\"none\"",
        Some("\"none\""),
        "Congestion control: none is sources paced at `load`",
    ),
    key(
        "congestion_control.load",
        "a number above 0 and up to 1",
        Some("1"),
        "Fraction of rho_max at which hosts send, gaps included; on an intact fabric without oversubscription rho_max is line rate",
    ),
    key(
        "congestion_control.rho_max",
        "\"path_equal\", \"hop_equal\", \"lp\" or \"line_rate\"",
        Some("\"path_equal\""),
        "What hosts could send at if balanced perfectly: flows split equally over paths, or hop by hop, or optimally; or line rate whatever the fabric carries",
    ),
    key(
        "nic.ack_turns",
        "\"class\" or \"flow\"",
        Some("\"class\""),
        "Round robin of a host's NIC: pending ACKs are one member, or one each incoming flow",
    ),
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
    key(
        "trigger_latency_ns",
        "null, or nanoseconds from the link latency to 1000000000, down to a whole picosecond",
        Some("null"),
        "From the last event that a flow waits for to its start; null: the link latency. 0 where all that a trigger waits for and starts happens at one host",
    ),
    key(
        "horizon_us",
        "null, or microseconds above 0 to 10000000000, down to a whole picosecond",
        Some("null"),
        "The run stops after the events of this instant; null: when all flows have finished",
    ),
    key(
        "sweep",
        "null, or an object of paths to lists of values",
        Some("null"),
        "Cross product over any keys but repeats: file order, first key slowest",
    ),
];
