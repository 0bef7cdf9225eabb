//! What an alphabet knows of the lines so far, kept by push and pop.

use super::action::{Action, Body, Branch, Kind, Target};
use super::quotient::Shape;

/// The lines so far, and the nodes that they form.
#[derive(Clone, Debug, Default)]
pub struct State {
    lines: Vec<(Action, Option<usize>)>,
    nodes: Vec<Node>,
    tally: [u8; Kind::ALL.len()],
}

/// From which heads a line can make the answers others than they were.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reach {
    /// Itself, which was no record until then (I-23).
    Own,
    /// Itself, and those whose path leads through the node of the record on this line, which it revises. A path is
    /// walked from its head: up to the node nothing has changed, and without it nothing at all.
    Through(u8),
    /// Any.
    Every,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    first: u8,
    kind: Kind,
}

/// What the number of continuations depends on: the nodes by kind, the records, the lines of bounded kinds,
/// and what symmetries look at.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) struct Key {
    pub nodes: [u8; 4],
    pub records: u8,
    pub tally: [u8; Kind::ALL.len()],
    pub shape: Shape,
}

impl State {
    /// Adds a line.
    pub(crate) fn push(&mut self, action: Action) {
        let kind = action.kind();
        let node = match self.node_of(&action) {
            None if kind.takes_part() => {
                self.nodes.push(Node { first: self.place(), kind });
                Some(self.nodes.len() - 1)
            }
            node => node,
        };
        self.lines.push((action, node));
        if let Some(count) = self.tally.get_mut(kind as usize) {
            *count = count.saturating_add(1);
        }
    }

    /// Removes the last line.
    pub(crate) fn pop(&mut self) {
        let place = self.len() as u8;
        let Some((action, _)) = self.lines.pop() else { return };
        self.nodes.pop_if(|node| node.first == place);
        if let Some(count) = self.tally.get_mut(action.kind() as usize) {
            *count = count.saturating_sub(1);
        }
    }

    /// How many lines there are.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The number of the next line, from 1.
    pub(crate) fn place(&self) -> u8 {
        self.len() as u8 + 1
    }

    /// The lines, in order.
    pub(crate) fn lines(&self) -> impl DoubleEndedIterator<Item = &Action> + ExactSizeIterator {
        self.lines.iter().map(|(action, _)| action)
    }

    /// How many lines of a kind there are.
    pub(crate) fn tally(&self, kind: Kind) -> u8 {
        self.tally.get(kind as usize).copied().unwrap_or(0)
    }

    /// The nodes, each by the line of its first record, as refs name them.
    pub(crate) fn nodes(&self) -> impl DoubleEndedIterator<Item = u8> + ExactSizeIterator {
        self.nodes.iter().map(|node| node.first)
    }

    /// The nodes of a kind.
    pub(crate) fn nodes_of(&self, kind: Kind) -> impl Iterator<Item = u8> {
        self.nodes.iter().filter(move |node| node.kind == kind).map(|node| node.first)
    }

    /// The lines that are records.
    pub(crate) fn records(&self) -> impl Iterator<Item = u8> {
        let is_record = |kind| !matches!(kind, Kind::Malformed | Kind::Blank);
        (1..).zip(&self.lines).filter(move |(_, (action, _))| is_record(action.kind())).map(|(line, _)| line)
    }

    /// The line of the first record of the node that `action`, as the next line, would belong to.
    pub(crate) fn first_of(&self, action: &Action) -> u8 {
        let node = self.node_of(action).and_then(|node| self.nodes.get(node));
        node.map_or(self.place(), |node| node.first)
    }

    /// From which heads the last line can make the answers others than they were, given that no earlier record refers
    /// to it.
    pub(crate) fn reach(&self) -> Reach {
        let Some((last, node)) = self.lines.last() else { return Reach::Every };
        let node = node.and_then(|node| self.nodes.get(node)).map(|node| node.first);
        match (last.supersedes, node) {
            _ if last.is_global() => Reach::Every,
            (None, _) => Reach::Own,
            (Some(_), Some(first)) if usize::from(first) < self.len() => Reach::Through(first),
            (Some(_), _) => Reach::Every,
        }
    }

    /// A record with the content and the branchesFrom of an earlier one that supersedes it (ASR-352).
    pub(crate) fn revision(&self, record: u8) -> Action {
        let (body, branch) = match self.line(record) {
            Some((action, _)) => (action.body, action.branch),
            None => (Body::Gap, Branch::None),
        };
        Action::from(body).branching(branch).superseding(Target::Record(record))
    }

    /// A marked rewrite with the content of an earlier record, and without branchesFrom.
    pub(crate) fn rewrite(&self, record: u8) -> Action {
        Action { is_rewrite: true, branch: Branch::None, ..self.revision(record) }
    }

    /// What the number of continuations depends on, where only the kinds that `is_bounded` picks have bounds.
    pub(crate) fn key(&self, is_bounded: impl Fn(Kind) -> bool, shape: Shape) -> Key {
        let records = self.records().count() as u8;
        let mut key = Key { nodes: [0; 4], records, tally: [0; Kind::ALL.len()], shape };
        for node in &self.nodes {
            if let Some(count) = key.nodes.get_mut(node.kind as usize) {
                *count = count.saturating_add(1);
            }
        }
        for kind in Kind::ALL.into_iter().filter(|&kind| is_bounded(kind)) {
            if let Some(count) = key.tally.get_mut(kind as usize) {
                *count = self.tally(kind);
            }
        }
        key
    }

    fn line(&self, line: u8) -> Option<&(Action, Option<usize>)> {
        self.lines.get(usize::from(line).checked_sub(1)?)
    }

    /// The node that a superseding record joins.
    fn node_of(&self, action: &Action) -> Option<usize> {
        let Some(Target::Record(superseded)) = action.supersedes else { return None };
        let (superseded, node) = self.line(superseded)?;
        node.filter(|_| superseded.kind() == action.kind())
    }
}
