//! What a tool would write without this crate: the records read by `serde_json` and their ids put into a
//! `HashMap`. Ingest only; it finds no predecessor, no path and no view.

use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;

/// Every record as a value, of which the id, the type and the refs are kept.
pub fn values(text: &str) -> (Vec<[Option<String>; 4]>, HashMap<String, usize>) {
    let (mut kept, mut ids) = (Vec::new(), HashMap::new());
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let string = |value: Option<&Value>| Some(value?.as_str()?.to_owned());
        if let Some(id) = string(record.get("id")) {
            ids.insert(id, kept.len());
        }
        let branch = record.get("branchesFrom").and_then(|branch| branch.get("record"));
        kept.push([
            string(record.get("type")),
            string(record.get("supersedes")),
            string(record.get("to")),
            string(branch),
        ]);
    }
    (kept, ids)
}

/// The fields of a record that place it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Typed<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow)]
    id: Cow<'a, str>,
    seq: i64,
    #[serde(borrow)]
    supersedes: Option<Cow<'a, str>>,
    #[serde(borrow)]
    to: Option<Cow<'a, str>>,
    branches_from: Option<Value>,
    replaces: Option<Value>,
}

/// Every record as a struct of borrowed fields.
pub fn typed(text: &str) -> (Vec<Typed<'_>>, HashMap<String, usize>) {
    let records: Vec<Typed<'_>> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids = records.iter().enumerate().map(|(at, record)| (record.id.to_string(), at)).collect();
    (records, ids)
}

impl Typed<'_> {
    /// A use of every field, so that none is optimised away.
    pub fn weight(&self) -> usize {
        let Self { r#type, id, seq, supersedes, to, branches_from, replaces } = self;
        r#type.len()
            + id.len()
            + *seq as usize
            + supersedes.as_deref().map_or(0, str::len)
            + to.as_deref().map_or(0, str::len)
            + usize::from(branches_from.is_some())
            + usize::from(replaces.is_some())
    }
}
