//! Alphabets that compact. What a view depends on besides its path is the compactions' own (I-13, I-22), so most of
//! them leave paths straight.

use super::paths::{rewinds, rewrites, withdrawal};
use super::{call, from, heads_are, hidden, message, rewind};
use crate::explore::action::{
    Action, Body, Branch, Caller, Compaction, Heads, Insert, Kind, Replaces, Retains, Status, Target, bit,
};
use crate::explore::state::State;

/// Slice Z: something of everything. v² + 11v + 18 actions after v nodes, 20 instead of 18 if there are any.
pub(super) fn merged(state: &State, out: &mut Vec<Action>) {
    out.extend([message(), hidden(), call(Caller::Code), Body::Result.into()]);
    out.extend(state.nodes().map(|node| message().branching(from(node))));
    out.extend(
        [Branch::Start, Branch::From(Target::Nothing), Branch::Unknown].map(|at| message().branching(at)),
    );
    for kind in [Kind::Message, Kind::ToolCall, Kind::ToolResult, Kind::Compaction] {
        out.extend(state.nodes_of(kind).map(|node| match kind {
            Kind::Message => withdrawal(state, node),
            Kind::Compaction => with_status(state, node, Status::Failed),
            _ => state.revision(node),
        }));
    }
    rewrites(state, out);
    rewinds(state, out);
    out.extend([Body::Gap, Body::Malformed].map(Action::from));
    out.extend([Heads::Empty, Heads::Null, Heads::One(Target::Nothing)].map(heads_are));
    out.extend(state.nodes().map(|node| heads_are(Heads::One(Target::Record(node)))));
    out.push(Body::Lineage.into());
    out.extend(state.nodes().map(|node| Action::from(through(node))));
    out.push(Compaction::of(Replaces::Through(Target::Nothing)).into());
    out.extend(keeping(state).map(|kept| Action::from(Compaction { status: Status::Completed, ..kept })));
    in_places(state, out);
    if let [Some(first), Some(last)] = [state.nodes().next(), state.nodes().next_back()] {
        out.push(Compaction { retains: Retains::Two(first, last), ..through(last) }.into());
        out.push(Compaction { status: Status::Failed, ..through(last) }.into());
    }
}

/// Slice V: every way to say what is replaced and where the summary goes, on a straight path.
pub(super) fn compacting(state: &State, out: &mut Vec<Action>) {
    out.extend([message(), Body::Gap.into()]);
    let nodes: Vec<u8> = state.nodes().collect();
    let mut replacing: Vec<Compaction> = nodes.iter().map(|&node| through(node)).collect();
    for &last in &nodes {
        let up_to = nodes.iter().filter(|&&kept| kept <= last);
        replacing.extend(up_to.map(|&kept| Compaction { kept: Some(kept), ..through(last) }));
    }
    let subsets = nodes.iter().fold(vec![0], |subsets: Vec<u16>, &node| {
        subsets.iter().flat_map(|&subset| [subset, subset | bit(node)]).collect()
    });
    replacing.extend(subsets.into_iter().map(|subset| Compaction::of(Replaces::Ids(subset))));
    replacing.push(Compaction::of(Replaces::Unknown));

    let mut inserts = vec![Insert::Unsaid, Insert::Start];
    inserts.extend(nodes.iter().map(|&node| Insert::After(Target::Record(node))));
    inserts.extend(nodes.iter().map(|&node| Insert::Before(Target::Record(node))));
    for replaces in replacing {
        for &insert in &inserts {
            let summed_up = Compaction { insert, ..replaces };
            out.push(Compaction { summary: false, ..summed_up }.into());
            out.push(summed_up.into());
            // Which node is retained is only a name (V-6, V-30).
            out.extend(
                nodes
                    .last()
                    .map(|&node| Action::from(Compaction { retains: Retains::One(node), ..summed_up })),
            );
        }
    }
}

