//! `last-prompt`: where Claude Code says that the conversation is.
//!
//! The pointer is rewritten now and then and is usually a few records old; it often names an attachment. So
//! it says something only when the record that it leads to is not on the default path: then there are two
//! lanes, the one that the source points to and the one that was written last (two processes writing one file
//! do this). The second head moves with every record of its lane; it is stated with each pointer and at the end.
//! A pointer to an earlier record of the default path is merely old, unless it is `explicit`: that pins the
//! conversation there. A pointer is wiped by a compaction, and it is out of date once its lane goes on.

use super::compaction::Boundaries;
use crate::draft::Origin;
use crate::heads::{HeadsWriter, Pointing};
use crate::hops::Reached;
use crate::placed::{Placed, is_node};

/// A `last-prompt` record.
struct LastPrompt {
    /// Where its audit fact stands.
    position: usize,
    origin: Origin,
    leaf: Option<String>,
    is_explicit: bool,
}

/// The pointers of a file, in order.
#[derive(Default)]
pub(super) struct Leaves(Vec<LastPrompt>);

impl Leaves {
    pub fn add(&mut self, position: usize, origin: Origin, leaf: Option<String>, is_explicit: bool) {
        self.0.push(LastPrompt { position, origin, leaf, is_explicit });
    }

    /// States heads wherever they differ from the default one.
    pub fn point(self, placed: &mut Placed, boundaries: &Boundaries) {
        if self.0.is_empty() {
            return;
        }
        let mut leaves = self.0.into_iter().peekable();
        let mut heads = HeadsWriter::default();
        let mut default = None;
        for position in 0..placed.records.len() {
            let Some(record) = placed.records.get(position) else { break };
            if is_node(record) {
                default = Some(position);
                let goes_on = heads.primary().is_some_and(|head| placed.paths.contains(position, head));
                if heads.has_stated() && (goes_on || boundaries.contains(position)) {
                    let origin = Origin::of(record);
                    heads.point(placed, position, &origin, Pointing::Default);
                }
            }
            if let Some(last_prompt) = leaves.next_if(|leaf| leaf.position == position) {
                let pointing = last_prompt.pointing(placed, default);
                heads.point(placed, position, &last_prompt.origin, pointing);
            }
        }
        if let (Pointing::Lanes(named, _), Some(default)) = (heads.stated(), default)
            && let Some(last) = placed.records.last()
        {
            let (position, origin) = (placed.records.len() - 1, Origin::of(last));
            heads.point(placed, position, &origin, Pointing::Lanes(named, default));
        }
    }
}

impl LastPrompt {
    fn pointing(&self, placed: &mut Placed, default: Option<usize>) -> Pointing {
        let (Some(leaf), Some(default)) = (&self.leaf, default) else { return Pointing::Default };
        let target = match placed.hops.reach(leaf) {
            Reached::Unit(unit) => placed.span(unit).next_back().filter(|&target| target < self.position),
            Reached::Start => return Pointing::Default,
            Reached::Nowhere => None,
        };
        match target {
            None => {
                // The audit fact keeps the evidence (ASR-363); inventing a head would be worse than having
                // none.
                let message = format!("points to `{leaf}`, which no earlier record of the session bears");
                placed.notes.push(crate::Note { line: self.origin.line, message });
                Pointing::Default
            }
            Some(target) if target == default => Pointing::Default,
            Some(target) if self.is_explicit => Pointing::Record(target),
            Some(target) if placed.paths.contains(default, target) => Pointing::Default,
            Some(target) => Pointing::Lanes(target, default),
        }
    }
}
