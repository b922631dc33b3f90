//! A host with a transport takes what arrives, and answers it.

use super::Host;
use super::nic::PendingAck;
use super::reliable::received::{Answer, Verdict};
use crate::engine::{Context, Outbox};
use crate::packet::{Kind, Packet};
use crate::units::Time;

impl Host {
    /// A data packet, trimmed header or probe has arrived: it is taken, and answered. The receiver that now has all of its flow.
    pub(super) fn take_reliably<O: Outbox>(
        &mut self,
        slot: u32,
        packet: &Packet,
        cx: &mut Context<'_, O>,
    ) -> Option<u32> {
        let connections = self.connections.as_mut()?;
        let transport = connections.env.transport;
        let received = &mut connections.receivers[slot as usize];
        let (verdict, answer) = match packet.kind {
            Kind::Data => {
                let (verdict, answer) = received.take(packet, &transport);
                (Some(verdict), answer)
            }
            Kind::Trimmed => (None, received.answer_to_header(packet.psn, &transport)),
            _ => (None, Some(Answer::Ack)),
        };
        let is_new = verdict == Some(Verdict::Accepted);
        let record = answer.map(|answer| {
            let record = received.record(packet, answer, is_new, &transport);
            (answer, record)
        });
        let done = match verdict {
            None => {
                let trimmed = u64::from(packet.kind == Kind::Trimmed);
                self.receivers[slot as usize].headers += trimmed;
                None
            }
            Some(Verdict::Accepted) => self.receive_data(slot as usize, packet),
            Some(verdict) => {
                let of = self.message_of_receiver(slot as usize, packet.psn);
                let receiver = &mut self.receivers[of];
                match verdict {
                    Verdict::Duplicate => receiver.duplicates += 1,
                    _ => receiver.discarded += 1,
                }
                None
            }
        };
        if let Some((answer, record)) = record {
            cx.out.tell(self.receivers[slot as usize].address, record);
            let kind = match answer {
                Answer::Ack => Kind::Ack,
                Answer::Nack => Kind::Nack,
            };
            let pending = PendingAck {
                psn: record.number,
                path: packet.path,
                marked: packet.is_marked(),
                kind,
            };
            self.push_control(slot, pending, packet.time, cx);
        }
        done
    }

    /// A control frame is to be sent.
    #[inline]
    pub(super) fn push_control<O: Outbox>(
        &mut self,
        slot: u32,
        pending: PendingAck,
        at: Time,
        cx: &mut Context<'_, O>,
    ) {
        let bytes = self.settings.frames.ack_bytes;
        self.count(at, bytes, false, cx.tally);
        self.last_queued = at;
        self.nic.push_ack(slot, pending, bytes);
    }
}
