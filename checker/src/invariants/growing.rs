//! What appending records does, and does not do, to paths.

use super::entries::{but_rev, exactly, inherited, node, shown};
use super::subject::{Examined, Given, Stop, Subject, Unchanged, given};
use asr_spec::{Entry, Head, HeadState, What};
use serde_json::{Value, json};

fn rewind(id: String, to: Option<&str>) -> Value {
    json!({"type": "rewind", "id": id, "to": to, "reason": "other"})
}

/// The id of some context-participating record, and its path.
fn some_head<'a>(s: &'a Subject<'_>) -> Result<(&'a str, Vec<Entry>), Stop> {
    let id = s.pick(&s.layout.heads())?;
    Ok((id, s.base.path(id)?))
}

pub(super) fn linear_message(s: &Subject<'_>) -> Examined {
    let edited = s.with([s.message(0)])?;
    let after = s.read(&edited)?;
    let mut path = match s.base.heads().default {
        HeadState::Start => inherited(&after.path(&s.fresh(0))?),
        HeadState::Node(_) => {
            given(s.layout.is_named)?;
            s.base.path(&s.base.default_node()?)?
        }
        HeadState::Unknown | HeadState::Unresolved { .. } => return Err(Stop::NotApplicable),
    };
    path.extend(s.layout.trailing_gaps());
    path.push(node(&s.fresh(0)));
    after.require_entries(What::Path, &s.fresh(0), path)
}

pub(super) fn message_leaves_records_alone(s: &Subject<'_>) -> Examined {
    s.require_no_change(&s.with([s.message(0)])?, Unchanged::Records, exactly)?;
    let mut message = s.message(0);
    let (id, _) = some_head(s)?;
    if let Some(members) = message.as_object_mut() {
        members.insert("branchesFrom".to_owned(), json!({"record": id}));
    }
    s.require_no_change(&s.with([message])?, Unchanged::Records, exactly)
}

pub(super) fn rewind_to_default_head(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let id = s.base.default_node()?;
    let node = s.layout.resolve(&id).given()?;
    let record = s.pick(&s.layout.nodes.get(node).given()?.records)?;
    let edited = s.with([rewind(s.fresh(0), s.layout.id(record))])?;
    s.require_no_change(&edited, Unchanged::All, exactly)
}

pub(super) fn rewind_then_message(s: &Subject<'_>) -> Examined {
    let (id, mut path) = some_head(s)?;
    let edited = s.with([rewind(s.fresh(0), Some(id)), s.message(1)])?;
    path.push(node(&s.fresh(1)));
    s.read(&edited)?.require_entries(What::Path, &s.fresh(1), path)
}

pub(super) fn branch_as_rewind(s: &Subject<'_>) -> Examined {
    let heads: Vec<Option<&str>> = s.layout.heads().into_iter().map(Some).chain([None]).collect();
    for to in [s.pick(&heads)?, None] {
        let rewound = s.with([rewind(s.fresh(0), to), s.message(1)])?;
        let mut branching = s.message(1);
        if let Some(members) = branching.as_object_mut() {
            members.insert("branchesFrom".to_owned(), json!({"record": to}));
        }
        let branched = s.with([branching])?;
        let expected = s.read(&rewound)?.ask(What::Path, Head::Ref(s.fresh(1)));
        let after = s.read(&branched)?;
        let found = after.ask(What::Path, Head::Ref(s.fresh(1)));
        after.require(format!("path --head {}", s.fresh(1)), &expected, &found)?;
    }
    Ok(())
}

pub(super) fn abandoned_branch(s: &Subject<'_>) -> Examined {
    let id = s.base.default_node()?;
    given(s.layout.is_named)?;
    let edited = s.with([s.message(0), s.message(1), s.message(2), rewind(s.fresh(3), Some(&id))])?;
    s.require_no_change(&edited, Unchanged::All, exactly)
}

pub(super) fn append_stability(s: &Subject<'_>) -> Examined {
    let ids: Vec<&str> = s.layout.ids().collect();
    let some = s.pick(&ids).ok();
    let edited = s.with([
        s.message(0),
        json!({"type": "gap", "id": s.fresh(1)}),
        json!({"type": "tool_result", "id": s.fresh(2), "callId": "A"}),
        s.compaction(3, json!({"throughId": some}), json!({"insertAt": {"afterId": null}, "summary": ["s"]})),
        rewind(s.fresh(4), some),
        json!({"type": "usage", "id": s.fresh(5)}),
        s.message(6),
    ])?;
    s.require_no_change(&edited, Unchanged::Records, exactly)
}

