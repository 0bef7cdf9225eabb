//! Scripts of operations that render to agent session records.
