//! Streams in order, each with a number.
//!
//! A [`Cursor`] stands on one stream and steps to the next by changing as few lines at the end as it can: the streams of
//! one length are the leaves of a tree, visited depth first, and bytes and state are pushed and popped with the lines.
//! The rank of a stream is how many come before it, which the counts of the subtrees tell without visiting them; so a
//! cursor can begin anywhere, and ranges of ranks are pieces of work.

use super::action::Action;
use super::count::Counts;
use super::scope::Scope;
use super::state::State;

/// A place among the streams of one length.
pub struct Cursor<'c> {
    counts: &'c Counts,
    length: u8,
    state: State,
    /// One for each line.
    frames: Vec<Frame>,
    text: String,
    /// Lists of actions to use again.
    spare: Vec<Vec<Action>>,
}

/// The choice of one line.
struct Frame {
    actions: Vec<Action>,
    at: usize,
    /// Where the text of the line begins.
    begins: usize,
}

impl<'c> Cursor<'c> {
    /// The stream with this rank among those of exactly `length` lines, unless there are fewer.
    pub fn new(counts: &'c Counts, length: u8, rank: u128) -> Option<Self> {
        let (frames, spare) = (Vec::new(), Vec::new());
        let mut cursor = Self { counts, length, state: State::default(), frames, text: String::new(), spare };
        cursor.seek(rank).then_some(cursor)
    }

    /// Goes to the stream with this rank; false where there is none.
    pub fn seek(&mut self, rank: u128) -> bool {
        self.state = State::default();
        self.spare.extend(self.frames.drain(..).map(|frame| frame.actions));
        self.text.clear();
        let mut before = rank;
        for left in (0..self.length).rev() {
            self.open();
            let Some(frame) = self.frames.last_mut() else { return false };
            for &action in &frame.actions {
                self.state.push(action);
                let under = self.counts.continuations(&self.state, left);
                self.state.pop();
                if before < under {
                    break;
                }
                before -= under;
                frame.at += 1;
            }
            if !self.enter() {
                return false;
            }
        }
        true
    }

    /// Goes to the next stream; false after the last.
    pub fn advance(&mut self) -> bool {
        loop {
            self.state.pop();
            let Some(frame) = self.frames.last_mut() else { return false };
            frame.at += 1;
            if self.enter() && self.descend() {
                return true;
            }
        }
    }

    /// The stream.
    pub fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// The scope that it is of.
    pub fn scope(&self) -> &'c Scope {
        self.counts.scope()
    }

    /// How many lines it has.
    pub fn length(&self) -> u8 {
        self.length
    }

    /// How many streams of this length come before it.
    pub fn rank(&self) -> u128 {
        let mut state = State::default();
        let mut rank = 0_u128;
        for (frame, left) in self.frames.iter().zip((0..self.length).rev()) {
            for (&action, place) in frame.actions.iter().zip(0..) {
                state.push(action);
                if place == frame.at {
                    break;
                }
                rank = rank.saturating_add(self.counts.continuations(&state, left));
                state.pop();
            }
        }
        rank
    }

    /// Whether both stand on the same stream.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        self.frames.iter().map(|frame| frame.at).eq(other.frames.iter().map(|frame| frame.at))
    }

    /// The lines.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Lists the choices of the next line, and stands on the first.
    fn open(&mut self) {
        let mut actions = self.spare.pop().unwrap_or_default();
        self.counts.scope().actions(&self.state, &mut actions);
        self.frames.push(Frame { actions, at: 0, begins: self.text.len() });
    }

    /// Writes the line that the last frame stands on; where there is none, closes the frame.
    fn enter(&mut self) -> bool {
        let Some(frame) = self.frames.last() else { return false };
        self.text.truncate(frame.begins);
        if let Some(&action) = frame.actions.get(frame.at) {
            action.render(&self.state, &mut self.text);
            self.state.push(action);
            return true;
        }
        self.spare.extend(self.frames.pop().map(|frame| frame.actions));
        false
    }

    /// Goes to the first stream under the lines so far; false where bounds leave none.
    fn descend(&mut self) -> bool {
        while self.frames.len() < usize::from(self.length) {
            self.open();
            if !self.enter() {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(scope: &str, length: u8) -> Counts {
        Counts::new(scope.parse().unwrap(), length).unwrap()
    }

    #[test]
    fn ranks_are_the_order_of_the_walk_and_none_is_left_out() {
        for scope in
            ["Z", "A", "H", "V", "v", "T", "R", "X", "I", "Z, compaction<=1, gap<=0", "H, message<=1"]
        {
            let counts = counts(scope, 3);
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
        for scope in ["Z", "A", "H", "V", "v", "T", "R", "X", "I"] {
            let counts = counts(scope, 2);
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
