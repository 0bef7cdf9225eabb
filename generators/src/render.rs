//! Rendering: from a script to the bytes of a stream.
//!
//! Rendering is total. Each operand is wrapped onto what exists at its place (the calls so far, the nodes on the
//! path), and what would break a rule although nothing odd asked for it is left out: a branch from the implicit
//! predecessor, a rewrite that closes a cycle or moves what a compaction relies on. So the streams of scripts without
//! odd operands are valid by construction, and stay so when operations are deleted.
//!
//! The record on line n has seq n and id `rn` unless a mark says otherwise, its entity key is `mn`, `kn` or `cn`, and
//! a line is as short as the chapter allows.

mod compaction;
mod line;
mod session;

use crate::form::{
    AuditForm, Base, BranchForm, CallForm, CallPick, Change, ContentForm, GapForm, HeadsForm, IdForm,
    KeyForm, LineageForm, Manner, MessageForm, RewindForm, SeqForm, SpellForm, StatusForm,
};
use crate::op::{Kind, Op};
use crate::operand::{Operand, Ref};
use crate::script::Script;
use line::{Line, quote};
use session::{Body, Branch, Named, Node, Place, Session, Written, latest, wrapped};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// How many targets a rewrite tries until one is found that it may move to.
const TRIES: u8 = 8;

impl Script {
    /// The stream of the script.
    pub fn render(&self) -> Vec<u8> {
        let mut renderer = Renderer::new(&self.ops);
        for op in &self.ops {
            renderer.write(op);
        }
        renderer.out
    }
}

/// What the next line is marked with.
#[derive(Clone, Copy, Default)]
struct Marks {
    branch: Option<(BranchForm, Ref)>,
    supersede: Option<Ref>,
    id: Option<(IdForm, u8)>,
    seq: Option<(SeqForm, u8)>,
    spell: Option<SpellForm>,
}

struct Renderer {
    out: Vec<u8>,
    session: Session,
    marks: Marks,
    /// The line being written, and the number of the last one.
    line: usize,
    last_line: usize,
    /// How far seq has run ahead of the line, and the seq of the record before.
    ahead: i64,
    last_seq: i64,
    /// Ids that are not of the ordinary form.
    special_ids: BTreeSet<String>,
    /// Lines that will hold calls.
    calls_ahead: Vec<usize>,
}

/// The seq and the id of the next record, in JSON.
struct Head {
    seq: Option<Cow<'static, str>>,
    id: Option<Cow<'static, str>>,
    /// The id, if it is a string.
    name: Option<String>,
}

/// A record that is being written.
struct Draft {
    line: Line,
    name: Option<String>,
}

impl Head {
    fn begin(self, type_name: &str) -> Draft {
        self.begin_as(Some(quote(type_name).into()))
    }

    /// Begins a record with a type in JSON.
    fn begin_as(self, r#type: Option<Cow<'static, str>>) -> Draft {
        let Self { seq, id, name } = self;
        let mut line = Line::new();
        for (key, value) in [("type", r#type), ("seq", seq), ("id", id)] {
            if let Some(value) = value {
                line.put(key, value);
            }
        }
        Draft { line, name }
    }
}

impl Renderer {
    fn new(ops: &[Op]) -> Self {
        let lines = || ops.iter().filter(|op| op.is_line()).zip(1..);
        let is_node =
            |op: &Op| matches!(op.kind(), Kind::Message | Kind::Call | Kind::Result | Kind::Compaction);
        let nodes_ahead = lines().filter(|(op, _)| is_node(op)).map(|(_, line)| line).collect();
        Self {
            out: Vec::with_capacity(ops.len() * 120),
            session: Session::new(nodes_ahead),
            marks: Marks::default(),
            line: 0,
            last_line: lines().count(),
            ahead: 0,
            last_seq: 0,
            special_ids: BTreeSet::new(),
            calls_ahead: lines().filter(|(op, _)| op.kind() == Kind::Call).map(|(_, line)| line).collect(),
        }
    }

