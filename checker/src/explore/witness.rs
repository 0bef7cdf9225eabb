//! The least stream that tells each variant of the oracle from the default.
//!
//! For another reading of the chapter such a stream is the shortest proof that the question is open, for a planted fault
//! the shortest test that notices the mistake. All variants are tried at once, shortest streams first, and one that is
//! told apart is tried no more; so the whole search costs little more than its longest streams.

use super::{Counts, Cursor, ExploreError};
use crate::compare::{Heads, queries};
use crate::fixtures::{Case, Expectation, Meta, VariantAnswer};
use asr_oracle::{Kind, Stream, Variant};
use asr_spec::{Head, Outcome, Query, Trace};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

/// The slices in which witnesses are looked for, by letter, in the order that decides between streams of one length:
/// first those whose streams are valid for the most part, and narrow ones before broad ones.
pub const WITNESS_SLICES: &str = "AHTRXOvFZNLIV";

/// Among which streams the least one is looked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Among {
    /// All.
    All,
    /// Those that keep every requirement: where a question arises on them, implementations that conform collide.
    Valid,
}

impl Among {
    /// How many streams of one slice and length are worth a search, which is to take minutes. Most variants are told
    /// apart early among all streams, and many never among valid ones.
    const fn most_streams(self) -> u128 {
        match self {
            Self::All => 1_000_000,
            Self::Valid => 60_000,
        }
    }
}

/// The least stream on which a variant answers otherwise.
#[derive(Clone, Debug)]
pub struct Witness {
    /// Who.
    pub variant: &'static Variant,
    /// Among which streams it is the least.
    pub among: Among,
    /// Scope, length and rank of the stream, as `--replay` takes them.
    pub id: String,
    /// The stream, byte for byte.
    pub stream: Vec<u8>,
    /// The first question that it answers otherwise.
    pub query: Query,
    /// What the default answers, and what the variant does.
    pub outcomes: [Outcome; 2],
}

impl Witness {
    /// Whether the stream keeps every requirement.
    pub fn is_valid(&self) -> bool {
        Stream::read(&self.stream, &mut ()).validate().is_valid()
    }

    /// The case of the conformance suite that it makes, below `readings` or `faults`.
    pub fn case(&self) -> Case {
        let Self { variant, among, id, stream, query, outcomes: [right, other] } = self;
        let (suffix, streams) = match among {
            Among::All => ("", "stream"),
            Among::Valid => (",valid", "valid stream"),
        };
        let (folder, title, reading) = match (variant.kind, variant.alternative()) {
            (Kind::Alternative { label, alternative }, reading) => {
                let question = reading.map_or("", |(reading, _)| reading.question);
                let title =
                    format!("{question}: the least {streams} that tells {alternative} from our reading");
                (format!("readings/{}{suffix}", variant.name), title, Some(label.to_owned()))
            }
            (Kind::Fault { summary }, _) => {
                let name = variant.name.trim_start_matches("fault:");
                (format!("faults/{name}{suffix}"), format!("the mistake that {summary}"), None)
            }
        };
        Case {
            id: folder,
            meta: Meta {
                title,
                chapter: None,
                reading,
                requirement: None,
                valid: self.is_valid(),
                why: None,
                found: Some(id.clone()),
            },
            input: stream.clone(),
            expectations: vec![Expectation { query: query.clone(), outcome: right.clone() }],
            report: None,
            variants: vec![VariantAnswer {
                variant: variant.name.to_owned(),
                query: query.clone(),
                outcome: other.clone(),
            }],
        }
    }
}

/// The scopes of the search for witnesses, those of a length in order.
///
/// # Errors
///
/// Where a slice is not there, or has more streams than can be numbered.
pub fn witness_scopes(longest: u8) -> Result<Vec<Counts>, ExploreError> {
    WITNESS_SLICES.chars().map(|letter| Counts::new(letter.to_string().parse()?, longest)).collect()
}

