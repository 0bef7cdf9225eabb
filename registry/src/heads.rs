//! Writes down where the source points, whenever that is not where the stream would point by itself.
//!
//! ASR-364 asks for heads when the source names a leaf that differs from the default head, and for a new
//! value at every change. Agents name leaves in different ways, so an agent tells this writer after which
//! record the source points where; the writer states heads only when they change, and states none (`[]`, the
//! default head again) when the source is back on the default path.

use crate::draft::Origin;
use crate::placed::Placed;

/// Where the source points.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Pointing {
    /// Where the stream points by itself.
    #[default]
    Default,
    /// At nothing.
    Nothing,
    /// At the record at this position.
    Record(usize),
    /// At one record while the conversation goes on behind another: two lanes, the primary one first.
    Lanes(usize, usize),
}

/// Keeps the heads that the stream has stated last.
#[derive(Default)]
pub(crate) struct HeadsWriter {
    stated: Pointing,
}

impl HeadsWriter {
    /// What the stream has stated last.
    pub fn stated(&self) -> Pointing {
        self.stated
    }

    /// The primary head that the stream has stated last.
    pub fn primary(&self) -> Option<usize> {
        match self.stated {
            Pointing::Record(position) | Pointing::Lanes(position, _) => Some(position),
            Pointing::Default | Pointing::Nothing => None,
        }
    }

    /// Whether the stream has stated heads other than the default one.
    pub fn has_stated(&self) -> bool {
        self.stated != Pointing::Default
    }

    /// After the record at `after`, the source points at `pointing`.
    pub fn point(&mut self, placed: &mut Placed, after: usize, origin: &Origin, pointing: Pointing) {
        if pointing == self.stated {
            return;
        }
        let heads = match pointing {
            Pointing::Default => Vec::new(),
            Pointing::Nothing => vec![None],
            Pointing::Record(position) => vec![Some(placed.id(position))],
            Pointing::Lanes(named, written) => vec![Some(placed.id(named)), Some(placed.id(written))],
        };
        placed.insert_heads(after, origin, heads);
        self.stated = pointing;
    }
}
