//! A set of numbers that loses whole prefixes at once, and whose changes can be taken back.
//!
//! The set is a tower of words: a bit of the lowest level is a member, a bit of any other level says that a word
//! of the level below counts. *A word that does not count may hold anything.* Hence a prefix is removed by one
//! write per level, however many members it has, and what it leaves behind is overwritten when a member comes to
//! where it lay. Every operation reads and writes one word per level at most, of which there are six for 2³³
//! numbers, and puts what it overwrites into a log.

#![expect(clippy::indexing_slicing, reason = "members are below the bound that sized the levels")]

/// Bits of a number that one level decides.
const BITS: u32 = u64::BITS.ilog2();

/// The levels that [`Slots::iter`] has cursors for: enough for 64 bits.
const MOST_LEVELS: usize = u64::BITS.div_ceil(BITS) as usize;

/// A set of numbers below a bound.
pub(crate) struct Slots {
    /// From the members up to a level of one word, which always counts.
    levels: Vec<Vec<u64>>,
    log: Vec<Overwritten>,
    is_logging: bool,
}

struct Overwritten {
    level: u32,
    at: u32,
    word: u64,
}

impl Slots {
    /// The empty set, to which numbers below `bound` may be added. The bound is at most 2³⁸. O(bound / 64) space.
    pub(crate) fn below(bound: u64) -> Self {
        let mut levels = Vec::new();
        let mut words = bound;
        loop {
            words = words.div_ceil(u64::BITS.into()).max(1);
            levels.push(vec![0; words as usize]);
            if words == 1 {
                return Self { levels, log: Vec::new(), is_logging: false };
            }
        }
    }

    /// Adds a number.
    pub(crate) fn insert(&mut self, slot: u64) {
        let mut counts = true;
        for level in (0..self.levels.len()).rev() {
            let (at, bit) = place(slot, level);
            let word = if counts { self.word(level, at) } else { 0 };
            counts = word & bit != 0;
            self.write(level, at, word | bit);
        }
    }

    /// Removes a number. False if it is not there.
    pub(crate) fn remove(&mut self, slot: u64) -> bool {
        if !self.contains(slot) {
            return false;
        }
        for level in 0..self.levels.len() {
            let (at, bit) = place(slot, level);
            let word = self.word(level, at) & !bit;
            self.write(level, at, word);
            if word != 0 {
                break;
            }
        }
        true
    }

    /// Removes all numbers up to and including this one, which is below the bound.
    pub(crate) fn remove_through(&mut self, last: u64) {
        // Down to where words stop to count on the way to `last`, which holds none below there.
        let way = (0..self.levels.len()).rev();
        let lowest = way.clone().find(|&level| {
            let (at, bit) = place(last, level);
            self.word(level, at) & bit == 0
        });
        let lowest = lowest.unwrap_or(0);
        let mut is_left = false;
        for level in lowest..self.levels.len() {
            let (at, bit) = place(last, level);
            let above = !(bit | (bit - 1));
            let word = self.word(level, at) & if is_left { above | bit } else { above };
            self.write(level, at, word);
            is_left = word != 0;
        }
    }

    pub(crate) fn contains(&self, slot: u64) -> bool {
        (0..self.levels.len()).rev().all(|level| {
            let (at, bit) = place(slot, level);
            self.word(level, at) & bit != 0
        })
    }

    /// The smallest member.
    pub(crate) fn first(&self) -> Option<u64> {
        let mut at = 0;
        for level in (0..self.levels.len()).rev() {
            let word = self.word(level, at as usize);
            if word == 0 {
                return None;
            }
            at = at << BITS | u64::from(word.trailing_zeros());
        }
        Some(at)
    }

