//! Engines, verdicts and the hunt for disagreement.