    fn write(&mut self, op: &Op) {
        if op.is_line() {
            self.line += 1;
        }
        match *op {
            Op::Branch { form, at } => return self.marks.branch = Some((form, at)),
            Op::Supersede { at } => return self.marks.supersede = Some(at),
            Op::Id { form, n } => return self.marks.id = Some((form, n)),
            Op::Seq { form, n } => return self.marks.seq = Some((form, n)),
            Op::Spell { form } => return self.marks.spell = Some(form),
            Op::Message { form } => self.append(Body::Message(form), format!("m{}", self.line)),
            Op::Call { form, key } => self.call(form, key),
            Op::Result { of, n, key } => self.append(Body::Result(key), self.key_of_call(of, n.into())),
            Op::Compaction(compaction) => {
                self.append(Body::Compaction(compaction), format!("c{}", self.line));
            }
            Op::Rewind { form, to } => self.rewind(form, to),
            Op::Revise { of, base, change, manner } => self.revise(of, base, change, manner),
            Op::Gap { form } => self.gap(form),
            Op::Info { heads, at, lineage } => self.info(heads, at, lineage),
            Op::Audit { form } => self.audit(form),
            Op::Malformed { damage } => {
                line::malformed(damage, self.ordinary_seq(), &format!("r{}", self.line), &mut self.out);
            }
            Op::Blank { form } => line::blank(form, &mut self.out),
        }
        line::end(self.marks.spell, self.line == self.last_line, &mut self.out);
        self.marks = Marks::default();
    }

    // Seq, id and the marks.

    fn ordinary_seq(&self) -> i64 {
        i64::try_from(self.line).unwrap_or(i64::MAX).saturating_add(self.ahead)
    }

    fn head(&mut self) -> Head {
        let seq = self.seq();
        let (id, name) = self.id();
        Head { seq, id, name }
    }

    fn seq(&mut self) -> Option<Cow<'static, str>> {
        let Some((form, n)) = self.marks.seq else {
            self.last_seq = self.ordinary_seq();
            return Some(self.last_seq.to_string().into());
        };
        let ordinary = self.ordinary_seq();
        let lower = self.last_seq.saturating_sub(1 + i64::from(n));
        let seq = match form {
            SeqForm::Skip => {
                self.ahead = self.ahead.saturating_add(1 + i64::from(n));
                self.last_seq = self.ordinary_seq();
                self.last_seq.to_string().into()
            }
            SeqForm::Again => self.last_seq.to_string().into(),
            SeqForm::Lower => lower.to_string().into(),
            SeqForm::Missing => return None,
            SeqForm::Null => "null".into(),
            SeqForm::Fraction => format!("{ordinary}.0").into(),
            SeqForm::Exponent => format!("{ordinary}e0").into(),
            SeqForm::Text => format!("\"{ordinary}\"").into(),
            SeqForm::Bool => "true".into(),
            SeqForm::MinusZero => "-0".into(),
            SeqForm::Largest => "9223372036854775807".into(),
            SeqForm::Smallest => "-9223372036854775808".into(),
            SeqForm::TooLarge => "9223372036854775808".into(),
            SeqForm::Huge => "1e999".into(),
        };
        Some(seq)
    }

    /// The id in JSON, and the id if it is a string.
    fn id(&mut self) -> (Option<Cow<'static, str>>, Option<String>) {
        let ordinary = format!("r{}", self.line);
        let Some((form, n)) = self.marks.id else { return named(ordinary) };
        let n = usize::from(n);
        let special = match form {
            IdForm::Malformed => "malformed".to_owned(),
            IdForm::Key => self.session.key(n).map_or_else(|| ordinary.clone(), str::to_owned),
            IdForm::Awkward => format!("{ordinary} \"é\\\u{1}😀"),
            IdForm::Empty => String::new(),
            IdForm::Again => {
                let again = self.session.latest_id(n).map(str::to_owned);
                self.session.twice.extend(again.clone());
                return named(again.unwrap_or(ordinary));
            }
            IdForm::Missing => return (None, None),
            IdForm::Number => return (Some("5".into()), None),
            IdForm::Null => return (Some("null".into()), None),
            IdForm::List => return (Some(format!("[{}]", quote(&ordinary)).into()), None),
        };
        let is_new = special == ordinary || self.special_ids.insert(special.clone());
        named(if is_new { special } else { ordinary })
    }

    /// What a ref on the present record names.
    fn target(&self, at: Ref, not: Place, name: &Option<String>) -> Option<Named> {
        self.session.name(at, not, self.line, name.as_deref())
    }

