//! The conformance suite: streams with the right answers, as plain files.
//!
//! A case is a folder with an `input.jsonl`, the stream byte for byte, and a `meta.json` that says what it is about.
//! `expect.json` is an array of `{"query": {"what": "path" | "view", "head"?: id, "start"?: true}, "outcome": …}`;
//! without `head` and `start` the primary head is meant. `report.json` says what a validator finds, `variants.json` what
//! other readings and mistakes would answer. The id of a case is its path below the suite.

use asr_spec::{Finding, Head, Name, Outcome, Query, Report, Requirement, What};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::ser::Formatter;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its path below the suite, with slashes.
    pub id: String,
    /// What it is about.
    pub meta: Meta,
    /// The stream.
    pub input: Vec<u8>,
    /// The right answers.
    pub expectations: Vec<Expectation>,
    /// What a validator finds, where the case says it.
    pub report: Option<ExpectedReport>,
    /// What variants of the oracle answer that read the chapter in another way, or make a mistake.
    pub variants: Vec<VariantAnswer>,
}

/// What a variant answers, which differs from the right answer.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct VariantAnswer {
    /// Its name, as [`asr_oracle::Variant`] has it.
    pub variant: String,
    /// The question.
    #[serde(deserialize_with = "query", serialize_with = "written")]
    pub query: Query,
    /// The answer.
    pub outcome: Outcome,
}

/// What a validator finds, apart from how it words it.
#[derive(Clone, Debug, Eq, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedReport {
    /// What makes the stream invalid, by line.
    pub violations: Vec<ExpectedFinding>,
    /// What is probably wrong, by line.
    pub warnings: Vec<ExpectedFinding>,
}

/// One finding of a validator.
#[derive(Clone, Debug, Eq, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedFinding {
    /// What is broken.
    pub requirement: Requirement,
    /// The physical line.
    pub line: u64,
    /// The id of the record on it, if it has one.
    pub record: Name,
    /// The offending value as a JSON Pointer into the record.
    pub pointer: String,
}

impl From<&Report> for ExpectedReport {
    fn from(report: &Report) -> Self {
        let all = |findings: &[Finding]| findings.iter().map(ExpectedFinding::from).collect();
        Self { violations: all(&report.violations), warnings: all(&report.warnings) }
    }
}

impl From<&Finding> for ExpectedFinding {
    fn from(Finding { requirement, line, record, pointer, found: _ }: &Finding) -> Self {
        Self { requirement: *requirement, line: *line, record: record.clone(), pointer: pointer.clone() }
    }
}

/// What a case is about.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Meta {
    /// What the stream shows, as a claim.
    pub title: String,
    /// The place in the chapter whose example it follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chapter: Option<String>,
    /// The label of the reading that it decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<String>,
    /// The requirement that it is a test of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirement: Option<Requirement>,
    /// Whether the stream breaks no requirement that a stream can break.
    pub valid: bool,
    /// Why the answer is right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Scope, length and rank of the stream, where the model checker found it: it is the least of its kind, and
    /// `asr explore --replay` prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
}

/// A query with its right answer.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The question.
    #[serde(deserialize_with = "query", serialize_with = "written")]
    pub query: Query,
    /// The answer.
    pub outcome: Outcome,
}

fn query<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Query, D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Written {
        what: WhatWritten,
        head: Option<String>,
        #[serde(default)]
        start: bool,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum WhatWritten {
        Path,
        View,
    }
    let Written { what, head, start } = Written::deserialize(deserializer)?;
    let what = match what {
        WhatWritten::Path => What::Path,
        WhatWritten::View => What::View,
    };
    let head = match (head, start) {
        (None, false) => Head::Primary,
        (None, true) => Head::Start,
        (Some(id), false) => Head::Ref(id),
        (Some(_), true) => return Err(serde::de::Error::custom("expected `head` or `start`, found both")),
    };
    Ok(Query { what, head })
}

