//! Rendering: from a script to the bytes of a stream.
//!
//! Rendering is total. Each operand is wrapped onto what exists at its place (the calls so far, the nodes on
//! the path), and what would break a rule although nothing odd asked for it is left out: a branch from the
//! implicit predecessor, a rewrite that closes a cycle or moves what a compaction relies on. So the streams
//! of scripts without odd operands are valid by construction, and stay so when operations are deleted.
//!
//! The record on line n has seq n and id `rn` unless a mark says otherwise, its entity key is `mn`, `kn` or
//! `cn`, and a line is as short as the chapter allows.

mod audit;
mod body;
mod branch;
mod compaction;
mod context;
mod edit;
mod head;
pub(crate) mod line;
pub(crate) mod session;

use crate::form::{BranchForm, IdForm, SeqForm, SpellForm};
use crate::op::{Kind, Op};
use crate::operand::Ref;
use crate::script::Script;
use edit::Edit;
use head::Draft;
use line::Line;
use session::{Body, Branch, Session, Written};
use std::collections::BTreeSet;

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
    edit: Option<Edit>,
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
    /// Room for the fields of the next record.
    spare: Line,
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
            spare: Line::new(),
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
            Op::Edit { form, at, n } => return self.marks.edit = Some(Edit { form, at, n }),
            Op::Message { form, words } => {
                self.append(Body::Message(form, words), format!("m{}", self.line));
            }
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
        // A blank line without its end would be no line.
        let may_lack_end = self.line == self.last_line && op.kind() != Kind::Blank;
        line::end(self.marks.spell, may_lack_end, &mut self.out);
        self.marks = Marks::default();
    }

    /// Writes the record and remembers it.
    fn finish(&mut self, draft: Draft, branch: Option<Branch>) -> usize {
        let Draft { line, name } = draft;
        match self.marks.edit {
            Some(edit) => self.out.extend_from_slice(edit.apply(&line.plain("")).as_bytes()),
            None => line.write(self.marks.spell, &mut self.out),
        }
        self.spare = line.cleared();
        self.session.records.push(Written { id: name, branch });
        self.session.records.len() - 1
    }
}
