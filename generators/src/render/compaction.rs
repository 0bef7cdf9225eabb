//! The fields of a compaction, its refs wrapped onto its own active path.

use crate::form::{ContentForm, InsertForm, KindForm, ReplacesForm, RetainsForm, StatusForm};
use crate::op::Compaction;
use crate::operand::{Pick, Ref};
use crate::render::line::{Line, quote};
use crate::render::session::{Place, Session, wrapped};

/// What refs are wrapped onto.
pub(super) struct Refs<'a> {
    pub(super) session: &'a Session,
    /// The compaction's own path, latest first.
    pub(super) path: &'a [usize],
    pub(super) line: usize,
    pub(super) own: Option<&'a str>,
}

impl Refs<'_> {
    /// A node on the path, in JSON, with its position from the end; nothing if the ref is sound and the path
    /// empty.
    fn node(&self, at: Ref) -> Option<(String, Option<usize>)> {
        self.on(at, self.path).map(|(text, node)| {
            (text, node.and_then(|node| self.path.iter().position(|&other| other == node)))
        })
    }

    fn on(&self, at: Ref, path: &[usize]) -> Option<(String, Option<usize>)> {
        let named = self.session.name_on(at, path, self.line, self.own)?;
        Some((named.text, named.target.map(|(node, _)| node)))
    }

    fn text(&self, at: Ref) -> Option<String> {
        self.node(at).map(|(text, _)| text)
    }

    /// A set: the candidates of a ref that a mask lets through. Sets may name nodes off the path.
    fn set(&self, compaction: &Compaction) -> String {
        let Compaction { through, ids, .. } = compaction;
        let name = |n: u8| {
            let at = Ref { n, ..*through };
            match through.to {
                Pick::Recent | Pick::Revised => {
                    let named = self.session.name(at, Place::Unknown, self.line, self.own);
                    named.map(|named| named.text)
                }
                _ => self.text(at),
            }
        };
        let names: Vec<String> =
            ids.positions().filter_map(|position| name(through.n.wrapping_add(position as u8))).collect();
        format!("[{}]", names.join(","))
    }
}

/// Writes the fields. Answers whether they name nodes on the compaction's own path, which must then stay on
/// it.
pub(super) fn write(
    compaction: &Compaction,
    key: &str,
    has_gap: bool,
    refs: &Refs<'_>,
    line: &mut Line,
) -> bool {
    let Compaction {
        replaces: _,
        through: _,
        kept: _,
        ids: _,
        insert,
        at,
        retains,
        carried,
        content,
        status,
        kind,
    } = compaction;
    write_kind(*kind, key, has_gap, line);
    write_status(*status, line);
    let names_range = write_replaces(compaction, refs, line);
    let names_place = write_insert(*insert, *at, refs, line);
    let names_retained = write_retains(*retains, *carried, refs, line);
    write_content(*content, line);
    names_range || names_place || names_retained
}

fn write_kind(form: KindForm, key: &str, has_gap: bool, line: &mut Line) {
    if form != KindForm::NoId {
        line.text("compactionId", key);
    }
    match form {
        KindForm::Summary | KindForm::NoId => line.text("kind", "summary"),
        KindForm::Prune => line.text("kind", "prune"),
        KindForm::Mask => line.text("kind", "mask"),
        KindForm::ProviderNative => line.text("kind", "provider_native"),
        KindForm::Reset | KindForm::Destroyed => {
            line.text("kind", "reset");
            // Where the history was destroyed, a gap record must say so (ASR-375).
            if has_gap || form == KindForm::Destroyed {
                line.put("historyRetained", "false");
            }
        }
        KindForm::BranchSummary => line.text("kind", "branch_summary"),
        KindForm::Other => line.text("kind", "tidy"),
        KindForm::Number => line.put("kind", "5"),
        KindForm::Absent => {}
    }
}

fn write_status(form: StatusForm, line: &mut Line) {
    match form {
        StatusForm::Absent => {}
        StatusForm::Completed => line.text("status", "completed"),
        StatusForm::Failed => line.text("status", "failed"),
        StatusForm::InProgress => line.text("status", "in_progress"),
        StatusForm::Cancelled => line.text("status", "cancelled"),
        StatusForm::Partial => line.text("status", "partial"),
        StatusForm::Capitals => line.text("status", "Completed"),
        StatusForm::Null => line.put("status", "null"),
        StatusForm::Number => line.put("status", "5"),
        StatusForm::Object => line.put("status", "{}"),
    }
}

