//! Every choice that the oracle makes, one small function each.
//!
//! Where the chapter leaves a choice, and where a slip of its reader would show, an algorithm asks the
//! [`Choices`] of its stream; it never asks which variant runs. The functions of [`R1`], our default reading,
//! stand beside the algorithm that they serve, each with the labels of the readings that it decides. A
//! [`Variant`](crate::Variant) is `R1` with one choice replaced, seldom two.

use crate::active_path::{self, Cycle, Item};
use crate::context_view::{self, Compaction, InsertAt, Place, Replaces, Shows, Side, ViewEntry};
use crate::heads;
use crate::line::{self, Line};
use crate::predecessor::{self, Branch, Edge, Passed, Predecessor};
use crate::stream::{self, NodeId, Stream};
use asr_spec::{Entry, Json, Name, Query, RefStatus, Trace};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The choices of one way to read the chapter. A position is an index into [`Stream::items`].
#[derive(Clone, Copy)]
#[expect(clippy::type_complexity, reason = "a type here says what a choice is given and what it decides")]
pub(crate) struct Choices {
    // Lines.
    /// IP3-6. The lines that may be records, with their numbers.
    pub written: fn(&[Line]) -> Vec<stream::Item>,
    /// ASR-009. The members of the record that a line is, if it is one.
    pub members: fn(&[u8]) -> Option<BTreeMap<String, Json>>,

    // Order, nodes and revisions.
    /// NR-10a. Records and malformed lines in the order of the records.
    pub order: fn(Vec<stream::Item>) -> Vec<stream::Item>,
    /// ASR-350. Whether the record at a position takes part in the context.
    pub takes_part: fn(&Stream, usize) -> bool,
    /// NR-1a, NR-1b, NR-2a, NR-2b, NR-2c, NR-5, NR-11. The record that the one at a position is a revision
    /// of.
    pub supersedes: fn(&Stream, usize) -> Option<usize>,
    /// NR-3, NR-3b. The position of the latest revision of a node.
    pub latest: fn(&Stream, NodeId) -> usize,
    /// NR-7, NR-7b, NR-8. Which of the bearers of an id a ref at a position names.
    pub bearer: fn(&Stream, usize, &[usize]) -> Result<usize, RefStatus>,

    // Predecessors.
    /// BF-1, BF-1b, BF-1c. The record whose branchesFrom applies to a node.
    pub carrier: fn(&Stream, NodeId) -> usize,
    /// BF-4, BF-5. The form of a branchesFrom, `None` for none.
    pub branch: fn(&Json) -> Option<Branch<'_>>,
    /// BF-2, BF-2b, BF-7. The edge from the target of a ref in the branchesFrom of a carrier into a node.
    pub branch_target: fn(&Stream, NodeId, usize, &Json, &mut dyn Trace) -> Edge,
    /// BF-6. What becomes of an explicit edge into the node at a position.
    pub explicit_edge: fn(&Stream, usize, Edge) -> Edge,
    /// NR-10b. The positions that a scan from a position visits, in its order.
    pub before: fn(&Stream, usize) -> Vec<usize>,
    /// NR-1a, IP1-1, IP2-4, IP3-3. Whether a scan ignores the record at a position.
    pub is_ignored: fn(&Stream, usize) -> bool,
    /// IP2-1, IP2-3, IP2-5, IP2-6. Where the rewind at a position leads, `None` where a scan goes on.
    pub rewind_target: fn(&Stream, usize, &mut dyn Trace) -> Option<Edge>,
    /// IP3-1, IP3-2, IP3-5, IP3-7. The gaps on the edge that a scan has found, in stream order.
    pub edge_gaps: fn(&Stream, &Passed) -> Vec<usize>,

    // Heads.
    /// HD-11. The default head.
    pub default_head: fn(&Stream, &mut dyn Trace) -> Predecessor,
    /// HD-1, HD-2, HD-6. The current session_info.heads.
    pub stated_heads: fn(&Stream) -> Option<&[Json]>,
    /// HD-4, HD-8, HD-8b. What an element of session_info.heads stands for.
    pub stated_head: fn(&Stream, &Json, &mut dyn Trace) -> Predecessor,
    /// HD-3, HD-9. The primary one of the effective heads, `None` for no default path.
    pub primary: fn(&Stream, Vec<Option<Predecessor>>) -> Option<Predecessor>,

