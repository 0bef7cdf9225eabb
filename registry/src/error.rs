//! Why a file is not converted at all.
//!
//! Only a file that is not what it is said to be is refused. One bad line among good ones is no reason: the
//! rest of the session would be lost with it.

use crate::agent::Agent;

/// A file that is no native session of the agent it is said to come from.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ConvertError {
    /// There is nothing in the file.
    #[error("the file is empty: expected a {} session", .agent.entry().title)]
    Empty {
        /// The agent it was said to come from.
        agent: Agent,
    },
    /// A line that decides what the file is says that it is something else.
    #[error("line {line}: expected {expected}, found {found}")]
    NotNative {
        /// The physical line, counted from 1.
        line: u64,
        /// What should have stood there.
        expected: &'static str,
        /// What stood there.
        found: String,
    },
    /// The file is ASR already.
    #[error("line {line}: found an ASR record: the file is a stream already, not a native session")]
    AlreadyAsr {
        /// The physical line, counted from 1.
        line: u64,
    },
    /// A version of the native format that the registry does not convert.
    #[error("line {line}: {format} is not supported: expected {supported}")]
    Unsupported {
        /// The physical line, counted from 1.
        line: u64,
        /// The format, with its version.
        format: String,
        /// What is supported.
        supported: &'static str,
    },
}