fn write_replaces(compaction: &Compaction, refs: &Refs<'_>, line: &mut Line) -> bool {
    let Compaction { replaces, through, kept, .. } = compaction;
    let set = || refs.set(compaction);
    let (through, end) = match refs.node(*through) {
        Some((text, end)) => (Some(text), end),
        None => (None, None),
    };
    let any = through.clone().unwrap_or_else(|| quote("zz"));
    let (value, kept) = match (replaces, through) {
        (ReplacesForm::Through, Some(through)) => (format!("{{\"throughId\":{through}}}"), None),
        (ReplacesForm::Kept, Some(through)) => {
            // What is kept ends the range, so it begins at the end of the range or further back.
            let range = end.and_then(|end| refs.path.get(end..)).unwrap_or(refs.path);
            (format!("{{\"throughId\":{through}}}"), refs.on(*kept, range).map(|(text, _)| text))
        }
        // Nothing can be replaced where there is nothing.
        (ReplacesForm::Through | ReplacesForm::Kept, None) => ("{\"ids\":[]}".to_owned(), None),
        (ReplacesForm::Ids, _) => (format!("{{\"ids\":{}}}", set()), None),
        (ReplacesForm::Unknown, _) => ("{\"state\":\"unknown\"}".to_owned(), None),
        (ReplacesForm::Nothing, _) => ("{}".to_owned(), None),
        (ReplacesForm::Absent, _) => return false,
        (ReplacesForm::Null, _) => ("null".to_owned(), None),
        (ReplacesForm::Several, _) => {
            (format!("{{\"ids\":{},\"throughId\":{any}}}", set()), refs.text(*kept))
        }
        (ReplacesForm::ThroughAndState, _) => {
            (format!("{{\"state\":\"unknown\",\"throughId\":{any}}}"), None)
        }
        (ReplacesForm::OtherState, _) => ("{\"state\":\"lost\"}".to_owned(), None),
        (ReplacesForm::Text, _) => (any, None),
        (ReplacesForm::IdsText, _) => (format!("{{\"ids\":{any}}}"), None),
        (ReplacesForm::IdsMixed, _) => (format!("{{\"ids\":[5,{any},null,{{}},{any}]}}"), None),
        (ReplacesForm::ThroughNull, _) => ("{\"throughId\":null}".to_owned(), refs.text(*kept)),
        (ReplacesForm::KeptAfter, _) => {
            let after = end.and_then(|end| refs.path.get(..end)).unwrap_or_default();
            let kept = wrapped(after, kept.n.into()).and_then(|node| refs.session.by_first(node));
            let kept = kept.map_or_else(|| quote(refs.own.unwrap_or("zz")), |named| named.text);
            (format!("{{\"throughId\":{any}}}"), Some(kept))
        }
        (ReplacesForm::KeptWithIds, _) => (format!("{{\"ids\":{}}}", set()), refs.text(*kept)),
        (ReplacesForm::KeptNowhere, _) => (format!("{{\"throughId\":{any}}}"), Some(quote("zz"))),
    };
    line.put("replaces", value);
    if let Some(kept) = kept {
        line.put("keptFromId", kept);
    }
    !matches!(replaces, ReplacesForm::Ids | ReplacesForm::Unknown)
}

fn write_insert(form: InsertForm, at: Ref, refs: &Refs<'_>, line: &mut Line) -> bool {
    let any = || refs.text(at).unwrap_or_else(|| quote("zz"));
    let value = match (form, refs.text(at)) {
        (InsertForm::Absent, _) => return false,
        (InsertForm::After, Some(at)) => format!("{{\"afterId\":{at}}}"),
        (InsertForm::Before, Some(at)) => format!("{{\"beforeId\":{at}}}"),
        (InsertForm::Start, _) | (InsertForm::After | InsertForm::Before, None) => {
            line.put("insertAt", "{\"afterId\":null}");
            return false;
        }
        (InsertForm::Both, _) => {
            let before = refs.text(at.next()).unwrap_or_else(|| quote("zz"));
            format!("{{\"beforeId\":{before},\"afterId\":{}}}", any())
        }
        (InsertForm::StartAndBefore, _) => format!("{{\"beforeId\":{},\"afterId\":null}}", any()),
        (InsertForm::Empty, _) => "{}".to_owned(),
        (InsertForm::BeforeNull, _) => "{\"beforeId\":null}".to_owned(),
        (InsertForm::Null, _) => "null".to_owned(),
        (InsertForm::Text, _) => any(),
    };
    line.put("insertAt", value);
    true
}

