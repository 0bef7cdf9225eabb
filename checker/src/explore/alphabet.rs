//! The slices: which lines may come next, given the lines so far (`readings.md` D.1, and some of our own).
//!
//! A slice exercises some steps of the chapter with everything that bears on them and leaves the rest out, since the
//! whole would be too much. It also says what it promises to reach: a slice that never gets there proves nothing. The
//! order of the actions is the order of ranks, plain ones first.

mod invalid;
mod odd;
mod paths;
mod views;

use super::action::{Action, Body, Branch, Caller, Heads, Hidden, Target};
use super::quotient::Symmetry::{self, Q4, Q5, Q6, Q7, Q8, Q12};
use super::state::State;
use asr_spec::Requirement::{self, *};
use asr_spec::Step::{self, *};

/// A preset alphabet.
#[derive(Debug)]
pub struct Slice {
    /// The letter that names it.
    pub letter: char,
    /// What it is about.
    pub title: &'static str,
    /// The steps that its streams must take, if they may be long enough.
    pub steps: &'static [Step],
    /// The requirements that its streams must break.
    pub requirements: &'static [Requirement],
    /// Whether a record can refer to a later one.
    pub(crate) has_forward_refs: bool,
    /// By what its scopes can be divided.
    pub symmetries: &'static [Symmetry],
    /// How many gaps on an edge Q6 leaves.
    pub(crate) most_gaps: u8,
    pub(crate) actions: fn(&State, &mut Vec<Action>),
}

/// Every slice, the merged one first.
pub const SLICES: &[Slice] = &[
    MERGED,
    Slice {
        symmetries: &[Q4, Q5, Q6, Q7],
        ..slice(
            'A',
            "paths",
            paths::bending,
            &[
                Nr1, Nr2, Nr3, Nr4, Nr5, Nr6, Nr7, Bf0, Bf1, Bf2, Bf3, Ip0, Ip1, Ip2, Ip3, Ip4, Ap3a, Ap3b,
                Ap3c, Ap3d, Ap3e, Ap3f, Ap3g,
            ],
        )
    },
    Slice {
        symmetries: &[Q8],
        ..slice('H', "heads", paths::heads, &[Hd1, Hd2, Hd3, Hd4, Hd5, Ap1, Ap2, Ap4, Ip3])
    },
    Slice { symmetries: STRAIGHT, most_gaps: 1, ..slice('V', "views", views::compacting, COMPACTING) },
    Slice {
        symmetries: STRAIGHT,
        most_gaps: 1,
        ..slice('v', "views-lite", views::compacting_lite, COMPACTING)
    },
    slice('T', "step 4", views::step_4, &[V4, V3bIds, V3dOwn, V3f, Nr4]),
    slice('R', "revisions", paths::revisions, &[Nr4, Nr6, Nr7, Bf0, Bf2]),
    slice('X', "mixed", views::mixed, &[V3a, V3bThrough, V3bIds, V3c, Nr7, Bf1, Ap3a]),
    Slice {
        requirements: &[
            U13, Asr009, Asr014, Asr080, Asr351B, Asr352B, Asr354, Asr356D, Asr356E, Asr358A, Asr358B,
            Asr358C, Asr359, Asr370, Asr371A, Asr371B, Asr371D, Asr371E, Asr372C,
        ],
        has_forward_refs: true,
        ..slice('I', "invalid", invalid::invalid, &[Ip3, Bf3, Ap3e, V3bIds, V3dOwn])
    },
    Slice {
        requirements: &[Asr372D],
        ..slice('O', "out of order", odd::out_of_order, &[Nr7, Bf1, Ap3a, V3bThrough, V3bKept, V3bIds])
    },
    Slice {
        requirements: &[Asr009, Asr014],
        has_forward_refs: true,
        ..slice('L', "lines", odd::lines, &[Nr1, Ip1, Ip3, Ap3c])
    },
    Slice {
        requirements: &[Asr351B, Asr352B, Asr352C, Asr356D, Asr356E],
        has_forward_refs: true,
        ..slice('N', "names", odd::names, &[Nr5, Bf1, Ip2, Hd5, V3bThrough, V3f])
    },
    slice('F', "forms", odd::forms, &[Nr4, Hd3, Ap4, V3a, V3bThrough, V3bIds, V3g, V4]),
];

/// The scopes that are whole slices.
#[cfg(test)]
pub(crate) fn whole_slices() -> Vec<String> {
    SLICES.iter().map(|slice| slice.letter.to_string()).collect()
}

/// The slice of which a scope is cut that names none.
pub(crate) const MERGED: Slice =
    Slice { symmetries: &[Q8], ..slice('Z', "merged", views::merged, EVERY_STEP) };

/// The symmetries where paths are straight.
const STRAIGHT: &[Symmetry] = &[Q6, Q12];

/// Every step but those of the mechanical-sibling rule, which is not about streams.
const EVERY_STEP: &[Step] = {
    const ALL: &[Step] = &Step::ALL;
    ALL.split_at(Ms1 as usize).0
};

/// The steps that compactions take.
const COMPACTING: &[Step] = &[
    Nr8, V2, V3, V3bThrough, V3bKept, V3bIds, V3bUnknown, V3c, V3dNull, V3dAfter, V3dBefore, V3dMin, V3dOwn,
    V3e, V3f, V3g,
];

const fn slice(
    letter: char,
    title: &'static str,
    actions: fn(&State, &mut Vec<Action>),
    steps: &'static [Step],
) -> Slice {
    Slice {
        letter,
        title,
        steps,
        requirements: &[],
        has_forward_refs: false,
        symmetries: &[],
        most_gaps: 2,
        actions,
    }
}

fn message() -> Action {
    Body::Message(Hidden::No).into()
}

fn hidden() -> Action {
    Body::Message(Hidden::Audience).into()
}

fn call(caller: Caller) -> Action {
    Body::Call(caller).into()
}

fn rewind(to: Option<Target>) -> Action {
    Body::Rewind(to).into()
}

fn heads_are(heads: Heads) -> Action {
    Body::Heads(heads).into()
}

fn from(record: u8) -> Branch {
    Branch::From(Target::Record(record))
}
