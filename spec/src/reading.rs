//! The questions that the chapter leaves open. `readings.toml` is their one source.

/// One question that the chapter leaves open, with the answers that its text allows.
///
/// The first alternative is the default reading: what both implementations do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Reading {
    /// The label, such as `NR-1a`; what precedes the hyphen is the algorithm it belongs to.
    pub label: &'static str,
    /// The question.
    pub question: &'static str,
    /// How much depends on it: 1 where implementations that conform collide on clean streams, 3 where only odd
    /// streams show it. `None` where nobody has judged.
    pub consequence: Option<u8>,
    /// The default reading, then the others, each of which some stream tells apart from it.
    pub alternatives: &'static [Alternative],
}

/// One answer to a question that the chapter leaves open.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Alternative {
    /// A word or two in snake case, unique within its reading.
    pub name: &'static str,
    /// The answer.
    pub text: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/readings.rs"));

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_hundred_labels_each_once_each_with_a_default_and_another_answer() {
        let labels: BTreeSet<_> = READINGS.iter().map(|reading| reading.label).collect();
        assert_eq!((READINGS.len(), labels.len()), (100, 100));
        assert!(READINGS.iter().all(|reading| reading.alternatives.len() > 1));
    }

    #[test]
    fn the_alternatives_of_a_reading_have_names_of_their_own() {
        let is_snake = |name: &str| {
            name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        };
        for reading in READINGS {
            let names: BTreeSet<_> =
                reading.alternatives.iter().map(|alternative| alternative.name).collect();
            assert_eq!(names.len(), reading.alternatives.len(), "{}", reading.label);
            assert!(names.iter().all(|name| is_snake(name)), "{}: {names:?}", reading.label);
        }
    }
}