    // Active path.
    /// AP1-1. The path of START.
    pub path_of_start: fn(&Stream) -> VecDeque<Item>,
    /// AP3a-1. The cycle that coming to a node reveals.
    pub cycle: fn(&Stream, &BTreeSet<NodeId>, NodeId) -> Option<Cycle>,
    /// BF-7b. The result where the walk stops at a cycle.
    pub stop: fn(VecDeque<Item>, Cycle) -> Result<VecDeque<Item>, Cycle>,
    /// AP3-1. What stands in the place of a predecessor that is no node.
    pub in_place_of: fn(Predecessor) -> Option<Item>,
    /// AP4-1. The current session_info.lineage.
    pub lineage: fn(&Stream) -> Option<&Json>,
    /// AP2-1, AP4-2. Whether a path inherits context.
    pub inherits: fn(&Stream, &VecDeque<Item>) -> bool,

    // Context view.
    /// VD-7. Whether an item of the path enters V.
    pub enters: fn(&Stream, &[Item], &Item) -> bool,
    /// The compaction nodes of the path with their indexes, in the order in which they apply.
    pub compactions: fn(&Stream, &[Item]) -> Vec<(NodeId, usize)>,
    /// V3a-1, V3a-2, V3a-3, VB-1. Whether a compaction applies.
    pub is_applied: fn(&Compaction<'_>) -> bool,
    /// VB-9, VB-9b, VB-15. What a compaction replaces.
    pub replaces: for<'a> fn(&Compaction<'a>) -> Vec<Replaces<'a>>,
    /// V3a-2, VB-10. The positions in V of what may be replaced.
    pub preceding: fn(&Compaction<'_>, &[ViewEntry]) -> Vec<usize>,
    /// VB-1, VB-2. The index of throughId.
    pub through_index: IndexOf,
    /// VB-2, VB-3. The index of keptFromId.
    pub kept_index: IndexOf,
    /// V2-1, VB-4, VB-5, VB-11, VB-14. Whether an entry is in the range through one index, less what is kept
    /// from another.
    pub in_range: fn(&Compaction<'_>, &ViewEntry, usize, Option<usize>) -> bool,
    /// VB-12. The nodes of replaces.ids.
    pub ids: fn(&Compaction<'_>, &[Json], &mut Vec<Shows>, &mut dyn Trace) -> Vec<NodeId>,
    /// VB-6, VB-7, VB-8. Whether naming nodes names an entry.
    pub is_named: fn(&ViewEntry, &[NodeId]) -> bool,
    /// The form of insertAt.
    pub insert_at: for<'a> fn(&Compaction<'a>) -> Option<InsertAt<'a>>,
    /// VD-3b, VD-3c. Where afterId null inserts.
    pub start: fn(&Compaction<'_>, &[ViewEntry]) -> Place,
    /// VD-4, VD-5. The index of afterId or beforeId.
    pub anchor_index: IndexOf,
    /// VB-16, VB-17, VD-2. The place beside an index.
    pub beside: fn(usize, Side) -> Place,
    /// VB-6b, VD-9. The smallest place of R.
    pub smallest: fn(&Compaction<'_>, &[ViewEntry]) -> Option<Place>,
    /// V3a-2. The place of a compaction.
    pub own_place: fn(&Compaction<'_>) -> Place,
    /// VD-3. The position in V before which an entry is inserted.
    pub insert_before: fn(&[ViewEntry], &ViewEntry) -> usize,
    /// VE-1. The unknown-replacement marker of a compaction that inserts at a place.
    pub unknown_replacement: fn(&Compaction<'_>, Place) -> Option<ViewEntry>,
    /// VF-1, VF-2, VF-4, VF-7, VF-8. What is inserted for an element of retains.
    pub retained: fn(&Compaction<'_>, &[ViewEntry], &Json, Place, &mut dyn Trace) -> Option<ViewEntry>,
    /// VG-1, VG-1b. Whether a compaction has a summary or opaque content.
    pub has_content: fn(&Compaction<'_>) -> bool,
    /// VF-3. The node by which step 4 judges an entry.
    pub node_of_step_4: fn(&ViewEntry) -> Option<NodeId>,
    /// V4-6. Whether a node is a message that the model did not see.
    pub is_hidden: fn(&Stream, NodeId) -> bool,
    /// V4-4, V4-7. Whether a node is a call that a program made.
    pub is_program_call: fn(&Stream, NodeId) -> bool,
    /// V4-2, V4-2b. The calls of programs that step 4 knows.
    pub program_calls: fn(&Stream, &[Item], &[ViewEntry]) -> Vec<NodeId>,
    /// V4-3. Whether a node is a tool_result paired with a call.
    pub is_paired: fn(&Stream, NodeId, NodeId) -> bool,

    // Output.
    /// The name of a node, and that of its latest revision where it is another record.
    pub names: fn(&Stream, NodeId) -> (Name, Option<Name>),
    /// AP4-3. The entry of an inherited-context marker.
    pub inherited_entry: fn(&Stream) -> Entry,
    /// VF-5. The entry of a retained node, by a compaction, truncated or not.
    pub retained_entry: fn(&Stream, NodeId, NodeId, bool) -> Entry,
    /// HD-5, OUT-1. The entries that answer a query.
    pub shown: fn(&Stream, &Query, Vec<Entry>) -> Vec<Entry>,
}

/// The index on the path of the node of a ref, and what stands in V where there is none.
pub(crate) type IndexOf =
    fn(&Compaction<'_>, &[ViewEntry], &Json, &mut Vec<Shows>, &mut dyn Trace) -> Option<usize>;

/// Our default reading.
pub(crate) const R1: Choices = Choices {
    written: line::numbered_then_not_blank,
    members: line::members,

    order: stream::in_order,
    takes_part: stream::is_one_of_the_four,
    supersedes: stream::superseded,
    latest: stream::highest_seq,
    bearer: stream::only_bearer,

    carrier: predecessor::latest_rewrite_or_first,
    branch: predecessor::branch,
    branch_target: predecessor::branch_target,
    explicit_edge: predecessor::without_gaps,
    before: predecessor::lower_positions,
    is_ignored: predecessor::is_superseding,
    rewind_target: predecessor::rewind_target,
    edge_gaps: predecessor::passed_in_stream_order,

    default_head: heads::scan_from_the_end,
    stated_heads: heads::stated_heads,
    stated_head: heads::stated_head,
    primary: heads::first_head,

    path_of_start: active_path::empty,
    cycle: active_path::met_again,
    stop: active_path::no_path,
    in_place_of: active_path::marker,
    lineage: heads::lineage,
    inherits: active_path::is_referenced,

    enters: context_view::every_item,
    compactions: context_view::in_path_order,
    is_applied: context_view::is_completed,
    replaces: context_view::first_form,
    preceding: context_view::before_own_entry,
    through_index: context_view::index_on_path,
    kept_index: context_view::index_on_path,
    in_range: context_view::in_range,
    ids: context_view::resolved_ids,
    is_named: context_view::node_or_summary_of,
    insert_at: context_view::insert_at,
    start: context_view::fixed_start,
    anchor_index: context_view::index_on_path,
    beside: context_view::own_side,
    smallest: context_view::smallest_place,
    own_place: context_view::own_place,
    insert_before: context_view::first_beyond,
    unknown_replacement: context_view::unknown_replacement,
    retained: context_view::retained,
    has_content: context_view::has_content,
    node_of_step_4: context_view::node_entry,
    is_hidden: context_view::is_hidden,
    is_program_call: context_view::is_program_call,
    program_calls: context_view::program_calls,
    is_paired: context_view::is_paired,

    names: stream::first_and_rev,
    inherited_entry: active_path::inherited_entry,
    retained_entry: context_view::retained_entry,
    shown: crate::entries_as_they_are,
};

impl Default for Choices {
    fn default() -> Self {
        R1
    }
}
