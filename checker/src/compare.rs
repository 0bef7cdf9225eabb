//! The differential: every question that a stream allows, to two engines.

use crate::engine::{Engine, Session};
use crate::fixtures::ExpectedReport;
use crate::verdict::{Difference, Verdict};
use asr_spec::{Head, Query, What};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// From which heads paths and views are compared.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Heads {
    /// From every record id, the default head, START, and an id that no record bears. A number of queries that is
    /// linear in the stream, each of them linear at least.
    Every,
    /// From at most this many record ids, spread evenly over the stream, and the others as above.
    AtMost(usize),
}

/// An id that no stream of ours bears.
const NO_RECORD: &str = "(no record bears this id)";

/// The queries that a stream with these ids allows.
pub fn queries(ids: &[String], heads: Heads) -> impl Iterator<Item = Query> {
    let step = match heads {
        Heads::Every => 1,
        Heads::AtMost(most) => ids.len().div_ceil(most.max(1)).max(1),
    };
    // Backwards, since the last record is the head of most paths.
    let named = ids.iter().rev().step_by(step).cloned().map(Head::Ref);
    let others = [Head::Primary, Head::Start, Head::Ref(NO_RECORD.to_owned())];
    let heads = others.into_iter().chain(named);
    heads.flat_map(|head| [What::Path, What::View].map(|what| Query { what, head: head.clone() }))
}

/// Puts every question that `stream` allows to both engines, up to the first that they answer differently.
///
/// `progress` is told before each query how many were put and how many there are.
pub fn compare(
    engines: [&dyn Engine; 2],
    stream: &[u8],
    heads: Heads,
    progress: impl FnMut(u64, u64),
) -> Verdict {
    let [left, right] = engines;
    match (read(left, stream), read(right, stream)) {
        (Ok(a), Ok(b)) => compare_sessions(engines, [&*a, &*b], heads, progress),
        (Err(verdict), _) | (_, Err(verdict)) => verdict,
    }
}

/// As [`compare`], for a stream that both engines have read.
pub(crate) fn compare_sessions(
    engines: [&dyn Engine; 2],
    sessions: [&dyn Session; 2],
    heads: Heads,
    progress: impl FnMut(u64, u64),
) -> Verdict {
    match differential(engines, sessions, heads, progress) {
        Ok(verdict) | Err(verdict) => verdict,
    }
}

fn differential(
    engines: [&dyn Engine; 2],
    sessions: [&dyn Session; 2],
    heads: Heads,
    mut progress: impl FnMut(u64, u64),
) -> Result<Verdict, Verdict> {
    let ([left, right], [a, b]) = (engines, sessions);
    let names = engines.map(|engine| engine.name());
    let mut questions = 0_u64;
    let mut ask = |difference: Option<Difference>| match difference {
        None => {
            questions += 1;
            Ok(())
        }
        Some(difference) => Err(Verdict::Diverge { engines: names, difference: Box::new(difference) }),
    };

    let ids = [guarded(left, None, || a.ids())?, guarded(right, None, || b.ids())?];
    ask(differ(ids.clone(), Difference::Ids))?;
    ask(differ(
        [guarded(left, None, || a.heads())?, guarded(right, None, || b.heads())?],
        Difference::Heads,
    ))?;
    let [ids, _] = ids;
    let reports = [guarded(left, None, || a.validate())?, guarded(right, None, || b.validate())?];
    // Two validators may word a finding differently.
    let [mine, theirs] = reports.each_ref().map(ExpectedReport::from);
    ask((mine != theirs).then_some(Difference::Report(reports)))?;
    let queries: Vec<_> = queries(&ids, heads).collect();
    let total = queries.len() as u64;
    for (query, done) in queries.into_iter().zip(0..) {
        progress(done, total);
        let outcomes = [
            guarded(left, Some(&query), || a.answer(&query))?,
            guarded(right, Some(&query), || b.answer(&query))?,
        ];
        ask(differ(outcomes, |outcomes| Difference::Outcome(query, outcomes)))?;
    }
    Ok(Verdict::Agree { questions })
}

fn differ<T: PartialEq>(
    answers: [T; 2],
    difference: impl FnOnce([T; 2]) -> Difference,
) -> Option<Difference> {
    let [a, b] = &answers;
    (a != b).then(|| difference(answers))
}

fn read<'s>(engine: &dyn Engine, stream: &'s [u8]) -> Result<Box<dyn Session + 's>, Verdict> {
    let session = guarded(engine, None, || engine.read(stream))?;
    session.map_err(|why| Verdict::Skipped { engine: engine.name(), why })
}

/// Runs a piece of an engine; a panic there is a finding.
fn guarded<T>(engine: &dyn Engine, query: Option<&Query>, run: impl FnOnce() -> T) -> Result<T, Verdict> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let message = match panic.downcast::<String>() {
            Ok(message) => *message,
            Err(panic) => panic.downcast_ref::<&str>().unwrap_or(&"no message").to_string(),
        };
        Verdict::Crashed { engine: engine.name(), query: query.cloned(), message }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Oracle;
    use asr_spec::{Heads as SpecHeads, Leaf, Outcome, Report};

    const STREAM: &[u8] = b"{\"type\":\"message\",\"seq\":1,\"id\":\"r1\"}\n";

    /// An engine that is wrong in one way.
    struct Wrong<'s>(Box<dyn Session + 's>);

    impl Session for Wrong<'_> {
        fn answer(&self, query: &Query) -> Outcome {
            match query {
                Query { what: What::View, head: Head::Ref(id) } if id == "r1" => Outcome::NoDefaultPath,
                Query { what: What::View, head: Head::Start } => panic!("planted"),
                _ => self.0.answer(query),
            }
        }

        fn heads(&self) -> SpecHeads {
            self.0.heads()
        }

        fn leaves(&self, what: What) -> Box<dyn Iterator<Item = Leaf> + '_> {
            self.0.leaves(what)
        }

        fn ids(&self) -> Vec<String> {
            self.0.ids()
        }

        fn validate(&self) -> Report {
            self.0.validate()
        }
    }

    struct Panics;

    impl Engine for Panics {
        fn name(&self) -> &'static str {
            "panics"
        }

        fn read<'s>(&self, stream: &'s [u8]) -> Result<Box<dyn Session + 's>, String> {
            Ok(Box::new(Wrong(Oracle.read(stream)?)))
        }
    }

    #[test]
    fn an_engine_agrees_with_itself() {
        let verdict = compare([&Oracle, &Oracle], STREAM, Heads::Every, |_, _| ());
        assert_eq!(verdict, Verdict::Agree { questions: 11 });
    }

    #[test]
    fn a_panic_is_a_finding_and_names_engine_and_query() {
        let verdict = compare([&Oracle, &Panics], STREAM, Heads::AtMost(0), |_, _| ());
        let Verdict::Crashed { engine: "panics", query: Some(query), message } = &verdict else {
            panic!("{verdict}")
        };
        assert_eq!((query.to_string().as_str(), message.as_str()), ("view --head-start", "planted"));
    }

    #[test]
    fn at_most_so_many_heads_are_spread_over_the_stream() {
        let ids: Vec<_> = (0..10).map(|id| id.to_string()).collect();
        let heads = |heads| queries(&ids, heads).count() / 2 - 3;
        assert_eq!(heads(Heads::Every), 10);
        assert_eq!(heads(Heads::AtMost(5)), 5);
        assert_eq!(heads(Heads::AtMost(4)), 4);
        assert_eq!(heads(Heads::AtMost(100)), 10);
    }
}
