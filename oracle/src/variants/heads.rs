//! Other readings of heads.

use super::{Kind, Variant};
use crate::active_path::{self, Item, active_path};
use crate::choices::{Choices, R1};
use crate::heads::{current_info, default_head, first_head, scan_from_the_end, stated_head, stated_heads};
use crate::predecessor::{Predecessor, is_superseding, scan};
use crate::stream::Stream;
use asr_spec::{Entry, Head, Json, Query, RefStatus, Trace};

alternatives! {
    "HD-1" = record_wise { stated_heads: heads_of_latest_info },
    "HD-2" = last_non_empty { stated_heads: latest_non_empty_heads },
    "HD-3" = next_head { primary: first_head_not_null },
    "HD-4" = start { stated_head: stated_head_or_start },
    "HD-4" = unknown { stated_head: stated_head_or_unknown },
    "HD-4" = default_head { stated_head: stated_head_or_default },
    "HD-5" = appended { shown: with_gaps_at_the_end },
    "HD-6" = advanced { stated_heads: heads_unless_stale },
    "HD-8" = unresolved_ref { stated_head: stated_head_unless_superseding },
    "HD-8b" = default_head { stated_head: stated_head_on_default_path },
    "HD-9" = no_default_path { primary: first_head_unless_rewound },
    "HD-11" = rewritten_node { default_head: rewritten_or_scanned },
}

fn heads_of_latest_info(stream: &Stream) -> Option<&[Json]> {
    let latest = (0..stream.items.len()).rev().find(|&at| stream.type_of(at) == "session_info")?;
    stream.field(latest, "heads")?.as_array()
}

fn latest_non_empty_heads(stream: &Stream) -> Option<&[Json]> {
    let is_non_empty = |heads: &Json| heads.as_array().is_some_and(|heads| !heads.is_empty());
    current_info(stream, "heads", is_non_empty)?.as_array()
}

fn heads_unless_stale(stream: &Stream) -> Option<&[Json]> {
    let is_stated = |&at: &usize| {
        stream.type_of(at) == "session_info" && stream.field(at, "heads").and_then(Json::as_array).is_some()
    };
    let stated = (0..stream.items.len()).rev().find(is_stated)?;
    let moves = |position| {
        stream.type_of(position) == "rewind" || stream.nodes.iter().any(|node| node.first == position)
    };
    if (stated..stream.items.len()).any(moves) { None } else { stated_heads(stream) }
}

fn first_head_not_null(_: &Stream, heads: Vec<Option<Predecessor>>) -> Option<Predecessor> {
    heads.into_iter().flatten().next()
}

/// START comes of no stated head, and of the default head only after a rewind or where there is no node.
fn first_head_unless_rewound(stream: &Stream, heads: Vec<Option<Predecessor>>) -> Option<Predecessor> {
    let has_rewind = (0..stream.items.len()).any(|position| stream.type_of(position) == "rewind");
    first_head(stream, heads).filter(|head| !(has_rewind && *head == Predecessor::Start))
}

fn stated_head_or_start(stream: &Stream, head: &Json, trace: &mut dyn Trace) -> Predecessor {
    match stated_head(stream, head, trace) {
        Predecessor::Unresolved { .. } => Predecessor::Start,
        head => head,
    }
}

fn stated_head_or_unknown(stream: &Stream, head: &Json, trace: &mut dyn Trace) -> Predecessor {
    match stated_head(stream, head, trace) {
        Predecessor::Unresolved { .. } => Predecessor::Unknown,
        head => head,
    }
}

fn stated_head_or_default(stream: &Stream, head: &Json, trace: &mut dyn Trace) -> Predecessor {
    match stated_head(stream, head, trace) {
        Predecessor::Unresolved { .. } => default_head(stream, trace),
        head => head,
    }
}

fn stated_head_unless_superseding(stream: &Stream, head: &Json, trace: &mut dyn Trace) -> Predecessor {
    if stream.bearer(head).is_ok_and(|bearer| is_superseding(stream, bearer)) {
        return Predecessor::Unresolved { reference: head.clone(), status: RefStatus::Unresolved };
    }
    stated_head(stream, head, trace)
}

fn stated_head_on_default_path(stream: &Stream, head: &Json, trace: &mut dyn Trace) -> Predecessor {
    let default = default_head(stream, trace);
    let path = active_path(stream, &default, &mut ()).unwrap_or_default();
    match stated_head(stream, head, trace) {
        Predecessor::Node(node) if !path.contains(&Item::Node(node)) => default,
        head => head,
    }
}

fn rewritten_or_scanned(stream: &Stream, trace: &mut dyn Trace) -> Predecessor {
    let is_of_path = |position: &usize| {
        stream.type_of(*position) == "rewind"
            || stream.items.get(*position).is_some_and(|item| item.node.is_some())
    };
    let last = (0..stream.items.len()).rev().find(is_of_path);
    let rewrite = last.filter(|&last| is_superseding(stream, last) && stream.is_marked_rewrite(last));
    match rewrite.and_then(|rewrite| stream.items.get(rewrite)?.node) {
        Some(node) => Predecessor::Node(node),
        None => scan_from_the_end(stream, trace),
    }
}

fn with_gaps_at_the_end(stream: &Stream, query: &Query, mut entries: Vec<Entry>) -> Vec<Entry> {
    let is_default = query.head == Head::Primary && stated_heads(stream).is_none_or(<[Json]>::is_empty);
    if is_default {
        let gaps = scan(stream, stream.items.len(), &mut ()).markers;
        entries.extend(gaps.iter().map(|gap| active_path::entry(stream, gap)));
    }
    entries
}