fn written<S: Serializer>(query: &Query, serializer: S) -> Result<S::Ok, S::Error> {
    let Query { what, head } = query;
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("what", if *what == What::Path { "path" } else { "view" })?;
    match head {
        Head::Primary => {}
        Head::Ref(id) => map.serialize_entry("head", id)?,
        Head::Start => map.serialize_entry("start", &true)?,
    }
    map.end()
}

impl Case {
    /// Writes the case below `suite`, over what is there. Each file is replaced as a whole; the files of a report are
    /// left alone.
    ///
    /// # Errors
    ///
    /// Where a file cannot be written.
    pub fn write(&self, suite: &Path) -> Result<(), FixtureError> {
        let Self { id, meta, input, expectations, report: _, variants } = self;
        let folder = suite.join(id);
        let meta = serde_json::to_string_pretty(meta).unwrap_or_default() + "\n";
        let files = [
            ("input.jsonl", input.clone()),
            ("meta.json", meta.into_bytes()),
            ("expect.json", rows(expectations)),
            ("variants.json", rows(variants)),
        ];
        let io = |path: &Path, source| FixtureError::Io { path: path.to_owned(), source };
        fs::create_dir_all(&folder).map_err(|source| io(&folder, source))?;
        for (name, bytes) in files {
            let (path, beside) = (folder.join(name), folder.join(format!("{name}.new")));
            let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, &path));
            written.map_err(|source| io(&path, source))?;
        }
        Ok(())
    }
}

/// An array with one item per line.
fn rows<T: Serialize>(items: &[T]) -> Vec<u8> {
    let mut out = b"[".to_vec();
    for (item, separator) in items.iter().zip(std::iter::once("\n  ").chain(std::iter::repeat(",\n  "))) {
        out.extend(separator.as_bytes());
        // Writing to memory cannot fail.
        let _ = item.serialize(&mut serde_json::Serializer::with_formatter(&mut out, OneLine));
    }
    out.extend(b"\n]\n");
    out
}

/// JSON on one line, with a space behind commas and colons.
struct OneLine;

impl Formatter for OneLine {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

/// A suite that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FixtureError {
    /// A file or folder cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not of the form that the suite has.
    #[error("{}: {source}", path.display())]
    Malformed {
        /// Which.
        path: PathBuf,
        /// What was expected.
        source: serde_json::Error,
    },
}

/// Every case below `suite`, by id.
pub fn load(suite: &Path) -> Result<Vec<Case>, FixtureError> {
    let mut cases = Vec::new();
    let mut folders = vec![suite.to_owned()];
    while let Some(folder) = folders.pop() {
        let io = |source| FixtureError::Io { path: folder.clone(), source };
        for entry in fs::read_dir(&folder).map_err(io)? {
            let path = entry.map_err(io)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name == "input.jsonl") {
                cases.push(case(suite, &folder)?);
            }
        }
    }
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(cases)
}

fn case(suite: &Path, folder: &Path) -> Result<Case, FixtureError> {
    let below = folder.strip_prefix(suite).unwrap_or(folder);
    let id: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    Ok(Case {
        id: id.join("/"),
        meta: json(folder.join("meta.json"))?,
        input: bytes(&folder.join("input.jsonl"))?,
        expectations: json_if_there(folder.join("expect.json"))?.unwrap_or_default(),
        report: json_if_there(folder.join("report.json"))?,
        variants: json_if_there(folder.join("variants.json"))?.unwrap_or_default(),
    })
}

fn json_if_there<T: for<'de> Deserialize<'de>>(path: PathBuf) -> Result<Option<T>, FixtureError> {
    if path.exists() { json(path).map(Some) } else { Ok(None) }
}

fn bytes(path: &Path) -> Result<Vec<u8>, FixtureError> {
    fs::read(path).map_err(|source| FixtureError::Io { path: path.to_owned(), source })
}

fn json<T: for<'de> Deserialize<'de>>(path: PathBuf) -> Result<T, FixtureError> {
    serde_json::from_slice(&bytes(&path)?).map_err(|source| FixtureError::Malformed { path, source })
}
