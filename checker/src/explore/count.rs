//! How many streams there are, before any is looked at.
//!
//! The number of continuations depends on little of what came before: how many nodes of each kind, how many records.
//! So one number per such [`Key`] and length answers for all streams that share it, and the numbers of a scope with
//! 10¹⁴ streams take milliseconds. They are also what ranks are made of.

use super::ExploreError;
use super::scope::{MOST_LINES, Scope};
use super::state::{Key, State};
use std::collections::HashMap;

/// The numbers of streams of a scope.
#[derive(Debug)]
pub struct Counts {
    scope: Scope,
    longest: u8,
    continuations: HashMap<(Key, u8), u128>,
}

impl Counts {
    /// Counts the streams of up to `longest` lines.
    ///
    /// # Errors
    ///
    /// Where streams are longer than [`MOST_LINES`], or more than a `u128` can count.
    pub fn new(scope: Scope, longest: u8) -> Result<Self, ExploreError> {
        if longest == 0 || longest > MOST_LINES {
            return Err(ExploreError::Length(longest));
        }
        let mut counts = Self { scope, longest, continuations: HashMap::new() };
        for length in 1..=longest {
            counts.count(&mut State::default(), length)?;
        }
        Ok(counts)
    }

    /// What is counted.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The greatest length.
    pub fn longest(&self) -> u8 {
        self.longest
    }

    /// How many streams have exactly `length` lines.
    pub fn of_length(&self, length: u8) -> u128 {
        self.continuations(&State::default(), length)
    }

    /// How many streams there are of at most the greatest length.
    pub fn total(&self) -> u128 {
        (1..=self.longest).map(|length| self.of_length(length)).fold(0, u128::saturating_add)
    }

    /// In how many ways `state` can be continued by exactly `lines` lines.
    pub(crate) fn continuations(&self, state: &State, lines: u8) -> u128 {
        if lines == 0 {
            return 1;
        }
        self.continuations.get(&(self.key(state), lines)).copied().unwrap_or(0)
    }

    fn key(&self, state: &State) -> Key {
        state.key(|kind| self.scope.is_bounded(kind), self.scope.shape(state))
    }

    // As deep as a stream is long.
    fn count(&mut self, state: &mut State, lines: u8) -> Result<u128, ExploreError> {
        if lines == 0 {
            return Ok(1);
        }
        let key = (self.key(state), lines);
        if let Some(&known) = self.continuations.get(&key) {
            return Ok(known);
        }
        let mut actions = Vec::new();
        self.scope.actions(state, lines - 1, &mut actions);
        let mut sum = 0_u128;
        for action in actions {
            state.push(action);
            let continuations = self.count(state, lines - 1);
            state.pop();
            sum = sum.checked_add(continuations?).ok_or(ExploreError::TooMany)?;
        }
        self.continuations.insert(key, sum);
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::alphabet::whole_slices;

    /// `readings.md` D.2, n = 1 to 7. Slice I is not there: its forms are ours.
    const REFERENCE: [(&str, [u128; 7]); 10] = [
        ("Z", [18, 464, 16_472, 760_416, 43_723_168, 3_039_994_624, 250_063_999_872]),
        ("A", [7, 77, 1_195, 24_161, 609_607, 18_642_557, 675_971_995]),
        ("H", [12, 148, 1_880, 24_640, 333_664, 4_672_832, 67_716_096]),
        ("V", [10, 568, 101_044, 43_427_584, 40_274_062_498, 76_711_582_173_430, 296_094_956_363_503_606]),
        ("v", [4, 40, 637, 13_411, 349_354, 10_844_050, 390_749_227]),
        ("T", [7, 66, 773, 10_753, 172_696, 3_139_257, 63_643_351]),
        ("R", [1, 4, 28, 280, 3_640, 58_240, 1_106_560]),
        ("X", [1, 5, 45, 631, 12_313, 314_185, 10_058_277]),
        ("A, Q4, Q5, Q6, Q7", [4, 41, 477, 5_776, 81_483, 1_279_948, 22_172_923]),
        (
            "V, Q6, Q12",
            [8, 548, 99_900, 43_224_408, 40_186_908_702, 76_630_861_446_714, 295_941_332_436_319_620],
        ),
    ];

    #[test]
    fn the_numbers_of_streams_are_those_of_the_reference() {
        for (scope, reference) in REFERENCE {
            let counts = Counts::new(scope.parse().unwrap(), 7).unwrap();
            assert_eq!(
                (1..=7).map(|length| counts.of_length(length)).collect::<Vec<_>>(),
                reference,
                "{scope}"
            );
        }
    }

    #[test]
    fn the_number_of_continuations_depends_on_the_key_alone() {
        // Were it not so, the count would depend on which state of a key comes first.
        let parts =
            ["Z, compaction<=1, message<=2", "A, Q4, Q5, Q6, Q7", "A, Q4", "A, Q6", "V, Q6, Q12", "Z, Q8"];
        for scope in whole_slices().into_iter().chain(parts.map(str::to_owned)) {
            let counts = Counts::new(scope.parse().unwrap(), 3).unwrap();
            let mut state = State::default();
            fn visit(counts: &Counts, state: &mut State, left: u8) -> u128 {
                let mut actions = Vec::new();
                counts.scope().actions(state, left.saturating_sub(1), &mut actions);
                let mut sum = 0;
                for action in actions.into_iter().filter(|_| left > 0) {
                    state.push(action);
                    sum += visit(counts, state, left - 1);
                    state.pop();
                }
                let sum = if left == 0 { 1 } else { sum };
                assert_eq!(counts.continuations(state, left), sum);
                sum
            }
            visit(&counts, &mut state, 3);
        }
    }

    #[test]
    fn bounds_leave_streams_out_and_add_none() {
        let of = |scope: &str| Counts::new(scope.parse().unwrap(), 3).unwrap().total();
        assert_eq!(of("Z, compaction<=3, gap<=9"), of("Z"));
        assert!(of("Z, compaction<=1") < of("Z"));
        assert_eq!(of("A, message<=0"), 3 + 9 + 27, "rewinds to null and to nothing, and gaps");
        assert_eq!(of("R, message<=0"), 0);
    }

    #[test]
    fn a_length_out_of_reach_is_refused() {
        for length in [0, MOST_LINES + 1] {
            assert!(Counts::new("A".parse().unwrap(), length).is_err());
        }
        assert!(Counts::new("Z".parse().unwrap(), MOST_LINES).is_ok());
        assert_eq!(Counts::new("V".parse().unwrap(), MOST_LINES).unwrap_err(), ExploreError::TooMany);
    }
}
