//! Order, nodes and revisions: what the chapter's first three sections make of the lines.

use crate::choices::{Choices, R1};
use crate::line::{Line, Record, lines};
use crate::variants::Variant;
use asr_spec::{Json, Name, RefStatus, Step, Trace};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A stream in the order of its records, with the nodes that it is built over.
#[derive(Clone, Default)]
pub struct Stream {
    /// Records and malformed lines, in order. A *position* is an index here.
    pub(crate) items: Vec<Item>,
    /// The revision chains of context-participating records.
    pub(crate) nodes: Vec<Node>,
    /// How it is read where the chapter leaves a choice.
    pub(crate) choices: Choices,
}

/// A record or a malformed line.
#[derive(Clone)]
pub(crate) struct Item {
    /// The physical line.
    pub line: u64,
    /// The record, or `None` for a malformed line.
    pub record: Option<Arc<Record>>,
    /// For a superseding record the position of the record that it supersedes.
    pub supersedes: Option<usize>,
    /// The node that contains the record, if it is context-participating.
    pub node: Option<NodeId>,
}

impl Item {
    pub(crate) fn new(number: u64, line: &Line) -> Self {
        Self { line: number, record: line.record.clone(), supersedes: None, node: None }
    }

    /// The seq of a record that has one.
    pub(crate) fn seq(&self) -> Option<i64> {
        self.record.as_ref()?.seq
    }
}

/// Identifies a node: an index into [`Stream::nodes`]. Names do not, since ids may repeat.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct NodeId(pub usize);

/// The revision chain of a context-participating record: the positions of its records, ascending.
#[derive(Clone)]
pub(crate) struct Node {
    /// The position of the first record is the position of the node.
    pub first: usize,
    /// All later records of the chain, in order.
    pub revisions: Vec<usize>,
}

impl Stream {
    /// Reads any bytes: lines to records, records into order, revisions to nodes.
    pub fn read(bytes: &[u8], trace: &mut impl Trace) -> Self {
        Self::build(R1, &lines(bytes, &R1), trace)
    }

    /// Reads any bytes as a variant does; every answer about the stream is then the variant's.
    pub fn read_as(variant: &Variant, bytes: &[u8], trace: &mut impl Trace) -> Self {
        Self::build(variant.choices, &lines(bytes, &variant.choices), trace)
    }

    /// The stream of these lines, which have been read one by one.
    pub fn of_lines(lines: &[Line], trace: &mut impl Trace) -> Self {
        Self::build(R1, lines, trace)
    }

    /// The stream of these lines as a variant takes it; it must have read them too.
    pub fn of_lines_as(variant: &Variant, lines: &[Line], trace: &mut impl Trace) -> Self {
        Self::build(variant.choices, lines, trace)
    }

    fn build(choices: Choices, lines: &[Line], trace: &mut dyn Trace) -> Self {
        let items = (choices.order)((choices.written)(lines));
        for item in &items {
            trace.step(Step::Nr1, item.line, 0);
        }
        let mut stream = Self { items, nodes: Vec::new(), choices };
        for position in 0..stream.items.len() {
            stream.link(position, trace);
        }
        stream
    }

    /// Adds a record at the end, under an id of its own.
    pub(crate) fn append(&mut self, members: BTreeMap<String, Json>) {
        let record = Some(Arc::new(Record::from(members)));
        self.items.push(Item { line: 0, record, supersedes: None, node: None });
        self.link(self.items.len() - 1, &mut ());
    }

    /// Gives the record at `position` a member that says nothing of its type, id and seq.
    pub(crate) fn write(&mut self, position: usize, key: &str, value: Json) {
        if let Some(record) = self.items.get_mut(position).and_then(|item| item.record.as_mut()) {
            Arc::make_mut(record).members.insert(key.to_owned(), value);
        }
    }

    /// Finds the node of the record at `position`.
    fn link(&mut self, position: usize, trace: &mut dyn Trace) {
        let supersedes = (self.choices.supersedes)(self, position);
        let node = self.node_of(position, supersedes, trace);
        if let Some(item) = self.items.get_mut(position) {
            (item.supersedes, item.node) = (supersedes, node);
        }
    }

