//! The entries of active paths and context views, in the forms of ASR-376.

use crate::Json;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What a record is called in output: its id, or nothing (JSON `null`) where it has none (`readings.md` B.9).
///
/// Two records may have the same name, so a name never identifies a node. An output may repeat a name as often as it
/// likes: copies share the text, which may be as long as a line.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Name(pub Option<Arc<str>>);

impl From<&str> for Name {
    fn from(id: &str) -> Self {
        Self(Some(id.into()))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or("(no id)"))
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_deref().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<String>::deserialize(deserializer).map(|id| Self(id.map(Into::into)))
    }
}

/// Why a ref did not identify a context-participating record (ASR-080, `readings.md` 0.2).
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum RefStatus {
    /// No record bears the id, or the ref is not a string.
    Unresolved,
    /// Two or more records bear the id.
    Ambiguous,
    /// One record bears the id, and it is audit-only.
    WrongType,
}

impl RefStatus {
    /// Every status.
    pub const ALL: [Self; 3] = [Self::Unresolved, Self::Ambiguous, Self::WrongType];

    /// The status as output spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unresolved => "unresolved",
            Self::Ambiguous => "ambiguous",
            Self::WrongType => "wrong_type",
        }
    }
}

/// One entry of an active path or a context view (ASR-376).
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Entry {
    /// `{"id"}`: a node, named by the first record of its chain.
    Node {
        /// The first record of the chain.
        id: Name,
        /// The latest revision, where it is another record.
        rev: Option<Name>,
    },
    /// `{"summary"}`: a compaction summary (context view only).
    Summary {
        /// The first record of the compaction's chain.
        id: Name,
        /// The latest revision, where it is another record.
        rev: Option<Name>,
    },
    /// `{"gap": id}`: the marker of a gap record.
    Gap {
        /// The gap record.
        id: Name,
    },
    /// `{"gap": "malformed", "line"}`: the marker of a malformed line.
    Malformed {
        /// The physical line, counted from 1, blank lines included.
        line: u64,
    },
    /// `{"unresolvedRef"}`: a required ref could not identify its target.
    UnresolvedRef {
        /// The ref as the record wrote it. `null` where it is no string, except in `heads` (HD-7).
        reference: Json,
        /// Why not.
        status: RefStatus,
    },
    /// `{"unknownPredecessor": true}`: the path continues from an unknown predecessor.
    UnknownPredecessor,
    /// `{"unknownReplacement"}`: a compaction replaced an unknown part of the context (context view only).
    UnknownReplacement {
        /// The first record of the compaction's chain.
        id: Name,
    },
    /// `{"retained", "by"}`: a record carried forward by a compaction (context view only).
    Retained {
        /// The first record of the retained node's chain.
        id: Name,
        /// The first record of the compaction's chain.
        by: Name,
        /// Whether the carried copy was shortened.
        truncated: bool,
    },
    /// `{"inherited"}`: inherited context that is referenced, not present. All values are copied verbatim.
    Inherited {
        /// `lineage.inherits.from`, `null` where it is absent.
        session: Json,
        /// `lineage.inherits.throughId`, unless absent or null.
        through_id: Option<Json>,
        /// `lineage.inherits.throughOrdinal`, unless absent or null.
        through_ordinal: Option<Json>,
    },
}

