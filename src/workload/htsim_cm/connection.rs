//! One line of a flow: `S->D` and its options.

use super::error::shown;
use super::number::{self, StartError};
use super::{ENDLESS_BYTES, Reader};
use crate::units::Time;
use crate::workload::{Activator, FlowEvent, FlowSpec, Message};

/// The options of a flow's line, as far as they could be read.
#[derive(Default)]
struct Options {
    id: Option<u64>,
    start: Option<Time>,
    size: Option<u64>,
    prio: Option<u64>,
    /// `start` stood there, readable or not.
    has_start: bool,
    /// `size` stood there, readable or not.
    has_size: bool,
    /// The trigger that starts it.
    trigger: Option<u64>,
    has_trigger: bool,
    /// The triggers that it activates.
    send_done: Option<u64>,
    recv_done: Option<u64>,
    has_msg: bool,
    /// The number behind `msg`.
    msg: Option<u64>,
}

/// Words that may follow `S->D`.
const WORDS: [&str; 9] = [
    "id",
    "start",
    "size",
    "prio",
    "trigger",
    "send_done_trigger",
    "recv_done_trigger",
    "msg",
    "addon",
];

impl Reader {
    /// Read one flow. What is wrong is noted, and a stand-in used.
    pub(super) fn connection(&mut self, line: u32, words: &[&str]) {
        let pair = words[0];
        let ends = pair.split_once("->").map(|(src, dst)| {
            let host = |word| number::whole(word).and_then(|n| u32::try_from(n).ok());
            (host(src), host(dst))
        });
        let options = self.options_of(line, &words[1..]);
        let Some((Some(src), Some(dst))) = ends else {
            let text = format!(
                "{} is no pair of hosts; allowed: `S->D`, 0 to Nodes - 1",
                shown(Some(pair))
            );
            self.errors.add(line, text);
            return;
        };
        if src == dst {
            self.errors
                .add(line, format!("`{pair}`: a flow from a host to itself"));
        }
        self.check_id(line, src, dst, &options);
        let bytes = self.bytes(line, &options);
        match (options.has_start, options.has_trigger) {
            (false, false) => {
                let text = format!("`{pair}` has neither a `start` nor a `trigger`");
                self.errors.add(line, text);
            }
            (true, true) => {
                let text = format!("`{pair}` has both a `start` and a `trigger`; allowed: one");
                self.errors.add(line, text);
            }
            _ => {}
        }
        self.prio_lines += u64::from(options.prio.is_some());
        self.wire(&options);
        self.flows.push(FlowSpec {
            id: options.id.unwrap_or(self.flows.len() as u64),
            src,
            dst,
            bytes,
            start: options.start.unwrap_or(Time::ZERO),
        });
        self.lines.push(line);
    }

