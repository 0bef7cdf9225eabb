//! The mechanical-sibling rule (ASR-361): where the records of a tree-stored source branch.
//!
//! The current path is computed as the chapter says, by ACTIVE-PATH over the records written so far.

use crate::active_path::{Item, active_path};
use crate::predecessor::{Predecessor, scan};
use crate::stream::{NodeId, Stream};
use asr_spec::native::{Mapping, NativeRecord, Placement};
use asr_spec::record::{Body, BranchesFrom, Record};
use asr_spec::{Json, Step, Trace};
use std::collections::BTreeMap;

/// The placement of every native record, in order. Quadratic in the records, whose ids are unique.
pub fn place(records: &[NativeRecord], trace: &mut impl Trace) -> Vec<Placement> {
    let attachments = vec![None; records.len()];
    let mut rule = Rule { records, stream: Stream::default(), written: Vec::new(), attachments, tip: None };
    (0..records.len()).map(|u| rule.place(u, trace)).collect()
}

/// The state of the rule between two units.
struct Rule<'a> {
    records: &'a [NativeRecord],
    /// The stream so far: what decides its structure, no more.
    stream: Stream,
    /// Its records by position, `None` for a rewind.
    written: Vec<Option<&'a Record>>,
    /// The attachment points of the native records that are placed units, as positions.
    attachments: Vec<Option<usize>>,
    /// T, the attachment point of the most recently placed unit; `None` is START.
    tip: Option<usize>,
}

/// What step 1 makes of a native parent.
#[derive(Clone, Copy)]
enum Parent {
    Empty,
    NotFound,
    Attachment(usize),
}

impl<'a> Rule<'a> {
    fn place(&mut self, u: usize, trace: &mut impl Trace) -> Placement {
        let records = self.records;
        let Some(record) = records.get(u) else { return Placement::new() };
        match &record.mapping {
            Mapping::Nothing | Mapping::PartOf(_) => Placement::new(),
            Mapping::Rewind(to) => {
                self.rewind(to.as_ref(), trace);
                Placement::new()
            }
            Mapping::Unit(unit) => self.place_unit(u, unit, trace),
        }
    }

    /// Revisions in the unit stand aside (MS7-1): the rule is about its other records, the first of which is r. Where
    /// it has no others, its children attach to what it revises, and T does not move.
    fn place_unit(&mut self, u: usize, unit: &'a [Record], trace: &mut impl Trace) -> Placement {
        let mut placement = Placement::new();
        let (mut last_new, mut last_revision) = (None, None);
        for record in unit {
            let position = self.written.len();
            self.written.push(Some(record));
            self.stream.append(structure(record));
            let is_revision = self.stream.items.get(position).is_some_and(|item| item.supersedes.is_some());
            let branches_from = if is_revision {
                last_revision = Some(position);
                self.revised_branches_from(u, position, placement.is_empty(), trace)
            } else {
                let is_first = last_new.is_none();
                last_new = Some(position);
                if is_first { self.branches_from(u, record, trace) } else { None }
            };
            if let Some(branches_from) = &branches_from {
                self.write(position, branches_from);
            }
            placement.push(branches_from);
        }
        if let Some(slot) = self.attachments.get_mut(u) {
            *slot = last_new.or(last_revision);
        }

        // 7. Set T to u's attachment point.
        if last_new.is_some() {
            trace.step(Step::Ms7, native_line(u), 0);
            self.tip = last_new;
        }
        placement
    }

    /// Steps 1 to 6 for the first record r of the unit u.
    fn branches_from(&self, u: usize, r: &Record, trace: &mut impl Trace) -> Option<BranchesFrom> {
        let line = native_line(u);

        // 1. Resolve the parent.
        trace.step(Step::Ms1, line, 0);
        let p = match self.parent(u) {
            // 2. No parent. If T is START, r is linear; otherwise write branchesFrom: {"record": null}.
            Parent::Empty => {
                trace.step(Step::Ms2, line, 0);
                return self.tip.map(|_| BranchesFrom::Start);
            }
            // 3. Unknown parent. Write branchesFrom: {"state": "unknown"}.
            Parent::NotFound => {
                trace.step(Step::Ms3, line, 0);
                return Some(BranchesFrom::Unknown);
            }
            Parent::Attachment(p) => p,
        };

        // 4. Linear. If p is T, r is linear. (MS7-1: compared as nodes.)
        if self.tip.is_some_and(|tip| self.node(tip) == self.node(p)) {
            trace.step(Step::Ms4, line, 0);
            return None;
        }

        // 5. Off-path parent. If p is not on the current path, write branchesFrom: {"record": <id of p>}.
        let branch = Some(BranchesFrom::Record(self.id(p)));
        let path = self.current_path();
        let Some(index) = path.iter().position(|node| Some(*node) == self.node(p)) else {
            trace.step(Step::Ms5, line, 0);
            return branch;
        };

        // 6. Displaced segment. Let S be the nodes on the current path after p, up to and including T. S is
        //    mechanical for u when r is injected, or every node s in S satisfies one of M1 to M3.
        trace.step(Step::Ms6, line, 0);
        let rk_p = self.node(p).and_then(|p| self.content(p)).and_then(|p| self.response_key(p));
        let rk_r = self.response_key(r);
        let is_mechanical = |s: &NodeId| {
            let s = self.content(*s);
            let rk_s = s.and_then(|s| self.response_key(s));
            if rk_s.is_some() && (rk_s == rk_p || rk_s == rk_r) {
                Some(Step::M1)
            } else if s.is_some_and(is_injected) {
                Some(Step::M2)
            } else if s.is_some_and(is_failed_attempt) {
                Some(Step::M3)
            } else {
                None
            }
        };
        let reasons: Vec<_> = path.iter().skip(index + 1).map(is_mechanical).collect();
        for reason in reasons.iter().flatten() {
            trace.step(*reason, line, 0);
        }
        if is_injected(r) || reasons.iter().all(Option::is_some) { None } else { branch }
    }

