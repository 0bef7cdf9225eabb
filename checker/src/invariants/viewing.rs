//! What every view is made of.

use super::entries::{edge, is_by, is_of_path, is_subsequence, node, node_name, shown};
use super::lines::{Members, field, text};
use super::subject::{Examined, Given, Subject, given};
use asr_spec::{Entry, Head, Name, Outcome, What};
use serde_json::Value;

/// The paths and views of all records that name a node, without those that end in a cycle.
fn views<'a>(s: &'a Subject<'_>) -> Vec<(&'a str, Vec<Entry>, Vec<Entry>)> {
    let heads = s.layout.heads().into_iter();
    heads.filter_map(|head| Some((head, s.base.path(head).ok()?, s.base.view(head).ok()?))).collect()
}

/// The nodes of a path in its order.
fn nodes(s: &Subject<'_>, path: &[Entry]) -> Vec<usize> {
    path.iter().filter_map(node_name).filter_map(|name| s.layout.node(name)).collect()
}

/// Whether a node entry survives step 4; other entries do.
fn survives(s: &Subject<'_>, entry: &Entry) -> bool {
    node_name(entry).and_then(|name| s.layout.node(name)).is_none_or(|node| !s.layout.is_dropped(node))
}

fn question(head: &str) -> String {
    format!("view --head {head}")
}

pub(super) fn no_compaction_no_difference(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let mut seen = 0;
    for (head, path, _) in views(s) {
        if nodes(s, &path).into_iter().any(|node| s.layout.is_compaction(node)) {
            continue;
        }
        seen += 1;
        let rest = path.into_iter().filter(|entry| survives(s, entry)).collect();
        s.base.require_entries(What::View, head, rest)?;
    }
    given(seen > 0)
}

pub(super) fn no_entry_of_a_compaction(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    for (head, _, view) in views(s) {
        let has_one = nodes(s, &view).into_iter().any(|node| s.layout.is_compaction(node));
        s.base.claim(!has_one, question(head), "no node entry of a compaction", shown(&view))?;
    }
    Ok(())
}

pub(super) fn subsequence_of_the_path(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    for (head, path, view) in views(s) {
        let rest: Vec<_> = view.iter().filter(|entry| is_of_path(entry)).cloned().collect();
        let is_in_order = is_subsequence(&rest, &path);
        s.base.claim(is_in_order, question(head), format!("of {}", shown(&path)), shown(&view))?;
    }
    Ok(())
}

pub(super) fn inserted_by_applied_compactions(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    for (head, path, view) in views(s) {
        let on = nodes(s, &path);
        let mut once = std::collections::BTreeSet::new();
        for entry in &view {
            let by = match entry {
                Entry::Summary { id, .. } | Entry::UnknownReplacement { id } => {
                    let is_new = once.insert(entry.to_string());
                    s.base.claim(is_new, question(head), format!("{entry} once"), shown(&view))?;
                    id
                }
                Entry::Retained { by, .. } => by,
                Entry::Node { .. }
                | Entry::Gap { .. }
                | Entry::Malformed { .. }
                | Entry::UnresolvedRef { .. }
                | Entry::UnknownPredecessor
                | Entry::Inherited { .. } => continue,
            };
            let is_applied =
                s.layout.node(by).is_some_and(|node| s.layout.is_applied(node) && on.contains(&node));
            s.base.claim(is_applied, question(head), format!("{by} to be applied"), shown(&view))?;
        }
    }
    Ok(())
}

