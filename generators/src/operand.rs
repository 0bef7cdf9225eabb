//! Operands: the small integers that operations are made of, with names on top.
//!
//! Everything that chooses, mutates or simplifies an operation sees its operands as ranks: 0 is the plainest
//! value, and values from [`Operand::sound`] on are *odd*, which means that they may break a rule of the
//! chapter. That a value has a name is for people only. So drawing, simplification and enumeration are each
//! written once.

use serde::{Deserialize, Serialize};

/// A small integer with a meaning.
pub trait Operand {
    /// How many values there are.
    fn values(&self) -> u16;

    /// How many of them, counted from rank 0, keep a stream valid.
    fn sound(&self) -> u16;

    /// The present value as an integer below [`Self::values`].
    fn rank(&self) -> u16;

    /// Takes the value of that rank, wrapped onto the values that exist.
    fn set_rank(&mut self, rank: u16);

    /// What the operand chooses between, which decides how it is drawn.
    fn sort(&self) -> Sort;
}

/// What an operand chooses between.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Sort {
    /// Ways to write something.
    Form,
    /// Ways to point at something.
    Pick,
    /// How far something is away.
    Distance,
    /// Any of several things, one per bit.
    Mask,
}

/// Defines an enum whose variants are the values of an operand: the sound ones, plainest first, then the odd
/// ones.
macro_rules! operand {
    (
        $(#[$doc:meta])*
        $sort:ident $name:ident {
            sound { $(#[$plain_doc:meta])* $plain:ident, $($(#[$sound_doc:meta])* $sound:ident,)* }
            $(odd { $($(#[$odd_doc:meta])* $odd:ident,)+ })?
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, Eq, Ord, PartialEq, PartialOrd, serde::Deserialize, serde::Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $(#[$plain_doc])*
            #[default]
            $plain,
            $($(#[$sound_doc])* $sound,)*
            $($($(#[$odd_doc])* $odd,)+)?
        }

        impl $name {
            /// The values that keep a stream valid.
            pub const SOUND: &'static [Self] = &[Self::$plain $(, Self::$sound)*];

            /// Every value, the odd ones last.
            pub const ALL: &'static [Self] = &[Self::$plain, $(Self::$sound,)* $($(Self::$odd,)+)?];
        }

        /// With the name of the type, to be pasted into a test.
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    Self::$plain => concat!(stringify!($name), "::", stringify!($plain)),
                    $(Self::$sound => concat!(stringify!($name), "::", stringify!($sound)),)*
                    $($(Self::$odd => concat!(stringify!($name), "::", stringify!($odd)),)+)?
                })
            }
        }

        impl $crate::operand::Operand for $name {
            fn values(&self) -> u16 {
                Self::ALL.len() as u16
            }

            fn sound(&self) -> u16 {
                Self::SOUND.len() as u16
            }

            fn rank(&self) -> u16 {
                *self as u16
            }

            fn set_rank(&mut self, rank: u16) {
                let rank = usize::from(rank).checked_rem(Self::ALL.len()).unwrap_or(0);
                *self = Self::ALL.get(rank).copied().unwrap_or_default();
            }

            fn sort(&self) -> $crate::operand::Sort {
                $crate::operand::Sort::$sort
            }
        }
    };
}
pub(crate) use operand;

/// A distance, counted from the nearest thing of its kind and wrapped onto those that there are.
impl Operand for u8 {
    fn values(&self) -> u16 {
        256
    }

    fn sound(&self) -> u16 {
        256
    }

    fn rank(&self) -> u16 {
        u16::from(*self)
    }

    fn set_rank(&mut self, rank: u16) {
        *self = rank.to_le_bytes()[0];
    }

    fn sort(&self) -> Sort {
        Sort::Distance
    }
}

/// A subset of eight things, the first one in the lowest bit.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Mask(pub u8);

impl Mask {
    /// The positions of the things in the subset.
    pub fn positions(self) -> impl Iterator<Item = usize> {
        (0..8).filter(move |bit| self.0 >> bit & 1 == 1)
    }
}

impl Operand for Mask {
    fn values(&self) -> u16 {
        256
    }

    fn sound(&self) -> u16 {
        256
    }

    fn rank(&self) -> u16 {
        u16::from(self.0)
    }

    fn set_rank(&mut self, rank: u16) {
        self.0.set_rank(rank);
    }

    fn sort(&self) -> Sort {
        Sort::Mask
    }
}

operand! {
    /// How a [`Ref`] finds its target.
    Pick Pick {
        sound {
            /// The n-th node back on the path that matters: a compaction's own, or else the current one.
            Path,
            /// The n-th latest node, on whichever branch.
            Recent,
            /// The n-th latest revision, by its own id: a name for the node that it belongs to.
            Revised,
        }
        odd {
            /// The n-th latest node off the path that matters.
            Elsewhere,
            /// The n-th next node.
            Later,
            /// The record that carries the ref.
            Itself,
            /// The n-th latest audit-only record.
            Audit,
            /// The n-th latest id that two records bear.
            Twice,
            /// The entity key of the n-th latest node, which is no record id.
            Key,
            /// An id that nobody bears.
            Nowhere,
            /// No string.
            NotText,
        }
    }
}

/// A ref, which rendering wraps onto the records that exist.
///
/// A sound one always resolves: where no record fits, rendering leaves out or replaces what would have named
/// it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ref {
    /// How it finds its target.
    #[serde(skip_serializing_if = "is_plain")]
    pub to: Pick,
    /// How many candidates it passes first.
    #[serde(skip_serializing_if = "is_plain")]
    pub n: u8,
}

impl Ref {
    /// The n-th node back on the path.
    pub const fn path(n: u8) -> Self {
        Self { to: Pick::Path, n }
    }

    /// The n-th latest node.
    pub const fn recent(n: u8) -> Self {
        Self { to: Pick::Recent, n }
    }

    /// An id that nobody bears.
    pub const NOWHERE: Self = Self { to: Pick::Nowhere, n: 0 };

    /// The candidate after this one.
    pub const fn next(self) -> Self {
        Self { to: self.to, n: self.n.wrapping_add(1) }
    }

    /// Shows its operands one by one.
    pub(crate) fn visit(&mut self, see: &mut dyn FnMut(&mut dyn Operand)) {
        let Self { to, n } = self;
        see(to);
        see(n);
    }
}

/// Whether an operand has its plainest value, which a file need not mention.
pub(crate) fn is_plain<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