    /// The node of a context-participating record: its own, or that of the record it supersedes.
    fn node_of(
        &mut self,
        position: usize,
        supersedes: Option<usize>,
        trace: &mut dyn Trace,
    ) -> Option<NodeId> {
        if !(self.choices.takes_part)(self, position) {
            return None;
        }
        let line = self.line(position);
        let Some(superseded) = supersedes else {
            trace.step(Step::Nr2, line, 0);
            trace.step(Step::Nr3, line, 0);
            self.nodes.push(Node { first: position, revisions: Vec::new() });
            return Some(NodeId(self.nodes.len() - 1));
        };
        let node = self.items.get(superseded)?.node?;
        let first = self.line(self.first(node));
        trace.step(Step::Nr6, first, line);
        if self.is_marked_rewrite(position) {
            trace.step(Step::Nr7, first, line);
        }
        self.nodes.get_mut(node.0)?.revisions.push(position);
        Some(node)
    }

    /// NR5. A ref resolves to the node that contains the record it names (ASR-080, `readings.md` 0.2).
    pub(crate) fn resolve(&self, reference: &Json, trace: &mut dyn Trace) -> Result<NodeId, RefStatus> {
        self.resolve_from(self.items.len(), reference, trace)
    }

    /// NR5 for a ref that the record at `carrier` holds.
    pub(crate) fn resolve_from(
        &self,
        carrier: usize,
        reference: &Json,
        trace: &mut dyn Trace,
    ) -> Result<NodeId, RefStatus> {
        let bearer = (self.choices.bearer)(self, carrier, &self.bearers(reference))?;
        let node = self.items.get(bearer).and_then(|item| item.node).ok_or(RefStatus::WrongType)?;
        trace.step(Step::Nr5, self.line(bearer), self.line(self.first(node)));
        Ok(node)
    }

    /// The position of the one record whose id is `reference`.
    pub(crate) fn bearer(&self, reference: &Json) -> Result<usize, RefStatus> {
        only_bearer(self, self.items.len(), &self.bearers(reference))
    }

    /// The positions of all records whose id is `reference`.
    pub(crate) fn bearers(&self, reference: &Json) -> Vec<usize> {
        let Some(id) = reference.as_str() else { return Vec::new() };
        (0..self.items.len()).filter(|&position| self.id(position) == Some(id)).collect()
    }

    /// A member of the record at `position`; a null counts as absent (BF-5).
    pub(crate) fn field(&self, position: usize, key: &str) -> Option<&Json> {
        field(self.members(position)?, key)
    }

    /// The members of the record at `position`.
    pub(crate) fn members(&self, position: usize) -> Option<&BTreeMap<String, Json>> {
        Some(&self.record(position)?.members)
    }

    fn record(&self, position: usize) -> Option<&Record> {
        self.items.get(position)?.record.as_deref()
    }

