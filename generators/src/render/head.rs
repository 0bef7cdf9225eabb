//! How every record begins: its type, seq and id, odd ones included.

use crate::form::{IdForm, SeqForm};
use crate::render::Renderer;
use crate::render::line::{Line, quote};
use crate::render::session::Body;
use std::borrow::Cow;

/// The seq and the id of the next record, in JSON.
pub(super) struct Head {
    seq: Option<Cow<'static, str>>,
    id: Option<Cow<'static, str>>,
    /// The id, if it is a string.
    pub(super) name: Option<String>,
    /// The line, still empty.
    line: Line,
}

/// A record that is being written.
pub(super) struct Draft {
    pub(super) line: Line,
    pub(super) name: Option<String>,
}

impl Head {
    /// The id, if it is a string.
    pub(super) fn own(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub(super) fn begin(self, body: Body) -> Draft {
        self.begin_as(Some(body.type_name().into()))
    }

    /// Begins a record with a type in JSON.
    pub(super) fn begin_as(self, r#type: Option<Cow<'static, str>>) -> Draft {
        let Self { seq, id, name, mut line } = self;
        for (key, value) in [("type", r#type), ("seq", seq), ("id", id)] {
            if let Some(value) = value {
                line.put(key, value);
            }
        }
        Draft { line, name }
    }
}

impl Draft {
    /// The id, if it is a string.
    pub(super) fn own(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

impl Renderer {
    pub(super) fn ordinary_seq(&self) -> i64 {
        i64::try_from(self.line).unwrap_or(i64::MAX).saturating_add(self.ahead)
    }

    pub(super) fn head(&mut self) -> Head {
        let seq = self.seq();
        let (id, name) = self.id();
        Head { seq, id, name, line: std::mem::take(&mut self.spare) }
    }

    fn seq(&mut self) -> Option<Cow<'static, str>> {
        let Some((form, n)) = self.marks.seq else {
            self.last_seq = self.ordinary_seq();
            return Some(self.last_seq.to_string().into());
        };
        let ordinary = self.ordinary_seq();
        let lower = self.last_seq.saturating_sub(1 + i64::from(n));
        let seq = match form {
            SeqForm::Skip => {
                self.ahead = self.ahead.saturating_add(1 + i64::from(n));
                self.last_seq = self.ordinary_seq();
                self.last_seq.to_string().into()
            }
            SeqForm::Again => self.last_seq.to_string().into(),
            SeqForm::Lower => lower.to_string().into(),
            SeqForm::Missing => return None,
            SeqForm::Null => "null".into(),
            SeqForm::Fraction => format!("{ordinary}.0").into(),
            SeqForm::Exponent => format!("{ordinary}e0").into(),
            SeqForm::Text => format!("\"{ordinary}\"").into(),
            SeqForm::Bool => "true".into(),
            SeqForm::MinusZero => "-0".into(),
            SeqForm::Largest => "9223372036854775807".into(),
            SeqForm::Smallest => "-9223372036854775808".into(),
            SeqForm::TooLarge => "9223372036854775808".into(),
            SeqForm::Huge => "1e999".into(),
        };
        Some(seq)
    }

    /// The id in JSON, and the id if it is a string.
    fn id(&mut self) -> (Option<Cow<'static, str>>, Option<String>) {
        let ordinary = format!("r{}", self.line);
        let Some((form, n)) = self.marks.id else { return named(ordinary) };
        let n = usize::from(n);
        let special = match form {
            IdForm::Malformed => "malformed".to_owned(),
            IdForm::Key => self.session.key(n).map_or_else(|| ordinary.clone(), str::to_owned),
            IdForm::Awkward => format!("{ordinary} \"é\\\u{1}😀"),
            IdForm::Empty => String::new(),
            IdForm::Again => {
                let again = self.session.latest_id(n).map(str::to_owned);
                self.session.twice.extend(again.clone());
                return named(again.unwrap_or(ordinary));
            }
            IdForm::Missing => return (None, None),
            IdForm::Number => return (Some("5".into()), None),
            IdForm::Null => return (Some("null".into()), None),
            IdForm::List => return (Some(format!("[{}]", quote(&ordinary)).into()), None),
        };
        let is_new = special == ordinary || self.special_ids.insert(special.clone());
        named(if is_new { special } else { ordinary })
    }
}

/// An id as it is mostly written.
fn named(id: String) -> (Option<Cow<'static, str>>, Option<String>) {
    (Some(quote(&id).into()), Some(id))
}
