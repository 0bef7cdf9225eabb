//! Native records from operations.
//!
//! Native record k has the id `nk`, its ASR records have consecutive seq over the session, and ids `rn` after
//! them.

use crate::form::Base;
use crate::native::NativeScript;
use crate::native::op::{
    Content, LogicalForm, NativeId, NativeOp, NativeRevision, Parent, ParentPick, ResponsePick, Stale, Tail,
    Turn,
};
use asr_spec::native::{Mapping, NativeRecord};
use asr_spec::record::{
    Assembly, Body, BranchesFrom, Compaction, ContentPart, Message, Record, Replaces, ToolCall, ToolResult,
};

impl NativeScript {
    /// The native records, in observation order.
    pub fn records(&self) -> Vec<NativeRecord> {
        let mut session = Session { count: self.ops.len(), ..Session::default() };
        for op in &self.ops {
            session.add(op);
        }
        session.records
    }
}

#[derive(Default)]
struct Session {
    records: Vec<NativeRecord>,
    /// How many there will be.
    count: usize,
    /// Positions of the native records that are units, and of those that are not.
    units: Vec<usize>,
    unmapped: Vec<usize>,
    seq: i64,
    /// Chains: the first records of units, each with the id of the latest revision.
    chains: Vec<(Record, String)>,
    responses: Vec<String>,
    calls: Vec<String>,
}

impl Session {
    fn add(&mut self, op: &NativeOp) {
        let mapping = match *op {
            NativeOp::Unit { content, response, n, turn } => {
                let bodies = self.bodies(content, response, n.into());
                let records: Vec<Record> =
                    bodies.into_iter().map(|body| self.record(body, turn.stale)).collect();
                if let Some(first) = records.first() {
                    self.chains.push((first.clone(), first.id.clone()));
                }
                Mapping::Unit(records)
            }
            NativeOp::Revise { n, base, revision, tail, turn } => {
                Mapping::Unit(self.revision(n.into(), base, revision, tail, turn.stale))
            }
            NativeOp::Nothing { .. } => Mapping::Nothing,
            NativeOp::PartOf { of, .. } => {
                Mapping::PartOf(self.native(of).unwrap_or_else(|| "missing".to_owned()))
            }
            NativeOp::Rewind { to, .. } => Mapping::Rewind(self.native(to)),
        };
        let Turn { parent, has_logical, logical, id, stale: _ } = *op.turn();
        let position = self.records.len();
        let (parent, logical_parent) = match has_logical {
            LogicalForm::Absent => (self.native(parent), None),
            LogicalForm::Present => (self.native(parent), self.native(logical)),
            LogicalForm::Instead => (None, self.native(logical)),
        };
        let id = match id {
            NativeId::Own => Some(native_id(position)),
            NativeId::Absent => None,
            NativeId::Again => Some(native_id(position.saturating_sub(1))),
        };
        match mapping {
            Mapping::Unit(_) => self.units.push(position),
            Mapping::Nothing | Mapping::PartOf(_) | Mapping::Rewind(_) => self.unmapped.push(position),
        }
        self.records.push(NativeRecord { id, parent, logical_parent, mapping });
    }

    /// The id of the native record that is named, if one is.
    fn native(&self, parent: Parent) -> Option<String> {
        let n = usize::from(parent.n);
        let position = self.records.len();
        Some(native_id(match parent.to {
            ParentPick::Unit => *latest(&self.units, n)?,
            ParentPick::Record => position.checked_sub(1 + n.checked_rem(position)?)?,
            ParentPick::Unmapped => *latest(&self.unmapped, n).or_else(|| latest(&self.units, n))?,
            ParentPick::Empty => return None,
            ParentPick::Later => {
                let later = self.count.saturating_sub(position + 1);
                position + 1 + n.checked_rem(later).unwrap_or(n)
            }
            ParentPick::Itself => position,
            ParentPick::Missing => return Some("missing".to_owned()),
        }))
    }

    fn record(&mut self, body: Body, stale: Stale) -> Record {
        self.seq += 1;
        let mut record = Record::new(self.seq, format!("r{}", self.seq), body);
        record.branches_from = match stale {
            Stale::Absent => None,
            Stale::Start => Some(BranchesFrom::Start),
        };
        record
    }

    fn bodies(&mut self, content: Content, response: ResponsePick, n: usize) -> Vec<Body> {
        let key = self.seq + 1;
        let prompt = || message(key, "user", "human");
        let said = |author: &str, origin: Option<&str>| {
            let mut message = message(key, "user", author);
            message.origin = origin.map(str::to_owned);
            vec![Body::from(message)]
        };
        match content {
            Content::Prompt => vec![prompt().into()],
            Content::Answer => vec![self.answer(response, n, None).into()],
            Content::AnswerAndCall => {
                let answer = self.answer(response, n, None);
                let call = self.call(answer.response_key.clone());
                vec![answer.into(), call.into()]
            }
            Content::Call => {
                let response = self.response(response, n);
                vec![self.call(response).into()]
            }
            Content::Calls => {
                let response = self.response(response, n);
                vec![self.call(response.clone()).into(), self.call(response).into()]
            }
            Content::Result => vec![self.result(n).into()],
            Content::ResultAndPrompt => vec![self.result(n).into(), prompt().into()],
            Content::Compaction => {
                vec![Compaction::new(format!("c{key}"), "summary", Replaces::Unknown).into()]
            }
            Content::Failed => vec![self.answer(response, n, Some("error")).into()],
            Content::Interrupted => vec![self.answer(response, n, Some("interrupted")).into()],
            Content::FailedAndCall => {
                let answer = self.answer(response, n, Some("error"));
                let call = self.call(answer.response_key.clone());
                vec![answer.into(), call.into()]
            }
            Content::FailedPrompt => {
                vec![Message { status: Some("error".to_owned()), ..prompt() }.into()]
            }
            Content::Harness => said("harness", None),
            Content::Hook => said("hook", None),
            Content::Injected => said("human", Some("injected")),
            Content::Memory => said("human", Some("memory")),
            Content::Retrieval => said("human", Some("retrieval")),
            Content::Notice => said("human", Some("notice")),
            Content::PromptAndHarness => vec![prompt().into(), message(key + 1, "user", "harness").into()],
            Content::Capitals => said("Harness", Some("Injected")),
        }
    }