pub(super) fn order_of_gaps(s: &Subject<'_>) -> Examined {
    let mut lines = s.lines();
    lines.append(json!({"type": "gap", "id": s.fresh(0)})).given()?;
    lines.push_malformed(b"{");
    let line = lines.lines.len() as u64;
    lines.append(json!({"type": "gap", "id": s.fresh(1)})).given()?;
    lines.append(s.message(2)).given()?;
    let edited = lines.bytes();
    let after = s.read(&edited)?;
    let path = after.path(&s.fresh(2))?;
    let gap = |number| Entry::Gap { id: s.fresh(number).as_str().into() };
    let end = [gap(0), Entry::Malformed { line }, gap(1), node(&s.fresh(2))];
    after.claim(path.ends_with(&end), "the end of the path", shown(&end), shown(&path))
}

/// A marked rewrite of a node, with a branchesFrom.
fn rewrite(s: &Subject<'_>, of: usize, branches_from: Value) -> Result<Value, Stop> {
    let mut members = s.layout.content(of).given()?.clone();
    members.insert("id".to_owned(), s.fresh(0).into());
    members.insert("supersedes".to_owned(), s.layout.name(of).into());
    members.insert("assembly".to_owned(), json!({"mode": "rewrite"}));
    members.insert("branchesFrom".to_owned(), branches_from);
    Ok(Value::Object(members))
}

pub(super) fn rewrite_moves_its_node(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let nodes: Vec<usize> = (0..s.layout.nodes.len()).collect();
    let of = s.pick(&nodes)?;
    let id = s.layout.name(of);
    let is_it = |entry: &Entry| super::entries::node_name(entry).is_some_and(|name| name == &id.into());

    let edited = s.with([rewrite(s, of, json!({"record": null}))?])?;
    let after = s.read(&edited)?;
    let start = inherited(&after.path(id)?);
    let then = |mut path: Vec<Entry>| {
        path.push(node(id));
        path
    };
    after.require_told(What::Path, id, then(start.clone()), but_rev)?;

    let edited = s.with([rewrite(s, of, json!({"state": "unknown"}))?])?;
    let unknown = start.into_iter().chain([Entry::UnknownPredecessor]).collect();
    s.read(&edited)?.require_told(What::Path, id, then(unknown), but_rev)?;

    let (from, path) = some_head(s)?;
    if path.iter().any(is_it) {
        return Ok(());
    }
    let edited = s.with([rewrite(s, of, json!({"record": from}))?])?;
    s.read(&edited)?.require_told(What::Path, id, then(path), but_rev)
}

pub(super) fn rewrite_leaves_other_paths_alone(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let nodes: Vec<usize> = (0..s.layout.nodes.len()).collect();
    let of = s.pick(&nodes)?;
    let id = s.layout.name(of);
    let (from, _) = some_head(s)?;
    let branches = [json!({"record": from}), json!({"record": null}), json!({"state": "unknown"})];
    let branch = s.pick(&branches.each_ref())?;
    let edited = s.with([rewrite(s, of, branch.clone())?])?;
    let after = s.read(&edited)?;
    let own = after.path(id)?;
    for head in s.layout.heads() {
        let path = s.base.path(head)?;
        let at = path.iter().position(|entry| super::entries::node_name(entry) == Some(&id.into()));
        let tail = at.and_then(|at| path.get(at + 1..));
        let expected = match tail {
            Some(tail) => own.iter().chain(tail).cloned().collect(),
            None => path,
        };
        after.require_told(What::Path, head, expected, but_rev)?;
    }
    Ok(())
}

pub(super) fn plain_revision(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let nodes: Vec<usize> = (0..s.layout.nodes.len()).collect();
    let of = s.pick(&nodes)?;
    let superseded = s.pick(&s.layout.nodes.get(of).given()?.records)?;
    let revision = json!({
        "type": s.layout.type_of(superseded),
        "id": s.fresh(0),
        "supersedes": s.layout.id(superseded),
        "branchesFrom": {"record": null},
        "assembly": {"mode": "merge"},
        "replaces": {"ids": []},
    });
    let edited = s.with([revision])?;
    let after = s.read(&edited)?;
    let (before, now) = (s.base.heads(), after.heads());
    after.claim(before.default == now.default, "heads", format!("{before:?}"), format!("{now:?}"))?;
    for head in s.layout.heads() {
        after.require_told(What::Path, head, s.base.path(head)?, but_rev)?;
    }
    Ok(())
}