/// The entry as compact JSON text.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Node { id, rev } => {
                map.serialize_entry("id", id)?;
                if let Some(rev) = rev {
                    map.serialize_entry("rev", rev)?;
                }
            }
            Self::Summary { id, rev } => {
                map.serialize_entry("summary", id)?;
                if let Some(rev) = rev {
                    map.serialize_entry("rev", rev)?;
                }
            }
            Self::Gap { id } => map.serialize_entry("gap", id)?,
            Self::Malformed { line } => {
                map.serialize_entry("gap", "malformed")?;
                map.serialize_entry("line", line)?;
            }
            Self::UnresolvedRef { reference, status } => {
                map.serialize_entry("unresolvedRef", reference)?;
                map.serialize_entry("status", status.as_str())?;
                map.serialize_entry("exact", &false)?;
            }
            Self::UnknownPredecessor => map.serialize_entry("unknownPredecessor", &true)?,
            Self::UnknownReplacement { id } => map.serialize_entry("unknownReplacement", id)?,
            Self::Retained { id, by, truncated } => {
                map.serialize_entry("retained", id)?;
                map.serialize_entry("by", by)?;
                if *truncated {
                    map.serialize_entry("capture", "truncated")?;
                }
            }
            Self::Inherited { session, through_id, through_ordinal } => {
                let members = [
                    ("session", Some(session)),
                    ("throughId", through_id.as_ref()),
                    ("throughOrdinal", through_ordinal.as_ref()),
                ];
                let present: Members<'_> =
                    members.into_iter().filter_map(|(key, v)| Some((key, v?))).collect();
                map.serialize_entry("inherited", &InOrder(present))?;
            }
        }
        map.end()
    }
}

type Members<'a> = Vec<(&'a str, &'a Json)>;

/// Members of an object in the order the chapter shows them.
struct InOrder<'a>(Members<'a>);

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

/// A JSON value that is no entry of ASR-376.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{found} is no entry: {expected}")]
pub struct MalformedEntry {
    /// The value, as JSON text.
    pub found: String,
    /// What was expected instead.
    pub expected: &'static str,
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(Json::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl TryFrom<Json> for Entry {
    type Error = MalformedEntry;

    /// Strict: a form of the table with exactly its members, each of its type.
    fn try_from(json: Json) -> Result<Self, MalformedEntry> {
        let fail = |expected| MalformedEntry { found: json.to_string(), expected };
        let Json::Object(members) = &json else { return Err(fail("expected an object")) };
        let mut rest = members.clone();
        let entry = entry_from(&mut rest).map_err(fail)?;
        if rest.is_empty() { Ok(entry) } else { Err(fail("expected no further member")) }
    }
}

type Object = BTreeMap<String, Json>;

fn entry_from(members: &mut Object) -> Result<Entry, &'static str> {
    if let Some(id) = members.remove("id") {
        Ok(Entry::Node { id: name(id)?, rev: members.remove("rev").map(name).transpose()? })
    } else if let Some(id) = members.remove("summary") {
        Ok(Entry::Summary { id: name(id)?, rev: members.remove("rev").map(name).transpose()? })
    } else if let Some(id) = members.remove("gap") {
        gap(id, members.remove("line"))
    } else if let Some(reference) = members.remove("unresolvedRef") {
        unresolved_ref(reference, members)
    } else if let Some(flag) = members.remove("unknownPredecessor") {
        if flag == Json::Bool(true) {
            Ok(Entry::UnknownPredecessor)
        } else {
            Err("expected `unknownPredecessor` to be true")
        }
    } else if let Some(id) = members.remove("unknownReplacement") {
        Ok(Entry::UnknownReplacement { id: name(id)? })
    } else if let Some(id) = members.remove("retained") {
        let by = members.remove("by").ok_or("expected `by` beside `retained`")?;
        let truncated = match members.remove("capture") {
            None => false,
            Some(Json::String(capture)) if capture == "truncated" => true,
            Some(_) => return Err("expected `capture` to be \"truncated\" or absent"),
        };
        Ok(Entry::Retained { id: name(id)?, by: name(by)?, truncated })
    } else if let Some(Json::Object(mut inherited)) = members.remove("inherited") {
        let session = inherited.remove("session").ok_or("expected `session` in `inherited`")?;
        let through_id = inherited.remove("throughId");
        let through_ordinal = inherited.remove("throughOrdinal");
        if inherited.is_empty() {
            Ok(Entry::Inherited { session, through_id, through_ordinal })
        } else {
            Err("expected only `session`, `throughId` and `throughOrdinal` in `inherited`")
        }
    } else {
        Err("expected one of the forms of ASR-376")
    }
}

fn name(json: Json) -> Result<Name, &'static str> {
    match json {
        Json::Null => Ok(Name(None)),
        Json::String(id) => Ok(Name(Some(id.into()))),
        _ => Err("expected a record id or null"),
    }
}

