//! What the native formats have in common: lines that point to earlier lines, and lines that are no records.

use crate::form::SpellForm;
use crate::operand::{Operand, is_plain, operand};
use crate::render::line::{Line, quote};
use crate::render::session::{latest, wrapped};
use serde::{Deserialize, Serialize};

/// What every record says beside its content.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Turn {
    /// The record that it follows.
    #[serde(skip_serializing_if = "is_plain")]
    pub parent: Pointer,
    /// How it is spelled.
    #[serde(skip_serializing_if = "is_plain")]
    pub spelling: Spelling,
}

impl Turn {
    pub(super) fn visit(&mut self, see: &mut dyn FnMut(&mut dyn Operand)) {
        let Self { parent, spelling } = self;
        parent.visit(see);
        see(spelling);
    }
}

/// A pointer to another record.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pointer {
    /// How it finds its target.
    #[serde(skip_serializing_if = "is_plain")]
    pub to: PointerPick,
    /// How many candidates it passes first.
    #[serde(skip_serializing_if = "is_plain")]
    pub n: u8,
}

impl Pointer {
    pub(super) fn visit(&mut self, see: &mut dyn FnMut(&mut dyn Operand)) {
        let Self { to, n } = self;
        see(to);
        see(n);
    }
}

operand! {
    /// How a record points to another. Where there is nothing to point to, it points nowhere, as the first
    /// record does.
    Pick PointerPick {
        sound {
            /// To the n-th latest record.
            Record,
            /// To the n-th latest record that takes part in the conversation.
            Talk,
            /// To the record that holds the n-th latest call, as parallel results do.
            Call,
            /// To where the n-th latest record of the conversation points: beside it, as edits and retries do.
            Beside,
            /// To the n-th latest record that takes no part in the conversation.
            Fact,
            /// Nowhere: `null`.
            Nowhere,
        }
        odd {
            /// To the n-th next record.
            Later,
            /// To itself.
            Itself,
            /// To a record that is not there.
            Missing,
            /// To the n-th latest record of a subagent.
            Apart,
            /// With something that is no string.
            NotText,
            /// With the empty string.
            Empty,
        }
    }
}

operand! {
    /// How a line is spelled. The record stays the same.
    Form Spelling {
        sound {
            /// As short as it can be.
            Plain,
            /// With space around every token.
            Spaced,
            /// With a carriage return at its end.
            Crlf,
            /// Every letter as an escape.
            Escapes,
            /// Keys in reverse order.
            Reversed,
            /// Every key twice; the last one counts.
            Twice,
            /// With a field of numbers beyond any machine number.
            Numbers,
            /// With fields whose names a JSON library keeps for itself.
            Private,
            /// With a field of surrogate pairs and other escapes.
            Surrogates,
            /// With fields whose content looks like structure.
            Decoys,
            /// With half a surrogate pair, as a text has that was cut.
            Half,
        }
        odd {
            /// With a field that is nested as deeply as JSON readers allow.
            Deep,
        }
    }
}

operand! {
    /// A line that is no native record.
    Form Noise {
        sound {
            /// A blank line.
            Blank,
        }
        odd {
            /// A line that was cut off.
            Cut,
            /// A byte that UTF-8 does not have.
            InvalidUtf8,
            /// No object.
            List,
            /// An object without type.
            NoType,
            /// A type that is no string.
            NumberType,
            /// Two records on one line.
            Two,
            /// `null`.
            Null,
            /// A record of ASR.
            Asr,
        }
    }
}

/// How a record takes part.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Part {
    /// In the conversation.
    Talk,
    /// As a fact.
    Fact,
    /// Of a subagent.
    Apart,
}

/// A record that was written.
pub(super) struct Written {
    pub id: String,
    /// Where it points, in JSON.
    pub parent: String,
    pub part: Part,
}

/// The file so far.
#[derive(Default)]
pub(super) struct File {
    pub out: Vec<u8>,
    /// The line being written, counted from 1.
    pub line: usize,
    /// Records with an id.
    pub records: Vec<Written>,
    /// Calls, each with the record that holds it.
    pub calls: Vec<(String, usize)>,
}

