//! Edits: one value of a record, at any depth, is dropped, replaced, moved under another key.
//!
//! The forms of the fields write the mistakes that somebody thought of. An edit reaches the others: a number for an
//! entity key, a content part without type, a list where a ref should be. It works on the text of the record, so
//! that all that the edit leaves alone stays as it is spelled.

use crate::form::EditForm;
use std::ops::Range;

/// The keys that the chapter reads, for members that get another one.
const KEYS: [&str; 40] = [
    "afterId",
    "assembly",
    "audience",
    "beforeId",
    "branchesFrom",
    "callId",
    "capture",
    "cause",
    "compactionId",
    "content",
    "from",
    "heads",
    "historyRetained",
    "id",
    "ids",
    "insertAt",
    "keptFromId",
    "kind",
    "lineage",
    "messageId",
    "mode",
    "opaque",
    "parentCallId",
    "record",
    "ref",
    "replaces",
    "requestedBy",
    "restore",
    "retains",
    "role",
    "seq",
    "state",
    "status",
    "summary",
    "supersedes",
    "text",
    "throughId",
    "to",
    "toolCallId",
    "type",
];

/// What happens to which value.
#[derive(Clone, Copy)]
pub(super) struct Edit {
    pub(super) form: EditForm,
    /// Counted back from the last value, and wrapped.
    pub(super) at: u8,
    /// Which other value or key, wrapped.
    pub(super) n: u8,
}

/// A member of an object or an element of a list in the text of a record.
struct Place {
    /// With the key of a member.
    whole: Range<usize>,
    value: Range<usize>,
}

impl Edit {
    /// The record after the edit. One without values stays as it is.
    pub(super) fn apply(self, record: &str) -> String {
        let places = places(record);
        let nth = |n: u8| usize::from(n).checked_rem(places.len()).and_then(|n| places.iter().rev().nth(n));
        let (Some(place), Some(other)) = (nth(self.at), nth(self.n)) else { return record.to_owned() };
        let text = |range: &Range<usize>| record.get(range.clone()).unwrap_or_default();
        let (whole, value, other) = (text(&place.whole), text(&place.value), text(&other.value));
        // Key and colon; nothing before an element.
        let key = text(&(place.whole.start..place.value.start));
        let new_key = KEYS.get(usize::from(self.n) % KEYS.len()).copied().unwrap_or_default();
        let new = match self.form {
            EditForm::Overruled if key.is_empty() => whole.to_owned(),
            EditForm::Overruled => format!("{key}null,{whole}"),
            EditForm::Dropped => String::new(),
            EditForm::Null => format!("{key}null"),
            EditForm::True => format!("{key}true"),
            EditForm::Number => format!("{key}5"),
            EditForm::Text => format!("{key}\"zz\""),
            EditForm::Empty => format!("{key}\"\""),
            EditForm::List => format!("{key}[]"),
            EditForm::Object => format!("{key}{{}}"),
            EditForm::Listed => format!("{key}[{value}]"),
            EditForm::Nested => format!("{key}{{\"{new_key}\":{value}}}"),
            EditForm::Copied => format!("{key}{other}"),
            EditForm::Renamed if key.is_empty() => whole.to_owned(),
            EditForm::Renamed => format!("\"{new_key}\":{value}"),
            EditForm::Repeated => format!("{whole},{key}null"),
        };
        let (mut before, mut after) = (text(&(0..place.whole.start)), text(&(place.whole.end..record.len())));
        if new.is_empty() {
            // The comma goes as well.
            match after.strip_prefix(',') {
                Some(rest) => after = rest,
                None => before = before.strip_suffix(',').unwrap_or(before),
            }
        }
        [before, &new, after].concat()
    }
}

/// Every member and element of a record that is spelled without space, those within a value before it.
fn places(record: &str) -> Vec<Place> {
    let bytes = record.as_bytes();
    let mut places = Vec::new();
    // Where the objects and lists around begin, with and without their keys.
    let mut around = Vec::new();
    let mut key = None;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => {
                around.push((key.take().unwrap_or(at), at));
                at += 1;
            }
            b'}' | b']' => {
                at += 1;
                places
                    .extend(around.pop().map(|(whole, value)| Place { whole: whole..at, value: value..at }));
            }
            b',' => at += 1,
            _ => {
                let end = end_of_scalar(bytes, at);
                if bytes.get(end) == Some(&b':') {
                    key = Some(at);
                    at = end + 1;
                } else {
                    places.push(Place { whole: key.take().unwrap_or(at)..end, value: at..end });
                    at = end;
                }
            }
        }
    }
    // The record itself.
    places.pop();
    places
}

/// Where the string, number or name ends that begins here.
fn end_of_scalar(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    if bytes.get(start) == Some(&b'"') {
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => return at + 1,
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
    }
    while bytes.get(at).is_some_and(|byte| !matches!(byte, b',' | b'}' | b']')) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = r#"{"id":"r1","ids":["a,\"}",5],"at":{"x":null},"last":true}"#;

    fn edited(form: EditForm, at: u8) -> String {
        Edit { form, at, n: 1 }.apply(RECORD)
    }

    #[test]
    fn every_member_and_element_has_a_place() {
        let values: Vec<_> = places(RECORD).into_iter().map(|place| &RECORD[place.whole]).collect();
        let list = r#""ids":["a,\"}",5]"#;
        assert_eq!(
            values,
            [r#""id":"r1""#, r#""a,\"}""#, "5", list, r#""x":null"#, r#""at":{"x":null}"#, r#""last":true"#]
        );
    }

    #[test]
    fn what_is_dropped_takes_its_comma_along() {
        assert_eq!(edited(EditForm::Dropped, 0), r#"{"id":"r1","ids":["a,\"}",5],"at":{"x":null}}"#);
        assert_eq!(edited(EditForm::Dropped, 2), r#"{"id":"r1","ids":["a,\"}",5],"at":{},"last":true}"#);
        assert_eq!(edited(EditForm::Dropped, 5), r#"{"id":"r1","ids":[5],"at":{"x":null},"last":true}"#);
        assert_eq!(edited(EditForm::Dropped, 6), r#"{"ids":["a,\"}",5],"at":{"x":null},"last":true}"#);
    }

    #[test]
    fn every_edit_of_every_value_leaves_an_object() {
        for &form in EditForm::ALL {
            for (at, n) in (0..9).flat_map(|at| [(at, 0), (at, 3), (at, 255)]) {
                let edited = Edit { form, at, n }.apply(RECORD);
                let value: serde_json::Value = serde_json::from_str(&edited).expect(&edited);
                assert!(value.is_object(), "{edited}");
            }
        }
    }

    #[test]
    fn a_record_without_values_stays_as_it_is() {
        assert_eq!(Edit { form: EditForm::Dropped, at: 3, n: 0 }.apply("{}"), "{}");
    }
}