/// Slice v: the same steps with fewer combinations.
pub(super) fn compacting_lite(state: &State, out: &mut Vec<Action>) {
    out.extend([message(), Body::Gap.into()]);
    out.extend(state.nodes().map(|node| Action::from(through(node))));
    out.extend(keeping(state).map(Action::from));
    in_places(state, out);
    if let [Some(first), Some(last)] = [state.nodes().next(), state.nodes().next_back()] {
        out.push(Compaction { retains: Retains::Two(first, last), ..through(last) }.into());
        out.push(
            Compaction { retains: Retains::One(last), summary: false, ..Compaction::of(Replaces::Ids(0)) }
                .into(),
        );
        out.push(Compaction { status: Status::Failed, ..through(last) }.into());
    }
}

/// Slice T: what the model did not see.
pub(super) fn step_4(state: &State, out: &mut Vec<Action>) {
    out.extend([message(), hidden()]);
    out.extend([Caller::Model, Caller::Code, Caller::Program].map(call));
    out.extend([Body::Result.into(), rewind(None)]);
    out.extend(state.nodes_of(Kind::Message).map(|node| withdrawal(state, node)));
    out.extend(
        state
            .nodes_of(Kind::ToolCall)
            .map(|node| Action { body: Body::Call(Caller::Code), ..state.revision(node) }),
    );
    out.extend(state.nodes().map(|node| Action::from(Compaction::of(Replaces::Ids(bit(node))))));
    let nothing = Compaction::of(Replaces::Ids(0));
    out.extend(state.nodes().map(|node| Action::from(Compaction { retains: Retains::One(node), ..nothing })));
}

/// Slice X: revisions and moves of compactions, on paths that bend.
pub(super) fn mixed(state: &State, out: &mut Vec<Action>) {
    out.push(message());
    out.extend(state.nodes().map(|node| Action::from(through(node))));
    out.extend(state.nodes().map(|node| Action::from(Compaction::of(Replaces::Ids(bit(node))))));
    out.extend(state.nodes().map(|node| rewind(Some(Target::Record(node)))));
    out.extend(state.nodes_of(Kind::Message).map(|node| state.revision(node)));
    for status in [Status::Failed, Status::Completed] {
        out.extend(state.nodes_of(Kind::Compaction).map(|node| with_status(state, node, status)));
    }
    for node in state.nodes() {
        let others = state.nodes().filter(|&other| other != node);
        out.extend(others.map(|other| state.rewrite(node).branching(from(other))));
    }
}

pub(super) fn through(node: u8) -> Compaction {
    Compaction::of(Replaces::Through(Target::Record(node)))
}

/// All up to the last node, but from each node on.
fn keeping(state: &State) -> impl Iterator<Item = Compaction> {
    let last = state.nodes().next_back();
    state.nodes().map(move |node| Compaction { kept: Some(node), ..through(last.unwrap_or(node)) })
}

/// A single node replaced; nothing replaced, and a summary after and before each node and at START; the unknown.
fn in_places(state: &State, out: &mut Vec<Action>) {
    let nothing = Compaction::of(Replaces::Ids(0));
    out.extend(state.nodes().map(|node| Action::from(Compaction::of(Replaces::Ids(bit(node))))));
    for place in [Insert::After, Insert::Before] {
        out.extend(
            state
                .nodes()
                .map(|node| Action::from(Compaction { insert: place(Target::Record(node)), ..nothing })),
        );
    }
    out.push(Compaction { insert: Insert::Start, ..nothing }.into());
    out.push(Compaction::of(Replaces::Unknown).into());
}

/// A revision of a compaction that says how it ended.
fn with_status(state: &State, record: u8, status: Status) -> Action {
    let revision = state.revision(record);
    match revision.body {
        Body::Compaction(compaction) => {
            Action { body: Body::Compaction(Compaction { status, ..compaction }), ..revision }
        }
        _ => revision,
    }
}
