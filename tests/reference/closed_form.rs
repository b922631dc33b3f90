//! A lone flow, and two flows in opposite directions: uet-htsim's README and its runs end them at 176.200 and 176.804 us.
//!
//! Hosts 0 and 13 of 16 are in different pods: a packet crosses six links of 100 Gb/s and 1 us. 2,000,000 bytes are 489 full
//! packets of 4,086 bytes and one of 1,946; a header has 64 bytes, and so has an ACK. Nothing else is on the way, and the
//! window (1.5 bandwidth-delay products) never closes, so the sender's NIC is never idle.

use std::fs;
use std::ops::Range;

use crate::cases::Case;
use crate::runs::rows;

/// Serialisation of 100 Gb/s, in ps a byte.
const BYTE: u64 = 80;
/// A full data packet on one link: 4,150 bytes, 332 ns.
const FULL: u64 = 4150 * BYTE;
/// The last packet: 2,010 bytes, 160.8 ns.
const LAST: u64 = (1946 + 64) * BYTE;
/// An ACK: 64 bytes, 5.12 ns.
const ACK: u64 = 64 * BYTE;
/// Latency of a link.
const HOP: u64 = 1_000_000;
/// Full packets of the flow.
const FULLS: u64 = 489;

/// The last bit of the last full packet is at the receiver: all were serialised by the NIC, the last one by five switches more.
/// The last packet is short, so it waits for that one at every switch, and comes its own serialisation later. Its ACK goes back
/// over six idle links.
const ALONE: u64 = FULLS * FULL + 5 * FULL + 6 * HOP + LAST + 6 * (HOP + ACK);

/// ACKs of a flow: for its first packet, then for every fourth (16,600 bytes are the first multiple of 4,150 from 16,384 on), and
/// for the last one, whose sender asks for it.
const ACKS: u64 = 1 + (FULLS - 1) / 4 + 1;

/// How many of the ACKs that host 0 sends, one for each fourth packet of the other flow, pass the last link to host 13 before the
/// last data packet does.
///
/// That link is busy from the first data packet on, so each ACK delays the data there by its own serialisation (ACKs have
/// priority; what a NIC's ACKs do not delay there, they do at the link, having overtaken data on the way). On idle ports the ACK
/// for packet 4 *j* is due at the link when that packet has come in, `6 HOP + (4 j + 6) FULL`, and five links later; the last
/// packet starts there at `5 HOP + (FULLS + 5) FULL`. Both are late by the ACKs that passed before, the last packet by no more
/// than all `ACKS` of them beyond. So the count lies between those of these two bounds, which are the same. The last ACK that
/// counts has 616 ns to spare: it leaves an idle NIC and waits for one full packet (332 ns) at most.
fn acks_before_the_end() -> u64 {
    let count = |late: u64| {
        let end = 5 * HOP + (FULLS + 5) * FULL + late;
        let due = |j: u64| 6 * HOP + (4 * j + 6) * FULL + 5 * (HOP + ACK);
        (0..ACKS - 1).filter(|&j| due(j) <= end).count() as u64
    };
    let (least, most) = (count(0), count(ACKS * ACK));
    assert_eq!(least, most);
    least
}

/// `end_ps`, packets and ACKs of every flow of every run.
fn ends(name: &str) -> Vec<[String; 3]> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scenario = Case::of(name).scenario(folder.path());
    let out = folder.path().join("out");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_spraysim"));
    command.arg("run").arg(scenario.expect("it is committed"));
    let status = command.args(["--quiet", "--out"]).arg(&out).output();
    assert!(status.expect("the program starts").status.success());
    let flows = fs::read_to_string(out.join("flows.csv")).expect("it was written");
    rows(&flows, ["end_ps", "packets", "acks"])
}

/// Every flow ends then, and as uet-htsim prints it.
fn all_end_at(name: &str, flows: usize, end: u64, printed: Range<u64>) {
    assert!(printed.contains(&end), "{name}: {end} ps");
    let expected = [end, FULLS + 1, ACKS].map(|number| number.to_string());
    let found = ends(name);
    assert_eq!(found.len(), 30 * flows);
    for flow in found {
        assert_eq!(flow, expected, "{name}");
    }
}

#[test]
fn a_lone_flow_ends_at_the_picosecond_that_its_serialisations_add_up_to() {
    assert_eq!((ALONE, ACKS), (176_199_520, 124));
    all_end_at("one_100g", 1, ALONE, 176_199_500..176_200_500);
}

#[test]
fn flows_in_opposite_directions_are_later_by_the_acks_that_go_before_their_last_packets() {
    let shared = acks_before_the_end() * ACK;
    assert_eq!((acks_before_the_end(), shared), (118, 604_160));
    all_end_at("bidir_100g", 2, ALONE + shared, 176_803_500..176_804_500);
}
