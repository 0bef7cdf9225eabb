//! Symmetries (`readings.md` D.4): of streams that answer alike only one is visited.
//!
//! A [`Quotient`] is a set of symmetries. Each says of a stream by what came before whether a line may follow, and where
//! the stream may end; what it needs to know of the lines so far is their [`Shape`]. Off by default, since each takes
//! for granted the invariant that justifies it, for both engines.

use super::action::{Action, Branch, Kind, Target};
use super::state::State;
use std::fmt;
use std::str::FromStr;

/// A symmetry that a scope can be divided by. The others of D.4 hold by construction, or for no slice
/// (`docs/model-checking.md`).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Symmetry {
    /// Revisions stand at the end, ordered by node, at most two of each (I-18, I-19, I-34).
    Q4,
    /// No rewind directly before a message without branchesFrom, which is a message that branches (I-10).
    Q5,
    /// Between two nodes a rewind comes first if at all, then at most two gaps, and nothing before a record with
    /// branchesFrom. Where compactions are what is explored, at most one gap.
    Q6,
    /// Streams end in a node: what comes after the last one matters to the default head only.
    Q7,
    /// No malformed lines, which are gaps under another name (I-30).
    Q8,
    /// Streams end in a compaction: another node at the end only appends itself to the view (V-12).
    Q12,
}

impl Symmetry {
    /// Every one that can be chosen.
    pub const ALL: [Self; 6] = [Self::Q4, Self::Q5, Self::Q6, Self::Q7, Self::Q8, Self::Q12];

    /// Its label in D.4.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Q4 => "Q4",
            Self::Q5 => "Q5",
            Self::Q6 => "Q6",
            Self::Q7 => "Q7",
            Self::Q8 => "Q8",
            Self::Q12 => "Q12",
        }
    }
}

impl FromStr for Symmetry {
    type Err = ();

    fn from_str(label: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|symmetry| symmetry.label() == label).ok_or(())
    }
}

/// A set of symmetries.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Quotient(u8);

/// What the symmetries need to know of the lines so far. Revisions belong to no segment: the scan ignores them.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub(crate) struct Shape {
    /// Gaps and rewinds since the last node, up to three.
    segment: u8,
    /// Gaps since the last node, up to three.
    gaps: u8,
    /// Whether the last line of the segment is a rewind.
    is_after_rewind: bool,
    /// The node that was revised last, by the line of its first record, and how often, up to two.
    revised: (u8, u8),
}

impl Quotient {
    pub(crate) fn has(self, symmetry: Symmetry) -> bool {
        self.0 & 1 << symmetry as u8 != 0
    }

    pub(crate) fn with(self, symmetry: Symmetry) -> Self {
        Self(self.0 | 1 << symmetry as u8)
    }

    /// Whether every beginning of a stream is a stream.
    pub(crate) fn has_beginnings(self) -> bool {
        !self.has(Symmetry::Q7) && !self.has(Symmetry::Q12)
    }

    /// What these symmetries need to know of the lines so far, and nothing else.
    pub(crate) fn shape(self, state: &State) -> Shape {
        let mut shape = Shape::default();
        if self == Self::default() {
            return shape;
        }
        for action in state.lines() {
            shape.push(action);
        }
        let Shape { segment, gaps, is_after_rewind, revised } = shape;
        Shape {
            segment: if self.has(Symmetry::Q6) || self.has(Symmetry::Q7) { segment.min(1) } else { 0 },
            gaps: if self.has(Symmetry::Q6) { gaps } else { 0 },
            is_after_rewind: self.has(Symmetry::Q5) && is_after_rewind,
            revised: if self.has(Symmetry::Q4) { revised } else { (0, 0) },
        }
    }

    /// Whether a line may follow, and be the last where it `is_last`. `most_gaps` is how many may lie on an edge.
    pub(crate) fn admits(self, shape: Shape, action: &Action, is_last: bool, most_gaps: u8) -> bool {
        let Shape { segment, gaps, is_after_rewind, revised: (revised, times) } = shape;
        let node = revised_node(action);
        let is_new = action.kind().takes_part() && node.is_none();
        Symmetry::ALL.into_iter().filter(|&symmetry| self.has(symmetry)).all(|symmetry| match symmetry {
            Symmetry::Q4 => match node {
                Some(node) => node > revised || node == revised && times < 2,
                None => revised == 0,
            },
            Symmetry::Q5 => !(is_new && action.branch == Branch::None && is_after_rewind),
            Symmetry::Q6 => match action.kind() {
                Kind::Rewind => segment == 0,
                Kind::Gap => gaps < most_gaps,
                _ => !(is_new && action.branch != Branch::None && segment > 0),
            },
            Symmetry::Q7 => !is_last || is_new || node.is_some() && segment == 0,
            Symmetry::Q8 => action.kind() != Kind::Malformed,
            Symmetry::Q12 => !is_last || action.kind() == Kind::Compaction,
        })
    }
}

