//! What the conditions of invariants ask about a stream: order, chains, refs, and what step 4 drops.
//!
//! This is not a third implementation of the chapter. It knows no path and no view; where a condition is
//! about those, the engine under test is asked.

use super::lines::{Line, Lines, Members, field, seq, text};
use asr_spec::{Entry, Name};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The lines of a stream in the order of their records.
pub(super) struct Layout {
    pub lines: Lines,
    /// Records and malformed lines, in stream order.
    pub items: Vec<Item>,
    /// The chains of context-participating records, in stream order of their first records.
    pub nodes: Vec<Node>,
    bearers: BTreeMap<String, Vec<usize>>,
    /// Whether names identify: no two records share an id, and those that outcomes name have one.
    pub is_named: bool,
}

/// A record or malformed line.
pub(super) struct Item {
    /// The index of its line.
    pub line: usize,
    /// Whether it is a revision of an earlier record.
    pub supersedes: bool,
    pub node: Option<usize>,
}

/// A revision chain: positions of its records, ascending.
pub(super) struct Node {
    pub records: Vec<usize>,
}

/// What the scan from the end of the stream finds, or where a branch or rewind leads.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Target {
    Node(usize),
    Start,
    /// No node, or nothing that these few lines know how to read.
    Other,
}

impl Layout {
    pub(super) fn of(lines: Lines) -> Self {
        let mut groups: Vec<(Option<i64>, Vec<usize>)> = vec![(None, Vec::new())];
        for (at, line) in lines.lines.iter().enumerate() {
            let seq = match line {
                Line::Blank(_) => continue,
                Line::Malformed(_) => None,
                Line::Record { members, .. } => seq(members),
            };
            match groups.last_mut() {
                Some((_, group)) if seq.is_none() => group.push(at),
                _ => groups.push((seq, vec![at])),
            }
        }
        groups.sort_by_key(|(seq, _)| *seq);
        let order = groups.into_iter().flat_map(|(_, group)| group);
        let items = order.map(|line| Item { line, supersedes: false, node: None }).collect();
        let mut layout = Self { lines, items, nodes: Vec::new(), bearers: BTreeMap::new(), is_named: false };
        for position in 0..layout.items.len() {
            if let Some(id) = layout.id(position).map(str::to_owned) {
                layout.bearers.entry(id).or_default().push(position);
            }
        }
        for position in 0..layout.items.len() {
            layout.link(position);
        }
        let is_unique = layout.bearers.values().all(|bearers| bearers.len() == 1);
        layout.is_named = is_unique
            && (0..layout.items.len()).all(|position| {
                let is_shown = layout.items.get(position).is_some_and(|item| item.node.is_some())
                    || layout.type_of(position) == "gap";
                !is_shown || layout.id(position).is_some()
            });
        layout
    }

    fn link(&mut self, position: usize) {
        let superseded = self.superseded(position);
        let node = match superseded {
            _ if !is_context(self.type_of(position)) => None,
            Some(earlier) => self.items.get(earlier).and_then(|item| item.node),
            None => {
                self.nodes.push(Node { records: Vec::new() });
                Some(self.nodes.len() - 1)
            }
        };
        if let Some(chain) = node.and_then(|node| self.nodes.get_mut(node)) {
            chain.records.push(position);
        }
        if let Some(item) = self.items.get_mut(position) {
            (item.supersedes, item.node) = (superseded.is_some(), node);
        }
    }