/// The entries that a compaction inserts, where all its refs resolve.
fn inserted(s: &Subject<'_>, compaction: usize) -> Vec<Entry> {
    let id = || Name::from(s.layout.name(compaction));
    let Some(members) = s.layout.content(compaction) else { return Vec::new() };
    let replaces = members.get("replaces").and_then(Value::as_object);
    let is_unknown = replaces.and_then(|replaces| text(replaces, "state")) == Some("unknown");
    let retains = members.get("retains").and_then(Value::as_array).into_iter().flatten();
    let retained = retains.filter_map(|entry| {
        let entry = entry.as_object()?;
        let node = s.layout.resolve(text(entry, "ref")?)?;
        let truncated = text(entry, "capture") == Some("truncated");
        Some(Entry::Retained { id: s.layout.name(node).into(), by: id(), truncated })
    });
    let rev = s.layout.id(s.layout.latest(compaction)).map(Name::from).filter(|rev| *rev != id());
    let summary = s.layout.has_content(compaction).then(|| Entry::Summary { id: id(), rev });
    is_unknown
        .then(|| Entry::UnknownReplacement { id: id() })
        .into_iter()
        .chain(retained)
        .chain(summary)
        .collect()
}

pub(super) fn last_compaction_contributes_all(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let mut seen = 0;
    for (head, path, view) in views(s) {
        let Some(last) = nodes(s, &path).into_iter().rfind(|&node| s.layout.is_applied(node)) else {
            continue;
        };
        seen += 1;
        let name = s.layout.name(last);
        let found: Vec<_> = view.iter().filter(|entry| is_by(entry, name)).cloned().collect();
        let expected = inserted(s, last);
        s.base.claim(found == expected, question(head), shown(&expected), shown(&view))?;
    }
    given(seen > 0)
}

pub(super) fn entries_of_a_compaction_stand_together(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let mut seen = 0;
    for (head, path, view) in views(s) {
        for node in nodes(s, &path).into_iter().filter(|&node| s.layout.is_applied(node)) {
            let name = s.layout.name(node);
            let Some(from) = view.iter().position(|entry| is_by(entry, name)) else { continue };
            seen += 1;
            let all = view.iter().filter(|entry| is_by(entry, name)).count();
            let together = view.get(from..from + all).unwrap_or_default();
            let is_together = together.iter().all(|entry| is_by(entry, name));
            let is_ordered = is_subsequence(together, &inserted(s, node));
            let expected = format!("the entries of {name} together and in order");
            s.base.claim(is_together && is_ordered, question(head), expected, shown(&view))?;
        }
    }
    given(seen > 0)
}

/// Where a compaction says that it inserts, as an index on a path and whether after or before it.
fn anchor(s: &Subject<'_>, content: &Members, path: &[Entry]) -> Option<(usize, bool)> {
    let insert_at = content.get("insertAt")?.as_object()?;
    let (id, after) = match insert_at.get("afterId") {
        Some(after) => (after.as_str()?, true),
        None => (text(insert_at, "beforeId")?, false),
    };
    let node = s.layout.resolve(id)?;
    let of = |entry: &Entry| node_name(entry).and_then(|name| s.layout.node(name)) == Some(node);
    Some((path.iter().position(of)?, after))
}

pub(super) fn inserted_between_indexes(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let mut seen = 0;
    for (head, path, view) in views(s) {
        for compaction in nodes(s, &path).into_iter().filter(|&node| s.layout.is_applied(node)) {
            let content = s.layout.content(compaction).given()?;
            let Some((index, after)) = anchor(s, content, &path) else { continue };
            let name = s.layout.name(compaction);
            let Some(at) = view.iter().position(|entry| is_by(entry, name)) else { continue };
            seen += 1;
            let index_of = |entry: &Entry| path.iter().position(|item| item == entry);
            let comes_before = |entry: &Entry| {
                index_of(entry).is_some_and(|other| if after { other <= index } else { other < index })
            };
            let mut of_path = view.iter().enumerate().filter(|(_, entry)| is_of_path(entry));
            let is_right = of_path.all(|(place, entry)| (place < at) == comes_before(entry));
            s.base.claim(is_right, question(head), format!("{name} where insertAt says"), shown(&view))?;
        }
    }
    given(seen > 0)
}

