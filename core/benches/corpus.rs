//! The two corpora of the benchmarks: "mixed", whose records look like those of a coding agent (about 1 kB, with
//! the escapes of source code), and "small", whose records are about as short as records get.
//!
//! Generated anew for every run, the same every time, and never kept. Sessions of both kinds rewind, branch,
//! revise and compact as real ones do, which is seldom.

use std::fmt::Write as _;

/// Which corpus.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Shape {
    /// About 1 kB per record
    Mixed,
    /// About 170 B per record
    Small,
}

/// A xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Words and escapes of source code and prose; one escape in about 30 bytes.
const WORDS: &[&str] = &[
    "the ",
    "function ",
    "returns ",
    "an empty list, ",
    "    let value = ",
    "\\n",
    "parse(\\\"input\\\")",
    "\\n\\n",
    "tests pass; ",
    "commit ",
    "\\t",
    "if (count > 0) { ",
    "} else {",
    "\\u00e9t\\u00e9 ",
    "naïve ",
    "→ ",
    "path\\\\to ",
    "error: expected one of ",
    "for index in 0..length ",
    "// why: ",
    "result ",
    "which the caller must hold ",
];

/// A stream of so many records.
pub fn stream(shape: Shape, records: u64) -> String {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut text = String::new();
    // The records of the active path, so that refs name what they may name.
    let mut path: Vec<u64> = Vec::new();
    let id =
        |number: u64| format!("01hq{:08x}{:04x}", number.wrapping_mul(0x9E37_79B1) as u32, number & 0xFFFF);
    for number in 0..records {
        let kind = random.below(1000);
        let old = path.len() > 100;
        let back = |random: &mut Random, reach: u64| path.len() - 1 - random.below(reach) as usize;
        let name = match kind {
            0..=2 if old => "compaction",
            3..=5 if old => "rewind",
            6..=105 => "usage",
            106..=405 => "tool_call",
            406..=705 => "tool_result",
            _ => "message",
        };
        let own = id(number);
        write!(
            text,
            r#"{{"type":"{name}","seq":{number},"id":"{own}","ts":"2026-10-26T14:{:02}:{:02}.{:03}Z""#,
            number / 60 % 60,
            number % 60,
            number % 1000
        )
        .unwrap();
        match name {
            "compaction" => {
                let through = id(path[back(&mut random, 20)]);
                write!(
                    text,
                    r#","compactionId":"c{number}","kind":"summary","replaces":{{"throughId":"{through}"}}"#
                )
                .unwrap();
                text.push_str(r#","summary":[{"type":"text","text":"earlier"}]"#);
            }
            "rewind" => {
                let last = back(&mut random, 30);
                path.truncate(last + 1);
                write!(text, r#","to":"{}","reason":"retry""#, id(path[last])).unwrap();
            }
            "usage" => {
                write!(text, r#","tokens":{{"input":{},"output":{}}}"#, kind * 917, kind * 31).unwrap()
            }
            "tool_call" => write!(text, r#","callId":"call_{number}","name":"shell""#).unwrap(),
            "tool_result" => {
                write!(text, r#","callId":"call_{}","status":"completed""#, number.saturating_sub(1)).unwrap()
            }
            _ => {
                write!(text, r#","messageId":"m{number}","role":"assistant""#).unwrap();
                if old && random.below(200) == 0 {
                    let last = back(&mut random, 50);
                    path.truncate(last + 1);
                    write!(text, r#","branchesFrom":{{"record":"{}"}}"#, id(path[last])).unwrap();
                }
            }
        }
        if shape == Shape::Mixed {
            text.push_str(r#","content":[{"type":"text","text":""#);
            let length = text.len() + 300 + random.below(1000) as usize;
            while text.len() < length {
                text.push_str(WORDS[random.below(WORDS.len() as u64) as usize]);
            }
            text.push_str(r#""}],"native":{"line":12345,"flags":[true,false,null],"score":-1.5e3}"#);
        } else if name == "message" {
            text.push_str(r#","content":[{"type":"text","text":"ok\n"}]"#);
        }
        text.push_str("}\n");
        if !matches!(name, "usage" | "rewind") {
            path.push(number);
        }
    }
    text
}