    fn superseded(&self, position: usize) -> Option<usize> {
        let [earlier] = self.bearers.get(text(self.record(position)?, "supersedes")?)?[..] else {
            return None;
        };
        let r#type = self.type_of(position);
        (earlier < position && r#type == self.type_of(earlier) && r#type != "rewind").then_some(earlier)
    }

    /// The record at a position, unless that is a malformed line.
    pub(super) fn record(&self, position: usize) -> Option<&Members> {
        self.lines.lines.get(self.items.get(position)?.line)?.record()
    }

    pub(super) fn is_malformed(&self, position: usize) -> bool {
        self.record(position).is_none()
    }

    pub(super) fn id(&self, position: usize) -> Option<&str> {
        text(self.record(position)?, "id")
    }

    pub(super) fn type_of(&self, position: usize) -> &str {
        self.record(position).and_then(|members| text(members, "type")).unwrap_or("")
    }

    /// The line index of the record at a position.
    pub(super) fn line(&self, position: usize) -> usize {
        self.items.get(position).map_or(usize::MAX, |item| item.line)
    }

    /// Whether one record bears the id, and which node it belongs to.
    pub(super) fn resolve(&self, id: &str) -> Option<usize> {
        self.items.get(self.bearer(id)?)?.node
    }

    /// The position of the one record that bears the id.
    pub(super) fn bearer(&self, id: &str) -> Option<usize> {
        match self.bearers.get(id)?[..] {
            [position] => Some(position),
            _ => None,
        }
    }

    /// Every string id, with its bearers.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.bearers.keys().map(String::as_str)
    }

    /// The ids of context-participating records that name their node.
    pub(super) fn heads(&self) -> Vec<&str> {
        self.ids().filter(|id| self.resolve(id).is_some()).collect()
    }

    pub(super) fn first(&self, node: usize) -> usize {
        self.nodes.get(node).and_then(|node| node.records.first()).copied().unwrap_or(usize::MAX)
    }

    pub(super) fn latest(&self, node: usize) -> usize {
        self.nodes.get(node).and_then(|node| node.records.last()).copied().unwrap_or(usize::MAX)
    }

    /// The id of a node's first record.
    pub(super) fn name(&self, node: usize) -> &str {
        self.id(self.first(node)).unwrap_or("")
    }

    /// The latest revision of a node.
    pub(super) fn content(&self, node: usize) -> Option<&Members> {
        self.record(self.latest(node))
    }

    /// The node of a name, in a stream whose names identify.
    pub(super) fn node(&self, name: &Name) -> Option<usize> {
        self.resolve(name.0.as_deref()?)
    }

    pub(super) fn is_compaction(&self, node: usize) -> bool {
        self.type_of(self.first(node)) == "compaction"
    }

    pub(super) fn is_marked_rewrite(&self, position: usize) -> bool {
        let Some(item) = self.items.get(position) else { return false };
        let assembly = self.record(position).and_then(|members| members.get("assembly")?.as_object());
        item.supersedes && assembly.and_then(|assembly| text(assembly, "mode")) == Some("rewrite")
    }

    pub(super) fn has_marked_rewrite(&self, node: usize) -> bool {
        let chain = self.nodes.get(node);
        chain.is_some_and(|chain| chain.records.iter().any(|&record| self.is_marked_rewrite(record)))
    }

    /// Whether a compaction applies: no status, or completed.
    pub(super) fn is_applied(&self, node: usize) -> bool {
        let status = self.content(node).and_then(|members| field(members, "status"));
        self.is_compaction(node) && status.is_none_or(|status| status == "completed")
    }

    /// Whether a compaction has a summary or opaque content.
    pub(super) fn has_content(&self, node: usize) -> bool {
        let Some(members) = self.content(node) else { return false };
        let summary = members.get("summary").and_then(Value::as_array);
        let opaque = members.get("opaque").and_then(Value::as_object);
        summary.is_some_and(|parts| !parts.is_empty()) || opaque.is_some_and(|members| !members.is_empty())
    }

    /// Whether step 4 drops a node.
    pub(super) fn is_dropped(&self, node: usize) -> bool {
        let Some(members) = self.content(node) else { return false };
        match self.type_of(self.latest(node)) {
            "message" => {
                text(members, "audience") == Some("user") || text(members, "status") == Some("withdrawn")
            }
            "tool_call" => is_program_call(members),
            "tool_result" => {
                let calls = (0..self.nodes.len()).filter_map(|call| {
                    let call =
                        (self.type_of(self.latest(call)) == "tool_call").then(|| self.content(call))??;
                    is_program_call(call).then(|| call_key(call))?
                });
                call_key(members).is_some_and(|key| calls.into_iter().any(|of| of == key))
            }
            _ => false,
        }
    }

