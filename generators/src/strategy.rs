//! `proptest` strategies.
//!
//! A strategy draws a seed and shrinks the script that the seed stands for: by deleting and simplifying
//! operations, never by taking another seed and never in the rendered bytes.

use crate::script::Script;
use crate::sessions::{Phrased, Session};
use crate::settings::Settings;
use crate::simplify::{Operation, Step, steps};
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::fmt;

/// Scripts with given settings.
pub fn script(settings: Settings) -> impl Strategy<Value = Script> {
    Drawn { draw: move |seed| Script::random(seed, &settings).ops, wrap: |ops| Script { ops } }
}

/// Sessions with given settings.
pub fn session<O: Phrased>(settings: Settings) -> impl Strategy<Value = Session<O>> {
    Drawn { draw: move |seed| Session::random(seed, &settings).ops, wrap: |ops| Session { ops } }
}

/// A strategy for lists of operations in some wrapping.
struct Drawn<D, W> {
    /// The list of a seed.
    draw: D,
    /// What the list is the inside of.
    wrap: W,
}

impl<D, W> fmt::Debug for Drawn<D, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Drawn")
    }
}

impl<O, T, D, W> Strategy for Drawn<D, W>
where
    O: Operation,
    T: fmt::Debug,
    D: Fn(u64) -> Vec<O>,
    W: Fn(Vec<O>) -> T + Copy,
{
    type Tree = Shrinking<O, W>;
    type Value = T;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let seed = proptest::num::u64::ANY.new_tree(runner)?.current();
        Ok(Shrinking::new((self.draw)(seed), self.wrap))
    }
}

/// A list that is being simplified.
struct Shrinking<O, W> {
    /// The simplest list that is known to fail.
    failing: Vec<O>,
    /// The list to be tried.
    tried: Vec<O>,
    wrap: W,
    /// The steps from the failing list, and how many of them have been taken.
    steps: Vec<Step>,
    taken: usize,
    /// Whether a step since the first one led to a list that fails. Then the steps are worth taking again.
    progressed: bool,
}

impl<O: Operation, W> Shrinking<O, W> {
    fn new(ops: Vec<O>, wrap: W) -> Self {
        let steps = steps(&ops);
        Self { failing: ops.clone(), tried: ops, wrap, steps, taken: 0, progressed: false }
    }

    /// Takes the next step.
    fn step(&mut self) -> bool {
        if self.taken >= self.steps.len() && self.progressed {
            self.progressed = false;
            self.taken = 0;
        }
        match self.steps.get(self.taken) {
            Some(step) => {
                self.tried = step.apply(&self.failing);
                self.taken += 1;
                true
            }
            None => {
                self.tried = self.failing.clone();
                false
            }
        }
    }
}

impl<O, T, W> ValueTree for Shrinking<O, W>
where
    O: Operation,
    T: fmt::Debug,
    W: Fn(Vec<O>) -> T + Copy,
{
    type Value = T;

    fn current(&self) -> T {
        (self.wrap)(self.tried.clone())
    }

    /// The list that was tried fails: go on from there, at the same place, where the next steps are new.
    fn simplify(&mut self) -> bool {
        if self.taken > 0 {
            self.failing = self.tried.clone();
            self.steps = steps(&self.failing);
            self.taken -= 1;
            self.progressed = true;
        }
        self.step()
    }

    /// The list that was tried does not fail: take another step from the one that does.
    fn complicate(&mut self) -> bool {
        self.step()
    }
}
