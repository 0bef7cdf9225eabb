//! What appending a compaction does to the default view.

use super::entries::{exactly, is_by, is_of_path, node_name, shown, summary};

use super::subject::{Examined, Given, Reading, Stop, Subject, Unchanged, given};
use asr_spec::{Entry, What};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The default head with its path and view, where it is a node.
struct Before {
    head: String,
    path: Vec<Entry>,
    view: Vec<Entry>,
    gaps: Vec<Entry>,
    /// The nodes on the path, in its order.
    nodes: Vec<usize>,
}

impl Before {
    fn of(s: &Subject<'_>) -> Result<Self, Stop> {
        Self::at(s, s.base.default_node()?, s.layout.trailing_gaps())
    }

    /// As if `head` were the default head, which a rewind to it makes it.
    fn at(s: &Subject<'_>, head: String, gaps: Vec<Entry>) -> Result<Self, Stop> {
        given(s.layout.is_named)?;
        let (path, view) = (s.base.path(&head)?, s.base.view(&head)?);
        let nodes = path.iter().filter_map(node_name).filter_map(|name| s.layout.node(name)).collect();
        Ok(Self { head, path, view, gaps, nodes })
    }

    /// The view, the trailing gaps, and what is given.
    fn view_then(&self, more: impl IntoIterator<Item = Entry>) -> Vec<Entry> {
        self.view.iter().chain(&self.gaps).cloned().chain(more).collect()
    }

    /// Whether a compaction on the path, applied or not, inserts after what `is_it` accepts.
    fn inserts_after(&self, s: &Subject<'_>, is_it: impl Fn(&Value) -> bool) -> bool {
        self.nodes.iter().any(|&node| {
            let insert_at = s.layout.content(node).and_then(|content| content.get("insertAt"));
            s.layout.is_compaction(node)
                && insert_at.and_then(|insert_at| insert_at.get("afterId")).is_some_and(&is_it)
        })
    }

    /// Whether an earlier entry may stand just after the head.
    fn has_entries_after_head(&self, s: &Subject<'_>) -> bool {
        let head = s.layout.resolve(&self.head);
        self.inserts_after(s, |after| after.as_str().and_then(|after| s.layout.resolve(after)) == head)
    }
}

fn content() -> Value {
    json!([{"type": "text", "text": "s"}])
}

pub(super) fn failed(s: &Subject<'_>) -> Examined {
    let before = Before::of(s)?;
    let status = s.pick(&["failed", "cancelled", "in_progress", "partial"])?;
    let more = json!({"summary": content(), "status": status, "retains": [{"ref": before.head}]});
    let edited = s.with([s.compaction(0, json!({"throughId": before.head}), more)])?;
    s.read(&edited)?.require_entries(What::View, &s.fresh(0), before.view_then([]))
}

pub(super) fn empty(s: &Subject<'_>) -> Examined {
    let before = Before::of(s)?;
    let edited = s.with([s.compaction(0, json!({"ids": []}), json!({}))])?;
    let after = s.read(&edited)?;
    after.require_entries(What::View, &s.fresh(0), before.view_then([]))?;
    s.require_same(&after, Unchanged::Records, exactly)
}

pub(super) fn unknown(s: &Subject<'_>) -> Examined {
    let before = Before::of(s)?;
    let carried = s.layout.name(s.pick(&before.nodes)?);
    let retains = json!([{"ref": carried, "capture": "truncated"}, {"ref": before.head, "capture": "full"}]);
    let more = json!({"summary": content(), "retains": retains});
    let edited = s.with([s.compaction(0, json!({"state": "unknown"}), more)])?;
    let own = s.fresh(0);
    let retained =
        |id: &str, truncated| Entry::Retained { id: id.into(), by: own.as_str().into(), truncated };
    let head = s.layout.name(s.layout.resolve(&before.head).given()?);
    let expected = before.view_then([
        Entry::UnknownReplacement { id: own.as_str().into() },
        retained(carried, true),
        retained(head, false),
        summary(&own),
    ]);
    s.read(&edited)?.require_entries(What::View, &own, expected)
}

pub(super) fn full(s: &Subject<'_>) -> Examined {
    let before = Before::of(s)?;
    given(!before.has_entries_after_head(s))?;
    let edited =
        s.with([s.compaction(0, json!({"throughId": before.head}), json!({"summary": content()}))])?;
    let after = s.read(&edited)?;
    let own = s.fresh(0);
    let first: Vec<Entry> = [summary(&own)].into_iter().chain(before.gaps.iter().cloned()).collect();
    let last: Vec<Entry> = before.gaps.iter().cloned().chain([summary(&own)]).collect();
    let found = after.view(&own)?;
    // Where the old view is empty, something that step 4 drops may still have given the place.
    let is_right = found == first || before.view.is_empty() && found == last;
    after.claim(is_right, format!("view --head {own}"), shown(&first), shown(&found))
}