/// Finds for each variant the least stream of the scopes: the shortest, then that of the first scope, then that of the
/// lowest rank. `progress` is told of each scope and length before it is searched.
///
/// Scopes are left out from the length on at which they have too many streams to be searched.
pub fn witnesses(
    scopes: &[Counts],
    variants: impl IntoIterator<Item = &'static Variant>,
    among: Among,
    threads: NonZero<usize>,
    progress: impl Fn(&Counts, u8) + Sync,
) -> Vec<Witness> {
    // Each thread looks for the witnesses of some, so what it finds does not depend on the others.
    let mut shares: Vec<Vec<_>> = vec![Vec::new(); threads.get()];
    for (variant, share) in variants.into_iter().zip((0..threads.get()).cycle()) {
        shares.get_mut(share).into_iter().for_each(|share| share.push(variant));
    }
    thread::scope(|scope| {
        let progress = &progress;
        let searches: Vec<_> = shares
            .into_iter()
            .map(|share| scope.spawn(move || of_some(scopes, share, among, progress)))
            .collect();
        // What a thread that panicked would have found must not be missing in silence.
        let found =
            searches.into_iter().map(|search| search.join().unwrap_or_else(|panic| resume_unwind(panic)));
        found.flatten().collect()
    })
}

fn of_some(
    scopes: &[Counts],
    mut open: Vec<&'static Variant>,
    among: Among,
    progress: &impl Fn(&Counts, u8),
) -> Vec<Witness> {
    let mut found = Vec::new();
    let longest = scopes.iter().map(Counts::longest).max().unwrap_or(0);
    for length in 1..=longest {
        for counts in scopes.iter().filter(|counts| counts.longest() >= length) {
            if open.is_empty() || counts.of_length(length) > among.most_streams() {
                continue;
            }
            progress(counts, length);
            search(counts, length, among, &mut open, &mut found);
        }
    }
    found
}

fn search(
    counts: &Counts,
    length: u8,
    among: Among,
    open: &mut Vec<&'static Variant>,
    found: &mut Vec<Witness>,
) {
    let Some(mut cursor) = Cursor::new(counts, length, 0) else { return };
    loop {
        let stream = cursor.bytes();
        if among == Among::All || Stream::read(stream, &mut ()).validate().is_valid() {
            let asked = Asked::new(stream);
            open.retain(|variant| {
                let Some((query, outcomes)) = asked.told_apart(variant) else { return true };
                let id = format!("{}:{length}:{}", counts.scope(), cursor.rank());
                found.push(Witness { variant, among, id, stream: stream.to_vec(), query, outcomes });
                false
            });
        }
        if open.is_empty() || !cursor.advance() {
            return;
        }
    }
}

/// The first question about a stream that a variant answers otherwise, with the answers of the default and of the
/// variant.
pub fn told_apart(variant: &Variant, stream: &[u8]) -> Option<(Query, [Outcome; 2])> {
    Asked::new(stream).told_apart(variant)
}

/// The default's answers to all questions about a stream.
pub(crate) struct Asked<'s> {
    stream: &'s [u8],
    answers: Vec<(Query, Outcome)>,
}

impl<'s> Asked<'s> {
    pub(crate) fn new(stream: &'s [u8]) -> Self {
        Self::traced(stream, &mut ())
    }

    /// With the steps that it takes.
    pub(crate) fn traced(stream: &'s [u8], trace: &mut impl Trace) -> Self {
        let default = Stream::read(stream, trace);
        let ids: Vec<_> = default.ids().into_iter().map(str::to_owned).collect();
        let mut queries: Vec<_> = queries(&ids, Heads::Every).collect();
        // From the primary head if that shows it, and from a head that is no record only if nothing else does.
        queries.sort_by_key(|query| match &query.head {
            Head::Primary => 0,
            Head::Ref(id) if ids.contains(id) => 1,
            Head::Start => 2,
            Head::Ref(_) => 3,
        });
        let answer = |query: Query| {
            let outcome = default.answer(&query, trace);
            (query, outcome)
        };
        Self { stream, answers: queries.into_iter().map(answer).collect() }
    }

    pub(crate) fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.answers.iter().map(|(_, outcome)| outcome)
    }

    pub(crate) fn told_apart(&self, variant: &Variant) -> Option<(Query, [Outcome; 2])> {
        let other = Stream::read_as(variant, self.stream, &mut ());
        self.answers.iter().find_map(|(query, default)| {
            let outcome = other.answer(query, &mut ());
            (outcome != *default).then(|| (query.clone(), [default.clone(), outcome]))
        })
    }
}