impl Shape {
    fn push(&mut self, action: &Action) {
        let more = |count: u8| count.saturating_add(1).min(3);
        if let Some(node) = revised_node(action) {
            let (last, times) = self.revised;
            self.revised = (node, if node == last { times.saturating_add(1).min(2) } else { 1 });
        } else if action.kind().takes_part() {
            *self = Self { revised: self.revised, ..Self::default() };
        } else if matches!(action.kind(), Kind::Gap | Kind::Rewind) {
            self.is_after_rewind = action.kind() == Kind::Rewind;
            self.segment = more(self.segment);
            self.gaps = if self.is_after_rewind { self.gaps } else { more(self.gaps) };
        }
    }
}

/// The node that a revision revises, by the line of its first record: the slices with symmetries name no other record.
fn revised_node(action: &Action) -> Option<u8> {
    match action.supersedes {
        Some(Target::Record(record)) if action.kind().takes_part() => Some(record),
        _ => None,
    }
}

impl fmt::Display for Quotient {
    /// As a scope has them: `, Q5, Q6`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut chosen = Symmetry::ALL.into_iter().filter(|&symmetry| self.has(symmetry));
        chosen.try_for_each(|symmetry| write!(f, ", {}", symmetry.label()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Core;
    use crate::explore::action::Body;
    use crate::explore::{Among, Counts, Cursor, Settings, explore, witnesses};
    use asr_oracle::Stream;
    use asr_spec::{Head, Query, What};
    use std::collections::{BTreeMap, BTreeSet};
    use std::num::NonZero;

    fn counts(scope: &str, longest: u8) -> Counts {
        Counts::new(scope.parse().unwrap(), longest).unwrap()
    }

    fn visit(counts: &Counts, length: u8, mut visitor: impl FnMut(&[Action], &[u8])) {
        let Some(mut cursor) = Cursor::new(counts, length, 0) else { return };
        loop {
            visitor(&cursor.state().lines().copied().collect::<Vec<_>>(), cursor.bytes());
            if !cursor.advance() {
                return;
            }
        }
    }

    fn is_new_node(action: &Action) -> bool {
        action.kind().takes_part() && revised_node(action).is_none()
    }

    /// The representative of a stream of slice A: its lines with the places that they had. By what D.4 says of each
    /// symmetry, not by what may follow what.
    fn representative(quotient: Quotient, stream: &[Action]) -> Vec<(u8, Action)> {
        let mut lines: Vec<(u8, Action)> = (1..).zip(stream.iter().copied()).collect();
        if quotient.has(Symmetry::Q4) {
            lines.sort_by_key(|(_, action)| revised_node(action));
        }
        let is_in_segment = |action: &Action| matches!(action.kind(), Kind::Gap | Kind::Rewind);
        let mut kept: Vec<(u8, Action)> = Vec::new();
        let mut branches = BTreeMap::new();
        for (place, mut action) in lines {
            let begins = kept.iter().rposition(|(_, action)| is_new_node(action)).map_or(0, |at| at + 1);
            // Where the latest rewrite has no branchesFrom, that of the first record is not in force.
            let is_its = |it: &&Action| it.is_rewrite && revised_node(it) == Some(place);
            let is_bare = stream.iter().rfind(is_its).is_some_and(|it| it.branch == Branch::None);
            if quotient.has(Symmetry::Q6)
                && is_bare
                && kept.iter().skip(begins).any(|(_, it)| is_in_segment(it))
            {
                action.branch = Branch::None;
            }
            if quotient.has(Symmetry::Q6)
                && (is_new_node(&action) && action.branch != Branch::None || action.kind() == Kind::Rewind)
            {
                let mut at = 0;
                kept.retain(|(_, action)| {
                    at += 1;
                    at <= begins || !is_in_segment(action)
                });
            }
            let before = kept.iter().rposition(|(_, action)| revised_node(action).is_none());
            if quotient.has(Symmetry::Q5)
                && is_new_node(&action)
                && action.branch == Branch::None
                && let Some(before) = before
                && let (_, Action { body: Body::Rewind(to), .. }) = kept[before]
            {
                // A rewrite without branchesFrom would stand in the way; slice A has none from nothing.
                let branch = to.map_or(Branch::Start, Branch::From);
                if branch != Branch::From(Target::Nothing) || !is_bare {
                    action.branch = branch;
                    branches.insert(place, branch);
                    kept.remove(before);
                }
            }
            if action.is_rewrite
                && action.branch == Branch::None
                && let Some(branch) = revised_node(&action).and_then(|node| branches.get(&node))
            {
                action.branch = *branch;
            }
            kept.push((place, action));
        }
        if quotient.has(Symmetry::Q7) {
            let last = kept.iter().rposition(|(_, action)| is_new_node(action)).map_or(0, |at| at + 1);
            let mut at = 0;
            kept.retain(|(_, action)| {
                at += 1;
                at <= last || !is_in_segment(action)
            });
        }
        kept
    }

    /// The lines in their new places, and the stream that they are.
    fn renumbered(lines: &[(u8, Action)]) -> (BTreeMap<u8, u8>, String) {
        let places: BTreeMap<u8, u8> = lines.iter().map(|(old, _)| *old).zip(1..).collect();
        let to = |target| match target {
            Target::Record(record) => Target::Record(places[&record]),
            Target::Nothing => Target::Nothing,
        };
        let (mut state, mut text) = (State::default(), String::new());
        for &(_, mut action) in lines {
            action.supersedes = action.supersedes.map(to);
            if let Branch::From(target) = action.branch {
                action.branch = Branch::From(to(target));
            }
            if let Body::Rewind(Some(target)) = action.body {
                action.body = Body::Rewind(Some(to(target)));
            }
            // A plain revision repeats the branchesFrom of the record that it supersedes.
            if let Some(Target::Record(record)) = action.supersedes
                && !action.is_rewrite
            {
                action.branch = state.revision(record).branch;
            }
            action.render(&state, &mut text);
            state.push(action);
        }
        (places, text)
    }

    /// Path from a record, with the places of a representative instead of ids.
    fn path(stream: &[u8], line: u8, places: impl Fn(u8) -> u8) -> String {
        let query = Query { what: What::Path, head: Head::Ref(format!("r{line}")) };
        let path = Stream::read(stream, &mut ()).answer(&query, &mut ()).to_string();
        (1..=9).fold(path, |path, line| match path.contains(&format!("\"r{line}\"")) {
            true => path.replace(&format!("\"r{line}\""), &format!("\"line {}\"", places(line))),
            false => path,
        })
    }

    #[test]
    fn each_stream_of_slice_a_has_one_representative_which_answers_alike_and_the_orbits_add_up() {
        const LONGEST: u8 = 3;
        let whole = counts("A", LONGEST);
        for symmetries in ["Q4", "Q5", "Q6", "Q7", "Q5, Q6", "Q6, Q7", "Q4, Q5, Q6, Q7"] {
            let divided = counts(&format!("A, {symmetries}"), LONGEST);
            let mut representatives = BTreeSet::new();
            for length in 1..=LONGEST {
                visit(&divided, length, |_, stream| assert!(representatives.insert(stream.to_vec())));
            }
            let predicted: u128 = divided.total();
            assert_eq!(representatives.len() as u128, predicted, "{symmetries}");

            let quotient =
                symmetries.split(", ").fold(Quotient::default(), |all, it| all.with(it.parse().unwrap()));
            let mut orbits: BTreeMap<Vec<u8>, u128> = BTreeMap::new();
            for length in 1..=LONGEST {
                visit(&whole, length, |actions, stream| {
                    let (places, representative) = renumbered(&representative(quotient, actions));
                    for (line, action) in (1..).zip(actions) {
                        if action.kind().takes_part() {
                            let mine = path(stream, line, |line| places[&line]);
                            let its = path(representative.as_bytes(), places[&line], |line| line);
                            assert_eq!(mine, its, "{symmetries}: {}{representative}", stream.escape_ascii());
                        }
                    }
                    *orbits.entry(representative.into_bytes()).or_default() += 1;
                });
            }
            // Beyond the bounds of D.4: three revisions of a node, three gaps. What has no node at all. And a rewind to
            // nothing before a record that is rewritten without branchesFrom.
            let beyond: u128 =
                orbits.iter().filter(|(it, _)| !representatives.contains(*it)).map(|(_, size)| size).sum();
            let within: u128 = representatives
                .iter()
                .map(|it| *orbits.get(it).unwrap_or_else(|| panic!("{symmetries}: {}", it.escape_ascii())))
                .sum();
            assert_eq!(within + beyond, whole.total(), "{symmetries}");
            let is_expected = |stream: &[u8]| {
                let count = |what: &str| String::from_utf8_lossy(stream).matches(what).count();
                let has_bare_rewrite = count("\"to\":\"zz\"") > 0 && count("\"mode\":\"rewrite\"}}") > 0;
                stream.is_empty() || count("\"gap\"") > 2 || count("supersedes") > 2 || has_bare_rewrite
            };
            for (stream, _) in orbits {
                assert!(
                    representatives.contains(&stream) || is_expected(&stream),
                    "{symmetries}: {}",
                    stream.escape_ascii()
                );
            }
        }
    }

    #[test]
    fn malformed_lines_and_gaps_make_two_streams_of_each_gap() {
        for slice in ["H", "Z"] {
            for length in 1..=3 {
                let mut orbits = 0;
                visit(&counts(&format!("{slice}, Q8"), length), length, |actions, _| {
                    orbits += 1_u128 << actions.iter().filter(|action| action.kind() == Kind::Gap).count();
                });
                assert_eq!(orbits, counts(slice, length).of_length(length), "{slice}");
            }
        }
    }

    #[test]
    fn behind_the_last_compaction_any_messages_and_gaps_may_follow() {
        for slice in ["V", "v"] {
            let (whole, divided) = (counts(slice, 7), counts(&format!("{slice}, Q12"), 7));
            for n in 1..=7_u8 {
                let tails = |m: u8| 1_u128 << (n - m);
                let sum: u128 = (1..=n).map(|m| divided.of_length(m) * tails(m)).sum();
                assert_eq!(
                    sum + tails(0),
                    whole.of_length(n),
                    "{slice}: the last term is streams without a compaction"
                );
            }
        }
    }

    /// What a symmetry takes for granted of an engine a variant may break. These do, on three lines.
    const LOST: [(&str, &str, &[&str]); 5] = [
        ("A", "Q4", &[]),
        ("A", "Q5", &["IP3-1=between_nodes", "fault:gaps_past_rewinds"]),
        ("A", "Q6", &["IP2-5=first_decides", "IP3-1=between_nodes", "fault:gaps_past_rewinds"]),
        (
            "A",
            "Q7",
            &[
                "HD-5=appended",
                "HD-9=no_default_path",
                "IP2-6=current_path_only",
                "fault:last_record_is_default_head",
            ],
        ),
        (
            "H",
            "Q8",
            &[
                "OUT-1=by_gap",
                "fault:lines_from_zero",
                "fault:malformed_lines_dropped",
                "fault:malformed_lines_first",
            ],
        ),
    ];

    #[test]
    fn a_quotient_tells_the_same_variants_apart_but_for_those_that_break_what_justifies_it() {
        let told = |scope: &str| -> BTreeSet<_> {
            let found = witnesses(
                &[counts(scope, 3)],
                asr_oracle::variants(),
                Among::All,
                NonZero::<usize>::MIN,
                |_, _| (),
            );
            found.into_iter().map(|witness| witness.variant.name).collect()
        };
        for (slice, symmetry, lost) in LOST {
            let (whole, divided) = (told(slice), told(&format!("{slice}, {symmetry}")));
            assert!(divided.is_subset(&whole), "{symmetry}");
            assert_eq!(whole.difference(&divided).copied().collect::<Vec<_>>(), lost, "{symmetry}");
        }
    }

    #[test]
    fn the_engines_agree_with_and_without() {
        let settings = Settings { threads: NonZero::new(2).unwrap(), ..Settings::default() };
        for scope in ["A", "A, Q4", "A, Q5", "A, Q6", "A, Q7", "A, Q4, Q5, Q6, Q7", "H, Q8", "v, Q6, Q12"] {
            let counts = counts(scope, 3);
            let statement = explore(&counts, &Core, &settings, |_| ()).unwrap();
            assert_eq!(
                (statement.divergences, u128::from(statement.visited)),
                (0, counts.total()),
                "{scope}"
            );
        }
    }
}
