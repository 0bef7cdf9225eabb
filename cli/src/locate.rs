//! Where in a line the value stands that a JSON Pointer names.
//!
//! The line has passed the line predicate, so it is JSON. Values are found by their raw text: its address within the
//! line is its offset.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// The bytes of the value that `pointer` names in `line`; of what contains it, as far as the pointer leads. `None` for
/// a line that is no JSON.
pub(crate) fn locate(line: &str, pointer: &str) -> Option<Range<usize>> {
    let mut value: &RawValue = serde_json::from_str(line).ok()?;
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        let Ok(children) = serde_json::from_str::<Children<'_>>(value.get()) else { break };
        // Of duplicate keys the last one counts.
        let named = children.0.into_iter().rev().find(|(name, _)| *name == token);
        let Some((_, child)) = named else { break };
        value = child;
    }
    let start = (value.get().as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
    Some(start..start + value.get().len())
}

/// The column of an offset: characters from the start of the line, from 1. A tab is one character.
pub(crate) fn column(line: &str, offset: usize) -> u64 {
    let before = line.get(..offset).unwrap_or(line);
    before.chars().count() as u64 + 1
}

/// The members of an object or the elements of an array, as written.
struct Children<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Children<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ChildrenVisitor;

        impl<'de> Visitor<'de> for ChildrenVisitor {
            type Value = Children<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object or an array")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Children<'de>, A::Error> {
                let mut children = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, _>()? {
                    children.push((key.into(), value));
                }
                Ok(Children(children))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Children<'de>, A::Error> {
                let mut children = Vec::new();
                while let Some(value) = seq.next_element()? {
                    children.push((children.len().to_string().into(), value));
                }
                Ok(Children(children))
            }
        }

        deserializer.deserialize_any(ChildrenVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(line: &'a str, pointer: &str) -> (&'a str, u64) {
        let range = locate(line, pointer).unwrap();
        (&line[range.clone()], column(line, range.start))
    }

    #[test]
    fn a_value_is_found_by_its_pointer() {
        let line = r#" {"a": {"b": [1, {"c": "é"}]}, "d~/e": 1e999, "": []}"#;
        assert_eq!(found(line, ""), (line.trim(), 2));
        assert_eq!(found(line, "/a/b/0"), ("1", 15));
        assert_eq!(found(line, "/a/b/1/c"), ("\"é\"", 24));
        assert_eq!(found(line, "/d~0~1e"), ("1e999", 40));
        assert_eq!(found(line, "/"), ("[]", 51));
    }

    #[test]
    fn columns_count_characters_not_bytes() {
        assert_eq!(found("{\"é\u{1f600}\":1,\"b\":2}", "/b"), ("2", 13));
        assert_eq!(found("\t\t{\"b\":2}\r", "/b"), ("2", 8));
    }

    #[test]
    fn the_last_of_duplicate_keys_is_found_however_it_is_spelled() {
        assert_eq!(found(r#"{"a":1,"\u0061":2}"#, "/a"), ("2", 17));
    }

    #[test]
    fn a_pointer_that_leads_nowhere_ends_at_what_contains_it() {
        assert_eq!(found(r#"{"a":{"b":1}}"#, "/a/c/d"), (r#"{"b":1}"#, 6));
        assert_eq!(locate("{", ""), None);
    }
}