    /// The members, ascending. O(levels) each, and O(1) where they lie close.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        let top = self.levels.len() - 1;
        let (mut words, mut places) = ([0; MOST_LEVELS], [0; MOST_LEVELS]);
        words[top] = self.word(top, 0);
        let mut level = top;
        std::iter::from_fn(move || {
            loop {
                let word = words[level];
                if word == 0 {
                    if level == top {
                        return None;
                    }
                    level += 1;
                    continue;
                }
                words[level] = word & (word - 1);
                let below = places[level] << BITS | u64::from(word.trailing_zeros());
                if level == 0 {
                    return Some(below);
                }
                level -= 1;
                places[level] = below;
                words[level] = self.word(level, below as usize);
            }
        })
    }

    /// From now on changes can be taken back to [`Slots::mark`], or need not be.
    pub(crate) fn log(&mut self, is_logging: bool) {
        self.is_logging = is_logging;
    }

    /// The state as it is now, for [`Slots::rewind`].
    pub(crate) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Takes back every change since the mark. O(changes).
    pub(crate) fn rewind(&mut self, mark: usize) {
        while self.log.len() > mark {
            let Some(Overwritten { level, at, word }) = self.log.pop() else { break };
            self.levels[level as usize][at as usize] = word;
            work::count();
        }
    }

    fn word(&self, level: usize, at: usize) -> u64 {
        work::count();
        self.levels[level][at]
    }

    fn write(&mut self, level: usize, at: usize, word: u64) {
        let old = std::mem::replace(&mut self.levels[level][at], word);
        if self.is_logging && old != word {
            self.log.push(Overwritten { level: level as u32, at: at as u32, word: old });
        }
    }
}

/// The word in a level, and the bit in it, that stands for a number or for what contains it.
fn place(slot: u64, level: usize) -> (usize, u64) {
    let number = slot >> (BITS * level as u32);
    ((number >> BITS) as usize, 1 << (number % u64::from(u64::BITS)))
}

/// What tests count: words read, changes taken back, and whatever else a test is to hold to its bound.
pub(crate) mod work {
    #[cfg(test)]
    thread_local! {
        static COUNT: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    }

    /// One more piece of work of this thread.
    #[inline(always)]
    pub(crate) fn count() {
        #[cfg(test)]
        COUNT.with(|count| count.set(count.get() + 1));
    }

    /// The pieces of work of this thread since the last call.
    #[cfg(test)]
    pub(crate) fn take() -> u64 {
        COUNT.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::BTreeSet;

    /// Against a set that knows no shortcut, rewinds included.
    #[test]
    fn slots_are_a_set_whose_changes_can_be_taken_back() {
        let (mut removals, mut rewinds) = (0, 0);
        for seed in 0..600 {
            let mut random = Random::new(seed);
            let bound = [1, 63, 64, 65, 5000, 300_000][seed as usize % 6];
            let mut slots = Slots::below(bound);
            slots.log(true);
            let mut expected = BTreeSet::new();
            let mut marks = Vec::new();
            for _ in 0..300 {
                // Often near each other, so that words are left behind and used again.
                let slot = if random.once_in(2) { random.below(bound as usize) } else { 0 } as u64
                    + random.below(bound.min(70) as usize) as u64;
                let slot = slot.min(bound - 1);
                match random.below(10) {
                    0 => {
                        removals += usize::from(expected.first().is_some_and(|&first| first <= slot));
                        slots.remove_through(slot);
                        expected = expected.split_off(&(slot + 1));
                    }
                    1 => assert_eq!(slots.remove(slot), expected.remove(&slot)),
                    2 => marks.push((slots.mark(), expected.clone())),
                    3 => {
                        if let Some((mark, then)) = marks.pop() {
                            rewinds += usize::from(then != expected);
                            slots.rewind(mark);
                            expected = then;
                        }
                    }
                    _ => {
                        slots.insert(slot);
                        expected.insert(slot);
                    }
                }
                assert_eq!(slots.first(), expected.first().copied(), "seed {seed}");
                assert_eq!(slots.contains(slot), expected.contains(&slot), "seed {seed}");
                assert!(slots.iter().eq(expected.iter().copied()), "seed {seed}");
            }
        }
        assert!(removals > 1000 && rewinds > 1000, "{removals} {rewinds}");
    }

    #[test]
    fn a_prefix_costs_as_much_as_a_number() {
        let members = 1 << 18;
        let mut slots = Slots::below(members);
        (0..members).for_each(|slot| slots.insert(slot));
        work::take();
        slots.remove_through(members - 2);
        assert!(work::take() < 10);
        assert!(slots.iter().eq([members - 1]));
    }
}