impl File {
    /// Where a pointer points, in JSON. `later` makes the id of a line.
    pub fn point(&self, Pointer { to, n }: Pointer, later: fn(usize) -> String) -> String {
        let n = usize::from(n);
        let id = |record: &Written| quote(&record.id);
        let nth = |is: fn(Part) -> bool| {
            let found: Vec<&Written> = self.records.iter().filter(|record| is(record.part)).collect();
            latest(&found, n).copied()
        };
        let is_talk = |part| part == Part::Talk;
        let found = match to {
            PointerPick::Record => nth(|part| part != Part::Apart).map(id),
            PointerPick::Talk => nth(is_talk).map(id),
            PointerPick::Call => latest(&self.calls, n)
                .and_then(|(_, at)| self.records.get(*at))
                .or_else(|| nth(is_talk))
                .map(id),
            PointerPick::Beside => nth(is_talk).map(|record| record.parent.clone()),
            PointerPick::Fact => {
                nth(|part| part == Part::Fact).or_else(|| nth(|part| part != Part::Apart)).map(id)
            }
            PointerPick::Nowhere => None,
            PointerPick::Later => Some(quote(&later(self.line + 1 + n))),
            PointerPick::Itself => Some(quote(&later(self.line))),
            PointerPick::Missing => Some(quote("missing")),
            PointerPick::Apart => nth(|part| part == Part::Apart).map(id),
            PointerPick::NotText => wrapped(&["5", "true", "{}", "[\"u1\"]", "1e400"], n).map(str::to_owned),
            PointerPick::Empty => Some("\"\"".to_owned()),
        };
        found.unwrap_or_else(|| "null".to_owned())
    }

    /// The n-th latest call.
    pub fn call(&self, n: u8) -> Option<&str> {
        latest(&self.calls, n.into()).map(|(call, _)| call.as_str())
    }

    /// The ids of the latest records of the conversation that a mask lets through, in JSON, oldest first.
    pub fn talk(&self, mask: impl Iterator<Item = usize>) -> Vec<String> {
        let talk: Vec<&Written> =
            self.records.iter().rev().filter(|record| record.part == Part::Talk).collect();
        let mut ids: Vec<String> = mask.filter_map(|at| Some(quote(&talk.get(at)?.id))).collect();
        ids.reverse();
        ids
    }

    /// Writes a record.
    pub fn write(&mut self, mut record: Line, spelling: Spelling) {
        let spelling = match spelling {
            Spelling::Plain => None,
            Spelling::Spaced => Some(SpellForm::Spaced),
            Spelling::Crlf => Some(SpellForm::Crlf),
            Spelling::Escapes => Some(SpellForm::Escapes),
            Spelling::Reversed => Some(SpellForm::Reversed),
            Spelling::Twice => Some(SpellForm::Twice),
            Spelling::Numbers => Some(SpellForm::Numbers),
            Spelling::Private => Some(SpellForm::Private),
            Spelling::Surrogates => Some(SpellForm::Surrogates),
            Spelling::Decoys => Some(SpellForm::Decoys),
            Spelling::Deep => Some(SpellForm::Deep),
            Spelling::Half => {
                record.put("x", r#""\ud83d""#);
                None
            }
        };
        record.write(spelling, &mut self.out);
        self.out.extend_from_slice(if spelling == Some(SpellForm::Crlf) { b"\r\n" } else { b"\n" });
    }

    /// Writes a line that is no record. But for what is wrong with it, it would be `record`.
    pub fn noise(&mut self, noise: Noise, record: Line) {
        let mut whole = Vec::new();
        record.write(None, &mut whole);
        let out = &mut self.out;
        match noise {
            Noise::Blank => out.extend_from_slice(b" \t"),
            Noise::Cut => out.extend_from_slice(whole.get(..whole.len() / 2).unwrap_or_default()),
            Noise::InvalidUtf8 => out.extend_from_slice(b"{\"type\":\"\xff\"}"),
            Noise::List => out.extend([b"[".as_slice(), &whole, b"]"].concat()),
            Noise::NoType => out.extend_from_slice(b"{\"x\":5}"),
            Noise::NumberType => out.extend_from_slice(b"{\"type\":5}"),
            Noise::Two => out.extend([whole.as_slice(), &whole].concat()),
            Noise::Null => out.extend_from_slice(b"null"),
            Noise::Asr => out.extend_from_slice(br#"{"type":"message","seq":1,"id":"r1","role":"user"}"#),
        }
        out.push(b'\n');
    }
}
