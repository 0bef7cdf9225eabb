//! What a comparison found.

use asr_spec::{Heads, Outcome, Query, Report};
use std::fmt;

/// The result of putting one stream to two engines.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Verdict {
    /// Both gave the same answers to this many questions.
    Agree {
        /// How many.
        questions: u64,
    },
    /// The two gave different answers.
    Diverge {
        /// The engines, in the order of the answers.
        engines: [&'static str; 2],
        /// The first question they answer differently.
        difference: Box<Difference>,
    },
    /// An engine panicked.
    Crashed {
        /// Which.
        engine: &'static str,
        /// On what, unless it was on reading the stream.
        query: Option<Query>,
        /// What the panic said.
        message: String,
    },
    /// An engine would not read the stream.
    Skipped {
        /// Which.
        engine: &'static str,
        /// Why.
        why: String,
    },
}

/// One question with two answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// Which ids the records have.
    Ids([Vec<String>; 2]),
    /// The default and effective heads.
    Heads([Heads; 2]),
    /// What makes the stream invalid, and what is probably wrong.
    Report([Report; 2]),
    /// The outcome of a query.
    Outcome(Query, [Outcome; 2]),
}

impl Verdict {
    /// Whether the engines agree.
    pub fn is_agreement(&self) -> bool {
        matches!(self, Self::Agree { .. })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agree { questions } => write!(f, "agree on {questions} questions"),
            Self::Diverge { engines: [left, right], difference } => {
                let (question, answers) = match &**difference {
                    Difference::Ids([a, b]) => ("ids".to_owned(), [json(a), json(b)]),
                    Difference::Heads([a, b]) => ("heads".to_owned(), [json(a), json(b)]),
                    Difference::Report([a, b]) => ("validate".to_owned(), [json(a), json(b)]),
                    Difference::Outcome(query, [a, b]) => (query.to_string(), [json(a), json(b)]),
                };
                let [a, b] = answers;
                let width = left.len().max(right.len());
                write!(f, "differ on `{question}`\n  {left:width$}  {a}\n  {right:width$}  {b}")
            }
            Self::Crashed { engine, query: Some(query), message } => {
                write!(f, "{engine} panicked on `{query}`: {message}")
            }
            Self::Crashed { engine, query: None, message } => {
                write!(f, "{engine} panicked on reading the stream: {message}")
            }
            Self::Skipped { engine, why } => write!(f, "skipped, since {engine} does not read it: {why}"),
        }
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| error.to_string())
}
