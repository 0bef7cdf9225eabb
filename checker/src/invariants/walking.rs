//! What every path is made of, and what it does not depend on.

use super::entries::{but_inherited, but_line, edge, inherited, is_gap, node_name, shown};
use super::layout::Target;
use super::lines::{field, text};
use super::subject::{Examined, Given, Stop, Subject, given};
use asr_spec::{Entry, Head, HeadState, Name, Outcome, What};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The paths of all records that name a node, without those that end in a cycle.
fn paths<'a>(s: &'a Subject<'_>) -> Vec<(&'a str, Vec<Entry>)> {
    s.layout.heads().into_iter().filter_map(|head| Some((head, s.base.path(head).ok()?))).collect()
}

/// The nodes on a path.
fn nodes_on(s: &Subject<'_>, path: &[Entry]) -> BTreeSet<usize> {
    path.iter().filter_map(node_name).filter_map(|name| s.layout.node(name)).collect()
}

pub(super) fn prefix_closed(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    for (_, path) in paths(s) {
        for (at, entry) in path.iter().enumerate() {
            let Some(Name(Some(id))) = node_name(entry) else { continue };
            let prefix = path.get(..=at).unwrap_or_default().to_vec();
            s.base.require_entries(What::Path, id, prefix)?;
        }
    }
    Ok(())
}

pub(super) fn no_cycle_backwards(s: &Subject<'_>) -> Examined {
    given(s.layout.bends_backwards_only())?;
    for head in s.layout.heads() {
        let found = s.base.ask(What::Path, Head::Ref(head.to_owned()));
        let is_cycle = matches!(found, Outcome::Cycle { .. });
        s.base.claim(!is_cycle, format!("path --head {head}"), "no cycle", found)?;
    }
    Ok(())
}

pub(super) fn positions_increase(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named && s.layout.bends_backwards_only())?;
    for (head, path) in paths(s) {
        let nodes: Vec<usize> =
            path.iter().filter_map(node_name).filter_map(|name| s.layout.node(name)).collect();
        let ascend = nodes.is_sorted_by(|a, b| a < b);
        s.base.claim(ascend, format!("path --head {head}"), "nodes in stream order", shown(&path))?;
    }
    Ok(())
}

pub(super) fn every_gap_on_one_edge(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let mut edges: BTreeMap<String, Name> = BTreeMap::new();
    for (head, path) in paths(s) {
        let mut seen = BTreeSet::new();
        for (at, entry) in path.iter().enumerate() {
            if let (true, Some(into)) = (is_gap(entry), path.iter().skip(at).find_map(node_name)) {
                let known = edges.entry(entry.to_string()).or_insert_with(|| into.clone());
                s.base.claim(known == into, format!("the edge of {entry}"), &*known, into)?;
            }
            let is_new = seen.insert(entry.to_string());
            s.base.claim(is_new, format!("path --head {head}"), format!("{entry} once"), shown(&path))?;
        }
    }
    Ok(())
}

pub(super) fn markers_in_front(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    for (head, path) in paths(s) {
        let question = format!("path --head {head}");
        let own = s.layout.resolve(head).map(|node| Name::from(s.layout.name(node)));
        let ends_well = path.last().and_then(node_name) == own.as_ref();
        s.base.claim(ends_well, &question, format!("the node of {head} at the end"), shown(&path))?;
        let mut rest = path.iter().peekable();
        rest.next_if(|entry| matches!(entry, Entry::Inherited { .. }));
        rest.next_if(|entry| matches!(entry, Entry::UnknownPredecessor | Entry::UnresolvedRef { .. }));
        let is_clean = rest.all(|entry| is_gap(entry) || node_name(entry).is_some());
        s.base.claim(is_clean, &question, "markers at the front only", shown(&path))?;
    }
    Ok(())
}

pub(super) fn deleting_what_is_off_the_path(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let head = s.pick(&s.layout.heads())?;
    let path = s.base.path(head)?;
    let on = nodes_on(s, &path);
    let off: BTreeSet<usize> = (0..s.layout.nodes.len()).filter(|node| !on.contains(node)).collect();
    let gone = s.layout.lines_of(&off);
    given(!gone.is_empty())?;
    let mut lines = s.lines();
    lines.retain(|line| !gone.contains(&line));
    let edited = lines.bytes();
    s.read(&edited)?.require_told(What::Path, head, path, but_line)
}