pub(super) fn extension(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let mut seen = 0;
    for (head, path, _) in views(s) {
        let Some((before, gaps)) = edge(&path) else { continue };
        let Some(Name(Some(predecessor))) = before.last().and_then(node_name) else { continue };
        let Some(own) = s.layout.resolve(head).filter(|&own| !s.layout.is_compaction(own)) else { continue };
        seen += 1;
        let mut view = s.base.view(predecessor)?;
        view.extend_from_slice(gaps);
        if !s.layout.is_dropped(own) {
            view.extend(path.last().cloned());
        }
        s.base.require_entries(What::View, head, view)?;
    }
    given(seen > 0)
}

pub(super) fn what_is_lost_stays_lost(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    for (head, path, view) in views(s) {
        for shown_node in view.iter().filter(|entry| node_name(entry).is_some()) {
            let later = path.iter().skip_while(|entry| *entry != shown_node).filter_map(node_name);
            for Name(later) in later {
                let Some(later) = later.as_deref() else { continue };
                let there = s.base.view(later)?;
                let expected = format!("{shown_node}, as view --head {head} shows it");
                s.base.claim(there.contains(shown_node), question(later), expected, shown(&there))?;
            }
        }
    }
    Ok(())
}

pub(super) fn schema(s: &Subject<'_>) -> Examined {
    let heads = s.layout.ids().map(|id| Head::Ref(id.to_owned())).chain([Head::Primary, Head::Start]);
    for head in heads {
        for what in [What::Path, What::View] {
            let outcome = s.base.ask(what, head.clone());
            let read: Result<Outcome, _> = serde_json::from_str(&outcome.to_string());
            let is_in_table = read.as_ref().is_ok_and(|read| *read == outcome);
            s.base.claim(is_in_table, format!("{what:?}"), "the forms of ASR-376", &outcome)?;
        }
    }
    Ok(())
}

pub(super) fn everything_resolves(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    for (head, path, view) in views(s) {
        for entries in [path, view] {
            let is_unresolved = |entry: &Entry| matches!(entry, Entry::UnresolvedRef { .. });
            let is_clean = !entries.iter().any(is_unresolved);
            s.base.claim(is_clean, question(head), "no unresolved ref", shown(&entries))?;
        }
    }
    Ok(())
}

pub(super) fn size(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    for (head, path, view) in views(s) {
        let compactions: Vec<usize> =
            nodes(s, &path).into_iter().filter(|&node| s.layout.is_compaction(node)).collect();
        let grows = |&node: &usize| {
            let Some(members) = s.layout.content(node).filter(|_| s.layout.is_applied(node)) else {
                return 0;
            };
            let refs = [
                members.get("replaces").and_then(|replaces| replaces.get("throughId")),
                members.get("keptFromId"),
                members.get("insertAt").and_then(|insert| insert.get("afterId")),
                members.get("insertAt").and_then(|insert| insert.get("beforeId")),
            ];
            let fails = |reference: &&Value| reference.as_str().and_then(|id| s.layout.resolve(id)).is_none();
            let failed = refs.into_iter().flatten().filter(|value| !value.is_null()).filter(fails).count();
            let replaces = members.get("replaces").and_then(Value::as_object);
            let unknown = replaces.is_some_and(|it| text(it, "state") == Some("unknown"));
            let retains = members.get("retains").and_then(Value::as_array).map_or(0, Vec::len);
            usize::from(unknown) + retains + usize::from(s.layout.has_content(node)) + failed
        };
        let most =
            (path.len() + compactions.iter().map(grows).sum::<usize>()).saturating_sub(compactions.len());
        s.base.claim(view.len() <= most, question(head), format!("at most {most}"), shown(&view))?;
    }
    Ok(())
}

pub(super) fn only_old_and_own_entries(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let mut seen = 0;
    for (head, path, view) in views(s) {
        let Some((before, gaps)) = edge(&path) else { continue };
        let Some(Name(Some(predecessor))) = before.last().and_then(node_name) else { continue };
        let Some(own) = s.layout.resolve(head).filter(|&own| s.layout.is_compaction(own)) else { continue };
        seen += 1;
        let mut old = s.base.view(predecessor)?;
        old.extend_from_slice(gaps);
        let name = s.layout.name(own);
        let rest: Vec<_> = view.iter().filter(|entry| !is_by(entry, name)).cloned().collect();
        let is_old = is_subsequence(&rest, &old);
        s.base.claim(
            is_old,
            question(head),
            format!("entries of {} and its own", shown(&old)),
            shown(&view),
        )?;
    }
    given(seen > 0)
}

