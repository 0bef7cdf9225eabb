//! Where in a line the values stand that JSON Pointers name.
//!
//! The line has passed the line predicate, so it is JSON. Values are found by their raw text: its address within the
//! line is its offset. A line of megabytes may have a finding at each of its values, so what was read or counted for one
//! place serves the others.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;

/// For columns, the characters of a line are counted once for each so many bytes.
const BLOCK: usize = 1024;

/// A line in which places are looked up, in time linear in the line for all of them together (and in the depth of the
/// deepest).
pub(crate) struct Located<'l> {
    line: &'l str,
    /// The whole value; `None` for a line that is no JSON.
    root: Option<Range<usize>>,
    /// Where the values of the objects and arrays are that a pointer led into, by where those are.
    inner: HashMap<(usize, String), Range<usize>>,
    /// Where those objects and arrays are.
    read: HashSet<usize>,
    /// How many characters there are before each block.
    before: Vec<u64>,
}

impl<'l> Located<'l> {
    pub(crate) fn new(line: &'l str) -> Self {
        let mut before = vec![0];
        before.extend(line.as_bytes().chunks(BLOCK).scan(0, |count, block| {
            *count += characters(block);
            Some(*count)
        }));
        let root: Option<&RawValue> = serde_json::from_str(line).ok();
        let root = root.and_then(|root| range(line, root));
        Self { line, root, inner: HashMap::new(), read: HashSet::new(), before }
    }

    pub(crate) fn text(&self) -> &'l str {
        self.line
    }

    /// The bytes of the value that `pointer` names; of what contains it, as far as the pointer leads. The whole of a
    /// line that is no JSON.
    pub(crate) fn range(&mut self, pointer: &str) -> Range<usize> {
        let Some(mut value) = self.root.clone() else { return 0..self.line.len() };
        for token in pointer.split('/').skip(1) {
            self.read(&value);
            let token = token.replace("~1", "/").replace("~0", "~");
            let Some(inner) = self.inner.get(&(value.start, token)) else { break };
            value = inner.clone();
        }
        value
    }

    /// The column of an offset: characters from the start of the line, from 1. A tab is one character.
    pub(crate) fn column(&self, offset: usize) -> u64 {
        let block = offset / BLOCK;
        let rest = self.line.as_bytes().get(block * BLOCK..offset).unwrap_or_default();
        self.before.get(block).copied().unwrap_or_default() + characters(rest) + 1
    }

    /// Notes what stands in a value.
    fn read(&mut self, value: &Range<usize>) {
        if !self.read.insert(value.start) {
            return;
        }
        let text = self.line.get(value.clone()).unwrap_or_default();
        let children = serde_json::from_str(text).map_or_else(|_| Vec::new(), |Children(children)| children);
        // Of duplicate keys the last one counts.
        for (name, child) in children {
            if let Some(range) = range(self.line, child) {
                self.inner.insert((value.start, name), range);
            }
        }
    }
}

/// Where a value is that was read from a line.
fn range(line: &str, value: &RawValue) -> Option<Range<usize>> {
    let start = (value.get().as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
    Some(start..start + value.get().len())
}

/// How many characters begin in a piece of a text.
fn characters(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| !matches!(byte, 0x80..=0xBF)).count() as u64
}

/// The members of an object or the elements of an array, as written.
struct Children<'a>(Vec<(String, &'a RawValue)>);

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
                while let Some(member) = map.next_entry()? {
                    children.push(member);
                }
                Ok(Children(children))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Children<'de>, A::Error> {
                let mut children = Vec::new();
                while let Some(value) = seq.next_element()? {
                    children.push((children.len().to_string(), value));
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
        let mut located = Located::new(line);
        let range = located.range(pointer);
        (&line[range.clone()], located.column(range.start))
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

    /// Characters of one to four bytes, so that some lie across the blocks.
    #[test]
    fn columns_of_long_lines_are_those_of_counting() {
        let line = format!(r#"["{}", 1]"#, "aé日\u{1f600}".repeat(BLOCK));
        let located = Located::new(&line);
        for (counted, (offset, _)) in (1..).zip(line.char_indices()) {
            assert_eq!(located.column(offset), counted);
        }
        assert_eq!(located.column(line.len()), line.chars().count() as u64 + 1);
        assert_eq!(Located::new(&"x".repeat(BLOCK)).column(BLOCK), BLOCK as u64 + 1);
    }

    /// A hundred thousand findings in one line of a megabyte once took half an hour, since each read the line anew.
    #[test]
    fn what_a_line_contains_is_read_once_for_all_its_places() {
        let line = format!(r#"{{"replaces":{{"ids":[{}]}}}}"#, vec!["1"; 1000].join(","));
        let mut located = Located::new(&line);
        let starts: HashSet<_> =
            (0..1000).map(|at| located.range(&format!("/replaces/ids/{at}")).start).collect();
        assert_eq!((starts.len(), located.read.len(), located.inner.len()), (1000, 3, 1002));
    }

    #[test]
    fn the_last_of_duplicate_keys_is_found_however_it_is_spelled() {
        assert_eq!(found(r#"{"a":1,"\u0061":2}"#, "/a"), ("2", 17));
    }

    #[test]
    fn a_pointer_that_leads_nowhere_ends_at_what_contains_it() {
        assert_eq!(found(r#"{"a":{"b":1}}"#, "/a/c/d"), (r#"{"b":1}"#, 6));
        assert_eq!(found("{", ""), ("{", 1));
        assert_eq!(found("", ""), ("", 1));
    }
}
