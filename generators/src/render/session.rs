//! What rendering knows of the stream so far: enough to wrap operands onto what exists.
//!
//! It follows nodes, their predecessors and the current tip in the simplest way. In a valid stream it is
//! right; where odd operands break the rules it is a guess, and that is enough, since then nothing depends on
//! it. It is no reader: nobody may compare an outcome with it.

use crate::form::{CallForm, KeyForm, MessageForm, WordsForm};
use crate::op::Compaction;
use crate::operand::{Pick, Ref};
use crate::render::line::quote;

/// How far back on a path operands count, and how many nodes they see. As far as a distance of one byte goes.
const WINDOW: usize = 256;

/// How long a walk towards START may get when a node is to be moved. Beyond that, nodes stay where they are:
/// scripts that long are about size, not about bending.
const WALK: usize = 1024;

/// Where a path goes on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Place {
    Start,
    Unknown,
    Node(usize),
}

/// A node: a chain of records.
pub(super) struct Node {
    /// Its records, by number.
    pub(super) first: usize,
    pub(super) latest: usize,
    /// Its predecessor, with the branchesFrom that says so, and the predecessor that a scan would find.
    pub(super) place: Place,
    pub(super) branch: Option<Branch>,
    pub(super) implicit: Place,
    /// Whether a compaction further on relies on the way from here to START.
    pub(super) pinned: bool,
    /// The entity key.
    pub(super) key: String,
    pub(super) body: Body,
}

/// A branchesFrom as it was written, and where it leads.
#[derive(Clone)]
pub(super) struct Branch {
    pub(super) text: String,
    pub(super) place: Place,
}

/// What a node says, as operands: so a revision can say it again, with changes.
#[derive(Clone, Copy)]
pub(super) enum Body {
    Message(MessageForm, WordsForm),
    Call(CallForm, KeyForm),
    Result(KeyForm),
    Compaction(Compaction),
}

impl Body {
    /// The type of its records, in JSON.
    pub(super) fn type_name(self) -> &'static str {
        match self {
            Self::Message(..) => "\"message\"",
            Self::Call(..) => "\"tool_call\"",
            Self::Result(_) => "\"tool_result\"",
            Self::Compaction(_) => "\"compaction\"",
        }
    }
}

/// A record that was written.
pub(super) struct Written {
    /// Its id, if it is a string.
    pub(super) id: Option<String>,
    pub(super) branch: Option<Branch>,
}

/// A ref in JSON, and what it names as far as we know.
pub(super) struct Named {
    pub(super) text: String,
    /// The node and the record of it.
    pub(super) target: Option<(usize, usize)>,
}

impl Named {
    pub(super) fn place(&self) -> Place {
        self.target.map_or(Place::Unknown, |(node, _)| Place::Node(node))
    }
}

/// The stream so far.
pub(super) struct Session {
    pub(super) nodes: Vec<Node>,
    pub(super) records: Vec<Written>,
    /// Records that supersede another, with their node.
    pub(super) revisions: Vec<(usize, usize)>,
    /// Records that are audit-only.
    pub(super) audits: Vec<usize>,
    /// The latest rewind, and the latest gap record.
    pub(super) rewind: Option<usize>,
    pub(super) gap: Option<usize>,
    /// Ids that two records bear.
    pub(super) twice: Vec<String>,
    /// Keys of calls.
    pub(super) calls: Vec<String>,
    /// The predecessor of a record appended now.
    pub(super) tip: Place,
    /// Lines that will hold nodes, in order.
    pub(super) nodes_ahead: Vec<usize>,
}

impl Session {
    pub(super) fn new(nodes_ahead: Vec<usize>) -> Self {
        Self {
            nodes: Vec::new(),
            records: Vec::new(),
            revisions: Vec::new(),
            audits: Vec::new(),
            rewind: None,
            gap: None,
            twice: Vec::new(),
            calls: Vec::new(),
            tip: Place::Start,
            nodes_ahead,
        }
    }

    /// The nodes of the path that ends here, latest first, as far as operands reach.
    pub(super) fn path(&self, from: Place) -> Vec<usize> {
        let mut path = Vec::new();
        let mut at = from;
        while let Place::Node(index) = at
            && path.len() < WINDOW
            && let Some(node) = self.nodes.get(index)
        {
            path.push(index);
            at = node.place;
        }
        path
    }

    /// The id of a record, or nothing that names anything.
    pub(super) fn id(&self, record: usize) -> String {
        match self.records.get(record).and_then(|record| record.id.as_deref()) {
            Some(id) => quote(id),
            None => String::from("null"),
        }
    }

    /// The entity key of the n-th latest node.
    pub(super) fn key(&self, n: usize) -> Option<&str> {
        latest(&self.nodes, n).map(|node| node.key.as_str())
    }

    /// The id of the n-th latest record, if it has one.
    pub(crate) fn latest_id(&self, n: usize) -> Option<&str> {
        latest(&self.records, n)?.id.as_deref()
    }

    /// The node by the id of its first record.
    pub(super) fn by_first(&self, node: usize) -> Option<Named> {
        let record = self.nodes.get(node)?.first;
        Some(Named { text: self.id(record), target: Some((node, record)) })
    }

    /// The node by the id of its latest record.
    fn by_latest(&self, node: usize) -> Option<Named> {
        let record = self.nodes.get(node)?.latest;
        Some(Named { text: self.id(record), target: Some((node, record)) })
    }

