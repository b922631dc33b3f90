//! One line of a flow: `S->D` and its options.

use super::error::shown;
use super::number::{self, StartError};
use super::{ENDLESS_BYTES, Reader};
use crate::units::Time;
use crate::workload::FlowSpec;

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
    has_trigger: bool,
    has_msg: bool,
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
        self.check_id(line, &options);
        let bytes = self.bytes(line, &options);
        if !options.has_start && !options.has_trigger {
            self.errors.add(line, format!("`{pair}` has no `start`"));
        }
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
                "trigger" | "send_done_trigger" | "recv_done_trigger" => {
                    options.has_trigger |= word == "trigger";
                    self.errors.unsupported(line, word, "triggers are");
                    words.next_if(|next| number::whole(next).is_some());
                }
                "msg" => {
                    options.has_msg = true;
                    self.errors
                        .unsupported(line, word, "messages on a re-used connection are");
                    words.next_if(|next| number::whole(next).is_some());
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

    fn check_id(&mut self, line: u32, options: &Options) {
        let Some(id) = options.id else {
            return;
        };
        let Some((before, with_msg)) = self.ids.insert(id, (line, options.has_msg)) else {
            return;
        };
        if !(with_msg && options.has_msg) {
            let text = format!("`id {id}` is also that of the flow on line {before}");
            self.errors.add(line, text);
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
        self.options.endless_bytes.unwrap_or(ENDLESS_BYTES)
    }
}