pub(super) fn what_follows_is_there(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let mut seen = 0;
    for (head, path, view) in views(s) {
        let is_applied = |entry: &Entry| {
            node_name(entry)
                .and_then(|name| s.layout.node(name))
                .is_some_and(|node| s.layout.is_applied(node))
        };
        let Some(last) = path.iter().rposition(is_applied) else { continue };
        for entry in path.get(last + 1..).unwrap_or_default() {
            let is_compaction = node_name(entry)
                .and_then(|name| s.layout.node(name))
                .is_some_and(|node| s.layout.is_compaction(node));
            if is_compaction || !survives(s, entry) {
                continue;
            }
            seen += 1;
            s.base.claim(view.contains(entry), question(head), entry, shown(&view))?;
        }
    }
    given(seen > 0)
}

pub(super) fn step_4_restated(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    for (head, _, view) in views(s) {
        let all_seen = view.iter().all(|entry| survives(s, entry));
        s.base.claim(all_seen, question(head), "nothing that step 4 drops", shown(&view))?;
    }
    Ok(())
}

pub(super) fn hiding_a_message(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let is_message = |&node: &usize| s.layout.type_of(s.layout.latest(node)) == "message";
    let messages: Vec<usize> = (0..s.layout.nodes.len()).filter(is_message).collect();
    let hidden = s.pick(&messages)?;
    let mut lines = s.lines();
    lines.edit(s.layout.line(s.layout.latest(hidden)), |members| {
        members.insert("audience".to_owned(), "user".into());
    });
    let edited = lines.bytes();
    let after = s.read(&edited)?;
    let name = Name::from(s.layout.name(hidden));
    for (head, path, view) in views(s) {
        let rest = view.into_iter().filter(|entry| node_name(entry) != Some(&name)).collect();
        after.require_entries(What::View, head, rest)?;
        after.require_entries(What::Path, head, path)?;
    }
    Ok(())
}

pub(super) fn compactions_off_the_path(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let head = s.pick(&s.layout.heads())?;
    let on = nodes(s, &s.base.path(head)?);
    let off = (0..s.layout.nodes.len()).filter(|node| s.layout.is_compaction(*node) && !on.contains(node));
    let gone = s.layout.lines_of(&off.collect());
    given(!gone.is_empty())?;
    let mut lines = s.lines();
    lines.retain(|line| !gone.contains(&line));
    let edited = lines.bytes();
    s.read(&edited)?.require_told(What::View, head, s.base.view(head)?, super::entries::but_line)
}

pub(super) fn failed_compaction_deleted(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let is_free = |&node: &usize| {
        let Some(members) = s.layout.content(node) else { return false };
        s.layout.is_compaction(node)
            && !s.layout.is_applied(node)
            && s.layout.nodes.get(node).is_some_and(|node| node.records.len() == 1)
            && field(members, "branchesFrom").is_none()
            && s.layout.mentions(s.layout.name(node)) == 1
    };
    let free: Vec<usize> = (0..s.layout.nodes.len()).filter(is_free).collect();
    let gone = s.pick(&free)?;
    let line = s.layout.line(s.layout.first(gone));
    let mut lines = s.lines();
    lines.retain(|at| at != line);
    let edited = lines.bytes();
    let after = s.read(&edited)?;
    let name = s.layout.name(gone);
    for (head, path, view) in views(s) {
        if head == name {
            continue;
        }
        let rest = path.into_iter().filter(|entry| *entry != node(name)).collect();
        after.require_told(What::Path, head, rest, super::entries::but_line)?;
        after.require_told(What::View, head, view, super::entries::but_line)?;
    }
    Ok(())
}
