//! Lenient access to native JSON objects.
//!
//! Formats change under a converter's feet: a field that was a string is an object in the next version. A
//! typed struct would then reject the whole record and lose the fields that are still as expected. So records
//! stay objects, and each field is asked for as what it is needed as; anything else counts as absent.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// A native object, in the order in which it was written.
pub(crate) type Object = Map<String, Value>;

/// Fields by type.
pub(crate) trait Fields {
    /// The field, if it is a string.
    fn text(&self, key: &str) -> Option<&str>;
    /// Whether the field is `true`.
    fn flag(&self, key: &str) -> bool;
    /// The field, if it is an object.
    fn object(&self, key: &str) -> Option<&Object>;
    /// The pointer that the field is; `None` where it is absent or null, which is how agents say that there is
    /// nothing before. Anything but a string points to no record, but it does say that there is one: it stays
    /// as its text, which no record bears.
    fn pointer(&self, key: &str) -> Option<String>;
    /// The strings of the field, if it is an array; other elements are left out.
    fn texts(&self, key: &str) -> impl Iterator<Item = &str>;
    /// The field, if it is a number.
    fn number(&self, key: &str) -> Option<&Number>;
    /// Takes the field out, whatever it is, and leaves the order of the others alone.
    fn take(&mut self, key: &str) -> Option<Value>;
    /// Takes the field out if it is a string.
    fn take_text(&mut self, key: &str) -> Option<String>;
}

impl Fields for Object {
    fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    fn flag(&self, key: &str) -> bool {
        self.get(key) == Some(&Value::Bool(true))
    }

    fn object(&self, key: &str) -> Option<&Object> {
        self.get(key)?.as_object()
    }

    fn pointer(&self, key: &str) -> Option<String> {
        match self.get(key)? {
            Value::Null => None,
            Value::String(id) => Some(id.clone()),
            other => Some(other.to_string()),
        }
    }

    fn texts(&self, key: &str) -> impl Iterator<Item = &str> {
        let items = self.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        items.iter().filter_map(Value::as_str)
    }

    fn number(&self, key: &str) -> Option<&Number> {
        self.get(key)?.as_number()
    }

    fn take(&mut self, key: &str) -> Option<Value> {
        self.shift_remove(key)
    }

    fn take_text(&mut self, key: &str) -> Option<String> {
        match self.get_mut(key)?.take() {
            Value::String(text) => Some(text),
            other => {
                self.insert(key.to_owned(), other);
                None
            }
        }
    }
}

/// A value as a native line holds it. Read as a plain [`Value`], an object with a key that `serde_json` keeps
/// for itself would become something else, or an error.
pub(crate) struct NativeValue(pub Value);

impl<'de> Deserialize<'de> for NativeValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor).map(Self)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(NativeValue(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some((key, NativeValue(value))) = map.next_entry()? {
            members.insert(key, value);
        }
        Ok(Value::Object(members))
    }
}
