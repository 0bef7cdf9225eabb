//! What an implementation is asked.

use std::fmt;

/// Which of the two results is wanted.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum What {
    /// ACTIVE-PATH (ASR-365).
    Path,
    /// CONTEXT-VIEW (ASR-368).
    View,
}

/// The head from which the path is followed.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Head {
    /// The first effective head (ASR-363).
    Primary,
    /// A record id.
    Ref(String),
    /// START, the empty context.
    Start,
}

/// One question to one stream.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Query {
    /// Path or view.
    pub what: What,
    /// From where.
    pub head: Head,
}

/// As the question is asked on the command line: `view --head r7`.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.what {
            What::Path => "path",
            What::View => "view",
        })?;
        match &self.head {
            Head::Primary => Ok(()),
            Head::Ref(id) => write!(f, " --head {id}"),
            Head::Start => f.write_str(" --head-start"),
        }
    }
}
