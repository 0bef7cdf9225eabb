//! Stated, default and effective heads (ASR-363).

use crate::predecessor::{Predecessor, scan};
use crate::stream::Stream;
use asr_spec::{HeadState, Heads, Json, Step, Trace};

/// The default head: the predecessor of a record appended now. Gaps at the end lie on no edge yet (HD-5).
pub(crate) fn default_head(stream: &Stream, trace: &mut impl Trace) -> Predecessor {
    trace.step(Step::Hd1, 0);
    scan(stream, stream.items.len(), trace).predecessor
}

/// The effective heads, in order, `None` for a null.
pub(crate) fn effective_heads(stream: &Stream, trace: &mut impl Trace) -> Vec<Option<Predecessor>> {
    match current_info(stream, "heads", |heads| heads.as_array().is_some()).and_then(Json::as_array) {
        // HD-2: an empty value puts the default head back in force.
        None | Some([]) => vec![Some(default_head(stream, trace))],
        // HD-6: stated heads win over later records.
        Some(heads) => {
            trace.step(Step::Hd2, 0);
            heads.iter().map(|head| stated_head(stream, head, trace)).collect()
        }
    }
}

/// The first effective head, `None` where it is null: then no other head is promoted.
pub(crate) fn primary_head(stream: &Stream, trace: &mut impl Trace) -> Option<Predecessor> {
    trace.step(Step::Hd3, 0);
    let primary = effective_heads(stream, trace).into_iter().next().flatten();
    if primary.is_none() {
        trace.step(Step::Hd4, 0);
    }
    primary
}

/// HD-4: a head whose target is missing is neither START nor the default head.
fn stated_head(stream: &Stream, head: &Json, trace: &mut impl Trace) -> Option<Predecessor> {
    if *head == Json::Null {
        return None;
    }
    Some(stream.resolve(head, trace).map(Predecessor::Node).unwrap_or_else(|status| {
        trace.step(Step::Hd5, 0);
        // HD-7: an element that is no string prints verbatim.
        Predecessor::Unresolved { reference: head.clone(), status }
    }))
}

/// HD-1, AP4-1: session_info is read field by field; of each field the latest value counts, and one of a wrong type
/// counts as absent (HD-7).
pub(crate) fn current_info<'a>(
    stream: &'a Stream,
    key: &str,
    is_right_type: impl Fn(&Json) -> bool,
) -> Option<&'a Json> {
    let infos = (0..stream.items.len()).rev().filter(|&at| stream.type_of(at) == "session_info");
    infos.filter_map(|at| stream.field(at, key)).find(|value| is_right_type(value))
}

/// Default and effective heads, as output names them.
pub(crate) fn heads(stream: &Stream, trace: &mut impl Trace) -> Heads {
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