    /// The branchesFrom of a record of a unit that revises (`readings.md` 0.5).
    fn revised_branches_from(
        &self,
        u: usize,
        revision: usize,
        is_first: bool,
        trace: &mut impl Trace,
    ) -> Option<BranchesFrom> {
        let superseded = self.stream.items.get(revision)?.supersedes?;

        // A revision that is no marked rewrite repeats the branchesFrom of the record that it supersedes.
        if !self.stream.is_marked_rewrite(revision) {
            return self.written_at(superseded);
        }

        // A marked rewrite repeats the branchesFrom in force for its chain, unless its native parent is another.
        let chain = self.stream.nodes.get(self.node(revision)?.0)?;
        let mut earlier = chain.revisions.iter().copied().filter(|&earlier| earlier < revision).rev();
        let in_force = earlier.find(|&earlier| self.stream.is_marked_rewrite(earlier)).unwrap_or(chain.first);
        let in_force = self.written_at(in_force);
        if !is_first {
            return in_force;
        }
        let replaced = (0..self.records.len()).find(|&entry| self.unit_wrote(entry, superseded));
        let parent_node = |entry| match self.parent(entry) {
            Parent::Attachment(p) => self.node(p),
            Parent::Empty | Parent::NotFound => None,
        };
        let (branches_from, predecessor) = match self.parent(u) {
            Parent::Attachment(p) => {
                let node = self.node(p)?;
                if replaced.and_then(parent_node) == Some(node) {
                    return in_force;
                }
                // An edge that would close a cycle cannot be the source's: its parent is unknown. (The revision is
                // written without branchesFrom so far, which may close another cycle through the same node.)
                let revised = Item::Node(self.node(revision)?);
                let path = active_path(&self.stream, &Predecessor::Node(node), &mut ());
                if path.is_err() || path.is_ok_and(|path| path.contains(&revised)) {
                    return Some(BranchesFrom::Unknown);
                }
                (BranchesFrom::Record(self.id(p)), Predecessor::Node(node))
            }
            Parent::Empty => (BranchesFrom::Start, Predecessor::Start),
            Parent::NotFound => return Some(BranchesFrom::Unknown),
        };

        // Where that is the chain's implicit predecessor anyway, it gets none (ASR-359).
        let is_implicit = scan(&self.stream, chain.first, trace).predecessor == predecessor;
        (!is_implicit).then_some(branches_from)
    }

    /// Step 1. Let q be the native parent of u. If q names a native record that is not mapped to a
    /// context-participating record, replace q by that record's own native parent, repeatedly. If the native parent
    /// is empty and the registry documents a logical parent for this record, use it.
    ///
    /// The logical parent is used at every record met (MS1-2). A cycle of parents, and a unit that is not placed yet,
    /// the record's own included, cannot be found (MS1-3, MS3-1).
    fn parent(&self, u: usize) -> Parent {
        self.resolve(self.records.get(u).and_then(parent_of))
    }

    fn resolve(&self, mut q: Option<&'a String>) -> Parent {
        let mut met = Vec::new();
        loop {
            let Some(id) = q else { return Parent::Empty };
            let Some(named) = self.records.iter().position(|record| record.id.as_ref() == Some(id)) else {
                return Parent::NotFound;
            };
            if met.contains(&named) {
                return Parent::NotFound;
            }
            met.push(named);
            let Some(record) = self.records.get(named) else { return Parent::NotFound };
            q = match &record.mapping {
                Mapping::Unit(_) => {
                    let attachment = self.attachments.get(named).copied().flatten();
                    return attachment.map_or(Parent::NotFound, Parent::Attachment);
                }
                Mapping::PartOf(host) => Some(host),
                Mapping::Nothing | Mapping::Rewind(_) => parent_of(record),
            };
        }
    }

