//! The mechanism of the walk: all sequences of steps of one length, depth first, by push and pop.
//!
//! Different sequences are different streams, so they form a tree: nothing is hashed, nothing is remembered, and what a
//! step changes is changed in place and taken back. It knows nothing of streams; a benchmark compares it with a model
//! checker for any graph of states.

/// Something that grows and shrinks by steps at its end.
pub trait Tree {
    /// A step.
    type Step: Copy;

    /// Lists the steps that may come next, in order, into an empty list; `left` more steps are to come after it.
    fn steps(&self, left: usize, out: &mut Vec<Self::Step>);

    /// Takes a step.
    fn push(&mut self, step: Self::Step);

    /// Takes the last step back.
    fn pop(&mut self);
}

/// A place among the sequences of one length.
pub struct Walk<T: Tree> {
    tree: T,
    length: usize,
    /// One for each step taken.
    frames: Vec<Frame<T::Step>>,
    /// Lists to use again.
    spare: Vec<Vec<T::Step>>,
}

/// The choice of one step.
struct Frame<S> {
    steps: Vec<S>,
    at: usize,
}

impl<T: Tree> Walk<T> {
    /// Stands before the first sequence of `length` steps.
    pub fn new(tree: T, length: usize) -> Self {
        Self { tree, length, frames: Vec::new(), spare: Vec::new() }
    }

    /// Where the walk stands.
    pub fn tree(&self) -> &T {
        &self.tree
    }

    /// Goes to the first sequence; false where there is none.
    pub fn start(&mut self) -> bool {
        self.clear();
        self.descend() || self.advance()
    }

    /// Goes to the next sequence; false after the last.
    pub fn advance(&mut self) -> bool {
        loop {
            let Some(frame) = self.frames.last_mut() else { return false };
            self.tree.pop();
            frame.at += 1;
            if self.enter() && self.descend() {
                return true;
            }
        }
    }

    /// Goes where `choose` points to, which is given the steps and how many are to come after it. False where it points
    /// beyond them.
    pub fn seek(&mut self, mut choose: impl FnMut(&mut T, usize, &[T::Step]) -> usize) -> bool {
        self.clear();
        for left in (0..self.length).rev() {
            self.open();
            let Some(frame) = self.frames.last_mut() else { return false };
            frame.at = choose(&mut self.tree, left, &frame.steps);
            if !self.enter() {
                return false;
            }
        }
        true
    }

    /// At each step from the first on which there were and which was taken.
    pub fn choices(&self) -> impl Iterator<Item = (&[T::Step], usize)> {
        self.frames.iter().map(|frame| (&*frame.steps, frame.at))
    }

    fn clear(&mut self) {
        for frame in self.frames.drain(..) {
            self.tree.pop();
            self.spare.push(frame.steps);
        }
    }

    /// Lists the choices of the next step, and stands on the first.
    fn open(&mut self) {
        let mut steps = self.spare.pop().unwrap_or_default();
        steps.clear();
        let left = self.length.saturating_sub(self.frames.len() + 1);
        self.tree.steps(left, &mut steps);
        self.frames.push(Frame { steps, at: 0 });
    }

    /// Takes the step on which the last frame stands; where there is none, closes the frame.
    fn enter(&mut self) -> bool {
        let Some(frame) = self.frames.last() else { return false };
        if let Some(&step) = frame.steps.get(frame.at) {
            self.tree.push(step);
            return true;
        }
        self.spare.extend(self.frames.pop().map(|frame| frame.steps));
        false
    }

    /// Goes to the first sequence under the steps so far; false where there is none.
    fn descend(&mut self) -> bool {
        while self.frames.len() < self.length {
            self.open();
            if !self.enter() {
                return false;
            }
        }
        true
    }
}