    /// What a ref outside a compaction names. `not` is the one place that it must not name. Nothing if the
    /// ref is sound and there is no other node.
    pub(super) fn name(&self, at: Ref, not: Place, line: usize, own: Option<&str>) -> Option<Named> {
        let n = usize::from(at.n);
        match at.to {
            Pick::Path => {
                let mut path = self.path(self.tip);
                path.retain(|&node| Place::Node(node) != not);
                match wrapped(&path, n) {
                    Some(node) => self.by_first(node),
                    None => self.recent(n, not),
                }
            }
            Pick::Recent => self.recent(n, not),
            Pick::Revised => match latest(&self.revisions, n) {
                Some(&(record, node)) if Place::Node(node) != not => {
                    Some(Named { text: self.id(record), target: Some((node, record)) })
                }
                _ => self.recent(n, not),
            },
            _ => Some(self.odd(at, &self.path(self.tip), line, own)),
        }
    }

    /// What a ref of a compaction with that path names. Nothing if the ref is sound and the path empty.
    pub(super) fn name_on(&self, at: Ref, path: &[usize], line: usize, own: Option<&str>) -> Option<Named> {
        let n = usize::from(at.n);
        match at.to {
            Pick::Path | Pick::Recent => self.by_first(wrapped(path, n)?),
            Pick::Revised => {
                let is_revised =
                    |&node: &usize| self.nodes.get(node).is_some_and(|node| node.first != node.latest);
                let revised: Vec<usize> = path.iter().copied().filter(is_revised).collect();
                self.by_latest(wrapped(&revised, n).or_else(|| wrapped(path, n))?)
            }
            _ => Some(self.odd(at, path, line, own)),
        }
    }

    /// The n-th latest node that may be named.
    fn recent(&self, n: usize, not: Place) -> Option<Named> {
        let skipped = match not {
            Place::Node(node) if node < self.nodes.len() => Some(node),
            _ => None,
        };
        let others = self.nodes.len() - usize::from(skipped.is_some());
        let node = self.nodes.len().checked_sub(1 + n.checked_rem(others)?)?;
        match skipped {
            Some(skipped) if node <= skipped => self.by_first(node.checked_sub(1)?),
            _ => self.by_first(node),
        }
    }

    /// What an odd ref names.
    fn odd(&self, at: Ref, path: &[usize], line: usize, own: Option<&str>) -> Named {
        let n = usize::from(at.n);
        let unresolved = |text: String| Named { text, target: None };
        let nowhere = || unresolved(if n == 0 { quote("zz") } else { quote(&format!("zz{n}")) });
        match at.to {
            Pick::Elsewhere => {
                let recent = self.nodes.len().saturating_sub(WINDOW)..self.nodes.len();
                let mut on_path = path.to_vec();
                on_path.sort_unstable();
                let off_path: Vec<usize> =
                    recent.rev().filter(|node| on_path.binary_search(node).is_err()).collect();
                wrapped(&off_path, n).and_then(|node| self.by_first(node)).unwrap_or_else(nowhere)
            }
            Pick::Later => {
                let next = self.nodes_ahead.partition_point(|&ahead| ahead <= line);
                let later = self.nodes_ahead.get(next..).and_then(|ahead| wrapped(ahead, n));
                unresolved(quote(&format!("r{}", later.unwrap_or(line + 1 + n))))
            }
            Pick::Itself => own.map_or_else(nowhere, |id| unresolved(quote(id))),
            Pick::Audit => {
                latest(&self.audits, n).map_or_else(nowhere, |&record| unresolved(self.id(record)))
            }
            Pick::Twice => latest(&self.twice, n).map_or_else(nowhere, |id| unresolved(quote(id))),
            Pick::Key => self.key(n).map_or_else(nowhere, |key| unresolved(quote(key))),
            Pick::NotText => {
                let values = ["5", "null", "true", "{}", r#"["r1"]"#, "1e999"];
                unresolved(wrapped(&values, n).unwrap_or("5").to_owned())
            }
            Pick::Nowhere | Pick::Path | Pick::Recent | Pick::Revised => nowhere(),
        }
    }

    /// Whether the stream stays valid when a node gets another predecessor: no compaction relies on its
    /// present one, and no cycle closes.
    pub(super) fn may_move(&self, index: usize, to: Place) -> bool {
        if self.nodes.get(index).is_none_or(|node| node.pinned) {
            return false;
        }
        let mut at = to;
        for _ in 0..WALK {
            match at {
                Place::Node(node) if node == index => return false,
                Place::Node(node) => match self.nodes.get(node) {
                    Some(node) => at = node.place,
                    None => return false,
                },
                Place::Start | Place::Unknown => return true,
            }
        }
        false
    }

    /// Keeps a path as it is: a compaction names nodes on it.
    pub(super) fn pin(&mut self, from: Place) {
        let mut at = from;
        // The way from a pinned node to START is pinned already, so all walks together pass each node once.
        while let Place::Node(index) = at
            && let Some(node) = self.nodes.get_mut(index)
            && !node.pinned
        {
            node.pinned = true;
            at = node.place;
        }
    }
}

/// The n-th of some things, counted round.
pub(crate) fn wrapped<T: Copy>(things: &[T], n: usize) -> Option<T> {
    things.get(n.checked_rem(things.len())?).copied()
}

/// The n-th latest of some things, counted round.
pub(crate) fn latest<T>(things: &[T], n: usize) -> Option<&T> {
    let last = things.len().checked_sub(1)?;
    things.get(last - n.checked_rem(things.len())?)
}