    /// A converter that emits a rewind sets T to the attachment point of `to`, or START.
    fn rewind(&mut self, to: Option<&'a String>, trace: &mut impl Trace) {
        let tip = match self.resolve(to) {
            Parent::Empty => None,
            Parent::NotFound => return,
            Parent::Attachment(to) => Some(to),
        };
        trace.step(Step::Ms7, 0, 0);
        let to = tip.map_or(Json::Null, |to| Json::String(self.id(to)));
        self.written.push(None);
        self.stream.append(BTreeMap::from([("type".to_owned(), "rewind".into()), ("to".to_owned(), to)]));
        self.tip = tip;
    }

    /// The nodes of the active path that ends at T.
    fn current_path(&self) -> Vec<NodeId> {
        let tip = self.tip.and_then(|tip| self.node(tip)).map_or(Predecessor::Start, Predecessor::Node);
        let path = active_path(&self.stream, &tip, &mut ()).unwrap_or_default();
        let node = |item| if let Item::Node(node) = item { Some(node) } else { None };
        path.into_iter().filter_map(node).collect()
    }

    /// rk(x): the native response key for model output, the response key of its paired tool_call for a tool_result,
    /// and none otherwise. Of several calls with its key a result is paired with the first (MS6-5, MS6-6).
    fn response_key(&self, x: &'a Record) -> Option<&'a str> {
        match &x.body {
            Body::Message(message) => message.response_key.as_deref(),
            Body::ToolCall(call) => call.response_key.as_deref(),
            Body::ToolResult(result) => {
                let is_paired = |record: &Option<&Record>| match record.map(|record| &record.body) {
                    Some(Body::ToolCall(call)) => call.call_id == result.call_id,
                    _ => false,
                };
                let call = self.node(self.written.iter().position(is_paired)?)?;
                match &self.content(call)?.body {
                    Body::ToolCall(call) => call.response_key.as_deref(),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The latest revision of a node.
    fn content(&self, node: NodeId) -> Option<&'a Record> {
        *self.written.get(self.stream.latest(node))?
    }

    fn node(&self, position: usize) -> Option<NodeId> {
        self.stream.items.get(position)?.node
    }

    fn unit_wrote(&self, entry: usize, position: usize) -> bool {
        let Some(NativeRecord { mapping: Mapping::Unit(unit), .. }) = self.records.get(entry) else {
            return false;
        };
        let written = self.written.get(position).copied().flatten();
        written.is_some_and(|written| unit.iter().any(|record| std::ptr::eq(record, written)))
    }

    fn id(&self, position: usize) -> String {
        self.written.get(position).copied().flatten().map(|record| record.id.clone()).unwrap_or_default()
    }

    /// The branchesFrom of the record at `position`.
    fn written_at(&self, position: usize) -> Option<BranchesFrom> {
        let branches_from = self.stream.field(position, "branchesFrom")?.as_object()?;
        Some(match branches_from.get("record") {
            Some(Json::String(id)) => BranchesFrom::Record(id.clone()),
            Some(_) => BranchesFrom::Start,
            None => BranchesFrom::Unknown,
        })
    }

    fn write(&mut self, position: usize, branches_from: &BranchesFrom) {
        let value = match branches_from {
            BranchesFrom::Record(id) => object("record", id.as_str().into()),
            BranchesFrom::Start => object("record", Json::Null),
            BranchesFrom::Unknown => object("state", "unknown".into()),
        };
        self.stream.write(position, "branchesFrom", value);
    }
}

/// The native parent of a record, or its logical parent where that is empty.
fn parent_of(record: &NativeRecord) -> Option<&String> {
    record.parent.as_ref().or(record.logical_parent.as_ref())
}

/// x is injected when it is a message with author harness or hook, or origin injected, memory, retrieval or notice.
fn is_injected(x: &Record) -> bool {
    let Body::Message(message) = &x.body else { return false };
    matches!(message.author.as_deref(), Some("harness" | "hook"))
        || matches!(message.origin.as_deref(), Some("injected" | "memory" | "retrieval" | "notice"))
}

/// x is a failed attempt when it is an assistant message with status error or interrupted.
fn is_failed_attempt(x: &Record) -> bool {
    let Body::Message(message) = &x.body else { return false };
    message.role == "assistant" && matches!(message.status.as_deref(), Some("error" | "interrupted"))
}

/// The members of a record that decide the structure of a stream, branchesFrom excepted.
fn structure(record: &Record) -> BTreeMap<String, Json> {
    let members = [
        ("type", Some(record.body.type_name().into())),
        ("id", Some(record.id.as_str().into())),
        ("supersedes", record.supersedes.as_deref().map(Json::from)),
        ("assembly", record.assembly.as_ref().map(|assembly| object("mode", assembly.mode.as_str().into()))),
    ];
    members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

fn object(key: &str, value: Json) -> Json {
    Json::Object(BTreeMap::from([(key.to_owned(), value)]))
}

/// Steps name native records by their number in observation order, from 1.
fn native_line(u: usize) -> u64 {
    u as u64 + 1
}
