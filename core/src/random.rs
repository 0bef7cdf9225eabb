//! Pseudo-random numbers and streams for the self-checks of this crate: the same ones in every run, so that a
//! failure comes back.

use std::fmt::Write as _;

/// A xorshift generator.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below a bound that is not 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    /// True once in so many times.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// The id of one of the records before and some after `number`; at times of none.
    fn id(&mut self, number: usize, forward: bool) -> String {
        let bound = if forward { number + 4 } else { number.max(1) };
        format!("r{}", if self.once_in(20) { 999 } else { self.below(bound) })
    }

    /// A stream of about `length` lines with every kind of record and of compaction. If `bent`, it also has
    /// marked rewrites, refs to later records, ids that repeat and seqs that do not increase.
    pub(crate) fn stream(&mut self, length: usize, bent: bool) -> String {
        let mut stream = String::new();
        for number in 0..length {
            let seq = if bent && self.once_in(20) { self.below(length) } else { number };
            let id = if bent && self.once_in(40) { self.id(number, false) } else { format!("r{number}") };
            let (kind, rest) = self.body(number, bent);
            if kind == "malformed" {
                stream.push_str(["{\n", "\"\n", "{\"a\":01}\n", "\n"][self.below(4)]);
                continue;
            }
            write!(stream, r#"{{"type":"{kind}","seq":{seq},"id":"{id}"{rest}"#).unwrap();
            if matches!(kind, "message" | "tool_call" | "tool_result" | "compaction") {
                if self.once_in(8) {
                    let form = match self.below(8) {
                        0 => r#"{"record":null}"#.to_owned(),
                        1 => r#"{"state":"unknown"}"#.to_owned(),
                        2 => r#"{"record":7}"#.to_owned(),
                        _ => format!(r#"{{"record":"{}"}}"#, self.id(number, bent)),
                    };
                    write!(stream, r#","branchesFrom":{form}"#).unwrap();
                }
                if bent && self.once_in(2) {
                    stream.push_str(r#","assembly":{"mode":"rewrite"}"#);
                }
            }
            if self.once_in(if bent { 4 } else { 10 }) {
                write!(stream, r#","supersedes":"{}""#, self.id(number, bent)).unwrap();
            }
            stream.push_str("}\n");
        }
        stream
    }

    fn body(&mut self, number: usize, bent: bool) -> (&'static str, String) {
        let key = ["A", "B"][self.below(2)];
        match self.below(30) {
            0 => ("malformed", String::new()),
            1 | 2 => ("gap", String::new()),
            3 => ("usage", String::new()),
            4 => (
                "rewind",
                match self.below(5) {
                    0 => r#","to":null"#.to_owned(),
                    1 => String::new(),
                    _ => format!(r#","to":"{}""#, self.id(number, bent)),
                },
            ),
            5 => (
                "session_info",
                match self.below(4) {
                    0 => r#","heads":[]"#.to_owned(),
                    1 => r#","heads":[null]"#.to_owned(),
                    2 => r#","lineage":{"inherits":{"mode":"referenced","from":"S"}}"#.to_owned(),
                    _ => format!(r#","heads":["{}",5]"#, self.id(number, true)),
                },
            ),
            6 => ("tool_call", format!(r#","callId":"{key}","requestedBy":"code""#)),
            7 => ("tool_call", format!(r#","callId":"{key}""#)),
            8 => ("tool_result", format!(r#","toolCallId":"{key}""#)),
            9 => ("message", r#","audience":"user""#.to_owned()),
            10..18 => ("compaction", self.compaction(number, bent)),
            _ => ("message", String::new()),
        }
    }

    fn compaction(&mut self, number: usize, bent: bool) -> String {
        let mut fields = String::new();
        match self.below(8) {
            0 => fields.push_str(r#","replaces":{"state":"unknown"}"#),
            1 => fields.push_str(r#","replaces":{}"#),
            2..5 => {
                let ids: Vec<_> =
                    (0..self.below(6)).map(|_| format!("\"{}\"", self.id(number, bent))).collect();
                write!(fields, r#","replaces":{{"ids":[{}]}}"#, ids.join(",")).unwrap();
            }
            _ => {
                write!(fields, r#","replaces":{{"throughId":"{}"}}"#, self.id(number, bent)).unwrap();
                if self.once_in(2) {
                    write!(fields, r#","keptFromId":"{}""#, self.id(number, bent)).unwrap();
                }
            }
        }
        match self.below(6) {
            0 => fields.push_str(r#","insertAt":{"afterId":null}"#),
            1 => write!(fields, r#","insertAt":{{"afterId":"{}"}}"#, self.id(number, bent)).unwrap(),
            2 => write!(fields, r#","insertAt":{{"beforeId":"{}"}}"#, self.id(number, bent)).unwrap(),
            _ => {}
        }
        if self.once_in(3) {
            let entries: Vec<_> =
                (0..=self.below(3)).map(|_| format!(r#"{{"ref":"{}"}}"#, self.id(number, bent))).collect();
            write!(fields, r#","retains":[{}]"#, entries.join(",")).unwrap();
        }
        if !self.once_in(4) {
            fields.push_str(r#","summary":[{"type":"text"}]"#);
        }
        if self.once_in(10) {
            fields.push_str(r#","status":"failed""#);
        }
        fields
    }
}
