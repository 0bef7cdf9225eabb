//! Values that an outcome repeats as the record wrote them.
//!
//! Numbers stay text here, and no key is special, which rules out a JSON parser that knows better. The reader
//! recurses, at most [`MAX_LEVELS`](crate::scan::MAX_LEVELS) deep, since only what passed the line predicate
//! gets here.

use crate::scan::{Raw, Value};
use asr_spec::{Json, json::Number};

/// The value as [`Json`]; null for one that is absent. Linear in its text.
pub(crate) fn json(value: Value<'_>) -> Json {
    match value {
        Value::Absent | Value::Null => Json::Null,
        Value::String(raw) => Json::String(string(raw)),
        Value::Object(object) => {
            Json::Object(object.members().map(|(key, value)| (string(key), json(value))).collect())
        }
        Value::Array(_) => Json::Array(value.elements().map(json).collect()),
        Value::Plain(b"true") => Json::Bool(true),
        Value::Plain(b"false") => Json::Bool(false),
        Value::Plain(number) => {
            Number::from_literal(&String::from_utf8_lossy(number)).map_or(Json::Null, Json::Number)
        }
    }
}

fn string(raw: Raw<'_>) -> String {
    String::from_utf8_lossy(&raw.decode()).into_owned()
}
