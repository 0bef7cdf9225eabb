//! The oracle with a choice replaced: another reading of the chapter, or a planted fault.
//!
//! One mechanism serves two ends. A stream on which an alternative reading differs from the default witnesses
//! an ambiguity of the chapter; a check that tells a fault from the default would notice that mistake in an
//! implementation. A variant replaces functions of [`Choices`] and nothing else, so it says in full where it
//! differs.

macro_rules! alternatives {
    ($($label:literal = $name:ident { $($choice:ident: $function:expr),+ $(,)? },)*) => {
        /// The alternatives of the readings that this module decides.
        pub(super) const ALTERNATIVES: &[Variant] = &[$(Variant {
            name: concat!($label, "=", stringify!($name)),
            kind: Kind::Alternative { label: $label, alternative: stringify!($name) },
            choices: Choices { $($choice: $function,)+ ..R1 },
        }),*];
    };
}

mod faults;
mod heads;
mod nodes;
mod paths;
mod predecessors;
mod views;

use crate::choices::Choices;
use asr_spec::{Alternative, READINGS, Reading};
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

/// The oracle with a choice replaced. [`Stream::read_as`](crate::Stream::read_as) reads a stream as it does.
#[derive(Clone, Copy)]
pub struct Variant {
    /// What commands and reports call it: `NR-3=tip_of_first` for an alternative, `fault:seen_by_id` for a
    /// fault.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    pub(crate) choices: Choices,
}

/// What a variant is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// A reading of the chapter that is not our default.
    Alternative {
        /// The label of the reading.
        label: &'static str,
        /// The name of the alternative.
        alternative: &'static str,
    },
    /// A mistake that an implementer would make.
    Fault {
        /// The mistake, as a statement of what the variant does.
        summary: &'static str,
    },
}

/// Every variant: the alternatives algorithm by algorithm, then the faults.
pub fn variants() -> &'static [Variant] {
    static ALL: LazyLock<Vec<Variant>> = LazyLock::new(|| {
        [
            nodes::ALTERNATIVES,
            predecessors::ALTERNATIVES,
            heads::ALTERNATIVES,
            paths::ALTERNATIVES,
            views::ALTERNATIVES,
            faults::FAULTS,
        ]
        .concat()
    });
    &ALL
}

impl Variant {
    /// The reading and the alternative that the variant is, unless it is a fault.
    pub fn alternative(&self) -> Option<(&'static Reading, &'static Alternative)> {
        let Kind::Alternative { label, alternative } = self.kind else { return None };
        let reading = READINGS.iter().find(|reading| reading.label == label)?;
        Some((reading, reading.alternatives.iter().find(|other| other.name == alternative)?))
    }

    /// What the variant does, in words.
    pub fn text(&self) -> &'static str {
        match self.kind {
            Kind::Alternative { .. } => self.alternative().map_or("", |(_, alternative)| alternative.text),
            Kind::Fault { summary } => summary,
        }
    }
}

impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, kind, choices: _ } = self;
        f.debug_struct("Variant").field("name", name).field("kind", kind).finish_non_exhaustive()
    }
}

/// The name of a variant that there is not.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum UnknownVariant {
    /// The default is no variant.
    #[error("{name} is the default reading, not a variant of it; variants are {}", variants.join(", "))]
    Default {
        /// The name as given.
        name: String,
        /// The alternatives to it.
        variants: Vec<&'static str>,
    },
    /// There is neither a reading nor a fault of that name.
    #[error("{name} is no variant; the nearest are {}", near.join(", "))]
    Unknown {
        /// The name as given.
        name: String,
        /// The names nearest to it.
        near: Vec<&'static str>,
    },
}

impl FromStr for &'static Variant {
    type Err = UnknownVariant;

    /// The variant of that name.
    fn from_str(name: &str) -> Result<Self, UnknownVariant> {
        if let Some(variant) = variants().iter().find(|variant| variant.name == name) {
            return Ok(variant);
        }
        let label = name.split_once('=').map_or(name, |(label, _)| label);
        let of_label = variants().iter().filter(|variant| {
            matches!(variant.kind, Kind::Alternative { label: its, .. } if its.eq_ignore_ascii_case(label))
        });
        let of_label: Vec<_> = of_label.map(|variant| variant.name).collect();
        let default = READINGS.iter().find(|reading| reading.label == label);
        let default = default.and_then(|reading| reading.alternatives.first());
        if default.is_some_and(|default| name == format!("{label}={}", default.name)) {
            return Err(UnknownVariant::Default { name: name.to_owned(), variants: of_label });
        }
        let near = if of_label.is_empty() { nearest(name) } else { of_label };
        Err(UnknownVariant::Unknown { name: name.to_owned(), near })
    }
}

/// How many names an error suggests: what fits on a line.
const SUGGESTIONS: usize = 3;

fn nearest(name: &str) -> Vec<&'static str> {
    let mut names: Vec<_> = variants().iter().map(|variant| variant.name).collect();
    names.sort_by_key(|other| distance(name, other));
    names.truncate(SUGGESTIONS);
    names
}

/// How many characters one has to insert, delete or replace to get from one text to the other (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (deleted, a) in (1..).zip(from.chars()) {
        let mut next = vec![deleted];
        let mut left = deleted;
        for (pair, b) in row.windows(2).zip(to.chars()) {
            let &[diagonal, above] = pair else { continue };
            left = (diagonal + usize::from(a != b)).min(above + 1).min(left + 1);
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}
