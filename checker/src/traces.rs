//! Two traces of one answer, side by side.
//!
//! The two implementations take the same decisions in another order: one scans backwards and applies compactions to a
//! list, the other goes forward once. So what is compared is not the order but the decisions: the steps that put
//! something somewhere, each with the record that it is about and the one that it refers to, in the order of those
//! records.

use asr_spec::{Query, Step, StepLog};
use std::collections::BTreeSet;

/// A step with the lines that it is about and refers to.
pub type Decision = (Step, u64, u64);

/// The steps that put something somewhere. Both implementations report each of them for what the answer shows.
pub const DECISIVE: [Step; 20] = [
    Step::Bf1,
    Step::Bf2,
    Step::Bf3,
    Step::Ip1,
    Step::Ip2,
    Step::Ip3,
    Step::Ip4,
    Step::Ap3a,
    Step::Ap3c,
    Step::V3a,
    Step::V3c,
    Step::V3dNull,
    Step::V3dAfter,
    Step::V3dBefore,
    Step::V3dMin,
    Step::V3dOwn,
    Step::V3e,
    Step::V3f,
    Step::V3g,
    Step::V4,
];

/// The decisions of both implementations on one query, by the record that they are about.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Traces {
    /// The oracle's.
    pub oracle: Vec<Decision>,
    /// The core's.
    pub core: Vec<Decision>,
}

impl Traces {
    /// The traces of both engines, from the answer to `query` alone.
    pub fn of(stream: &[u8], query: &Query) -> Result<Self, String> {
        let (mut oracle, mut core) = (StepLog::default(), StepLog::default());
        asr_oracle::Stream::read(stream, &mut ()).answer(query, &mut oracle);
        let indexed = asr_core::Stream::read(stream).map_err(|error| error.to_string())?;
        indexed.answer_traced(query, &mut core);
        Ok(Self { oracle: decisions(&oracle), core: decisions(&core) })
    }

    /// The two aligned: equal decisions beside each other, and what only one has beside a gap.
    pub fn aligned(&self) -> Vec<[Option<Decision>; 2]> {
        let key = |(step, about, refers_to): &Decision| (*about, *step, *refers_to);
        let (mut left, mut right) = (self.oracle.iter().peekable(), self.core.iter().peekable());
        let mut rows = Vec::new();
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => return rows,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some(a), Some(b)) => key(a).cmp(&key(b)),
            };
            rows.push([
                if order.is_le() { left.next().copied() } else { None },
                if order.is_ge() { right.next().copied() } else { None },
            ]);
        }
    }

    /// The first record at which the two decide differently, with both sides' decisions about it.
    pub fn first_difference(&self) -> Option<(u64, [Vec<Decision>; 2])> {
        let rows = self.aligned();
        let differing = rows.iter().find(|[oracle, core]| oracle != core)?;
        let (_, about, _) = differing.iter().flatten().next()?;
        let of =
            |decisions: &[Decision]| decisions.iter().copied().filter(|(_, line, _)| line == about).collect();
        Some((*about, [of(&self.oracle), of(&self.core)]))
    }
}

fn decisions(log: &StepLog) -> Vec<Decision> {
    let decisive = log.0.iter().filter(|(step, _, _)| DECISIVE.contains(step));
    let ordered: BTreeSet<_> = decisive.map(|(step, about, refers_to)| (*about, *step, *refers_to)).collect();
    ordered.into_iter().map(|(about, step, refers_to)| (step, about, refers_to)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_aligned_by_record_and_differ_where_one_has_more() {
        let oracle = vec![(Step::Ip4, 1, 0), (Step::Ip1, 2, 1), (Step::V3g, 3, 0)];
        let core = vec![(Step::Ip4, 1, 0), (Step::Ip2, 2, 1), (Step::V3g, 3, 0)];
        let traces = Traces { oracle: oracle.clone(), core: core.clone() };
        assert_eq!(
            traces.aligned(),
            [
                [Some(oracle[0]), Some(core[0])],
                [Some(oracle[1]), None],
                [None, Some(core[1])],
                [Some(oracle[2]), Some(core[2])],
            ]
        );
        assert_eq!(traces.first_difference(), Some((2, [vec![oracle[1]], vec![core[1]]])));
        let same = Traces { oracle: oracle.clone(), core: oracle };
        assert_eq!(same.first_difference(), None);
    }
}
