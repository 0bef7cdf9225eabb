//! The lines of a stream, for pointing into them and for naming their records.

use crate::describe::printable;
use crate::input::Input;
use serde_json::Value;
use std::borrow::Cow;

/// The physical lines of a stream.
pub(crate) struct Lines<'a> {
    lines: Vec<&'a [u8]>,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(input: &'a Input) -> Self {
        let stream = input.stream.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&input.stream);
        Self { lines: stream.split(|&byte| byte == b'\n').collect() }
    }

    fn bytes(&self, number: u64) -> &'a [u8] {
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        index.and_then(|index| self.lines.get(index)).copied().unwrap_or_default()
    }

    /// The text of a line, as far as it is text, without the line end.
    pub(crate) fn text(&self, number: u64) -> Cow<'a, str> {
        let bytes = self.bytes(number);
        String::from_utf8_lossy(bytes.strip_suffix(b"\r").unwrap_or(bytes))
    }

    /// The record on a line, null where it is none.
    pub(crate) fn record(&self, number: u64) -> Value {
        serde_json::from_slice(self.bytes(number)).unwrap_or_default()
    }

    /// What to call the record on a line: its id, or the line where it has none.
    pub(crate) fn name(&self, number: u64) -> String {
        match self.record(number).get("id").and_then(Value::as_str) {
            Some(id) => printable(id),
            None => format!("line {number}"),
        }
    }
}