    /// What a scan from a position finds, and the gaps that it passes, in stream order.
    pub(super) fn scan(&self, from: usize) -> (Target, Vec<Entry>) {
        let mut gaps = Vec::new();
        let mut target = Target::Start;
        for (position, item) in self.items.iter().enumerate().take(from).rev() {
            if item.supersedes {
                continue;
            }
            if let Some(node) = item.node {
                target = Target::Node(node);
                break;
            }
            let r#type = self.type_of(position);
            if r#type == "rewind" {
                target = self.target(self.record(position).and_then(|rewind| rewind.get("to")));
                break;
            }
            if self.is_malformed(position) {
                gaps.push(Entry::Malformed { line: item.line as u64 + 1 });
            } else if r#type == "gap" {
                gaps.push(Entry::Gap { id: Name(self.id(position).map(Into::into)) });
            }
        }
        gaps.reverse();
        (target, gaps)
    }

    /// The gaps that the default-head scan passes.
    pub(super) fn trailing_gaps(&self) -> Vec<Entry> {
        self.scan(self.items.len()).1
    }

    fn target(&self, reference: Option<&Value>) -> Target {
        match reference {
            Some(Value::Null) => Target::Start,
            Some(Value::String(id)) => self.resolve(id).map_or(Target::Other, Target::Node),
            _ => Target::Other,
        }
    }

    /// The record whose branchesFrom counts for a node.
    fn carrier(&self, node: usize) -> usize {
        let chain = self.nodes.get(node).map_or(&[][..], |chain| &chain.records);
        let rewrite = chain.iter().rev().find(|&&record| self.is_marked_rewrite(record));
        rewrite.copied().unwrap_or(self.first(node))
    }

    /// The predecessor of a node; other than a node or START counts as the end of a path.
    pub(super) fn predecessor(&self, node: usize) -> Target {
        let branch = self.record(self.carrier(node)).and_then(|members| field(members, "branchesFrom"));
        match branch {
            None => self.scan(self.first(node)).0,
            Some(branch) => self.target(branch.get("record")),
        }
    }

    /// Whether no ref points forward from where it bends a path, and no marked rewrite branches (I-14).
    pub(super) fn bends_backwards_only(&self) -> bool {
        (0..self.items.len()).all(|position| {
            let Some(members) = self.record(position) else { return true };
            let branch = field(members, "branchesFrom");
            if branch.is_some() && self.is_marked_rewrite(position) {
                return false;
            }
            let to = if self.type_of(position) == "rewind" { members.get("to") } else { None };
            let targets = [branch.and_then(|branch| branch.get("record")), to];
            let mut bearers =
                targets.into_iter().flatten().filter_map(Value::as_str).filter_map(|id| self.bearer(id));
            bearers.all(|target| target < position)
        })
    }

    /// Every string that a value holds, for finding out what refers to what.
    pub(super) fn mentions(&self, id: &str) -> usize {
        fn count(value: &Value, id: &str) -> usize {
            match value {
                Value::String(text) => usize::from(text == id),
                Value::Array(items) => items.iter().map(|item| count(item, id)).sum(),
                Value::Object(members) => members.values().map(|member| count(member, id)).sum(),
                Value::Null | Value::Bool(_) | Value::Number(_) => 0,
            }
        }
        let records = self.lines.records();
        records.flat_map(|(_, members)| members.values()).map(|value| count(value, id)).sum()
    }

    /// The line indexes of all records of some nodes.
    pub(super) fn lines_of(&self, nodes: &BTreeSet<usize>) -> BTreeSet<usize> {
        let items = self.items.iter().filter(|item| item.node.is_some_and(|node| nodes.contains(&node)));
        items.map(|item| item.line).collect()
    }
}

fn is_context(r#type: &str) -> bool {
    matches!(r#type, "message" | "tool_call" | "tool_result" | "compaction")
}

fn is_program_call(call: &Members) -> bool {
    text(call, "requestedBy") == Some("code") || field(call, "parentCallId").is_some()
}

fn call_key(members: &Members) -> Option<&str> {
    text(members, "callId").or_else(|| text(members, "toolCallId"))
}
