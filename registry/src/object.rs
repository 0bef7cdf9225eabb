//! Lenient access to native JSON objects.
//!
//! Formats change under a converter's feet: a field that was a string is an object in the next version. A
//! typed struct would then reject the whole record and lose the fields that are still as expected. So records
//! stay objects, and each field is asked for as what it is needed as; anything else counts as absent.

use serde_json::{Map, Value};

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
    /// The strings of the field, if it is an array; other elements are left out.
    fn texts(&self, key: &str) -> impl Iterator<Item = &str>;
    /// The field, if it is a number.
    fn number(&self, key: &str) -> Option<&serde_json::Number>;
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

    fn texts(&self, key: &str) -> impl Iterator<Item = &str> {
        let items = self.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        items.iter().filter_map(Value::as_str)
    }

    fn number(&self, key: &str) -> Option<&serde_json::Number> {
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
