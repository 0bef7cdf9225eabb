//! The chapter's requirements. `requirements.toml` is their one source; the build script makes this type of it.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// Whom a requirement binds.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Bound {
    /// Everyone.
    All,
    /// The stream itself.
    Stream,
    /// Who writes a stream.
    Producer,
    /// Who makes a stream of a native session.
    Converter,
    /// Who computes paths and views.
    Reader,
    /// Who adds up facts over a session.
    Consumer,
    /// Who makes sessions searchable.
    Indexer,
}

/// How strongly a requirement binds.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Level {
    /// The RFC word MUST, or a sentence that amounts to it.
    Must,
    /// The RFC word MUST NOT, or a sentence that amounts to it.
    MustNot,
    /// The RFC word MAY.
    May,
    /// A sentence that says what a word means.
    Definition,
    /// A sentence that points to a rule elsewhere.
    Reference,
}

/// By what means one can decide whether a requirement is met.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Decided {
    /// By looking at one stream.
    Stream,
    /// One stream shows a necessary condition only.
    Necessary,
    /// By running a reader on a stream.
    Reader,
    /// Only with the native source, another chapter, or a human.
    Source,
}

include!(concat!(env!("OUT_DIR"), "/requirements.rs"));

impl Requirement {
    /// Whether the *Structure* chapter defines it. It leans on four others that it does not define.
    pub const fn is_of_the_chapter(self) -> bool {
        !matches!(self, Self::Asr009 | Self::Asr014 | Self::Asr080 | Self::U13)
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// As its label.
impl Serialize for Requirement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

impl<'de> Deserialize<'de> for Requirement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A text that names no requirement.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{0}` is no requirement: expected a label such as ASR-352.b")]
pub struct UnknownRequirement(pub String);

impl FromStr for Requirement {
    type Err = UnknownRequirement;

    fn from_str(text: &str) -> Result<Self, UnknownRequirement> {
        let found = Self::ALL.into_iter().find(|requirement| requirement.id() == text);
        found.ok_or_else(|| UnknownRequirement(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chapter defines ASR-350 to ASR-378 (`readings.md` A.0), in 75 separate sentences (A.1).
    #[test]
    fn every_number_of_the_chapter_is_there() {
        assert_eq!(Requirement::ALL.iter().filter(|r| r.is_of_the_chapter()).count(), 75);
        for number in 350..=378 {
            let prefix = format!("ASR-{number}");
            assert!(Requirement::ALL.iter().any(|r| r.id().starts_with(&prefix)), "{prefix}");
        }
    }

    #[test]
    fn ids_are_unique_and_read_back() {
        for requirement in Requirement::ALL {
            assert_eq!(requirement.id().parse(), Ok(requirement));
            assert!(!requirement.text().is_empty() && !requirement.bound().is_empty());
        }
        for requirement in Requirement::ALL {
            assert_eq!(
                requirement.decided() == Decided::Source,
                requirement.exception().is_some(),
                "{requirement}"
            );
        }
        assert!("ASR-349".parse::<Requirement>().is_err());
    }
}
