//! The interning table: every record id and every ref of a stream becomes a small number.
//!
//! Ids and refs share one table, so that resolving a ref, forward or backward, is an array access once the
//! stream is read. The table holds the hash beside the number: growing it touches no text, and most probes
//! end without one. Texts stay where they are in the input; only those that were written with escapes are
//! copied. The hash is seeded per table, so that no stream can be made to collide.

use crate::TooLarge;
use crate::scan::Raw;
use foldhash::quality::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::borrow::Cow;
use std::hash::BuildHasher;

/// The number of a text.
pub(crate) type Symbol = u32;

/// Stands for no symbol: a missing id, or a ref that is no string.
pub(crate) const NO_SYMBOL: Symbol = Symbol::MAX;

/// Texts and their numbers.
#[derive(Default)]
pub(crate) struct Strings<'a> {
    /// As written.
    texts: Vec<&'a [u8]>,
    /// Those that were written with escapes, unescaped, by increasing symbol.
    unescaped: Vec<(Symbol, Box<[u8]>)>,
    table: HashTable<Slot>,
    hasher: RandomState,
}

struct Slot {
    hash: u32,
    symbol: Symbol,
}

/// 64 bits made of 32, since the table takes its tag from the upper and its place from the lower end.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

impl<'a> Strings<'a> {
    /// The number of a string, a new one if it is new. O(length).
    pub(crate) fn intern(&mut self, raw: Raw<'a>) -> Result<Symbol, TooLarge> {
        let text = raw.decode();
        let hash = self.hash(&text);
        let Self { texts, unescaped, table, .. } = self;
        let same = |slot: &Slot| slot.hash == hash && text_of(texts, unescaped, slot.symbol) == &*text;
        match table.entry(spread(hash), same, |slot| spread(slot.hash)) {
            Entry::Occupied(slot) => Ok(slot.get().symbol),
            Entry::Vacant(vacant) => {
                let symbol = Symbol::try_from(texts.len()).ok().filter(|&symbol| symbol != NO_SYMBOL);
                let symbol = symbol.ok_or(TooLarge::Strings)?;
                vacant.insert(Slot { hash, symbol });
                match text {
                    Cow::Borrowed(text) => texts.push(text),
                    Cow::Owned(text) => {
                        texts.push(&[]);
                        unescaped.push((symbol, text.into()));
                    }
                }
                Ok(symbol)
            }
        }
    }

    /// The number of a text, if it has one.
    pub(crate) fn find(&self, text: &[u8]) -> Option<Symbol> {
        let hash = self.hash(text);
        let same = |slot: &Slot| slot.hash == hash && self.bytes(slot.symbol) == text;
        self.table.find(spread(hash), same).map(|slot| slot.symbol)
    }

    /// The text of a symbol; none for [`NO_SYMBOL`].
    pub(crate) fn get(&self, symbol: Symbol) -> Option<Cow<'_, str>> {
        (symbol != NO_SYMBOL).then(|| String::from_utf8_lossy(self.bytes(symbol)))
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    fn bytes(&self, symbol: Symbol) -> &[u8] {
        text_of(&self.texts, &self.unescaped, symbol)
    }

    fn hash(&self, text: &[u8]) -> u32 {
        (self.hasher.hash_one(text) >> 32) as u32
    }
}

fn text_of<'t>(texts: &[&'t [u8]], unescaped: &'t [(Symbol, Box<[u8]>)], symbol: Symbol) -> &'t [u8] {
    let written = texts.get(symbol as usize).copied().unwrap_or_default();
    // An empty text is an id like any other; only an entry in the second list makes it stand for something
    // else.
    if !written.is_empty() {
        return written;
    }
    match unescaped.binary_search_by_key(&symbol, |(symbol, _)| *symbol) {
        Ok(at) => unescaped.get(at).map_or(&[], |(_, text)| text),
        Err(_) => written,
    }
}