    /// The type of the record at `position`, empty where it has none.
    pub(crate) fn type_of(&self, position: usize) -> &str {
        self.record(position).map_or("", |record| &record.r#type)
    }

    /// The id of the record at `position`, where it is a string.
    pub(crate) fn id(&self, position: usize) -> Option<&str> {
        self.record(position)?.id.as_deref()
    }

    /// What output calls the record at `position`.
    pub(crate) fn name(&self, position: usize) -> Name {
        Name(self.record(position).and_then(|record| record.id.clone()))
    }

    /// The physical line of the record at `position`.
    pub(crate) fn line(&self, position: usize) -> u64 {
        self.items.get(position).map_or(0, |item| item.line)
    }

    pub(crate) fn is_marked_rewrite(&self, position: usize) -> bool {
        let assembly = self.field(position, "assembly").and_then(Json::as_object);
        let mode = assembly.and_then(|assembly| field(assembly, "mode"));
        mode.and_then(Json::as_str) == Some("rewrite")
    }

    /// The position of the first record of a node's chain.
    pub(crate) fn first(&self, node: NodeId) -> usize {
        self.nodes.get(node.0).map_or(usize::MAX, |node| node.first)
    }

    /// NR4. The position of a node's content: the latest revision of its chain.
    pub(crate) fn latest(&self, node: NodeId) -> usize {
        (self.choices.latest)(self, node)
    }

    /// The node as output names it: the first record of its chain, and the latest where that is another.
    pub(crate) fn names(&self, node: NodeId) -> (Name, Option<Name>) {
        (self.choices.names)(self, node)
    }

    /// Every distinct id, in order.
    pub fn ids(&self) -> Vec<&str> {
        let mut seen = std::collections::BTreeSet::new();
        (0..self.items.len()).filter_map(|position| self.id(position)).filter(|id| seen.insert(*id)).collect()
    }
}

/// ASR-350.
pub(crate) fn is_one_of_the_four(stream: &Stream, position: usize) -> bool {
    is_context_participating(stream.type_of(position))
}

/// ASR-350.
pub(crate) fn is_context_participating(r#type: &str) -> bool {
    matches!(r#type, "message" | "tool_call" | "tool_result" | "compaction")
}

/// The record that the record at `position` supersedes, as a revision of it.
///
/// A `supersedes` that names no record or several records (NR-1a, NR-1b) makes no revision. A missing
/// `supersedes` makes none either, whatever the entity key says (NR-11).
pub(crate) fn superseded(stream: &Stream, position: usize) -> Option<usize> {
    let target = stream.bearer(stream.field(position, "supersedes")?).ok()?;
    is_revision(stream, position, target).then_some(target)
}

/// A revision of a later record or of itself (NR-2b), or of a record of another type (NR-2a, NR-2c), is none.
/// On a rewind `supersedes` has no effect (IP2-4). The entity key is for validators (NR-5).
pub(crate) fn is_revision(stream: &Stream, position: usize, target: usize) -> bool {
    let r#type = stream.type_of(position);
    target < position && r#type == stream.type_of(target) && r#type != "rewind"
}

/// NR-3, NR-3b: the latest revision of a forked chain is the one with the highest seq.
pub(crate) fn highest_seq(stream: &Stream, node: NodeId) -> usize {
    let chain = stream.nodes.get(node.0);
    chain.and_then(|chain| chain.revisions.last().copied()).unwrap_or(stream.first(node))
}

/// Two bearers are ambiguous (NR-7), even within one node (NR-7b). Where the ref stands does not matter:
/// resolution does not look at seq (NR-8).
pub(crate) fn only_bearer(_: &Stream, _carrier: usize, bearers: &[usize]) -> Result<usize, RefStatus> {
    match bearers {
        [] => Err(RefStatus::Unresolved),
        [bearer] => Ok(*bearer),
        _ => Err(RefStatus::Ambiguous),
    }
}

/// ASR-376: the first record of the chain, and the latest revision where it is another record.
pub(crate) fn first_and_rev(stream: &Stream, node: NodeId) -> (Name, Option<Name>) {
    let (first, latest) = (stream.first(node), stream.latest(node));
    (stream.name(first), (latest != first).then(|| stream.name(latest)))
}

/// A member of an object; a null counts as absent (BF-5).
pub(crate) fn field<'a>(members: &'a BTreeMap<String, Json>, key: &str) -> Option<&'a Json> {
    members.get(key).filter(|value| **value != Json::Null)
}

/// NR1. Records are ordered by seq (NR-10a), those of equal seq by line (NR-10b). A line without a seq,
/// malformed lines among them, keeps its place after the line before it.
pub(crate) fn in_order(items: Vec<Item>) -> Vec<Item> {
    let mut latest = None;
    let mut keyed = Vec::new();
    for item in items {
        latest = item.seq().or(latest);
        keyed.push((latest, item));
    }
    // The sort is stable.
    keyed.sort_by_key(|(seq, _)| *seq);
    keyed.into_iter().map(|(_, item)| item).collect()
}
