//! Revisions: what a record may supersede (ASR-352, ASR-356), and branches that are none (ASR-359).

#![expect(clippy::indexing_slicing, reason = "rows and nodes are numbers that the tables handed out")]

use super::Validator;
use super::record::{Pointer, Record, Shown, quoted};
use super::refs::names_none;
use crate::graph::{Graph, Predecessor};
use crate::index::{Index, Kind, Row, Target};
use crate::scan::Value;
use crate::verbatim;
use asr_spec::Requirement;
use std::borrow::Cow;
use std::rc::Rc;

/// What a revision shares with the record that it supersedes.
pub(crate) struct Identity<'a> {
    /// The type, if it is a string.
    kind: Option<Cow<'a, [u8]>>,
    /// The entity key (`readings.md` 0.3), if it is a string, and which it is.
    key: Option<(&'static str, Cow<'a, [u8]>)>,
    /// The branchesFrom, if it is present.
    branches_from: Option<Value<'a>>,
}

impl<'a> Identity<'a> {
    fn of(record: &Record<'a>) -> Self {
        let text = |value| match value {
            Value::String(raw) => Some(raw.decode()),
            _ => None,
        };
        let keys: &[&'static str] = match record.kind {
            Kind::Message => &["messageId"],
            Kind::ToolCall | Kind::ToolResult => &["callId", "toolCallId"],
            Kind::Compaction => &["compactionId"],
            _ => &[],
        };
        let branches_from = record.get("branchesFrom");
        Self {
            kind: text(record.get("type")),
            key: keys.iter().find_map(|&key| Some((key, text(record.get(key))?))),
            branches_from: Some(branches_from).filter(|branches_from| branches_from.is_present()),
        }
    }

    /// The record by its type, for a finding.
    pub(crate) fn what(&self) -> String {
        match &self.kind {
            Some(kind) => format!("a {} record", quoted(kind)),
            None => "a record without type".to_owned(),
        }
    }

    fn key_text(&self) -> Option<&[u8]> {
        self.key.as_ref().map(|(_, text)| &**text)
    }

    /// The key for a finding.
    fn shown_key(&self) -> String {
        self.key_text().map_or_else(|| "no key".to_owned(), quoted)
    }
}

/// The identity of a record, which is read only once.
pub(super) fn identity<'s>(validator: &mut Validator<'s, '_>, row: Row) -> Rc<Identity<'s>> {
    let Validator { index, identities, .. } = validator;
    Rc::clone(identities.entry(row).or_insert_with(|| Rc::new(Identity::of(&Record::of(index, row)))))
}

/// ASR-080 for supersedes, ASR-356.d, ASR-356.e, ASR-352.b, ASR-352.c, ASR-352.d
pub(super) fn supersedes(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    let supersedes = record.get("supersedes");
    if !supersedes.is_present() {
        return;
    }
    let pointer = Pointer::to("/supersedes");
    if validator.symbol(supersedes).is_some_and(|symbol| validator.rewinds.contains(&symbol)) {
        let found = format!("{}, a rewind", Shown(supersedes));
        validator.find(Requirement::Asr356E, record.row, pointer, found);
    }
    if record.kind == Kind::Rewind {
        let found = format!("a rewind that supersedes {}", Shown(supersedes));
        validator.find(Requirement::Asr356D, record.row, pointer, found);
    }
    match validator.bearer(supersedes) {
        Err(status) => names_none(validator, record, pointer, supersedes, status),
        // Of rewinds ASR-356 has said all there is to say.
        Ok(_) if record.kind == Kind::Rewind => {}
        Ok(superseded) => {
            let superseded = identity(validator, superseded);
            continues(validator, record, &Identity::of(record), &superseded);
        }
    }
}

/// ASR-352.b, ASR-352.c, ASR-352.d
fn continues(validator: &mut Validator<'_, '_>, record: &Record<'_>, new: &Identity<'_>, old: &Identity<'_>) {
    if new.kind != old.kind {
        let found = format!("{} that supersedes {}", new.what(), old.what());
        validator.find(Requirement::Asr352B, record.row, "", found);
    } else if new.key_text() != old.key_text() {
        let pointer = new.key.as_ref().map_or(String::new(), |(key, _)| format!("/{key}"));
        let found = format!("{} where {} was superseded", new.shown_key(), old.shown_key());
        validator.find(Requirement::Asr352C, record.row, pointer, found);
    }
    let is_rewrite = record.get("assembly").member(b"mode").is(b"rewrite");
    if !is_rewrite && !is_same(new.branches_from, old.branches_from) {
        let (pointer, found) = match (&new.branches_from, &old.branches_from) {
            (None, _) => ("", "no branchesFrom, which the superseded record has"),
            (_, None) => ("/branchesFrom", "a branchesFrom, which the superseded record lacks"),
            _ => ("/branchesFrom", "another branchesFrom than that of the superseded record"),
        };
        validator.find(Requirement::Asr352D, record.row, pointer, found);
    }
}

/// Whether two values are equal: as they are written, which is the rule, or as JSON.
fn is_same(a: Option<Value<'_>>, b: Option<Value<'_>>) -> bool {
    a == b || matches!((a, b), (Some(a), Some(b)) if verbatim::json(a) == verbatim::json(b))
}

/// What the scan of the chapter finds from each row, whatever its branchesFrom says. Targets that are not found are
/// unknown ones here.
pub(crate) struct Implicit(Vec<Predecessor>);

impl Implicit {
    pub(crate) fn of(index: &Index<'_>, graph: &Graph) -> Self {
        let mut predecessors = Vec::with_capacity(graph.bound());
        let mut tip = Predecessor::Start;
        for (row, &kind) in (0..).zip(&index.kinds) {
            predecessors.push(tip);
            if kind == Kind::Rewind {
                tip = match index.detail(row).target {
                    Some(Target::Start) => Predecessor::Start,
                    Some(Target::Ref(to)) => {
                        graph.resolve(index, to).map_or(Predecessor::Unknown, Predecessor::Node)
                    }
                    Some(Target::Unknown) | None => Predecessor::Unknown,
                };
            } else if graph.is_node(row) {
                tip = Predecessor::Node(row);
            }
        }
        Self(predecessors)
    }
}

/// ASR-359
pub(super) fn branch(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    let Validator { index, graph, .. } = *validator;
    let Some(node) = graph.node(record.row) else { return };
    let detail = index.detail(record.row);
    if node != record.row && !detail.is_rewrite {
        return;
    }
    let target = match detail.target {
        Some(Target::Start) => Predecessor::Start,
        Some(Target::Ref(target)) => match graph.resolve(index, target) {
            Ok(target) => Predecessor::Node(target),
            Err(_) => return,
        },
        Some(Target::Unknown) | None => return,
    };
    if validator.implicit.0[node as usize] == target {
        let target = match record.get("branchesFrom").member(b"record") {
            Value::Null => "START".to_owned(),
            named => Shown(named).to_string(),
        };
        let found = format!("{target}, which the record follows anyway");
        validator.find(Requirement::Asr359, record.row, "/branchesFrom", found);
    }
}