pub(super) fn branch_summary(s: &Subject<'_>) -> Examined {
    let before = Before::of(s)?;
    let off: Vec<&str> = (0..s.layout.nodes.len())
        .filter(|node| !before.nodes.contains(node))
        .map(|node| s.layout.name(node))
        .collect();
    given(!off.is_empty())?;
    let more = json!({"kind": "branch_summary", "summary": content()});
    let edited = s.with([s.compaction(0, json!({"ids": off}), more)])?;
    let own = s.fresh(0);
    s.read(&edited)?.require_entries(What::View, &own, before.view_then([summary(&own)]))
}

pub(super) fn kept_from_the_first(s: &Subject<'_>) -> Examined {
    let before = Before::of(s)?;
    let first = before.path.first().and_then(node_name).and_then(|name| name.0.as_deref()).given()?;
    let more = json!({"summary": content(), "keptFromId": first});
    let edited = s.with([s.compaction(0, json!({"throughId": before.head}), more)])?;
    let after = s.read(&edited)?;
    let of_path = |entries: Vec<Entry>| entries.into_iter().filter(is_of_path).collect();
    after.require_told(What::View, &s.fresh(0), before.view_then([]), of_path)
}

pub(super) fn range_as_set(s: &Subject<'_>) -> Examined {
    // From any node, since the default path is seldom one that is not in stream order.
    let before = Before::at(s, s.pick(&s.layout.heads())?.to_owned(), Vec::new())?;
    let is_plain = |entry: &Entry| matches!(entry, Entry::Node { .. } | Entry::Summary { .. });
    let is_linear = !before.nodes.iter().any(|&node| s.layout.is_compaction(node));
    // Without compactions every entry stands at its own index; with them only the whole range is sure.
    let end = if is_linear { s.pick(&before.nodes)? } else { s.layout.resolve(&before.head).given()? };
    let end_at = before.nodes.iter().position(|&node| node == end).given()?;
    let through = before
        .path
        .iter()
        .position(|entry| node_name(entry).and_then(|name| s.layout.node(name)) == Some(end));
    let range = if is_linear { before.path.get(..through.given()?) } else { Some(&before.view[..]) };
    given(range.given()?.iter().all(is_plain) && !before.has_entries_after_head(s))?;
    let all: Vec<&str> =
        before.nodes.get(..=end_at).given()?.iter().map(|&node| s.layout.name(node)).collect();
    let compacted = |replaces| {
        let rewind = json!({"type": "rewind", "id": s.fresh(1), "to": before.head, "reason": "other"});
        s.with([rewind, s.compaction(0, replaces, json!({"summary": content()}))])
    };
    let by_range = compacted(json!({"throughId": s.layout.name(end)}))?;
    let by_set = compacted(json!({"ids": all}))?;
    let expected = s.read(&by_set)?.view(&s.fresh(0))?;
    s.read(&by_range)?.require_entries(What::View, &s.fresh(0), expected)
}

pub(super) fn set(s: &Subject<'_>) -> Examined {
    let before = Before::of(s)?;
    let is_summary = |entry: &Entry| matches!(entry, Entry::Summary { .. });
    let inserted = before.view.iter().filter(|entry| !is_of_path(entry)).count();
    // A summary shares its place with what other compactions inserted there; a node has its own.
    let may_lead = |entry: &&Entry| node_name(entry).is_some() || is_summary(entry) && inserted == 1;
    let leads: Vec<usize> =
        (0..).zip(&before.view).filter(|(_, entry)| may_lead(entry)).map(|(at, _)| at).collect();
    let lead = s.pick(&leads)?;
    let mut gone = BTreeSet::from([lead]);
    for (at, entry) in before.view.iter().enumerate().skip(lead + 1) {
        if (node_name(entry).is_some() || is_summary(entry)) && s.pick(&[true, false])? {
            gone.insert(at);
        }
    }
    let ids: Vec<_> = gone
        .iter()
        .filter_map(|&at| match before.view.get(at)? {
            Entry::Node { id, .. } | Entry::Summary { id, .. } => Some(id),
            _ => None,
        })
        .collect();
    let carried = s.layout.name(s.pick(&before.nodes)?);
    let more = json!({"summary": content(), "retains": [{"ref": carried}]});
    let edited = s.with([s.compaction(0, json!({"ids": ids}), more)])?;
    let own = s.fresh(0);
    let mut expected = Vec::new();
    for (at, entry) in before.view.iter().enumerate() {
        if at == lead {
            let by = own.as_str().into();
            expected.push(Entry::Retained { id: carried.into(), by, truncated: false });
            expected.push(summary(&own));
        }
        if !gone.contains(&at) {
            expected.push(entry.clone());
        }
    }
    expected.extend(before.gaps.iter().cloned());
    s.read(&edited)?.require_entries(What::View, &own, expected)
}

