//! Where active paths end (ASR-363).

use crate::{Entry, Json, Name, RefStatus};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// What a head turns out to be.
///
/// As JSON: `{"start":true}` for START, otherwise the entry of ASR-376 that stands for it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum HeadState {
    /// The empty context.
    Start,
    /// A node, named by the first record of its chain.
    Node(Name),
    /// The stream ends in a rewind that does not say where to.
    Unknown,
    /// The head names no node.
    Unresolved {
        /// The head as written.
        reference: Json,
        /// Why it names none.
        status: RefStatus,
    },
}

impl Serialize for HeadState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.clone() {
            Self::Start => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("start", &true)?;
                map.end()
            }
            Self::Node(id) => Entry::Node { id, rev: None }.serialize(serializer),
            Self::Unknown => Entry::UnknownPredecessor.serialize(serializer),
            Self::Unresolved { reference, status } => {
                Entry::UnresolvedRef { reference, status }.serialize(serializer)
            }
        }
    }
}

/// The default head and the effective heads of a stream.
#[derive(Clone, Debug, Eq, PartialEq, serde::Serialize)]
pub struct Heads {
    /// The implicit predecessor of a record appended now.
    pub default: HeadState,
    /// The current non-empty `session_info.heads`, `None` for a null; otherwise the default head alone.
    pub effective: Vec<Option<HeadState>>,
}
