//! Stated, default and effective heads (ASR-363).

use crate::predecessor::{Predecessor, scan};
use crate::stream::Stream;
use asr_spec::{HeadState, Heads, Json, Step, Trace};

/// The default head: the predecessor of a record appended now.
pub(crate) fn default_head(stream: &Stream, trace: &mut dyn Trace) -> Predecessor {
    trace.step(Step::Hd1, 0, 0);
    (stream.choices.default_head)(stream, trace)
}

/// Gaps at the end lie on no edge yet (HD-5), and revisions there change no head (HD-11).
pub(crate) fn scan_from_the_end(stream: &Stream, trace: &mut dyn Trace) -> Predecessor {
    scan(stream, stream.items.len(), trace).predecessor
}

/// The effective heads, in order, `None` for a null.
pub(crate) fn effective_heads(stream: &Stream, trace: &mut dyn Trace) -> Vec<Option<Predecessor>> {
    match (stream.choices.stated_heads)(stream) {
        // HD-2: an empty value puts the default head back in force.
        None | Some([]) => vec![Some(default_head(stream, trace))],
        Some(heads) => {
            trace.step(Step::Hd2, 0, 0);
            let state = |head: &Json| match head {
                Json::Null => None,
                head => Some((stream.choices.stated_head)(stream, head, trace)),
            };
            heads.iter().map(state).collect()
        }
    }
}

/// The current session_info.heads, of whatever age (HD-6).
pub(crate) fn stated_heads(stream: &Stream) -> Option<&[Json]> {
    current_info(stream, "heads", |heads| heads.as_array().is_some())?.as_array()
}

/// A head is the node that it names, wherever that lies (HD-8, HD-8b). One whose target is missing is neither
/// START nor the default head (HD-4).
pub(crate) fn stated_head(stream: &Stream, head: &Json, trace: &mut dyn Trace) -> Predecessor {
    match stream.resolve(head, trace) {
        Ok(node) => Predecessor::Node(node),
        Err(status) => {
            trace.step(Step::Hd5, 0, 0);
            // HD-7: an element that is no string prints verbatim.
            Predecessor::Unresolved { reference: head.clone(), status }
        }
    }
}

/// The primary head, `None` where there is no default path.
pub(crate) fn primary_head(stream: &Stream, trace: &mut dyn Trace) -> Option<Predecessor> {
    trace.step(Step::Hd3, 0, 0);
    let heads = effective_heads(stream, trace);
    let primary = (stream.choices.primary)(stream, heads);
    if primary.is_none() {
        trace.step(Step::Hd4, 0, 0);
    }
    primary
}

/// The first effective head. Where it is null no other head is promoted (HD-3); START is not null (HD-9).
pub(crate) fn first_head(_: &Stream, heads: Vec<Option<Predecessor>>) -> Option<Predecessor> {
    heads.into_iter().next().flatten()
}

/// AP4-1: the current session_info.lineage.
pub(crate) fn lineage(stream: &Stream) -> Option<&Json> {
    current_info(stream, "lineage", |lineage| lineage.as_object().is_some())
}

/// HD-1, AP4-1: session_info is read field by field; of each field the latest value counts, and one of a
/// wrong type counts as absent (HD-7).
pub(crate) fn current_info<'a>(
    stream: &'a Stream,
    key: &str,
    is_right_type: impl Fn(&Json) -> bool,
) -> Option<&'a Json> {
    let infos = (0..stream.items.len()).rev().filter(|&at| stream.type_of(at) == "session_info");
    infos.filter_map(|at| stream.field(at, key)).find(|value| is_right_type(value))
}

/// Default and effective heads, as output names them.
pub(crate) fn heads(stream: &Stream, trace: &mut dyn Trace) -> Heads {
    let state = |head| match head {
        Predecessor::Start => HeadState::Start,
        Predecessor::Unknown => HeadState::Unknown,
        Predecessor::Node(node) => HeadState::Node(stream.name(stream.first(node))),
        Predecessor::Unresolved { reference, status } => HeadState::Unresolved { reference, status },
    };
    Heads {
        default: state(default_head(stream, trace)),
        effective: effective_heads(stream, trace).into_iter().map(|head| head.map(state)).collect(),
    }
}
