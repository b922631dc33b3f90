//! What becomes of data that does not fit at a port that trims, or drops it instead.

use super::*;

#[test]
fn data_that_does_not_fit_loses_its_payload_and_goes_on_before_data() {
    let mut bench = Bench::new(rules(Full::Trim(TRIM), 250, true));
    for psn in 0..4 {
        bench.enqueue(0, frame(Data, psn, 100));
    }
    bench.enqueue(0, frame(Data, 4, 50));
    bench.enqueue(0, frame(Data, 5, 40));
    bench.enqueue(0, frame(Probe, 6, 64));
    // 0, 1 and 4 fit (250 bytes); 2, 3 and 5 are cut, the last of which is short; the probe is dropped. At 0 all are there to choose from.
    let expected = [
        (640, Trimmed, 2),
        (1_300, Trimmed, 3),
        (1_720, Trimmed, 5),
        (2_740, Data, 0),
        (3_760, Data, 1),
        (4_280, Data, 4),
    ];
    assert_eq!(bench.left(20_000), expected);
    let stats = bench.close(20_000);
    assert_eq!((stats.trimmed_packets, stats.dropped_packets), (3, 1));
    assert_eq!(stats.dropped_control_packets, 1, "a probe is no data");
    assert_eq!(stats.queue_max_bytes, 250 + 64 + 64 + 40);
}

#[test]
fn data_of_which_nothing_is_left_is_dropped_and_control_frames_keep_their_class_and_room() {
    let drop = Trim {
        header_buffer_bytes: 128,
        ..DROP
    };
    let mut bench = Bench::new(rules(Full::Trim(drop), 250, true));
    for psn in 0..4 {
        bench.enqueue(0, frame(Data, psn, 100));
    }
    bench.enqueue(0, frame(Data, 4, 50));
    bench.enqueue(0, frame(Data, 5, 40));
    bench.enqueue(0, frame(Probe, 6, 64));
    // Control does not count against the 250 bytes, nor data against the 128. A header of another switch is control.
    bench.enqueue(0, frame(Ack, 7, 64));
    bench.enqueue(0, frame(Trimmed, 8, 64));
    bench.enqueue(0, frame(Nack, 9, 1));
    let expected = [
        (640, Ack, 7),
        (1_300, Trimmed, 8),
        (2_320, Data, 0),
        (3_340, Data, 1),
        (3_860, Data, 4),
    ];
    assert_eq!(bench.left(20_000), expected);
    let stats = bench.close(20_000);
    assert_eq!((stats.trimmed_packets, stats.dropped_packets), (0, 5));
    assert_eq!(stats.dropped_control_packets, 2, "the probe and the NACK");
    assert_eq!((stats.queue_max_packets, stats.queue_max_bytes), (5, 378));
}

#[test]
fn headers_that_do_not_fit_either_are_dropped() {
    let trim = Trim {
        header_buffer_bytes: 130,
        ..TRIM
    };
    let mut bench = Bench::new(rules(Full::Trim(trim), 100, true));
    for psn in 0..4 {
        bench.enqueue(0, frame(Data, psn, 100));
    }
    bench.enqueue(0, frame(Ack, 4, 3));
    bench.enqueue(0, frame(Ack, 5, 2));
    let stats = bench.close(0);
    assert_eq!(stats.trimmed_packets, 3);
    assert_eq!(
        (stats.dropped_packets, stats.dropped_control_packets),
        (2, 1),
        "a header, which stands for data, and an ACK"
    );
    assert_eq!((stats.queued.data, stats.queued.other), (3, 1));
}

