//! Converters from native session files to agent session records.
//!
//! Agents store sessions in formats of their own. [`convert`] turns one native file into a stream of ASR
//! records: one record or more for every native line, so that each line can be found again by `native.line`.
//! What the source does not say is left out, and so is what the vocabulary has no field for (permission modes,
//! signatures of thoughts). What cannot be mapped becomes an audit fact with the native object, or a gap, and a
//! [`Note`]. Where the conversation branches is decided by the mechanical-sibling rule alone (ASR-361); the
//! converters only say which fields the rule reads.
//!
//! Each agent is one module with one [`Entry`], the table that the chapter calls a registry entry. To add an
//! agent, write such a module (a recogniser, a converter, the table) and name it in [`Agent`]; the parts that
//! all tree-stored formats need stand beside the agents:
//!
//! * `lines` and `object` read JSON lines of any quality,
//! * `content` and `unit` make message parts and the records of one native record,
//! * `draft` grows a stream without branch points, `placed` is the stream after the rule has set them,
//! * `hops` goes from a native id to the unit it leads to, `paths` answers what lies on whose path,
//! * `heads` writes down where the source points when that is not the default head.

mod agent;
mod claude_code;
mod content;
mod draft;
mod error;
mod heads;
mod hops;
mod lines;
mod object;
mod paths;
mod pi;
mod placed;
mod unit;

pub use agent::{Agent, Entry, UnknownAgent};
pub use error::ConvertError;

use asr_spec::native::NativeRecord;
use asr_spec::record::Record;
use std::io;

/// A native session as ASR.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversion {
    /// The stream, in order.
    pub records: Vec<Record>,
    /// What the mechanical-sibling rule was given, without content. The records of its units are the
    /// context-participating records of the stream, in the same order and under the same ids, so a second
    /// implementation of the rule can be asked for the same `branchesFrom`.
    pub native: Vec<NativeRecord>,
    /// Native lines that could not be mapped, or not as they are, in order of their lines.
    pub notes: Vec<Note>,
}

impl Conversion {
    /// Writes the stream, one record per line.
    pub fn write_to(&self, out: &mut impl io::Write) -> io::Result<()> {
        for record in &self.records {
            serde_json::to_writer(&mut *out, record)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}

/// A native line that could not be mapped, or not as it is. It is in the stream nevertheless.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Note {
    /// The physical line, counted from 1.
    pub line: u64,
    /// What was found there and what became of it.
    pub message: String,
}

/// Converts the native session file `bytes` of `agent`. `file_name` is only written into the records'
/// `native.file`.
pub fn convert(agent: Agent, file_name: Option<&str>, bytes: &[u8]) -> Result<Conversion, ConvertError> {
    let source = lines::Source { file_name, bytes };
    (agent.entry().convert)(&source)
}
