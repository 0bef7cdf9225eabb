//! The validator: every requirement of the chapter that one stream can break, and where it does.
//!
//! What the index keeps for paths and views decides most of it: refs are numbers, "earlier" compares rows,
//! and the [`Forest`] of predecessors tells in one comparison whether a node is on a path. The rest (reasons,
//! keys, contents) is read from the lines here and now, so that readers do not pay for it. Most lines of a
//! session are calls, results and messages that refer to nothing: they cannot break anything that the index
//! has not noticed, and are not read again.
//!
//! A requirement is a few lines in one of the parts, and [`of_kind`] says what is asked of which record:
//! `refs` (where refs lead), `shape` (which members there are), `revisions` (ASR-352 and ASR-359), `traces`
//! (what a converter probably did wrong). Where findings point is settled in [`Finding`].
//!
//! O(n log n) for n bytes, besides the report itself. (And besides one number of very many digits as the branchesFrom of
//! a record with very many revisions.)

#![expect(
    clippy::indexing_slicing,
    reason = "rows and nodes are numbers that the index and the graph handed out"
)]

mod forest;
mod record;
mod refs;
mod revisions;
mod shape;
mod traces;

use crate::graph::Graph;
use crate::index::{Index, Kind, Row};
use crate::scan::Value;
use crate::strings::Symbol;
use asr_spec::{Finding, Name, RefStatus, Report, Requirement};
use forest::Forest;
use record::{Record, Shown};
use revisions::{Identity, Implicit};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::rc::Rc;
use traces::Traces;

/// Looks at one record for one thing.
type Check = fn(&mut Validator<'_, '_>, &Record<'_>);

const OF_ALL: &[Check] = &[id, seq, shape::branches_from, refs::structural, revisions::supersedes];

/// What is asked of a record besides.
fn of_kind(kind: Kind) -> &'static [Check] {
    match kind {
        Kind::Message => &[revisions::branch, traces::repeated_summary],
        Kind::ToolCall | Kind::ToolResult => &[revisions::branch],
        Kind::Compaction => &[
            revisions::branch,
            shape::compaction,
            shape::replaces,
            shape::insert_at,
            shape::kept_from,
            shape::retains,
            refs::kept_range,
            traces::destroyed_history,
            traces::erased_branch,
        ],
        Kind::Rewind => &[shape::rewind],
        Kind::SessionInfo => &[stated_heads],
        Kind::Audit => &[traces::restoration, traces::tombstone],
        Kind::Gap | Kind::Malformed => &[],
    }
}

/// What a stream breaks, in the order of a report.
pub(crate) fn report(index: &Index<'_>, graph: &Graph) -> Report {
    let mut validator = Validator::new(index, graph);
    let mut record = Record::default();
    for row in 0..index.rows() {
        match index.kinds[row as usize] {
            Kind::Malformed => {
                validator.find(Requirement::Asr009, row, "", "a line that is no JSON object");
            }
            kind if validator.is_read(row, kind) => {
                record.read(index, row);
                for check in OF_ALL.iter().chain(of_kind(kind)) {
                    check(&mut validator, &record);
                }
            }
            _ => {}
        }
    }
    stale_heads(&mut validator);
    cycles(&mut validator);
    let mut report = validator.report;
    report.sort();
    report
}

/// A stream, what the checks need to know of it as a whole, and what they found.
struct Validator<'s, 'a> {
    index: &'s Index<'a>,
    graph: &'s Graph,
    forest: Forest,
    implicit: Implicit,
    traces: Traces<'s>,
    /// The ids of rewinds.
    rewinds: HashSet<Symbol>,
    /// What revisions are compared with, by row, so that many revisions of a long record read it once.
    identities: HashMap<Row, Rc<Identity<'s>>>,
    /// The ids met so far of those that several records bear.
    borne: HashSet<Symbol>,
    /// The session_info record whose heads are in force.
    heads: Option<Row>,
    report: Report,
}

impl<'s, 'a> Validator<'s, 'a> {
    fn new(index: &'s Index<'a>, graph: &'s Graph) -> Self {
        let rewinds = index.ids.iter().zip(&index.kinds).filter(|(_, kind)| **kind == Kind::Rewind);
        Self {
            index,
            graph,
            forest: Forest::of(graph),
            implicit: Implicit::of(index, graph),
            traces: Traces::of(index),
            rewinds: rewinds.map(|(&id, _)| id).collect(),
            identities: HashMap::new(),
            borne: HashSet::new(),
            heads: None,
            report: Report::default(),
        }
    }

