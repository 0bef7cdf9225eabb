//! Slice I: one form of each violation that a stream can have.
//!
//! D.1 names the violations and leaves the forms open, so the number of streams is ours. Unlike in other slices refs
//! name records, not nodes, and one of them names the next record.

use super::{message, rewind};
use crate::explore::action::{Action, Body, Branch, Compaction, Insert, Kind, Oddity, Replaces, Target};
use crate::explore::state::State;

/// 25 actions after nothing, and three for each record besides.
pub(super) fn invalid(state: &State, out: &mut Vec<Action>) {
    let nothing = Target::Nothing;
    let raw = |kind, members| Action::from(Body::Raw(kind, members));
    out.extend([message(), message().branching(Branch::From(nothing))]);
    out.extend(BRANCHES.map(|members| raw(Kind::Message, members)));
    out.extend(
        [nothing, Target::Record(state.place().saturating_add(1))].map(|at| message().superseding(at)),
    );
    out.extend(state.records().map(|record| message().superseding(Target::Record(record))));
    out.push(rewind(Some(nothing)));
    out.extend(state.records().map(|record| rewind(Some(Target::Record(record)))));
    out.extend(REWINDS.map(|members| raw(Kind::Rewind, members)));
    out.push(rewind(None).superseding(nothing));
    out.push(rewind(None).branching(Branch::Start));
    out.extend(COMPACTIONS.map(|members| raw(Kind::Compaction, members)));
    out.push(Compaction::of(Replaces::Through(nothing)).into());
    out.extend(
        state.records().map(|record| Action::from(Compaction::of(Replaces::Through(Target::Record(record))))),
    );
    out.push(Compaction { insert: Insert::After(nothing), ..Compaction::of(Replaces::Unknown) }.into());
    let odd = [Oddity::NoId, Oddity::RepeatedSeq, Oddity::DecreasingSeq].map(|oddity| message().odd(oddity));
    out.extend(odd);
    if state.records().next().is_some() {
        out.push(message().odd(Oddity::IdOf(1)));
        out.push(rewind(None).superseding(Target::Record(1)));
    }
    out.extend([Body::Blank, Body::Malformed].map(Action::from));
}

const BRANCHES: [&str; 3] = [
    r#","branchesFrom":{}"#,
    r#","branchesFrom":{"record":null,"state":"unknown"}"#,
    r#","branchesFrom":{"state":"lost"}"#,
];

const REWINDS: [&str; 2] = [r#","reason":"other""#, r#","to":null"#];

const COMPACTIONS: [&str; 6] = [
    r#","kind":"summary","replaces":{}"#,
    r#","compactionId":"c","kind":"summary","replaces":{"throughId":"r1","ids":["r1"]},"summary":[],"opaque":{}"#,
    r#","compactionId":"c","kind":"summary","replaces":{"ids":["r1"]},"keptFromId":"r1","status":null"#,
    r#","compactionId":"c","kind":"summary","replaces":{"throughId":"r1"},"keptFromId":"zz","opaque":{"format":"x"}"#,
    r#","compactionId":"c","kind":"summary","replaces":{"ids":[]},"insertAt":{"afterId":null,"beforeId":"r1"},"summary":[{"type":"text","text":"s"}]"#,
    r#","compactionId":"c","kind":"summary","replaces":{"ids":[]},"retains":[{"ref":"zz","capture":"some"},{}]"#,
];