/// The new view without what the new compaction inserted, which stands together, and the place where that
/// was.
fn without_own(s: &Subject<'_>, before: &Before, after: &Reading<'_>) -> Result<(usize, Vec<Entry>), Stop> {
    let own = s.fresh(0);
    let view = after.view(&own)?;
    let question = format!("view --head {own}");
    let Some(at) = view.iter().position(|entry| is_by(entry, &own)) else {
        after.breach(question, format!("the summary of {own}"), shown(&view))?;
        return Err(Stop::NotApplicable);
    };
    let rest: Vec<_> = view.iter().filter(|entry| !is_by(entry, &own)).cloned().collect();
    let expected = before.view_then([]);
    after.claim(rest == expected, question, shown(&expected), shown(&view))?;
    Ok((at, rest))
}

pub(super) fn at_start(s: &Subject<'_>) -> Examined {
    let before = Before::of(s)?;
    let more = json!({"summary": content(), "insertAt": {"afterId": null}});
    let edited = s.with([s.compaction(0, json!({"ids": []}), more)])?;
    let after = s.read(&edited)?;
    let (at, rest) = without_own(s, &before, &after)?;
    let passed = rest.get(..at).unwrap_or_default();
    let may_pass = before.inserts_after(s, Value::is_null);
    let is_first = passed.iter().all(|entry| may_pass && !is_of_path(entry));
    after.claim(is_first, "the entries before START's new one", "only others at START", shown(passed))
}

pub(super) fn beside_a_node(s: &Subject<'_>) -> Examined {
    let before = Before::of(s)?;
    let anchor = s.pick(&before.nodes)?;
    let index = before
        .path
        .iter()
        .position(|entry| node_name(entry).and_then(|name| s.layout.node(name)) == Some(anchor));
    let index = index.given()?;
    for (key, after_it) in [("afterId", true), ("beforeId", false)] {
        let insert_at = json!({key: s.layout.name(anchor)});
        let more = json!({"summary": content(), "insertAt": insert_at});
        let edited = s.with([s.compaction(0, json!({"ids": []}), more)])?;
        let after = s.read(&edited)?;
        let (at, rest) = without_own(s, &before, &after)?;
        let comes_first = |entry: &Entry| {
            let other = before.path.iter().position(|item| item == entry);
            other.is_some_and(|other| if after_it { other <= index } else { other < index })
        };
        let mut of_path = rest.iter().enumerate().filter(|(_, entry)| is_of_path(entry));
        let is_right = of_path.all(|(place, entry)| (place < at) == comes_first(entry));
        let question = format!("view --head {}", s.fresh(0));
        after.claim(
            is_right,
            question,
            format!("the summary {key} {insert_at}"),
            shown(&after.view(&s.fresh(0))?),
        )?;
    }
    Ok(())
}

pub(super) fn retains_in_order(s: &Subject<'_>) -> Examined {
    let before = Before::of(s)?;
    let (x, y) = (s.pick(&before.nodes)?, s.pick(&before.nodes)?);
    let names = [x, y, x].map(|node| s.layout.name(node));
    let retains: Vec<Value> = names.iter().map(|name| json!({"ref": name})).collect();
    let edited = s.with([s.compaction(0, json!({"ids": []}), json!({"retains": retains}))])?;
    let own = s.fresh(0);
    let new =
        names.map(|name| Entry::Retained { id: name.into(), by: own.as_str().into(), truncated: false });
    s.read(&edited)?.require_entries(What::View, &own, before.view_then(new))
}

/// An entry beside a node is in no range that ends there, or is kept from there: a later range shows it.
pub(super) fn indexes_of_their_own(s: &Subject<'_>) -> Examined {
    match super::viewing::inserted_between_indexes(s) {
        Ok(()) | Err(Stop::NotApplicable) => {}
        broken @ Err(Stop::Broken(_)) => return broken,
    }
    let before = Before::of(s)?;
    let anchor = s.layout.name(s.pick(&before.nodes)?);
    let second = |key: &str, more: Value| {
        let first = json!({"summary": content(), "insertAt": {key: anchor}});
        let first = s.compaction(0, json!({"ids": []}), first);
        s.with([first, s.compaction(1, json!({"throughId": anchor}), more)])
    };
    let (first, last) = (s.fresh(0), s.fresh(1));
    let question = format!("view --head {last}");
    for (key, more, stays) in
        [("afterId", json!({}), true), ("beforeId", json!({"keptFromId": anchor}), false)]
    {
        let edited = second(key, more)?;
        let after = s.read(&edited)?;
        let view = after.view(&last)?;
        let is_there = view.iter().any(|entry| is_by(entry, &first));
        let expected = format!("the summary of {first} to be {}", if stays { "there" } else { "replaced" });
        after.claim(is_there == stays, &question, expected, shown(&view))?;
    }
    Ok(())
}
