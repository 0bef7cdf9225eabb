//! What answers queries.

use crate::explore::{Follower, Lines};
use asr_oracle::Variant;
use asr_spec::{Heads, Leaf, Outcome, Query, Report, StepLog, What};

/// An implementation of the chapter.
pub trait Engine: Sync {
    /// What reports call it.
    fn name(&self) -> &'static str;

    /// Reads a stream; any bytes are one. `Err` where the implementation refuses it for its size.
    fn read<'s>(&self, stream: &'s [u8]) -> Result<Box<dyn Session + 's>, String>;

    /// An empty stream to which lines are added, where the implementation gains by that.
    fn follow(&self) -> Option<Box<dyn Follower + '_>> {
        None
    }
}

/// A stream that an engine has read.
pub trait Session {
    /// The outcome of a query.
    fn answer(&self, query: &Query) -> Outcome;

    /// The default and the effective heads.
    fn heads(&self) -> Heads;

    /// The path or view of every leaf, one by one: those of paths that begin alike together.
    fn leaves(&self, what: What) -> Box<dyn Iterator<Item = Leaf> + '_>;

    /// Every distinct record id, in stream order.
    fn ids(&self) -> Vec<String>;

    /// What a validator finds.
    fn validate(&self) -> Report;
}

/// The transcription of the chapter.
#[derive(Clone, Copy, Debug)]
pub struct Oracle;

impl Engine for Oracle {
    fn name(&self) -> &'static str {
        "oracle"
    }

    fn read<'s>(&self, stream: &'s [u8]) -> Result<Box<dyn Session + 's>, String> {
        Ok(Box::new(asr_oracle::Stream::read(stream, &mut ())))
    }

    fn follow(&self) -> Option<Box<dyn Follower + '_>> {
        Some(Box::new(Lines::of(None)))
    }
}

/// The oracle with one choice replaced: another reading, or a planted fault.
#[derive(Clone, Copy, Debug)]
pub struct OracleAs(pub &'static Variant);

impl Engine for OracleAs {
    fn name(&self) -> &'static str {
        self.0.name
    }

    fn read<'s>(&self, stream: &'s [u8]) -> Result<Box<dyn Session + 's>, String> {
        Ok(Box::new(asr_oracle::Stream::read_as(self.0, stream, &mut ())))
    }

    fn follow(&self) -> Option<Box<dyn Follower + '_>> {
        Some(Box::new(Lines::of(Some(self.0))))
    }
}

/// The implementation that tools embed.
#[derive(Clone, Copy, Debug)]
pub struct Core;

impl Engine for Core {
    fn name(&self) -> &'static str {
        "core"
    }

    fn read<'s>(&self, stream: &'s [u8]) -> Result<Box<dyn Session + 's>, String> {
        match asr_core::Stream::read(stream) {
            Ok(stream) => Ok(Box::new(stream)),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Session for asr_oracle::Stream {
    fn answer(&self, query: &Query) -> Outcome {
        self.answer(query, &mut ())
    }

    fn heads(&self) -> Heads {
        self.heads(&mut ())
    }

    fn leaves(&self, what: What) -> Box<dyn Iterator<Item = Leaf> + '_> {
        Box::new(self.leaves(what).into_iter())
    }

    fn ids(&self) -> Vec<String> {
        self.ids().into_iter().map(str::to_owned).collect()
    }

    fn validate(&self) -> Report {
        self.validate()
    }
}

impl Session for asr_core::Stream<'_> {
    fn answer(&self, query: &Query) -> Outcome {
        self.answer(query)
    }

    fn heads(&self) -> Heads {
        self.heads()
    }

    fn leaves(&self, what: What) -> Box<dyn Iterator<Item = Leaf> + '_> {
        let mut leaves = self.leaves(what);
        Box::new(std::iter::from_fn(move || leaves.next_leaf().map(|leaf| leaf.named())))
    }

    fn ids(&self) -> Vec<String> {
        self.ids().map(|id| id.into_owned()).collect()
    }

    fn validate(&self) -> Report {
        self.validate()
    }
}

impl<S: Session> Session for &S {
    fn answer(&self, query: &Query) -> Outcome {
        (**self).answer(query)
    }

    fn heads(&self) -> Heads {
        (**self).heads()
    }

    fn leaves(&self, what: What) -> Box<dyn Iterator<Item = Leaf> + '_> {
        (**self).leaves(what)
    }

    fn ids(&self) -> Vec<String> {
        (**self).ids()
    }

    fn validate(&self) -> Report {
        (**self).validate()
    }
}

/// The oracle's outcome of a query, with the steps that it took, from reading the stream on.
pub fn oracle_log(stream: &[u8], query: &Query) -> (Outcome, StepLog) {
    let mut log = StepLog::default();
    let outcome = asr_oracle::Stream::read(stream, &mut log).answer(query, &mut log);
    (outcome, log)
}

/// As [`oracle_log`], for the oracle with a choice replaced.
pub fn variant_log(variant: &Variant, stream: &[u8], query: &Query) -> (Outcome, StepLog) {
    let mut log = StepLog::default();
    let outcome = asr_oracle::Stream::read_as(variant, stream, &mut log).answer(query, &mut log);
    (outcome, log)
}

/// The core's outcome of a query, with the steps that it took for it.
pub fn core_log(stream: &[u8], query: &Query) -> Result<(Outcome, StepLog), String> {
    let mut log = StepLog::default();
    let stream = asr_core::Stream::read(stream).map_err(|error| error.to_string())?;
    let outcome = stream.answer_traced(query, &mut log);
    Ok((outcome, log))
}