pub(super) fn path_before_a_compaction(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let mut seen = 0;
    for (head, path) in paths(s) {
        let is_compaction = s.layout.resolve(head).is_some_and(|node| s.layout.is_compaction(node));
        let Some((before, _)) = edge(&path).filter(|_| is_compaction) else { continue };
        seen += 1;
        if let Some(Name(Some(predecessor))) = before.last().and_then(node_name) {
            s.base.require_entries(What::Path, predecessor, before.to_vec())?;
        }
        for (_, other) in paths(s) {
            let at = other.iter().position(|entry| Some(entry) == path.last());
            let prefix = at.and_then(|at| other.get(..=at));
            let is_same = prefix.is_none_or(|prefix| prefix == path);
            s.base.claim(is_same, format!("what leads to {head}"), shown(&path), shown(&other))?;
        }
    }
    given(seen > 0)
}

pub(super) fn predecessor_is_an_earlier_default_head(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let is_linear = |&node: &usize| {
        let first = s.layout.record(s.layout.first(node));
        !s.layout.has_marked_rewrite(node)
            && first.is_some_and(|first| field(first, "branchesFrom").is_none())
    };
    let linear: Vec<usize> = (0..s.layout.nodes.len()).filter(is_linear).collect();
    let node = s.pick(&linear)?;
    let (first, id) = (s.layout.first(node), s.layout.name(node));
    let line = s.layout.line(first);
    let mut lines = s.lines();
    lines.retain(|at| at < line);
    let prefix = lines.bytes();
    let earlier = s.read(&prefix)?.heads().default;
    let path = s.base.path(id)?;
    let (before, _) = edge(&path).given()?;
    let found = match but_inherited(before.to_vec()).last() {
        None => HeadState::Start,
        Some(Entry::Node { id, .. }) => HeadState::Node(id.clone()),
        Some(Entry::UnknownPredecessor) => HeadState::Unknown,
        Some(Entry::UnresolvedRef { reference, status }) => {
            HeadState::Unresolved { reference: reference.clone(), status: *status }
        }
        Some(_) => return Err(Stop::NotApplicable),
    };
    s.base.claim(
        found == earlier,
        format!("the predecessor of {id}"),
        format!("{earlier:?}"),
        format!("{found:?}"),
    )
}

pub(super) fn deleting_gap_records(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let is_gap_line = |members| text(members, "type") == Some("gap");
    let gaps = s.layout.lines.records().filter(|(_, members)| is_gap_line(members)).map(|(at, _)| at);
    let gaps: BTreeSet<usize> = gaps.collect();
    given(!gaps.is_empty())?;
    let mut lines = s.lines();
    lines.retain(|line| !gaps.contains(&line));
    let edited = lines.bytes();
    let after = s.read(&edited)?;
    for (head, path) in paths(s) {
        let rest = path.into_iter().filter(|entry| !matches!(entry, Entry::Gap { .. })).collect();
        after.require_told(What::Path, head, rest, but_line)?;
    }
    Ok(())
}

pub(super) fn revisions_named(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    for what in [What::Path, What::View] {
        for head in s.layout.heads() {
            for entry in s.base.entries(what, head).unwrap_or_default() {
                let (Entry::Node { id, rev } | Entry::Summary { id, rev }) = &entry else { continue };
                let Some(node) = s.layout.node(id) else { continue };
                let (first, latest) = (s.layout.first(node), s.layout.latest(node));
                let expected = s.layout.id(latest).filter(|_| first != latest);
                let found = rev.as_ref().and_then(|rev| rev.0.as_deref());
                let question = format!("the latest revision of {id}");
                s.base.claim(expected == found, question, format!("{expected:?}"), format!("{found:?}"))?;
            }
        }
    }
    Ok(())
}

