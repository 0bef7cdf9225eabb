//! Streams in order, each with a number.
//!
//! A [`Cursor`] stands on one stream and steps to the next by changing as few lines at the end as it can: the streams of
//! one length are the leaves of a tree, visited depth first, and bytes and state are pushed and popped with the lines.
//! The rank of a stream is how many come before it, which the counts of the subtrees tell without visiting them; so a
//! cursor can begin anywhere, and ranges of ranks are pieces of work.

use super::ExploreError;
use super::action::Action;
use super::count::Counts;
use super::scope::Scope;
use super::state::State;
use super::tree::{Tree, Walk};

/// The stream that `SCOPE:N:RANK` names: the one of that rank among those of the scope with so many lines.
///
/// # Errors
///
/// Where there is no such scope or stream.
pub fn replay(id: &str) -> Result<Vec<u8>, ExploreError> {
    let refuse = || ExploreError::NoStream { id: id.to_owned() };
    let mut parts = id.rsplitn(3, ':');
    let rank = parts.next().and_then(|rank| rank.parse().ok()).ok_or_else(refuse)?;
    let length = parts.next().and_then(|length| length.parse().ok()).ok_or_else(refuse)?;
    let counts = Counts::new(parts.next().ok_or_else(refuse)?.parse()?, length)?;
    let cursor = Cursor::new(&counts, length, rank).ok_or_else(refuse)?;
    Ok(cursor.bytes().to_vec())
}

/// A place among the streams of one length.
pub struct Cursor<'c> {
    walk: Walk<Lines<'c>>,
    length: u8,
}

/// The lines on the way, pushed and popped.
struct Lines<'c> {
    counts: &'c Counts,
    state: State,
    text: String,
    /// Where the text of each line begins.
    begins: Vec<usize>,
}

impl Tree for Lines<'_> {
    type Step = Action;

    fn steps(&self, left: usize, out: &mut Vec<Action>) {
        self.counts.scope().actions(&self.state, left as u8, out);
    }

    fn push(&mut self, action: Action) {
        self.begins.push(self.text.len());
        action.render(&self.state, &mut self.text);
        self.state.push(action);
    }

    fn pop(&mut self) {
        self.state.pop();
        self.text.truncate(self.begins.pop().unwrap_or(0));
    }
}

impl<'c> Cursor<'c> {
    /// The stream with this rank among those of exactly `length` lines, unless there are fewer.
    pub fn new(counts: &'c Counts, length: u8, rank: u128) -> Option<Self> {
        let lines = Lines { counts, state: State::default(), text: String::new(), begins: Vec::new() };
        let mut cursor = Self { walk: Walk::new(lines, length.into()), length };
        cursor.seek(rank).then_some(cursor)
    }

    /// Goes to the stream with this rank; false where there is none.
    pub fn seek(&mut self, rank: u128) -> bool {
        let mut before = rank;
        self.walk.seek(|Lines { counts, state, .. }, left, actions| {
            actions
                .iter()
                .take_while(|&&action| {
                    state.push(action);
                    let under = counts.continuations(state, left as u8);
                    state.pop();
                    let is_beyond = before >= under;
                    if is_beyond {
                        before -= under;
                    }
                    is_beyond
                })
                .count()
        })
    }

    /// Goes to the next stream; false after the last.
    pub fn advance(&mut self) -> bool {
        self.walk.advance()
    }

    /// The stream.
    pub fn bytes(&self) -> &[u8] {
        self.walk.tree().text.as_bytes()
    }

    /// A line of the stream, without its line feed.
    pub(crate) fn line(&self, at: usize) -> &[u8] {
        let begins = &self.walk.tree().begins;
        let end = begins.get(at + 1).copied().unwrap_or(self.bytes().len());
        let line = begins.get(at).and_then(|&begin| self.bytes().get(begin..end)).unwrap_or_default();
        line.strip_suffix(b"\n").unwrap_or(line)
    }

    /// The scope that it is of.
    pub fn scope(&self) -> &'c Scope {
        self.walk.tree().counts.scope()
    }

    /// How many lines it has.
    pub fn length(&self) -> u8 {
        self.length
    }

    /// How many streams of this length come before it.
    pub fn rank(&self) -> u128 {
        let counts = self.walk.tree().counts;
        let mut state = State::default();
        let mut rank = 0_u128;
        for ((actions, at), left) in self.walk.choices().zip((0..self.length).rev()) {
            for (&action, place) in actions.iter().zip(0..) {
                state.push(action);
                if place == at {
                    break;
                }
                rank = rank.saturating_add(counts.continuations(&state, left));
                state.pop();
            }
        }
        rank
    }

    /// Whether both stand on the same stream.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        self.walk.choices().map(|(_, at)| at).eq(other.walk.choices().map(|(_, at)| at))
    }

    /// The lines.
    pub(crate) fn state(&self) -> &State {
        &self.walk.tree().state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::alphabet::whole_slices;

    fn counts(scope: &str, length: u8) -> Counts {
        Counts::new(scope.parse().unwrap(), length).unwrap()
    }

    #[test]
    fn ranks_are_the_order_of_the_walk_and_none_is_left_out() {
        let parts = ["Z, compaction<=1, gap<=0", "H, message<=1", "A, Q4, Q5, Q6, Q7", "V, Q12"];
        for scope in whole_slices().into_iter().chain(parts.map(str::to_owned)) {
            let counts = counts(&scope, 3);
            for length in 1..=3 {
                let mut cursor = Cursor::new(&counts, length, 0).unwrap();
                let mut visited = 0;
                loop {
                    // All ranks of 100 000 streams, each with its own walk from the root, take a while.
                    if length < 3 || visited % 37 == 0 {
                        assert_eq!(cursor.rank(), visited, "{scope}");
                        let found = Cursor::new(&counts, length, visited).unwrap();
                        assert_eq!(found.bytes(), cursor.bytes(), "{scope}:{length}:{visited}");
                        assert!(found.is_at(&cursor));
                    }
                    visited += 1;
                    if !cursor.advance() {
                        break;
                    }
                }
                assert_eq!(visited, counts.of_length(length), "{scope}");
                assert!(Cursor::new(&counts, length, visited).is_none());
            }
        }
    }

    #[test]
    fn no_two_streams_are_the_same_bytes() {
        for scope in whole_slices() {
            let counts = counts(&scope, 2);
            let mut seen = std::collections::HashSet::new();
            for length in 1..=2 {
                let mut cursor = Cursor::new(&counts, length, 0).unwrap();
                loop {
                    assert!(seen.insert(cursor.bytes().to_vec()), "{}", cursor.bytes().escape_ascii());
                    if !cursor.advance() {
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn a_cursor_that_seeks_stands_where_a_new_one_does() {
        let counts = counts("Z", 4);
        let mut cursor = Cursor::new(&counts, 4, 0).unwrap();
        for rank in [760_415, 3, 400_000, 399_999] {
            assert!(cursor.seek(rank));
            assert_eq!(cursor.rank(), rank);
            assert_eq!(cursor.bytes(), Cursor::new(&counts, 4, rank).unwrap().bytes());
        }
        assert!(!cursor.seek(760_416));
    }
}