    fn answer(&mut self, response: ResponsePick, n: usize, status: Option<&str>) -> Message {
        let response_key = self.response(response, n);
        let status = status.map(str::to_owned);
        Message { response_key, status, ..message(self.seq + 1, "assistant", "model") }
    }

    fn response(&mut self, pick: ResponsePick, n: usize) -> Option<String> {
        match (pick, latest(&self.responses, n)) {
            (ResponsePick::Recent, Some(response)) => Some(response.clone()),
            (ResponsePick::Fresh | ResponsePick::Recent, _) => {
                let response = format!("x{}", self.responses.len());
                self.responses.push(response.clone());
                Some(response)
            }
            (ResponsePick::Absent, _) => None,
        }
    }

    fn call(&mut self, response_key: Option<String>) -> ToolCall {
        let call_id = format!("k{}", self.calls.len());
        self.calls.push(call_id.clone());
        ToolCall { call_id, response_key, ..ToolCall::default() }
    }

    fn result(&self, n: usize) -> ToolResult {
        let call_id = latest(&self.calls, n).cloned().unwrap_or_else(|| "missing".to_owned());
        ToolResult { call_id, is_error: None, content: Vec::new() }
    }

    fn revision(
        &mut self,
        n: usize,
        base: Base,
        revision: NativeRevision,
        tail: Tail,
        stale: Stale,
    ) -> Vec<Record> {
        let Some((first, latest_id)) = latest(&self.chains, n).cloned() else {
            let record = self.record(message(self.seq + 1, "user", "human").into(), stale);
            self.chains.push((record.clone(), record.id.clone()));
            return vec![record];
        };
        let mut body = first.body.clone();
        let status = match revision {
            NativeRevision::RewriteFailed | NativeRevision::PlainFailed => Some(Some("error".to_owned())),
            NativeRevision::PlainCompleted => Some(Some("completed".to_owned())),
            NativeRevision::Rewrite
            | NativeRevision::Plain
            | NativeRevision::Merge
            | NativeRevision::Dangling
            | NativeRevision::OtherType => None,
        };
        if let (Body::Message(message), Some(status)) = (&mut body, status) {
            message.status = status;
        }
        let mode = match revision {
            NativeRevision::Rewrite
            | NativeRevision::RewriteFailed
            | NativeRevision::Dangling
            | NativeRevision::OtherType => Some("rewrite"),
            NativeRevision::Plain | NativeRevision::PlainFailed | NativeRevision::PlainCompleted => None,
            NativeRevision::Merge => Some("merge"),
        };
        if revision == NativeRevision::OtherType {
            body = match body {
                Body::Message(_) => ToolResult { call_id: "k".to_owned(), ..ToolResult::default() }.into(),
                _ => message(self.seq + 1, "user", "human").into(),
            };
        }

        let mut record = self.record(body, stale);
        record.supersedes = Some(match (revision, base) {
            (NativeRevision::Dangling, _) => "missing".to_owned(),
            (_, Base::Latest) => latest_id,
            (_, Base::First) => first.id,
        });
        record.assembly = mode
            .map(|mode| Assembly { mode: mode.to_owned(), source_ids: vec![native_id(self.records.len())] });
        if matches!(revision, NativeRevision::Dangling | NativeRevision::OtherType) {
            self.chains.push((record.clone(), record.id.clone()));
        } else if let Some(last) = self.chains.len().checked_sub(1)
            && let Some((_, latest)) = self.chains.get_mut(last - n % (last + 1))
        {
            latest.clone_from(&record.id);
        }
        let mut records = vec![record];
        if tail == Tail::Call {
            let response_key = self.responses.last().cloned();
            let call = self.call(response_key);
            records.push(self.record(call.into(), stale));
        }
        records
    }
}

fn native_id(position: usize) -> String {
    format!("n{}", position + 1)
}

fn message(key: i64, role: &str, author: &str) -> Message {
    Message {
        message_id: Some(format!("m{key}")),
        role: role.to_owned(),
        author: Some(author.to_owned()),
        content: vec![ContentPart::text("t")],
        ..Message::default()
    }
}

/// The n-th latest of some things, counted round.
fn latest<T>(things: &[T], n: usize) -> Option<&T> {
    let last = things.len().checked_sub(1)?;
    things.get(last - n.checked_rem(things.len())?)
}