    /// What the present record is marked to supersede.
    fn superseded(&self, name: &Option<String>) -> Option<Named> {
        self.target(self.marks.supersede?, Place::Unknown, name)
    }

    /// The branchesFrom that a form and a ref make, unless it would be one too many.
    fn branch(&self, form: BranchForm, at: Ref, implicit: Place, name: &Option<String>) -> Option<Branch> {
        let record = |not| {
            let target = self.target(at, not, name)?;
            let place = if target.text == "null" { Place::Start } else { target.place() };
            Some((target.text, place))
        };
        let any = || record(Place::Unknown).unwrap_or_else(|| (quote("zz"), Place::Unknown));
        let (text, place) = match form {
            BranchForm::Record => {
                let (text, place) = record(implicit)?;
                (format!("{{\"record\":{text}}}"), place)
            }
            BranchForm::Start if implicit == Place::Start => return None,
            BranchForm::Start | BranchForm::ForcedStart => ("{\"record\":null}".into(), Place::Start),
            BranchForm::Unknown => ("{\"state\":\"unknown\"}".into(), Place::Unknown),
            BranchForm::Forced => {
                let (text, place) = any();
                (format!("{{\"record\":{text}}}"), place)
            }
            BranchForm::Empty => ("{}".into(), Place::Unknown),
            BranchForm::Null => ("null".into(), implicit),
            BranchForm::Text => (any().0, Place::Unknown),
            BranchForm::List => ("[]".into(), Place::Unknown),
            BranchForm::OtherState => ("{\"state\":\"lost\"}".into(), Place::Unknown),
            BranchForm::NumberState => ("{\"state\":5}".into(), Place::Unknown),
            BranchForm::Both => {
                let (text, place) = any();
                (format!("{{\"record\":{text},\"state\":\"unknown\"}}"), place)
            }
            BranchForm::NullAndState => ("{\"state\":\"unknown\",\"record\":null}".into(), Place::Start),
        };
        Some(Branch { text, place })
    }

    /// The branchesFrom of a record that should have none: only an odd mark makes one.
    fn odd_branch(&self, name: &Option<String>) -> Option<Branch> {
        let (form, at) = self.marks.branch.filter(|&(form, at)| is_odd(form, at))?;
        self.branch(form, at, Place::Unknown, name)
    }

    /// Writes the record and remembers it.
    fn finish(&mut self, draft: Draft, branch: Option<Branch>) -> usize {
        let Draft { line, name } = draft;
        line.write(self.marks.spell, &mut self.out);
        self.session.records.push(Written { id: name, branch });
        self.session.records.len() - 1
    }

    // Records that take part in the context.

    /// Appends a node.
    fn append(&mut self, body: Body, key: String) {
        let head = self.head();
        let superseded = self.superseded(&head.name);
        self.append_as(head, superseded, body, key);
    }

    fn append_as(&mut self, head: Head, superseded: Option<Named>, body: Body, key: String) {
        let implicit = self.session.tip;
        let branch = self.marks.branch.and_then(|(form, at)| self.branch(form, at, implicit, &head.name));
        let place = branch.as_ref().map_or(implicit, |branch| branch.place);
        let mut draft = head.begin(body.type_name());
        if let Some(superseded) = &superseded {
            draft.line.put("supersedes", superseded.text.clone());
        }
        if let Some(branch) = &branch {
            draft.line.put("branchesFrom", branch.text.clone());
        }
        self.body(&mut draft, body, &key, place);
        let record = self.finish(draft, branch.clone());

        // A mark may have made a revision of it.
        let revised = superseded
            .and_then(|named| named.target)
            .and_then(|(index, _)| Some((index, self.session.nodes.get_mut(index)?)))
            .filter(|(_, node)| node.body.type_name() == body.type_name());
        if let Some((index, node)) = revised {
            node.latest = record;
            node.key = key;
            node.body = body;
            self.session.revisions.push((record, index));
        } else {
            self.session.tip = Place::Node(self.session.nodes.len());
            self.session.nodes.push(Node {
                first: record,
                latest: record,
                place,
                branch,
                implicit,
                pinned: false,
                key,
                body,
            });
        }
    }

