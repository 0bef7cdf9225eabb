//! Scripts that break one named requirement and no other.
//!
//! A valid script, and after it the few operations that break the requirement. What they refer to stands
//! among them, so that they break it whatever the valid part is.

use crate::form::{
    AuditForm, BranchForm, Change, IdForm, InsertForm, KindForm, Manner, ReplacesForm, RetainsForm,
    RewindForm, SeqForm,
};
use crate::op::{Compaction, Kind, Op};
use crate::operand::{Pick, Ref};
use crate::script::Script;
use crate::settings::Settings;
use asr_spec::Requirement;

/// The valid part is short: it only has to differ from seed to seed.
const LINES: u16 = 8;

impl Script {
    /// A script whose stream breaks `requirement` and nothing else, but for what is broken with it by
    /// necessity ([`Script::broken_along`]). `None` where no stream can break the requirement by itself.
    pub fn broken_by(requirement: Requirement, seed: u64) -> Option<Self> {
        let planted = planted(requirement)?;
        let sound = Self::random(seed, &Settings { lines: LINES, ..Settings::valid() });
        // A gap record would excuse a destroyed history (ASR-375.b).
        let sound = sound.ops.into_iter().filter(|op| op.kind() != Kind::Gap);
        let first = Op::plain(Kind::Message);
        Some(sound.chain([first]).chain(planted).collect())
    }

    /// What a stream that breaks `requirement` in the way of [`Script::broken_by`] breaks as well, since the
    /// one contains the other.
    pub fn broken_along(requirement: Requirement) -> Option<Requirement> {
        match requirement {
            // The target of a rewind is a structural ref.
            Requirement::Asr356B => Some(Requirement::Asr351B),
            // What supersedes a rewind is of another type, since a rewind carries no supersedes.
            Requirement::Asr356E => Some(Requirement::Asr352B),
            _ => None,
        }
    }
}

fn compaction(compaction: Compaction) -> Op {
    Op::Compaction(compaction)
}

fn branch(form: BranchForm, at: Ref) -> Op {
    Op::Branch { form, at }
}

/// The operations that break a requirement after a message.
fn planted(requirement: Requirement) -> Option<Vec<Op>> {
    let message = Op::plain(Kind::Message);
    let usage = Op::Audit { form: AuditForm::Usage };
    let plain = Compaction::default();
    let anew = branch(BranchForm::Start, Ref::default());
    let other = |to| Ref { to, n: 0 };
    let rewind = |form, to| Op::Rewind { form, to };
    let revise = |of, change, manner| Op::Revise { of, base: Default::default(), change, manner };
    Some(match requirement {
        Requirement::Asr014 => vec![Op::Seq { form: SeqForm::Again, n: 0 }, message],
        Requirement::Asr080 => vec![branch(BranchForm::Record, Ref::NOWHERE), message],
        Requirement::U13 => vec![Op::Id { form: IdForm::Again, n: 0 }, message],
        Requirement::Asr351B => vec![usage, branch(BranchForm::Record, other(Pick::Audit)), message],
        Requirement::Asr352B => vec![Op::Supersede { at: Ref::recent(0) }, Op::plain(Kind::Call)],
        Requirement::Asr352C => vec![revise(Ref::recent(0), Change::OtherKey, Manner::Plain)],
        Requirement::Asr352D => vec![anew, message, revise(Ref::recent(0), Change::Nothing, Manner::Dropped)],
        Requirement::Asr354 => vec![rewind(RewindForm::NoReason, Ref::path(0))],
        Requirement::Asr356B => vec![usage, rewind(RewindForm::To, other(Pick::Audit))],
        // The later record starts anew, or it would follow itself.
        Requirement::Asr356C => vec![rewind(RewindForm::To, other(Pick::Later)), anew, message],
        Requirement::Asr356D => {
            vec![Op::Supersede { at: Ref::recent(0) }, rewind(RewindForm::To, Ref::path(0))]
        }
        Requirement::Asr356E => {
            vec![rewind(RewindForm::To, Ref::path(0)), Op::Supersede { at: other(Pick::Audit) }, usage]
        }
        Requirement::Asr357B => vec![Op::Audit { form: AuditForm::RestoredByNobody }],
        Requirement::Asr358A => vec![branch(BranchForm::Empty, Ref::default()), message],
        Requirement::Asr358B => vec![branch(BranchForm::ForcedStart, Ref::default()), usage],
        Requirement::Asr358C => vec![branch(BranchForm::OtherState, Ref::default()), message],
        Requirement::Asr358E => vec![branch(BranchForm::Record, other(Pick::Later)), message, anew, message],
        Requirement::Asr359 => vec![branch(BranchForm::Forced, Ref::recent(0)), message],
        Requirement::Asr366A => vec![
            message,
            branch(BranchForm::Forced, Ref::recent(0)),
            revise(Ref::recent(1), Change::Nothing, Manner::Rewrite),
        ],
        Requirement::Asr370 => vec![compaction(Compaction { kind: KindForm::Absent, ..plain })],
        Requirement::Asr371A => vec![compaction(Compaction { replaces: ReplacesForm::Nothing, ..plain })],
        Requirement::Asr371B => vec![compaction(Compaction { insert: InsertForm::Empty, ..plain })],
        Requirement::Asr371C => vec![compaction(Compaction { insert: InsertForm::BeforeNull, ..plain })],
        Requirement::Asr371D => vec![compaction(Compaction { replaces: ReplacesForm::KeptWithIds, ..plain })],
        Requirement::Asr371E => vec![compaction(Compaction { retains: RetainsForm::NoRef, ..plain })],
        Requirement::Asr371F => vec![compaction(Compaction { retains: RetainsForm::OtherCapture, ..plain })],
        Requirement::Asr372B => {
            vec![compaction(Compaction { through: other(Pick::Later), ..plain }), message]
        }
        Requirement::Asr372C => vec![
            rewind(RewindForm::Start, Ref::default()),
            message,
            compaction(Compaction { through: other(Pick::Elsewhere), ..plain }),
        ],
        Requirement::Asr372D => vec![
            message,
            compaction(Compaction { replaces: ReplacesForm::KeptAfter, through: Ref::path(1), ..plain }),
        ],
        Requirement::Asr375B => vec![compaction(Compaction { kind: KindForm::Destroyed, ..plain })],
        _ => return None,
    })
}