fn write_retains(form: RetainsForm, carried: Ref, refs: &Refs<'_>, line: &mut Line) -> bool {
    let any = || refs.text(carried).unwrap_or_else(|| quote("zz"));
    let value = match (form, refs.text(carried)) {
        (RetainsForm::Absent, _) => return false,
        (RetainsForm::One, Some(one)) => format!("[{{\"ref\":{one}}}]"),
        (RetainsForm::Cut, Some(one)) => format!("[{{\"ref\":{one},\"capture\":\"truncated\"}}]"),
        (RetainsForm::Full, Some(one)) => format!("[{{\"ref\":{one},\"capture\":\"full\"}}]"),
        (RetainsForm::Two, Some(one)) => {
            let other = refs.text(carried.next()).unwrap_or_else(|| one.clone());
            format!("[{{\"ref\":{other},\"capture\":\"truncated\"}},{{\"ref\":{one}}}]")
        }
        (RetainsForm::Twice, Some(one)) => format!("[{{\"ref\":{one}}},{{\"ref\":{one}}}]"),
        (RetainsForm::Empty, _)
        | (
            RetainsForm::One | RetainsForm::Cut | RetainsForm::Full | RetainsForm::Two | RetainsForm::Twice,
            None,
        ) => {
            line.put("retains", "[]");
            return false;
        }
        (RetainsForm::NoRef, _) => "[{\"capture\":\"truncated\"}]".to_owned(),
        (RetainsForm::OtherCapture, _) => format!("[{{\"ref\":{},\"capture\":\"half\"}}]", any()),
        (RetainsForm::NumberCapture, _) => format!("[{{\"ref\":{},\"capture\":5}}]", any()),
        (RetainsForm::Mixed, _) => {
            let one = any();
            format!("[{one},null,{{\"ref\":{one}}}]")
        }
        (RetainsForm::NotList, _) => format!("{{\"ref\":{}}}", any()),
        (RetainsForm::Null, _) => "null".to_owned(),
    };
    line.put("retains", value);
    true
}

fn write_content(form: ContentForm, line: &mut Line) {
    const SUMMARY: &str = r#"[{"type":"text","text":"s"}]"#;
    const OPAQUE: &str = r#"{"format":"f","data":"d"}"#;
    let (summary, opaque) = match form {
        ContentForm::Summary => (Some(SUMMARY), None),
        ContentForm::Absent => (None, None),
        ContentForm::Opaque => (None, Some(OPAQUE)),
        ContentForm::Both => (Some(SUMMARY), Some(OPAQUE)),
        ContentForm::EmptySummary => (Some("[]"), None),
        ContentForm::EmptyOpaque => (None, Some("{}")),
        ContentForm::FormatOnly => (None, Some(r#"{"format":"f"}"#)),
        ContentForm::SummaryText => (Some("\"s\""), None),
        ContentForm::OpaqueText => (None, Some("\"d\"")),
        ContentForm::Nulls => (Some("null"), Some("null")),
        ContentForm::TextAndOpaque => (Some("\"s\""), Some(OPAQUE)),
        ContentForm::TwoParts => (Some(r#"[{"type":"text","text":"s"},{"type":"text","text":"s"}]"#), None),
        ContentForm::PartWithoutType => (Some(r#"[{"text":"s"}]"#), None),
        ContentForm::Thought => (Some(r#"[{"type":"thinking","text":"s"}]"#), None),
        ContentForm::TextNumber => (Some(r#"[{"type":"text","text":5}]"#), None),
        ContentForm::Bare => (Some(r#"["s",null]"#), None),
        ContentForm::SummaryObject => (Some(r#"{"type":"text","text":"s"}"#), None),
        ContentForm::OpaqueList => (None, Some("[]")),
    };
    for (key, value) in [("summary", summary), ("opaque", opaque)] {
        if let Some(value) = value {
            line.put(key, value);
        }
    }
}