    /// The fields of a type, on a record with that predecessor.
    fn body(&mut self, draft: &mut Draft, body: Body, key: &str, place: Place) {
        let line = &mut draft.line;
        match body {
            Body::Message(form) => message(line, form, key),
            Body::Call(form, key_form) => {
                self.call_key(line, key_form, key);
                self.requested_by(line, form, key);
            }
            Body::Result(key_form) => self.call_key(line, key_form, key),
            Body::Compaction(compaction) => {
                let path = self.session.path(place);
                let gap = self.session.gap.is_some();
                let refs = compaction::Refs {
                    session: &self.session,
                    path: &path,
                    line: self.line,
                    own: draft.name.as_deref(),
                };
                if compaction::write(&compaction, key, gap, &refs, line) {
                    self.session.pin(place);
                }
            }
        }
    }

    fn call(&mut self, form: CallForm, key: KeyForm) {
        let shared = self.session.calls.last().filter(|_| key == KeyForm::Shared);
        let entity = shared.cloned().unwrap_or_else(|| format!("k{}", self.line));
        self.append(Body::Call(form, key), entity.clone());
        self.session.calls.push(entity);
    }

    /// The key of the call that a result belongs to.
    fn key_of_call(&self, of: CallPick, n: usize) -> String {
        let own = || format!("k{}", self.line);
        match of {
            CallPick::Recent => latest(&self.session.calls, n).cloned().unwrap_or_else(own),
            CallPick::Later => {
                let next = self.calls_ahead.partition_point(|&line| line <= self.line);
                let later = self.calls_ahead.get(next..).and_then(|later| wrapped(later, n));
                later.map_or_else(own, |line| format!("k{line}"))
            }
            CallPick::Nobody => own(),
        }
    }

    fn call_key(&self, line: &mut Line, form: KeyForm, key: &str) {
        let other = || self.session.calls.first().map_or("k0", String::as_str);
        match form {
            KeyForm::CallId | KeyForm::Shared => line.text("callId", key),
            KeyForm::ToolCallId => line.text("toolCallId", key),
            KeyForm::Both => {
                line.text("toolCallId", other());
                line.text("callId", key);
            }
            KeyForm::NumberFirst => {
                line.put("callId", "5");
                line.text("toolCallId", key);
            }
            KeyForm::NullFirst => {
                line.put("callId", "null");
                line.text("toolCallId", key);
            }
            KeyForm::Number => line.put("callId", "5"),
            KeyForm::Absent => {}
        }
    }

    fn requested_by(&self, line: &mut Line, form: CallForm, key: &str) {
        match form {
            CallForm::Model => {}
            CallForm::Code => line.text("requestedBy", "code"),
            CallForm::Child => {
                let parent = self.session.calls.iter().rev().find(|&call| call != key);
                line.text("parentCallId", parent.map_or("k0", String::as_str));
            }
            CallForm::NullParent => line.put("parentCallId", "null"),
            CallForm::User => line.text("requestedBy", "user"),
            CallForm::Capitals => line.text("requestedBy", "Code"),
            CallForm::Aside => {
                line.text("audience", "user");
                line.text("status", "withdrawn");
            }
            CallForm::List => line.put("requestedBy", "[\"code\"]"),
            CallForm::ParentNumber => line.put("parentCallId", "5"),
        }
    }

