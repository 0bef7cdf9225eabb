//! Two traces of one query, side by side.
//!
//! The two implementations take the same decisions in another order: one scans backwards and applies compactions to a
//! list, the other goes forward once. So what is compared is not the order but the decisions: the steps that put
//! something somewhere, each with the record that it is about and the one that it refers to, in the order of those
//! records.

use crate::engine::{core_log, oracle_log};
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

/// The decisions of two engines on one query, by the record that they are about.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Traces([Vec<Decision>; 2]);

/// A decision of one engine beside that of the other, as far as they take it.
pub type Aligned = [Option<Decision>; 2];

impl Traces {
    /// The traces of oracle and core.
    pub fn of(stream: &[u8], query: &Query) -> Result<Self, String> {
        let ((_, oracle), (_, core)) = (oracle_log(stream, query), core_log(stream, query)?);
        Ok(Self::between([&oracle, &core]))
    }

    /// The decisions in two logs.
    pub fn between(logs: [&StepLog; 2]) -> Self {
        Self(logs.map(decisions))
    }

    /// How many decisions the first engine takes.
    pub fn decisions(&self) -> usize {
        let Self([first, _]) = self;
        first.len()
    }

    /// The two aligned: equal decisions beside each other, and what only one has beside a gap.
    pub fn aligned(&self) -> Vec<Aligned> {
        let key = |(step, about, refers_to): &Decision| (*about, *step, *refers_to);
        let Self([left, right]) = self;
        let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
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

    /// The line of the first record about which the two decide differently, and all decisions about it, aligned.
    pub fn first_difference(&self) -> Option<(u64, Vec<Aligned>)> {
        let line = |row: &Aligned| row.iter().flatten().next().map(|&(_, about, _)| about);
        let rows = self.aligned();
        let about = rows.iter().find(|[left, right]| left != right).and_then(line)?;
        Some((about, rows.into_iter().filter(|row| line(row) == Some(about)).collect()))
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
        let left = vec![(Step::Ip4, 1, 0), (Step::Ip1, 2, 1), (Step::V3g, 3, 0)];
        let right = vec![(Step::Ip4, 1, 0), (Step::Ip2, 2, 1), (Step::V3g, 3, 0)];
        let traces = Traces([left.clone(), right.clone()]);
        let about_2 = vec![[Some(left[1]), None], [None, Some(right[1])]];
        let around =
            [vec![[Some(left[0]), Some(right[0])]], about_2.clone(), vec![[Some(left[2]), Some(right[2])]]];
        assert_eq!(traces.aligned(), around.concat());
        assert_eq!(traces.first_difference(), Some((2, about_2)));
        assert_eq!(Traces([left.clone(), left]).first_difference(), None);
    }
}