fn gap(id: Json, line: Option<Json>) -> Result<Entry, &'static str> {
    let Some(line) = line else { return Ok(Entry::Gap { id: name(id)? }) };
    let line = match &line {
        Json::Number(number) => number.literal().parse().ok(),
        _ => None,
    };
    match (id.as_str(), line) {
        (Some("malformed"), Some(line)) => Ok(Entry::Malformed { line }),
        _ => Err("expected a `line` number beside `\"gap\": \"malformed\"`"),
    }
}

fn unresolved_ref(reference: Json, members: &mut Object) -> Result<Entry, &'static str> {
    let status = members.remove("status");
    let spelled = status.as_ref().and_then(Json::as_str);
    let status = RefStatus::ALL.into_iter().find(|status| Some(status.as_str()) == spelled);
    if members.remove("exact") != Some(Json::Bool(false)) {
        return Err("expected `exact` to be false");
    }
    let status = status.ok_or("expected `status` to be unresolved, ambiguous or wrong_type")?;
    Ok(Entry::UnresolvedRef { reference, status })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line per form of the table, with and without the optional members.
    const FORMS: &[&str] = &[
        r#"{"id":"r1"}"#,
        r#"{"id":"r1","rev":"r3"}"#,
        r#"{"id":null,"rev":null}"#,
        r#"{"summary":"r2"}"#,
        r#"{"summary":"r2","rev":"r4"}"#,
        r#"{"gap":"r4"}"#,
        r#"{"gap":"malformed"}"#,
        r#"{"gap":"malformed","line":7}"#,
        r#"{"unresolvedRef":"r9","status":"unresolved","exact":false}"#,
        r#"{"unresolvedRef":null,"status":"wrong_type","exact":false}"#,
        r#"{"unresolvedRef":"r9","status":"ambiguous","exact":false}"#,
        r#"{"unknownPredecessor":true}"#,
        r#"{"unknownReplacement":"r2"}"#,
        r#"{"retained":"r1","by":"r2"}"#,
        r#"{"retained":"r1","by":"r2","capture":"truncated"}"#,
        r#"{"inherited":{"session":"S0"}}"#,
        r#"{"inherited":{"session":"S0","throughId":"q9","throughOrdinal":4}}"#,
    ];

    #[test]
    fn every_form_reads_back_as_it_was_written() {
        for form in FORMS {
            let entry: Entry = serde_json::from_str(form).unwrap_or_else(|error| panic!("{form}: {error}"));
            assert_eq!(entry.to_string(), *form);
        }
    }

    #[test]
    fn whatever_is_not_in_the_table_is_refused() {
        for text in [
            r#"{}"#,
            r#"[]"#,
            r#"{"id":5}"#,
            r#"{"id":"r1","extra":1}"#,
            r#"{"id":"r1","summary":"r1"}"#,
            r#"{"gap":"r1","line":3}"#,
            r#"{"unknownPredecessor":false}"#,
            r#"{"retained":"r1"}"#,
            r#"{"retained":"r1","by":"r2","capture":"full"}"#,
            r#"{"unresolvedRef":"r9","status":"lost","exact":false}"#,
            r#"{"unresolvedRef":"r9","status":"unresolved"}"#,
            r#"{"inherited":"S0"}"#,
            r#"{"inherited":{"session":"S0","mode":"referenced"}}"#,
        ] {
            assert!(serde_json::from_str::<Entry>(text).is_err(), "{text}");
        }
    }
}
