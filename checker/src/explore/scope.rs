//! What is enumerated: a slice, a length, and bounds per kind of line.

use super::ExploreError;
use super::action::{Action, Kind};
use super::alphabet::{MERGED, SLICES, Slice};
use super::quotient::{Quotient, Shape, Symmetry};
use super::state::State;
use std::fmt;
use std::str::FromStr;

/// The longest stream of any scope, in lines. No slice can be exhausted at that length, and sets of records are 16 bits.
pub const MOST_LINES: u8 = 12;

/// An alphabet with bounds and symmetries: `A`, or `Z, compaction<=1, malformed<=0`, or `A, Q5, Q6`.
///
/// Streams of a scope have ids that follow from the places of their records, so that no two of them differ by names
/// alone.
#[derive(Clone, Debug)]
pub struct Scope {
    slice: &'static Slice,
    most: [u8; Kind::ALL.len()],
    quotient: Quotient,
}

impl Scope {
    /// The slice that it is cut from.
    pub fn slice(&self) -> &'static Slice {
        self.slice
    }

    /// Reads a scope that may bound the length as well: `Z, records<=4, compaction<=1`.
    ///
    /// # Errors
    ///
    /// An unknown slice, kind or form of bound.
    pub fn parse(text: &str) -> Result<(Self, Option<u8>), ExploreError> {
        let mut scope =
            Self { slice: &MERGED, most: [u8::MAX; Kind::ALL.len()], quotient: Quotient::default() };
        let mut length = None;
        for (part, place) in text.split(',').map(str::trim).zip(0..) {
            if let Some((kind, most)) = part.split_once("<=") {
                let most = most.trim().parse().map_err(|_| ExploreError::Bound { text: part.to_owned() })?;
                match kind.trim() {
                    "records" => length = Some(most),
                    label => {
                        let kind = Kind::ALL.into_iter().find(|kind| kind.label() == label);
                        let bound = kind.and_then(|kind| scope.most.get_mut(kind as usize));
                        *bound.ok_or_else(|| ExploreError::Bound { text: part.to_owned() })? = most;
                    }
                }
            } else if let Ok(symmetry) = part.parse() {
                scope = scope.divided_by(symmetry)?;
            } else {
                let slice = SLICES.iter().find(|slice| place == 0 && part == slice.letter.to_string());
                scope.slice = slice.ok_or_else(|| ExploreError::Slice { name: part.to_owned() })?;
            }
        }
        Ok((scope, length))
    }

    /// The scope with one of the streams that a symmetry takes for alike.
    ///
    /// # Errors
    ///
    /// Where the slice has no such symmetry.
    pub fn divided_by(self, symmetry: Symmetry) -> Result<Self, ExploreError> {
        if !self.slice.symmetries.contains(&symmetry) {
            return Err(ExploreError::Symmetry { slice: self.slice.letter, symmetry });
        }
        Ok(Self { quotient: self.quotient.with(symmetry), ..self })
    }

    /// The lines that may come next, in order, and be the last where there are none `left` to come after them.
    pub(crate) fn actions(&self, state: &State, left: u8, out: &mut Vec<Action>) {
        out.clear();
        (self.slice.actions)(state, out);
        if self.quotient != Quotient::default() {
            let shape = self.quotient.shape(state);
            out.retain(|action| self.quotient.admits(shape, action, left == 0, self.slice.most_gaps));
        }
        if Kind::ALL.into_iter().any(|kind| self.is_bounded(kind)) {
            out.retain(|action| state.tally(action.kind()) < self.most(action.kind()));
        }
    }

    /// What the symmetries need to know of the lines so far.
    pub(crate) fn shape(&self, state: &State) -> Shape {
        self.quotient.shape(state)
    }

    /// Whether every beginning of a stream is a stream of the scope.
    pub(crate) fn has_beginnings(&self) -> bool {
        self.quotient.has_beginnings()
    }

    pub(crate) fn is_bounded(&self, kind: Kind) -> bool {
        self.most(kind) < u8::MAX
    }

    fn most(&self, kind: Kind) -> u8 {
        self.most.get(kind as usize).copied().unwrap_or(u8::MAX)
    }
}

impl FromStr for Scope {
    type Err = ExploreError;

    fn from_str(text: &str) -> Result<Self, ExploreError> {
        match Self::parse(text)? {
            (scope, None) => Ok(scope),
            (_, Some(length)) => Err(ExploreError::Bound { text: format!("records<={length}") }),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.slice.letter)?;
        let bounded = Kind::ALL.into_iter().filter(|&kind| self.is_bounded(kind));
        bounded.into_iter().try_for_each(|kind| write!(f, ", {}<={}", kind.label(), self.most(kind)))?;
        write!(f, "{}", self.quotient)
    }
}
