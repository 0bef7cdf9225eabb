//! What an implementation answers.

use crate::{Entry, Json, Name};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

/// The answer to a [`Query`](crate::Query).
///
/// As JSON: the array of entries, `null`, or `{"error":"cycle","at":…}` (`readings.md` 0.4).
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Outcome {
    /// An active path or a context view, in order.
    Entries(Vec<Entry>),
    /// The first of the stated heads is null: there is no default path (ASR-363). Not the empty path of START.
    NoDefaultPath,
    /// Following predecessors from the head revisits a node (ASR-366).
    Cycle {
        /// The node that the walk met twice first, named by the first record of its chain.
        at: Name,
    },
}

/// A leaf of the forest (a node that is no node's predecessor) with the path or view that ends at it.
///
/// As JSON: `{"head":…,"outcome":…}`.
#[derive(Clone, Debug, Eq, PartialEq, serde::Serialize)]
pub struct Leaf {
    /// The node, named by the first record of its chain.
    pub head: Name,
    /// Its path or view, or the cycle that its path runs into.
    pub outcome: Outcome,
}

/// The outcome as compact JSON text.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Entries(entries) => entries.serialize(serializer),
            Self::NoDefaultPath => serializer.serialize_unit(),
            Self::Cycle { at } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("error", "cycle")?;
                map.serialize_entry("at", at)?;
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Json::deserialize(deserializer)? {
            Json::Null => Ok(Self::NoDefaultPath),
            Json::Array(items) => {
                let entries: Result<_, _> = items.into_iter().map(Entry::try_from).collect();
                entries.map(Self::Entries).map_err(D::Error::custom)
            }
            json @ Json::Object(_) => cycle(&json).ok_or_else(|| {
                D::Error::custom(format!("{json} is no outcome: expected {{\"error\":\"cycle\",\"at\":id}}"))
            }),
            json => {
                Err(D::Error::custom(format!("{json} is no outcome: expected an array, null or an object")))
            }
        }
    }
}

fn cycle(json: &Json) -> Option<Outcome> {
    let members = json.as_object()?;
    if members.len() != 2 || members.get("error")?.as_str() != Some("cycle") {
        return None;
    }
    match members.get("at")? {
        Json::Null => Some(Outcome::Cycle { at: Name(None) }),
        Json::String(id) => Some(Outcome::Cycle { at: Name(Some(id.as_str().into())) }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_reads_back_as_it_was_written() {
        for text in [
            "[]",
            "null",
            r#"[{"id":"r1"},{"unknownPredecessor":true}]"#,
            r#"{"error":"cycle","at":"r1"}"#,
            r#"{"error":"cycle","at":null}"#,
        ] {
            let outcome: Outcome = serde_json::from_str(text).unwrap();
            assert_eq!(outcome.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_outcome_is_refused() {
        for text in ["true", "5", "{}", r#"{"error":"loop","at":"r1"}"#, r#"[{"id":"r1"},5]"#] {
            assert!(serde_json::from_str::<Outcome>(text).is_err(), "{text}");
        }
    }
}
