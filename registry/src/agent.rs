//! The agents that the registry knows, and what each entry has to say about a native format.
//!
//! An [`Entry`] is data where the chapter asks for names of fields, so that a document or a command can print
//! the table that the converter follows, and two functions where it needs judgement.

use crate::error::ConvertError;
use crate::lines::{self, Source};
use crate::object::Object;
use crate::{Conversion, claude_code, pi};
use std::fmt;
use std::str::FromStr;

/// An agent whose native session files can be converted.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Agent {
    /// Claude Code: `~/.claude/projects/<project>/<session>.jsonl`
    ClaudeCode,
    /// Pi, formats 1 to 3: `~/.pi/agent/sessions/<project>/<time>_<session>.jsonl`
    Pi,
}

/// A registry entry: what the mechanical-sibling rule is told about one native format.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The agent.
    pub agent: Agent,
    /// What people call it.
    pub title: &'static str,
    /// The field that holds the native id.
    pub id: &'static str,
    /// The native parent: the field that points to the context predecessor.
    pub parent: &'static str,
    /// The logical parent, used where the native parent is intentionally empty.
    pub logical_parent: Option<&'static str>,
    /// The field that identifies one model response.
    pub response_key: &'static str,
    /// Native records that are not context-participating: the rule hops over them to their own parents.
    pub hopped: &'static str,
    /// Native records that are injected.
    pub injected: &'static str,
    /// Native records that are failed attempts.
    pub failed: &'static str,
    /// Where the source names its current leaf.
    pub leaf: &'static str,
    /// Whether an object is one of the agent's native records.
    pub(crate) recognises: fn(&Object) -> bool,
    pub(crate) convert: fn(&Source<'_>) -> Result<Conversion, ConvertError>,
}

impl Agent {
    /// Every agent.
    pub const ALL: [Self; 2] = [Self::ClaudeCode, Self::Pi];

    /// The name, as records and the command spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Pi => "pi",
        }
    }

    /// What the registry knows about the agent's native format.
    pub const fn entry(self) -> &'static Entry {
        match self {
            Self::ClaudeCode => &claude_code::ENTRY,
            Self::Pi => &pi::ENTRY,
        }
    }

    /// The agent that wrote `bytes`, if one of the first lines tells.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        // Files begin with bookkeeping of all kinds, but no known one has more than a few dozen such lines;
        // beyond that a file is of another kind, and reading all of it would only make the answer slow.
        const LINES: usize = 100;
        lines::lines(bytes).take(LINES).find_map(|line| {
            let object = line.parse().ok()?;
            if lines::is_asr(&object) {
                return None;
            }
            Self::ALL.into_iter().find(|agent| (agent.entry().recognises)(&object))
        })
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no agent of the registry.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{0}` is no agent of the registry: expected claude-code or pi")]
pub struct UnknownAgent(pub String);

impl FromStr for Agent {
    type Err = UnknownAgent;

    fn from_str(text: &str) -> Result<Self, UnknownAgent> {
        let found = Self::ALL.into_iter().find(|agent| agent.as_str() == text);
        found.ok_or_else(|| UnknownAgent(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_read_back_from_their_names() {
        for agent in Agent::ALL {
            assert_eq!(agent.to_string().parse(), Ok(agent));
            assert_eq!(agent.entry().agent, agent);
            let named = UnknownAgent("x".into()).to_string().contains(agent.as_str());
            assert!(named, "the error names every agent");
        }
        assert!("Claude Code".parse::<Agent>().is_err());
    }

    #[test]
    fn each_agent_is_told_by_its_first_characteristic_line() {
        let claude = br#"{"type":"summary","summary":"s","leafUuid":"u"}"#;
        assert_eq!(Agent::detect(claude), Some(Agent::ClaudeCode));
        assert_eq!(Agent::detect(b"\n\nnoise\n{\"type\":\"session\",\"id\":\"s\"}\n"), Some(Agent::Pi));
        assert_eq!(Agent::detect(br#"{"type":"message","seq":1,"id":"r1","role":"user"}"#), None);
        assert_eq!(Agent::detect(br#"{"timestamp":"t","type":"response_item","payload":{}}"#), None);
        assert_eq!(Agent::detect(b""), None);
    }
}