pub(super) fn start_is_empty(s: &Subject<'_>) -> Examined {
    let found = [What::Path, What::View].map(|what| s.base.ask(what, Head::Start));
    for outcome in found {
        s.base.require("path or view --head-start", &Outcome::Entries(Vec::new()), &outcome)?;
    }
    Ok(())
}

pub(super) fn cycles_where_nodes_come_again(s: &Subject<'_>) -> Examined {
    let is_read = |position| {
        let Some(members) = s.layout.record(position) else { return true };
        let to = members.get("to").is_none_or(|to| to.is_string() || to.is_null());
        let branch = field(members, "branchesFrom").is_none_or(Value::is_object);
        to && branch
    };
    given((0..s.layout.items.len()).all(is_read))?;
    for head in s.layout.heads() {
        let mut seen = BTreeSet::new();
        let mut at = s.layout.resolve(head).map_or(Target::Other, Target::Node);
        let mut comes_again = false;
        while let Target::Node(node) = at {
            comes_again = !seen.insert(node);
            if comes_again {
                break;
            }
            at = s.layout.predecessor(node);
        }
        let found = s.base.ask(What::Path, Head::Ref(head.to_owned()));
        let is_cycle = matches!(found, Outcome::Cycle { .. });
        let expected = if comes_again { "a cycle" } else { "no cycle" };
        s.base.claim(is_cycle == comes_again, format!("path --head {head}"), expected, found)?;
    }
    Ok(())
}

pub(super) fn stated_head(s: &Subject<'_>) -> Examined {
    let head = s.pick(&s.layout.heads())?;
    let edited = s.with([json!({"type": "session_info", "id": s.fresh(0), "heads": [head]})])?;
    let after = s.read(&edited)?;
    for what in [What::Path, What::View] {
        let expected = s.base.ask(what, Head::Ref(head.to_owned()));
        after.require(format!("{what:?} of heads [{head}]"), &expected, &after.ask(what, Head::Primary))?;
    }
    // Empty heads reset those stated before.
    let reset = s.with([json!({"type": "session_info", "id": s.fresh(0), "heads": []})])?;
    let mut lines = s.lines();
    lines.edit_all(|members| {
        if text(members, "type") == Some("session_info") {
            members.remove("heads");
        }
    });
    let (without, after) = (lines.bytes(), s.read(&reset)?);
    let without = s.read(&without)?;
    for what in [What::Path, What::View] {
        let expected = without.ask(what, Head::Primary);
        after.require(format!("{what:?} of heads []"), &expected, &after.ask(what, Head::Primary))?;
    }
    Ok(())
}

pub(super) fn null_head(s: &Subject<'_>) -> Examined {
    let other = s.layout.heads().last().map_or(Value::Null, |id| (*id).into());
    let edited = s.with([json!({"type": "session_info", "id": s.fresh(0), "heads": [null, other]})])?;
    let after = s.read(&edited)?;
    for what in [What::Path, What::View] {
        let found = after.ask(what, Head::Primary);
        after.require(format!("{what:?}"), &Outcome::NoDefaultPath, &found)?;
    }
    s.require_same(&after, super::subject::Unchanged::Records, super::entries::exactly)
}

pub(super) fn inheritance(s: &Subject<'_>) -> Examined {
    let lineage = |mode: &str| {
        let inherits = json!({"mode": mode, "from": "another session"});
        s.with([json!({"type": "session_info", "id": s.fresh(0), "lineage": {"inherits": inherits}})])
    };
    let (referenced, copied) = (lineage("referenced")?, lineage("copied")?);
    let (with, without) = (s.read(&referenced)?, s.read(&copied)?);
    let marker =
        Entry::Inherited { session: "another session".into(), through_id: None, through_ordinal: None };
    for head in s.layout.ids() {
        let Ok(path) = without.path(head) else { continue };
        without.claim(
            inherited(&path).is_empty(),
            format!("path --head {head}"),
            "no marker",
            shown(&path),
        )?;
        with.require_entries(What::Path, head, [marker.clone()].into_iter().chain(path).collect())?;
    }
    with.require("path --head-start", &Outcome::Entries(Vec::new()), &with.ask(What::Path, Head::Start))
}
