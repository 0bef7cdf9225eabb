//! The *Structure* chapter of ASR as a program: each algorithm step by step, in the chapter's order and words.
//!
//! It is slow and means to be: no cache, no early exit, no cleverness, so that a reader can hold the chapter beside
//! it. `asr-core` computes the same outcomes fast and shares no code with it; every difference between the two is a
//! fault in one of them, or a question to the chapter. Where the chapter leaves a choice, a small function makes it
//! and carries the label of the reading that decides it. A [`Variant`] replaces such functions: that is how another
//! reading, or a planted fault, becomes an oracle of its own.
//!
//! | chapter | here |
//! |---|---|
//! | ASR-009, malformed lines | `line`, `json` |
//! | order, nodes, revisions, refs | `stream` |
//! | implicit predecessor, rewind, branchesFrom | `predecessor` |
//! | heads | `heads` |
//! | heads that are leaves | `leaves` |
//! | ACTIVE-PATH | `active_path` |
//! | CONTEXT-VIEW | `context_view` |
//! | the mechanical-sibling rule | [`siblings`] |
//! | every requirement on streams | `validate` |
//! | what it leaves open | `choices`, [`variants()`] |

mod active_path;
mod choices;
mod context_view;
mod heads;
mod json;
mod leaves;
mod line;
mod predecessor;
pub mod siblings;
mod stream;
mod validate;
mod variants;

pub use line::Line;
pub use stream::Stream;
pub use variants::{Kind, UnknownVariant, Variant, variants};

use active_path::{Cycle, active_path};
use asr_spec::{Entry, Head, Heads, Json, Leaf, Outcome, Query, Report, Trace, What};
use context_view::context_view;
use predecessor::Predecessor;

impl Stream {
    /// The outcome of a query. Quadratic in the stream.
    pub fn answer(&self, query: &Query, trace: &mut impl Trace) -> Outcome {
        let head = match &query.head {
            Head::Start => Predecessor::Start,
            Head::Ref(id) => {
                let reference = Json::String(id.clone());
                match self.resolve(&reference, trace) {
                    Ok(node) => Predecessor::Node(node),
                    Err(status) => Predecessor::Unresolved { reference, status },
                }
            }
            Head::Primary => match heads::primary_head(self, trace) {
                Some(head) => head,
                None => return Outcome::NoDefaultPath,
            },
        };
        self.outcome(query, &head, trace)
    }

    /// The outcome of a query whose head turned out to be this.
    fn outcome(&self, query: &Query, head: &Predecessor, trace: &mut impl Trace) -> Outcome {
        let entries = match query.what {
            What::Path => active_path(self, head, trace)
                .map(|path| path.iter().map(|item| active_path::entry(self, item)).collect::<Vec<_>>()),
            What::View => context_view(self, head, trace),
        };
        match entries {
            Ok(entries) => Outcome::Entries((self.choices.shown)(self, query, entries)),
            Err(Cycle(node)) => Outcome::Cycle { at: self.name(self.first(node)) },
        }
    }

    /// The path or view of every leaf, paths that begin alike together. Cubic in the stream.
    pub fn leaves(&self, what: What) -> Vec<Leaf> {
        let leaf = |node| {
            let head = self.name(self.first(node));
            let query = Query { what, head: Head::Ref(head.0.as_deref().unwrap_or_default().to_owned()) };
            Leaf { head, outcome: self.outcome(&query, &Predecessor::Node(node), &mut ()) }
        };
        leaves::leaves(self).into_iter().map(leaf).collect()
    }

    /// Every violation and warning (`readings.md` 0.6). Quadratic in the stream at least.
    pub fn validate(&self) -> Report {
        validate::validate(self)
    }

    /// The default and the effective heads.
    pub fn heads(&self, trace: &mut impl Trace) -> Heads {
        heads::heads(self, trace)
    }
}

/// HD-5: gaps at the end of the stream are not shown. OUT-1: markers that print alike are not merged.
fn entries_as_they_are(_: &Stream, _: &Query, entries: Vec<Entry>) -> Vec<Entry> {
    entries
}
