//! Keys of `fabric`.

use super::{KeyDoc, key};

/// In the order of the effective scenario.
pub(super) const KEYS: &[KeyDoc] = &[
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
        "Bytes that an output port holds, frame in service included, where a topology file does not say; null: unlimited, unless buffer_packets or buffer_bdp says otherwise",
    ),
    key(
        "fabric.buffer_packets",
        "null, or an integer from 1 to 1073741824",
        Some("null"),
        "The same in full data frames (payload and header), so that it follows packet.payload_bytes; one of the three at most",
    ),
    key(
        "fabric.buffer_bdp",
        "null, or a number above 0 and up to 1000",
        Some("null"),
        "The same in bandwidth-delay products: of what a host's link carries in the longest base RTT, in full data frames rounded up, this many (rounded up), so that it follows the fabric (uet-htsim: 1 where ports trim, else 5); one of the three at most",
    ),
    key(
        "fabric.ecn_threshold_bytes",
        "\"auto\", null, or an integer from 0 to 2^50",
        Some("\"auto\""),
        "A data frame that leaves while its port holds more than this, itself included, is marked; auto: 80000, or what ecn_threshold_packets or ecn_threshold_bdp says; null: never, likewise",
    ),
    key(
        "fabric.ecn_threshold_packets",
        "null, or an integer from 0 to 1073741824",
        Some("null"),
        "The same in full data frames; one of the three at most",
    ),
    key(
        "fabric.ecn_threshold_bdp",
        "null, or a number above 0 and up to 1000",
        Some("null"),
        "The same in bandwidth-delay products, as for buffer_bdp (uet-htsim: 0.2); one of the three at most",
    ),
    key(
        "fabric.ecn_max_threshold_bytes",
        "null, or an integer from ecn_threshold_bytes to 2^50",
        Some("null"),
        "RED: below ecn_threshold_bytes no frame is marked, above this every frame, and in between with a probability that grows linearly from 0 to 1; null: all above ecn_threshold_bytes, unless ecn_max_threshold_packets or ecn_max_threshold_bdp says otherwise",
    ),
    key(
        "fabric.ecn_max_threshold_packets",
        "null, or an integer from ecn_threshold_packets to 1073741824",
        Some("null"),
        "The same in full data frames; one of the three at most",
    ),
    key(
        "fabric.ecn_max_threshold_bdp",
        "null, or a number from ecn_threshold_bdp to 1000",
        Some("null"),
        "The same in bandwidth-delay products, as for buffer_bdp (uet-htsim: 0.8); one of the three at most",
    ),
    key(
        "fabric.ecn_counts_departing",
        "true or false",
        Some("true"),
        "Whether the frame that leaves counts among the bytes that are compared with the thresholds",
    ),
    key(
        "fabric.queue.kind",
        "\"fifo\", \"trimming\" or \"lossless\"",
        Some("\"fifo\""),
        "What output ports do where room is short: drop frames, cut their payload off, or pause their neighbours in time (priority flow control)",
    ),
    key(
        "fabric.queue.control_priority",
        "true or false",
        Some("false"),
        "fifo, lossless: ACKs, NACKs and trimmed headers are served before data; trimming ports always do so",
    ),
    key(
        "fabric.queue.shared_buffer",
        "null, or an object",
        Some("null"),
        "The ports of a switch share its buffer (dynamic thresholds); null: each has its own. Without buffer_bytes, buffer_packets, buffer_bdp and queues of a topology file",
    ),
    key(
        "fabric.queue.shared_buffer.bytes",
        "an integer from one frame to 2^50",
        None,
        "Bytes of the whole buffer of a switch",
    ),
    key(
        "fabric.queue.shared_buffer.alpha",
        "a number above 0 and up to 1000",
        Some("1"),
        "A port may hold this times what is free of it (Choudhury and Hahne 1998)",
    ),
    key(
        "fabric.queue.trim_bytes",
        "null, or an integer from 1 to a full data frame, at most 65535",
        Some("64"),
        "trimming: bytes of a packet without its payload; null: nothing is left of it, it is dropped (uet-htsim's -disable_trim)",
    ),
    key(
        "fabric.queue.header_buffer_bytes",
        "null, or an integer from one control frame to 2^50",
        Some("null"),
        "trimming: bytes of control frames that a port holds; null: twice its buffer for data",
    ),
    key(
        "fabric.queue.evict",
        "\"arriving\" or \"coin\"",
        Some("\"arriving\""),
        "trimming: which packet loses its payload, or is dropped: the one that arrives, or, as a fair coin says, that or the last one in the queue (uet-htsim)",
    ),
    key(
        "fabric.queue.pause_bytes",
        "null, or an integer from 1 to 2^50",
        Some("null"),
        "lossless: a neighbour is paused when more bytes than this are in the switch that came from it; null: the buffer less the headroom. Without shared_buffer, whose thresholds count then",
    ),
    key(
        "fabric.queue.resume_bytes",
        "null, or an integer from 0, below pause_bytes",
        Some("null"),
        "lossless: a paused neighbour may go on when no more than this are; null: half of pause_bytes. Without shared_buffer",
    ),
    key(
        "fabric.queue.resume_offset_bytes",
        "null, or an integer from 1 to 2^50",
        Some("null"),
        "lossless, with shared_buffer: a paused neighbour may go on when so many bytes less than the threshold are there; null: two full frames",
    ),
    key(
        "fabric.queue.headroom_bytes",
        "null, or an integer from what is needed to 2^50",
        Some("null"),
        "lossless: room beyond pause_bytes for what is on its way when a neighbour is paused; null: what is needed: three of the largest frame, a pause frame, two gaps, and what the link carries in twice its latency",
    ),
    key(
        "fabric.queue.pause_frame_bytes",
        "an integer from 1 to 65535",
        Some("64"),
        "lossless: bytes of a pause frame",
    ),
];
