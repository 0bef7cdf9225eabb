//! How a script is drawn from choices.
//!
//! Scripts come in *phrases*: a line with the marks before it. From bytes, each phrase takes a stretch of the
//! same length, so that a mutation within it stays within it and a stretch can be moved, copied or cut out
//! whole.

use crate::choice::{Choices, Given, Seeded};
use crate::form::{AuditForm, BranchForm, IdForm, Manner, SeqForm};
use crate::op::{Kind, Op};
use crate::operand::{Operand, Sort};
use crate::script::Script;
use crate::settings::Settings;

/// The bytes of a phrase: a kind, the operands of all but the richest compactions, and mostly room for the
/// marks. Zeros stand in for what is missing.
pub(crate) const PHRASE: usize = 32;

impl Script {
    /// The script of a seed.
    pub fn random(seed: u64, settings: &Settings) -> Self {
        let mut choices = Seeded::new(seed);
        let mut settings = *settings;
        if choices.share(settings.sound) || settings.is_valid() {
            settings = Settings { odd_forms: 0, odd_refs: 0, odd_marks: 0, ..settings };
        }
        let mut kinds = settings.weights.by_kind();
        if settings.swarm {
            for (kind, weight) in &mut kinds {
                if *kind != Kind::Message && choices.share(64) {
                    *weight = 0;
                }
            }
        }
        // A script of a line or two hardly says anything.
        let most = usize::from(settings.lines);
        let least = most.div_ceil(4);
        let lines = (least + choices.below(most - least + 1)).min(most);
        let mut ops = Vec::with_capacity(lines * 5 / 4);
        for _ in 0..lines {
            phrase(&mut choices, &settings, &kinds, &mut ops);
        }
        if choices.share(settings.padding) {
            let at = choices.below(ops.len() + 1);
            let padding = std::iter::repeat_n(Op::Audit { form: AuditForm::Usage }, 40 + choices.below(48));
            ops.splice(at..at, padding);
        }
        Self { ops }
    }

    /// The script of any bytes, with the default settings.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::from_bytes_with(bytes, &Settings::default())
    }

    /// The script of any bytes.
    pub fn from_bytes_with(bytes: &[u8], settings: &Settings) -> Self {
        let kinds = settings.weights.by_kind();
        let stretches = bytes.chunks(PHRASE).take(settings.lines.into());
        // Room for the lines and a mark for every other one.
        let mut ops = Vec::with_capacity(stretches.len() * 3 / 2);
        for stretch in stretches {
            phrase(&mut Given(stretch), settings, &kinds, &mut ops);
        }
        Self { ops }
    }
}

/// Draws a line with its marks.
fn phrase(choices: &mut impl Choices, settings: &Settings, kinds: &[(Kind, u8)], ops: &mut Vec<Op>) {
    let kind = weighted(choices, kinds);
    let mut line = filled(choices, settings, kind);
    let branches = match kind {
        Kind::Message | Kind::Call | Kind::Result | Kind::Compaction => settings.branches,
        Kind::Revise => settings.branches.saturating_mul(2),
        _ => settings.odd_marks,
    };
    if choices.share(branches) {
        let mut branch = filled(choices, settings, Kind::Branch);
        if let (Op::Revise { manner, .. }, Op::Branch { form, .. }) = (&mut line, &mut branch) {
            // Only a marked rewrite bends, and only one that may bend anywhere closes a cycle.
            if choices.share(192) {
                *manner = Manner::Rewrite;
            }
            if choices.share(settings.odd_forms.saturating_mul(4)) {
                *form = BranchForm::Forced;
            }
        }
        ops.push(branch);
    }
    if choices.share(settings.spellings) {
        ops.push(filled(choices, settings, Kind::Spell));
    }
    if choices.share(settings.odd_marks) {
        ops.push(odd_mark(choices, settings));
    } else if choices.share(2) {
        let kind = if choices.share(128) { Kind::Seq } else { Kind::Id };
        ops.push(filled(choices, &Settings { odd_forms: 0, ..*settings }, kind));
    }
    ops.push(line);
}

/// Draws one of the marks that break a rule.
fn odd_mark(choices: &mut impl Choices, settings: &Settings) -> Op {
    let n = near(choices);
    match choices.below(4) {
        // A sound ref makes a revision with another entity key, an odd one makes none.
        0 => filled(choices, &Settings { odd_refs: 128, ..*settings }, Kind::Supersede),
        1 => {
            let mut form = IdForm::default();
            form.set_rank(odd(choices, &form));
            Op::Id { form, n }
        }
        2 => {
            let mut form = SeqForm::default();
            form.set_rank(odd(choices, &form));
            Op::Seq { form, n }
        }
        _ => {
            // Any value of the record: the nearest would always be the last ones.
            let mut edit = Op::plain(Kind::Edit);
            edit.visit(&mut |operand| operand.set_rank(choices.byte().into()));
            edit
        }
    }
}

/// Draws a kind by weight; a message if there is nothing to draw.
fn weighted(choices: &mut impl Choices, kinds: &[(Kind, u8)]) -> Kind {
    let total: usize = kinds.iter().map(|&(_, weight)| usize::from(weight)).sum();
    let mut at = choices.below(total);
    for &(kind, weight) in kinds {
        match at.checked_sub(weight.into()) {
            Some(rest) => at = rest,
            None => return kind,
        }
    }
    Kind::Message
}

/// An operation of a kind with its operands drawn.
fn filled(choices: &mut impl Choices, settings: &Settings, kind: Kind) -> Op {
    let mut op = Op::plain(kind);
    op.visit(&mut |operand| draw(choices, settings, operand));
    op
}

/// Draws an operand: half the time the plainest value, and odd ones as often as the settings say.
pub(crate) fn draw(choices: &mut impl Choices, settings: &Settings, operand: &mut dyn Operand) {
    let rank = match operand.sort() {
        Sort::Form => form(choices, settings.odd_forms, operand),
        Sort::Pick => form(choices, settings.odd_refs, operand),
        Sort::Distance => near(choices).into(),
        Sort::Mask => choices.byte().into(),
    };
    operand.set_rank(rank);
}

fn form(choices: &mut impl Choices, odds: u8, operand: &dyn Operand) -> u16 {
    if operand.sound() < operand.values() && choices.share(odds) {
        return odd(choices, operand);
    }
    match choices.byte() {
        0..128 => 0,
        byte => u16::from(byte).checked_rem(operand.sound()).unwrap_or(0),
    }
}

fn odd(choices: &mut impl Choices, operand: &dyn Operand) -> u16 {
    let odds = operand.values().saturating_sub(operand.sound());
    operand.sound() + choices.below(odds.into()) as u16
}

/// A distance: mostly the nearest thing or one close by, now and then any.
fn near(choices: &mut impl Choices) -> u8 {
    match choices.byte() {
        0..96 => 0,
        byte @ 96..240 => byte % 5,
        _ => choices.byte(),
    }
}
