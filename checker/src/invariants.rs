//! Sentences that are true of every engine that reads the chapter as we do, each to be checked on any stream.
//!
//! An invariant needs no second implementation: it compares answers of one engine with each other, or with
//! those about an edited stream. So it finds what two implementations get wrong alike, and it holds an oracle
//! variant to account like any engine. Each has a condition beyond its regime, and says whether a stream met
//! it. What looks as true and is not stands in `tests/tests/invariants.rs`, with what breaks it.
//!
//! The sentences are those of `readings.md` C.1, in its order and under its ids. *Default head* stands for
//! one that is a node with a path, *fresh* for an id that nothing refers to, *trailing gaps* for those that
//! the scan for the default head passes.

mod compacting;
mod entries;
mod growing;
mod layout;
mod lines;
mod rewriting;
mod subject;
mod viewing;
mod walking;

pub use subject::Breach;

use crate::engine::Engine;
use subject::{Examined, Stop, Subject};

/// On which streams an invariant holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Regime {
    /// On every stream.
    Any,
    /// On streams in which a validator finds no violation.
    Valid,
}

/// One invariant.
pub struct Invariant {
    /// The id, as in `V-12`.
    pub id: &'static str,
    /// What holds, with its condition.
    pub sentence: &'static str,
    /// On which streams.
    pub regime: Regime,
    examine: fn(&Subject<'_>) -> Examined,
}

/// What became of an invariant on a stream.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
pub enum Holding {
    /// It holds.
    Held,
    /// Its condition is not met.
    NotApplicable,
    /// It does not hold.
    Broken(Box<Breach>),
}

/// A stream that one engine is asked about.
pub struct Examination<'s> {
    subject: Option<Subject<'s>>,
    is_valid: bool,
}

impl<'s> Examination<'s> {
    /// Prepares a stream. No invariant applies where the engine refuses it, or where editing would change
    /// more than it says (numbers that `serde_json` does not keep).
    pub fn new(engine: &'s dyn Engine, stream: &'s [u8]) -> Self {
        let subject = Subject::new(engine, stream);
        let is_valid = subject.as_ref().is_some_and(|subject| subject.base.is_valid());
        Self { subject, is_valid }
    }

    /// Examines one invariant. The choices that it takes follow from the stream.
    pub fn check(&self, invariant: &Invariant) -> Holding {
        let Some(subject) = &self.subject else { return Holding::NotApplicable };
        if invariant.regime == Regime::Valid && !self.is_valid {
            return Holding::NotApplicable;
        }
        subject.choose_for(invariant.id);
        match (invariant.examine)(subject) {
            Ok(()) => Holding::Held,
            Err(Stop::NotApplicable) => Holding::NotApplicable,
            Err(Stop::Broken(breach)) => Holding::Broken(breach),
        }
    }
}

macro_rules! invariants {
    ($($id:literal $regime:ident $module:ident::$examine:ident $sentence:literal,)*) => {
        /// Every invariant.
        pub static INVARIANTS: &[Invariant] = &[$(Invariant {
            id: $id,
            sentence: $sentence,
            regime: Regime::$regime,
            examine: $module::$examine,
        },)*];
    };
}