    fn options_of(&mut self, line: u32, words: &[&str]) -> Options {
        let mut options = Options::default();
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            match word {
                "id" => self.whole(line, word, words.next(), &mut options.id),
                "prio" => self.whole(line, word, words.next(), &mut options.prio),
                "size" => {
                    options.has_size = true;
                    self.whole(line, word, words.next(), &mut options.size);
                }
                "start" => {
                    options.has_start = true;
                    self.start(line, words.next(), &mut options.start);
                }
                "trigger" => {
                    options.has_trigger = true;
                    self.whole(line, word, words.next(), &mut options.trigger);
                }
                "send_done_trigger" => {
                    self.whole(line, word, words.next(), &mut options.send_done);
                }
                "recv_done_trigger" => {
                    self.whole(line, word, words.next(), &mut options.recv_done);
                }
                "msg" => {
                    if std::mem::replace(&mut options.has_msg, true) {
                        self.errors.add(line, "`msg` twice".to_owned());
                    }
                    if let Some(number) = words.next_if(|next| number::whole(next).is_some()) {
                        self.whole(line, word, Some(number), &mut options.msg);
                    }
                }
                "addon" => self.errors.unsupported(line, word, "EQDS add-on flows are"),
                _ => {
                    self.errors
                        .unknown(line, word, WORDS, "an option of a flow");
                    words.next_if(|next| number::whole(next).is_some());
                }
            }
        }
        options
    }

    /// Read a whole number into `slot`, once.
    fn whole(&mut self, line: u32, key: &str, word: Option<&str>, slot: &mut Option<u64>) {
        match word.and_then(number::whole) {
            None => {
                let text = format!(
                    "`{key}`: {} is no whole number; allowed: 0 to {}",
                    shown(word),
                    u64::MAX
                );
                self.errors.add(line, text);
            }
            Some(_) if slot.is_some() => self.errors.add(line, format!("`{key}` twice")),
            Some(value) => *slot = Some(value),
        }
    }

    /// Read a start into `slot`, once.
    fn start(&mut self, line: u32, word: Option<&str>, slot: &mut Option<Time>) {
        let value = shown(word);
        let text = match number::start(word.unwrap_or_default(), self.options.start_unit) {
            Ok(_) if slot.is_some() => "`start` twice".to_owned(),
            Ok(time) => {
                *slot = Some(time);
                return;
            }
            Err(StartError::NoUnit) => {
                format!("`start` {value} has no unit; set `start_unit` to \"us\" or \"ps\"")
            }
            Err(error) => format!("`start`: {value} {}", error.text()),
        };
        self.errors.add(line, text);
    }

    fn check_id(&mut self, line: u32, src: u32, dst: u32, options: &Options) {
        let Some(id) = options.id else {
            if options.has_msg {
                let text = "`msg` without `id`; allowed: with the `id` of its connection";
                self.errors.add(line, text.to_owned());
            }
            return;
        };
        let flow = self.flows.len() as u32;
        let Some((before, with_msg)) = self.ids.insert(id, (flow, options.has_msg)) else {
            return;
        };
        let (before, spec) = (self.lines[before as usize], &self.flows[before as usize]);
        if !(with_msg && options.has_msg) {
            let text = format!(
                "`id {id}` is also that of the flow on line {before}; allowed: once, or with `msg` on each line"
            );
            self.errors.add(line, text);
        } else if (src, dst) != (spec.src, spec.dst) {
            let text = format!(
                "`{src}->{dst}`: connection `id {id}` is `{}->{}` on line {before}",
                spec.src, spec.dst
            );
            self.errors.add(line, text);
        }
    }

    /// Note what the next flow waits for and activates.
    fn wire(&mut self, options: &Options) {
        let flow = self.flows.len() as u32;
        let wiring = &mut self.wiring;
        wiring.targets.extend(options.trigger.map(|id| (flow, id)));
        for (event, id) in [
            (FlowEvent::Acked, options.send_done),
            (FlowEvent::Received, options.recv_done),
        ] {
            let activator = Activator { flow, event };
            wiring.activators.extend(id.map(|id| (activator, id)));
        }
        if let Some(id) = options.id
            && options.has_msg
        {
            let messages = wiring.messages.entry(id).or_default();
            let number = options.msg.unwrap_or(messages.len() as u64);
            messages.push(Message { flow, number });
        }
    }

    /// The flow's payload. Size 0 or none: endless.
    fn bytes(&mut self, line: u32, options: &Options) -> u64 {
        let what = match options.size {
            Some(bytes) if bytes > 0 => return bytes,
            None if options.has_size => return ENDLESS_BYTES,
            Some(_) => "`size` is 0",
            None => "no `size`",
        };
        if self.options.endless_bytes.is_none() {
            let text = format!("{what}, an endless flow: it takes a horizon (`horizon_us`)");
            self.errors.add(line, text);
        }
        self.endless.insert(self.flows.len() as u32);
        self.options.endless_bytes.unwrap_or(ENDLESS_BYTES)
    }
}
