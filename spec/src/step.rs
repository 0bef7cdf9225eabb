//! The steps of the chapter's algorithms, one label each (`readings.md` B).

use std::fmt;

macro_rules! steps {
    ($($(#[doc = $doc:literal])+ $variant:ident = $label:literal,)*) => {
        /// One step of one algorithm. The documentation of a variant says what the step does.
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum Step {
            $($(#[doc = $doc])+ $variant,)*
        }

        impl Step {
            /// Every step, in the order of the chapter.
            pub const ALL: [Self; [$(Self::$variant),*].len()] = [$(Self::$variant),*];

            /// The label, as documents and reports spell it.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label,)* }
            }

            /// What the step does, in one sentence.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_ascii(),)* }
            }
        }
    };
}

steps! {
    /// Put the records into the order of their seq.
    Nr1 = "NR1",
    /// Start a node at a context-participating record that revises no other.
    Nr2 = "NR2",
    /// Give a node the position of the first record of its chain.
    Nr3 = "NR3",
    /// Take the content of a node from the latest revision of its chain.
    Nr4 = "NR4",
    /// Resolve a ref to the node that contains the record it names.
    Nr5 = "NR5",
    /// Let a superseding record join the chain of the record that it supersedes.
    Nr6 = "NR6",
    /// Take a superseding record with assembly mode `rewrite` for a marked rewrite.
    Nr7 = "NR7",
    /// Number the items of a path from zero.
    Nr8 = "NR8",
    /// Take branchesFrom from the latest marked rewrite, or else from the first record.
    Bf0 = "BF0",
    /// Follow branchesFrom to the node it names.
    Bf1 = "BF1",
    /// Follow an explicit null to START.
    Bf2 = "BF2",
    /// Take an explicit unknown for UNKNOWN.
    Bf3 = "BF3",
    /// Scan backwards, ignoring superseding records.
    Ip0 = "IP0",
    /// Stop the scan at the nearest record that begins a node.
    Ip1 = "IP1",
    /// Stop the scan at a rewind and take its target.
    Ip2 = "IP2",
    /// Pass a gap record or malformed line and mark the edge.
    Ip3 = "IP3",
    /// Reach the start of the stream.
    Ip4 = "IP4",
    /// Scan from the end of the stream for the default head.
    Hd1 = "HD1",
    /// Prefer stated heads, if there are any, to the default head.
    Hd2 = "HD2",
    /// Take the first effective head for the primary one.
    Hd3 = "HD3",
    /// Show no default path where the first head is null.
    Hd4 = "HD4",
    /// Leave a head unknown whose target is missing.
    Hd5 = "HD5",
    /// Return the empty path for START.
    Ap1 = "AP1",
    /// Begin at the node that the head resolves to.
    Ap2 = "AP2",
    /// Report a cycle at a node seen before.
    Ap3a = "AP3a",
    /// Prepend the node.
    Ap3b = "AP3b",
    /// Prepend the gap markers of the edge into the node.
    Ap3c = "AP3c",
    /// Look up the predecessor.
    Ap3d = "AP3d",
    /// Prepend a marker for an unknown or unresolved predecessor and leave the loop.
    Ap3e = "AP3e",
    /// Leave the loop at START.
    Ap3f = "AP3f",
    /// Go on at the predecessor.
    Ap3g = "AP3g",
    /// Prepend the marker of inherited context.
    Ap4 = "AP4",
    /// Return the path.
    Ap5 = "AP5",
    /// Compute the active path.
    V1 = "V1",
    /// Make one entry of each item of the path.
    V2 = "V2",
    /// Come to a compaction on the path.
    V3 = "V3",
    /// Drop a compaction that was not completed.
    V3a = "V3a",
    /// Replace the path up to and including throughId.
    V3bThrough = "V3b-through",
    /// Exclude from that what stands from keptFromId on.
    V3bKept = "V3b-kept",
    /// Replace the entries that ids name.
    V3bIds = "V3b-ids",
    /// Replace nothing, since the source did not say what.
    V3bUnknown = "V3b-unknown",
    /// Remove what is replaced, and the compaction itself.
    V3c = "V3c",
    /// Insert at START.
    V3dNull = "V3d-null",
    /// Insert just after the place of a node, whether it is still shown or not.
    V3dAfter = "V3d-after",
    /// Insert just before the place of a node, whether it is still shown or not.
    V3dBefore = "V3d-before",
    /// Insert where the first replaced entry was.
    V3dMin = "V3d-min",
    /// Insert at the compaction's own place.
    V3dOwn = "V3d-own",
    /// Insert the marker of an unknown replacement.
    V3e = "V3e",
    /// Insert a retained entry.
    V3f = "V3f",
    /// Insert the summary.
    V3g = "V3g",
    /// Drop an entry that the model did not see.
    V4 = "V4",
    /// Return the view.
    V5 = "V5",
    /// Resolve the native parent of a unit.
    Ms1 = "MS1",
    /// Place a unit without a parent.
    Ms2 = "MS2",
    /// Place a unit whose parent cannot be found.
    Ms3 = "MS3",
    /// Place a unit whose parent is the tip.
    Ms4 = "MS4",
    /// Branch from a parent off the current path.
    Ms5 = "MS5",
    /// Branch from a parent before a displaced segment that is not mechanical.
    Ms6 = "MS6",
    /// Take a displaced node for mechanical: same response.
    M1 = "M1",
    /// Take a displaced node for mechanical: injected.
    M2 = "M2",
    /// Take a displaced node for mechanical: failed attempt.
    M3 = "M3",
    /// Move the tip.
    Ms7 = "MS7",
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