/// A port with room for 300 bytes that holds data 0 in service, 1 and 2, and takes data 3: what leaves, in order, and the integrals.
fn after_a_coin(coins: [Rng; 2], last: Kind, trim: Trim) -> (Vec<(Kind, u32)>, (u128, u128)) {
    let trim = Trim { coin: true, ..trim };
    let port = Port::new(place(0), coins, None, None);
    let mut bench = Bench::with_port(port, rules(Full::Trim(trim), 300, true));
    bench.enqueue(0, frame(Data, 0, 100));
    bench.enqueue(1, frame(Data, 1, 100));
    bench.enqueue(2, frame(last, 2, 100));
    bench.enqueue(3, frame(Data, 3, 120));
    let cut = u64::from(trim.bytes.is_some());
    let PortStats {
        trimmed_packets,
        dropped_packets,
        dropped_control_packets,
        ..
    } = bench.port.stats;
    assert_eq!((trimmed_packets, dropped_packets), (cut, 1 - cut));
    assert_eq!(dropped_control_packets, 0);
    let left = bench.left(50_000).into_iter();
    let left = left.map(|(_, kind, psn)| (kind, psn)).collect();
    (left, bench.tally.integrals(0))
}

#[test]
fn a_coin_says_whether_the_arriving_packet_is_cut_or_the_last_that_waits() {
    let mut tails = 0;
    for seed in 0..200 {
        let coins = || [(); 2].map(|()| Rng::stream(seed, Domain::TrimCoin, 0));
        let evicts = coins()[1].below(2) == 0;
        tails += u32::from(evicts);
        let (of_data, _) = after_a_coin(coins(), Data, TRIM);
        let (of_probe, _) = after_a_coin(coins(), Probe, TRIM);
        if evicts {
            let expected = [(Data, 0), (Trimmed, 2), (Data, 1), (Data, 3)];
            assert_eq!(of_data, expected);
            // The probe cannot be cut and stays; the data before it is.
            let expected = [(Data, 0), (Trimmed, 1), (Probe, 2), (Data, 3)];
            assert_eq!(of_probe, expected);
        } else {
            let expected = [(Data, 0), (Trimmed, 3), (Data, 1), (Data, 2)];
            assert_eq!(of_data, expected);
        }
    }
    assert!((60..140).contains(&tails), "{tails}");
}

#[test]
fn a_coin_says_whether_the_arriving_packet_is_dropped_or_the_last_that_waits() {
    let mut tails = 0;
    for seed in 0..200 {
        let coins = || [(); 2].map(|()| Rng::stream(seed, Domain::TrimCoin, 0));
        let (of_data, integrals) = after_a_coin(coins(), Data, DROP);
        let (of_probe, _) = after_a_coin(coins(), Probe, DROP);
        if coins()[1].below(2) == 0 {
            tails += 1;
            assert_eq!(of_data, [(Data, 0), (Data, 1), (Data, 3)]);
            assert_eq!(of_probe, [(Data, 0), (Probe, 2), (Data, 3)]);
            // From 0 to 1,000, from 1 to 2,020, from 2 to 3 when it is dropped, and from 3 to 3,240: 120 bytes.
            let expected = (1_000 + 2_019 + 1 + 3_237, 100 * 3_020 + 120 * 3_237);
            assert_eq!(integrals, expected);
        } else {
            assert_eq!(of_data, [(Data, 0), (Data, 1), (Data, 2)]);
            assert_eq!(of_probe, [(Data, 0), (Data, 1), (Probe, 2)]);
            let stays = 1_000 + 2_019 + 3_038;
            assert_eq!(integrals, (stays, 100 * stays));
        }
    }
    assert!((60..140).contains(&tails), "{tails}");
}

#[test]
fn the_frame_in_service_is_never_cut_or_dropped_though_the_coin_is_thrown() {
    for (seed, trim) in (0..20).flat_map(|seed| [(seed, TRIM), (seed, DROP)]) {
        let coins = || [(); 2].map(|()| Rng::stream(seed, Domain::TrimCoin, 0));
        let trim = Trim { coin: true, ..trim };
        let port = Port::new(place(0), coins(), None, None);
        let mut bench = Bench::with_port(port, rules(Full::Trim(trim), 100, true));
        bench.enqueue(0, frame(Data, 0, 100));
        bench.enqueue(1, frame(Data, 1, 100));
        let expected = [(1_000, Data, 0), (1_660, Trimmed, 1)];
        let all = if trim.bytes.is_some() { 2 } else { 1 };
        assert_eq!(bench.left(5_000), expected[..all]);
        let [_, mut drawn] = coins();
        drawn.below(2);
        assert_eq!(bench.port.coins[1].bits(), drawn.bits());
    }
}
