use super::*;

const ACK: PendingAck = PendingAck {
    psn: 0,
    path: 0,
    marked: false,
    kind: Kind::Ack,
};

fn turns(acks: AckTurns) -> Turns {
    Turns {
        acks,
        control_per_data: 1,
        pause_stops_control: true,
    }
}

#[test]
fn a_class_that_joins_during_service_goes_before_the_one_in_service() {
    let mut nic = Nic::new(turns(AckTurns::Class), 1, Drift::NONE);
    nic.join(Class::Data(0));
    for _ in 0..3 {
        assert_eq!(nic.next(true), Some(Class::Data(0)));
        nic.served(Class::Data(0), true);
        nic.push_ack(0, ACK, 64);
        assert_eq!(nic.next(true), Some(Class::Acks(0)));
        assert!(nic.pop_ack(Class::Acks(0)).is_some());
        nic.served(Class::Acks(0), false);
    }
}

#[test]
fn backlogged_data_and_acks_alternate() {
    let mut nic = Nic::new(turns(AckTurns::Class), 1, Drift::NONE);
    nic.join(Class::Data(0));
    for _ in 0..6 {
        nic.push_ack(0, ACK, 64);
    }
    let mut order = Vec::new();
    for _ in 0..6 {
        let Some(class) = nic.next(true) else {
            panic!("idle")
        };
        if class == Class::Acks(0) {
            assert!(nic.pop_ack(class).is_some());
        }
        order.push(class);
        nic.served(class, true);
    }
    assert_eq!(order, [Class::Data(0), Class::Acks(0)].repeat(3));
}

#[test]
fn data_that_is_not_due_keeps_its_place() {
    let mut nic = Nic::new(turns(AckTurns::Class), 1, Drift::NONE);
    nic.join(Class::Data(0));
    nic.push_ack(0, ACK, 64);
    nic.push_ack(0, ACK, 64);
    assert_eq!(nic.next(false), Some(Class::Acks(0)));
    assert!(nic.pop_ack(Class::Acks(0)).is_some());
    nic.served(Class::Acks(0), true);
    assert_eq!(nic.next(true), Some(Class::Data(0)));
}

#[test]
fn acks_by_flow_take_a_turn_each() {
    let mut nic = Nic::new(turns(AckTurns::Flow), 2, Drift::NONE);
    nic.push_ack(0, ACK, 64);
    nic.push_ack(0, ACK, 64);
    nic.push_ack(1, ACK, 64);
    let mut order = Vec::new();
    for _ in 0..3 {
        let Some(class) = nic.next(false) else {
            panic!("idle")
        };
        order.push(nic.pop_ack(class).map(|(slot, _)| slot));
        nic.served(class, nic.class_has_acks(class));
    }
    assert_eq!(order, [Some(0), Some(1), Some(0)]);
}

#[test]
fn where_both_wait_so_many_control_frames_go_for_each_data_frame() {
    let mut nic = Nic::new(
        Turns {
            control_per_data: 2,
            ..turns(AckTurns::Class)
        },
        1,
        Drift::NONE,
    );
    nic.join(Class::Data(0));
    for _ in 0..5 {
        nic.push_ack(0, ACK, 64);
    }
    let mut order = String::new();
    for _ in 0..8 {
        nic.weigh(nic.has_acks());
        let Some(class) = nic.next(true) else {
            panic!("idle")
        };
        let is_ack = nic.pop_ack(class).is_some();
        order.push(if is_ack { 'a' } else { 'd' });
        nic.served(class, !is_ack || nic.class_has_acks(class));
    }
    assert_eq!(order, "aadaadad");
}

#[test]
fn a_paused_nic_sends_pause_frames_and_control_frames_of_their_own_class_only() {
    for stops in [true, false] {
        let turns = Turns {
            pause_stops_control: stops,
            ..turns(AckTurns::Class)
        };
        let mut nic = Nic::new(turns, 1, Drift::NONE);
        nic.push_ack(0, ACK, 64);
        nic.pause(Kind::Pause, Time(5));
        nic.pause(Kind::Pause, Time(6));
        assert_eq!(nic.has_acks(), !stops);
        assert!(!nic.may_send_data());
        nic.push_pause(Kind::Pause, 64);
        assert!(nic.has_pauses() && nic.pop_pause() == Some(Kind::Pause));
        nic.pause(Kind::Resume, Time(11));
        assert!(nic.has_acks() && nic.may_send_data());
        let left = nic.close(Time(20));
        let port = &left.stats.port;
        assert_eq!((port.pauses, port.paused), (1, Span(6)));
        assert_eq!((left.control_frames, left.pause_frames), (1, 0));
    }
}
