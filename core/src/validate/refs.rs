//! Where refs lead: to one record (ASR-080), to one that takes part in the context (ASR-351), to an earlier
//! one, and for compactions to one on their own path (ASR-372).
//!
//! [`each`] lists the structural refs of a record; what is asked of one depends on its [`Role`] only.

#![expect(clippy::indexing_slicing, reason = "rows are numbers that the index handed out")]

use super::Validator;
use super::record::{Pointer, Record, Shown};
use super::revisions::identity;
use crate::graph::{Node, Predecessor};
use crate::index::Kind;
use crate::scan::Value;
use asr_spec::{RefStatus, Requirement};

/// What a structural ref is for.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Role {
    /// rewind.to
    Rewind,
    /// branchesFrom.record
    Branch,
    /// What must lie on the path of a compaction: all its refs except replaces.ids.
    Context,
    /// replaces.ids
    Replaced,
    /// session_info.heads
    Head,
}

impl Role {
    /// The requirement that the target be an earlier record, if there is one.
    fn earlier(self) -> Option<Requirement> {
        match self {
            Self::Rewind => Some(Requirement::Asr356C),
            Self::Branch => Some(Requirement::Asr358E),
            Self::Context => Some(Requirement::Asr372B),
            Self::Replaced | Self::Head => None,
        }
    }
}

/// The structural refs of a record. Those that are null say something else, or nothing, and are left out; but
/// an element of ids is a ref whatever it is.
fn each<'a>(record: &Record<'a>, mut see: impl FnMut(Pointer, Value<'a>, Role)) {
    let mut member = |path, value: Value<'a>, role| {
        if value.is_present() {
            see(Pointer::to(path), value, role);
        }
    };
    member("/branchesFrom/record", record.get("branchesFrom").member(b"record"), Role::Branch);
    match record.kind {
        Kind::Rewind => member("/to", record.get("to"), Role::Rewind),
        Kind::SessionInfo => {
            for (at, head) in record.get("heads").elements().enumerate() {
                if head.is_present() {
                    see(Pointer::into("/heads", at, ""), head, Role::Head);
                }
            }
        }
        Kind::Compaction => {
            let (replaces, insert_at) = (record.get("replaces"), record.get("insertAt"));
            member("/replaces/throughId", replaces.member(b"throughId"), Role::Context);
            member("/keptFromId", record.get("keptFromId"), Role::Context);
            member("/insertAt/afterId", insert_at.member(b"afterId"), Role::Context);
            member("/insertAt/beforeId", insert_at.member(b"beforeId"), Role::Context);
            for (at, id) in replaces.member(b"ids").elements().enumerate() {
                see(Pointer::into("/replaces/ids", at, ""), id, Role::Replaced);
            }
            for (at, entry) in record.get("retains").elements().enumerate() {
                let target = entry.member(b"ref");
                if target.is_present() {
                    see(Pointer::into("/retains", at, "/ref"), target, Role::Context);
                }
            }
        }
        _ => {}
    }
}

/// ASR-080, ASR-351.b, ASR-356.b, ASR-356.c, ASR-358.e, ASR-372.b, ASR-372.c
pub(super) fn structural(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    each(record, |pointer, value, role| {
        let target = match validator.bearer(value) {
            Ok(target) => target,
            Err(status) => return names_none(validator, record, pointer, value, status),
        };
        let Validator { index, graph, .. } = *validator;
        if !index.kinds[target as usize].is_context() {
            let found = format!("{}, {}", Shown(value), identity(validator, target).what());
            validator.find(Requirement::Asr351B, record.row, pointer, &found);
            if role == Role::Rewind {
                validator.find(Requirement::Asr356B, record.row, pointer, &found);
            }
        }
        // Of a compaction ASR-372 asks what holds in the end, which its latest revision says.
        if role == Role::Context && !graph.is_latest(record.row) {
            return;
        }
        if target >= record.row {
            if let Some(requirement) = role.earlier() {
                let which = if target == record.row { "this record" } else { "a later record" };
                validator.find(requirement, record.row, pointer, format!("{}, {which}", Shown(value)));
            }
        } else if role == Role::Context
            && let (Some(own), Some(node)) = (graph.node(record.row), graph.node(target))
            && graph.index(own).is_some()
            && !is_on_own_path(validator, own, node)
        {
            let found = format!("{}, which is not on the path to the compaction", Shown(value));
            validator.find(Requirement::Asr372C, record.row, pointer, found);
        }
    });
}

/// ASR-080 for a ref that does not name one record.
pub(super) fn names_none(
    validator: &mut Validator<'_, '_>,
    record: &Record<'_>,
    pointer: Pointer,
    value: Value<'_>,
    status: RefStatus,
) {
    let which = match (value, status) {
        (Value::String(_), RefStatus::Ambiguous) => "which several records bear",
        (Value::String(_), _) => "which no record bears",
        _ => "which is no ref",
    };
    validator.find(Requirement::Asr080, record.row, pointer, format!("{}, {which}", Shown(value)));
}

/// ASR-372.d
pub(super) fn kept_range(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    let Validator { graph, .. } = *validator;
    let Some(own) = graph.node(record.row).filter(|&own| graph.latest(own) == record.row) else { return };
    if graph.index(own).is_none() {
        return;
    }
    let place = |value| {
        let node = graph.node(validator.bearer(value).ok()?)?;
        graph.index(node).filter(|_| is_on_own_path(validator, own, node))
    };
    let (kept, through) = (record.get("keptFromId"), record.get("replaces").member(b"throughId"));
    if let (Some(first), Some(last)) = (place(kept), place(through))
        && first > last
    {
        let found = format!("{}, which comes after {}", Shown(kept), Shown(through));
        validator.find(Requirement::Asr372D, record.row, "/keptFromId", found);
    }
}

/// Whether a node is on the path that ends at the predecessor of another, if that is no cycle.
fn is_on_own_path(validator: &Validator<'_, '_>, own: Node, node: Node) -> bool {
    match validator.graph.predecessor(own) {
        Predecessor::Node(head) => validator.forest.is_on_path(node, head),
        _ => false,
    }
}
