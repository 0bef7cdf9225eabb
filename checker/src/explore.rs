//! The model checker: every stream up to a bound, none left out, with a statement at the end that can be quoted.
//!
//! Random testing says "not found"; this says "there is none". The streams of a [`Scope`] form a tree, so nothing is
//! hashed and nothing remembered: [`Counts`] says beforehand how many there are, a [`Cursor`] walks over them in the
//! order of their ranks, and the number visited must be the number predicted.

mod action;
mod alphabet;
mod count;
mod examine;
mod follow;
mod property;
mod quotient;
mod rank;
mod scope;
mod search;
mod state;
mod statement;
mod tree;
mod watch;
mod witness;

pub use action::{Action, Kind};
pub use alphabet::{SLICES, Slice};
pub use count::Counts;
pub use examine::Questions;
pub(crate) use follow::Lines;
pub use follow::{Follower, Following};
pub use property::{Condition, Form, Property, UnknownCondition};
pub use quotient::Symmetry;
pub use rank::{Cursor, replay};
pub use scope::{MOST_LINES, Scope};
pub use search::{Part, Settings, explore};
pub use state::State;
pub use statement::{Counterexample, Drawn, Length, Statement};
pub use tree::{Tree, Walk};
pub use watch::{Job, WatchError, watch, work};
pub use witness::{Among, WITNESS_SLICES, Witness, told_apart, witness_scopes, witnesses};

/// Why a scope cannot be explored.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ExploreError {
    /// No such slice.
    #[error("`{name}` is no slice: expected one of {}", letters())]
    Slice {
        /// The name as given.
        name: String,
    },
    /// No such bound.
    #[error("`{text}` is no bound: expected KIND<=N, where KIND is records or one of {}", kinds())]
    Bound {
        /// The bound as given.
        text: String,
    },
    /// A symmetry that the slice does not have.
    #[error("slice {slice} cannot be divided by {}: {}", symmetry.label(), symmetries(*slice))]
    Symmetry {
        /// The slice.
        slice: char,
        /// The symmetry.
        symmetry: Symmetry,
    },
    /// Too short or too long.
    #[error("streams of {0} lines cannot be enumerated: expected 1 to {MOST_LINES}")]
    Length(u8),
    /// A name of no stream.
    #[error("`{id}` names no stream: expected SCOPE:N:RANK, and a rank below the number of streams")]
    NoStream {
        /// The name as given.
        id: String,
    },
    /// More than can be counted, or visited.
    #[error("there are too many streams")]
    TooMany,
    /// No such share.
    #[error("there is no share {0} of {1}: expected 1 to {1}")]
    Share(u32, u32),
    /// Statements that do not fit together.
    #[error("the statements do not fit together: {why}")]
    Merge {
        /// Why not.
        why: String,
    },
    /// The walk met another number of streams than was predicted: a fault of the explorer.
    #[error("{visited} streams were visited, but {predicted} were predicted")]
    Miscounted {
        /// What was counted beforehand.
        predicted: u64,
        /// What was met.
        visited: u64,
    },
}

fn letters() -> String {
    SLICES.iter().map(|slice| format!("{} ({})", slice.letter, slice.title)).collect::<Vec<_>>().join(", ")
}

fn symmetries(letter: char) -> String {
    let slice = SLICES.iter().find(|slice| slice.letter == letter);
    let labels: Vec<_> =
        slice.map_or(&[][..], |slice| slice.symmetries).iter().map(|it| it.label()).collect();
    if labels.is_empty() {
        "it has no symmetries".to_owned()
    } else {
        format!("expected {}", labels.join(", "))
    }
}

fn kinds() -> String {
    Kind::ALL.map(Kind::label).join(", ")
}