invariants! {
    "I-1" Any rewriting::unknown_fields "unknown fields on any record change nothing",
    "I-2" Any rewriting::key_order "the order of keys changes nothing",
    "I-3" Any rewriting::renaming "renaming all ids and refs renames the answers and changes nothing else",
    "I-4" Any rewriting::renumbering "a strictly increasing renumbering of seq changes nothing",
    "I-5" Any rewriting::audit_record
        "a fresh audit-only record but rewind, gap and session_info, inserted anywhere, shifts lines only",
    "I-6" Any growing::linear_message
        "the path of an appended message is that of the default head, the trailing gaps, and the message",
    "I-7" Any growing::message_leaves_records_alone
        "a fresh message, linear or branching, changes no answer about a record that was there",
    "I-8" Valid growing::rewind_to_default_head "a rewind to the default head changes nothing",
    "I-9" Any growing::rewind_then_message
        "after a rewind to x the path of a message is that of x and the message",
    "I-10" Any growing::branch_as_rewind "branching from x, or from START, is as rewinding there first",
    "I-11" Valid growing::abandoned_branch "messages and a rewind to the old default head change nothing",
    "I-12" Valid rewriting::alias "a ref may name any record of its node",
    "I-13" Any walking::prefix_closed "the path of a node on a path is what leads there",
    "I-14" Any walking::no_cycle_backwards
        "there is no cycle where branches and rewinds go back and no marked rewrite branches",
    "I-15" Any walking::positions_increase
        "under the condition of I-14 the nodes of a path are in stream order",
    "I-16" Any walking::every_gap_on_one_edge "a gap lies on one edge at most; a path has nothing twice",
    "I-17" Any walking::markers_in_front
        "the path of a node ends with it and has markers but gaps at the front only",
    "I-18" Valid rewriting::copied_revision "a revision that copies the latest one changes nothing but rev",
    "I-19" Valid growing::plain_revision "a revision that is no marked rewrite changes no path but rev",
    "I-20" Valid growing::rewrite_leaves_other_paths_alone
        "a marked rewrite that closes no cycle changes only paths through its node, and those only before it",
    "I-21" Valid walking::deleting_what_is_off_the_path
        "deleting every node that is off a path does not change it",
    "I-22" Any walking::path_before_a_compaction
        "what leads to a compaction is the path of its predecessor and the gaps between, from whatever head",
    "I-23" Any growing::append_stability
        "fresh records, none superseding, no tool_call, no session_info, change no older answer",
    "I-24" Valid walking::predecessor_is_an_earlier_default_head
        "the predecessor of a node that says nothing of branches is the default head of the stream before it",
    "I-25" Valid walking::stated_head "heads [x] is as asking for x, heads [] as no heads",
    "I-26" Any walking::null_head
        "where the first head is null there is no default path, and records are as before",
    "I-27" Valid walking::inheritance
        "referenced inheritance puts one marker before each path, and none before START",
    "I-28" Valid walking::deleting_gap_records
        "deleting gap records deletes their markers from paths, and no more",
    "I-29" Any growing::rewrite_moves_its_node
        "a marked rewrite of n that branches from x, START or nowhere puts n after that path",
    "I-30" Any growing::order_of_gaps "gaps on an edge are in stream order",
    "I-31" Any walking::revisions_named "rev is there where a node has revisions, and names the latest",
    "I-32" Any walking::start_is_empty "the path and the view of START are empty",
    "I-33" Any walking::cycles_where_nodes_come_again
        "a cycle is reported exactly where predecessors come back to a node, whatever its id",
    "I-34" Any rewriting::place_of_revision
        "moving the last record of a chain to the end of the stream changes nothing, without malformed lines",
    "V-1" Any viewing::no_compaction_no_difference
        "without compactions the view is the path less what step 4 drops",
    "V-2" Any viewing::no_entry_of_a_compaction "no view has a node entry of a compaction",
    "V-3" Any viewing::subsequence_of_the_path "what a view takes from the path keeps its order",
    "V-4" Any viewing::inserted_by_applied_compactions
        "every summary, unknown replacement and retained entry is of an applied compaction of the path",
    "V-5" Valid viewing::last_compaction_contributes_all
        "the last applied compaction contributes all that it has",
    "V-6" Valid viewing::entries_of_a_compaction_stand_together
        "what one compaction inserted stands together: unknown replacement, retained entries, summary",
    "V-7" Valid compacting::indexes_of_their_own
        "an entry inserted beside a node has an index of its own, between those of the path",
    "V-8" Valid compacting::failed "a compaction that is not completed changes no view",
    "V-9" Valid compacting::empty "a compaction that replaces and holds nothing changes no view",
    "V-10" Valid compacting::unknown
        "an unknown replacement without insertAt comes last: marker, retained entries, summary",
    "V-11" Valid compacting::full "a full compaction leaves its summary and the trailing gaps",
    "V-12" Valid viewing::extension
        "the view of a node that is no compaction is that of its predecessor, the gaps between, and the node",
    "V-13" Any viewing::what_is_lost_stays_lost
        "a node shown in a view is shown in all views on the way there",
    "V-14" Any rewriting::order_of_ids "order and repetition in replaces.ids change nothing",
    "V-15" Any rewriting::what_compactions_are_called
        "status completed is as none; kind, trigger, reason, tokens and other evidence mean nothing",
    "V-16" Any viewing::hiding_a_message
        "hiding a message removes its node entry from every view, and no more",
    "V-17" Valid compacting::branch_summary "the summary of a branch off the path comes after all",
    "V-18" Valid viewing::compactions_off_the_path "compactions off a path do not matter to its view",
    "V-19" Valid compacting::kept_from_the_first
        "a range kept from the first entry on replaces nothing of the path",
    "V-20" Valid compacting::range_as_set
        "a range is as the set of its nodes, without markers and retained entries in it",
    "V-21" Any viewing::schema "every entry is of a form of ASR-376",
    "V-22" Valid viewing::everything_resolves "a valid stream shows no unresolved ref",
    "V-23" Any viewing::size
        "a view has at most what the path has and what compactions insert, less compactions",
    "V-24" Valid viewing::only_old_and_own_entries
        "the view of a compaction has entries of its predecessor's view, gaps between, and its own",
    "V-25" Valid viewing::failed_compaction_deleted
        "a failed linear compaction that nothing names can be deleted and is missed by no other view",
    "V-26" Any viewing::what_follows_is_there "whatever follows the last applied compaction is there",
    "V-27" Valid compacting::set
        "a set leaves the view without its members and the new entries where the first was",
    "V-28" Valid compacting::at_start "an insertion at START comes before all but others at START",
    "V-29" Valid compacting::beside_a_node "an insertion after or before a node parts the path there",
    "V-30" Valid compacting::retains_in_order "retained entries keep their order and repetitions",
    "V-31" Any viewing::step_4_restated "no view has a node entry that step 4 drops",
}
