//! Which record lies on whose path.
//!
//! The context records of a placed stream form a forest: each has at most one predecessor, and it stands
//! earlier. Compactions and heads ask whether one record is on the path of another, and which record comes
//! next on it. Walking the path for each question would make a long session with many compactions quadratic,
//! so each record keeps a second pointer far up its path (a skew-binary jump pointer: built in constant time,
//! and every question takes a logarithmic number of steps).

/// Where a record comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Predecessor {
    /// Another record, which stands earlier.
    Node(usize),
    /// Nothing: the context is empty before it.
    Start,
    /// Something that cannot be established.
    Unknown,
}

/// A forest over positions in a stream. Positions may be left out.
#[derive(Default)]
pub(crate) struct Paths {
    nodes: Vec<Option<Node>>,
}

#[derive(Clone, Copy)]
struct Node {
    predecessor: Predecessor,
    /// Number of records before this one on its path.
    depth: usize,
    /// A record further up, or this one where there is none.
    jump: usize,
}

impl Paths {
    /// Adds the node at `position`, which must not be smaller than any before. A predecessor that has not
    /// been added counts as unknown.
    pub fn add(&mut self, position: usize, predecessor: Predecessor) {
        let node = match predecessor {
            Predecessor::Node(before) => match self.node(before) {
                Some(parent) => Node {
                    predecessor,
                    depth: parent.depth + 1,
                    jump: self.equal_leap(parent).unwrap_or(before),
                },
                None => Node { predecessor: Predecessor::Unknown, depth: 0, jump: position },
            },
            Predecessor::Start | Predecessor::Unknown => Node { predecessor, depth: 0, jump: position },
        };
        self.nodes.resize(position, None);
        self.nodes.push(Some(node));
    }

    /// Where two jumps from `parent` lead, if both are of the same length: then a child may jump over both.
    fn equal_leap(&self, parent: Node) -> Option<usize> {
        let middle = self.node(parent.jump)?;
        let far = self.node(middle.jump)?;
        (parent.depth - middle.depth == middle.depth - far.depth).then_some(middle.jump)
    }

    fn node(&self, position: usize) -> Option<Node> {
        self.nodes.get(position).copied().flatten()
    }

    /// What comes before a node, if there is one at `position`.
    pub fn before(&self, position: usize) -> Option<Predecessor> {
        Some(self.node(position)?.predecessor)
    }

    /// Number of nodes before this one on its path.
    pub fn depth(&self, position: usize) -> Option<usize> {
        Some(self.node(position)?.depth)
    }

    /// The node with `depth` nodes before it on the path that ends at `from`.
    pub fn at_depth(&self, from: usize, depth: usize) -> Option<usize> {
        let mut here = from;
        let mut node = self.node(here)?;
        if node.depth < depth {
            return None;
        }
        while node.depth > depth {
            here = match (self.node(node.jump)?, node.predecessor) {
                (far, _) if far.depth >= depth && node.jump != here => node.jump,
                (_, Predecessor::Node(before)) => before,
                (_, Predecessor::Start | Predecessor::Unknown) => return None,
            };
            node = self.node(here)?;
        }
        Some(here)
    }

    /// Whether `node` lies on the path that ends at `end`, the end included.
    pub fn contains(&self, end: usize, node: usize) -> bool {
        self.depth(node).and_then(|depth| self.at_depth(end, depth)) == Some(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(parents: &[Predecessor], mut from: usize) -> Vec<usize> {
        let mut path = vec![from];
        while let Predecessor::Node(before) = parents[from] {
            path.push(before);
            from = before;
        }
        path.reverse();
        path
    }

    /// All questions on some hundred forests, against walking.
    #[test]
    fn jumping_finds_what_walking_finds() {
        let mut state = 1_u64;
        let mut draw = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for size in 1..120 {
            let parents: Vec<Predecessor> = (0..size)
                .map(|node| match draw(8) {
                    _ if node == 0 => Predecessor::Start,
                    0 => Predecessor::Unknown,
                    1..4 => Predecessor::Node(draw(node)),
                    _ => Predecessor::Node(node - 1),
                })
                .collect();
            let mut paths = Paths::default();
            for (node, &parent) in parents.iter().enumerate() {
                paths.add(node, parent);
            }
            for from in 0..size {
                let path = walk(&parents, from);
                assert_eq!(paths.depth(from), Some(path.len() - 1));
                assert_eq!(paths.at_depth(from, path.len()), None);
                for (depth, &node) in path.iter().enumerate() {
                    assert_eq!(paths.at_depth(from, depth), Some(node));
                }
                for node in 0..size {
                    assert_eq!(paths.contains(from, node), path.contains(&node), "{node} before {from}");
                }
            }
        }
    }

    #[test]
    fn positions_may_be_left_out() {
        let mut paths = Paths::default();
        paths.add(3, Predecessor::Start);
        paths.add(7, Predecessor::Node(3));
        paths.add(9, Predecessor::Node(5));
        assert!(paths.contains(7, 3));
        assert_eq!(paths.before(5), None);
        assert_eq!(paths.before(9), Some(Predecessor::Unknown));
    }
}