    /// Whether a record can break anything, so far as the index can tell.
    fn is_read(&self, row: Row, kind: Kind) -> bool {
        let can_its_kind = match kind {
            Kind::Message => self.index.has_detail(row) || self.traces.has_summaries(),
            Kind::ToolCall | Kind::ToolResult => self.index.has_detail(row),
            _ => true,
        };
        can_its_kind
            || self.index.bearer(self.index.ids[row as usize]) != Ok(row)
            || self.index.odd_seqs.binary_search(&row).is_ok()
    }

    /// The symbol of a ref; none where it is no string, or one that is not among the ids and refs of readers.
    fn symbol(&self, value: Value<'_>) -> Option<Symbol> {
        let Value::String(raw) = value else { return None };
        self.index.find(&raw.decode())
    }

    /// The one record that a ref names, of whatever type.
    fn bearer(&self, value: Value<'_>) -> Result<Row, RefStatus> {
        self.index.bearer(self.symbol(value).ok_or(RefStatus::Unresolved)?)
    }

    fn find(&mut self, requirement: Requirement, row: Row, pointer: impl Display, found: impl Display) {
        use Requirement::{Asr009, Asr364B, Asr373A, Asr374A, Asr374B};
        let findings = match requirement {
            Asr009 | Asr364B | Asr373A | Asr374A | Asr374B => &mut self.report.warnings,
            _ => &mut self.report.violations,
        };
        let line = self.index.line(row);
        // Findings about a record mostly come together, and share its name.
        let latest = findings.last().filter(|latest| latest.line == line);
        let record = latest.map_or_else(|| self.index.name(row), |latest| latest.record.clone());
        findings.push(Finding {
            requirement,
            line,
            record,
            pointer: pointer.to_string(),
            found: found.to_string(),
        });
    }
}

/// U-13
fn id(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    let symbol = validator.index.ids[record.row as usize];
    let id = record.get("id");
    match validator.index.bearer(symbol) {
        Ok(_) => {}
        Err(RefStatus::Ambiguous) => {
            if !validator.borne.insert(symbol) {
                let found = format!("{}, which an earlier record bears", Shown(id));
                validator.find(Requirement::U13, record.row, "/id", found);
            }
        }
        Err(_) => shape::demand(validator, Requirement::U13, record, "id", false),
    }
}

/// ASR-014
fn seq(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    if validator.index.odd_seqs.binary_search(&record.row).is_err() {
        return;
    }
    match record.get("seq") {
        seq if !seq.is_present() => validator.find(Requirement::Asr014, record.row, "", "no seq"),
        seq @ Value::Plain(_) => {
            let found = format!("{}, which is no integer greater than the last", Shown(seq));
            validator.find(Requirement::Asr014, record.row, "/seq", found);
        }
        seq => validator.find(Requirement::Asr014, record.row, "/seq", Shown(seq)),
    }
}

/// Notes which heads are in force; see [`stale_heads`].
fn stated_heads(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    if let Value::Array(_) = record.get("heads") {
        validator.heads = Some(record.row);
    }
}

/// ASR-364.b, once all records are read.
fn stale_heads(validator: &mut Validator<'_, '_>) {
    use crate::heads::{Head, default, primary};
    let Validator { index, graph, .. } = *validator;
    let (Some(row), false) = (validator.heads, index.heads.is_empty()) else { return };
    let Some(Head::Node(stated)) = primary(index, graph, &mut ()) else { return };
    let is_last_later = graph.nodes().next_back().is_some_and(|last| last > row);
    let name =
        |name: Name| name.0.map_or("a record without id".to_owned(), |id| record::quoted(id.as_bytes()));
    let default = match default(index, graph) {
        Head::Node(node) if node == stated => return,
        Head::Node(node) => name(graph.name(index, node)),
        Head::Start => "START".to_owned(),
        Head::Unknown | Head::Unresolved { .. } => "unknown".to_owned(),
    };
    if is_last_later {
        let found = format!("{}, but the default head is {default} by now", name(graph.name(index, stated)));
        validator.find(Requirement::Asr364B, row, "/heads", found);
    }
}

/// ASR-366.a
fn cycles(validator: &mut Validator<'_, '_>) {
    for (node, length) in forest::cycles(validator.graph) {
        let found = match length {
            1 => "a node that is its own predecessor".to_owned(),
            _ => format!("a cycle of {length} nodes"),
        };
        validator.find(Requirement::Asr366A, node, "", found);
    }
}

#[cfg(test)]
mod tests;
