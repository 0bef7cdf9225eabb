//! What scripts to draw: how long, of which operations, how odd.
//!
//! Presets are `const fn`; take one and override by struct update:
//! `Settings { lines: 8, ..Settings::compactions() }`.

use crate::op::Kind;

/// What scripts to draw.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Settings {
    /// The most lines that a script writes, the least being a quarter of it; marks and padding come on top. Most
    /// questions about a stream show within a dozen records, and the oracle takes quadratic time.
    pub lines: u16,
    /// Of 256 scripts from a seed, how many have a padding of dozens of audit-only records in a row, which are cheap
    /// and make a stream of more lines than a reader takes together.
    pub padding: u8,
    /// How often each kind of line is drawn, relative to the others.
    pub weights: Weights,
    /// Whether each script does without some kinds of line, drawn anew for each. A script of few kinds goes
    /// deeper into them. Has no effect on scripts from bytes: fuzzers do this themselves.
    pub swarm: bool,
    /// Of 256 scripts from a seed, how many have no odd operand and so are valid. Has no effect on scripts
    /// from bytes.
    pub sound: u8,
    /// Of 256 forms (of a field, an id, a seq), how many are odd.
    pub odd_forms: u8,
    /// Of 256 refs, how many are odd: dangling, forward, ambiguous, off the path, to an audit-only record.
    pub odd_refs: u8,
    /// Of 256 records, how many get an odd mark: a `supersedes` of anything, another id, another seq.
    pub odd_marks: u8,
    /// Of 256 context-participating records, how many are marked to branch; of revisions, twice as many.
    pub branches: u8,
    /// Of 256 lines, how many are spelled in an unusual way.
    pub spellings: u8,
}

/// How often each kind of line is drawn. Zero means never.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(missing_docs, reason = "the fields are the kinds of line, in their order")]
pub struct Weights {
    pub message: u8,
    pub call: u8,
    pub result: u8,
    pub compaction: u8,
    pub rewind: u8,
    pub revise: u8,
    pub gap: u8,
    pub info: u8,
    pub audit: u8,
    pub malformed: u8,
    pub blank: u8,
}

impl Weights {
    /// Every kind of line, those that bend and compact often enough to meet.
    pub const MIXED: Self = Self {
        message: 24,
        call: 8,
        result: 8,
        compaction: 12,
        rewind: 8,
        revise: 12,
        gap: 5,
        info: 4,
        audit: 3,
        malformed: 3,
        blank: 1,
    };

    /// Nothing, to start from.
    pub const NONE: Self = Self {
        message: 0,
        call: 0,
        result: 0,
        compaction: 0,
        rewind: 0,
        revise: 0,
        gap: 0,
        info: 0,
        audit: 0,
        malformed: 0,
        blank: 0,
    };

    /// Each kind of line with its weight.
    pub(crate) fn by_kind(self) -> [(Kind, u8); 11] {
        let Self { message, call, result, compaction, rewind, revise, gap, info, audit, malformed, blank } =
            self;
        [
            (Kind::Message, message),
            (Kind::Call, call),
            (Kind::Result, result),
            (Kind::Compaction, compaction),
            (Kind::Rewind, rewind),
            (Kind::Revise, revise),
            (Kind::Gap, gap),
            (Kind::Info, info),
            (Kind::Audit, audit),
            (Kind::Malformed, malformed),
            (Kind::Blank, blank),
        ]
    }
}

impl Settings {
    /// The presets in turn, one for each case.
    pub const fn of_case(case: u64) -> Self {
        match case % 5 {
            0 => Self::mixed(),
            1 => Self::valid(),
            2 => Self::paths(),
            3 => Self::compactions(),
            _ => Self::broken(),
        }
    }

    /// Everything, half of it valid.
    pub const fn mixed() -> Self {
        Self {
            lines: 24,
            padding: 2,
            weights: Weights::MIXED,
            swarm: true,
            sound: 128,
            odd_forms: 20,
            odd_refs: 32,
            odd_marks: 24,
            branches: 32,
            spellings: 8,
        }
    }

    /// Valid streams only.
    pub const fn valid() -> Self {
        Self { sound: 255, odd_forms: 0, odd_refs: 0, odd_marks: 0, ..Self::mixed() }
    }

    /// Valid streams that bend: branches, rewinds and rewrites, no compactions.
    pub const fn paths() -> Self {
        let weights = Weights { message: 24, rewind: 10, revise: 16, gap: 6, malformed: 3, ..Weights::NONE };
        Self { weights, branches: 64, spellings: 0, ..Self::valid() }
    }

    /// Messages, calls and results with many compactions, hardly bent. Half of the streams are valid; of the others
    /// nothing is odd but refs, which may look ahead or lead nowhere.
    pub const fn compactions() -> Self {
        let weights = Weights {
            message: 24,
            call: 6,
            result: 6,
            compaction: 24,
            rewind: 1,
            revise: 6,
            gap: 3,
            ..Weights::NONE
        };
        Self { weights, sound: 128, odd_refs: 64, branches: 6, spellings: 0, ..Self::valid() }
    }

    /// Streams that break many rules at once.
    pub const fn broken() -> Self {
        Self { sound: 0, odd_forms: 64, odd_refs: 64, odd_marks: 64, spellings: 24, ..Self::mixed() }
    }

    /// Whether every script is valid.
    pub const fn is_valid(&self) -> bool {
        self.odd_forms == 0 && self.odd_refs == 0 && self.odd_marks == 0
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::mixed()
    }
}