    /// Revises a node.
    fn revise(&mut self, of: Ref, base: Base, change: Change, manner: Manner) {
        let head = self.head();
        let of = self.marks.supersede.unwrap_or(of);
        let named = self.target(of, Place::Unknown, &head.name);
        let target = named.as_ref().and_then(|named| named.target);
        let Some((index, (node, record))) =
            target.and_then(|(index, record)| Some((index, (self.session.nodes.get(index)?, record))))
        else {
            let body = Body::Message(MessageForm::default());
            return self.append_as(head, named, body, format!("m{}", self.line));
        };

        let base = match base {
            Base::First => node.first,
            Base::Latest if record == node.first => node.latest,
            Base::Latest => record,
        };
        let body = changed(node.body, change);
        let mut key = node.key.clone();
        if change == Change::OtherKey {
            key.push('x');
        }
        let supersedes = self.session.id(base);
        let repeated = self.session.records.get(base).and_then(|base| base.branch.clone());
        let (is_marked, branch) = match manner {
            Manner::Plain | Manner::Merge | Manner::AssemblyText | Manner::Capitals => {
                (false, self.odd_branch(&head.name).or(repeated))
            }
            Manner::Dropped => (false, self.odd_branch(&head.name)),
            Manner::Rewrite => (true, self.rewritten(index, repeated, &head.name)),
            Manner::Bare => (true, self.rewritten(index, None, &head.name)),
        };
        let assembly = match manner {
            Manner::Plain | Manner::Dropped => None,
            Manner::Rewrite | Manner::Bare => Some(r#"{"mode":"rewrite","sourceIds":["x"]}"#),
            Manner::Merge => Some(r#"{"mode":"merge"}"#),
            Manner::AssemblyText => Some(r#""rewrite""#),
            Manner::Capitals => Some(r#"{"mode":"Rewrite"}"#),
        };

        if let Some(node) = self.session.nodes.get_mut(index) {
            if is_marked {
                node.place = branch.as_ref().map_or(node.implicit, |branch| branch.place);
                node.branch = branch.clone();
            }
            node.body = body;
            node.key.clone_from(&key);
        }
        let place = self.session.nodes.get(index).map_or(Place::Unknown, |node| node.place);

        let mut draft = head.begin(body.type_name());
        draft.line.put("supersedes", supersedes);
        if let Some(assembly) = assembly {
            draft.line.put("assembly", assembly);
        }
        if let Some(branch) = &branch {
            draft.line.put("branchesFrom", branch.text.clone());
        }
        self.body(&mut draft, body, &key, place);
        let record = self.finish(draft, branch);
        if let Some(node) = self.session.nodes.get_mut(index) {
            node.latest = record;
        }
        self.session.revisions.push((record, index));
    }

    /// The branchesFrom of a marked rewrite: what a mark asks for, or else `otherwise`, or else, if either would break
    /// a rule, the one in force.
    fn rewritten(&self, index: usize, otherwise: Option<Branch>, name: &Option<String>) -> Option<Branch> {
        let node = self.session.nodes.get(index)?;
        let may_follow = |place| place == node.place || self.session.may_move(index, place);
        if let Some((form, at)) = self.marks.branch {
            if is_odd(form, at) {
                return self.branch(form, at, node.implicit, name);
            }
            for n in 0..TRIES {
                let at = Ref { n: at.n.wrapping_add(n), ..at };
                let branch = self.branch(form, at, node.implicit, name);
                if let Some(branch) = branch.filter(|branch| may_follow(branch.place)) {
                    return Some(branch);
                }
            }
        }
        let place = otherwise.as_ref().map_or(node.implicit, |branch| branch.place);
        if may_follow(place) { otherwise } else { node.branch.clone() }
    }

    // Records that do not.

    /// Begins an audit-only record, with the marks that it should not have.
    fn begin_audit(&mut self, r#type: Option<Cow<'static, str>>) -> Draft {
        let head = self.head();
        let superseded = self.superseded(&head.name);
        let branch = self.odd_branch(&head.name);
        let mut draft = head.begin_as(r#type);
        if let Some(superseded) = superseded {
            draft.line.put("supersedes", superseded.text);
        }
        if let Some(branch) = branch {
            draft.line.put("branchesFrom", branch.text);
        }
        draft
    }

    fn finish_audit(&mut self, draft: Draft) -> usize {
        let record = self.finish(draft, None);
        self.session.audits.push(record);
        record
    }

    fn rewind(&mut self, form: RewindForm, to: Ref) {
        let mut draft = self.begin_audit(Some("\"rewind\"".into()));
        let target = self.target(to, Place::Unknown, &draft.name);
        let (text, place) = match target {
            _ if form == RewindForm::Start => ("null".to_owned(), Place::Start),
            Some(named) if named.text == "null" => (named.text, Place::Start),
            Some(named) => (named.text.clone(), named.place()),
            None => ("null".to_owned(), Place::Start),
        };
        if form == RewindForm::NoTarget {
            self.session.tip = Place::Unknown;
        } else {
            draft.line.put("to", text);
            self.session.tip = place;
        }
        if form != RewindForm::NoReason {
            draft.line.text("reason", "other");
        }
        if form == RewindForm::Restoring {
            draft.line.put("restoreRequested", "true");
        }
        self.session.rewind = Some(self.finish_audit(draft));
    }

    fn gap(&mut self, form: GapForm) {
        let mut draft = self.begin_audit(Some("\"gap\"".into()));
        let earlier =
            self.session.gap.filter(|_| form == GapForm::Revising && self.marks.supersede.is_none());
        if let Some(earlier) = earlier {
            draft.line.put("supersedes", self.session.id(earlier));
        }
        draft.line.text("reason", "unreadable");
        let record = self.finish_audit(draft);
        self.session.gap = Some(record);
    }

    fn info(&mut self, heads: HeadsForm, at: Ref, lineage: LineageForm) {
        let mut draft = self.begin_audit(Some("\"session_info\"".into()));
        let head = |at| self.target(at, Place::Unknown, &draft.name).map(|named| named.text);
        let heads: Option<Cow<'static, str>> = match (heads, head(at)) {
            (HeadsForm::Absent, _) => None,
            (HeadsForm::One, Some(head)) => Some(format!("[{head}]").into()),
            (HeadsForm::Two, Some(first)) => {
                let second = head(at.next()).unwrap_or_else(|| first.clone());
                Some(format!("[{first},{second}]").into())
            }
            (HeadsForm::NoPrimary, Some(head)) => Some(format!("[null,{head}]").into()),
            (HeadsForm::Nobody, _) | (HeadsForm::NoPrimary, None) => Some("[null]".into()),
            (HeadsForm::Empty, _) | (HeadsForm::One | HeadsForm::Two, None) => Some("[]".into()),
            (HeadsForm::Null, _) => Some("null".into()),
            (HeadsForm::Text, head) => Some(head.unwrap_or_else(|| quote("zz")).into()),
            (HeadsForm::Object, head) => {
                Some(format!("{{\"0\":{}}}", head.unwrap_or_else(|| quote("zz"))).into())
            }
            (HeadsForm::Mixed, head) => Some(format!("[5,{}]", head.unwrap_or_else(|| quote("zz"))).into()),
            (HeadsForm::LaterNull, head) => {
                Some(format!("[{},null]", head.unwrap_or_else(|| quote("zz"))).into())
            }
        };
        if let Some(heads) = heads {
            draft.line.put("heads", heads);
        }
        if let Some(lineage) = lineage_json(lineage) {
            draft.line.put("lineage", lineage);
        }
        self.finish_audit(draft);
    }

    fn audit(&mut self, form: AuditForm) {
        let r#type: Option<&'static str> = match form {
            AuditForm::Usage => Some("\"usage\""),
            AuditForm::Vendor => Some("\"x-vendor-note\""),
            AuditForm::FileChange | AuditForm::Restored | AuditForm::RestoredByNobody => {
                Some("\"file_change\"")
            }
            AuditForm::Permission => Some("\"permission\""),
            AuditForm::Tombstone => Some("\"tombstone\""),
            AuditForm::Capitals => Some("\"Message\""),
            AuditForm::NoType => None,
            AuditForm::NumberType => Some("5"),
            AuditForm::NullType => Some("null"),
        };
        let mut draft = self.begin_audit(r#type.map(Cow::Borrowed));
        let line = &mut draft.line;
        match form {
            AuditForm::Restored => {
                line.text("status", "skipped");
                if let Some(rewind) = self.session.rewind {
                    line.put("cause", format!("{{\"restore\":{}}}", self.session.id(rewind)));
                }
            }
            AuditForm::RestoredByNobody => line.put("cause", "{\"restore\":\"zz\"}"),
            AuditForm::Tombstone => {
                if let Some(named) = self.session.by_first(self.session.nodes.len().wrapping_sub(1)) {
                    line.put("target", named.text);
                }
            }
            AuditForm::Vendor => line.put("data", "{\"type\":\"message\"}"),
            AuditForm::Usage
            | AuditForm::FileChange
            | AuditForm::Permission
            | AuditForm::Capitals
            | AuditForm::NoType
            | AuditForm::NumberType
            | AuditForm::NullType => {}
        }
        self.finish_audit(draft);
    }
}

/// An id as it is mostly written.
fn named(id: String) -> (Option<Cow<'static, str>>, Option<String>) {
    (Some(quote(&id).into()), Some(id))
}

/// Whether a mark to branch may break a rule.
fn is_odd(form: BranchForm, at: Ref) -> bool {
    form.rank() >= form.sound() || at.to.rank() >= at.to.sound()
}

fn message(line: &mut Line, form: MessageForm, key: &str) {
    let role = if matches!(form, MessageForm::Answer | MessageForm::Failed) { "assistant" } else { "user" };
    line.text("messageId", key);
    line.text("role", role);
    match form {
        MessageForm::Prompt | MessageForm::Answer => {}
        MessageForm::Aside => line.text("audience", "user"),
        MessageForm::Withdrawn => line.text("status", "withdrawn"),
        MessageForm::Failed => line.text("status", "error"),
        MessageForm::ForModel => line.text("audience", "model"),
        MessageForm::Capitals => {
            line.text("audience", "User");
            line.text("status", "Withdrawn");
        }
        MessageForm::AudienceList => line.put("audience", "[\"user\"]"),
        MessageForm::StatusObject => line.put("status", "{\"withdrawn\":true}"),
        MessageForm::Nulls => {
            line.put("audience", "null");
            line.put("status", "null");
        }
    }
}

fn lineage_json(form: LineageForm) -> Option<&'static str> {
    Some(match form {
        LineageForm::Absent => return None,
        LineageForm::ThroughId => r#"{"inherits":{"mode":"referenced","from":"s0","throughId":"q9"}}"#,
        LineageForm::Ordinal => r#"{"inherits":{"mode":"referenced","from":"s0","throughOrdinal":4}}"#,
        LineageForm::OrdinalFraction => {
            r#"{"inherits":{"mode":"referenced","from":"s0","throughOrdinal":4.0}}"#
        }
        LineageForm::OrdinalHuge => {
            r#"{"inherits":{"mode":"referenced","from":"s0","throughOrdinal":1e999}}"#
        }
        LineageForm::Both => {
            r#"{"inherits":{"mode":"referenced","from":"s0","throughId":"q9","throughOrdinal":4}}"#
        }
        LineageForm::Whole => {
            r#"{"inherits":{"mode":"referenced","from":{"session":"s0","n":[1,-0,1e999]}}}"#
        }
        LineageForm::Copied => r#"{"inherits":{"mode":"copied","from":"s0","throughId":"q9"}}"#,
        LineageForm::OtherMode => r#"{"inherits":{"mode":"Referenced","from":"s0"}}"#,
        LineageForm::Null => "null",
        LineageForm::NullInherits => r#"{"inherits":null}"#,
        LineageForm::Text => r#""referenced""#,
        LineageForm::InheritsText => r#"{"inherits":"referenced"}"#,
        LineageForm::ThroughNulls => {
            r#"{"inherits":{"mode":"referenced","from":"s0","throughId":null,"throughOrdinal":null}}"#
        }
        LineageForm::NoFrom => r#"{"inherits":{"mode":"referenced"}}"#,
        LineageForm::NumberMode => r#"{"inherits":{"mode":5,"from":"s0"}}"#,
    })
}

/// What a node says after a change.
fn changed(body: Body, change: Change) -> Body {
    match body {
        Body::Message(form) => Body::Message(match change {
            Change::Nothing | Change::Advance | Change::OtherKey => form,
            Change::Hide => MessageForm::Aside,
            Change::Show => MessageForm::Prompt,
            Change::Withdraw => MessageForm::Withdrawn,
            Change::Fail => MessageForm::Failed,
        }),
        Body::Call(form, key) => {
            let form = match change {
                Change::Nothing | Change::Advance | Change::OtherKey => form,
                Change::Hide => CallForm::Code,
                Change::Show => CallForm::Model,
                Change::Withdraw => CallForm::Child,
                Change::Fail => CallForm::NullParent,
            };
            Body::Call(form, key)
        }
        Body::Result(key) => Body::Result(key),
        Body::Compaction(mut compaction) => {
            match change {
                Change::Nothing | Change::OtherKey => {}
                Change::Hide => compaction.content = ContentForm::Absent,
                Change::Show => {
                    compaction.content = ContentForm::Summary;
                    compaction.status = StatusForm::Completed;
                }
                Change::Withdraw => compaction.status = StatusForm::InProgress,
                Change::Fail => compaction.status = StatusForm::Failed,
                Change::Advance => {
                    compaction.through = compaction.through.next();
                    compaction.at = compaction.at.next();
                    compaction.carried = compaction.carried.next();
                }
            }
            Body::Compaction(compaction)
        }
    }
}
