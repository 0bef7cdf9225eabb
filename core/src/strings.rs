//! The interning table: every record id and every ref of a stream becomes a small number.
//!
//! Ids and refs share one table, so that resolving a ref, forward or backward, is an array access once the
//! stream is read. Texts stay where they are in the stream, and the table knows where each begins; only those
//! that were written with escapes, or lie beyond the first 4 GiB, are copied. The hash is seeded per table, so
//! that no stream can be made to collide.
//!
//! A large table is all cache misses, and they are what reading short records costs. Hence the table is our own:
//! a slot holds the hash beside the number, so that growing touches no text and most probes end without one, and
//! [`Strings::touch`] reads the slots of a whole batch before the first is worked on, so that the misses overlap.
//!
//! Numbers are given in order and taken back in the reverse order, which is why [`Strings::truncate`] may simply
//! empty slots: whatever was probed past a slot came after what is in it.

#![expect(clippy::indexing_slicing, reason = "a place in the table is below its length")]

use crate::scan::{self, Raw};
use crate::{TooLarge, limits};
use foldhash::quality::RandomState;
use std::borrow::Cow;
use std::hash::BuildHasher;
use std::hint::black_box;

/// The number of a text.
pub(crate) type Symbol = u32;

/// Stands for no symbol: a missing id, or a ref that is no string.
pub(crate) const NO_SYMBOL: Symbol = Symbol::MAX;

/// What [`Strings::starts`] holds for a text that was copied.
const COPIED: u32 = u32::MAX;

/// A string of the stream, and where it begins there, behind its quote.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub raw: Raw<'a>,
    pub start: usize,
}

/// A string whose hash is known.
#[derive(Clone, Copy)]
pub(crate) struct Hashed<'a> {
    string: Placed<'a>,
    hash: u32,
}

/// Texts and their numbers.
#[derive(Default)]
pub(crate) struct Strings {
    /// One element per symbol: where the text begins in the stream.
    starts: Vec<u32>,
    /// The texts that were copied, by increasing symbol.
    copied: Vec<(Symbol, Box<[u8]>)>,
    slots: Vec<Slot>,
    hasher: RandomState,
}

#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    symbol: Symbol,
}

const EMPTY: Slot = Slot { hash: 0, symbol: NO_SYMBOL };

/// The slot at which the search for a hash begins: the upper part of the product, which any length will do for.
fn home(hash: u32, slots: usize) -> usize {
    ((u128::from(hash) * slots as u128) >> 32) as usize
}

fn next(at: usize, slots: usize) -> usize {
    if at + 1 == slots { 0 } else { at + 1 }
}

impl Strings {
    /// A string with its hash. O(length).
    #[inline(always)]
    pub(crate) fn hashed<'a>(&self, string: Placed<'a>) -> Hashed<'a> {
        let hash = self.hash(&string.raw.decode());
        Hashed { string, hash }
    }

    /// Makes room for several strings, and brings their slots into the cache.
    pub(crate) fn touch<'a, 'b: 'a>(&mut self, strings: impl ExactSizeIterator<Item = &'a Hashed<'b>>) {
        self.reserve(strings.len());
        let slots = self.slots.len();
        black_box(strings.fold(0, |read, string| read ^ self.slots[home(string.hash, slots)].hash));
    }

    /// The number of a string, a new one if it is new. O(length).
    pub(crate) fn put(
        &mut self,
        stream: &[u8],
        Hashed { string, hash }: Hashed<'_>,
    ) -> Result<Symbol, TooLarge> {
        self.reserve(1);
        let text = string.raw.decode();
        let at = match self.probe(stream, hash, &text) {
            Ok(symbol) => return Ok(symbol),
            Err(at) => at,
        };
        let symbol = limits::symbol(self.starts.len())?;
        self.slots[at] = Slot { hash, symbol };
        self.starts.push(match (text, u32::try_from(string.start)) {
            (Cow::Borrowed(_), Ok(start)) if start != COPIED => start,
            (text, _) => {
                self.copied.push((symbol, text.into()));
                COPIED
            }
        });
        Ok(symbol)
    }

    /// The number of a text, if it has one.
    pub(crate) fn find(&self, stream: &[u8], text: &[u8]) -> Option<Symbol> {
        if self.slots.is_empty() {
            return None;
        }
        self.probe(stream, self.hash(text), text).ok()
    }

    /// The number of a text, or the slot that it would get. There is an empty slot.
    fn probe(&self, stream: &[u8], hash: u32, text: &[u8]) -> Result<Symbol, usize> {
        let slots = self.slots.len();
        let mut at = home(hash, slots);
        loop {
            let slot = self.slots[at];
            if slot.symbol == NO_SYMBOL {
                return Err(at);
            }
            if slot.hash == hash && self.bytes(stream, slot.symbol) == text {
                return Ok(slot.symbol);
            }
            at = next(at, slots);
        }
    }

    /// Makes room for more texts: at most two of three slots are ever taken.
    pub(crate) fn reserve(&mut self, more: usize) {
        let needed = self.starts.len() + more;
        if needed <= self.slots.len() / 3 * 2 {
            return;
        }
        self.starts.reserve(more);
        let length = (needed / 2 * 3 + 6).max(self.slots.len() * 2);
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; length]);
        // In the order of their numbers, or a later text could lie before an earlier one.
        let mut hashes = vec![0; self.starts.len()];
        for slot in old.into_iter().filter(|slot| slot.symbol != NO_SYMBOL) {
            hashes[slot.symbol as usize] = slot.hash;
        }
        for (symbol, hash) in (0..).zip(hashes) {
            let mut at = home(hash, length);
            while self.slots[at].symbol != NO_SYMBOL {
                at = next(at, length);
            }
            self.slots[at] = Slot { hash, symbol };
        }
    }

    /// Gives back what room is left for more texts, except in the table.
    pub(crate) fn shrink(&mut self) {
        self.starts.shrink_to_fit();
    }

    /// Forgets the texts from a number on.
    pub(crate) fn truncate(&mut self, stream: &[u8], length: usize) {
        let slots = self.slots.len();
        while self.starts.len() > length {
            let symbol = self.starts.len() as Symbol - 1;
            let mut at = home(self.hash(self.bytes(stream, symbol)), slots);
            while self.slots[at].symbol != symbol {
                at = next(at, slots);
            }
            self.slots[at] = EMPTY;
            self.starts.pop();
            self.copied.pop_if(|(copied, _)| *copied == symbol);
        }
    }

    /// The text of a symbol; none for [`NO_SYMBOL`].
    pub(crate) fn get<'s>(&'s self, stream: &'s [u8], symbol: Symbol) -> Option<Cow<'s, str>> {
        (symbol != NO_SYMBOL).then(|| String::from_utf8_lossy(self.bytes(stream, symbol)))
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    fn bytes<'s>(&'s self, stream: &'s [u8], symbol: Symbol) -> &'s [u8] {
        match self.starts.get(symbol as usize) {
            None | Some(&COPIED) => match self.copied.binary_search_by_key(&symbol, |(symbol, _)| *symbol) {
                Ok(at) => &self.copied[at].1,
                Err(_) => &[],
            },
            Some(&start) => scan::plain_string(stream, start as usize),
        }
    }

    fn hash(&self, text: &[u8]) -> u32 {
        (self.hasher.hash_one(text) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hash_has_a_home_in_a_table_of_any_length() {
        for slots in [1, 6, 1 << 32, 3 << 32, usize::MAX] {
            assert_eq!(home(0, slots), 0);
            assert!(home(u32::MAX, slots) < slots, "{slots} slots");
        }
    }
}
