//! Alphabets of our own, for what those of the reference leave out: which lines are records, what a name names, and
//! the values that a field can have. Every question that the chapter leaves open shows on a stream of some slice.

use super::views::through;
use super::{call, from, heads_are, message, rewind};
use crate::explore::action::{
    Action, Body, Branch, Caller, Compaction, Heads, Kind, Oddity, Replaces, Retains, Status, Target, bit,
};
use crate::explore::state::State;

/// Slice L: what a line is, and where its record stands. 36 actions after anything.
pub(super) fn lines(_: &State, out: &mut Vec<Action>) {
    out.extend([message(), Body::Gap.into(), Body::Usage.into()]);
    out.extend([Body::Malformed, Body::Blank].map(Action::from));
    out.extend(BLANKS.map(|line| Action::from(Body::Line(Kind::Blank, line))));
    out.extend(
        [(Kind::Usage, "{}"), (Kind::Message, r#"{"type":"message"}"#)]
            .map(|(kind, line)| Action::from(Body::Line(kind, line))),
    );
    out.extend(NO_OBJECTS.map(|line| Action::from(Body::Line(Kind::Malformed, line))));
    out.extend(MEMBERS.map(|members| Action::from(Body::Raw(Kind::Message, members))));
    out.extend(
        [
            Oddity::NoId,
            Oddity::RepeatedSeq,
            Oddity::DecreasingSeq,
            Oddity::LateSeq,
            Oddity::Marked,
            Oddity::Returned,
            // The deepest record, and one level more.
            Oddity::Nested(127),
            Oddity::Nested(128),
        ]
        .map(|oddity| message().odd(oddity)),
    );
}

/// Slice N: what a name names, where ids are borne twice, come later, or belong to audit records and revisions.
pub(super) fn names(state: &State, out: &mut Vec<Action>) {
    let (records, next) = (|| state.records(), state.place().saturating_add(1));
    out.extend([message(), message().odd(Oddity::NoId)]);
    out.extend(records().map(|record| message().odd(Oddity::IdOf(record))));
    out.extend(KEYED.map(|members| Action::from(Body::Raw(Kind::Message, members))));
    out.push(call(Caller::Model));
    let targets = || records().chain([next]).map(Target::Record).chain([Target::Nothing]);
    out.extend(targets().map(|target| message().branching(Branch::From(target))));
    out.extend(targets().map(|target| rewind(Some(target))));
    out.extend(targets().map(|target| message().superseding(target)));
    out.extend(targets().map(|target| call(Caller::Model).superseding(target)));
    out.extend(records().map(|record| rewind(None).superseding(Target::Record(record))));
    out.extend(records().map(|record| Action::from(Body::Gap).superseding(Target::Record(record))));
    for record in records() {
        let revision = message().superseding(Target::Record(record));
        out.extend(records().map(|other| revision.odd(Oddity::IdOf(other))));
        out.extend(KEYED.map(|members| Action { body: Body::Raw(Kind::Message, members), ..revision }));
    }
    out.extend(records().map(|record| state.rewrite(record).branching(Branch::Start)));
    out.extend(targets().map(|target| heads_are(Heads::One(target))));
    out.extend(targets().map(|target| Action::from(Compaction::of(Replaces::Through(target)))));
    let nothing = Compaction { summary: false, ..Compaction::of(Replaces::Ids(0)) };
    out.extend(
        records().map(|record| Compaction { retains: Retains::One(record), ..nothing }).map(Action::from),
    );
    out.extend([Body::Gap, Body::Usage, Body::Malformed].map(Action::from));
    out.push(Action::from(Body::Gap).odd(Oddity::IdMalformed));
}

/// Slice F: the values of open enums, null where it means nothing, and fields that come in two forms.
pub(super) fn forms(state: &State, out: &mut Vec<Action>) {
    let raw = |kind, members| Action::from(Body::Raw(kind, members));
    out.push(message());
    out.extend(MESSAGES.map(|members| raw(Kind::Message, members)));
    out.extend([Caller::Model, Caller::Code].map(call));
    out.extend(CALLS.map(|members| raw(Kind::ToolCall, members)));
    out.push(Body::Result.into());
    out.extend(state.nodes_of(Kind::Message).map(|node| state.revision(node)));
    out.extend(state.nodes_of(Kind::Message).map(|node| Action {
        body: Body::Raw(Kind::Message, r#","assembly":{"mode":"merge"}"#),
        ..state.revision(node).branching(Branch::Start)
    }));
    out.extend(state.nodes().map(|node| message().branching(from(node))));
    out.extend([rewind(None), Body::Gap.into()]);
    out.extend(INFOS.map(|members| raw(Kind::SessionInfo, members)));
    out.extend(COMPACTIONS.map(|members| raw(Kind::Compaction, members)));
    out.extend(state.nodes().map(|node| Action::from(through(node))));
    out.extend(state.nodes().map(|node| Action::from(Compaction::of(Replaces::Ids(bit(node))))));
    out.extend(state.nodes_of(Kind::Compaction).map(|node| {
        let completed = Compaction { status: Status::Completed, ..Compaction::of(Replaces::Ids(0)) };
        Action { body: Body::Compaction(completed), ..state.revision(node) }
    }));
}

/// Slice O: what comes in another order than usual. Rewrites put later nodes before earlier ones, so that paths leave
/// the order of the stream; ranges are kept from behind their end; sets name later nodes first.
pub(super) fn out_of_order(state: &State, out: &mut Vec<Action>) {
    out.extend([message(), message().branching(Branch::Start)]);
    for node in state.nodes() {
        let rewrite = state.rewrite(node);
        out.extend(state.nodes().map(|other| rewrite.branching(from(other))));
        out.extend(state.nodes().map(|other| Action::from(through(node)).branching(from(other))));
        out.extend(
            state.nodes().map(|other| Action::from(Compaction { kept: Some(other), ..through(node) })),
        );
        let earlier = state.nodes().filter(|&earlier| earlier < node);
        out.extend(earlier.map(|earlier| Action::from(Compaction::of(Replaces::Pair(node, earlier)))));
    }
}

const BLANKS: [&str; 1] = [" \t"];

const NO_OBJECTS: [&str; 5] = ["[]", "null", "{}{}", r#"{"a":01}"#, r#"{"a":"\x"}"#];

/// After members of the same name: the last one counts.
const MEMBERS: [&str; 13] = [
    r#","id":"again""#,
    r#","id":null"#,
    r#","id":5"#,
    r#","\u0069d":"r1""#,
    r#","type":"gap""#,
    r#","type":"Message""#,
    r#","seq":1.0"#,
    r#","seq":"1""#,
    r#","seq":null"#,
    r#","seq":-1"#,
    r#","seq":9223372036854775808"#,
    r#","x":1e999"#,
    r#","x":"\ud800""#,
];

const KEYED: [&str; 2] = [r#","messageId":"a""#, r#","messageId":"b""#];

const MESSAGES: [&str; 4] = [
    r#","audience":"model""#,
    r#","audience":"User""#,
    r#","status":"interrupted""#,
    r#","branchesFrom":null"#,
];

const CALLS: [&str; 3] = [
    r#","callId":"A","audience":"user","status":"withdrawn""#,
    r#","callId":"A","parentCallId":null"#,
    r#","callId":"A","requestedBy":"Code""#,
];

const INFOS: [&str; 4] = [
    r#","heads":["r1","r2"]"#,
    r#","lineage":{"inherits":{"mode":"copied","from":"s","throughId":"t"}}"#,
    r#","lineage":{"inherits":{"mode":"referenced","from":"s","throughId":"t","throughOrdinal":4}}"#,
    r#","lineage":{"inherits":{"mode":"Referenced","from":"s"}}"#,
];

const COMPACTIONS: [&str; 12] = [
    r#","compactionId":"c","kind":"prune","replaces":{"ids":[]},"summary":[{"type":"text","text":"s"}]"#,
    r#","compactionId":"c","kind":"branch_summary","replaces":{"ids":["r1"]},"summary":[{"type":"text","text":"s"}]"#,
    r#","compactionId":"c","kind":"summary","replaces":{"ids":[]},"summary":[]"#,
    r#","compactionId":"c","kind":"summary","replaces":{"ids":[]},"opaque":{}"#,
    r#","compactionId":"c","kind":"summary","replaces":{"ids":[]},"opaque":{"format":"x"}"#,
    r#","compactionId":"c","kind":"summary","replaces":{"ids":[]},"summary":[{"type":"text","text":"s"}],"status":null"#,
    r#","compactionId":"c","kind":"summary","replaces":{"ids":[]},"summary":[{"type":"text","text":"s"}],"status":"in_progress""#,
    r#","compactionId":"c","kind":"summary","replaces":{"ids":[]},"summary":[{"type":"text","text":"s"}],"status":"partial""#,
    r#","compactionId":"c","kind":"summary","replaces":{"ids":[]},"summary":[{"type":"text","text":"s"}],"status":"Completed""#,
    r#","compactionId":"c","kind":"summary","replaces":{"throughId":"r1","ids":["r2"]},"summary":[{"type":"text","text":"s"}]"#,
    r#","compactionId":"c","kind":"summary","replaces":{"ids":["zz","r1"]},"summary":[{"type":"text","text":"s"}]"#,
    r#","compactionId":"c","kind":"summary","replaces":{"ids":[]},"retains":[{"ref":"r1","capture":"full"}]"#,
];
