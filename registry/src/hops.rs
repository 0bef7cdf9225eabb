//! From a native id to the unit that it leads to.
//!
//! A native pointer often names a record that takes no part in the context. It stands for the nearest record
//! up the native parents that does (step 1 of the mechanical-sibling rule). The rule does this for parents
//! itself; the converters need the same for leaves and for the ends of compacted ranges. Every chain is
//! walked once and remembered, so a long chain of unmapped records costs no more than its length, however
//! often it is asked for.

use asr_spec::native::{Mapping, NativeRecord};
use std::collections::HashMap;

/// Where a native id leads.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reached {
    /// To this unit, an index into the native records.
    Unit(usize),
    /// To the beginning: nothing before it takes part in the context.
    Start,
    /// Nowhere: the id, or one on the way, names no record, or the way is a circle.
    Nowhere,
}

/// Answers for all ids of one source.
pub(crate) struct Hops {
    index: HashMap<String, usize>,
    reached: Vec<Reached>,
}

enum Next {
    Is(Reached),
    Goes(usize),
}

impl Hops {
    pub fn of(native: &[NativeRecord]) -> Self {
        let mut index = HashMap::with_capacity(native.len());
        for (position, record) in native.iter().enumerate() {
            if let Some(id) = &record.id {
                index.entry(id.clone()).or_insert(position);
            }
        }

        let next = |record: &NativeRecord| {
            let named = match &record.mapping {
                Mapping::Unit(_) => return None,
                Mapping::PartOf(id) => Some(id),
                Mapping::Rewind(to) => to.as_ref(),
                Mapping::Nothing => record.parent.as_ref().or(record.logical_parent.as_ref()),
            };
            Some(match named {
                None => Next::Is(Reached::Start),
                Some(id) => index.get(id).map_or(Next::Is(Reached::Nowhere), |&at| Next::Goes(at)),
            })
        };
        let steps: Vec<Next> = native
            .iter()
            .enumerate()
            .map(|(position, record)| next(record).unwrap_or(Next::Is(Reached::Unit(position))))
            .collect();

        let mut reached: Vec<Option<Reached>> = vec![None; native.len()];
        let mut walked = Vec::new();
        for start in 0..steps.len() {
            let mut here = start;
            let end = loop {
                if let Some(known) = reached.get(here).copied().flatten() {
                    break known;
                }
                // Until the walk is over, whoever comes by again has gone in a circle.
                set(&mut reached, here, Reached::Nowhere);
                walked.push(here);
                match steps.get(here) {
                    Some(Next::Goes(next)) => here = *next,
                    Some(Next::Is(end)) => break *end,
                    None => break Reached::Nowhere,
                }
            };
            for position in walked.drain(..) {
                set(&mut reached, position, end);
            }
        }
        let reached = reached.into_iter().map(|reached| reached.unwrap_or(Reached::Nowhere)).collect();
        Self { index, reached }
    }

    /// Where `id` leads.
    pub fn reach(&self, id: &str) -> Reached {
        let position = self.index.get(id).and_then(|&position| self.reached.get(position));
        position.copied().unwrap_or(Reached::Nowhere)
    }

    /// The record that defines `id`.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.index.get(id).copied()
    }
}

fn set(reached: &mut [Option<Reached>], position: usize, value: Reached) {
    if let Some(slot) = reached.get_mut(position) {
        *slot = Some(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: &str, parent: Option<&str>, mapping: Mapping) -> NativeRecord {
        NativeRecord { id: Some(id.into()), parent: parent.map(Into::into), logical_parent: None, mapping }
    }

    #[test]
    fn an_id_leads_to_the_nearest_unit_whatever_the_order() {
        let native = [
            record("late", Some("a"), Mapping::Nothing),
            record("u", None, Mapping::Unit(vec![])),
            record("a", Some("b"), Mapping::Nothing),
            record("b", Some("u"), Mapping::Nothing),
            record("root", None, Mapping::Nothing),
            record("lost", Some("nobody"), Mapping::Nothing),
            record("x", Some("y"), Mapping::Nothing),
            record("y", Some("x"), Mapping::Nothing),
            record("summary", Some("elsewhere"), Mapping::PartOf("u".into())),
            record("u", Some("root"), Mapping::Nothing),
        ];
        let hops = Hops::of(&native);
        for (id, reached) in [
            ("late", Reached::Unit(1)),
            ("b", Reached::Unit(1)),
            ("u", Reached::Unit(1)),
            ("summary", Reached::Unit(1)),
            ("root", Reached::Start),
            ("lost", Reached::Nowhere),
            ("x", Reached::Nowhere),
            ("nobody", Reached::Nowhere),
        ] {
            assert_eq!(hops.reach(id), reached, "{id}");
        }
    }
}
