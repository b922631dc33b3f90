//! Priority flow control: what a buffer needs beyond the threshold at which the neighbour is paused, and the thresholds that follow.
//!
//! In the worst case the last bit of a full frame brings the buffer above the threshold just after another has started in the other
//! direction; the pause frame waits for it and a gap, takes its own time and the link's latency, finds the neighbour at the start of a full
//! frame, and what is on the wire then comes in too: 3 full frames, a pause frame, 2 gaps and twice the latency in bytes.
//! IEEE 802.1Qbb leaves it to the vendor; the sum is the usual one (Guo et al., "RDMA over commodity Ethernet at scale", SIGCOMM 2016, section 2).
//!
//! Not modelled: the time that a switch takes to decide.

use crate::settings::{Lossless, PacketFormat, Tier};

/// The bytes above which a neighbour is paused and those at which it may go on, for a port to a link of `tier` with its own buffer of
/// `buffer_bytes` (`None`: unlimited).
#[must_use]
pub fn thresholds(
    lossless: &Lossless,
    buffer_bytes: Option<u64>,
    tier: &Tier,
    frames: &PacketFormat,
) -> (u64, u64) {
    let headroom = lossless.headroom(frames, tier);
    let beside = buffer_bytes.map_or(u64::MAX, |bytes| bytes.saturating_sub(headroom));
    let high = lossless.pause_bytes.unwrap_or(beside);
    (high, lossless.resume_bytes.unwrap_or(high / 2))
}

/// With a shared buffer: a neighbour goes on at so many bytes less than the threshold.
#[must_use]
pub fn resume_offset(lossless: &Lossless, frames: &PacketFormat) -> u64 {
    let usual = 2 * frames.full_frame();
    lossless.resume_offset_bytes.unwrap_or(usual)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Acks;
    use crate::units::{Rate, Span};

    const TIER: Tier = Tier {
        rate: Rate::from_gbps(800),
        latency: Span::from_ns(500),
        switch_latency: Span::ZERO,
        down_buffer_bytes: None,
        up_buffer_bytes: None,
    };
    const FRAMES: PacketFormat = PacketFormat {
        payload_bytes: 4096,
        header_bytes: 62,
        ack_bytes: 64,
        gap_bytes: 20,
        acks: Acks::PerPacket,
    };
    const LOSSLESS: Lossless = Lossless {
        pause_bytes: None,
        resume_bytes: None,
        resume_offset_bytes: None,
        headroom_bytes: None,
        pause_frame_bytes: 64,
    };

    #[test]
    fn headroom_is_three_frames_a_pause_two_gaps_and_what_is_on_the_wires() {
        // 100 bytes a ns: 2 x 500 ns are 100,000 bytes.
        let needed = 3 * 4158 + 64 + 40 + 100_000;
        assert_eq!(LOSSLESS.needed_headroom(&FRAMES, &TIER), needed);
        let slow = Tier {
            rate: Rate::from_bits_per_sec(1),
            ..TIER
        };
        assert_eq!(
            LOSSLESS.needed_headroom(&FRAMES, &slow),
            3 * 4158 + 64 + 40 + 1
        );
    }

    #[test]
    fn thresholds_follow_from_the_buffer_unless_given() {
        let of = |lossless: &Lossless, buffer| thresholds(lossless, buffer, &TIER, &FRAMES);
        assert_eq!(of(&LOSSLESS, Some(200_000)), (87_422, 43_711));
        assert_eq!(of(&LOSSLESS, None).0, u64::MAX);
        let given = Lossless {
            pause_bytes: Some(50_000),
            resume_bytes: Some(7),
            ..LOSSLESS
        };
        assert_eq!(of(&given, Some(200_000)), (50_000, 7));
        let headroom = Lossless {
            headroom_bytes: Some(150_000),
            ..LOSSLESS
        };
        assert_eq!(of(&headroom, Some(200_000)), (50_000, 25_000));
        assert_eq!(resume_offset(&LOSSLESS, &FRAMES), 8_316);
    }
}
