//! Alphabets that bend paths. The four context-participating types bend alike, so messages stand for all of them.

use super::{from, heads_are, message, rewind};
use crate::explore::action::{Action, Body, Branch, Heads, Hidden, Target};
use crate::explore::state::State;

/// Slice A: branches, revisions, rewrites, rewinds and gaps. v² + 6v + 7 actions after v nodes.
pub(super) fn bending(state: &State, out: &mut Vec<Action>) {
    out.push(message());
    out.extend(state.nodes().map(|node| message().branching(from(node))));
    out.extend(
        [Branch::Start, Branch::Unknown, Branch::From(Target::Nothing)].map(|at| message().branching(at)),
    );
    out.extend(state.nodes().map(|node| state.revision(node)));
    rewrites(state, out);
    out.extend(state.nodes().map(|node| state.rewrite(node).branching(Branch::Unknown)));
    rewinds(state, out);
    out.push(Body::Gap.into());
}

/// Slice H: what decides where paths begin and end.
pub(super) fn heads(state: &State, out: &mut Vec<Action>) {
    out.extend([message(), message().branching(Branch::Unknown)]);
    rewinds(state, out);
    out.extend([Body::Gap, Body::Malformed].map(Action::from));
    out.extend([Heads::Empty, Heads::Null, Heads::NullThenFirst, Heads::One(Target::Nothing)].map(heads_are));
    out.extend(state.nodes().map(|node| heads_are(Heads::One(Target::Record(node)))));
    out.extend([Body::BareInfo, Body::Lineage].map(Action::from));
}

/// Slice R: trees of revisions, each of any earlier record, not of nodes only.
pub(super) fn revisions(state: &State, out: &mut Vec<Action>) {
    out.push(message());
    for record in state.records() {
        let (revision, rewrite) = (state.revision(record), state.rewrite(record));
        out.extend([revision, rewrite, rewrite.branching(Branch::Start)]);
    }
}

/// To every node, to START, and to nothing.
pub(super) fn rewinds(state: &State, out: &mut Vec<Action>) {
    out.extend(state.nodes().map(|node| rewind(Some(Target::Record(node)))));
    out.extend([rewind(None), rewind(Some(Target::Nothing))]);
}

/// Of every node: without branchesFrom, from every node (itself included), and from START.
pub(super) fn rewrites(state: &State, out: &mut Vec<Action>) {
    out.extend(state.nodes().map(|node| state.rewrite(node)));
    for node in state.nodes() {
        out.extend(state.nodes().map(|other| state.rewrite(node).branching(from(other))));
    }
    out.extend(state.nodes().map(|node| state.rewrite(node).branching(Branch::Start)));
}

/// A revision of a message that withdraws it.
pub(super) fn withdrawal(state: &State, record: u8) -> Action {
    Action { body: Body::Message(Hidden::Withdrawn), ..state.revision(record) }
}
