//! The text of a line: a record in one of its spellings, a malformed line, a blank one.
//!
//! Fields are kept as text and in order, because what readers trip over (`-0`, `1e999`, a key that comes
//! twice) is exactly what a JSON value cannot hold. Every spelling writes the same record.

use crate::form::{BlankForm, Damage, SpellForm};
use std::borrow::Cow;

/// The levels that a record may have; deeper ones make the line malformed.
const LEVELS: usize = 127;

/// As many bytes as a reader may check together for UTF-8.
const LONG: usize = 1 << 16;

/// Repeated, each of its bytes comes to stand at every place of a block of 64, since its length is odd.
const SEAMS: &str = r#"\"\ud83d\ude00é€"#;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A record: its fields as JSON text, in order.
#[derive(Default)]
pub(crate) struct Line {
    fields: Vec<(&'static str, Cow<'static, str>)>,
}

impl Line {
    pub(crate) fn new() -> Self {
        Self { fields: Vec::with_capacity(12) }
    }

    /// Adds a field with a value in JSON.
    pub(crate) fn put(&mut self, key: &'static str, value: impl Into<Cow<'static, str>>) {
        self.fields.push((key, value.into()));
    }

    /// Adds a field with a string, which is quoted here.
    pub(crate) fn text(&mut self, key: &'static str, value: &str) {
        self.put(key, quote(value));
    }

    /// Gives the room for fields to the next line.
    pub(super) fn cleared(mut self) -> Self {
        self.fields.clear();
        self
    }

