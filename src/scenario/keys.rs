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
        "\"fat_tree\"",
        Some("\"fat_tree\""),
        "Topology",
    ),
    key(
        "fabric.levels",
        "2 or 3",
        Some("3"),
        "Layers of switches: three make k^3/4 hosts, two (leaves and spines) k^2/2",
    ),
    key(
        "fabric.k",
        "an even integer from 2 to 128",
        None,
        "Ports a switch",
    ),
    key(
        "fabric.link_gbps",
        "Gb/s above 0 to 100000, down to a whole bit/s",
        Some("800"),
        "Rate of every link",
    ),
    key(
        "fabric.link_latency_ns",
        "nanoseconds from 0 to 1000000000, down to a whole picosecond",
        Some("500"),
        "Propagation latency of every link, those of the hosts included",
    ),
    key(
        "fabric.switch_latency_ns",
        "nanoseconds from 0 to 1000000000, down to a whole picosecond",
        Some("0"),
        "Time between a packet's arrival at a switch and its enqueueing",
    ),
    key(
        "fabric.buffer_bytes",
        "null, or an integer from one frame to 2^50",
        Some("null"),
        "Bytes that an output port holds, frame in service included; null: unlimited",
    ),
    key(
        "fabric.ecn_threshold_bytes",
        "null, or an integer from 0 to 2^50",
        Some("80000"),
        "A data frame that leaves while its port holds more than this, itself included, is marked; null: never",
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
        "When the flow starts; start jitter comes on top",
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
        "\"slot\" or \"none\"",
        Some("\"slot\""),
        "Every host starts at a uniform offset within one packet slot, or at 0",
    ),
    key(
        "workload.pacing_jitter_pct",
        "a number from 0 to 100",
        Some("0"),
        "Every data packet is due later by up to this many percent of the time between two full packets (slot / load), uniformly",
    ),
    key(
        "trigger_latency_ns",
        "null, or nanoseconds from the link latency to 1000000000, down to a whole picosecond",
        Some("null"),
        "Latency of a dependency between flows of different hosts; null: the link latency. No effect until triggers are supported",
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