    /// Writes the line without its end.
    pub(crate) fn write(&self, spelling: Option<SpellForm>, out: &mut Vec<u8>) {
        let text = match spelling {
            None | Some(SpellForm::Crlf | SpellForm::Unended) => return object(self.fields.iter(), "", out),
            Some(SpellForm::Bom) if out.is_empty() => format!("{BYTE_ORDER_MARK}{}", self.plain("")),
            Some(SpellForm::Long) if out.len() < LONG => {
                self.plain(&format!(r#","x":"{}""#, SEAMS.repeat(LONG / SEAMS.len() + 1)))
            }
            Some(SpellForm::Bom | SpellForm::Long) => self.plain(""),
            Some(SpellForm::Spaced) => spaced(&self.plain("")),
            Some(SpellForm::Escapes) => escaped(&self.plain("")),
            Some(SpellForm::Twice) => self.twice(),
            Some(SpellForm::Reversed) => return object(self.fields.iter().rev(), "", out),
            Some(SpellForm::Deep) => self.plain(&nested(LEVELS)),
            Some(SpellForm::Numbers) => {
                self.plain(r#","x":1e999,"y":-0,"z":[123456789012345678901234567890.5e-400,0E+0]"#)
            }
            Some(SpellForm::Private) => self.plain(concat!(
                r#","x":{"$serde_json::private::Number":"5"},"y":{"$serde_json::private::RawValue":"{"}"#,
                r#","$serde_json::private::Number":"5","__proto__":{"type":"gap"}"#
            )),
            Some(SpellForm::Surrogates) => {
                self.plain(r#","x":"\ud83d\ude00\u0000\/\b\f\n\r\t\"\\","\ud83d\ude00":"😀\u007f""#)
            }
            Some(SpellForm::Decoys) => self.plain(concat!(
                r#","x":{"type":"rewind","id":"zz","supersedes":"zz","seq":0,"to":null}"#,
                r#","y":"\",\"branchesFrom\":{\"record\":null},\"z\":\"","content":"{\"type\":\"gap\"}\\""#
            )),
        };
        out.extend_from_slice(text.as_bytes());
    }

    /// The record in its shortest spelling, with more fields in JSON, from the comma on.
    pub(super) fn plain(&self, more: &str) -> String {
        let mut text = Vec::with_capacity(160);
        object(self.fields.iter(), more, &mut text);
        // Fields are text, so nothing is lost.
        String::from_utf8(text).unwrap_or_default()
    }

    /// Every key twice: first with a value that must not count.
    fn twice(&self) -> String {
        let mut text = String::from("{");
        for (key, value) in &self.fields {
            let loser = match value.as_bytes().first() {
                Some(b'"') => r#""zz""#,
                Some(b'{') => r#"{"state":"unknown"}"#,
                Some(b'[') => "[]",
                Some(b'n' | b't' | b'f') => r#""user""#,
                _ => "0",
            };
            text += &format!(r#""{key}":{loser},"#);
        }
        for (key, value) in &self.fields {
            let inner_key = value.strip_prefix('{').and_then(|inner| inner.split_once(':'));
            match inner_key {
                Some((inner, rest)) => text += &format!(r#""{key}":{{{inner}:"zz",{inner}:{rest},"#),
                None => text += &format!(r#""{key}":{value},"#),
            }
        }
        text.pop();
        text.push('}');
        text
    }
}

/// Writes an object of fields, and of more text after them.
fn object<'a>(
    fields: impl Iterator<Item = &'a (&'static str, Cow<'static, str>)>,
    more: &str,
    out: &mut Vec<u8>,
) {
    out.push(b'{');
    let start = out.len();
    for (key, value) in fields {
        if out.len() > start {
            out.push(b',');
        }
        for text in ["\"", key, "\":", value] {
            out.extend_from_slice(text.as_bytes());
        }
    }
    let more = if out.len() > start { more } else { more.trim_start_matches(',') };
    out.extend_from_slice(more.as_bytes());
    out.push(b'}');
}

/// A field of lists and objects in turn, the innermost of them empty, that gives a record so many levels.
fn nested(levels: usize) -> String {
    let value = (2..levels).fold("[]".to_owned(), |inner, level| {
        if level % 2 == 0 { format!(r#"{{"":{inner}}}"#) } else { format!("[{inner}]") }
    });
    format!(r#","x":{value}"#)
}

/// A JSON string.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        quoted.push_str(text);
        quoted.push('"');
        return quoted;
    }
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\0'..' ' => quoted += &format!("\\u{:04x}", u32::from(letter)),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// The same JSON with white space wherever it may stand.
fn spaced(json: &str) -> String {
    let mut text = String::from("\r ");
    let mut in_string = false;
    let mut letters = json.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => in_string = !in_string,
            '\\' if in_string => {
                text.push(letter);
                text.extend(letters.next());
                continue;
            }
            '{' | '}' | '[' | ']' | ',' | ':' if !in_string => {
                text.extend(['\t', letter, ' ', '\r']);
                continue;
            }
            _ => {}
        }
        text.push(letter);
    }
    text
}

/// The same JSON with every letter and digit of its strings, keys included, as an escape.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len() * 4);
    let mut in_string = false;
    let mut letters = json.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                in_string = !in_string;
                text.push(letter);
            }
            '\\' if in_string => {
                let kind = letters.next();
                text.push(letter);
                text.extend(kind);
                if kind == Some('u') {
                    text.extend(letters.by_ref().take(4));
                }
            }
            _ if in_string && letter.is_ascii_alphanumeric() => {
                text += &format!("\\u{:04X}", u32::from(letter));
            }
            _ => text.push(letter),
        }
    }
    text
}

/// Ends a line, unless it may lack its end and is marked to.
pub(super) fn end(spelling: Option<SpellForm>, may_lack_end: bool, out: &mut Vec<u8>) {
    match spelling {
        Some(SpellForm::Unended) if may_lack_end => {}
        Some(SpellForm::Crlf) => out.extend_from_slice(b"\r\n"),
        _ => out.push(b'\n'),
    }
}

/// Writes a blank line without its end.
pub(super) fn blank(form: BlankForm, out: &mut Vec<u8>) {
    out.extend_from_slice(match form {
        BlankForm::Empty => b"",
        BlankForm::Spaces => b" \t",
        BlankForm::Return => b"\r",
    });
}

/// Writes a malformed line without its end. But for the damage it would be a message, so that a reader that
/// is too forgiving shows it.
pub(super) fn malformed(damage: Damage, seq: i64, id: &str, out: &mut Vec<u8>) {
    let fields = format!(r#""type":"message","seq":{seq},"id":"{id}""#);
    let whole = format!("{{{fields}}}");
    let with = |field: &[u8]| [b"{", fields.as_bytes(), b",", field, b"}"].concat();
    let bytes = match damage {
        Damage::Cut => format!("{{{fields}").into_bytes(),
        Damage::CutString => format!(r#"{{{fields},"x":"y"#).into_bytes(),
        Damage::List => format!("[{whole}]").into_bytes(),
        Damage::Scalar => b"5".to_vec(),
        Damage::Null => b"null".to_vec(),
        Damage::Text => quote(&whole).into_bytes(),
        Damage::TrailingComma => format!("{{{fields},}}").into_bytes(),
        Damage::Garbage => format!("{whole} x").into_bytes(),
        Damage::TwoObjects => format!("{whole}{{}}").into_bytes(),
        Damage::Comment => format!("{whole} // x").into_bytes(),
        Damage::WrongBrace => format!("{{{fields}]").into_bytes(),
        Damage::SingleQuotes => with(b"'x':5"),
        Damage::BareKey => with(b"x:5"),
        Damage::InvalidUtf8 => with(b"\"x\":\"\xff\""),
        Damage::Overlong => with(b"\"x\":\"\xc0\xaf\""),
        Damage::EncodedSurrogate => with(b"\"x\":\"\xed\xa0\x80\""),
        Damage::LoneSurrogate => with(br#""x":"\ud800""#),
        Damage::LoneSurrogateKey => with(br#""\udfff":5"#),
        Damage::SwappedSurrogates => with(br#""x":"\ude00\ud83d""#),
        Damage::TooDeep => format!("{{{fields}{}}}", nested(LEVELS + 1)).into_bytes(),
        Damage::BrokenPair => with(br#""x":"\ud83d\u0041""#),
        Damage::HalfBehindPair => with(br#""x":"\ud83d\ude00\ude00""#),
        Damage::LeadingZero => with(br#""x":01"#),
        Damage::BarePoint => with(br#""x":1."#),
        Damage::PointFirst => with(br#""x":.5"#),
        Damage::BareExponent => with(br#""x":1e"#),
        Damage::Plus => with(br#""x":+1"#),
        Damage::NotANumber => with(br#""x":NaN"#),
        Damage::Infinity => with(br#""x":-Infinity"#),
        Damage::RawTab => with(b"\"x\":\"\t\""),
        Damage::RawControl => with(format!("\"x\":\"{}\x1f\"", "x".repeat(80)).as_bytes()),
        Damage::BadEscape => with(br#""x":"\x41""#),
        Damage::ShortEscape => with(br#""x":"\u41""#),
        Damage::FormFeed => with(b"\x0c\"x\":5"),
        Damage::OnlyFormFeed => b"\x0c".to_vec(),
        Damage::WideSpace => with("\u{a0}\"x\":5".as_bytes()),
        Damage::TwoBoms => format!("{BYTE_ORDER_MARK}{BYTE_ORDER_MARK}{whole}").into_bytes(),
        Damage::ZeroByte => format!("{whole}\0").into_bytes(),
    };
    out.extend_from_slice(&bytes);
}
